from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest
from click.testing import CliRunner, Result

from geodata.errors import GazetteerError
from geodata.geocode import register_geocoder
from geodata.place import Candidate, Place, Resolution
from incidents import cli as cli_module
from incidents.cli import COMMANDS, cli
from incidents.commands import places as places_commands
from incidents.commands import reading as reading_commands
from incidents.commands import store as store_commands
from incidents.reading.records import ReadIncident, Reading, Reason
from incidents.report import Report

TABLE = (
    "place,country,lat,lon,date,killed,type\n"
    "Nova,Ukraine,48.5,37.5,2022-04-08,50+,missile strike\n"
    "Stara,Ukraine,49.5,36.5,2022-05-08,,shelling\n"
    "Mala,Sudan,15.5,32.5,,3,shelling\n"
    "Nowhere,,0,0,2022-04-09,1,\n"
)


class FakeReader:
    """Reads every text as one shelling without a place."""

    gazetteer = None

    def read(self, report: Report) -> Reading:
        incident = ReadIncident(
            type="shelling", type_certainty="stated", title="Shelling", place=None, place_detail=None, mention=None,
            precision="unknown", date_start=report.publication_day, date_end=report.publication_day,
            date_precision="day" if report.publication_day else "unknown", evidence=report.text, evidence_start=0,
            evidence_end=len(report.text), confidence=0.5, killed_min=2, killed_max=2,
            reasons=(Reason("killed", "a number before a verb", 0, 3),),
        )  # fmt: skip
        return Reading(report, incidents=(incident,), notes=("No place names found",))


class FakeIndex:
    def close(self) -> None:
        return

    def find(self, _name: str) -> tuple[object, ...]:
        return ()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, with a quick reader and no place index."""
    monkeypatch.chdir(tmp_path)
    for name in [n for n in os.environ if n.startswith("INCIDENTS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(reading_commands, "load_reader", lambda _settings: FakeReader())
    monkeypatch.setattr(reading_commands, "make_reader", lambda _path: FakeReader())
    monkeypatch.setattr(reading_commands, "open_gazetteer", lambda _settings: FakeIndex())
    monkeypatch.setattr(store_commands, "load_reader", lambda _settings: FakeReader())
    monkeypatch.setattr(store_commands, "open_gazetteer", lambda _settings: None)
    Path("t.csv").write_text(TABLE)
    Path("a.txt").write_text("Two were killed by shells.")


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin, prog_name="incidents", catch_exceptions=False)


@pytest.fixture
def _filled() -> None:
    assert run("import", "t.csv").exit_code == 0


def read_geojson(text: str) -> list[dict[str, object]]:
    return [feature["properties"] for feature in json.loads(text)["features"]]


@pytest.mark.parametrize("name", ["", *COMMANDS, "gazetteer status"])
def test_each_help_has_an_example(name: str) -> None:
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert result.stderr == ""


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, incidents.cli as c\ntry: c.cli(['--help'])\nexcept SystemExit: print(sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("pandas", "numpy", "spacy", "sqlalchemy", "streamlit", "lxml"):
        assert f"'{heavy}'" not in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["read"],
        ["read", "a.txt", "--published", "Friday"],
        ["batch", "in.jsonl"],
        ["batch", "in.jsonl", "-o", "x", "--workers", "0"],
        ["import", "t.csv", "--map", "nothing"],
        ["export"],
        ["export", "-o", "x.geojson", "--bbox", "1,2,3"],
        ["export", "-o", "x.geojson", "--bbox", "1,91,3,92"],
        ["export", "-o", "x.geojson", "--type", "sharknado"],
        ["export", "-o", "x.geojson", "--within", "nowhere.geojson"],
        ["serve", "--port", "0"],
    ],
)
def test_what_is_not_understood_is_exit_code_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["read", "nowhere.txt"], "nowhere.txt: no such file"),
        (["read", "a.txt", "--source", "acled99"], "no source is called 'acled99'; known are auto, article"),
        (["read", "http://127.0.0.1:8501/"], "refused: only public http and https addresses"),
        (["read", "file:///etc/hostname"], "refused: only public http and https addresses"),
        (["batch", "nowhere.jsonl", "-o", "x.jsonl"], "nowhere.jsonl: cannot be read"),
        (["import", "nowhere.csv"], "nowhere.csv: no such file"),
        (["import", "t.csv", "--map", "x=killed"], "there is no column 'x'"),
        (["export", "-o", "no/such/folder/x.geojson"], "x.geojson"),
        (["export", "-o", "x.unknown"], "unknown"),
        (["export", "-o", "x.geojson", "--database", "incidents.db"], "not a database address"),
        (["export", "-o", "x.geojson", "--database", "sqlite:////no/such/folder/x.db"], "x.db"),
        (["--config", "nowhere.toml", "history"], "nowhere.toml: cannot be read"),
    ],
)
def test_our_errors_are_one_line_and_exit_code_1(arguments: list[str], expected: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert expected in result.stderr


def test_errors_of_geodata_too_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_settings: object) -> None:
        raise GazetteerError("the index\n\x1b[31mcannot be built")

    monkeypatch.setattr(reading_commands, "load_reader", fail)
    result = run("read", "a.txt")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "error: the index [31mcannot be built")

    def break_down(_settings: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(reading_commands, "load_reader", break_down)
    with pytest.raises(ZeroDivisionError):
        run("read", "a.txt")


def test_read_gives_data_on_stdout_and_talk_on_stderr() -> None:
    result = run("read", "a.txt", "--published", "2022-04-08")
    (row,) = read_geojson(result.stdout)
    assert (row["type"], row["killed_min"], row["date_start"]) == ("shelling", 2, "2022-04-08")
    assert "No place names found" in result.stderr
    assert "no publication date" in run("read", "a.txt").stderr


def test_read_from_standard_input_in_each_format() -> None:
    text = "Two were killed by shells."
    jsonl = run("read", "-", "--format", "jsonl", stdin=text.encode())
    record = json.loads(jsonl.stdout)
    assert (record["evidence"], record["lat"], record["lon"], record["claims"]) == (text, None, None, [])
    table = run("read", "-", "--format", "table", "--explain", stdin=text.encode()).stdout
    assert "1. Shelling" in table
    assert "killed 2, injured not stated" in table
    assert "a number before a verb" in table
    assert "0–3 “Two”" in table
    csv = run("read", "-", "--format", "csv", stdin=text.encode()).stdout
    assert csv.lstrip("\ufeff").startswith("incident_id,title,type,")
    explained = run("read", "-", "--format", "geojson", "--explain", stdin=text.encode())
    assert "a number before a verb" in explained.stderr
    json.loads(explained.stdout)


def test_read_writes_a_file_by_its_ending() -> None:
    result = run("read", "a.txt", "t.csv", "-o", "out.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    assert len(Path("out.jsonl").read_text().splitlines()) == 5


def test_batch_keeps_the_order_and_reports_bad_lines() -> None:
    Path("in.jsonl").write_text('{"id": 1, "text": "One."}\nbad\n{"id": 3, "text": ""}\n')
    result = run("batch", "in.jsonl", "-o", "out.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [1, None, 3]
    assert [set(line) for line in lines] == [
        {"id", "incidents", "toponyms"},
        {"id", "error"},
        {"id", "incidents", "toponyms"},
    ]
    assert "3 articles read, 1 incidents, 1 lines with errors" in result.stderr
    assert len(run("batch", "in.jsonl", "-o", "-").stdout.splitlines()) == 3


def test_an_empty_batch_is_fine_and_one_without_a_good_line_is_not() -> None:
    Path("in.jsonl").write_text("")
    assert run("batch", "in.jsonl", "-o", "out.jsonl").exit_code == 0
    assert Path("out.jsonl").read_bytes() == b""
    Path("in.jsonl").write_text("bad\n")
    result = run("batch", "in.jsonl", "-o", "out.jsonl")
    assert result.exit_code == 1
    assert "none of the 1 lines" in result.stderr


def test_import_twice_and_the_report() -> None:
    first = run("import", "t.csv", "a.txt", "--report", "report.json")
    assert (first.exit_code, first.stdout) == (0, "")
    assert "5 read, 5 added (5 incidents), 0 known already, 0 rejected" in first.stderr
    report = json.loads(Path("report.json").read_text())
    assert (report["rows_read"], report["rows_added"], report["rejected"]) == (5, 5, [])
    assert "5 read, 0 added (0 incidents), 5 known already, 0 rejected" in run("import", "t.csv", "a.txt").stderr


def test_a_dry_run_makes_no_book() -> None:
    result = run("import", "t.csv", "--dry-run")
    assert "4 would be added" in result.stderr
    assert not Path("incidents.db").exists()


def test_rejected_rows_are_told() -> None:
    Path("bad.csv").write_text("place,date,killed\nNova,2022-04-31,1\n")
    result = run("import", "bad.csv")
    assert result.exit_code == 0
    assert "rejected: row 1, column date '2022-04-31': " in result.stderr


@pytest.mark.usefixtures("_filled")
def test_export_without_filters_writes_everything() -> None:
    result = run("export", "-o", "-", "--format", "geojson")
    features = json.loads(result.stdout)["features"]
    assert len(features) == 4
    assert [f["properties"]["place_name"] for f in features if f["geometry"] is None] == ["Nowhere"]
    assert "4 of 4 incidents, 3 on the map, 1 without a location" in result.stderr
    assert run("export", "-o", "all.csv").exit_code == 0
    assert Path("all.csv").read_text().count("\n") == 5


@pytest.mark.usefixtures("_filled")
@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        (["--type", "shelling"], {"Stara", "Mala"}),
        (["--type", "shelling", "--type", "missile_strike"], {"Nova", "Stara", "Mala"}),
        (["--min-killed", "10"], {"Nova"}),
        (["--min-killed", "10", "--unstated"], {"Nova", "Stara"}),
        (["--max-killed", "3"], {"Mala", "Nowhere"}),
        (["--from", "2022-05-01"], {"Stara"}),
        (["--to", "2022-04-30"], {"Nova", "Nowhere"}),
        (["--to", "2022-04-30", "--undated"], {"Nova", "Nowhere", "Mala"}),
        (["--country", "ua"], {"Nova", "Stara"}),
        (["--bbox", "30,10,40,20"], {"Mala"}),
        (["--text", "nova"], {"Nova"}),
        (["--within", "box.geojson"], {"Nova"}),
        (["--country", "FR"], set()),
    ],
)
def test_each_filter(arguments: list[str], places: set[str]) -> None:
    ring = [[37, 48], [38, 48], [38, 49], [37, 49], [37, 48]]
    Path("box.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    result = run("export", "-o", "-", *arguments)
    assert result.exit_code == 0, result.stderr
    assert {row["place_name"] for row in read_geojson(result.stdout)} == places


@pytest.mark.usefixtures("_filled")
def test_the_book_is_named_by_flag_or_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_geojson(run("export", "-o", "-", "--database", "sqlite:///other.db").stdout) == []
    monkeypatch.setenv("INCIDENTS_DATABASE_URL", "sqlite:///other.db")
    assert read_geojson(run("export", "-o", "-").stdout) == []
    assert len(read_geojson(run("export", "-o", "-", "--database", "sqlite:///incidents.db").stdout)) == 4


@pytest.mark.usefixtures("_filled")
def test_history_of_all_and_of_one() -> None:
    (row, *_) = read_geojson(run("export", "-o", "-").stdout)
    everything = run("history").stdout.splitlines()
    assert len(everything) >= 4
    one = run("history", str(row["incident_id"]), "--format", "jsonl").stdout.splitlines()
    assert {json.loads(line)["incident_id"] for line in one} == {row["incident_id"]}
    nothing = run("history", "no-such-id")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "", "no history of no-such-id\n")


@pytest.mark.usefixtures("_filled")
def test_a_briefing_of_the_filtered_view() -> None:
    result = run("brief", "-o", "b.pdf", "--type", "shelling", "--title", "Shelling")
    assert result.exit_code == 0, result.stderr
    assert Path("b.pdf").read_bytes().startswith(b"%PDF")
    assert "2 of 4 incidents" in result.stderr


class FakeGeocoder:
    """Knows one place, and remembers what it was asked."""

    name = "fake"
    asked: list[tuple[str, list[str]]] = []  # noqa: RUF012 - shared with the test on purpose

    def geocode(self, name: str, *, countries: Sequence[str] = (), limit: int = 5) -> tuple[Candidate, ...]:
        self.asked.append((name, list(countries)))
        place = Place("Far Nova", "settlement", 1.0, 2.0, "settlement", country="UA", source="fake")
        return (Candidate(place, name, "primary", reasons=("the network says so",)),)[:limit]


def test_geocode_offline_and_online(monkeypatch: pytest.MonkeyPatch) -> None:
    class Index(FakeIndex):
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_details: object) -> None:
            return

    home = Candidate(Place("Nova", "settlement", 48.5, 37.5, "settlement", country="UA"), "Nova", "primary")
    away = Candidate(Place("Nova", "settlement", 1.5, 2.5, "settlement", country="US"), "Nova", "primary")
    found = Resolution("Nova", home, (home, away), False, "Two places bear the name.")
    monkeypatch.setattr(places_commands, "open_gazetteer", lambda _settings: Index())
    monkeypatch.setattr("geodata.resolve.resolve_name", lambda _name, **_options: found)
    register_geocoder("fake", FakeGeocoder)
    result = run("geocode", "Nova")
    assert "1. Nova, UA: settlement, 48.5000, 37.5000" in result.stdout
    assert "2. Nova, US" in result.stdout
    assert FakeGeocoder.asked == []
    monkeypatch.setenv("INCIDENTS_GEOCODER", "fake")
    online = json.loads(run("geocode", "Nova", "--country", "ua", "--online", "--format", "jsonl").stdout)
    assert [(c["name"], c["source"]) for c in online["candidates"]] == [("Nova", "geonames"), ("Far Nova", "fake")]
    assert FakeGeocoder.asked == [("Nova", ["UA"])]
    assert run("geocode", "Nova", "--country", "Ukraine").exit_code == 1


def test_doctor_tells_each_check_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from incidents import doctor

    monkeypatch.setattr(doctor, "_check_index", lambda _s: "fine")
    monkeypatch.setattr(doctor, "_check_model", lambda _s: (_ for _ in ()).throw(GazetteerError("no\nindex")))
    result = run("doctor")
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert len(lines) == 9
    assert {line.split()[0] for line in lines} == {"ok", "problem"}
    assert "problem  model          no index" in lines
    assert result.stderr == "error: 1 of the checks found a problem\n"


def test_an_unknown_setting_is_an_error() -> None:
    Path("incidents.toml").write_text("colour = 'red'\n")
    result = run("history")
    assert result.exit_code == 1
    assert "incidents.toml, setting colour: no such setting" in result.stderr


def test_a_closed_pipe_ends_quietly() -> None:
    command = f"{sys.executable} -m incidents --help | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_without_a_traceback() -> None:
    code = (
        "import sys\nfrom incidents.cli import main\nsys.argv = ['incidents', 'read', '-']\n"
        "print('ready', flush=True)\nmain()"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    time.sleep(3)  # it now imports, or waits for its input; both must end well
    running.send_signal(signal.SIGINT)
    _, talk = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "Traceback" not in talk
    assert "Aborted" in talk


def test_the_entry_point_is_the_group() -> None:
    assert cli_module.cli.name == "cli"
    assert set(COMMANDS) == {
        "read", "batch", "import", "export", "brief", "history", "geocode", "places", "gazetteer", "serve",
        "doctor",
    }  # fmt: skip
