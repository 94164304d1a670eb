"""Places that a person settles: for one report, or for the whole book, and what that changes in it.

A choice for the book is a row of its own and changes the incidents of that name that no person has edited. Undoing it
gives those back what they had, as far as nobody has changed them since.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import geopandas as gpd
import orjson
import shapely
import sqlalchemy as sa

from geodata.countries import load_country_table
from geodata.names import fold, strip_type_words
from geodata.place import COARSE_PRECISIONS, Place
from geodata.settled import SettledPlace
from incidents.changes import change_incident, tell_value, write_history
from incidents.columns import COLUMNS
from incidents.errors import StoreError
from incidents.rows import decode_columns, get_names, make_frame
from incidents.schema import get_column
from incidents.sql import read_rows, split_keys
from incidents.tables import history, reports, settled_places
from incidents.tables import incidents as incidents_table
from incidents.words import AMBIGUOUS, to_optional

__all__ = [
    "LEFT_OPEN",
    "SettleResult",
    "describe_place",
    "find_unsettled",
    "list_settled",
    "make_open_columns",
    "make_place_columns",
    "settle_in_book",
    "settle_in_report",
    "unsettle_in_book",
]

LEFT_OPEN = "A person left the location open."
"""The reason of an incident whose place a person did not want to guess."""

_NEAR_WORDS = frozenset({"near", "outside", "around"})
_OWN_POINT = frozenset({"latitude", "longitude", "incident_id", "location_reason"})
_PLACE_FIELDS = (
    *("country", "admin1", "admin2", "area_id", "geonameid", "geometry"),
    *("location_precision", "location_runner_up", "location_reason"),
)
_CONTAINER = re.compile(r"(?:; |\(| )(?:not )?in ([^;()]+?), named with it|is known in ([^;()]+?), only a namesake")
_FIELD = "settled_place"


@dataclass(frozen=True, slots=True)
class SettleResult:
    """What settling a place, or undoing it, did.

    Attributes
    ----------
    changed : tuple of str
        Ids of the incidents that changed.
    kept : mapping of str to str
        Ids of the incidents of that name that stayed as they were, with the reason.
    """

    changed: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)


def describe_place(place: Place) -> str:
    """Return a place in words that tell namesakes apart: "Novoselivka, Kramatorskyi Raion, Donetsk, UA"."""
    return ", ".join(dict.fromkeys(p for p in (place.name, place.admin2, place.admin1, place.country) if p))


def find_unsettled(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Return the incidents whose place is in doubt: several namesakes are as likely, or only far ones are known.

    Parameters
    ----------
    frame : GeoDataFrame
        Contract columns.
    """
    candidates = frame["location_candidates"].fillna(0).astype("int64")
    doubtful = (candidates > 1) & frame["location_reason"].str.startswith(AMBIGUOUS).fillna(value=False).astype(bool)
    open_ = (
        (candidates > 0)
        & (frame["location_precision"] == "unknown")
        & frame["geonameid"].isna()
        & frame["country"].isna()
        & (frame["location_reason"].fillna("") != LEFT_OPEN)
    )
    named = frame["place_name"].notna() & (frame["review_status"] != "rejected")
    return frame[named & (doubtful | open_)]


def make_place_columns(place: Place, *, reason: str, near: bool = False) -> dict[str, object]:
    """Return the location columns of an incident that happened at `place`, or `near` that settlement."""
    located = place.lat is not None and place.lon is not None
    precision = "near" if near and place.precision == "settlement" else place.precision
    return {
        "geometry": shapely.Point(place.lon, place.lat) if located else None,
        "location_precision": precision if located else "unknown",
        "location_reason": reason,
        "country": place.country,
        "admin1": place.admin1,
        "admin2": place.admin2,
        "area_id": place.area_id,
        "geonameid": place.geonameid,
    }


def make_open_columns() -> dict[str, object]:
    """Return the location columns of an incident whose place a person leaves open."""
    return {
        "geometry": None,
        "location_precision": "unknown",
        "location_reason": LEFT_OPEN,
        **dict.fromkeys(("country", "admin1", "admin2", "area_id", "geonameid")),
    }


def list_settled(connection: sa.Connection) -> list[SettledPlace]:
    """Return the choices of the book, by name."""
    table = settled_places.c
    query = sa.select(settled_places).order_by(table.name_key, table.country, table.admin1)
    return [_to_choice(row) for row in connection.execute(query).mappings()]


def _to_choice(row: sa.RowMapping) -> SettledPlace:
    return SettledPlace(
        name=row["name"],
        geonameid=row["geonameid"],
        country=row["country"] or None,
        admin1=row["admin1"] or None,
        label=row["label"],
        who=row["who"],
        when=row["at"],
    )


def settle_in_report(
    connection: sa.Connection, name: str, place: Place | None, *, report_id: str, who: str, at: datetime
) -> SettleResult:
    """Put the incidents of one name in one report at a place, or (None) at none; they count as edited by a person."""
    changed: list[str] = []
    kept: dict[str, str] = {}
    rows = _load_named(connection, name)
    rows = rows[[report_id in ids for ids in rows["report_ids"]]]
    unsettled = set(find_unsettled(rows)["incident_id"])
    for row, _ in _iter_rows(connection, rows):
        incident_id = str(row["incident_id"])
        if row["review_status"] == "edited" and incident_id not in unsettled:
            kept[incident_id] = "a person has edited it"
            continue
        if place is None:
            columns, told = make_open_columns(), "none of its candidates"
        elif _fits_words(row, place):
            columns = make_place_columns(place, reason=f"Settled by {who} for this report.", near=_is_near(row))
            columns["location_runner_up"], told = None, describe_place(place)
        else:
            kept[incident_id] = "its words name an area, not a town"
            continue
        why = f"settled for this report: {name} is {told}"
        if change_incident(connection, incident_id, columns, who=who, why=why, at=at):
            changed.append(incident_id)
    return SettleResult(tuple(changed), kept)


def settle_in_book(connection: sa.Connection, choice: SettledPlace, place: Place) -> SettleResult:
    """Store a choice and put the incidents of that name at its place, except what people or sources say themselves.

    An earlier choice for the same name and area is undone first.
    """
    if not choice.key:
        raise StoreError(f"{choice.name!r} is no name of a place; give the name as the reports write it")
    if choice.admin1 is not None and choice.admin1 != place.admin1_code:
        raise StoreError(f"{describe_place(place)} does not lie in {choice.admin1}; leave that out, or choose another")
    if choice.when is None:
        raise StoreError("a choice needs the moment it was made")
    earlier = _find_row(connection, choice)
    if earlier is not None:
        _undo(connection, earlier, who=choice.who, at=choice.when)
    row = {
        "name": choice.name,
        "name_key": choice.key,
        "country": choice.country or "",
        "admin1": choice.admin1 or "",
        "geonameid": choice.geonameid,
        "label": choice.label,
        "at": choice.when,
        "who": choice.who,
    }
    connection.execute(settled_places.insert().values(**row))
    why = f"settled for this project: {choice.name} is {choice.label}"
    old = _tell_choice(_to_choice(earlier)) if earlier is not None else None
    write_history(connection, [(None, _FIELD, old, _tell_choice(choice))], who=choice.who, why=why, at=choice.when)
    changed: list[str] = []
    kept: dict[str, str] = {}
    reason = f"{describe_place(place)} ({choice.reason})."
    for incident, stated in _iter_rows(connection, _load_named(connection, choice.name)):
        incident_id = str(incident["incident_id"])
        objection = _find_objection(incident, stated, choice, place)
        if objection:
            kept[incident_id] = objection
            continue
        columns = make_place_columns(place, reason=reason, near=_is_near(incident))
        columns |= {"location_runner_up": None, "review_status": incident["review_status"]}
        if change_incident(connection, incident_id, columns, who=choice.who, why=why, at=choice.when):
            changed.append(incident_id)
    return SettleResult(tuple(changed), kept)


def unsettle_in_book(
    connection: sa.Connection,
    name: str,
    *,
    country: str | None = None,
    admin1: str | None = None,
    who: str,
    at: datetime,
) -> SettleResult:
    """Take a choice back, and give the incidents that it changed what they had before.

    The choice for just this area is meant; where there is none, the only one within `country` (None: of all).
    """
    probe = SettledPlace(name, 0, country=country, admin1=admin1)
    found = _find_row(connection, probe)
    if found is None and admin1 is None:
        query = sa.select(settled_places).where(settled_places.c.name_key == probe.key)
        if country is not None:
            query = query.where(settled_places.c.country == country)
        others = connection.execute(query).mappings().all()
        if len(others) > 1:
            where = ", ".join(str(o["admin1"] or o["country"]) for o in others)
            raise StoreError(f"{name} is settled for several areas ({where}); say for which it is to be undone")
        found = others[0] if others else None
    if found is None:
        where = f" in {admin1 or country}" if admin1 or country else ""
        raise StoreError(f"no place is settled for {name}{where}")
    result = _undo(connection, found, who=who, at=at)
    choice = _to_choice(found)
    why = f"choice undone: {choice.name}"
    write_history(connection, [(None, _FIELD, _tell_choice(choice), None)], who=who, why=why, at=at)
    return result


def _find_row(connection: sa.Connection, choice: SettledPlace) -> sa.RowMapping | None:
    table = settled_places.c
    query = sa.select(settled_places).where(
        table.name_key == choice.key, table.country == (choice.country or ""), table.admin1 == (choice.admin1 or "")
    )
    return connection.execute(query).mappings().first()


def _tell_choice(choice: SettledPlace) -> str:
    area = choice.admin1 or choice.country
    where = f", in {area}" if area else ""
    return f"{choice.name} = {choice.label} (GeoNames {choice.geonameid}){where}"


def _load(connection: sa.Connection, incident_ids: Sequence[str]) -> gpd.GeoDataFrame:
    rows = read_rows(connection, incidents_table, get_names(COLUMNS), key="incident_id", among=incident_ids)
    decoded = decode_columns(rows, COLUMNS)
    return make_frame(decoded, COLUMNS, sort_by=["incident_id"])


def _load_named(connection: sa.Connection, name: str) -> gpd.GeoDataFrame:
    """Return the incidents whose place is written so, in any spelling that folds to the same."""
    key = fold(name)
    query = sa.select(incidents_table.c.place_name).where(incidents_table.c.place_name.is_not(None)).distinct()
    spellings = [spelling for spelling in connection.execute(query).scalars() if fold(spelling) == key]
    ids: list[str] = []
    for part in split_keys(spellings):
        chosen = sa.select(incidents_table.c.incident_id).where(incidents_table.c.place_name.in_(part or []))
        ids.extend(connection.execute(chosen).scalars())
    return _load(connection, ids)


def _iter_rows(
    connection: sa.Connection, frame: gpd.GeoDataFrame
) -> Iterator[tuple[dict[str, Any], Mapping[str, object]]]:
    """Give each row, nulls as None, with the fields that its source stated itself (rows of tables)."""
    report_ids = sorted({r for ids in frame["report_ids"] for r in ids})
    stated: dict[str, Mapping[str, object]] = {}
    for part in split_keys(report_ids):
        query = sa.select(reports.c.report_id, reports.c.fields).where(reports.c.report_id.in_(part or []))
        stated |= {row.report_id: orjson.loads(row.fields) for row in connection.execute(query)}
    for values in frame.to_dict("records"):
        plain = {k: v if isinstance(v, (list, shapely.Geometry)) else to_optional(v) for k, v in values.items()}
        fields: dict[str, object] = {}
        for report_id in plain["report_ids"]:
            fields |= stated.get(report_id, {})
        yield plain, fields


def _find_objection(
    row: Mapping[str, Any], stated: Mapping[str, object], choice: SettledPlace, place: Place
) -> str | None:
    """Say why a choice for the book leaves an incident as it is; None where it does not."""
    if row["review_status"] != "unreviewed":
        return f"a person has {row['review_status']} it"
    if _OWN_POINT & stated.keys():
        return "its source states where it was"
    if (choice.country is not None and row["country"] not in {None, choice.country}) or (
        choice.admin1 is not None and row["admin1"] not in {None, place.admin1}
    ):
        return "it lies outside the area that the choice is for"
    if not _fits_words(row, place):
        return "its words name an area, not a town"
    areas = [str(stated[k]) for k in ("admin2", "admin1") if stated.get(k)]
    if stated.get("country") and row["country"] not in {None, place.country}:
        return "its source names another country"
    found = _CONTAINER.search(row["location_reason"] or "")
    if found:
        areas.append(found[1] or found[2])
    against = [area for area in areas if not _names_area_of(place, area)]
    return f"its report places it in {against[0]}" if against else None


def _names_area_of(place: Place, area: str) -> bool:
    country = load_country_table().get(place.country or "")
    around = (place.admin2, place.admin1, country.name if country else None, place.country)
    return _get_plain(area) in {_get_plain(name) for name in around if name}


def _get_plain(name: str) -> str:
    folded = fold(name)
    return strip_type_words(folded) or folded


def _find_neighbours(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the words before and after the place's name, wherever it stands in the evidence and the title."""
    key = fold(row["place_name"])
    found: list[tuple[str, str]] = []
    for text in (row["evidence"], row["title"]):
        parts = f" {fold(text or '')} ".split(f" {key} ")
        found += [
            ((before.split() or [""])[-1], (after.split() or [""])[0]) for before, after in itertools.pairwise(parts)
        ]
    return found


def _fits_words(row: Mapping[str, Any], place: Place) -> bool:
    """Tell whether a place is as coarse as the incident's words: "Donetsk region" is never the town of Donetsk."""
    if place.precision in COARSE_PRECISIONS:
        return True
    key = fold(row["place_name"])
    if strip_type_words(key):
        return False
    around = _find_neighbours(row)
    if not around:
        return row["location_precision"] not in COARSE_PRECISIONS
    return not any(
        strip_type_words(f"{key} {after}") == key or strip_type_words(f"{before} of {key}") == key
        for before, after in around
    )


def _is_near(row: Mapping[str, Any]) -> bool:
    return row["location_precision"] == "near" or any(before in _NEAR_WORDS for before, _ in _find_neighbours(row))


def _undo(connection: sa.Connection, row: sa.RowMapping, *, who: str, at: datetime) -> SettleResult:
    """Remove a choice and restore what it changed, where nobody has changed that since."""
    choice = _to_choice(row)
    if choice.when is None:
        raise StoreError(f"the choice for {choice.name} does not say when it was made")
    connection.execute(settled_places.delete().where(settled_places.c.settled_id == row["settled_id"]))
    table = history.c
    query = sa.select(table.incident_id, table.field, table.old, table.new).where(
        table.at == choice.when, table.incident_id.is_not(None), table.field.in_(_PLACE_FIELDS)
    )
    lines: dict[str, dict[str, tuple[str | None, str | None]]] = {}
    for line in connection.execute(query):
        lines.setdefault(line.incident_id, {})[line.field] = (line.old, line.new)
    changed: list[str] = []
    kept: dict[str, str] = {}
    frame = _load(connection, list(lines)) if lines else None
    for position in range(len(frame) if frame is not None else 0):
        one = frame.iloc[[position]] if frame is not None else gpd.GeoDataFrame()
        incident_id, status = str(one["incident_id"].iloc[0]), str(one["review_status"].iloc[0])
        values = lines[incident_id]
        if status != "unreviewed" or any(tell_value(one, name) != new for name, (_, new) in values.items()):
            kept[incident_id] = "it has been changed since"
            continue
        back: dict[str, object] = {name: _read_told(name, old) for name, (old, _) in values.items()}
        why = f"choice undone: {choice.name}"
        if change_incident(connection, incident_id, {**back, "review_status": status}, who=who, why=why, at=at):
            changed.append(incident_id)
    return SettleResult(tuple(changed), kept)


def _read_told(name: str, text: str | None) -> object:
    """Read a value as `incidents.changes.tell_value` writes it."""
    if text is None:
        return None
    column = get_column(name)
    match column.dtype if column else "str":
        case "Point":
            lon, _, lat = text.partition(" ")
            return shapely.Point(float(lon), float(lat))
        case "Int64":
            return int(text)
        case _:
            return text
