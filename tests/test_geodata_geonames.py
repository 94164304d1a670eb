"""More places: GeoNames files and users' tables, added to a small index of invented cities; all offline."""

from __future__ import annotations

import errno
import io
import json
import multiprocessing
import re
import shutil
import sqlite3
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from geodata import geonames, geonames_download, index, overlay, overlay_merge
from geodata.errors import GazetteerError
from geodata.gazetteer import Gazetteer
from geodata.geonames import DUMP_COLUMNS, NAME_COLUMNS, Table, classify, list_site_names, open_table, read_dump
from geodata.geonames_download import download_table
from geodata.overlay import add_file, list_additions, remove_addition
from geodata.overlay_csv import read_place_list
from geodata.overlay_file import NameRow, PlaceRow, read_addition
from geodata.resolve import Context, resolve_name
from incidents.cli import cli

DATA = Path(__file__).parent / "data" / "geonames"


@pytest.fixture(autouse=True)
def small_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A few invented cities in place of the quarter of a million, so that building takes no time."""

    def cities() -> list[dict[str, object]]:
        return [
            {"geonameid": 90000001, "name": "Testvale", "latitude": -22.1, "longitude": 17.1, "countrycode": "NA",
             "population": 3000, "admin1code": "21", "alternatenames": ["Probetal"]},
            {"geonameid": 80000001, "name": "Metropole", "latitude": -22.5, "longitude": 17.0, "countrycode": "NA",
             "population": 2_000_000, "admin1code": "21", "alternatenames": []},
        ]  # fmt: skip

    def admins(self: Any) -> None:
        self.admin2 = {}
        values = (
            80000021,
            "Khomas",
            index.KINDS.index("admin1"),
            None,
            None,
            "NA",
            "NA.21",
            None,
            0,
            "ADM1",
            80000021,
            None,
            0,
        )
        self.add_place(*values)
        self.connection.execute("INSERT INTO admin1 VALUES ('NA.21', 'Khomas', 80000021)")
        self.keys.add("Khomas", 80000021, 2, "NA", area=True)

    monkeypatch.setattr(index, "_iterate_cities", cities)
    monkeypatch.setattr(index._Builder, "add_admins", admins)
    monkeypatch.setattr(index._Builder, "add_admin2_of_settlements", lambda self: None)
    folder = tmp_path / "cache"
    monkeypatch.setenv("INCIDENTS_CACHE_DIR", str(folder))
    Gazetteer.open().close()
    return folder


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    text = (DATA / "NA.txt").read_bytes()
    return make_zip(tmp_path / "NA.zip", {"readme.txt": b"1\t2\t3\nnot the table\n", "NA.txt": text})


def find(name: str) -> list[tuple[str, str, str]]:
    with Gazetteer.open() as gazetteer:
        return [(c.place.name, c.place.kind, c.match_kind) for c in gazetteer.find(name)]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.suffix == ".sqlite"}


# ---- dumps ----------------------------------------------------------------------------------------------------------


def test_a_dump_brings_places_and_can_be_undone(dump: Path, small_index: Path) -> None:
    before = snapshot(small_index)
    assert find("Ombarabo") == []
    added = add_file(dump)
    assert (added.name, added.kind, added.places, added.skipped) == ("NA", "dump", 14, 3)
    assert added.dated == "2025-06-30"
    assert find("ombarabo") == [("Ōmbaraɓo", "settlement", "folded")]
    assert find("Umbarabu") == [("Ōmbaraɓo", "settlement", "alternate")]
    assert find('Kraal "Zum Goldenen Ochsen"') == [('Kraal "Zum Goldenen Ochsen"', "settlement", "primary")]
    assert find("Тествейл") == [("Testvale", "settlement", "alternate")]
    assert remove_addition("na") == added
    assert find("Ombarabo") == []
    assert snapshot(small_index) == before
    assert list_additions() == ([], [])


def test_a_text_file_works_as_the_zip_does(tmp_path: Path) -> None:
    path = Path(shutil.copy(DATA / "NA.txt", tmp_path / "NA.txt"))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert add_file(path).places == 14
    assert find("Strayville") == [("Strayville", "settlement", "primary")]


def test_a_place_of_the_index_is_completed_not_doubled(dump: Path) -> None:
    add_file(dump)
    with Gazetteer.open() as gazetteer:
        (candidate,) = gazetteer.find("Testvale")
        place = candidate.place
        assert (place.geonameid, place.population, place.admin1) == (90000001, 3000, "Khomas")
        assert place.admin2 == "Constituency Testvale"
        assert gazetteer.check() == []
        assert gazetteer.status()["places"] == sum(gazetteer.status()["counts"].values())  # type: ignore[attr-defined]


def test_feature_codes_give_kinds_and_precision(dump: Path) -> None:
    add_file(dump)
    with Gazetteer.open() as gazetteer:

        def get(name: str) -> tuple[str, str, str | None]:
            place = gazetteer.find(name)[0].place
            return place.kind, place.precision, place.feature_code

        assert get("Ombarabo Airfield") == ("site", "exact", "AIRF")
        assert get("Saint Invented Hospital") == ("site", "exact", "HSP")
        assert get("Bridge of Examples") == ("site", "exact", "BDG")
        assert get("Block Nineteen") == ("site", "near", "PPLX")
        assert get("Region Nowhere") == ("admin1", "region", "ADM1")
        assert get("Constituency Testvale") == ("admin2", "district", "ADM2")
        assert get("Example Island") == ("admin2", "district", "ISL")
        assert gazetteer.find("Invented River") == ()
        assert gazetteer.find("Republic of Elsewhere") == ()
        assert gazetteer.find("Hospital") == (), "a name that only says what it is names nothing"
        assert [c.match_kind for c in gazetteer.find("Altdorf am Nichts")] == ["historic"]
        assert [c.match_kind for c in gazetteer.find("Old Somewhere Region")] == ["historic"]
        stray = gazetteer.find("Strayville")[0].place
        assert (stray.admin1_code, stray.admin1) == (None, None), "a code of no known region is no region"


def test_a_station_called_like_its_town_is_asked_for_by_its_kind(dump: Path) -> None:
    add_file(dump)
    assert [kind for _name, kind, _match in find("Ombarabo")] == ["settlement"]
    for words in ("Ombarabo station", "Ombarabo railway station", "Ombarabo train station"):
        with Gazetteer.open() as gazetteer:
            (candidate,) = gazetteer.find(words)
        assert candidate.place.feature_code == "RSTN"


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("Gare de Lozova", "RSTN", "lozova station"),
        ("Lozova Railway Station", "RSTN", "lozova train station"),
        ("Lozova", "AIRP", "lozova airport"),
        ("Aéroport de Lozova", "AIRP", "lozova airport"),
        ("Lozova International Airport", "AIRP", "lozova airport"),
    ],
)
def test_words_for_the_kind_come_and_go(name: str, code: str, expected: str) -> None:
    assert expected in list_site_names(name, code)


@pytest.mark.parametrize(
    ("name", "code"), [("Railway Station", "RSTN"), ("", "RSTN"), ("Lozova", "MSQE"), ("Lozova", None)]
)
def test_no_words_where_nothing_is_named(name: str, code: str | None) -> None:
    assert list_site_names(name, code) == ()


def test_codes_that_are_not_held() -> None:
    for pair in (
        ("H", "STM"),
        ("T", "HLL"),
        ("V", "FRST"),
        ("L", "LCTY"),
        ("A", "PCLI"),
        ("R", "RD"),
        ("", ""),
        ("U", "RDGU"),
    ):
        assert classify(*pair) is None
    assert classify("P", "") == geonames.Rule("settlement")


def test_several_countries_stand_side_by_side(dump: Path, tmp_path: Path) -> None:
    add_file(dump)
    text = (
        (DATA / "NA.txt")
        .read_text(encoding="utf-8")
        .replace("\tNA\t", "\tBW\t")
        .replace("90000", "91000")
        .replace("Strayville", "Otherville")
    )
    other = tmp_path / "BW.txt"
    other.write_text(text, encoding="utf-8")
    assert add_file(other).name == "BW"
    assert [a.name for a in list_additions()[0]] == ["BW", "NA"]
    assert find("Otherville")
    assert find("Strayville")
    remove_addition("BW")
    assert find("Otherville") == []
    assert find("Strayville")


def test_adding_again_replaces(dump: Path, tmp_path: Path) -> None:
    add_file(dump)
    text = (DATA / "NA.txt").read_bytes().replace(b"Strayville", b"Renamed Town")
    add_file(make_zip(tmp_path / "NA.zip", {"NA.txt": text}))
    assert len(list_additions()[0]) == 1
    assert find("Strayville") == []
    assert find("Renamed Town")


def test_additions_outlive_a_new_build_of_the_index(dump: Path, small_index: Path) -> None:
    add_file(dump)
    for path in small_index.glob("*.sqlite"):
        path.unlink()
    assert find("Strayville")
    index.build_index(index.get_index_path(), force=True)
    assert find("Strayville")


def test_an_open_gazetteer_goes_on_and_a_new_one_sees_the_change(dump: Path) -> None:
    with Gazetteer.open() as old:
        assert not old.knows("Strayville")
        add_file(dump)
        assert not old.knows("Ombarabo Airfield"), "an open one keeps what it opened"
        with Gazetteer.open() as new:
            assert new.knows("Strayville")
            assert new.status()["additions"][0]["name"] == "NA"  # type: ignore[index]
            remove_addition("NA")
            answers: list[bool] = []
            thread = threading.Thread(target=lambda: answers.append(new.knows("Testvale")))
            thread.start()
            thread.join()
            assert answers == [True], "a thread that connects after the joined file has gone finds the current one"


# ---- alternate names ------------------------------------------------------------------------------------------------


def test_alternate_names_without_codes_and_with_history(dump: Path) -> None:
    add_file(dump)
    added = add_file(DATA / "NA-names.txt")
    assert (added.name, added.kind, added.places, added.names, added.skipped) == ("NA-names", "names", 0, 7, 4)
    assert find("Testdale") == [("Testvale", "settlement", "alternate")]
    assert find("تستفيل") == [("Testvale", "settlement", "alternate")]
    assert find("Probetal") == [("Testvale", "settlement", "historic")], "marked as historic, so it comes last"
    assert find("Doublenom") == [("Ōmbaraɓo", "settlement", "alternate")], "historic in one language only"
    for code in ("10001", "TVL", "Q0", "https://example.org/Testvale", "Name of Something Absent"):
        assert find(code) == []


def test_names_wait_for_their_places(dump: Path) -> None:
    add_file(DATA / "NA-names.txt")
    assert find("Doublenom") == []
    add_file(dump)
    assert find("Doublenom")


def test_a_zip_of_names_is_told_by_its_columns(tmp_path: Path) -> None:
    packed = make_zip(tmp_path / "NA.zip", {"readme.txt": b"x", "NA.txt": (DATA / "NA-names.txt").read_bytes()})
    assert add_file(packed).name == "NA-names"


# ---- a user's own table ---------------------------------------------------------------------------------------------


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_users_places_come_first(tmp_path: Path) -> None:
    path = write(
        tmp_path / "My places.csv",
        "name,lat,lon,country,admin1,kind,aliases,colour\n"
        "Metropole,-22.9,17.9,NA,Khomas,village,Little Metropole|Klein-Metropole,red\n"
        '"Depot ""Nine""",-22.95,17.95,,,site,,blue\n',
    )
    added = add_file(path)
    assert (added.name, added.places, added.licence) == ("user-My-places", 2, "your own table")
    assert added.notes == ("Columns passed over: colour.",)
    with Gazetteer.open() as gazetteer:
        found = gazetteer.find("Metropole")
        assert [(c.match_kind, c.place.source) for c in found] == [("user", "user"), ("primary", "geonames")]
        for context in (None, Context(countries={"NA": 1.0}), Context(countries={"BW": 2.0})):
            best = resolve_name("Metropole", gazetteer=gazetteer, context=context).best
            assert best is not None
            assert (best.place.lat, best.match_kind) == (-22.9, "user")
            assert "in your own table of places" in " ".join(best.reasons)
        assert gazetteer.find("klein metropole")[0].place.admin1 == "Khomas"
        depot = gazetteer.find('Depot "Nine"')[0].place
        assert (depot.kind, depot.country, depot.admin1_code, depot.geonameid) == ("site", "NA", "NA.21", None)
    remove_addition("user-My-places")
    assert [match for _name, _kind, match in find("Metropole")] == ["primary"]


def test_semicolons_degrees_and_other_titles(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "\ufeffPlace;Latitude;Longitude;Type\r\nHier;22°30'00\"S;17,5;Town\r\n")
    add_file(path)
    with Gazetteer.open() as gazetteer:
        place = gazetteer.find("Hier")[0].place
    assert (place.lat, place.lon, place.country) == (-22.5, 17.5, "NA")


def test_a_point_in_another_country_is_told_not_changed(tmp_path: Path) -> None:
    added = add_file(write(tmp_path / "a.csv", "name,lat,lon,country\nHier,-22.5,17.5,BW\n"))
    assert "is said to be in BW, but its point lies in NA" in added.notes[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,lat,lon\n", r"has a header but no places"),
        ("name,lat\nA,1\n", r"neither a GeoNames table .* nor the header of a CSV"),
        ("name,lat,lon\nA,95,1\n", r"row 2, column lat: The latitude '95' is outside -90 to 90\. Nothing"),
        ("name,lat,lon\nA,,1\n", r"row 2, column lat: is empty"),
        ("name,lat,lon\nA,0,0\n", r"row 2, columns lat and lon: 0, 0 stands for a missing location"),
        ("name,lat,lon\nA,nan,0\n", r"row 2, column lat"),
        ("name,lat,lon\n---,1,2\n", r"row 2, column name: '---' has no letters"),
        ("name,lat,lon\nA,1,2,3\n", r"row 2: has 4 columns, but the header has 3"),
        ("name,lat,lon\nA,1,2\nB,x,2\nC,1\n", r"row 3, column lat: .*1 more rows cannot be used"),
        ("name,lat,lon,country\nA,1,2,Atlantis\n", r"row 2, column country: 'Atlantis' is no country"),
        ("name,lat,lon,country\nA,17.5,-22.5,NA\n", r"row 2, columns lat and lon: Latitude and longitude look swapped"),
        (
            "name,lat,lon,country,admin1\nA,-22.5,17.5,NA,Elsewhere\n",
            r"row 2, column admin1: 'Elsewhere' is no first-level area of NA",
        ),
        ("name,lat,lon,kind\nA,1,2,planet\n", r"row 2, column kind: 'planet' is not one of"),
        ("name,lat,lon,population\nA,1,2,many\n", r"row 2, column population: 'many' is not a whole number"),
        ("name,lat,lon\nA,1,2\nA,1,2\n", r"row 3: repeats row 2"),
        ('name,lat,lon\n"A\x1b[2J",1,2\n', r"row 2, column name: .* control character"),
        ('name,lat,lon\n"A,1,2\n', r"row \d: is not CSV"),
    ],
)
def test_a_bad_row_of_a_users_table_is_named(tmp_path: Path, small_index: Path, text: str, expected: str) -> None:
    before = snapshot(small_index)
    with pytest.raises(GazetteerError, match=expected) as caught:
        add_file(write(tmp_path / "mine.csv", text))
    assert str(caught.value).startswith("mine.csv")
    assert snapshot(small_index) == before


def test_two_tables_of_one_file_name_do_not_replace_each_other(tmp_path: Path) -> None:
    paths = []
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        paths.append(
            write(tmp_path / str(number) / "places.csv", f"name,lat,lon\nPlace {'AB'[number - 1]},-2{number},17\n")
        )
    add_file(paths[0])
    with pytest.raises(GazetteerError, match="--name"):
        add_file(paths[1])
    assert add_file(paths[1], name="second").name == "second"
    assert find("Place A")
    assert find("Place B")
    write(paths[0], "name,lat,lon\nPlace C,-21,17\n")
    add_file(paths[0])
    assert find("Place A") == []
    assert find("Place C")


def test_names_of_additions_are_safe_file_names(tmp_path: Path, small_index: Path) -> None:
    path = write(tmp_path / "a.csv", "name,lat,lon\nA b,-22,17\n")
    assert add_file(path, name="../../Села № 1").name == "Села-1"
    assert (small_index / "added" / "Села-1.sqlite").is_file()
    with pytest.raises(GazetteerError, match="no letters or digits"):
        add_file(path, name="../..")


# ---- bad files ------------------------------------------------------------------------------------------------------


def _change(column: str, value: str) -> bytes:
    lines = (DATA / "NA.txt").read_text(encoding="utf-8").splitlines()
    cells = lines[2].split("\t")
    cells[DUMP_COLUMNS.index(column)] = value
    lines[2] = "\t".join(cells)
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("column", "value", "rule"),
    [
        ("geonameid", "x1", "is not a whole number above 0"),
        ("geonameid", "-5", "is not a whole number above 0"),
        ("geonameid", "0", "is not a whole number above 0"),
        ("geonameid", "9" * 30, "is not a whole number above 0"),
        ("latitude", "91", "is out of range"),
        ("longitude", "-180.5", "is out of range"),
        ("longitude", "inf", "is out of range"),
        ("latitude", "north", "is not a number"),
        ("population", "-1", "is not a whole number"),
        ("country code", "nam", "is not two capital letters"),
        ("name", "  ", "is empty"),
    ],
)
def test_a_bad_cell_of_a_dump_is_named(tmp_path: Path, small_index: Path, column: str, value: str, rule: str) -> None:
    before = snapshot(small_index)
    path = tmp_path / "NA.txt"
    path.write_bytes(_change(column, value))
    with pytest.raises(GazetteerError, match=rf"NA\.txt, row 3, column {column}: .*{rule}"):
        add_file(path)
    assert snapshot(small_index) == before
    assert not list(small_index.rglob("*.part"))


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(b"NA.txt") + 400
    data[at : at + 50] = bytes(50)
    path.write_bytes(bytes(data))


def _encrypt(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(mark), bytes(data)):
            data[found.start() + offset] |= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_truncate, r"NA\.zip: the zip is damaged or cut short"),
        (_flip, r"NA\.zip.*(damaged|columns|UTF-8|longer)"),
        (_encrypt, r"NA\.zip \(NA\.txt\): is encrypted"),
        (lambda p: p.write_bytes(b""), r"NA\.zip: is empty"),
        (lambda p: p.write_bytes(b"\n\n"), r"NA\.zip: holds no rows"),
        (lambda p: p.write_bytes(b"PK\x03\x04nonsense"), r"NA\.zip: the zip is damaged"),
        (lambda p: p.write_bytes(b"\xff\xfe\x00not a zip"), r"NA\.zip, row 1: is not UTF-8"),
        (lambda p: p.write_bytes(b"<html>Not Found</html>"), r"NA\.zip, row 1: is neither a GeoNames table"),
        (lambda p: p.write_bytes(b"a\tb\tc\n"), r"NA\.zip, row 1: has 3 tab-separated columns"),
        (lambda p: p.write_bytes(b"x" * 200_000), r"NA\.zip, row 1: longer than 100,000 bytes"),
        (lambda p: make_zip(p, {"readme.txt": b"x"}), r"holds one table such as BF\.txt .* this holds readme\.txt"),
        (lambda p: make_zip(p, {"BF.txt": b"x", "UA.txt": b"y"}), r"this holds BF\.txt, UA\.txt"),
        (lambda p: make_zip(p, {"NA.txt": b"\x00" * 5_000_000}), r"unpacks to more than"),
        (lambda p: (p.unlink(), p.mkdir()), r"is a directory"),
        (lambda p: p.unlink(), r"cannot be read \(No such file"),
    ],
)
def test_a_bad_file_is_one_clear_error(
    dump: Path, small_index: Path, spoil: Callable[[Path], object], expected: str
) -> None:
    before = snapshot(small_index)
    spoil(dump)
    with pytest.raises(GazetteerError, match=expected):
        add_file(dump)
    assert snapshot(small_index) == before
    assert not list(small_index.rglob("*.part"))


def test_a_row_that_breaks_off_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "NA.txt"
    path.write_bytes((DATA / "NA.txt").read_bytes()[:-30])
    with pytest.raises(GazetteerError, match=r"NA\.txt, row 17: has 17 columns, but a GeoNames dump has 19"):
        add_file(path)


def test_a_stream_that_brings_more_than_it_said_is_stopped() -> None:
    lines = geonames._read_lines(io.BytesIO(b"a\tb\n" * 1000), "x.zip", 500)
    with pytest.raises(GazetteerError, match="unpacks to more than 500 bytes"):
        list(lines)


def test_a_full_disk_changes_nothing(dump: Path, small_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_file(DATA / "NA-names.txt")
    before = snapshot(small_index)

    def fail(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for module, name in ((overlay_merge.shutil, "copyfile"), (overlay, "write_overlay"), (overlay, "_sync")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            with pytest.raises(GazetteerError, match=r"No space left on device.*INCIDENTS_CACHE_DIR"):
                add_file(dump)
        assert snapshot(small_index) == before
        assert not list(small_index.rglob("*.part"))
    with monkeypatch.context() as patch:
        patch.setattr(
            overlay_merge._Merge,
            "finish",
            lambda *_a: (_ for _ in ()).throw(sqlite3.OperationalError("database or disk is full")),
        )
        with pytest.raises(GazetteerError, match="disk is full"):
            add_file(dump)
    assert snapshot(small_index) == before


def test_a_directory_that_cannot_be_written_is_one_clear_error(dump: Path, small_index: Path) -> None:
    (small_index / "added").write_text("in the way", encoding="utf-8")
    with pytest.raises(GazetteerError, match="make the directory writable"):
        add_file(dump)
    with pytest.raises(GazetteerError, match="nor anything else"):
        remove_addition("NA")


def test_removing_what_is_not_there(dump: Path) -> None:
    add_file(dump)
    with pytest.raises(GazetteerError, match="Nothing called 'XX' was added to the index; there is NA"):
        remove_addition("XX")


def test_a_damaged_addition_is_left_out_and_told(dump: Path, small_index: Path) -> None:
    add_file(dump)
    add_file(DATA / "NA-names.txt")
    path = small_index / "added" / "NA.sqlite"
    path.write_bytes(path.read_bytes()[:-4096])
    assert read_addition(path) is None
    assert find("Strayville") == []
    assert find("Testdale"), "the rest is there"
    assert list_additions()[1] == ["NA"]
    with Gazetteer.open() as gazetteer:
        assert gazetteer.status()["damaged_additions"] == ["NA"]
    assert remove_addition("NA") is None
    add_file(dump)
    assert find("Strayville")


def test_a_damaged_joined_file_is_made_anew(dump: Path, small_index: Path) -> None:
    add_file(dump)
    (joined,) = small_index.glob("*+*.sqlite")
    data = joined.read_bytes()
    joined.write_bytes(data[:-4096])
    assert find("Strayville")
    data = bytearray(joined.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    joined.unlink()
    joined.write_bytes(bytes(data))
    target = index.get_index_path()
    assert Gazetteer(joined, target=target).knows("Strayville")


def test_what_a_killed_process_left_is_swept_up(dump: Path, small_index: Path) -> None:
    add_file(dump)
    (small_index / "added" / "tmpdead.part").write_bytes(b"half")
    assert find("Strayville")
    remove_addition("NA")
    assert not list(small_index.rglob("*.part"))
    assert not list(small_index.glob("*+*.sqlite"))


def _add_in_process(path: str, results: multiprocessing.Queue[str]) -> None:
    try:
        results.put(add_file(Path(path)).name)
    except GazetteerError as error:
        results.put(f"error: {error}")


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="the invented source is inherited by fork"
)
def test_several_processes_add_at_once(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"list{n}.csv", f"name,lat,lon\nVillage {'ABCD'[n]},-22.{n},17.{n}\n") for n in range(4)]
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[str] = context.Queue()
    workers = [context.Process(target=_add_in_process, args=(str(path), results)) for path in paths]
    for worker in workers:
        worker.start()
    assert sorted(results.get(timeout=60) for _ in workers) == [f"user-list{n}" for n in range(4)]
    for worker in workers:
        worker.join(60)
    assert all(find(f"Village {letter}") for letter in "ABCD")


# ---- any text at all ------------------------------------------------------------------------------------------------


def _make_table(text: str) -> Table:
    lines = geonames._read_lines(io.BytesIO(text.encode("utf-8", "surrogatepass")), "NA.txt", 10_000_000)
    return Table("NA.txt", "NA.txt", "", lines)


@given(st.text(max_size=300))
def test_any_text_is_rows_or_a_clear_error(text: str) -> None:
    for read in (read_dump, geonames.read_alternate_names):
        message, rows = "", []
        try:
            rows = list(read(_make_table(text)))
        except GazetteerError as error:
            message = str(error)
        assert message.startswith("NA.txt, row ") or (not message and not rows)


_CELL = st.text(
    st.characters(exclude_characters="\t\n\r,", exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=30
)
_NAMES = _CELL.map(lambda text: " ".join(text.split())).filter(bool)


@given(
    st.integers(1, 10**14), _NAMES, st.lists(_NAMES, max_size=4), st.floats(-90, 90), st.floats(-180, 180),
    st.sampled_from(["PPL", "PPLX", "PPLH", "ADM1"]), st.integers(0, 10**11),
)  # fmt: skip
def test_what_is_written_is_read(
    gid: int, name: str, others: list[str], lat: float, lon: float, code: str, people: int
) -> None:
    cells = [""] * 19
    cells[:9] = [str(gid), name, "", ",".join(others), repr(lat), repr(lon), "A" if code == "ADM1" else "P", code, "NA"]
    cells[10], cells[14], cells[18] = "21", str(people), "2025-01-02"
    table = _make_table("\t".join(cells) + "\n")
    rows = list(read_dump(table))
    if not rows:
        assert code == "PPLX"  # its name says only what it is
        assert table.skipped == 1
        return
    place, first, *more = rows
    assert isinstance(place, PlaceRow)
    assert (place.id, place.name, place.lat, place.lon, place.population) == (gid, name, lat, lon, people)
    assert first == NameRow(gid, name, "historic" if code == "PPLH" else "primary")
    assert {row.name for row in more if isinstance(row, NameRow)} <= set(others)
    assert table.newest == "2025-01-02"


@given(st.lists(st.tuples(_NAMES, st.floats(-80, 80), st.floats(-170, 170)), min_size=1, max_size=5))
def test_a_users_table_round_trips(places: list[tuple[str, float, float]]) -> None:
    import csv
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([("name", "lat", "lon"), *places])
        try:
            rows = read_place_list(path, key="a", admin1={}).rows
        except GazetteerError as error:
            assert re.search(r"a\.csv, row \d+", str(error))  # noqa: PT017 - either is right, by what was drawn
            return
    assert [(r.name, r.lat, r.lon) for r in rows if isinstance(r, PlaceRow)] == [
        (n.strip(), a, b) for n, a, b in places
    ]
    assert all(r.id < -(10**9) for r in rows if isinstance(r, PlaceRow))


def test_the_fixture_has_the_layout() -> None:
    for name, columns in (("NA.txt", DUMP_COLUMNS), ("NA-names.txt", NAME_COLUMNS)):
        with open_table(DATA / name) as table:
            assert {text.count("\t") + 1 for _row, text in table.lines} == {len(columns)}


# ---- download -------------------------------------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body = body
        self.etag = '"one"'
        self.plan: list[tuple[str, int]] = []
        self.requests: list[tuple[str, str | None, str | None]] = []
        self.quiet = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/dump"


class Handler(BaseHTTPRequestHandler):
    """Answers as a file server does, with the faults that are planned: (what, number)."""

    server: Server

    def do_GET(self) -> None:
        server = self.server
        wanted, valid = self.headers.get("Range"), self.headers.get("If-Range")
        server.requests.append((self.path, wanted, valid))
        what, number = server.plan.pop(0) if server.plan else ("", 0)
        if what == "status":
            self.send_response(number)
            self.send_header("Retry-After", "7")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if what == "silent":
            server.quiet.wait(10)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and valid == server.etag else 0
        if start and start >= len(server.body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(server.body)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data = server.body[start:]
        self.send_response(206 if start else 200)
        if start:
            shift = number if what == "shift" else 0
            self.send_header("Content-Range", f"bytes {start + shift}-{len(server.body) - 1}/{len(server.body)}")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", server.etag)
        self.send_header("Last-Modified", "Mon, 03 Mar 2025 04:05:06 GMT")
        self.end_headers()
        self.wfile.write(data[:number] if what == "cut" else data)
        if what == "cut":
            self.close_connection = True

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture
def server(dump: Path) -> Iterator[Server]:
    running = Server(dump.read_bytes())
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.quiet.set()
    running.shutdown()
    running.server_close()


def fetch(server: Server, **options: Any) -> tuple[geonames_download.Download, list[float]]:
    waits: list[float] = []
    return download_table("NA", base_url=server.url, sleep=waits.append, **options), waits


def test_a_download_is_whole_and_tells_its_age(server: Server, small_index: Path) -> None:
    told: list[tuple[int, int]] = []
    found, waits = fetch(server, progress=lambda done, total: told.append((done, total)))
    assert found.path.read_bytes() == server.body
    assert (found.size, found.last_modified, waits) == (len(server.body), "Mon, 03 Mar 2025 04:05:06 GMT", [])
    assert found.url == f"{server.url}/NA.zip"
    assert told[0] == (0, len(server.body))
    assert told[-1] == (len(server.body), len(server.body))
    assert sorted(p.name for p in (small_index / "downloads").iterdir()) == ["NA.lock", "NA.zip"]


def test_a_cut_download_goes_on_where_it_stopped(server: Server) -> None:
    server.plan = [("cut", 300), ("cut", 200)]
    found, waits = fetch(server)
    assert found.path.read_bytes() == server.body
    assert [(r, v) for _path, r, v in server.requests] == [
        (None, None),
        ("bytes=300-", '"one"'),
        ("bytes=500-", '"one"'),
    ]
    assert len(waits) == 2


def test_the_next_command_goes_on_too_unless_the_file_has_changed(server: Server) -> None:
    server.plan = [("cut", 300)]
    with pytest.raises(GazetteerError, match="300 bytes are kept: the same command goes on from there"):
        fetch(server, attempts=1)
    found, _waits = fetch(server)
    assert server.requests[-1][1] == "bytes=300-"
    assert found.path.read_bytes() == server.body
    server.plan = [("cut", 300)]
    with pytest.raises(GazetteerError):
        fetch(server, attempts=1)
    server.etag, server.body = '"two"', server.body[::-1]
    found, _waits = fetch(server)
    assert found.path.read_bytes() == server.body


def test_a_half_file_longer_than_the_new_one_starts_again(server: Server, small_index: Path) -> None:
    server.plan = [("cut", 300)]
    with pytest.raises(GazetteerError):
        fetch(server, attempts=1)
    server.body = server.body[:200]
    found, _waits = fetch(server)
    assert found.path.read_bytes() == server.body
    assert [r for _path, r, _v in server.requests] == [None, "bytes=300-", None]


def test_a_half_file_that_was_whole_is_taken(server: Server, small_index: Path) -> None:
    folder = small_index / "downloads"
    folder.mkdir()
    (folder / "NA.part").write_bytes(server.body)
    note = {"url": f"{server.url}/NA.zip", "size": len(server.body), "last_modified": "then", "validator": '"one"'}
    (folder / "NA.json").write_text(json.dumps(note))
    found, _waits = fetch(server)
    assert (found.path.read_bytes(), found.last_modified) == (server.body, "then")
    assert len(server.requests) == 1


def test_a_half_file_without_its_note_is_not_trusted(server: Server, small_index: Path) -> None:
    (small_index / "downloads").mkdir()
    (small_index / "downloads" / "NA.part").write_bytes(b"of something else")
    found, _waits = fetch(server)
    assert found.path.read_bytes() == server.body
    assert server.requests[0][1] is None


def test_another_part_than_asked_for_starts_again(server: Server) -> None:
    server.plan = [("cut", 300), ("shift", 5)]
    found, _waits = fetch(server)
    assert found.path.read_bytes() == server.body


def test_a_busy_server_is_asked_again_when_it_says_so(server: Server) -> None:
    server.plan = [("status", 503), ("status", 429)]
    _found, waits = fetch(server)
    assert waits == [7.0, 7.0]


def test_tries_are_bounded(server: Server) -> None:
    server.plan = [("status", 500)] * 20
    with pytest.raises(GazetteerError, match=r"is busy \(500\)"):
        fetch(server, attempts=3)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "expected"), [(404, r"has no file /dump/NA\.zip \(404\)"), (403, r"refuses the file \(403\)")]
)
def test_no_such_file_is_told_at_once(server: Server, status: int, expected: str) -> None:
    server.plan = [("status", status)]
    with pytest.raises(GazetteerError, match=expected):
        fetch(server)
    assert len(server.requests) == 1


def test_a_silent_server_is_given_up(server: Server) -> None:
    server.plan = [("silent", 0)] * 2
    with pytest.raises(GazetteerError, match=r"127\.0\.0\.1: (the connection broke|cannot be reached)"):
        fetch(server, attempts=2, timeout=0.1)


def test_what_cannot_be_asked_for(server: Server) -> None:
    for code in ("XX", "../NA", "NAM", ""):
        with pytest.raises(GazetteerError, match="is no country"):
            download_table(code, base_url=server.url)
    with pytest.raises(GazetteerError, match="is no web address"):
        download_table("NA", base_url="file:///etc")
    assert server.requests == []


def test_a_redirect_to_another_kind_of_address_is_not_followed() -> None:
    import urllib.request

    request = urllib.request.Request("https://example.org/NA.zip")
    with pytest.raises(GazetteerError, match="unsafe address"):
        geonames_download._SameOrSafer().redirect_request(
            request, io.BytesIO(), 302, "", {}, "http://example.org/NA.zip"
        )


# ---- the command line -----------------------------------------------------------------------------------------------


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["gazetteer", *arguments])


def test_the_commands(dump: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INCIDENTS_GEONAMES_URL", server.url)
    assert "added            nothing" in run("status").stdout
    result = run("add", str(dump))
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "added NA: 14 places" in result.stderr
    shown = run("status").stdout
    assert re.search(r"NA: GeoNames places, 14 places, \d+ names \(3 rows left out\)", shown)
    assert "data of 2025-06-30" in shown
    assert "CC BY 4.0" in shown
    assert run("remove", "NA").exit_code == 0
    assert find("Strayville") == []
    result = run("download", "na")
    assert result.exit_code == 0, result.output
    assert find("Strayville")
    shown = run("status").stdout
    assert f"from {server.url}/NA.zip" in shown
    assert "last modified Mon, 03 Mar 2025 04:05:06 GMT" in shown
    again = run("remove", "XX")
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.startswith("error: Nothing called 'XX'")


def test_a_download_of_rubbish_leaves_no_file(
    server: Server, small_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INCIDENTS_GEONAMES_URL", server.url)
    server.body = server.body[:-30]
    result = run("download", "NA")
    assert result.exit_code == 1
    assert "damaged or cut short" in result.stderr
    assert not list((small_index / "downloads").glob("*.zip"))


def test_hostile_file_names_do_not_reach_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "a\x1b[31mb.csv", "name,lat,lon\nA b,-22,17\n")
    assert run("add", str(path)).exit_code == 0
    assert "\x1b" not in run("status").stdout
