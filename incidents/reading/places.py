"""Raw mentions -> resolved places, and how two places lie to each other.

One document is one context: the countries it names, the areas it names, and the places that need no context decide
the ambiguous ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geodata.countries import find_country, find_demonym
from geodata.distance import distance_km
from geodata.gazetteer import Gazetteer
from geodata.place import Place, Resolution
from geodata.resolve import Context, resolve_compass, resolve_name
from incidents.reading.records import Mention
from incidents.reading.toponyms import RawMention

__all__ = ["Located", "locate_mentions", "relate"]


@dataclass(frozen=True, slots=True)
class Located:
    """A mention with its place.

    `container` is the mention of the area said to hold it, if any.
    """

    raw: RawMention
    resolution: Resolution
    container: Located | None = None

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

    def to_mention(self, start: int, end: int, text: str) -> Mention:
        """Return the public record, with offsets into the report's text."""
        kind = self.raw.kind
        if kind in {"name", "country"}:
            kind = self.place.kind if self.place is not None else "unlisted"
        return Mention(start, end, text, kind, self.raw.literal, self.resolution)


def _count_countries(mentions: Sequence[RawMention], hints: Mapping[str, float]) -> Counter[str]:
    weights: Counter[str] = Counter()
    for code, weight in hints.items():
        weights[code] += weight
    for mention in mentions:
        if mention.kind == "country":
            for country in find_country(mention.text)[:1]:
                weights[country.iso2] += 1.0
        elif mention.kind == "demonym":
            found = find_demonym(mention.text)
            if len(found) == 1:
                weights[found[0].iso2] += 0.6
    return weights


def _hint(mention: RawMention, gazetteer: Gazetteer) -> str | None:
    if mention.kind == "country":
        return "country"
    if mention.hint is None and any(c.place.kind == "macro_region" for c in gazetteer.find(mention.text)):
        # Bare "Gaza" or "Darfur" is the region; the town is "Gaza City".
        return "region"
    return mention.hint


def locate_mentions(
    mentions: Sequence[RawMention], gazetteer: Gazetteer, *, countries: Mapping[str, float] | None = None
) -> list[Located]:
    """Resolve all mentions of a document in each other's company.

    Parameters
    ----------
    mentions : sequence of RawMention
        In order of appearance.
    gazetteer : Gazetteer
    countries : mapping of str to float, optional
        Country codes that are known beforehand, with weights.
    """
    weights = _count_countries(mentions, countries or {})
    near: list[tuple[float, float]] = []
    admin1: Counter[str] = Counter()
    first = Context(countries=dict(weights), admin1={}, near=())
    # First pass: what needs no company (areas, and names that only one believable place bears).
    known: dict[tuple[str, str | None], Resolution] = {}
    for mention in mentions:
        if mention.kind in {"demonym", "unlisted"}:
            continue
        key = (mention.text, _hint(mention, gazetteer))
        if key in known:
            continue
        resolution = resolve_name(mention.text, gazetteer=gazetteer, context=first, kind_hint=key[1])
        known[key] = resolution
        place = resolution.best.place if resolution.best and not resolution.ambiguous else None
        if place is None:
            continue
        if place.kind == "admin1" and place.admin1_code:
            admin1[place.admin1_code] += 1
        elif place.kind in {"settlement", "site"} and place.lat is not None and place.lon is not None:
            near.append((place.lat, place.lon))
            if place.admin1_code:
                admin1[place.admin1_code] += 0.3
            if place.country and not weights.get(place.country) and place.population > 50_000:
                weights[place.country] += 0.3
    context = Context(countries=dict(weights), admin1=dict(admin1), near=tuple(near[:40]))
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
        resolution = _resolve(mention, gazetteer, context, container, memo)
        result = Located(mention, resolution, container)
        located[k] = result
        return result

    return [locate(k) for k in range(len(mentions))]


def _resolve(
    mention: RawMention,
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
    key = (mention.text, _hint(mention, gazetteer), inside.area_id or inside.name if inside else None, mention.compass)
    if key in memo:
        return memo[key]
    resolution = resolve_name(mention.text, gazetteer=gazetteer, context=context, kind_hint=key[1], container=inside)
    place = resolution.best.place if resolution.best else None
    if mention.hint == "district" and place is not None and place.kind == "admin1":
        reason = f"No district called {mention.text} is known; {place.name} is a region."
        resolution, place = Resolution(mention.text, None, resolution.candidates, ambiguous=False, reason=reason), None
    if mention.compass and place is not None and place.kind in {"country", "admin1", "macro_region"}:
        part = resolve_compass(mention.compass, place)
        if part is not None:
            name = f"{mention.compass} {mention.text}"
            resolution = Resolution(name, part, (part,), ambiguous=False, reason="; ".join(part.reasons) or name)
    memo[key] = resolution
    return resolution


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


def _holds(a: Located, b: Located) -> bool:
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
