"""The Streamlit pages: the only place besides app.py that imports streamlit."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from incidents.dashboard import about_page, add_page, briefing_page, map_page, places_page, table_page
from incidents.dashboard.style import inject_style
from incidents.map import ASSETS

__all__ = ["PAGES", "Page", "set_up"]


class Page(NamedTuple):
    """One entry of the navigation."""

    show: Callable[[], None]
    title: str
    icon: str
    path: str
    default: bool = False


PAGES: tuple[Page, ...] = (
    Page(map_page.show_map_page, "Map", ":material/map:", "map", default=True),
    Page(add_page.show_add_page, "Add report", ":material/note_add:", "add"),
    Page(table_page.show_table_page, "Table", ":material/table_rows:", "table"),
    Page(places_page.show_places_page, "Places", ":material/pin_drop:", "places"),
    Page(briefing_page.show_briefing_page, "Briefing", ":material/picture_as_pdf:", "briefing"),
    Page(about_page.show_about_page, "About", ":material/info:", "about"),
)


def set_up() -> None:
    """Set the page's title, icon and width, and our few style rules."""
    # an icon from our own file: Streamlit would fetch a Material or emoji favicon from elsewhere
    st.set_page_config(page_title="Incident Atlas", page_icon=str(ASSETS / "icon.svg"), layout="wide")
    st.logo(str(ASSETS / "icon.svg"), size="large")
    inject_style()
