"""The briefing: the filtered view as finished pages, PNG or PDF, drawn without a browser."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from typing import Final

import streamlit as st

from incidents.briefing import build_briefing, render_pages
from incidents.dashboard.controls import filter_frame, show_count, show_filters, show_nothing_matches
from incidents.dashboard.empty import show_empty_store
from incidents.dashboard.state import get_policy, get_store, load_frame, page, tell_errors

__all__ = ["show_briefing_page"]

_KEEP: Final = "session"
_MADE = "briefing_made"
_FORMATS = {"png": ("PNG, 300 dpi", "image/png"), "pdf": ("PDF", "application/pdf")}
_HANDLING = ("", "Public", "Internal", "Restricted", "Confidential")


def _pack(pages: list[bytes], stem: str) -> bytes:
    """Return several pictures as one ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:  # PNG is compressed already
        for number, content in enumerate(pages, start=1):
            archive.writestr(f"{stem}-{number}.png", content)
    return buffer.getvalue()


def _show_made(chosen: object) -> None:
    made = st.session_state.get(_MADE)
    if not made:
        st.caption("The page has title, filters in words, map, legend, scale, table, sources and the time it was made.")
        return
    if made["filter"] != chosen:
        st.warning(
            "The filters have changed since this briefing was made. Make it again to follow them.",
            icon=":material/update:",
        )
    label, mime = _FORMATS[made["fmt"]]
    stem = f"briefing-{made['made']:%Y-%m-%d-%H%M}"
    several = made["fmt"] == "png" and len(made["files"]) > 1
    st.download_button(
        f"Download {len(made['files'])} pages as PNG (ZIP)" if several else f"Download {label}",
        data=_pack(made["files"], stem) if several else made["files"][0],
        file_name=f"{stem}.zip" if several else f"{stem}.{made['fmt']}",
        mime="application/zip" if several else mime,
        on_click="ignore",
        icon=":material/download:",
    )
    for number, preview in enumerate(made["previews"], start=1):
        st.image(preview, caption=f"Page {number} of {len(made['previews'])}", width="stretch")


@st.fragment
def _show_view() -> None:
    with tell_errors():
        frame = load_frame()
        chosen = show_filters(frame)
        shown = filter_frame(frame, chosen)
        show_count(frame, shown, chosen)
        if shown.empty:
            show_nothing_matches(chosen)
            return
        with st.form("briefing_form"):
            left, middle, right = st.columns([2.4, 1, 1])
            title = left.text_input(
                "Title", value="Incidents", max_chars=120, key="briefing_title", persist_state=_KEEP
            )
            handling = middle.selectbox(
                "Handling", _HANDLING, format_func=lambda h: h or "None", key="briefing_handling", persist_state=_KEEP
            )
            fmt = right.selectbox(
                "Format", list(_FORMATS), format_func=lambda f: _FORMATS[f][0], key="briefing_fmt", persist_state=_KEEP
            )
            go = st.form_submit_button("Make the briefing", type="primary", icon=":material/picture_as_pdf:")
        if go:
            with st.spinner("Drawing the pages …"):
                briefing = build_briefing(
                    shown,
                    title=title or None,
                    filter=chosen,
                    handling=handling or None,
                    total=len(frame),
                    claims=get_store().load_claims(shown["incident_id"].tolist()),
                    boundaries=get_policy(),
                )
                files = render_pages(briefing, fmt=fmt)
                previews = files if fmt == "png" else render_pages(briefing, fmt="png")
            st.session_state[_MADE] = {
                "fmt": fmt,
                "files": files,
                "previews": previews,
                "filter": chosen,
                "made": datetime.now(UTC),
            }
        _show_made(chosen)


@page
def show_briefing_page() -> None:
    """Show the briefing page."""
    if load_frame().empty:
        show_empty_store()
        return
    _show_view()
