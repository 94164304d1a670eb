"""After the walk: types, lead totals, dates, lists and secondary incidents are settled event by event."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from incidents.reading.draft import Draft
from incidents.reading.places import Located, relate
from incidents.reading.roles import PlaceRole
from incidents.reading.triggers import GENERIC
from incidents.reading.units import Unit

__all__ = [
    "drop_summaries",
    "inherit_dates",
    "inherit_types",
    "is_worth",
    "place_last_resort",
    "split_lists",
    "split_secondary",
]

_REMOTE = ("missile_strike", "air_strike", "drone_strike", "shelling", "explosion")
_FATAL_TYPES = frozenset(
    {*_REMOTE, "ground_assault", "shooting", "execution", "bodies_found", "sexual_violence", "abduction", "riot"}
)
_MIN_DISPLACED = 1_000
_MIN_ABDUCTED = 10


# Forces that bomb from the air where a report only says "bombed" or "struck".
_BY_AIR = re.compile(
    r"\b(?:israel\w*|saudi\S*|coalition|nato|u\.?s\.?|american|turk\w+|junta|air force|jets?|planes?)\b", re.I
)


_STRUCK = re.compile(r"\b(?:struck|strikes?)\b", re.I)


def _decide_type(event: Draft) -> str:  # noqa: C901, PLR0912 - one adjustment after the other
    votes: dict[str, float] = defaultdict(
        float, {k: v for k, v in event.votes.items() if k not in {GENERIC, "strategic"}}
    )
    killed = event.low("killed") or 0
    if not votes:
        return ""
    abducted = event.low("abducted") or 0
    if votes.get("abduction") and abducted and abducted >= killed and votes["abduction"] >= 2:
        return "abduction"
    if len(votes) > 1 and "other" in votes:
        del votes["other"]
    fatal = killed > 0 or (event.low("injured") or 0) > 0
    if (
        votes.get("displacement")
        and not killed
        and event.has("displaced")
        and not any(votes.get(t, 0) >= 3 for t in _REMOTE)
    ):
        return "displacement"
    if fatal:
        for soft in ("displacement", "looting", "protest"):
            if soft in votes and any(k in _FATAL_TYPES for k in votes if k != soft):
                votes[soft] *= 0.25
    if votes.get("abduction") and not event.has("abducted") and len(votes) > 1:
        votes["abduction"] *= 0.5
    if (
        votes.get("bodies_found")
        and any(votes.get(t, 0) >= 2 for t in _REMOTE)
        and re.search(
            r"\b(?:rubble|debris|ruins|wreckage|rescuers?|firemen|firefighters)\b",
            " ".join(u.text for u in event.units),
            re.I,
        )
    ):
        votes["bodies_found"] *= 0.4
    if killed > abducted and killed > 0:
        for side in ("sexual_violence", "abduction"):
            if side in votes:
                votes[side] *= 0.3
    if votes.get("execution", 0) >= 2 and votes.get("shooting"):
        votes["execution"] += votes["shooting"]
    if (
        votes.get("shelling")
        and event.typed_by["shelling"].weight <= 2
        and _BY_AIR.search(" ".join(u.text for u in event.units))
    ):
        votes["air_strike"] += votes.pop("shelling")
        event.typed_by.setdefault("air_strike", event.typed_by["shelling"])
    bombing = event.typed_by.get("explosion")
    if (
        votes.get("explosion")
        and bombing is not None
        and re.match(r"bombing", bombing.text, re.I)
        and _BY_AIR.search(" ".join(u.text for u in event.units))
    ):
        votes["air_strike"] += votes.pop("explosion")
        event.typed_by.setdefault("air_strike", bombing)
    # A blast, a bomb, a fire are what the sharper weapon does.
    sharp = [t for t in ("missile_strike", "drone_strike", "air_strike", "shelling") if votes.get(t, 0) >= 2]
    if sharp and votes.get("explosion"):
        own = event.typed_by.get("explosion")
        if (
            (own is not None and own.weight <= 2) or re.fullmatch(r"bombs?", own.text, re.I) is not None
            if own
            else True
        ):
            votes["explosion"] *= 0.4
    if (
        votes.get("shooting")
        and votes.get("explosion", 0) >= 3
        and event.typed_by["explosion"].start < event.typed_by["shooting"].start
    ):
        votes["explosion"] += 1
    best = max(votes.items(), key=lambda item: (item[1], -event.typed_by[item[0]].start))
    return best[0] if best[1] >= 1.5 else ""


def inherit_types(events: Sequence[Draft]) -> None:
    """Settle the type of each event; one that says none takes that of the event told with it, marked as inferred."""
    previous: Draft | None = None
    first_typed = next((e for e in events if _decide_type(e)), None)
    for event in events:
        kind = _decide_type(event)
        if kind in {"displacement", "looting", "protest", "other"} or kind:
            event.type = kind or "unknown"
            trigger = event.typed_by.get(kind)
            if trigger is not None:
                event.rules.append(("type", f"'{trigger.text.strip()}'", trigger.start, trigger.end))
        elif _STRUCK.search(event.units[0].text if event.units else "") and _BY_AIR.search(event.units[0].text):
            event.type, event.inherited_type = "air_strike", True
        else:
            donor = previous or first_typed
            if donor is not None and (donor.type != "unknown" or _decide_type(donor)):
                event.type = donor.type if donor.type != "unknown" else _decide_type(donor)
                if event.type in {"displacement", "abduction", "looting"}:
                    event.type = "unknown"
                else:
                    event.inherited_type = True
            if event.type == "unknown":
                event.type, event.inherited_type = _fall_back_type(event), True
        if event.type not in {"displacement", "abduction", "looting", "protest", "unknown"}:
            previous = event


def _fall_back_type(event: Draft) -> str:
    """Name the likeliest kind where no word says it; such a type is always marked as inferred."""
    likely = next((t.likely for u in event.units for t in u.triggers if t.likely), None)
    if likely is not None:
        told = [t for t in event.typed_by if t not in {GENERIC, "strategic"}]
        return max(told, key=lambda t: event.votes[t]) if told else likely
    text = " ".join(u.text for u in event.units)
    if re.search(
        r"\b(?:raiders?|bandits?|rebels?|militants?|fighters|gunmen|militia\w*|herders|attackers|tribesmen|rustlers|jihadists?|insurgents?)\b",
        text,
        re.I,
    ):
        return "ground_assault"
    if re.search(r"\b(?:struck|strikes?)\b", text, re.I):
        by_missile = re.search(r"\b(?:russ|ukrain|iran)\w+", text, re.I) and not _BY_AIR.search(text)
        return "missile_strike" if by_missile else "air_strike"
    if re.search(r"\b(?:attack(?:s|ed)?|raid(?:s|ed)?|massacre|hit|hits)\b", text, re.I):
        return (
            "shelling"
            if re.search(r"\b(?:russ|ukrain)\w+\s+(?:attacks?|forces|army|troops)", text, re.I)
            else "ground_assault"
        )
    return "other" if event.has("killed", "injured") else "unknown"


def _toll(event: Draft, measure: str) -> int | None:
    return event.low(measure)


# A lead sums up what is told within so many events of it: keeps endless texts linear.
_WINDOW = 100


def drop_summaries(events: list[Draft]) -> list[Draft]:
    """Take out lead totals that only sum the incidents told below; merge a lead with the one place it means."""
    gone: set[int] = set()
    for k, event in enumerate(events):
        if id(event) in gone or not event.current or not event.units:
            continue
        near = [e for e in events[max(0, k - _WINDOW) : k + _WINDOW] if id(e) not in gone]
        later = [
            e for e in near if e is not event and e.current and e.units and e.units[0].start >= event.units[0].start
        ]
        others = [e for e in later if _within(event, e)]
        if (event.summary or event.located is None) and _sums_up(event, later):
            gone.add(id(event))
            _give_down(event, later)
            continue
        with_toll = [e for e in others if e.has("killed", "injured")]
        if not with_toll:
            continue
        total_killed, total_injured = _toll(event, "killed"), _toll(event, "injured")
        if len(with_toll) >= 2:
            sums = [(_toll(e, "killed") or 0) for e in with_toll]
            if total_killed is None or sum(sums) >= 0.5 * total_killed or (total_injured or 0) > 0 == total_killed:
                gone.add(id(event))
                _give_down(event, with_toll)
        else:
            only = with_toll[0]
            own = _toll(only, "killed")
            if (
                total_killed is None
                or own is None
                or own == total_killed
                or (own >= 0.8 * total_killed and own <= 1.35 * total_killed)
            ):
                if total_killed is None and total_injured is None and not _is_vague_lead(event):
                    continue
                _merge_into(only, event)
                gone.add(id(event))
    return [e for e in events if id(e) not in gone]


def _sums_up(event: Draft, parts: Sequence[Draft]) -> bool:
    """Tell whether the tolls of what follows make exactly the toll of the lead."""
    for measure in ("killed", "injured"):
        total = event.low(measure)
        sums = [p.low(measure) or 0 for p in parts]
        if total is not None and total > 1 and len([s for s in sums if s]) >= 2 and sum(sums) == total:
            return True
    return False


def _is_vague_lead(event: Draft) -> bool:
    return event.located is None or event.located.rank <= 1


def _within(event: Draft, other: Draft) -> bool:
    if event.located is None:
        return other.located is not None
    if other.located is None:
        return False
    if event.located.rank >= 3:
        return False
    return relate(event.located, other.located) == "inside"


def _give_down(event: Draft, parts: Sequence[Draft]) -> None:
    for part in parts:
        if part.inherited_type and event.type != "unknown":
            part.type = event.type
        if part.first_day is None and event.first_day is not None:
            part.first_day, part.last_day, part.precision = event.first_day, event.last_day, event.precision
            part.date_rule, part.when = "from the lead", event.when


def _merge_into(target: Draft, source: Draft) -> None:
    if target.inherited_type and source.type != "unknown" and not source.inherited_type:
        target.type, target.inherited_type = source.type, False
    if target.first_day is None:
        target.first_day, target.last_day, target.precision, target.when = (
            source.first_day,
            source.last_day,
            source.precision,
            source.when,
        )
        target.date_rule = source.date_rule
    target.units = [*source.units, *target.units]
    target.figures = [*source.figures, *target.figures]


def inherit_dates(events: Sequence[Draft], units: Sequence[Unit], today: date | None) -> None:
    """Give undated events the day of the event before, else that of the statement, else the week of publication."""
    anchor: Draft | None = None
    for event in events:
        if event.first_day is not None or not event.current:
            if event.current and event.precision == "day" and anchor is None:
                anchor = event
            continue
        if anchor is not None:
            event.first_day, event.last_day, event.precision = anchor.first_day, anchor.last_day, anchor.precision
            event.date_rule = "day of the events told with it"
            continue
        said = next(
            (
                d
                for u in [*event.units, *units]
                for d in u.dates
                if d.role == "statement" and d.first is not None and d.precision == "day"
            ),
            None,
        )
        if said is not None:
            event.first_day, event.last_day, event.precision = said.first, said.last, "day"
            event.date_rule, event.when = "day of the statement", said
        elif today is not None:
            event.first_day = event.last_day = today
            event.precision, event.date_rule = "week", "day of publication"


def split_lists(events: list[Draft]) -> list[Draft]:
    """One toll for several towns goes to their common area; shells on several towns without a toll are one each."""
    out: list[Draft] = []
    for event in events:
        out.append(event)
        place = event.place
        if place is None or place.located.rank < 2:
            continue
        unit = next((u for u in event.units if any(r is place for r in u.places)), None)
        if unit is None:
            continue
        peers = [
            r
            for r in unit.places
            if r is not place
            and r.score >= 2
            and r.located.rank == place.located.rank
            and _are_listed(unit, place.located, r.located)
        ]
        if not peers:
            continue
        group = sorted([place, *peers], key=lambda r: r.located.raw.start)
        told_there = any(f.unit is unit for f in event.figures) or not any(
            f.unit.own_place is not None and f.unit.own_place.located.rank >= 2 for f in event.figures
        )
        if event.has("killed", "injured", "displaced", "abducted") and told_there:
            area = _common_area(group, event)
            if area is not None:
                event.place = area
                event.rules.append(
                    (
                        "place",
                        "common area of the places that share a toll",
                        area.located.raw.start,
                        area.located.raw.end,
                    )
                )
            continue
        if not event.has("killed", "injured"):
            for role in group:
                if role is place:
                    continue
                twin = replace(
                    event,
                    place=role,
                    rules=[
                        *event.rules,
                        ("place", "one of several places", role.located.raw.start, role.located.raw.end),
                    ],
                )
                out.append(twin)
    return out


# Words between the places of a list, in every language that is read; prepositions may be told again before each.
_LIST_JOINTS = frozenset(", and і й та и або или et ou y e o و".split())
_LIST_WORDS = _LIST_JOINTS | frozenset("or & the of in у в під под біля по на à de en em في".split())


def _are_listed(unit: Unit, a: Located, b: Located) -> bool:
    first, last = sorted((a.raw, b.raw), key=lambda r: r.start)
    between = unit.sentence.text[first.end - unit.sentence.start : last.start - unit.sentence.start]
    words = re.findall(r"[\w'-]+|[^\w\s]", between)
    # Only names, commas and conjunctions between: "Arven, Harlo and Denta".
    listed = all(w in _LIST_WORDS or w[:1].isupper() for w in words)
    return listed and len(words) <= 14 and not _LIST_JOINTS.isdisjoint(words)


def _common_area(group: Sequence[PlaceRole], event: Draft) -> PlaceRole | None:
    containers = [c for r in group if (c := r.located.container) is not None and 1 <= c.rank < 3]
    if containers:
        return PlaceRole(max(containers, key=lambda c: c.rank), 3.0, "holds the places told")
    regions = [
        r
        for u in event.units
        for r in u.places
        if 1 <= r.located.rank < 3
        and all(x.located.admin1 is None or x.located.admin1 == r.located.admin1 for x in group)
    ]
    return regions[0] if regions else None


_THERE = re.compile(r"\b(?:residents|villagers|locals|inhabitants|there|town|village|area|families|homes)\b", re.I)


def _belongs_here(unit: Unit) -> bool:
    """Tell whether displaced or abducted people are those of the event, not of the whole war."""
    return (
        any(c.measure in {"killed", "injured"} for c in unit.figures)
        or unit.own_place is not None
        or _THERE.search(unit.text) is not None
        or not re.search(r"\bha(?:ve|s) been\b", unit.text)
    )


def _is_capital_speaking(role: PlaceRole) -> bool:
    """Tell whether a capital is only named because somebody in it spoke."""
    place = role.located.place
    return role.rule == "place of a speaker" and place is not None and place.feature_code == "PPLC"


def place_last_resort(events: Sequence[Draft], units: Sequence[Unit]) -> None:
    """Give an event without a place the only town its sentences name, or the dateline's where the text names no other."""
    for event in events:
        if event.place is not None or not event.units:
            continue
        roles = [
            r
            for u in event.units
            for r in u.places
            if r.located.raw.literal and r.located.rank >= 1 and r.score > -2.5 and not _is_capital_speaking(r)
        ]
        if roles:
            best = max(roles, key=lambda r: r.score)
            event.place = replace(best, rule="the only town named with it")
            raw = best.located.raw
            event.rules.append(("place", event.place.rule, raw.start, raw.end))
    del units


def split_secondary(events: list[Draft]) -> list[Draft]:
    """Give many displaced or abducted people an incident of their own beside the attack that caused it."""
    out: list[Draft] = []
    for event in events:
        out.append(event)
        if not event.current:
            continue
        for kind, measure, floor in (
            ("displacement", "displaced", _MIN_DISPLACED),
            ("abduction", "abducted", _MIN_ABDUCTED),
        ):
            mine = [f for f in event.figures if f.casualty.measure == measure and not f.casualty.subset]
            mine = [f for f in mine if _belongs_here(f.unit)]
            biggest = max((f.casualty.minimum or 0 for f in mine), default=0)
            if event.type == kind or biggest < floor or not event.has("killed", "injured"):
                continue
            twin = replace(
                event, figures=list(mine), type=kind, secondary=True, inherited_type=False, units=[f.unit for f in mine]
            )
            event.figures = [f for f in event.figures if f.casualty.measure != measure]
            out.append(twin)
    return out


_ONGOING = re.compile(
    r"\b(?:continu\w+|ongoing|raged?|raging|still|went on|goes on|daily|intensif\w+|has been|have been fighting|besieged|increasing)\b",
    re.I,
)


def is_worth(event: Draft) -> bool:
    """Keep events that say enough: a place finer than a country, or a toll of their own."""
    if event.type == "unknown" and not event.has("killed", "injured"):
        return False
    people = event.has("killed", "injured", "displaced", "abducted", "arrested", "missing")
    if event.located is None:
        return (
            people
            and event.has("killed", "injured")
            and any(t.weight >= 2 for u in event.units for t in u.triggers if t.type != GENERIC)
        )
    if event.located.rank == 0 and not people:
        return False
    if (
        event.type in {"ground_assault", "shelling"}
        and not people
        and _ONGOING.search(" ".join(u.text for u in event.units))
        and event.when is None
    ):
        return False  # a war that goes on is no incident
    if event.type in {"looting", "displacement", "protest", "riot", "abduction", "other"} and not people:
        strong = any(t.weight >= 3 and t.type == event.type for u in event.units for t in u.triggers)
        return strong and event.located.rank >= 1
    if event.type == "displacement":
        return event.has("displaced") or event.located.rank >= 2
    return True
