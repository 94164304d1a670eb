"""The few style rules that the theme cannot say, and the HTML pieces that pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable

import streamlit as st

from incidents.map import ASSETS, escape_text
from incidents.symbols import get_style
from incidents.taxonomy import get_label

__all__ = ["escape_markdown", "inject_style", "render_badge", "render_list", "show_html"]


_GLYPHS = {
    "circle": "●",
    "square": "■",
    "triangle": "▲",
    "diamond": "◆",
    "triangle_down": "▼",
    "plus": "✚",
    "cross": "✖",
}


def inject_style() -> None:
    """Add the style rules to the page."""
    st.html(ASSETS / "pages.css")


def escape_markdown(text: object) -> str:
    """Return a text that Streamlit shows as it is where it would read Markdown (labels, messages, captions).

    CommonMark allows a backslash before any ASCII punctuation. Without it a title could load a picture from another
    server, or pose as a link.
    """
    return re.sub(r"([!-/:-@\\[-`{-~])", r"\\\1", " ".join(str(text).split()))


def show_html(markup: str) -> None:
    """Show HTML whose every variable part has passed `escape_text`."""
    st.html(markup)


def render_badge(incident_type: str) -> str:
    """Return the coloured shape and the name of a type, as on the map."""
    style = get_style(incident_type)
    glyph = _GLYPHS.get(style.shape, "●")
    return (
        f'<span class="ia-badge"><i style="color:{style.colour}" aria-hidden="true">{glyph}</i>'
        f"{escape_text(get_label(incident_type))}</span>"
    )


def render_list(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a definition list of (plain term, inert HTML)."""
    return "<dl>" + "".join(f"<dt>{escape_text(term)}</dt><dd>{value}</dd>" for term, value in pairs) + "</dl>"
