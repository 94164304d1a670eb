"""Read the parameters of a link into values of a filter. A link comes from anybody: nothing in it is trusted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from incidents.areas import parse_area

__all__ = ["PARSERS"]


def _parse_set(texts: list[str]) -> frozenset[str]:
    return frozenset(t for t in texts if t)


def _parse_number(texts: list[str]) -> int:
    if not texts[0].isascii() or not texts[0].isdigit() or len(texts[0]) > 18:
        raise ValueError("is no whole number")
    return int(texts[0])


def _parse_flag(texts: list[str]) -> bool:
    if texts[0] not in {"0", "1"}:
        raise ValueError("must be 0 or 1")
    return texts[0] == "1"


def _parse_day(texts: list[str]) -> date:
    try:
        return date.fromisoformat(texts[0])
    except ValueError:
        raise ValueError("is no day written YYYY-MM-DD") from None


def _parse_share(texts: list[str]) -> float:
    try:
        return float(texts[0])
    except ValueError:
        raise ValueError("is no number") from None


def _parse_box(texts: list[str]) -> tuple[float, float, float, float]:
    try:
        west, south, east, north = (float(part) for part in texts[0].split(","))
    except ValueError:
        raise ValueError("is not lon_min,lat_min,lon_max,lat_max") from None
    return west, south, east, north


def _parse_within(texts: list[str]) -> str:
    if parse_area(texts[0]) is None:
        raise ValueError("is no polygon written as WKT")
    return texts[0]


def _parse_text(texts: list[str]) -> str:
    return texts[0]


PARSERS: dict[str, Callable[[list[str]], Any]] = {
    "types": _parse_set,
    "killed_min": _parse_number,
    "killed_max": _parse_number,
    "killed_unstated": _parse_flag,
    "injured_min": _parse_number,
    "injured_max": _parse_number,
    "injured_unstated": _parse_flag,
    "date_from": _parse_day,
    "date_to": _parse_day,
    "undated": _parse_flag,
    "countries": _parse_set,
    "admin1": _parse_set,
    "bbox": _parse_box,
    "within": _parse_within,
    "text": _parse_text,
    "review_statuses": _parse_set,
    "contested": _parse_flag,
    "min_confidence": _parse_share,
    "precision_at_least": _parse_text,
    "background": _parse_flag,
}
"""How to read each field of `incidents.filters.Filter`; a parser raises ValueError with the rule."""
