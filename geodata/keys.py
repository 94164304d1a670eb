"""The keys of the index: under which folded names a place can be found, and how good each of them is.

Used alike by the build of the index (`geodata.index`) and by what is added to it later (`geodata.overlay`).
"""

from __future__ import annotations

import csv
import sqlite3
from importlib.resources import files

from geodata.names import ARTICLE_COUNTRIES, article_key, fold, has_article, strip_type_words

__all__ = [
    "ALTERNATE",
    "ARTICLE",
    "CURATED",
    "HISTORIC",
    "MATCHES",
    "PRIMARY",
    "RAW_NAME",
    "STRIPPED",
    "USER",
    "KeyWriter",
    "is_worth_keeping",
    "read_table",
]

MATCHES = ("user", "curated", "primary", "alternate", "stripped", "article", "historic")
"""How a name leads to a place, best first. ``stripped``: an area's name without the word for its kind."""

USER, CURATED, PRIMARY, ALTERNATE, STRIPPED, ARTICLE, HISTORIC = range(7)

RAW_NAME = "CREATE TEMP TABLE raw_name (key TEXT NOT NULL, pid INTEGER NOT NULL, m INTEGER NOT NULL)"
"""Where a `KeyWriter` writes to: keys as they come, with repetitions."""


def read_table(name: str) -> list[dict[str, str]]:
    """Read one of the tab-separated tables shipped in ``geodata/data``; lines starting with ``#`` are comments."""
    resource = files("geodata").joinpath(f"data/{name}")
    if not resource.is_file():
        return []
    lines = [line for line in resource.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


class KeyWriter:
    """Turns names into keys and writes them to the table ``raw_name`` in large steps.

    Parameters
    ----------
    connection : sqlite3.Connection
        Has the table `RAW_NAME`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.curated_names = read_table("curated_names.tsv")
        self._blocked = self._collect("block")
        self._historic = self._collect("historic")
        self._rows: list[tuple[str, int, int]] = []

    def _collect(self, action: str) -> frozenset[tuple[int, str]]:
        return frozenset(
            (int(row["geonameid"]), fold(row["name"])) for row in self.curated_names if row["action"] == action
        )

    def add(self, name: str, pid: int, match: int, country: str | None, *, area: bool = False) -> None:
        """Add the keys of one name of a place.

        Parameters
        ----------
        name : str
            As written.
        pid : int
            The place's number in the index.
        match : int
            How good the name is: a position in `MATCHES`.
        country : str or None
            ISO 3166-1 alpha-2; where names carry the Arabic article, a key without it is added.
        area : bool
            Also add the name without the word for its kind ("Donetsk" for "Donetsk Oblast").
        """
        key = fold(name)
        if not key or (pid, key) in self._blocked:
            return
        if (pid, key) in self._historic:
            match = HISTORIC
        self._rows.append((key, pid, match))
        if country in ARTICLE_COUNTRIES and has_article(key):
            article = article_key(key)
            if len(article) > 3:
                self._rows.append((article, pid, max(match, ARTICLE)))
        if area:
            plain = strip_type_words(key)
            if plain and (pid, plain) not in self._blocked:
                self._rows.append((plain, pid, max(match, STRIPPED)))
        if len(self._rows) > 50_000:
            self.flush()

    def add_key(self, key: str, pid: int, match: int) -> None:
        """Add one key as it is."""
        self._rows.append((key, pid, match))

    def flush(self) -> None:
        """Write what has been collected."""
        self.connection.executemany("INSERT INTO raw_name VALUES (?, ?, ?)", self._rows)
        self._rows.clear()


def is_worth_keeping(alternate: str, name: str) -> bool:
    """Leave out codes and machine transliterations among GeoNames' alternate names.

    Three- and four-letter capitals are airport and station codes ("KRQ"); one lower-case Latin word is a
    letter-by-letter transliteration ("swldw"), which ordinary words would meet.
    """
    if alternate.isascii():
        if len(alternate) <= 4 and alternate.isupper() and alternate.isalpha() and not name.isupper():
            return False
        if alternate[:1].islower() and " " not in alternate and "-" not in alternate and "'" not in alternate:
            return False
    return len(alternate) > 1
