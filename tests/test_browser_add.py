from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ARTIFACTS, Watched

from incidents.store import Store

pytestmark = pytest.mark.browser

ARTICLE = """A missile hit a warehouse in Dnipro on 3 May 2024, killing at least four and wounding 17, officials said.

In the town of Nikopol shelling damaged a school on 2 May 2024. <img src=x onerror="window.__pwned=1"> {{7*7}}
"""


@pytest.fixture
def book(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'book.db'}"
    Store.open(url).close()
    return url


def test_an_article_becomes_incidents_on_the_map(
    serve_app: Callable[[str], str], open_page: Callable[..., Watched], book: str
) -> None:
    watched = open_page(serve_app(book), path="/add")
    page = watched.page
    page.get_by_label("The article's text").fill(ARTICLE, timeout=60_000)
    page.get_by_role("button", name="Read", exact=True).click()
    page.locator(".ia-text").wait_for(timeout=120_000)
    assert page.locator(".ia-text mark.ia-place").first.inner_text() == "Dnipro"
    assert '<img src=x onerror="window.__pwned=1"> {{7*7}}' in page.locator(".ia-text").inner_text()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=60_000)
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "add-read-1440-light.png", full_page=True)
    with Store.open(book) as store:
        assert store.load().empty  # nothing is stored before a person says so
    page.get_by_label("Your name or initials").fill("ann")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved 2 incidents").wait_for(timeout=90_000)
    page.wait_for_function("() => document.querySelector('textarea')?.value === ''", timeout=90_000)
    with Store.open(book) as store:
        frame = store.load().set_index("place_name")
        assert frame.loc["Dnipro", "killed_min"] == 4
        assert set(store.history()["who"]) == {"ann"}
    page.get_by_text("Map", exact=True).first.click()
    chart = watched.find_map()
    watched.wait_for(chart, "incidentAtlas.shown === 2")
    assert page.locator(".ia-count").inner_text().startswith("2 of 2 incidents, 2 on the map")
    for one in page.frames:
        assert one.evaluate("() => typeof window.__pwned") == "undefined"
    assert watched.outside == []
    assert watched.errors == []


def test_a_broken_file_is_one_line_and_the_good_one_is_read(
    serve_app: Callable[[str], str], open_page: Callable[..., Watched], book: str
) -> None:
    watched = open_page(serve_app(book), path="/add")
    page = watched.page
    page.get_by_text("Upload a file").click(timeout=60_000)
    files = [
        {"name": "../../broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 and then nothing"},
        {"name": "good.txt", "mimeType": "text/plain", "buffer": ARTICLE.encode()},
    ]
    page.locator("input[type=file]").set_input_files(files)
    page.get_by_text("good.txt").first.wait_for(timeout=90_000)
    page.get_by_role("button", name="Read", exact=True).click()
    page.locator(".ia-text").wait_for(timeout=120_000)
    warning = page.locator("[data-testid=stAlert]").first.inner_text()
    assert "broken.pdf" in warning
    assert ".." not in warning.split("broken.pdf")[0]
    assert page.locator("[data-testid=stException]").count() == 0
    assert watched.outside == []
