"""Add report: paste or upload an article, check what was read from it, correct it, save it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geodata.countries import load_country_table
from geodata.gazetteer import Gazetteer
from geodata.settled import index_settled
from incidents.dashboard.card import describe_claim
from incidents.dashboard.controls import get_country_name
from incidents.dashboard.drafts import (
    Draft,
    Edit,
    count_incidents,
    describe_candidate,
    find_faults,
    get_default_candidate,
    get_machine_values,
    list_candidates,
    save_draft,
)
from incidents.dashboard.highlight import render_key, render_text
from incidents.dashboard.state import WHO_KEY, get_settings, get_store, page, tell_errors
from incidents.dashboard.style import escape_markdown, render_badge, show_html
from incidents.errors import IncidentsError
from incidents.map import escape_text
from incidents.pipeline import describe_languages, read_reports
from incidents.reading import Reader
from incidents.reading.records import ReadIncident, Reading
from incidents.report import Report
from incidents.sources import Limits, read_bytes
from incidents.sources.article import report_from_text
from incidents.sources.base import Rejected
from incidents.taxonomy import TYPES, get_label

__all__ = ["get_reader", "show_add_page"]

_KEEP: Final = "session"  # Streamlit's word for "also while other pages are open": nothing entered is lost
_FILE_TYPES = ["txt", "html", "htm", "pdf", "docx"]
_FIRST, _LAST = date(1900, 1, 1), date(2100, 12, 31)
_ANY_FIRST, _ANY_LAST = date.min, date.max  # of an incident that was read: a day outside would stop the page
_MAX_PEOPLE = 100_000_000  # as a table may state; a larger value than this would stop the page
_MB = 1_000_000
_REJECTED_SHOWN = 20
_LONG_TEXT = 1_800  # characters; a shorter text needs no scroll bar of its own
_PAGE = 20  # incidents on one screen
_PASTE, _UPLOAD = "Paste text", "Upload a file"


@st.cache_resource(show_spinner="Loading the reader (once) …")
def get_reader() -> Reader:
    """Return the one reader of this server; it keeps nothing of what it reads."""
    return Reader.load(gazetteer=Gazetteer.open(get_settings().gazetteer_path))


def _get_reports() -> tuple[list[Report], list[str]]:
    """Show the input form; return the reports, and what to know of what was not read, when "Read" was pressed."""
    way = st.segmented_control(
        "How", [_PASTE, _UPLOAD], default=_PASTE, key="add_way", persist_state=_KEEP, label_visibility="collapsed",
        required=True,
    )  # fmt: skip
    with st.form("add_input", border=True):
        text, files = "", []
        if way == _UPLOAD:
            files = st.file_uploader(
                "Articles: .txt, .html, .pdf or .docx, up to 20 MB each",
                type=_FILE_TYPES,
                accept_multiple_files=True,
                key="add_files",
            )
        else:
            text = st.text_area(
                "The article's text",
                height=220,
                key="add_text",
                persist_state=_KEEP,
                placeholder=f"Paste the whole article. The built-in reader reads {describe_languages()}.",
            )
        left, middle, right = st.columns(3)
        published = left.date_input(
            "Published on", value=None, min_value=_FIRST, max_value=_LAST, key="add_published", persist_state=_KEEP,
            help="Words like “on Friday” are read against this day. Leave it empty for a page with a date of its own.",
        )  # fmt: skip
        publisher = middle.text_input("Publisher (optional)", key="add_publisher", persist_state=_KEEP, max_chars=200)
        url = right.text_input(
            "Address (optional)", key="add_url", persist_state=_KEEP, max_chars=2000, placeholder="https://…"
        )
        st.multiselect(
            "Countries (optional)",
            sorted(load_country_table(), key=get_country_name),
            format_func=get_country_name,
            key="add_countries",
            persist_state=_KEEP,
            placeholder="The article says it itself",
            help="Where you know it plays. Names that exist in several countries are then looked for there first.",
        )
        if not st.form_submit_button("Read", type="primary", icon=":material/menu_book:"):
            return [], []
    if way == _PASTE:
        if not text.strip():
            st.warning("There is no text yet: paste an article first.", icon=":material/content_paste:")
            return [], []
        return [report_from_text(text, published_on=published, publisher=publisher or None, url=url or None)], []
    if not files:
        st.warning("Choose a file first.", icon=":material/upload_file:")
    reports: list[Report] = []
    told: list[str] = []
    for file in files:
        try:  # one broken file does not keep the others from being read
            result = read_bytes(file.getvalue(), name=file.name, published_on=published, limits=_get_limits())
        except IncidentsError as error:
            told.append(f"Not read: {error}")
            continue
        reports += result.reports
        told += result.warnings
        told += [_describe_rejected(row, name=file.name) for row in result.rejected[:_REJECTED_SHOWN]]
        if len(result.rejected) > _REJECTED_SHOWN:
            told.append(f"{file.name}: {len(result.rejected) - _REJECTED_SHOWN:,} more rows were not taken.")
    if not reports:
        for line in told:
            st.error(escape_markdown(line), icon=":material/error:")
    reports = [replace(report, publisher=publisher or report.publisher) for report in reports]
    if url and len(reports) == 1:
        reports = [replace(reports[0], url=url)]
    elif url and reports:
        told.append("The address was not used: it can belong to one article only, and there are several.")
    return reports, told


def _get_limits() -> Limits:
    settings = get_settings()
    return Limits(article_bytes=settings.max_upload_mb * _MB, table_bytes=settings.max_table_mb * _MB)


def _describe_rejected(row: Rejected, *, name: str) -> str:
    where = f"{name}: row {row.row:,}" + (f", column {row.column}" if row.column else "")
    return f"Not taken: {where}" + (f", {row.value!r}" if row.value else "") + f": {row.reason}"


def _read(reports: list[Report], failures: list[str]) -> None:
    with st.status(f"Reading {len(reports)} report{'s' if len(reports) > 1 else ''} …") as status:
        result = read_reports(
            reports,
            reader=get_reader(),
            countries=st.session_state.get("add_countries") or (),
            settled=index_settled(get_store().load_settled()),
        )
        found = count_incidents(result.readings)
        status.update(label=f"Read: {found} incident{'' if found == 1 else 's'} found", state="complete")
    left_out = [f"Left out: {reason}" for reason in result.rejected["reason"]]
    if result.duplicates:
        many = len(result.duplicates)
        left_out.append(f"{many} report{'s were' if many > 1 else ' was'} given twice and read once.")
    notes = dict.fromkeys((*failures, *result.warnings, *left_out))
    st.session_state["add_draft"] = Draft(st.session_state.get("add_count", 0), result.readings, tuple(notes))
    st.session_state["add_count"] = st.session_state.get("add_count", 0) + 1
    st.session_state.pop("add_saved", None)


def _number(column: DeltaGenerator, label: str, value: int | None, key: str) -> int | None:
    shown = column.number_input(
        label,
        min_value=0,
        max_value=_MAX_PEOPLE,
        value=value,
        step=1,
        placeholder="open" if label.endswith("to") else "not stated",
        key=key,
        persist_state=_KEEP,
    )
    return None if shown is None else int(shown)


def _show_incident(incident: ReadIncident, *, text: str, number: int, key: str) -> Edit:
    """Show the form of one incident and return what the person left of it."""
    machine = get_machine_values(incident)
    with st.container(border=True):
        keep = st.checkbox(f"Keep incident {number}", value=incident.current, key=f"{key}_keep", persist_state=_KEEP)
        badges = "".join(
            f'<span class="ia-mark">{word}</span>'
            for word, holds in (("Background", not incident.current), ("Contested", incident.contested))
            if holds
        )
        show_html(
            f"<div>{render_badge(incident.type)}{badges}"
            f'<blockquote class="ia-quote" dir="auto">{escape_text(incident.evidence)}</blockquote></div>'
        )
        title = st.text_input(
            "Title", value=str(machine["title"]), max_chars=300, key=f"{key}_title", persist_state=_KEEP
        )
        left, right = st.columns([1, 1.6])
        type_name = left.selectbox(
            "Type",
            TYPES,
            index=TYPES.index(incident.type),
            format_func=get_label,
            key=f"{key}_type",
            persist_state=_KEEP,
        )
        candidates = list_candidates(incident)
        default = get_default_candidate(incident)
        choice = right.selectbox(
            f"Place ({len(candidates)} bear the name)" if len(candidates) > 1 else "Place",
            [*range(len(candidates)), -1],
            index=len(candidates) if default is None else default,
            format_func=lambda i: "No location" if i < 0 else describe_candidate(candidates[i]),
            key=f"{key}_place",
            persist_state=_KEEP,
            help="The name as written, and every place that bears it. Leave it open rather than guess.",
        )
        if incident.mention is not None:
            told = f"“{incident.place or incident.mention.text}”, {incident.precision.replace('_', ' ')}"
            st.caption(escape_markdown(f"{told}. {incident.mention.resolution.reason}"))
        cells = st.columns(4)
        values: dict[str, object] = {
            "title": " ".join(title.split()),
            "type": type_name,
            "killed_min": _number(cells[0], "Killed, from", incident.killed_min, f"{key}_kmin"),
            "killed_max": _number(cells[1], "Killed, to", incident.killed_max, f"{key}_kmax"),
            "injured_min": _number(cells[2], "Injured, from", incident.injured_min, f"{key}_imin"),
            "injured_max": _number(cells[3], "Injured, to", incident.injured_max, f"{key}_imax"),
        }
        first, last = st.columns(2)
        values["date_start"] = first.date_input(
            "First day",
            value=incident.date_start,
            min_value=_ANY_FIRST,
            max_value=_ANY_LAST,
            key=f"{key}_from",
            persist_state=_KEEP,
        )
        values["date_end"] = last.date_input(
            "Last day",
            value=incident.date_end or incident.date_start,
            min_value=_ANY_FIRST,
            max_value=_ANY_LAST,
            key=f"{key}_to",
            persist_state=_KEEP,
        )
        if incident.claims:
            items = "".join(
                f"<li>{escape_text(c.claimant or 'The report itself')}: "
                f"{escape_text(describe_claim(c.measure, c.group, c.minimum, c.maximum, c.stance))}</li>"
                for c in incident.claims
            )
            show_html(f'<div class="ia-sub">Who says so</div><ul class="ia-list">{items}</ul>')
        _show_why(incident, text)
        if keep:
            for fault in find_faults(values):
                st.error(escape_markdown(fault))
    return Edit(keep=bool(keep), values=values, candidate=None if choice < 0 else choice)


_SLOT_WORDS = {
    "place": "Place",
    "date": "Day",
    "type": "Kind of event",
    "attributed_to": "Said to have done it",
    "denied_by": "Denies it",
}


def _show_why(incident: ReadIncident, text: str) -> None:
    """Show, folded, which rule and which words each value was read from."""
    if not incident.reasons:
        return
    rows = "".join(
        f"<li><b>{escape_text(_SLOT_WORDS.get(r.slot, r.slot.capitalize()))}</b>: {escape_text(r.rule)} "
        f"<q>{escape_text(text[r.start : r.end])}</q></li>"
        for r in incident.reasons
    )
    with st.expander("Why"):
        show_html(f'<ul class="ia-list">{rows}</ul>')


def _show_reading(reading: Reading, *, first: int) -> None:
    """Show the text of one reading with what was found marked."""
    numbers = [(one.evidence_start, first + i) for i, one in enumerate(reading.incidents)]
    if reading.report.title:
        show_html(f'<h4 dir="auto" style="margin:0 0 .4rem">{escape_text(reading.report.title)}</h4>')
    show_html(render_text(reading.report.text, reading.highlights, numbers))
    for note in reading.notes:
        st.caption(f":material/info: {escape_markdown(note)}")


def _show_draft(draft: Draft) -> None:
    total = count_incidents(draft.readings)
    if draft.notes:  # one box: several would push the incidents off the screen
        lines = [escape_markdown(note) for note in draft.notes]
        st.warning(lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines), icon=":material/warning:")
    left, right = st.columns([1, 1.05], gap="large")
    with left:
        st.subheader("The text", anchor=False)
        show_html(render_key())
        long = sum(len(reading.report.text) for reading in draft.readings) > _LONG_TEXT
        with st.container(height=760 if long else "content", border=True):
            first = 1
            for reading in draft.readings:
                _show_reading(reading, first=first)
                first += len(reading.incidents)
    with right:
        st.subheader(
            f"{total} incident{'' if total == 1 else 's'} read" if total else "No incidents read", anchor=False
        )
        if not total:
            st.info(
                "Nothing in this text reads like an incident. The built-in reader reads "
                f"{describe_languages()}. Nothing was saved: check the text, or try another article."
            )
            return
        _show_editor(draft, total)


def _show_editor(draft: Draft, total: int) -> None:
    pages = (total + _PAGE - 1) // _PAGE
    shown = 1
    if pages > 1:
        shown = st.selectbox(
            "Part",
            list(range(1, pages + 1)),
            format_func=lambda p: f"Incidents {(p - 1) * _PAGE + 1} to {min(p * _PAGE, total)} of {total}",
            key=f"add_part_{draft.number}",
            persist_state=_KEEP,
        )
    edits: dict[tuple[int, int], Edit] = st.session_state.setdefault(f"add_edits_{draft.number}", {})
    number = 0
    with st.container(height=690 if total > 1 else "content", border=False):
        for r, reading in enumerate(draft.readings):
            for i, incident in enumerate(reading.incidents):
                number += 1
                if (shown - 1) * _PAGE < number <= shown * _PAGE:
                    edits[r, i] = _show_incident(
                        incident, text=reading.report.text, number=number, key=f"add_{draft.number}_{r}_{i}"
                    )
                elif (r, i) not in edits:
                    edits[r, i] = Edit(keep=incident.current, candidate=get_default_candidate(incident))
    kept = sum(edit.keep for edit in edits.values())
    faults = sum(bool(find_faults(edit.values)) for edit in edits.values() if edit.keep and edit.values)
    name, button = st.columns([1, 1], vertical_alignment="bottom")
    who = name.text_input(
        "Your name or initials", key=WHO_KEY, persist_state=_KEEP, max_chars=80, placeholder="written into the history"
    )
    if button.button(
        f"Save {kept} incident{'' if kept == 1 else 's'}",
        type="primary",
        icon=":material/save:",
        disabled=not kept or bool(faults),
        width="stretch",
    ):
        with tell_errors():
            saved = save_draft(draft, edits, store=get_store(), who=who.strip() or get_settings().who or "dashboard")
            st.session_state["add_saved"] = saved
            st.session_state.pop("add_draft", None)
            st.session_state.pop(f"add_edits_{draft.number}", None)
            st.session_state["add_clear"] = True
            st.rerun()


def _show_saved() -> None:
    saved = st.session_state.get("add_saved")
    if saved is None:
        return
    parts = [f"Saved {saved.added} incident{'' if saved.added == 1 else 's'}."]
    if saved.duplicates:
        parts.append(
            f"{saved.duplicates} had been saved before and {'was' if saved.duplicates == 1 else 'were'} not changed."
        )
    if saved.corrected:
        parts.append(f"Your corrections to {saved.corrected} are in the history beside what was read.")
    st.success(" ".join(parts) + " See them on the **Map** page.", icon=":material/check_circle:")
    show_html(
        "<ul style='margin:0;padding-inline-start:1.2rem'>"
        + "".join(f"<li dir='auto'>{escape_text(t)}</li>" for t in saved.titles[:20])
        + "</ul>"
    )


@page
def show_add_page() -> None:
    """Show the page on which reports are added."""
    st.title("Add report", anchor=False)
    if st.session_state.pop("add_clear", False):  # what was saved makes room for the next article
        st.session_state["add_text"] = st.session_state["add_publisher"] = st.session_state["add_url"] = ""
    _show_saved()
    draft = st.session_state.get("add_draft")
    with st.expander("The article" if draft is None else "Read another article", expanded=draft is None):
        reports, failures = _get_reports()
    if reports:
        _read(reports, failures)
        st.rerun()
    if draft is not None:
        _show_draft(draft)
    elif not st.session_state.get("add_saved"):
        st.caption(
            "Paste an article and press Read. You will see what was found, "
            "correct it where it is wrong, and only then save it. Nothing leaves this computer."
        )
