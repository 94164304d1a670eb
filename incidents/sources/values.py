"""Cells of tables to values: counts as ranges, dates in the order the whole column shows, types in our words.

An empty cell is None, "not stated"; it never becomes 0.
"""

from __future__ import annotations

import functools
import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from incidents.taxonomy import INCIDENT_TYPES

__all__ = [
    "Count",
    "DateOrder",
    "Day",
    "find_date_order",
    "is_blank",
    "map_type",
    "parse_bool",
    "parse_count",
    "parse_day",
    "summarise_values",
]

DateOrder = Literal["dmy", "mdy"]

# "None" is how Python and its tables write a missing value, so it is no zero.
_BLANK = frozenset(
    {
        "", "-", "–", "—", "--", "?", ".", "..", "...", "n/a", "na", "n.a.", "n.a", "nan", "nat", "none given", "null",
        "none", "unknown", "unk", "unk.", "not known", "not stated", "not available", "not specified", "unspecified",
        "tbc", "tbd", "pending", "(pending)", "missing value", "#n/a", "<na>", "inf", "-inf", "no data", "no info",
    }
)  # fmt: skip

_WORDS = {
    w: n
    for n, w in enumerate(
        [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
        ]
    )
}  # fmt: skip
# The project's number words (design section 5): the least that each can mean, with no upper end.
_VAGUE = {
    "several": 3, "dozens": 24, "scores": 40, "hundreds": 200, "thousands": 2000, "tens": 20,
    "many": None, "some": None, "numerous": None, "multiple": None, "a few": 3, "few": 3,
}  # fmt: skip

_SPACES = "[ \u00a0\u2009\u202f']"
_NUMBER = rf"(?:\d{{1,3}}(?:{_SPACES}\d{{3}})+|\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:\.\d{{3}})+|\d+)(?:[.,]0+)?"
_AT_LEAST = re.compile(r"^(?:at least|min(?:imum)?\.?|no fewer than|not less than|>=|≥)\s*")
_MORE_THAN = re.compile(r"^(?:more than|over|above|>)\s*")
_AT_MOST = re.compile(r"^(?:up to|at most|max(?:imum)?\.?|no more than|<=|≤)\s*")
_LESS_THAN = re.compile(r"^(?:less than|fewer than|under|below|<)\s*")
_ABOUT = re.compile(
    r"^(?:about|approx(?:imately|\.)?|around|circa|ca?\.?(?=\s*\d)|est(?:imated|\.)?|nearly|almost|~|≈|±)\s*"
)
_RANGE = re.compile(rf"^({_NUMBER})\s*(?:-|–|—|‑|to|\.\.)\s*({_NUMBER})$")
_OPEN = re.compile(rf"^({_NUMBER})\s*(?:\+|or more|and more|or above)$")
_NONE = re.compile(r"^(?:nil|nobody|no(?: one| casualties| deaths?| fatalities| injuries| victims| people)?)$")
_TAIL = re.compile(r"\s*\b(?:people|persons?|civilians?|victims?|killed|dead|deaths?|injured|wounded|fatalities)\.?$")


@dataclass(frozen=True, slots=True)
class Count:
    """A count as an inclusive range; None is an open end, and both None is "not stated"."""

    minimum: int | None
    maximum: int | None


def is_blank(cell: str) -> bool:
    """Return whether a cell states nothing ("", "n/a", "unknown", "-" and the like)."""
    return cell.strip().casefold() in _BLANK


@functools.lru_cache(maxsize=50_000)
def parse_count(cell: str, *, decimal_comma: bool = False) -> Count:
    """Read a count cell: ``3``, ``1,200``, ``5+``, ``2–4``, ``>3``, ``at least 4``, ``~400``, ``dozens``, ``n/a``.

    Parameters
    ----------
    cell : str
    decimal_comma : bool
        The file writes decimals with a comma, so ``1.204`` is one thousand two hundred and four.

    Raises
    ------
    ValueError
        The cell states something that is no count, with the reason.
    """
    text = " ".join(cell.casefold().replace("\u00a0", " ").split())
    if text in _BLANK:
        return Count(None, None)
    if _NONE.match(text):
        return Count(0, 0)
    text = _TAIL.sub("", text).strip()
    if text in _VAGUE:
        return Count(_VAGUE[text], None)
    found = _RANGE.match(text)
    if found:
        low, high = (_to_int(v, decimal_comma=decimal_comma) for v in found.groups())
        if low > high:
            raise ValueError(f"{cell!r}: the lower end is above the upper end")
        return Count(low, high)
    found = _OPEN.match(text)
    if found:
        return Count(_to_int(found[1], decimal_comma=decimal_comma), None)
    for pattern, build in _PREFIXES:
        rest, times = pattern.subn("", text)
        if times:
            return build(_to_int(rest, decimal_comma=decimal_comma))
    number = _to_int(text, decimal_comma=decimal_comma)
    return Count(number, number)


_PREFIXES: tuple[tuple[re.Pattern[str], Callable[[int], Count]], ...] = (
    (_AT_LEAST, lambda n: Count(n, None)),
    (_AT_MOST, lambda n: Count(None, n)),
    (_MORE_THAN, lambda n: Count(n + 1, None)),
    (_LESS_THAN, lambda n: Count(None, max(n - 1, 0))),
    (_ABOUT, lambda n: Count(n, n)),
)


def _to_int(text: str, *, decimal_comma: bool) -> int:
    text = text.strip()
    if text in _WORDS:
        return _WORDS[text]
    if re.fullmatch(r"-\s*\d.*", text):
        raise ValueError(f"{text!r}: a count cannot be negative")
    if not re.fullmatch(_NUMBER, text, re.ASCII):
        raise ValueError(f"{text!r} is not a whole number")
    if "." in text and not decimal_comma and not re.search(r"\.0+$", text) and text.count(".") == 1:
        raise ValueError(f"{text!r} is not a whole number (or has a point as its thousands mark)")
    if "," in text and decimal_comma and not re.search(r",0+$", text) and text.count(",") == 1:
        raise ValueError(f"{text!r} is not a whole number (or has a comma as its thousands mark)")
    text = re.sub(r"[,]0+$" if decimal_comma else r"\.0+$", "", text)
    digits = re.sub(r"[^0-9]", "", text).lstrip("0")
    # the length first: Python refuses to make a number of thousands of digits
    number = int(digits[:12] or "0")
    if number > 100_000_000:
        raise ValueError(f"{text!r} is more people than any incident has")
    return number


def parse_bool(cell: str) -> bool | None:
    """Read yes/no in its usual spellings; None where blank.

    Raises
    ------
    ValueError
        Neither yes nor no.
    """
    word = cell.strip().casefold()
    if word in _BLANK:
        return None
    if word in {"true", "yes", "y", "1", "1.0", "t"}:
        return True
    if word in {"false", "no", "n", "0", "0.0", "f"}:
        return False
    raise ValueError(f"{cell!r} is neither yes nor no")


@dataclass(frozen=True, slots=True)
class Day:
    """A span of days with its precision: ``day``, ``month`` or ``year``; one day has equal ends."""

    start: date
    end: date
    precision: str


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
            "sep sept september", "oct october", "nov november", "dec december",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAY = re.compile(r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:[T\s,]+(?:at\s+)?\d{1,2}[:.h]\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[ap]\.?m\.?)?\s*"
    r"(?:Z|UTC|GMT|[+\-]\d{2}:?\d{2})?)$",
    re.IGNORECASE,
)
_ISO = re.compile(r"^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$", re.ASCII)
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})$", re.ASCII)
_ISO_MONTH = re.compile(r"^(\d{4})[-/.](\d{1,2})$", re.ASCII)
_YEAR = re.compile(r"^(\d{4})(?:\.0)?$", re.ASCII)
_NUMERIC = re.compile(r"^(\d{1,2})([-/.\s])\s?(\d{1,2})\2\s?(\d{4}|\d{2})$", re.ASCII)
_DAY_NAME = re.compile(
    r"^(\d{1,2})(?:st|nd|rd|th)?[-/.\s]+(?:of\s+)?([a-z]+)\.?,?[-/.\s]+(\d{4}|\d{2})$", re.IGNORECASE
)
_NAME_DAY = re.compile(r"^([a-z]+)\.?[-/.\s]+(\d{1,2})(?:st|nd|rd|th)?,?[-/.\s]+(\d{4})$", re.IGNORECASE)
_NAME_YEAR = re.compile(r"^([a-z]+)\.?,?[-/.\s]+(\d{4})$", re.IGNORECASE)


def _strip_day(cell: str) -> str:
    return _WEEKDAY.sub("", _CLOCK.sub("", " ".join(cell.split()))).strip(" ,")


def find_date_order(cells: Iterable[str]) -> DateOrder | None:
    """Return the order that a column's numeric dates show, or None where there are none to order.

    Dots always mean day first (the German, Russian and Ukrainian way; no country writes month first with dots).

    Raises
    ------
    ValueError
        The column holds both orders, or only dates that can be read both ways; the message shows them.
    """
    first: dict[DateOrder, str] = {}
    doubtful = ""
    for cell in cells:
        found = _NUMERIC.match(_strip_day(cell))
        if not found or found[2] == ".":
            continue
        a, b = int(found[1]), int(found[3])
        if a > 12 >= b:
            first.setdefault("dmy", cell)
        elif b > 12 >= a:
            first.setdefault("mdy", cell)
        elif a != b and not doubtful:
            doubtful = cell
    if len(first) == 2:
        raise ValueError(
            f"holds {first['dmy']!r} (day first) and {first['mdy']!r} (month first); say which dates are right "
            "or write them as YYYY-MM-DD"
        )
    if first:
        return next(iter(first))
    if doubtful:
        raise ValueError(f"{doubtful!r} can be read day first or month first; say dmy or mdy (--date-order)")
    return None


def parse_day(cell: str, *, order: DateOrder | None = None) -> Day | None:
    """Read a date cell: ISO, compact, with a month's name, or numeric in the column's order; None where blank.

    A time of day and its zone are dropped: the day stays the one in the source's own calendar. Two-digit years are
    1970 to 2069 (POSIX). A month or a year alone keeps that precision.

    Raises
    ------
    ValueError
        Not a date, or one that the calendar does not have.
    """
    if is_blank(cell):
        return None
    text = _strip_day(cell)
    parts = _split_day(text, order)
    if parts is None:
        raise ValueError(f"{cell!r} is not a date")
    year, month, day = parts
    if not 1000 <= year <= 2200:
        raise ValueError(f"{cell!r}: the year {year} cannot be right")
    try:
        if month is None:
            return Day(date(year, 1, 1), date(year, 12, 31), "year")
        if day is None:
            return Day(date(year, month, 1), date(year, month, monthrange(year, month)[1]), "month")
        return Day(date(year, month, day), date(year, month, day), "day")
    except (ValueError, IndexError) as error:
        raise ValueError(f"{cell!r}: the calendar has no such day") from error


def _split_day(text: str, order: DateOrder | None) -> tuple[int, int | None, int | None] | None:
    if found := _ISO.match(text):
        return int(found[1]), int(found[3]), int(found[4])
    if found := _COMPACT.match(text):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _ISO_MONTH.match(text):
        return int(found[1]), int(found[2]), None
    if found := _YEAR.match(text):
        return int(found[1]), None, None
    if found := _NUMERIC.match(text):
        a, b = int(found[1]), int(found[3])
        day, month = (b, a) if order == "mdy" and found[2] != "." else (a, b)
        return _full_year(found[4]), month, day
    return _split_named(text)


def _split_named(text: str) -> tuple[int, int | None, int | None] | None:
    if (found := _DAY_NAME.match(text)) and (month := _MONTHS.get(found[2].casefold())):
        return _full_year(found[3]), month, int(found[1])
    if (found := _NAME_DAY.match(text)) and (month := _MONTHS.get(found[1].casefold())):
        return int(found[3]), month, int(found[2])
    if (found := _NAME_YEAR.match(text)) and (month := _MONTHS.get(found[1].casefold())):
        return int(found[2]), month, None
    return None


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) == 4:
        return year
    return year + (1900 if year >= 70 else 2000)


_TYPE_NAMES = {
    spelling: kind.name
    for kind in INCIDENT_TYPES
    for spelling in (kind.name, kind.label.casefold(), kind.name.replace("_", " "))
}
# First match wins, so the more telling word stands first. The second value is the certainty: "stated" where the
# word is the type, "coarse" where the source's class is wider than ours (ACLED Codebook, event and sub-event types).
_TYPE_WORDS: tuple[tuple[str, str, str], ...] = (
    (r"shelling\W+artillery\W+missile", "shelling", "coarse"),
    (r"air\W+drone strike", "air_strike", "coarse"),
    (r"explosions?\W+remote violence", "explosion", "coarse"),
    (r"violence against civilians", "shooting", "coarse"),
    (r"sexual|\brape", "sexual_violence", "stated"),
    (r"abduct|kidnap|hostage|arrest|disappear|detention|deport", "abduction", "stated"),
    (r"mass grave|bodies", "bodies_found", "stated"),
    (r"\bdrones?\b|\buavs?\b|unmanned|loitering|\bshahed\b", "drone_strike", "stated"),
    (r"missile|ballistic", "missile_strike", "stated"),
    (r"air\s?-?strikes?|air raid|aerial|air attack|airstrike", "air_strike", "stated"),
    (r"shell|artillery|mortar|\brockets?\b|\bmlrs\b", "shelling", "stated"),
    (r"\bied\b|explo|bomb|\bmines?\b|landmine|grenade|suicide|\bvbied\b|\buxo\b|\berw\b", "explosion", "stated"),
    (r"execut|massacre|behead", "execution", "stated"),
    (r"riot|mob violence|violent demonstration", "riot", "stated"),
    (r"protest|demonstration", "protest", "stated"),
    (r"displac|evacuat", "displacement", "stated"),
    (r"loot|arson|property destruction|demoli|vandal", "looting", "stated"),
    (r"clash|battle|assault|combat|\braids?\b|ambush|territor|fighting", "ground_assault", "stated"),
    (r"shoot|shot|gunfire|sniper|small arms|gun attack", "shooting", "stated"),
    (r"strategic|agreement|base established|headquarters", "strategic", "stated"),
)
_TYPE_PATTERNS = tuple((re.compile(p), name, certainty) for p, name, certainty in _TYPE_WORDS)


@functools.lru_cache(maxsize=10_000)
def map_type(cell: str) -> tuple[str, str, str]:
    """Map a source's type word to ours.

    Returns
    -------
    tuple of (str, str, str)
        The type, its certainty, and the rule that gave it: ``blank``, ``name``, ``word:…`` or ``unmapped``. A word
        that is none of ours is ``other`` and coarse; the source's own word stays in `source_values`.
    """
    word = " ".join(cell.casefold().split())
    if word in _BLANK:
        return "unknown", "coarse", "blank"
    if word in _TYPE_NAMES:
        return _TYPE_NAMES[word], "stated", "name"
    for pattern, name, certainty in _TYPE_PATTERNS:
        if pattern.search(word):
            return name, certainty, f"word:{pattern.pattern}"
    return "other", "coarse", "unmapped"


def summarise_values(cells: Sequence[str], *, limit: int = 5) -> str:
    """Return some of the cells, quoted, for a message."""
    shown = ", ".join(repr(c[:40]) for c in list(dict.fromkeys(cells))[:limit])
    return shown + (", …" if len(set(cells)) > limit else "")
