"""Polygons to choose by: as WKT in a link, or out of a file on the command line."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import geopandas as gpd
import shapely

from incidents.columns import CRS
from incidents.errors import FilterError

__all__ = ["load_area", "parse_area"]

_POLYGONS = ("Polygon", "MultiPolygon")


@functools.lru_cache(maxsize=32)
def parse_area(text: str) -> shapely.Geometry | None:
    """Return the polygon of a WKT text, None where it is none."""
    area = shapely.from_wkt(text, on_invalid="ignore")
    if area is None or area.geom_type not in _POLYGONS or area.is_empty:
        return None
    west, south, east, north = area.bounds
    if not all(map(math.isfinite, area.bounds)) or west < -360 or east > 360 or south < -90 or north > 90:
        return None
    return area if area.is_valid else shapely.make_valid(area)


def load_area(path: str) -> shapely.Geometry:
    """Return the polygons of a file as one geometry, EPSG:4326.

    Raises
    ------
    FilterError
        The file cannot be read, has no polygons, or does not say its reference system.
    """
    if not Path(path).is_file():
        raise FilterError(f"within: {path[:200]!r} is neither a polygon (WKT) nor a file")
    try:
        layer: Any = gpd.read_file(path)
    except Exception as error:  # GDAL's drivers raise what they like
        raise FilterError(f"within: {path}: cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(layer, gpd.GeoDataFrame) or not layer.geom_type.isin(_POLYGONS).any():
        raise FilterError(f"within: {path}: has no polygons")
    polygons = layer[layer.geom_type.isin(_POLYGONS)]
    if polygons.crs is None:
        raise FilterError(f"within: {path}: does not say its reference system; give it one, such as EPSG:4326")
    return shapely.make_valid(polygons.to_crs(CRS).union_all())
