"""The one palette of incident symbols, shared by the map and the briefings.

Each quality says one thing: shape and colour (always together, so that greyscale prints and colour-blind readers
lose nothing) say the ACLED event type, size says how many were killed, and a hollow symbol says that the number
killed is not stated.

Colours are from Okabe and Ito, "Color Universal Design" (2008), chosen to stay apart for the common forms of colour
blindness; the grey of ``Other`` is ours.
"""

from __future__ import annotations

from typing import NamedTuple

from incidents.taxonomy import PARENTS, get_parent

__all__ = ["KILLED_CLASSES", "PARENT_STYLES", "KilledClass", "ParentStyle", "get_killed_class", "get_style"]


class ParentStyle(NamedTuple):
    """How incidents of one ACLED event type are drawn."""

    colour: str
    """``#rrggbb``."""
    shape: str
    """``circle``, ``square``, ``triangle``, ``diamond``, ``triangle_down``, ``plus`` or ``cross``."""
    marker: str
    """The same shape as a matplotlib marker."""


PARENT_STYLES: dict[str, ParentStyle] = {
    "Explosions/remote violence": ParentStyle("#D55E00", "circle", "o"),
    "Battles": ParentStyle("#0072B2", "square", "s"),
    "Violence against civilians": ParentStyle("#CC79A7", "triangle", "^"),
    "Riots": ParentStyle("#E69F00", "diamond", "D"),
    "Protests": ParentStyle("#009E73", "triangle_down", "v"),
    "Strategic developments": ParentStyle("#56B4E9", "plus", "P"),
    "Other": ParentStyle("#767676", "cross", "X"),
}
"""ACLED event type to style, in the order of `incidents.taxonomy.PARENTS`."""

if tuple(PARENT_STYLES) != PARENTS:  # a new parent without a style would only be noticed on the printed page
    msg = f"incidents/symbols.py has styles for {tuple(PARENT_STYLES)}, but the taxonomy has {PARENTS}"
    raise RuntimeError(msg)


class KilledClass(NamedTuple):
    """One size of symbol."""

    label: str
    minimum: int | None
    """The smallest number killed in the class; None for "not stated"."""
    radius_px: float
    """Radius on the screen, in CSS pixels."""
    diameter_mm: float
    """Diameter on paper, in millimetres."""
    hollow: bool
    """Whether the symbol is an outline only."""


KILLED_CLASSES: tuple[KilledClass, ...] = (
    KilledClass("not stated", None, 5.0, 2.0, hollow=True),
    KilledClass("none", 0, 5.0, 2.0, hollow=False),
    KilledClass("1–9", 1, 7.0, 2.6, hollow=False),
    KilledClass("10–49", 10, 9.5, 3.3, hollow=False),
    KilledClass("50 or more", 50, 12.5, 4.2, hollow=False),
)
"""The sizes, smallest first. A range counts by its lower end, or by its upper end where only that is stated."""


def get_style(incident_type: str) -> ParentStyle:
    """Return the style of an incident type; that of ``Other`` for names that are not ours."""
    return PARENT_STYLES[get_parent(incident_type)]


def get_killed_class(minimum: int | None, maximum: int | None = None) -> KilledClass:
    """Return the size class of a number killed.

    Parameters
    ----------
    minimum, maximum : int or None
        The range; None is "not stated", which is never drawn as none.

    Returns
    -------
    KilledClass
    """
    figure = minimum if minimum is not None else maximum
    if figure is None:
        return KILLED_CLASSES[0]
    fitting = [c for c in KILLED_CLASSES if c.minimum is not None and c.minimum <= figure]
    return fitting[-1] if fitting else KILLED_CLASSES[1]
