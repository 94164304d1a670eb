"""Places in doubt: which names of which reports, and what each may mean. Pure: no widgets here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import geopandas as gpd

from geodata.distance import distance_km
from geodata.gazetteer import Gazetteer
from geodata.names import fold
from geodata.place import Place, Resolution
from geodata.resolve import Context, resolve_name
from geodata.settled import Settled
from incidents.dashboard.controls import get_country_name
from incidents.map import MapPlace
from incidents.reading import Reader
from incidents.report import Report
from incidents.settled import find_unsettled
from incidents.words import to_optional

__all__ = ["Doubt", "Meaning", "Meanings", "find_meanings", "list_doubts", "make_map_places"]

_FINE = frozenset({"settlement", "site", "admin2"})


@dataclass(frozen=True, slots=True)
class Doubt:
    """A name in one report whose place is in doubt, with the incidents that happened there."""

    report_id: str
    name: str
    incident_ids: tuple[str, ...]
    title: str
    evidence: str
    evidence_start: int | None
    evidence_end: int | None
    reason: str
    country: str | None
    geonameid: int | None


@dataclass(frozen=True, slots=True)
class Meaning:
    """One place that the name may mean.

    `company` is the nearest other place of the report with its distance in km, where there is one.
    """

    number: int
    place: Place
    reasons: tuple[str, ...]
    company: tuple[float, str] | None = None

    def describe(self) -> str:
        """Return where it lies: "Kramatorskyi Raion, Donetsk, Ukraine"."""
        place = self.place
        country = get_country_name(place.country) if place.country else None
        return ", ".join(dict.fromkeys(p for p in (place.admin2, place.admin1, country) if p)) or "area not known"

    def describe_facts(self) -> str:
        """Return its kind, people, and distance to the report's other places."""
        kind = self.place.kind.replace("_", " ")
        facts = [kind, f"{self.place.population:,} people" if self.place.population else "people not known"]
        if self.place.lat is None:
            facts.append("no point known")
        if self.company is not None:
            facts.append(f"{self.company[0]:,.0f} km from {self.company[1]}")
        return " · ".join(facts)


@dataclass(frozen=True, slots=True)
class Meanings:
    """All that a name may mean, best first, and the other places of its report."""

    meanings: tuple[Meaning, ...]
    company: tuple[Place, ...]


def list_doubts(frame: gpd.GeoDataFrame) -> list[Doubt]:
    """Return the names in doubt, one entry a name and report, in the order of the frame."""
    found: dict[tuple[str, str], Doubt] = {}
    for row in find_unsettled(frame).to_dict("records"):
        name = str(row["place_name"])
        for report_id in row["report_ids"]:
            earlier = found.get((report_id, fold(name)))
            ids = (*(earlier.incident_ids if earlier else ()), str(row["incident_id"]))
            start, end, gid = (to_optional(row[k]) for k in ("evidence_start", "evidence_end", "geonameid"))
            found[report_id, fold(name)] = Doubt(
                report_id,
                earlier.name if earlier else name,
                ids,
                earlier.title if earlier else str(row["title"]),
                earlier.evidence if earlier else str(to_optional(row["evidence"]) or ""),
                earlier.evidence_start if earlier else start,
                earlier.evidence_end if earlier else end,
                earlier.reason if earlier else str(to_optional(row["location_reason"]) or ""),
                earlier.country if earlier else to_optional(row["country"]),
                earlier.geonameid if earlier else gid,
            )
    return list(found.values())


def find_meanings(
    doubt: Doubt,
    report: Report | None,
    *,
    gazetteer: Gazetteer,
    frame: gpd.GeoDataFrame,
    settled: Settled | None = None,
) -> Meanings:
    """Find what a name in doubt may mean, in the company of its report's other places.

    Parameters
    ----------
    doubt : Doubt
    report : Report or None
        Its text is read again, for the names in it that are no incidents.
    gazetteer : Gazetteer
    frame : GeoDataFrame
        The book: the other incidents of a report without a text are its company.
    settled : mapping, optional
        The book's choices.
    """
    found: Resolution | None = None
    company: list[Place] = []
    if report is not None and report.text.strip():
        mentions = Reader.load(gazetteer=gazetteer, use_model=False).read(report, settled=settled).mentions
        own = [m for m in mentions if fold(m.text) == fold(doubt.name)]
        start, end = doubt.evidence_start or 0, doubt.evidence_end or len(report.text)
        here = next((m for m in own if start <= m.start < end), own[0] if own else None)
        found = here.resolution if here else None
        company = [
            m.resolution.best.place
            for m in mentions
            if m not in own and m.resolution.best is not None and not m.resolution.ambiguous
        ]
    if found is None or not found.candidates:
        context = Context(countries={doubt.country: 1.0} if doubt.country else {})
        found = resolve_name(doubt.name, gazetteer=gazetteer, context=context)
    others = [p for p in dict.fromkeys(company) if p.kind in _FINE and p.lat is not None]
    if not others:
        others = _find_neighbours(doubt, frame, gazetteer)
    candidates = found.candidates if found.best is None else (found.best, *found.candidates)
    places = {c.place: c for c in reversed(candidates)}
    ordered = list(dict.fromkeys(c.place for c in candidates))
    return Meanings(
        tuple(
            Meaning(n, place, places[place].reasons, _find_nearest(place, others))
            for n, place in enumerate(ordered, start=1)
        ),
        tuple(others),
    )


def _find_neighbours(doubt: Doubt, frame: gpd.GeoDataFrame, gazetteer: Gazetteer) -> list[Place]:
    """Return the places of the report's other incidents."""
    same = frame[[doubt.report_id in ids for ids in frame["report_ids"]]]
    ids = same.loc[~same["incident_id"].isin(doubt.incident_ids), "geonameid"].dropna().unique()
    places = [gazetteer.get_place(int(i)) for i in ids]
    return [p for p in places if p is not None and p.kind in _FINE and p.lat is not None]


def _find_nearest(place: Place, others: Sequence[Place]) -> tuple[float, str] | None:
    if place.lat is None or place.lon is None:
        return None
    measured = [
        (distance_km(place.lat, place.lon, o.lat, o.lon), o.name)
        for o in others
        if o.lat is not None and o.lon is not None
    ]
    return min(measured, default=None)


def make_map_places(meanings: Sequence[Meaning], company: Sequence[Place], *, chosen: int | None) -> list[MapPlace]:
    """Return the marks of the small map; what has no point is left out."""
    marks = [
        MapPlace(m.place.lat, m.place.lon, (f"{m.number}. {m.place.name}", m.describe(), m.describe_facts()), m.number,
                 chosen=m.number == chosen)
        for m in meanings
        if m.place.lat is not None and m.place.lon is not None
    ]  # fmt: skip
    return marks + [
        MapPlace(p.lat, p.lon, (p.name, "Another place in the report"))
        for p in company
        if p.lat is not None and p.lon is not None
    ]
