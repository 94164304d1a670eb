"""From a point to words: the country, the region, and the nearest town."""

from __future__ import annotations

import math
from dataclasses import dataclass

from geodata.boundaries import AreaHit, Policy, find_area
from geodata.distance import distance_km
from geodata.gazetteer import Gazetteer
from geodata.place import Place

__all__ = ["PointWords", "describe_point", "name_direction"]

_NEAR_KM = 100.0
_DIRECTIONS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


@dataclass(frozen=True, slots=True)
class PointWords:
    """What is known of a point.

    Attributes
    ----------
    lat, lon : float
        Degrees, WGS84.
    area : AreaHit or None
        Country and first-level area; None out at sea.
    town : Place or None
        The nearest settlement of the index within 100 km.
    town_km : float or None
        How far the point is from it.
    direction : str or None
        Where the point lies as seen from it: ``north-east``. None within half a kilometre.
    """

    lat: float
    lon: float
    area: AreaHit | None
    town: Place | None
    town_km: float | None
    direction: str | None

    def to_text(self) -> str:
        """Say it in a sentence."""
        parts = []
        if self.town is not None and self.town_km is not None:
            if self.direction is None:
                parts.append(f"in or at {self.town.name}")
            else:
                parts.append(f"{self.town_km:.1f} km {self.direction} of {self.town.name}")
        if self.area is None:
            parts.append("at sea, in no country")
        else:
            parts += [part for part in (self.area.admin1, self.area.country) if part]
            if self.area.offshore:
                parts.append(f"{self.area.distance_km:.1f} km off the coast or border")
            if self.area.occupied:
                parts.append("occupied")
        return ", ".join(parts)


def name_direction(lat1: float, lon1: float, lat2: float, lon2: float) -> str:
    """Name the direction from one point to another, one of eight."""
    a, b, turn = math.radians(lat1), math.radians(lat2), math.radians(lon2 - lon1)
    east = math.sin(turn) * math.cos(b)
    north = math.cos(a) * math.sin(b) - math.sin(a) * math.cos(b) * math.cos(turn)
    return _DIRECTIONS[round(math.degrees(math.atan2(east, north)) / 45) % 8]


def describe_point(lat: float, lon: float, *, gazetteer: Gazetteer, policy: Policy = "un") -> PointWords:
    """Tell where a point lies.

    Parameters
    ----------
    lat, lon : float
        Degrees, WGS84.
    gazetteer : Gazetteer
        The place index; only its settlements are looked at.
    policy : {"un", "de_facto"}
        As in `geodata.boundaries.find_area`.

    Returns
    -------
    PointWords

    Raises
    ------
    CoordinateError
        The point is out of range or not finite.
    """
    area = find_area(lat, lon, policy=policy)
    town = gazetteer.find_nearest(lat, lon, within_km=_NEAR_KM)
    if town is None or town.lat is None or town.lon is None:
        return PointWords(lat, lon, area, None, None, None)
    km = distance_km(lat, lon, town.lat, town.lon)
    direction = name_direction(town.lat, town.lon, lat, lon) if km >= 0.5 else None
    return PointWords(lat, lon, area, town, round(km, 2), direction)
