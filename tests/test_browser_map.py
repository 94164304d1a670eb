from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
from conftest import ARTIFACTS, Watched
from shapely.geometry import Point

from incidents import schema
from incidents.report import Report
from incidents.samples import load_samples, read_samples
from incidents.store import Store

pytestmark = pytest.mark.browser

SAMPLE = read_samples()[0]
TITLES = (
    '<img src=x onerror="window.__pwned=1">Kiosk hit',
    "</script><script>window.__pwned=1</script>",
    "ZZ{{7*7}}ZZ hits a depot",
    "{{{so}}} at the market",
    "{% raw %} open",
    "{# open",
    "`${window.__pwned=1}`",
    'Smith & Sons "Depot" <b>twice</b>',
    "![x](http://example.invalid/pixel.png) :red[x]",
)


@pytest.fixture(scope="module")
def sample_url(serve_app: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('sample') / 'book.db'}"
    with Store.open(url) as store:
        load_samples(store)
    return serve_app(url)


def add_hostile(store: Store) -> None:
    reports = [Report("article", f"h{n}", text=f"{title} {n}", title=title) for n, title in enumerate(TITLES)]
    rows = [
        {
            "incident_id": f"hostile{n}",
            "title": title,
            "type": "shelling",
            "type_certainty": "stated",
            "date_precision": "unknown",
            "place_name": title,
            "location_precision": "settlement",
            "location_reason": title,
            "geometry": Point(34 + n, 47.5),
            "attributed_to": [title],
            "denied_by": [],
            "contested": False,
            "current": True,
            "evidence": title,
            "review_status": "unreviewed",
            "report_ids": [reports[n].report_id],
            "source_names": [title],
            "source_urls": [],
        }
        for n, title in enumerate(TITLES)
    ]
    frame = schema.conform(gpd.GeoDataFrame(rows, geometry="geometry", crs="EPSG:4326"))
    store.add(frame, schema.empty_claims(), reports, who="test")


def read_count(watched: Watched) -> str:
    return str(watched.page.locator(".ia-count").inner_text())


def click_mark(watched: Watched, frame: Any, lat: float, lon: float) -> None:
    x, y = frame.evaluate(f"() => {{ const p = map.latLngToContainerPoint([{lat}, {lon}]); return [p.x, p.y]; }}")
    box = frame.frame_element().bounding_box()
    watched.page.mouse.click(box["x"] + x, box["y"] + y)


def move(frame: Any, lat: float, lon: float, zoom: int) -> None:
    frame.evaluate(f"() => {{ map.setView([{lat}, {lon}], {zoom}, {{animate: false}}); return 0; }}")


def test_count_and_map_agree_and_the_view_survives_a_filter(sample_url: str, open_page: Callable[..., Watched]) -> None:
    watched = open_page(sample_url)
    frame = watched.find_map()
    located = int(SAMPLE.geometry.notna().sum())
    assert read_count(watched).startswith(f"{len(SAMPLE)} of {len(SAMPLE)} incidents, {located} on the map")
    assert frame.evaluate("() => incidentAtlas.shown") == located
    move(frame, 48.6, 37.4, 8)
    frame.evaluate("() => { window.__same = 1; return 0; }")
    watched.page.wait_for_timeout(800)
    for low in ("20", "40", ""):
        updates = frame.evaluate("() => incidentAtlas.updates")
        box = watched.page.get_by_label("Killed: from")
        box.fill(low)
        box.press("Enter")
        watched.wait_for(frame, f"incidentAtlas.updates > {updates} && incidentAtlas.drawn === incidentAtlas.updates")
        on_map = int(re.search(r"(\d+) on the map", read_count(watched)).group(1))  # type: ignore[union-attr]
        watched.wait_for(frame, f"incidentAtlas.shown === {on_map}")
        assert frame.evaluate("() => [map.getZoom(), window.__same]") == [8, 1]
        # old layers are let go: one group, whatever was filtered before
        assert frame.evaluate("() => window.feature_group.length") == 1
    centre = frame.evaluate("() => [map.getCenter().lat, map.getCenter().lng]")
    assert centre == pytest.approx([48.6, 37.4], abs=0.01)
    assert watched.outside == []
    assert watched.errors == []


def test_a_click_opens_the_card_and_the_view_outlives_a_look_at_another_page(
    sample_url: str, open_page: Callable[..., Watched]
) -> None:
    watched = open_page(sample_url)
    frame = watched.find_map()
    move(frame, 48.7, 37.6, 9)
    watched.page.wait_for_timeout(1000)
    click_mark(watched, frame, 48.73106, 37.56779)
    card = watched.page.locator(".ia-card")
    card.wait_for(timeout=90_000)
    text = card.inner_text()
    for words in ("Kramatorsk", "50 or more", "8 April 2022", "Contested", "At least 50 people were killed"):
        assert words in text
    assert card.locator("a").get_attribute("href").startswith("https://")
    watched.page.get_by_text("Table", exact=True).first.click()
    watched.page.locator("[data-testid=stDataFrame]").wait_for(timeout=90_000)
    watched.page.get_by_text("Map", exact=True).first.click()
    frame = watched.find_map()
    watched.wait_for(frame, "map.getZoom() === 9")
    assert watched.errors == []
    assert watched.outside == []


def test_two_incidents_at_one_place_are_both_listed(sample_url: str, open_page: Callable[..., Watched]) -> None:
    watched = open_page(sample_url)
    frame = watched.find_map()
    move(frame, 47.1, 37.5, 8)
    watched.page.wait_for_timeout(1000)
    click_mark(watched, frame, 47.09514, 37.54131)
    watched.page.locator(".ia-card").nth(1).wait_for(timeout=90_000)
    assert watched.page.locator(".ia-card").count() == 2


def test_a_region_opens_from_anywhere_in_its_area(sample_url: str, open_page: Callable[..., Watched]) -> None:
    watched = open_page(sample_url)
    frame = watched.find_map()
    assert frame.evaluate("() => incidentAtlas.areas") == 3
    move(frame, 48.8, 38.6, 8)
    watched.page.wait_for_timeout(1500)
    click_mark(watched, frame, 49.3, 38.7)
    watched.page.locator(".ia-card").wait_for(timeout=90_000)
    assert "somewhere in the region" in watched.page.locator(".ia-card").inner_text()


def test_download_reads_back(sample_url: str, open_page: Callable[..., Watched], tmp_path: Path) -> None:
    watched = open_page(sample_url)
    watched.find_map()
    with watched.page.expect_download() as download:
        watched.page.get_by_role("button", name="Download GeoJSON").click()
    path = tmp_path / "out.geojson"
    download.value.save_as(path)
    frame = gpd.read_file(path)
    assert set(frame["incident_id"]) == set(SAMPLE["incident_id"])
    assert int(frame.geometry.isna().sum()) == int(SAMPLE.geometry.isna().sum())
    points = frame.set_index("incident_id").geometry.dropna()
    expected = SAMPLE.set_index("incident_id").geometry.loc[points.index]
    assert points.geom_equals_exact(expected, 1e-6).all()


def test_hostile_titles_are_shown_and_never_run(
    serve_app: Callable[[str], str], open_page: Callable[..., Watched], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'book.db'}"
    with Store.open(url) as store:
        add_hostile(store)
    watched = open_page(serve_app(url))
    page, frame = watched.page, watched.find_map()
    assert frame.evaluate("() => incidentAtlas.marks") == len(TITLES)
    move(frame, 47.5, 38, 6)
    page.wait_for_timeout(1000)
    for n, title in enumerate(TITLES):
        x, y = frame.evaluate(f"() => {{ const p = map.latLngToContainerPoint([47.5, {34 + n}]); return [p.x, p.y]; }}")
        box = frame.frame_element().bounding_box()
        page.mouse.move(box["x"] + x, box["y"] + y)
        tip = frame.locator(".atlas-tip b").filter(has_text=title[:9])  # the one before may still be fading out
        tip.wait_for(timeout=90_000)
        assert tip.inner_text() == title
        page.mouse.click(box["x"] + x, box["y"] + y)
        heading = page.locator(".ia-card h3").filter(has_text=title[:9])
        heading.wait_for(timeout=90_000)
        assert heading.inner_text() == title
    page.get_by_text("Table", exact=True).first.click()
    page.locator("[data-testid=stDataFrame]").wait_for(timeout=90_000)
    for one in page.frames:
        assert one.evaluate("() => typeof window.__pwned") == "undefined"
    assert watched.outside == []
    assert watched.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", ["", "add", "table", "briefing", "about"])
def test_pages_look_right_enough_to_be_looked_at(
    sample_url: str, open_page: Callable[..., Watched], name: str, width: int, scheme: str
) -> None:
    watched = open_page(sample_url, path=f"/{name}", width=width, scheme=scheme)
    if not name:
        watched.find_map()
    watched.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=60_000)
    watched.page.wait_for_timeout(1200)
    ARTIFACTS.mkdir(exist_ok=True)
    watched.page.screenshot(path=ARTIFACTS / f"{name or 'map'}-{width}-{scheme}.png", full_page=True)
    wide = watched.page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0  # nothing sticks out sideways
    assert watched.page.locator("[data-testid=stException]").count() == 0
    assert watched.outside == []
    assert watched.errors == []
