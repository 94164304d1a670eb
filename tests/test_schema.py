from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely

from geodata.errors import CrsError
from incidents import schema
from incidents.errors import SchemaError


def make_frame(**columns: object) -> gpd.GeoDataFrame:
    base: dict[str, object] = {"incident_id": ["a", "b"], "title": ["Shelling", "Strike"]}
    base.update(columns)
    points = base.pop("geometry", [None, None])
    return gpd.GeoDataFrame(base, geometry=points, crs="EPSG:4326")


def failures_of(frame: gpd.GeoDataFrame) -> list[tuple[object, object]]:
    with pytest.raises(SchemaError) as caught:
        schema.validate(frame)
    return [(f["row"], f["column"]) for f in caught.value.failures]


def test_empty_has_every_column_in_its_type_and_is_valid() -> None:
    frame = schema.empty()
    assert list(frame.columns) == [c.name for c in schema.COLUMNS]
    assert frame.crs == "EPSG:4326"
    assert frame.attrs["schema_version"] == schema.SCHEMA_VERSION
    assert str(frame["killed_min"].dtype) == "Int64"
    assert str(frame["date_start"].dtype) == "date32[day][pyarrow]"
    assert str(frame["published_at"].dtype) == "datetime64[us, UTC]"
    assert frame["location_precision"].cat.ordered
    schema.validate(frame)
    assert list(schema.empty_claims().columns) == [c.name for c in schema.CLAIM_COLUMNS]


def test_conform_fills_absent_columns_and_leaves_the_argument_alone() -> None:
    frame = make_frame(killed_min=[3.0, np.nan])
    before = frame.copy(deep=True)
    result = schema.conform(frame)
    pd.testing.assert_frame_equal(pd.DataFrame(frame), pd.DataFrame(before))
    assert result["killed_min"].tolist() == [3, pd.NA]
    assert result["source_urls"].tolist() == [[], []]
    assert result["source_urls"].iloc[0] is not result["source_urls"].iloc[1]
    assert result["location_precision"].tolist() == ["unknown", "unknown"]
    assert result["current"].tolist() == [True, True]
    assert result["review_status"].tolist() == ["unreviewed", "unreviewed"]
    schema.validate(result)


def test_conform_is_idempotent() -> None:
    once = schema.conform(make_frame(geometry=[shapely.Point(38, 48.6), None], location_precision=["exact", "unknown"]))
    twice = schema.conform(once)
    pd.testing.assert_frame_equal(pd.DataFrame(once), pd.DataFrame(twice))


def test_conform_never_invents_a_reference_system() -> None:
    frame = gpd.GeoDataFrame({"incident_id": ["a"]}, geometry=[shapely.Point(38, 48.6)])
    with pytest.raises(CrsError, match="reference system"):
        schema.conform(frame)
    with pytest.raises(CrsError):
        schema.conform(pd.DataFrame({"incident_id": ["a"], "geometry": [shapely.Point(38, 48.6)]}))


def test_conform_transforms_a_stated_reference_system() -> None:
    frame = gpd.GeoDataFrame({"incident_id": ["a"]}, geometry=[shapely.Point(4230029, 6205022)], crs="EPSG:3857")
    point = schema.conform(frame).geometry.iloc[0]
    assert point.x == pytest.approx(37.999, abs=0.01)
    assert point.y == pytest.approx(48.59, abs=0.01)


def test_validate_refuses_another_reference_system() -> None:
    frame = schema.conform(make_frame())
    with pytest.raises(CrsError, match="3857"):
        schema.validate(frame.to_crs("EPSG:3857"))
    with pytest.raises(CrsError):
        schema.validate(pd.DataFrame(frame))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("killed_min", 1.5),
        ("killed_min", "three"),
        ("killed_min", True),
        ("killed_min", 2**70),
        ("type", "earthquake"),
        ("date_start", "08.04.2022"),
        ("date_start", "2022-13-01"),
        ("published_at", datetime(2022, 4, 8, 10, 30)),  # noqa: DTZ001 - the missing zone is the point
        ("published_at", "2022-04-08T10:30:00"),
        ("source_urls", "https://example.org"),
        ("contested", "perhaps"),
        ("title", "half a pair \ud83d"),
        ("source_values", ["list"]),
        ("confidence", "high"),
    ],
)
def test_conform_refuses_what_a_type_cannot_hold(column: str, value: object) -> None:
    frame = pd.DataFrame({"incident_id": ["a", "b"], column: pd.Series([None, value], dtype="object")})
    with pytest.raises(SchemaError) as caught:
        schema.conform(frame)
    assert [(f["row"], f["column"]) for f in caught.value.failures] == [("b", column)]


def test_conform_names_unknown_and_doubled_columns() -> None:
    with pytest.raises(SchemaError, match="casualties"):
        schema.conform(make_frame(casualties=[1, 2]))
    doubled = pd.DataFrame([["a", "x", "y"]], columns=["incident_id", "title", "title"])
    with pytest.raises(SchemaError, match="title"):
        schema.conform(doubled)


def test_dates_keep_the_local_day() -> None:
    moments = pd.Series(pd.to_datetime(["2022-04-08T01:00:00+03:00", None]))
    result = schema.conform(make_frame(date_start=moments))
    assert result["date_start"].tolist()[0] == date(2022, 4, 8)
    assert result["date_start"].isna().tolist() == [False, True]


def test_moments_are_converted_to_utc() -> None:
    result = schema.conform(make_frame(published_at=["2022-04-08T10:30:00+03:00", None]))
    assert result["published_at"].iloc[0] == pd.Timestamp("2022-04-08T07:30:00Z")


def test_empty_text_is_not_stated() -> None:
    result = schema.conform(make_frame(place_name=["", "Irpin"], source_names=[["", "Paper"], None]))
    assert result["place_name"].isna().tolist() == [True, False]
    assert result["source_names"].tolist() == [["Paper"], []]


@pytest.mark.parametrize(
    ("columns", "row", "column"),
    [
        ({"incident_id": ["a", "a"]}, "a", "incident_id"),
        ({"incident_id": ["a", None]}, 1, "incident_id"),
        ({"title": ["Shelling", None]}, "b", "title"),
        ({"type": ["shelling", None]}, "b", "type"),
        ({"killed_min": [None, -1]}, "b", "killed_min"),
        ({"killed_min": [None, 5], "killed_max": [2, 4]}, "b", "killed_min"),
        ({"date_start": [None, "2022-04-08"], "date_end": [None, "2022-04-07"]}, "b", "date_end"),
        ({"date_end": [None, "2022-04-07"]}, "b", "date_end"),
        ({"date_precision": ["unknown", "day"]}, "b", "date_precision"),
        ({"country": ["UA", "Ukraine"]}, "b", "country"),
        ({"confidence": [0.5, 1.5]}, "b", "confidence"),
        ({"other_affected": [None, 5]}, "b", "other_affected"),
        ({"evidence_start": [1, 9], "evidence_end": [2, 3]}, "b", "evidence_start"),
        ({"source_urls": [["https://example.org/a"], ["javascript:alert(7)"]]}, "b", "source_urls"),
        ({"source_values": ["{}", "{'a'}"]}, "b", "source_values"),
        ({"source_values": ["{}", "[1]"]}, "b", "source_values"),
        ({"source_values": ["{}", '{"a": NaN}']}, "b", "source_values"),
        ({"location_precision": ["unknown", "region"]}, "b", "location_precision"),
    ],
)
def test_validate_names_row_and_column(columns: dict[str, object], row: object, column: str) -> None:
    frame = schema.conform(make_frame(**columns))
    assert failures_of(frame) == [(row, column)]


@pytest.mark.parametrize(
    "point",
    [
        shapely.Point(0, 0),
        shapely.Point(200, 48),
        shapely.Point(38, 500),
        shapely.Point(float("inf"), 48),
        shapely.Point(),
        shapely.box(37, 48, 38, 49),
    ],
)
def test_validate_refuses_unusable_points(point: shapely.Geometry) -> None:
    frame = schema.conform(make_frame(geometry=[None, point], location_precision=["unknown", "exact"]))
    assert failures_of(frame) == [("b", "geometry")]


def test_latitude_or_longitude_zero_alone_is_a_real_place() -> None:
    points = [shapely.Point(36.9, 0), shapely.Point(0, 51.48)]
    schema.validate(schema.conform(make_frame(geometry=points, location_precision=["settlement", "exact"])))


def test_a_point_needs_its_precision() -> None:
    frame = schema.conform(make_frame(geometry=[None, shapely.Point(38, 48)]))
    assert failures_of(frame) == [("b", "location_precision")]


def test_validate_collects_all_failures_at_once() -> None:
    frame = schema.conform(make_frame(killed_min=[-1, -2], country=["ukr", None]))
    assert failures_of(frame) == [("a", "country"), ("a", "killed_min"), ("b", "killed_min")]


def test_split_valid_loses_no_row_and_gives_reasons() -> None:
    frame = make_frame(
        incident_id=["a", "b", "a", "c"],
        title=["one", "two", "three", "four"],
        killed_min=[3, "x", 5, -1],
        geometry=[shapely.Point(38, 48), None, None, None],
        location_precision=["exact", "unknown", "unknown", "unknown"],
    )
    good, rejected = schema.split_valid(frame)
    assert good["title"].tolist() == ["one"]
    assert rejected["title"].tolist() == ["two", "three", "four"]
    assert rejected.index.tolist() == [1, 2, 3]
    assert "whole number" in rejected["reason"].iloc[0]
    assert "'x'" in rejected["reason"].iloc[0]
    assert "unique" in rejected["reason"].iloc[1]
    assert "negative" in rejected["reason"].iloc[2]
    schema.validate(good)


def test_split_valid_of_nothing() -> None:
    good, rejected = schema.split_valid(schema.empty())
    assert len(good) == 0
    assert len(rejected) == 0
    assert "reason" in rejected.columns


def test_claims_are_checked_too() -> None:
    row = {"claim_id": "c", "incident_id": "a", "measure": "killed", "min": 50, "max": None}
    result = schema.conform_claims(pd.DataFrame([row]))
    assert result["stance"].tolist() == ["asserts"]
    assert result["group"].tolist() == ["all"]
    with pytest.raises(SchemaError, match="max"):
        schema.conform_claims(pd.DataFrame([row | {"max": 3}]))
    with pytest.raises(SchemaError, match="unique"):
        schema.conform_claims(pd.DataFrame([row, row]))
    with pytest.raises(SchemaError, match="measure"):
        schema.conform_claims(pd.DataFrame([row | {"measure": "eaten"}]))


def test_documentation_of_the_columns_is_current() -> None:
    page = Path(__file__).parent.parent / "docs" / "columns.md"
    assert page.read_text(encoding="utf-8") == schema.describe_columns(), (
        "run: python -m incidents.schema > docs/columns.md"
    )
