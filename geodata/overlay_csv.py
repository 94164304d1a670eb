"""Reading a user's own table of places: name, lat, lon, and what else is known of them.

All or nothing: a row that cannot be used is an error that names it, with the number of further ones, and nothing of
the file enters the index. What looks odd but can be right is told as a note.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from geodata.boundaries import AreaHit, find_areas
from geodata.coordinates import find_problem, parse_coordinate
from geodata.countries import find_country, get_country
from geodata.errors import CoordinateError, GazetteerError
from geodata.names import fold, strip_type_words
from geodata.overlay_file import NameRow, PlaceRow

__all__ = ["KINDS_BY_WORD", "PlaceList", "looks_like_place_list", "read_place_list"]

_MAX_BYTES = 200_000_000
_MAX_CELL = 1_000  # characters

_COLUMNS: Mapping[str, frozenset[str]] = {
    "name": frozenset({"name", "place", "place name"}),
    "lat": frozenset({"lat", "latitude", "y"}),
    "lon": frozenset({"lon", "lng", "long", "longitude", "x"}),
    "admin1": frozenset({"admin1", "admin1 code", "region", "state", "province"}),
    "country": frozenset({"country", "country code", "iso2"}),
    "kind": frozenset({"kind", "type"}),
    "aliases": frozenset({"aliases", "alias", "alternate names", "alternatenames", "other names"}),
    "population": frozenset({"population", "pop"}),
}
KINDS_BY_WORD: Mapping[str, str] = {
    "": "settlement",
    **dict.fromkeys(("settlement", "city", "town", "village", "camp"), "settlement"),
    **dict.fromkeys(("site", "building", "station", "hospital", "bridge", "airfield", "quarter"), "site"),
    **dict.fromkeys(("district", "admin2"), "admin2"),
    **dict.fromkeys(("region", "admin1", "province", "state"), "admin1"),
    **dict.fromkeys(("area", "macro region"), "macro_region"),
    **dict.fromkeys(("water", "sea", "lake", "river"), "water"),
}
"""What may stand in the column kind, folded, and the kind of `geodata.place.Place` that it means."""


@dataclass(slots=True)
class PlaceList:
    """A user's places, read and checked."""

    rows: list[PlaceRow | NameRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Row:
    number: int
    cells: dict[str, str]
    lat: float = 0.0
    lon: float = 0.0
    country: str | None = None
    kind: str = "settlement"
    population: int = 0


class _RowError(Exception):
    """One row cannot be used."""


def _match_header(header: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, title in enumerate(header):
        for column, titles in _COLUMNS.items():
            if fold(title) in titles and column not in found:
                found[column] = at
    return found


def _find_delimiter(line: str) -> str | None:
    """Find what separates the columns: what lets the header name all three that are needed."""
    for delimiter in (",", ";", "\t"):
        header = next(csv.reader([line], delimiter=delimiter), [])
        if {"name", "lat", "lon"} <= _match_header(header).keys():
            return delimiter
    return None


def looks_like_place_list(first_row: str) -> bool:
    """Tell whether a first row is the header of a table of places: it names name, lat and lon."""
    return _find_delimiter(first_row.lstrip("\ufeff")) is not None


def read_place_list(path: Path, *, key: str, admin1: Mapping[str, str]) -> PlaceList:
    """Read a user's table of places.

    Parameters
    ----------
    path : Path
        CSV with a header (comma, semicolon or tab; UTF-8). ``name``, ``lat`` and ``lon`` (degrees, WGS84) are needed;
        ``admin1`` (code or name), ``country`` (code or name), ``kind`` (see `KINDS_BY_WORD`), ``population`` and
        ``aliases`` (separated by ``|``) may be there. Other columns are passed over, and named in the notes.
    key : str
        Part of the places' numbers, so that two tables never share one.
    admin1 : mapping of str to str
        Codes of the first-level areas and their names.

    Returns
    -------
    PlaceList

    Raises
    ------
    GazetteerError
        Naming the file, the row, the column and the rule.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise GazetteerError(f"{path.name}: is larger than {_MAX_BYTES // 1_000_000} MB.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        row = error.object[: error.start].count(b"\n") + 1
        raise GazetteerError(f"{path.name}, row {row}: is not UTF-8 text. Save the table as CSV in UTF-8.") from error
    found = PlaceList()
    rows, faults = _parse(text, path, found)
    if not faults:
        _complete(rows, found, admin1)
        faults = _emit(rows, found, key=key, admin1=admin1)
    if faults:
        more = f" ({len(faults) - 1} more rows cannot be used either)" if len(faults) > 1 else ""
        raise GazetteerError(f"{path.name}, {faults[0]}{more}. Nothing of the file was added.")
    if not rows:
        raise GazetteerError(f"{path.name}: has a header but no places.")
    return found


def _parse(text: str, path: Path, found: PlaceList) -> tuple[list[_Row], list[str]]:
    delimiter = _find_delimiter(text.split("\n", 1)[0].rstrip("\r"))
    if delimiter is None:
        raise GazetteerError(f"{path.name}, row 1: a table of places needs the columns name, lat and lon.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[_Row] = []
    faults: list[str] = []
    try:
        header = next(reader)
        columns = _match_header(header)
        extra = [title for at, title in enumerate(header) if at not in columns.values() and title.strip()]
        if extra:
            found.notes.append(f"Columns passed over: {', '.join(title[:40] for title in extra[:10])}.")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            number = reader.line_num
            if len(cells) != len(header):
                faults.append(f"row {number}: has {len(cells)} columns, but the header has {len(header)}")
                continue
            row = _Row(number, {column: cells[at].strip() for column, at in columns.items()})
            try:
                _check(row)
            except _RowError as error:
                faults.append(f"row {number}, {error}")
            rows.append(row)
    except csv.Error as error:
        raise GazetteerError(f"{path.name}, row {reader.line_num}: is not CSV ({error}).") from error
    return rows, faults


def _check(row: _Row) -> None:
    cells = row.cells
    for column, value in cells.items():
        if len(value) > _MAX_CELL * (20 if column == "aliases" else 1):
            raise _RowError(f"column {column}: is longer than {_MAX_CELL} characters")
        if not value.isprintable():
            raise _RowError(f"column {column}: {value[:40]!r} contains a control character")
    if not fold(cells["name"]):
        raise _RowError(f"column name: {cells['name']!r} has no letters")
    for axis in ("lat", "lon"):
        try:
            if not cells[axis]:
                raise _RowError(f"column {axis}: is empty; a place needs its point")
            setattr(row, axis, parse_coordinate(cells[axis], axis=axis))
        except CoordinateError as error:
            raise _RowError(f"column {axis}: {str(error).rstrip('.')}") from error
    country = cells.get("country", "")
    if country:
        known = get_country(country) or next(iter(find_country(country)), None)
        if known is None:
            raise _RowError(f"column country: {country!r} is no country; write its two-letter code")
        row.country = known.iso2
    problem = find_problem(row.lat, row.lon, country=row.country)
    if problem is not None:
        raise _RowError(f"columns lat and lon: {problem.message.rstrip('.')}")
    kind = fold(cells.get("kind", ""))
    if kind not in KINDS_BY_WORD:
        words = ", ".join(w for w in KINDS_BY_WORD if w)
        raise _RowError(f"column kind: {cells['kind']!r} is not one of {words}")
    row.kind = KINDS_BY_WORD[kind]
    people = cells.get("population", "").replace(",", "").replace(" ", "") or "0"
    if not (people.isascii() and people.isdigit() and len(people) <= 12):
        raise _RowError(f"column population: {cells['population']!r} is not a whole number")
    row.population = int(people)


def _complete(rows: list[_Row], found: PlaceList, admin1: Mapping[str, str]) -> None:
    """Take the country from the point where the table does not tell it; say where the two differ."""
    hits: list[AreaHit | None] = find_areas([r.lat for r in rows], [r.lon for r in rows]) if rows else []
    for row, hit in zip(rows, hits, strict=True):
        if hit is None:
            continue
        if row.country is None:
            row.country = hit.country
        elif row.country != hit.country:
            found.notes.append(
                f"Row {row.number}: {row.cells['name']} is said to be in {row.country}, but its point lies in "
                f"{hit.country}. It was added as it stands."
            )
        if not row.cells.get("admin1") and row.country == hit.country and hit.admin1_code and hit.admin1_code in admin1:
            row.cells["admin1"] = hit.admin1_code


def _emit(rows: list[_Row], found: PlaceList, *, key: str, admin1: Mapping[str, str]) -> list[str]:
    by_name: dict[tuple[str, str], str] = {}
    for area_code, area_name in admin1.items():
        for spelling in (fold(area_name), strip_type_words(fold(area_name)) or ""):
            if spelling:
                by_name.setdefault((area_code[:2], spelling), area_code)
    faults: list[str] = []
    seen: dict[int, int] = {}
    for row in rows:
        area = row.cells.get("admin1", "")
        code: str | None = area if area in admin1 else None
        if area and code is None and row.country:
            plain = fold(area)
            code = by_name.get((row.country, plain)) or by_name.get((row.country, strip_type_words(plain) or ""))
        if area and (code is None or (row.country and code[:2] != row.country)):
            faults.append(f"row {row.number}, column admin1: {area!r} is no first-level area of {row.country}")
            continue
        name = row.cells["name"]
        number = _make_id(key, name, row.lat, row.lon)
        if number in seen:
            faults.append(f"row {row.number}: repeats row {seen[number]} (same name, same point)")
            continue
        seen[number] = row.number
        found.rows.append(
            PlaceRow(number, name, row.kind, row.lat, row.lon, row.country, code, None, row.population, source="user")
        )
        found.rows.extend(NameRow(number, spelling, "user") for spelling in _list_names(row))
    return faults


def _list_names(row: _Row) -> Iterator[str]:
    names = [row.cells["name"], *row.cells.get("aliases", "").split("|")]
    yield from dict.fromkeys(name.strip() for name in names if fold(name))


def _make_id(key: str, name: str, lat: float, lon: float) -> int:
    """Give a place a number: below those of our own tables, and the same each time the table is read."""
    digest = hashlib.sha256(f"{key}\0{name}\0{lat!r}\0{lon!r}".encode()).digest()
    return -(10**9) - int.from_bytes(digest[:6], "big")
