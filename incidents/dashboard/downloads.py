"""Download buttons: the file is made only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import geopandas as gpd
import streamlit as st

from incidents.exporters import to_bytes

__all__ = ["show_downloads"]

_FORMATS = (
    (
        "geojson",
        "GeoJSON",
        "application/geo+json",
        "For GIS programs. All columns; incidents without a location are in it with no geometry.",
    ),
    ("csv", "CSV", "text/csv", "For spreadsheets. All columns, longitude and latitude in degrees (WGS84)."),
)


def _make(frame: gpd.GeoDataFrame, fmt: str) -> Callable[[], bytes]:
    return lambda: to_bytes(frame, fmt)


def show_downloads(frame: gpd.GeoDataFrame, *, where: str) -> None:
    """Show one button a format for exactly the incidents given.

    Parameters
    ----------
    frame : GeoDataFrame
        What to download; may be empty.
    where : str
        Tells the buttons of one page from those of another.
    """
    columns = st.columns([1] * len(_FORMATS) + [3], vertical_alignment="center")
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    for column, (fmt, label, mime, note) in zip(columns, _FORMATS, strict=False):
        column.download_button(
            f"Download {label}",
            data=_make(frame, fmt),
            file_name=f"incidents-{day}.{fmt}",
            mime=mime,
            help=note,
            key=f"download_{where}_{fmt}",
            on_click="ignore",
            icon=":material/download:",
            width="stretch",
        )
    columns[-1].caption(
        f"Holds the {len(frame):,} incidents that the filters keep."
        if len(frame) != 1
        else "Holds the one incident that the filters keep."
    )
