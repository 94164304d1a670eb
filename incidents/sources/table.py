"""Plain tables (CSV, TSV): a row an incident, or a row an article.

The encoding, the separator, the decimal mark and the order of dates are found from the whole file. A row whose
count or date cannot be read is rejected with row, column, value and reason; a row whose coordinates cannot be used
is kept without a point, with a warning. Every cell stays on the incident in `source_values`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from geodata.coordinates import find_problem, parse_coordinate, parse_point
from geodata.errors import CoordinateError
from incidents.errors import SourceFormatError
from incidents.report import Report, hash_parts
from incidents.schema import COLUMNS
from incidents.sources.article import check_url, report_from_text
from incidents.sources.base import Item, Options, Rejected, SourceResult
from incidents.sources.columns import RANGE_FIELDS, ColumnMap, map_columns, normalise_header
from incidents.sources.decode import clean_text, decode_bytes, is_binary, normalise_newlines
from incidents.sources.values import (
    DateOrder,
    Day,
    find_date_order,
    is_blank,
    map_type,
    parse_bool,
    parse_count,
    parse_day,
    summarise_values,
)

__all__ = ["TableSource"]

_SEPARATORS = ",;\t|"
_DATE_FIELDS = ("date", "date_start", "date_end", "published")
_MIN_MAX = tuple(c.name for c in COLUMNS if c.unit == "people" and c.name.endswith(("_min", "_max")))
_BOOLS = tuple(c.name for c in COLUMNS if c.dtype == "bool")
_LISTS = ("attributed_to", "denied_by")
_TEXTS = ("title", "place_name", "place_detail", "admin1", "admin2", "evidence")
_VOCABULARIES = {c.name: c.allowed for c in COLUMNS if c.allowed and c.name not in {"type", "other_affected_kind"}}
_OTHER_AFFECTED = ("abducted", "displaced", "arrested")
_INNER_BREAKS = dict.fromkeys((0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x85), " ")
_TOLD_PLACES = 200
_OWN_MARKS = frozenset({"incident_id", "evidence_start", "location_precision", "source_values"})
"""Columns that only our own exports have together."""


class _CellError(ValueError):
    """A cell that rejects its row."""

    def __init__(self, column: str, value: str, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.value = value


@dataclass(slots=True)
class _Notes:
    """What is worth saying once about the whole table."""

    warnings: list[str] = field(default_factory=list)
    unmapped_types: Counter[str] = field(default_factory=Counter)
    undated: int = 0
    unplaced: int = 0

    def add_place(self, warning: str) -> None:
        """Tell of one row's location; of very many, only how many (each row's own reason stays on the row)."""
        self.unplaced += 1
        if self.unplaced <= _TOLD_PLACES:
            self.warnings.append(warning)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with its columns understood."""

    name: str
    columns: ColumnMap
    decimal_comma: bool
    orders: Mapping[str, DateOrder | None]
    own: bool

    def cell(self, row: Sequence[str], name: str) -> str:
        """Return the cell of a field, stripped; "" where the table has no such column."""
        position = self.columns.positions.get(name)
        return row[position].strip() if position is not None else ""

    def header(self, name: str) -> str:
        """Return the header of a field's column as the file writes it."""
        return self.columns.headers[self.columns.positions[name]]


class TableSource:
    """A plain table with a header row."""

    name = "table"
    label = "Table (CSV, TSV) of incidents or articles"

    def recognise(self, item: Item) -> float:
        """Return 0.8 for a first line of short headers of which two or more are known fields, 0.5 for another table."""
        if is_binary(item.head) or not item.head.strip():
            return 0.0
        head = normalise_newlines(decode_bytes(item.head)[0]).lstrip("\n \t")
        first = head.split("\n", 1)[0]
        if first.startswith(("{", "[", "<")) or len(first) > 20_000:
            return 0.0
        for separator in _SEPARATORS:
            try:
                headers = next(csv.reader([first], delimiter=separator), [])
            except csv.Error:
                continue
            if len(headers) < 2 or any(len(h) > 80 for h in headers):
                continue
            known = map_columns(headers)
            if known.is_incident_table and len(known.positions) >= 2:
                return 0.8
            if len(headers) >= 3 and _looks_regular(head, separator):
                return 0.5
        return 0.0

    def read(self, item: Item, options: Options) -> SourceResult:
        """Read the table."""
        text, _ = decode_bytes(item.read(limit=options.limits.table_bytes))
        # a form feed or a vertical tab within a cell must not end its row
        rows = _split_rows(clean_text(text.translate(_INNER_BREAKS)), item.name, options)
        header_position, header = _find_header(rows, item.name)
        columns = map_columns(header, mapping=options.mapping, name=item.name)
        if not columns.is_incident_table:
            raise SourceFormatError(
                f"{item.name}: none of the columns ({', '.join(columns.headers[:20])}) is known as a place, date, "
                "type, count, coordinate or text; name them with --map COLUMN=FIELD"
            )
        rest = rows[header_position + 1 :]
        if rest and _is_tag_row(rest[0]):
            rest = rest[1:]
        body = [(n, r) for n, r in enumerate(rest, start=1) if any(c.strip() for c in r)]
        table = _understand(item.name, header, columns, [r for _, r in body], options)
        return _read_rows(table, body, options)


def _is_tag_row(row: Sequence[str]) -> bool:
    """Return whether a row holds HXL hashtags (hxlstandard.org), which describe the columns and are no data."""
    cells = [c.strip() for c in row if c.strip()]
    return bool(cells) and all(re.match(r"#[A-Za-z]", c) for c in cells)


def _looks_regular(head: str, separator: str) -> bool:
    """Return whether the first lines all have the same number of cells: a table, though of unknown columns."""
    lines = head.split("\n")[:30]
    rows = list(csv.reader(lines[:-1] if len(lines) > 4 else lines, delimiter=separator))
    widths = {len(r) for r in rows if r}
    return len(rows) >= 4 and len(widths) == 1 and widths.pop() >= 3


def _split_rows(text: str, name: str, options: Options) -> list[list[str]]:
    separator = _find_separator(text, name)
    # csv keeps one global limit; a cell may hold a whole article
    csv.field_size_limit(max(options.limits.text_chars, 131_072))
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise SourceFormatError(f"{name}: not a readable table ({error})") from error


def _find_separator(text: str, name: str) -> str:
    """Return the separator under which the first rows have the most columns and agree on their number."""
    sample = text[:200_000]
    best, best_score = ",", 0.0
    for separator in _SEPARATORS:
        try:
            rows = [
                r
                for r, _ in zip(
                    csv.reader(io.StringIO(sample, newline=""), delimiter=separator), range(60), strict=False
                )
            ]
        except csv.Error:
            continue
        widths = [len(r) for r in rows if any(c.strip() for c in r)]
        if not widths or widths[0] < 2:
            continue
        agreement = sum(w == widths[0] for w in widths) / len(widths)
        known = len(map_columns(rows[0], name=name).positions)
        score = agreement * 10 + known * 5 + min(widths[0], 50) / 50
        if score > best_score:
            best, best_score = separator, score
    return best


def _find_header(rows: Sequence[Sequence[str]], name: str) -> tuple[int, list[str]]:
    for position, row in enumerate(rows):
        if any(c.strip() for c in row):
            return position, list(row)
    raise SourceFormatError(f"{name}: the table is empty")


def _understand(
    name: str, header: Sequence[str], columns: ColumnMap, rows: Sequence[Sequence[str]], options: Options
) -> _Table:
    if len(header) > options.limits.columns:
        raise SourceFormatError(f"{name}: {len(header):,} columns, the limit is {options.limits.columns:,}")
    orders: dict[str, DateOrder | None] = {}
    for key in _DATE_FIELDS:
        position = columns.positions.get(key)
        if position is None:
            continue
        if options.date_order in {"dmy", "mdy"}:
            orders[key] = "dmy" if options.date_order == "dmy" else "mdy"
            continue
        try:
            orders[key] = find_date_order(dict.fromkeys(r[position] for r in rows if position < len(r)))
        except ValueError as error:
            raise SourceFormatError(f"{name}: column {columns.headers[position]!r}: {error}") from error
    own = {normalise_header(h) for h in header} >= _OWN_MARKS
    return _Table(name, columns, _has_decimal_comma(columns, rows), orders, own)


def _has_decimal_comma(columns: ColumnMap, rows: Sequence[Sequence[str]]) -> bool:
    commas = points = 0
    for key in ("latitude", "longitude"):
        position = columns.positions.get(key)
        if position is None:
            continue
        for row in rows[:2000]:
            cell = row[position].strip() if position < len(row) else ""
            commas += bool(re.fullmatch(r"-?\d{1,3},\d+", cell))
            points += bool(re.fullmatch(r"-?\d{1,3}\.\d+", cell))
    return commas > points


def _read_rows(table: _Table, body: Sequence[tuple[int, list[str]]], options: Options) -> SourceResult:
    # A text column makes a table of articles, unless the table already counts or places what the text tells.
    states = {*RANGE_FIELDS, *_MIN_MAX, "latitude", "coordinates", "type"} & set(table.columns.positions)
    convert: Callable[[_Table, int, Sequence[str], Options, _Notes], Report] = (
        _read_article if "text" in table.columns.positions and not states else _read_incident
    )
    notes = _Notes(list(table.columns.warnings))
    reports: list[Report] = []
    numbers: list[int] = []
    rejected: list[Rejected] = []
    width = len(table.columns.headers)
    for number, cells in body:
        extra = [c for c in cells[width:] if c.strip()]
        if extra:
            reason = f"has {len(cells)} cells where the header has {width}"
            rejected.append(Rejected(number, None, extra[0][:200], reason))
            continue
        row = [*cells[:width], *[""] * (width - len(cells))]
        if table.own:
            row = [_undo_guard(c) for c in row]
        try:
            reports.append(convert(table, number, row, options, notes))
            numbers.append(number)
        except _CellError as error:
            rejected.append(Rejected(number, error.column, error.value[:200], str(error)))
    if notes.unmapped_types:
        shown = summarise_values(list(notes.unmapped_types))
        total = notes.unmapped_types.total()
        notes.warnings.append(
            f"{table.name}: {total} rows have a type that is none of ours and became 'other': {shown}"
        )
    if notes.unplaced > _TOLD_PLACES:
        notes.warnings.append(f"{table.name}: {notes.unplaced} rows have coordinates that cannot be used")
    if notes.undated:
        notes.warnings.append(f"{table.name}: {notes.undated} articles without a publication date")
    return SourceResult("table", tuple(reports), len(body), tuple(rejected), tuple(notes.warnings), tuple(numbers))


def _undo_guard(cell: str) -> str:
    """Take off the apostrophe that our exports put before a cell which a spreadsheet would run as a formula."""
    return cell[1:] if re.match(r"'[=+\-@\t\r']", cell) else cell


def _source_values(table: _Table, row: Sequence[str]) -> dict[str, object]:
    return {h: c for h, c in zip(table.columns.headers, row, strict=True) if c.strip()}


def _read_article(table: _Table, _number: int, row: Sequence[str], options: Options, notes: _Notes) -> Report:
    day = _read_day(table, row, "published") or _read_day(table, row, "date") or _read_day(table, row, "date_start")
    stated = day.start if day and day.precision == "day" else None
    text = table.cell(row, "text")
    try:
        report = report_from_text(
            text,
            title=table.cell(row, "title"),
            url=table.cell(row, "url"),
            published_on=stated or options.published_on,
            publisher=table.cell(row, "publisher"),
            language=table.cell(row, "language") or None,
        )
    except SourceFormatError as error:
        raise _CellError(table.header("text"), text[:80], str(error)) from error
    notes.undated += report.publication_day is None
    return report


def _read_incident(table: _Table, number: int, row: Sequence[str], _options: Options, notes: _Notes) -> Report:
    values = _source_values(table, row)
    fields: dict[str, object] = {}
    _add_counts(table, row, fields)
    _add_dates(table, row, fields)
    _add_point(table, number, row, fields, notes)
    for key in _TEXTS:
        cell = table.cell(row, key)
        if cell and not is_blank(cell):
            fields[key] = cell if key == "evidence" else " ".join(cell.split())
    country = table.cell(row, "country")
    # "NA" is Namibia here, not "not available"
    if country and (country == "NA" or not is_blank(country)):
        fields["country"] = country
    rule = _add_type(table, row, fields, notes)
    _add_rest(table, row, fields)
    _add_sources(table, row, fields)
    published = _read_day(table, row, "published")
    own_id = str(fields.get("incident_id") or "")
    return Report(
        source="table",
        source_id=own_id or hash_parts("row", *(f"{k}={v}" for k, v in values.items())),
        title=str(fields["title"]) if "title" in fields else None,
        url=check_url(table.cell(row, "url")),
        publisher=next(iter(_read_names(fields)), None),
        published_on=published.start if published and published.precision == "day" else None,
        fields=fields,
        source_values={**values, "_rule": f"type {rule}"} if not table.own else values,
    )


def _add_counts(table: _Table, row: Sequence[str], fields: dict[str, object]) -> None:
    for key in (*RANGE_FIELDS, *_MIN_MAX, *_OTHER_AFFECTED, "other_affected"):
        if key not in table.columns.positions:
            continue
        cell = table.cell(row, key)
        try:
            count = parse_count(cell, decimal_comma=table.decimal_comma)
        except ValueError as error:
            raise _CellError(table.header(key), cell, str(error)) from error
        if count.minimum is None and count.maximum is None:
            continue
        if key in RANGE_FIELDS:
            fields[f"{key}_min"], fields[f"{key}_max"] = count.minimum, count.maximum
        elif key in _MIN_MAX:
            fields[key] = count.minimum if count.minimum is not None else count.maximum
        elif count.minimum is not None and "other_affected" not in fields:
            fields["other_affected"] = count.minimum
            if key != "other_affected":
                fields["other_affected_kind"] = key
    for key in RANGE_FIELDS:
        low, high = fields.get(f"{key}_min"), fields.get(f"{key}_max")
        if isinstance(low, int) and isinstance(high, int) and low > high:
            raise _CellError(f"{key}_min, {key}_max", f"{low}, {high}", "the lower end is above the upper end")


def _read_day(table: _Table, row: Sequence[str], key: str) -> Day | None:
    if key not in table.columns.positions:
        return None
    cell = table.cell(row, key)
    try:
        return parse_day(cell, order=table.orders.get(key))
    except ValueError as error:
        raise _CellError(table.header(key), cell, str(error)) from error


def _add_dates(table: _Table, row: Sequence[str], fields: dict[str, object]) -> None:
    first = _read_day(table, row, "date_start") or _read_day(table, row, "date")
    last = _read_day(table, row, "date_end")
    if first is None and last is None:
        fields["date_precision"] = "unknown"
        return
    fields["date_start"] = (first or last).start if first or last else None  # type: ignore[union-attr]  # one of them is there
    end = last or first
    fields["date_end"] = end.end if end else None
    start = fields["date_start"]
    if isinstance(start, date) and end is not None and end.end < start:
        key = "date_end" if last else "date"
        raise _CellError(table.header(key), table.cell(row, key), f"the last day is before the first, {start}")
    fields["date_precision"] = (first or end).precision  # type: ignore[union-attr]  # as above


def _add_point(table: _Table, number: int, row: Sequence[str], fields: dict[str, object], notes: _Notes) -> None:
    lat, lon, both = (table.cell(row, k) for k in ("latitude", "longitude", "coordinates"))
    separate = bool(lat or lon)
    shown = f"{lat!r}, {lon!r}" if separate else repr(both)
    if (separate and is_blank(lat) and is_blank(lon)) or (not separate and is_blank(both)):
        return
    try:
        point = _read_pair(lat, lon) if separate else parse_point(both)
    except CoordinateError as error:
        notes.add_place(f"{table.name}: row {number}: coordinates {shown} left out: {error}")
        fields["location_reason"] = f"The source's coordinates {shown} cannot be used: {error}"
        return
    if point == (0.0, 0.0):
        notes.add_place(f"{table.name}: row {number}: coordinates 0, 0 taken as missing")
        fields["location_reason"] = "The source's coordinates are 0, 0, which stands for missing"
        return
    fields["latitude"], fields["longitude"] = point


def _read_pair(lat: str, lon: str) -> tuple[float, float]:
    if is_blank(lat) or is_blank(lon):
        raise CoordinateError("one of the two is missing")
    try:
        return parse_coordinate(lat, axis="lat"), parse_coordinate(lon, axis="lon")
    except CoordinateError:
        # out of range: the pair as a whole may tell why (swapped, metres)
        problem = find_problem(parse_coordinate(lat), parse_coordinate(lon))
        if problem is None:
            raise
        raise CoordinateError(problem.message) from None


def _add_type(table: _Table, row: Sequence[str], fields: dict[str, object], notes: _Notes) -> str:
    coarse, fine = table.cell(row, "type"), table.cell(row, "type_detail")
    kind, certainty, rule = map_type(fine) if fine else ("unknown", "coarse", "blank")
    if rule in {"blank", "unmapped"} and coarse:
        kind, certainty, rule = map_type(coarse)
    if rule == "unmapped":
        notes.unmapped_types[fine or coarse] += 1
    fields["type"] = kind
    fields["type_certainty"] = certainty
    return rule


def _add_rest(table: _Table, row: Sequence[str], fields: dict[str, object]) -> None:
    """Add the contract's own columns, which our exports write and other tables may."""
    for key, allowed in _VOCABULARIES.items():
        cell = table.cell(row, key).casefold()
        if not cell:
            continue
        if cell not in allowed:
            raise _CellError(table.header(key), cell, f"not one of {', '.join(allowed)}")
        fields[key] = cell
    for key in _BOOLS:
        try:
            value = parse_bool(table.cell(row, key))
        except ValueError as error:
            raise _CellError(table.header(key), table.cell(row, key), str(error)) from error
        if value is not None:
            fields[key] = value
    for key in _LISTS:
        cell = table.cell(row, key)
        if cell and not is_blank(cell):
            fields[key] = _read_list(cell)
    if table.own:
        _add_own(table, row, fields)


def _add_own(table: _Table, row: Sequence[str], fields: dict[str, object]) -> None:
    for key in (
        "incident_id",
        "area_id",
        "location_runner_up",
        "location_reason",
        "other_affected_kind",
        "source_values",
    ):
        if cell := table.cell(row, key):
            fields[key] = cell
    for key in ("geonameid", "location_candidates", "evidence_start", "evidence_end"):
        if cell := table.cell(row, key):
            fields[key] = _read_number(table, row, key, int)
    if table.cell(row, "confidence"):
        fields["confidence"] = _read_number(table, row, "confidence", float)
    for key in ("report_ids", "source_names", "source_urls"):
        if cell := table.cell(row, key):
            fields[key] = _read_list(cell)
    for key in ("published_at", "added_at"):
        if cell := table.cell(row, key):
            fields[key] = _read_moment(table, key, cell)


def _read_number(table: _Table, row: Sequence[str], key: str, kind: type[int | float]) -> int | float:
    cell = table.cell(row, key)
    try:
        return kind(cell)
    except ValueError as error:
        raise _CellError(table.header(key), cell, "not a number") from error


def _read_moment(table: _Table, key: str, cell: str) -> datetime:
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError as error:
        raise _CellError(table.header(key), cell, "not an ISO date and time") from error
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_list(cell: str) -> list[str]:
    if cell.startswith("["):
        try:
            found = json.loads(cell)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return [str(v) for v in found]
    return list(_iter_parts(cell))


def _read_names(fields: Mapping[str, object]) -> list[str]:
    names = fields.get("source_names")
    return names if isinstance(names, list) else []


def _iter_parts(cell: str) -> Iterator[str]:
    for part in re.split(r"\s*[;|]\s*", cell):
        if part.strip():
            yield part.strip()


def _add_sources(table: _Table, row: Sequence[str], fields: dict[str, object]) -> None:
    publisher = table.cell(row, "publisher")
    if publisher and not is_blank(publisher) and not check_url(publisher.split()[0]):
        fields.setdefault("source_names", [" ".join(publisher.split())[:300]])
    urls = [u for u in (check_url(p) for p in re.split(r"[\s;|]+", f"{table.cell(row, 'url')} {publisher}")) if u]
    if urls:
        fields.setdefault("source_urls", list(dict.fromkeys(urls)))
