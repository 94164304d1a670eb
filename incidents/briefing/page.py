"""The pages of a briefing: the first with map, legend and the head of the table, the rest with what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from incidents.briefing.labels import Box
from incidents.briefing.legend import draw_legend, measure_legend
from incidents.briefing.mapview import MapDrawing, draw_map
from incidents.briefing.model import Briefing, join_numbers
from incidents.briefing.paper import INK, SIZE, Paper
from incidents.briefing.sheet import Sheet
from incidents.briefing.table import Column, RowLayout, draw_head, draw_row, get_columns, lay_out_row
from incidents.briefing.text import fit_text, make_drawable, wrap_text

__all__ = ["Progress", "draw_pages"]

Progress = Callable[[int, int], None]
"""Called with (pages drawn, pages in all)."""

_Step = Callable[[Sheet], object]
_NOTE_LINE_MM = 2.55
_FOOTER_MM = 8.0
_GAP_MM = 5.0
_SOURCE_COLUMNS = 2
_HANDLING_MM = 78.0
_TITLE_LINES = 2
_PAGE_TOP_MM = 10.0


@dataclass(frozen=True, slots=True)
class _Block:
    """A list that follows the table: sources, or claims that disagree."""

    heading: str
    lines: tuple[tuple[str, str], ...]
    """(mark, text) each."""


def _draw_headlines(sheet: Sheet, briefing: Briefing, y: float) -> float:
    paper = sheet.paper
    count = len(briefing.headlines)
    gap = 3.0
    width = (paper.right - paper.left - gap * (count - 1)) / count
    for index, headline in enumerate(briefing.headlines):
        x = paper.left + index * (width + gap)
        sheet.rectangle(x, y, width, 13.0, face=INK.band)
        sheet.rectangle(x, y, 0.7, 13.0, face=INK.accent)
        value = fit_text(headline.value, width - 5, SIZE.headline, bold=True)
        sheet.text(x + 2.6, y + 5.3, value, size=SIZE.headline, bold=True, colour=INK.accent)
        sheet.text(x + 2.6, y + 8.7, fit_text(headline.label, width - 4, SIZE.heading), size=SIZE.heading)
        sheet.text(x + 2.6, y + 11.6, fit_text(headline.note, width - 4, SIZE.small), size=SIZE.small, colour=INK.quiet)
    return y + 13.0


def _draw_handling(sheet: Sheet, briefing: Briefing) -> float:
    """Draw the handling marking in the upper right corner, whole: never cut. Return its width, millimetres."""
    if not briefing.handling:
        return 0.0
    paper = sheet.paper
    shown = make_drawable(briefing.handling.upper())[0]
    for size in (SIZE.subtitle, SIZE.body, SIZE.small, 4.6, 3.8):
        lines = wrap_text(shown, _HANDLING_MM, size, bold=True)
        if len(lines) * size * 0.44 <= 10.0:
            break
    step = size * 0.44
    width = max(sheet.width_of(line, size, bold=True) for line in lines) + 4.0
    top = paper.margin - 2.4
    sheet.rectangle(paper.right - width, top, width, step * len(lines) + 2.2, edge=INK.warning, line=0.8)
    for index, line in enumerate(lines):
        y = top + 1.1 + step * (index + 0.78)
        sheet.text(paper.right - width / 2, y, line, size=size, bold=True, colour=INK.warning, align="center")
    return width + 4.0


def _draw_header(sheet: Sheet, briefing: Briefing) -> float:
    """Draw title, period and filters; return where the page goes on, millimetres."""
    paper = sheet.paper
    reserved = _draw_handling(sheet, briefing)
    title = make_drawable(briefing.title)[0]
    width = paper.right - paper.left - reserved
    for size in (SIZE.title, 12.5, 10.5):
        if len(wrap_text(title, width, size, bold=True)) <= _TITLE_LINES:
            break
    y = paper.margin - 2.0
    for line in wrap_text(title, width, size, max_lines=_TITLE_LINES, bold=True):
        y += size * 0.42
        sheet.text(paper.left, y, line, size=size, bold=True)
    y += 4.6
    facts = "  ·  ".join(part for part in (briefing.period, f"As of {briefing.as_of}") if part)
    sheet.text(paper.left, y, facts, size=SIZE.subtitle, colour=INK.quiet)
    if briefing.filters:
        said = make_drawable("Shown: " + "; ".join(briefing.filters))[0]
        for line in wrap_text(said, paper.right - paper.left, SIZE.subtitle, max_lines=2):
            y += 3.5
            sheet.text(paper.left, y, line, size=SIZE.subtitle, colour=INK.quiet)
    return y + 2.4


def _draw_footer(sheet: Sheet, briefing: Briefing, *, page: int, pages: int) -> None:
    paper = sheet.paper
    y = paper.bottom - _FOOTER_MM + 2.6
    sheet.rule(paper.left, y - 2.6, paper.right, y - 2.6)
    label = f"Page {page} of {pages}"
    width = paper.right - paper.left - sheet.width_of(label, SIZE.small) - 6.0
    first = f"{briefing.notes[0]} As of {briefing.as_of}." if briefing.notes else f"As of {briefing.as_of}."
    for line in (first, *briefing.credits):
        sheet.text(
            paper.left, y, fit_text(make_drawable(line)[0], width, SIZE.small), size=SIZE.small, colour=INK.quiet
        )
        y += 2.45
    sheet.text(paper.right, paper.bottom - _FOOTER_MM + 2.6, label, size=SIZE.small, colour=INK.quiet, align="right")


def _draw_notes(sheet: Sheet, lines: tuple[str, ...], *, x: float, y: float) -> None:
    for index, line in enumerate(lines):
        sheet.text(x, y + 2.0 + index * _NOTE_LINE_MM, line, size=SIZE.small, colour=INK.quiet)


def _make_notes(briefing: Briefing, drawing: MapDrawing) -> list[str]:
    notes = list(briefing.notes[1:])  # the first stands in the footer of every page
    if drawing.has_occupied:
        notes.append("Crimea and Sevastopol: Ukraine, occupied by the Russian Federation since 2014; hatched.")
    if drawing.unplaced:
        notes.append(f"No room on the map for the numbers {join_numbers(drawing.unplaced)}.")
    return notes


def _make_blocks(briefing: Briefing) -> list[_Block]:
    blocks = []
    disputed = [(f"{row.number}", row.claims) for row in briefing.rows if row.claims]
    if disputed:
        blocks.append(_Block("Where claims disagree (†)", tuple(disputed)))
    if briefing.sources:
        lines = tuple((f"{s.number}", "  ".join(part for part in (s.name, s.url) if part)) for s in briefing.sources)
        blocks.append(_Block("Sources", lines))
    return blocks


def _wrap_block(block: _Block, width: float) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (mark, wrap_text(make_drawable(text)[0], width - 7.0, SIZE.small, max_lines=3)) for mark, text in block.lines
    ]


def _measure_block(block: _Block, width: float) -> float:
    return 6.0 + sum(len(lines) * _NOTE_LINE_MM + 0.5 for _, lines in _wrap_block(block, width))


def _draw_block_head(sheet: Sheet, heading: str, *, x: float, y: float, width: float) -> float:
    sheet.text(x, y + 3.6, heading, size=SIZE.heading, bold=True, colour=INK.accent)
    sheet.rule(x, y + 4.8, x + width, y + 4.8, colour=INK.quiet)
    return y + 6.0


def _draw_entry(sheet: Sheet, mark: str, lines: tuple[str, ...], *, x: float, y: float) -> float:
    sheet.text(x, y + 2.0, mark, size=SIZE.small, bold=True)
    for line in lines:
        sheet.text(x + 6.0, y + 2.0, line, size=SIZE.small)
        y += _NOTE_LINE_MM
    return y + 0.5


class _Flow:
    """What runs on over the pages after the first: the rest of the table, then the lists."""

    def __init__(self, rows: list[RowLayout], columns: tuple[Column, ...], blocks: list[_Block]) -> None:
        self.rows = rows
        self.columns = columns
        self.blocks = blocks

    def plan(self, paper: Paper, top: float) -> list[list[_Step]]:
        """Return the drawing steps of each page."""
        limit = paper.bottom - _FOOTER_MM - 3.0
        pages: list[list[_Step]] = []
        y = limit + 1.0

        def turn() -> float:
            pages.append([])
            return top

        if self.rows:
            y = turn()
            y = self._put_head(pages, y)
            for layout in self.rows:
                if y + layout.height > limit:
                    y = self._put_head(pages, turn())
                pages[-1].append(partial(draw_row, layout=layout, columns=self.columns, y=y))
                y += layout.height
            y += 3.0
        for block in self.blocks:
            y = self._put_block(block, pages, y, paper=paper, limit=limit, turn=turn)
        return pages

    def _put_head(self, pages: list[list[_Step]], y: float) -> float:
        pages[-1].append(partial(draw_head, columns=self.columns, y=y))
        return y + 5.2

    @staticmethod
    def _put_block(
        block: _Block,
        pages: list[list[_Step]],
        y: float,
        *,
        paper: Paper,
        limit: float,
        turn: Callable[[], float],
    ) -> float:
        """Set a list in two columns that fill evenly; break it over pages where it is long."""
        width = (paper.right - paper.left - _GAP_MM) / _SOURCE_COLUMNS
        entries = _wrap_block(block, width)
        heading = block.heading
        while entries:
            if not pages or y + 14.0 > limit:
                y = turn()
            pages[-1].append(
                partial(_draw_block_head, heading=heading, x=paper.left, y=y, width=paper.right - paper.left)
            )
            y += 6.0
            heights = [len(lines) * _NOTE_LINE_MM + 0.5 for _, lines in entries]
            room = min(limit - y, sum(heights) / _SOURCE_COLUMNS + max(heights))
            lowest = y
            for column in range(_SOURCE_COLUMNS):
                at = y
                while entries and at + heights[0] <= y + room + 0.01:
                    mark, lines = entries.pop(0)
                    x = paper.left + column * (width + _GAP_MM)
                    pages[-1].append(partial(_draw_entry, mark=mark, lines=lines, x=x, y=at))
                    at += heights.pop(0)
                lowest = max(lowest, at)
            y = lowest + 3.0
            if entries:
                heading = f"{block.heading}, continued"
                y = limit + 1.0
        return y


def _draw_first(
    sheet: Sheet, briefing: Briefing, layouts: list[RowLayout], columns: tuple[Column, ...]
) -> tuple[int, list[_Block], MapDrawing]:
    """Draw the first page but its footer; return how many rows it took, and the lists that are left."""
    paper = sheet.paper
    y = _draw_header(sheet, briefing)
    top = _draw_headlines(sheet, briefing, y) + 3.5
    bottom = paper.bottom - _FOOTER_MM - 2.5
    map_width = paper.right - paper.left - paper.table_width - _GAP_MM
    legend_height = measure_legend(briefing)
    frame = Box(paper.left, top, paper.left + map_width, bottom - legend_height - 2.0)
    drawing = draw_map(sheet, briefing, frame)
    draw_legend(sheet, briefing, drawing, x=paper.left, y=drawing.frame.high + 2.0, width=map_width)

    x = paper.right - paper.table_width
    notes = [
        line
        for note in _make_notes(briefing, drawing)
        for line in wrap_text(make_drawable(note)[0], paper.table_width, SIZE.small, max_lines=3)
    ]
    notes_height = len(notes) * _NOTE_LINE_MM + 1.0
    limit = bottom - notes_height - 4.5
    at = draw_head(sheet, columns, top)
    blocks = _make_blocks(briefing)
    whole = sum(layout.height for layout in layouts)
    lists = sum(_measure_block(block, paper.table_width) + 2.0 for block in blocks)
    taken = 0
    for layout in layouts:
        if at + layout.height > limit:
            break
        at = draw_row(sheet, layout, columns, at)
        taken += 1
    if not layouts:
        sheet.text(x + 0.9, at + 5.0, "No incidents match.", size=SIZE.body, colour=INK.quiet)
    left = len(layouts) - taken
    if not left and top + 5.2 + whole + lists + 2.0 <= limit:
        at += 2.0
        for block in blocks:
            at = _draw_block_head(sheet, block.heading, x=x, y=at, width=paper.table_width)
            for mark, lines in _wrap_block(block, paper.table_width):
                at = _draw_entry(sheet, mark, lines, x=x, y=at)
            at += 2.0
        blocks = []
    if left or blocks:
        parts = [f"{left} more on the following pages"] if left else []
        if blocks:
            parts.append("sources on the last page" if left else "Sources on the next page")
        sheet.text(x + 0.9, at + 3.2, "; ".join(parts) + ".", size=SIZE.small, bold=True, colour=INK.accent)
    _draw_notes(sheet, tuple(notes), x=x, y=bottom - notes_height)
    return taken, blocks, drawing


def draw_pages(briefing: Briefing, paper: Paper, *, progress: Progress | None = None) -> Iterator[Sheet]:
    """Draw the pages of a briefing, one after another.

    Parameters
    ----------
    briefing : Briefing
    paper : Paper
    progress : callable, optional
        Called with (pages drawn, pages in all).

    Yields
    ------
    Sheet
        Let go of one before taking the next, to keep memory low.
    """
    narrow = get_columns(paper.right - paper.table_width, paper.table_width)
    wide = get_columns(paper.left, paper.right - paper.left)
    sheet = Sheet(paper)
    taken, blocks, _ = _draw_first(sheet, briefing, [lay_out_row(row, narrow) for row in briefing.rows], narrow)
    top = paper.margin + _PAGE_TOP_MM
    rest = [lay_out_row(row, wide) for row in briefing.rows[taken:]]
    plan = _Flow(rest, wide, blocks).plan(paper, top)
    pages = 1 + len(plan)
    _draw_footer(sheet, briefing, page=1, pages=pages)
    if progress:
        progress(1, pages)
    yield sheet
    for number, steps in enumerate(plan, start=2):
        sheet = Sheet(paper)
        reserved = _draw_handling(sheet, briefing)
        title = fit_text(
            make_drawable(briefing.title)[0], paper.right - paper.left - reserved, SIZE.headline * 0.7, bold=True
        )
        sheet.text(paper.left, paper.margin + 1.4, title, size=SIZE.headline * 0.7, bold=True)
        sheet.rule(paper.left, paper.margin + 7.0, paper.right, paper.margin + 7.0)
        for step in steps:
            step(sheet)
        _draw_footer(sheet, briefing, page=number, pages=pages)
        if progress:
            progress(number, pages)
        yield sheet
