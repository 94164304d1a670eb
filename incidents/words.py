"""Dates and precisions in words, for the map, the pages and the briefings. Plain text: escape it before use as HTML."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import pandas as pd

__all__ = ["AMBIGUOUS", "PRECISION_WORDS", "describe_date", "describe_day", "to_optional"]

AMBIGUOUS = "Ambiguous, please check"
"""How the reason of an ambiguous place begins."""

PRECISION_WORDS: dict[str, str] = {
    "exact": "exact site",
    "near": "near the place named",
    "settlement": "somewhere in the town or village",
    "district": "somewhere in the district",
    "region": "somewhere in the region",
    "macro_region": "somewhere in a wider area",
    "country": "somewhere in the country",
    "unknown": "no location",
}
"""What each `location_precision` tells the reader."""


def to_optional(value: Any) -> Any:
    """Return None for every kind of missing value a frame can hold (NA, NaT, NaN), and any other value as it is."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def describe_day(day: date) -> str:
    """Return a day as "8 April 2022", the same in every locale."""
    return f"{day.day} {day:%B %Y}"


def describe_date(start: date | None, end: date | None, precision: str) -> str:
    """Return a date or period in words, no finer than it is known.

    Parameters
    ----------
    start, end : date or None
        Inclusive days; None is "not stated".
    precision : str
        ``day``, ``week``, ``month``, ``year`` or ``unknown``.
    """
    if start is None:
        return "date not stated" if end is None else f"by {describe_day(end)}"
    last = end or start
    same_year, same_month = start.year == last.year, (start.year, start.month) == (last.year, last.month)
    if precision == "year" and same_year:
        return f"{start.year}"
    if precision == "month" and same_month:
        return f"{start:%B %Y}"
    if last == start:
        return f"week of {describe_day(start)}" if precision == "week" else describe_day(start)
    if same_month:
        return f"{start.day}–{describe_day(last)}"
    return (
        f"{start.day} {start:%B} – {describe_day(last)}"
        if same_year
        else f"{describe_day(start)} – {describe_day(last)}"
    )
