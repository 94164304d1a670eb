"""From drawn pages to files: PNG at 300 dpi, and PDF with text that can be searched."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import matplotlib as mpl
import pypdf
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_pdf import PdfPages
from PIL import Image, PngImagePlugin
from pypdf.generic import BooleanObject, DictionaryObject, NameObject, TextStringObject

from incidents.briefing.model import Briefing
from incidents.briefing.page import Progress, draw_pages
from incidents.briefing.paper import Paper
from incidents.briefing.words import get_now

__all__ = ["FORMATS", "Renderer", "render_pdf", "render_png"]

PNG_DPI = 300
_PAGES_IN_MEMORY = 2
_PROGRAM = "Incident Atlas"
_DRAWING = threading.Lock()
"""Matplotlib is not safe to draw with from several threads at once; a server draws one briefing after another."""
_SETTINGS: dict[Any, Any] = {
    "pdf.fonttype": 42,  # TrueType, so that text can be searched, copied and edited
    "pdf.compression": 6,
    "text.usetex": False,
    "text.hinting": "no_hinting",  # at 300 dpi it only costs time, and lines come out as wide as they were measured
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
    "hatch.linewidth": 0.45,
    "axes.unicode_minus": True,
}

Renderer = Callable[..., list[bytes]]


@contextmanager
def _drawing() -> Iterator[None]:
    with _DRAWING, mpl.rc_context():
        mpl.rcdefaults()  # a user's matplotlibrc must not change the page
        mpl.rcParams.update(_SETTINGS)
        yield


def render_png(briefing: Briefing, paper: Paper, *, progress: Progress | None = None) -> list[bytes]:
    """Return the pages as PNG pictures of 300 dpi, one each."""
    futures: list[Future[bytes]] = []
    renderer: Any = None  # matplotlib publishes no types for its Agg renderer
    # a page is packed (which lets other threads run) while the next one is drawn
    with _drawing(), ThreadPoolExecutor(max_workers=1) as packer:
        for number, sheet in enumerate(draw_pages(briefing, paper, progress=progress), start=1):
            sheet.figure.set_dpi(PNG_DPI)
            size = sheet.figure.bbox.size
            if renderer is None:  # one sheet of pixels serves all pages
                renderer = RendererAgg(round(size[0]), round(size[1]), PNG_DPI)  # type: ignore[no-untyped-call] # the same
            renderer.clear()
            sheet.figure.draw(renderer)
            pixels = (int(renderer.width), int(renderer.height))
            picture = Image.frombuffer("RGBA", pixels, renderer.buffer_rgba(), "raw", "RGBA", 0, 1)
            title = f"{briefing.title} (page {number})"
            futures.append(packer.submit(_pack_png, picture.convert("RGB"), title=title, language=briefing.language))
            if len(futures) > _PAGES_IN_MEMORY:
                futures[-_PAGES_IN_MEMORY].result()
    return [future.result() for future in futures]


def _pack_png(picture: Image.Image, *, title: str, language: str) -> bytes:
    about = PngImagePlugin.PngInfo()
    about.add_itxt("Title", title, lang=language)
    about.add_itxt("Software", _PROGRAM)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", dpi=(PNG_DPI, PNG_DPI), pnginfo=about, compress_level=3)
    return buffer.getvalue()


def render_pdf(briefing: Briefing, paper: Paper, *, progress: Progress | None = None) -> list[bytes]:
    """Return one PDF with all pages: vectors, embedded TrueType fonts, title and language set."""
    now: datetime = get_now().astimezone(UTC)
    metadata = {"Title": briefing.title, "Creator": _PROGRAM, "Producer": "matplotlib", "CreationDate": now}
    buffer = io.BytesIO()
    with _drawing(), PdfPages(buffer, metadata=metadata) as pdf:
        for sheet in draw_pages(briefing, paper, progress=progress):
            pdf.savefig(sheet.figure)
    return [_finish_pdf(buffer, briefing)]


def _finish_pdf(buffer: io.BytesIO, briefing: Briefing) -> bytes:
    """Set what matplotlib cannot: the language, and that viewers show the title."""
    writer = pypdf.PdfWriter(clone_from=buffer)
    root = writer.root_object
    root[NameObject("/Lang")] = TextStringObject(briefing.language)
    root[NameObject("/ViewerPreferences")] = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})  # noqa: FBT003 - pypdf's own signature
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


FORMATS: dict[str, Renderer] = {".png": render_png, ".pdf": render_pdf}
"""File name ending to renderer; a renderer returns one entry for each file it makes."""
