from __future__ import annotations

import dataclasses
import json
from datetime import UTC, date, datetime

import pandas as pd
import pytest

from geodata.place import Candidate, Place, Resolution
from incidents import schema
from incidents.locate import frame_reading, frame_readings
from incidents.reading.records import Claim, Mention, ReadIncident, Reading
from incidents.report import Report

TOWN = Place("Brovary", "settlement", 50.511, 30.790, "settlement", "UA", "Kyiv Oblast", "UA.13", geonameid=711369)
TWIN = Place("Brovary", "settlement", 49.1, 31.2, "settlement", "UA", "Cherkasy Oblast")
REGION = Place("Kherson Oblast", "admin1", 46.6, 33.4, "region", "UA", "Kherson Oblast", area_id="admin1:UA.08")
POINTLESS = Place("Old Mill", "site", None, None, "exact", "UA")

REPORT = Report(
    "article",
    "one",
    text="Shells hit Brovary. Two died.",
    url="https://www.example.org/a",
    published_at=datetime(2022, 4, 8, 9, 0, tzinfo=UTC),
    source_values={"id": 7},
)


def resolve(*places: Place, ambiguous: bool = False, reason: str = "The only place of this name") -> Resolution:
    candidates = tuple(Candidate(p, p.name, "primary", 1.0) for p in places)
    return Resolution("Brovary", candidates[0] if candidates else None, candidates, ambiguous, reason)


def make_incident(resolution: Resolution | None = None, **changes: object) -> ReadIncident:
    mention = Mention(11, 18, "Brovary", "settlement", True, resolution) if resolution else None
    base = ReadIncident(
        type="shelling",
        type_certainty="stated",
        title="Shelling in\n Brovary",
        place="Brovary" if mention else None,
        place_detail=None,
        mention=mention,
        precision="settlement" if mention else "unknown",
        date_start=date(2022, 4, 7),
        date_end=None,
        date_precision="day",
        evidence="Shells hit Brovary.",
        evidence_start=0,
        evidence_end=19,
        confidence=0.8,
        killed_min=2,
        killed_max=None,
        claims=(Claim("killed", 2, None, claimant="mayor", evidence="Two died.", start=20, end=29),),
    )
    return dataclasses.replace(base, **changes)


def frame_one(incident: ReadIncident) -> dict[str, object]:
    frame, _ = frame_reading(Reading(REPORT, (incident,)))
    schema.validate(frame)
    return frame.iloc[0].to_dict()


def test_a_located_incident_becomes_a_valid_row_with_its_claims() -> None:
    frame, claims = frame_reading(Reading(REPORT, (make_incident(resolve(TOWN, TWIN)),)))
    schema.validate(frame)
    row = frame.iloc[0]
    assert (row.geometry.x, row.geometry.y) == (30.790, 50.511)
    assert row["location_precision"] == "settlement"
    assert row["location_candidates"] == 2
    assert row["location_runner_up"] == "Brovary, Cherkasy Oblast, UA"
    assert row["title"] == "Shelling in Brovary"
    assert (row["killed_min"], row["killed_max"]) == (2, pd.NA)
    assert row["date_end"] == date(2022, 4, 7)
    assert row["source_names"] == ["example.org"]
    assert row["report_ids"] == [REPORT.report_id]
    assert json.loads(row["source_values"]) == {"id": 7}
    assert claims["incident_id"].tolist() == [row["incident_id"]]
    assert claims["claimant"].tolist() == ["mayor"]
    assert claims["min"].tolist() == [2]


def test_a_region_keeps_its_area_and_its_precision() -> None:
    row = frame_one(make_incident(resolve(REGION), precision="region"))
    assert row["location_precision"] == "region"
    assert row["area_id"] == "admin1:UA.08"


@pytest.mark.parametrize(
    ("resolution", "precision", "words"),
    [
        (None, "unknown", "names no place"),
        (resolve(reason="No place of this name is known"), "settlement", "No place of this name"),
        (resolve(POINTLESS), "exact", "no point"),
        (resolve(TOWN), "unknown", "No point"),
    ],
)
def test_no_point_always_comes_with_a_reason(resolution: Resolution | None, precision: str, words: str) -> None:
    row = frame_one(make_incident(resolution, precision=precision))
    assert row["geometry"] is None
    assert row["location_precision"] == "unknown"
    assert words in row["location_reason"]


def test_an_ambiguous_place_says_so() -> None:
    row = frame_one(make_incident(resolve(TOWN, TWIN, ambiguous=True)))
    assert row["location_reason"].startswith("Ambiguous")


def test_ids_do_not_depend_on_the_order_or_on_corrections_of_figures() -> None:
    first, second = make_incident(resolve(TOWN)), make_incident(resolve(TOWN), type="air_strike")
    forth, _ = frame_reading(Reading(REPORT, (first, second)))
    back, _ = frame_reading(Reading(REPORT, (second, dataclasses.replace(first, killed_min=9))))
    assert forth["incident_id"].tolist() == back["incident_id"].tolist()[::-1]


def test_like_incidents_of_one_sentence_are_both_kept() -> None:
    twin = make_incident(resolve(TOWN))
    frame, claims = frame_reading(Reading(REPORT, (twin, twin)))
    assert frame["incident_id"].is_unique
    assert claims["claim_id"].is_unique


def test_a_reading_without_incidents_gives_empty_frames() -> None:
    frame, claims = frame_reading(Reading(REPORT))
    schema.validate(frame)
    assert len(frame) == len(claims) == 0


def test_an_undated_incident_is_kept() -> None:
    row = frame_one(make_incident(resolve(TOWN), date_start=None, date_precision="day"))
    assert row["date_precision"] == "unknown"


def test_many_readings_in_one_frame() -> None:
    other = dataclasses.replace(REPORT, source_id="two", url="ftp://example.org/x", publisher="A Paper")
    readings = [Reading(REPORT, (make_incident(resolve(TOWN)),)), Reading(other, (make_incident(),))]
    frame, claims = frame_readings(readings)
    schema.validate(frame)
    assert frame["source_names"].tolist() == [["example.org"], ["A Paper"]]
    assert frame["source_urls"].tolist() == [["https://www.example.org/a"], []]
    assert len(claims) == 2
