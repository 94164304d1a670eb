"""The role of a place in a sentence: where it happened, who spoke there, what it is far from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from incidents.reading.places import Located, relate
from incidents.reading.sentences import Sentence

__all__ = ["PlaceRole", "lift_quarter", "put_finer_first", "score_place"]


# No cue reaches further back; a bound keeps long sentences linear.
_REACH = 240


@dataclass(frozen=True, slots=True)
class PlaceRole:
    """A place with how well it serves as the place of the happening, and why.

    `detail` is the quarter of it that was named: "Old Mills" of Arven; `near` tells that it was only near it.
    """

    located: Located
    score: float
    rule: str
    detail: str | None = None
    near: bool = False


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


# Places that stand near the happening in the text, not on the ground.
_NO_BONUS = frozenset(
    {
        "place of a speaker",
        "reference of a distance",
        "one end of a stretch",
        "place that was left",
        "where a person is",
        "name of a road or a line",
    }
)


def score_place(  # noqa: C901, PLR0912, PLR0915 - the table of cues, in order of strength
    located: Located, sentence: Sentence, words: Sequence[tuple[int, int]]
) -> PlaceRole | None:
    """Score how well a mention serves as the place of what happens, by the words around it.

    `words` are the spans of the triggers and figures of the same unit. None for what can be no place at all.
    """
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
        ]  # "in Veria's Tolme state"
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
    elif re.search(r"\bbetween(?: the)?(?: \w+ of| \w+,)?\s*$", before, re.I) or re.search(
        r"\bbetween [A-Z][\w' -]{1,40} and\s*$", before
    ):
        score, rule, near = 0.9, "one end of a stretch", True
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
    return PlaceRole(located, score, rule, near=near)


_QUARTER = re.compile(r"\b(?:area|district|neighbou?rhood|quarter|suburb|section|borough)\b", re.I)


def lift_quarter(role: PlaceRole, sentence: Sentence) -> PlaceRole:
    """Give an unknown quarter's incident to its town, the quarter kept as detail: "the Old Mills area of Arven"."""
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


def put_finer_first(roles: list[PlaceRole]) -> list[PlaceRole]:
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
