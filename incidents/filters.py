"""Choose incidents: one frozen filter, from frame to frame, and to and from a link's query.

A figure is a range, so a filter keeps an incident whose range *can* meet the one asked for: "at least 3" can be 10.
What is not stated is never counted as 0: it is a choice of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import shapely

from geodata.place import PRECISIONS
from incidents.areas import load_area, parse_area
from incidents.columns import REVIEW_STATUSES, SCHEMA_VERSION
from incidents.errors import FilterError
from incidents.folding import TEXT_COLUMNS, fold_texts, match_text
from incidents.queries import PARSERS
from incidents.taxonomy import TYPES, get_label

__all__ = ["TEXT_COLUMNS", "Filter", "apply_filter", "fold_texts", "read_area"]

_NOT_A_DAY = np.iinfo("int64").min  # what numpy takes for NaT


@dataclass(frozen=True)
class Filter:
    """What to keep. The empty filter keeps every incident but the background.

    Attributes
    ----------
    types, countries, admin1, review_statuses : frozenset of str
        Empty for all.
    killed_min, killed_max, injured_min, injured_max : int or None
        The range asked for, both ends inclusive.
    killed_unstated, injured_unstated : bool
        Keep incidents that state no such figure.
    date_from, date_to : date or None
        Both inclusive; an incident over several days is kept if one of them is inside.
    undated : bool
        Keep incidents without a date.
    bbox : tuple of float or None
        ``(lon_min, lat_min, lon_max, lat_max)`` in degrees; over the 180th meridian where lon_min > lon_max.
    within : str or None
        A polygon as WKT (lon lat), or the path of a file with polygons. Its edge belongs to it.
    text : str
        Words, each of which must occur in title, place_name or evidence; accents and case do not count.
    contested : bool or None
        Only contested ones, only uncontested ones, or both.
    min_confidence : float or None
        0 to 1. Incidents without a confidence are left out.
    precision_at_least : str or None
        The coarsest precision to keep.
    background : bool
        Keep also earlier events that a report only recalls.

    Raises
    ------
    FilterError
        A value is not usable; one line says which and why.
    """

    types: frozenset[str] = frozenset()
    killed_min: int | None = None
    killed_max: int | None = None
    killed_unstated: bool = True
    injured_min: int | None = None
    injured_max: int | None = None
    injured_unstated: bool = True
    date_from: date | None = None
    date_to: date | None = None
    undated: bool = True
    countries: frozenset[str] = frozenset()
    admin1: frozenset[str] = frozenset()
    bbox: tuple[float, float, float, float] | None = None
    within: str | None = None
    text: str = ""
    review_statuses: frozenset[str] = frozenset()
    contested: bool | None = None
    min_confidence: float | None = None
    precision_at_least: str | None = None
    background: bool = False

    def __post_init__(self) -> None:
        _require_known("type", self.types, TYPES)
        _require_known("review status", self.review_statuses, REVIEW_STATUSES)
        if self.precision_at_least is not None:
            _require_known("precision", [self.precision_at_least], PRECISIONS)
        for name in ("killed", "injured"):
            low, high = getattr(self, f"{name}_min"), getattr(self, f"{name}_max")
            for value in (low, high):
                if value is not None and value < 0:
                    raise FilterError(f"{name}: {value} is below 0")
            if low is not None and high is not None and low > high:
                raise FilterError(f"{name}: from {low} to {high} is no range; the first must not be the larger")
        if self.date_from and self.date_to and self.date_from > self.date_to:
            raise FilterError(f"dates: {self.date_from} is after {self.date_to}")
        if self.bbox is not None:
            _require_box(self.bbox)
        if self.min_confidence is not None and not 0 <= self.min_confidence <= 1:
            raise FilterError(f"confidence: {self.min_confidence} is not between 0 and 1")

    def to_query(self) -> dict[str, list[str]]:
        """Return the filter as the parameters of a link; only what differs from the empty filter.

        A file of polygons is written as its polygons, so that the link works elsewhere.
        """
        query: dict[str, list[str]] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default:
                continue
            if isinstance(value, frozenset):
                query[field.name] = sorted(value)
            elif isinstance(value, bool):
                query[field.name] = ["1" if value else "0"]
            elif field.name == "bbox":
                query["bbox"] = [",".join(repr(float(v)) for v in value)]
            elif field.name == "within":
                query["within"] = [value if parse_area(value) is not None else load_area(value).wkt]
            elif isinstance(value, date):
                query[field.name] = [value.isoformat()]
            else:
                query[field.name] = [str(value)]
        return query

    @classmethod
    def from_query(cls, query: Mapping[str, str | Iterable[str]]) -> Filter:
        """Return the filter of a link's parameters; parameters that are not ours are left alone.

        A link comes from anybody: unlike elsewhere, `within` must be a polygon here, never a file.

        Raises
        ------
        FilterError
            A value is not usable; one line says which and why.
        """
        values: dict[str, Any] = {}
        for name, parse in PARSERS.items():
            if name not in query:
                continue
            given = query[name]
            texts = [given] if isinstance(given, str) else [str(v) for v in given]
            if not texts:
                continue
            try:
                values[name] = parse(texts)
            except ValueError as error:
                raise FilterError(f"{name}: {texts[0][:60]!r} {error}") from None
        return cls(**values)

    def describe(self) -> list[str]:
        """Return the filter in words, one line a choice; nothing for the empty filter."""
        lines = [
            _describe_choice("type", [get_label(t) for t in TYPES if t in self.types]),
            _describe_figure("killed", self.killed_min, self.killed_max, unstated=self.killed_unstated),
            _describe_figure("injured", self.injured_min, self.injured_max, unstated=self.injured_unstated),
            _describe_dates(self.date_from, self.date_to, undated=self.undated),
            _describe_choice("country", sorted(self.countries)),
            _describe_choice("first-level area", sorted(self.admin1)),
            "" if self.bbox is None else _describe_box(self.bbox),
            "" if self.within is None else "inside a drawn area, without a location left out",
            f"text: {self.text.strip()}" if self.text.strip() else "",
            _describe_choice("review", [s for s in REVIEW_STATUSES if s in self.review_statuses]),
            "" if self.contested is None else ("contested only" if self.contested else "not contested"),
            "" if self.min_confidence is None else f"confidence: {self.min_confidence:g} or more, not stated left out",
            "" if self.precision_at_least is None else f"location: {self.precision_at_least} or finer",
            "with background events" if self.background else "",
        ]
        return [line for line in lines if line]


def apply_filter(frame: gpd.GeoDataFrame, filter: Filter) -> gpd.GeoDataFrame:  # noqa: A002 - the interface's name
    """Return the rows that the filter keeps, in their order and with their index, in a new frame.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        Contract columns; not changed.
    filter : Filter

    Raises
    ------
    FilterError
        The file of `Filter.within` cannot be read.
    """
    keep = np.ones(len(frame), dtype=bool)
    if not filter.background:
        keep &= frame["current"].to_numpy()
    for column, chosen in (
        ("type", filter.types),
        ("country", filter.countries),
        ("admin1", filter.admin1),
        ("review_status", filter.review_statuses),
    ):
        if chosen:
            keep &= frame[column].isin(list(chosen)).to_numpy()
    keep &= _match_figure(frame, "killed", filter.killed_min, filter.killed_max, unstated=filter.killed_unstated)
    keep &= _match_figure(frame, "injured", filter.injured_min, filter.injured_max, unstated=filter.injured_unstated)
    keep &= _match_dates(frame, filter)
    if filter.contested is not None:
        keep &= frame["contested"].to_numpy() == filter.contested
    if filter.min_confidence is not None:
        keep &= frame["confidence"].to_numpy() >= filter.min_confidence
    if filter.precision_at_least is not None:
        keep &= (frame["location_precision"] <= filter.precision_at_least).to_numpy()
    if filter.bbox is not None or filter.within is not None:
        keep &= _match_place(frame, filter)
    if filter.text.strip() and keep.any():
        keep &= match_text(frame, filter.text)
    result = frame[keep].copy()
    result.attrs["schema_version"] = SCHEMA_VERSION
    return result


def read_area(path: str | Path) -> str:
    """Return the polygons of a file (GeoJSON, GeoPackage, zipped Shapefile, KML …) as one WKT text, EPSG:4326.

    Raises
    ------
    FilterError
        The file cannot be read, has no polygons, or does not say its reference system.
    """
    return str(load_area(str(path)).wkt)


def _match_figure(
    frame: gpd.GeoDataFrame, name: str, low: int | None, high: int | None, *, unstated: bool
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if low is None and high is None and unstated:
        return np.ones(len(frame), dtype=bool)
    least, most = frame[f"{name}_min"], frame[f"{name}_max"]
    missing = least.isna().to_numpy() & most.isna().to_numpy()
    keep = np.ones(len(frame), dtype=bool)
    if low is not None:  # an open upper end can reach any figure
        keep &= most.fillna(np.iinfo("int64").max).to_numpy(dtype="int64") >= low
    if high is not None:  # an open lower end can be none
        keep &= least.fillna(0).to_numpy(dtype="int64") <= high
    return np.where(missing, unstated, keep)


def _match_dates(frame: gpd.GeoDataFrame, wanted: Filter) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if wanted.date_from is None and wanted.date_to is None and wanted.undated:
        return np.ones(len(frame), dtype=bool)
    first = _to_days(frame["date_start"])
    last = _to_days(frame["date_end"])
    missing = np.isnat(first)
    last = np.where(np.isnat(last), first, last)
    keep = np.ones(len(frame), dtype=bool)
    if wanted.date_from is not None:
        keep &= last >= np.datetime64(wanted.date_from)
    if wanted.date_to is not None:
        keep &= first <= np.datetime64(wanted.date_to)
    return np.where(missing, wanted.undated, keep)


def _to_days(series: pd.Series) -> np.ndarray[Any, np.dtype[np.datetime64]]:
    days = pa.array(series, pa.date32(), from_pandas=True)
    # the days are the numbers of numpy's own unit
    numbers = days.cast(pa.int32()).cast(pa.int64()).fill_null(_NOT_A_DAY)
    result: np.ndarray[Any, np.dtype[np.datetime64]] = numbers.to_numpy().view("datetime64[D]")
    return result


def _match_place(frame: gpd.GeoDataFrame, wanted: Filter) -> np.ndarray[Any, np.dtype[np.bool_]]:
    points = frame.geometry.to_numpy()
    lon, lat = shapely.get_x(points), shapely.get_y(points)
    keep: np.ndarray[Any, np.dtype[np.bool_]] = np.isfinite(lon)
    if wanted.bbox is not None:
        west, south, east, north = wanted.bbox
        inside = (lon >= west) & (lon <= east) if west <= east else (lon >= west) | (lon <= east)
        keep &= inside & (lat >= south) & (lat <= north)
    if wanted.within is not None:
        area = parse_area(wanted.within)
        area = load_area(wanted.within) if area is None else area
        shapely.prepare(area)
        positions = np.flatnonzero(keep)
        keep[positions] = shapely.intersects_xy(area, lon[positions], lat[positions])
    return keep


def _require_known(what: str, values: Iterable[str], known: tuple[str, ...]) -> None:
    for value in values:
        if value not in known:
            raise FilterError(f"{what}: {value[:60]!r} is not known; known are {', '.join(known)}")


def _require_box(box: tuple[float, float, float, float]) -> None:
    if len(box) != 4 or not all(map(math.isfinite, box)):
        raise FilterError("bbox: needs four numbers: lon_min,lat_min,lon_max,lat_max")
    west, south, east, north = box
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise FilterError(
            f"bbox: {west:g},{south:g},{east:g},{north:g} is no box of lon_min,lat_min,lon_max,lat_max in degrees"
        )


def _describe_choice(name: str, values: list[str]) -> str:
    return f"{name}: {', '.join(values)}" if values else ""


def _describe_figure(name: str, low: int | None, high: int | None, *, unstated: bool) -> str:
    words = [_describe_range(low, high)] if low is not None or high is not None else []
    if words or not unstated:
        words.append("or not stated" if unstated else "not stated left out")
    return f"{name}: {', '.join(words)}" if words else ""


def _describe_range(low: int | None, high: int | None) -> str:
    if low == high:
        return "none" if low == 0 else str(low)
    if high is None:
        return f"{low} or more"
    return f"up to {high}" if low is None else f"{low} to {high}"


def _describe_dates(first: date | None, last: date | None, *, undated: bool) -> str:
    words = []
    if first is not None and last is not None:
        words.append(f"{first}" if first == last else f"{first} to {last}")
    elif first is not None:
        words.append(f"{first} or later")
    elif last is not None:
        words.append(f"up to {last}")
    if words or not undated:
        words.append("or undated" if undated else "undated left out")
    return f"date: {', '.join(words)}" if words else ""


def _describe_box(box: tuple[float, float, float, float]) -> str:
    west, south, east, north = box
    return f"longitude {west:g} to {east:g}, latitude {south:g} to {north:g}, without a location left out"
