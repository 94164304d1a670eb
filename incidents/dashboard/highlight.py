"""The text of a report with what was read from it marked: colour and underline style each tell the kind."""

from __future__ import annotations

from collections.abc import Sequence

from incidents.map import escape_text
from incidents.reading.records import Highlight

__all__ = ["KINDS", "render_key", "render_text"]

KINDS: dict[str, str] = {
    "place": "place",
    "figure": "figure",
    "date": "date",
    "type": "kind of event",
    "claimant": "who says so",
}
"""Kinds of `Highlight` and the words shown for them."""


def _escape_piece(text: str) -> str:
    """Escape a stretch of running text; its line breaks and blanks at the ends stay."""
    return "\n".join(
        part[: len(part) - len(part.lstrip())] + escape_text(part) + part[len(part.rstrip()) :]
        if part.strip()
        else part
        for part in text.split("\n")
    )


def _drop_overlaps(highlights: Sequence[Highlight], length: int) -> list[Highlight]:
    kept: list[Highlight] = []
    for one in sorted(highlights, key=lambda h: (h.start, -h.end)):
        if 0 <= one.start < one.end <= length and one.kind in KINDS and (not kept or one.start >= kept[-1].end):
            kept.append(one)
    return kept


def render_text(text: str, highlights: Sequence[Highlight], numbers: Sequence[tuple[int, int]] = ()) -> str:
    """Return a report's text as inert HTML with its highlights.

    Parameters
    ----------
    text : str
        The report's text; offsets are code points into it.
    highlights : sequence of Highlight
        Where two overlap, the one that starts first is shown.
    numbers : sequence of (offset, number)
        Where the sentence of incident `number` starts; shown as a small number.

    Returns
    -------
    str
        HTML.
    """
    marks = _drop_overlaps(highlights, len(text))
    notes: dict[int, list[int]] = {}
    for offset, number in numbers:
        # a number never splits a highlight: it moves to its start
        inside = next((m.start for m in marks if m.start < offset < m.end), offset)
        notes.setdefault(inside, []).append(number)
    cuts = sorted({0, len(text), *notes, *(m.start for m in marks), *(m.end for m in marks)})
    by_start = {m.start: m for m in marks}
    pieces: list[str] = []
    for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        pieces += [f'<sup title="incident {n}"><b>[{n}]</b></sup>' for n in notes.get(start, ())]
        piece = _escape_piece(text[start:end])
        mark = by_start.get(start)
        if mark is not None and piece:
            told = escape_text(f"{KINDS[mark.kind]}: {mark.label}" if mark.label else KINDS[mark.kind])
            piece = f'<mark class="ia-{mark.kind}" title="{told}">{piece}</mark>'
        pieces.append(piece)
    return f'<div class="ia-text" dir="auto">{"".join(pieces)}</div>'


def render_key() -> str:
    """Return the key that says which mark means what."""
    return "".join(f'<span class="ia-k"><mark class="ia-{kind}">{words}</mark></span>' for kind, words in KINDS.items())
