"""Sort what arrives at the book: which reports and incidents are new, and which are there already.

One report may come twice under different addresses (a copy, a second download). Its text is then the same, and its
incidents are the same incidents: they get the ids that they have under the report that came first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import sqlalchemy as sa

from incidents.coerce import is_null
from incidents.columns import CLAIM_COLUMNS
from incidents.errors import StoreError
from incidents.locate import make_incident_id, vary_incident_id
from incidents.report import Report
from incidents.schema import conform_claims, conform_valid
from incidents.tables import incident_reports, incidents, reports

__all__ = ["Arrival", "Intake", "sort_intake"]

_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """A report with its id and the hash of its content (None where there is none), each worked out once."""

    report_id: str
    content_hash: str | None
    report: Report


@dataclass(slots=True)
class Intake:
    """Incidents, claims and reports on their way into the book.

    Attributes
    ----------
    frame, claims
        Valid; every id once.
    reports : list of Arrival
        After `find_new` only those to be added.
    """

    frame: gpd.GeoDataFrame
    claims: pd.DataFrame
    reports: list[Arrival]

    def find_new(self, connection: sa.Connection) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
        """Return the incidents that the book lacks, and their claims; keep the reports that it lacks.

        To be called in the transaction that adds them, so that nobody can be faster.

        Raises
        ------
        StoreError
            The frame or the claims name a report, or the claims an incident, that is nowhere.
        """
        given = {arrival.report_id for arrival in self.reports}
        named = {r for names in self.frame["report_ids"].tolist() for r in names} | set(
            self.claims["report_id"].dropna()
        )
        present = _find_present(connection, reports.c.report_id, given | named)
        if lost := named - given - present:
            raise StoreError(
                f"The incidents name the report {min(lost)}, which is neither in the book nor handed over with them"
            )
        aliases = self._find_aliases(connection, present)
        self.reports = [a for a in self.reports if a.report_id not in present and a.report_id not in aliases]
        frame, claims = self.frame, self.claims
        if aliases:
            frame, claims = _rename(connection, frame, claims, aliases=aliases)
        ids = frame["incident_id"]
        if strangers := set(claims["incident_id"]) - set(ids):
            raise StoreError(f"A claim belongs to the incident {min(strangers)}, which is not handed over with it")
        known = _find_present(connection, incidents.c.incident_id, ids.tolist())
        new = frame[~ids.isin(known) & ~ids.duplicated()].reset_index(drop=True)
        fresh = claims["incident_id"].isin(new["incident_id"]) & ~claims["claim_id"].duplicated()
        return new, claims[fresh].reset_index(drop=True)

    def _find_aliases(self, connection: sa.Connection, present: set[str]) -> dict[str, str]:
        """Return, for reports whose content came before under another id, that id."""
        hashes = {a.content_hash for a in self.reports if a.content_hash and a.report_id not in present}
        first: dict[str, str] = {}
        wanted = [reports.c.added_at, reports.c.report_id, reports.c.content_hash]
        for _, report_id, content_hash in sorted(_look_up(connection, reports.c.content_hash, wanted, hashes)):
            first.setdefault(content_hash, report_id)
        aliases: dict[str, str] = {}
        for arrival in self.reports:
            if arrival.content_hash is None or arrival.report_id in present:
                continue
            original = first.setdefault(arrival.content_hash, arrival.report_id)
            if original != arrival.report_id:
                aliases[arrival.report_id] = original
        return aliases


def sort_intake(frame: pd.DataFrame, claims: pd.DataFrame, given: Sequence[Report]) -> Intake:
    """Conform what arrives, and drop what came twice in it.

    Raises
    ------
    SchemaError, geodata.errors.CrsError
        The frame breaks the contract: see `incidents.schema.conform_valid`.
    """
    repeated = np.zeros(len(frame), dtype=bool)
    if "incident_id" in frame.columns:
        repeated = (frame["incident_id"].duplicated() & frame["incident_id"].notna()).to_numpy()
    claims = claims[~claims["claim_id"].duplicated()] if "claim_id" in claims else claims
    if not len(claims.columns):
        claims = pd.DataFrame(columns=[c.name for c in CLAIM_COLUMNS], dtype="object")
    arrivals: dict[str, Arrival] = {}
    for report in given:
        report_id = report.report_id
        if report_id not in arrivals:
            told = report.text or report.source_values or report.fields
            arrivals[report_id] = Arrival(report_id, report.content_hash if told else None, report)
    return Intake(
        conform_valid(frame[~repeated] if repeated.any() else frame),
        conform_claims(claims),
        list(arrivals.values()),
    )


def _rename(
    connection: sa.Connection, frame: gpd.GeoDataFrame, claims: pd.DataFrame, *, aliases: dict[str, str]
) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
    """Give incidents of copied reports the ids they have under the original; leave out what cannot be told apart."""
    told = _count_incidents(connection, set(aliases.values()))
    originals = set(aliases.values())
    for names in frame["report_ids"]:
        told |= originals.intersection(names)
    ids: dict[str, str] = {}
    dropped: set[str] = set()
    report_ids: list[list[str]] = []
    for row in frame[["incident_id", "report_ids", "type", "place_name", "date_start", "evidence_start"]].itertuples():
        names = list(row.report_ids)
        report_ids.append(list(dict.fromkeys(aliases.get(n, n) for n in names)))
        if len(names) == 1 and names[0] in aliases:
            renamed = _rename_incident(row, old=names[0], new=aliases[names[0]])
            if renamed:
                ids[row.incident_id] = renamed
            elif aliases[names[0]] in told:
                # a table row with the very values of an earlier one: the same incident
                dropped.add(row.incident_id)
    frame = frame.assign(
        incident_id=frame["incident_id"].map(lambda i: ids.get(i, i)).astype("str"),
        report_ids=pd.Series(report_ids, index=frame.index, dtype="object"),
    )
    claims = claims.assign(
        incident_id=claims["incident_id"].map(lambda i: ids.get(i, i)).astype("str"),
        report_id=claims["report_id"].map(lambda r: aliases.get(r, r)).astype("str"),
    )
    return frame[~frame["incident_id"].isin(dropped)], claims[~claims["incident_id"].isin(dropped)]


def _rename_incident(row: Any, *, old: str, new: str) -> str | None:
    """Return the incident's id under the report `new`, or None where its id does not follow our rule."""
    parts = {
        "type_name": row.type,
        "place_name": None if is_null(row.place_name) else row.place_name,
        "date_start": None if is_null(row.date_start) else row.date_start,
        "evidence_start": None if is_null(row.evidence_start) else row.evidence_start,
    }
    base = make_incident_id(old, **parts)
    for count in range(1, 10):  # like incidents of one sentence are numbered; ten of them are not believable
        if vary_incident_id(base, count) == row.incident_id:
            return vary_incident_id(make_incident_id(new, **parts), count)
    return None


def _count_incidents(connection: sa.Connection, report_ids: set[str]) -> set[str]:
    """Return those of the reports that the book has incidents of."""
    return _find_present(connection, incident_reports.c.report_id, report_ids)


def _find_present(connection: sa.Connection, column: sa.Column[Any], keys: Iterable[str]) -> set[str]:
    """Return those of the keys that the column holds."""
    return {row[0] for row in _look_up(connection, column, [column], keys)}


def _look_up(
    connection: sa.Connection, column: sa.Column[Any], wanted: Sequence[sa.Column[Any]], keys: Iterable[str]
) -> Iterator[tuple[Any, ...]]:
    """Give the wanted columns of the rows whose `column` is among the keys, in plain SQL: there may be many keys."""
    table = column.table.name
    if connection.exec_driver_sql(f"SELECT 1 FROM {table} LIMIT 1").first() is None:  # noqa: S608 - names of our own tables
        return
    names = ", ".join(c.name for c in wanted)
    for part in _split(keys):
        marks = ", ".join("?" * len(part))
        query = f"SELECT {names} FROM {table} WHERE {column.name} IN ({marks})"  # noqa: S608 - the same
        yield from (tuple(row) for row in connection.exec_driver_sql(query, tuple(part)))


def _split(keys: Iterable[str]) -> Iterable[list[str]]:
    listed = list(keys)
    return (listed[start : start + _CHUNK] for start in range(0, len(listed), _CHUNK))
