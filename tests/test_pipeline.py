from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from geodata.gazetteer import Gazetteer
from geodata.place import Candidate, Place, Resolution
from incidents.errors import SourceFormatError, SourceUnavailable
from incidents.exporters import to_bytes
from incidents.pipeline import import_files, import_results, read_reports
from incidents.reading.records import Claim, Mention, ReadIncident, Reading
from incidents.report import Report
from incidents.sources import read_bytes, report_from_text
from incidents.store import Store

PLACE = Place("Nova", "settlement", 48.5, 37.5, "settlement", country="UA", geonameid=7)


class FakeReader:
    """Finds one shelling of Nova with two killed wherever a text names Nova."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def read(self, report: Report) -> Reading:
        self.texts.append(report.text)
        start = report.text.find("Nova")
        if start < 0:
            return Reading(report, notes=("No place names found",))
        found = Resolution(
            "Nova", Candidate(PLACE, "Nova", "primary"), (Candidate(PLACE, "Nova", "primary"),), False, "Only one."
        )
        mention = Mention(start, start + 4, "Nova", "settlement", True, found)
        claim = Claim("killed", 2, 2, claimant="governor", evidence=report.text, start=0, end=len(report.text))
        incident = ReadIncident(
            type="shelling", type_certainty="stated", title="Shelling, Nova", place="Nova", place_detail=None,
            mention=mention, precision="settlement", date_start=date(2022, 4, 8), date_end=date(2022, 4, 8),
            date_precision="day", evidence=report.text, evidence_start=0, evidence_end=len(report.text),
            confidence=0.9, killed_min=2, killed_max=2, claims=(claim,),
        )  # fmt: skip
        return Reading(report, incidents=(incident,), mentions=(mention,))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'book.db'}") as book:
        yield book


@pytest.fixture(scope="module")
def gazetteer() -> Iterator[Gazetteer]:
    with Gazetteer.open() as index:
        yield index


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_article_and_a_table_in_one_import(tmp_path: Path, store: Store) -> None:
    article = write(tmp_path, "a.txt", "Shells killed two in Nova.")
    table = write(tmp_path, "b.csv", "place,lat,lon,date,killed\nStara,48,37,2022-01-01,1\nMala,48,37,2022-99-01,1\n")
    done = import_files([article, table], store=store, reader=FakeReader(), who="me", published_on=date(2022, 4, 9))
    assert (done.rows_read, done.rows_added, done.rows_duplicate, done.rows_rejected) == (3, 2, 0, 1)
    assert done.rejected[0]["row"] == 2
    assert done.rejected[0]["column"] == "date"
    assert done.rejected[0]["file"] == str(table)
    frame = store.load()
    assert sorted(frame["place_name"]) == ["Nova", "Stara"]
    assert len(store.load_claims()) == 1
    assert set(store.history()["who"]) == {"me"}
    stara = frame[frame["place_name"] == "Stara"].iloc[0]
    assert (stara.geometry.x, stara.geometry.y) == (37.0, 48.0)
    assert json.loads(stara["source_values"])["killed"] == "1"


def test_importing_twice_changes_nothing_and_reads_nothing(tmp_path: Path, store: Store) -> None:
    article = write(tmp_path, "a.txt", "Shells killed two in Nova.")
    table = write(tmp_path, "b.csv", "place,lat,lon,date\nStara,48,37,2022-01-01\n")
    reader = FakeReader()
    import_files([article, table], store=store, reader=reader)
    before = store.get_version(), store.counts()
    done = import_files([article, table], store=store, reader=reader)
    assert (done.rows_read, done.rows_added, done.rows_duplicate, done.rows_rejected) == (2, 0, 2, 0)
    assert (store.get_version(), store.counts()) == before
    assert len(reader.texts) == 1


def test_the_same_thing_twice_in_one_import_is_one(tmp_path: Path, store: Store) -> None:
    lines = '{"text": "Two killed in Nova."}\n{"text": "Two  killed in Nova."}\n{"text": "Nothing here."}\n'
    table = "place,lat,lon\nStara,48,37\nStara,48,37\n"
    done = import_files(
        [write(tmp_path, "a.jsonl", lines), write(tmp_path, "b.csv", table)], store=store, reader=FakeReader()
    )
    assert (done.rows_read, done.rows_added, done.rows_duplicate) == (5, 3, 2)
    assert store.counts()["incidents"] == 2


def test_a_dry_run_stores_nothing(tmp_path: Path, store: Store) -> None:
    table = write(tmp_path, "b.csv", "place,lat,lon\nStara,48,37\n")
    before = store.get_version()
    done = import_files([table], store=store, reader=None, dry_run=True)
    assert (done.rows_added, done.incidents_added, done.dry_run) == (1, 1, True)
    assert store.get_version() == before
    assert import_files([table], store=None, reader=None, dry_run=True).rows_added == 1


def test_one_bad_file_stores_nothing_of_the_others(tmp_path: Path, store: Store) -> None:
    good = write(tmp_path, "a.csv", "place,lat,lon\nStara,48,37\n")
    for bad, error in (
        (tmp_path / "nowhere.csv", SourceUnavailable),
        (write(tmp_path, "b.txt", ""), SourceFormatError),
    ):
        with pytest.raises(error):
            import_files([good, bad], store=store, reader=FakeReader())
    assert store.counts()["incidents"] == 0


def test_the_report_has_the_layout_of_the_design(tmp_path: Path) -> None:
    table = write(tmp_path, "b.csv", "place,lat,lon,killed\nStara,48,37,lots of people\nMala,0,0,1\n")
    report = json.loads(import_files([table], store=None, reader=None, dry_run=True).to_json())
    assert {"source", "rows_read", "rows_added", "rows_duplicate", "rows_rejected", "rejected", "warnings"} <= set(
        report
    )
    assert report["source"] == "table"
    assert set(report["rejected"][0]) == {"row", "column", "value", "reason"}
    assert report["rejected"][0]["value"] == "lots of people"
    assert report["rows_read"] == report["rows_added"] + report["rows_duplicate"] + report["rows_rejected"]
    assert "0, 0" in report["warnings"][0]


def test_a_table_never_loads_the_reader(tmp_path: Path) -> None:
    def make() -> FakeReader:
        raise AssertionError("the language model was loaded for a table")

    table = write(tmp_path, "b.csv", "place,lat,lon\nStara,48,37\n")
    assert import_files([table], store=None, reader=make, dry_run=True).rows_added == 1


def test_rows_without_coordinates_get_the_precision_they_deserve(gazetteer: Gazetteer) -> None:
    rows = read_bytes(
        b"place,region,country,date\n"
        b"Kramatorsk,Donetsk,Ukraine,2022-04-08\n"
        b",Kherson region,Ukraine,2022-04-08\n"
        b",,Sudan,2023-04-15\n"
        b"Zzyzxqville,,Ukraine,2022-04-08\n"
        b"Zzyzxqville,Kherson region,UA,2022-04-08\n"
        b",,,2022-04-08\n"
        b"Paris,,Ukraine,2022-04-08\n"
    )
    frame = read_reports(rows, reader=None, gazetteer=gazetteer).frame
    assert list(frame["location_precision"])[:6] == [
        "settlement", "region", "country", "unknown", "region", "unknown",
    ]  # fmt: skip
    assert list(frame["country"])[:5] == ["UA", "UA", "SD", "UA", "UA"]
    assert frame.geometry.isna().tolist()[:6] == [False, False, False, True, False, True]
    assert "Zzyzxqville" in frame["location_reason"].iloc[3]
    assert "shown as the region" in frame["location_reason"].iloc[4]
    point = frame.geometry.iloc[0]
    assert (point.x, point.y) == (pytest.approx(37.56, abs=0.1), pytest.approx(48.73, abs=0.1))
    paris = frame.iloc[6]
    assert paris.geometry is None or paris["country"] == "UA"


def test_unusable_coordinates_are_not_replaced_by_the_places_name(gazetteer: Gazetteer) -> None:
    rows = read_bytes(b"place,country,lat,lon\nKyiv,Ukraine,0,0\nKharkiv,Ukraine,36.255,49.982\nLviv,Ukraine,1e9,2\n")
    result = read_reports(rows, reader=None, gazetteer=gazetteer)
    assert result.frame.geometry.isna().all()
    assert set(result.frame["location_precision"]) == {"unknown"}
    assert "swapped" in result.frame["location_reason"].iloc[1]
    assert "49.982, 36.255" in " ".join(result.warnings)


def test_latitude_zero_is_a_place() -> None:
    rows = read_bytes(b"place,lat,lon\nequator,0.0,36.9\nmeridian,5.6,0\n")
    frame = read_reports(rows, reader=None).frame
    assert [(p.x, p.y) for p in frame.geometry] == [(36.9, 0.0), (0.0, 5.6)]


def test_our_own_csv_comes_back_as_it_was(tmp_path: Path, store: Store) -> None:
    article = write(tmp_path, "a.txt", "Shells killed two in Nova.")
    rows = "title,lat,lon,date,killed,type\n=1+1,48,37,2022-01-01,5+,shelling\n'quoted',48,37,Feb 2022,,drone strike\n"
    import_files([article, write(tmp_path, "b.csv", rows)], store=store, reader=FakeReader())
    frame = store.load()
    out = tmp_path / "export.csv"
    out.write_bytes(to_bytes(frame, "csv"))
    with Store.open(f"sqlite:///{tmp_path / 'second.db'}") as second:
        done = import_files([out], store=second, reader=None)
        assert (done.rows_added, done.rejected) == (3, [])
        again = second.load()
        kept = frame.columns.difference(["added_at", "geometry", "report_ids"])
        changed = [c for c in kept if frame[c].astype(str).tolist() != again[c].astype(str).tolist()]
        assert changed == []
        assert frame.geometry.geom_equals_exact(again.geometry, 1e-9).all()
        assert import_files([out], store=second, reader=None).rows_duplicate == 3
    assert import_files([out], store=store, reader=None).rows_duplicate == 3


def test_reports_without_incidents_are_kept(tmp_path: Path, store: Store) -> None:
    done = import_files([write(tmp_path, "a.txt", "Ministers met.")], store=store, reader=FakeReader())
    assert (done.rows_added, done.incidents_added) == (1, 0)
    assert store.counts()["reports"] == 1
    assert read_reports([], reader=None).frame.empty
    assert read_reports([report_from_text("Ministers met.")], reader=FakeReader()).frame.empty


def test_uploads_go_the_same_way(store: Store) -> None:
    done = import_results([("x.csv", read_bytes(b"place,lat,lon\nStara,48,37\n"))], store=store, reader=None)
    assert done.rows_added == 1


def test_a_text_in_a_language_that_is_not_read_is_told() -> None:
    german = "Bei einem Angriff auf die Stadt Nova wurden am Freitag zwei Menschen getötet und drei verletzt, sagte er."
    english = "Two people were killed on Friday when shells hit the town of Nova, the governor of the region said."
    result = read_reports([report_from_text(german), report_from_text(english)], reader=FakeReader())
    (warning,) = result.warnings
    assert "looks like German" in warning
    assert "English" in warning.partition("reads")[2]


def test_one_broken_file_of_several_says_that_nothing_was_imported(tmp_path: Path, store: Store) -> None:
    good, empty = write(tmp_path, "good.txt", "Shelling hit Nova."), write(tmp_path, "empty.txt", "")
    with pytest.raises(SourceFormatError, match=r"empty\.txt.*nothing was imported"):
        import_files([good, empty], store=store, reader=FakeReader())
    assert store.counts()["reports"] == 0


class OvertakenReader(FakeReader):
    """While it reads an article, another import stores the same one."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store

    def read(self, report: Report) -> Reading:
        if not self.texts:
            import_results([("a", read_bytes(report.text.encode()))], store=self.store, reader=FakeReader())
        return super().read(report)


def test_an_article_that_another_import_was_faster_with_is_known(tmp_path: Path, store: Store) -> None:
    article = write(tmp_path, "a.txt", "Shells killed two in Nova.")
    done = import_files([article], store=store, reader=OvertakenReader(store))
    assert (done.rows_added, done.incidents_added, done.rows_duplicate) == (0, 0, 1)
    assert len(store.load()) == 1
