from __future__ import annotations

from datetime import date

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from incidents import schema
from incidents.summary import count_line, format_range, summarise


def make_frame(**columns: object) -> gpd.GeoDataFrame:
    count = len(next(iter(columns.values())))  # type: ignore[arg-type] # lists
    points = columns.pop("geometry", [None] * count)
    precision = ["unknown" if p is None else "settlement" for p in points]  # type: ignore[attr-defined] # a list
    base = {"incident_id": [f"i{n}" for n in range(count)], "location_precision": precision}
    return schema.conform(gpd.GeoDataFrame(base | columns, geometry=points, crs="EPSG:4326"))


def test_what_is_not_stated_is_counted_apart_and_never_as_zero() -> None:
    summary = summarise(make_frame(killed_min=[3, None, 0], killed_max=[3, None, 0]))
    assert summary.incidents == 3
    assert summary.killed == "at least 3"
    assert summary.killed_unstated == 1
    assert (summary.killed_min, summary.killed_max) == (3, None)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ([3, 4], [3, 4], "7"),
        ([3, 4], [5, 4], "7–9"),
        ([3, 4], [None, 4], "at least 7"),
        ([0, 0], [0, 0], "none"),
        ([None, None], [None, None], "not stated"),
        ([None, 2], [5, 2], "2–7"),
        ([1200, 1], [1200, 1], "1,201"),
    ],
)
def test_a_sum_of_ranges_is_a_range(low: list[int | None], high: list[int | None], words: str) -> None:
    assert summarise(make_frame(killed_min=low, killed_max=high)).killed == words
    assert summarise(make_frame(injured_min=low, injured_max=high)).injured == words


def test_places_sources_and_days() -> None:
    here, there = shapely.Point(30, 50), shapely.Point(31, 50)
    frame = make_frame(
        geometry=[here, here, there, there, None],
        geonameid=[1, 1, None, None, 9],
        source_names=[["A"], ["A", "B"], [], [], ["C"]],
        date_start=pd.Series(["2022-04-08", "2022-04-01", None, None, "2022-04-02"]),
        date_end=pd.Series([None, "2022-05-01", None, None, "2022-04-02"]),
    )
    summary = summarise(frame)
    assert (summary.located, summary.unlocated, summary.undated) == (4, 1, 2)
    assert summary.places == 2
    assert summary.sources == 3
    assert (summary.first_day, summary.last_day) == (date(2022, 4, 1), date(2022, 5, 1))


def test_nothing_is_a_set_too() -> None:
    summary = summarise(schema.empty())
    assert summary.incidents == summary.places == summary.sources == summary.killed_unstated == 0
    assert summary.killed == "not stated"
    assert summary.first_day is summary.last_day is None
    assert count_line(schema.empty(), schema.empty()) == "0 of 0 incidents, 0 on the map, 0 without a location"


def test_count_line() -> None:
    frame = make_frame(geometry=[shapely.Point(30, 50), None, shapely.Point(30, 50)])
    assert count_line(frame, frame[:2]) == "2 of 3 incidents, 1 on the map, 1 without a location"
    assert count_line(frame[:1], frame[:1]) == "1 of 1 incident, 1 on the map, 0 without a location"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (50, None, "50 or more"),
        (None, 40, "up to 40"),
        (3, 5, "3–5"),
        (7, 7, "7"),
        (None, None, "not stated"),
        (pd.NA, pd.NA, "not stated"),
        (0, 0, "none"),
        (None, 0, "none"),
        (0, 5, "0–5"),
        (1234, 1234, "1,234"),
    ],
)
def test_format_range(low: int | None, high: int | None, words: str) -> None:
    assert format_range(low, high) == words
