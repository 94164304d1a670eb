"""``incidents serve`` and ``incidents doctor``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click

from incidents.commands.common import database_option, get_settings, say
from incidents.errors import IncidentsError, SourceUnavailable
from incidents.settings import CONFIG_NAME, Settings

__all__ = ["doctor", "serve"]

_ROOT = Path(__file__).resolve().parents[2]
_GRACE_SECONDS = 10


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option("--address", default="127.0.0.1", show_default=True, help="0.0.0.0 lets others in this network in.")
@click.option("--headless", is_flag=True, help="Do not open a browser.")
@database_option
def serve(*, port: int, address: str, headless: bool, database: str | None) -> None:
    """Open the dashboard. Ctrl-C ends it.

    \b
    Examples:
      incidents serve
      incidents serve --port 9000 --database sqlite:///april.db
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    settings = get_settings(database_url=database)
    app = _ROOT / "app.py"
    if not app.is_file():
        raise SourceUnavailable(f"{app}: the dashboard is not there; run from a checkout of the project")
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        "--server.port",
        str(port),
        "--server.address",
        address,
    ]
    if headless or not sys.stdout.isatty():
        command += ["--server.headless", "true"]
    environ = {**os.environ, "INCIDENTS_DATABASE_URL": _make_absolute(settings.database_url), **_name_config()}
    say(f"Dashboard on http://{'localhost' if address in {'127.0.0.1', '0.0.0.0'} else address}:{port}")  # noqa: S104 - shown, not bound
    # The dashboard's own folder, where its .streamlit/config.toml is
    running = subprocess.Popen(command, cwd=_ROOT, env=environ)  # noqa: S603 - our own program, arguments as a list
    # a service manager ends us with SIGTERM: the server must not outlive us and keep the port
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        code = running.wait()
    except KeyboardInterrupt:
        return
    finally:
        _end(running)
    if code:
        raise IncidentsError(f"the dashboard ended with code {code}")


def _end(running: subprocess.Popen[bytes]) -> None:
    """End the server: asked first, then told."""
    if running.poll() is not None:
        return
    running.terminate()
    try:
        running.wait(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        running.kill()


def _name_config() -> dict[str, str]:
    """Return the environment variable that names the settings file here, since the server runs in another folder."""
    chosen = Path(os.environ.get("INCIDENTS_CONFIG") or CONFIG_NAME)
    return {"INCIDENTS_CONFIG": str(chosen.resolve())} if chosen.is_file() else {}


def _make_absolute(url: str) -> str:
    """Return an SQLite address that means the same file from another working directory."""
    head = "sqlite:///"
    path = url.removeprefix(head)
    if not url.startswith(head) or not path or path == ":memory:" or Path(path).is_absolute() or "?" in path:
        return url
    return f"{head}{Path(path).resolve()}"


@click.command()
@database_option
def doctor(*, database: str | None) -> None:
    """Check that everything this needs is in place: one line each; exit code 1 when something is wrong.

    \b
    Example:
      incidents doctor
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from incidents.doctor import run_checks

    settings: Settings = get_settings(database_url=database)
    faults = 0
    for finding in run_checks(settings):
        faults += not finding.ok
        click.echo(f"{'ok' if finding.ok else 'problem':<8} {finding.name:<14} {finding.message}")
    if faults:
        raise IncidentsError(f"{faults} of the checks found a problem")
