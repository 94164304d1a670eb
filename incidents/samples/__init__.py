"""The sample: incidents of 2022 in our own words, from public facts with named sources.

They let a new user see a filled map at once, and they are real reports with texts, claims and evidence offsets, so
that everything that works on the sample works on one's own material.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from importlib import resources
from typing import Any

import geopandas as gpd
import pandas as pd
from shapely.geometry import Point

from incidents import schema
from incidents.locate import make_incident_id
from incidents.report import Report, hash_parts, hash_text
from incidents.store import Store

__all__ = ["load_samples", "read_samples"]

_FILE = "sample_incidents.json"
_DATES = ("date_start", "date_end")
_APART = frozenset({"lat", "lon", "claims"})


def _read_report(entry: Mapping[str, Any]) -> Report:
    published = date.fromisoformat(entry["published_on"])
    return Report(
        source="article",
        source_id=hash_text(entry["text"]),  # as for a pasted article: pasting a sample text finds the same report
        text=entry["text"],
        title=entry["title"],
        url=entry["url"],
        publisher=entry["publisher"],
        language="en",
        published_at=datetime(published.year, published.month, published.day, tzinfo=UTC),
        published_on=published,
        source_values={"sample": entry["source_id"]},
    )


def _find(text: str, evidence: str) -> tuple[int, int]:
    start = text.index(evidence)
    return start, start + len(evidence)


def _read_incident(entry: Mapping[str, Any], report: Report) -> dict[str, object]:
    row: dict[str, object] = {name: value for name, value in entry.items() if name not in _APART}
    row |= {name: date.fromisoformat(entry[name]) for name in _DATES if entry[name]}
    start, end = _find(report.text, entry["evidence"])
    row |= {
        "incident_id": make_incident_id(
            report.report_id,
            type_name=entry["type"],
            place_name=entry["place_name"],
            date_start=date.fromisoformat(entry["date_start"]),
            evidence_start=start,
        ),
        "type_certainty": "stated",
        "evidence_start": start,
        "evidence_end": end,
        "current": True,
        "contested": entry.get("contested", False),
        "attributed_to": entry.get("attributed_to", []),
        "denied_by": entry.get("denied_by", []),
        "review_status": "unreviewed",
        "report_ids": [report.report_id],
        "source_names": [report.publisher],
        "source_urls": [report.url] if report.url else [],
        "published_at": report.published_at,
        "location_reason": entry.get("location_reason", "Chosen by hand for the sample."),
        "geometry": Point(entry["lon"], entry["lat"]) if entry["lat"] is not None else None,
    }
    return row


def _read_claims(entry: Mapping[str, Any], report: Report, incident_id: object) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for claim in entry["claims"]:
        start, end = _find(report.text, claim["evidence"])
        identity = (incident_id, claim["claimant"], claim["measure"], claim["group"], start)
        rows.append(
            {
                **claim,
                "claim_id": hash_parts("claim", *identity),
                "incident_id": incident_id,
                "report_id": report.report_id,
                "evidence_start": start,
                "evidence_end": end,
            }
        )
    return rows


def read_samples() -> tuple[gpd.GeoDataFrame, pd.DataFrame, list[Report]]:
    """Return the sample as (incidents, claims, reports), conforming to `incidents.schema`."""
    content = json.loads(resources.files(__name__).joinpath(_FILE).read_text(encoding="utf-8"))
    reports: list[Report] = []
    incidents: list[dict[str, object]] = []
    claims: list[dict[str, object]] = []
    for entry in content["reports"]:
        report = _read_report(entry)
        reports.append(report)
        for one in entry["incidents"]:
            row = _read_incident(one, report)
            incidents.append(row)
            claims += _read_claims(one, report, row["incident_id"])
    frame = schema.conform(gpd.GeoDataFrame(incidents, geometry="geometry", crs=schema.CRS))
    return frame, schema.conform_claims(pd.DataFrame(claims)), reports


def load_samples(store: Store) -> int:
    """Add the sample to a store and return how many incidents were new; loading again adds none."""
    frame, claims, reports = read_samples()
    return store.add(frame, claims, reports, who="sample", why="sample incidents").added
