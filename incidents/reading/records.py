"""The records that a reading is made of. All frozen; every value knows the span and rule it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from geodata.place import Resolution
from incidents.report import Report

__all__ = ["Claim", "Highlight", "Mention", "ReadIncident", "Reading", "Reason"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a slot has its value: the rule's name and the code-point span in the report's text."""

    slot: str
    rule: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch of the text to show in colour.

    `kind` is ``place``, ``figure``, ``date``, ``type`` or ``claimant``; `label` says in words what was read.
    """

    start: int
    end: int
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A place name in the text.

    Attributes
    ----------
    start, end : int
        Code-point offsets into the report's text; ``text[start:end] == text``.
    text : str
        As written.
    kind : str
        ``country``, ``admin1``, ``admin2``, ``settlement``, ``macro_region``, ``site``, ``water``, ``demonym``, ``unlisted``.
    literal : bool
        False where the name stands for a government, a team or people ("Moscow said", "Russian").
    resolution : Resolution
        What it means, with candidates and reasons; `best` is None when nothing is known.
    """

    start: int
    end: int
    text: str
    kind: str
    literal: bool
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Claim:
    """What one claimant says of one measure.

    `measure` is killed, injured, missing, abducted, displaced or arrested; `group` is all, civilians, children,
    women or combatants; `stance` is asserts or denies. Figures: None is "not stated".
    """

    measure: str
    minimum: int | None
    maximum: int | None
    group: str = "all"
    claimant: str | None = None
    stance: str = "asserts"
    evidence: str = ""
    start: int = 0
    end: int = 0
    rule: str = ""


@dataclass(frozen=True, slots=True)
class ReadIncident:
    """One incident as read from one text, before anything is stored.

    Figures are inclusive ranges; None is "not stated", 0 is "stated none". `place` is the name as the report
    wrote it; `mention` is the mention it was taken from. `evidence` is exactly ``text[evidence_start:evidence_end]``.
    `current` is False for background: an earlier event that the text only recalls.
    """

    type: str
    type_certainty: str
    title: str
    place: str | None
    place_detail: str | None
    mention: Mention | None
    precision: str
    date_start: date | None
    date_end: date | None
    date_precision: str
    evidence: str
    evidence_start: int
    evidence_end: int
    confidence: float
    killed_min: int | None = None
    killed_max: int | None = None
    injured_min: int | None = None
    injured_max: int | None = None
    missing_min: int | None = None
    missing_max: int | None = None
    civilians_killed_min: int | None = None
    civilians_killed_max: int | None = None
    children_killed_min: int | None = None
    children_killed_max: int | None = None
    combatants_killed_min: int | None = None
    combatants_killed_max: int | None = None
    other_affected: int | None = None
    other_affected_kind: str | None = None
    attributed_to: tuple[str, ...] = ()
    denied_by: tuple[str, ...] = ()
    contested: bool = False
    current: bool = True
    claims: tuple[Claim, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read from one report.

    `notes` are plain sentences for the person: "No place names found", "Publication date unknown: weekday words
    give no date".
    """

    report: Report
    incidents: tuple[ReadIncident, ...] = ()
    mentions: tuple[Mention, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    notes: tuple[str, ...] = field(default=())
