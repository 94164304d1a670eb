"""Is everything in place? One finding a line, each with what to do where something is wrong."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from geodata.errors import GeodataError
from incidents import __version__
from incidents.errors import IncidentsError
from incidents.settings import Settings, hide_password

__all__ = ["Finding", "run_checks"]

_LIBRARIES = ("geopandas", "pandas", "spacy", "streamlit", "folium", "sqlalchemy", "trafilatura", "pypdf")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    message: str


def run_checks(settings: Settings) -> Iterator[Finding]:
    """Look at everything, one after the other; a check that fails does not stop the others.

    Parameters
    ----------
    settings : Settings

    Yields
    ------
    Finding
    """
    checks: tuple[tuple[str, Callable[[Settings], str]], ...] = (
        ("program", _check_program),
        ("libraries", _check_libraries),
        ("place index", _check_index),
        ("boundaries", _check_boundaries),
        ("model", _check_model),
        ("book", _check_store),
        ("folder", _check_folder),
        ("map files", _check_assets),
        ("fonts", _check_fonts),
    )
    for name, check in checks:
        try:
            yield Finding(name, ok=True, message=check(settings))
        except (IncidentsError, GeodataError) as error:
            yield Finding(name, ok=False, message=" ".join(str(error).split()))
        except Exception as error:  # noqa: BLE001 - a broken installation breaks in any way; the doctor must tell it
            yield Finding(name, ok=False, message=f"{type(error).__name__}: {' '.join(str(error).split())}")


def _check_program(_settings: Settings) -> str:
    return f"incidents {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _check_libraries(_settings: Settings) -> str:
    try:
        return ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES)
    except metadata.PackageNotFoundError as error:
        raise IncidentsError(f"{error.name} is not installed; run: make setup") from error


def _check_index(settings: Settings) -> str:
    from geodata.gazetteer import Gazetteer  # noqa: PLC0415 - each check loads what it looks at, so one fault is one line

    with Gazetteer.open(settings.gazetteer_path) as gazetteer:
        faults = gazetteer.check()
        status = gazetteer.status()
    if faults:
        raise IncidentsError(f"{faults[0]}; delete {status['path']} and it is built again")
    return f"{status['places']:,} places, {status['names']:,} names, {status['size_mb']} MB, {status['path']}"


def _check_boundaries(_settings: Settings) -> str:
    from geodata.boundaries import load_admin1, load_countries  # noqa: PLC0415 - as above

    return f"{len(load_countries())} countries, {len(load_admin1())} first-level areas"


def _check_model(_settings: Settings) -> str:
    from incidents.reading import Reader  # noqa: PLC0415 - as above

    reader = Reader.load()
    described = getattr(reader, "model_name", None)
    return f"language model {described}" if described else "reader loads"


def _check_store(settings: Settings) -> str:
    from incidents.store import Store  # noqa: PLC0415 - as above

    shown = hide_password(settings.database_url)
    path = Path(settings.database_url.removeprefix("sqlite:///"))
    if settings.database_url.startswith("sqlite:///") and not path.exists():
        return f"{shown}: not there yet; the first import makes it"
    with Store.open(settings.database_url) as store:
        faults = store.check()
        counts = store.counts()
    if faults:
        raise IncidentsError(f"{shown}: {'; '.join(faults[:3])}")
    return f"{shown}: {counts['incidents']:,} incidents, {counts['reports']:,} reports"


def _check_folder(settings: Settings) -> str:
    if not settings.database_url.startswith("sqlite:///"):
        return "not needed: the book is on a server"
    folder = Path(settings.database_url.removeprefix("sqlite:///")).resolve().parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return f"{folder} can be written to"
    except OSError as error:
        raise IncidentsError(f"{folder}: cannot be written to ({error.strerror or error})") from error


def _check_assets(_settings: Settings) -> str:
    spec = find_spec("xstatic.pkg.leaflet")
    folders = [Path(p) / "data" for p in (spec.submodule_search_locations if spec else None) or []]
    for folder in folders:
        if (folder / "leaflet.js").is_file() and (folder / "leaflet.css").is_file():
            return f"Leaflet {metadata.version('XStatic-Leaflet')}"
    raise IncidentsError("Leaflet's files are not there; install XStatic-Leaflet (make setup does)")


def _check_fonts(_settings: Settings) -> str:
    from matplotlib import font_manager  # noqa: PLC0415 - as above

    samples = {"Latin": "A", "Cyrillic": "Ж", "Arabic": "س"}
    path = font_manager.findfont("DejaVu Sans", fallback_to_default=False)
    known = font_manager.get_font(path).get_charmap()
    lacking = [name for name, letter in samples.items() if ord(letter) not in known]
    if lacking:
        raise IncidentsError(f"{Path(path).name} lacks {', '.join(lacking)}: briefings would show boxes")
    return f"{Path(path).name} has {', '.join(samples)}"
