from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from datetime import UTC, date, datetime
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from incidents import database, schema
from incidents.errors import SchemaError, StoreError, StoreVersionError
from incidents.locate import make_incident_id
from incidents.report import Report
from incidents.store import Store
from incidents.tables import HEAD_REVISION, metadata

REPORT = Report(
    "article",
    "one",
    text="Shells hit Brovary. Two died.",
    title="Shelling",
    url="https://example.org/a",
    publisher="A Paper",
    language="en",
    published_at=datetime(2022, 4, 8, 9, 0, tzinfo=UTC),
    published_on=date(2022, 4, 8),
    source_values={"id": 7, "name": "Łódź"},
)


def make_frame(*ids: str, report: Report = REPORT, **columns: object) -> gpd.GeoDataFrame:
    count = len(ids)
    base: dict[str, object] = {
        "incident_id": list(ids),
        "title": [f"Shelling {i}" for i in ids],
        "type": "shelling",
        "date_start": pd.to_datetime(["2022-04-07"] * count),
        "date_end": pd.to_datetime(["2022-04-08"] * count),
        "date_precision": "day",
        "place_name": "Бровари",
        "country": "UA",
        "location_precision": "settlement",
        "killed_min": pd.array([2] * count, dtype="Int64"),
        "attributed_to": [["side; A"]] * count,
        "report_ids": [[report.report_id]] * count,
        "source_values": '{"a": 1}',
        "published_at": pd.Timestamp("2022-04-08T09:00Z"),
        "confidence": 0.8,
    }
    points = columns.pop("geometry", [shapely.Point(30.79, 50.511)] * count)
    return schema.conform(gpd.GeoDataFrame(base | columns, geometry=points, crs="EPSG:4326"))


def make_claims(*incident_ids: str) -> pd.DataFrame:
    return schema.conform_claims(
        pd.DataFrame(
            {
                "claim_id": [f"c-{i}" for i in incident_ids],
                "incident_id": list(incident_ids),
                "report_id": REPORT.report_id,
                "claimant": "mayor",
                "measure": "killed",
                "min": pd.array([2] * len(incident_ids), dtype="Int64"),
            }
        )
    )


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'book.db'}"


@pytest.fixture
def store(url: str):
    with Store.open(url) as opened:
        yield opened


def test_what_is_added_comes_back_the_same(store: Store) -> None:
    frame = make_frame("a", "b", geometry=[shapely.Point(30.79, 50.511), None], location_precision=["exact", "unknown"])
    result = store.add(frame, make_claims("a", "b"), [REPORT], who="ann", why="test")
    assert (result.added, result.duplicates, result.incident_ids) == (2, 0, ("a", "b"))
    loaded = store.load()
    schema.validate(loaded)
    assert loaded["added_at"].notna().all()
    pd.testing.assert_frame_equal(
        pd.DataFrame(loaded.drop(columns="added_at")), pd.DataFrame(frame.drop(columns="added_at"))
    )
    pd.testing.assert_frame_equal(store.load_claims(), make_claims("a", "b"))
    assert store.load_claims(["b"])["claim_id"].tolist() == ["c-b"]
    assert store.load_reports() == [REPORT]
    assert store.load_reports(["no such"]) == []
    assert store.counts() == {"incidents": 2, "claims": 2, "reports": 1, "history": 2}
    assert store.check() == []


def test_an_empty_book_gives_empty_frames(store: Store) -> None:
    schema.validate(store.load())
    assert len(store.load_claims()) == 0
    assert store.load_claims([]).columns.tolist() == [c.name for c in schema.CLAIM_COLUMNS]
    assert len(store.history()) == 0
    assert store.check() == []
    assert store.get_incident_version("a") is None


def test_order_is_by_day_then_id_undated_last(store: Store) -> None:
    days = pd.Series([None, "2022-05-01", "2022-04-01", "2022-04-01"])
    frame = make_frame("a", "b", "d", "c", date_start=days, date_end=days, date_precision=["unknown"] + ["day"] * 3)
    store.add(frame, schema.empty_claims(), [REPORT], who="ann")
    assert store.load()["incident_id"].tolist() == ["c", "d", "b", "a"]


def test_adding_again_changes_nothing_not_even_a_persons_edit(store: Store) -> None:
    store.add(make_frame("a"), make_claims("a"), [REPORT], who="ann")
    store.update("a", {"killed_min": 9}, who="bob", why="hospital list")
    before = (store.load(), store.get_version(), store.counts())
    result = store.add(make_frame("a"), make_claims("a"), [REPORT], who="ann")
    assert (result.added, result.duplicates) == (0, 1)
    pd.testing.assert_frame_equal(pd.DataFrame(store.load()), pd.DataFrame(before[0]))
    assert (store.get_version(), store.counts()) == before[1:]
    assert store.load()["killed_min"].tolist() == [9]


def test_the_same_id_twice_in_one_frame_is_one_incident(store: Store) -> None:
    frame = pd.concat([make_frame("a"), make_frame("a")])
    result = store.add(frame, make_claims("a"), [REPORT, REPORT], who="ann")
    assert (result.added, result.duplicates) == (1, 1)


def test_a_copy_of_a_report_brings_the_same_incidents(store: Store) -> None:
    copy = Report("article", "two", text="Shells hit  Brovary.\nTwo died.", url="https://example.com/b")

    def read(report: Report) -> gpd.GeoDataFrame:
        ident = make_incident_id(
            report.report_id, type_name="shelling", place_name="Бровари", date_start=date(2022, 4, 7), evidence_start=3
        )
        return make_frame(ident, report=report, evidence_start=3, evidence_end=5)

    first = store.add(read(REPORT), schema.empty_claims(), [REPORT], who="ann")
    store.update(first.incident_ids[0], {"type": "air_strike"}, who="bob")
    again = store.add(read(copy), schema.empty_claims(), [copy], who="ann")
    assert (again.added, again.duplicates) == (0, 1)
    assert store.counts()["reports"] == 1
    assert store.check() == []


def test_two_copies_at_once_are_one_report(store: Store) -> None:
    rows = [Report("table", str(n), source_values={"killed": 2}) for n in range(2)]
    frame = pd.concat([make_frame(f"i{n}", report=row) for n, row in enumerate(rows)])
    result = store.add(frame, schema.empty_claims(), rows, who="ann")
    assert (result.added, result.duplicates) == (1, 1)
    assert store.check() == []


def test_reports_without_content_are_never_the_same(store: Store) -> None:
    rows = [Report("table", str(n)) for n in range(2)]
    frame = pd.concat([make_frame(f"i{n}", report=row) for n, row in enumerate(rows)])
    assert store.add(frame, schema.empty_claims(), rows, who="ann").added == 2


def test_a_further_incident_of_a_known_report_is_added(store: Store) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    assert store.add(make_frame("a", "b"), schema.empty_claims(), [REPORT], who="ann").incident_ids == ("b",)


def test_nothing_is_added_when_something_is_wrong(store: Store) -> None:
    with pytest.raises(StoreError, match="neither in the book"):
        store.add(make_frame("a"), schema.empty_claims(), [], who="ann")
    with pytest.raises(StoreError, match="claim"):
        store.add(make_frame("a"), make_claims("z"), [REPORT], who="ann")
    with pytest.raises(SchemaError):
        store.add(make_frame("a", killed_min=-1), schema.empty_claims(), [REPORT], who="ann")
    assert store.counts() == {"incidents": 0, "claims": 0, "reports": 0, "history": 0}


def test_update_keeps_the_machines_values_in_the_history(store: Store) -> None:
    store.add(make_frame("a"), make_claims("a"), [REPORT], who="ann")
    version = store.get_version()
    store.update(
        "a", {"killed_min": 3, "killed_max": 3, "geometry": shapely.Point(31, 51)}, who="bob", why="seen the list"
    )
    assert store.get_version() != version
    row = store.load().iloc[0]
    assert (row["killed_min"], row["killed_max"], row["review_status"]) == (3, 3, "edited")
    assert (row.geometry.x, row.geometry.y) == (31, 51)
    lines = store.history("a")
    assert lines["who"].tolist() == ["ann"] + ["bob"] * 4
    told = {line.field: (line.old, line.new) for line in lines.itertuples()}
    assert told["killed_min"] == ("2", "3")
    assert pd.isna(told["killed_max"][0])
    assert told["geometry"] == ("30.79 50.511", "31.0 51.0")
    assert told["review_status"] == ("unreviewed", "edited")
    assert lines["why"].iloc[-1] == "seen the list"
    assert str(lines["when"].dtype) == "datetime64[us, UTC]"
    assert store.check() == []


def test_update_takes_every_kind_of_value(store: Store) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    changes = {
        "type": "air_strike",
        "date_start": date(2022, 4, 6),
        "attributed_to": ["B", "C"],
        "contested": True,
        "confidence": None,
        "killed_min": None,
        "geometry": None,
        "location_precision": "unknown",
        "source_values": {"b": 2},
    }
    store.update("a", changes, who="bob")
    row = store.load().iloc[0]
    assert row["attributed_to"] == ["B", "C"]
    assert row["contested"]
    assert row["geometry"] is None
    assert row["date_start"] == date(2022, 4, 6)
    assert pd.isna(row["killed_min"])


def test_a_verdict_is_not_an_edit(store: Store) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    store.update("a", {"review_status": "confirmed"}, who="bob")
    assert store.load()["review_status"].tolist() == ["confirmed"]


def test_update_without_a_change_writes_nothing(store: Store) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    version = store.get_version()
    store.update("a", {"killed_min": 2}, who="bob")
    assert store.get_version() == version


@pytest.mark.parametrize(
    "changes",
    [
        {"incident_id": "b"},
        {"casualties": 3},
        {"killed_min": 5, "killed_max": 4},
        {"geometry": None},
        {"killed_min": "x"},
        {"geometry": "Kyiv"},
    ],
)
def test_update_refuses_what_breaks_the_contract(store: Store, changes: dict[str, object]) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    version = store.get_version()
    with pytest.raises(SchemaError):
        store.update("a", changes, who="bob")
    assert store.get_version() == version


def test_the_second_of_two_editors_is_told(store: Store) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    seen = store.get_incident_version("a")
    store.update("a", {"killed_min": 3}, who="bob", expected_version=seen)
    with pytest.raises(StoreError, match=r"bob changed incident a .*killed_min = 3"):
        store.update("a", {"killed_min": 4}, who="cyd", expected_version=seen)
    with pytest.raises(StoreError, match="no incident"):
        store.update("z", {"killed_min": 4}, who="cyd")
    assert store.load()["killed_min"].tolist() == [3]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE history SET who = 'x'",
        "DELETE FROM history",
        "REPLACE INTO history SELECT history_id, at, 'x', incident_id, field, old, new, why, '1' FROM history",
    ],
)
def test_the_database_refuses_to_change_history(store: Store, url: str, statement: str) -> None:
    store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection, pytest.raises(sqlite3.Error, match="append"):
        connection.execute(statement)
    connection.close()


def test_check_finds_what_somebody_broke(store: Store, url: str) -> None:
    store.add(make_frame("a", "b"), schema.empty_claims(), [REPORT], who="ann")
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    connection.execute("DROP TRIGGER history_no_delete")
    connection.execute("UPDATE incidents SET killed_max = 1 WHERE incident_id = 'a'")
    connection.execute("DELETE FROM incident_reports WHERE incident_id = 'b'")
    connection.commit()
    connection.close()
    findings = "\n".join(store.check())
    assert "history_no_delete" in findings
    assert "Incident a" in findings
    assert "Incident b" in findings


def test_migrations_lead_to_the_tables(url: str) -> None:
    engine = database.open_engine(url)
    with database.begin_read(engine) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD_REVISION
    assert max(database._list_revisions()) == HEAD_REVISION
    engine.dispose()


def test_a_newer_book_is_refused_in_one_line(url: str) -> None:
    Store.open(url).close()
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreVersionError, match="newer version") as caught:
        Store.open(url)
    assert "\n" not in str(caught.value)


def test_what_is_no_book_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database at all, really\n" * 5, encoding="utf-8")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "cut.db").write_bytes(b"SQLite format 3\0" + b"\1" * 200)
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE birds (name TEXT)")
    connection.commit()
    connection.close()
    urls = [f"sqlite:///{tmp_path / n}" for n in ("text.db", "folder.db", "cut.db", "other.db", "no/such/folder.db")]
    urls += [
        f"sqlite:///{tmp_path}/what?.db",
        "sqlite://",
        "sqlite:///:memory:",
        "nonsense",
        "postgresql+psycopg://ann:secret@example.org/book",
    ]
    for url in urls:
        with pytest.raises(StoreError) as caught:
            Store.open(url)
        assert "\n" not in str(caught.value), url
        assert "secret" not in str(caught.value)
    assert (tmp_path / "text.db").read_text(encoding="utf-8").startswith("not a database")
    assert not (tmp_path / "what").exists(), "a book of another name than the one given"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_book_is_refused_in_one_line(tmp_path: Path, url: str) -> None:
    with Store.open(url) as store:
        (tmp_path / "book.db").chmod(0o444)
        with pytest.raises(StoreError, match="read-only"):
            store.add(make_frame("a"), schema.empty_claims(), [REPORT], who="ann")


def test_an_error_while_writing_leaves_nothing(store: Store, url: str) -> None:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON history BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="disk is full"):
        store.add(make_frame("a"), make_claims("a"), [REPORT], who="ann")
    assert store.counts() == {"incidents": 0, "claims": 0, "reports": 0, "history": 0}


def test_threads_share_a_store(store: Store) -> None:
    store.add(make_frame("start"), schema.empty_claims(), [REPORT], who="ann")
    errors: list[Exception] = []

    def work(name: str) -> None:
        try:
            for n in range(5):
                store.add(make_frame(f"{name}-{n}"), schema.empty_claims(), [REPORT], who=name)
                store.update(f"{name}-{n}", {"killed_min": n + 3}, who=name)
                store.load()
        except Exception as error:  # noqa: BLE001 - shown below, in the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.counts()["incidents"] == 21
    assert store.check() == []


_WORKER = """
import sys
sys.path.insert(0, {here!r})
from test_store import REPORT, make_claims, make_frame
from incidents.report import Report
from incidents.store import Store

name, url, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Store.open(url) as store:
    print("ready", flush=True)
    for n in range(count):
        report = Report("article", f"{{name}}-{{n}}", text=f"Text {{name}} {{n}}")
        ids = [f"{{name}}-{{n}}-{{k}}" for k in range(10)]
        frame = make_frame(*ids, "shared", report=report)
        frame.loc[10, "report_ids"].append(REPORT.report_id)
        store.add(frame, make_claims(*ids), [report, REPORT], who=name)
        store.update(ids[0], {{"killed_min": n + 3}}, who=name)
"""


def start_worker(name: str, url: str, *, count: int) -> subprocess.Popen[str]:
    code = textwrap.dedent(_WORKER.format(here=str(Path(__file__).parent)))
    return subprocess.Popen(
        [sys.executable, "-c", code, name, url, str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_four_processes_make_one_book_and_add_to_it_at_once(url: str) -> None:
    workers = [start_worker(f"p{n}", url, count=4) for n in range(4)]
    for worker in workers:
        _, errors = worker.communicate(timeout=240)
        assert worker.returncode == 0, errors
    with Store.open(url) as store:
        assert store.counts() == {
            "incidents": 4 * 4 * 10 + 1,
            "claims": 4 * 4 * 10,
            "reports": 4 * 4 + 1,
            "history": 4 * 4 * 10 + 1 + 2 * 4 * 4,
        }
        assert store.check() == []


def test_a_killed_process_leaves_whole_transactions_only(url: str) -> None:
    worker = start_worker("killed", url, count=100_000)
    assert worker.stdout is not None
    worker.stdout.readline()
    time.sleep(1.0)  # somewhere in the middle of its work
    worker.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    worker.communicate(timeout=60)
    with Store.open(url) as store:
        counts = store.counts()
        actions = counts["reports"] - 1 if counts["reports"] else 0
        assert counts["incidents"] == (actions * 10 + 1 if actions else 0)
        assert counts["claims"] == actions * 10
        assert store.check() == []
        store.add(make_frame("after"), schema.empty_claims(), [REPORT], who="ann")
