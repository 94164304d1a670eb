"""The column contract: the one GeoDataFrame that stands in the middle of everything.

EPSG:4326 points (x = lon, y = lat) or null. Null means *not stated*; 0 means *stated none*. Times are converted
to UTC, never relabelled; an event day is a local calendar day and stays a date.

``python -m incidents.schema`` prints the documentation of the columns, ``docs/columns.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from geodata.errors import CrsError
from incidents.checks import find_column_faults, find_faults
from incidents.coerce import Fault, coerce_column, is_null, make_default
from incidents.columns import (
    CLAIM_COLUMNS,
    COLUMNS,
    COUNT_COLUMNS,
    CRS,
    DATE_PRECISIONS,
    LIST_COLUMNS,
    RANGES,
    REVIEW_STATUSES,
    SCHEMA_VERSION,
    Column,
)
from incidents.errors import SchemaError

__all__ = [
    "CLAIM_COLUMNS",
    "COLUMNS",
    "COUNT_COLUMNS",
    "CRS",
    "DATE_PRECISIONS",
    "LIST_COLUMNS",
    "RANGES",
    "REVIEW_STATUSES",
    "SCHEMA_VERSION",
    "Column",
    "conform",
    "conform_claims",
    "conform_valid",
    "describe_columns",
    "empty",
    "empty_claims",
    "get_column",
    "split_valid",
    "validate",
]

_BY_NAME = {c.name: c for c in COLUMNS}
_SHOWN_FAILURES = 5


def get_column(name: str) -> Column | None:
    """Return the column of this name, or None where the contract has none."""
    return _BY_NAME.get(name)


def empty() -> gpd.GeoDataFrame:
    """Return a frame without rows, with every column of the contract in its type."""
    return _build(pd.DataFrame(index=pd.RangeIndex(0)))[0]


def empty_claims() -> pd.DataFrame:
    """Return a claims table without rows, with every column in its type."""
    return conform_claims(pd.DataFrame(index=pd.RangeIndex(0), columns=pd.Index(["claim_id", "incident_id"])))


def conform(frame: pd.DataFrame) -> gpd.GeoDataFrame:
    """Return the frame with the contract's columns, in its order and types.

    Absent columns become null, or what their absence means (no list, not contested, unreviewed, type unknown). Points
    in another stated reference system are transformed; a missing reference system is never invented.

    Parameters
    ----------
    frame : pandas.DataFrame or geopandas.GeoDataFrame
        Not changed.

    Returns
    -------
    geopandas.GeoDataFrame
        Index 0…n-1, EPSG:4326, ``attrs["schema_version"]``. Values are not checked beyond their type: see `validate`.

    Raises
    ------
    geodata.errors.CrsError
        The frame has points and does not say in which reference system.
    SchemaError
        A column is unknown or twice there, or a value cannot have its column's type.
    """
    result, faults = _build(frame)
    if faults:
        _refuse(result, faults)
    return result


def validate(frame: pd.DataFrame) -> None:
    """Check a frame against every rule of the contract, collecting all failures.

    Raises
    ------
    geodata.errors.CrsError
        The frame has no reference system, or another than EPSG:4326.
    SchemaError
        With ``failures``, one for each fault: ``row`` (incident_id, or the position where that is null), ``column``,
        ``value``, ``rule``.
    """
    _require_crs(frame)
    missing = [n for n in _BY_NAME if n not in frame.columns]
    if missing:
        failures: list[dict[str, object]] = [
            {"row": None, "column": n, "value": None, "rule": "must be there"} for n in missing
        ]
        raise SchemaError(f"The frame lacks the columns {', '.join(missing)}: use conform first", failures=failures)
    result, faults = _build(frame)
    faults += _find_more(result, faults)
    if faults:
        _refuse(result, faults)


def conform_valid(frame: pd.DataFrame) -> gpd.GeoDataFrame:
    """Return what `conform` gives, checked as `validate` checks, in one pass over the data.

    Raises
    ------
    geodata.errors.CrsError, SchemaError
        As `conform` and `validate`.
    """
    result, faults = _build(frame)
    faults += _find_more(result, faults)
    if faults:
        _refuse(result, faults)
    return result


def split_valid(frame: pd.DataFrame) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
    """Split a frame into the rows that keep the contract and those that do not.

    Parameters
    ----------
    frame : pandas.DataFrame or geopandas.GeoDataFrame
        Need not be conformed.

    Returns
    -------
    good : geopandas.GeoDataFrame
        As `conform` gives it, every row valid.
    rejected : pandas.DataFrame
        The other rows as they came, with their index, and the column ``reason``. Of rows with one and the same
        incident_id the first is good.

    Raises
    ------
    geodata.errors.CrsError, SchemaError
        Where the frame as a whole is unusable: no reference system, unknown columns.
    """
    result, faults = _build(frame)
    faults += _find_more(result, faults)
    reasons: dict[int, list[str]] = {}
    for fault in faults:
        reasons.setdefault(fault.position, []).append(_tell(fault))
    bad = np.zeros(len(frame), dtype=bool)
    bad[list(reasons)] = True
    rejected = pd.DataFrame(frame[bad])
    rejected["reason"] = pd.Series(
        ["; ".join(reasons[int(p)]) for p in np.flatnonzero(bad)], index=rejected.index, dtype="str"
    )
    good = result[~bad].reset_index(drop=True)
    good.attrs["schema_version"] = SCHEMA_VERSION
    return good, rejected


def conform_claims(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a claims table with the contract's columns, in its order and types, and check it.

    Raises
    ------
    SchemaError
        A column is unknown, a value cannot have its column's type, an id is missing or twice there.
    """
    _require_columns(frame, CLAIM_COLUMNS)
    frame = frame.reset_index(drop=True)
    columns: dict[str, pd.Series] = {}
    faults: list[Fault] = []
    defaults = {"group": "all", "stance": "asserts"}
    for column in CLAIM_COLUMNS:
        if column.name in frame.columns:
            columns[column.name], found = coerce_column(frame[column.name], column)
            faults += found
        else:
            absent = pd.Series(defaults.get(column.name), index=frame.index, dtype="object")
            columns[column.name], _ = coerce_column(absent, column)
    result = pd.DataFrame(columns)
    faults += find_column_faults(result, CLAIM_COLUMNS)
    for low, high in (("min", "max"), ("evidence_start", "evidence_end")):
        wrong = (result[low] > result[high]).to_numpy(dtype=bool, na_value=False)
        faults += [Fault(int(p), low, result[low].iloc[p], f"must not be above {high}") for p in np.flatnonzero(wrong)]
    if faults:
        _refuse(result, faults)
    return result


def describe_columns() -> str:
    """Return the documentation of the contract as Markdown, made from the contract itself."""
    lines = [
        "# Columns",
        "",
        "<!-- Made by `python -m incidents.schema > docs/columns.md`; do not edit. -->",
        "",
        f"The contract, version {SCHEMA_VERSION}. Null means *not stated*; 0 means *stated none*.",
        "Points are EPSG:4326, x = longitude, y = latitude. Days are local calendar days, both ends inclusive;",
        'moments are UTC. Figures are ranges: 50 and null is "at least 50". In CSV the point is two columns,',
        "`longitude` and `latitude`.",
        "",
        "## Incidents",
        "",
        *_describe_table(COLUMNS),
        "",
        "## Claims",
        "",
        "Many claims to an incident; an incident's figures are derived from them.",
        "",
        *_describe_table(CLAIM_COLUMNS),
        "",
    ]
    return "\n".join(lines)


def _describe_table(columns: Iterable[Column]) -> list[str]:
    types = {"ordered": "ordered category", "list": "list of text", "json": "JSON object", "datetime": "moment"}
    lines = ["| Column | Type | Null | Unit | Meaning | Values |", "|---|---|---|---|---|---|"]
    for c in columns:
        kind = types.get(c.dtype, c.dtype)
        allowed = (" < " if c.dtype == "ordered" else ", ").join(c.allowed)
        lines.append(f"| `{c.name}` | {kind} | {'yes' if c.nullable else 'no'} | {c.unit} | {c.meaning} | {allowed} |")
    return lines


def _build(frame: pd.DataFrame) -> tuple[gpd.GeoDataFrame, list[Fault]]:
    _require_columns(frame, COLUMNS)
    columns: dict[str, object] = {}
    faults: list[Fault] = []
    index = pd.RangeIndex(len(frame))
    for column in COLUMNS:
        if column.dtype == "Point":
            columns[column.name], found = _coerce_points(frame, index)
            faults += found
        elif column.name in frame.columns:
            series = frame[column.name].set_axis(index)
            columns[column.name], found = coerce_column(series, column)
            faults += found
        else:
            columns[column.name] = make_default(column, index)
    if "location_precision" not in frame.columns:
        columns["location_precision"] = _default_precision(columns["geometry"], columns["location_precision"])
    result = gpd.GeoDataFrame(columns, geometry="geometry", crs=CRS)
    result.attrs["schema_version"] = SCHEMA_VERSION
    return result, faults


def _find_more(frame: gpd.GeoDataFrame, known: list[Fault]) -> list[Fault]:
    """Return what breaks a rule, but for cells that could not be read: these became null and are named already."""
    cells = {(f.position, f.column) for f in known}
    return [f for f in find_faults(frame) if (f.position, f.column) not in cells]


def _default_precision(points: gpd.GeoSeries, absent: pd.Series) -> pd.Series:
    """Return "unknown" where there is no point; how fine a point is cannot be guessed and stays null."""
    result = absent.copy()
    result[points.isna().to_numpy()] = "unknown"
    return result


def _coerce_points(frame: pd.DataFrame, index: pd.Index) -> tuple[gpd.GeoSeries, list[Fault]]:
    name = frame.geometry.name if isinstance(frame, gpd.GeoDataFrame) and frame.active_geometry_name else "geometry"
    if name not in frame.columns:
        return gpd.GeoSeries([None] * len(index), index=index, crs=CRS), []
    column = frame[name]
    values = column.to_numpy(dtype="object")
    present = ~pd.isna(values)
    shape = shapely.is_geometry(values)
    faults = [Fault(int(p), "geometry", values[p], "must be a point or null") for p in np.flatnonzero(present & ~shape)]
    points = np.where(shape, values, None)
    crs = getattr(column, "crs", None)
    if crs is None and shape.any():
        raise CrsError("The frame has points but no reference system: set one (such as EPSG:4326) before handing it on")
    # an array of its own keeps nulls as None; a list of None alone would make geopandas warn
    series = gpd.GeoSeries(gpd.array.GeometryArray(points, crs=crs or CRS), index=index, name="geometry")
    return (series if series.crs == CRS else series.to_crs(CRS)), faults


def _require_columns(frame: pd.DataFrame, columns: tuple[Column, ...]) -> None:
    names = {c.name for c in columns}
    if not frame.columns.is_unique:
        twice = sorted({str(n) for n in frame.columns[frame.columns.duplicated()]})
        raise SchemaError(f"The frame has columns twice: {', '.join(twice)}")
    active = getattr(frame, "active_geometry_name", None)
    extra = [str(n) for n in frame.columns if n not in names and n != active]
    if extra:
        raise SchemaError(
            f"The frame has columns that the contract does not know: {', '.join(extra)}; "
            "put a source's own values into source_values"
        )


def _require_crs(frame: pd.DataFrame) -> None:
    if not isinstance(frame, gpd.GeoDataFrame) or frame.active_geometry_name is None:
        raise CrsError("The frame has no geometry column with a reference system: use conform first")
    if frame.crs is None:
        raise CrsError(f"The frame has no reference system; the contract needs {CRS}")
    if frame.crs != CRS:
        raise CrsError(f"The frame is in {frame.crs.to_string()}; the contract needs {CRS}: use conform first")


def _tell(fault: Fault) -> str:
    value = "" if is_null(fault.value) else f" ({str(fault.value)[:80]!r})"
    return f"{fault.column}{value} {fault.rule}"


def _refuse(frame: pd.DataFrame, faults: list[Fault]) -> None:
    key = frame.iloc[:, 0]
    failures: list[dict[str, object]] = []
    for fault in faults:
        ident = key.iloc[fault.position]
        row = fault.position if pd.isna(ident) else ident
        failures.append({"row": row, "column": fault.column, "value": fault.value, "rule": fault.rule})
    shown = [f"row {f['row']}: {_tell(fault)}" for f, fault in zip(failures, faults, strict=True)][:_SHOWN_FAILURES]
    more = f"; and {len(faults) - len(shown)} more" if len(faults) > len(shown) else ""
    raise SchemaError("; ".join(shown) + more, failures=failures)


if __name__ == "__main__":
    sys.stdout.write(describe_columns())
