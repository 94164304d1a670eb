"""Numbers about a set of incidents, each as the sentence that may be said of it.

A sum of ranges is a range. What is not stated is counted apart and never as 0, so a total with gaps is "at least".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import shapely

__all__ = ["Summary", "count_line", "format_range", "summarise"]


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers about a set of incidents.

    Attributes
    ----------
    incidents, located, unlocated, undated : int
        `incidents` counts all, the unlocated and the undated among them.
    killed_min, killed_max, injured_min, injured_max, missing_min, missing_max : int or None
        Sums of the lower and upper ends. The lower is None where no incident states a figure; the upper is None where
        an incident states no upper end, or no figure at all.
    killed_unstated, injured_unstated, missing_unstated : int
        Incidents that state no such figure.
    places : int
        Different places that incidents are located at.
    sources : int
        Different publishers.
    first_day, last_day : date or None
    """

    incidents: int
    located: int
    unlocated: int
    undated: int
    killed_min: int | None
    killed_max: int | None
    killed_unstated: int
    injured_min: int | None
    injured_max: int | None
    injured_unstated: int
    missing_min: int | None
    missing_max: int | None
    missing_unstated: int
    places: int
    sources: int
    first_day: date | None
    last_day: date | None

    @property
    def killed(self) -> str:
        """The killed in words: "at least 3"."""
        return _format_total(self.killed_min, self.killed_max)

    @property
    def injured(self) -> str:
        """The injured in words."""
        return _format_total(self.injured_min, self.injured_max)

    @property
    def missing(self) -> str:
        """The missing in words."""
        return _format_total(self.missing_min, self.missing_max)


def count_line(all_frame: pd.DataFrame, shown_frame: pd.DataFrame) -> str:
    """Return how many incidents are shown: "31 of 38 incidents, 29 on the map, 2 without a location"."""
    total, shown = len(all_frame), len(shown_frame)
    located = int(shown_frame["geometry"].notna().sum())
    noun = "incident" if total == 1 else "incidents"
    return f"{shown:,} of {total:,} {noun}, {located:,} on the map, {shown - located:,} without a location"


def format_range(minimum: int | None, maximum: int | None) -> str:
    """Return a figure in words: "50 or more", "up to 40", "3–5", "7", "not stated", "none"."""
    low = None if pd.isna(minimum) else int(minimum)  # type: ignore[arg-type] # isna said that it is no null
    high = None if pd.isna(maximum) else int(maximum)  # type: ignore[arg-type] # the same
    if low is None and high is None:
        return "not stated"
    if high is None:
        return f"{low:,} or more"
    if low is None:
        return f"up to {high:,}" if high else "none"
    if low == high:
        return f"{low:,}" if low else "none"
    return f"{low:,}–{high:,}"


def summarise(frame: gpd.GeoDataFrame) -> Summary:
    """Return the numbers about the incidents of a contract frame, all of its rows counted.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        Filter it first: background and rejected incidents count here like others.
    """
    located = frame.geometry.notna().to_numpy()
    first = pa.chunked_array(pa.array(frame["date_start"], pa.date32(), from_pandas=True))
    last = pa.chunked_array(pa.array(frame["date_end"], pa.date32(), from_pandas=True))
    figures: dict[str, int | None] = {}
    unstated: dict[str, int] = {}
    for name in ("killed", "injured", "missing"):
        low, high = frame[f"{name}_min"], frame[f"{name}_max"]
        gaps = int((low.isna() & high.isna()).sum())
        unstated[f"{name}_unstated"] = gaps
        stated = gaps < len(frame)
        figures[f"{name}_min"] = int(low.sum()) if stated else None
        figures[f"{name}_max"] = int(high.sum()) if stated and not high.isna().any() else None
    sources = {name for names in frame["source_names"] for name in names}
    return Summary(
        incidents=len(frame),
        located=int(located.sum()),
        unlocated=int((~located).sum()),
        undated=int(frame["date_start"].isna().sum()),
        killed_min=figures["killed_min"],
        killed_max=figures["killed_max"],
        killed_unstated=unstated["killed_unstated"],
        injured_min=figures["injured_min"],
        injured_max=figures["injured_max"],
        injured_unstated=unstated["injured_unstated"],
        missing_min=figures["missing_min"],
        missing_max=figures["missing_max"],
        missing_unstated=unstated["missing_unstated"],
        places=_count_places(frame[located]),
        sources=len(sources),
        first_day=pc.min(first).as_py(),
        last_day=max((d for d in (pc.max(first).as_py(), pc.max(last).as_py()) if d is not None), default=None),
    )


def _count_places(frame: gpd.GeoDataFrame) -> int:
    """Count different places: by GeoNames id where there is one, else by point."""
    if not len(frame):
        return 0
    named = frame["geonameid"].notna().to_numpy()
    points = frame.geometry.to_numpy()[~named]
    pairs: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.column_stack(
        [shapely.get_x(points), shapely.get_y(points)]
    )
    return int(frame["geonameid"].nunique()) + len(np.unique(pairs, axis=0))


def _format_total(minimum: int | None, maximum: int | None) -> str:
    if minimum is not None and maximum is None:
        return f"at least {minimum:,}"
    return format_range(minimum, maximum)
