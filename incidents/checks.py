"""The rules of the contract, beyond the types: what must hold in a column, and between columns.

pandera checks single columns (nulls, uniqueness, vocabularies, ranges, patterns). What it does not know is ours: the
reference system, points, the two ends of figures and dates, lists of addresses, JSON.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import orjson
import pandas as pd
import shapely

from incidents.coerce import Fault
from incidents.columns import COLUMNS, LIST_COLUMNS, RANGES, Column

__all__ = ["find_column_faults", "find_faults", "is_web_address"]

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+\S*\Z", re.IGNORECASE)
_COUNTRY = r"^[A-Z]{2}\Z"
_HASH = r"^\S+\Z"

_PATTERNS: dict[str, tuple[str, str]] = {
    "country": (_COUNTRY, "must be an ISO 3166-1 code of two capital letters"),
    "incident_id": (_HASH, "must be an id without spaces"),
    "claim_id": (_HASH, "must be an id without spaces"),
}
_NOT_NULL = "must not be empty"
_UNIQUE = "must be unique: an earlier row has the same id"


def is_web_address(text: str) -> bool:
    """Return True for an http or https address with a host and without spaces."""
    return _WEB_ADDRESS.match(text) is not None


def find_faults(frame: Any) -> list[Fault]:
    """Return every cell of an incidents frame that breaks a rule, by row and column.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        With the columns and types of the contract.
    """
    faults = find_column_faults(frame, COLUMNS)
    for check in (_check_points, _check_ranges, _check_dates, _check_offsets, _check_kind, _check_lists, _check_json):
        faults.extend(check(frame))
    order = {c.name: i for i, c in enumerate(COLUMNS)}
    return sorted(faults, key=lambda f: (f.position, order.get(f.column, len(order))))


def find_column_faults(frame: Any, columns: tuple[Column, ...]) -> list[Fault]:
    """Return the cells that break a rule of their own column, as pandera finds them."""
    if not len(frame):
        return []
    import pandera.errors  # noqa: PLC0415 - takes half a second, and reading an article needs none of it

    names = [c.name for c in columns if c.dtype not in {"list", "json", "Point"}]
    plain = pd.DataFrame({n: frame[n].array for n in names})
    try:
        _make_schema(columns).validate(plain, lazy=True)
    except pandera.errors.SchemaErrors as error:
        cases = error.failure_cases
    else:
        return []
    rules = {"not_nullable": _NOT_NULL, "field_uniqueness": _UNIQUE}
    faults = []
    for name, check, value, position in zip(
        cases["column"], cases["check"], cases["failure_case"], cases["index"], strict=True
    ):
        faults.append(Fault(int(position), str(name), value, rules.get(check, check)))
    return faults


@functools.cache
def _make_schema(columns: tuple[Column, ...]) -> Any:
    import pandera.pandas as pa  # noqa: PLC0415 - see find_column_faults

    def make_checks(column: Column) -> list[Any]:
        checks = []
        if column.name in _PATTERNS:
            pattern, rule = _PATTERNS[column.name]
            checks.append(pa.Check.str_matches(pattern, error=rule))
        if column.dtype == "Int64":
            checks.append(pa.Check.ge(0, error="must not be negative"))
        if column.name == "confidence":
            checks.append(pa.Check.in_range(0, 1, error="must be between 0 and 1"))
        return checks

    key = columns[0].name
    return pa.DataFrameSchema(
        {
            c.name: pa.Column(
                checks=make_checks(c), nullable=c.nullable, unique=c.name == key, report_duplicates="exclude_first"
            )
            for c in columns
            if c.dtype not in {"list", "json", "Point"}
        }
    )


def _report(frame: Any, mask: np.ndarray[Any, Any], column: str, rule: str) -> Iterator[Fault]:
    positions = np.flatnonzero(mask)
    if len(positions):
        values = frame[column]
        for position in positions:
            yield Fault(int(position), column, values.iloc[position], rule)


def _check_points(frame: Any) -> Iterator[Fault]:
    points = frame.geometry.to_numpy()
    present = ~shapely.is_missing(points)
    unknown = (frame["location_precision"] == "unknown").to_numpy(dtype=bool)
    stated = frame["location_precision"].notna().to_numpy(dtype=bool)
    yield from _report(
        frame, present & unknown, "location_precision", "must not be unknown where there is a point: say how fine it is"
    )
    yield from _report(
        frame, ~present & stated & ~unknown, "location_precision", "must be unknown where there is no point"
    )
    if not present.any():
        return
    point = shapely.get_type_id(points) == shapely.GeometryType.POINT
    empty = shapely.is_empty(points)
    yield from _report(frame, present & ~point, "geometry", "must be a point; areas are named by area_id")
    yield from _report(frame, point & empty, "geometry", "must not be an empty point: use null")
    usable = np.where(point & ~empty, points, None)
    lon, lat = shapely.get_x(usable), shapely.get_y(usable)
    finite = np.isfinite(lon) & np.isfinite(lat)
    in_range = (np.abs(lon) <= 180) & (np.abs(lat) <= 90)
    good = point & ~empty
    yield from _report(frame, good & ~finite, "geometry", "must have finite coordinates")
    yield from _report(
        frame,
        good & finite & ~in_range,
        "geometry",
        "must lie within longitude -180 to 180 and latitude -90 to 90 (x is the longitude)",
    )
    yield from _report(
        frame, good & (lon == 0) & (lat == 0), "geometry", "must not be (0, 0), which stands for a missing location"
    )


def _check_ranges(frame: Any) -> Iterator[Fault]:
    for low, high in RANGES:
        wrong = (frame[low] > frame[high]).to_numpy(dtype=bool, na_value=False)
        yield from _report(frame, wrong, low, f"must not be above {high}")


def _check_dates(frame: Any) -> Iterator[Fault]:
    start, end = frame["date_start"], frame["date_end"]
    wrong = (end < start).to_numpy(dtype=bool, na_value=False)
    yield from _report(frame, wrong, "date_end", "must not be before date_start")
    undated = start.isna().to_numpy(dtype=bool)
    yield from _report(frame, undated & end.notna().to_numpy(dtype=bool), "date_end", "must be null without date_start")
    known = (frame["date_precision"] != "unknown").to_numpy(dtype=bool) & frame["date_precision"].notna().to_numpy()
    yield from _report(frame, undated & known, "date_precision", "must be unknown without date_start")


def _check_offsets(frame: Any) -> Iterator[Fault]:
    wrong = (frame["evidence_start"] > frame["evidence_end"]).to_numpy(dtype=bool, na_value=False)
    yield from _report(frame, wrong, "evidence_start", "must not be after evidence_end")


def _check_kind(frame: Any) -> Iterator[Fault]:
    counted = frame["other_affected"].notna().to_numpy() & frame["other_affected_kind"].isna().to_numpy()
    yield from _report(frame, counted, "other_affected", "needs other_affected_kind: how were they affected")


def _check_lists(frame: Any) -> Iterator[Fault]:
    for name in LIST_COLUMNS:
        # most cells are empty or alike: look at each different text once
        valid: dict[str, bool] = {}
        test: Callable[[str], bool] = is_web_address if name == "source_urls" else bool
        rule = "must hold http or https addresses only" if name == "source_urls" else "must hold texts only"
        for position, items in enumerate(frame[name].tolist()):
            for item in items:
                if item not in valid:
                    valid[item] = test(item)
                if not valid[item]:
                    yield Fault(position, name, item, rule)


def _check_json(frame: Any) -> Iterator[Fault]:
    for position, text in enumerate(frame["source_values"].tolist()):
        if not isinstance(text, str):
            continue
        try:
            good = isinstance(orjson.loads(text), dict)  # strict: refuses NaN and Infinity
        except orjson.JSONDecodeError:
            good = False
        if not good:
            yield Fault(position, "source_values", text, "must be a JSON object")
