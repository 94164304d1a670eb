"""Raw mentions -> resolved places, and how two places lie to each other.

One document is one context: the countries it names, the areas it names, and the places that need no context decide
the ambiguous ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from geodata.countries import find_country, find_demonym
from geodata.distance import distance_km
from geodata.gazetteer import Gazetteer
from geodata.names import fold
from geodata.place import Candidate, Place, Resolution
from geodata.regions import resolve_compass
from geodata.resolve import Context, contradicts, resolve_name, share_prior
from geodata.settled import Settled, apply_settled
from incidents.reading.records import Mention
from incidents.reading.toponyms import RawMention

__all__ = ["Located", "locate_mentions", "relate"]


@dataclass(frozen=True, slots=True)
class Located:
    """A mention with its place.

    `container` is the mention of the area said to hold it, if any. Where only a part is meant ("southern X"),
    `resolution` is the part and `whole` is what the bare name means.
    """

    raw: RawMention
    resolution: Resolution
    container: Located | None = None
    whole: Resolution | None = None

    @property
    def place(self) -> Place | None:
        """The best reading's place."""
        return self.resolution.best.place if self.resolution.best else None

    @property
    def is_coarse(self) -> bool:
        """True for regions and anything larger."""
        return self.place is not None and self.place.kind in {"country", "admin1", "macro_region", "water"}

    @property
    def rank(self) -> float:
        """Fineness: 3 settlement or finer (unlisted villages too), 2 district, 1 region, 0.5 macro-region, 0 country."""
        if self.raw.kind == "unlisted":
            return {"region": 1, "district": 2}.get(self.raw.hint or "", 3)
        if self.place is None:
            return {"region": 1, "district": 2}.get(self.raw.hint or "", 3)
        return {"country": 0, "water": 0, "macro_region": 0.5, "admin1": 1, "admin2": 2}.get(self.place.kind, 3)

    @property
    def admin1(self) -> str | None:
        """GeoNames code of the region it lies in, by its own place or its container's."""
        if self.place is not None and self.place.admin1_code:
            return self.place.admin1_code
        return self.container.admin1 if self.container else None

    @property
    def country(self) -> str | None:
        """ISO code of the country it lies in."""
        if self.place is not None and self.place.country:
            return self.place.country
        return self.container.country if self.container else None

    def to_mention(self, start: int, end: int, text: str, *, whole: bool = False) -> Mention:
        """Return the public record, with offsets into the report's text.

        With `whole`, the record is of the bare name: "Gaza" in "northern Gaza" is Gaza.
        """
        resolution = (self.whole if whole else None) or self.resolution
        kind = self.raw.kind
        if kind in {"name", "country"}:
            kind = resolution.best.place.kind if resolution.best is not None else "unlisted"
        return Mention(start, end, text, kind, self.raw.literal, resolution)


_VOTE = 0.5  # what a name that might lie in a country says for it, against 1 for naming the country
_NEAR = 40  # points of company that are weighed at most
_FAMOUS = 100_000  # people; such a city is meant although an area was named beside it in which there is none


@dataclass(slots=True)
class _Name:
    """What one name of the document, under one hint, says about where the document plays."""

    text: str
    hint: str | None
    count: int = 0
    countries: dict[str, float] = field(default_factory=dict)
    admin1: dict[str, float] = field(default_factory=dict)
    point: tuple[float, float] | None = None
    resolution: Resolution | None = None
    fixed: bool = False


class _Document:
    """The names of one document, and the context that each of them finds: that of all the others."""

    def __init__(  # noqa: C901 - independent rules, one after the other
        self,
        mentions: Sequence[RawMention],
        gazetteer: Gazetteer,
        hints: Mapping[str, float],
        chosen: Mapping[tuple[str, str | None], Resolution],
    ) -> None:
        self.gazetteer = gazetteer
        self.chosen = chosen
        self.names: dict[tuple[str, str | None], _Name] = {}
        self.kin: dict[str, list[_Name]] = {}
        self.countries: defaultdict[str, float] = defaultdict(float, hints)
        self.admin1: defaultdict[str, float] = defaultdict(float)
        self.given = dict(hints)
        for mention in mentions:
            if mention.kind == "unlisted":
                continue
            key = self.make_key(mention)
            name = self.names.get(key)
            if name is None:
                name = self.names[key] = _Name(*key)
                self.kin.setdefault(_get_stem(mention.text), []).append(name)
                state = get_state(mention, gazetteer)
                if key in chosen:
                    self._fix(name, chosen[key])
                elif state is not None:
                    candidate = Candidate(state, mention.text, "curated", 0.95, ("a usual abbreviation",))
                    reason = f"{state.name}, {state.country} (a usual abbreviation)."
                    name.resolution = Resolution(mention.text, candidate, (candidate,), ambiguous=False, reason=reason)
                    name.fixed = True
                    name.countries[state.country or ""] = 1.0
                    name.admin1[state.admin1_code or ""] = 1.0
                elif "quarter" in mention.notes:
                    name.fixed = True  # Kirov district says nothing about where the city lies
                elif mention.kind == "name":
                    self._vote(name)
            name.count += 1
            if mention.kind == "country" and key not in chosen:
                for country in find_country(mention.text)[:1]:
                    name.countries[country.iso2] = name.countries.get(country.iso2, 0.0) + 1.0
            elif mention.kind == "demonym":
                found = find_demonym(mention.text)
                if len(found) == 1:
                    name.countries[found[0].iso2] = name.countries.get(found[0].iso2, 0.0) + 0.6
        for name in self.names.values():
            for whole, own in ((self.countries, name.countries), (self.admin1, name.admin1)):
                for code, weight in own.items():
                    whole[code] += weight

    def _fix(self, name: _Name, resolution: Resolution) -> None:
        """Give a name the place that a person settled, and let it speak for its surroundings."""
        name.resolution, name.fixed = resolution, True
        place = resolution.best.place if resolution.best else None
        if place is None:
            return
        if place.country:
            name.countries[place.country] = 1.0
        if place.admin1_code:
            name.admin1[place.admin1_code] = 1.0
        if place.lat is not None and place.lon is not None and place.kind in {"settlement", "site", "admin2"}:
            name.point = (place.lat, place.lon)

    def make_key(self, mention: RawMention) -> tuple[str, str | None]:
        return mention.text, self.get_hint(mention)

    def get_hint(self, mention: RawMention) -> str | None:
        if mention.kind in {"country", "demonym"}:
            return "country"
        if mention.hint is None and any(c.place.kind == "macro_region" for c in self.gazetteer.find(mention.text)):
            # Bare "Gaza" or "Darfur" is the region; the town is "Gaza City".
            return "region"
        return mention.hint

    def _vote(self, name: _Name) -> None:
        for share, place in share_prior(name.text, gazetteer=self.gazetteer, kind_hint=name.hint):
            if place.country and place.kind != "country":
                name.countries[place.country] = name.countries.get(place.country, 0.0) + _VOTE * share
                if place.admin1_code:
                    name.admin1[place.admin1_code] = name.admin1.get(place.admin1_code, 0.0) + share

    def make_context(self, name: _Name | None) -> Context:
        """Give the context that all other names make for one."""
        countries, admin1 = dict(self.countries), dict(self.admin1)
        kin = self.kin.get(_get_stem(name.text), ()) if name is not None else ()
        for one in kin:
            for whole, own in ((countries, one.countries), (admin1, one.admin1)):
                for code, weight in own.items():
                    rest = whole.get(code, 0.0) - weight
                    if rest > 0.01:
                        whole[code] = rest
                    else:
                        whole.pop(code, None)
        points = (n.point for n in self.names.values() if n.point is not None and not any(n is one for one in kin))
        return Context(countries=countries, admin1=admin1, near=tuple(islice(points, _NEAR)))

    def settle(self) -> None:
        """Resolve every name in the company of the others, twice: the second time all have found their places."""
        for turn in range(2):
            for name in self.names.values():
                if name.hint == "country" or name.fixed:
                    continue
                name.resolution = resolve_name(
                    name.text, gazetteer=self.gazetteer, context=self.make_context(name), kind_hint=name.hint
                )
            for name in self.names.values():
                best = name.resolution.best if name.resolution else None
                if best is None or name.resolution is None or name.fixed:
                    continue
                place = best.place
                name.point = None
                if place.kind not in {"settlement", "site", "admin1", "admin2"}:
                    continue
                # what was found speaks for its area, by how sure it is
                self._revote(name, place, 1.0 if not name.resolution.ambiguous else max(best.score, 0.2))
                if (
                    (not name.resolution.ambiguous or (turn == 0 and best.score > 0.3))
                    and place.lat is not None
                    and place.lon is not None
                    and place.kind in {"settlement", "site", "admin2"}
                ):
                    name.point = (place.lat, place.lon)

    def _revote(self, name: _Name, place: Place, trust: float) -> None:
        for whole, own in ((self.countries, name.countries), (self.admin1, name.admin1)):
            for code, weight in own.items():
                whole[code] -= weight
            own.clear()
        if place.country:
            name.countries[place.country] = _VOTE * trust
            self.countries[place.country] += _VOTE * trust
        if place.admin1_code:
            name.admin1[place.admin1_code] = trust
            self.admin1[place.admin1_code] += trust


def locate_mentions(
    mentions: Sequence[RawMention],
    gazetteer: Gazetteer,
    *,
    countries: Mapping[str, float] | None = None,
    settled: Settled | None = None,
) -> list[Located]:
    """Resolve all mentions of a document in each other's company.

    Parameters
    ----------
    mentions : sequence of RawMention
        In order of appearance.
    gazetteer : Gazetteer
    countries : mapping of str to float, optional
        Country codes that are known beforehand, with weights.
    settled : mapping, optional
        Names whose place a person has settled: see `geodata.settled`.
    """
    _read_states(mentions, gazetteer)
    document = _Document(mentions, gazetteer, countries or {}, {})
    document.settle()
    if settled and (chosen := _find_chosen(mentions, document, settled)):
        document = _Document(mentions, gazetteer, countries or {}, chosen)
        document.settle()
    contexts: dict[tuple[str, str | None], Context] = {}
    memo: dict[tuple[str, str | None, str | None, str | None], Resolution] = {}
    located: list[Located | None] = [None] * len(mentions)

    def locate(k: int, depth: int = 0) -> Located:
        done = located[k]
        if done is not None:
            return done
        mention = mentions[k]
        container = None
        if mention.container is not None and mention.container != k and depth < 4:
            container = locate(mention.container, depth + 1)
        key = document.make_key(mention)
        if key not in contexts:
            contexts[key] = document.make_context(document.names.get(key))
        name = document.names.get(key)
        chosen = document.chosen.get(key)
        if chosen is not None and not _speaks_against(container, chosen):
            resolution = chosen
        elif chosen is None and name is not None and name.fixed and name.resolution is not None:
            resolution = name.resolution
        else:
            resolution = _resolve(mention, key[1], gazetteer, contexts[key], container, memo)
        if container is not None and resolution.best is None and container.place is not None:
            # "talks with X in Y": a well-known place is not doubted because of an area that was named beside it
            other = name.resolution if name is not None and chosen is None else None
            if (
                other is not None
                and other.best is not None
                and (
                    _is_well_known(other.best.place)
                    or (container.place.kind == "settlement" and mention.hint != "district")
                )
            ):
                resolution, container = other, None
        part = _narrow(mention, resolution)
        result = Located(mention, part, container, resolution if part is not resolution else None)
        located[k] = result
        return result

    found = [locate(k) for k in range(len(mentions))]
    held = {mention.container for mention in mentions}
    return [item for k, item in enumerate(found) if k in held or not _is_chance(item)]


def _find_chosen(
    mentions: Sequence[RawMention], document: _Document, settled: Settled
) -> dict[tuple[str, str | None], Resolution]:
    """Find the names of a document whose place a person has settled."""
    chosen: dict[tuple[str, str | None], Resolution] = {}
    for mention in mentions:
        key = document.make_key(mention)
        if key in chosen or mention.kind == "demonym" or fold(mention.text) not in settled:
            continue
        name = document.names.get(key)
        ruled = name.resolution if name is not None else None
        if ruled is None:
            ruled = Resolution(mention.text, None, document.gazetteer.find(mention.text), ambiguous=False, reason="")
        found = apply_settled(ruled, settled, gazetteer=document.gazetteer, kind_hint=mention.hint)
        if found is not None:
            chosen[key] = found
    return chosen


def _speaks_against(container: Located | None, chosen: Resolution) -> bool:
    area = container.place if container is not None else None
    return area is not None and chosen.best is not None and contradicts(chosen.best.place, area)


def _narrow(mention: RawMention, chosen: Resolution) -> Resolution:
    """Give the part of an area that the text names: "southern X"."""
    place = chosen.best.place if chosen.best else None
    if not mention.compass or place is None or place.kind not in {"country", "admin1", "macro_region"}:
        return chosen
    part = resolve_compass(mention.compass, place)
    if part is None:
        return chosen
    name = f"{mention.compass} {mention.text}"
    return Resolution(name, part, (part,), ambiguous=False, reason="; ".join(part.reasons) or name)


def _is_chance(item: Located) -> bool:
    """Tell whether a name is likely no place at all: only far namesakes are known, and no word around it asks for a place."""
    raw = item.raw
    return (
        raw.kind == "name"
        and item.place is None
        and not (raw.locative or raw.hint or raw.dateline or raw.detail)
        and raw.container is None
    )


def _get_stem(text: str) -> str:
    """Give the name under which "Dublin" and "Dublin City" are no company for each other."""
    stem = fold(text)
    for word in (" city", " county", " town", " state"):
        stem = stem.removesuffix(word)
    return stem


def get_state(mention: RawMention, gazetteer: Gazetteer) -> Place | None:
    """Give the state that an abbreviation such as "Ky." stands for; None for other mentions."""
    for note in mention.notes:
        if note.startswith("abbreviation: "):
            return gazetteer.get_place(int(note.removeprefix("abbreviation: ")))
    return None


def _is_well_known(place: Place) -> bool:
    return (
        place.kind in {"country", "admin1", "macro_region", "water"}
        or place.feature_code == "PPLC"
        or place.population >= _FAMOUS
    )


def _read_states(mentions: Sequence[RawMention], gazetteer: Gazetteer) -> None:
    """Read a name as the state where its company says so.

    "Buffalo, New York": a state of the second name holds a town of the first. "Texas, New York and Ohio": its
    neighbours in the list are states that no town shares the name with.
    """

    def find_states(mention: RawMention) -> set[str | None]:
        if mention.kind != "name" or mention.hint is not None:
            return set()
        return {
            c.place.admin1_code
            for c in gazetteer.find(mention.text)
            if c.place.kind == "admin1" and c.match_kind in {"primary", "curated", "folded", "alternate"}
        }

    for mention in mentions:
        if mention.container is None:
            continue
        area = mentions[mention.container]
        states = find_states(area) if area.text != mention.text else set()
        if states and any(
            c.place.admin1_code in states and c.place.kind in {"settlement", "admin2", "site"}
            for c in gazetteer.find(mention.text)
        ):
            area.hint = "region"
    run: list[RawMention] = []
    for k, mention in enumerate(mentions):
        following = mentions[k + 1] if k + 1 < len(mentions) else None
        run.append(mention)
        gap = following.start - mention.end if following is not None else 99
        if following is not None and following.sentence == mention.sentence and gap <= 6:
            continue
        if len(run) >= 3:
            states_of = [find_states(m) for m in run]
            sure = sum(
                bool(states) and max(gazetteer.find(m.text), key=_get_weight).place.kind == "admin1"
                for m, states in zip(run, states_of, strict=True)
            )
            for m, states in zip(run, states_of, strict=True):
                if states and sure >= 2 and 2 * sure >= len(run):
                    m.hint = "region"
        run = []


def _get_weight(candidate: Candidate) -> int:
    """Weigh bearers of a name by size; a state's people live all over it."""
    return candidate.place.population // (10 if candidate.place.kind == "admin1" else 1)


def _resolve(
    mention: RawMention,
    hint: str | None,
    gazetteer: Gazetteer,
    context: Context,
    container: Located | None,
    memo: dict[tuple[str, str | None, str | None, str | None], Resolution],
) -> Resolution:
    if mention.kind == "demonym":
        found = find_demonym(mention.text)
        name = found[0].name if found else mention.text
        return resolve_name(name, gazetteer=gazetteer, context=context, kind_hint="country")
    if mention.kind == "unlisted":
        return Resolution(
            mention.text, None, (), ambiguous=False, reason=f"No place called {mention.text} is in the index."
        )
    inside = container.place if container is not None else None
    key = (mention.text, hint, inside.area_id or inside.name if inside else None, mention.compass)
    if key in memo:
        return memo[key]
    if hint == "country":
        hint = _read_country_hint(mention.text, gazetteer, context)
    resolution = resolve_name(mention.text, gazetteer=gazetteer, context=context, kind_hint=hint, container=inside)
    place = resolution.best.place if resolution.best else None
    if mention.hint == "district" and place is not None and place.kind == "admin1":
        reason = f"No district called {mention.text} is known; {place.name} is a region."
        resolution, place = Resolution(mention.text, None, resolution.candidates, ambiguous=False, reason=reason), None
    if "quarter" in mention.notes and not _is_near(place, context):
        reason = f"{mention.text} is a district of a city that the index does not know by its districts."
        resolution, place = Resolution(mention.text, None, resolution.candidates, ambiguous=False, reason=reason), None
    memo[key] = resolution
    return resolution


def _is_near(place: Place | None, context: Context) -> bool:
    if place is None or place.lat is None or place.lon is None or place.kind == "admin1":
        return False
    return any(distance_km(place.lat, place.lon, lat, lon) < 40 for lat, lon in context.near)


def _read_country_hint(text: str, gazetteer: Gazetteer, context: Context) -> str | None:
    """Tell whether a country's name may be another place's here: Georgia or Palestine in a local report of the United States.

    A state of that name asks for a report that plays in its country; a town, for one that plays in its state.
    """
    total, areas = sum(context.countries.values()), sum(context.admin1.values())
    countries = {c.iso2 for c in find_country(text)}
    if not total or any(context.countries.get(code, 0.0) >= 0.3 for code in countries):
        return "country"
    for candidate in gazetteer.find(text):
        place = candidate.place
        if place.country in countries or context.countries.get(place.country or "", 0.0) < 0.6 * total:
            continue
        if place.kind == "admin1":
            return None
        if place.kind == "settlement" and candidate.match_kind in {"primary", "folded"}:
            weight = context.admin1.get(place.admin1_code or "", 0.0)
            if weight >= 1.5 and weight >= 0.3 * areas:
                return "settlement"
    return "country"


def relate(a: Located, b: Located) -> str:
    """Tell how place `b` lies to place `a`: ``same``, ``inside`` (b in a), ``contains`` (a in b), ``apart``."""
    pa, pb = a.place, b.place
    if a.raw.text.casefold() == b.raw.text.casefold() and (a.rank == b.rank or pa == pb):
        return "same"
    if pa is not None and pb is not None:
        if pa.geonameid is not None and pa.geonameid == pb.geonameid:
            return "same"
        if pa.area_id is not None and pa.area_id == pb.area_id:
            return "same"
    if _holds(a, b):
        return "inside"
    if _holds(b, a):
        return "contains"
    if pa is not None and pb is not None and pa.lat is not None and pb.lat is not None and a.rank == 3 == b.rank:
        km = distance_km(pa.lat, pa.lon or 0.0, pb.lat, pb.lon or 0.0)
        return "same" if km < 3 else "apart"
    return "apart"


def _holds(a: Located, b: Located) -> bool:  # noqa: PLR0911 - independent rules, one after the other
    """Tell whether area `a` holds place `b`."""
    container = b.container
    while container is not None:
        if (
            container is a
            or (container.place is not None and container.place == a.place)
            or container.raw.text == a.raw.text
        ):
            return True
        container = container.container
    pa = a.place
    if pa is None or b.rank <= a.rank:
        return False
    last = b
    while last.container is not None:
        last = last.container
    if b.place is None and last.place is None and a.rank < 3:
        return True  # an unlisted village without an area of its own lies where the report is about
    if pa.kind == "country":
        return b.country is not None and b.country == pa.country
    if pa.kind == "admin1":
        return b.admin1 is not None and b.admin1 == pa.admin1_code
    if pa.kind == "macro_region":
        if b.place is not None and b.place.lat is not None and pa.lat is not None:
            return b.country == pa.country and distance_km(pa.lat, pa.lon or 0.0, b.place.lat, b.place.lon or 0.0) < 450
        return b.country is not None and b.country == pa.country
    if pa.kind == "admin2" and b.place is not None and b.place.lat is not None and pa.lat is not None:
        return (b.place.admin2 is not None and b.place.admin2 == pa.name) or distance_km(
            pa.lat, pa.lon or 0.0, b.place.lat, b.place.lon or 0.0
        ) < 40
    return False
