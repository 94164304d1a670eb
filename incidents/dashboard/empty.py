"""What a page says when there is nothing to show yet, and what to do about it."""

from __future__ import annotations

import streamlit as st

from incidents.dashboard.state import get_store, tell_errors
from incidents.dashboard.style import show_html
from incidents.samples import load_samples

__all__ = ["show_empty_store"]


def show_empty_store() -> None:
    """Say that the store is empty and offer the two ways out."""
    show_html(
        '<div class="ia-empty"><b>No incidents yet</b>Open <em>Add report</em> and paste an article, '
        "import a table with <code>incidents import FILE</code>, or look around with the sample first.</div>"
    )
    _, middle, _ = st.columns([1, 1, 1])
    if middle.button("Load the sample incidents", icon=":material/download:", width="stretch", type="primary"):
        with tell_errors():
            load_samples(get_store())
            st.rerun()
