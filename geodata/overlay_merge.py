# ruff: noqa: E501 - SQL is easier to check unbroken
"""Joining the place index and what was added to it into one file, so that looking up costs the same as before.

A place that the index already has (same GeoNames id) is completed, not doubled: it keeps its kind and its name, and
gains names, feature code and district, and people where none were counted: of two figures nobody knows here which is
newer. What people wrote by hand, in our tables or their own, is never
overruled by a download.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from geodata.geonames import list_site_names
from geodata.index import KINDS, SOURCES
from geodata.keys import ALTERNATE, ARTICLE, HISTORIC, MATCHES, PRIMARY, RAW_NAME, STRIPPED, KeyWriter
from geodata.overlay_file import Addition, open_overlay

__all__ = ["merge_overlays"]

_ADMIN1, _ADMIN2, _SETTLEMENT, _SITE = (KINDS.index(k) for k in ("admin1", "admin2", "settlement", "site"))
_AREAS = frozenset({"admin1", "admin2", "macro_region"})
_QUARTER = "PPLX"


def merge_overlays(base: Path, overlays: Sequence[tuple[Path, Addition]], target: Path) -> None:
    """Write the index and its additions to one new file.

    Parameters
    ----------
    base : Path
        The whole place index; only read.
    overlays : sequence of (Path, Addition)
        Dumps before alternate names before users' places: later ones rest on earlier ones.
    target : Path
        The new file; overwritten. It is a whole index when this returns.

    Raises
    ------
    OSError, sqlite3.Error
        The file cannot be written, or one cannot be read.
    """
    shutil.copyfile(base, target)
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;")
        connection.execute(RAW_NAME)
        connection.execute("BEGIN")
        # our own entries have numbers below 0, and some of them a GeoNames id beside
        curated = dict(connection.execute("SELECT gid, id FROM place WHERE id < 0 AND gid IS NOT NULL"))
        merge = _Merge(connection, curated)
        for path, addition in overlays:
            with open_overlay(path) as overlay:
                if addition.kind != "names":
                    merge.add_places(overlay)
                merge.add_names(overlay)
        merge.drop_unknown_areas()
        merge.add_site_names()
        merge.finish([addition for _path, addition in overlays])
        connection.execute("COMMIT")


class _Merge:
    """One merge, step by step."""

    def __init__(self, connection: sqlite3.Connection, curated: dict[int, int]) -> None:
        self.connection = connection
        self.curated = curated
        self.keys = KeyWriter(connection)
        self.historic_areas: set[int] = set()
        connection.execute("CREATE TEMP TABLE new_site (pid INTEGER PRIMARY KEY)")
        connection.execute("CREATE TEMP TABLE new_place (pid INTEGER PRIMARY KEY)")

    def get_id(self, gid: int) -> int:
        return self.curated.get(gid, gid)

    def add_places(self, overlay: sqlite3.Connection) -> None:
        known_area = {code for (code,) in self.connection.execute("SELECT code FROM admin1")}
        rows = overlay.execute(
            "SELECT id, name, kind, lat, lon, cc, a1, a2, pop, fcode, historic, source FROM place ORDER BY id"
        )
        districts: dict[str, int] = {
            a2: id_ for id_, a2 in overlay.execute("SELECT id, a2 FROM place WHERE fcode = 'ADM2' AND a2 IS NOT NULL")
        }
        countries = {g for (g,) in self.connection.execute("SELECT id FROM place WHERE kind = 0")}
        for gid, name, kind, lat, lon, country, a1, a2, population, fcode, historic, source in rows:
            if gid in countries:
                continue
            pid = self.get_id(gid)
            district = districts.get(a2 or "")
            if self.complete(pid, lat, lon, a1, district, population, fcode):
                continue
            self.connection.execute(
                "INSERT INTO place VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (pid, name, KINDS.index(kind), lat, lon, country, a1, district, population, fcode,
                 gid if gid > 0 else None, None, SOURCES.index(source)),
            )  # fmt: skip
            self.connection.execute("INSERT OR IGNORE INTO new_place VALUES (?)", (pid,))
            if kind == "admin1" and a1 and not historic and source == "geonames" and a1 not in known_area:
                self.connection.execute("INSERT INTO admin1 VALUES (?, ?, ?)", (a1, name, pid))
                known_area.add(a1)
            if kind == "site" and source == "geonames" and fcode != _QUARTER:
                self.connection.execute("INSERT OR IGNORE INTO new_site VALUES (?)", (pid,))

    def complete(
        self, pid: int, lat: float, lon: float, a1: str | None, district: int | None, population: int, fcode: str | None
    ) -> bool:
        """Complete a place that is there already; False when there is none."""
        row = self.connection.execute("SELECT kind, lat, area, fcode FROM place WHERE id = ?", (pid,)).fetchone()
        if row is None:
            return False
        kind, has_lat, area, had_code = row
        if had_code == "PPLC" or (pid < 0 and had_code):
            fcode = had_code
        # a district's point so far was the middle of the few places known in it; regions keep the point of their polygon
        moves = pid > 0 and area is None and (has_lat is None or kind in {_ADMIN1, _ADMIN2})
        self.connection.execute(
            "UPDATE place SET fcode = coalesce(?, fcode), pop = CASE WHEN pop > 0 THEN pop ELSE ? END, a1 = coalesce(a1, ?), "
            "a2 = coalesce(a2, ?), lat = CASE WHEN ? THEN ? ELSE lat END, lon = CASE WHEN ? THEN ? ELSE lon END WHERE id = ?",
            (fcode, population, a1, district, moves, lat, moves, lon, pid),
        )
        return True

    def add_names(self, overlay: sqlite3.Connection) -> None:
        get = "SELECT name, kind, cc, fcode FROM place WHERE id = ?"
        last: int | None = None
        place: tuple[str, int, str | None, str | None] | None = None
        for gid, name, match in overlay.execute("SELECT pid, name, match FROM name ORDER BY pid, rowid"):
            pid = self.get_id(gid)
            if pid != last:
                place, last = self.connection.execute(get, (pid,)).fetchone(), pid
            if place is None or place[1] == 0:
                continue  # a name of something that the index does not hold
            number = MATCHES.index(match)
            if number == PRIMARY and name != place[0]:
                number = ALTERNATE  # the name in the index was given by hand, or is another
            self.keys.add(name, pid, number, place[2], area=KINDS[place[1]] in _AREAS)
        self.keys.flush()
        self.put_names()

    def put_names(self) -> None:
        """Move the keys collected so far into the index.

        Historic names: a name that GeoNames marks as historic in every language loses its rank, except where it is the place's
        current name or was entered by hand.
        """
        run = self.connection.execute
        run("CREATE INDEX temp.raw_key ON raw_name (key, pid)")
        run(
            "DELETE FROM raw_name WHERE m = ? AND EXISTS (SELECT 1 FROM raw_name r WHERE r.key = raw_name.key AND r.pid = raw_name.pid AND r.m < ?)",
            (HISTORIC, HISTORIC),
        )
        # a site called like a town of its country is asked for by its kind ("Lozova station"), never instead of the town
        town = (
            "EXISTS (SELECT 1 FROM {} n CROSS JOIN place t ON t.id = n.pid WHERE n.key = raw_name.key AND t.kind = ? "
            "AND t.cc = (SELECT cc FROM place WHERE id = raw_name.pid))"
        )
        run(
            f"DELETE FROM raw_name WHERE pid IN (SELECT pid FROM new_site) AND ({town.format('main.name')} OR {town.format('temp.raw_name')})",  # noqa: S608 - two fixed names
            (_SETTLEMENT, _SETTLEMENT),
        )
        run("DROP INDEX temp.raw_key")
        run(
            "INSERT INTO name SELECT key, pid, min(m) FROM raw_name WHERE true GROUP BY key, pid "
            "ON CONFLICT (key, pid) DO UPDATE SET m = CASE WHEN excluded.m = ? AND m IN (?, ?, ?) THEN excluded.m ELSE min(m, excluded.m) END",
            (HISTORIC, ALTERNATE, STRIPPED, ARTICLE),
        )
        run("DELETE FROM raw_name")

    def add_site_names(self) -> None:
        sites = self.connection.execute("SELECT id, name, fcode FROM place JOIN new_site ON pid = id").fetchall()
        for pid, name, fcode in sites:
            for key in list_site_names(name, fcode):
                self.keys.add_key(key, pid, ALTERNATE)
        self.keys.flush()
        self.put_names()

    def drop_unknown_areas(self) -> None:
        """Take away codes of regions that nobody knows: dumps have a few that were changed long ago."""
        self.connection.execute(
            "UPDATE place SET a1 = NULL WHERE a1 IS NOT NULL AND a1 NOT IN (SELECT code FROM admin1) "
            "AND id IN (SELECT pid FROM new_place)"
        )

    def finish(self, additions: list[Addition]) -> None:
        run = self.connection.execute
        counts = {
            kind: run("SELECT count(*) FROM place WHERE kind = ?", (number,)).fetchone()[0]
            for number, kind in enumerate(KINDS)
        }
        meta = {
            "counts": json.dumps(counts),
            "places": sum(counts.values()),
            "names": run("SELECT count(*) FROM name").fetchone()[0],
            "max_id": run("SELECT max(id) FROM place").fetchone()[0],
            "additions": json.dumps([asdict(a) for a in additions], ensure_ascii=False),
        }
        self.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [(k, str(v)) for k, v in meta.items()])
