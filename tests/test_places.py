from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from alembic import command
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from geodata.gazetteer import Gazetteer
from geodata.place import Place
from geodata.resolve import Context, resolve_name
from geodata.settled import SettledPlace, apply_settled, index_settled
from incidents import database
from incidents.cli import cli
from incidents.dashboard.doubts import find_meanings, list_doubts, make_map_places
from incidents.errors import StoreError
from incidents.locate import frame_readings
from incidents.map import MapAssets, MapPlace, build_place_layer, build_place_map
from incidents.pipeline import import_results
from incidents.reading import Reader
from incidents.report import Report
from incidents.settled import _CONTAINER, describe_place, find_unsettled
from incidents.sources import read_bytes
from incidents.sources.article import report_from_text
from incidents.store import Store

PLAIN = "Shelling hit Novoselivka in Ukraine on Friday, killing two people and wounding three, officials said."
OTHER = "Rockets struck Novoselivka in Ukraine on Thursday, killing four people, the governor said."
HELD = "Shelling hit Novoselivka, Poltava region, on Friday, killing two people, officials said."
FOREIGN = "Обстріл села Новоселівка: двоє людей загинули 3 травня 2024 року, повідомили в поліції України."
NEAR_LYMAN, ODESA = 699185, 699215
TODAY = date(2024, 5, 4)


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return Gazetteer.open()


@pytest.fixture(scope="module")
def plain_reader(gazetteer: Gazetteer) -> Reader:
    return Reader(gazetteer, None)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'book.db'}"


def get_place(gazetteer: Gazetteer, geonameid: int) -> Place:
    place = gazetteer.get_place(geonameid)
    assert place is not None
    return place


def choose(geonameid: int = NEAR_LYMAN, name: str = "Novoselivka", **scope: Any) -> Any:
    when = datetime(2026, 12, 1, 9, tzinfo=UTC)
    return index_settled([SettledPlace(name, geonameid, label="x", who="ann", when=when, **scope)])


def add_texts(store: Store, reader: Reader, *texts: str) -> list[Report]:
    reports = [report_from_text(text, published_on=TODAY) for text in texts]
    frame, claims = frame_readings([reader.read(report) for report in reports])
    store.add(frame, claims, reports, who="machine")
    return reports


def find_row(store: Store, report: Report) -> pd.Series:
    frame = store.load()
    (position,) = [i for i, ids in enumerate(frame["report_ids"]) if report.report_id in ids]
    return frame.iloc[position]


# ---- reading --------------------------------------------------------------------------------------------------------


def test_a_settled_name_is_the_answer_with_its_reason(plain_reader: Reader) -> None:
    report = report_from_text(PLAIN, published_on=TODAY)
    (before,) = plain_reader.read(report).incidents
    assert before.mention is not None
    assert before.mention.resolution.ambiguous
    (after,) = plain_reader.read(report, settled=choose(name="NOVOSELIVKA")).incidents
    assert after.mention is not None
    found = after.mention.resolution
    assert found.best is not None
    assert found.best.place.geonameid == NEAR_LYMAN
    assert not found.ambiguous
    assert "settled by ann on 2026-12-01 for this project" in found.reason
    assert {c.place.geonameid for c in found.candidates} == {
        c.place.geonameid for c in before.mention.resolution.candidates
    }


def test_the_texts_own_area_goes_before_the_choice(plain_reader: Reader) -> None:
    report = report_from_text(HELD, published_on=TODAY)
    before, after = (plain_reader.read(report, settled=s).incidents[0].mention for s in (None, choose()))
    assert before is not None
    assert after is not None
    assert after.resolution == before.resolution
    assert "settled" not in after.resolution.reason


def test_other_languages_use_the_choice(plain_reader: Reader) -> None:
    report = replace(report_from_text(FOREIGN, published_on=TODAY), language="uk")
    mentions = plain_reader.read(report, settled=choose(name="Новоселівка")).mentions
    found = [m.resolution.best.place.geonameid for m in mentions if m.text == "Новоселівка" and m.resolution.best]
    assert found == [NEAR_LYMAN]


def test_a_region_is_never_the_settled_town(plain_reader: Reader) -> None:
    report = report_from_text("Shelling in the Donetsk region killed two people on Friday.", published_on=TODAY)
    (one,) = plain_reader.read(report, settled=choose(709717, "Donetsk")).incidents
    assert one.precision == "region"


def test_a_choice_for_an_area_reaches_only_what_lies_there(gazetteer: Gazetteer) -> None:
    ruled = resolve_name("Novoselivka", gazetteer=gazetteer, context=Context(countries={"UA": 2.0}))
    assert apply_settled(ruled, choose(country="UA"), gazetteer=gazetteer) is not None
    assert apply_settled(ruled, choose(country="PL"), gazetteer=gazetteer) is None
    both = index_settled([SettledPlace("Novoselivka", ODESA), SettledPlace("Novoselivka", NEAR_LYMAN, country="UA")])
    found = apply_settled(ruled, both, gazetteer=gazetteer)
    assert found is not None
    assert found.best is not None
    assert found.best.place.geonameid == NEAR_LYMAN


def test_a_place_that_the_index_lost_says_nothing(gazetteer: Gazetteer) -> None:
    ruled = resolve_name("Novoselivka", gazetteer=gazetteer)
    assert apply_settled(ruled, choose(2_000_000_000), gazetteer=gazetteer) is None


def test_the_readers_own_country_hint_is_heard(plain_reader: Reader) -> None:
    report = report_from_text("Shelling hit Hamilton on Friday, killing two people.", published_on=TODAY)
    found = {}
    for code in ("CA", "NZ"):
        mention = plain_reader.read(report, countries={code: 5.0}).incidents[0].mention
        assert mention is not None
        assert mention.resolution.best is not None
        found[code] = mention.resolution.best.place.country
    assert found == {"CA": "CA", "NZ": "NZ"}


# ---- the book -------------------------------------------------------------------------------------------------------


def test_a_book_of_the_earlier_version_gets_the_table_and_keeps_all(url: str, plain_reader: Reader) -> None:
    with Store.open(url) as store:
        add_texts(store, plain_reader, PLAIN)
        expected = store.load()
    path = url.removeprefix("sqlite:///")
    with sqlite3.connect(path) as connection:  # what the version before made
        connection.execute("DROP TABLE settled_places")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    with Store.open(url) as store:
        assert store.load_settled() == []
        pd.testing.assert_frame_equal(pd.DataFrame(store.load()), pd.DataFrame(expected))
        assert store.check() == []


def test_the_first_step_alone_makes_the_first_book(url: str) -> None:
    """Upgrade a book that really was made by the first step, with nothing of today's tables."""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        command.upgrade(database._make_config(connection), "0001")
        connection.exec_driver_sql("INSERT INTO meta VALUES (1, 'b', 0, '2026-11-01T00:00:00.000000Z', '0.1')")
    engine.dispose()
    with Store.open(url) as store:
        assert store.load_settled() == []
        assert store.get_version() == "b:0"


def test_settling_for_the_project_moves_what_no_person_has_edited(
    url: str, plain_reader: Reader, gazetteer: Gazetteer
) -> None:
    place = get_place(gazetteer, NEAR_LYMAN)
    with Store.open(url) as store:
        one, two, held = add_texts(store, plain_reader, PLAIN, OTHER, HELD)
        assert len(find_unsettled(store.load())) == 3
        edited = find_row(store, two)
        store.update(edited["incident_id"], {"title": "By hand"}, who="bea")
        version = store.get_version()
        result = store.settle_place("novoselivka", place, who="ann")
        assert store.get_version() != version
        first = find_row(store, one)
        assert result.changed == (first["incident_id"],)
        assert set(result.kept.values()) == {"a person has edited it", "its report places it in Poltava Oblast"}
        assert first["geonameid"] == NEAR_LYMAN
        assert (first.geometry.x, first.geometry.y) == (place.lon, place.lat)
        assert first["review_status"] == "unreviewed"
        assert "settled by ann" in first["location_reason"]
        assert find_row(store, two)["geonameid"] == edited["geonameid"]
        assert find_row(store, two)["title"] == "By hand"
        assert find_row(store, held)["admin1"] == "Poltava Oblast"
        history = store.history(first["incident_id"])
        told = history[history["field"] == "geonameid"].iloc[0]
        assert (told["who"], told["old"], told["new"]) == ("ann", str(ODESA), str(NEAR_LYMAN))
        (choice,) = store.load_settled()
        assert (choice.key, choice.geonameid, choice.who) == ("novoselivka", NEAR_LYMAN, "ann")
        book = store.history()
        (line,) = book[book["field"] == "settled_place"].to_dict("records")
        assert describe_place(place) in line["new"]
        assert pd.isna(line["incident_id"])
        assert store.check() == []


def test_undoing_gives_back_what_was_there(url: str, plain_reader: Reader, gazetteer: Gazetteer) -> None:
    with Store.open(url) as store:
        one, two = add_texts(store, plain_reader, PLAIN, OTHER)
        before = store.load()
        store.settle_place("Novoselivka", get_place(gazetteer, NEAR_LYMAN), who="ann")
        later = find_row(store, two)
        store.update(later["incident_id"], {"killed_min": 5, "killed_max": 5}, who="bea")
        result = store.unsettle_place("NOVOSELIVKA", who="cy")
        assert store.load_settled() == []
        first = find_row(store, one)
        assert result.changed == (first["incident_id"],)
        assert result.kept == {later["incident_id"]: "it has been changed since"}
        was = before[before["incident_id"] == first["incident_id"]]
        now = store.load()
        pd.testing.assert_frame_equal(
            pd.DataFrame(was).reset_index(drop=True),
            pd.DataFrame(now[now["incident_id"] == first["incident_id"]]).reset_index(drop=True),
        )
        assert find_row(store, two)["geonameid"] == NEAR_LYMAN
        lines = store.history()
        lines = lines[lines["field"] == "settled_place"]
        assert lines["who"].tolist() == ["ann", "cy"]
        assert pd.isna(lines["new"].iloc[-1])
        with pytest.raises(StoreError, match="no place is settled"):
            store.unsettle_place("Novoselivka", who="cy")


def test_a_second_choice_takes_the_place_of_the_first(url: str, plain_reader: Reader, gazetteer: Gazetteer) -> None:
    with Store.open(url) as store:
        (one,) = add_texts(store, plain_reader, PLAIN)
        before = find_row(store, one)
        for geonameid in (NEAR_LYMAN, 704409):
            store.settle_place("Novoselivka", get_place(gazetteer, geonameid), who="ann")
            assert find_row(store, one)["geonameid"] == geonameid
        assert [c.geonameid for c in store.load_settled()] == [704409]
        store.unsettle_place("Novoselivka", who="ann")
        assert find_row(store, one)["location_reason"] == before["location_reason"]


def test_for_a_report_only_its_incidents_move_and_count_as_edited(
    url: str, plain_reader: Reader, gazetteer: Gazetteer
) -> None:
    with Store.open(url) as store:
        one, two = add_texts(store, plain_reader, PLAIN, OTHER)
        place = get_place(gazetteer, NEAR_LYMAN)
        result = store.settle_in_report("Novoselivka", place, report_id=one.report_id, who="ann")
        assert result.changed == (find_row(store, one)["incident_id"],)
        assert find_row(store, one)["review_status"] == "edited"
        assert find_row(store, two)["geonameid"] == ODESA
        assert store.load_settled() == []
        assert len(find_unsettled(store.load())) == 1
        # a later choice for the project leaves what was settled for the report
        store.settle_place("Novoselivka", get_place(gazetteer, 704409), who="bea")
        assert find_row(store, one)["geonameid"] == NEAR_LYMAN
        assert find_row(store, two)["geonameid"] == 704409


def test_a_choice_for_a_country_leaves_the_rest(url: str, plain_reader: Reader, gazetteer: Gazetteer) -> None:
    with Store.open(url) as store:
        (one,) = add_texts(store, plain_reader, PLAIN)
        place = get_place(gazetteer, NEAR_LYMAN)
        assert store.settle_place("Novoselivka", place, country="PL", who="ann").changed == ()
        region = {"country": "UA", "admin1": "UA.05"}
        assert store.settle_place("Novoselivka", place, **region, who="ann").changed == ()
        assert store.settle_place("Novoselivka", place, country="UA", who="ann").changed != ()
        assert find_row(store, one)["geonameid"] == NEAR_LYMAN
        with pytest.raises(StoreError, match="several areas"):
            store.unsettle_place("Novoselivka", who="ann")
        store.unsettle_place("Novoselivka", country="UA", who="ann")
        assert {c.admin1 for c in store.load_settled()} == {None, "UA.05"}
        store.unsettle_place("Novoselivka", country="UA", who="ann")
        assert [c.country for c in store.load_settled()] == ["PL"]
        store.unsettle_place("Novoselivka", country="PL", who="ann")
        with pytest.raises(StoreError, match="does not lie in"):
            store.settle_place("Novoselivka", place, admin1="UA.17", who="ann")


def test_points_that_a_source_states_stay(url: str, gazetteer: Gazetteer) -> None:
    table = b"place,country,lat,lon,killed\nNovoselivka,Ukraine,50.1,30.2,1\n"
    bare = b"place,country,killed\nNovoselivka,Ukraine,3\n"
    with Store.open(url) as store:
        import_results([("a.csv", read_bytes(table, name="a.csv"))], store=store, reader=None, gazetteer=gazetteer)
        import_results([("b.csv", read_bytes(bare, name="b.csv"))], store=store, reader=None, gazetteer=gazetteer)
        result = store.settle_place("Novoselivka", get_place(gazetteer, NEAR_LYMAN), who="ann")
        assert list(result.kept.values()) == ["its source states where it was"]
        frame = store.load().set_index("killed_min")
        assert frame.loc[1].geometry.x == 30.2
        assert frame.loc[3, "geonameid"] == NEAR_LYMAN


def test_imports_use_the_books_choices(url: str, plain_reader: Reader, gazetteer: Gazetteer) -> None:
    with Store.open(url) as store:
        store.settle_place("Novoselivka", get_place(gazetteer, NEAR_LYMAN), who="ann")
        sources = [
            ("a.txt", read_bytes(PLAIN.encode(), name="a.txt", published_on=TODAY)),
            ("b.csv", read_bytes(b"place,country,killed\nNovoselivka,Ukraine,3\n", name="b.csv")),
        ]
        import_results(sources, store=store, reader=plain_reader, gazetteer=gazetteer)
        frame = store.load()
        assert frame["geonameid"].tolist() == [NEAR_LYMAN, NEAR_LYMAN]
        assert frame["location_reason"].str.contains("settled by ann").all()


def test_the_area_named_in_a_reason_is_found(gazetteer: Gazetteer) -> None:
    """The book keeps only the reason in words: both of its forms must be understood."""
    for code, place in (("UA.18", "Novoselivka"), ("UA.07", "Novoselivka")):
        area = next(
            c.place
            for name in ("Poltava Oblast", "Kharkiv Oblast")
            for c in gazetteer.find(name)
            if c.place.kind == "admin1" and c.place.admin1_code == code
        )
        reason = resolve_name(place, gazetteer=gazetteer, container=area).reason
        found = _CONTAINER.search(reason)
        assert found is not None, reason
        assert (found[1] or found[2]) == area.name


@given(st.text(max_size=30))
def test_any_name_can_be_asked_about(name: str) -> None:
    assert index_settled([SettledPlace(name, 1)]).keys() == {SettledPlace(name, 1).key}


# ---- the command line -----------------------------------------------------------------------------------------------


def test_the_command_line_settles_lists_and_undoes(
    url: str, plain_reader: Reader, gazetteer: Gazetteer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCIDENTS_WHO", "ann")
    run = CliRunner().invoke
    with Store.open(url) as store:
        (one,) = add_texts(store, plain_reader, PLAIN)
    listed = run(cli, ["places", "list", "--database", url])
    assert "in doubt: Novoselivka, 1 incident" in listed.stderr
    done = run(cli, ["places", "settle", "Novoselivka", str(NEAR_LYMAN), "--country", "ua", "--database", url])
    assert done.exit_code == 0, done.output
    assert "1 incident moved there" in done.stderr
    (line,) = run(cli, ["places", "list", "--format", "jsonl", "--database", url]).stdout.splitlines()
    assert json.loads(line) | {"when": None} == {
        "name": "Novoselivka",
        "geonameid": NEAR_LYMAN,
        "country": "UA",
        "admin1": None,
        "who": "ann",
        "when": None,
        "place": describe_place(get_place(gazetteer, NEAR_LYMAN)),
    }
    assert "the book" in run(cli, ["history", "--database", url]).stdout
    text = tmp_path / "a.txt"
    text.write_text(OTHER, encoding="utf-8")
    read = run(cli, ["read", str(text), "--database", url, "--format", "jsonl", "--published", "2024-05-04"])
    assert json.loads(read.stdout)["geonameid"] == NEAR_LYMAN
    assert run(cli, ["places", "unsettle", "Novoselivka", "--database", url]).exit_code == 0
    with Store.open(url) as store:
        assert find_row(store, one)["geonameid"] == ODESA


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["places", "unsettle", "Novoselivka"], "no place is settled"),
        (["places", "settle", "Novoselivka", "1"], "no place with the GeoNames id 1"),
        (["places", "settle", " ... ", str(NEAR_LYMAN)], "no name of a place"),
    ],
)
def test_what_cannot_be_settled_is_told_in_one_line(url: str, arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(cli, [*arguments, "--database", url])
    assert done.exit_code == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_reading_with_a_book_that_is_not_there_makes_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PLAIN, encoding="utf-8")
    done = CliRunner().invoke(cli, ["read", str(tmp_path / "a.txt"), "--database", f"sqlite:///{tmp_path / 'no.db'}"])
    assert done.exit_code == 1
    assert "there is no such book" in done.stderr
    assert not (tmp_path / "no.db").exists()


# ---- the page -------------------------------------------------------------------------------------------------------


def run_page() -> None:
    from incidents.dashboard.places_page import show_places_page

    show_places_page()


@pytest.fixture
def open_page_on(url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AppTest]:
    monkeypatch.setenv("INCIDENTS_DATABASE_URL", url)
    return lambda: AppTest.from_function(run_page, default_timeout=120).run()


def read_html(app: AppTest) -> str:
    return " ".join(str(element.proto.body) for element in app.get("html"))


def find_number(app: AppTest, words: str) -> int:
    """Return the number of the candidate whose card holds these words."""
    app.checkbox(key="places_all").check().run()
    body = next(str(e.proto.body) for e in app.get("html") if words in str(e.proto.body) and "<b>" in str(e.proto.body))
    return int(body.partition("<b>")[2].partition(".")[0])


def test_the_page_of_an_empty_book_offers_the_sample(open_page_on: Callable[[], AppTest]) -> None:
    app = open_page_on()
    assert not app.exception
    assert "No incidents yet" in read_html(app)


def test_a_book_without_doubt_says_so(url: str, plain_reader: Reader, open_page_on: Callable[[], AppTest]) -> None:
    with Store.open(url) as store:
        add_texts(store, plain_reader, "A drone struck a bus in Nikopol on 3 May 2024, killing two people.")
    app = open_page_on()
    assert not app.exception
    assert "No place is in doubt" in read_html(app)
    assert any("Nothing yet" in caption.value for caption in app.caption)


def test_one_click_settles_for_the_report(url: str, plain_reader: Reader, open_page_on: Callable[[], AppTest]) -> None:
    with Store.open(url) as store:
        one, two = add_texts(store, plain_reader, PLAIN, OTHER)
        app = open_page_on()
        assert not app.exception
        assert PLAIN in read_html(app)
        key = f"places_open_{one.report_id}_Novoselivka"
        app.button(key=key).click().run()
        app.text_input(key="who").set_value("ann").run()
        app.button(key="places_report_2").click().run()
        assert not app.exception
        assert not app.error
        assert "1 incident of this report changed" in app.success[0].value.replace(chr(92), "")
        assert find_row(store, one)["review_status"] == "edited"
        assert find_row(store, two)["review_status"] == "unreviewed"
        assert store.history()["who"].iloc[-1] == "ann"
        assert not any(b.key == key for b in app.button)
        app.button(key="places_none").click().run()
        assert find_row(store, two)["location_precision"] == "unknown"
        assert "No place is in doubt" in read_html(app)


def test_one_click_settles_for_the_project_and_one_undoes_it(
    url: str, plain_reader: Reader, open_page_on: Callable[[], AppTest], gazetteer: Gazetteer
) -> None:
    izmail = get_place(gazetteer, 699217)
    with Store.open(url) as store:
        add_texts(store, plain_reader, PLAIN, OTHER)
        app = open_page_on()
        number = find_number(app, str(izmail.admin2))
        app.button(key=f"places_project_{number}").click().run()
        assert not app.exception
        assert not app.error
        assert set(store.load()["geonameid"]) == {izmail.geonameid}
        assert len(store.load_settled()) == 1
        assert "No place is in doubt" in read_html(app)
        assert "Settled by dashboard" in read_html(app)
        app.button(key="places_undo_0").click().run()
        assert not app.exception
        assert store.load_settled() == []
        assert len(find_unsettled(store.load())) == 2


def test_hostile_names_stay_inert(url: str, open_page_on: Callable[[], AppTest], gazetteer: Gazetteer) -> None:
    name = "<img src=x onerror=alert(1)> ![a](http://example.org/x.png)"
    with Store.open(url) as store:
        store.settle_place(name, get_place(gazetteer, NEAR_LYMAN), who="<b>me</b>")
    app = open_page_on()
    assert not app.exception
    assert "<img" not in read_html(app)
    assert "<b>me" not in read_html(app)


def test_candidates_tell_their_distance_to_the_reports_other_places(plain_reader: Reader, gazetteer: Gazetteer) -> None:
    text = f"{PLAIN} In Kramatorsk a drone killed one man."
    report = report_from_text(text, published_on=TODAY)
    frame = frame_readings([plain_reader.read(report)])[0]
    (doubt,) = list_doubts(frame)
    found = find_meanings(doubt, report, gazetteer=gazetteer, frame=frame)
    assert [p.name for p in found.company] == ["Kramatorsk"]
    near = next(m for m in found.meanings if m.place.geonameid == NEAR_LYMAN)
    assert "km from Kramatorsk" in near.describe_facts()
    bare = find_meanings(doubt, None, gazetteer=gazetteer, frame=frame)
    assert {m.place.geonameid for m in bare.meanings} == {m.place.geonameid for m in found.meanings}
    marks = make_map_places(found.meanings, found.company, chosen=near.number)
    assert sum(mark.chosen for mark in marks) == 1
    assert marks[-1].number is None


def test_the_add_page_hands_on_countries_and_choices(
    url: str, gazetteer: Gazetteer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCIDENTS_DATABASE_URL", url)

    def run_add() -> None:
        from incidents.dashboard.add_page import show_add_page

        show_add_page()

    with Store.open(url) as store:
        store.settle_place("Novoselivka", get_place(gazetteer, NEAR_LYMAN), who="ann")
        app = AppTest.from_function(run_add, default_timeout=120).run()
        app.text_area(key="add_text").set_value(f"{OTHER} Shelling hit Hamilton on 3 May 2024, killing two people.")
        app.multiselect(key="add_countries").set_value(["NZ"])
        next(b for b in app.button if b.label == "Read").click().run()
        assert not app.exception
        next(b for b in app.button if b.label.startswith("Save")).click().run()
        frame = store.load().set_index("place_name")
    assert frame.loc["Novoselivka", "geonameid"] == NEAR_LYMAN
    assert frame.loc["Hamilton", "country"] == "NZ"


def test_the_small_map_keeps_names_inert() -> None:
    name = "<script>{{ 7 * 7 }}${alert(1)}`"
    layer = build_place_layer([MapPlace(1.0, 2.0, (name, name), 1), MapPlace(1.5, 2.0, (name,))])
    folium_map = build_place_map(assets=MapAssets("l/", "o/", "b/"))
    layer.add_to(folium_map)
    page = folium_map.get_root().render()
    assert "<script>{{" not in page
    assert "49" not in page.partition('"marks"')[2].partition('"areas"')[0]
    assert "${alert" not in page
    assert "[mark k1]" not in page  # the browser adds it; the key is in the data
    assert '"k1"' in page
