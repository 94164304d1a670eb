"""The book: incidents, their claims and reports, and an append-only history, in one database.

Every user action is one transaction: it is there whole or not at all, history included. What a machine read and a
person changed stays in the history; reading a report again changes nothing that is in the book.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn, Self

import geopandas as gpd
import orjson
import pandas as pd
import shapely
import sqlalchemy as sa

import incidents
from incidents.coerce import DATETIME_DTYPE
from incidents.columns import CLAIM_COLUMNS, COLUMNS
from incidents.database import begin_read, begin_write, open_engine, translate_errors
from incidents.errors import SchemaError, StoreError
from incidents.intake import Intake, sort_intake
from incidents.report import Report
from incidents.rows import decode_columns, encode_columns, encode_rows, get_names, make_frame
from incidents.schema import conform_valid, empty, empty_claims, get_column, split_valid
from incidents.sql import find_damage, insert_rows, read_rows, split_keys
from incidents.tables import claims as claims_table
from incidents.tables import history as history_table
from incidents.tables import incident_reports, meta, reports, text_of_moment
from incidents.tables import incidents as incidents_table

__all__ = ["DEFAULT_URL", "AddResult", "Store"]

DEFAULT_URL = "sqlite:///incidents.db"

_HISTORY_COLUMNS = ("when", "who", "incident_id", "field", "old", "new", "why", "program_version")
_FIXED = frozenset({"incident_id", "added_at"})
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
                _write_history(connection, [(i, "incident", None, "added") for i in ids], who=who, why=why, at=now)
            if ids or intake.reports:
                _bump(connection)
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
        for name in changes:
            if name in _FIXED or get_column(name) is None:
                _refuse_field(name, "must not be changed" if name in _FIXED else "is no column of the contract")
        with translate_errors(self._where), begin_write(self._engine) as connection:
            names = [*_NAMES, "version"]
            rows = list(read_rows(connection, incidents_table, names, key="incident_id", among=[incident_id]))
            if not rows or not rows[0]:
                raise StoreError(f"{self._where}: there is no incident {incident_id}")
            version = rows[0][0][-1]
            if expected_version is not None and version != expected_version:
                raise StoreError(_tell_conflict(connection, incident_id, since=expected_version))
            old = make_frame(decode_columns(rows, COLUMNS), COLUMNS, sort_by=["incident_id"])
            new = _apply(old, changes)
            before, after = encode_rows(old, COLUMNS)[0], encode_rows(new, COLUMNS)[0]
            changed = {n: (b, a) for n, b, a in zip(_NAMES, before, after, strict=True) if b != a}
            if not changed:
                return
            touched = [c.name for c in COLUMNS if set(get_names([c])) & changed.keys()]
            if "review_status" not in changes and new["review_status"].iloc[0] != "edited":
                changed["review_status"] = (new["review_status"].iloc[0], "edited")
                new["review_status"] = new["review_status"].where([False], "edited")
                touched.append("review_status")
            assignments = ", ".join(f'"{name}" = ?' for name in changed)
            connection.exec_driver_sql(
                f"UPDATE incidents SET {assignments}, version = version + 1 WHERE incident_id = ?",  # noqa: S608 - column names of the contract
                (*(value for _, value in changed.values()), incident_id),
            )
            if "report_ids" in changed:
                _relink(connection, incident_id, new["report_ids"].iloc[0])
            lines = [(incident_id, n, _tell_value(old, n), _tell_value(new, n)) for n in touched]
            _write_history(connection, lines, who=who, why=why, at=datetime.now(UTC))
            _bump(connection)

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


def _write_history(
    connection: sa.Connection,
    lines: Sequence[tuple[str, str, str | None, str | None]],
    *,
    who: str,
    why: str,
    at: datetime,
) -> None:
    moment = text_of_moment(at)
    rows = [(moment, who, i, field, old, new, why, incidents.__version__) for i, field, old, new in lines]
    insert_rows(connection, history_table, ["at", *_HISTORY_COLUMNS[1:]], rows)


def _bump(connection: sa.Connection) -> None:
    connection.execute(meta.update().values(revision=meta.c.revision + 1))


def _refuse_field(name: str, rule: str) -> NoReturn:
    failures: list[dict[str, object]] = [{"row": None, "column": name, "value": None, "rule": rule}]
    raise SchemaError(f"{name} {rule}", failures=failures)


def _apply(old: gpd.GeoDataFrame, changes: Mapping[str, object]) -> gpd.GeoDataFrame:
    new = pd.DataFrame(old)
    for name, value in changes.items():
        if name == "geometry":
            if value is not None and not isinstance(value, shapely.Geometry):
                _refuse_field(name, "must be a point or null")
            new[name] = gpd.GeoSeries(gpd.array.from_shapely([value], crs=old.crs), index=new.index)
        else:
            new[name] = pd.Series([value], index=new.index, dtype="object")
    return conform_valid(gpd.GeoDataFrame(new, geometry="geometry"))


def _relink(connection: sa.Connection, incident_id: str, report_ids: Sequence[str]) -> None:
    connection.execute(incident_reports.delete().where(incident_reports.c.incident_id == incident_id))
    links = [(incident_id, report_id) for report_id in dict.fromkeys(report_ids)]
    insert_rows(connection, incident_reports, ["incident_id", "report_id"], links)


def _tell_value(frame: gpd.GeoDataFrame, name: str) -> str | None:
    """Return one value as the text that the history keeps: as in the database, the point as "lon lat"."""
    column = get_column(name)
    values = [v[0] for v in encode_columns(frame, [column])] if column else []
    if not values or values[0] is None:
        return None
    if isinstance(values[0], bool):
        return "true" if values[0] else "false"
    return " ".join(str(value) for value in values)


def _tell_conflict(connection: sa.Connection, incident_id: str, *, since: int) -> str:
    table = history_table.c
    query = (
        sa.select(table.who, table.field, table.new)
        .where(table.incident_id == incident_id, table.field != "incident")
        .order_by(table.history_id.desc())
        .limit(3)
    )
    last = connection.execute(query).all()
    who = last[0].who if last else "somebody else"
    told = ", ".join(f"{row.field} = {row.new if row.new is not None else 'not stated'}" for row in last)
    return (
        f"{who} changed incident {incident_id} meanwhile ({told}); "
        f"load it again before you save (you had version {since})"
    )
