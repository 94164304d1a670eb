"""Contract columns to database values and back, whole columns at a time.

A database row is a tuple in the order of `get_names`; the point is its two numbers, lists are JSON texts, days are
ISO texts, moments are ISO texts in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import geopandas as gpd
import numpy as np
import orjson
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from incidents.coerce import DATE_DTYPE, DATETIME_DTYPE, get_dtype
from incidents.columns import CRS, SCHEMA_VERSION, Column

__all__ = ["decode_columns", "encode_columns", "encode_rows", "get_names", "make_frame"]


def get_names(columns: Sequence[Column]) -> list[str]:
    """Return the database's column names for contract columns, in order."""
    names: list[str] = []
    for column in columns:
        names.extend(["longitude", "latitude"] if column.dtype == "Point" else [column.name])
    return names


def encode_rows(frame: pd.DataFrame, columns: Sequence[Column]) -> list[tuple[Any, ...]]:
    """Return one tuple a row."""
    return list(zip(*encode_columns(frame, columns), strict=True))


def encode_columns(frame: pd.DataFrame, columns: Sequence[Column]) -> list[list[Any]]:
    """Return one list of plain values for each of `get_names`; nulls are None."""
    encoded: list[list[Any]] = []
    for column in columns:
        if column.dtype == "Point":
            encoded.extend(_encode_points(frame.geometry.to_numpy()))
        else:
            encoded.append(_encode(frame[column.name], column.dtype))
    return encoded


def _encode_points(points: np.ndarray[Any, Any]) -> list[list[Any]]:
    missing = shapely.is_missing(points)
    result = []
    for numbers in (shapely.get_x(points), shapely.get_y(points)):
        values = numbers.astype("object")
        values[missing] = None
        result.append(values.tolist())
    return result


def _encode(series: pd.Series, dtype: str) -> Any:
    match dtype:
        case "list":
            return [orjson.dumps(v).decode() if v else "[]" for v in series.tolist()]
        case "date":
            return pa.array(series, from_pandas=True).cast(pa.string()).to_pylist()
        case "datetime":
            moments = pa.array(series.dt.tz_localize(None), from_pandas=True).cast(pa.timestamp("us"))
            # arrow writes 2022-04-08 07:30:00.000000
            return [None if m is None else f"{m[:10]}T{m[11:]}Z" for m in moments.cast(pa.string()).to_pylist()]
        case "category" | "ordered":
            return series.astype("object").where(series.notna(), None).tolist()
        case "bool":
            return series.tolist()
        case _:
            return pa.array(series, from_pandas=True).to_pylist()


def decode_columns(chunks: Iterable[Sequence[tuple[Any, ...]]], columns: Sequence[Column]) -> dict[str, Any]:
    """Return columns of rows that come in chunks: arrow arrays, and Python lists for lists.

    Parameters
    ----------
    chunks : iterable of sequences of tuples
        Rows in the order of `get_names`.
    """
    names = get_names(columns)
    types = dict.fromkeys(("longitude", "latitude"), "float") | {c.name: c.dtype for c in columns}
    parts: dict[str, list[Any]] = {name: [] for name in names}
    for rows in chunks:
        for name, values in zip(names, zip(*rows, strict=True), strict=False):
            if types[name] == "list":
                parts[name].extend(orjson.loads(v) if v != "[]" else [] for v in values)
            else:
                parts[name].append(_decode(values, types[name]))
    return {
        name: parts[name]
        if types[name] == "list"
        else pa.chunked_array(parts[name], type=None if parts[name] else _decode((), types[name]).type)
        for name in names
    }


def _decode(values: Sequence[Any], dtype: str) -> pa.Array:
    match dtype:
        case "date":
            if any(isinstance(v, str) for v in values):
                return pa.array(values, pa.string()).cast(pa.date32())
            return pa.array(values, pa.date32())
        case "datetime":
            if any(isinstance(v, str) for v in values):
                # cutting the Z spares arrow a look into the zone database
                plain = [None if v is None else v[:-1] for v in values]
                return pa.array(plain, pa.string()).cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
            return pa.array(values, pa.timestamp("us", "UTC"))
        case "Int64":
            return pa.array(values, pa.int64())
        case "float":
            return pa.array(values, pa.float64())
        case "bool":
            return pa.array([bool(v) for v in values], pa.bool_())
        case _:
            return pa.array(values, pa.large_string())


def make_frame(decoded: dict[str, Any], columns: Sequence[Column], *, sort_by: Sequence[str]) -> pd.DataFrame:
    """Return the frame of decoded columns, sorted, nulls last; a GeoDataFrame where there is a point column."""
    keys = pa.table({name: decoded[name] for name in sort_by})
    order = pc.sort_indices(keys, sort_keys=[(name, "ascending", "at_end") for name in sort_by])
    positions = order.to_numpy()
    made: dict[str, Any] = {}
    for column in columns:
        if column.dtype == "Point":
            lon, lat = (decoded[n].take(order).to_numpy(zero_copy_only=False) for n in ("longitude", "latitude"))
            points = shapely.points(lon, lat)
            points[np.isnan(lon)] = None
            made[column.name] = gpd.array.GeometryArray(points, crs=CRS)
        elif column.dtype == "list":
            values = np.empty(len(positions), dtype="object")
            values[:] = decoded[column.name]
            made[column.name] = values[positions]
        else:
            made[column.name] = _to_pandas(decoded[column.name].take(order), column)
    if "geometry" not in made:
        return pd.DataFrame(made)
    frame = gpd.GeoDataFrame(made, geometry="geometry", crs=CRS)
    frame.attrs["schema_version"] = SCHEMA_VERSION
    return frame


def _to_pandas(values: pa.ChunkedArray, column: Column) -> Any:
    dtype: Any = get_dtype(column)
    if dtype == DATE_DTYPE:
        return pd.arrays.ArrowExtensionArray(values)
    if column.dtype in {"category", "ordered"}:
        codes = pc.index_in(values, value_set=pa.array(column.allowed, pa.large_string())).fill_null(-1)
        return pd.Categorical.from_codes(codes.to_numpy().astype("int8"), dtype=dtype)
    if dtype == DATETIME_DTYPE or hasattr(dtype, "__from_arrow__"):
        return dtype.__from_arrow__(values)
    return values.to_numpy(zero_copy_only=False)
