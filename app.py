"""The dashboard's entry: page set-up and navigation, nothing else. Start it with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

from incidents.dashboard import PAGES, set_up

set_up()
st.navigation(
    [st.Page(page.show, title=page.title, icon=page.icon, url_path=page.path, default=page.default) for page in PAGES],
    position="top",
).run()
