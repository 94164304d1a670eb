"""Units -> events: one event told twice is one, several towns are several, a lead total is none.

`walk` goes over the units in reading order; `settle` then settles what an event alone cannot know.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from incidents.reading.draft import Draft
from incidents.reading.settle import (
    drop_summaries,
    inherit_dates,
    inherit_types,
    is_worth,
    place_last_resort,
    split_lists,
    split_secondary,
)
from incidents.reading.units import Unit
from incidents.reading.walk import walk_units

__all__ = ["assemble"]


def assemble(units: Sequence[Unit], today: date | None) -> list[Draft]:
    """Assemble the units of a document into events.

    Parameters
    ----------
    units : sequence of Unit
        In reading order.
    today : date or None
        The day of publication.
    """
    events = walk_units(units, today)
    inherit_types(events)
    events = drop_summaries(events)
    place_last_resort(events, units)
    inherit_dates(events, units, today)
    events = split_lists(events)
    events = split_secondary(events)
    return [e for e in events if is_worth(e)]
