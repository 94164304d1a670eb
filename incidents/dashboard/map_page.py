"""The map: filters, map, card of the incident clicked, and the incidents that have no place."""

from __future__ import annotations

import math

import geopandas as gpd
import pandas as pd
import streamlit as st
from streamlit_folium import st_folium

from incidents.dashboard.assets import get_area_url, get_assets
from incidents.dashboard.card import show_cards
from incidents.dashboard.controls import filter_frame, show_count, show_filters, show_nothing_matches
from incidents.dashboard.downloads import show_downloads
from incidents.dashboard.empty import show_empty_store
from incidents.dashboard.state import get_policy, load_claims, load_frame, page, tell_errors
from incidents.dashboard.style import show_html
from incidents.map import build_incident_layer, build_map, escape_text, read_mark_key, select_mark
from incidents.taxonomy import get_label
from incidents.words import describe_date, to_optional

__all__ = ["MAP_KEY", "show_map_page"]

MAP_KEY = "incident_map"
_RETURNED = ("bounds", "zoom", "center", "last_object_clicked_tooltip", "last_object_clicked_count")
_HEIGHT = 640
_LIST_LIMIT = 1_000
_CARD_LIMIT = 25


def _read_bounds() -> tuple[float, float, float, float] | None:
    """Return what the reader sees, or None before the map has told."""
    value = st.session_state.get(MAP_KEY) or {}
    bounds = value.get("bounds") or {}
    low, high = bounds.get("_southWest") or {}, bounds.get("_northEast") or {}
    sides = (low.get("lng"), low.get("lat"), high.get("lng"), high.get("lat"))
    numbers = [float(side) for side in sides if isinstance(side, (int, float)) and math.isfinite(side)]
    if len(numbers) != len(sides):
        return None
    west, south, east, north = numbers
    return (west, south, east, north) if west < east and south < north else None


def _take_click() -> None:
    """Remember which mark was clicked; called when the map tells something, before the page is drawn again."""
    value = st.session_state.get(MAP_KEY) or {}
    clicks = value.get("last_object_clicked_count") or 0
    if clicks == st.session_state.get("map_clicks", 0):
        return
    st.session_state["map_clicks"] = clicks
    key = read_mark_key(value.get("last_object_clicked_tooltip"))
    if key is not None:
        st.session_state["map_mark"] = key
        st.session_state["map_pick"] = None


def _take_pick() -> None:
    st.session_state["map_mark"] = None


def _show_details(shown: gpd.GeoDataFrame) -> None:
    """Show the chooser and the cards of what is chosen."""
    some = shown.head(_LIST_LIMIT)
    titles = dict(zip(some["incident_id"], some["title"], strict=True))
    if st.session_state.get("map_pick") not in titles:
        st.session_state["map_pick"] = None
    picked = st.selectbox(
        "Open an incident",
        list(titles),
        index=None,
        format_func=lambda incident_id: titles.get(incident_id, incident_id),
        key="map_pick",
        on_change=_take_pick,
        placeholder="Click a mark on the map, or choose here",
    )
    mark = st.session_state.get("map_mark")
    if picked:
        chosen = shown[shown["incident_id"] == picked]
    elif mark:
        chosen = select_mark(shown, mark)
    else:
        chosen = shown.iloc[:0]
    with st.container(height=_HEIGHT - 84, border=False):
        if len(chosen) > 1:
            st.caption(
                f"{len(chosen):,} incidents at this place"
                + (f", the first {_CARD_LIMIT} shown" if len(chosen) > _CARD_LIMIT else "")
            )
        if len(chosen):
            few = chosen.head(_CARD_LIMIT)
            show_cards(few, load_claims(few["incident_id"].tolist()))
        elif mark:
            st.caption("The incident you had open is left out by the filters.")
        else:
            show_html(
                '<div class="ia-empty"><b>No incident open</b>Click a mark or a hatched area on the map to read '
                "what is known, "
                "who says so and from which sentence.</div>"
            )


def _render_unlocated(row: pd.Series) -> str:
    when = describe_date(to_optional(row["date_start"]), to_optional(row["date_end"]), str(row["date_precision"]))
    return (
        f'<li><b dir="auto">{escape_text(row["title"])}</b> ({escape_text(get_label(str(row["type"])))}, '
        f"{escape_text(when)}). {escape_text(row['location_reason'])}</li>"
    )


def _show_unlocated(shown: gpd.GeoDataFrame) -> None:
    unlocated = shown[shown.geometry.isna()]
    if unlocated.empty:
        return
    with st.expander(
        f"Without a location: {len(unlocated):,}", expanded=len(unlocated) <= 5, icon=":material/location_off:"
    ):
        st.caption("Not on the map, because nobody should be shown a guess. They are in every table and export.")
        items = "".join(_render_unlocated(row) for _, row in unlocated.head(50).iterrows())
        show_html(f"<ul style='margin:0; padding-inline-start:1.2rem'>{items}</ul>")
        if len(unlocated) > 50:
            st.caption(f"and {len(unlocated) - 50:,} more: see the Table page.")


@st.fragment
def _show_view() -> None:
    with tell_errors():
        frame = load_frame()
        chosen = show_filters(frame)
        shown = filter_frame(frame, chosen)
        show_count(frame, shown, chosen)
        if shown.empty:
            show_nothing_matches(chosen)
        left, right = st.columns([2.15, 1], gap="medium")
        with left:
            st_folium(
                build_map(assets=get_assets(), policy=get_policy()),
                key=MAP_KEY,
                feature_group_to_add=build_incident_layer(shown, area_url=get_area_url(), bounds=_read_bounds()),
                returned_objects=_RETURNED,
                height=_HEIGHT,
                use_container_width=True,
                on_change=_take_click,
            )
        with right:
            _show_details(shown)
        _show_unlocated(shown)
        show_downloads(shown, where="map")


@page
def show_map_page() -> None:
    """Show the map page."""
    if load_frame().empty:
        show_empty_store()
        return
    _show_view()
