# ruff: noqa: E501 - tables of codes are easier to check unbroken
"""Reading GeoNames' files: country dumps and alternate names, as zip or text.

Layouts, codes and the odd rows are those of https://download.geonames.org/export/dump/readme.txt: UTF-8, tab-separated,
no header, no quoting (names contain quotation marks), ``NA`` is Namibia. What is not as described there is one error
that names the file, the row, the column and the rule; nothing is guessed or left out in silence.
"""

from __future__ import annotations

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from geodata.coordinates import check_coordinate
from geodata.errors import CoordinateError, GazetteerError
from geodata.keys import is_worth_keeping, read_table
from geodata.names import fold
from geodata.overlay_file import NameRow, PlaceRow

__all__ = [
    "DUMP_COLUMNS",
    "LICENCE",
    "MAX_RATIO",
    "MAX_UNPACKED",
    "NAME_COLUMNS",
    "Table",
    "classify",
    "count_columns",
    "list_site_names",
    "open_table",
    "read_alternate_names",
    "read_dump",
]

LICENCE = "GeoNames (geonames.org), CC BY 4.0"
MAX_UNPACKED = 4_000_000_000
"""Bytes: more than twice the largest file that GeoNames offers (allCountries.txt, about 1.7 GB)."""
MAX_RATIO = 60
"""Unpacked to packed: GeoNames' own files reach 4 to 6."""
_MAX_LINE = 100_000  # bytes; 10,000 characters of alternate names are the longest column

DUMP_COLUMNS = (
    *("geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude", "feature class", "feature code"),
    *("country code", "cc2", "admin1 code", "admin2 code", "admin3 code", "admin4 code", "population", "elevation"),
    *("dem", "timezone", "modification date"),
)
NAME_COLUMNS = (
    *("alternateNameId", "geonameid", "isolanguage", "alternate name", "isPreferredName", "isShortName"),
    *("isColloquial", "isHistoric", "from", "to"),
)
_NOT_NAMES = frozenset({"post", "iata", "icao", "faac", "tcid", "unlc", "link", "wkdt", "phon"})
"""Pseudo-languages of the alternate names: postal, airport and port codes, links, Wikidata ids, phonetics."""
_BESIDE = frozenset({"readme.txt", "iso-languagecodes.txt"})

_ISLANDS = frozenset({"ISL", "ISLS", "ISLET", "ISLF", "ISLM"})
_KIND_WORDS = re.compile(
    r"^(?:(?:gare|aeroport|aerodrome|pont|hopital|centre hospitalier|camp|barrage|port|universite)(?: routiere| ferroviaire| international| regional)? (?:de la |de l |des |du |de |d )?"
    r"|(?:bahnhof|flughafen|stantsiya|zheleznodorozhnaya stantsiya|vokzal|stantsiia|estacion|estacao|stazione|aeropuerto|aeroporto|mahattat|matar|mustashfa|jisr|sadd)(?: de| di| da| do)? )"
    r"|(?: (?:international airport|regional airport|domestic airport|airport|airfield|airstrip|aerodrome|air base|airbase|railway station|train station|metro station|bus station|railroad station|station"
    r"|bridge|general hospital|hospital|clinic|medical centre|medical center|power station|power plant|dam|prison|refugee camp|camp|military base|naval base|port|university|refinery|vokzal|bahnhof))$"
)
_ONLY_KIND = frozenset(
    [
        "airport",
        "airfield",
        "airstrip",
        "aerodrome",
        "air",
        "base",
        "airbase",
        "railway",
        "train",
        "metro",
        "bus",
        "railroad",
        "station",
        "bridge",
        "general",
        "hospital",
        "clinic",
        "medical",
        "centre",
        "center",
        "power",
        "plant",
        "dam",
        "prison",
        "refugee",
        "camp",
        "camps",
        "military",
        "naval",
        "port",
        "university",
        "refinery",
        "church",
        "mosque",
        "school",
        "market",
        "temple",
        "mine",
        "fort",
        "hotel",
        "tower",
        "monument",
        "palace",
        "factory",
        "bank",
        "gare",
        "aeroport",
        "hopital",
        "pont",
        "eglise",
        "mosquee",
        "ecole",
        "marche",
        "the",
        "la",
        "le",
        "al",
        "el",
        "international",
        "central",
    ]
)


@lru_cache(maxsize=1)
def _load_sites() -> dict[str, tuple[str, ...]]:
    """Load the feature codes kept as sites, with the words for each kind."""
    return {row["code"]: tuple(w for w in (row["words"] or "").split("|") if w) for row in read_table("sites.tsv")}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a feature code becomes: a kind of `geodata.place.Place`, and whether it is no more."""

    kind: str
    historic: bool = False


@lru_cache(maxsize=1024)
def classify(feature_class: str, feature_code: str) -> Rule | None:
    """Tell what a feature is in the index; None for what it does not hold.

    Parameters
    ----------
    feature_class, feature_code : str
        GeoNames' codes, such as ``P`` and ``PPLX``. Codes: geonames.org/export/codes.html.

    Returns
    -------
    Rule or None
        Countries, rivers, hills, fields and unnamed kinds of land are not held: a name of a line or a wide area is
        no point. Abandoned and destroyed villages are ordinary places, since reports are about them.
    """
    if feature_class == "P":
        if feature_code == "PPLX":
            return Rule("site")
        return Rule("settlement", historic=feature_code in {"PPLH", "PPLCH"})
    if feature_class == "A":
        level = re.fullmatch(r"ADM([1-5D])(H?)", feature_code)
        return Rule("admin1" if level[1] == "1" else "admin2", historic=bool(level[2])) if level else None
    if feature_class == "T":
        return Rule("admin2") if feature_code in _ISLANDS else None
    if feature_class in {"S", "L"} and feature_code in _load_sites():
        return Rule("site")
    return None


def list_site_names(name: str, feature_code: str | None) -> tuple[str, ...]:
    """List the folded names that ask for a site by its kind: ``lozova station`` for a station entered as "Lozova".

    Parameters
    ----------
    name : str
        As GeoNames has it, with or without the word for its kind.
    feature_code : str or None
        GeoNames feature code.

    Returns
    -------
    tuple of str
        Folded; empty for kinds without such words.
    """
    words = _load_sites().get(feature_code or "", ())
    key = fold(name)
    plain = _KIND_WORDS.sub("", key).strip()
    if not words or not plain or set(plain.split()) <= _ONLY_KIND:
        return ()
    return tuple(f"{plain} {word}" for word in words)


def _is_only_kind(name: str) -> bool:
    """Tell whether a name says no more than what it is: "Hospital", "Central Station"."""
    return set(fold(name).split()) <= _ONLY_KIND


@dataclass(slots=True)
class Table:
    """An open table of a file.

    Attributes
    ----------
    label : str
        For messages: ``BF.zip (BF.txt)``.
    member : str
        The table's own file name: ``BF.txt``.
    dated : str
        The day of the file, ISO 8601.
    lines : iterator of (int, str)
        Rows with their numbers, counted from 1, without line ends. Empty lines are left out.
    skipped : int
        Rows that were read and left out on purpose, so far.
    newest : str
        The latest modification date met so far, ISO 8601; empty where there is none.
    """

    label: str
    member: str
    dated: str
    lines: Iterator[tuple[int, str]]
    skipped: int = 0
    newest: str = ""


@contextmanager
def open_table(path: Path, *, dated: str = "") -> Iterator[Table]:
    """Open the table in a zip or text file.

    Parameters
    ----------
    path : Path
        A GeoNames zip (the table is found by its name beside readme.txt) or a text file.
    dated : str
        The day of a text file, which has none of its own.

    Raises
    ------
    GazetteerError
        Also while it is read: cut short, damaged, encrypted, unpacking to more than allowed, not UTF-8.
    """
    try:
        with path.open("rb") as raw:
            if raw.read(4) not in {b"PK\x03\x04", b"PK\x05\x06"}:
                raw.seek(0)
                yield Table(path.name, path.name, dated, _read_lines(raw, path.name, MAX_UNPACKED))
                return
            raw.seek(0)
            with zipfile.ZipFile(raw) as archive:
                member = _choose_member(archive, path)
                label = f"{path.name} ({Path(member.filename).name})"
                limit = min(MAX_UNPACKED, max(1_000_000, path.stat().st_size * MAX_RATIO))
                if member.file_size > limit:
                    raise _make_bomb(label, limit)
                if member.flag_bits & 1:
                    raise GazetteerError(f"{label}: is encrypted. Unpack it first.")
                day = "{:04d}-{:02d}-{:02d}".format(*member.date_time[:3])
                with archive.open(member) as stream:
                    yield Table(label, Path(member.filename).name, day, _read_lines(stream, label, limit))
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError) as error:
        message = f"{path.name}: the zip is damaged or cut short ({error or type(error).__name__}). Fetch it again."
        raise GazetteerError(message) from error


def _make_bomb(label: str, limit: int) -> GazetteerError:
    return GazetteerError(f"{label}: unpacks to more than {limit:,} bytes, which no GeoNames file of this size does.")


def _choose_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    """Choose the table by its name: ``BF.txt`` in BF.zip, else the only text that is no readme."""
    tables = [
        m for m in archive.infolist()
        if not m.is_dir() and m.filename.lower().endswith(".txt") and Path(m.filename).name.lower() not in _BESIDE
    ]  # fmt: skip
    named = [m for m in tables if Path(m.filename).stem.lower() == path.stem.lower()]
    chosen = named if len(named) == 1 else tables
    if len(chosen) != 1:
        held = ", ".join(m.filename for m in archive.infolist()[:10]) or "nothing"
        raise GazetteerError(
            f"{path.name}: a GeoNames zip holds one table such as BF.txt beside its readme; this holds {held}."
        )
    return chosen[0]


def _read_lines(stream: IO[bytes], label: str, limit: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a stream; sizes are counted while reading, since a zip's own word may be a lie."""
    total = 0
    row = 0
    while line := _read_line(stream, label, row + 1):
        row += 1
        total += len(line)
        if total > limit:
            raise _make_bomb(label, limit)
        if len(line) > _MAX_LINE:
            raise GazetteerError(f"{label}, row {row}: longer than {_MAX_LINE:,} bytes. This is no table of places.")
        try:
            text = line.decode("utf-8-sig" if row == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise GazetteerError(f"{label}, row {row}: is not UTF-8 text ({error.reason}).") from error
        if text:
            yield row, text


def _read_line(stream: IO[bytes], label: str, row: int) -> bytes:
    try:
        return stream.readline(_MAX_LINE + 1)
    except OSError as error:
        raise GazetteerError(f"{label}, row {row}: cannot be read ({error.strerror or error}).") from error


def count_columns(path: Path) -> tuple[int, str]:
    """Count the tab-separated columns of the first row.

    Returns
    -------
    tuple of (int, str)
        The number of columns, and the first row. 0 and "" for an empty table.
    """
    with open_table(path) as table:
        for _row, text in table.lines:
            return text.count("\t") + 1, text
    return 0, ""


def _fail(label: str, row: int, column: str, value: str, rule: str) -> GazetteerError:
    shown = value if len(value) <= 60 else value[:57] + "..."
    return GazetteerError(f"{label}, row {row}, column {column}: {shown!r} {rule}.")


def _split(table: Table, row: int, text: str, columns: tuple[str, ...]) -> list[str]:
    cells = text.split("\t")
    if len(cells) != len(columns):
        what = "a GeoNames dump" if len(columns) == 19 else "a GeoNames table of alternate names"
        raise GazetteerError(f"{table.label}, row {row}: has {len(cells)} columns, but {what} has {len(columns)}.")
    return cells


def _read_id(table: Table, row: int, column: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 15 and int(value) > 0):
        raise _fail(table.label, row, column, value, "is not a whole number above 0")
    return int(value)


def _clean(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def read_dump(table: Table) -> Iterator[PlaceRow | NameRow]:
    """Read a country dump (``BF.txt``, ``allCountries.txt``): each place, then its names.

    Parameters
    ----------
    table : Table
        19 columns; its `skipped` and `newest` are kept up to date.

    Raises
    ------
    GazetteerError
        Naming the file, the row, the column, the value and the rule.
    """
    for row, text in table.lines:
        cells = _split(table, row, text, DUMP_COLUMNS)
        gid = _read_id(table, row, "geonameid", cells[0])
        if cells[18] > table.newest and re.fullmatch(r"\d{4}-\d\d-\d\d", cells[18]):
            table.newest = cells[18]
        lat, lon = _read_point(table, row, cells[4], cells[5])
        population = cells[14] or "0"
        if not (population.isascii() and population.isdigit() and len(population) <= 12):
            raise _fail(table.label, row, "population", cells[14], "is not a whole number")
        country = cells[8]
        if country and not re.fullmatch(r"[A-Z]{2}", country):
            raise _fail(table.label, row, "country code", country, "is not two capital letters")
        name = _clean(cells[1])
        if not name:
            raise _fail(table.label, row, "name", cells[1], "is empty")
        rule = classify(cells[6], cells[7])
        if rule is None or not country or (rule.kind == "site" and _is_only_kind(name)):
            table.skipped += 1
            continue
        a1 = f"{country}.{cells[10]}" if cells[10] not in {"", "00"} else None
        a2 = f"{a1}.{cells[11]}" if a1 and cells[11] else None
        code = cells[7] or None
        yield PlaceRow(gid, name, rule.kind, lat, lon, country, a1, a2, int(population), code, rule.historic)
        yield NameRow(gid, name, "historic" if rule.historic else "primary")
        others = dict.fromkeys(_clean(other) for other in (cells[2], *cells[3].split(",")))
        for other in others:
            if rule.kind == "site" and _is_only_kind(other):
                continue
            if other and other != name and is_worth_keeping(other, name):
                yield NameRow(gid, other, "historic" if rule.historic else "alternate")


def _read_point(table: Table, row: int, lat: str, lon: str) -> tuple[float, float]:
    values = []
    for column, value in (("latitude", lat), ("longitude", lon)):
        try:
            values.append(float(value))
        except ValueError:
            raise _fail(table.label, row, column, value, "is not a number") from None
    try:
        check_coordinate(values[0], values[1])
    except CoordinateError as error:
        column = "longitude" if "longitude" in str(error) else "latitude"
        raise _fail(table.label, row, column, lon if column == "longitude" else lat, "is out of range") from error
    return values[0], values[1]


def read_alternate_names(table: Table) -> Iterator[NameRow]:
    """Read alternate names (``alternateNamesV2.txt``, ``alternatenames/BF.txt``), without codes and links.

    Parameters
    ----------
    table : Table
        10 columns; its `skipped` is kept up to date.

    Raises
    ------
    GazetteerError
        Naming the file, the row, the column, the value and the rule.
    """
    for row, text in table.lines:
        cells = _split(table, row, text, NAME_COLUMNS)
        _read_id(table, row, "alternateNameId", cells[0])
        gid = _read_id(table, row, "geonameid", cells[1])
        for column in (4, 5, 6, 7):
            if cells[column] not in {"", "1"}:
                raise _fail(table.label, row, NAME_COLUMNS[column], cells[column], "is neither empty nor 1")
        name = _clean(cells[3])
        if cells[2] in _NOT_NAMES or not name or not is_worth_keeping(name, ""):
            table.skipped += 1
            continue
        yield NameRow(gid, name, "historic" if cells[7] else "alternate")
