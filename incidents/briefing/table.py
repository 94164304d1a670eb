"""The incident table of a briefing: rows broken into lines, and drawn on a grid that is the same on all pages."""

from __future__ import annotations

from dataclasses import dataclass

from incidents.briefing.model import Row, join_numbers
from incidents.briefing.paper import INK, SIZE
from incidents.briefing.sheet import Sheet
from incidents.briefing.text import make_drawable, wrap_text
from incidents.symbols import PARENT_STYLES

__all__ = ["Column", "RowLayout", "draw_head", "draw_row", "get_columns", "lay_out_row"]

HEAD_MM = 6.4
_LINE_MM = 2.62
_PADDING_MM = 1.9
_GUTTER_MM = 1.8


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: heading, left edge and width in millimetres."""

    key: str
    heading: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    quiet: bool
    bold: bool = False


@dataclass(frozen=True, slots=True)
class RowLayout:
    """A row in lines, and its height in millimetres."""

    row: Row
    cells: tuple[tuple[_Line, ...], ...]
    height: float


_SHARES = (
    ("number", "No.", 0.082),
    ("date", "Date", 0.13),
    ("place", "Place, how finely known", 0.258),
    ("what", "What happened", 0.25),
    ("killed", "Killed", 0.10),
    ("injured", "Injured", 0.10),
    ("sources", "Sources", 0.08),
)
_WIDE_SHARES = (
    ("number", "No.", 0.045),
    ("date", "Date", 0.105),
    ("name", "Place", 0.15),
    ("precision", "How finely known", 0.18),
    ("kind", "Type", 0.115),
    ("title", "What happened", 0.215),
    ("killed", "Killed", 0.07),
    ("injured", "Injured", 0.07),
    ("sources", "Sources", 0.05),
)


def get_columns(left: float, width: float) -> tuple[Column, ...]:
    """Return the columns of a table; a wide one gives its room to the titles."""
    columns = []
    x = left
    for key, heading, share in _WIDE_SHARES if width > 200 else _SHARES:
        columns.append(Column(key, heading, x, share * width))
        x += share * width
    return tuple(columns)


def _break(text: str, column: Column, *, max_lines: int, bold: bool = False, quiet: bool = False) -> tuple[_Line, ...]:
    lines = wrap_text(make_drawable(text)[0], column.width - _GUTTER_MM, SIZE.body, max_lines=max_lines, bold=bold)
    return tuple(_Line(line, quiet, bold) for line in lines)


def lay_out_row(row: Row, columns: tuple[Column, ...]) -> RowLayout:
    """Return a row broken into lines for the given columns."""
    kind = f"{row.type} †" if row.contested else row.type
    title = row.title if row.title.casefold() != row.type.casefold() else ""
    cells: list[tuple[_Line, ...]] = []
    for column in columns:
        if column.key == "number":
            lines: tuple[_Line, ...] = (_Line(str(row.number), quiet=False, bold=True),)
        elif column.key == "date":
            lines = _break(row.date, column, max_lines=3)
        elif column.key == "place":
            lines = _break(row.place, column, max_lines=2, bold=True)
            lines += _break(row.precision, column, max_lines=2, quiet=True)
        elif column.key == "what":
            lines = _break(kind, column, max_lines=2, bold=True) + _break(title, column, max_lines=2, quiet=True)
        elif column.key == "name":
            lines = _break(row.place, column, max_lines=2, bold=True)
        elif column.key == "precision":
            lines = _break(row.precision, column, max_lines=2, quiet=True)
        elif column.key == "kind":
            lines = _break(kind, column, max_lines=2, bold=True)
        elif column.key == "title":
            lines = _break(title, column, max_lines=3, quiet=True)
        elif column.key == "sources":
            lines = _break(join_numbers(row.sources) or "–", column, max_lines=3)
        else:
            value = row.killed if column.key == "killed" else row.injured
            lines = _break(value, column, max_lines=2, quiet=value == "not stated", bold=value[:1].isdigit())
        cells.append(lines)
    return RowLayout(row, tuple(cells), max(len(lines) for lines in cells) * _LINE_MM + _PADDING_MM)


def draw_head(sheet: Sheet, columns: tuple[Column, ...], y: float) -> float:
    """Draw the headings from `y` down; return where the rows begin, millimetres."""
    left, right = columns[0].x, columns[-1].x + columns[-1].width
    sheet.rectangle(left, y, right - left, HEAD_MM - 1.2, face=INK.band)
    for column in columns:
        sheet.text(column.x + 0.9, y + 3.5, column.heading, size=SIZE.small, bold=True, colour=INK.quiet)
    sheet.rule(left, y + HEAD_MM - 1.2, right, y + HEAD_MM - 1.2, colour=INK.quiet, line=0.6)
    return y + HEAD_MM - 1.2


def draw_row(sheet: Sheet, layout: RowLayout, columns: tuple[Column, ...], y: float) -> float:
    """Draw a row from `y` down; return where the next begins, millimetres."""
    first = y + _PADDING_MM / 2 + 2.0
    for column, lines in zip(columns, layout.cells, strict=True):
        x = column.x + 0.9
        if column.key == "number":
            _draw_key(sheet, layout.row, x + 1.0, first - 0.75)
            x += 3.0
        for index, line in enumerate(lines):
            sheet.text(
                x,
                first + index * _LINE_MM,
                line.text,
                size=SIZE.body,
                bold=line.bold,
                colour=INK.quiet if line.quiet else INK.text,
            )
    bottom = y + layout.height
    sheet.rule(columns[0].x, bottom, columns[-1].x + columns[-1].width, bottom, line=0.35)
    return bottom


def _draw_key(sheet: Sheet, row: Row, x: float, y: float) -> None:
    """Draw the symbol of a row's type; hatched for an area, a dash for what is not on the map."""
    style = PARENT_STYLES[row.parent]
    if not row.located:
        sheet.rule(x - 0.9, y, x + 0.9, y, colour=INK.quiet, line=0.8)
    elif row.coarse:
        sheet.rectangle(x - 1.0, y - 0.9, 2.0, 1.8, edge=style.colour, line=0.6, hatch="//////")
    else:
        sheet.mark(x, y, marker=style.marker, diameter=1.9, face=style.colour, line=0.2)
