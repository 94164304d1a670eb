"""The walk over the units: each opens an event, goes on with one, refines it, or is dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from incidents.reading.casualties import Casualty
from incidents.reading.dates import DateRef
from incidents.reading.draft import Draft, Figure
from incidents.reading.eventful import find_reason_not, is_cumulative, is_war_text
from incidents.reading.places import Located, relate
from incidents.reading.roles import PlaceRole
from incidents.reading.triggers import GENERIC, Trigger
from incidents.reading.units import Unit

__all__ = ["walk_units"]


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
_GENERIC_STRONG = re.compile(
    r"\b(?:attack(?:s|ed)?|strikes?|struck|hit|hits|slammed into|tore into|smashed into|killed|kills|killing|wounded|injured|dead|died|massacre|damaged|destroyed|wrecked)\b",
    re.I,
)
# A lead that speaks of several attacks at once sums what follows.
_SEVERAL = re.compile(
    r"\b(?:two|three|four|five|six|several|separate|multiple|various|series of|string of|wave of|twin)\s+(?:\w+\s+){0,2}"
    r"(?:attacks|strikes|raids|blasts|explosions|bombings|incidents|shootings|assaults|clashes|places|towns|villages|cities|districts|regions)\b"
    r"|\bacross (?:the )?(?:country|region|province|ukraine|nigeria|gaza)|\bseveral districts\b",
    re.I,
)
_DAMAGE = re.compile(r"\b(?:damag(?:ed|ing)|destroyed|set (?:fire|ablaze)|hit|struck|wrecked)\b", re.I)
_OF_THE_CITY = re.compile(r"\b(?:district|area|quarter|neighbou?rhood|suburb) of the (?:city|town)\b", re.I)
# Sentences that only say who did it or who denies it.
_STANCE = re.compile(
    r"\b(?:den(?:y|ied|ies)|responsibility|responsible|blamed?|accused?|behind|rejected|insist(?:s|ed)?|dismissed)\b",
    re.I,
)
_IN_THE_REGION = re.compile(
    r"\b(?:in|across|elsewhere in) (?:the (?:same )?|that )(?:province|region|state|oblast|governorate)\b", re.I
)
_THAT_WAS = re.compile(r"^(?:that|this|it) (?:was|happened|took place|occurred) (?:back )?(?:in|on)\b", re.I)
_IT_BEGAN = re.compile(
    r"^(?:it|the (?:fighting|siege|attack|clashes|battle|violence|assault|raid))\s+(?:began|started|erupted|broke out)\b",
    re.I,
)
_GOES_ON = re.compile(
    r"^(?:it|this|they|he|she|the (?:\w+ ){0,2}(?:attack|attackers|strike|blast|explosion|shelling|bombing|raid|shooting|assault|massacre|killings|ambush|incident|"
    r"victims?|village|school|gunmen|men|bomb|missile|drone|shell|town|market|hospital|wedding|funeral|dead|fighting|battle))\b",
    re.I,
)


# How many events or figures back a text is taken to mean one told before: keeps the walk linear on endless texts.
_LOOK_BACK = 80


def walk_units(units: Sequence[Unit], today: date | None) -> list[Draft]:
    """Walk over the units of a document and return its events, in order.

    Parameters
    ----------
    units : sequence of Unit
        In reading order.
    today : date or None
        The day of publication.
    """
    walker = _Walker(today, war_text=is_war_text(units))
    for unit in units:
        walker.take(unit)
    return walker.events


class _Walker:
    def __init__(self, today: date | None, *, war_text: bool) -> None:
        self.today = today
        self.war_text = war_text
        self.events: list[Draft] = []
        self.current: Draft | None = None
        self.pending: PlaceRole | None = None
        self.pending_unit: Unit | None = None
        self.told_day: date | None = None
        self.region: PlaceRole | None = None
        self.order = 0

    def take(self, unit: Unit) -> None:
        """Take the next unit."""
        reason = find_reason_not(unit, war_text=self.war_text)
        region = next((r for r in unit.places if r.located.rank == 1 and r.located.raw.literal), None)
        self.region = region or self.region
        figures = [c for c in unit.casualties if not is_cumulative(unit, c)]
        if reason is not None:
            if reason == "nothing happens":
                self._refine_quietly(unit)
            if self.current is not None and _STANCE.search(unit.text):
                self.current.also.append(unit)
            self._note(unit)
            return
        if "cumulative" in unit.flags and not figures and unit.figures:
            return
        background = self._is_background(unit)
        target = self._find_target(unit, figures, background=background)
        if target is None:
            self._note(unit)
            return
        self._add(target, unit, figures)

    def _note(self, unit: Unit) -> None:
        """Remember a place told just before the event: "... was told of Arven. Nine bodies were found"."""
        best = next((r for r in unit.places if r.score > 0 and r.located.rank >= 1), None)
        if best is not None:
            self.pending = best
        if unit.triggers:
            self.pending_unit = unit
        days = [d.first for d in unit.dates if d.role == "event" and d.precision == "day" and d.first is not None]
        if days:
            self.told_day = days[0]

    def _refine_quietly(self, unit: Unit) -> None:
        """Take place and day from a sentence that only goes on: "It happened on Monday in Arven"."""
        current = self.current
        if current is None or unit.sentence.index - current.last_sentence > 2:
            return
        self._refine_by_speaker(current, unit)
        if _THAT_WAS.match(unit.text) and self.today is not None:
            old = [d for d in unit.dates if d.last is not None and (self.today - d.last).days > 45]
            if old:
                current.current = False
                current.first_day, current.last_day, current.precision = old[0].first, old[0].last, old[0].precision
                current.when, current.date_rule = old[0], old[0].rule
                return
        form = unit.sentence.text.count(":") == 1 and len(unit.sentence.tokens) <= 8
        own = unit.own_place
        named = (
            own is not None
            and own.located.rank == 3
            and own.score >= 2.8
            and unit.sentence.index - current.last_sentence == 1
        )
        if not (_GOES_ON.match(unit.text.strip(" \"'")) or form or named):
            return
        coarse = current.located is None or current.located.rank < 3
        if coarse or form:
            self._refine_place(current, unit)
        if named and own is not None and current.located is not None and current.located.rank == 1:
            self._take_unlisted(current, own)
        if current.first_day is None or current.date_rule == "span" or _IT_BEGAN.match(unit.text):
            self._refine_date(current, unit)
        current.last_sentence = unit.sentence.index

    @staticmethod
    def _take_unlisted(event: Draft, role: PlaceRole) -> None:
        """Take a village that only a namesake outside the stated region bears: its name, the region, and no point."""
        located, region = role.located, event.located
        place = located.place
        if (
            region is None
            or region.place is None
            or place is None
            or place.population > 20_000
            or relate(region, located) != "apart"
        ):
            return
        reason = f"Only a namesake of {located.raw.text} outside {region.place.name} is known."
        resolution = replace(located.resolution, best=None, reason=reason)
        event.place = replace(role, located=replace(located, resolution=resolution, container=region))
        event.rules.append(("place", "village of the region told before", located.raw.start, located.raw.end))

    def _is_background(self, unit: Unit) -> bool:
        for ref in (d for d in unit.dates if d.role == "event"):
            if ref.anchored:
                return ref.offset <= -3
            if ref.last is not None and self.today is not None:
                limit = 45 if not self.events else 10
                if (self.today - ref.last).days > limit:
                    return True
                within = (
                    re.match(r"(?:the )?past\b", unit.sentence.text[ref.start - unit.sentence.start :], re.I)
                    is not None
                )
                if (
                    self.events
                    and not within
                    and ref.rule in {"ago", "month", "last_unit"}
                    and ref.precision in {"week", "month", "year"}
                ):
                    return True
                if ref.precision == "day":
                    return False
            elif self.today is None and self.events and ref.rule in {"month", "month_year", "year", "ago", "last_unit"}:
                return True
        return "background" in unit.flags

    # ---- where a unit belongs ---------------------------------------------------------------------------------------

    def _find_target(self, unit: Unit, figures: Sequence[Casualty], *, background: bool) -> Draft | None:  # noqa: PLR0911 - a ladder of cases
        typed = [t for t in unit.triggers if t.type not in {GENERIC, "strategic"}]
        own = unit.own_place
        own_figures = [c for c in figures if not c.subset]
        substance = bool(own_figures) or any(t.weight >= 2 for t in typed)
        if unit.shared and own is not None:
            if (
                own.located.place is None
                and self.current is not None
                and self.current.place
                and _OF_THE_CITY.search(unit.text)
            ):
                own = replace(self.current.place, detail=own.located.raw.text)
            known = self._find_same_place(own.located)
            if known is not None and not self._conflicts(known, unit, own_figures):
                return known
            return self._open(own, background=background)
        current = self.current
        if current is None:
            if not substance and not (
                own is not None and (_GENERIC_STRONG.search(unit.text) or any(t.likely for t in unit.triggers))
            ):
                return None
            if not own_figures and own is None and not typed:
                return None
            return self._open(own or _weak_place(unit) or self._told_before(), background=background)
        if background:
            return self._find_background(unit, own, current, substance=substance)
        if not current.current:
            resumed = next((e for e in reversed(self.events[-_LOOK_BACK:]) if e.current), None)
            if resumed is None:
                return self._open(own or _weak_place(unit), background=False) if substance else None
            self.current = current = resumed
        if own is None:
            return self._without_place(unit, own_figures, current)
        return self._with_place(unit, own, own_figures, typed, current)

    def _find_background(self, unit: Unit, own: PlaceRole | None, current: Draft, *, substance: bool) -> Draft | None:
        if current.current:
            return self._open(own or _weak_place(unit) or current.place, background=True) if substance else None
        apart = own is not None and (current.located is None or relate(current.located, own.located) == "apart")
        if (apart or _has_other_day(current, unit)) and substance:
            return self._open(own or current.place, background=True)
        return None if apart else current

    def _without_place(self, unit: Unit, figures: Sequence[Casualty], current: Draft) -> Draft | None:  # noqa: PLR0911 - a ladder of cases
        weak = _weak_place(unit)
        pending = self.pending
        refers = _BACK_REFERENCE.search(unit.text[:60]) is not None
        if pending is not None and figures and not refers and weak is None:
            # The place was told in a sentence of its own just before.
            located = current.located
            if located is None or relate(located, pending.located) in {"apart", "inside"}:
                known = self._find_same_place(pending.located)
                if (
                    known is not None
                    or pending.score >= 1.0
                    or re.match(r"there\b", unit.text, re.I)
                    or self._conflicts(current, unit, figures)
                ):
                    return known or self._open(
                        replace(pending, score=1.0, rule="told in the sentence before"), background=False
                    )
        if (
            weak is not None
            and weak.rule.startswith("place of a speaker")
            and figures
            and (current.located is None or relate(current.located, weak.located) == "apart")
        ):
            known = self._find_same_place(weak.located)
            if known is not None and not self._conflicts(known, unit, figures):
                return known
            if known is None and weak.located.rank >= 1:
                return self._open(weak, background=False)
        if (
            weak is not None
            and not figures
            and weak.located.rank >= 1
            and "speaker" in weak.located.raw.notes
            and _DAMAGE.search(unit.text)
        ) and (current.located is None or relate(current.located, weak.located) == "apart"):
            return self._find_same_place(weak.located) or self._open(weak, background=False)
        if not figures:
            return self._find_meant(unit, current)
        conflicts = self._conflicts(current, unit, figures)
        if (
            self.region is not None
            and _IN_THE_REGION.search(unit.text)
            and (conflicts or re.match(r"elsewhere\b", unit.text, re.I))
        ):
            return self._open(replace(self.region, score=1.0, rule="the region told before"), background=False)
        if re.match(
            r"(?:elsewhere|separately|in (?:a separate|another) (?:incident|attack|strike))\b", unit.text, re.I
        ):
            return self._open(weak, background=False)
        if conflicts and not _is_update(figures):
            if _ANOTHER.search(unit.text):
                return self._open(weak, background=False)
            if _has_other_day(current, unit):
                return self._open(current.place, background=False)
        return current

    def _find_meant(self, unit: Unit, current: Draft) -> Draft | None:
        """Find the event that a sentence without place and figures goes on about: by the weapon it names."""
        typed = [t for t in unit.triggers if t.type != GENERIC and t.weight >= 3]
        if not typed or any(current.votes.get(t.type) for t in typed) or not any(k != GENERIC for k in current.votes):
            return current
        return next(
            (
                e
                for e in reversed(self.events[-_LOOK_BACK:])
                if e.current and any(e.votes.get(t.type, 0) >= 2 for t in typed)
            ),
            current,
        )

    def _with_place(  # noqa: PLR0911 - a ladder of cases
        self, unit: Unit, own: PlaceRole, figures: Sequence[Casualty], typed: Sequence[Trigger], current: Draft
    ) -> Draft | None:
        located = current.located
        relation = "none" if located is None else relate(located, own.located)
        another = _ANOTHER.search(unit.text) is not None
        conflicts = self._conflicts(current, unit, figures)
        fresh = (another or _has_other_day(current, unit)) and bool(figures) and not _is_update(figures)
        if relation == "none":
            return current
        if relation == "same":
            return self._open(own, background=False) if conflicts and (fresh or current.summary) else current
        if relation == "inside":
            if conflicts or (another and (figures or typed)) or (current.summary and (figures or typed)):
                return self._find_same_place(own.located) or self._open(own, background=False)
            return current
        if relation == "contains":
            return self._open(own, background=False) if fresh and conflicts else current
        known = self._find_same_place(own.located)
        if known is not None:
            clash = self._conflicts(known, unit, figures) and (fresh or known.summary)
            return self._open(own, background=False) if clash else known
        near = current.place is not None and current.place.near
        if near and own.located.raw.kind == "unlisted" and not conflicts and not another:
            return current  # "near Tolme ... the village of Arven"
        if (
            own.located.raw.hint == "district"
            and own.located.place is None
            and (not figures or _OF_THE_CITY.search(unit.text))
        ):
            return current
        return self._open_elsewhere(unit, own, figures, typed, current, another=another)

    def _open_elsewhere(
        self,
        unit: Unit,
        own: PlaceRole,
        figures: Sequence[Casualty],
        typed: Sequence[Trigger],
        current: Draft,
        *,
        another: bool,
    ) -> Draft | None:
        attacked = own.rule in {"object of an attack", "was attacked"}
        dated = any(d.role == "event" and d.first is not None and d.precision == "day" for d in unit.dates)
        if not figures and not attacked and own.located.rank <= 1 and not dated:
            return None  # a region where something goes on
        strong = any(t.weight >= 2 for t in typed) and own.score >= 2.5
        if not (figures or strong or attacked):
            return None
        if not figures and not another and not attacked and _BACK_REFERENCE.search(unit.text[:50]):
            return current
        return self._open(own, background=False)

    def _told_before(self) -> PlaceRole | None:
        """Return the place told in the sentence before: "residents of Harlo fear. ... soldiers there shot two boys"."""
        pending = self.pending
        return replace(pending, score=1.0, rule="told in the sentence before") if pending is not None else None

    def _find_same_place(self, located: Located) -> Draft | None:
        return next(
            (
                e
                for e in reversed(self.events[-_LOOK_BACK:])
                if e.current and e.located is not None and relate(e.located, located) == "same"
            ),
            None,
        )

    def _conflicts(self, event: Draft, unit: Unit, figures: Sequence[Casualty]) -> bool:
        """Tell whether the unit's tolls cannot be the event's own told again."""
        for figure in figures:
            if figure.subset or figure.update or figure.attackers or figure.minimum is None:
                continue
            for known in event.figures[-_LOOK_BACK:]:
                c = known.casualty
                if c.measure != figure.measure or c.subset or c.minimum is None:
                    continue
                if known.unit.sentence.index == unit.sentence.index and not unit.shared:
                    continue
                low, high = sorted((c.minimum, figure.minimum))
                if low != high and (low == 0 or high / max(low, 1) > 1.6):
                    return True
        return False

    # ---- building ---------------------------------------------------------------------------------------------------

    def _open(self, place: PlaceRole | None, *, background: bool) -> Draft:
        event = Draft(place=place, current=not background)
        if place is not None:
            raw = place.located.raw
            event.rules.append(("place", place.rule, raw.start, raw.end))
        self.events.append(event)
        self.current = event
        return event

    def _add(self, event: Draft, unit: Unit, figures: Sequence[Casualty]) -> None:
        first = not event.units
        if first:
            event.summary = (
                _SEVERAL.search(unit.text) is not None
                or any(d.rule == "in_days" for d in unit.dates)
                or _names_regions(unit)
            )
        event.units.append(unit)
        event.last_sentence = unit.sentence.index
        self.order += 1
        event.figures.extend(Figure(c, unit, self.order) for c in figures)
        self._vote(event, unit, first=first, figures=bool(figures))
        if first and self.pending_unit is not None and not any(t.type != GENERIC for t in unit.triggers):
            before = self.pending_unit
            if unit.sentence.index - before.sentence.index <= 1:
                self._vote(event, before, first=True, figures=True)
        self._refine_place(event, unit)
        self._refine_by_speaker(event, unit)
        self._refine_date(event, unit)
        self.pending = None
        self.pending_unit = None

    @staticmethod
    def _vote(event: Draft, unit: Unit, *, first: bool, figures: bool) -> None:
        # Detail beats lead; a sentence that only goes on, without figures or a reference back, says little.
        refers = _BACK_REFERENCE.search(unit.text) is not None
        weight = 1.0 if first else 1.15 if figures else 0.8 if refers else 0.35
        for k, trigger in enumerate(unit.triggers):
            event.votes[trigger.type] += trigger.weight * weight * (1.0 if k == 0 else 0.9)
            event.typed_by.setdefault(trigger.type, trigger)

    def _refine_place(self, event: Draft, unit: Unit) -> None:
        kinds = {t.type for t in unit.triggers if t.type != GENERIC}
        if (
            event.place is not None
            and kinds
            and kinds <= {"displacement", "looting", "strategic"}
            and not kinds & set(event.votes)
        ):
            return  # where people fled does not say where they were attacked
        if (
            event.place is not None
            and kinds == {"displacement"}
            and len(event.units) > 1
            and len(set(event.votes) - {GENERIC, "displacement"}) > 0
        ):
            return
        for role in unit.places:
            if role.score < 1.0 or event.place is role:
                continue
            located = event.located
            if located is not None:
                relation = relate(located, role.located)
                near = event.place is not None and event.place.near and role.located.raw.kind == "unlisted"
                finer = relation in {"inside", "same"} and role.located.rank > located.rank
                if not (finer or (near and relation == "apart" and role.score >= 2.5)) or (
                    located.rank == 3 and not near
                ):
                    continue
            event.place = role
            raw = role.located.raw
            rule = role.rule if located is None else f"finer place told later, {role.rule}"
            event.rules.append(("place", rule, raw.start, raw.end))
        event.places.extend(r for r in unit.places if r.score >= 1.0)

    @staticmethod
    def _refine_by_speaker(event: Draft, unit: Unit) -> None:
        """Where an event has only a country, take the town whose own people speak: "a leader in Harlo said"."""
        if event.located is None or event.located.rank > 0.5:
            return
        for role in unit.places:
            place = role.located.place
            capital = place is not None and place.feature_code == "PPLC"
            if (
                role.rule == "place of a speaker"
                and role.located.rank == 3
                and not capital
                and relate(event.located, role.located) == "inside"
            ):
                event.place = replace(role, rule="place of a local speaker")
                raw = role.located.raw
                event.rules.append(("place", "place of a local speaker", raw.start, raw.end))
                return

    def _refine_date(self, event: Draft, unit: Unit) -> None:
        anchors = [t.start for t in unit.triggers if t.type != GENERIC] or [t.start for t in unit.triggers]
        refs = sorted(
            (d for d in unit.dates if d.role != "statement"),
            key=lambda d: (
                d.role == "span",
                not unit.sentence.text[d.start - unit.sentence.start : d.end - unit.sentence.start].count("'s"),
                min((abs(a - d.start) for a in anchors), default=d.start),
            ),
        )
        began = _IT_BEGAN.match(unit.text) is not None
        for ref in refs:
            first, last = ref.first, ref.last
            if ref.anchored:
                base = self._anchor(event, ref)
                first = last = base + timedelta(days=ref.offset) if base is not None else None
            if first is None or last is None:
                continue
            if ref.role == "span" and abs(ref.offset) > 10:
                continue
            finer = _fineness(ref.precision) < _fineness(event.precision)
            gap = _gap(unit, ref)
            replaces = (
                event.first_day is None
                or (
                    gap <= 14
                    and event.date_gap >= 30
                    and ref.role == "event"
                    and ref.precision == "day"
                    and event.precision == "day"
                    and not ref.anchored
                )
                or began
                or (event.date_rule == "span" and ref.role == "event" and ref.precision == "day")
                or (finer and event.first_day <= last and first <= (event.last_day or event.first_day))
            )
            if replaces:
                event.first_day, event.last_day, event.precision = first, last, ref.precision
                event.date_rule = "span" if ref.role == "span" else ref.rule
                event.when = ref
                event.date_gap = gap
                event.rules.append(("date", ref.rule, ref.start, ref.end))
                began = False
        span = next((d for d in unit.dates if d.rule == "long"), None)
        day = next((d for d in unit.dates if d.rule in {"dm", "md", "weekday"} and d.first is not None), None)
        if span is not None and day is not None and day.first is not None:
            event.first_day, event.last_day, event.precision = day.first - timedelta(days=span.offset), day.first, "day"

    def _anchor(self, event: Draft, ref: DateRef) -> date | None:
        if event.first_day is not None and (
            ref.rule == "same_day" or (event.when is not None and event.when.start < ref.start)
        ):
            return event.first_day
        before = [e for e in self.events[-_LOOK_BACK:] if e is not event and e.first_day is not None and e.current]
        return before[-1].first_day if before else self.told_day or self.today


def _gap(unit: Unit, ref: DateRef) -> int:
    """Return how far a date stands from the nearest word for what happened, in characters: "the strike on Monday" is 4."""
    gaps = [max(ref.start - t.end, t.start - ref.end) for t in unit.triggers]
    gaps += [max(ref.start - c.end, c.start - ref.end) for c in unit.casualties]
    return max(0, min(gaps, default=999))


def _names_regions(unit: Unit) -> bool:
    """Tell whether a unit lists several regions for one toll."""
    regions = [r for r in unit.places if r.located.rank == 1 and r.located.raw.hint == "region"]
    return len(regions) >= 2 and bool(unit.figures)


def _weak_place(unit: Unit) -> PlaceRole | None:
    """Return a place too weak to be the unit's own: a speaker's town or region."""
    return next((r for r in unit.places if 0 < r.score < 1.0), None)


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
