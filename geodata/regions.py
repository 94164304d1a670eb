# ruff: noqa: E501 - word tables, patterns and SQL are easier to check unbroken
"""Parts of areas by compass: "eastern Ukraine", "the north of Gaza", "northeastern Nigeria".

Such a part is an area, never a town: the country or region is cut where a third of its surface lies on the named side.
The cut is a convention, not a border: what people call the east of a country has no edge. So it loses to any finer place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from geodata.boundaries import get_area
from geodata.errors import BoundaryNotFound
from geodata.place import Candidate, Place

__all__ = ["DIRECTIONS", "cut_by_compass", "parse_direction", "resolve_compass"]

DIRECTIONS = {
    "north": 0.0,
    "northeast": 45.0,
    "east": 90.0,
    "southeast": 135.0,
    "south": 180.0,
    "southwest": 225.0,
    "west": 270.0,
    "northwest": 315.0,
    "central": math.nan,
}
"""Compass words and their bearings in degrees clockwise from north; ``central`` has none."""

_ADJECTIVE = {
    "north": "northern",
    "northeast": "northeastern",
    "east": "eastern",
    "southeast": "southeastern",
    "south": "southern",
    "southwest": "southwestern",
    "west": "western",
    "northwest": "northwestern",
    "central": "central",
}
_WORD = re.compile(
    r"^(?:the )?(?:far |extreme |deep )?(north|south)?[\s-]?(east|west)?(?:ern|erly)?(?:most)?(?: part)?(?: of)?(?: the)?$"
)
_NEAR_DEGREES = 5.0  # parts of a country farther from its mainland than this do not count: Alaska, French Guiana


def parse_direction(text: str) -> str | None:
    """Read a compass word.

    Parameters
    ----------
    text : str
        ``eastern``, ``north-east``, ``the south of``, ``central``, ``far north``.

    Returns
    -------
    str or None
        A key of `DIRECTIONS`.
    """
    word = " ".join(text.casefold().replace("‑", "-").split())
    if re.fullmatch(r"(?:the )?(?:central|cent(?:er|re)|middle|heart)(?: part)?(?: of)?(?: the)?", word):
        return "central"
    found = _WORD.match(word)
    direction = f"{found[1] or ''}{found[2] or ''}" if found else ""
    return direction if direction in DIRECTIONS else None


@lru_cache(maxsize=256)
def _cut(wkb: bytes, direction: str) -> BaseGeometry:
    geometry = shapely.from_wkb(wkb)
    main = _get_mainland(geometry)
    if direction == "central":
        return _get_centre(main)
    shape, back = _rotate(main, DIRECTIONS[direction])
    part = _above(shape, 1 / 3)
    return shapely.make_valid(back(part))


def cut_by_compass(geometry: BaseGeometry, direction: str) -> BaseGeometry:
    """Cut off the third of a shape that lies farthest in a direction.

    Parameters
    ----------
    geometry : shapely geometry
        Polygon or MultiPolygon in degrees.
    direction : str
        A key of `DIRECTIONS`; ``central`` gives what is left after a sixth is cut off on each of the four sides.

    Returns
    -------
    shapely geometry
        Degrees. A third of the surface of the mainland (islands within 5 degrees of it included).

    Raises
    ------
    BoundaryNotFound
        `direction` is no compass word.
    """
    if direction not in DIRECTIONS:
        raise BoundaryNotFound(f"{direction!r} is no compass direction; known are {', '.join(DIRECTIONS)}.")
    return _cut(shapely.to_wkb(geometry), direction)


def _get_mainland(geometry: BaseGeometry) -> BaseGeometry:
    parts = sorted(getattr(geometry, "geoms", [geometry]), key=lambda p: -p.area)
    if not parts:
        return geometry
    near = [p for p in parts if p.distance(parts[0]) <= _NEAR_DEGREES]
    return shapely.MultiPolygon(near) if len(near) > 1 else near[0]


def _rotate(geometry: BaseGeometry, bearing: float) -> tuple[BaseGeometry, Callable[[BaseGeometry], BaseGeometry]]:
    """Turn a shape so that the bearing points up, in degrees that are equally long both ways at its middle."""
    x0, y0 = geometry.centroid.x, geometry.centroid.y
    stretch = max(math.cos(math.radians(y0)), 0.05)
    angle = math.radians(bearing)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])  # columns: x', y'

    def there(xy: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        turned: npt.NDArray[np.float64] = ((xy - [x0, y0]) * [stretch, 1.0]) @ turn
        return turned

    def back(shape: BaseGeometry) -> BaseGeometry:
        return shapely.transform(shape, lambda xy: (xy @ turn.T) / [stretch, 1.0] + [x0, y0])

    return shapely.transform(geometry, there), back


def _above(shape: BaseGeometry, share: float) -> BaseGeometry:
    """Give the upper part that holds a share of the surface."""
    west, south, east, north = shape.bounds
    coarse = shape.simplify(max(east - west, north - south) / 2000)
    low, high = south, north
    for _ in range(24):
        middle = (low + high) / 2
        area = coarse.intersection(shapely.box(west - 1, middle, east + 1, north + 1)).area
        if area > share * coarse.area:
            low = middle
        else:
            high = middle
    return shape.intersection(shapely.box(west - 1, (low + high) / 2, east + 1, north + 1))


def _get_centre(shape: BaseGeometry) -> BaseGeometry:
    inner = shape
    for bearing in (0.0, 90.0, 180.0, 270.0):
        turned, back = _rotate(shape, bearing)
        inner = inner.intersection(back(_above(turned, 5 / 6)))
    return shapely.make_valid(inner) if not inner.is_empty else shape


def resolve_compass(direction: str, area: Place) -> Candidate | None:
    """Turn a compass word and an area into a place.

    Parameters
    ----------
    direction : str
        A key of `DIRECTIONS`, or a word that `parse_direction` reads.
    area : Place
        A country, region, district or macro-region with a polygon.

    Returns
    -------
    Candidate or None
        A place of kind ``macro_region`` (of a country or macro-region) or ``admin1`` (of a first-level area), whose
        point lies inside the part; None when the word is no direction or the area has no polygon.
    """
    key = direction if direction in DIRECTIONS else parse_direction(direction)
    if key is None or area.area_id is None or area.area_id.startswith("compass:"):
        return None
    area_id = f"compass:{key}:{area.area_id}"
    try:
        point = _get_inner_point(area_id)
    except BoundaryNotFound:
        return None
    region = area.kind == "admin1"
    place = Place(
        name=f"{_ADJECTIVE[key]} {area.name}",
        kind="admin1" if region else "macro_region",
        lat=round(point[0], 4),
        lon=round(point[1], 4),
        precision="region" if region else "macro_region",
        country=area.country,
        admin1=area.admin1 if region else None,
        admin1_code=area.admin1_code if region else None,
        area_id=area_id,
        source="natural_earth",
    )
    reason = (
        f"the {key} of {area.name}: the third of its surface on that side"
        if key != "central"
        else f"the middle of {area.name}"
    )
    return Candidate(place=place, matched_name=place.name, match_kind="curated", score=0.9, reasons=(reason,))


@lru_cache(maxsize=1024)
def _get_inner_point(area_id: str) -> tuple[float, float]:
    """Give the middle of a part, or a point inside it where the middle is outside."""
    geometry = get_area(area_id)
    middle = geometry.centroid
    if not geometry.contains(middle):
        middle = geometry.representative_point()
    return middle.y, middle.x
