"""Date words of a sentence -> days, against the day of publication.

Weekday words mean the nearest such day on or before publication ("Friday" in a text of Friday is that same day);
a day without a year is the nearest one in the past. Without a publication day only full dates can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from incidents.reading.sentences import Sentence

__all__ = ["DateRef", "find_dates"]


@dataclass(frozen=True, slots=True)
class DateRef:
    """A date in the text.

    Attributes
    ----------
    start, end : int
        Span in the clean text.
    first, last : date or None
        The days it means, inclusive; None where that cannot be told.
    precision : str
        day, week, month, year or unknown.
    role : str
        ``event``, ``statement`` (when somebody spoke) or ``span`` ("in two days": a stretch that ends at publication).
    anchored : bool
        Relative to the event told before ("the day before"), `offset` days away from it.
    """

    start: int
    end: int
    first: date | None
    last: date | None
    precision: str
    role: str = "event"
    anchored: bool = False
    offset: int = 0
    rule: str = ""


_MONTHS = {
    name: i
    for i, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_DAYS = {
    name: i
    for i, names in enumerate(
        (
            "monday mon",
            "tuesday tue tues",
            "wednesday wed",
            "thursday thu thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
_NUMBER = {
    w: i for i, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {
    "a": 1,
    "an": 1,
    "several": 3,
    "couple of": 2,
    "a couple of": 2,
}
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_DAY = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNT = (
    r"(?:a couple of|couple of|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|\d{1,2})"
)

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        ("iso", rf"(?<![\d-])({_YEAR})-(\d\d)-(\d\d)(?![\d-])"),
        ("numeric", r"(?<![\d./-])([0-3]?\d)[./]([01]?\d)[./]((?:19|20)\d\d)(?!\d|[./-]\d)"),
        (
            "span_dm",
            rf"\b(?:between |from )?({_DAY})\s*(?:-|–|and|to)\s*({_DAY})\s+(?:of )?({_MONTH})(?:,?\s+({_YEAR}))?(?!\w)",
        ),
        (
            "span_md",
            rf"\b(?:between |from )?({_MONTH})\s+({_DAY})\s*(?:-|–|and|to)\s*({_DAY})(?!\w)(?:,?\s+({_YEAR}))?",
        ),
        ("dm", rf"(?<![\d,.])({_DAY})\s+(?:of )?({_MONTH})(?:,?\s+({_YEAR}))?(?!\w)"),
        (
            "md",
            rf"\b({_MONTH})\s+({_DAY})(?![\d%]|\s*(?:people|percent|others))(?:,?\s+({_YEAR}))?(?!\w)",
        ),
        ("weekend", r"\b(?:over|at|during|on|this|last) (?:the )?(?:past |last )?weekend\b"),
        ("overnight_to", rf"\bovernight (?:to|into|on) ({_WEEKDAY})\b"),
        ("night_to", rf"\b(?:in |on )?(?:the )?night (?:of|to|from) ({_WEEKDAY}) (?:to|into) ({_WEEKDAY})\b"),
        (
            "weekday",
            rf"\b((?:last|past|this|next|coming|the previous|the following) )?({_WEEKDAY})(?:'s)?(?: (?:morning|afternoon|evening|night|overnight|noon|dawn))?\b",
        ),
        ("ago", rf"\b({_COUNT}) (days?|weeks?|months?|years?|nights?) (?:ago|back)\b"),
        ("earlier", rf"\b({_COUNT}) (days?|weeks?|months?|years?|nights?) (?:earlier|before|previously)\b"),
        ("later", rf"\b({_COUNT}) (days?|weeks?) (?:later|afterwards)\b"),
        ("after_it", rf"\b({_COUNT}) (days?|weeks?) after\b(?! that)"),
        (
            "day_before",
            r"\b(?:the )?(?:day|night|evening) before\b|\bthe (?:previous|preceding) (?:day|night|evening)\b|\ba day earlier\b",
        ),
        (
            "same_day",
            r"\b(?:the |that )?same (?:day|night|evening|morning)\b|\bthat (?:day|night|evening|morning)\b|\blater (?:that|in the) day\b",
        ),
        ("next_day", r"\b(?:the )?(?:next|following) (?:day|morning)\b|\ba day later\b"),
        ("yesterday", r"\byesterday\b|\blast (?:night|evening)\b"),
        ("today", r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|\bearly this morning\b"),
        (
            "overnight",
            r"\bovernight\b|\bduring the night\b|\bin the (?:early hours|small hours)\b|\bthrough the night\b",
        ),
        ("last_unit", r"\b(early |late |earlier |later )?(last|past|previous) (week|month|year)\b"),
        ("this_unit", r"\b(early |late |earlier |later )?this (week|month|year)\b"),
        (
            "in_days",
            rf"\b(?:in|over|within|during) (?:the )?(?:past |last |space of )?({_COUNT}|24|48|72) (days?|hours?|weeks?)\b",
        ),
        ("long", r"\b(week|day|month)-long\b"),
        ("month_year", rf"\b(?:in |since |of |late |early |mid-|from ){{0,4}}({_MONTH})(?: of)? ({_YEAR})\b"),
        (
            "month",
            rf"\b(?:in|since|late|early|during|last|from)(?: (?:late|early|mid))?[ -]({_MONTH})(?! \d)(?!\w)|\bmid-({_MONTH})(?!\w)",
        ),
        ("year", rf"\b(?:in|since|during|of|from) (?:early |late |mid-?)?({_YEAR})\b(?!-)"),
    )
)
_SAYING = re.compile(
    r"\b(?:said|says|saying|told|tells|reported|reports|announced|announces|added|adds|wrote|writes|confirmed|stated|states|"
    r"published|posted|tweeted|declared|condemned|warned|issued|spoke|statement|report|press|briefing|according to|quoted|"
    r"updated?|claimed|alleged|acknowledged|denied|released|called)"
    r"(?:\s+(?:by|to|in|on|at|the|a|an|his|her|its|their|late|early|that|reporters|journalists|statement|telegram|x|facebook|post|video|"
    r"message|evening|morning|address|news|conference|agency|television|tv|state|local|(?-i:[A-Z])[\w'-]+)){0,6}\s*$",
    re.I,
)
# "(2230 GMT on 8 April)": the same moment by another clock.
_OTHER_CLOCK = re.compile(r"\([^()]*\b(?:GMT|UTC)\b[^()]*$")
_LEAD_IN = re.compile(r"\b(?:late|early|earlier|later)?\s*(?:on|since|of)?\s*$", re.I)


def _last_weekday(day: int, today: date, *, strictly: bool = False) -> date:
    back = (today.weekday() - day) % 7
    if back == 0 and strictly:
        back = 7
    return today - timedelta(days=back)


def _make_day(day: str, month: str, year: str | None, today: date | None) -> tuple[date | None, bool]:
    """Return the day and whether its year was stated."""
    number = int(re.sub(r"\D", "", day))
    m = _MONTHS[month.lower().rstrip(".")]
    try:
        if year:
            return date(int(year), m, number), True
        if today is None:
            return None, False
        found = date(today.year, m, number)
        # Up to two days ahead: the page's clock may be behind the event's.
        return (found if found <= today + timedelta(days=2) else date(today.year - 1, m, number)), False
    except ValueError:
        return None, bool(year)


def _month_span(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1))


def _count(text: str) -> int:
    return _NUMBER.get(text.lower(), int(text) if text.isdigit() else 1)


_Found = tuple[date | None, date | None, str, str, bool, int]
"""first, last, precision, role, anchored, offset"""


def _day(first: date | None, last: date | None = None) -> _Found:
    return first, last or first, "day" if first else "unknown", "event", False, 0


def _read_span(m: re.Match[str], today: date | None, *, month_first: bool) -> _Found:
    month = m.group(1) if month_first else m.group(3)
    days = (m.group(2), m.group(3)) if month_first else (m.group(1), m.group(2))
    first, _ = _make_day(days[0], month, m.group(4), today)
    last, _ = _make_day(days[1], month, m.group(4), today)
    if first and last and first <= last:
        return _day(first, last)
    return _day(first)


def _read_weekday(m: re.Match[str], today: date | None) -> _Found | None:
    prefix = (m.group(1) or "").strip().lower()
    if prefix in {"next", "coming", "the following"}:
        return None
    if today is None:
        return None, None, "day", "event", False, 0
    day = _DAYS[m.group(2).lower()]
    found = _last_weekday(day, today, strictly=prefix in {"last", "past"})
    return _day(found)


def _shift(unit: str, count: int, today: date) -> tuple[date, date, str]:
    unit = unit.rstrip("s").lower()
    if unit in {"day", "night"}:
        d = today - timedelta(days=count)
        return d, d, "day"
    if unit == "week":
        d = today - timedelta(days=7 * count)
        return d, d, "week"
    if unit == "month":
        total = today.year * 12 + today.month - 1 - count
        first, last = _month_span(total // 12, total % 12 + 1)
        return first, last, "month"
    year = max(1, today.year - count)
    return date(year, 1, 1), date(year, 12, 31), "year"


def _read_relative(  # noqa: PLR0911 - one return a kind of word
    name: str, m: re.Match[str], today: date | None
) -> _Found | None:
    text = m.group().lower()
    if name in {"day_before", "earlier", "same_day", "next_day", "later", "after_it"}:
        days = {"day_before": -1, "same_day": 0, "next_day": 1}.get(name)
        if days is None:
            unit = m.group(2).lower().rstrip("s")
            size = {"day": 1, "night": 1, "week": 7, "month": 30, "year": 365}[unit]
            days = _count(m.group(1)) * size * (1 if name == "later" else -1)
            precision = "day" if size == 1 else "week" if size == 7 else "month" if size == 30 else "year"
            return None, None, precision, "event", True, days
        return None, None, "day", "event", True, days
    if today is None:
        return None, None, "unknown", "event", False, 0
    if name == "ago":
        first, last, precision = _shift(m.group(2), _count(m.group(1)), today)
        return first, last, precision, "event", False, 0
    if name == "yesterday":
        return _day(today - timedelta(days=1))
    if name in {"today", "overnight"}:
        return _day(today)
    if name == "weekend":
        saturday = _last_weekday(5, today)
        return _day(saturday, min(saturday + timedelta(days=1), max(today, saturday)))
    if name == "last_unit":
        unit = m.group(3).lower()
        if unit == "week":
            monday = today - timedelta(days=today.weekday() + 7)
            return monday, monday + timedelta(days=6), "week", "event", False, 0
        first, last, precision = _shift(unit, 1, today)
        return first, last, precision, "event", False, 0
    if name == "this_unit":
        unit = m.group(2).lower()
        start = {"week": today - timedelta(days=today.weekday()), "month": today.replace(day=1)}.get(
            unit, date(today.year, 1, 1)
        )
        return start, today, unit, "event", False, 0
    if name == "long":
        size = {"week": 7, "day": 1, "month": 30}[m.group(1).lower()]
        return today - timedelta(days=size), today, "day", "span", False, size
    if name == "in_days":
        count = _count(m.group(1))
        unit = m.group(2).lower().rstrip("s")
        if m.group(1).lower() in {"a", "an", "one"}:
            return None  # "the third time in a month"
        days = {"day": count, "hour": max(1, round(count / 24)), "week": 7 * count}[unit]
        return today - timedelta(days=days), today, "day", "span", False, days
    del text
    return None


def _read_coarse(name: str, m: re.Match[str], today: date | None) -> _Found | None:
    if name == "month_year":
        first, last = _month_span(int(m.group(2)), _MONTHS[m.group(1).lower().rstrip(".")])
        return first, last, "month", "event", False, 0
    if name == "year":
        year = int(m.group(1))
        if today is not None and year > today.year:
            return None
        return date(year, 1, 1), date(year, 12, 31), "year", "event", False, 0
    word = (m.group(1) or m.group(2) or "").rstrip(".")
    if not word or not word[0].isupper():
        return None
    if today is None:
        return None, None, "month", "event", False, 0
    month = _MONTHS[word.lower()]
    year = today.year if month <= today.month else today.year - 1
    first, last = _month_span(year, month)
    return first, min(last, today), "month", "event", False, 0


def _read(name: str, m: re.Match[str], today: date | None) -> _Found | None:
    readers: dict[str, Callable[[], _Found | None]] = {
        "span_dm": lambda: _read_span(m, today, month_first=False),
        "span_md": lambda: _read_span(m, today, month_first=True),
        "dm": lambda: _day(_make_day(m.group(1), m.group(2), m.group(3), today)[0]),
        "md": lambda: _day(_make_day(m.group(2), m.group(1), m.group(3), today)[0]),
        "weekday": lambda: _read_weekday(m, today),
        "overnight_to": lambda: _day(_last_weekday(_DAYS[m.group(1).lower()], today) if today else None),
        "night_to": lambda: _day(_last_weekday(_DAYS[m.group(2).lower()], today) if today else None),
    }
    if name == "numeric":
        # Day first, as most of the world writes it, unless the middle can be no month.
        try:
            return _day(date(int(m.group(3)), int(m.group(2)), int(m.group(1))))
        except ValueError:
            return None
    if name == "iso":
        try:
            return _day(date(int(m.group(1)), int(m.group(2)), int(m.group(3))))
        except ValueError:
            return None
    if name in readers:
        return readers[name]()
    if name in {"month_year", "month", "year"}:
        return _read_coarse(name, m, today)
    return _read_relative(name, m, today)


def find_dates(sentence: Sentence, today: date | None, *, dateline_end: int = -1) -> list[DateRef]:
    """Find the dates of a sentence, in order of appearance; of overlapping ones the first pattern that fits.

    Parameters
    ----------
    sentence : Sentence
    today : date or None
        The day of publication.
    dateline_end : int
        Where the dateline ends, in the clean text: a day in it is the day of writing.
    """
    text = sentence.text
    found: list[DateRef] = []
    for name, pattern in _PATTERNS:
        for m in pattern.finditer(text):
            start, end = sentence.start + m.start(), sentence.start + m.end()
            if any(start < f.end and end > f.start for f in found):
                continue
            if name in {"dm", "md", "month", "month_year"} and not _is_month_name(m):
                continue
            try:
                read = _read(name, m, today)
            except (ValueError, OverflowError):
                continue
            if read is None:
                continue
            first, last, precision, role, anchored, offset = read
            before = text[max(0, m.start() - 90) : m.start()]
            before = _LEAD_IN.sub(" ", before)
            if role == "event" and not m.group().lower().endswith("'s") and _SAYING.search(before):
                role = "statement"
            if (
                end <= dateline_end
                or re.search(r"\bby\s*$", text[max(0, m.start() - 4) : m.start()], re.I)
                or _OTHER_CLOCK.search(text[max(0, m.start() - 24) : m.start()])
            ):
                role = "statement"
            found.append(DateRef(start, end, first, last, precision, role, anchored, offset, rule=name))
    return sorted(found, key=lambda d: d.start)


def _is_month_name(m: re.Match[str]) -> bool:
    """Refuse "may 12 people" and "march 3 km": months are capitalised, "May" and "March" always."""
    for group in m.groups():
        if group and group.lower().rstrip(".") in _MONTHS:
            return group[0].isupper()
    return True
