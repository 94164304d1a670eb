"""Distances, offsets and buffers in kilometres.

Distances are great-circle on the mean sphere (within 0.6 % of the ellipsoid, which is finer than any place name).
Buffers go through an azimuthal equidistant projection centred on the shape: unlike a UTM zone it has no edge, so poles
and the antimeridian need no exceptions; on the shapes we draw (up to some hundred km) it is as exact as UTM.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pyproj
import shapely
from shapely.geometry.base import BaseGeometry

from geodata.coordinates import check_coordinate

__all__ = ["EARTH_RADIUS_KM", "buffer_km", "distance_km", "distances_km", "find_nearest", "offset_point"]

EARTH_RADIUS_KM = 6371.0088
"""Mean radius of the WGS84 ellipsoid (IUGG)."""


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Measure the great-circle distance between two points.

    Parameters
    ----------
    lat1, lon1, lat2, lon2 : float
        Degrees.

    Returns
    -------
    float
        Kilometres.
    """
    a1, a2 = math.radians(lat1), math.radians(lat2)
    half = math.sin((a2 - a1) / 2) ** 2 + math.cos(a1) * math.cos(a2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, half)))


def distances_km(lat: float, lon: float, lats: Any, lons: Any) -> npt.NDArray[np.float64]:
    """Measure the great-circle distances from one point to many.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    lats, lons : array-like of float
        Degrees, equally long.

    Returns
    -------
    numpy.ndarray
        Kilometres, shape as `lats`; NaN where a coordinate is NaN.
    """
    a1, a2 = math.radians(lat), np.radians(np.asarray(lats, dtype=float))
    half = (
        np.sin((a2 - a1) / 2) ** 2
        + np.cos(a2) * math.cos(a1) * np.sin(np.radians(np.asarray(lons, dtype=float) - lon) / 2) ** 2
    )
    result: npt.NDArray[np.float64] = 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
    return result


def find_nearest(lat: float, lon: float, lats: Any, lons: Any) -> tuple[int, float] | None:
    """Find the nearest of many points.

    Returns
    -------
    tuple of int and float, or None
        Position in `lats` and distance in km; None when there are no points.
    """
    kms = distances_km(lat, lon, lats, lons)
    if kms.size == 0 or np.isnan(kms).all():
        return None
    at = int(np.nanargmin(kms))
    return at, float(kms[at])


def offset_point(lat: float, lon: float, *, km: float, bearing: float) -> tuple[float, float]:
    """Go a distance from a point in a direction.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    km : float
        Kilometres along the great circle.
    bearing : float
        Degrees clockwise from north.

    Returns
    -------
    tuple of float
        Latitude and longitude in degrees; the longitude between -180 and 180.
    """
    check_coordinate(lat, lon)
    angle, way = math.radians(bearing), km / EARTH_RADIUS_KM
    a = math.radians(lat)
    end = math.asin(max(-1.0, min(1.0, math.sin(a) * math.cos(way) + math.cos(a) * math.sin(way) * math.cos(angle))))
    turn = math.atan2(math.sin(angle) * math.sin(way) * math.cos(a), math.cos(way) - math.sin(a) * math.sin(end))
    return math.degrees(end), (lon + math.degrees(turn) + 540) % 360 - 180


def buffer_km(geometry: BaseGeometry, *, km: float) -> BaseGeometry:
    """Grow a shape by a distance.

    Parameters
    ----------
    geometry : shapely geometry
        Degrees, x = longitude, y = latitude.
    km : float
        Kilometres, above 0.

    Returns
    -------
    shapely geometry
        Degrees. A shape over the antimeridian is cut there in two parts, as RFC 7946 section 3.1.9 asks; a shape
        over a pole reaches the edge of the map.
    """
    if geometry.is_empty or km <= 0:
        return geometry
    center = geometry.centroid
    local = pyproj.CRS.from_proj4(f"+proj=aeqd +lat_0={center.y} +lon_0={center.x} +datum=WGS84 +units=m +no_defs")
    there = pyproj.Transformer.from_crs("EPSG:4326", local, always_xy=True)
    back = pyproj.Transformer.from_crs(local, "EPSG:4326", always_xy=True)
    plane = shapely.transform(geometry, there.transform, interleaved=False)
    grown = shapely.segmentize(plane.buffer(km * 1000, quad_segs=24), max(km * 1000 / 8, 1000))
    north, south = there.transform(0, 90), there.transform(0, -90)
    parts = [
        _unwrap(part, center.x, back, pole)
        for part in getattr(grown, "geoms", [grown])
        for pole in [next((s for s, p in ((90, north), (-90, south)) if part.covers(shapely.Point(p))), None)]
    ]
    return shapely.union_all([piece for part in parts for piece in part])


def _unwrap(part: BaseGeometry, middle: float, back: pyproj.Transformer, pole: int | None) -> list[BaseGeometry]:
    """Bring one polygon back to degrees, cut at the antimeridian."""
    rings = []
    for ring in (part.exterior, *part.interiors):
        lon, lat = back.transform(*np.asarray(ring.coords).T)
        rings.append(np.column_stack([np.degrees(np.unwrap(np.radians(lon))), lat]))
    outer = rings[0]
    if pole is not None:
        # the ring runs once round the pole: order it by longitude over the whole map and close it along the edge
        order = np.argsort((outer[:, 0] + 540) % 360)
        around = np.column_stack([(outer[order, 0] + 540) % 360 - 180, outer[order, 1]])
        edge = [(180.0, around[-1, 1]), (180.0, pole), (-180.0, pole), (-180.0, around[0, 1])]
        return [shapely.make_valid(shapely.Polygon([*map(tuple, around), *edge]))]
    shift = 360 * round((middle - float(outer[:, 0].mean())) / 360)
    shape = shapely.make_valid(
        shapely.Polygon(
            np.add(outer, [shift, 0]),
            [np.add(ring, [360 * round((middle - ring[:, 0].mean()) / 360), 0]) for ring in rings[1:]],
        )
    )
    pieces = []
    for turn in (-360, 0, 360):
        window = shapely.box(-180 + turn, -90, 180 + turn, 90)
        piece = shape.intersection(window)
        if not piece.is_empty and piece.area > 0:
            pieces.append(shapely.transform(piece, lambda xy, t=turn: xy - [t, 0]))
    return pieces
