"""The filters, in the sidebar of the pages that show incidents: the session's own, and kept between pages."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import Final

import geopandas as gpd
import pycountry
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from incidents.dashboard.style import escape_markdown, show_html
from incidents.filters import Filter, apply_filter
from incidents.map import escape_text
from incidents.summary import count_line
from incidents.taxonomy import INCIDENT_TYPES, PARENTS, get_label

__all__ = ["filter_frame", "get_country_name", "show_count", "show_filters"]

_KEEP: Final = "session"  # Streamlit's word for "also on other pages"
_MAX_PEOPLE = 10_000_000
_FIRST, _LAST = date(1900, 1, 1), date(2100, 12, 31)
_DEFAULTS: dict[str, object] = {
    "f_text": "",
    "f_killed_min": None,
    "f_killed_max": None,
    "f_killed_unstated": True,
    "f_injured_min": None,
    "f_injured_max": None,
    "f_injured_unstated": True,
    "f_from": None,
    "f_to": None,
    "f_undated": True,
    "f_countries": [],
    "f_background": False,
    "f_contested": False,
    **{f"f_types_{i}": [] for i in range(len(PARENTS))},
}


@lru_cache(maxsize=300)
def get_country_name(code: str) -> str:
    """Return the short English name of an ISO 3166-1 alpha-2 code; the code itself where it is none."""
    found = pycountry.countries.get(alpha_2=code)
    return str(getattr(found, "common_name", None) or found.name) if found else code


def _reset() -> None:
    for key, value in _DEFAULTS.items():
        st.session_state[key] = value


def _is_set(key: str) -> bool:
    return bool(st.session_state.get(key, _DEFAULTS[key]) != _DEFAULTS[key])


def _people_range(name: str, label: str) -> tuple[int | None, int | None, bool]:
    """Show "from", "to" and the "not stated" choice of a figure, and return them."""
    st.markdown(f"**{label}**")
    left, right = st.columns(2)
    low = left.number_input(
        f"{label}: from", min_value=0, max_value=_MAX_PEOPLE, value=None, step=1, placeholder="from",
        key=f"f_{name}_min", persist_state=_KEEP, label_visibility="collapsed",
    )  # fmt: skip
    high = right.number_input(
        f"{label}: to", min_value=0, max_value=_MAX_PEOPLE, value=None, step=1, placeholder="to", key=f"f_{name}_max",
        persist_state=_KEEP, label_visibility="collapsed",
    )  # fmt: skip
    keep = st.checkbox(
        f"Also where {label.lower()} is not stated",
        value=True,
        key=f"f_{name}_unstated",
        persist_state=_KEEP,
        help="“Not stated” is not zero. Untick it to see only incidents that give a figure.",
    )
    if low is not None and high is not None and low > high:
        st.caption(":material/warning: “From” is larger than “to”: nothing can match.")
    if not keep and low is None and high is None:
        low = 0  # any figure at all, as long as there is one
    return low, high, bool(keep)


def _types(counts: dict[str, int]) -> frozenset[str]:
    """Show the types under their parents and return the chosen ones."""
    chosen: set[str] = set()
    with st.expander("Kind of event", expanded=False):
        for i, parent in enumerate(PARENTS):
            members = [t.name for t in INCIDENT_TYPES if t.parent == parent]
            chosen |= set(
                st.pills(
                    parent,
                    members,
                    selection_mode="multi",
                    format_func=lambda name: f"{get_label(name)} {counts.get(name, 0)}",
                    key=f"f_types_{i}",
                    persist_state=_KEEP,
                )
                or []
            )
    return frozenset(chosen)


def show_filters(frame: gpd.GeoDataFrame, *, where: DeltaGenerator | None = None) -> Filter:
    """Show the filters and return what they say.

    Parameters
    ----------
    frame : GeoDataFrame
        All incidents; countries and counts of types are taken from it.
    where : DeltaGenerator or None
        The container; the sidebar when None.
    """
    with where or st.sidebar:
        st.subheader("Filters", anchor=False)
        text = st.text_input(
            "Search in titles, places and evidence", key="f_text", persist_state=_KEEP, placeholder="e.g. station"
        )
        types = _types({str(k): int(v) for k, v in frame["type"].value_counts().items()})
        killed = _people_range("killed", "Killed")
        injured = _people_range("injured", "Injured")
        st.markdown("**Date**")
        first = st.date_input("From", value=None, min_value=_FIRST, max_value=_LAST, key="f_from", persist_state=_KEEP)
        last = st.date_input("To", value=None, min_value=_FIRST, max_value=_LAST, key="f_to", persist_state=_KEEP)
        undated = st.checkbox(
            "Also undated incidents",
            value=True,
            key="f_undated",
            persist_state=_KEEP,
            disabled=first is None and last is None,
        )
        codes = sorted(frame["country"].dropna().unique(), key=get_country_name)
        kept = [c for c in st.session_state.get("f_countries", []) if c in codes]
        if kept != st.session_state.get("f_countries", []):
            st.session_state["f_countries"] = kept  # a country that is gone from the data would stop the widget
        countries = st.multiselect(
            "Country",
            codes,
            format_func=get_country_name,
            key="f_countries",
            persist_state=_KEEP,
            placeholder="All countries",
        )
        contested = st.checkbox("Contested only", key="f_contested", persist_state=_KEEP)
        background = st.checkbox(
            "Include background", key="f_background", persist_state=_KEEP,
            help="Earlier events that a report only recalls. They are left out unless you ask for them.",
        )  # fmt: skip
        st.button(
            "Reset filters", on_click=_reset, icon=":material/restart_alt:", width="stretch",
            disabled=not any(_is_set(key) for key in _DEFAULTS),
        )  # fmt: skip
    return Filter(
        types=types,
        killed_min=killed[0],
        killed_max=killed[1],
        killed_unstated=killed[2],
        injured_min=injured[0],
        injured_max=injured[1],
        injured_unstated=injured[2],
        date_from=first,
        date_to=last,
        undated=bool(undated),
        countries=frozenset(countries),
        text=text or "",
        contested=True if contested else None,
        background=bool(background),
    )


def filter_frame(frame: gpd.GeoDataFrame, chosen: Filter) -> gpd.GeoDataFrame:
    """Return the rows the filter keeps; the frame given is not changed."""
    return apply_filter(frame, chosen)


def show_count(frame: gpd.GeoDataFrame, shown: gpd.GeoDataFrame, chosen: Filter) -> None:
    """Show the count line and the filters in words."""
    chips = "".join(f"<span>{escape_text(line)}</span>" for line in chosen.describe())
    show_html(
        f'<div class="ia-count" role="status">{escape_text(count_line(frame, shown))}</div>'
        + (f'<div class="ia-chips">{chips}</div>' if chips else "")
    )


def show_nothing_matches(chosen: Filter) -> None:
    """Say that the filters leave nothing, and what to do."""
    st.info(
        "No incidents match these filters. Widen a range, clear the search, or press **Reset filters**."
        + (f" Now: {escape_markdown('; '.join(chosen.describe()))}." if chosen.describe() else ""),
        icon=":material/filter_alt_off:",
    )
