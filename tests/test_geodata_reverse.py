from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from geodata.distance import distance_km, offset_point
from geodata.errors import CoordinateError
from geodata.gazetteer import Gazetteer
from geodata.reverse import describe_point, name_direction
from incidents.cli import cli


@lru_cache(maxsize=1)
def get_gazetteer() -> Gazetteer:
    return Gazetteer.open()


@pytest.mark.parametrize(
    ("lat", "lon", "text"),
    [
        (44.95, 34.1, "1.2 km south-west of Simferopol, Crimea, UA, occupied"),
        (54.5, 3.0, "at sea, in no country"),
        (89.99, 0.0, "at sea, in no country"),
    ],
)
def test_a_point_is_told_in_words(lat: float, lon: float, text: str) -> None:
    assert describe_point(lat, lon, gazetteer=get_gazetteer()).to_text() == text


def test_a_point_off_the_coast_is_flagged() -> None:
    found = describe_point(-16.8, 179.99, gazetteer=get_gazetteer())
    assert found.area is not None
    assert (found.area.country, found.area.offshore) == ("FJ", True)
    assert "off the coast or border" in found.to_text()


def test_the_nearest_town_is_found_across_the_antimeridian() -> None:
    gazetteer = get_gazetteer()
    east = gazetteer.find_nearest(-16.8, 179.99, within_km=200)
    west = gazetteer.find_nearest(-16.8, -179.99, within_km=200)
    assert east is not None
    assert west is not None
    assert east.country == west.country == "FJ"
    assert gazetteer.find_nearest(0.0, -140.0, within_km=100) is None


@given(st.floats(-85, 85), st.floats(-180, 180), st.integers(0, 7))
def test_directions_point_back(lat: float, lon: float, eighth: int) -> None:
    to_lat, to_lon = offset_point(lat, lon, km=5, bearing=45 * eighth)
    names = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
    assert name_direction(lat, lon, to_lat, to_lon) == names[eighth]
    assert distance_km(lat, lon, to_lat, to_lon) == pytest.approx(5, rel=0.02)


def test_what_is_no_point_is_an_error() -> None:
    with pytest.raises(CoordinateError):
        describe_point(95.0, 0.0, gazetteer=get_gazetteer())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["geocode", *arguments])


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("--reverse", "-22.1", "17.1").stdout.startswith("-22.1000, 17.1000: ")
    told = json.loads(run("--reverse", "44°57'N", "34.1", "--format", "jsonl").stdout)
    assert (told["country"], told["occupied"], told["nearest"]) == ("UA", True, "Simferopol")
    swapped = run("--reverse", "100.5", "13.7")
    assert (swapped.exit_code, swapped.stdout) == (1, "")
    assert "look swapped" in swapped.stderr
    assert run("--reverse", "0", "0").exit_code == 1
    assert run().exit_code == 2
    assert run("Kyiv", "--reverse", "1", "2").exit_code == 2
