"""What tests share: no network, a running dashboard, a real Chromium."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A loaded machine is slow, not wrong; the same examples each time, so that a red run can be repeated.
settings.register_profile("atlas", deadline=None, derandomize=True)
settings.load_profile("atlas")

ROOT = Path(__file__).parent.parent
ARTIFACTS = ROOT / "artifacts"
_LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0", "")  # noqa: S104  # compared with, never bound to
_CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class NetworkBlocked(OSError):
    """A test tried to leave this computer."""


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):  # a Unix socket's path
        return True
    host = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
    return host.startswith(_LOOPBACK[:3]) or host in _LOOPBACK


@pytest.fixture(autouse=True)
def _block_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test connect to anything but this computer."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def checked(self: socket.socket, address: Any) -> None:
        if not _is_local(address):
            raise NetworkBlocked(f"a test tried to connect to {address!r}")
        connect(self, address)

    def checked_ex(self: socket.socket, address: Any) -> int:
        if not _is_local(address):
            raise NetworkBlocked(f"a test tried to connect to {address!r}")
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", checked)
    monkeypatch.setattr(socket.socket, "connect_ex", checked_ex)


@pytest.fixture(autouse=True)
def _keep_main() -> Iterator[None]:
    """Put the main module back: a page's test replaces it, and new processes would run the page."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


# ---- the running dashboard ------------------------------------------------------------------------------------------


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def serve_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Give a function that starts the dashboard on a database and returns its address; all are stopped at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def serve(database_url: str) -> str:
        port = _find_free_port()
        log = tmp_path_factory.mktemp("server") / "log.txt"
        environ = {k: v for k, v in os.environ.items() if not k.startswith("INCIDENTS_") or k == "INCIDENTS_CACHE_DIR"}
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port),
                 "--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"],
                cwd=ROOT, env=environ | {"INCIDENTS_DATABASE_URL": database_url}, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        started.append(process)
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            assert process.poll() is None, log.read_text()
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health") as answer:  # noqa: S310  # our own server
                if answer.read() == b"ok":
                    return url
            time.sleep(0.1)
        raise AssertionError(f"the dashboard did not start: {log.read_text()}")

    yield serve
    for process in started:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Give a Chromium: Playwright's own where it is installed, else the one on this computer."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        path = playwright.chromium.executable_path
        if not Path(path).exists():
            found = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
            path = next((p for p in found if p), "")
            if not path:
                pytest.fail("no Chromium: run `python -m playwright install chromium`, or install the package chromium")
        chromium = playwright.chromium.launch(executable_path=path, args=_CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


class Watched:
    """A browser page that remembers what it asked for and what went wrong in it."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.url = url
        self.outside: list[str] = []
        self.errors: list[str] = []
        page.on("request", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.outside.append(request.url)

    def find_map(self) -> Any:
        """Return the map's frame once its incidents are drawn."""
        for _ in range(300):
            frame = next((f for f in self.page.frames if "/component/streamlit_folium." in f.url), None)
            ready = "() => !!(window.incidentAtlas && incidentAtlas.drawn && incidentAtlas.baseReady)"
            if frame is not None and frame.evaluate(ready):
                return frame
            self.page.wait_for_timeout(200)
        raise AssertionError("the map did not appear")

    def wait_for(self, frame: Any, expression: str) -> None:
        """Wait until a JavaScript expression holds in the map's frame."""
        frame.wait_for_function(f"() => {expression}", timeout=30_000)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Watched]]:
    """Give a function that opens an address in a fresh browser context."""
    contexts: list[Any] = []

    def open_(url: str, *, path: str = "", width: int = 1440, height: int = 1000, scheme: str = "light") -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True
        )
        context.set_default_timeout(120_000)
        contexts.append(context)
        watched = Watched(context.new_page(), url)
        watched.page.goto(url + path)
        return watched

    yield open_
    for context in contexts:
        context.close()


# ---- the reader -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def reader() -> Any:
    """Give the built-in reader with the place index and the language model, loaded once."""
    from incidents.reading import Reader

    return Reader.load()
