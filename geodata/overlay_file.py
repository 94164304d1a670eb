"""What one addition to the place index is on disk: a small SQLite file of raw rows, written whole or not at all.

Names are kept as they are written, not as keys: when the way names are compared changes, the index is made anew from
these files, and nothing has to be added again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Addition", "NameRow", "PlaceRow", "open_overlay", "read_addition", "write_overlay"]

_APPLICATION_ID = 0x41544C41  # "ATLA"
_FORMAT = "1"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE place (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, lat REAL NOT NULL, lon REAL NOT NULL, cc TEXT,
    a1 TEXT, a2 TEXT, pop INTEGER NOT NULL, fcode TEXT, historic INTEGER NOT NULL, source TEXT NOT NULL
);
CREATE TABLE name (pid INTEGER NOT NULL, name TEXT NOT NULL, match TEXT NOT NULL);
"""
_PUT_PLACE = "INSERT OR REPLACE INTO place VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"


class PlaceRow(NamedTuple):
    """One place to add.

    Attributes
    ----------
    id : int
        GeoNames id; below 0 for places of the user's own.
    name, kind : str
        As in `geodata.place.Place`.
    lat, lon : float
        Degrees, WGS84.
    country : str or None
        ISO 3166-1 alpha-2.
    admin1, admin2 : str or None
        Codes: ``BF.12``, ``BF.12.85``.
    population : int
        0 where unknown.
    feature_code : str or None
        GeoNames feature code.
    historic : bool
        The place is no more, so all its names lead to it last.
    source : str
        ``geonames`` or ``user``.
    """

    id: int
    name: str
    kind: str
    lat: float
    lon: float
    country: str | None = None
    admin1: str | None = None
    admin2: str | None = None
    population: int = 0
    feature_code: str | None = None
    historic: bool = False
    source: str = "geonames"


class NameRow(NamedTuple):
    """One more name of a place; `match` is a member of `geodata.keys.MATCHES`."""

    place: int
    name: str
    match: str


@dataclass(frozen=True, slots=True)
class Addition:
    """What was added to the index, from where and from when.

    Attributes
    ----------
    name : str
        What it is called in `status` and `remove`: ``BF``, ``BF-names``, ``user-villages``.
    kind : str
        ``dump`` (GeoNames places), ``names`` (GeoNames alternate names) or ``places`` (a user's own table).
    origin : str
        The file, or the address it was downloaded from.
    dated : str
        The age of the data: day of the newest entry, else the file's own day; ISO 8601.
    added_at : str
        UTC, ISO 8601.
    size : int
        Bytes of the file as it came.
    sha256 : str
        Of the file as it came.
    licence : str
        Under which the data may be used, and who is to be named.
    places, names, skipped : int
        Rows kept and rows left out because they are of kinds that the index does not hold (rivers, hills, codes).
    last_modified : str
        What the server said, for downloads; else empty.
    notes : tuple of str
        What a person should look at, in plain sentences.
    """

    name: str
    kind: str
    origin: str
    dated: str
    added_at: str
    size: int
    sha256: str
    licence: str
    places: int = 0
    names: int = 0
    skipped: int = 0
    last_modified: str = ""
    notes: tuple[str, ...] = field(default=())


def write_overlay(path: Path, rows: Iterable[PlaceRow | NameRow], finish: Callable[[], Addition]) -> Addition:
    """Write one addition to a new or empty file.

    Parameters
    ----------
    path : Path
        The file.
    rows : iterable of PlaceRow or NameRow
        Read once; of two places with one id the later stays.
    finish : callable
        Called after the last row; tells what was added.

    Returns
    -------
    Addition
        As `finish` gave it.

    Raises
    ------
    OSError, sqlite3.Error
        The file cannot be written.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA application_id={_APPLICATION_ID};"
        )
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN")
        for batch in _batch(rows):
            places = [r for r in batch if isinstance(r, PlaceRow)]
            connection.executemany(_PUT_PLACE, places)
            names = [r for r in batch if isinstance(r, NameRow)]
            connection.executemany("INSERT INTO name VALUES (?,?,?)", names)
        addition = finish()
        meta = {"format": _FORMAT, "addition": json.dumps(asdict(addition), ensure_ascii=False), "complete": "1"}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        connection.execute("COMMIT")
    return addition


def _batch(rows: Iterable[PlaceRow | NameRow]) -> Iterator[list[PlaceRow | NameRow]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, 20_000)):
        yield batch


@contextmanager
def open_overlay(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an addition for reading."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        yield connection


def read_addition(path: Path) -> Addition | None:
    """Tell what an addition's file holds; None where it is damaged, cut short or something else."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(100)
        if len(header) < 100 or int.from_bytes(header[68:72], "big") != _APPLICATION_ID:
            return None
        if int.from_bytes(header[28:32], "big") * int.from_bytes(header[16:18], "big") != size:
            return None
        with open_overlay(path) as connection:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
        if meta.get("complete") != "1" or meta.get("format") != _FORMAT:
            return None
        known: dict[str, Any] = {f.name: None for f in fields(Addition)}
        values = {key: value for key, value in json.loads(meta["addition"]).items() if key in known}
        return Addition(**{**values, "notes": tuple(values.get("notes", ()))})
    except (OSError, sqlite3.Error, ValueError, TypeError, KeyError):
        return None
