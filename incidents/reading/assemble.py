"""Units -> incidents: one event told twice is one, several towns are several, a lead total is none.

A walk over the units in reading order. Each unit opens an event, goes on with one, refines its place, or is dropped
with a reason. Afterwards lead totals that only sum what follows are taken out, and what an event lacks it takes from
the events around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from incidents.reading.casualties import Casualty
from incidents.reading.dates import DateRef
from incidents.reading.places import Located, relate
from incidents.reading.triggers import GENERIC, Trigger
from incidents.reading.units import PlaceRole, Unit

__all__ = ["Draft", "Figure", "assemble"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A casualty with the sentence it stands in."""

    casualty: Casualty
    unit: Unit
    order: int


@dataclass(slots=True)
class Draft:
    """An event in the making."""

    units: list[Unit] = field(default_factory=list)
    place: PlaceRole | None = None
    places: list[PlaceRole] = field(default_factory=list)
    votes: Counter[str] = field(default_factory=Counter)
    typed_by: dict[str, Trigger] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    when: DateRef | None = None
    first_day: date | None = None
    last_day: date | None = None
    precision: str = "unknown"
    date_rule: str = ""
    current: bool = True
    rules: list[tuple[str, str, int, int]] = field(default_factory=list)
    inherited_type: bool = False
    type: str = "unknown"
    secondary: bool = False

    @property
    def located(self) -> Located | None:
        """The place's mention."""
        return self.place.located if self.place else None

    def low(self, measure: str) -> int | None:
        """Return the largest lower end of a measure, for comparing events."""
        values = [f.casualty.minimum for f in self.figures if f.casualty.measure == measure and not f.casualty.subset]
        known = [v for v in values if v is not None]
        return max(known) if known else None

    def has(self, *measures: str) -> bool:
        """Tell whether any figure on these measures was read."""
        return any(f.casualty.measure in measures for f in self.figures)


_DROP = ("fiction", "sport", "court")
_BACK_REFERENCE = re.compile(
    r"\b(?:the|this|that|these|those|it|its|their)\s+(?:\w+\s+){0,2}(?:attacks?|strikes?|blasts?|explosions?|shelling|bombings?|raids?|shootings?|"
    r"assaults?|massacres?|killings?|ambush|siege|incident|battle|fighting|clash(?:es)?|missiles?|drones?|shells?|bombs?|rockets?|toll|"
    r"victims?|dead|wounded|bodies|gunmen|attackers?|violence|bombardment|fire)\b|^\s*(?:it|they|he|she|there|most|many|all)\b",
    re.I,
)
_ANOTHER = re.compile(
    r"\b(?:another|a separate|a second|other|further|fresh|new)\s+(?:\w+\s+){0,2}(?:attacks?|strikes?|raids?|blasts?|explosions?|bombs?|bombings?|drones?|missiles?|"
    r"shells?|shelling|incidents?|killings?|ambush|village|town|city|clash(?:es)?)\b|\bseparately\b|\belsewhere\b|\bmeanwhile\b|\bin (?:a|an)other\b",
    re.I,
)
_REMOTE = ("missile_strike", "air_strike", "drone_strike", "shelling", "explosion")
_FATAL_TYPES = frozenset(
    {*_REMOTE, "ground_assault", "shooting", "execution", "bodies_found", "sexual_violence", "abduction", "riot"}
)
_MIN_DISPLACED = 1_000
_MIN_ABDUCTED = 10


def _is_cumulative(unit: Unit, casualty: Casualty) -> bool:
    """Tell whether a toll sums a war or a year rather than one event."""
    if casualty.update:
        return False
    if "cumulative" not in unit.flags:
        return (casualty.minimum or 0) > 20_000 and casualty.measure in {"killed", "injured"}
    # A stretch of days at one town is an event; months, wars and countries are not.
    place = unit.own_place
    short = any(d.role == "span" and abs(d.offset) <= 10 for d in unit.dates)
    strong = any(t.weight >= 3 for t in unit.triggers) and place is not None and place.located.rank >= 2 and short
    return not strong


def _is_eventful(unit: Unit, *, war_text: bool) -> str | None:  # noqa: PLR0911 - a ladder of reasons
    """Return None where the unit tells of an incident, else the reason why not."""
    typed = [t for t in unit.triggers if t.type != GENERIC and t.type != "strategic"]
    heavy = [
        t for t in typed if t.weight >= 3 and t.type not in {"looting", "displacement", "protest", "riot", "abduction"}
    ]
    figures = [c for c in unit.figures if not _is_cumulative(unit, c)]
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
    if "diplomacy" in unit.flags and not figures and not heavy:
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
    """A figure that stands before the word that makes the rest hypothetical, or that the word does not govern."""
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


_GENERIC_STRONG = re.compile(
    r"\b(?:attack(?:s|ed)?|strikes?|struck|hit|hits|slammed into|tore into|smashed into|killed|kills|killing|wounded|injured|dead|died|massacre|damaged|destroyed|wrecked)\b",
    re.I,
)


class _Assembler:
    def __init__(self, units: Sequence[Unit], today: date | None) -> None:
        self.units = units
        self.today = today
        self.events: list[Draft] = []
        self.current: Draft | None = None
        self.pending: PlaceRole | None = None
        self.order = 0
        self.war_text = _is_war_text(units)

    # ---- the walk -------------------------------------------------------------------------------------------------

    def run(self) -> list[Draft]:
        last_sentence = -1
        for unit in self.units:
            if unit.sentence.index != last_sentence + 1 and unit.sentence.index != last_sentence:
                pass
            last_sentence = unit.sentence.index
            self._take(unit)
        return self.events

    def _take(self, unit: Unit) -> None:
        reason = _is_eventful(unit, war_text=self.war_text)
        figures = [c for c in unit.casualties if not _is_cumulative(unit, c)]
        if reason is not None:
            self._note_place(unit)
            return
        if "cumulative" in unit.flags and not figures and unit.figures:
            return
        background = self._is_background(unit)
        target = self._find_target(unit, figures, background=background)
        if target is None:
            self._note_place(unit)
            return
        self._add(target, unit, figures)

    def _note_place(self, unit: Unit) -> None:
        """Remember a place told just before the event: "... had surfaced in Borodyanka. Twenty-six bodies were found"."""
        best = next((r for r in unit.places if r.score > 0 and r.located.rank >= 1), None)
        if best is not None:
            self.pending = best
        elif self.current is not None and self.current.place is None:
            pass

    def _is_background(self, unit: Unit) -> bool:
        dated = [d for d in unit.dates if d.role == "event"]
        anchor = self.today
        for d in dated:
            if d.anchored:
                return d.offset <= -3
            if d.last is not None and anchor is not None:
                limit = 21 if not self.events else 10
                if (anchor - d.last).days > limit:
                    return True
                if d.precision == "day" and d.last is not None:
                    return False
            elif d.last is not None and anchor is None and d.precision == "year":
                return True
        if "background" not in unit.flags:
            return False
        return not any(d.first is not None and d.precision == "day" for d in dated)

    # ---- where a unit belongs ---------------------------------------------------------------------------------------

    def _find_target(self, unit: Unit, figures: Sequence[Casualty], *, background: bool) -> Draft | None:
        typed = [t for t in unit.triggers if t.type not in {GENERIC, "strategic"}]
        own = unit.own_place
        own_figures = [c for c in figures if not c.subset]
        substance = bool(own_figures) or any(t.weight >= 2 for t in typed)
        if unit.shared:
            return self._open(unit, own, background=background)
        current = self.current
        if current is None:
            if not substance and not (own is not None and _GENERIC_STRONG.search(unit.text)):
                return None
            if not own_figures and own is None and not typed:
                return None
            return self._open(unit, own or self._weak_place(unit), background=background)
        if background and current.current:
            if not substance:
                return None
            return self._open(
                unit,
                own or self._weak_place(unit) or (current.place if _same_kind_cue(unit) else current.place),
                background=True,
            )
        if not background and not current.current:
            resumed = self._last_current()
            if resumed is None:
                return self._open(unit, own or self._weak_place(unit), background=False) if substance else None
            self.current = current = resumed
        elif background and not current.current:
            if (
                own is not None
                and substance
                and (current.located is None or relate(current.located, own.located) == "apart")
            ):
                return self._open(unit, own, background=True)
            return (
                current
                if not _has_other_day(current, unit)
                else (self._open(unit, own or current.place, background=True) if substance else None)
            )
        if own is None:
            return self._without_place(unit, own_figures, typed, current)
        return self._with_place(unit, own, own_figures, typed, current)

    def _without_place(
        self, unit: Unit, own_figures: Sequence[Casualty], typed: Sequence[Trigger], current: Draft
    ) -> Draft | None:
        weak = self._weak_place(unit)
        pending = self.pending
        if pending is not None and own_figures and not _BACK_REFERENCE.search(unit.text[:60]):
            # The place was told in a sentence of its own just before.
            located = current.located
            if located is None or relate(located, pending.located) == "apart":
                known = self._find_same_place(pending.located)
                return known or self._open(unit, pending, background=False)
        if (
            weak is not None
            and own_figures
            and (current.located is None or relate(current.located, weak.located) == "apart")
        ):
            known = self._find_same_place(weak.located)
            if known is not None and not self._conflicts(known, unit, own_figures):
                return known
            if known is None and weak.located.rank >= 1:
                return self._open(unit, weak, background=False)
        if _ANOTHER.search(unit.text) and own_figures and self._conflicts(current, unit, own_figures):
            return self._open(unit, weak, background=False)
        if (
            own_figures
            and _has_other_day(current, unit)
            and self._conflicts(current, unit, own_figures)
            and not _is_update(own_figures)
        ):
            return self._open(unit, current.place, background=False)
        del typed
        return current

    def _with_place(
        self, unit: Unit, own: PlaceRole, own_figures: Sequence[Casualty], typed: Sequence[Trigger], current: Draft
    ) -> Draft | None:
        located = current.located
        relation = "none" if located is None else relate(located, own.located)
        another = _ANOTHER.search(unit.text) is not None
        conflicts = self._conflicts(current, unit, own_figures)
        if relation in {"same", "none"}:
            if (
                relation == "same"
                and (another or _has_other_day(current, unit))
                and own_figures
                and conflicts
                and not _is_update(own_figures)
            ):
                return self._open(unit, own, background=False)
            return current
        if relation == "inside":
            if conflicts or (another and (own_figures or typed)):
                return self._find_same_place(own.located) or self._open(unit, own, background=False)
            if own.located.rank == 3 and current.located is not None and current.located.rank == 3:
                return current
            return current
        if relation == "contains":
            if (another or _has_other_day(current, unit)) and own_figures:
                return self._open(unit, own, background=False)
            return current
        known = self._find_same_place(own.located)
        if known is not None:
            if (
                own_figures
                and (another or _has_other_day(known, unit))
                and self._conflicts(known, unit, own_figures)
                and not _is_update(own_figures)
            ):
                return self._open(unit, own, background=False)
            return known
        near = located is not None and current.place is not None and "near" in current.place.rule
        if near and own.located.raw.kind == "unlisted" and not conflicts and not another:
            return current  # "near el-Obeid ... the village of al-Luweib"
        if own.located.raw.hint == "district" and own.located.raw.kind == "unlisted" and not own_figures:
            return current
        strong = any(t.weight >= 2 for t in typed) and own.score >= 2.5
        attacked = own.rule in {"object of an attack", "was attacked"}
        if own_figures or strong or attacked:
            if not own_figures and _BACK_REFERENCE.search(unit.text[:50]) and not another and not attacked:
                return current
            return self._open(unit, own, background=False)
        return None

    def _weak_place(self, unit: Unit) -> PlaceRole | None:
        """A place too weak to be the unit's own: a speaker's town or region."""
        best = next((r for r in unit.places if 0 < r.score < 1.0), None)
        return best

    def _find_same_place(self, located: Located) -> Draft | None:
        for event in reversed(self.events):
            if event.current and event.located is not None and relate(event.located, located) == "same":
                return event
        return None

    def _last_current(self) -> Draft | None:
        return next((e for e in reversed(self.events) if e.current), None)

    def _conflicts(self, event: Draft, unit: Unit, figures: Sequence[Casualty]) -> bool:
        """Tell whether the unit's tolls cannot be the event's own told again."""
        for figure in figures:
            if figure.subset or figure.update or figure.attackers or figure.minimum is None:
                continue
            for known in event.figures:
                c = known.casualty
                if c.measure != figure.measure or c.subset or c.minimum is None:
                    continue
                if known.unit.sentence.index == unit.sentence.index:
                    continue
                low, high = sorted((c.minimum, figure.minimum))
                if low != high and (low == 0 or high / max(low, 1) > 1.6):
                    return True
        return False

    # ---- building ---------------------------------------------------------------------------------------------------

    def _open(self, unit: Unit, place: PlaceRole | None, *, background: bool) -> Draft:
        event = Draft(place=place, current=not background)
        if place is not None:
            raw = place.located.raw
            event.rules.append(("place", place.rule, raw.start, raw.end))
        self.events.append(event)
        if not background or self.current is None:
            self.current = event
        else:
            self.current = event
        return event

    def _add(self, event: Draft, unit: Unit, figures: Sequence[Casualty]) -> None:
        event.units.append(unit)
        self.order += 1
        for casualty in figures:
            event.figures.append(Figure(casualty, unit, self.order))
        weight = 1.0 if len(event.units) == 1 else 1.15
        for k, trigger in enumerate(unit.triggers):
            value = trigger.weight * weight * (1.0 if k == 0 else 0.9)
            event.votes[trigger.type] += value  # type: ignore[assignment] - a counter of floats serves
            event.typed_by.setdefault(trigger.type, trigger)
        self._refine_place(event, unit)
        self._refine_date(event, unit)
        self.pending = None

    def _refine_place(self, event: Draft, unit: Unit) -> None:
        for role in unit.places:
            if role.score < 1.0:
                continue
            located = event.located
            if located is None:
                pass
            elif event.place is role:
                continue
            else:
                relation = relate(located, role.located)
                near = event.place is not None and "near" in event.place.rule and role.located.raw.kind == "unlisted"
                finer = relation == "inside" and role.located.rank > located.rank
                if not (
                    finer
                    or (near and relation == "apart" and role.score >= 2.5)
                    or (relation == "same" and role.located.rank > located.rank)
                ):
                    continue
                if located.rank == 3:
                    # A quarter of a town: the town stays the place, the quarter is the detail.
                    event.places.append(role)
                    continue
            event.place = role
            raw = role.located.raw
            event.rules.append(
                ("place", role.rule if located is None else f"finer place told later, {role.rule}", raw.start, raw.end)
            )
        event.places.extend(r for r in unit.places if r.score >= 1.0)

    def _refine_date(self, event: Draft, unit: Unit) -> None:
        for ref in unit.dates:
            if ref.role == "statement":
                continue
            first, last = ref.first, ref.last
            if ref.anchored:
                base = self._anchor(event, ref)
                if base is None:
                    continue
                first = base + timedelta(days=ref.offset)
                last = first
                if ref.precision != "day":
                    last = first
            if first is None or last is None:
                continue
            finer = _fineness(ref.precision) < _fineness(event.precision)
            replaces = (
                event.first_day is None
                or (event.date_rule == "span" and ref.role == "event" and ref.precision == "day")
                or (finer and event.first_day <= last and first <= (event.last_day or event.first_day))
            )
            if replaces:
                if ref.role == "span" and event.first_day is None and ref.offset and abs(ref.offset) > 10:
                    continue
                event.first_day, event.last_day, event.precision = first, last, ref.precision
                event.date_rule = "span" if ref.role == "span" else ref.rule
                event.when = ref
                event.rules.append(("date", ref.rule, ref.start, ref.end))
        span = next((d for d in unit.dates if d.role == "span" and d.rule == "long"), None)
        day = next((d for d in unit.dates if d.rule in {"dm", "md", "weekday"} and d.first is not None), None)
        if span is not None and day is not None and day.first is not None:
            event.first_day, event.last_day = day.first - timedelta(days=span.offset), day.first
            event.precision = "day"

    def _anchor(self, event: Draft, ref: DateRef) -> date | None:
        if ref.rule == "same_day" and event.first_day:
            return event.first_day
        before = [e for e in self.events if e is not event and e.first_day is not None and e.current]
        if event.first_day is not None and event.when is not None and event.when.start < ref.start:
            return event.first_day
        if before:
            return before[-1].first_day
        return self.today


def _same_kind_cue(unit: Unit) -> bool:
    return _BACK_REFERENCE.search(unit.text) is not None


def _fineness(precision: str) -> int:
    return {"day": 0, "week": 1, "month": 2, "year": 3}.get(precision, 9)


def _is_update(figures: Sequence[Casualty]) -> bool:
    return any(c.update for c in figures)


def _has_other_day(event: Draft, unit: Unit) -> bool:
    """Tell whether the unit gives a day of its own that is not the event's."""
    if event.first_day is None or event.precision != "day":
        return False
    for ref in unit.dates:
        if ref.role != "event" or ref.precision != "day":
            continue
        if ref.anchored:
            if ref.offset != 0:
                return True
            continue
        if ref.first is None or ref.last is None:
            continue
        if ref.last < event.first_day or ref.first > (event.last_day or event.first_day):
            return True
    return False


def _is_war_text(units: Sequence[Unit]) -> bool:
    """Tell whether a text is about violence at all: by its weapons and actors against disasters, sport and courts."""
    heavy = sum(
        1
        for u in units
        for t in u.triggers
        if t.weight >= 3
        and t.type not in {"displacement", "looting"}
        or (t.weight == 2 and t.type in {"air_strike", "ground_assault", "shooting"})
    )
    other = sum(1 for u in units if u.flags & {"not_war", "sport", "fiction"})
    lead = [u for u in units if u.sentence.index <= 1]
    lead_other = any("not_war" in u.flags for u in lead) and not any(_has_weapon(u) for u in lead)
    if lead_other:
        return heavy > 2 * other
    return heavy > 0 or other == 0


# ---- after the walk ---------------------------------------------------------------------------------------------------


def assemble(units: Sequence[Unit], today: date | None) -> list[Draft]:
    """Assemble the units of a document into events.

    Parameters
    ----------
    units : sequence of Unit
        In reading order.
    today : date or None
        The day of publication.
    """
    walker = _Assembler(units, today)
    events = walker.run()
    _inherit_types(events)
    events = _drop_summaries(events)
    _inherit_dates(events, today)
    events = _split_lists(events)
    events = _split_secondary(events)
    return [e for e in events if _is_worth(e)]


def _decide_type(event: Draft) -> str:
    votes = Counter({k: v for k, v in event.votes.items() if k not in {GENERIC, "strategic"}})
    killed = event.low("killed") or 0
    if not votes:
        return ""
    abducted = event.low("abducted") or 0
    if votes.get("abduction") and abducted and abducted >= killed and votes["abduction"] >= 2:
        return "abduction"
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
                votes[soft] *= 0.25  # type: ignore[assignment] - a counter of floats serves
    if votes.get("abduction") and not event.has("abducted") and len(votes) > 1:
        votes["abduction"] *= 0.5  # type: ignore[assignment] - see above
    if (
        votes.get("bodies_found")
        and any(votes.get(t, 0) >= 2 for t in _REMOTE)
        and re.search(
            r"\b(?:rubble|debris|ruins|wreckage|rescuers?|firemen|firefighters)\b",
            " ".join(u.text for u in event.units),
            re.I,
        )
    ):
        votes["bodies_found"] *= 0.4  # type: ignore[assignment] - see above
    if votes.get("execution", 0) >= 3 and votes.get("shooting"):
        votes["execution"] += votes["shooting"] * 0.5  # type: ignore[assignment] - see above
    # A blast, a bomb, a fire are what the sharper weapon does.
    sharp = [t for t in ("missile_strike", "drone_strike", "air_strike", "shelling") if votes.get(t, 0) >= 2]
    if sharp and votes.get("explosion"):
        own = event.typed_by.get("explosion")
        if own is not None and own.weight <= 2 or re.fullmatch(r"bombs?", own.text, re.I) is not None if own else True:
            votes["explosion"] *= 0.4  # type: ignore[assignment] - see above
    if (
        votes.get("shooting")
        and votes.get("explosion", 0) >= 3
        and event.typed_by["explosion"].start < event.typed_by["shooting"].start
    ):
        votes["explosion"] += 1
    best = max(votes.items(), key=lambda item: (item[1], -event.typed_by[item[0]].start))
    return best[0] if best[1] >= 1.5 else ""


def _inherit_types(events: Sequence[Draft]) -> None:
    previous: Draft | None = None
    for event in events:
        kind = _decide_type(event)
        if kind in {"displacement", "looting", "protest", "other"} or kind:
            event.type = kind or "unknown"
            trigger = event.typed_by.get(kind)
            if trigger is not None:
                event.rules.append(("type", f"'{trigger.text.strip()}'", trigger.start, trigger.end))
        else:
            donor = previous or next((e for e in events if _decide_type(e)), None)
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
    text = " ".join(u.text for u in event.units)
    if re.search(
        r"\b(?:israel\w*|coalition|jets?|planes?|NATO|U\.?S\.?|american|air force)\b.{0,60}\b(?:struck|strikes?|hit)\b",
        text,
        re.I,
    ):
        return "air_strike"
    if re.search(r"\b(?:struck|strikes?|hits?|hit)\b", text, re.I):
        return "missile_strike" if re.search(r"\bruss\w+|ukrain\w+|iran\w*", text, re.I) else "air_strike"
    if re.search(r"\b(?:attack(?:s|ed)?|raid(?:s|ed)?|massacre)\b", text, re.I):
        return "shelling" if re.search(r"\bruss\w+\s+(?:attack|forces|army)", text, re.I) else "ground_assault"
    return "other" if event.has("killed", "injured") else "unknown"


def _toll(event: Draft, measure: str) -> int | None:
    return event.low(measure)


def _drop_summaries(events: list[Draft]) -> list[Draft]:
    """Take out lead totals that only sum the incidents told below; merge a lead with the one place it means."""
    kept = list(events)
    for event in events:
        if event not in kept or not event.current:
            continue
        others = [
            e
            for e in kept
            if e is not event
            and e.current
            and e.units
            and event.units
            and e.units[0].start >= event.units[0].start
            and _within(event, e)
        ]
        with_toll = [e for e in others if e.has("killed", "injured")]
        if not with_toll:
            continue
        total_killed, total_injured = _toll(event, "killed"), _toll(event, "injured")
        if len(with_toll) >= 2:
            sums = [(_toll(e, "killed") or 0) for e in with_toll]
            if total_killed is None or sum(sums) >= 0.5 * total_killed or (total_injured or 0) > 0 == total_killed:
                kept.remove(event)
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
                kept.remove(event)
    return kept


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


def _inherit_dates(events: Sequence[Draft], today: date | None) -> None:
    anchor = next((e for e in events if e.current and e.first_day is not None and e.precision == "day"), None)
    for event in events:
        if event.first_day is not None or not event.current:
            continue
        if anchor is not None:
            event.first_day, event.last_day, event.precision = anchor.first_day, anchor.last_day, anchor.precision
            event.date_rule = "day of the events told with it"
            continue
        said = next(
            (
                d
                for u in event.units
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


def _split_lists(events: list[Draft]) -> list[Draft]:
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
        if event.has("killed", "injured", "displaced", "abducted") and any(f.unit is unit for f in event.figures):
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


def _are_listed(unit: Unit, a: Located, b: Located) -> bool:
    first, last = sorted((a.raw, b.raw), key=lambda r: r.start)
    between = unit.sentence.text[first.end - unit.sentence.start : last.start - unit.sentence.start]
    words = re.findall(r"[\w'-]+|[^\w\s]", between)
    # Only names, commas and conjunctions between: "Tibu, El Tarra and Teorama".
    listed = all(w in {",", "and", "or", "&", "the", "of", "in"} or w[:1].isupper() for w in words)
    return listed and len(words) <= 14 and ("," in words or "and" in words)


def _common_area(group: Sequence[PlaceRole], event: Draft) -> PlaceRole | None:
    containers = [r.located.container for r in group]
    shared = next((c for c in containers if c is not None and c.rank < 3), None)
    if shared is not None:
        return PlaceRole(shared, 3.0, "holds the places told")
    regions = [
        r
        for u in event.units
        for r in u.places
        if 1 <= r.located.rank < 3
        and all(x.located.admin1 is None or x.located.admin1 == r.located.admin1 for x in group)
    ]
    return regions[0] if regions else None


def _split_secondary(events: list[Draft]) -> list[Draft]:
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
            biggest = max((f.casualty.minimum or 0 for f in mine), default=0)
            if event.type == kind or biggest < floor or not event.has("killed", "injured"):
                continue
            twin = replace(
                event, figures=list(mine), type=kind, secondary=True, inherited_type=False, units=[f.unit for f in mine]
            )
            event.figures = [f for f in event.figures if f.casualty.measure != measure]
            out.append(twin)
    return out


def _is_worth(event: Draft) -> bool:
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
    if event.type in {"looting", "displacement", "protest", "riot", "abduction", "other"} and not people:
        strong = any(t.weight >= 3 and t.type == event.type for u in event.units for t in u.triggers)
        return strong and event.located.rank >= 1
    if event.type == "displacement":
        return event.has("displaced") or event.located.rank >= 2
    return True
