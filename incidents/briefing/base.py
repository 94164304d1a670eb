"""The base layer of a briefing's map: countries, first-level areas and their names, cut to what the map shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray

from geodata.boundaries import Policy, get_area, load_admin1, load_base_layers
from geodata.errors import BoundaryNotFound
from geodata.labels import name_areas
from incidents.briefing.projection import View, clip_shapes, project_shapes
from incidents.briefing.towns import find_index, open_index

__all__ = ["BaseLayer", "NamedShape", "cut_area", "cut_base", "get_outline"]

_ADMIN1_BELOW_KM = 2_600.0
"""Frames narrower than this show first-level areas."""


@dataclass(frozen=True, slots=True)
class NamedShape:
    """A projected shape with its name and id."""

    name: str
    area_id: str
    country: str
    shape: shapely.Geometry


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """What lies under the incidents, in projected metres."""

    countries: tuple[NamedShape, ...]
    admin1: tuple[NamedShape, ...]
    lakes: tuple[shapely.Geometry, ...]
    rivers: tuple[shapely.Geometry, ...]
    occupied: tuple[shapely.Geometry, ...]


@lru_cache(maxsize=4)
def _load_admin1(policy: Policy, index: str) -> gpd.GeoDataFrame:  # noqa: ARG001 - the index's name is the cache's key
    frame = load_admin1(policy=policy)
    with open_index() as gazetteer:
        frame["name"] = name_areas(frame, gazetteer)
    return frame


def _cut(frame: gpd.GeoDataFrame, view: View) -> tuple[list[int], list[shapely.Geometry]]:
    """Return the positions of the rows that a view shows, and their projected shapes."""
    clipped = clip_shapes(np.asarray(frame.geometry.array, dtype=object), view.box)
    seen = np.flatnonzero(~shapely.is_empty(clipped))
    return seen.tolist(), list(project_shapes(clipped[seen], view))


def _cut_named(frame: gpd.GeoDataFrame, view: View) -> tuple[NamedShape, ...]:
    seen, shapes = _cut(frame, view)
    names, ids, countries = (frame[column].tolist() for column in ("name", "area_id", "country"))
    return tuple(
        NamedShape(str(names[i] or ""), str(ids[i] or ""), str(countries[i] or ""), shape)
        for i, shape in zip(seen, shapes, strict=True)
    )


def cut_base(view: View, *, policy: Policy = "un") -> BaseLayer:
    """Return the base layer of a view: more of it the nearer one looks."""
    layers = load_base_layers(policy=policy)
    zoomed = not view.is_world and view.width_km < _ADMIN1_BELOW_KM
    return BaseLayer(
        countries=_cut_named(layers["countries"], view),
        admin1=_cut_named(_load_admin1(policy, find_index()), view) if zoomed else (),
        lakes=tuple(_cut(layers["lakes"], view)[1]),
        rivers=tuple(_cut(layers["rivers"], view)[1]) if zoomed else (),
        occupied=() if view.is_world else tuple(_cut(layers["occupied"], view)[1]),
    )


def get_outline(area_id: str | None, *, policy: Policy = "un") -> shapely.Geometry | None:
    """Return the polygon of an area in degrees, or None where none is known."""
    if not area_id:
        return None
    try:
        shape: shapely.Geometry | None = get_area(area_id, policy=policy)
    except BoundaryNotFound:
        return None
    return shape


def cut_area(outline: shapely.Geometry, view: View) -> shapely.Geometry | None:
    """Return the part of an outline that a view shows, in projected metres, or None."""
    shapes: NDArray[np.object_] = np.array([outline], dtype=object)
    clipped = clip_shapes(shapes, view.box)
    if shapely.is_empty(clipped)[0]:
        return None
    shape = project_shapes(clipped, view)[0]
    frame = shapely.box(view.xlim[0], view.ylim[0], view.xlim[1], view.ylim[1])
    shown: shapely.Geometry = shapely.intersection(shapely.make_valid(shape), frame)
    return None if shown.is_empty else shown
