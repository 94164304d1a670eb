"""What must hold for any frame that keeps the contract: nothing is lost on the way through store and exports."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path

import geopandas as gpd
import pandas as pd
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incidents import schema
from incidents.exporters import write_export
from incidents.exporters.csv import read_csv_export
from incidents.exporters.geojson import read_geojson_export
from incidents.report import Report
from incidents.rows import decode_columns, encode_rows, make_frame
from incidents.store import Store
from incidents.summary import summarise

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
json_values = st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts, st.lists, max_leaves=4)
addresses = st.from_regex(r"https?://[a-z]{1,8}\.org/[a-z0-9?=&;-]{0,8}", fullmatch=True)
days = st.dates(date(1, 1, 1), date(9999, 12, 31))
moments = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds


def cells(column: schema.Column) -> st.SearchStrategy[object]:
    if column.name == "incident_id":
        return st.uuids().map(str)
    if column.name == "source_urls":
        return st.lists(addresses, max_size=2)
    if column.name == "country":
        return st.none() | st.from_regex("[A-Z]{2}", fullmatch=True)
    if column.name == "confidence":
        return st.none() | st.floats(0, 1)
    values: dict[str, st.SearchStrategy[object]] = {
        "str": texts,
        "category": st.sampled_from(column.allowed or ("",)),
        "ordered": st.sampled_from(column.allowed or ("",)),
        "date": days,
        "Int64": st.integers(0, 2**53),
        "bool": st.booleans(),
        "list": st.lists(texts, max_size=3),
        "json": st.dictionaries(texts, json_values, max_size=3),
        "datetime": moments,
        "Point": st.builds(shapely.Point, st.floats(-180, 180), st.floats(0.001, 90)),
    }
    return st.none() | values[column.dtype] if column.nullable else values[column.dtype]


@st.composite
def rows(draw: st.DrawFn) -> dict[str, object]:
    row = {c.name: draw(cells(c)) for c in schema.COLUMNS}
    for low, high in (*schema.RANGES, ("evidence_start", "evidence_end"), ("date_start", "date_end")):
        if row[low] is not None and row[high] is not None and row[low] > row[high]:  # type: ignore[operator] # alike
            row[low], row[high] = row[high], row[low]
    if row["date_start"] is None:
        row |= {"date_end": None, "date_precision": "unknown"}
    if row["geometry"] is None:
        row["location_precision"] = "unknown"
    elif row["location_precision"] == "unknown":
        row["location_precision"] = "exact"
    if row["other_affected_kind"] is None:
        row["other_affected"] = None
    return row


@st.composite
def frames(draw: st.DrawFn) -> gpd.GeoDataFrame:
    drawn = draw(st.lists(rows(), max_size=4, unique_by=lambda r: r["incident_id"]))
    names = [c.name for c in schema.COLUMNS if c.name != "geometry"]
    plain = pd.DataFrame({n: pd.Series([r[n] for r in drawn], dtype="object") for n in names})
    points = gpd.array.from_shapely([r["geometry"] for r in drawn], crs="EPSG:4326")
    return schema.conform(gpd.GeoDataFrame(plain, geometry=gpd.GeoSeries(points)))


SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def assert_same(left: gpd.GeoDataFrame, right: gpd.GeoDataFrame) -> None:
    pd.testing.assert_frame_equal(pd.DataFrame(left), pd.DataFrame(right))
    assert left.crs == right.crs


@SLOW
@given(frames())
def test_generated_frames_keep_the_contract_and_conform_leaves_them(frame: gpd.GeoDataFrame) -> None:
    schema.validate(frame)
    assert_same(schema.conform(frame), frame)
    good, rejected = schema.split_valid(frame)
    assert_same(good, frame)
    assert len(rejected) == 0


@SLOW
@given(frames())
def test_csv_loses_nothing(frame: gpd.GeoDataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_same(read_csv_export(write_export(frame, Path(folder) / "x.csv")), frame)


@SLOW
@given(frames())
def test_geojson_loses_nothing(frame: gpd.GeoDataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        read = read_geojson_export(write_export(frame, Path(folder) / "x.geojson"))
    assert_same(read.drop(columns="source_values"), frame.drop(columns="source_values"))
    told = [None if pd.isna(v) else json.loads(v) for v in read["source_values"]]
    assert told == [None if pd.isna(v) else json.loads(v) for v in frame["source_values"]]


@SLOW
@given(frames())
def test_database_rows_lose_nothing(frame: gpd.GeoDataFrame) -> None:
    decoded = decode_columns([encode_rows(frame, schema.COLUMNS)] if len(frame) else [], schema.COLUMNS)
    read = make_frame(decoded, schema.COLUMNS, sort_by=["incident_id"])
    assert_same(read, frame.sort_values("incident_id").reset_index(drop=True))


@settings(SLOW, max_examples=8)
@given(frames())
def test_a_book_loses_nothing(frame: gpd.GeoDataFrame) -> None:
    names = {name for row in frame["report_ids"] for name in row}
    reports = {name: Report("table", name, source_values={"id": name}) for name in names}
    ids = pd.Series([[reports[n].report_id for n in row] for row in frame["report_ids"]], dtype="object")
    frame = frame.assign(report_ids=ids)
    with tempfile.TemporaryDirectory() as folder, Store.open(f"sqlite:///{Path(folder) / 'book.db'}") as store:
        store.add(frame, schema.empty_claims(), list(reports.values()), who="test")
        read = store.load()
        assert store.check() == []
    order = frame.sort_values(["date_start", "incident_id"], na_position="last").reset_index(drop=True)
    assert_same(read.drop(columns="added_at"), order.drop(columns="added_at"))


@SLOW
@given(frames())
def test_sums_never_claim_more_than_was_stated(frame: gpd.GeoDataFrame) -> None:
    summary = summarise(frame)
    assert summary.located + summary.unlocated == summary.incidents == len(frame)
    stated = frame["killed_min"].notna() | frame["killed_max"].notna()
    assert summary.killed_unstated == int((~stated).sum())
    assert (summary.killed_min is None) == (not stated.any())
    if summary.killed_max is not None:
        assert frame["killed_max"].notna().all()
