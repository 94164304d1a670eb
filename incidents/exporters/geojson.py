"""GeoJSON after RFC 7946: longitude and latitude in WGS84, ISO dates, null for what is not stated.

Properties bear the contract's column names; lists are lists and `source_values` is an object. One feature a line.
What is known about the export (filters, time, program version) is the foreign member ``metadata`` (RFC 7946, 6.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import geopandas as gpd
import orjson
import pandas as pd
import shapely

from incidents.columns import COLUMNS, CRS
from incidents.errors import ExportError
from incidents.rows import encode_columns
from incidents.schema import conform

__all__ = ["read_geojson_export", "write"]

_CHUNK = 5_000
_PROPERTIES = tuple(c for c in COLUMNS if c.dtype != "Point")
_PLAIN = tuple(c for c in _PROPERTIES if c.dtype not in {"list", "json"})
_NAMES = [c.name for c in _PROPERTIES]


def write(frame: gpd.GeoDataFrame, file: IO[bytes], *, metadata: Mapping[str, object]) -> None:
    """Write a conformed frame as one FeatureCollection."""
    file.write(b'{"type":"FeatureCollection",\n')
    if metadata:
        file.write(b'"metadata":' + orjson.dumps(dict(metadata), default=str) + b",\n")
    file.write(b'"features":[')
    lead = b"\n"
    for start in range(0, len(frame), _CHUNK):
        lines = [_dump_feature(f) for f in _make_features(frame.iloc[start : start + _CHUNK])]
        file.write(lead + b",\n".join(lines))
        lead = b",\n"
    file.write(b"\n]}\n")


def read_geojson_export(path: str | Path) -> gpd.GeoDataFrame:
    """Return the incidents of a file that `write` made.

    Raises
    ------
    ExportError
        The file cannot be read or is none of ours.
    """
    try:
        features = orjson.loads(Path(path).read_bytes())["features"]
        rows = [f["properties"] for f in features]
        points = [shapely.Point(f["geometry"]["coordinates"]) if f["geometry"] else None for f in features]
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror or error}") from error
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise ExportError(f"{path} is no GeoJSON export of incidents") from error
    frame = pd.DataFrame(rows, columns=_NAMES, dtype="object")
    return conform(gpd.GeoDataFrame(frame, geometry=gpd.GeoSeries(gpd.array.from_shapely(points, crs=CRS))))


def _make_features(frame: gpd.GeoDataFrame) -> Iterator[dict[str, Any]]:
    columns: dict[str, Any] = {c.name: values for c, values in zip(_PLAIN, encode_columns(frame, _PLAIN), strict=True)}
    columns |= {c.name: frame[c.name].tolist() for c in _PROPERTIES if c.dtype == "list"}
    columns |= {c.name: [_pass_json(v) for v in frame[c.name].tolist()] for c in _PROPERTIES if c.dtype == "json"}
    points = frame.geometry.to_numpy()
    missing = shapely.is_missing(points) | shapely.is_empty(points)
    ids = columns["incident_id"]
    lon, lat = shapely.get_x(points).tolist(), shapely.get_y(points).tolist()
    for ident, x, y, absent, values in zip(
        ids, lon, lat, missing.tolist(), zip(*(columns[n] for n in _NAMES), strict=True), strict=True
    ):
        yield {
            "type": "Feature",
            "id": ident,
            "geometry": None if absent else {"type": "Point", "coordinates": [x, y]},
            "properties": dict(zip(_NAMES, values, strict=True)),
        }


def _pass_json(text: Any) -> Any:
    """Return JSON text as it stands; a text that is none as a text, so that it cannot break the file."""
    if not isinstance(text, str):
        return None
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return orjson.Fragment(text)


def _dump_feature(feature: dict[str, Any]) -> bytes:
    return orjson.dumps(feature)
