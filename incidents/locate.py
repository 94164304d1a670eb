"""From a reading to rows: put each incident at its place and give it its identity.

The resolution of the mention has already decided which place a name means; here it becomes a point, or no point and
the reason. A place never becomes finer than the reading says, and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from urllib.parse import urlsplit

import geopandas as gpd
import pandas as pd
import shapely

from geodata.place import Place, Resolution
from incidents.checks import is_web_address
from incidents.columns import CLAIM_COLUMNS, COLUMNS, CRS, RANGES
from incidents.reading.records import Claim, ReadIncident, Reading
from incidents.report import Report, hash_parts
from incidents.schema import conform, conform_claims
from incidents.words import AMBIGUOUS

__all__ = ["frame_reading", "frame_readings", "make_incident_id", "vary_incident_id"]

_NO_PLACE = "The report names no place for it"
_NO_POINT = "The place is known, but no point for it"
_COARSE = "No point: the report says too little about where it was"


def make_incident_id(
    report_id: str, *, type_name: str, place_name: str | None, date_start: date | None, evidence_start: int | None
) -> str:
    """Return the id of an incident: what identifies it within its report, and never its position in a list."""
    day = date_start.isoformat() if date_start else None
    return hash_parts("incident", report_id, type_name, place_name, day, evidence_start)


def vary_incident_id(incident_id: str, count: int) -> str:
    """Return the id of the second, third … like incident of one sentence: neither may hide the other."""
    return incident_id if count == 1 else hash_parts(incident_id, count)


def frame_reading(reading: Reading) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
    """Return the incidents of one reading as a contract frame, and their claims as a claims table.

    Parameters
    ----------
    reading : Reading

    Returns
    -------
    incidents : geopandas.GeoDataFrame
        Every column of the contract, EPSG:4326. `added_at` is null: the store sets it.
    claims : pandas.DataFrame
        The columns of `incidents.schema.CLAIM_COLUMNS`.
    """
    return frame_readings([reading])


def frame_readings(readings: list[Reading]) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
    """Return the incidents of many readings in one frame, and their claims: see `frame_reading`."""
    rows: list[dict[str, object]] = []
    claims: list[dict[str, object]] = []
    for reading in readings:
        seen: Counter[str] = Counter()
        for incident in reading.incidents:
            row, own = _frame_incident(incident, report=reading.report, seen=seen)
            rows.append(row)
            claims.extend(own)
    frame = pd.DataFrame(rows, columns=[c.name for c in COLUMNS], dtype="object")
    points = gpd.GeoSeries(gpd.array.from_shapely([row["geometry"] for row in rows], crs=CRS), index=frame.index)
    incidents = conform(gpd.GeoDataFrame(frame.drop(columns="geometry"), geometry=points))
    table = pd.DataFrame(claims, columns=[c.name for c in CLAIM_COLUMNS], dtype="object")
    return incidents, conform_claims(table)


def _frame_incident(
    incident: ReadIncident, *, report: Report, seen: Counter[str]
) -> tuple[dict[str, object], list[dict[str, object]]]:
    incident_id = make_incident_id(
        report.report_id,
        type_name=incident.type,
        place_name=incident.place,
        date_start=incident.date_start,
        evidence_start=incident.evidence_start,
    )
    seen[incident_id] += 1
    incident_id = vary_incident_id(incident_id, seen[incident_id])
    resolution = incident.mention.resolution if incident.mention else None
    row: dict[str, object] = {
        "incident_id": incident_id,
        "title": " ".join(incident.title.split()),
        "type": incident.type,
        "type_certainty": incident.type_certainty,
        "date_start": incident.date_start,
        "date_end": incident.date_end or incident.date_start,
        "date_precision": incident.date_precision if incident.date_start else "unknown",
        "place_name": incident.place,
        "place_detail": incident.place_detail,
        **_locate(incident.precision, resolution),
        **{name: getattr(incident, name) for pair in RANGES for name in pair},
        "other_affected": incident.other_affected,
        "other_affected_kind": incident.other_affected_kind,
        "attributed_to": list(incident.attributed_to),
        "denied_by": list(incident.denied_by),
        "contested": incident.contested,
        "current": incident.current,
        "evidence": incident.evidence,
        "evidence_start": incident.evidence_start,
        "evidence_end": incident.evidence_end,
        "confidence": incident.confidence,
        "review_status": "unreviewed",
        **_tell_source(report),
    }
    told: Counter[str] = Counter()
    return row, [_frame_claim(c, incident_id=incident_id, report=report, told=told) for c in incident.claims]


def _locate(precision: str, resolution: Resolution | None) -> dict[str, object]:
    """Return the columns of the location. The point is x = lon, y = lat, or None with the reason."""
    if resolution is None:
        return {"geometry": None, "location_precision": "unknown", "location_reason": _NO_PLACE}
    runner_up = resolution.runner_up
    columns: dict[str, object] = {
        "geometry": None,
        "location_precision": "unknown",
        "location_candidates": len(resolution.candidates),
        "location_runner_up": _name_place(runner_up.place) if runner_up else None,
        "location_reason": resolution.reason,
    }
    if resolution.best is None:
        return columns
    place = resolution.best.place
    columns |= {
        "country": place.country,
        "admin1": place.admin1,
        "admin2": place.admin2,
        "area_id": place.area_id,
        "geonameid": place.geonameid,
    }
    if place.lat is None or place.lon is None:
        columns["location_reason"] = f"{_NO_POINT}: {resolution.reason}"
    elif precision == "unknown":
        columns["location_reason"] = f"{_COARSE}: {resolution.reason}"
    else:
        columns["geometry"] = shapely.Point(place.lon, place.lat)
        columns["location_precision"] = precision
        if resolution.ambiguous:
            columns["location_reason"] = f"{AMBIGUOUS}: {resolution.reason}"
    return columns


def _name_place(place: Place) -> str:
    parts = [place.name, place.admin1 if place.admin1 != place.name else None, place.country]
    return ", ".join(part for part in parts if part)


def _tell_source(report: Report) -> dict[str, object]:
    url = report.url if report.url and is_web_address(report.url) else None
    publisher = report.publisher or (urlsplit(url).hostname or "").removeprefix("www.") if url else report.publisher
    return {
        "report_ids": [report.report_id],
        "source_names": [publisher] if publisher else [],
        "source_urls": [url] if url else [],
        "published_at": report.published_at,
        "source_values": dict(report.source_values) or None,
    }


def _frame_claim(claim: Claim, *, incident_id: str, report: Report, told: Counter[str]) -> dict[str, object]:
    parts = (claim.measure, claim.group, claim.claimant, claim.stance, claim.minimum, claim.maximum, claim.start)
    claim_id = hash_parts("claim", incident_id, *parts)
    told[claim_id] += 1
    if told[claim_id] > 1:
        claim_id = hash_parts(claim_id, told[claim_id])
    return {
        "claim_id": claim_id,
        "incident_id": incident_id,
        "report_id": report.report_id,
        "claimant": claim.claimant,
        "measure": claim.measure,
        "group": claim.group,
        "min": claim.minimum,
        "max": claim.maximum,
        "evidence": claim.evidence,
        "evidence_start": claim.start if claim.evidence else None,
        "evidence_end": claim.end if claim.evidence else None,
        "stance": claim.stance,
    }
