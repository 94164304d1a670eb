"""Countries and first-level areas: polygons, containment, and base layers for maps.

The polygons are Natural Earth's (public domain), reduced and keyed by GeoNames codes; ``data/README.md`` tells how.
Whose line is drawn: Natural Earth files Crimea and Sevastopol under Russia. Here a unit's country follows ISO 3166-2,
so they are Ukraine's and flagged `occupied`. The policy ``de_facto`` draws Natural Earth's own view.
Names and codes of areas come from GeoNames; polygons serve for drawing and containment only. Where Natural Earth is
out of date (the 11 provinces of DR Congo before 2015) an area may have a point but no polygon.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any, Literal

import geopandas as gpd
import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geodata.coordinates import check_coordinate
from geodata.distance import distance_km
from geodata.errors import BoundaryNotFound

__all__ = [
    "CREDIT",
    "OFFSHORE_KM",
    "AreaHit",
    "Policy",
    "find_area",
    "find_areas",
    "get_area",
    "get_world_geojson",
    "has_area",
    "load_admin1",
    "load_base_layers",
    "load_countries",
]

CREDIT = "Boundaries: Natural Earth (public domain)"
OFFSHORE_KM = 10.0
"""A point outside every polygon belongs to the nearest one within this distance: coasts are simplified."""

Policy = Literal["un", "de_facto"]


@dataclass(frozen=True, slots=True)
class AreaHit:
    """The areas that a point lies in.

    Attributes
    ----------
    country : str
        ISO 3166-1 alpha-2.
    admin1_code : str or None
        GeoNames code; None where the polygon has no counterpart in GeoNames.
    admin1 : str or None
        Name of the first-level area.
    distance_km : float
        0 inside; otherwise the distance to the nearest polygon, at most `OFFSHORE_KM`.
    offshore : bool
        True when the point lies outside every polygon.
    occupied : bool
        True in areas held by another state than the one they belong to (Crimea, Sevastopol).
    """

    country: str
    admin1_code: str | None
    admin1: str | None
    distance_km: float
    offshore: bool
    occupied: bool


def _read(name: str) -> gpd.GeoDataFrame:
    with as_file(files("geodata").joinpath(f"data/{name}")) as path:
        return gpd.read_parquet(path)


@lru_cache(maxsize=2)
def _admin1(policy: Policy) -> gpd.GeoDataFrame:
    frame = _read("admin1.parquet")
    if policy == "de_facto":
        frame["country"] = frame["country_de_facto"]
    return frame


@lru_cache(maxsize=2)
def _countries(policy: Policy) -> gpd.GeoDataFrame:
    frame = _read("countries.parquet")
    if policy == "de_facto":
        special = set(frame.loc[frame["policy"] == "de_facto", "area_id"])
        frame = frame[(frame["policy"] == "de_facto") | ~frame["area_id"].isin(special)]
    else:
        frame = frame[frame["policy"] == "un"]
    return frame.drop(columns="policy").sort_values("area_id").reset_index(drop=True)


def load_admin1(*, policy: Policy = "un") -> gpd.GeoDataFrame:
    """Load the first-level areas.

    Parameters
    ----------
    policy : {"un", "de_facto"}
        Whose country an area is said to be: ISO 3166-2's, or the one that holds it.

    Returns
    -------
    GeoDataFrame
        A copy, EPSG:4326, columns ``area_id`` (null without a GeoNames code), ``admin1_code``, ``name``, ``country``
        (ISO 3166-1 alpha-2), ``occupied``, ``lat``, ``lon`` (a point inside, degrees) and ``geometry``.
    """
    frame = _admin1(policy)
    return frame[["area_id", "admin1_code", "name", "country", "occupied", "lat", "lon", "geometry"]].copy()


def load_countries(*, policy: Policy = "un") -> gpd.GeoDataFrame:
    """Load the countries.

    Parameters
    ----------
    policy : {"un", "de_facto"}
        As in `load_admin1`.

    Returns
    -------
    GeoDataFrame
        A copy, EPSG:4326, columns ``area_id``, ``name``, ``country`` (ISO 3166-1 alpha-2) and ``geometry``.
    """
    return _countries(policy).copy()


@lru_cache(maxsize=2)
def load_base_layers(*, policy: Policy = "un") -> Mapping[str, gpd.GeoDataFrame]:
    """Load what a base map is drawn from.

    Parameters
    ----------
    policy : {"un", "de_facto"}
        As in `load_admin1`. Only ``un`` has occupied areas: the other shows no claim but the holder's.

    Returns
    -------
    mapping
        ``countries``, ``lakes``, ``rivers`` and ``occupied``: frames in EPSG:4326 that must not be changed.
    """
    waters = _read("waters.parquet")
    areas = _admin1(policy)
    occupied = areas["occupied"] & (policy == "un")
    return {
        "countries": _countries(policy),
        "lakes": waters[waters["kind"] == "lake"].reset_index(drop=True),
        "rivers": waters[waters["kind"] == "river"].reset_index(drop=True),
        "occupied": areas.loc[occupied, ["area_id", "name", "country", "geometry"]].reset_index(drop=True),
    }


@lru_cache(maxsize=1)
def get_world_geojson() -> str:
    """Give the light countries layer for web maps: GeoJSON text, properties ``country``, ``name``, ``occupied``.

    The occupied part of Ukraine is drawn within Ukraine and once more as a feature of its own, to be hatched.
    """
    return files("geodata").joinpath("data/world.geojson").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _macro_rows() -> Mapping[str, dict[str, str]]:
    text = files("geodata").joinpath("data/macro_regions.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return {row["id"]: row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}


@lru_cache(maxsize=4)
def _polygons(kind: str, policy: Policy) -> Mapping[str, BaseGeometry]:
    frame = _countries(policy) if kind == "country" else _admin1(policy)
    frame = frame[frame["area_id"].notna()]
    return dict(zip(frame["area_id"], frame.geometry, strict=True))


def _by_id(area_id: str, policy: Policy) -> BaseGeometry | None:
    kind = area_id.partition(":")[0]
    return _polygons(kind, policy).get(area_id) if kind in {"country", "admin1"} else None


def has_area(area_id: str) -> bool:
    """Tell whether a polygon is known for an area id."""
    try:
        get_area(area_id)
    except BoundaryNotFound:
        return False
    return True


@lru_cache(maxsize=512)
def get_area(area_id: str, *, policy: Policy = "un") -> BaseGeometry:
    """Get the polygon of an area.

    Parameters
    ----------
    area_id : str
        ``country:UA``, ``admin1:UA.05``, ``macro:donbas``, or ``compass:east:country:UA`` (`geodata.regions`).
    policy : {"un", "de_facto"}
        As in `load_admin1`.

    Returns
    -------
    shapely geometry
        Polygon or MultiPolygon, x = longitude, y = latitude, degrees.

    Raises
    ------
    BoundaryNotFound
        No polygon is known for the id.
    """
    found = _by_id(area_id, policy)
    if found is not None:
        return found
    kind, _, key = area_id.partition(":")
    if kind == "macro" and key in _macro_rows():
        return _union(_macro_rows()[key]["members"].split("|"), area_id, policy)
    if kind == "compass":
        direction, _, inner = key.partition(":")
        from geodata.regions import cut_by_compass  # noqa: PLC0415 - regions builds on this module

        return cut_by_compass(get_area(inner, policy=policy), direction)
    raise BoundaryNotFound(f"No polygon is known for the area {area_id!r}.")


def _union(members: list[str], area_id: str, policy: Policy) -> BaseGeometry:
    """Join the members of a macro-region: area ids, ``box:west,south,east,north`` or ``circle:lat,lon,km``."""
    parts = []
    for member in members:
        kind, _, value = member.partition(":")
        if kind == "box":
            parts.append(shapely.box(*map(float, value.split(","))))
        elif kind == "circle":
            lat, lon, km = map(float, value.split(","))
            parts.append(make_circle(lat, lon, km=km))
        elif kind == "clip":
            # a box of an area: clip:west,south,east,north@country:XX
            box, _, inner = value.partition("@")
            parts.append(shapely.box(*map(float, box.split(","))).intersection(get_area(inner, policy=policy)))
        elif member and (found := _by_id(member, policy)) is not None:
            parts.append(found)  # a member without a polygon of its own lies in its neighbours' (see the module's text)
    if not parts:
        raise BoundaryNotFound(f"The area {area_id!r} has a point but no polygon.")
    return shapely.union_all(parts)


def make_circle(lat: float, lon: float, *, km: float) -> BaseGeometry:
    """Draw a circle of a radius in km around a point (degrees), good away from the poles."""
    stretch = max(math.cos(math.radians(lat)), 0.05)
    angles = np.linspace(0, 2 * np.pi, 49)
    degrees = km / 111.195
    return shapely.Polygon(np.column_stack([lon + degrees / stretch * np.cos(angles), lat + degrees * np.sin(angles)]))


@lru_cache(maxsize=2)
def _tree(policy: Policy) -> tuple[shapely.STRtree, list[tuple[str, str | None, str, bool]]]:
    frame = _admin1(policy)
    geometries = frame.geometry.to_numpy()
    shapely.prepare(geometries)
    rows = [
        (str(c), a if isinstance(a, str) else None, str(n), bool(o))
        for c, a, n, o in zip(frame["country"], frame["admin1_code"], frame["name"], frame["occupied"], strict=True)
    ]
    return shapely.STRtree(geometries), rows


def find_area(lat: float, lon: float, *, policy: Policy = "un") -> AreaHit | None:
    """Find the country and first-level area of a point.

    Parameters
    ----------
    lat, lon : float
        Degrees, WGS84.
    policy : {"un", "de_facto"}
        As in `load_admin1`.

    Returns
    -------
    AreaHit or None
        None more than `OFFSHORE_KM` away from every polygon.

    Raises
    ------
    CoordinateError
        The point is out of range or not finite.
    """
    check_coordinate(lat, lon)
    tree, rows = _tree(policy)
    point = shapely.Point(lon, lat)
    inside = tree.query(point, predicate="intersects")
    if len(inside):
        return _hit(rows[int(min(inside))], 0.0)
    reach = OFFSHORE_KM / 111.0 / max(math.cos(math.radians(lat)), 0.05)
    near = tree.query(point, predicate="dwithin", distance=min(reach, 2.0))
    best: tuple[float, int] | None = None
    for number in near:
        geometry = tree.geometries[number]
        # the nearest point in metres, not in degrees: scale longitudes before measuring
        stretch = max(math.cos(math.radians(lat)), 0.05)
        scaled = shapely.transform(geometry, lambda xy, s=stretch: xy * np.array([s, 1.0]))
        target = shapely.shortest_line(shapely.Point(lon * stretch, lat), scaled).coords[-1]
        km = distance_km(lat, lon, float(target[1]), float(target[0]) / stretch)
        if km <= OFFSHORE_KM and (best is None or km < best[0]):
            best = (km, int(number))
    return _hit(rows[best[1]], best[0]) if best else None


def find_areas(lats: Any, lons: Any, *, policy: Policy = "un") -> list[AreaHit | None]:
    """Find the areas of many points at once; None also for points that are missing or out of range.

    Parameters
    ----------
    lats, lons : array-like of float
        Degrees, equally long; NaN is "no point".
    policy : {"un", "de_facto"}
        As in `load_admin1`.

    Returns
    -------
    list of AreaHit or None
        One for each point, in order.
    """
    lat, lon = np.asarray(lats, dtype=float), np.asarray(lons, dtype=float)
    good = np.isfinite(lat) & np.isfinite(lon) & (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
    tree, rows = _tree(policy)
    hits: list[AreaHit | None] = [None] * len(lat)
    where = np.flatnonzero(good)
    points, areas = tree.query(shapely.points(lon[where], lat[where]), predicate="intersects")
    for point, area in sorted(zip(points.tolist(), areas.tolist(), strict=True), reverse=True):
        hits[where[point]] = _hit(rows[area], 0.0)
    for at in where:
        if hits[at] is None:
            hits[at] = find_area(float(lat[at]), float(lon[at]), policy=policy)
    return hits


def _hit(row: tuple[str, str | None, str, bool], km: float) -> AreaHit:
    country, code, name, occupied = row
    return AreaHit(
        country=country, admin1_code=code, admin1=name, distance_km=round(km, 2), offshore=km > 0, occupied=occupied
    )
