"""What was read, for people and for programs: the table of ``incidents read``, its JSONL, and the explanation."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from incidents.reading.records import Reading
from incidents.taxonomy import get_label

if TYPE_CHECKING:
    from incidents.pipeline import ReadResult

__all__ = ["explain_readings", "render_result"]


def render_result(result: ReadResult, *, fmt: str) -> bytes:
    """Return what was read as ``table``, ``geojson``, ``jsonl`` or ``csv``, UTF-8."""
    from incidents.exporters import to_bytes

    if fmt == "table":
        return render_table(result).encode("utf-8", "backslashreplace")
    if fmt == "jsonl":
        return b"".join(_iter_lines(to_bytes(result.frame, "geojson"), result.claims))
    return to_bytes(result.frame, fmt)


def _iter_lines(geojson: bytes, claims: pd.DataFrame) -> Iterable[bytes]:
    """Yield an incident a line: the contract's columns, the point as lat and lon, and the claims."""
    told: dict[str, list[dict[str, object]]] = {}
    for row in claims.astype(object).where(claims.notna(), None).to_dict("records"):
        told.setdefault(str(row.pop("incident_id")), []).append(row)
    for feature in json.loads(geojson)["features"]:
        lon, lat = (feature["geometry"] or {"coordinates": (None, None)})["coordinates"][:2]
        record = {**feature["properties"], "lat": lat, "lon": lon}
        record["claims"] = told.get(str(record["incident_id"]), [])
        yield json.dumps(record, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace") + b"\n"


def render_table(result: ReadResult) -> str:
    """Return the incidents for a person to read, some lines each."""
    if result.frame.empty:
        return "No incidents found.\n"
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    blocks = [_render_incident(n, row, width) for n, row in enumerate(_iter_rows(result.frame), start=1)]
    return "\n".join(blocks)


def _iter_rows(frame: pd.DataFrame) -> Iterable[dict[str, Any]]:
    for row in frame.astype(object).to_dict("records"):
        yield {k: None if not isinstance(v, list) and pd.isna(v) else v for k, v in row.items()}


def _render_incident(number: int, row: dict[str, Any], width: int) -> str:
    from incidents.summary import format_range

    point = row["geometry"]
    place = (
        ", ".join(str(row[k]) for k in ("place_name", "place_detail", "admin1", "country") if row[k])
        or "no place named"
    )
    where = (
        f"{point.y:.4f}, {point.x:.4f} ({row['location_precision']})" if point is not None else "no point on the map"
    )
    span = str(row["date_start"]) if row["date_start"] else "no date"
    if row["date_end"] and row["date_end"] != row["date_start"]:
        span += f" to {row['date_end']}"
    figures = ", ".join(
        f"{label} {format_range(row[f'{key}_min'], row[f'{key}_max'])}"
        for key, label in (("killed", "killed"), ("injured", "injured"), ("missing", "missing"))
        if key != "missing" or row["missing_min"] is not None or row["missing_max"] is not None
    )
    lines = [f"{number}. {get_label(str(row['type']))}: {place}", f"   {span}; {figures}", f"   {where}"]
    if point is None and row["location_reason"]:
        lines.append(f"   {row['location_reason']}")
    who = [f"said to be by {', '.join(row['attributed_to'])}"] if row["attributed_to"] else []
    who += [f"denied by {', '.join(row['denied_by'])}"] if row["denied_by"] else []
    who += ["contested"] if row["contested"] else []
    who += [] if row["current"] else ["background: an earlier event"]
    if who:
        lines.append(f"   {'; '.join(who)}")
    if row["evidence"]:
        quoted = f"“{' '.join(str(row['evidence']).split())}”"
        lines.append(textwrap.fill(quoted, width, initial_indent="   ", subsequent_indent="    "))
    return "\n".join(lines) + "\n"


def explain_readings(readings: Iterable[Reading]) -> str:
    """Return for every value of every incident the rule that gave it and the words it was read from."""
    lines: list[str] = []
    for reading in readings:
        text = reading.report.text
        for number, incident in enumerate(reading.incidents, start=1):
            lines.append(f"\n{number}. {get_label(incident.type)}, {incident.place or 'no place'}: why")
            for reason in incident.reasons:
                words = " ".join(text[reason.start : reason.end].split())
                shown = f"“{words[:117]}…”" if len(words) > 120 else f"“{words}”"
                where = f"{reason.start}–{reason.end} {shown}" if reason.end > reason.start else "the text as a whole"
                lines.append(f"   {reason.slot:<16} {reason.rule:<32} {where}")
            if incident.mention:
                lines.append(f"   {'location':<16} {incident.mention.resolution.reason}")
    return "\n".join(lines) + "\n" if lines else ""
