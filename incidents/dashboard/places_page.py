"""Places: the names whose place is in doubt, and what was settled for this project."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st
from streamlit_folium import st_folium

from geodata.gazetteer import Gazetteer
from geodata.settled import SettledPlace, index_settled
from incidents.dashboard.assets import get_assets
from incidents.dashboard.doubts import Doubt, Meaning, Meanings, find_meanings, list_doubts, make_map_places
from incidents.dashboard.empty import show_empty_store
from incidents.dashboard.state import WHO_KEY, get_policy, get_settings, get_store, load_frame, page, tell_errors
from incidents.dashboard.style import escape_markdown, show_html
from incidents.map import build_place_layer, build_place_map, escape_text, read_mark_key
from incidents.settled import SettleResult

__all__ = ["show_places_page"]

_KEEP: Final = "session"
_MAP_KEY = "places_map"
_PAGE = 10  # names on one screen
_TOLD_SECONDS = 30.0
_SHOWN = 8  # candidates shown before a person asks for all
_EVERYWHERE, _COUNTRY, _REGION = "Everywhere", "In its country", "In its region"


@st.cache_resource(show_spinner="Opening the place index …")
def _open_gazetteer(path: str | None) -> Gazetteer:  # noqa: ARG001  # the cache's key
    return Gazetteer.open(get_settings().gazetteer_path)


def _get_gazetteer() -> Gazetteer:
    path = get_settings().gazetteer_path
    return _open_gazetteer(str(path) if path else None)


@st.cache_data(show_spinner="Reading the report …", max_entries=64)
def _find_meanings(_doubt: Doubt, report_id: str, name: str, version: str) -> Meanings:  # noqa: ARG001  # the cache's key
    store = get_store()
    reports = store.load_reports([report_id])
    return find_meanings(
        _doubt,
        reports[0] if reports else None,
        gazetteer=_get_gazetteer(),
        frame=load_frame(),
        settled=index_settled(store.load_settled()),
    )


def _get_who() -> str:
    return str(st.session_state.get(WHO_KEY) or "").strip() or get_settings().who or "dashboard"


def _count(number: int, word: str = "incident") -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _tell(text: str, result: SettleResult) -> None:
    """Keep a line for the next run, which shows it above the page."""
    lines = [text]
    reasons = dict.fromkeys(result.kept.values())
    lines += [f"Left as it was ({reason}): {list(result.kept.values()).count(reason)}." for reason in reasons]
    st.session_state["places_told"] = (time.monotonic(), " ".join(lines))


def _take_click() -> None:
    """Remember which candidate was clicked on the map."""
    value = st.session_state.get(_MAP_KEY) or {}
    clicks = value.get("last_object_clicked_count") or 0
    if clicks == st.session_state.get("places_clicks", 0):
        return
    st.session_state["places_clicks"] = clicks
    key = read_mark_key(value.get("last_object_clicked_tooltip")) or ""
    st.session_state["places_chosen"] = int(key[1:]) if key[:1] == "k" and key[1:].isdigit() else None


def _open_doubt(key: tuple[str, str]) -> None:
    st.session_state["places_open"] = key
    st.session_state.pop("places_told", None)
    st.session_state["places_chosen"] = None


def _settle_report(doubt: Doubt, meaning: Meaning | None) -> None:
    with tell_errors():
        place = meaning.place if meaning else None
        result = get_store().settle_in_report(doubt.name, place, report_id=doubt.report_id, who=_get_who())
        told = f"{meaning.place.name}, {meaning.describe()}" if meaning else "left open"
        _tell(f"{doubt.name}: {told}. {_count(len(result.changed))} of this report changed.", result)


def _settle_project(doubt: Doubt, meaning: Meaning, reach: str) -> None:
    with tell_errors():
        place = meaning.place
        result = get_store().settle_place(
            doubt.name,
            place,
            country=place.country if reach in {_COUNTRY, _REGION} else None,
            admin1=place.admin1_code if reach == _REGION else None,
            who=_get_who(),
        )
        _tell(
            f"{doubt.name} is {place.name}, {meaning.describe()}, from now on. "
            f"{_count(len(result.changed))} in the book changed.",
            result,
        )


def _undo(choice: SettledPlace) -> None:
    with tell_errors():
        result = get_store().unsettle_place(choice.name, country=choice.country, admin1=choice.admin1, who=_get_who())
        _tell(f"{choice.name} is open again. {_count(len(result.changed))} got back the place they had.", result)


def _show_list(doubts: list[Doubt]) -> Doubt:
    """Show the names in doubt and return the one that is open."""
    pages = (len(doubts) + _PAGE - 1) // _PAGE
    shown = 1
    if pages > 1:
        shown = st.selectbox(
            "Part",
            list(range(1, pages + 1)),
            format_func=lambda p: f"{(p - 1) * _PAGE + 1} to {min(p * _PAGE, len(doubts))} of {len(doubts):,}",
            key="places_part",
        )
    some = doubts[(shown - 1) * _PAGE : shown * _PAGE]
    open_key = st.session_state.get("places_open")
    chosen = next((d for d in some if (d.report_id, d.name) == open_key), some[0])
    for doubt in some:
        with st.container(border=True):
            st.button(
                f"{escape_markdown(doubt.name)} · {_count(len(doubt.incident_ids))}",
                key=f"places_open_{doubt.report_id}_{doubt.name}",
                type="primary" if doubt is chosen else "secondary",
                icon=":material/pin_drop:",
                width="stretch",
                on_click=_open_doubt,
                args=((doubt.report_id, doubt.name),),
            )
            show_html(
                f'<blockquote class="ia-quote" dir="auto">{escape_text(doubt.evidence or doubt.title)}</blockquote>'
            )
    return chosen


def _show_meanings(doubt: Doubt) -> None:
    found = _find_meanings(doubt, doubt.report_id, doubt.name, get_store().get_version())
    st.subheader(f"Which {escape_markdown(doubt.name)}?", anchor=False)
    st.caption(escape_markdown(doubt.reason))
    if not found.meanings:
        st.info("The place index holds no place of this name now. Add places to it with `incidents gazetteer add`.")
        return
    chosen = st.session_state.get("places_chosen")
    some = found.meanings[:_SHOWN]
    if len(found.meanings) > _SHOWN and st.checkbox(f"Show all {len(found.meanings)} candidates", key="places_all"):
        some = found.meanings
    st_folium(
        build_place_map(assets=get_assets(), policy=get_policy()),
        key=_MAP_KEY,
        feature_group_to_add=build_place_layer(make_map_places(some, found.company, chosen=chosen)),
        returned_objects=("last_object_clicked_tooltip", "last_object_clicked_count"),
        height=320,
        use_container_width=True,
        on_change=_take_click,
    )
    if found.company:
        names = ", ".join(dict.fromkeys(p.name for p in found.company))
        st.caption(escape_markdown(f"Grey: other places in the report ({names})."))
    left, right = st.columns([1, 1.3], vertical_alignment="bottom")
    left.text_input(
        "Your name or initials", key=WHO_KEY, persist_state=_KEEP, max_chars=80, placeholder="written into the history"
    )
    reach = right.segmented_control(
        "A choice for this project holds", [_EVERYWHERE, _COUNTRY, _REGION], default=_EVERYWHERE, required=True,
        key="places_reach", persist_state=_KEEP,
        help="For names that mean different places in different countries of your reports. "
        "A report that itself names another area is never overruled.",
    )  # fmt: skip
    for meaning in sorted(some, key=lambda m: m.number != chosen):
        _show_meaning(doubt, meaning, reach=str(reach), chosen=meaning.number == chosen)
    st.button(
        "None of these: leave it open for this report",
        key="places_none",
        icon=":material/location_off:",
        on_click=_settle_report,
        args=(doubt, None),
    )


def _show_meaning(doubt: Doubt, meaning: Meaning, *, reach: str, chosen: bool) -> None:
    place = meaning.place
    with st.container(border=True):
        words, report, project = st.columns([2.2, 1, 1], vertical_alignment="center")
        mark = '<span class="ia-mark">Clicked</span>' if chosen else ""
        now = '<span class="ia-mark">As read</span>' if doubt.geonameid and doubt.geonameid == place.geonameid else ""
        with words:
            show_html(
                f'<div dir="auto"><b>{meaning.number}. {escape_text(place.name)}</b>{mark}{now}<br>'
                f"{escape_text(meaning.describe())}<br><small>{escape_text(meaning.describe_facts())}</small></div>"
            )
        report.button(
            "For this report",
            key=f"places_report_{meaning.number}",
            width="stretch",
            type="primary" if chosen else "secondary",
            on_click=_settle_report,
            args=(doubt, meaning),
        )
        lacks = place.geonameid is None or (reach == _REGION and place.admin1_code is None)
        project.button(
            "For this project",
            key=f"places_project_{meaning.number}",
            width="stretch",
            disabled=lacks,
            help="It has no GeoNames id or no region, so only a report can be settled on it." if lacks else None,
            on_click=_settle_project,
            args=(doubt, meaning, reach),
        )


def _show_settled(choices: list[SettledPlace]) -> None:
    st.subheader("Settled for this project", anchor=False)
    if not choices:
        st.caption("Nothing yet. A choice made “for this project” is listed here, is used for all that is read later, "
                   "and can be undone.")  # fmt: skip
        return
    for number, choice in enumerate(choices):
        with st.container(border=True):
            words, button = st.columns([4, 1], vertical_alignment="center")
            area = choice.admin1 or choice.country
            when = f" on {choice.when:%d %B %Y}" if choice.when else ""
            lost = "" if _get_gazetteer().get_place(choice.geonameid) else ". The place index does not hold it now, so the choice has no effect"  # fmt: skip # noqa: E501
            with words:
                show_html(
                    f'<div dir="auto"><b>{escape_text(choice.name)}</b> is {escape_text(choice.label)}'
                    f"{escape_text(f', where it lies in {area}' if area else '')}<br>"
                    f"<small>{escape_text(f'Settled by {choice.who}{when}{lost}')}</small></div>"
                )
            button.button(
                "Undo",
                key=f"places_undo_{number}",
                icon=":material/undo:",
                width="stretch",
                on_click=_undo,
                args=(choice,),
            )


@page
def show_places_page() -> None:
    """Show the page on which places in doubt are settled."""
    frame = load_frame()
    choices = get_store().load_settled()
    if frame.empty and not choices:
        show_empty_store()
        return
    st.title("Places", anchor=False)
    at, told = st.session_state.get("places_told", (0.0, ""))
    # the map asks for a run of its own right after a click: the line must outlive it, but not a visit to other pages
    if told and time.monotonic() - at < _TOLD_SECONDS:
        st.success(escape_markdown(told), icon=":material/check_circle:")
    doubts = list_doubts(frame)
    if not doubts:
        show_html(
            '<div class="ia-empty"><b>No place is in doubt</b>Names that could mean several places are listed here '
            "with their sentence, for you to choose.</div>"
        )
    else:
        st.caption(
            f"{_count(len(doubts), 'name')} could mean several places, or only far namesakes are known. "
            "Choose one to see its candidates."
        )
        left, right = st.columns([1, 1.5], gap="large")
        with left:
            chosen = _show_list(doubts)
        with right:
            _show_meanings(chosen)
    _show_settled(choices)
