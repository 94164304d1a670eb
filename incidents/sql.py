"""Plain SQL for what must be fast or goes over whole tables: many rows in, many rows out, the check of a book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

__all__ = ["find_damage", "insert_rows", "read_rows", "split_keys"]

_CHUNK = 20_000

_UNRECORDED = """
SELECT incident_id FROM incidents EXCEPT SELECT incident_id FROM history WHERE field = 'incident' AND new = 'added'
"""
_MISLINKED = """
SELECT DISTINCT incident_id FROM (
    SELECT i.incident_id, j.value AS report_id FROM incidents i, json_each(i.report_ids) j
    EXCEPT SELECT incident_id, report_id FROM incident_reports
) UNION SELECT DISTINCT incident_id FROM (
    SELECT incident_id, report_id FROM incident_reports
    EXCEPT SELECT i.incident_id, j.value FROM incidents i, json_each(i.report_ids) j
)
"""


def find_damage(connection: sa.Connection) -> list[str]:
    """Return what is wrong with the database itself and between its tables, one sentence a finding."""
    damage = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    findings = [f"Database: {line}" for line in damage if line != "ok"]
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    findings += [f"Table {row[0]}: row {row[1]} points to a missing row of {row[2]}" for row in broken]
    triggers = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars())
    guards = {"history_no_update", "history_no_delete", "history_no_replace"}
    findings += [f"History is not protected: the trigger {name} is gone" for name in sorted(guards - triggers)]
    unrecorded = connection.exec_driver_sql(_UNRECORDED).scalars()
    findings += [f"Incident {i} has no line in the history that tells of its arrival" for i in unrecorded]
    mislinked = connection.exec_driver_sql(_MISLINKED).scalars()
    findings += [f"Incident {i}: the reports it names and the reports it is linked to differ" for i in mislinked]
    return findings


def split_keys(keys: Iterable[str] | None) -> Iterator[list[str] | None]:
    """Give the keys in parts that fit into one statement; None once for "all"."""
    if keys is None:
        yield None
        return
    unique = list(dict.fromkeys(keys))
    for start in range(0, len(unique), _CHUNK):
        yield unique[start : start + _CHUNK]


def read_rows(
    connection: sa.Connection,
    table: sa.Table,
    names: Sequence[str],
    *,
    key: str | None = None,
    among: Sequence[str] | None = None,
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Give rows in chunks, straight from the driver: a third of the time that SQLAlchemy's rows take."""
    listed = ", ".join(f'"{name}"' for name in names)
    for part in split_keys(among):
        query = f"SELECT {listed} FROM {table.name}"  # noqa: S608 - names of our own tables
        if part is not None:
            query += f' WHERE "{key}" IN ({", ".join("?" * len(part))})'
        result = connection.exec_driver_sql(query, tuple(part or ()))
        cursor = result.cursor
        while cursor is not None and (rows := cursor.fetchmany(_CHUNK)):
            yield rows
        result.close()


def insert_rows(connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
    """Insert rows, straight through the driver."""
    if rows:
        listed = ", ".join(f'"{name}"' for name in names)
        marks = ", ".join("?" * len(names))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({listed}) VALUES ({marks})", rows)  # noqa: S608 - the same
