from __future__ import annotations

from pathlib import Path

from geodata.boundaries import get_area
from incidents import schema
from incidents.samples import load_samples, read_samples
from incidents.store import Store


def test_the_sample_keeps_the_contract_and_its_offsets_are_exact() -> None:
    frame, claims, reports = read_samples()
    schema.validate(frame)
    texts = {report.report_id: report.text for report in reports}
    for row in frame.itertuples():
        assert texts[row.report_ids[0]][row.evidence_start : row.evidence_end] == row.evidence
    for claim in claims.itertuples():
        assert texts[claim.report_id][claim.evidence_start : claim.evidence_end] == claim.evidence
    assert set(claims["incident_id"]) <= set(frame["incident_id"])


def test_the_sample_shows_what_the_program_is_about() -> None:
    frame, claims, reports = read_samples()
    assert 10 <= len(frame) <= 16
    assert frame["killed_min"].isna().any()
    assert frame["contested"].any()
    assert frame.geometry.isna().sum() == 1
    assert (claims.groupby("incident_id").size() >= 3).any()
    assert all(report.publisher for report in reports)
    assert all(url.startswith("https://") for urls in frame["source_urls"] for url in urls)
    regions = frame[frame["location_precision"] == "region"]
    assert len(regions) == 3
    for row in regions.itertuples():
        assert get_area(row.area_id).contains(row.geometry)


def test_loading_twice_adds_once(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'book.db'}") as store:
        first = load_samples(store)
        assert first == len(read_samples()[0])
        version = store.load()
        assert load_samples(store) == 0
        assert store.load().equals(version)
        assert store.check() == []
