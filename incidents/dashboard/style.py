"""The few style rules that the theme cannot say, and the HTML pieces that pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable

import streamlit as st

from incidents.map import escape_text
from incidents.symbols import get_style
from incidents.taxonomy import get_label

__all__ = ["escape_markdown", "inject_style", "render_badge", "render_list", "show_html"]

# Every length in rem and every colour from the theme's own variables, so that light and dark follow by themselves.
_CSS = """
<style>
.stMainBlockContainer { padding-top: 4.25rem; padding-bottom: 2rem; padding-inline: clamp(.9rem, 2.2vw, 2.2rem); max-width: 1900px; }
iframe[title^="streamlit_folium"] { border-radius: 8px; display: block; }
.ia-card { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 8px; padding: .8rem 1rem; margin-bottom: .6rem; overflow-wrap: anywhere; }
.ia-card h3 { font-size: 1.08rem; line-height: 1.3; margin: .35rem 0 .5rem; padding: 0; }
.ia-card dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .9rem; margin: 0 0 .6rem; padding: 0; font-size: .93rem; }
.ia-card dt { opacity: .72; } .ia-card dd { margin: 0; }
.ia-card blockquote { border-inline-start: 3px solid #0072b2; margin: .4rem 0; padding: .1rem .8rem; font-size: .95rem; opacity: 1; }
.ia-card table { width: 100%; border-collapse: collapse; font-size: .88rem; margin: .3rem 0 .5rem; }
.ia-card th { text-align: start; font-weight: 600; opacity: .72; }
.ia-card th, .ia-card td { padding: .2rem .5rem .2rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 12%, transparent); vertical-align: top; }
.ia-card a { color: inherit; text-decoration: underline; text-underline-offset: .15em; }
.ia-sub { font-size: .82rem; font-weight: 600; opacity: .75; margin: .6rem 0 .1rem; }
.ia-badge { display: inline-flex; align-items: center; gap: .4rem; font-size: .85rem; font-weight: 600; }
.ia-badge i { font-style: normal; font-size: 1.2rem; line-height: 1; -webkit-text-stroke: .4px currentColor; }
.ia-mark { display: inline-block; font-size: .8rem; font-weight: 650; border: 1.5px solid currentColor; border-radius: 999px; padding: 0 .55rem; margin-inline-start: .5rem; }
.ia-count { font-size: 1.12rem; font-weight: 620; }
.ia-chips { display: flex; flex-wrap: wrap; gap: .35rem; margin-top: .25rem; }
.ia-chips span { font-size: .82rem; border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 999px; padding: .05rem .6rem; }
.ia-empty { text-align: center; padding: 2.5rem 1rem; border: 1.5px dashed color-mix(in srgb, currentColor 30%, transparent); border-radius: 8px; }
.ia-empty b { display: block; font-size: 1.1rem; margin-bottom: .3rem; }
.ia-text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.85; font-size: 1rem; }
.ia-text mark { background: color-mix(in srgb, var(--c) 20%, transparent); color: inherit; border-radius: 3px; padding: 0 .1em; text-decoration-line: underline; text-decoration-color: var(--c); text-decoration-thickness: 2px; text-underline-offset: .22em; }
.ia-k { display: inline-block; margin-inline-end: .9rem; font-size: .85rem; }
.ia-k mark, .ia-text mark { -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.ia-k mark { background: color-mix(in srgb, var(--c) 20%, transparent); color: inherit; text-decoration-line: underline; text-decoration-color: var(--c); text-decoration-thickness: 2px; text-underline-offset: .22em; padding: 0 .2em; border-radius: 3px; }
.ia-place { --c: #0072b2; text-decoration-style: solid; } .ia-figure { --c: #d55e00; text-decoration-style: double; }
.ia-date { --c: #009e73; text-decoration-style: dotted; } .ia-type { --c: #b0568b; text-decoration-style: dashed; }
.ia-claimant { --c: #7a6a00; text-decoration-style: wavy; }
mark.ia-place { text-decoration-style: solid !important; } mark.ia-figure { text-decoration-style: double !important; }
mark.ia-date { text-decoration-style: dotted !important; } mark.ia-type { text-decoration-style: dashed !important; } mark.ia-claimant { text-decoration-style: wavy !important; }
</style>
"""

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
    st.html(_CSS)


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
