"""What a person makes of a reading: the incidents they keep and the fields they correct. Pure: no widgets here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from geodata.place import Candidate
from incidents.dashboard.controls import get_country_name
from incidents.locate import frame_readings
from incidents.reading.records import ReadIncident, Reading
from incidents.settled import make_open_columns, make_place_columns
from incidents.store import Store

__all__ = ["Draft", "Edit", "Saved", "describe_candidate", "list_candidates", "save_draft"]

_WHY = "corrected while adding the report"


@dataclass(frozen=True, slots=True)
class Draft:
    """The readings of one press of "Read", with a number that keeps its widgets apart from earlier ones."""

    number: int
    readings: tuple[Reading, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person left of one incident.

    Attributes
    ----------
    keep : bool
    values : mapping
        Contract column to value, for the fields on the form.
    candidate : int or None
        Position in `list_candidates`; None keeps no location.
    """

    keep: bool = True
    values: Mapping[str, object] = field(default_factory=dict)
    candidate: int | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What saving did."""

    added: int
    duplicates: int
    corrected: int
    titles: tuple[str, ...]


def list_candidates(incident: ReadIncident) -> tuple[Candidate, ...]:
    """Return the places the name may mean, the chosen one first."""
    if incident.mention is None:
        return ()
    resolution = incident.mention.resolution
    rest = tuple(c for c in resolution.candidates if resolution.best is None or c.place != resolution.best.place)
    return ((resolution.best,) if resolution.best else ()) + rest


def get_default_candidate(incident: ReadIncident) -> int | None:
    """Return the position of the place the reader chose, or None where it chose none."""
    return 0 if incident.mention is not None and incident.mention.resolution.best is not None else None


def describe_candidate(candidate: Candidate) -> str:
    """Return a place in words: "Bucha, Kyiv Oblast, Ukraine (settlement, 42,279 people)"."""
    place = candidate.place
    parts = [place.name, place.admin2, place.admin1, get_country_name(place.country) if place.country else None]
    name = ", ".join(dict.fromkeys(str(p) for p in parts if p))
    people = f", {place.population:,} people" if place.population else ""
    return f"{name} ({place.kind.replace('_', ' ')}{people})"


def get_machine_values(incident: ReadIncident) -> dict[str, object]:
    """Return the fields of the form as they were read."""
    return {
        "title": " ".join(incident.title.split()),
        "type": incident.type,
        "date_start": incident.date_start,
        "date_end": incident.date_end or incident.date_start,
        "killed_min": incident.killed_min,
        "killed_max": incident.killed_max,
        "injured_min": incident.injured_min,
        "injured_max": incident.injured_max,
    }


def find_faults(values: Mapping[str, object]) -> list[str]:
    """Return what must be put right before the values can be saved, in plain words."""
    faults = []
    for name in ("killed", "injured"):
        low, high = values.get(f"{name}_min"), values.get(f"{name}_max")
        if isinstance(low, int) and isinstance(high, int) and low > high:
            faults.append(f"{name.capitalize()}: from {low:,} is more than to {high:,}.")
    start, end = values.get("date_start"), values.get("date_end")
    if isinstance(start, date) and isinstance(end, date) and start > end:
        faults.append("The first day is after the last day.")
    if not isinstance(start, date) and isinstance(end, date):
        faults.append("There is a last day but no first day.")
    if not str(values.get("title") or "").strip():
        faults.append("The title is empty.")
    return faults


def _change_place(incident: ReadIncident, edit: Edit) -> dict[str, object]:
    """Return the columns of another place than the reader chose; none where it is the same."""
    if edit.candidate == get_default_candidate(incident):
        return {}
    if edit.candidate is None:
        return make_open_columns()
    place = list_candidates(incident)[edit.candidate].place
    return make_place_columns(place, reason="Chosen by a person among the candidates.")


def find_changes(incident: ReadIncident, edit: Edit) -> dict[str, object]:
    """Return the columns in which a person's values differ from the reading."""
    machine = get_machine_values(incident)
    changes = {name: value for name, value in edit.values.items() if value != machine.get(name)}
    if "date_start" in changes or "date_end" in changes:
        start, end = edit.values.get("date_start"), edit.values.get("date_end")
        changes["date_end"] = end or start
        changes["date_precision"] = "day" if start else "unknown"
        if not start:
            changes["date_end"] = None
    return changes | _change_place(incident, edit)


def save_draft(draft: Draft, edits: Mapping[tuple[int, int], Edit], *, store: Store, who: str) -> Saved:
    """Store the incidents that a person kept, then their corrections, so that the machine's values stay in the history.

    Parameters
    ----------
    draft : Draft
    edits : mapping
        (reading, incident) to what the person left of it; an incident without an edit is kept as read.
    store : Store
    who : str
        Written into the history.
    """
    kept: list[Reading] = []
    chosen: list[tuple[ReadIncident, Edit]] = []
    for r, reading in enumerate(draft.readings):
        pairs = [
            (one, edits.get((r, i), Edit(candidate=get_default_candidate(one))))
            for i, one in enumerate(reading.incidents)
        ]
        pairs = [(one, edit) for one, edit in pairs if edit.keep]
        kept.append(replace(reading, incidents=tuple(one for one, _ in pairs)))
        chosen += pairs
    frame, claims = frame_readings(kept)
    result = store.add(frame, claims, [reading.report for reading in kept], who=who, why="added in the dashboard")
    new = set(result.incident_ids)
    corrected = 0
    for incident_id, (one, edit) in zip(frame["incident_id"], chosen, strict=True):
        changes = find_changes(one, edit)
        if changes and incident_id in new:
            store.update(incident_id, {**changes, "review_status": "edited"}, who=who, why=_WHY)
            corrected += 1
    titles = [str(edit.values.get("title") or one.title) for one, edit in chosen]
    return Saved(result.added, result.duplicates, corrected, tuple(titles))


def count_incidents(readings: Sequence[Reading]) -> int:
    """Return how many incidents the readings hold."""
    return sum(len(reading.incidents) for reading in readings)
