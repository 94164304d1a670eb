"""The words that only briefings use: periods, sums, countries, "as of". The others are in `incidents.words`."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

import pycountry

from incidents.summary import format_range
from incidents.words import describe_date, describe_day

__all__ = [
    "describe_figure",
    "describe_period",
    "describe_total",
    "format_as_of",
    "get_country_name",
    "get_now",
]


def describe_period(first: date | None, last: date | None) -> str:
    """Return a period in words; ``Dates not stated`` where there is none."""
    if first is None or last is None:
        return "Dates not stated"
    return describe_date(first, last, "day")


def describe_figure(low: int | None, high: int | None) -> str:
    """Return the figure of one incident in words, as everywhere in the program."""
    return str(format_range(low, high))


def describe_total(low: int | None, high: int | None, *, unstated: int, incidents: int) -> tuple[str, str]:
    """Return a sum over incidents in words, and what it leaves out.

    A sum is only a range with two ends if every incident states both; where some do not, the true number may be
    higher, and the sum is "at least".
    """
    if incidents == 0:
        return "–", ""
    if unstated >= incidents:
        return "not stated", ""
    note = f"not stated for {unstated:,} of {incidents:,}" if unstated else ""
    low = low or 0
    if low and (high is None or unstated):
        return f"at least {low:,}", note
    if high is None:
        return "not known", note
    if unstated:
        return ("none stated" if high == 0 else f"up to {high:,} stated"), note
    if low == high:
        return ("none" if low == 0 else f"{low:,}"), note
    return f"{low:,}–{high:,}", note


def get_country_name(code: str) -> str:
    """Return the English short name of an ISO 3166-1 alpha-2 code, or the code."""
    known = pycountry.countries.get(alpha_2=code)
    return str(getattr(known, "common_name", known.name)) if known else code


def get_now() -> datetime:
    """Return the present in UTC, or the moment of ``SOURCE_DATE_EPOCH`` where that is set.

    See https://reproducible-builds.org/specs/source-date-epoch/
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.strip().isdecimal():
        return datetime.fromtimestamp(int(epoch), tz=UTC)
    return datetime.now(tz=UTC)


def format_as_of(moment: datetime) -> str:
    """Return a moment as ``1 December 2026, 14:05 UTC``. A moment without a zone is taken to be UTC."""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return f"{describe_day(moment.date())}, {moment:%H:%M} UTC"
