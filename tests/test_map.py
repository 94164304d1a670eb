from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
import streamlit_folium
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Point

from incidents import schema
from incidents.map import (
    ASSETS,
    MapAssets,
    build_incident_layer,
    build_map,
    escape_text,
    read_mark_key,
    select_mark,
)
from incidents.symbols import PARENT_STYLES

ASSET_URLS = MapAssets(leaflet="../leaflet/", own="../own/", base="../base/", version="1")
HOSTILE = (
    '<img src=x onerror="window.__pwned=1">Depot',
    "</script><script>window.__pwned=1</script>",
    "ZZ{{7*7}}ZZ",
    "{{{so}}}",
    "{% raw %} open",
    "{# open",
    "`${window.__pwned=1}`",
    "back\\slash \\u003cb>",
    'Smith & Sons "Depot" <b>twice</b>',
    "a\u202eb\x00d",
)


def make_frame(rows: list[dict[str, Any]]) -> gpd.GeoDataFrame:
    filled = [
        {
            "incident_id": f"i{n}",
            "title": "Shelling",
            "type": "shelling",
            "type_certainty": "stated",
            "date_precision": "unknown",
            "location_precision": "settlement",
            "geometry": Point(37.999, 48.594),
            "attributed_to": [],
            "denied_by": [],
            "contested": False,
            "current": True,
            "review_status": "unreviewed",
            "report_ids": [],
            "source_names": [],
            "source_urls": [],
            **row,
        }
        for n, row in enumerate(rows)
    ]
    return schema.conform(gpd.GeoDataFrame(filled, geometry="geometry", crs="EPSG:4326"))


def read_layer(frame: gpd.GeoDataFrame, **options: Any) -> dict[str, Any]:
    group = build_incident_layer(frame, **{"area_url": lambda area: f"areas/{area}.json", **options})
    script = next(iter(group._children.values()))
    return json.loads(script.argument)


def send(frame: gpd.GeoDataFrame) -> str:
    """Return what streamlit-folium sends to the browser: rendered by Jinja, twice."""
    folium_map = build_map(assets=ASSET_URLS)
    folium_map.get_root().render()
    streamlit_folium._get_map_string(folium_map)
    group = build_incident_layer(frame, area_url=lambda area: None)
    return streamlit_folium._get_feature_group_string(group, map=folium_map)


@given(st.text())
def test_escaped_text_is_inert_and_reads_the_same(text: str) -> None:
    inert = escape_text(text)
    assert not set(inert) & set("<>\"'{}`\\$")
    read = html.unescape(inert)
    assert escape_text(read) == inert  # unescaping once gives back what is shown: nothing is escaped twice
    inert.encode("utf-8")


def test_plain_names_are_not_escaped_twice() -> None:
    assert html.unescape(escape_text("Smith & Sons")) == "Smith & Sons"
    assert "&amp;amp;" not in send(make_frame([{"title": "Smith & Sons"}]))


@pytest.mark.parametrize("title", HOSTILE)
@pytest.mark.parametrize("field", ["title", "place_name", "location_reason"])
def test_hostile_text_is_inert_in_what_the_browser_gets(title: str, field: str) -> None:
    script = send(make_frame([{field: title, "location_precision": "region", "area_id": title}]))
    assert "ZZ49ZZ" not in script
    assert "<img" not in script
    assert "<script" not in script
    assert "`" not in script
    if field == "title":
        assert escape_text(title)[:8] in script


def test_hostile_texts_in_saved_html_are_inert() -> None:
    folium_map = build_map(assets=ASSET_URLS)
    group = build_incident_layer(make_frame([{"title": t} for t in HOSTILE]), area_url=lambda area: None)
    group.add_to(folium_map)
    page = folium_map.get_root().render()
    assert "ZZ49ZZ" not in page
    assert "onerror=" not in page.replace("onerror=&quot;", "")


def test_the_map_loads_nothing_from_elsewhere() -> None:
    folium_map = build_map(assets=ASSET_URLS)
    links = [url for _, url in folium_map.default_js + folium_map.default_css]
    assert all(url.startswith("../") for url in links)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", folium_map.get_root().render())
    assert not re.search(r"https?://", "".join(f.read_text("utf-8") for f in ASSETS.glob("atlas.*")))


def test_filters_do_not_change_the_map_that_the_browser_keeps() -> None:
    def get_key(frame: gpd.GeoDataFrame) -> str:
        folium_map = build_map(assets=ASSET_URLS)
        folium_map.get_root().render()
        return streamlit_folium.generate_js_hash(streamlit_folium._get_map_string(folium_map), "key")

    assert get_key(make_frame([{}])) == get_key(schema.empty())
    assert send(make_frame([{}])) == send(make_frame([{}]))


def test_no_usable_coordinate_is_no_mark_and_no_error() -> None:
    frame = make_frame([{}, {"geometry": None, "location_precision": "unknown"}])
    frame = gpd.GeoDataFrame(frame, geometry=[Point(38, 48.6), None], crs=frame.crs)
    worse = gpd.GeoDataFrame(
        make_frame([{}] * 4),
        geometry=[Point(38, 48.6), Point(float("nan"), 48), Point(37, float("inf")), Point(500, 200)],
        crs=frame.crs,
    )
    assert read_layer(frame)["shown"] == 1
    assert read_layer(worse)["shown"] == 1


def test_no_incidents_give_an_empty_layer() -> None:
    assert read_layer(schema.empty()) == {"bounds": None, "shown": 0, "note": "", "marks": [], "areas": []}


def test_incidents_at_one_spot_share_one_mark_and_are_all_reached() -> None:
    frame = make_frame([{"title": f"number {n}", "killed_min": 1} for n in range(7)])
    layer = read_layer(frame)
    (mark,) = layer["marks"]
    assert mark[5] == 7
    assert "and 2 more" in mark[7]
    assert len(select_mark(frame, mark[6])) == 7
    south, west, north, east = layer["bounds"]
    assert min(north - south, east - west) > 0.2  # a spot is shown with the country around it


def test_a_region_is_an_area_and_never_a_pin() -> None:
    frame = make_frame(
        [
            {"location_precision": "region", "area_id": "admin1:UA.08", "geometry": Point(33.4, 46.6)},
            {"location_precision": "settlement", "geometry": Point(32.61, 46.64)},
        ]
    )
    layer = read_layer(frame)
    assert [a[0] for a in layer["areas"]] == ["areas/admin1:UA.08.json"]
    assert [m[4] for m in layer["marks"]] == [0]
    unknown_outline = read_layer(frame, area_url=lambda area: None)
    assert sorted(m[4] for m in unknown_outline["marks"]) == [0, 1]  # hollow and dashed, not a pin
    assert select_mark(frame, layer["areas"][0][5])["location_precision"].tolist() == ["region"]


def test_not_stated_is_not_none() -> None:
    sizes = [
        read_layer(make_frame([killed]))["marks"][0][3]
        for killed in (
            {},
            {"killed_min": 0, "killed_max": 0},
            {"killed_min": 5},
            {"killed_max": 40},
            {"killed_min": 50},
        )
    ]
    assert sizes == [0, 1, 2, 3, 4]


def test_too_many_marks_become_groups_that_lose_nobody() -> None:
    frame = make_frame([{"geometry": Point(20 + n % 60 / 3, 40 + n // 60 / 3)} for n in range(3000)])
    layer = read_layer(frame, limit=500)
    assert layer["shown"] == 3000
    assert len(layer["marks"]) < 2500
    near = read_layer(frame, limit=500, bounds=(20, 40, 25, 45))
    assert all(19 < m[1] < 26 and 39 < m[0] < 46 for m in near["marks"])
    for west, south, east, north in [layer["bounds"]]:
        assert west < east or south < north


def test_zero_is_a_coordinate() -> None:
    layer = read_layer(make_frame([{"geometry": Point(9.45, 0.0)}, {"geometry": Point(0.0, 51.48)}]))
    assert layer["shown"] == 2


@given(lon=st.floats(-180, 180), lat=st.floats(-90, 90))
def test_a_click_finds_its_incident(lon: float, lat: float) -> None:
    frame = make_frame([{"geometry": Point(lon, lat)}, {"geometry": Point(-lon / 2 + 1, lat / 3)}])
    for mark in read_layer(frame)["marks"]:
        key = read_mark_key(f"Some title [mark p1] [mark {mark[6]}]")
        assert key == mark[6]
        assert len(select_mark(frame, key)) == mark[5]


@pytest.mark.parametrize("text", [None, "", "no mark", "[mark <b>]", "[mark p1] and more", "[mark pxyz]"])
def test_a_strange_click_finds_nothing(text: str | None) -> None:
    key = read_mark_key(text)
    assert key is None or select_mark(make_frame([{}]), key).empty


def test_the_frame_is_not_changed() -> None:
    frame = make_frame([{}, {"location_precision": "region", "area_id": "admin1:UA.08"}])
    before = frame.copy(deep=True)
    read_layer(frame)
    select_mark(frame, "p1")
    assert frame.equals(before)


def test_the_script_knows_every_shape() -> None:
    script = (ASSETS / "atlas.js").read_text("utf-8")
    for style in PARENT_STYLES.values():
        assert style.shape == "circle" or f'"{style.shape}"' in script
    assert "var KIND = { POINT: 0, COARSE: 1, GROUP: 2, NEAR: 3 };" in script


def test_our_assets_are_our_own() -> None:
    assert sorted(p.name for p in Path(ASSETS).iterdir()) == ["atlas.css", "atlas.js", "icon.svg", "pages.css"]
