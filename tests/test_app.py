from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from incidents.samples import load_samples, read_samples
from incidents.store import Store

PAGES = ("map", "add", "table", "places", "briefing", "about")
TOTAL = len(read_samples()[0])


def run_page(name: str) -> None:
    import importlib  # AppTest runs this function's source on its own

    module = importlib.import_module(f"incidents.dashboard.{name}_page")
    getattr(module, f"show_{name}_page")()


@pytest.fixture(scope="session")
def sample_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "book.db"
    with Store.open(f"sqlite:///{path}") as store:
        load_samples(store)
    return path


@pytest.fixture
def open_app(tmp_path: Path, sample_book: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    def open_(name: str, *, empty: bool = False) -> AppTest:
        path = tmp_path / "book.db"
        if not empty:
            shutil.copy(sample_book, path)
        monkeypatch.setenv("INCIDENTS_DATABASE_URL", f"sqlite:///{path}")
        return AppTest.from_function(run_page, kwargs={"name": name}, default_timeout=120).run()

    return open_


def read_html(app: AppTest) -> str:
    return " ".join(str(element.proto.body) for element in app.get("html"))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("empty", [False, True])
def test_every_page_opens_without_an_error(open_app: Callable[..., AppTest], name: str, empty: bool) -> None:
    app = open_app(name, empty=empty)
    assert not app.exception
    assert not app.error
    if empty and name in {"map", "table", "places", "briefing"}:
        assert "No incidents yet" in read_html(app)


def test_an_empty_store_offers_the_sample(open_app: Callable[..., AppTest]) -> None:
    app = open_app("map", empty=True)
    app.button[0].click().run()
    assert not app.exception
    assert f"{TOTAL} of {TOTAL} incidents" in read_html(app)


@pytest.mark.parametrize("name", ["map", "table", "briefing"])
def test_filters_that_leave_nothing_say_so(open_app: Callable[..., AppTest], name: str) -> None:
    app = open_app(name)
    app.text_input(key="f_text").set_value("nothing has this word").run()
    assert not app.exception
    assert f"0 of {TOTAL} incidents" in read_html(app)
    assert any("No incidents match" in info.value for info in app.info)
    next(b for b in app.button if b.label == "Reset filters").click().run()
    assert f"{TOTAL} of {TOTAL} incidents" in read_html(app)


def test_not_stated_is_its_own_choice(open_app: Callable[..., AppTest]) -> None:
    frame = read_samples()[0]
    unstated = int((frame["killed_min"].isna() & frame["killed_max"].isna()).sum())
    assert unstated > 0
    app = open_app("map")
    app.checkbox(key="f_killed_unstated").uncheck().run()
    assert f"{TOTAL - unstated} of {TOTAL} incidents" in read_html(app)


def test_a_range_of_killed_filters(open_app: Callable[..., AppTest]) -> None:
    app = open_app("map")
    app.number_input(key="f_killed_min").set_value(20)
    app.checkbox(key="f_killed_unstated").uncheck().run()
    frame = read_samples()[0]
    high = frame["killed_max"].where(frame["killed_max"].notna(), 10**9)
    expected = int(((frame["killed_min"].notna() | frame["killed_max"].notna()) & (high >= 20)).sum())
    assert f"{expected} of {TOTAL} incidents" in read_html(app)


def test_sessions_share_data_and_never_filters(open_app: Callable[..., AppTest]) -> None:
    first = open_app("map")
    first.text_input(key="f_text").set_value("station").run()
    second = AppTest.from_function(run_page, kwargs={"name": "map"}, default_timeout=120).run()
    assert f"{TOTAL} of {TOTAL} incidents" in read_html(second)
    assert second.text_input(key="f_text").value == ""


def test_an_incident_opens_with_its_evidence(open_app: Callable[..., AppTest]) -> None:
    app = open_app("map")
    frame = read_samples()[0]
    row = frame[frame["contested"]].iloc[0]
    app.selectbox(key="map_pick").set_value(row["incident_id"]).run()
    card = read_html(app)
    assert "Contested" in card
    assert "Who says so" in card
    assert "blockquote" in card


def test_a_database_that_cannot_be_opened_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "book.db"
    broken.write_bytes(b"this is no database, and long enough to be sure of it" * 40)
    monkeypatch.setenv("INCIDENTS_DATABASE_URL", f"sqlite:///{broken}")
    app = AppTest.from_function(run_page, kwargs={"name": "map"}, default_timeout=120).run()
    assert not app.exception
    assert len(app.error) == 1
    assert "\n" not in app.error[0].value


def test_empty_text_is_told(open_app: Callable[..., AppTest]) -> None:
    app = open_app("add")
    next(b for b in app.button if b.label == "Read").click().run()
    assert not app.exception
    assert any("paste an article" in warning.value for warning in app.warning)


def test_nothing_is_saved_before_it_is_saved_by_a_person(open_app: Callable[..., AppTest], tmp_path: Path) -> None:
    app = open_app("add")
    app.text_area(key="add_text").set_value(
        "A drone struck a bus in Nikopol on 3 May 2024, killing two people and wounding nine, the governor said."
    )
    next(b for b in app.button if b.label == "Read").click().run()
    assert not app.exception
    assert any(e.label == "Why" for e in app.expander), "each incident tells the rule behind each value"
    with Store.open(f"sqlite:///{tmp_path / 'book.db'}") as store:
        assert len(store.load()) == TOTAL
        save = next(b for b in app.button if b.label.startswith("Save"))
        save.click().run()
        assert not app.exception
        frame = store.load()
    assert len(frame) == TOTAL + 1
    (row,) = frame[frame["place_name"] == "Nikopol"].itertuples()
    assert (row.type, row.killed_min, row.injured_min) == ("drone_strike", 2, 9)


def run_add_page_with(low: int, day: str) -> None:
    from dataclasses import replace  # AppTest runs this function's source on its own
    from datetime import date

    import streamlit as st

    from incidents.dashboard import set_up
    from incidents.dashboard.add_page import get_reader, show_add_page
    from incidents.dashboard.drafts import Draft
    from incidents.sources import report_from_text

    set_up()
    if "add_draft" not in st.session_state:
        reading = get_reader().read(report_from_text("Shelling killed five people in Kramatorsk on 8 April 2022."))
        at = date.fromisoformat(day)
        odd = tuple(replace(i, date_start=at, date_end=at, killed_min=low, killed_max=low) for i in reading.incidents)
        st.session_state["add_draft"] = Draft(0, (replace(reading, incidents=odd),))
    show_add_page()


@pytest.mark.parametrize("day", ["0001-01-01", "1850-04-08", "9999-12-31"])
def test_odd_days_and_figures_do_not_stop_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: str) -> None:
    monkeypatch.setenv("INCIDENTS_DATABASE_URL", f"sqlite:///{tmp_path / 'odd.db'}")
    app = AppTest.from_function(run_add_page_with, kwargs={"low": 100_000_000, "day": day}, default_timeout=120).run()
    assert not app.exception
    assert any("Save 1 incident" in button.label for button in app.button)
