"""Paper sizes and the type scale: the few measures from which every page is laid out. Millimetres and points."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_PAPER", "INK", "PAPERS", "SIZE", "Paper"]


@dataclass(frozen=True, slots=True)
class Paper:
    """One sheet.

    Attributes
    ----------
    name : str
    width, height : float
        Millimetres.
    margin : float
        Millimetres, on all sides.
    table_width : float
        Width of the table beside the map on the first page, millimetres.
    """

    name: str
    width: float
    height: float
    margin: float = 10.0
    table_width: float = 122.0

    @property
    def left(self) -> float:
        """Left edge of the text area, millimetres."""
        return self.margin

    @property
    def right(self) -> float:
        """Right edge of the text area, millimetres."""
        return self.width - self.margin

    @property
    def bottom(self) -> float:
        """Lower edge of the text area, millimetres from the top."""
        return self.height - self.margin + 2.0


PAPERS: dict[str, Paper] = {
    "a4": Paper("A4 landscape", 297.0, 210.0),
    "letter": Paper("Letter landscape", 279.4, 215.9, table_width=116.0),
    "16:9": Paper("Slide 16:9", 338.7, 190.5, table_width=136.0),
}
DEFAULT_PAPER = "a4"


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Type sizes in points; one scale for the whole briefing."""

    title: float = 15.0
    headline: float = 13.0
    subtitle: float = 7.4
    heading: float = 6.6
    body: float = 6.2
    small: float = 5.6


@dataclass(frozen=True, slots=True)
class _Inks:
    """Colours of the page itself; those of incidents are in `incidents.symbols`."""

    text: str = "#1F2933"
    quiet: str = "#5F6B76"
    rule: str = "#C5CCD3"
    band: str = "#F4F6F8"
    accent: str = "#1F4E79"
    warning: str = "#A61B1B"
    sea: str = "#E3ECF2"
    river: str = "#B9D0DE"
    land: str = "#EFEDE7"
    focus: str = "#FBFAF6"
    coast: str = "#8794A0"
    border: str = "#6B7785"
    admin: str = "#B4B9BE"
    area: str = "#4A5560"
    occupied: str = "#8C6D9E"
    town: str = "#4C5660"


SIZE = _Sizes()
INK = _Inks()
