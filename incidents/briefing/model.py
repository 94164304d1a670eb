"""The page model of a briefing: what the page says, apart from how it is drawn.

Every value is already in the words in which it is shown, so that each renderer (picture, PDF, slides, document) says
the same. All records are frozen; a renderer adds nothing and leaves nothing out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from geodata.boundaries import Policy
from incidents.symbols import KilledClass

__all__ = ["Area", "Briefing", "Headline", "Row", "Source", "Symbol", "join_numbers"]


@dataclass(frozen=True, slots=True)
class Headline:
    """One headline number.

    Attributes
    ----------
    label : str
        What is counted.
    value : str
        The figure or range in words, such as ``at least 120``.
    note : str
        What the figure leaves out, such as ``not stated for 3``.
    """

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Symbol:
    """The incidents at one point.

    Attributes
    ----------
    numbers : tuple of int
        Table numbers of the incidents; empty where none of them is listed.
    lon, lat : float
        Degrees, WGS84.
    parent : str or None
        ACLED event type; None where incidents of several types share the point.
    killed : KilledClass
        Size class of all killed at the point.
    incidents : int
        How many incidents the symbol stands for, listed or not.
    """

    numbers: tuple[int, ...]
    lon: float
    lat: float
    parent: str | None
    killed: KilledClass
    incidents: int = 1


@dataclass(frozen=True, slots=True)
class Area:
    """The incidents known only to lie somewhere in one area.

    Attributes
    ----------
    numbers : tuple of int
        Table numbers; empty where none is listed.
    area_id : str or None
        Key of the polygon in `geodata.boundaries`; None where the outline is not known.
    name : str
    precision : str
        ``district``, ``region``, ``macro_region`` or ``country``.
    lon, lat : float
        A point that stands for the area, degrees. Never drawn as a pin.
    parent : str or None
        ACLED event type; None for several.
    incidents : int
    """

    numbers: tuple[int, ...]
    area_id: str | None
    name: str
    precision: str
    lon: float
    lat: float
    parent: str | None
    incidents: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the incident table, in words."""

    number: int
    date: str
    place: str
    precision: str
    type: str
    title: str
    killed: str
    injured: str
    parent: str
    contested: bool = False
    located: bool = True
    coarse: bool = False
    sources: tuple[int, ...] = ()
    claims: str = ""
    """Who says what, where the claims disagree and were handed over."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source, numbered as in the table."""

    number: int
    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Briefing:
    """A whole briefing.

    Attributes
    ----------
    title : str
    handling : str
        Handling marking shown on each page; empty for none.
    period : str
        The days that the incidents cover, in words.
    as_of : str
        When the data was taken, in UTC.
    filters : tuple of str
        The filters in words.
    headlines : tuple of Headline
    symbols : tuple of Symbol
    areas : tuple of Area
    rows : tuple of Row
    more_rows : int
        How many incidents are not listed.
    sources : tuple of Source
    notes : tuple of str
        What a reader has to know to read the page rightly.
    credits : tuple of str
        Who made the base data, and its licences.
    countries : frozenset of str
        ISO 3166-1 alpha-2 codes of the countries with incidents.
    language : str
        BCP 47 tag of the page's own words.
    boundaries : {"un", "de_facto"}
        Whose an occupied area is drawn as (`geodata.boundaries.load_admin1`).
    """

    title: str
    handling: str
    period: str
    as_of: str
    filters: tuple[str, ...]
    headlines: tuple[Headline, ...]
    symbols: tuple[Symbol, ...]
    areas: tuple[Area, ...]
    rows: tuple[Row, ...]
    more_rows: int
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    credits: tuple[str, ...]
    countries: frozenset[str] = field(default_factory=frozenset)
    language: str = "en"
    boundaries: Policy = "un"


def join_numbers(numbers: tuple[int, ...]) -> str:
    """Return numbers as people write them: ``3, 5–7``.

    Examples
    --------
    >>> join_numbers((7, 3, 5, 6))
    '3, 5–7'
    >>> join_numbers((1, 2))
    '1, 2'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts)
