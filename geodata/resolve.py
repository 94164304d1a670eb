# ruff: noqa: E501 - word tables, patterns and SQL are easier to check unbroken
"""From a name in its context to a place, with score, reasons, runner-up and doubt.

Rules, no learned weights: each candidate collects points for what speaks for it, in the order of
``docs``' section on places: the container that was named with it, the countries of the report, the regions, the company
of other places, the kind that the words ask for, the way the name matched, and last the population. The weights stand in
one table below. A choice that is close stays marked as ambiguous; a namesake far from everything named is no answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache
from types import MappingProxyType

import shapely

from geodata.boundaries import get_area
from geodata.countries import load_country_table
from geodata.distance import distance_km
from geodata.errors import BoundaryNotFound
from geodata.gazetteer import Gazetteer
from geodata.names import fold, strip_type_words
from geodata.place import Candidate, Place, Resolution
from geodata.regions import parse_direction, resolve_compass

__all__ = ["AMBIGUOUS_MARGIN", "NO_CONTEXT", "Context", "contradicts", "resolve_name", "share_prior"]

AMBIGUOUS_MARGIN = 0.75
"""A runner-up that is fewer points behind than this leaves the choice to a person."""

_NAMED = 0.8  # less weight than this, and the report cannot be said to play in a country
_FAMOUS = 300_000  # people; a city of this size may be meant in any report
_NEAR_BORDER_DEGREES = 0.7  # about 60 km: towns across the border belong to the story
_CANDIDATES = 400  # of the most common names only the most populous bearers are weighed

_MATCH_POINTS = {
    "user": 6.0,  # what people wrote into their own table goes before any size: a city of a million has 6
    "curated": 0.5,
    "primary": 0.3,
    "folded": 0.2,
    "alternate": -0.3,
    "stripped": -0.6,
    "article": -0.2,
    "historic": -2.5,
}
_MATCH_WORDS = {
    "alternate": "an alternate spelling",
    "article": "the same name with another article",
    "historic": "an old name of it",
    "stripped": "the area's name without the word for its kind",
    "user": "in your own table of places",
}
_OWN_NAME = frozenset({"primary", "curated", "folded", "user"})
_KIND_POINTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "region": {"admin1": 4.0, "macro_region": 3.0, "admin2": 2.5, "settlement": -4.0, "site": -4.0, "water": 2.0},
        "district": {
            "admin2": 4.5,
            "admin1": 1.0,
            "macro_region": 0.0,
            "settlement": -3.5,
            "site": -4.0,
            "country": -3.0,
        },
        "settlement": {
            "settlement": 2.5,
            "site": 2.5,
            "admin1": -3.0,
            "admin2": -3.0,
            "macro_region": -3.0,
            "country": -4.0,
        },
        "country": {"country": 5.0, "macro_region": 1.0},
    }
)
_DISTRICT_WORD = re.compile(
    r"\b(?:district|raion|rayon|county|cercle|woreda|municipality|township|tehsil|caza|subdivision|borough|район\w*)\b",
    re.IGNORECASE,
)
_COMPASS = re.compile(
    r"^(?P<way>(?:the )?(?:far |extreme )?(?:north|south|east|west|central|centre|center)\w*(?:[\s-](?:east|west)\w*)?(?: part)?(?: of)?(?: the)?)\s+(?P<area>.+)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about where a report plays.

    Attributes
    ----------
    countries : mapping of str to float
        ISO 3166-1 alpha-2 codes of the countries the report names, with weights (counts will do).
    admin1 : mapping of str to float
        GeoNames codes (``UA.05``) of first-level areas it names, with weights.
    near : tuple of (lat, lon)
        Points, in degrees, of places in it that are already sure.
    """

    countries: Mapping[str, float] = field(default_factory=dict)
    admin1: Mapping[str, float] = field(default_factory=dict)
    near: tuple[tuple[float, float], ...] = ()


NO_CONTEXT = Context()


def resolve_name(
    name: str,
    *,
    gazetteer: Gazetteer,
    context: Context | None = None,
    kind_hint: str | None = None,
    container: Place | None = None,
) -> Resolution:
    """Resolve a name to a place, or say why not.

    Parameters
    ----------
    name : str
        As the report wrote it: ``Lyman``, ``Donetsk region``, ``eastern Ukraine``.
    gazetteer : Gazetteer
        The place index.
    context : Context, optional
        Where the report plays.
    kind_hint : {"region", "district", "settlement", "country"}, optional
        What the words around the name ask for. A kind word within the name ("Kherson region") counts as such a hint.
    container : Place, optional
        The area named with it, as in "Bucha, Kyiv region".

    Returns
    -------
    Resolution
        `best` is None when nothing is known, or when only namesakes are known where the report does not play.
        Scores of candidates are shares of belief that sum to at most 1.
    """
    context = context or NO_CONTEXT
    written = " ".join(name.split())
    found, hint = _gather(written, gazetteer=gazetteer, kind_hint=kind_hint)
    if not found:
        compass = _try_compass(written, gazetteer=gazetteer, context=context)
        if compass is not None:
            return compass
        return Resolution(written, None, (), ambiguous=False, reason=f"No place called {written} is known.")
    shared = frozenset(c.place.country for c in found if c.place.kind == "country")
    # a region that bears the name keeps an old name of its town alive: Kirovohrad, Dnipropetrovsk
    areas = frozenset(c.place.admin1_code for c in found if c.place.kind == "admin1")
    total = sum(context.countries.values()), sum(context.admin1.values())
    # in the table of macro-regions because reports mean it by the bare name: Gaza is no province of Mozambique
    macro = any(c.place.kind == "macro_region" and c.match_kind in _OWN_NAME for c in found)
    towned = frozenset(
        c.place.admin1_code for c in found if c.place.kind == "settlement" and c.place.population > 5_000
    )
    # a city of just this name: those that bear it in some other spelling only are not meant (Cancun is not Changchun)
    rivalled = any(c.match_kind in _OWN_NAME and c.place.population > 50_000 for c in found)
    weighed = [
        _weigh(
            candidate,
            context=context,
            total=total,
            hint=hint,
            container=container,
            namesake_countries=shared,
            namesake_areas=areas,
            towned=towned,
            rivalled=rivalled,
            macro=macro,
        )
        for candidate in found
    ]
    weighed.sort(key=lambda pair: (-pair[0], -pair[1].place.population, pair[1].place.geonameid or 0))
    candidates = _share(weighed)
    best, points = candidates[0], weighed[0][0]
    objection = _find_objection(best, points, context=context, container=container)
    if objection:
        return Resolution(written, None, candidates, ambiguous=False, reason=objection)
    rival = next((i for i, c in enumerate(candidates[1:], 1) if not _is_same(best.place, c.place)), None)
    ambiguous = rival is not None and points - weighed[rival][0] < AMBIGUOUS_MARGIN
    return Resolution(
        written, best, candidates, ambiguous=ambiguous, reason=_explain(candidates, rival, ambiguous=ambiguous)
    )


def share_prior(
    name: str, *, gazetteer: Gazetteer, kind_hint: str | None = None, limit: int = 40
) -> list[tuple[float, Place]]:
    """Share one vote among the places a name may mean, before any context.

    Returns
    -------
    list of (share, Place)
        At most `limit`, best first; shares sum to at most 1. Empty where the name is unknown.
    """
    found, hint = _gather(" ".join(name.split()), gazetteer=gazetteer, kind_hint=kind_hint)
    points = _KIND_POINTS.get(hint or "", {})
    weighed = sorted(
        (
            (
                _get_prior(c.place) + _MATCH_POINTS.get(c.match_kind, 0.0) + points.get(c.place.kind, 0.0),
                -(c.place.geonameid or 0),
                c.place,
            )
            for c in found
        ),
        key=lambda item: item[:2],
        reverse=True,
    )
    if not weighed:
        return []
    beliefs = [math.exp(item[0] - weighed[0][0]) for item in weighed]
    total = sum(beliefs)
    return [(belief / total, item[2]) for belief, item in zip(beliefs[:limit], weighed[:limit], strict=True)]


def _gather(name: str, *, gazetteer: Gazetteer, kind_hint: str | None) -> tuple[list[Candidate], str | None]:
    """Collect candidates of the name, and of the name without the word for its kind."""
    found = list(gazetteer.find(name)[:_CANDIDATES])
    hint = kind_hint
    plain = strip_type_words(fold(name))
    if plain:
        asked = hint or ("district" if _DISTRICT_WORD.search(name) else "region")
        known = {id_ for c in found if (id_ := c.place.geonameid)}
        if not any(c.place.kind in {"admin1", "admin2", "macro_region", "country"} for c in found) or (
            hint is None and _DISTRICT_WORD.search(name)
        ):
            hint = asked
        if not found or hint:
            areas = [c for c in gazetteer.find(plain) if c.place.kind in {"admin1", "admin2", "macro_region"}]
            found += [c for c in areas if c.place.geonameid not in known][:_CANDIDATES]
    return found, hint


def _try_compass(name: str, *, gazetteer: Gazetteer, context: Context) -> Resolution | None:
    match = _COMPASS.match(name)
    direction = parse_direction(match["way"]) if match else None
    if match is None or direction is None:
        return None
    inner = resolve_name(match["area"], gazetteer=gazetteer, context=context)
    areas = [c for c in inner.candidates if c.place.kind in {"country", "macro_region", "admin1", "admin2"}]
    if inner.best is None or not areas:
        return None
    # "southern Gaza" is the south of the area, also where the bare name would be the town
    for candidate in areas:
        part = resolve_compass(direction, candidate.place)
        if part is not None:
            part = replace(part, matched_name=name)
            return Resolution(name, part, (part,), ambiguous=False, reason=f"{name}: {part.reasons[0]}.")
    return None


def _get_likeness(candidate: Candidate) -> float:
    """Measure how much an alternate name shares with the current one, 0 to 1; 1 in other scripts, which are not judged.

    Unlike names are old or exotic ("Oleksandrivka" once was a part of Donetsk), so the place's population says little.
    """
    one, other = fold(candidate.matched_name), fold(candidate.place.name)
    if not (one.isascii() and other.isascii()):
        return 1.0
    return _measure_likeness(one, other)


@lru_cache(maxsize=16384)
def _measure_likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _weigh(
    candidate: Candidate,
    *,
    context: Context,
    total: tuple[float, float],
    hint: str | None,
    container: Place | None,
    namesake_countries: frozenset[str | None],
    namesake_areas: frozenset[str | None],
    towned: frozenset[str | None],
    rivalled: bool,
    macro: bool,
) -> tuple[float, Candidate]:
    place = candidate.place
    points = _get_prior(place) + _MATCH_POINTS.get(candidate.match_kind, 0.0)
    reasons: list[str] = []
    if candidate.match_kind == "alternate" and place.kind == "settlement" and place.admin1_code not in namesake_areas:
        likeness = _get_likeness(candidate)
        points -= 1.5 if likeness < 0.5 or (rivalled and likeness < 0.9) else 0.8 if likeness < 0.8 else 0.0
    if place.kind == "admin2" and candidate.match_kind in _OWN_NAME and place.population > 300_000:
        points += 1.5  # a county that is spoken of without the word: Kent, Norfolk
    if place.lat is None:
        points -= 3.0  # nothing to show
    if namesake_countries and place.kind in {"settlement", "admin2", "site"}:
        points -= 1.5
    if place.kind == "admin1" and candidate.match_kind in _OWN_NAME and place.admin1_code not in towned and not macro:
        points += 1.6  # no town of it bears the name: California, Oregon, Alberta
    if candidate.match_kind in _MATCH_WORDS:
        reasons.append(f"{candidate.matched_name} is {_MATCH_WORDS[candidate.match_kind]}")
    foreign = bool(namesake_countries) and place.country not in namesake_countries
    if foreign and place.kind == "admin1" and _get_country_share(place, context, total) >= 0.5:
        points += 4.0  # Georgia in a report from the United States
    if hint:
        change = _KIND_POINTS.get(hint, {}).get(place.kind, 0.0)
        points += change
        if change > 0:
            reasons.append(f"the words ask for a {hint}")
    for part in (
        _weigh_container(place, container),
        _weigh_country(place, context, total, is_own=candidate.match_kind in _OWN_NAME),
        _weigh_company(place, context),
    ):
        points += part[0]
        if part[1]:
            reasons.append(part[1])
    if place.population and place.kind == "settlement":
        reasons.append(f"population {place.population:,}")
    return points, replace(candidate, reasons=tuple(reasons))


def _get_prior(place: Place) -> float:
    """Weigh the kind before the population: log10 of people for towns, fixed ranges for areas."""
    size = math.log10(max(place.population, 1))
    if place.kind == "settlement":
        return max(size, 2.3) + (0.8 if place.feature_code == "PPLC" else 0.0)
    return {
        "country": 10.0,
        "macro_region": 6.2,
        "water": 5.0,
        "admin1": 3.0 + 0.25 * size,
        # of hand: because reports name it; of a dump: one of thousands, and no more likely than a hamlet
        "site": 4.0 if place.source in {"curated", "user"} else 2.2,
        "admin2": 1.5 + 0.2 * size,
    }[place.kind]


def _get_country_share(place: Place, context: Context, total: tuple[float, float]) -> float:
    return context.countries.get(place.country or "", 0.0) / total[0] if total[0] else 0.0


def _weigh_country(place: Place, context: Context, total: tuple[float, float], *, is_own: bool) -> tuple[float, str]:
    if not context.countries or place.country is None:
        return 0.0, ""
    weight = context.countries.get(place.country, 0.0)
    share = weight / total[0] if total[0] else 0.0
    if place.kind == "country":
        return 2.2 * share - 1.2, ""
    country = load_country_table().get(place.country)
    name = country.name if country else place.country
    # a country that only some other name might lie in is hardly named
    named = min(1.0, weight / _NAMED)
    points = named * (1.5 + 1.5 * share)
    if named >= 1.0 and place.admin1_code and context.admin1.get(place.admin1_code, 0.0) > 0:
        weight = context.admin1[place.admin1_code]
        own = weight / total[1]
        return points + min(1.0, 2 * weight) * (
            1.0 + own
        ), f"in {place.admin1 or place.admin1_code}, which the report names"
    if named >= 1.0:
        return points, f"in {name}, which the report names"
    # the largest cities and capitals are named in reports about anywhere
    famous = is_own and place.kind == "settlement" and (place.population >= 1_000_000 or place.feature_code == "PPLC")
    known = min(1.0, max(context.countries.values()) / _NAMED)
    loss = known * (1.0 - named) * (-1.0 if famous else -2.5)
    return points + loss, f"in {name}, which the report does not name" if not weight else ""


def _weigh_company(place: Place, context: Context) -> tuple[float, str]:
    if not context.near or place.lat is None or place.lon is None or place.kind in {"country", "macro_region", "water"}:
        return 0.0, ""
    nearest, typical = _measure_nearest(place.lat, place.lon, context.near)
    points = 1.4 * math.exp(-nearest / 60) + 0.8 * math.exp(-typical / 250)
    if nearest > 1500:
        points -= 0.5
    return points, f"{nearest:.0f} km from another place of the report" if nearest < 300 else ""


def _measure_nearest(lat: float, lon: float, near: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """Give the distances to the nearest two points, in km: one neighbour may be chance. Flat-earth, which ranks as well."""
    wide = math.cos(math.radians(lat))
    nearest = typical = 1e9
    for y, x in near:
        dx = abs(x - lon)
        if dx > 180:
            dx = 360 - dx
        square = (y - lat) ** 2 + (dx * wide) ** 2
        if square < nearest:
            nearest, typical = square, nearest
        elif square < typical:
            typical = square
    if typical == 1e9:
        typical = nearest
    return 111.2 * math.sqrt(nearest), 111.2 * math.sqrt(typical)


def _weigh_container(place: Place, container: Place | None) -> tuple[float, str]:
    if container is None:
        return 0.0, ""
    inside = _is_inside(place, container)
    if inside is None:
        return 0.0, ""
    if inside:
        return 5.0, f"in {container.name}, named with it"
    return -6.0, f"not in {container.name}"


def _is_inside(place: Place, container: Place) -> bool | None:
    """Tell whether a place lies in an area; None where that cannot be told."""
    if container.kind == "country":
        return place.country == container.country and place.kind != "country"
    if container.country and place.country and container.country != place.country and container.kind != "macro_region":
        return False
    if container.kind == "admin1" and place.admin1_code and container.area_id == f"admin1:{place.admin1_code}":
        return True
    if container.kind == "admin1" and place.admin1_code and container.admin1_code == place.admin1_code:
        return not (container.area_id or "").startswith("compass:") or _touches(place, container)
    if container.kind == "admin2":
        return place.admin2 == container.name and place.country == container.country
    if container.kind in {"admin1", "macro_region", "water"}:
        return _touches(place, container)
    if place.lat is None or place.lon is None or container.lat is None or container.lon is None:
        return None
    return distance_km(place.lat, place.lon, container.lat, container.lon) < 60


def contradicts(place: Place, container: Place) -> bool:
    """Tell whether a place cannot be meant where `container` is named as the area that holds it."""
    return _is_inside(place, container) is False


def _touches(place: Place, area: Place) -> bool | None:
    if area.area_id is None or place.lat is None or place.lon is None:
        return None
    try:
        # simplified outlines: a place just outside is inside
        return bool(shapely.dwithin(get_area(area.area_id), shapely.Point(place.lon, place.lat), 0.05))
    except BoundaryNotFound:
        return None


def _share(weighed: list[tuple[float, Candidate]]) -> tuple[Candidate, ...]:
    """Turn points into shares of belief; a point is a factor of e."""
    top = weighed[0][0]
    beliefs = [math.exp(points - top) for points, _ in weighed]
    total = sum(beliefs) + math.exp(
        2.0 - top
    )  # something the index lacks may be meant, the more so the weaker the best
    return tuple(
        replace(candidate, score=round(belief / total, 4))
        for belief, (_, candidate) in zip(beliefs, weighed, strict=True)
    )


def _find_objection(candidate: Candidate, points: float, *, context: Context, container: Place | None) -> str:
    """Say why even the best candidate is not believable; empty when it is."""
    place, kind = candidate.place, candidate.match_kind
    country = load_country_table().get(place.country or "")
    where = country.name if country else place.country or "an unnamed place"
    if container is not None and _is_inside(place, container) is False:
        return f"No {candidate.matched_name} is known in {container.name}, only a namesake in {place.admin1 or where}."
    if not context.countries or place.kind in {"country", "macro_region", "water"}:
        return ""
    if container is not None or kind == "user" or context.countries.get(place.country or "", 0.0) >= _NAMED:
        return ""
    if max(context.countries.values()) < _NAMED:
        return ""  # nobody knows where the report plays
    famous = place.feature_code == "PPLC" or (place.population >= _FAMOUS and place.kind in {"settlement", "admin1"})
    renamed = place.population >= 1_000_000 and len(candidate.matched_name) > 4  # Bombay, Saigon, Rangoon
    if renamed or (famous and kind in {"primary", "folded", "curated"}):
        return ""
    if place.kind == "admin1" and kind in {"primary", "curated", "folded"}:
        return ""
    if points > 6.0 or _is_across_the_border(place, context):
        return ""
    return f"Only a namesake in {where} is known, and the report does not play there."


def _is_across_the_border(place: Place, context: Context) -> bool:
    if place.lat is None or place.lon is None:
        return False
    if any(distance_km(place.lat, place.lon, lat, lon) < 100 for lat, lon in context.near):
        return True
    point = shapely.Point(place.lon, place.lat)
    for code in sorted(c for c, weight in context.countries.items() if weight >= _NAMED):
        try:
            if shapely.dwithin(get_area(f"country:{code}"), point, _NEAR_BORDER_DEGREES):
                return True
        except BoundaryNotFound:
            continue
    return False


def _is_same(one: Place, other: Place) -> bool:
    """Tell whether two entries are one place for a reader: a town and its own district, two entries of one spot."""
    if one.geonameid and one.geonameid == other.geonameid:
        return True
    if one.country != other.country or one.country is None:
        return False
    kinds = {one.kind, other.kind}
    if kinds & {"country", "macro_region"} and len(kinds) > 1:
        return True  # Gaza City and the Gaza Strip: the wider reading holds the narrower
    if kinds & {"admin1", "admin2"} and one.admin1_code == other.admin1_code:
        return True  # a town and the area of its name: the words, not the doubt, decide between them
    if one.lat is None or other.lat is None or one.lon is None or other.lon is None:
        return False
    return distance_km(one.lat, one.lon, other.lat, other.lon) < (15 if len(kinds) > 1 else 5)


def _explain(candidates: tuple[Candidate, ...], rival: int | None, *, ambiguous: bool) -> str:
    best = candidates[0]
    where = ", ".join(dict.fromkeys(p for p in (best.place.name, best.place.admin1, best.place.country) if p))
    why = f" ({'; '.join(best.reasons)})" if best.reasons else ""
    if rival is None:
        return f"{where}{why}."
    other = candidates[rival].place
    namesake = ", ".join(dict.fromkeys(p for p in (other.name, other.admin1, other.country) if p))
    if ambiguous:
        return f"{where}{why}; but it may also be {namesake}. Please choose."
    return f"{where}{why}; less likely {namesake}."
