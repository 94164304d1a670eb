"""Bring one column of any frame to the type that the contract gives it, losing nothing silently.

Each coercion returns the new column and a list of faults: cells that hold something which the type cannot hold.
Such a cell becomes null, and the fault names it, so that the caller can refuse the frame or reject the row.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa

from incidents.columns import Column

__all__ = ["DATETIME_DTYPE", "DATE_DTYPE", "Fault", "coerce_column", "get_dtype", "is_null", "make_default"]

DATE_DTYPE = pd.ArrowDtype(pa.date32())
DATETIME_DTYPE = pd.DatetimeTZDtype("us", "UTC")

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_INT64_MAX = 2**63 - 1
_DEFAULTS: dict[str, object] = {
    "title": "",
    "type": "unknown",
    "type_certainty": "inferred",
    "date_precision": "unknown",
    "contested": False,
    "current": True,
    "review_status": "unreviewed",
}
"""What an absent column means. `incident_id` and `location_precision` have no default: they must be known."""

_TRUE_WORDS = frozenset({"true", "1"})
_FALSE_WORDS = frozenset({"false", "0"})


class _UnfitError(Exception):
    """A value that its column cannot hold; the message is the rule."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One cell that breaks the contract.

    `position` is the row's position in the frame, from 0; `rule` says in words what should hold.
    """

    position: int
    column: str
    value: object
    rule: str


def is_null(value: object) -> bool:
    """Return True for None, NaN, NaT and `pandas.NA`; False for everything else, lists included."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


@functools.cache
def get_dtype(column: Column) -> object:
    """Return the pandas dtype of a contract column; ``object`` for lists and points."""
    match column.dtype:
        case "str" | "json":
            return pd.StringDtype(na_value=np.nan)
        case "category" | "ordered":
            categories = pd.Index(column.allowed, dtype="str")
            return pd.CategoricalDtype(categories, ordered=column.dtype == "ordered")
        case "date":
            return DATE_DTYPE
        case "datetime":
            return DATETIME_DTYPE
        case "Int64":
            return pd.Int64Dtype()
        case "float":
            return np.dtype("float64")
        case "bool":
            return np.dtype("bool")
        case _:
            return np.dtype("object")


def make_default(column: Column, index: pd.Index) -> pd.Series:
    """Return the column that stands for an absent one: its default where it has one, else nulls."""
    if column.dtype == "list":
        values = pd.Series([[] for _ in range(len(index))], index=index, dtype="object")
        return values.rename(column.name)
    default = _DEFAULTS.get(column.name)
    if column.dtype == "Point":
        return pd.Series([None] * len(index), index=index, dtype="object", name=column.name)
    return pd.Series(default, index=index, dtype=get_dtype(column), name=column.name)


def coerce_column(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    """Return the column in its contract type, and the cells that do not fit.

    Parameters
    ----------
    series : pandas.Series
    column : Column
        Any column but the geometry.

    Notes
    -----
    An empty text in a nullable column is null: it states nothing. A moment without a time zone is a fault, since
    contract times are UTC and a zone must not be invented. A fraction is a fault in a count.
    """
    if column.dtype in {"category", "ordered"}:
        return _coerce_category(series, column)
    if column.dtype == "str":
        return _coerce_text(series, column)
    return _COERCIONS[column.dtype](series, column)


def _each(
    series: pd.Series, column: Column, convert: Callable[[object], object], *, null: object = None
) -> tuple[list[object], list[Fault]]:
    """Convert cell by cell; `convert` raises `_UnfitError` with the rule. Nulls become `null`."""
    values: list[object] = []
    faults: list[Fault] = []
    for position, value in enumerate(series.tolist()):
        if is_null(value):
            values.append(null)
            continue
        try:
            values.append(convert(value))
        except _UnfitError as error:
            faults.append(Fault(position, column.name, value, str(error)))
            values.append(null)
    return values, faults


def _make(values: Iterable[object], series: pd.Series, dtype: object) -> pd.Series:
    return pd.Series(values, index=series.index, dtype=dtype, name=series.name)


def _coerce_text(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    dtype = get_dtype(column)
    faults: list[Fault] = []
    if isinstance(series.dtype, (pd.CategoricalDtype, pd.StringDtype)):
        result = series.astype(dtype)
    else:
        values, faults = _each(series, column, _to_text)
        result = _make(values, series, dtype)
    if column.nullable:
        empty = (result == "").to_numpy(dtype=bool, na_value=False)
        if empty.any():
            result = result.mask(empty)
    return result, faults


def _to_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, np.integer, np.floating)):
        raise _UnfitError("must be text")
    text = str(value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _UnfitError("must be valid Unicode text: it holds half of a surrogate pair") from None
    return text


def _coerce_category(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    dtype = get_dtype(column)
    if series.dtype == dtype:
        return series.copy(), []
    codes = series.astype("object")
    known = codes.isin(column.allowed).to_numpy()
    unknown = ~known & ~codes.isna().to_numpy()
    rule = "must be one of " + ", ".join(column.allowed)
    faults = [Fault(int(p), column.name, codes.iloc[p], rule) for p in np.flatnonzero(unknown)]
    return codes.where(known, None).astype(dtype), faults


def _coerce_date(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    if series.dtype == DATE_DTYPE:
        return series.copy(), []
    if isinstance(series.dtype, pd.DatetimeTZDtype):  # the local day, never the day in UTC
        series = series.dt.tz_localize(None)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind == "M":
        days = pa.array(series.to_numpy().astype("datetime64[D]"), from_pandas=True).cast(pa.date32())
        return _make(pd.arrays.ArrowExtensionArray(days), series, DATE_DTYPE), []
    values, faults = _each(series, column, _to_date)
    days = pa.array(values, type=pa.date32())
    return _make(pd.arrays.ArrowExtensionArray(days), series, DATE_DTYPE), faults


def _to_date(value: object) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, np.datetime64):
        return _to_date(value.astype("datetime64[D]").item())
    rule = "must be a day written YYYY-MM-DD"
    if not isinstance(value, str) or not _ISO_DATE.match(value):
        raise _UnfitError(rule)
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise _UnfitError(rule) from None


def _coerce_datetime(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        return series.dt.tz_convert("UTC").astype(DATETIME_DTYPE), []
    values, faults = _each(series, column, _to_datetime, null=pd.NaT)
    return _make(values, series, DATETIME_DTYPE), faults


def _to_datetime(value: object) -> datetime:
    rule = "must be a moment with a time zone, such as 2022-04-08T07:30:00Z"
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise _UnfitError(rule) from None
    if isinstance(value, pd.Timestamp):
        value = value.floor("us").to_pydatetime()
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise _UnfitError(rule)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise _UnfitError(rule) from None


def _coerce_int(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    dtype = pd.Int64Dtype()
    if series.dtype == dtype:
        return series.copy(), []
    if isinstance(series.dtype, np.dtype) and series.dtype.kind == "i":
        return series.astype(dtype), []
    values, faults = _each(series, column, _to_int)
    return _make(values, series, dtype), faults


def _to_int(value: object) -> int:
    rule = "must be a whole number"
    if isinstance(value, (bool, np.bool_)):
        raise _UnfitError(rule)
    if isinstance(value, (float, np.floating)) and (not math.isfinite(value) or value != math.floor(value)):
        raise _UnfitError(rule)
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise _UnfitError(rule)
    number = int(value)
    if abs(number) > _INT64_MAX:
        raise _UnfitError("must fit into 64 bits")
    return number


def _coerce_float(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    if series.dtype == np.dtype("float64"):
        return series.copy(), []
    values, faults = _each(series, column, _to_float, null=np.nan)
    return _make(values, series, "float64"), faults


def _to_float(value: object) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise _UnfitError("must be a number")
    try:
        return float(value)
    except OverflowError:
        raise _UnfitError("must fit into a 64-bit float") from None


def _coerce_bool(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    if series.dtype == np.dtype("bool"):
        return series.copy(), []
    values, faults = _each(series, column, _to_bool, null=_DEFAULTS.get(column.name, False))
    return _make(values, series, "bool"), faults


def _to_bool(value: object) -> bool:
    word = str(value).lower()
    if isinstance(value, (bool, np.bool_, int, np.integer, str)) and word in _TRUE_WORDS | _FALSE_WORDS:
        return word in _TRUE_WORDS
    raise _UnfitError("must be true or false")


def _coerce_list(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    faults: list[Fault] = []
    result = np.empty(len(series), dtype="object")
    for position, value in enumerate(series.tolist()):
        if type(value) is list and _is_plain(value):
            result[position] = value.copy()
        elif is_null(value):
            result[position] = []
        else:
            try:
                result[position] = _to_list(value)
            except _UnfitError as error:
                faults.append(Fault(position, column.name, value, str(error)))
                result[position] = []
    return _make(result, series, "object"), faults


def _is_plain(items: list[object]) -> bool:
    """Return True for a list of non-empty ASCII texts, the usual case, which needs no further look."""
    return all(type(item) is str and item and item.isascii() for item in items)


def _to_list(value: object) -> list[str]:
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        raise _UnfitError("must be a list of texts")
    items = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    return [_to_text(item) for item in items if not is_null(item) and item != ""]


def _coerce_json(series: pd.Series, column: Column) -> tuple[pd.Series, list[Fault]]:
    if isinstance(series.dtype, pd.StringDtype):
        return _coerce_text(series, column)
    values, faults = _each(series, column, _to_json)
    result, more = _coerce_text(_make(values, series, "object"), column)
    return result, faults + more


def _to_json(value: object) -> str:
    if isinstance(value, str):
        return _to_text(value)
    if not isinstance(value, dict):
        raise _UnfitError("must be a JSON object")
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except (TypeError, ValueError):
        raise _UnfitError("must be a JSON object, without NaN") from None


_COERCIONS: dict[str, Callable[[pd.Series, Column], tuple[pd.Series, list[Fault]]]] = {
    "date": _coerce_date,
    "datetime": _coerce_datetime,
    "Int64": _coerce_int,
    "float": _coerce_float,
    "bool": _coerce_bool,
    "list": _coerce_list,
    "json": _coerce_json,
}
