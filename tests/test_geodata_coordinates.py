# ruff: noqa: E501 - tables of cases are easier to read in long lines
from __future__ import annotations

import math

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geodata.coordinates import check_coordinate, find_problem, parse_coordinate, parse_point
from geodata.distance import buffer_km, distance_km, distances_km, find_nearest, offset_point
from geodata.errors import CoordinateError

lats = st.floats(-90, 90)
lons = st.floats(-180, 180)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("48.5944", 48.5944), ("48,5944", 48.5944), ("48°35'40\"N", 48.59444), ("48° 35′ 40″ N", 48.59444), ("0°13'00\"S", -0.21667),
        ("78°31'00\"W", -78.51667), ("-0 13 00", -0.21667), ("N48.990", 48.99), ("E037.808", 37.808), ("7 42 04 N", 7.70111), ("27 59 23 E", 27.98972),
        ("−33.5", -33.5), ("٤٨٫٥", 48.5), ("48 35.5", 48.59167), (" 12 ", 12.0), ("1e1", 10.0),
    ],
)  # fmt: skip
def test_coordinates_as_people_write_them(text: str, value: float) -> None:
    assert parse_coordinate(text) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    "text",
    ["", "abc", "nan", "inf", "-5 S", "N5N", "48°61'", "48.5°30'", "1,2,3", "91N", "181E", "9" * 300, "5 X", "0x10"],
)
def test_nonsense_is_an_error(text: str) -> None:
    with pytest.raises(CoordinateError):
        parse_coordinate(text)


def test_the_letter_must_fit_the_axis() -> None:
    with pytest.raises(CoordinateError, match="not a latitude"):
        parse_coordinate("30 E", axis="lat")
    with pytest.raises(CoordinateError, match="outside"):
        parse_coordinate("120", axis="lat")


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("48.59, 37.99", (48.59, 37.99)), ("48,59; 37,99", (48.59, 37.99)), ("48,59 37,99", (48.59, 37.99)), ("48.59 37.99 120 5", (48.59, 37.99)),
        ("POINT (37.99 48.59)", (48.59, 37.99)), ("POINT Z (37.99 48.59 3)", (48.59, 37.99)), ("E037.808 N48.990", (48.99, 37.808)),
        ("48°35'40\"N 37°59'57\"E", (48.59444, 37.99917)), ("48°35'40\"N, 37°59'57\"E", (48.59444, 37.99917)), ("7 42 04 N 27 59 23 E", (7.70111, 27.98972)),
        ("0.142 29.291", (0.142, 29.291)), ("0, 36.9", (0.0, 36.9)),
    ],
)  # fmt: skip
def test_points_as_people_write_them(text: str, point: tuple[float, float]) -> None:
    assert parse_point(text) == pytest.approx(point, abs=1e-4)


@pytest.mark.parametrize("text", ["", "48", "48,59,37,99", "1 2 3 4 5 6", "91, 20", "37.9, 48.5, 100", "somewhere"])
def test_ambiguous_points_are_an_error(text: str) -> None:
    with pytest.raises(CoordinateError):
        parse_point(text)


@given(st.text(max_size=60))
def test_any_text_gives_a_point_or_our_error(text: str) -> None:
    for parse in (parse_point, parse_coordinate):
        try:
            parse(text)
        except CoordinateError:
            continue


@given(lats, lons)
def test_written_points_come_back(lat: float, lon: float) -> None:
    assert parse_point(f"{lat!r}, {lon!r}") == (lat, lon)
    assert parse_point(f"POINT ({lon!r} {lat!r})") == (lat, lon)


@given(st.integers(0, 89), st.integers(0, 59), st.floats(0, 59.99), st.sampled_from("NS"))
def test_degrees_minutes_seconds_come_back(d: int, m: int, s: float, letter: str) -> None:
    value = (d + m / 60 + round(s, 3) / 3600) * (1 if letter == "N" else -1)
    assert parse_coordinate(f"{d}°{m}'{s:.3f}\"{letter}", axis="lat") == pytest.approx(value, abs=1e-6)


def test_zero_is_a_value_and_only_both_are_a_filler() -> None:
    problem = find_problem(0.0, 0.0)
    assert problem is not None
    assert problem.kind == "null_island"
    for point in ((0.0, 36.9), (5.6, 0.0), (0.142, 29.291)):
        assert find_problem(*point) is None


@pytest.mark.parametrize(
    ("lat", "lon", "country", "offer"),
    [(36.255, 49.982, "UA", (49.982, 36.255)), (30.524, 50.455, "UA", (50.455, 30.524)), (-77.03, -12.04, "PE", (-12.04, -77.03)),
     (70.452, 34.426, "AF", (34.426, 70.452)), (120.98, 14.6, "PH", (14.6, 120.98))],
)  # fmt: skip
def test_swapped_points_are_told_with_the_repair(
    lat: float, lon: float, country: str, offer: tuple[float, float]
) -> None:
    problem = find_problem(lat, lon, country=country)
    assert problem is not None
    assert (problem.kind, problem.suggestion) == ("swapped", offer)


def test_metres_and_nonsense_are_told() -> None:
    kinds = [
        getattr(find_problem(*p), "kind", None) for p in ((5540600, 303400), (200, 500), (math.nan, 1), (49.98, 36.25))
    ]
    assert kinds == ["projected", "out_of_range", "not_finite", None]
    assert find_problem(49.982, 36.255, country="UA") is None
    with pytest.raises(CoordinateError, match="latitude"):
        check_coordinate(91, 0)


@given(lats, lons, lats, lons)
def test_distance_is_symmetric_and_bounded(a: float, b: float, c: float, d: float) -> None:
    assert distance_km(a, b, c, d) == pytest.approx(distance_km(c, d, a, b), abs=1e-6)
    assert 0 <= distance_km(a, b, c, d) <= 20016
    assert distances_km(a, b, [c], [d])[0] == pytest.approx(distance_km(a, b, c, d), abs=1e-3)


@given(st.floats(-89, 89), lons, st.floats(0, 5000), st.floats(0, 360))
def test_an_offset_is_as_far_as_asked(lat: float, lon: float, km: float, bearing: float) -> None:
    end = offset_point(lat, lon, km=km, bearing=bearing)
    check_coordinate(*end)
    assert distance_km(lat, lon, *end) == pytest.approx(km, abs=0.01 + km * 1e-6)


def test_thirty_km_north_of_kharkiv() -> None:
    assert offset_point(49.98, 36.25, km=30, bearing=0) == pytest.approx((50.25, 36.25), abs=0.01)


@pytest.mark.parametrize(("lat", "lon"), [(48, 37), (0, 179.9), (-17, -179.5), (89.5, 20), (-89.9, 0), (65, 180)])
def test_buffers_hold_their_rim_everywhere(lat: float, lon: float) -> None:
    area = buffer_km(shapely.Point(lon, lat), km=100)
    assert area.is_valid
    west, south, east, north = area.bounds
    assert -180 <= west <= east <= 180
    assert -90 <= south <= north <= 90
    for bearing in range(0, 360, 30):
        inside, outside = (offset_point(lat, lon, km=km, bearing=bearing) for km in (97, 104))
        assert shapely.dwithin(area, shapely.Point(inside[1], inside[0]), 1e-6)
        assert not area.contains(shapely.Point(outside[1], outside[0]))


def test_nearest() -> None:
    assert find_nearest(0, 179.9, [0, 0, 10], [-179.9, 170, 0])[0] == 0  # type: ignore[index]
    assert find_nearest(0, 0, [], []) is None
    assert find_nearest(0, 0, [math.nan], [1]) is None
