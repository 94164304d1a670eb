"""Sentences -> units: the smallest stretch that tells of one happening, with all that its own words say of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from incidents.reading.casualties import Casualty, find_casualties
from incidents.reading.dates import DateRef
from incidents.reading.lexicon import load_alternatives
from incidents.reading.places import Located, relate
from incidents.reading.sentences import Sentence
from incidents.reading.triggers import GENERIC, Trigger

__all__ = ["PlaceRole", "Unit", "find_cuts", "make_units"]


@dataclass(frozen=True, slots=True)
class PlaceRole:
    """A place with how well it serves as the place of the happening, and why.

    `detail` is the quarter of it that was named: "Tuffah" of Gaza City; `near` tells that it was only near it.
    """

    located: Located
    score: float
    rule: str
    detail: str | None = None
    near: bool = False


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
_TRIGGER_OF = re.compile(
    r"(?:attack|attacks|strike|strikes|raid|raids|assault|assaults|shelling|bombardment|bombing|bombings|siege|storming|capture|seizure|fall|"
    r"fire|air ?strikes?|drones?|missiles?|rockets?|shells?|bombs?|offensive|battle|fighting|massacre|killings?|explosions?|blasts?|"
    r"fighting|clashes|strikes?|looting|burning|destruction|invasion|ambush)\s+(?:(?:\w+ ){0,5}(?:on|against)|(?:\w+ ){0,2}(?:of|at|in|for|near))(?: the)?(?: (?:rebel|government|russian|ukrainian|army)-(?:held|controlled|occupied))?\s*$",
    re.I,
)
_HIT_BEFORE = re.compile(
    r"\b(?:hit|hits|hitting|struck|strikes?|striking|shell(?:ed|ing)|bomb(?:ed|ing)|attack(?:ed|ing|s)|storm(?:ed|ing)|pound(?:ed|ing)|"
    r"target(?:ed|ing)|captur(?:ed|ing)|seiz(?:ed|ing)|retook|took|over(?:ran|run)|raid(?:ed|ing)|entered|besieg(?:ed|ing)|rock(?:ed|s|ing)|"
    r"shook|burn(?:ed|t|ing)|looted|fell on|landed (?:in|on|near)|fired (?:\w+ ){0,4}(?:at|on|into))"
    r"\s+(?:(?:the|a|an|part of|parts of|various|several|downtown|central|villages?|towns?|city|cities|port|outskirts|positions?|areas?|northern|southern|eastern|western|"
    r"town of|city of|village of|in|of|nearby|neighbou?ring|small|besieged|frontline|front-line|occupied|[\w-]+-(?:held|controlled)|\w+'s)\s+){0,6}$",
    re.I,
)
_HIT_AFTER = re.compile(
    r"^\s*(?:(?:has|have|had)\s+)?(?:was|were|been|is|came|come)\s+(?:also\s+|again\s+|heavily\s+|being\s+)?"
    r"(?:hit|struck|shelled|bombed|attacked|stormed|pounded|targeted|captured|seized|retaken|overrun|rocked|shaken|raided|burned|burnt|looted|under (?:attack|fire)|besieged)\b"
    r"|^\s*(?:fell|falls)\b(?! ill)|^\s*(?:attack|attacks|strikes?|bombings?|blasts?|explosions?|massacre|shelling|raid|shooting|siege|ambush|market (?:attack|bombing|strike))\b",
    re.I,
)
_DISTANCE = re.compile(
    r"\b(?:kilomet(?:re|er)s?|km|miles?|mi|hours?|minutes?|metres?|meters?)\)?\s*(?:\([^)]*\)\s*)?"
    r"(?:(?:to the |due |further |away )?(?:(?:north|south|east|west|northeast|north-east|northwest|north-west|southeast|south-east|southwest|south-west)(?:ern)?\s*)?)"
    r"(?:of|from|away from|outside)?(?: the)?(?: (?:\w+ )?(?:capital|city|town|border|state capital|regional capital|frontier|country's)(?: of| city of| with)?,?)?(?: [\w-]+-(?:held|occupied))?\s*$",
    re.I,
)
_DIRECTION_OF = re.compile(
    r"\b(?:north|south|east|west|north-?east|north-?west|south-?east|south-?west) of(?: the)?(?: (?:city|town|village) of)?(?: \w+)?(?: capital)?\s*$",
    re.I,
)
_SPEAKER_BEFORE = re.compile(
    r"\b(?:mayors?|governors?|officials?|police|authorit(?:y|ies)|spokes(?:man|woman|person)|commissioner|hospitals?|head|administration|"
    r"administrator|chief|residents?|leaders?|prosecutors?|medics?|doctors?|sources?|commander|court|ministry|embassy|correspondent|reporters?|"
    r"government|administrator|representatives?|bishop|archbishop|member of parliament|council|office|chairman|journalists?)\s+(?:of|in|for|from|at)(?: the)?(?: (?:\w+ ){0,2}(?:city|town|region|province|district) of)?\s*$",
    re.I,
)
_SPEAKER_AFTER = re.compile(
    r"^(?:'s)?\s*(?:(?:regional|city|local|state|military|provincial|health|police|civil|district)\s+)*"
    r"(?:mayor|governor|police|officials?|authorit(?:y|ies)|spokes\w+|administration|prosecutor\w*|residents?|ministry|council|commissioner|army|military|government|region(?:al)? (?:governor|head|administration))\b",
    re.I,
)
_SPEAKS = re.compile(r"\b(?:said|says|told|reported|wrote|announced|confirmed|put|stated|added|according)\b", re.I)


_CUE_WORD = re.compile(
    r"^ (?:regions?|oblasts?|provinces?|states?|governorates?|districts?|county|territory|city|area|municipality|raion)\b",
    re.I,
)
_NEAR = re.compile(
    r"\b(?:near|outside|around|close to|just beyond|not far from|on the outskirts of)\s+(?:the\s+)?(?:[\w-]+\s+){0,3}?(?:(?:town|city|village|settlement|capital)(?: of)?\s+)?$",
    re.I,
)


_PART_OF_PLACE = re.compile(
    r"\b(?:in|at|near|outside|around|on|of|hit|struck|by|to)\s+(?:the\s+|an?\s+)?(?:[\w'-]+\s+){0,4}(?:cit(?:y|ies)|towns?|villages?|settlements?|ports?|community|suburbs?|"
    r"districts?|outskirts|areas?|township|hamlet|market|neighbou?rhoods?|quarters?|cent(?:re|er)|part|side|edge|streets?|north|south|east|west)\s+of(?: the)?\s*$",
    re.I,
)


# No cue reaches further back; a bound keeps long sentences linear.
_REACH = 240


# Places that stand near the happening in the text, not on the ground.
_NO_BONUS = frozenset(
    {
        "place of a speaker",
        "reference of a distance",
        "place that was left",
        "where a person is",
        "name of a road or a line",
    }
)


def _score_place(
    located: Located, sentence: Sentence, start: int, end: int, words: Sequence[tuple[int, int]]
) -> PlaceRole | None:
    raw = located.raw
    if raw.kind == "demonym" or raw.dateline:
        return None
    before = sentence.text[max(0, raw.start - sentence.start - _REACH) : raw.start - sentence.start]
    after = _CUE_WORD.sub("", sentence.text[raw.end - sentence.start :], count=1)
    holder = located.container.raw if located.container is not None else None
    if (
        holder is not None
        and holder.sentence == raw.sentence
        and 0 < raw.start - holder.end < 24
        and sentence.text[holder.end - sentence.start :].startswith("'s")
    ):
        before = sentence.text[
            max(0, holder.start - sentence.start - _REACH) : holder.start - sentence.start
        ]  # "in South Sudan's Jonglei state"
    if raw.compass:
        before = re.sub(rf"{re.escape(raw.compass)}(?:ern)?(?: of(?: the)?)?\s*$", "", before, flags=re.I)
    score, rule = 0.5, "named in the sentence"
    prefix = raw.prefix
    if prefix in {"in", "at", "near", "outside", "around", "inside", "across", "throughout", "within"} or (
        prefix == "by" and raw.kind == "unlisted"
    ):
        score, rule = 3.0, f"after '{prefix}'"
    elif prefix in {"over", "above", "off"}:
        score, rule = 2.0, f"after '{prefix}'"
    elif prefix in {"on", "against", "into", "through"}:
        score, rule = 1.2, f"after '{prefix}'"
    elif raw.locative and prefix not in {"to", "from", "toward", "towards"}:
        score, rule = 2.0, "city or town of"
    near = _NEAR.search(before) is not None or prefix in {"near", "outside", "around"}
    if near:
        score, rule = max(score, 2.8), "near it"
    if _TRIGGER_OF.search(before) or _HIT_BEFORE.search(before):
        score, rule = 3.6, "object of an attack"
    elif _HIT_AFTER.match(after):
        score, rule = 3.4, "was attacked"
    elif prefix == "of" and _PART_OF_PLACE.search(before):
        score, rule = 3.0, "in the town or village of"
    if re.search(r"\bin (?:the |that |a )?(?:[\w-]+ ){0,2}parts? of(?: the)?\s*$", before, re.I):
        score, rule = 3.0, "in a part of it"
    follow = sentence.text[raw.end - sentence.start :]
    if (
        re.match(r"\s+(?:highway|road|street|motorway|front|crossing|border)\b", follow)
        and rule != "object of an attack"
    ):
        score, rule = min(score, 0.5), "name of a road or a line"
    if (
        re.search(
            r"\b(?:out of|on the (?:\w+ )?(?:road|highway|outskirts|edge)(?: (?:out of|from|to|into|between|near|of))?)(?: the)?\s*$",
            before,
            re.I,
        )
        and rule != "object of an attack"
    ):
        score, rule = 2.0, "on a road near it"
    elif prefix in {"to", "toward", "towards"} or re.search(
        r"\b(?:bound for|en route to|on (?:his|her|their|the) way to|travelling to|visit(?:ed|s|ing)? (?:to )?|trip to)\s*$",
        before,
        re.I,
    ):
        score, rule = -2.0, "destination"
    elif prefix == "from":
        score, rule = (
            (1.2, "left by those who fled")
            if re.search(r"\bfle[ed]+\w*\b.{0,40}\bfrom(?: the)?(?: (?:city|town|village) of)?\s*$", before, re.I)
            else (-1.5, "origin")
        )
    if _DISTANCE.search(before):
        score, rule, near = 0.7, "reference of a distance", True
    elif _DIRECTION_OF.search(before) and not raw.compass:
        score, rule, near = 1.2, "beside it", True
    elif re.search(r"\bbetween(?: the)?(?: \w+ of)?\s*$", before, re.I) or re.search(
        r"\bbetween [A-Z][\w' -]{1,40} and\s*$", before
    ):
        score, rule, near = 1.1, "one end of a stretch", True
    elif re.search(r"\bborders?(?: (?:with|of|to))?\s*$", before, re.I):
        score, rule = -2.0, "border with it"
    elif re.search(r"\b(?:cit(?:y|ies)|town|village|capital|port|settlement|hamlet),\s*$", before, re.I) and score < 2:
        apposed = re.search(
            r"\b(in|at|near|on|outside|hit|struck|of)\s+(?:the\s+|its\s+|their\s+|a\s+|an\s+)?(?:[\w'-]+\s+){0,4}(?:city|town|village|capital|port|settlement|hamlet),\s*$",
            before,
            re.I,
        )
        if apposed:
            score, rule = 3.0, "named in apposition"
    if _SPEAKER_BEFORE.search(before) and rule != "object of an attack":
        score, rule = (0.8 if _SPEAKS.search(after[:60]) else 0.4), "place of a speaker"
    elif _SPEAKER_AFTER.match(after) and rule not in {"object of an attack", "was attacked"}:
        score, rule = (0.8 if score < 1 else score - 1.5), "place of a speaker"
    if "speaker" in raw.notes:
        score, rule = min(score, 0.8), "place of a speaker"
    if re.search(
        r"\b(?:taken|rushed|evacuated|transferred|moved|flown|brought)\s+to\s+(?:\w+\s+){0,5}in\s*$", before, re.I
    ):
        score, rule = -1.0, "where the wounded were taken"
    if re.search(
        r"\b(?:treated|treatment|admitted|taken|rushed|brought|hospitali[sz]ed|flown|recovering)\b.{0,40}\b(?:hospitals?|clinics?|centre)(?: \w+){0,2} in(?: [A-Z][\w'-]+(?: [A-Z][\w'-]+)?,?(?: and)?){0,4}\s*$",
        before,
        re.I,
    ):
        score, rule = -1.0, "where the wounded were taken"
    if re.search(r"\b(?:left|leaving|leave|abandoned|vacated)\s+(?:the\s+(?:\w+\s+){0,2}of\s+)?$", before, re.I):
        score, rule = min(score, 0.4), "place that was left"
    if re.search(
        r"\bwho (?:is|was|are|were|lives?|works?|lived|worked|stayed|comes?|came) (?:now |still )?(?:in|at|near|from)\s*$",
        before,
        re.I,
    ):
        score, rule = min(score, 0.2), "where a person is"
    if not raw.literal:
        score, rule = min(score, -2.0), "stands for a government or an organisation"
    if re.search(r"\b(?:capital|capital city),?\s*$", before, re.I) and score < 2:
        score = min(score, 0.5)
    if re.match(r"\s*,?\s*(?:on |late |early )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", after):
        score += 0.3
    if located.rank == 0:
        score -= 1.6
    elif located.rank == 1:
        score -= 0.35
    if words and score > 0 and rule not in _NO_BONUS:
        gap = min(min(abs(raw.start - e), abs(s - raw.end)) for s, e in words)
        score += max(0.0, 1.0 - gap / 120)
    del start, end
    return PlaceRole(located, score, rule, near=near)


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


def _segments(sentence: Sentence) -> list[tuple[int, int]]:
    """Cut a sentence at semicolons where both sides say something."""
    cuts = [m.start() for m in re.finditer(r";", sentence.text) if 15 < m.start() < len(sentence.text) - 15]
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
    roles = [r for x in located if (r := _score_place(x, sentence, start, end, anchors)) is not None]
    held = {id(x.container) for x in located if x.container is not None}
    roles = [
        replace(r, score=r.score - 1.2, rule=r.rule + ", holds another") if id(r.located) in held and r.score > 0 else r
        for r in roles
    ]
    roles = [_lift_quarter(r, sentence) for r in roles]
    roles.sort(key=lambda r: (-r.score, -r.located.rank, r.located.raw.start))
    roles = _put_finer_first(roles)
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


_QUARTER = re.compile(r"\b(?:area|district|neighbou?rhood|quarter|suburb|section|borough)\b", re.I)


def _lift_quarter(role: PlaceRole, sentence: Sentence) -> PlaceRole:
    """Give an unknown quarter's incident to its town, the quarter kept as detail: "the Tuffah area of Gaza City"."""
    located = role.located
    town = located.container
    if (
        located.raw.kind != "unlisted"
        or town is None
        or town.place is None
        or town.place.kind != "settlement"
        or town.raw.sentence != located.raw.sentence
    ):
        return role
    stretch = sentence.text[max(0, located.raw.start - sentence.start - 30) : max(0, town.raw.start - sentence.start)]
    if (
        not _QUARTER.search(stretch)
        or any(c.place.kind == "admin1" for c in town.resolution.candidates)
        or re.search(r"\bvillages?\b|\btowns?\b", stretch)
    ):
        return role
    return replace(role, located=town, detail=located.raw.text)


def _put_finer_first(roles: list[PlaceRole]) -> list[PlaceRole]:
    """Where the best place holds another that is nearly as good, the finer one is the place."""
    if not roles or roles[0].score < 1.0:
        return roles
    top = roles[0]
    if top.located.raw.hint == "district" and top.located.rank == 2:
        # "In Kyiv missiles hit the Shevchenkivskyi district": the town, with its quarter as detail.
        town = next(
            (
                r
                for r in roles[1:]
                if r.score >= 2.5 and r.located.place is not None and r.located.place.kind == "settlement"
            ),
            None,
        )
        if town is not None:
            rest = [r for r in roles if r is not town]
            return [replace(town, score=top.score, detail=top.located.raw.text), *rest]
    for role in roles[1:]:
        if (
            role.score >= max(1.5, top.score - 2.0)
            and role.located.rank > top.located.rank
            and relate(top.located, role.located) == "inside"
        ):
            return [role, *(r for r in roles if r is not role)]
    return roles


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
        units = []
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
