"""The names on the map, out of the place index where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from geodata.errors import GazetteerError
from geodata.gazetteer import Gazetteer
from geodata.index import check_index, get_cache_dir, get_index_name
from geodata.labels import find_label_towns
from geodata.place import Place

__all__ = ["find_index", "find_towns", "open_index"]


def find_index() -> str:
    """Return the path of the place index; empty where it has not been built yet."""
    path = get_cache_dir() / get_index_name()
    try:
        return str(path) if check_index(path) else ""
    except GazetteerError:
        return ""


@contextmanager
def open_index() -> Iterator[Gazetteer | None]:
    """Open the place index, or give None where it has not been built: names are no reason to wait for building it."""
    gazetteer = None
    try:
        if find_index():
            gazetteer = Gazetteer.open()
    except GazetteerError:
        gazetteer = None
    try:
        yield gazetteer
    finally:
        if gazetteer is not None:
            gazetteer.close()


def find_towns(box: tuple[float, float, float, float], *, limit: int) -> tuple[Place, ...]:
    """Return the towns to name in a box of degrees (west, south, east, north), the largest first.

    None where the place index has not been built yet, or cannot be read.
    """
    try:
        with open_index() as gazetteer:
            if gazetteer is None:
                return ()
            return tuple(place for place, _ in find_label_towns(gazetteer, box, limit=limit))
    except GazetteerError:
        return ()
