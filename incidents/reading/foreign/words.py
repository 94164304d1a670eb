"""Tokens of a sentence in another language, and the counts among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from incidents.reading.foreign.lexicon import Language, load_language

__all__ = ["Count", "Word", "find_counts", "get_keys", "split_words"]

_TOKEN = re.compile(
    r"\d{1,3}(?:[ .,]\d{3})+(?!\d)|\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['-][^\W\d_]+)*|[^\w\s]",
)
_MAX = 10**9


@dataclass(frozen=True, slots=True)
class Word:
    """One token: as written, as compared, and its code-point span in the clean text."""

    text: str
    norm: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """True for anything that starts with a letter."""
        return self.text[:1].isalpha()

    @property
    def is_capital(self) -> bool:
        """True where the first letter is a capital one."""
        return self.text[:1].isupper()


@dataclass(frozen=True, slots=True)
class Count:
    """A number in a sentence: its ends (None is open) and its token span, `last` excluded."""

    minimum: int | None
    maximum: int | None
    first: int
    last: int
    start: int
    further: bool = False
    vague: bool = False
    bare_one: bool = False


def split_words(text: str, shadow: str, offset: int) -> tuple[Word, ...]:
    """Split a sentence into tokens; `shadow` is its text as compared, of the same length."""
    return tuple(
        Word(m.group(), shadow[m.start() : m.end()], m.start() + offset, m.end() + offset)
        for m in _TOKEN.finditer(text)
    )


@lru_cache(maxsize=65536)
def get_keys(code: str, norm: str) -> tuple[str, ...]:
    """Return the forms under which a token may stand in a word list: itself, then without what is written onto it."""
    clitics = load_language(code).clitics
    if not clitics:
        return (norm,)
    keys = [norm]
    for key in keys:
        for clitic in clitics:
            if key.startswith(clitic) and len(key) - len(clitic) >= 2 and key[len(clitic) :] not in keys:
                keys.append(key[len(clitic) :])
    return tuple(keys)


def _value(language: Language, norm: str) -> int | None:
    for key in get_keys(language.code, norm):
        if key in language.numbers:
            return language.numbers[key]
    if "-" not in norm:
        return None
    parts, total = norm.split("-"), 0
    while parts:
        size = next((n for n in range(len(parts), 0, -1) if "-".join(parts[:n]) in language.numbers), 0)
        if not size:
            joint = parts[0] in language.connectors and len(parts) > 1
            if not joint:
                return None
            parts = parts[1:]
            continue
        value = language.numbers["-".join(parts[:size])]
        total = total * value if value in {100, 1000} and 0 < total < value else total + value
        parts = parts[size:]
    return total or None


def _digits(norm: str) -> int | None:
    if re.fullmatch(r"\d{1,9}", norm):
        return int(norm)
    if re.fullmatch(r"\d{1,3}(?:([ .,])\d{3})(?:\1\d{3})*", norm):
        return int(re.sub(r"\D", "", norm))
    return None


def _read_words(language: Language, words: Sequence[Word], i: int) -> tuple[int, int] | None:
    """Read a number that starts at token `i`; return (value, index after it)."""
    first = words[i]
    if first.text[0].isdigit():
        value = _digits(first.norm)
        if value is None:
            return None
        if i + 1 < len(words) and (scale := _value(language, words[i + 1].norm)) in {1000, 1_000_000}:
            return min(value * (scale or 1), _MAX), i + 2
        return value, i + 1
    value = _value(language, first.norm)
    if value is None:
        return None
    total, last, j = value, value, i + 1
    while j < len(words):
        step = 1 if words[j].norm in language.connectors and j + 1 < len(words) else 0
        nxt = _value(language, words[j + step].norm) if j + step < len(words) else None
        if nxt is None:
            break
        if nxt in {100, 1000, 1_000_000} and 0 < last < nxt:
            total, last = total * nxt if total < nxt else total + nxt, nxt
        elif (
            last >= 20
            and 0 < nxt < last
            and (nxt < 10 or last >= 100 or (last in language.teens_after and nxt < 20))
            and str(last).rstrip("0") != str(last)
        ):
            total, last = total + nxt, nxt
        elif language.unit_first and last < 10 and nxt >= 10 and nxt < 100 and nxt % 10 == 0:
            total, last = total + nxt, nxt  # "five and twenty", "three ten"
        else:
            break
        if total > _MAX:
            return _MAX, j + step + 1
        j += step + 1
    return total, j


def _effect(
    table: Sequence[tuple[str, re.Pattern[str]]], text: str, at: int | None = None
) -> tuple[str, re.Match[str] | None]:
    for name, pattern in table:
        match = pattern.search(text) if at is None else pattern.match(text, at)
        if match:
            return name, match
    return "", None


def find_counts(
    words: Sequence[Word], shadow: str, offset: int, language: Language, blocked: Sequence[tuple[int, int]]
) -> list[Count]:
    """Find the counts of a sentence, in order.

    Parameters
    ----------
    words : sequence of Word
    shadow : str
        The sentence as compared.
    offset : int
        Where the sentence starts in the clean text.
    language : Language
    blocked : sequence of (start, end)
        Spans in the clean text that hold no counts: dates.
    """
    found: list[Count] = []
    i = 0
    while i < len(words):
        word = words[i]
        if not (word.is_word or word.text[0].isdigit()) or any(a < word.end and word.start < b for a, b in blocked):
            i += 1
            continue
        count = _read_count(words, i, shadow, offset, language)
        if count is None:
            i += 1
            continue
        found.append(count)
        i = max(count.last, i + 1)
    return found


def _read_count(words: Sequence[Word], i: int, shadow: str, offset: int, language: Language) -> Count | None:
    low: int | None
    high: int | None
    read = _read_words(language, words, i)
    vague = False
    if read is None:
        key = next((k for k in get_keys(language.code, words[i].norm) if k in language.vague), None)
        if key is None:
            return None
        (low, high), last, vague = language.vague[key], i + 1, True
        if i and words[i - 1].norm.isdigit():
            return None
    else:
        low, last = read
        high = low
        if not words[i].text[0].isdigit() and _glued(words, i):
            return None
        if words[i].text[0].isdigit() and _is_part(words, i, last, shadow, offset):
            return None
    before = shadow[max(0, words[i].start - offset - 40) : words[i].start - offset]
    after = words[last - 1].end - offset
    end = None if vague or low is None else _read_range_end(words, last, low, shadow, offset, language, before)
    if end is not None:
        return Count(low, end[0], i, end[1], words[i].start)
    effect, match = _effect(language.effects_before, before)
    if effect == "max" and match is not None and language.update.search(before[: match.start() + 1]):
        effect, match = "", None  # "rose to 12"
    if not effect:
        effect, match_after = _effect(language.effects_after, shadow, after)
        if match_after and effect != "further":  # "others" stays: it tells that people are counted
            last = next(
                (n for n in range(last, len(words)) if words[n].start - offset >= match_after.end()), len(words)
            )
    start = words[i].start
    if match is not None:
        start -= len(before) - match.start() - (len(match.group()) - len(match.group().lstrip()))
    low, high = _bound(low, high, effect, vague=vague)
    one = low == 1 and not words[i].text[0].isdigit() and not effect
    return Count(low, high, i, last, start, effect == "further", vague, bare_one=one)


def _read_range_end(
    words: Sequence[Word], last: int, low: int, shadow: str, offset: int, language: Language, before: str
) -> tuple[int, int] | None:
    """Read the second number of "5-7" and "from 5 to 7"; return (value, index after it)."""
    join = language.range_join.match(shadow, words[last - 1].end - offset)
    if join is None or not join.group().strip():
        return None
    k = next((n for n in range(last, min(last + 3, len(words))) if words[n].start - offset >= join.end()), None)
    dash = join.group().strip() in {"-", "–"}
    if k is None or not (dash or language.range_open.search(before)):
        return None
    end = _read_words(language, words, k)
    return end if end is not None and low < end[0] <= 20 * max(low, 1) else None


def _bound(low: int | None, high: int | None, effect: str, *, vague: bool) -> tuple[int | None, int | None]:
    """Apply "at least", "more than" and the like to the ends of a number."""
    if effect == "min":
        return low, None
    if effect == "above" and low is not None:
        return low + (0 if vague else 1), None
    if effect == "max":
        return None, low if high is None else high
    if effect == "below" and low is not None:
        return None, max(0, low - 1)
    return low, high


def _glued(words: Sequence[Word], i: int) -> bool:
    """Tell whether a number word is capitalised inside a name: "Seven Lakes"."""
    return words[i].is_capital and i > 0 and words[i - 1].is_word and words[i - 1].is_capital


def _is_part(words: Sequence[Word], i: int, last: int, shadow: str, offset: int) -> bool:
    """Tell whether a figure is a clock time, a share, a model ("S-300"), a calibre or the first part of "15-year-old"."""
    start, end = words[i].start - offset, words[last - 1].end - offset
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    if re.match(r"\s?[%٪°€$£№]", after) or before.rstrip()[-1:] in {"$", "€", "£", "№", "#"}:
        return True
    if before[-1:] in {"-", "–"} and before[:1].isalnum():
        return True
    return (after[:1] == "-" and after[1:2].isalpha()) or after[:1].isalpha() or before[-1:].isalpha()
