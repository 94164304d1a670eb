from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.place import Candidate, Place, Resolution
from incidents.dashboard.drafts import (
    Draft,
    Edit,
    find_changes,
    find_faults,
    get_default_candidate,
    get_machine_values,
    list_candidates,
    save_draft,
)
from incidents.dashboard.highlight import KINDS, render_text
from incidents.dashboard.style import escape_markdown
from incidents.reading.records import Claim, Highlight, Mention, ReadIncident, Reading
from incidents.sources.article import report_from_text
from incidents.store import Store

TEXT = "Shells fell on Springfield on Friday. Four people were killed."
NEAR = Candidate(Place("Springfield", "settlement", 39.8, -89.6, "settlement", country="US"), "Springfield", "primary")
FAR = Candidate(Place("Springfield", "settlement", 37.2, -93.3, "settlement", country="US"), "Springfield", "primary")


def make_incident(**fields: object) -> ReadIncident:
    resolution = Resolution("Springfield", NEAR, (NEAR, FAR), ambiguous=True, reason="Two places bear the name.")
    values: dict[str, object] = {
        "type": "shelling",
        "type_certainty": "stated",
        "title": "Shelling in Springfield",
        "place": "Springfield",
        "place_detail": None,
        "mention": Mention(15, 26, "Springfield", "settlement", literal=True, resolution=resolution),
        "precision": "settlement",
        "date_start": date(2024, 5, 3),
        "date_end": date(2024, 5, 3),
        "date_precision": "day",
        "evidence": TEXT[38:],
        "evidence_start": 38,
        "evidence_end": len(TEXT),
        "confidence": 0.8,
        "killed_min": 4,
        "killed_max": 4,
        "claims": (Claim("killed", 4, 4, evidence="Four people were killed", start=38, end=61),),
    }
    return ReadIncident(**(values | fields))  # type: ignore[arg-type]


def make_draft(*incidents: ReadIncident) -> Draft:
    return Draft(0, (Reading(report_from_text(TEXT, published_on=date(2024, 5, 4)), incidents),))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'book.db'}") as opened:
        yield opened


def leave(incident: ReadIncident, **changes: object) -> Edit:
    return Edit(values=get_machine_values(incident) | changes, candidate=get_default_candidate(incident))


def test_what_is_left_as_read_is_stored_as_read(store: Store) -> None:
    one = make_incident()
    saved = save_draft(make_draft(one), {(0, 0): leave(one)}, store=store, who="ann")
    assert (saved.added, saved.corrected) == (1, 0)
    (row,) = store.load().itertuples()
    assert (row.killed_min, row.review_status, row.geometry.x) == (4, "unreviewed", -89.6)


def test_a_correction_keeps_what_was_read_in_the_history(store: Store) -> None:
    one = make_incident()
    edit = leave(one, killed_max=None, type="air_strike")
    save_draft(make_draft(one), {(0, 0): edit}, store=store, who="ann")
    (row,) = store.load().itertuples()
    assert (row.type, row.killed_min, row.review_status) == ("air_strike", 4, "edited")
    assert store.load()["killed_max"].isna().all()
    lines = store.history(row.incident_id).set_index("field")
    assert lines.loc["type", "old"] == "shelling"
    assert lines.loc["killed_max", "old"] == "4"
    assert set(lines["who"]) == {"ann"}


def test_another_candidate_moves_the_point_and_none_leaves_it_open(store: Store) -> None:
    one = make_incident()
    other = make_incident(evidence=TEXT[:37], evidence_start=0, evidence_end=37)
    far = Edit(values=get_machine_values(one), candidate=1)
    nowhere = Edit(values=get_machine_values(other), candidate=None)
    save_draft(make_draft(one, other), {(0, 0): far, (0, 1): nowhere}, store=store, who="ann")
    frame = store.load()
    assert sorted(frame.geometry.dropna().x) == [-93.3]
    assert frame[frame.geometry.isna()]["location_precision"].tolist() == ["unknown"]


def test_what_is_unticked_is_not_stored_and_saving_again_adds_nothing(store: Store) -> None:
    one = make_incident()
    other = make_incident(evidence=TEXT[:37], evidence_start=0, evidence_end=37)
    edits = {(0, 0): leave(one), (0, 1): Edit(keep=False)}
    assert save_draft(make_draft(one, other), edits, store=store, who="ann").added == 1
    again = save_draft(make_draft(one, other), {**edits, (0, 0): leave(one, killed_min=1)}, store=store, who="ann")
    assert (again.added, again.duplicates, again.corrected) == (0, 1, 0)
    assert store.load()["killed_min"].tolist() == [4]


def test_faults_are_told_and_blanks_are_not_faults() -> None:
    one = make_incident()
    assert find_faults(get_machine_values(one)) == []
    assert find_faults(get_machine_values(one) | {"killed_min": None, "date_start": None, "date_end": None}) == []
    assert find_faults(get_machine_values(one) | {"killed_min": 5}) == ["Killed: from 5 is more than to 4."]
    assert find_faults(get_machine_values(one) | {"date_start": date(2024, 6, 1)})
    assert find_faults(get_machine_values(one) | {"title": " "})


def test_taking_the_date_away_takes_its_precision_too() -> None:
    one = make_incident()
    changes = find_changes(one, leave(one, date_start=None, date_end=None))
    assert changes == {"date_start": None, "date_end": None, "date_precision": "unknown"}


def test_without_a_mention_there_is_nothing_to_choose() -> None:
    one = make_incident(mention=None, place=None, precision="unknown")
    assert list_candidates(one) == ()
    assert find_changes(one, leave(one)) == {}


spans = st.builds(
    Highlight, st.integers(-2, 60), st.integers(-2, 60), st.sampled_from([*KINDS, "unheard of"]), st.text(max_size=8)
)


@given(
    st.text(max_size=60),
    st.lists(spans, max_size=6),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=3),
)
def test_the_highlighted_text_is_the_text_and_inert(
    text: str, highlights: list[Highlight], numbers: list[tuple[int, int]]
) -> None:
    markup = render_text(text, highlights, [(offset, n) for offset, n in numbers if offset < len(text)])
    bare = re.sub(r"<sup[^>]*><b>\[\d\]</b></sup>", "", markup)
    bare = re.sub(r"</?(?:mark|div)(?: [a-z]+=\"[^\"<>]*\")*>", "", bare)
    assert "<" not in bare
    shown = html.unescape(bare)
    control = r"[\x00-\x20\x7f-\xa0\u2000-\u206f\u3000\ud800-\udfff\u1680]"
    assert re.sub(control, "", shown) == re.sub(control, "", text)


@given(st.text())
def test_no_markdown_survives(text: str) -> None:
    escaped = escape_markdown(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[!\[\]()<>*_`$:#|~]", escaped)
