"""Answers of online geocoders, kept on disk so that no name is asked twice."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from geodata.errors import GazetteerError

__all__ = ["AnswerCache"]


class AnswerCache:
    """Answers on disk, with their age, shared by processes.

    Parameters
    ----------
    path : Path
        SQLite file; made with its directory.
    found_age, missing_age : timedelta
        How long an answer, and a "nothing found", are believed.
    clock : callable
        Gives the time in seconds since 1970.
    """

    def __init__(
        self,
        path: Path,
        *,
        found_age: timedelta = timedelta(days=180),
        missing_age: timedelta = timedelta(days=14),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._ages = {True: found_age.total_seconds(), False: missing_age.total_seconds()}
        self._clock = clock
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, asked_at REAL, body TEXT)")
        except (OSError, sqlite3.Error) as error:
            raise GazetteerError(f"Answers of the geocoder cannot be kept in {path}: {error}.") from error

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=30)
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    def get(self, key: str) -> list[dict[str, Any]] | None:
        """Get a kept answer that is not too old; None when there is none. An empty list is "nothing found"."""
        try:
            with self._open() as connection:
                row = connection.execute("SELECT asked_at, body FROM answer WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            answer: list[dict[str, Any]] = json.loads(row[1])
        except (sqlite3.Error, ValueError):
            return None  # a damaged cache costs one more request, not the answer
        return answer if self._clock() - row[0] <= self._ages[bool(answer)] else None

    def put(self, key: str, answer: list[dict[str, Any]]) -> None:
        """Keep an answer."""
        try:
            with self._open() as connection:
                connection.execute(
                    "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, self._clock(), json.dumps(answer))
                )
        except sqlite3.Error as error:
            raise GazetteerError(f"Answers of the geocoder cannot be kept in {self.path}: {error}.") from error
