from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from incidents import schema
from incidents.errors import ExportError, UnknownName
from incidents.exporters import EXPORTERS, get_exporter, to_bytes, write_export
from incidents.exporters.geojson import read_geojson_export

FRAME = schema.conform(
    gpd.GeoDataFrame(
        {
            "incident_id": ["a", "b"],
            "title": ["Brewer & Sons {{7*7}} </script>\n\u2028", "x"],
            "type": "shelling",
            "date_start": pd.Series(["2022-04-08", None]),
            "date_precision": ["day", "unknown"],
            "killed_min": [50, None],
            "attributed_to": [["A", "B; C"], []],
            "confidence": [0.5, None],
            "published_at": ["2022-04-08T10:30:00+03:00", None],
            "source_values": ['{"big": 123456789012345678901234567890, "x": null}', None],
            "location_precision": ["exact", "unknown"],
        },
        geometry=[shapely.Point(37.999123456789, 48.594), None],
        crs="EPSG:4326",
    )
)


def test_geojson_keeps_to_rfc_7946() -> None:
    data = json.loads(to_bytes(FRAME, "geojson"))
    assert data["type"] == "FeatureCollection"
    assert "crs" not in data
    first, second = data["features"]
    assert first["type"] == "Feature"
    assert first["id"] == "a"
    assert first["geometry"] == {"type": "Point", "coordinates": [37.999123456789, 48.594]}
    assert second["geometry"] is None
    assert list(first["properties"]) == [c.name for c in schema.COLUMNS if c.name != "geometry"]
    told = first["properties"]
    assert told["title"] == FRAME["title"].iloc[0]
    assert told["date_start"] == "2022-04-08"
    assert told["published_at"] == "2022-04-08T07:30:00.000000Z"
    assert (told["killed_min"], told["killed_max"]) == (50, None)
    assert told["attributed_to"] == ["A", "B; C"]
    assert told["contested"] is False
    assert told["source_values"] == {"big": 123456789012345678901234567890, "x": None}
    assert second["properties"]["confidence"] is None
    assert second["properties"]["date_start"] is None
    assert b"NaN" not in to_bytes(FRAME, "geojson")


def test_metres_are_written_as_degrees() -> None:
    data = json.loads(to_bytes(FRAME.to_crs("EPSG:3857"), "geojson"))
    assert data["features"][0]["geometry"]["coordinates"] == pytest.approx([37.999123, 48.594], abs=1e-6)
    assert "crs" not in data


def test_an_empty_frame_is_a_valid_collection(tmp_path: Path) -> None:
    path = write_export(schema.empty(), tmp_path / "none.geojson")
    assert json.loads(path.read_bytes())["features"] == []
    assert len(gpd.read_file(path)) == 0
    assert len(read_geojson_export(path)) == 0


def test_metadata_is_a_foreign_member(tmp_path: Path) -> None:
    path = write_export(
        FRAME, tmp_path / "x.json", metadata={"filters": ["killed: 1 or more"], "day": date(2022, 4, 8)}
    )
    metadata = json.loads(path.read_bytes())["metadata"]
    assert metadata["filters"] == ["killed: 1 or more"]
    assert metadata["day"] == "2022-04-08"
    assert metadata["program_version"]


def test_other_programs_read_it(tmp_path: Path) -> None:
    read = gpd.read_file(write_export(FRAME, tmp_path / "x.geojson"))
    assert len(read) == 2
    assert read.crs == "EPSG:4326"
    assert read.geometry.iloc[0].equals(FRAME.geometry.iloc[0])


def test_our_own_reading_gives_the_frame_back(tmp_path: Path) -> None:
    read = read_geojson_export(write_export(FRAME, tmp_path / "x.geojson"))
    json_free = [c for c in FRAME.columns if c != "source_values"]
    pd.testing.assert_frame_equal(pd.DataFrame(read[json_free]), pd.DataFrame(FRAME[json_free]))
    (tmp_path / "other.geojson").write_text('{"type": "Point"}', encoding="utf-8")
    for name in ("other.geojson", "gone.geojson"):
        with pytest.raises(ExportError):
            read_geojson_export(tmp_path / name)


def test_exports_of_many_chunks_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for fmt in EXPORTERS:
        whole = to_bytes(FRAME, fmt)
        monkeypatch.setattr(f"incidents.exporters.{fmt}._CHUNK", 1)
        assert to_bytes(FRAME, fmt) == whole


def test_formats_are_found_by_name_and_by_suffix(tmp_path: Path) -> None:
    assert write_export(FRAME, tmp_path / "X.GeoJSON").read_bytes().startswith(b'{"type":"FeatureCollection"')
    assert write_export(FRAME, tmp_path / "x.txt", fmt="CSV").read_bytes().startswith(b"incident_id,")
    for wrong in ("x", "x.docx"):
        with pytest.raises(UnknownName, match="geojson"):
            write_export(FRAME, tmp_path / wrong)
    with pytest.raises(UnknownName, match="csv"):
        get_exporter("dbf")


@pytest.mark.parametrize("fmt", list(EXPORTERS))
def test_a_failure_leaves_what_was_there(tmp_path: Path, fmt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    path.write_text("before", encoding="utf-8")

    def fail(*_args: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"incidents.exporters.{fmt}.write", fail)
    with pytest.raises(ExportError, match="No space left"):
        write_export(FRAME, path, fmt=fmt)
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert path.read_text(encoding="utf-8") == "before"
    with pytest.raises(ExportError):
        write_export(FRAME, tmp_path / "no" / "folder", fmt=fmt)


def test_exporting_changes_nothing() -> None:
    before = FRAME.copy(deep=True)
    for fmt in EXPORTERS:
        assert to_bytes(FRAME, fmt) == to_bytes(FRAME, fmt)
    pd.testing.assert_frame_equal(pd.DataFrame(FRAME), pd.DataFrame(before))
