"""Names to write on maps: first-level areas in one style, and towns of which the largest win.

The names are those of the place index, so that a map says the same as the card of an incident. Natural Earth's own
names (often older: "Kiev", "Odessa") serve only where the index knows none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import geopandas as gpd

from geodata.gazetteer import Gazetteer
from geodata.keys import read_table
from geodata.place import Place

__all__ = ["find_label_towns", "name_areas", "shorten_area_names", "weigh_town"]

_GENERIC = (" Oblast", " Governorate", " Region", " Province", " County")
"""Words for "area" that GeoNames writes behind some names of a country and not behind others. "State", "Republic" and
"Krai" are not among them: without them "Free State" or "Altai Krai" would be something else."""
_NOT_ALONE = re.compile(
    r"(?:(?:north|south)[ -]?)?(?:east|west|north|south)(?:ern)?|central|capital|upper|lower|copperbelt|metropolitan",
    re.IGNORECASE,
)
_PART_WEIGHT = 20
"""A part of a larger town counts as a place with so many times fewer people."""


def shorten_area_names(names: Iterable[str]) -> dict[str, str]:
    """Return the areas of one country in one style: "Kherson Oblast" beside "Chernihiv" becomes "Kherson".

    Parameters
    ----------
    names : iterable of str
        All first-level areas of one country.

    Returns
    -------
    dict
        Each name to what is written on a map. A name stays whole where the rest could be mistaken for another area, or
        is no name by itself ("Northern Region").

    Examples
    --------
    >>> shorten_area_names(["Kherson Oblast", "Chernihiv"])
    {'Kherson Oblast': 'Kherson', 'Chernihiv': 'Chernihiv'}
    """
    listed = list(dict.fromkeys(names))
    short = {}
    for name in listed:
        stem = next((name.removesuffix(word) for word in _GENERIC if name.endswith(word)), name)
        short[name] = name if _NOT_ALONE.fullmatch(stem) else stem
    taken = Counter(value.casefold() for value in short.values())
    return {name: value if taken[value.casefold()] == 1 else name for name, value in short.items()}


def name_areas(frame: gpd.GeoDataFrame, gazetteer: Gazetteer | None) -> list[str]:
    """Name first-level areas for a map.

    Parameters
    ----------
    frame : GeoDataFrame
        As `geodata.boundaries.load_admin1` gives it; not changed.
    gazetteer : Gazetteer or None
        The place index; Natural Earth's names where None.

    Returns
    -------
    list of str
        One name a row, in the frame's order.
    """
    ids = _load_admin1_ids() if gazetteer is not None else {}
    names: list[str] = []
    for code, own in zip(frame["admin1_code"], frame["name"], strict=True):
        place = gazetteer.get_place(ids[code]) if gazetteer is not None and code in ids else None
        names.append(place.name if place is not None else str(own or ""))
    countries = [str(country) for country in frame["country"]]
    of_country: dict[str, list[str]] = {}
    for country, name in zip(countries, names, strict=True):
        of_country.setdefault(country, []).append(name)
    short = {country: shorten_area_names(some) for country, some in of_country.items()}
    return [short[country][name] for country, name in zip(countries, names, strict=True)]


@lru_cache(maxsize=1)
def _load_admin1_ids() -> dict[str, int]:
    return {row["code"]: int(row["geonameid"]) for row in read_table("admin1_names.tsv")}


@lru_cache(maxsize=1)
def _load_parts() -> frozenset[int]:
    return frozenset(int(row["geonameid"]) for row in read_table("city_parts.tsv"))


def weigh_town(place: Place) -> int:
    """Return how much a town's name counts on a map: its people, far fewer for a part of a larger town.

    GeoNames lists quarters as towns, some with more people than the town that they are a part of (Pravyi Bereh and
    Mariupol). ``data/city_parts.tsv`` tells them; ``data/make_city_parts.py`` tells how they were found.
    """
    people = place.population or 0
    return people // _PART_WEIGHT if place.geonameid in _load_parts() else people


def find_label_towns(
    gazetteer: Gazetteer, box: tuple[float, float, float, float], *, limit: int
) -> tuple[tuple[Place, int], ...]:
    """Give the towns to name in a box, the most important first.

    Parameters
    ----------
    gazetteer : Gazetteer
    box : (west, south, east, north)
        Degrees, as in `Gazetteer.find_largest`.
    limit : int
        At most so many.

    Returns
    -------
    tuple of (Place, int)
        Each town with its weight (`weigh_town`).
    """
    found = gazetteer.find_largest(box, limit=limit + limit // 2)
    weighed = sorted(((place, weigh_town(place)) for place in found), key=lambda pair: -pair[1])
    return tuple(weighed[:limit])
