"""A fitting projection for the map of a briefing, and the part of the world that it shows.

Regional maps of middle latitudes are Lambert conformal conic, others Lambert azimuthal equal-area about their own
centre, which also serves poles and the antimeridian; world-wide maps are Equal Earth about the middle of the data
(Snyder 1987, "Map projections: a working manual"; Šavrič, Patterson and Jenny 2018 for Equal Earth).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyproj
import shapely
from numpy.typing import NDArray

__all__ = ["View", "choose_view", "clip_shapes", "project_shapes", "unwrap_lons"]

_MIN_SPAN_M = 260_000.0
"""One incident alone is shown with this much of its surroundings, so that a reader sees where it is."""
_PADDING = 0.16
_WORLD_SPAN_DEG = 140.0
_DENSIFY_DEG = 1.0
"""Straight lines in degrees are curves on paper; long edges are split this finely before they are projected."""
_FINEST_SHARE = 1 / 4000.0
"""Detail finer than this share of the map's width, 0.04 mm on paper, is left out."""
_DEGREE_M = 111_320.0
_WORLD_HALF_WIDTH_M = 17_243_959.0
_WORLD_HALF_HEIGHT_M = 8_392_928.0
"""Half width and height of the whole Earth in Equal Earth on WGS84, metres."""


@dataclass(frozen=True)
class View:
    """What the map shows.

    Attributes
    ----------
    proj4 : str
        The projection, for pyproj.
    name : str
        The projection in words.
    xlim, ylim : (float, float)
        Edges of the map frame, projected metres.
    lon0, lat0 : float
        Centre, degrees.
    box : (west, south, east, north)
        The part of the Earth in the frame, degrees; west to east is at most 360 and may lie beyond 180.
    scale : float
        Projected metres to one metre on the ground, west to east at the centre of the frame.
    is_world : bool
    """

    proj4: str
    name: str
    xlim: tuple[float, float]
    ylim: tuple[float, float]
    lon0: float
    lat0: float
    box: tuple[float, float, float, float]
    scale: float
    is_world: bool

    @property
    def width_km(self) -> float:
        """Width of the frame on the ground at its centre, kilometres."""
        return (self.xlim[1] - self.xlim[0]) / self.scale / 1000.0

    def project(
        self, lons: Sequence[float] | NDArray[np.float64], lats: Sequence[float] | NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return points as an (n, 2) array of projected metres; infinite where the projection has no place for one."""
        x, y = _get_transformer(self.proj4).transform(np.asarray(lons, float), np.asarray(lats, float))
        return np.column_stack([x, y])


@lru_cache(maxsize=16)
def _get_transformer(proj4: str) -> pyproj.Transformer:
    return pyproj.Transformer.from_crs("EPSG:4326", proj4, always_xy=True)


def unwrap_lons(lons: NDArray[np.float64]) -> tuple[float, float]:
    """Return the shortest stretch of longitudes that holds all of them, as (west, east) with east >= west.

    East may exceed 180: points on both sides of the antimeridian lie together.
    """
    ordered = np.unique(((lons + 180.0) % 360.0) - 180.0)
    if len(ordered) == 1:
        return float(ordered[0]), float(ordered[0])
    gaps = np.diff(np.append(ordered, ordered[0] + 360.0))
    widest = int(np.argmax(gaps))
    west = float(ordered[(widest + 1) % len(ordered)])
    east = float(ordered[widest])
    return west, east if east >= west else east + 360.0


def _normalise(lon: float) -> float:
    return (lon + 180.0) % 360.0 - 180.0


def _choose_proj4(west: float, east: float, south: float, north: float) -> tuple[str, str, bool]:
    lon0, lat0 = _normalise((west + east) / 2), (south + north) / 2
    datum = "+datum=WGS84 +units=m +no_defs"
    if east - west > _WORLD_SPAN_DEG or north - south > 110.0:
        lon0 = 0.0 if east - west > 240.0 else round(lon0 / 10.0) * 10.0
        return f"+proj=eqearth +lon_0={lon0:.4f} {datum}", "Equal Earth", True
    nearest, farthest = sorted((abs(south), abs(north)))
    one_side = south * north > 0
    if one_side and nearest > 12.0 and farthest < 72.0 and north - south < 40.0 and east - west < 70.0:
        sixth = (north - south) / 6.0  # standard parallels a sixth from the edges keep the scale even
        parallels = f"+lat_1={south + sixth:.4f} +lat_2={north - sixth:.4f}" if sixth > 0.15 else f"+lat_1={lat0:.4f}"
        proj4 = f"+proj=lcc +lat_0={lat0:.4f} +lon_0={lon0:.4f} {parallels} {datum}"
        return proj4, "Lambert conformal conic", False
    return f"+proj=laea +lat_0={lat0:.4f} +lon_0={lon0:.4f} {datum}", "Lambert azimuthal equal-area", False


def _frame_limits(
    low: NDArray[np.float64], high: NDArray[np.float64], *, aspect: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return frame edges around projected bounds, padded, not too small, of the given width to height."""
    middle = (low + high) / 2.0
    width, height = np.maximum((high - low) * (1.0 + 2.0 * _PADDING), _MIN_SPAN_M)
    width, height = max(width, height * aspect), max(height, width / aspect)
    return (
        (float(middle[0] - width / 2), float(middle[0] + width / 2)),
        (float(middle[1] - height / 2), float(middle[1] + height / 2)),
    )


def _get_box(
    proj4: str, xlim: tuple[float, float], ylim: tuple[float, float], lon0: float
) -> tuple[float, float, float, float]:
    """Return the degrees that lie in a frame, a little more at the edges."""
    xs, ys = np.meshgrid(np.linspace(*xlim, 41), np.linspace(*ylim, 41))
    lons, lats = _get_transformer(proj4).transform(xs.ravel(), ys.ravel(), direction="INVERSE")
    known = np.isfinite(lons) & np.isfinite(lats)
    lons, lats = lons[known], lats[known]
    offsets = (lons - lon0 + 180.0) % 360.0 - 180.0
    south, north = float(lats.min()), float(lats.max())
    pad = max(0.5, (north - south) * 0.05)
    for pole, sign in ((90.0, 1), (-90.0, -1)):
        x, y = _get_transformer(proj4).transform(lon0, pole)
        if np.isfinite(x) and xlim[0] <= x <= xlim[1] and ylim[0] <= y <= ylim[1]:
            south, north = (south, 90.0) if sign > 0 else (-90.0, north)
            offsets = np.array([-180.0, 180.0])
    west, east = lon0 + float(offsets.min()) - pad, lon0 + float(offsets.max()) + pad
    if east - west >= 350.0 or not known.all():
        west, east = lon0 - 180.0, lon0 + 180.0
    return west, max(south - pad, -90.0), east, min(north + pad, 90.0)


def choose_view(lons: Sequence[float], lats: Sequence[float], *, aspect: float) -> View:
    """Return the view that shows all the points.

    Parameters
    ----------
    lons, lats : sequence of float
        Degrees; with none, the whole world is shown.
    aspect : float
        Width to height of the map frame on paper.

    Returns
    -------
    View
    """
    lon, lat = np.asarray(lons, float), np.asarray(lats, float)
    if len(lon) == 0:
        lon, lat = np.array([-180.0, 0.0, 179.9]), np.array([-60.0, 0.0, 80.0])
    west, east = unwrap_lons(lon)
    south, north = float(lat.min()), float(lat.max())
    proj4, name, is_world = _choose_proj4(west, east, south, north)
    lon0 = float(proj4.split("+lon_0=")[1].split(" ")[0])
    if is_world:
        half = np.array([_WORLD_HALF_WIDTH_M, _WORLD_HALF_HEIGHT_M]) * 1.01
        half = np.array([max(half[0], half[1] * aspect), max(half[1], half[0] / aspect)])
        xlim, ylim = (-float(half[0]), float(half[0])), (-float(half[1]), float(half[1]))
        box = (lon0 - 180.0, -90.0, lon0 + 180.0, 90.0)
        centre = (lon0, 0.0)
    else:
        x, y = _get_transformer(proj4).transform(lon, lat)
        points = np.column_stack([x, y])
        points = points[np.isfinite(points).all(axis=1)]
        xlim, ylim = _frame_limits(points.min(axis=0), points.max(axis=0), aspect=aspect)
        box = _get_box(proj4, xlim, ylim, lon0)
        inverse = _get_transformer(proj4).transform(sum(xlim) / 2, sum(ylim) / 2, direction="INVERSE")
        centre = (float(inverse[0]), float(inverse[1]))
    factors = pyproj.Proj(proj4).get_factors(centre[0], centre[1])
    return View(proj4, name, xlim, ylim, lon0, centre[1], box, float(factors.parallel_scale), is_world)


def clip_shapes(shapes: NDArray[np.object_], box: tuple[float, float, float, float]) -> NDArray[np.object_]:
    """Return polygons cut to a box of degrees, those beyond the antimeridian moved to where the box has them.

    Parameters
    ----------
    shapes : array of shapely geometry
        Longitudes from -180 to 180.
    box : (west, south, east, north)
        Degrees; may lie beyond 180.

    Returns
    -------
    array of shapely geometry
        In the order of `shapes`; empty where nothing lies in the box. Parts that the antimeridian had cut are joined.
    """
    west, south, east, north = box
    moved = [shift for shift in (-360.0, 0.0, 360.0) if west < 180.0 + shift and east > -180.0 + shift]
    parts = []
    bounds = shapely.bounds(shapes)
    for shift in moved:
        near = (
            (bounds[:, 0] + shift < east)
            & (bounds[:, 2] + shift > west)
            & (bounds[:, 1] < north)
            & (bounds[:, 3] > south)
        )
        part = np.full(len(shapes), shapely.Polygon(), dtype=object)
        if near.any():
            candidates = shapes[near]
            if shift:
                candidates = shapely.transform(candidates, lambda xy, by=shift: xy + np.array([by, 0.0]))
            part[near] = shapely.clip_by_rect(candidates, west, south, east, north)
        parts.append(part)
    clipped = parts[0]
    for part in parts[1:]:
        both = ~shapely.is_empty(clipped) & ~shapely.is_empty(part)
        joined = np.where(shapely.is_empty(clipped), part, clipped)
        if both.any():
            # a hair's breadth of overlap closes the seam that the antimeridian cut into the source data
            joined[both] = shapely.union(
                shapely.buffer(clipped[both], 1e-6, join_style="mitre"),
                shapely.buffer(part[both], 1e-6, join_style="mitre"),
            )
        clipped = joined
    return clipped


def project_shapes(shapes: NDArray[np.object_], view: View) -> NDArray[np.object_]:
    """Return shapes in degrees (already clipped) as projected metres; what the projection cannot place is left out."""
    transformer = _get_transformer(view.proj4)

    def transform(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        lon = xy[:, 0]
        if view.is_world:  # the two edges of the world are one meridian: keep each on its own side
            lon = np.clip(lon, view.lon0 - 179.9999, view.lon0 + 179.9999)
        x, y = transformer.transform(lon, xy[:, 1])
        return np.column_stack([x, y])

    finest = _FINEST_SHARE * (view.xlim[1] - view.xlim[0]) / _DEGREE_M
    simple = shapely.simplify(shapes, finest, preserve_topology=False)
    return np.asarray(shapely.transform(shapely.segmentize(simple, _DENSIFY_DEG), transform), dtype=object)
