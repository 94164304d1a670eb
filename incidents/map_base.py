"""The files of the local base layer: countries, first-level areas, towns, and the outlines of coarse places.

They are made once from `geodata.boundaries` and the place index, kept in the user's cache folder, and
served to the browser as they are: the map script itself stays small, and a browser fetches each file once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from geodata import boundaries
from geodata.boundaries import Policy
from geodata.errors import BoundaryNotFound
from geodata.gazetteer import Gazetteer
from geodata.index import get_cache_dir, get_index_name
from geodata.labels import find_label_towns, name_areas

__all__ = ["ensure_area", "ensure_base", "get_base_key"]

_LAYOUT = 8  # raised whenever the files' content or shape changes
_DECIMALS = 3  # about 100 m: finer than the layers themselves
_LAYERS = (
    "admin1.parquet",
    "admin1_names.tsv",
    "city_parts.tsv",
    "countries.parquet",
    "macro_regions.tsv",
    "waters.parquet",
    "world.geojson",
)
_STALE_SECONDS = 3600
_TOWNS = 25_000
_CODE = re.compile(r"[A-Z]{2}")
_LAST_FILE = "towns.json"  # where it exists, the folder is whole
_WATER_DEGREES, _FINE_DEGREES = 0.01, 0.005  # simplification


@lru_cache(maxsize=2)
def get_base_key(policy: Policy = "un") -> str:
    """Return a short hash that changes when the layers, their naming, the place index or the policy change."""
    digest = hashlib.sha256(f"{_LAYOUT}|{get_index_name()}|{policy}".encode())
    folder = Path(boundaries.__file__).parent
    for path in (*(folder / "data" / name for name in _LAYERS), folder / "labels.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _round(geometry: shapely.Geometry) -> dict[str, Any]:
    rounded = shapely.transform(geometry, lambda xy: np.round(xy, _DECIMALS))
    return dict(shapely.geometry.mapping(rounded))


def _describe_shape(geometry: shapely.Geometry, at: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return where to write the area's name ([lat, lon]), its width in degrees, and its box (lon, lat, lon, lat)."""
    parts = geometry.geoms if hasattr(geometry, "geoms") else [geometry]
    largest = max(parts, key=lambda part: part.area)
    if at is None:
        # A tolerance of 1/50 of the size is plenty for a label; the exact centre would take long for ragged coasts.
        size = float(largest.area) ** 0.5
        x, y = shapely.maximum_inscribed_circle(largest, tolerance=max(size / 50, 1e-4)).coords[0][:2]
        at = (y, x)
    west, _, east, _ = largest.bounds
    return {
        "at": [round(v, _DECIMALS) for v in at],
        "size": round(east - west, 2),
        "box": [round(v, 2) for v in geometry.bounds],
    }


def _write_json(path: Path, content: object) -> None:
    """Write a file so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        # dumps, not dump: only dumps uses the encoder written in C, ten times faster here
        file.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    Path(temporary).chmod(0o644)
    Path(temporary).replace(path)


def _feature(geometry: shapely.Geometry, properties: Mapping[str, object]) -> dict[str, Any]:
    return {"type": "Feature", "properties": dict(properties), "geometry": _round(geometry)}


def _simplify(geometry: Any, degrees: float) -> list[shapely.Geometry]:
    """Simplify areas together, so that neighbours keep one common border; always polygons.

    A sliver that collapses to a line or a point would else be drawn as one of Leaflet's pins.
    """
    return [_keep_polygons(shape) for shape in shapely.coverage_simplify(np.asarray(geometry, dtype=object), degrees)]


def _split_up(shape: shapely.Geometry) -> list[shapely.Geometry]:
    """Return the single parts, out of collections inside collections too."""
    return [part for whole in shapely.get_parts(shape) for part in shapely.get_parts(whole)]


def _keep_polygons(shape: shapely.Geometry) -> shapely.Geometry:
    return shapely.MultiPolygon([part for part in _split_up(shape) if part.geom_type == "Polygon"])


def _keep_lines(shape: shapely.Geometry) -> shapely.Geometry:
    return shapely.MultiLineString([part for part in _split_up(shape) if part.geom_type == "LineString"])


def _collect(features: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": features}


def _load_world(policy: Policy) -> gpd.GeoDataFrame:
    """Return the light world; what is occupied is a hatched layer of its own, or its holder's under ``de_facto``."""
    world = gpd.read_file(boundaries.get_world_geojson())
    if policy == "un":
        return world
    held = boundaries.load_admin1(policy=policy)
    holders = dict(zip(boundaries.load_admin1()["country"], held["country"], strict=True))
    occupied = world[world["occupied"]]
    rest = world[~world["occupied"]].reset_index(drop=True)
    for area in occupied.itertuples(index=False):
        holder = next((h for h in held.loc[held["occupied"], "country"] if h != area.country), holders[area.country])
        for row in rest.index[rest["country"] == area.country]:
            rest.loc[row, "geometry"] = rest.loc[row, "geometry"].difference(area.geometry)
        for row in rest.index[rest["country"] == holder]:
            rest.loc[row, "geometry"] = rest.loc[row, "geometry"].union(area.geometry)
    return rest


def _write_countries(folder: Path, with_admin1: set[str], policy: Policy) -> None:
    """Write the light world for far views, and each country's finer outline for near ones."""
    world = _load_world(policy)
    features = [
        _feature(
            row.geometry,
            {
                "name": row.name,
                "country": row.country,
                "level": "country",
                "occupied": bool(row.occupied),
                "admin1": row.country in with_admin1,
                **_describe_shape(row.geometry),
            },
        )
        for row in world.itertuples(index=False)
    ]
    _write_json(folder / "countries.json", _collect(features))
    fine = boundaries.load_countries(policy=policy)
    for row, shape in zip(fine.itertuples(index=False), _simplify(fine.geometry, _FINE_DEGREES), strict=True):
        if _CODE.fullmatch(str(row.country)) and not shape.is_empty:
            _write_json(folder / "outlines" / f"{row.country}.json", _feature(shape, {"level": "outline"}))


def _write_admin1(folder: Path, admin1: Any, policy: Policy) -> None:
    for country, rows in admin1.groupby("country"):
        if not _CODE.fullmatch(str(country)):
            continue
        areas = [
            _feature(
                shape,
                {
                    "name": row.name,
                    "level": "admin1",
                    "occupied": bool(row.occupied) and policy == "un",
                    **_describe_shape(shape, at=(row.lat, row.lon)),
                },
            )
            for row, shape in zip(rows.itertuples(index=False), _simplify(rows.geometry, _FINE_DEGREES), strict=True)
            if not shape.is_empty
        ]
        _write_json(folder / "admin1" / f"{country}.json", _collect(areas))


def _write_waters(folder: Path) -> None:
    layers = boundaries.load_base_layers()
    features = [
        _feature(keep(shape.simplify(_WATER_DEGREES)), {"level": level})
        for level, keep in (("lake", _keep_polygons), ("river", _keep_lines))
        for shape in layers[f"{level}s"].geometry
    ]
    _write_json(folder / "waters.json", _collect(features))


def _write_towns(folder: Path, gazetteer: Gazetteer) -> None:
    places = find_label_towns(gazetteer, (-180.0, -90.0, 180.0, 90.0), limit=_TOWNS)
    towns = [
        [place.name, round(place.lat, 3), round(place.lon, 3), weight]
        for place, weight in places
        if place.lat is not None and place.lon is not None
    ]
    _write_json(folder / _LAST_FILE, towns)


def _write_base(folder: Path, policy: Policy) -> None:
    with Gazetteer.open() as gazetteer:
        admin1 = boundaries.load_admin1(policy=policy)
        admin1["name"] = name_areas(admin1, gazetteer)
        _write_countries(folder, set(admin1["country"].dropna()), policy)
        _write_admin1(folder, admin1, policy)
        _write_waters(folder)
        _write_towns(folder, gazetteer)


def ensure_base(parent: Path | None = None, *, policy: Policy = "un") -> Path:
    """Return the folder of the base layer's files, made first where it is missing.

    Safe when several processes start at once: each writes its own folder, the first to finish is kept.

    Parameters
    ----------
    parent : Path or None
        Where to keep it; the user's cache folder when None.
    policy : {"un", "de_facto"}
        Whose an occupied area is drawn as (`geodata.boundaries.load_admin1`).
    """
    parent = parent or get_cache_dir() / "map"
    folder = parent / get_base_key(policy)
    if (folder / _LAST_FILE).is_file():
        return folder
    parent.mkdir(parents=True, exist_ok=True)
    for left in parent.glob("making-*"):  # of processes that were killed
        if time.time() - left.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(dir=parent, prefix="making-"))
    try:
        _write_base(work, policy)
        work.chmod(0o755)
        try:
            work.rename(folder)
        except OSError:
            if not (folder / _LAST_FILE).is_file():  # not another process's work: the disk's own trouble
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def ensure_area(folder: Path, area_id: str, *, policy: Policy = "un") -> str | None:
    """Return the path, relative to `folder`, of an area's outline; None where no outline is known.

    Parameters
    ----------
    folder : Path
        As given by `ensure_base`.
    area_id : str
        ``country:UA``, ``admin1:UA.05``, ``macro:donbas``. Any text is allowed: it is never used as a path.
    policy : {"un", "de_facto"}
        The one that `folder` was made for.
    """
    name = f"areas/{hashlib.sha256(area_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json"
    path = folder / name
    if path.is_file():
        return name
    try:
        geometry = boundaries.get_area(area_id, policy=policy)
    except BoundaryNotFound:
        return None
    if geometry is None or geometry.is_empty:
        return None
    west, south, east, north = geometry.bounds
    simple = _keep_polygons(geometry.simplify(max(east - west, north - south) / 2_000))
    _write_json(path, _feature(simple, _describe_shape(simple)))
    return name


if __name__ == "__main__":  # make it ahead of the first start: python -m incidents.map_base
    ensure_base()
