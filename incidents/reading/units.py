"""Sentences -> units: the smallest stretch that tells of one happening, with all that its own words say of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from incidents.reading.casualties import Casualty, find_casualties
from incidents.reading.dates import DateRef
from incidents.reading.lexicon import load_alternatives
from incidents.reading.places import Located
from incidents.reading.roles import PlaceRole, lift_quarter, put_finer_first, score_place
from incidents.reading.sentences import Sentence
from incidents.reading.triggers import GENERIC, Trigger

__all__ = ["PlaceRole", "Unit", "find_cuts", "make_units"]


@dataclass(frozen=True)
class Unit:
    """What one clause or sentence says by itself.

    Attributes
    ----------
    sentence : Sentence
    start, end : int
        Span in the clean text.
    casualties : tuple of Casualty
        Subsets included.
    triggers : tuple of Trigger
    dates : tuple of DateRef
    places : tuple of PlaceRole
        Best first.
    flags : frozenset of str
        ``not_war``, ``fiction``, ``sport``, ``court``, ``diplomacy``, ``hypothetical``, ``denial``, ``negated``,
        ``intercepted``, ``cumulative``, ``background``, ``feared``, ``new_event``.
    shared : bool
        One of several units that a distributive sentence was cut into.
    """

    sentence: Sentence
    start: int
    end: int
    casualties: tuple[Casualty, ...]
    triggers: tuple[Trigger, ...]
    dates: tuple[DateRef, ...]
    places: tuple[PlaceRole, ...]
    flags: frozenset[str]
    shared: bool = False
    text: str = field(default="")

    @property
    def own_place(self) -> PlaceRole | None:
        """The place that the unit's own words give for the happening."""
        return self.places[0] if self.places and self.places[0].score >= 1.0 else None

    @property
    def figures(self) -> tuple[Casualty, ...]:
        """The casualties that are no subsets."""
        return tuple(c for c in self.casualties if not c.subset)


_CUES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(r"(?<![\w-])(?:" + "|".join(load_alternatives("cues.txt", section)) + r")(?![\w])", re.I))
    for name, section in (
        ("not_war", "not_war"),
        ("fiction", "fiction"),
        ("sport", "sport"),
        ("court", "court"),
        ("diplomacy", "diplomacy"),
        ("hypothetical", "hypothetical"),
        ("denial", "denial"),
        ("negated", "negated_event"),
        ("intercepted", "intercepted"),
        ("cumulative", "cumulative"),
        ("background", "background"),
        ("feared", "feared"),
        ("new_event", "new_event"),
    )
)


def _find_flags(text: str, triggers: Sequence[Trigger], casualties: Sequence[Casualty], offset: int) -> frozenset[str]:
    flags = set()
    anchors = sorted([t.start - offset for t in triggers] + [c.start - offset for c in casualties])
    for name, pattern in _CUES:
        for match in pattern.finditer(text):
            if name in {"hypothetical", "denial"}:
                # Only what the word governs: a trigger behind it in the same clause.
                governed = [a for a in anchors if a >= match.start() - 2]
                earlier = [a for a in anchors if a < match.start() - 2]
                if not governed or (earlier and name == "hypothetical"):
                    continue
                if name == "hypothetical" and re.search(
                    r";|, (?:and|but|while) ", text[match.end() : governed[0]] if governed[0] > match.end() else ""
                ):
                    continue
            flags.add(name)
            break
    return frozenset(flags)


_MODAL = re.compile(
    r"\b(?:could|would|might|will|can|should|may|must|cannot|threaten\w* to|plan\w* to|vow\w* to|want\w* to|intend\w* to|tried to|trying to|attempt\w* to|able to|order\w* to|seek\w* to)"
    r"(?: (?:not|also|be|have been|have|soon|eventually|easily)){0,2}\s*$",
    re.I,
)


def _is_modal(sentence: Sentence, casualty: Casualty) -> bool:
    """Tell whether the harm is only possible: "could kill thousands"."""
    if casualty.word_at >= len(sentence.tokens):
        return False
    at = sentence.tokens[casualty.word_at].start - sentence.start
    return _MODAL.search(sentence.text[max(0, at - 40) : at]) is not None


# A semicolon, or a second happening hung on the first: ", a day after air strikes on Idlib killed 15".
_CUT = re.compile(r";|,(?= (?:a|one|two|three|four|five|several) (?:days?|weeks?) after (?!the attack|that))")


def _segments(sentence: Sentence) -> list[tuple[int, int]]:
    """Cut a sentence at semicolons where both sides say something."""
    cuts = [m.start() for m in _CUT.finditer(sentence.text) if 15 < m.start() < len(sentence.text) - 15]
    edges = [0, *(c + 1 for c in cuts), len(sentence.text)]
    return [(sentence.start + a, sentence.start + b) for a, b in itertools.pairwise(edges)]


def make_units(
    sentence: Sentence,
    triggers: Sequence[Trigger],
    dates: Sequence[DateRef],
    located: Sequence[Located],
) -> list[Unit]:
    """Make the units of one sentence.

    Parameters
    ----------
    sentence : Sentence
    triggers, dates, located : sequences
        What was found in this sentence, in order.
    """
    every = find_casualties(sentence)
    casualties = [c for c in every if not _is_modal(sentence, c)]
    only_possible = bool(every) and not casualties
    units: list[Unit] = []
    segments = _segments(sentence)
    for start, end in segments:
        inside = [c for c in casualties if start <= c.start < end]
        words = [t for t in triggers if start <= t.start < end]
        when = [d for d in dates if start <= d.start < end]
        where = [x for x in located if start <= x.raw.start < end]
        units.extend(_split_shares(sentence, start, end, inside, words, when, where))
    if only_possible:
        units = [replace(u, flags=u.flags | {"hypothetical"}) for u in units]
    return units


def _build(
    sentence: Sentence,
    start: int,
    end: int,
    casualties: Sequence[Casualty],
    triggers: Sequence[Trigger],
    dates: Sequence[DateRef],
    located: Sequence[Located],
    *,
    shared: bool = False,
) -> Unit:
    text = sentence.text[start - sentence.start : end - sentence.start]
    anchors = [(t.start, t.end) for t in triggers] + [(c.start, c.end) for c in casualties]
    roles = [r for x in located if (r := score_place(x, sentence, anchors)) is not None]
    held = {id(x.container) for x in located if x.container is not None}
    roles = [
        replace(r, score=r.score - 1.2, rule=r.rule + ", holds another") if id(r.located) in held and r.score > 0 else r
        for r in roles
    ]
    roles = [lift_quarter(r, sentence) for r in roles]
    roles.sort(key=lambda r: (-r.score, -r.located.rank, r.located.raw.start))
    roles = put_finer_first(roles)
    return Unit(
        sentence,
        start,
        end,
        tuple(casualties),
        tuple(triggers),
        tuple(dates),
        tuple(roles),
        _find_flags(text, triggers, casualties, start),
        shared,
        text,
    )


def _split_shares(
    sentence: Sentence,
    start: int,
    end: int,
    casualties: Sequence[Casualty],
    triggers: Sequence[Trigger],
    dates: Sequence[DateRef],
    located: Sequence[Located],
) -> list[Unit]:
    """Cut "eight in A and four in B" and "one each in A, B and C" into a unit a place."""
    each = [c for c in casualties if c.rule == "share of each place"]
    if each:
        units: list[Unit] = []
        for share in each:
            stop = min((c.start for c in casualties if c.start > share.start), default=end)
            units.extend(
                _build(sentence, x.raw.start, x.raw.end, [share], triggers, dates, [x], shared=True)
                for x in located
                if share.end <= x.raw.start < stop and x.rank >= 2
            )
        others = [c for c in casualties if c.rule != "share of each place" and c.rule == "share of a place"]
        for share in others:
            place = next((x for x in located if x.raw.start >= share.end), None)
            if place is not None:
                units.append(
                    _build(sentence, share.start, place.raw.end, [share], triggers, dates, [place], shared=True)
                )
        total = [c for c in casualties if not c.rule.startswith("share")]
        parts = [c for u in units for c in u.casualties]
        total = [c for c in total if sum(p.minimum or 0 for p in parts if p.measure == c.measure) != c.minimum]
        return (
            [_build(sentence, start, end, total, triggers, dates, [x for x in located if x.rank < 2]), *units]
            if units
            else []
        )
    cuts = find_cuts(casualties, located)
    if not cuts:
        return [_build(sentence, start, end, casualties, triggers, dates, located)]
    edges = [start, *cuts, end]
    casualties = _drop_total(casualties)
    units = []
    for a, b in itertools.pairwise(edges):
        own_dates = [d for d in dates if a <= d.start < b] or list(dates)
        own_triggers = [t for t in triggers if a <= t.start < b]
        units.append(
            _build(
                sentence,
                a,
                b,
                [c for c in casualties if a <= c.start < b],
                own_triggers,
                own_dates,
                [x for x in located if a <= x.raw.start < b],
                shared=True,
            )
        )
    return units


def _drop_total(casualties: Sequence[Casualty]) -> list[Casualty]:
    """Drop "twelve" of "twelve were killed: eight in A and four in B"."""
    kept = list(casualties)
    for measure in ("killed", "injured"):
        mine = [c for c in kept if c.measure == measure and not c.subset]
        if len(mine) >= 3 and mine[0].minimum and sum(c.minimum or 0 for c in mine[1:]) == mine[0].minimum:
            kept.remove(mine[0])
    return kept


def find_cuts(casualties: Sequence[Casualty], located: Sequence[Located]) -> list[int]:
    """Find where a sentence turns from one place with its figure to the next.

    Figures and places must alternate, figure first or place first, at least twice, with places of one level.
    """
    figures = [c for c in casualties if not c.subset and c.measure in {"killed", "injured"}]
    spots = [
        x
        for x in located
        if x.rank >= 1
        and x.raw.kind != "demonym"
        and x.raw.literal
        and not x.raw.dateline
        and x.raw.prefix in {"in", "near", "at", "outside", "around", "of"}
    ]
    held = {id(x.container) for x in spots if x.container is not None}
    spots = [x for x in spots if id(x) not in held]
    if sum(x.rank >= 2 for x in spots) >= 2:
        spots = [x for x in spots if x.rank >= 2]  # "In Donetsk Oblast three died in A and one in B"
    if len(figures) < 2 or len(spots) < 2:
        return []
    items: list[tuple[int, str, object]] = sorted(
        [(c.start, "C", c) for c in figures] + [(x.raw.start, "P", x) for x in spots], key=lambda item: item[0]
    )
    pattern = "".join(kind for _, kind, _ in items)
    runs = [(m.group()[0], m.start(), m.end()) for m in re.finditer(r"C+|P+", pattern)]
    order = "".join(r[0] for r in runs)
    groups: list[int] = []
    if re.fullmatch(r"(?:CP){2,}C?", order) or re.fullmatch(r"(?:PC){2,}P?", order):
        groups = [items[runs[k][1]][0] for k in range(2, len(runs), 2)]
    return groups


def is_typed(trigger: Trigger) -> bool:
    """Tell whether a trigger says the kind of incident."""
    return trigger.type != GENERIC
