"""From a frame of incidents to the page model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import geopandas as gpd
import pandas as pd

from geodata.boundaries import Policy
from geodata.place import COARSE_PRECISIONS
from incidents.briefing.model import Area, Briefing, Headline, Row, Source, Symbol
from incidents.briefing.text import clean_text, make_drawable
from incidents.briefing.words import (
    describe_figure,
    describe_period,
    describe_total,
    format_as_of,
    get_country_name,
    get_now,
)
from incidents.summary import Summary, summarise
from incidents.symbols import get_killed_class
from incidents.taxonomy import get_label, get_parent
from incidents.words import PRECISION_WORDS, describe_date

if TYPE_CHECKING:
    from incidents.filters import Filter

__all__ = ["CREDITS", "MAX_ROWS", "build_briefing"]

MAX_ROWS = 120
"""Incidents listed and numbered at most; the rest is counted, and drawn without numbers."""

CREDITS: tuple[str, ...] = (
    "Place names and points: GeoNames (geonames.org), CC BY 4.0. Borders and coasts: Natural Earth, public domain.",
    "Borders and names shown imply no opinion on the legal status of any territory.",
)

_Record = dict[str, Any]
_FIELDS = (
    "incident_id",
    "title",
    "type",
    "date_start",
    "date_end",
    "date_precision",
    "place_name",
    "place_detail",
    "country",
    "admin1",
    "area_id",
    "location_precision",
    "killed_min",
    "killed_max",
    "injured_min",
    "injured_max",
    "contested",
    "current",
    "source_names",
    "source_urls",
)


def _none_if_null(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return list(value)
    return None if value is None or pd.isna(value) else value


def _get_records(frame: gpd.GeoDataFrame) -> list[_Record]:
    """Return the rows as plain dictionaries with None for null, with ``lon`` and ``lat``."""
    columns = {name: frame[name].tolist() for name in _FIELDS}
    records = [
        {name: _none_if_null(value) for name, value in zip(columns, values, strict=True)}
        for values in zip(*columns.values(), strict=True)
    ]
    for record, point in zip(records, frame.geometry, strict=True):
        located = point is not None and not point.is_empty
        record["lon"], record["lat"] = (float(point.x), float(point.y)) if located else (None, None)
    return records


def _choose_listed(records: Sequence[_Record], *, max_rows: int) -> list[int]:
    """Return the positions of the incidents to list, in the order of their days.

    Where there are too many, those with the most killed are listed, then those with the most injured, then the latest.
    """

    def weigh(position: int) -> tuple[int, int, date]:
        record = records[position]
        killed = record["killed_min"] if record["killed_min"] is not None else record["killed_max"]
        injured = record["injured_min"] if record["injured_min"] is not None else record["injured_max"]
        return (-1 if killed is None else killed, -1 if injured is None else injured, record["date_start"] or date.min)

    positions = list(range(len(records)))
    if len(positions) > max_rows:
        positions = sorted(positions, key=weigh, reverse=True)[:max_rows]
    return sorted(positions, key=lambda p: (records[p]["date_start"] or date.max, str(records[p]["incident_id"])))


def _describe_place(record: _Record, *, with_country: bool) -> tuple[str, str]:
    """Return the place and, in words, how finely it is known and what it lies in."""
    name = clean_text(record["place_name"])
    detail = clean_text(record["place_detail"])
    admin1 = clean_text(record["admin1"])
    country = get_country_name(record["country"]) if record["country"] and with_country else ""
    place = name or admin1 or (get_country_name(record["country"]) if record["country"] else "place not stated")
    if detail and detail.casefold() not in place.casefold():
        place = f"{place} ({detail})"
    precision = PRECISION_WORDS[record["location_precision"] or "unknown"]
    within = [part for part in (admin1, country) if part and part.casefold() not in place.casefold()]
    return place, "; ".join([", ".join(within), precision] if within else [precision])


class _Sources:
    """Numbers the sources in the order in which the table first names them."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, record: _Record) -> tuple[int, ...]:
        names = [clean_text(name) for name in record["source_names"] or []]
        urls = [clean_text(url) for url in record["source_urls"] or []]
        width = max(len(names), len(urls))
        names += [""] * (width - len(names))
        urls += [""] * (width - len(urls))
        found = []
        for name, url in zip(names, urls, strict=True):
            if name or url:
                found.append(self._numbers.setdefault((name, url), len(self._numbers) + 1))
        return tuple(dict.fromkeys(found))

    def list(self) -> tuple[Source, ...]:
        return tuple(Source(number, name, url) for (name, url), number in self._numbers.items())


def _describe_claims(claims: pd.DataFrame | None, incident_id: str) -> str:
    """Return who claims what of one incident: ``killed: 5 (Ministry), 7 or more (Governor)``."""
    if claims is None or len(claims) == 0:
        return ""
    said: dict[str, list[str]] = {}
    for claim in claims[claims["incident_id"] == incident_id].to_dict("records"):
        measure, claimant = str(claim["measure"]), clean_text(claim.get("claimant")) or "not named"
        denies = " denies" if claim.get("stance") == "denies" else ""
        if measure == "responsibility":
            said.setdefault(measure, []).append(f"{claimant}{denies or ' asserts'}")
            continue
        group = "" if claim.get("group") in {None, "all"} else f" {claim['group']}"
        figure = describe_figure(_none_if_null(claim["min"]), _none_if_null(claim["max"]))
        said.setdefault(measure, []).append(f"{figure}{group} ({claimant}{denies})")
    return "; ".join(f"{measure}: {', '.join(dict.fromkeys(parts))}" for measure, parts in said.items())


def _build_rows(
    records: Sequence[_Record], listed: Sequence[int], claims: pd.DataFrame | None
) -> tuple[tuple[Row, ...], tuple[Source, ...]]:
    with_country = len({record["country"] for record in records if record["country"]}) > 1
    sources = _Sources()
    rows = []
    for number, position in enumerate(listed, start=1):
        record = records[position]
        place, precision = _describe_place(record, with_country=with_country)
        kind = get_label(record["type"])
        contested = bool(record["contested"])
        rows.append(
            Row(
                number=number,
                date=describe_date(record["date_start"], record["date_end"], record["date_precision"] or "day"),
                place=place,
                precision=precision,
                type=kind if record["current"] in {True, None} else f"{kind} (background)",
                title=clean_text(record["title"]),
                killed=describe_figure(record["killed_min"], record["killed_max"]),
                injured=describe_figure(record["injured_min"], record["injured_max"]),
                parent=get_parent(record["type"]),
                contested=contested,
                located=record["lon"] is not None,
                coarse=record["location_precision"] in COARSE_PRECISIONS,
                sources=sources.number(record),
                claims=_describe_claims(claims, str(record["incident_id"])) if contested else "",
            )
        )
    return tuple(rows), sources.list()


def _get_shared_parent(records: Sequence[_Record]) -> str | None:
    parents = {get_parent(record["type"]) for record in records}
    return parents.pop() if len(parents) == 1 else None


def _sum_killed(records: Sequence[_Record]) -> int | None:
    stated = [r["killed_min"] if r["killed_min"] is not None else r["killed_max"] for r in records]
    known = [figure for figure in stated if figure is not None]
    return sum(known) if known else None


def _build_marks(records: Sequence[_Record], listed: Sequence[int]) -> tuple[tuple[Symbol, ...], tuple[Area, ...]]:
    """Return symbols and areas; incidents at one point (to 1e-4 degrees, about 10 m) share a symbol."""
    numbers = {position: number for number, position in enumerate(listed, start=1)}
    points: dict[tuple[float, float], list[int]] = {}
    areas: dict[object, list[int]] = {}
    for position, record in enumerate(records):
        if record["lon"] is None:
            continue
        spot = (round(record["lon"], 4), round(record["lat"], 4))
        if record["location_precision"] in COARSE_PRECISIONS:
            areas.setdefault(record["area_id"] or spot, []).append(position)
        else:
            points.setdefault(spot, []).append(position)

    symbols = []
    for (lon, lat), members in points.items():
        here = [records[position] for position in members]
        symbols.append(
            Symbol(
                numbers=tuple(sorted(numbers[p] for p in members if p in numbers)),
                lon=lon,
                lat=lat,
                parent=_get_shared_parent(here),
                killed=get_killed_class(_sum_killed(here)),
                incidents=len(members),
            )
        )
    made = []
    for members in areas.values():
        here = [records[position] for position in members]
        first = here[0]
        made.append(
            Area(
                numbers=tuple(sorted(numbers[p] for p in members if p in numbers)),
                area_id=first["area_id"],
                name=clean_text(first["place_name"]) or clean_text(first["admin1"]),
                precision=str(first["location_precision"]),
                lon=first["lon"],
                lat=first["lat"],
                parent=_get_shared_parent(here),
                incidents=len(members),
            )
        )
    return tuple(symbols), tuple(made)


def _build_headlines(summary: Summary, *, total: int | None, contested: int) -> tuple[Headline, ...]:
    count = summary.incidents
    killed, killed_note = describe_total(
        summary.killed_min,
        summary.killed_max,
        unstated=summary.killed_unstated,
        incidents=count,
    )
    injured, injured_note = describe_total(
        summary.injured_min,
        summary.injured_max,
        unstated=summary.injured_unstated,
        incidents=count,
    )
    return (
        Headline("incidents", f"{count:,}", f"of {total:,} recorded" if total is not None and total != count else ""),
        Headline("killed, as reported", killed, killed_note),
        Headline("injured, as reported", injured, injured_note),
        Headline("with claims that disagree", f"{contested:,}"),
        Headline(
            "without a location",
            f"{summary.unlocated:,}",
            "in the table, not on the map" if summary.unlocated else "",
        ),
    )


def _build_notes(
    records: Sequence[_Record], rows: Sequence[Row], *, checked: int, missing_scripts: frozenset[str]
) -> tuple[str, ...]:
    count = len(records)
    notes = ["Reported by the sources named, not verified."]
    if count and checked == count:
        notes = ["Reported by the sources named; each incident was checked against its report by a person."]
    elif checked:
        notes = [f"Reported by the sources named, not verified; {checked:,} of {count:,} checked by a person."]
    if count > len(rows):
        notes.append(
            f"Listed and numbered are the {len(rows):,} incidents with the most killed; {count - len(rows):,} more are "
            "counted above and drawn without a number."
        )
    if any(row.contested for row in rows):
        notes.append("† Claims disagree on who did it, or on the figures.")
    if any(record["lon"] is not None and record["location_precision"] in COARSE_PRECISIONS for record in records):
        notes.append("Hatched areas: the report says no more than the area; the number is not a position.")
    unlocated = sum(1 for record in records if record["lon"] is None)
    if unlocated:
        verb = "incident has" if unlocated == 1 else "incidents have"
        notes.append(f"{unlocated:,} {verb} no location and {'is' if unlocated == 1 else 'are'} not on the map.")
    undated = sum(1 for record in records if record["date_start"] is None)
    if undated:
        notes.append(f"{undated:,} without a date.")
    notes.append("“Not stated” is not zero. “50 or more” means that no upper figure is reported.")
    if missing_scripts:
        notes.append(f"No font on this machine for: {', '.join(sorted(missing_scripts))}; named in brackets instead.")
    return tuple(notes)


def _make_title(countries: Sequence[str]) -> str:
    names = [get_country_name(code) for code in countries]
    if not names:
        return "Incident briefing"
    if len(names) > 4:
        return f"Incident briefing: {len(names)} countries"
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Incident briefing: {joined}"


def build_briefing(
    frame: gpd.GeoDataFrame,
    *,
    title: str | None = None,
    filter: Filter | None = None,  # noqa: A002 - the word the program's users know it by
    handling: str | None = None,
    as_of: datetime | None = None,
    total: int | None = None,
    claims: pd.DataFrame | None = None,
    max_rows: int = MAX_ROWS,
    boundaries: Policy = "un",
) -> Briefing:
    """Return the page model of the incidents in a frame.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        Incidents, as in `incidents.schema`, already filtered. Not changed.
    title : str, optional
        Otherwise made from the countries.
    filter : Filter, optional
        The filter that was applied; only said in words here.
    handling : str, optional
        Handling marking, such as ``Internal use only``.
    as_of : datetime, optional
        When the data was taken; otherwise now, or the moment of ``SOURCE_DATE_EPOCH``.
    total : int, optional
        How many incidents there were before the filter.
    claims : pandas.DataFrame, optional
        The claims table; where claims disagree, they are listed.
    max_rows : int
        How many incidents are listed and numbered.
    boundaries : {"un", "de_facto"}
        Whose an occupied area is drawn as (`geodata.boundaries.load_admin1`).

    Returns
    -------
    Briefing
    """
    records = _get_records(frame)
    listed = _choose_listed(records, max_rows=max_rows)
    rows, sources = _build_rows(records, listed, claims)
    symbols, areas = _build_marks(records, listed)
    summary = summarise(frame)
    countries = sorted({str(record["country"]) for record in records if record["country"]})
    texts = [part for row in rows for part in (row.place, row.precision, row.title, row.claims)]
    missing = frozenset[str]().union(*(make_drawable(text)[1] for text in [title or "", *texts]))
    checked = int(frame["review_status"].isin(["confirmed", "edited"]).sum())
    heading = clean_text(title) or _make_title(countries)
    return Briefing(
        title=heading,
        handling=clean_text(handling),
        period=describe_period(summary.first_day, summary.last_day) if records else "",
        as_of=format_as_of(as_of or get_now()),
        filters=tuple(clean_text(line) for line in filter.describe()) if filter is not None else (),
        headlines=_build_headlines(summary, total=total, contested=int(frame["contested"].fillna(value=False).sum())),
        symbols=symbols,
        areas=areas,
        rows=rows,
        more_rows=len(records) - len(rows),
        sources=sources,
        notes=_build_notes(records, rows, checked=checked, missing_scripts=missing),
        credits=CREDITS,
        countries=frozenset(countries),
        boundaries=boundaries,
    )
