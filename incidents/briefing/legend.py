"""The legend under the map: only what the map shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from incidents.briefing.mapview import MIXED, MapDrawing
from incidents.briefing.model import Briefing
from incidents.briefing.paper import INK, SIZE
from incidents.briefing.sheet import Sheet
from incidents.briefing.text import fit_text
from incidents.symbols import KILLED_CLASSES, PARENT_STYLES

__all__ = ["draw_legend", "measure_legend"]

_LINE_MM = 4.1
_ENTRIES_A_COLUMN = 5
_Draw = Callable[[float, float], object]


def measure_legend(briefing: Briefing) -> float:
    """Return the height of the legend, millimetres; the same for all briefings with anything on the map."""
    return 5.0 + _LINE_MM * _ENTRIES_A_COLUMN if briefing.symbols or briefing.areas else 0.0


def draw_legend(sheet: Sheet, briefing: Briefing, drawing: MapDrawing, *, x: float, y: float, width: float) -> None:
    """Draw the legend from its upper left corner, millimetres."""
    if not (briefing.symbols or briefing.areas):
        return
    kinds = _list_kinds(sheet, briefing, drawing)
    others = _list_others(sheet, drawing)
    grid = (
        ("Type of event (ACLED)", kinds[:_ENTRIES_A_COLUMN], 0.0, 0.31),
        ("", kinds[_ENTRIES_A_COLUMN : 2 * _ENTRIES_A_COLUMN], 0.31, 0.23),
        ("Killed", _list_sizes(sheet), 0.54, 0.14),
        ("Other signs", others, 0.70, 0.30),
    )
    for heading, entries, start, share in grid:
        left = x + start * width
        if not entries:
            continue
        sheet.text(left, y + 2.6, heading, size=SIZE.small, bold=True, colour=INK.quiet)
        for index, (draw, label) in enumerate(entries):
            middle = y + 5.6 + index * _LINE_MM
            draw(left + 2.2, middle)
            text = fit_text(label, share * width - 7.0, SIZE.small)
            sheet.text(left + 6.0, middle + SIZE.small * 0.127, text, size=SIZE.small)


def _list_kinds(sheet: Sheet, briefing: Briefing, drawing: MapDrawing) -> list[tuple[_Draw, str]]:
    present = {symbol.parent for symbol in briefing.symbols} | {area.parent for area in briefing.areas}
    entries: list[tuple[_Draw, str]] = []
    for parent, style in PARENT_STYLES.items():
        if parent in present:
            draw = partial(sheet.mark, marker=style.marker, diameter=2.8, face=style.colour, line=0.4)
            entries.append((draw, parent))
    if drawing.has_mixed:
        colour, marker = MIXED
        entries.append((partial(sheet.mark, marker=marker, diameter=2.8, face=colour, line=0.4), "Several types"))
    return entries


def _list_sizes(sheet: Sheet) -> list[tuple[_Draw, str]]:
    def draw(mx: float, my: float, diameter: float, *, hollow: bool) -> None:
        sheet.mark(
            mx,
            my,
            marker="o",
            diameter=diameter,
            face="white" if hollow else INK.quiet,
            edge=INK.quiet if hollow else "white",
            line=0.9 if hollow else 0.3,
        )

    return [(partial(draw, diameter=k.diameter_mm, hollow=k.hollow), k.label) for k in KILLED_CLASSES]


def _list_others(sheet: Sheet, drawing: MapDrawing) -> list[tuple[_Draw, str]]:
    entries: list[tuple[_Draw, str]] = []

    def patch(mx: float, my: float, colour: str, hatch: str) -> None:
        sheet.rectangle(mx - 2.0, my - 1.2, 4.0, 2.4, edge=colour, line=0.5, hatch=hatch)

    if drawing.has_areas:
        entries.append((partial(patch, colour=INK.area, hatch="//////"), "Somewhere in this area"))
    if drawing.has_loose_areas:
        entries.append(
            (
                partial(sheet.mark, marker="o", diameter=3.0, face="none", edge=INK.area, line=0.9),
                "Somewhere around here",
            )
        )
    if drawing.has_occupied:
        entries.append((partial(patch, colour=INK.occupied, hatch="\\\\\\\\\\\\"), "Occupied territory"))
    return entries
