"""Make the pictures of ``docs/images`` from the running dashboard.

Run by hand, after a change of the pages (needs ``make test`` once, for the browser)::

    .venv/bin/python docs/make_screenshots.py

It starts the dashboard on a temporary database with the sample incidents, opens it in Chromium, and writes PNG
pictures, each below 250 kB. The article that it pastes is invented.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
LARGEST = 250_000  # bytes
WIDE, PHONE = (1440, 900), (390, 844)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

ARTICLE = """Two strikes on one night: what is known so far

A missile hit a furniture warehouse on the edge of Dnipro late on Thursday, killing at least four people and wounding \
17, the regional governor said. Rescue workers were still looking for two people on Friday.

Hours earlier, shelling damaged a school and several houses in the town of Nikopol. Three people were injured there, \
one of them a child, according to the police.

The defence ministry in Moscow denied firing at residential buildings. In March, a drone had killed one person in the \
same district of the city.
"""
PUBLISHED = "20240503"


@contextlib.contextmanager
def serve(database_url: str) -> Iterator[str]:
    """Run the dashboard on a free port and give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environ = os.environ | {"INCIDENTS_DATABASE_URL": database_url}
    subprocess.run([sys.executable, "-m", "incidents.samples"], cwd=ROOT, env=environ, check=True)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"]
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL)  # noqa: S603 - our own program
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health") as answer:  # noqa: S310 - our own server
                if answer.read() == b"ok":
                    break
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def find_chromium(playwright: Any) -> str:
    """Return Playwright's own Chromium, or the one of this computer."""
    own = playwright.chromium.executable_path
    found = [own if Path(own).exists() else None, *(shutil.which(n) for n in ("chromium", "chromium-browser"))]
    path = next((p for p in found if p), None)
    if path is None:
        raise SystemExit("no Chromium: run `python -m playwright install chromium`")
    return str(path)


def settle(page: Any) -> None:
    """Wait until the page has finished its run."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=240_000)
    page.wait_for_timeout(1_500)


def wait_for_map(page: Any) -> Any:
    """Return the map's frame once its incidents and names are drawn."""
    ready = "() => !!(window.incidentAtlas && incidentAtlas.drawn && incidentAtlas.baseReady)"
    for _ in range(1_200):
        frame = next((f for f in page.frames if "/component/streamlit_folium." in f.url), None)
        with contextlib.suppress(Exception):  # the frame may be exchanged while it is asked
            if frame is not None and frame.evaluate(ready):
                page.wait_for_timeout(4_000)
                return frame
        page.wait_for_timeout(200)
    raise SystemExit("the map did not appear")


def shoot_map(page: Any, url: str) -> bytes:
    """Take the map with one incident open."""
    page.goto(url)
    wait_for_map(page)
    page.get_by_placeholder("Click a mark on the map, or choose here").or_(
        page.get_by_role("combobox", name="Open an incident")
    ).first.click()
    page.get_by_role("option", name="Missile hits crowded railway station").click()
    settle(page)
    wait_for_map(page)
    return bytes(page.screenshot())


def shoot_phone(page: Any, url: str) -> bytes:
    """Take the map on a telephone."""
    page.goto(url)
    wait_for_map(page)
    return bytes(page.screenshot())


def shoot_add(page: Any, url: str) -> bytes:
    """Take the reading of an article, before it is saved."""
    page.goto(f"{url}/add")
    page.get_by_label("The article's text").fill(ARTICLE, timeout=240_000)
    page.locator("[data-testid=stDateInput]").first.get_by_role("spinbutton").first.click()
    page.keyboard.type(PUBLISHED)  # year, month and day are fields of their own: typing moves on
    page.locator("[data-testid=stTextInput] input").first.click()
    page.get_by_role("button", name="Read", exact=True).click()
    page.locator(".ia-text").wait_for(timeout=240_000)
    settle(page)
    return bytes(page.screenshot())


def shoot_table(page: Any, url: str) -> bytes:
    """Take the table."""
    page.goto(f"{url}/table")
    page.locator("[data-testid=stDataFrame]").wait_for(timeout=240_000)
    settle(page)
    return bytes(page.screenshot(clip={"x": 0, "y": 0, "width": WIDE[0], "height": 720}))


def shoot_briefing(page: Any, url: str) -> bytes:
    """Take the briefing page, with a briefing made."""
    page.goto(f"{url}/briefing")
    page.get_by_label("Title", exact=True).fill("Strikes on Ukraine, spring and summer 2022", timeout=240_000)
    page.get_by_role("button", name="Make the briefing").click()
    page.locator("[data-testid=stImage] img").first.wait_for(timeout=240_000)
    settle(page)
    return bytes(page.screenshot(full_page=True))


SHOTS: dict[str, tuple[tuple[int, int], Literal["light", "dark"], Callable[[Any, str], bytes]]] = {
    "map": (WIDE, "light", shoot_map),
    "map-dark": (WIDE, "dark", shoot_map),
    "map-phone": (PHONE, "light", shoot_phone),
    "add-report": ((1440, 1060), "light", shoot_add),
    "table": (WIDE, "light", shoot_table),
    "briefing": ((1440, 1250), "light", shoot_briefing),
}


def make_palette(picture: Image.Image) -> Image.Image:
    """Return 256 colours: the most frequent, so that surfaces stay exact, and some from all over, for small marks."""
    counted: Any = picture.getcolors(picture.width * picture.height) or []
    frequent = [colour for _, colour in sorted(counted, reverse=True)[:176]]
    spread: Any = picture.quantize(80, method=Image.Quantize.MAXCOVERAGE).convert("RGB").getcolors(256) or []
    frequent = list(dict.fromkeys([*frequent, *(colour for _, colour in spread)]))
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in frequent for value in colour])
    return palette


def save(data: bytes, path: Path) -> None:
    """Write a picture; with fewer colours, then smaller, where it would be too large."""
    picture = Image.open(BytesIO(data)).convert("RGB")
    while True:
        buffer = BytesIO()
        picture.save(buffer, format="PNG", optimize=True)
        if buffer.tell() > LARGEST:  # fewer colours, but none of those that mean something on the map
            buffer = BytesIO()
            picture.quantize(256, palette=make_palette(picture), dither=Image.Dither.NONE).save(
                buffer, format="PNG", optimize=True
            )
        if buffer.tell() <= LARGEST:
            break
        picture = picture.resize((picture.width * 9 // 10, picture.height * 9 // 10), Image.Resampling.LANCZOS)
    path.write_bytes(buffer.getvalue())


def main(names: list[str]) -> None:
    """Make the pictures named, or all."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serve(f"sqlite:///{folder}/shots.db") as url, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=find_chromium(p), args=FLAGS)
        for name in names or SHOTS:
            (width, height), scheme, shoot = SHOTS[name]
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            context.set_default_timeout(120_000)
            save(shoot(context.new_page(), url), IMAGES / f"{name}.png")
            context.close()
            sys.stdout.write(f"{name}.png\n")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
