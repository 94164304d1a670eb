"""The built-in reader: one report in, its incidents with every reason out. No network, no state between reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from geodata.gazetteer import Gazetteer
from geodata.settled import Settled
from incidents.reading.actors import find_attribution, find_claimant, find_denials
from incidents.reading.assemble import assemble
from incidents.reading.confidence import estimate_confidence
from incidents.reading.dates import DateRef, find_dates
from incidents.reading.draft import Draft, Figure
from incidents.reading.figures import Range, derive_range, derive_subset
from incidents.reading.foreign import list_languages, read_foreign
from incidents.reading.languages import detect_language, normalise_code
from incidents.reading.linguistics import Linguistics, load_linguistics
from incidents.reading.normalise import CleanText, clean_text
from incidents.reading.places import Located, locate_mentions
from incidents.reading.records import Claim, Highlight, Mention, ReadIncident, Reading, Reason
from incidents.reading.sentences import Sentence, split_sentences
from incidents.reading.toponyms import find_dateline_end, find_mentions
from incidents.reading.triggers import GENERIC, Trigger, find_triggers
from incidents.reading.units import Unit, make_units
from incidents.report import Report
from incidents.taxonomy import get_label

__all__ = ["Reader"]

# Beyond this many characters the language model, four fifths of the time of a reading, sees only the sentences that can
# hold an incident and their neighbours. News articles and situation reports are far shorter and are seen whole.
_LONG = 40_000
_LONGEST_PIECE = 4_000

_COARSE_KINDS = {"region": "region", "district": "district"}


class Reader:
    """Reads reports. Safe to share between threads: nothing is kept from one report to the next.

    Build it with `Reader.load`.
    """

    def __init__(self, gazetteer: Gazetteer, linguistics: Linguistics | None) -> None:
        self.gazetteer = gazetteer
        self.linguistics = linguistics

    @classmethod
    def load(cls, *, gazetteer: Gazetteer | None = None, use_model: bool = True) -> Reader:
        """Load the place index and the language model.

        Parameters
        ----------
        gazetteer : Gazetteer, optional
            Default: the one in the user's cache directory, built where there is none.
        use_model : bool
            Use the language model where one is installed.

        Raises
        ------
        GazetteerError
            The place index can neither be opened nor built.
        """
        return cls(gazetteer or Gazetteer.open(), load_linguistics() if use_model else None)

    def read_many(self, reports: Iterable[Report]) -> Iterator[Reading]:
        """Read reports one after the other."""
        for report in reports:
            yield self.read(report)

    def read(
        self, report: Report, *, countries: Mapping[str, float] | None = None, settled: Settled | None = None
    ) -> Reading:
        """Read one report.

        Parameters
        ----------
        report : Report
        countries : mapping of str to float, optional
            Countries the report is known to be about (ISO 3166-1 alpha-2), with weights: the reader's own hint.
        settled : mapping, optional
            Names whose place a person has settled, as `geodata.settled.index_settled` arranges them. They go before
            the rules, except where the text itself names an area that does not hold the place.

        Returns
        -------
        Reading
            Offsets point into ``report.text`` in code points.
        """
        clean = clean_text(report.text)
        if not clean.text.strip():
            return Reading(report, notes=("The report has no text.",))
        today = report.publication_day
        language = normalise_code(report.language) or detect_language(clean.text)
        english = language not in list_languages()
        if english:
            located, dates, units = self._read_english(clean, today, countries, settled)
        else:
            foreign = read_foreign(
                clean.text, language, gazetteer=self.gazetteer, today=today, countries=countries, settled=settled
            )
            located, dates, units = foreign.located, foreign.dates, foreign.units
        drafts = assemble(units, today)
        mentions = {id(x): self._publish(clean, x, whole=True) for x in located}
        incidents = tuple(self._finish(clean, draft, mentions, english=english) for draft in drafts)
        highlights = _find_highlights(clean, located, mentions, units, dates)
        notes = _make_notes(located, incidents, today, dates)
        return Reading(report, incidents, tuple(mentions[id(x)] for x in located), highlights, notes)

    def _read_english(
        self,
        clean: CleanText,
        today: date | None,
        countries: Mapping[str, float] | None,
        settled: Settled | None,
    ) -> tuple[list[Located], dict[int, list[DateRef]], list[Unit]]:
        sentences = split_sentences(clean.text)
        triggers = {s.index: find_triggers(s) for s in sentences}
        pieces = None if len(clean.text) <= _LONG else _pick_pieces(sentences, triggers)
        entities = self.linguistics.find_entities(clean.text, pieces=pieces) if self.linguistics else []
        raw = find_mentions(sentences, self.gazetteer, entities)
        located = locate_mentions(raw, self.gazetteer, countries=countries, settled=settled)
        dates = {s.index: find_dates(s, today, dateline_end=find_dateline_end(s)) for s in sentences}
        by_sentence: dict[int, list[Located]] = {}
        for item in located:
            by_sentence.setdefault(item.raw.sentence, []).append(item)
        units: list[Unit] = []
        for sentence in sentences:
            units.extend(
                make_units(
                    sentence, triggers[sentence.index], dates[sentence.index], by_sentence.get(sentence.index, [])
                )
            )
        return located, dates, units

    @staticmethod
    def _publish(clean: CleanText, item: Located, *, whole: bool = False) -> Mention:
        start, end = clean.to_original(item.raw.start, item.raw.end)
        return item.to_mention(start, end, clean.original[start:end], whole=whole)

    def _finish(
        self, clean: CleanText, draft: Draft, mentions: Mapping[int, Mention], *, english: bool
    ) -> ReadIncident:
        ranges = {
            m: derive_range(draft.figures, m)
            for m in ("killed", "injured", "missing", "displaced", "abducted", "arrested")
        }
        main_unit, _main_span = _choose_evidence(draft, ranges)
        start, end = clean.to_original(main_unit.sentence.start, main_unit.sentence.end)
        # Who did it and who says so is read by English patterns only.
        told = [*draft.units, *draft.also] if english else []
        sentences = list({u.sentence.index: u.sentence for u in told}.values())
        places = {m.text for m in mentions.values() if m.kind != "demonym"}
        attributed = [found for found in find_attribution(sentences) if found[0] not in places]
        denied = find_denials(sentences)
        located = draft.located
        mention = self._publish(clean, located) if located is not None else None
        reasons = [Reason(slot, rule, *clean.to_original(a, b)) for slot, rule, a, b in draft.rules]
        for measure, found in ranges.items():
            if found.source is not None:
                c = found.source.casualty
                reasons.append(Reason(measure, c.rule, *clean.to_original(c.start, c.end)))
        reasons.extend(
            Reason("attributed_to", "named as the author", *clean.to_original(a, b)) for _, a, b in attributed
        )
        reasons.extend(Reason("denied_by", "denies", *clean.to_original(a, b)) for _, a, b in denied)
        other_kind, other = _other_affected(draft, ranges)
        first, last, precision = draft.first_day, draft.last_day, draft.precision
        if first is None:
            precision = "unknown"
        disputed = any(r.disputed for r in ranges.values())
        subsets = {
            group: derive_subset(draft.figures, "killed", group)[1] for group in ("civilians", "children", "combatants")
        }
        killed, injured, missing = ranges["killed"], ranges["injured"], ranges["missing"]
        place = located.raw.text if located is not None else None
        return ReadIncident(
            type=draft.type,
            type_certainty="inferred" if draft.inherited_type else "stated",
            title=_make_title(draft, place),
            place=place,
            place_detail=_find_detail(draft, main_unit),
            mention=mention,
            precision=_find_precision(draft),
            date_start=first,
            date_end=last if first is not None else None,
            date_precision=precision,
            evidence=clean.original[start:end],
            evidence_start=start,
            evidence_end=end,
            confidence=estimate_confidence(draft, ranges),
            killed_min=killed.minimum,
            killed_max=killed.maximum,
            injured_min=injured.minimum,
            injured_max=injured.maximum,
            missing_min=missing.minimum,
            missing_max=missing.maximum,
            civilians_killed_min=subsets["civilians"].minimum,
            civilians_killed_max=subsets["civilians"].maximum,
            children_killed_min=subsets["children"].minimum,
            children_killed_max=subsets["children"].maximum,
            combatants_killed_min=subsets["combatants"].minimum,
            combatants_killed_max=subsets["combatants"].maximum,
            other_affected=other,
            other_affected_kind=other_kind,
            attributed_to=tuple(who for who, _, _ in attributed),
            denied_by=tuple(who for who, _, _ in denied),
            contested=bool(denied) or disputed,
            current=draft.current,
            claims=tuple(_make_claim(clean, f, english=english) for f in draft.figures),
            reasons=tuple(reasons),
        )


def _choose_evidence(draft: Draft, ranges: Mapping[str, Range]) -> tuple[Unit, tuple[int, int]]:
    for measure in ("killed", "injured", "abducted", "displaced", "missing", "arrested"):
        source = ranges[measure].source
        if source is not None:
            return source.unit, (source.casualty.start, source.casualty.end)
    trigger = draft.typed_by.get(draft.type)
    if trigger is not None:
        unit = next((u for u in draft.units if u.start <= trigger.start < u.end), draft.units[0])
        return unit, (trigger.start, trigger.end)
    unit = draft.units[0]
    return unit, (unit.start, unit.end)


def _make_claim(clean: CleanText, figure: Figure, *, english: bool) -> Claim:
    c = figure.casualty
    who = find_claimant(figure.unit.sentence, c.start) if english else None
    start, end = clean.to_original(c.start, c.end)
    return Claim(
        measure=c.measure,
        minimum=c.minimum,
        maximum=c.maximum,
        group=c.group,
        claimant=who[0] if who else None,
        stance="asserts",
        evidence=clean.original[start:end],
        start=start,
        end=end,
        rule=c.rule,
    )


def _other_affected(draft: Draft, ranges: Mapping[str, Range]) -> tuple[str | None, int | None]:
    order = ["displaced", "abducted", "arrested"]
    if draft.type == "abduction":
        order = ["abducted", "arrested", "displaced"]
    for measure in order:
        if ranges[measure].minimum is not None:
            return measure, ranges[measure].minimum
    return None, None


_NEAR = {"near", "outside", "around"}


def _find_precision(draft: Draft) -> str:
    located = draft.located
    if located is None:
        return "unknown"
    if located.place is None:
        return _COARSE_KINDS.get(located.raw.hint or "", "unknown")
    precision = located.place.precision
    if precision == "settlement" and located.raw.prefix in _NEAR:
        return "near"
    return precision


_SITES = re.compile(
    r"\b((?:train|railway|bus|petrol|gas|filling|police|power|radio|fire) stations?|schools?|kindergartens?|hospitals?|clinics?|markets?|mosques?|"
    r"churche?s?|cathedral|monastery|temple|synagogue|hotels?|shopping (?:mall|centre|center)|malls?|theatre|theater|universit(?:y|ies)|apartment (?:block|building)s?|"
    r"blocks? of flats|residential (?:block|building|area)s?|oil depot|fuel depot|refinery|airports?|airfields?|air ?base|military base|army base|checkpoints?|"
    r"refugee camp|camp|bridges?|ports?|weddings?|funerals?|cafes?|restaurants?|bus stop|minibus|bus|mass grave|prison|plant|factory|dam|power plant|"
    r"villages?|homes?|houses?)\b",
    re.I,
)


def _find_detail(draft: Draft, unit: Unit) -> str | None:
    located = draft.located
    if located is not None and located.raw.detail:
        return located.raw.detail
    for candidate in (unit, *draft.units):
        match = _SITES.search(candidate.text)
        if match:
            return match.group(1).lower()
    return None


def _make_title(draft: Draft, place: str | None) -> str:
    label = get_label(draft.type)
    located = draft.located
    if place is None:
        return label
    where = place
    if (
        located is not None
        and located.raw.hint == "region"
        and not re.search(r"(?i)region|state|province|oblast", place)
    ):
        where = f"{place} region"
    if located is not None and located.raw.compass:
        where = f"{located.raw.compass} {where}"
    return f"{label}, {where}"


def _pick_pieces(sentences: Iterable[Sentence], triggers: Mapping[int, Iterable[Trigger]]) -> list[tuple[int, int]]:
    """Find the spans of the sentences with a trigger and their two neighbours."""
    told = {index for index, found in triggers.items() if any(True for _ in found)}
    wanted = {index + step for index in told for step in (-1, 0, 1)}
    pieces: list[tuple[int, int]] = []
    last = -2
    for sentence in sentences:
        if sentence.index not in wanted:
            continue
        if pieces and sentence.index == last + 1 and sentence.end - pieces[-1][0] <= _LONGEST_PIECE:
            pieces[-1] = (pieces[-1][0], sentence.end)
        else:
            pieces.append((sentence.start, sentence.end))
        last = sentence.index
    return pieces


def _find_highlights(
    clean: CleanText,
    located: Iterable[Located],
    mentions: Mapping[int, Mention],
    units: Iterable[Unit],
    dates: Mapping[int, list[DateRef]],
) -> tuple[Highlight, ...]:
    found: list[Highlight] = []
    for item in located:
        mention = mentions[id(item)]
        if mention.kind == "demonym":
            continue
        best = mention.resolution.best
        label = (
            mention.resolution.reason if best is None else f"{best.place.name}, {best.place.country or ''}".strip(", ")
        )
        found.append(Highlight(mention.start, mention.end, "place", label))
    seen: set[tuple[int, int]] = set()
    for unit in units:
        for c in unit.casualties:
            if (c.start, c.end) not in seen:
                seen.add((c.start, c.end))
                found.append(
                    Highlight(
                        *clean.to_original(c.start, c.end), "figure", _say_casualty(c.measure, c.minimum, c.maximum)
                    )
                )
        found.extend(_highlight_trigger(clean, t) for t in unit.triggers if t.type != GENERIC)
    for refs in dates.values():
        for ref in refs:
            label = _say_day(ref)
            found.append(Highlight(*clean.to_original(ref.start, ref.end), "date", label))
    order = {"place": 0, "figure": 1, "date": 2, "type": 3, "claimant": 4}
    found.sort(key=lambda h: (h.start, order[h.kind], -h.end))
    taken = bytearray(len(clean.original))  # one mark a character: overlaps are found without comparing all with all
    kept: list[Highlight] = []
    for h in sorted(found, key=lambda h: (order[h.kind], h.start)):
        if h.end > h.start and not any(taken[h.start : h.end]):
            taken[h.start : h.end] = b"\x01" * (h.end - h.start)
            kept.append(h)
    return tuple(sorted(kept, key=lambda h: h.start))


def _highlight_trigger(clean: CleanText, trigger: Trigger) -> Highlight:
    return Highlight(*clean.to_original(trigger.start, trigger.end), "type", get_label(trigger.type))


def _say_casualty(measure: str, low: int | None, high: int | None) -> str:
    if low == high:
        return f"{measure}: {low}"
    if high is None:
        return f"{measure}: {low} or more"
    if low is None:
        return f"{measure}: up to {high}"
    return f"{measure}: {low}-{high}"


def _say_day(ref: DateRef) -> str:
    if ref.first is None:
        return "date relative to another"
    return ref.first.isoformat() if ref.first == ref.last else f"{ref.first.isoformat()} to {ref.last}"


def _make_notes(
    located: list[Located], incidents: tuple[ReadIncident, ...], today: date | None, dates: Mapping[int, list[DateRef]]
) -> tuple[str, ...]:
    notes = []
    if not any(x.raw.kind != "demonym" for x in located):
        notes.append("No place names were found.")
    if not incidents:
        notes.append("No incidents were found.")
    if today is None and any(d.first is None and not d.anchored for refs in dates.values() for d in refs):
        notes.append("The publication date is not known: weekday words give no date.")
    unknown = sorted({x.raw.text for x in located if x.raw.kind != "demonym" and x.place is None})
    if unknown:
        notes.append(
            "Not in the place index: " + ", ".join(unknown[:8]) + ("" if len(unknown) <= 8 else " and others") + "."
        )
    return tuple(notes)
