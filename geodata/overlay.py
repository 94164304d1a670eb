"""More places: adding files to the place index, taking them out again, and keeping the index in step.

Each addition is one small file in the directory ``added`` beside the index, written whole or not at all, and stays
when the index is built anew. Looking up reads one file only: the index joined with its additions, made when the set of
additions changes and moved into place in one step. ``docs/decisions`` tells why.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import logging
import os
import re
import sqlite3
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from geodata.errors import GazetteerError
from geodata.geonames import (
    LICENCE,
    NAME_COLUMNS,
    Table,
    count_columns,
    open_table,
    read_alternate_names,
    read_dump,
)
from geodata.index import Progress, build_index, check_index, get_index_path
from geodata.locks import hold_lock
from geodata.overlay_csv import looks_like_place_list, read_place_list
from geodata.overlay_file import Addition, NameRow, PlaceRow, open_overlay, read_addition, write_overlay
from geodata.overlay_merge import merge_overlays

__all__ = ["add_file", "list_additions", "prepare_index", "remove_addition", "repair_index"]

_LOGGER = logging.getLogger(__name__)
_ORDER = {"dump": 0, "names": 1, "places": 2}  # names need their places; a user's own come last and stand above all
_FOLDER = "added"
_MADE_BY_USER = "your own table"


def _get_folder(target: Path) -> Path:
    return target.parent / _FOLDER


def _list_files(target: Path) -> list[Path]:
    folder = _get_folder(target)
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".sqlite")
    except OSError:
        return []


def _get_stamp(path: Path, *, name: str | None = None) -> str:
    status = path.stat()
    return f"{name or path.name}|{status.st_size}|{status.st_mtime_ns}"


@lru_cache(maxsize=1)
def _get_rules_stamp() -> str:
    """Stamp the rules of joining: when they change, joined files are made anew."""
    digest = hashlib.sha256()
    for name in ("overlay_merge.py", "geonames.py", "data/sites.tsv"):
        digest.update(files("geodata").joinpath(name).read_bytes())
    return digest.hexdigest()


def _get_merged_path(target: Path, stamps: Sequence[str]) -> Path:
    """Name the joined file by what it is made of; without additions it is the index itself."""
    if not stamps:
        return target
    digest = hashlib.sha256("\n".join([_get_rules_stamp(), *sorted(stamps)]).encode()).hexdigest()[:12]
    return target.with_name(f"{target.stem}+{digest}.sqlite")


def _get_stamps(target: Path) -> list[str]:
    stamps = []
    for path in _list_files(target):
        with contextlib.suppress(FileNotFoundError):  # taken out this very moment
            stamps.append(_get_stamp(path))
    return stamps


def prepare_index(target: Path, *, progress: Progress | None = None) -> Path:
    """Make sure that the index and its additions are there, joined, and tell where.

    Parameters
    ----------
    target : Path
        The index's own file; see `geodata.index.get_index_path`.
    progress : callable, optional
        Called with (steps done, steps in all) while the index is built.

    Returns
    -------
    Path
        The file to look up in. Costs a look into one directory when nothing has changed.

    Raises
    ------
    GazetteerError
        Something has to be built and cannot be.
    """
    merged = _get_merged_path(target, _get_stamps(target))
    if check_index(merged):
        return merged
    if not check_index(target):
        build_index(target, progress=progress)
    if merged == target:
        return target
    with _changing(target):
        merged = _get_merged_path(target, _get_stamps(target))
        if merged != target and not check_index(merged):
            part = _merge(target, _read_all(target))
            with _removed_on_error(part):
                part.replace(merged)
            _sweep(target, keep=merged)
    return merged


def repair_index(target: Path, path: Path) -> Path:
    """Replace a file that turned out to be damaged while it was read; returns the file to look up in."""
    if path == target or "+" not in path.stem:
        build_index(path, force=True)
        return path
    with contextlib.suppress(OSError):
        path.unlink()
    build_index(target, force=True)
    return prepare_index(target)


def list_additions(path: Path | None = None) -> tuple[list[Addition], list[str]]:
    """List what was added to an index.

    Parameters
    ----------
    path : Path, optional
        As in `geodata.gazetteer.Gazetteer.open`.

    Returns
    -------
    tuple of (list of Addition, list of str)
        The additions by name, and the names of files that are damaged: what they held is not in the index, and
        they have to be added again or removed.
    """
    found: list[Addition] = []
    damaged: list[str] = []
    for file in _list_files(get_index_path(path)):
        addition = read_addition(file)
        if addition is None:
            damaged.append(file.stem)
        else:
            found.append(addition)
    return found, damaged


def _read_all(target: Path) -> list[tuple[Path, Addition]]:
    found = []
    for file in _list_files(target):
        addition = read_addition(file)
        if addition is None:
            _LOGGER.warning("%s is damaged: its places are left out. Add it again, or remove %s.", file, file.stem)
            continue
        found.append((file, addition))
    return found


def add_file(
    path: Path,
    *,
    index: Path | None = None,
    name: str | None = None,
    origin: str | None = None,
    last_modified: str = "",
    progress: Progress | None = None,
) -> Addition:
    """Add the places of a file to the index.

    Parameters
    ----------
    path : Path
        A GeoNames country dump or table of alternate names (zip or text), or a user's CSV of places
        (`geodata.overlay_csv.read_place_list`). Which of them it is shows in its columns.
    index : Path, optional
        As in `geodata.gazetteer.Gazetteer.open`.
    name : str, optional
        What the addition is to be called. Default: the country code for a dump (``BF``), with ``-names`` for alternate
        names, ``user-`` and the file's name for a user's table. An addition of the same name is replaced, except that
        a user's table never replaces one of another file unless it is named.
    origin, last_modified : str, optional
        The address it was downloaded from, and what the server said of its age.
    progress : callable, optional
        Called with (steps done, steps in all) if the index has to be built first.

    Returns
    -------
    Addition

    Raises
    ------
    GazetteerError
        The file cannot be used (named with row, column and rule), or the index cannot be written. The index and its
        additions are then as they were.
    """
    target = get_index_path(index)
    if not check_index(target):
        build_index(target, progress=progress)
    try:
        path = path.expanduser()
        if path.is_dir():
            raise GazetteerError(f"{path}: is a directory. Give one file: a GeoNames zip or text, or a CSV of places.")
        size = path.stat().st_size
        if size == 0:
            raise GazetteerError(f"{path}: is empty.")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        file_day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
        kind = _find_kind(path)
    except OSError as error:
        if isinstance(error, GazetteerError):
            raise
        raise GazetteerError(f"{path}: cannot be read ({error.strerror or error}).") from error
    draft = Addition(
        name=_check_name(name) if name else "",
        kind=kind,
        origin=origin or str(path.absolute()),
        dated=file_day,
        added_at=datetime.now(UTC).isoformat(timespec="seconds"),
        size=size,
        sha256=digest,
        licence=_MADE_BY_USER if kind == "places" else LICENCE,
        last_modified=last_modified,
    )
    with _changing(target):
        part = _make_part(_get_folder(target))
        with _removed_on_error(part):
            addition = _convert(path, draft, part, target)
            _sync(part)
            _commit(target, addition.name, part)
    return addition


def remove_addition(name: str, *, index: Path | None = None) -> Addition | None:
    """Take an addition out of the index.

    Parameters
    ----------
    name : str
        As `list_additions` tells it; upper and lower case do not matter.
    index : Path, optional
        As in `geodata.gazetteer.Gazetteer.open`.

    Returns
    -------
    Addition or None
        What was taken out; None where a damaged file was.

    Raises
    ------
    GazetteerError
        There is no addition of this name, or the directory cannot be written.
    """
    target = get_index_path(index)
    if not _list_files(target):
        raise GazetteerError(f"Nothing called {name!r} was added to the index, nor anything else.")
    with _changing(target):
        held_files = {file.stem.casefold(): file for file in _list_files(target)}
        file = held_files.get(name.strip().casefold())
        if file is None:
            held = ", ".join(f.stem for f in held_files.values())
            raise GazetteerError(f"Nothing called {name!r} was added to the index; there is {held}.")
        addition = read_addition(file)
        _commit(target, file.stem, None)
    return addition


def _find_kind(path: Path) -> str:
    columns, first = count_columns(path)
    if not columns:
        raise GazetteerError(f"{path.name}: holds no rows.")
    if columns == 19:
        return "dump"
    if looks_like_place_list(first):
        return "places"
    if columns == len(NAME_COLUMNS):
        return "names"
    if columns > 1:
        raise GazetteerError(
            f"{path.name}, row 1: has {columns} tab-separated columns. A GeoNames dump has 19, "
            "its table of alternate names 10."
        )
    raise GazetteerError(
        f"{path.name}, row 1: is neither a GeoNames table (tabs between 19 or 10 columns) nor the header of a CSV "
        "with name, lat and lon."
    )


def _convert(path: Path, draft: Addition, part: Path, target: Path) -> Addition:
    """Read the file into an addition's file."""
    if draft.kind == "places":
        name = draft.name or _check_name(f"user-{path.stem}")
        _refuse_to_replace(target, name, draft, named=bool(draft.name))
        with open_overlay(target) as connection:
            admin1 = dict(connection.execute("SELECT code, name FROM admin1"))
        found = read_place_list(path, key=name, admin1=admin1)
        places = sum(isinstance(row, PlaceRow) for row in found.rows)
        done = replace(draft, name=name, places=places, names=len(found.rows) - places, notes=tuple(found.notes[:50]))
        return write_overlay(part, found.rows, lambda: done)
    with open_table(path, dated=draft.dated) as table:
        read = read_dump if draft.kind == "dump" else read_alternate_names
        counted = _Counter(read(table))
        return write_overlay(part, counted, lambda: _finish_table(draft, table, counted))


class _Counter:
    """Counts rows while they pass."""

    def __init__(self, rows: Iterator[PlaceRow | NameRow]) -> None:
        self._rows = rows
        self.places = self.names = 0
        self.countries: set[str] = set()

    def __iter__(self) -> Iterator[PlaceRow | NameRow]:
        for row in self._rows:
            if isinstance(row, PlaceRow):
                self.places += 1
                if row.country:
                    self.countries.add(row.country)
            else:
                self.names += 1
            yield row


def _finish_table(draft: Addition, table: Table, counted: _Counter) -> Addition:
    if not counted.names:
        raise GazetteerError(f"{table.label}: holds no places or names that the index could take.")
    stem = table.member.rpartition(".")[0]
    if draft.kind == "dump" and len(counted.countries) == 1:
        stem = next(iter(counted.countries))
    suffix = "-names" if draft.kind == "names" and not stem.endswith("-names") else ""
    return replace(
        draft,
        name=draft.name or _check_name(f"{stem}{suffix}"),
        dated=table.newest or table.dated,
        places=counted.places,
        names=counted.names,
        skipped=table.skipped,
    )


def _refuse_to_replace(target: Path, name: str, draft: Addition, *, named: bool) -> None:
    """Keep one user's table from taking the place of another that happens to have the same file name."""
    held = read_addition(_get_folder(target) / f"{name}.sqlite")
    if held is None or named or held.origin == draft.origin or held.sha256 == draft.sha256:
        return
    raise GazetteerError(
        f"{name} was added already, from {held.origin}. Give this one a name of its own (--name), "
        "or that name to replace it."
    )


def _check_name(name: str) -> str:
    """Make a name that is safe as a file name: letters and digits of any script, and hyphens."""
    plain = unicodedata.normalize("NFC", name)
    safe = re.sub(r"[\W_]+", "-", plain).strip("-")[:60]
    if not safe:
        raise GazetteerError(f"{name!r} cannot be the name of an addition: it has no letters or digits.")
    return safe


# ---- changing the files ---------------------------------------------------------------------------------------------


@contextmanager
def _changing(target: Path) -> Iterator[None]:
    """Let one process at a time change the additions; faults of the disk become one clear error."""
    folder = _get_folder(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold_lock(folder / ".lock"):
            for left in folder.glob("*.part"):  # of a process that was killed: whoever is alive waits for this lock
                left.unlink(missing_ok=True)
            yield
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, GazetteerError):
            raise
        message = (
            f"The place index cannot be written to {target.parent}: {error}. Make room or make the directory writable; "
            "the environment variable INCIDENTS_CACHE_DIR names another."
        )
        raise GazetteerError(message) from error


@contextmanager
def _removed_on_error(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def _make_part(folder: Path) -> Path:
    handle, name = tempfile.mkstemp(suffix=".part", dir=folder)
    os.close(handle)
    return Path(name)


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _merge(target: Path, overlays: list[tuple[Path, Addition]]) -> Path:
    part = _make_part(_get_folder(target))
    with _removed_on_error(part):
        if not check_index(target):
            build_index(target)
        merge_overlays(target, sorted(overlays, key=lambda o: (_ORDER.get(o[1].kind, 9), o[1].name)), part)
    return part


def _commit(target: Path, name: str, part: Path | None) -> None:
    """Put an addition in the place of the one of its name (None: take that one out), with the joined index to it.

    The joined index is made first, so that a full disk shows before anything has changed. The two moves that follow are
    each whole; between them the index is the old one, or is joined anew at the next opening.
    """
    final = _get_folder(target) / f"{name}.sqlite"
    others = [(f, a) for f, a in _read_all(target) if f.stem.casefold() != name.casefold()]
    stamps = [_get_stamp(f) for f in _list_files(target) if f.stem.casefold() != name.casefold()]
    joined = list(others)
    if part is not None:
        addition = read_addition(part)
        if addition is None:
            raise GazetteerError(f"{name} could not be written whole to {target.parent}.")
        joined.append((part, addition))
        stamps.append(_get_stamp(part, name=final.name))
    merged = _get_merged_path(target, stamps)
    merged_part = _merge(target, joined) if merged != target else None
    with _removed_on_error(merged_part) if merged_part else contextlib.nullcontext():
        replaced = next((f for f in _list_files(target) if f.stem.casefold() == name.casefold() and f != final), None)
        if part is not None:
            part.replace(final)
        else:
            final.unlink()
        if replaced is not None:
            replaced.unlink(missing_ok=True)
        if merged_part is not None:
            merged_part.replace(merged)
    _sweep(target, keep=merged)


def _sweep(target: Path, *, keep: Path) -> None:
    """Delete joined files of earlier sets of additions; readers that have one open keep it (POSIX), or it stays."""
    for old in target.parent.glob(f"{glob.escape(_prefix(target))}*+*.sqlite"):
        if old != keep:
            with contextlib.suppress(OSError):
                old.unlink()


def _prefix(target: Path) -> str:
    return "places-" if target.stem.startswith("places-") else target.stem
