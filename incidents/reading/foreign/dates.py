"""Date words of another language -> the same date references as `incidents.reading.dates` makes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from incidents.reading.dates import DateRef
from incidents.reading.foreign.lexicon import Language
from incidents.reading.foreign.words import Word, get_keys
from incidents.reading.sentences import Sentence

__all__ = ["find_foreign_dates"]

_ISO = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d-])")
_NUMERIC = re.compile(r"(?<![\d./-])([0-3]?\d)[./]([01]?\d)[./]((?:19|20)\d\d)(?!\d|[./-]\d)")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_Found = tuple[int, int, date | None, date | None, str, str, str, bool, int]
"""start, end, first, last, precision, role, rule, anchored, offset"""


def _month_span(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _make_day(day: int, month: int, year: int | None, today: date | None) -> date | None:
    try:
        if year:
            return date(year, month, day)
        if today is None:
            return None
        found = date(today.year, month, day)
        # Up to two days ahead: the page's clock may be behind the event's.
        return found if found <= today + timedelta(days=2) else date(today.year - 1, month, day)
    except ValueError:
        return None


def _lookup(table: Mapping[str, int], language: Language, word: Word) -> int | None:
    return next((table[k] for k in get_keys(language.code, word.norm) if k in table), None)


def _calendar(words: Sequence[Word], language: Language, today: date | None) -> list[_Found]:
    """Find "8 April 2024", "8-10 April", "April 2024" and weekdays."""
    found: list[_Found] = []
    for i, word in enumerate(words):
        if not word.is_word:
            continue
        month = _lookup(language.months, language, word)
        if month is not None:
            found.extend(_read_month(words, i, month, language, today))
            continue
        day = _lookup(language.weekdays, language, word)
        if day is not None:
            first = today - timedelta(days=(today.weekday() - day) % 7) if today else None
            found.append(
                (word.start, word.end, first, first, "day" if first else "unknown", "event", "weekday", False, 0)
            )
    return found


def _read_month(words: Sequence[Word], i: int, month: int, language: Language, today: date | None) -> list[_Found]:
    k = i + 1
    while k < len(words) and (words[k].norm in language.date_joiners or words[k].norm in language.months) and k - i < 4:
        k += 1
    year = int(words[k].norm) if k < len(words) and _YEAR.match(words[k].norm) else None
    end = words[k].end if year else words[i].end
    b = i - 1
    while b >= 0 and words[b].norm in language.date_joiners and i - b < 4:
        b -= 1
    number = _read_day(words[b], language) if b >= 0 else None
    if number is not None:
        last = _make_day(number, month, year, today)
        start, first, rule = words[b].start, last, "dm"
        join = b - 1
        if join > 0 and _joins(words[join], language) and (earlier := _read_day(words[join - 1], language)) is not None:
            begun = _make_day(earlier, month, year, today)
            if begun is not None and last is not None and begun <= last and (last - begun).days < 31:
                first, start, rule = begun, words[join - 1].start, "span_dm"
        return [(start, end, first, last, "day" if first else "unknown", "event", rule, False, 0)]
    if year and 1 <= month <= 12:
        first, last_day = _month_span(year, month)
        return [(words[i].start, end, first, last_day, "month", "event", "month_year", False, 0)]
    if today is None:
        return []
    span = _month_span(today.year if month <= today.month else today.year - 1, month)
    return [(words[i].start, end, span[0], min(span[1], today), "month", "event", "month", False, 0)]


def _read_day(word: Word, language: Language) -> int | None:
    """Read a day of the month: a figure, or a word such as "premier"."""
    value = int(word.norm) if re.fullmatch(r"\d{1,2}", word.norm) else _lookup(language.day_words, language, word)
    return value if value is not None and 1 <= value <= 31 else None


def _joins(word: Word, language: Language) -> bool:
    return word.norm in {"-", "–"} or word.norm in language.date_ranges


def _count(text: str | None, language: Language) -> int:
    text = (text or "").strip()
    if text.isdigit():
        return int(text)
    return language.numbers.get(text, 1)


def _relative(shadow: str, offset: int, language: Language, today: date | None) -> list[_Found]:
    found: list[_Found] = []
    for name, pattern in language.dates.items():
        for m in pattern.finditer(shadow):
            a, b = offset + m.start(), offset + m.end()
            kind, _, unit = name.partition("_")
            if kind == "before":  # "the day before": told against the event
                found.append((a, b, None, None, "day", "event", "day_before", True, -1))
                continue
            if kind == "same":
                found.append((a, b, None, None, "day", "event", "same_day", True, 0))
                continue
            if today is None:
                found.append((a, b, None, None, "unknown", "event", kind, False, 0))
                continue
            number = _count(next((g for g in m.groups() if g), None), language)
            found.extend(_read_relative(kind, unit, a, b, number, today))
    return found


def _read_relative(kind: str, unit: str, a: int, b: int, number: int, today: date) -> list[_Found]:
    if kind in {"today", "overnight", "yesterday"}:
        day = today - timedelta(days=1) if kind == "yesterday" else today
        return [(a, b, day, day, "day", "event", kind, False, 0)]
    if kind == "span":  # "in the past day": a stretch that ends at publication
        days = min(number * _UNIT_DAYS[unit], 400)
        return [(a, b, today - timedelta(days=days), today, "day", "span", "in_days", False, days)]
    if kind not in {"ago", "last"} or number > 200:
        return []
    rule = "ago" if kind == "ago" else "last_unit"
    if unit == "day":
        day = today - timedelta(days=number)
        return [(a, b, day, day, "day", "event", rule, False, 0)]
    if unit == "week":
        day = today - timedelta(days=7 * number)
        monday = day - timedelta(days=day.weekday())
        first, last = (monday, monday + timedelta(days=6)) if kind == "last" else (day, day)
        return [(a, b, first, last, "week", "event", rule, False, 0)]
    if unit == "month":
        total = today.year * 12 + today.month - 1 - number
        first, last = _month_span(total // 12, total % 12 + 1)
        return [(a, b, first, last, "month", "event", rule, False, 0)]
    year = max(1, today.year - number)
    return [(a, b, date(year, 1, 1), date(year, 12, 31), "year", "event", rule, False, 0)]


def _plain(sentence: Sentence, today: date | None) -> list[_Found]:
    found: list[_Found] = []
    for pattern, order in ((_ISO, (1, 2, 3)), (_NUMERIC, (3, 2, 1))):
        for m in pattern.finditer(sentence.text):
            day = _make_day(int(m.group(order[2])), int(m.group(order[1])), int(m.group(order[0])), today)
            if day is not None:
                rule = "iso" if pattern is _ISO else "numeric"
                found.append(
                    (sentence.start + m.start(), sentence.start + m.end(), day, day, "day", "event", rule, False, 0)
                )
    return found


def find_foreign_dates(
    sentence: Sentence,
    words: Sequence[Word],
    shadow: str,
    language: Language,
    today: date | None,
    *,
    dateline_end: int = -1,
) -> list[DateRef]:
    """Find the dates of a sentence, in order; of overlapping ones the longest.

    Parameters
    ----------
    sentence : Sentence
    words : sequence of Word
        Its tokens.
    shadow : str
        Its text as compared.
    language : Language
    today : date or None
        The day of publication.
    dateline_end : int
        Where the dateline ends, in the clean text: a day in it is the day of writing.
    """
    try:
        found = [
            *_plain(sentence, today),
            *_calendar(words, language, today),
            *_relative(shadow, sentence.start, language, today),
        ]
    except (ValueError, OverflowError):
        found = []
    found.sort(key=lambda f: (-(f[1] - f[0]), f[0]))
    kept: list[_Found] = []
    for item in found:
        if all(item[1] <= k[0] or item[0] >= k[1] for k in kept):
            kept.append(item)
    refs = []
    for start, end, first, last, precision, role, rule, anchored, offset in _merge_nights(
        sorted(kept), shadow, sentence.start
    ):
        if role == "event" and (end <= dateline_end or _is_statement(shadow, start - sentence.start, language)):
            role = "statement"  # noqa: PLW2901 - one more thing known of it
        refs.append(DateRef(start, end, first, last, precision, role, anchored, offset, rule))
    return refs


def _merge_nights(found: list[_Found], shadow: str, offset: int) -> list[_Found]:
    """Make one of "in the night to Sunday" and of "in the night from Saturday to Sunday": the later day."""
    out: list[_Found] = []
    for item in found:
        last = out[-1] if out else None
        if (
            last is not None
            and item[6] in {"weekday", "dm"}
            and last[6] in {"overnight", "night_to"}
            and item[0] - last[1] <= 8
            and not re.search(r"[,;:.]", shadow[last[1] - offset : item[0] - offset])
        ):
            out[-1] = (last[0], item[1], item[2], item[3], item[4], item[5], "night_to", item[7], item[8])
        else:
            out.append(item)
    return out


def _is_statement(shadow: str, at: int, language: Language) -> bool:
    """Tell whether a date says when somebody spoke: a verb of saying close before it, in the same clause."""
    before = re.split(r"[;:.]", shadow[max(0, at - 70) : at])[-1]
    said = None
    for match in language.saying.finditer(before):
        said = match
    if said is None:
        return False
    between = before[said.end() :]
    if "," in between or len(between.split()) > 6:
        return False
    return not any(p.search(between) for _, _, _, p in language.triggers)
