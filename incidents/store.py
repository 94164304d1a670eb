"""The book: incidents, their claims and reports, and an append-only history, in one database.

Every user action is one transaction: it is there whole or not at all, history included. What a machine read and a
person changed stays in the history; reading a report again changes nothing that is in the book.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import geopandas as gpd
import orjson
import pandas as pd
import sqlalchemy as sa

from geodata.place import Place
from geodata.settled import SettledPlace
from incidents.changes import bump, change_incident, check_fields, write_history
from incidents.coerce import DATETIME_DTYPE
from incidents.columns import CLAIM_COLUMNS, COLUMNS
from incidents.database import begin_read, begin_write, open_engine, translate_errors
from incidents.errors import StoreError
from incidents.intake import Intake, sort_intake
from incidents.report import Report
from incidents.rows import decode_columns, encode_rows, get_names, make_frame
from incidents.schema import empty, empty_claims, split_valid
from incidents.settled import (
    SettleResult,
    describe_place,
    list_settled,
    settle_in_book,
    settle_in_report,
    unsettle_in_book,
)
from incidents.sql import find_damage, insert_rows, read_rows, split_keys
from incidents.tables import claims as claims_table
from incidents.tables import history as history_table
from incidents.tables import incident_reports, meta, reports, text_of_moment
from incidents.tables import incidents as incidents_table

__all__ = ["DEFAULT_URL", "AddResult", "Store"]

DEFAULT_URL = "sqlite:///incidents.db"

_HISTORY_COLUMNS = ("when", "who", "incident_id", "field", "old", "new", "why", "program_version")
_NAMES = get_names(COLUMNS)


@dataclass(frozen=True, slots=True)
class AddResult:
    """What `Store.add` did.

    Attributes
    ----------
    added, duplicates : int
        Incidents that are new in the book; incidents that were there already and were left as they are.
    incident_ids : tuple of str
        The ids of the new ones, in the order of the frame.
    """

    added: int
    duplicates: int
    incident_ids: tuple[str, ...]


class Store:
    """A book of incidents; usable from several threads, and by several processes at once.

    Make one with `Store.open`.
    """

    def __init__(self, engine: sa.Engine, *, url: str) -> None:
        self._engine = engine
        self._where = engine.url.database or url
        self.url = url

    @classmethod
    def open(cls, url: str = DEFAULT_URL) -> Store:
        """Open the book at `url`; make it where there is none, upgrade it where it is older.

        Raises
        ------
        StoreVersionError
            A newer version of the program made the book.
        StoreError
            It cannot be opened; one line says why.
        """
        return cls(open_engine(url), url=url)

    def close(self) -> None:
        """Give the file back. The store is not usable afterwards."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def add(
        self, frame: pd.DataFrame, claims: pd.DataFrame, reports: Sequence[Report], *, who: str, why: str = ""
    ) -> AddResult:
        """Add incidents with their claims and reports, in one transaction.

        An incident_id that the book has already is a duplicate and changes nothing. A report whose text (or, without
        text, whose values) the book has already is the same report, whatever its address: its incidents are the same
        incidents.

        Parameters
        ----------
        frame : geopandas.GeoDataFrame
            Contract columns. `added_at` is set here.
        claims : pandas.DataFrame
            Claims of incidents in `frame`.
        reports : sequence of Report
            Every report that the frame names and the book does not have yet.
        who, why : str
            For the history.

        Raises
        ------
        SchemaError, geodata.errors.CrsError
            The frame breaks the contract; nothing was added.
        StoreError
            A report or an incident is named that is nowhere, or the database cannot be written; nothing was added.
        """
        intake = sort_intake(frame, claims, reports)
        with translate_errors(self._where), begin_write(self._engine) as connection:
            new, new_claims = intake.find_new(connection)
            now = datetime.now(UTC)
            new["added_at"] = pd.Series(now, index=new.index, dtype=DATETIME_DTYPE)
            _insert_reports(connection, intake, now)
            ids = tuple(new["incident_id"].tolist())
            if ids:
                # in the order of the keys: a large import then walks through the index instead of jumping about in it
                insert_rows(connection, incidents_table, _NAMES, sorted(encode_rows(new, COLUMNS), key=_get_key))
                links = [
                    (i, r)
                    for i, names in zip(ids, new["report_ids"].tolist(), strict=True)
                    for r in dict.fromkeys(names)
                ]
                insert_rows(connection, incident_reports, ["incident_id", "report_id"], sorted(links))
                insert_rows(connection, claims_table, get_names(CLAIM_COLUMNS), encode_rows(new_claims, CLAIM_COLUMNS))
                write_history(connection, [(i, "incident", None, "added") for i in ids], who=who, why=why, at=now)
            if ids or intake.reports:
                bump(connection)
        return AddResult(added=len(ids), duplicates=len(frame) - len(ids), incident_ids=ids)

    def load(self) -> gpd.GeoDataFrame:
        """Return every incident, in the contract's columns, sorted by date_start (undated last) and incident_id."""
        with translate_errors(self._where), begin_read(self._engine) as connection:
            rows = read_rows(connection, incidents_table, _NAMES)
            decoded = decode_columns(rows, COLUMNS)
        if not len(decoded["incident_id"]):
            return empty()
        return make_frame(decoded, COLUMNS, sort_by=["date_start", "incident_id"])

    def load_claims(self, incident_ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the claims of the given incidents, or all; sorted by incident_id and claim_id."""
        with translate_errors(self._where), begin_read(self._engine) as connection:
            rows = read_rows(connection, claims_table, get_names(CLAIM_COLUMNS), key="incident_id", among=incident_ids)
            decoded = decode_columns(rows, CLAIM_COLUMNS)
        if not len(decoded["claim_id"]):
            return empty_claims()
        return make_frame(decoded, CLAIM_COLUMNS, sort_by=["incident_id", "claim_id"])

    def load_reports(self, report_ids: Sequence[str] | None = None) -> list[Report]:
        """Return the reports of the given ids (those that the book has), or all; sorted by report_id."""
        found: list[Report] = []
        with translate_errors(self._where), begin_read(self._engine) as connection:
            for part in split_keys(report_ids):
                query = sa.select(reports)
                if part is not None:
                    query = query.where(reports.c.report_id.in_(part))
                found.extend(_to_report(row) for row in connection.execute(query).mappings())
        return sorted(found, key=lambda report: report.report_id)

    def get_version(self) -> str:
        """Return a text that changes whenever anything in the book changes; the key for caches."""
        with translate_errors(self._where), begin_read(self._engine) as connection:
            book_id, revision = connection.execute(sa.select(meta.c.book_id, meta.c.revision)).one()
        return f"{book_id}:{revision}"

    def get_incident_version(self, incident_id: str) -> int | None:
        """Return how often the incident was changed, from 1, for `update`; None where the book has no such incident."""
        query = sa.select(incidents_table.c.version).where(incidents_table.c.incident_id == incident_id)
        with translate_errors(self._where), begin_read(self._engine) as connection:
            version = connection.execute(query).scalar()
        return None if version is None else int(version)

    def update(
        self,
        incident_id: str,
        changes: Mapping[str, object],
        *,
        who: str,
        why: str = "",
        expected_version: int | None = None,
    ) -> None:
        """Change fields of one incident, in one transaction; old values stay in the history.

        An incident whose values a person changes becomes ``edited``, unless `changes` says otherwise.

        Parameters
        ----------
        incident_id : str
        changes : mapping
            Contract column to new value; the point as a shapely Point (x = lon, y = lat) or None.
        who, why : str
            For the history.
        expected_version : int, optional
            What `get_incident_version` said when the person began to edit.

        Raises
        ------
        SchemaError
            The incident would break the contract, or there is no such column.
        StoreError
            There is no such incident, somebody else changed it meanwhile, or the database cannot be written.
        """
        check_fields(changes)
        with translate_errors(self._where), begin_write(self._engine) as connection:
            now = datetime.now(UTC)
            if change_incident(
                connection, incident_id, changes, who=who, why=why, at=now, expected_version=expected_version
            ):
                bump(connection)

    def load_settled(self) -> list[SettledPlace]:
        """Return the names whose place was settled for this book, by name."""
        with translate_errors(self._where), begin_read(self._engine) as connection:
            return list_settled(connection)

    def settle_place(
        self, name: str, place: Place, *, country: str | None = None, admin1: str | None = None, who: str
    ) -> SettleResult:
        """Settle what a name means in this book, now and in what is read later, in one transaction.

        Incidents of that name move to `place`, except where a person has reviewed them, where the source states its
        own point, or where their report names an area that does not hold the place.

        Parameters
        ----------
        name : str
            As reports write it; case, diacritics and the like do not matter.
        place : Place
            With a GeoNames id.
        country, admin1 : str, optional
            Where the choice holds: an ISO 3166-1 alpha-2 code, and a GeoNames code such as ``UA.05``. It then
            reaches names that were put there, or nowhere.
        who : str
            For the history.

        Raises
        ------
        StoreError
            The choice cannot be kept; nothing was changed.
        """
        if place.geonameid is None:
            raise StoreError(f"{place.name} has no GeoNames id, so it cannot be settled for the whole book")
        words = {"name": " ".join(name.split()), "label": describe_place(place), "who": who}
        with translate_errors(self._where), begin_write(self._engine) as connection:
            now = datetime.now(UTC)
            choice = SettledPlace(geonameid=place.geonameid, country=country, admin1=admin1, when=now, **words)
            result = settle_in_book(connection, choice, place)
            bump(connection)
        return result

    def unsettle_place(
        self, name: str, *, country: str | None = None, admin1: str | None = None, who: str
    ) -> SettleResult:
        """Take back what `settle_place` did, in one transaction; what was changed since stays as it is.

        Raises
        ------
        StoreError
            There is no such choice, or there are several.
        """
        with translate_errors(self._where), begin_write(self._engine) as connection:
            result = unsettle_in_book(connection, name, country=country, admin1=admin1, who=who, at=datetime.now(UTC))
            bump(connection)
        return result

    def settle_in_report(self, name: str, place: Place | None, *, report_id: str, who: str) -> SettleResult:
        """Put a report's incidents of one name at a place, or (None) at none, in one transaction; they are edited."""
        with translate_errors(self._where), begin_write(self._engine) as connection:
            now = datetime.now(UTC)
            result = settle_in_report(connection, name, place, report_id=report_id, who=who, at=now)
            if result.changed:
                bump(connection)
        return result

    def history(self, incident_id: str | None = None) -> pd.DataFrame:
        """Return what happened to one incident, or to all, oldest first.

        Returns
        -------
        pandas.DataFrame
            ``when`` (UTC), ``who``, ``incident_id``, ``field``, ``old``, ``new``, ``why``, ``program_version``.
            The field ``incident`` with ``added`` tells of its arrival; values are texts as in CSV exports.
        """
        table = history_table.c
        query = sa.select(
            table.at, table.who, table.incident_id, table.field, table.old, table.new, table.why, table.program_version
        ).order_by(table.history_id)
        if incident_id is not None:
            query = query.where(table.incident_id == incident_id)
        with translate_errors(self._where), begin_read(self._engine) as connection:
            rows = connection.execute(query).all()
        frame = pd.DataFrame([tuple(r) for r in rows], columns=list(_HISTORY_COLUMNS), dtype="object")
        return frame.astype(dict.fromkeys(_HISTORY_COLUMNS, "str") | {"when": DATETIME_DTYPE})

    def counts(self) -> dict[str, int]:
        """Return how many incidents, claims, reports and history lines the book has."""
        tables = {"incidents": incidents_table, "claims": claims_table, "reports": reports, "history": history_table}
        with translate_errors(self._where), begin_read(self._engine) as connection:
            return {
                name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                for name, table in tables.items()
            }

    def check(self) -> list[str]:
        """Return what is wrong with the book, one sentence a finding; an empty list where all is well."""
        with translate_errors(self._where), begin_read(self._engine) as connection:
            findings = find_damage(connection)
        _, rejected = split_valid(self.load())
        findings += [
            f"Incident {i}: {reason}" for i, reason in zip(rejected["incident_id"], rejected["reason"], strict=True)
        ]
        return findings


def _get_key(row: tuple[Any, ...]) -> str:
    return str(row[0])


def _insert_reports(connection: sa.Connection, intake: Intake, now: datetime) -> None:
    names = [c.name for c in reports.columns]
    added_at = text_of_moment(now)
    rows = [
        (
            arrival.report_id,
            r.source,
            r.source_id,
            r.text,
            r.title,
            r.url,
            r.publisher,
            r.language,
            text_of_moment(r.published_at) if r.published_at else None,
            r.published_on.isoformat() if r.published_on else None,
            _dump(r.fields),
            _dump(r.source_values),
            arrival.content_hash,
            added_at,
        )
        for arrival in intake.reports
        for r in (arrival.report,)
    ]
    insert_rows(connection, reports, names, sorted(rows, key=_get_key))


def _dump(values: Mapping[str, object]) -> str:
    if not values:
        return "{}"
    return orjson.dumps(dict(values), default=str, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS).decode()


def _to_report(row: sa.RowMapping) -> Report:
    plain = {k: v for k, v in row.items() if k not in {"report_id", "content_hash", "added_at"}}
    return Report(
        **(plain | {"fields": orjson.loads(row["fields"]), "source_values": orjson.loads(row["source_values"])})
    )
