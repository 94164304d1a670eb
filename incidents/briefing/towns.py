"""The towns named on the map, for orientation."""

from __future__ import annotations

from geodata.errors import GazetteerError
from geodata.gazetteer import Gazetteer
from geodata.index import check_index, get_cache_dir, get_index_name
from geodata.place import Place

__all__ = ["find_towns"]


def find_towns(box: tuple[float, float, float, float], *, limit: int) -> tuple[Place, ...]:
    """Return the largest towns in a box of degrees (west, south, east, north), largest first.

    Towns are a help to the eye: where the place index has not been built yet there are none, rather than a wait of
    half a minute for building it.
    """
    path = get_cache_dir() / get_index_name()
    try:
        if not check_index(path):
            return ()
        with Gazetteer.open(path) as gazetteer:
            return gazetteer.find_largest(box, limit=limit)
    except GazetteerError:
        return ()
