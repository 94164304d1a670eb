"""A sentence in another language -> what it says happened to how many people.

Numbers and harm words are set in a row, in reading order. Neighbours are paired so that the sum of the gaps is least: a
comma or "and" between them makes a gap wide, a number right before a noun ("5 morts") makes it narrow. What is counted
must be people: the word after a number decides, and ages, dates, hours, distances, money and things fall out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from incidents.reading.casualties import Casualty
from incidents.reading.foreign.lexicon import Language, load_language
from incidents.reading.foreign.words import Count, Word, find_counts, get_keys

__all__ = ["find_foreign_casualties"]

_UNPAIRED = 9.0
_LOOK_AHEAD = 5


@dataclass(slots=True)
class _Item:
    """A number of people ("N"), or a harm word ("H")."""

    kind: str
    first: int
    last: int
    start: int
    end: int
    count: Count | None = None
    group: str = "all"
    measure: str = ""
    voice: str = ""
    weak: bool = False


@lru_cache(maxsize=32768)
def _find_person(code: str, norm: str) -> tuple[str, int] | None:
    """Return (group, how many it says by itself: 0 plural, 1, 2) of a person noun."""
    language = load_language(code)
    for key in get_keys(code, norm):
        for table, size in ((language.single, 1), (language.double, 2), (language.people, 0)):
            for group, pattern in table:
                if pattern.fullmatch(key):
                    return group, size
    return None


@lru_cache(maxsize=32768)
def _matches(code: str, name: str, norm: str) -> bool:
    pattern: re.Pattern[str] = getattr(load_language(code), name)
    return any(pattern.fullmatch(k) for k in get_keys(code, norm))


def find_foreign_casualties(
    words: Sequence[Word], shadow: str, offset: int, language: Language, blocked: Sequence[tuple[int, int]]
) -> list[Casualty]:
    """Find the casualties of a sentence, in order of appearance.

    Parameters
    ----------
    words : sequence of Word
        The sentence's tokens.
    shadow : str
        Its text as compared.
    offset : int
        Where it starts in the clean text.
    language : Language
    blocked : sequence of (start, end)
        Spans in the clean text that hold no counts: dates.
    """
    harms = _find_harms(words, shadow, offset, language)
    zeros = _find_zeros(shadow, offset, language)
    if not harms and not zeros:
        return []
    harms = [h for h in harms if all(h.end <= z.start or h.start >= z.end for z in zeros)]
    numbers = _find_people(words, shadow, offset, language, blocked, harms)
    numbers = [n for n in numbers if all(n.end <= z.start or n.start >= z.end for z in zeros)]
    found = _pair(words, shadow, offset, language, numbers, harms)
    for zero in zeros:
        if not any(c.measure == zero.measure and not c.subset for c in found):
            found.append(zero)
    return sorted(found, key=lambda c: (c.start, c.measure != "killed"))


def _find_zeros(shadow: str, offset: int, language: Language) -> list[Casualty]:
    zeros: list[Casualty] = []
    for name, pattern in language.zero:
        for m in pattern.finditer(shadow):
            measures = ("killed", "injured") if name == "both" else (name,)
            for measure in measures:
                if not any(z.measure == measure for z in zeros):
                    zeros.append(Casualty(measure, "all", 0, 0, offset + m.start(), offset + m.end(), "stated none"))
    return zeros


def _find_harms(words: Sequence[Word], shadow: str, offset: int, language: Language) -> list[_Item]:
    spans: list[tuple[int, int, str, str]] = []
    for measure, voice, pattern in language.harm:
        spans.extend((m.start(), m.end(), measure, voice) for m in pattern.finditer(shadow) if m.group().strip())
    spans.sort(key=lambda s: (-(s[1] - s[0]), s[0]))
    kept: list[tuple[int, int, str, str]] = []
    for span in spans:
        if all(span[1] <= k[0] or span[0] >= k[1] for k in kept):
            kept.append(span)
    items = []
    for start, end, measure, voice in sorted(kept):
        inside = [k for k, w in enumerate(words) if w.end - offset > start and w.start - offset < end]
        if inside:
            weak = voice == "weak"
            items.append(
                _Item(
                    "H",
                    inside[0],
                    inside[-1] + 1,
                    offset + start,
                    offset + end,
                    measure=measure,
                    voice=voice,
                    weak=weak,
                )
            )
    return items


def _find_people(
    words: Sequence[Word],
    shadow: str,
    offset: int,
    language: Language,
    blocked: Sequence[tuple[int, int]],
    harms: Sequence[_Item],
) -> list[_Item]:
    harm_at = {k for h in harms for k in range(h.first, h.last)}
    items: list[_Item] = []
    taken: set[int] = set()
    for count in find_counts(words, shadow, offset, language, blocked):
        found = _read_people(words, count, language, harm_at)
        taken.update(range(count.first, max(count.last, found[1] if found else 0)))
        if found is None:
            continue
        group, last = found
        items.append(_Item("N", count.first, last, count.start, words[last - 1].end, count=count, group=group))
    for k, word in enumerate(words):
        if k in taken or not word.is_word or (k in harm_at and not _is_two(language, word)):
            continue
        person = _find_person(language.code, word.norm)
        if person is None or person[1] == 0:
            continue
        if k and _find_person(language.code, words[k - 1].norm) is not None and k - 1 in taken:
            continue
        group, size = person
        taken.add(k)
        count = Count(size, size, k, k + 1, word.start, bare_one=size == 1)
        items.append(_Item("N", k, k + 1, word.start, word.end, count=count, group=group))
    return sorted(items, key=lambda i: i.start)


def _is_two(language: Language, word: Word) -> bool:
    person = _find_person(language.code, word.norm)
    return person is not None and person[1] == 2


def _read_people(words: Sequence[Word], count: Count, language: Language, harm_at: set[int]) -> tuple[str, int] | None:
    """Tell what a number counts: (group, index after it), or None where it is no people."""
    code = language.code
    k = count.last
    unknown = 0
    while k < len(words) and k - count.last < _LOOK_AHEAD:
        word = words[k]
        if k in harm_at or not word.is_word:
            break
        if _matches(code, "not_people", word.norm):
            return None
        person = _find_person(code, word.norm)
        if person is not None:
            last = k + 1
            group = person[0]
            while (
                last < len(words) and last not in harm_at and (more := _find_person(code, words[last].norm)) is not None
            ):
                group = more[0] if group == "all" else group
                last += 1
            return group, last
        if any(key in language.function_words for key in get_keys(code, word.norm)) and not _matches(
            code, "skip", word.norm
        ):
            break
        if not _matches(code, "skip", word.norm):
            unknown += 1
        k += 1
    if count.bare_one and k not in harm_at:
        return None  # "one of", "a": not a count of people by itself
    if unknown and not (k in harm_at and unknown <= 1 and k - count.last <= 2):
        return None
    if count.last >= len(words) or (count.vague and k not in harm_at and unknown):
        return ("all", count.last)
    return "all", max(count.last, min(k, len(words)) if not unknown else count.last)


# ---- pairing ------------------------------------------------------------------------------------------------------------


def _gap(words: Sequence[Word], shadow: str, offset: int, language: Language, a: _Item, b: _Item) -> float:
    between = words[a.last : b.first]
    gap = float(len(between))
    for word in between:
        if word.text in {",", "(", ")", '"'}:
            gap += 2.0
        elif word.text in {";", ":", ".", "!", "?"}:
            gap += 6.0
        elif word.norm in language.connectors:
            gap += 2.5
    if between and between[0].text == "," and language.cues["among"].search(shadow[a.end - offset : b.start - offset]):
        gap += 6.0
    first = b if a.kind == "N" else a
    if first.kind == "H":
        if first.voice == "noun":
            gap += 0.0 if a.kind == "N" else 2.0
        elif first.voice == "of":  # "the killing of": what is counted follows
            gap += 4.0 if a.kind == "N" else 0.0
    return gap


def _pair(
    words: Sequence[Word],
    shadow: str,
    offset: int,
    language: Language,
    numbers: Sequence[_Item],
    harms: Sequence[_Item],
) -> list[Casualty]:
    parts = _find_parts(numbers, shadow, offset, language)
    items = sorted([*(n for n in numbers if n not in parts), *harms], key=lambda i: (i.start, i.kind))
    n = len(items)
    best = [0.0] * (n + 1)
    choice = [False] * (n + 1)
    for i in range(1, n + 1):
        best[i] = best[i - 1] + _UNPAIRED
        if i >= 2 and items[i - 1].kind != items[i - 2].kind:
            cost = best[i - 2] + min(_gap(words, shadow, offset, language, items[i - 2], items[i - 1]), 2 * _UNPAIRED)
            if cost < best[i]:
                best[i], choice[i] = cost, True
    pairs: dict[int, int] = {}
    i = n
    while i > 0:
        if choice[i]:
            number, word = (i - 2, i - 1) if items[i - 2].kind == "N" else (i - 1, i - 2)
            pairs[number] = word
            i -= 2
        else:
            i -= 1
    paired_harms = set(pairs.values())
    joined = _find_joined(words, language, items, paired_harms)
    found: list[Casualty] = []
    updates = [offset + m.start() for m in language.update.finditer(shadow)]
    for k, item in enumerate(items):
        if item.kind != "N" or item.count is None:
            continue
        harm_at = pairs.get(k)
        if harm_at is None:
            previous = _find_coordinated(words, language, items, k, pairs)
            if previous is None:
                continue
            harm_at = previous
        harm = items[harm_at]
        if harm_at in joined:
            continue
        rule = "number before a harm word" if item.start < harm.start else "number after a harm word"
        casualty = _make(item, harm.measure, harm, rule)
        same = [c for c in found if c.measure == harm.measure and not c.subset]
        further = item.count.further and (bool(same) or not [c for c in found if not c.subset])
        update = any(u <= max(item.start, harm.start) for u in updates)
        found.append(replace(casualty, further=further, update=update))
    found = _merge(found)
    for part in parts:
        whole = [c for c in found if not c.subset and c.number_at < part.first]
        if whole and part.count is not None:
            nearest = max(whole, key=lambda c: c.number_at)
            found.append(_make(part, nearest.measure, None, "part of a figure", subset=True))
    return found


def _find_parts(numbers: Sequence[_Item], shadow: str, offset: int, language: Language) -> list[_Item]:
    """Return the numbers that only break another down: those right after "among them", and what is listed with them."""
    ends = [offset + m.end() for m in language.subset.finditer(shadow)]
    parts: list[_Item] = []
    for k, item in enumerate(numbers):
        if k == 0:
            continue
        near = [e for e in ends if 0 <= item.start - e <= 14 and e > numbers[0].start]
        between = shadow[numbers[k - 1].end - offset : item.start - offset]
        listed = parts and parts[-1] is numbers[k - 1] and len(between.split()) <= 2 and item.group != "all"
        if near or listed:
            parts.append(item)
    return parts


def _find_joined(words: Sequence[Word], language: Language, items: Sequence[_Item], paired: set[int]) -> set[int]:
    """Return the harm words that share one number with another: "killed and wounded 12" tells neither figure."""
    joined: set[int] = set()
    for k in range(len(items) - 1):
        a, b = items[k], items[k + 1]
        if a.kind == b.kind == "H" and a.measure != b.measure and (k in paired) != (k + 1 in paired):
            between = [w.norm for w in words[a.last : b.first]]
            if between and len(between) <= 2 and all(w in language.connectors for w in between):
                joined |= {k, k + 1}
    return joined


def _find_coordinated(
    words: Sequence[Word], language: Language, items: Sequence[_Item], k: int, pairs: dict[int, int]
) -> int | None:
    """Find the harm word of a number that only stands beside a paired one: "two men and a woman were killed"."""
    for other in (k + 1, k - 1):
        if 0 <= other < len(items) and items[other].kind == "N" and other in pairs:
            a, b = (items[k], items[other]) if k < other else (items[other], items[k])
            between = words[a.last : b.first]
            plain = [w for w in between if w.text != "," and w.norm not in language.connectors]
            beside = any(w.norm in language.connectors for w in between) or items[k].first + 1 == items[k].last
            if between and beside and len(plain) <= 1 and not any(w.text in {";", ":", "."} for w in between):
                return pairs[other]
    return None


def _make(item: _Item, measure: str, harm: _Item | None, rule: str, *, subset: bool = False) -> Casualty:
    count = item.count
    assert count is not None  # noqa: S101 - numbers are made with a count
    start, end = (item.start, item.end) if harm is None else (min(item.start, harm.start), max(item.end, harm.end))
    return Casualty(
        measure,
        item.group,
        count.minimum,
        count.maximum,
        start,
        end,
        rule,
        subset=subset,
        weak=harm.weak if harm is not None else False,
        vague=count.vague,
        number_at=item.first,
        word_at=harm.first if harm is not None else item.first,
    )


def _merge(found: list[Casualty]) -> list[Casualty]:
    """Add up the coordinated numbers of one harm word: "two men and a woman" are three."""
    out: list[Casualty] = []
    for c in found:
        same = next(
            (k for k, o in enumerate(out) if o.word_at == c.word_at and o.measure == c.measure and not o.subset), None
        )
        if c.subset or same is None:
            out.append(c)
            continue
        o = out[same]
        low = None if o.minimum is None or c.minimum is None else o.minimum + c.minimum
        high = None if o.maximum is None or c.maximum is None else o.maximum + c.maximum
        out[same] = replace(
            o,
            minimum=low,
            maximum=high,
            group=o.group if o.group == c.group else "all",
            start=min(o.start, c.start),
            end=max(o.end, c.end),
            rule="sum of those named",
        )
    return out
