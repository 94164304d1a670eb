"""The briefing: the filtered view as a finished page, PNG or PDF, drawn without a browser."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from incidents.briefing import render_briefing
from incidents.dashboard.controls import filter_frame, show_count, show_filters, show_nothing_matches
from incidents.dashboard.empty import show_empty_store
from incidents.dashboard.state import get_store, load_frame, page, tell_errors

__all__ = ["show_briefing_page"]

_FORMATS = {"png": ("PNG, 300 dpi", "image/png"), "pdf": ("PDF", "application/pdf")}
_HANDLING = ("", "Public", "Internal", "Restricted", "Confidential")


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
        with st.form("briefing"):
            left, middle, right = st.columns([2.4, 1, 1])
            title = left.text_input("Title", value="Incidents", max_chars=120, key="briefing_title", persist_state="session")
            handling = middle.selectbox("Handling", _HANDLING, format_func=lambda h: h or "None", key="briefing_handling", persist_state="session")
            fmt = right.selectbox("Format", list(_FORMATS), format_func=lambda f: _FORMATS[f][0], key="briefing_format", persist_state="session")
            go = st.form_submit_button("Make the briefing", type="primary", icon=":material/picture_as_pdf:")
        if go:
            with st.spinner("Drawing the page …"):
                claims = get_store().load_claims(shown["incident_id"].tolist())
                told = {"title": title or None, "filter": chosen, "handling": handling or None, "total": len(frame), "claims": claims}
                content = render_briefing(shown, fmt=fmt, **told)
                preview = content if fmt == "png" else render_briefing(shown, fmt="png", **told)
            st.session_state["briefing"] = {"fmt": fmt, "content": content, "preview": preview, "filter": chosen, "made": datetime.now(UTC)}
        made = st.session_state.get("briefing")
        if not made:
            st.caption("The page has title, filters in words, map, legend, scale, table, sources and the time it was made.")
            return
        if made["filter"] != chosen:
            st.warning("The filters have changed since this briefing was made. Make it again to follow them.", icon=":material/update:")
        label, mime = _FORMATS[made["fmt"]]
        st.download_button(
            f"Download {label}",
            data=made["content"],
            file_name=f"briefing-{made['made']:%Y-%m-%d-%H%M}.{made['fmt']}",
            mime=mime,
            on_click="ignore",
            icon=":material/download:",
        )
        st.image(made["preview"], caption="Preview of the first page", width="stretch")


@page
def show_briefing_page() -> None:
    """Show the briefing page."""
    if load_frame().empty:
        show_empty_store()
        return
    _show_view()
