"""The card of one incident: what is known, how well, who says so, the sentence and the source."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

import geopandas as gpd
import pandas as pd

from incidents.dashboard.controls import get_country_name
from incidents.dashboard.style import render_badge, render_list, show_html
from incidents.map import escape_text
from incidents.summary import format_range
from incidents.words import PRECISION_WORDS, describe_date, describe_day, to_optional

__all__ = ["describe_claim", "render_card", "render_link", "show_cards"]

_MEASURES = {"responsibility": "who did it"}


def render_link(url: str, text: str) -> str:
    """Return a link when the address is http or https; the bare text otherwise."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return escape_text(text)
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        return escape_text(text)
    return f'<a href="{escape_text(url)}" target="_blank" rel="noopener noreferrer nofollow">{escape_text(text)}</a>'


def describe_claim(measure: str, group: str, low: object, high: object, stance: str) -> str:
    """Return a claim in words: "killed, children: 5", "denies: who did it"."""
    what = _MEASURES.get(measure, measure) + ("" if group == "all" else f", {group}")
    if measure == "responsibility":
        return "denies having done it" if stance == "denies" else "says who did it"
    words = f"{what}: {format_range(to_optional(low), to_optional(high))}"
    return f"denies {words}" if stance == "denies" else words


def _render_claims(claims: pd.DataFrame) -> str:
    if claims.empty:
        return ""
    rows = "".join(
        f"<tr><td>{escape_text(to_optional(c.claimant) or 'the report itself')}</td>"
        f"<td>{escape_text(describe_claim(str(c.measure), str(c.group), c.min, c.max, str(c.stance)))}</td></tr>"
        for c in claims.itertuples(index=False)
    )
    return f'<div class="ia-sub">Who says so</div><table><tr><th>Source</th><th>Says</th></tr>{rows}</table>'


def _render_place(row: pd.Series) -> str:
    name = to_optional(row["place_name"])
    if name is None:
        return escape_text(f"not stated. {to_optional(row['location_reason']) or ''}")
    detail = to_optional(row["place_detail"])
    around = [
        to_optional(row["admin2"]),
        to_optional(row["admin1"]),
        get_country_name(row["country"]) if to_optional(row["country"]) else None,
    ]
    parts = [str(name) + (f" ({detail})" if detail else "")]
    parts += [str(p) for p in around if p and p != name]
    words = f"{', '.join(parts)}: {PRECISION_WORDS.get(str(row['location_precision']), '')}"
    others = to_optional(row["location_candidates"])
    if others is not None and others > 1:
        words += f". {others} places bear this name"
        if to_optional(row["location_runner_up"]):
            words += f"; the next best is {row['location_runner_up']}"
    return escape_text(words)


def _render_sources(row: pd.Series) -> str:
    urls, names = list(row["source_urls"]), list(row["source_names"])
    pairs = [render_link(url, name or url) for url, name in zip(urls, names + urls[len(names) :], strict=False)]
    pairs += [escape_text(name) for name in names[len(urls) :]]
    return "; ".join(pairs) or "not stated"


def _people(row: pd.Series, name: str) -> str:
    return escape_text(format_range(to_optional(row[f"{name}_min"]), to_optional(row[f"{name}_max"])))


def render_card(row: pd.Series, claims: pd.DataFrame) -> str:
    """Return the card of one incident as inert HTML.

    Parameters
    ----------
    row : Series
        One row of the contract.
    claims : DataFrame
        The claims of this incident.
    """
    when = describe_date(to_optional(row["date_start"]), to_optional(row["date_end"]), str(row["date_precision"]))
    pairs: list[tuple[str, str]] = [
        ("When", escape_text(when)),
        ("Where", _render_place(row)),
        ("Killed", _people(row, "killed")),
        ("Injured", _people(row, "injured")),
    ]
    for label, name in (
        ("Missing", "missing"),
        ("Civilians killed", "civilians_killed"),
        ("Children killed", "children_killed"),
        ("Combatants killed", "combatants_killed"),
    ):
        if to_optional(row[f"{name}_min"]) is not None or to_optional(row[f"{name}_max"]) is not None:
            pairs.append((label, _people(row, name)))
    if to_optional(row["other_affected"]) is not None:
        pairs.append(
            (str(to_optional(row["other_affected_kind"]) or "affected").capitalize(), f"{int(row['other_affected']):,}")
        )
    for label, column in (("Attributed to", "attributed_to"), ("Denied by", "denied_by")):
        if len(row[column]):
            pairs.append((label, escape_text(", ".join(map(str, row[column])))))
    published = to_optional(row["published_at"])
    pairs.append(
        (
            "Source",
            _render_sources(row)
            + (escape_text(f", {describe_day(published.date())}") if published is not None else ""),
        )
    )
    pairs.append(("Review", escape_text(str(row["review_status"]))))
    mark = (
        '<span class="ia-mark" title="The claims disagree on who did it or on the figures">Contested</span>'
        if row["contested"]
        else ""
    )
    background = (
        ""
        if row["current"]
        else '<span class="ia-mark" title="An earlier event that the report only recalls">Background</span>'
    )
    evidence = to_optional(row["evidence"])
    quote = (
        f'<div class="ia-sub">Evidence</div><blockquote dir="auto">{escape_text(evidence)}</blockquote>'
        if evidence
        else ""
    )
    return (
        f'<article class="ia-card">{render_badge(str(row["type"]))}{mark}{background}'
        f'<h3 dir="auto">{escape_text(row["title"])}</h3>{render_list(pairs)}{quote}{_render_claims(claims)}</article>'
    )


def show_cards(frame: gpd.GeoDataFrame, claims: pd.DataFrame, *, ids: Iterable[str] | None = None) -> None:
    """Show the cards of all rows of a small frame, in its order."""
    wanted = set(ids) if ids is not None else None
    for _, row in frame.iterrows():
        if wanted is None or row["incident_id"] in wanted:
            show_html(render_card(row, claims[claims["incident_id"] == row["incident_id"]]))
