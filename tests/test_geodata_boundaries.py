# ruff: noqa: E501 - tables of cases are easier to read in long lines
from __future__ import annotations

import json

import pytest
import shapely

from geodata.boundaries import (
    find_area,
    find_areas,
    get_area,
    get_world_geojson,
    has_area,
    load_admin1,
    load_base_layers,
    load_countries,
)
from geodata.countries import load_country_table
from geodata.errors import BoundaryNotFound, CoordinateError
from geodata.index import read_table

SIMFEROPOL, SEVASTOPOL = (44.95, 34.10), (44.60, 33.53)


@pytest.mark.parametrize("point", [SIMFEROPOL, SEVASTOPOL])
def test_crimea_is_ukraine_and_flagged_as_occupied(point: tuple[float, float]) -> None:
    hit = find_area(*point)
    assert hit is not None
    assert (hit.country, hit.occupied) == ("UA", True)
    held = find_area(*point, policy="de_facto")
    assert held is not None
    assert held.country == "RU"
    assert get_area("country:UA").contains(shapely.Point(point[1], point[0]))
    assert not get_area("country:RU").contains(shapely.Point(point[1], point[0]))
    assert get_area("country:RU", policy="de_facto").contains(shapely.Point(point[1], point[0]))


@pytest.mark.parametrize(
    ("lat", "lon", "country", "code"),
    [(48.73, 37.57, "UA", "UA.05"), (50.55, 30.22, "UA", "UA.13"), (31.5, 34.45, "PS", "PS.GZ"), (15.5, 32.53, "SD", "SD.29"), (21.95, 96.1, "MM", "MM.08"),
     (-1.68, 29.2, "CD", "CD.11"), (48.85, 2.35, "FR", "FR.11"), (42.66, 21.16, "XK", None), (4.0, -52.7, "GF", None)],
)  # fmt: skip
def test_points_fall_into_their_areas(lat: float, lon: float, country: str, code: str | None) -> None:
    hit = find_area(lat, lon)
    assert hit is not None
    assert hit.country == country
    assert code is None or hit.admin1_code == code
    assert not hit.offshore


def test_offshore_is_told_and_the_open_sea_is_nowhere() -> None:
    hit = find_area(46.47, 30.85)
    assert hit is not None
    assert hit.offshore
    assert 0 < hit.distance_km <= 10
    assert hit.country == "UA"
    assert find_area(0, -30) is None
    with pytest.raises(CoordinateError):
        find_area(100, 0)


def test_many_points_at_once_agree_with_one_by_one() -> None:
    lats, lons = [48.73, float("nan"), 46.47, 95.0, 0.0], [37.57, 1.0, 30.85, 0.0, -30.0]
    hits = find_areas(lats, lons)
    assert hits == [find_area(48.73, 37.57), None, find_area(46.47, 30.85), None, None]


def test_layers_keep_their_columns_and_are_copies() -> None:
    areas, countries = load_admin1(), load_countries()
    assert list(areas.columns) == ["area_id", "admin1_code", "name", "country", "occupied", "lat", "lon", "geometry"]
    assert list(countries.columns) == ["area_id", "name", "country", "geometry"]
    assert areas.crs.to_epsg() == countries.crs.to_epsg() == 4326
    for frame in (areas, countries):
        assert frame["area_id"].dropna().is_unique
        assert frame.geometry.is_valid.all()
        assert not frame.geometry.is_empty.any()
    assert not areas["area_id"].dropna().str.contains("nan").any()
    areas.loc[0, "name"] = "changed"
    assert load_admin1().loc[0, "name"] != "changed"


def test_nearly_every_country_has_a_polygon() -> None:
    missing = {code for code in load_country_table() if not has_area(f"country:{code}")}
    assert missing <= {"BV", "HM", "SJ", "UM", "TF", "GS", "IO", "AN"}


def test_points_of_regions_lie_inside() -> None:
    areas = load_admin1()
    inside = shapely.dwithin(areas.geometry.to_numpy(), shapely.points(areas["lon"], areas["lat"]), 0.01)
    assert inside.all()


@pytest.mark.parametrize("row", [r for r in read_table("macro_regions.tsv") if r["members"]], ids=lambda r: r["id"])
def test_macro_regions_have_an_outline_round_their_point(row: dict[str, str]) -> None:
    area = get_area(f"macro:{row['id']}")
    assert not area.is_empty
    assert shapely.dwithin(area, shapely.Point(float(row["lon"]), float(row["lat"])), 1.0)


def test_unknown_areas_are_an_error() -> None:
    for area_id in ("country:XX", "admin1:UA.99", "macro:atlantis", "nonsense", "compass:up:country:UA"):
        with pytest.raises(BoundaryNotFound):
            get_area(area_id)


def test_compass_parts_are_about_a_third() -> None:
    whole = get_area("country:UA")
    for way in ("north", "east", "southwest"):
        part = get_area(f"compass:{way}:country:UA")
        assert part.area == pytest.approx(whole.area / 3, rel=0.05)
    assert get_area("compass:east:country:UA").contains(shapely.Point(38, 48.5))
    assert not get_area("compass:east:country:UA").contains(shapely.Point(24, 49.8))
    assert get_area("compass:central:country:UA").contains(shapely.Point(31.5, 49))


def test_the_light_layer_is_light_and_patched() -> None:
    text = get_world_geojson()
    assert len(text.encode()) < 800_000
    features = json.loads(text)["features"]
    ukraine = next(f for f in features if f["properties"]["country"] == "UA" and not f["properties"]["occupied"])
    assert shapely.from_geojson(json.dumps(ukraine["geometry"])).contains(shapely.Point(SIMFEROPOL[1], SIMFEROPOL[0]))
    assert sum(f["properties"]["occupied"] for f in features) == 1


def test_base_layers() -> None:
    layers = load_base_layers()
    assert {"countries", "lakes", "rivers", "occupied"} <= set(layers)
    assert set(layers["lakes"].geom_type) <= {"Polygon", "MultiPolygon"}
    assert set(layers["rivers"].geom_type) <= {"LineString", "MultiLineString"}
    assert set(layers["occupied"]["country"]) == {"UA"}
