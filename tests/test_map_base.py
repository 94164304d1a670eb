from __future__ import annotations

import json
from pathlib import Path

import pytest
import shapely

from incidents import map_base


@pytest.fixture(scope="module")
def base() -> Path:
    return map_base.ensure_base()


def read(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def test_simferopol_is_in_ukraine(base: Path) -> None:
    point = shapely.Point(34.1, 44.95)
    holders = {
        f["properties"]["country"]
        for f in read(base / "countries.json")["features"]
        if shapely.geometry.shape(f["geometry"]).contains(point)
    }
    assert holders == {"UA"}
    outline = shapely.geometry.shape(read(base / "outlines" / "UA.json")["geometry"])
    assert outline.contains(point)
    areas = read(base / "admin1" / "UA.json")["features"]
    (crimea,) = [f for f in areas if shapely.geometry.shape(f["geometry"]).contains(point)]
    assert crimea["properties"]["occupied"] is True


def test_layers_hold_no_points_that_would_become_pins(base: Path) -> None:
    files = [base / "countries.json", base / "waters.json", *sorted((base / "admin1").glob("U*.json"))]
    kinds = {f["geometry"]["type"] for file in files for f in read(file)["features"]}
    assert kinds <= {"Polygon", "MultiPolygon", "LineString", "MultiLineString"}


def test_names_stand_inside_their_country(base: Path) -> None:
    for feature in read(base / "countries.json")["features"]:
        lat, lon = feature["properties"]["at"]
        assert shapely.geometry.shape(feature["geometry"]).buffer(0.05).contains(shapely.Point(lon, lat))


def test_a_second_call_makes_nothing(base: Path) -> None:
    before = (base / "towns.json").stat().st_mtime_ns
    assert map_base.ensure_base() == base
    assert (base / "towns.json").stat().st_mtime_ns == before


def test_areas_are_written_once_and_unknown_ones_are_none(tmp_path: Path) -> None:
    name = map_base.ensure_area(tmp_path, "admin1:UA.08")
    assert name is not None
    area = read(tmp_path / name)
    lat, lon = area["properties"]["at"]
    assert shapely.geometry.shape(area["geometry"]).contains(shapely.Point(lon, lat))
    assert map_base.ensure_area(tmp_path, "admin1:UA.08") == name
    for odd in ("admin1:XX.99", "../../etc/passwd", "", "a\x00b", "macro:../x"):
        assert map_base.ensure_area(tmp_path, odd) is None
    assert [p.parent.name for p in tmp_path.rglob("*.json")] == ["areas"]


def test_the_policy_says_whose_an_occupied_area_is() -> None:
    point = shapely.Point(34.1, 44.95)
    for policy, holders in (("un", {("UA", False), ("UA", True)}), ("de_facto", {("RU", False)})):
        world = map_base._load_world(policy)
        found = {(row.country, bool(row.occupied)) for row in world.itertuples() if row.geometry.contains(point)}
        assert found == holders
    assert map_base.get_base_key("un") != map_base.get_base_key("de_facto")


def test_areas_have_current_names_in_one_style(base: Path) -> None:
    names = {f["properties"]["name"] for f in read(base / "admin1" / "UA.json")["features"]}
    assert {"Kyiv", "Odesa", "Kherson", "Chernihiv"} <= names


def test_the_town_comes_before_its_quarter(base: Path) -> None:
    weights = {
        name: weight for name, lat, lon, weight in read(base / "towns.json") if 46.9 < lat < 47.3 and 37.3 < lon < 37.9
    }
    assert max(weights, key=weights.__getitem__) == "Mariupol"
