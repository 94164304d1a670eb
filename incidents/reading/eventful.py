"""Does a unit tell of an incident? Disasters, sport, films, courts, threats and denials do not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from incidents.reading.casualties import Casualty
from incidents.reading.triggers import GENERIC, Trigger
from incidents.reading.units import Unit

__all__ = ["find_reason_not", "is_cumulative", "is_war_text"]

_DROP = ("fiction", "sport", "court")


# "the deadliest strike since the war began" is one strike.
_RECORD = re.compile(
    r"\b(?:deadliest|worst|bloodiest|biggest|largest|heaviest|first|most serious)\b[^.;]{0,80}\b(?:since|in (?:\w+ )?(?:months|years|decades))\b",
    re.I,
)


def is_cumulative(unit: Unit, casualty: Casualty) -> bool:
    """Tell whether a toll sums a war or a year rather than one event."""
    if casualty.update or _RECORD.search(unit.text):
        return False
    if "cumulative" not in unit.flags:
        return (casualty.minimum or 0) > 20_000 and casualty.measure in {"killed", "injured"}
    # A stretch of days at one town is an event; months, wars and countries are not.
    place = unit.own_place
    short = any(d.role == "span" and abs(d.offset) <= 10 for d in unit.dates)
    strong = any(t.weight >= 3 for t in unit.triggers) and place is not None and place.located.rank >= 2 and short
    return not strong


def find_reason_not(unit: Unit, *, war_text: bool) -> str | None:  # noqa: PLR0911 - a ladder of reasons
    """Return None where the unit tells of an incident, else the reason why not in words."""
    typed = [t for t in unit.triggers if t.type not in (GENERIC, "strategic")]
    heavy = [
        t for t in typed if t.weight >= 3 and t.type not in {"looting", "displacement", "protest", "riot", "abduction"}
    ]
    figures = [c for c in unit.figures if not is_cumulative(unit, c)]
    for flag in _DROP:
        if (
            flag in unit.flags
            and not (flag == "sport" and heavy and figures)
            and not (flag == "court" and _tells_fresh(unit, heavy))
        ):
            return flag
    if "not_war" in unit.flags and not _has_weapon(unit):
        return "not_war"
    if not war_text and not heavy:
        return "not a text on violence"
    if "negated" in unit.flags and not [c for c in figures if (c.minimum or 0) > 0]:
        return "negated"
    if "denial" in unit.flags and _denies_event(unit):
        return "denied"
    if "hypothetical" in unit.flags and not _has_real_figure(unit, figures):
        return "hypothetical"
    if (
        "intercepted" in unit.flags
        and re.search(r"\b(?:drones?|missiles?|rockets?|UAVs?|projectiles?|shells?|attack|aircraft)\b", unit.text, re.I)
        and not figures
        and not re.search(
            r"\bdamag|\bdebris|\bwreck|\bfire\b|\bablaze|\bhelicopter|\bwarplane|\bjet\b|\baircraft|\bplane\b",
            unit.text,
            re.I,
        )
    ):
        return "intercepted"
    if not typed and not figures and not any(t.type == GENERIC for t in unit.triggers):
        return "nothing happens"
    if "diplomacy" in unit.flags and not figures and not any(t.weight >= 3 for t in typed):
        return "diplomacy"
    return None


def _tells_fresh(unit: Unit, heavy: Sequence[Trigger]) -> bool:
    return (
        bool(heavy)
        and any(d.role == "event" and d.precision == "day" for d in unit.dates)
        and not re.search(r"\b(?:sentenced|convicted|found guilty|acquitted|verdict)\b", unit.text, re.I)
    )


def _has_weapon(unit: Unit) -> bool:
    return any(
        t.weight >= 3
        and t.type
        in {
            "missile_strike",
            "air_strike",
            "drone_strike",
            "shelling",
            "shooting",
            "ground_assault",
            "explosion",
            "execution",
        }
        for t in unit.triggers
    ) and not re.search(
        r"\b(?:earthquake|quake|flood|cyclone|hurricane|typhoon|volcan|tsunami|landslide|bus|gas)\b", unit.text, re.I
    )


def _has_real_figure(unit: Unit, figures: Sequence[Casualty]) -> bool:
    """Tell whether a figure stands before the word that makes the rest hypothetical, or is not governed by it."""
    if not figures:
        return False
    cue = re.search(
        r"\b(?:could|may|might|would|will|if|threaten\w*|warn\w*|fear\w*|plan\w*|intend\w*|expected|likely|risk\w*|potential\w*)\b",
        unit.text,
        re.I,
    )
    return cue is None or any(c.start - unit.start < cue.start() for c in figures) or "feared" in unit.flags


def _denies_event(unit: Unit) -> bool:
    cue = re.search(r"\b(?:denied|denies|rejected|dismissed)\b", unit.text, re.I)
    if cue is None:
        return False
    before = [t for t in unit.triggers if t.type != GENERIC and t.start - unit.start < cue.start()]
    return not before and not any(c.start - unit.start < cue.start() for c in unit.figures)


def is_war_text(units: Sequence[Unit]) -> bool:
    """Tell whether a text is about violence at all: by its weapons and actors against disasters, sport and courts."""
    heavy = sum(
        1
        for u in units
        for t in u.triggers
        if (t.weight >= 3 and t.type not in {"displacement", "looting"})
        or (t.weight == 2 and t.type in {"air_strike", "ground_assault", "shooting"})
    )
    other = sum(1 for u in units if u.flags & {"not_war", "sport", "fiction"})
    lead = [u for u in units if u.sentence.index <= 1]
    lead_other = any("not_war" in u.flags for u in lead) and not any(_has_weapon(u) for u in lead)
    if lead_other:
        return heavy > 2 * other
    return heavy > 0 or other == 0
