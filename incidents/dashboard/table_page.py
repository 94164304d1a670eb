"""The table: every incident the filters keep, those without a location too, with its card and the downloads."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import streamlit as st

from incidents.dashboard.card import show_cards
from incidents.dashboard.controls import filter_frame, get_country_name, show_count, show_filters, show_nothing_matches
from incidents.dashboard.downloads import show_downloads
from incidents.dashboard.empty import show_empty_store
from incidents.dashboard.state import load_claims, load_frame, page, tell_errors
from incidents.taxonomy import get_label

__all__ = ["make_table", "show_table_page"]

_FIGURE_HELP = {
    "from": "At least so many. Empty is “not stated”, never zero.",
    "to": "At most so many. Empty beside a “from” is open: “or more”.",
}
_SHORT = 17  # rows that fit without a scroll bar of their own
_SHOWN_LIMIT = 20_000  # rows sent to the browser; downloads always hold all


def _first(values: object) -> str | None:
    items = list(values) if isinstance(values, (list, tuple)) else []
    return str(items[0]) if items else None


def make_table(frame: gpd.GeoDataFrame) -> pd.DataFrame:
    """Return the columns that people read, in reading order; missing figures stay missing."""
    table = pd.DataFrame(
        {
            "Date": frame["date_start"],
            "Type": frame["type"].astype(str).map(get_label),
            "Title": frame["title"],
            "Place": frame["place_name"],
            "Killed, from": frame["killed_min"],
            "Killed, to": frame["killed_max"],
            "Injured, from": frame["injured_min"],
            "Injured, to": frame["injured_max"],
            "Known to": frame["location_precision"].astype(str).str.replace("_", " "),
            "Region": frame["admin1"],
            "Country": frame["country"].map(get_country_name, na_action="ignore"),
            "Contested": frame["contested"],
            "Review": frame["review_status"].astype(str),
            "Source": frame["source_names"].map(_first),
            "Link": frame["source_urls"].map(_first),
            "Evidence": frame["evidence"],
        },
        index=frame.index,
    )
    words = ("Title", "Place", "Region", "Country", "Source", "Evidence")
    return table.assign(**{c: table[c].astype(object).where(table[c].notna(), "") for c in words})


@st.fragment
def _show_view() -> None:
    with tell_errors():
        frame = load_frame()
        chosen = show_filters(frame)
        shown = filter_frame(frame, chosen)
        show_count(frame, shown, chosen)
        show_downloads(shown, where="table")
        if shown.empty:
            show_nothing_matches(chosen)
            return
        some = shown.head(_SHOWN_LIMIT)
        if len(shown) > _SHOWN_LIMIT:
            st.caption(f"The first {_SHOWN_LIMIT:,} rows are shown here; the downloads hold all {len(shown):,}.")
        picked = st.dataframe(
            make_table(some),
            hide_index=True,
            placeholder="",
            height="content" if len(some) <= _SHORT else 620,
            on_select="rerun",
            selection_mode="single-row",
            column_config={
                "Title": st.column_config.TextColumn(width=330),
                "Link": st.column_config.LinkColumn(display_text="open"),
                "Known to": st.column_config.TextColumn(help="How finely the place is known"),
                **{
                    f"{what}, {end}": st.column_config.NumberColumn(help=_FIGURE_HELP[end])
                    for what in ("Killed", "Injured")
                    for end in ("from", "to")
                },
                "Evidence": st.column_config.TextColumn(width="large"),
            },
            key="table_rows",
        )
        rows = [row for row in picked["selection"]["rows"] if row < len(some)]
        if rows:
            one = some.iloc[rows]
            show_cards(one, load_claims(one["incident_id"].tolist()))
        else:
            st.caption(
                "Select a row to open its card. Both ends empty: “not stated”, never zero. Only “to” empty: “or more”."
            )


@page
def show_table_page() -> None:
    """Show the table page."""
    if load_frame().empty:
        show_empty_store()
        return
    _show_view()
