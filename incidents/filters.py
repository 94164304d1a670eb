"""Choose incidents: one frozen filter, from frame to frame, and to and from a link's query.

A figure is a range, so a filter keeps an incident whose range *can* meet the one asked for: "at least 3" can be 10.
What is not stated is never counted as 0: it is a choice of its own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from geodata.place import PRECISIONS
from incidents.columns import CRS, REVIEW_STATUSES, SCHEMA_VERSION
from incidents.errors import FilterError
from incidents.taxonomy import TYPES, get_label

__all__ = ["TEXT_COLUMNS", "Filter", "apply_filter", "fold_texts", "read_area"]

TEXT_COLUMNS: tuple[str, ...] = ("title", "place_name", "evidence")
"""The columns that a text is looked for in."""

_MARKS = "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u00ad]"
"""Marks that people leave out when they type: accents, Hebrew points, Arabic vowels and tatweel, invisible signs.

The vowel signs of Indic and other scripts are letters there and stay.
"""
_LETTERS: dict[str, str] = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ħ": "h",
    "ı": "i",
    "ς": "σ",
    "ة": "ه",
    "ى": "ي",
    "ی": "ي",
    "ک": "ك",
}
"""Letters that Unicode does not take apart, but readers do."""


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
                query["within"] = [value if _parse_area(value) is not None else _load_area(value).wkt]
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
        for name, parse in _PARSERS.items():
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
        found = _match_text(frame[keep], filter.text)
        keep[keep] = found
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
    return str(_load_area(str(path)).wkt)


def fold_texts(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the texts as they are compared: without case and accents, in every script."""
    folded = pc.utf8_normalize(texts, form="NFKD")
    folded = pc.utf8_lower(pc.replace_substring_regex(folded, pattern=_MARKS, replacement=""))
    for letter, plain in _LETTERS.items():
        folded = pc.replace_substring(folded, pattern=letter, replacement=plain)
    folded = pc.replace_substring_regex(folded, pattern="[\u2018\u2019\u02bc\u02b9\u02bb\u0060\u00b4]", replacement="'")
    folded = pc.replace_substring_regex(folded, pattern="[\u2010-\u2015]", replacement="-")
    return pc.utf8_lower(folded)


def _match_text(frame: gpd.GeoDataFrame, text: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    words = [w for w in fold_texts(pa.array(text.split(), pa.large_string())).to_pylist() if w]
    found = [np.zeros(len(frame), dtype=bool) for _ in words]
    for column in TEXT_COLUMNS:
        folded = fold_texts(pa.chunked_array(pa.array(frame[column], pa.large_string(), from_pandas=True)))
        for hits, word in zip(found, words, strict=True):
            hits |= pc.fill_null(pc.match_substring(folded, pattern=word), fill_value=False).to_numpy()
    return np.logical_and.reduce(found) if found else np.ones(len(frame), dtype=bool)


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
    days: np.ndarray[Any, np.dtype[np.datetime64]] = pa.chunked_array(
        pa.array(series, pa.date32(), from_pandas=True)
    ).to_numpy()
    return days.astype("datetime64[D]")


def _match_place(frame: gpd.GeoDataFrame, wanted: Filter) -> np.ndarray[Any, np.dtype[np.bool_]]:
    points = frame.geometry.to_numpy()
    lon, lat = shapely.get_x(points), shapely.get_y(points)
    keep = np.isfinite(lon)
    if wanted.bbox is not None:
        west, south, east, north = wanted.bbox
        inside = (lon >= west) & (lon <= east) if west <= east else (lon >= west) | (lon <= east)
        keep &= inside & (lat >= south) & (lat <= north)
    if wanted.within is not None:
        area = _parse_area(wanted.within)
        area = _load_area(wanted.within) if area is None else area
        shapely.prepare(area)
        positions = np.flatnonzero(keep)
        keep[positions] = shapely.intersects_xy(area, lon[positions], lat[positions])
    return keep


@functools.lru_cache(maxsize=32)
def _parse_area(text: str) -> shapely.Geometry | None:
    """Return the polygon of a WKT text, None where it is none."""
    area = shapely.from_wkt(text, on_invalid="ignore")
    if area is None or area.geom_type not in {"Polygon", "MultiPolygon"} or area.is_empty:
        return None
    west, south, east, north = area.bounds
    if not all(map(math.isfinite, area.bounds)) or west < -360 or east > 360 or south < -90 or north > 90:
        return None
    return area if area.is_valid else shapely.make_valid(area)


def _load_area(path: str) -> shapely.Geometry:
    if not Path(path).is_file():
        raise FilterError(f"within: {path[:200]!r} is neither a polygon (WKT) nor a file")
    try:
        layer = gpd.read_file(path)
    except Exception as error:  # GDAL's drivers raise what they like
        raise FilterError(f"within: {path}: cannot be read: {' '.join(str(error).split())}") from error
    polygons = layer[layer.geom_type.isin(["Polygon", "MultiPolygon"])] if isinstance(layer, gpd.GeoDataFrame) else []
    if not len(polygons):
        raise FilterError(f"within: {path}: has no polygons")
    if polygons.crs is None:
        raise FilterError(f"within: {path}: does not say its reference system; give it one, such as EPSG:4326")
    return shapely.make_valid(polygons.to_crs(CRS).union_all())


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


def _parse_set(texts: list[str]) -> frozenset[str]:
    return frozenset(t for t in texts if t)


def _parse_number(texts: list[str]) -> int:
    if not texts[0].isascii() or not texts[0].isdigit() or len(texts[0]) > 18:
        raise ValueError("is no whole number")
    return int(texts[0])


def _parse_flag(texts: list[str]) -> bool:
    if texts[0] not in {"0", "1"}:
        raise ValueError("must be 0 or 1")
    return texts[0] == "1"


def _parse_day(texts: list[str]) -> date:
    try:
        return date.fromisoformat(texts[0])
    except ValueError:
        raise ValueError("is no day written YYYY-MM-DD") from None


def _parse_share(texts: list[str]) -> float:
    try:
        return float(texts[0])
    except ValueError:
        raise ValueError("is no number") from None


def _parse_box(texts: list[str]) -> tuple[float, float, float, float]:
    try:
        west, south, east, north = (float(part) for part in texts[0].split(","))
    except ValueError:
        raise ValueError("is not lon_min,lat_min,lon_max,lat_max") from None
    return west, south, east, north


def _parse_within(texts: list[str]) -> str:
    if _parse_area(texts[0]) is None:
        raise ValueError("is no polygon written as WKT")
    return texts[0]


def _parse_text(texts: list[str]) -> str:
    return texts[0]


_PARSERS: dict[str, Callable[[list[str]], Any]] = {
    "types": _parse_set,
    "killed_min": _parse_number,
    "killed_max": _parse_number,
    "killed_unstated": _parse_flag,
    "injured_min": _parse_number,
    "injured_max": _parse_number,
    "injured_unstated": _parse_flag,
    "date_from": _parse_day,
    "date_to": _parse_day,
    "undated": _parse_flag,
    "countries": _parse_set,
    "admin1": _parse_set,
    "bbox": _parse_box,
    "within": _parse_within,
    "text": _parse_text,
    "review_statuses": _parse_set,
    "contested": _parse_flag,
    "min_confidence": _parse_share,
    "precision_at_least": _parse_text,
    "background": _parse_flag,
}
