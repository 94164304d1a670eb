"""An event in the making, and the figures it gathers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date

from incidents.reading.dates import DateRef
from incidents.reading.harm import Casualty
from incidents.reading.places import Located
from incidents.reading.roles import PlaceRole
from incidents.reading.triggers import Trigger
from incidents.reading.units import Unit

__all__ = ["Draft", "Figure"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A casualty with the sentence it stands in."""

    casualty: Casualty
    unit: Unit
    order: int


@dataclass(slots=True)
class Draft:
    """An event in the making."""

    units: list[Unit] = field(default_factory=list)
    place: PlaceRole | None = None
    places: list[PlaceRole] = field(default_factory=list)
    votes: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    typed_by: dict[str, Trigger] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    when: DateRef | None = None
    first_day: date | None = None
    last_day: date | None = None
    precision: str = "unknown"
    date_rule: str = ""
    current: bool = True
    rules: list[tuple[str, str, int, int]] = field(default_factory=list)
    inherited_type: bool = False
    type: str = "unknown"
    secondary: bool = False
    summary: bool = False
    last_sentence: int = -1
    also: list[Unit] = field(default_factory=list)
    date_gap: int = 999

    @property
    def located(self) -> Located | None:
        """The place's mention."""
        return self.place.located if self.place else None

    def low(self, measure: str) -> int | None:
        """Return the largest lower end of a measure, for comparing events."""
        values = [f.casualty.minimum for f in self.figures if f.casualty.measure == measure and not f.casualty.subset]
        known = [v for v in values if v is not None]
        return max(known) if known else None

    def has(self, *measures: str) -> bool:
        """Tell whether any figure on these measures was read."""
        return any(f.casualty.measure in measures for f in self.figures)
