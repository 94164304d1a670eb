"""Change one incident within a transaction, and write down who changed what, when and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NoReturn

import geopandas as gpd
import pandas as pd
import shapely
import sqlalchemy as sa

import incidents
from incidents.columns import COLUMNS
from incidents.errors import SchemaError, StoreError
from incidents.rows import decode_columns, encode_columns, encode_rows, get_names, make_frame
from incidents.schema import conform_valid, get_column
from incidents.sql import insert_rows, read_rows
from incidents.tables import history, incident_reports, meta, text_of_moment
from incidents.tables import incidents as incidents_table

__all__ = ["bump", "change_incident", "check_fields", "tell_value", "write_history"]

_HISTORY_FIELDS = ("at", "who", "incident_id", "field", "old", "new", "why", "program_version")
_FIXED = frozenset({"incident_id", "added_at"})
_NAMES = get_names(COLUMNS)


def check_fields(changes: Mapping[str, object]) -> None:
    """Raise SchemaError where a field may not be changed, or is no column of the contract."""
    for name in changes:
        if name in _FIXED or get_column(name) is None:
            _refuse_field(name, "must not be changed" if name in _FIXED else "is no column of the contract")


def change_incident(
    connection: sa.Connection,
    incident_id: str,
    changes: Mapping[str, object],
    *,
    who: str,
    why: str,
    at: datetime,
    expected_version: int | None = None,
) -> bool:
    """Change fields of one incident: see `incidents.store.Store.update`, which opens the transaction.

    Returns
    -------
    bool
        False where the incident has these values already.
    """
    names = [*_NAMES, "version"]
    rows = list(read_rows(connection, incidents_table, names, key="incident_id", among=[incident_id]))
    if not rows or not rows[0]:
        raise StoreError(f"there is no incident {incident_id}")
    version = rows[0][0][-1]
    if expected_version is not None and version != expected_version:
        raise StoreError(_tell_conflict(connection, incident_id, since=expected_version))
    old = make_frame(decode_columns(rows, COLUMNS), COLUMNS, sort_by=["incident_id"])
    new = _apply(old, changes)
    before, after = encode_rows(old, COLUMNS)[0], encode_rows(new, COLUMNS)[0]
    changed = {n: (b, a) for n, b, a in zip(_NAMES, before, after, strict=True) if b != a}
    if not changed:
        return False
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
    lines = [(incident_id, n, tell_value(old, n), tell_value(new, n)) for n in touched]
    write_history(connection, lines, who=who, why=why, at=at)
    return True


def write_history(
    connection: sa.Connection,
    lines: Sequence[tuple[str | None, str, str | None, str | None]],
    *,
    who: str,
    why: str,
    at: datetime,
) -> None:
    """Add lines of (incident_id, field, old, new); no incident_id where the line is about the whole book."""
    moment = text_of_moment(at)
    rows = [(moment, who, i, field, old, new, why, incidents.__version__) for i, field, old, new in lines]
    insert_rows(connection, history, _HISTORY_FIELDS, rows)


def bump(connection: sa.Connection) -> None:
    """Make caches look again."""
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


def tell_value(frame: gpd.GeoDataFrame, name: str) -> str | None:
    """Return one value as the text that the history keeps: as in the database, the point as "lon lat"."""
    column = get_column(name)
    values = [v[0] for v in encode_columns(frame, [column])] if column else []
    if not values or values[0] is None:
        return None
    if isinstance(values[0], bool):
        return "true" if values[0] else "false"
    return " ".join(str(value) for value in values)


def _tell_conflict(connection: sa.Connection, incident_id: str, *, since: int) -> str:
    table = history.c
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
