"""Briefings: the finished page of the incidents in a frame, as a picture or PDF, drawn without browser or network.

`build_briefing` says what the page says (the page model); a renderer of `FORMATS` draws it.
"""

from __future__ import annotations

import os
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import geopandas as gpd
import pandas as pd

from geodata.boundaries import Policy
from incidents.briefing.compose import MAX_ROWS, build_briefing
from incidents.briefing.model import Briefing
from incidents.briefing.page import Progress
from incidents.briefing.paper import DEFAULT_PAPER, PAPERS
from incidents.briefing.render import FORMATS
from incidents.errors import ExportError, UnknownName

if TYPE_CHECKING:
    from incidents.filters import Filter

__all__ = [
    "FORMATS",
    "MAX_ROWS",
    "PAPERS",
    "Briefing",
    "build_briefing",
    "get_page_path",
    "render_briefing",
    "render_pages",
    "write_briefing",
]


def _get_suffix(fmt: str | None, path: Path | None = None) -> str:
    """Return the key of `FORMATS` for a format's name or a path's ending."""
    wanted = fmt or (path.suffix if path is not None else "")
    suffix = f".{wanted.lower().lstrip('.')}"
    if suffix not in FORMATS:
        known = ", ".join(sorted(known.lstrip(".") for known in FORMATS))
        raise UnknownName(f"No briefing format {wanted or 'without an ending'!r}. Known: {known}.")
    return suffix


def render_pages(
    briefing: Briefing, *, fmt: str, paper: str = DEFAULT_PAPER, progress: Progress | None = None
) -> list[bytes]:
    """Return the files of a page model: one for PDF, one a page for PNG.

    Parameters
    ----------
    briefing : Briefing
    fmt : str
        A key of `FORMATS`, with or without the dot.
    paper : str
        A key of `PAPERS`.
    progress : callable, optional
        Called with (pages drawn, pages in all).

    Returns
    -------
    list of bytes

    Raises
    ------
    UnknownName
        There is no such format or paper.
    """
    suffix = _get_suffix(fmt)
    if paper not in PAPERS:
        raise UnknownName(f"No paper {paper!r}. Known: {', '.join(PAPERS)}.")
    return FORMATS[suffix](briefing, PAPERS[paper], progress=progress)


def render_briefing(
    frame: gpd.GeoDataFrame,
    *,
    fmt: str = "png",
    title: str | None = None,
    filter: Filter | None = None,  # noqa: A002 - the word the program's users know it by
    handling: str | None = None,
    as_of: datetime | None = None,
    total: int | None = None,
    claims: pd.DataFrame | None = None,
    paper: str = DEFAULT_PAPER,
    boundaries: Policy = "un",
    progress: Progress | None = None,
) -> bytes:
    """Return a briefing as bytes: the whole PDF, or the first page as PNG.

    The parameters are those of `build_briefing`; `render_pages` gives all pages of a PNG.

    Raises
    ------
    UnknownName
        There is no such format or paper.
    """
    suffix = _get_suffix(fmt)
    briefing = build_briefing(
        frame,
        title=title,
        filter=filter,
        handling=handling,
        as_of=as_of,
        total=total,
        claims=claims,
        boundaries=boundaries,
    )
    return render_pages(briefing, fmt=suffix, paper=paper, progress=progress)[0]


def get_page_path(path: Path, page: int) -> Path:
    """Return the file of a page where each has its own: ``name.png``, then ``name-2.png`` and so on."""
    return path if page == 1 else path.with_name(f"{path.stem}-{page}{path.suffix}")


def _write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that no half of it is ever seen under its name."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a pipe or a device, such as /dev/stdout: written to, never replaced
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".briefing-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_briefing(
    frame: gpd.GeoDataFrame,
    path: str | Path,
    *,
    title: str | None = None,
    filter: Filter | None = None,  # noqa: A002 - the word the program's users know it by
    handling: str | None = None,
    as_of: datetime | None = None,
    total: int | None = None,
    claims: pd.DataFrame | None = None,
    fmt: str | None = None,
    paper: str = DEFAULT_PAPER,
    boundaries: Policy = "un",
    progress: Progress | None = None,
) -> Path:
    """Write a briefing to a file; further PNG pages go beside it as ``name-2.png`` and so on.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        Incidents, already filtered. Not changed.
    path : str or Path
        The ending says the format, unless `fmt` does.
    title, filter, handling, as_of, total, claims, boundaries
        As in `build_briefing`.
    fmt : str, optional
        ``png`` or ``pdf``.
    paper : str
        A key of `PAPERS`.
    progress : callable, optional
        Called with (pages drawn, pages in all).

    Returns
    -------
    Path
        The first file.

    Raises
    ------
    UnknownName
        There is no such format or paper.
    ExportError
        The file cannot be written.
    """
    target = Path(path)
    suffix = _get_suffix(fmt, target)
    if not target.parent.is_dir():
        raise ExportError(f"Cannot write {target}: the folder {target.parent} does not exist.")
    briefing = build_briefing(
        frame,
        title=title,
        filter=filter,
        handling=handling,
        as_of=as_of,
        total=total,
        claims=claims,
        boundaries=boundaries,
    )
    for number, data in enumerate(render_pages(briefing, fmt=suffix, paper=paper, progress=progress), start=1):
        page = get_page_path(target, number)
        try:
            _write_atomically(page, data)
        except OSError as error:
            raise ExportError(f"Cannot write {page}: {error.strerror or error}.") from error
    return target
