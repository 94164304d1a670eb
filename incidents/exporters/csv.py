"""CSV in UTF-8, commas, the contract's column names, the point as ``longitude`` and ``latitude``.

- Not stated is an empty cell; 0 is 0.
- Items of a list are joined with ``"; "``; a ``;`` or a backslash inside an item has a backslash before it.
- Days are YYYY-MM-DD, moments are ISO 8601 in UTC, yes and no are ``true`` and ``false``.
- Spreadsheets run cells that begin like a formula. A text whose first sign, spaces and apostrophes apart, is one of
  ``= + - @`` (or their full-width twins), a tab or a line break, gets an apostrophe in front
  (OWASP, "CSV Injection"); `read_csv_export` takes it away again. Numbers are numbers and are left alone.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from incidents.columns import COLUMNS, CRS, Column
from incidents.errors import ExportError
from incidents.rows import encode_columns, get_names
from incidents.schema import conform

__all__ = ["guard_text", "join_list", "read_csv_export", "split_list", "unguard_text", "write"]

_CHUNK = 20_000
_FORMULA = re.compile(r"['\s]*[=+\-@＝＋－＠\t\r\n]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ITEM = re.compile(r"(?:\\.|[^;\\])+", re.DOTALL)
_TEXTS = frozenset({"str", "json", "list", "category", "ordered"})


def guard_text(text: str) -> str:
    """Return the text with an apostrophe in front where a spreadsheet would take it for a formula."""
    return "'" + text if _FORMULA.match(text) else text


def unguard_text(text: str) -> str:
    """Undo `guard_text`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def join_list(items: list[str]) -> str:
    """Return the items as one text that `split_list` takes apart again."""
    return "; ".join(item.replace("\\", "\\\\").replace(";", "\\;") for item in items)


def split_list(text: str) -> list[str]:
    """Return the items of a text that `join_list` made."""
    first, *rest = _ITEM.findall(text) or [""]
    parts = [first, *(part.removeprefix(" ") for part in rest)]
    return [_ESCAPED.sub(r"\1", part) for part in parts if part]


def write(frame: gpd.GeoDataFrame, file: IO[bytes], *, metadata: Mapping[str, object]) -> None:  # noqa: ARG001 - no place for it in CSV
    """Write a conformed frame as CSV."""
    wrapper = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(wrapper, lineterminator="\r\n")
    writer.writerow(get_names(COLUMNS))
    for start in range(0, len(frame), _CHUNK):
        writer.writerows(zip(*_encode(frame.iloc[start : start + _CHUNK]), strict=True))
    wrapper.flush()
    wrapper.detach()


def read_csv_export(path: str | Path) -> gpd.GeoDataFrame:
    """Return the incidents of a file that `write` made, apostrophes taken away again.

    Raises
    ------
    ExportError
        The file cannot be read or is none of ours.
    SchemaError
        A cell was changed into something that its column cannot hold.
    """
    names = get_names(COLUMNS)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            rows = [row for row in reader if row]
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror or error}") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise ExportError(f"{path} is no CSV in UTF-8: {error}") from error
    if header != names:
        raise ExportError(f"{path} is no CSV export of incidents: its columns are not the contract's")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise ExportError(f"{path}: row {number} has {len(row)} cells, not {len(names)}")
    cells = dict(zip(names, zip(*rows, strict=True), strict=False)) if rows else dict.fromkeys(names, ())
    columns = {c.name: _decode(cells[c.name], c, path=path) for c in COLUMNS if c.dtype != "Point"}
    lon, lat = (np.array([float(v) if v else np.nan for v in cells[n]]) for n in ("longitude", "latitude"))
    points = shapely.points(lon, lat) if len(lon) else np.array([], dtype="object")
    points[np.isnan(lon) | np.isnan(lat)] = None
    frame = pd.DataFrame(columns)
    return conform(gpd.GeoDataFrame(frame, geometry=gpd.GeoSeries(gpd.array.GeometryArray(points, crs=CRS))))


def _encode(frame: gpd.GeoDataFrame) -> list[list[Any]]:
    encoded: list[list[Any]] = []
    for column in COLUMNS:
        if column.dtype == "list":
            encoded.append([guard_text(join_list(v)) if v else "" for v in frame[column.name]])
            continue
        values = encode_columns(frame, [column])
        if column.dtype in _TEXTS:
            values = [[None if v is None else guard_text(v) for v in values[0]]]
        elif column.dtype == "bool":
            values = [["true" if v else "false" for v in values[0]]]
        encoded.extend(values)  # csv writes floats with repr: not a digit is lost
    return encoded


def _decode(cells: tuple[str, ...], column: Column, *, path: str | Path) -> pd.Series:
    parse = _PARSERS.get(column.dtype, unguard_text)
    values: list[Any] = []
    for number, cell in enumerate(cells, start=2):
        if cell == "" and column.dtype != "list":
            values.append("" if column.dtype == "str" and not column.nullable else None)
            continue
        try:
            values.append(parse(cell))
        except ValueError as error:
            raise ExportError(f"{path}: row {number}, column {column.name}: {cell[:60]!r} cannot be read") from error
    return pd.Series(values, dtype="object")


_PARSERS: dict[str, Callable[[str], Any]] = {
    "Int64": int,
    "float": float,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "list": lambda cell: split_list(unguard_text(cell)),
}
