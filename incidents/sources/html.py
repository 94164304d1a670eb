"""An HTML page to its article: body by trafilatura, publication date from the page's own metadata, no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from html import unescape

import htmldate
import lxml.etree
import lxml.html
import trafilatura

__all__ = ["Page", "read_html"]

_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "svg", "iframe", "object", "select", "button"})
_BLOCK_NAMES = (
    "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section table td th tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_META_NAMES = ("date", "pubdate", "publish-date", "DC.date.issued", "dcterms.created", "parsely-pub-date")
_DATE_METAS = (
    "//meta[@property='article:published_time']/@content",
    "//meta[@itemprop='datePublished']/@content",
    "//*[@itemprop='datePublished']/@datetime",
    *(f"//meta[@name='{name}']/@content" for name in _META_NAMES),
)


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds. `published_on` is the day in the publisher's own calendar; `published_at` is UTC."""

    text: str
    title: str | None = None
    publisher: str | None = None
    url: str | None = None
    published_on: date | None = None
    published_at: datetime | None = None
    language: str | None = None


def read_html(markup: str, *, url: str | None = None) -> Page:
    """Read a page.

    The body is what trafilatura finds; where it finds nothing, all visible text. The publication date is only
    taken from what the page states as such (meta, JSON-LD, ``time``), never from dates in the prose.
    """
    tree = _parse(markup)
    if tree is None:
        return Page(_strip_tags(markup))
    document = _extract(markup, url=url)
    day, moment = _find_publication(tree, markup)
    text = (document.text if document is not None else None) or ""
    visible = "" if len(text) > 400 else _visible_text(tree)
    # trafilatura may keep only a crumb of a page that is not laid out as an article
    if len(text.strip()) < 0.2 * len(visible.strip()) or not text.strip():
        # the parser gives up on what is nested thousands deep
        text = visible or _strip_tags(markup)
    heading = tree.findtext(".//title")
    language = tree.get("lang") if isinstance(tree.tag, str) and tree.tag == "html" else None
    return Page(
        text.strip(),
        title=(document.title if document is not None else None) or (heading.strip() if heading else None),
        publisher=(document.sitename if document is not None else None) or None,
        url=(document.url if document is not None else None) or url,
        published_on=day,
        published_at=moment,
        language=language[:8] if language else None,
    )


def _parse(markup: str) -> lxml.html.HtmlElement | None:
    try:
        # a str with an encoding declaration is refused by lxml, bytes are not; surrogates cannot be encoded
        data = markup.encode("utf-8", "replace")
        # huge_tree: without it the parser drops what is nested more than 256 deep; the file's size is limited already
        parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
        return lxml.html.document_fromstring(data, parser=parser)
    except (lxml.etree.LxmlError, ValueError, AssertionError):
        return None


def _extract(markup: str, *, url: str | None) -> trafilatura.settings.Document | None:
    try:
        found = trafilatura.bare_extraction(
            markup,
            url=url,
            with_metadata=True,
            include_comments=False,
            include_tables=True,
            date_extraction_params={"extensive_search": False, "original_date": True},
        )
    except Exception:  # noqa: BLE001 - hostile markup breaks its many parts in many ways; visible text is then read
        return None
    return found if found is not None and not isinstance(found, dict) else None


def _find_publication(tree: lxml.html.HtmlElement, markup: str) -> tuple[date | None, datetime | None]:
    for value in _iter_stated(tree):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            continue
        if 1900 <= moment.year <= 2200:
            return moment.date(), moment.astimezone(UTC) if moment.tzinfo else None
    try:
        day = htmldate.find_date(markup, extensive_search=False, original_date=True)
        return (date.fromisoformat(day) if day else None), None
    except Exception:  # noqa: BLE001 - as above: without a date the person is asked for it
        return None, None


def _iter_stated(tree: lxml.html.HtmlElement) -> Iterator[str]:
    for path in _DATE_METAS:
        yield from (str(v) for v in tree.xpath(path))
    for script in tree.xpath("//script[@type='application/ld+json']/text()"):
        try:
            yield from _walk_json(json.loads(str(script)))
        except (ValueError, RecursionError):
            continue


def _walk_json(value: object) -> Iterator[str]:
    """Yield every ``datePublished`` of a JSON-LD block, without recursion."""
    waiting = [value]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, dict):
            found = node.get("datePublished")
            if isinstance(found, str):
                yield found
            waiting.extend(v for v in node.values() if isinstance(v, (dict, list)))
        elif isinstance(node, list):
            waiting.extend(v for v in node if isinstance(v, (dict, list)))


def _visible_text(tree: lxml.html.HtmlElement) -> str:
    """Return the text a browser would show, a line a block; iterative, so that depth costs nothing."""
    parts: list[str] = []
    skipping = 0
    for event, node in lxml.etree.iterwalk(tree, events=("start", "end")):
        tag = node.tag if isinstance(node.tag, str) else ""
        hidden = tag in _SKIPPED or not tag
        if event == "start":
            skipping += hidden
            if not skipping:
                parts.extend(("\n" if tag in _BLOCKS else "", node.text or ""))
        else:
            skipping -= hidden
            if not skipping:
                parts.extend(("\n" if tag in _BLOCKS else "", node.tail or ""))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _strip_tags(markup: str) -> str:
    """Return the text of markup that no parser takes; in linear time."""
    first, *rest = re.split(r"<(?=(?:script|style)\b)", markup, flags=re.IGNORECASE)
    kept = [first]
    for part in rest:
        end = re.search(r"</(?:script|style)", part, flags=re.IGNORECASE)
        kept.append(part[end.end() :] if end else "")
    text = unescape(re.sub(r"<[^<>]*>", "\n", "".join(kept)))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line.strip(">"))
