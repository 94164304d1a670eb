"""A text in another language -> units with places, triggers, dates and casualties, ready for assembly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from geodata.gazetteer import Gazetteer
from geodata.settled import Settled
from incidents.reading.casualties import Casualty
from incidents.reading.dates import DateRef
from incidents.reading.foreign.casualties import find_foreign_casualties
from incidents.reading.foreign.dates import find_foreign_dates
from incidents.reading.foreign.lexicon import FLAGS, Language, load_language
from incidents.reading.foreign.places import find_foreign_mentions
from incidents.reading.foreign.words import split_words
from incidents.reading.places import Located, locate_mentions, relate
from incidents.reading.roles import PlaceRole
from incidents.reading.sentences import Sentence, split_sentences
from incidents.reading.triggers import Trigger
from incidents.reading.units import Unit, find_cuts

__all__ = ["ForeignText", "read_foreign"]

_FATAL = {"killed", "injured"}
# How well a preposition, given in English, makes its place the place of the happening.
_SCORES = {"in": 3.0, "near": 2.8, "on": 1.2, "to": -1.5, "from": -1.5, "of": 0.6, "": 0.5}


@dataclass(frozen=True)
class ForeignText:
    """All that was read from a text before assembly."""

    language: str
    sentences: tuple[Sentence, ...]
    located: list[Located]
    dates: dict[int, list[DateRef]]
    units: list[Unit]


def read_foreign(
    text: str,
    code: str,
    *,
    gazetteer: Gazetteer,
    today: date | None,
    countries: Mapping[str, float] | None = None,
    settled: Settled | None = None,
) -> ForeignText:
    """Read a clean text in a language that has a data file.

    Parameters
    ----------
    text : str
        Clean text.
    code : str
        A member of `list_languages`.
    gazetteer : Gazetteer
    today : date or None
        The day of publication.
    countries : mapping of str to float, optional
        Countries the report is known to be about, with weights.
    settled : mapping, optional
        Names whose place a person has settled.
    """
    language = load_language(code)
    sentences = split_sentences(text, abbreviations=language.abbreviations)
    shadows = [language.shadow(s.text) for s in sentences]
    words = [split_words(s.text, shadow, s.start) for s, shadow in zip(sentences, shadows, strict=True)]
    raw, dateline = find_foreign_mentions(sentences, words, shadows, language, gazetteer)
    hints = {**language.hints, **(countries or {})}
    located = locate_mentions(raw, gazetteer, countries=hints, settled=settled)
    dates = {
        s.index: find_foreign_dates(s, w, shadow, language, today, dateline_end=dateline if s.index == 0 else -1)
        for s, w, shadow in zip(sentences, words, shadows, strict=True)
    }
    by_sentence: dict[int, list[Located]] = {}
    for item in located:
        by_sentence.setdefault(item.raw.sentence, []).append(item)
    units: list[Unit] = []
    for s, w, shadow in zip(sentences, words, shadows, strict=True):
        blocked = [(d.start, d.end) for d in dates[s.index]]
        casualties = find_foreign_casualties(w, shadow, s.start, language, blocked)
        triggers = _find_triggers(shadow, s.start, language)
        units.extend(
            _make_units(s, shadow, language, casualties, triggers, dates[s.index], by_sentence.get(s.index, []))
        )
    return ForeignText(code, sentences, located, dates, units)


def _find_triggers(shadow: str, offset: int, language: Language) -> list[Trigger]:
    found: list[Trigger] = []
    for kind, weight, likely, pattern in language.triggers:
        found.extend(
            Trigger(kind, weight, offset + m.start(), offset + m.end(), m.group(), likely)
            for m in pattern.finditer(shadow)
            if m.group().strip()
        )
    found.sort(key=lambda t: (-(t.end - t.start), -t.weight, t.start))
    kept: list[Trigger] = []
    for trigger in found:
        if all(trigger.end <= k.start or trigger.start >= k.end for k in kept):
            kept.append(trigger)
    return sorted(kept, key=lambda t: t.start)


def _make_units(
    sentence: Sentence,
    shadow: str,
    language: Language,
    casualties: Sequence[Casualty],
    triggers: Sequence[Trigger],
    dates: Sequence[DateRef],
    located: Sequence[Located],
) -> list[Unit]:
    units: list[Unit] = []
    for start, end in _segments(sentence):
        inside = [c for c in casualties if start <= c.start < end]
        typed = [t for t in triggers if start <= t.start < end]
        when = [d for d in dates if start <= d.start < end]
        where = [x for x in located if start <= x.raw.start < end]
        text = shadow[start - sentence.start : end - sentence.start]
        inside, typed, flags = _judge(text, start, language, inside, typed)
        cuts = find_cuts(inside, where)
        if not cuts:
            units.append(_build(sentence, shadow, language, start, end, inside, typed, when, where, flags))
            continue
        edges = [start, *cuts, end]
        for a, b in pairwise(edges):
            units.append(
                _build(
                    sentence,
                    shadow,
                    language,
                    a,
                    b,
                    [c for c in inside if a <= c.start < b],
                    [t for t in typed if a <= t.start < b],
                    [d for d in when if a <= d.start < b] or list(when),
                    [x for x in where if a <= x.raw.start < b],
                    flags,
                    shared=True,
                )
            )
    return units


def _segments(sentence: Sentence) -> list[tuple[int, int]]:
    cuts = [m.start() for m in re.finditer(r"[;؛]", sentence.text) if 15 < m.start() < len(sentence.text) - 15]
    edges = [0, *(c + 1 for c in cuts), len(sentence.text)]
    return [(sentence.start + a, sentence.start + b) for a, b in pairwise(edges)]


def _judge(
    text: str, offset: int, language: Language, casualties: Sequence[Casualty], triggers: Sequence[Trigger]
) -> tuple[list[Casualty], list[Trigger], frozenset[str]]:
    """Take out what is only feared, denied or warned of, and name the flags of the rest."""
    flags = {name for name in FLAGS if name in language.cues and language.cues[name].search(text)}
    kept, typed = list(casualties), list(triggers)
    for name in ("hypothetical", "negated", "denial", "intercepted"):
        cue = language.cues[name].search(text) if name in language.cues else None
        if cue is None:
            continue
        at = offset + cue.start()
        if name == "hypothetical":
            kept = [c for c in kept if c.start < at]
            typed_before = [t for t in typed if t.start < at]
            if not kept and (not typed_before or not typed):
                typed = []
                flags.add("hypothetical")
        elif not [c for c in kept if (c.minimum or 0) > 0]:
            damage = name == "intercepted" and "damage" in language.cues and language.cues["damage"].search(text)
            if not damage:
                kept, typed = [], []
                flags.add("negated")
    if "not_war" in flags and any(t.weight >= 3 and t.type in _WAR for t in typed):
        flags.discard("not_war")
    return kept, typed, frozenset(flags)


_WAR = {"missile_strike", "air_strike", "drone_strike", "shelling", "shooting", "ground_assault", "execution"}


def _build(
    sentence: Sentence,
    shadow: str,
    language: Language,
    start: int,
    end: int,
    casualties: Sequence[Casualty],
    triggers: Sequence[Trigger],
    dates: Sequence[DateRef],
    located: Sequence[Located],
    flags: frozenset[str],
    *,
    shared: bool = False,
) -> Unit:
    text = shadow[start - sentence.start : end - sentence.start]
    roles = [r for x in located if (r := _score(x, sentence, shadow, language, triggers, casualties)) is not None]
    held = {id(x.container) for x in located if x.container is not None}
    roles = [
        replace(r, score=r.score - 1.2, rule=r.rule + ", holds another") if id(r.located) in held and r.score > 0 else r
        for r in roles
    ]
    roles.sort(key=lambda r: (-r.score, -r.located.rank, r.located.raw.start))
    roles = _put_finer_first(roles)
    gloss = _gloss(text, language)
    if roles and roles[0].rule == "object of an attack" and any(t.weight >= 3 for t in triggers):
        gloss = f"{gloss}. the attack"  # names weapon and target: its word on the type weighs
    return Unit(
        sentence,
        start,
        end,
        tuple(casualties),
        tuple(triggers),
        tuple(dates),
        tuple(roles),
        flags,
        shared,
        gloss,
    )


def _gloss(text: str, language: Language) -> str:
    """Say in English the few cues that assembly looks for in a unit's words ("another attack", "elsewhere").

    The words of another language must not meet the patterns made for English ones.
    """
    found = sorted((m.start(), english) for english, pattern in language.gloss for m in [pattern.search(text)] if m)
    return ". ".join(english for _, english in found)


def _score(
    located: Located,
    sentence: Sentence,
    shadow: str,
    language: Language,
    triggers: Sequence[Trigger],
    casualties: Sequence[Casualty],
) -> PlaceRole | None:
    raw = located.raw
    if raw.kind == "demonym" or raw.dateline:
        return None
    prefix = raw.prefix
    score = _SCORES.get(prefix, 0.5)
    rule = f"after a word for '{prefix}'" if prefix else "named in the sentence"
    if not prefix and raw.hint in {"settlement", "region", "district"}:
        score, rule = 1.4, "a word for its kind before it"
    last = max((t.end for t in triggers if t.end <= raw.start), default=None)
    if last is not None:
        between = shadow[last - sentence.start : raw.start - sentence.start]
        close = len(between.split()) <= (6 if prefix == "on" else 3) and not re.search(r"[,;:]", between)
        if close and prefix in {"on", "", "of"} and not (prefix == "" and raw.kind == "country"):
            score, rule = 3.6, "object of an attack"
    elif prefix == "on" and triggers:
        score, rule = 2.4, "after a word for 'on'"
    after = shadow[raw.end - sentence.start :]
    if score < 3 and language.cues["hit_after"].match(after.lstrip()):
        score, rule = 3.4, "was attacked"
    if not prefix and score < 1 and raw.start - sentence.start <= 2 and re.match(r"\s*[:.|—–-]", after) and triggers:
        score, rule = 2.0, "heads the sentence"
    before = shadow[: raw.start - sentence.start]
    if (
        language.cues["distance"].search(before[-60:])
        and re.search(r"\S", before)
        and _ends(language.cues["distance"], before)
    ):
        score, rule = -2.5, "reference of a distance"
    if "speaker" in raw.notes and rule != "object of an attack":
        score, rule = min(score, 0.4), "place of a speaker"
    if not raw.literal:
        score, rule = min(score, -2.0), "stands for a government"
    if located.rank == 0:
        score -= 1.6
    elif located.rank <= 1:
        score -= 0.35
    anchors = [(t.start, t.end) for t in triggers] + [(c.start, c.end) for c in casualties]
    if anchors and score > 1:
        gap = min(min(abs(raw.start - e), abs(s - raw.end)) for s, e in anchors)
        score += max(0.0, 1.0 - gap / 120)
    detail = _find_site(sentence, shadow, language, raw.start)
    return PlaceRole(located, score, rule, detail=detail, near=prefix == "near")


def _ends(pattern: re.Pattern[str], before: str) -> bool:
    """Tell whether the pattern's last match reaches the end of the text before a name."""
    last = None
    for match in pattern.finditer(before[-60:]):
        last = match
    return last is not None and not before[-60:][last.end() :].strip()


def _find_site(sentence: Sentence, shadow: str, language: Language, at: int) -> str | None:
    """Name the kind of site, in English, that stands shortly before a place: "аеродром у Мелітополі"."""
    stretch = shadow[max(0, at - sentence.start - 60) : at - sentence.start]
    return next((english for english, pattern in language.sites if pattern.search(stretch)), None)


def _put_finer_first(roles: list[PlaceRole]) -> list[PlaceRole]:
    if not roles or roles[0].score < 1.0:
        return roles
    top = roles[0]
    for role in roles[1:]:
        if (
            role.score >= max(1.4, top.score - 2.2)
            and role.located.rank > top.located.rank
            and relate(top.located, role.located) == "inside"
        ):
            return [role, *(r for r in roles if r is not role)]
    return roles
