from __future__ import annotations

import csv
import io
import os
import threading
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from incidents import schema
from incidents.errors import ExportError
from incidents.exporters import to_bytes, write_export
from incidents.exporters.csv import guard_text, join_list, read_csv_export, split_list, unguard_text
from incidents.rows import get_names

HOSTILE = [
    "=1+1",
    "+49",
    "-5 degrees",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "'=1",
    "''@x",
    "＝1",
    "' -x",
]


def read_rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def make_frame(titles: list[str], **columns: object) -> gpd.GeoDataFrame:
    base: dict[str, object] = {"incident_id": [f"i{n}" for n in range(len(titles))], "title": titles}
    return schema.conform(pd.DataFrame(base | columns))


def test_cells_are_plain_and_null_is_empty() -> None:
    frame = schema.conform(
        gpd.GeoDataFrame(
            {
                "incident_id": ["a", "b"],
                "title": ['Brewer & "Sons", line\r\ntwo', "x"],
                "killed_min": [0, None],
                "source_names": [["A", "B; C\\"], []],
                "contested": [True, False],
                "date_start": pd.Series(["2022-04-08", None]),
                "date_precision": ["day", "unknown"],
                "published_at": ["2022-04-08T10:30:00+03:00", None],
                "location_precision": ["exact", "unknown"],
            },
            geometry=[shapely.Point(-78.5167, -0.2167), None],
            crs="EPSG:4326",
        )
    )
    data = to_bytes(frame, "csv")
    first, second = read_rows(data)
    assert list(first) == get_names(schema.COLUMNS)
    assert first["title"] == frame["title"].iloc[0]
    assert (first["longitude"], first["latitude"]) == ("-78.5167", "-0.2167")
    assert (second["longitude"], second["latitude"]) == ("", "")
    assert (first["killed_min"], second["killed_min"]) == ("0", "")
    assert first["source_names"] == "A; B\\; C\\\\"
    assert (first["contested"], second["contested"]) == ("true", "false")
    assert first["date_start"] == "2022-04-08"
    assert first["published_at"] == "2022-04-08T07:30:00.000000Z"
    assert not data.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_begins_like_a_formula(text: str, tmp_path: Path) -> None:
    frame = make_frame([text], source_names=[[text, "A"]], evidence=[text])
    row = read_rows(to_bytes(frame, "csv"))[0]
    for name in ("title", "evidence", "source_names"):
        assert row[name].startswith("'"), name
    read = read_csv_export(write_export(frame, tmp_path / "x.csv"))
    pd.testing.assert_frame_equal(pd.DataFrame(read), pd.DataFrame(frame))


@pytest.mark.parametrize("text", ["'Amman", "plain", "a=b", "", "’", "{}", "3 - 4"])
def test_harmless_text_is_left_alone(text: str) -> None:
    assert guard_text(text) == text


@given(st.text() | st.text(alphabet="'=+-@ \t\r\nx＝"))
def test_guarding_is_undone(text: str) -> None:
    guarded = guard_text(text)
    assert unguard_text(guarded) == text
    assert not guarded.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@given(st.lists(st.text(min_size=1) | st.text(alphabet="; \\\0a", min_size=1)))
def test_lists_come_apart_again(items: list[str]) -> None:
    assert split_list(join_list(items)) == items


def test_an_empty_frame_has_its_header(tmp_path: Path) -> None:
    path = write_export(schema.empty(), tmp_path / "x.csv")
    assert path.read_text(encoding="utf-8").split("\n")[0].strip().split(",") == get_names(schema.COLUMNS)
    pd.testing.assert_frame_equal(pd.DataFrame(read_csv_export(path)), pd.DataFrame(schema.empty()))


def test_what_is_no_export_of_ours_is_refused(tmp_path: Path) -> None:
    good = write_export(make_frame(["x"], killed_min=[3]), tmp_path / "good.csv").read_text(encoding="utf-8")
    (tmp_path / "columns.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "short.csv").write_text(good + "only,three,cells\n", encoding="utf-8")
    (tmp_path / "value.csv").write_text(good.replace(",3,", ",three,"), encoding="utf-8")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("columns", "short", "value", "bytes", "gone"):
        with pytest.raises(ExportError, match=name):
            read_csv_export(tmp_path / f"{name}.csv")


def test_a_byte_order_mark_that_a_spreadsheet_added_is_no_matter(tmp_path: Path) -> None:
    path = write_export(make_frame(["x"]), tmp_path / "x.csv")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_csv_export(path)) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "out.csv"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    frame = make_frame(["Shelling"])
    write_export(frame, pipe)
    reader.join(timeout=30)
    assert pipe.is_fifo()
    assert got == [to_bytes(frame, "csv")]
