"""Articles: plain text, HTML, PDF and DOCX files, pasted text, and files of many articles (JSONL).

What a file is, its content says; its name is only shown. Nothing here uses the network.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from urllib.parse import urlsplit

from incidents.errors import SourceFormatError
from incidents.report import Report, hash_text
from incidents.sources import html, office
from incidents.sources.base import Item, Limits, Options, Rejected, SourceResult
from incidents.sources.decode import clean_text, decode_bytes, is_binary, normalise_newlines
from incidents.sources.values import find_date_order, parse_day

__all__ = ["ArticleSource", "JsonlSource", "check_url", "parse_publication", "read_publication", "report_from_text"]

_HTML = re.compile(
    rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]|<article[\s>]|<(?:p|div|h1|meta|table)(?:\s[^<>]{0,500})?>",
    re.IGNORECASE,
)
_KINDS_WE_DO_NOT_READ: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "an old Office file (.doc, .xls): save it as .docx or .csv"),
    (b"{\\rtf", "an RTF file: save it as .docx or as plain text"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"Rar!", "a RAR archive: unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive: unpack it first"),
    (b"\x89PNG", "a picture: there is no text in it to read"),
    (b"\xff\xd8\xff", "a picture: there is no text in it to read"),
    (b"GIF8", "a picture: there is no text in it to read"),
    (b"SQLite format 3", "a database: open it with --database, or export what is in it"),
)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What one article file holds."""

    text: str
    title: str | None = None
    publisher: str | None = None
    url: str | None = None
    published_on: date | None = None
    published_at: datetime | None = None
    language: str | None = None


def report_from_text(
    text: str,
    *,
    title: str | None = None,
    url: str | None = None,
    published_on: date | None = None,
    publisher: str | None = None,
    published_at: datetime | None = None,
    language: str | None = None,
) -> Report:
    """Make a report of a text that is already here, such as a pasted article.

    Control characters become blanks and lone surrogates U+FFFD, one for one, so offsets into the report's text are
    offsets into the text given.

    Raises
    ------
    SourceFormatError
        The text is empty, or longer than the limit.
    """
    limit = Limits().text_chars
    if len(text) > limit:
        raise SourceFormatError(f"the text has {len(text):,} characters, more than the limit of {limit:,}")
    cleaned = clean_text(text)
    if not cleaned.strip():
        raise SourceFormatError("there is no text to read")
    return Report(
        source="article",
        source_id=hash_text(cleaned),
        text=cleaned,
        title=_clean_line(title),
        url=check_url(url),
        publisher=_clean_line(publisher),
        published_on=published_on,
        published_at=published_at,
        language=_clean_line(language),
    )


def _clean_line(value: str | None) -> str | None:
    if not value:
        return None
    return " ".join(clean_text(value).split())[:1000] or None


def check_url(url: str | None) -> str | None:
    """Return the address when it is http(s) and has a host; None otherwise (``javascript:``, ``file:``)."""
    if not url:
        return None
    url = url.strip()
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    plain = parts.scheme.lower() in {"http", "https"} and bool(host) and not re.search(r"[\s\x00-\x1f\x7f<>\"]", url)
    return url if plain and len(url) <= 4000 else None


def parse_publication(value: str | None) -> tuple[date | None, datetime | None]:
    """Read a stated publication date: the day in the publisher's own calendar, and the moment where a zone is given.

    Raises
    ------
    ValueError
        The value is not an ISO date or date with time, or its year cannot be that of an article.
    """
    if not value or not value.strip():
        return None, None
    moment = datetime.fromisoformat(value.strip())
    if not 1900 <= moment.year <= 2200:  # such as 0001, which programs write for "none"
        raise ValueError(f"{value.strip()[:40]!r}: the year {moment.year} cannot be right")
    return moment.date(), moment.astimezone(UTC) if moment.tzinfo else None


def read_publication(stated: object) -> tuple[date | None, datetime | None, str | None]:
    """Read the publication date of an article that comes with others: a doubtful one never costs the article.

    Returns
    -------
    tuple
        The day, the moment where a zone is given, and why there is neither; the reason is None where a date was read
        or none is stated. A date in words is read where it is whole; one such as 04/05/2016, which could be
        two days, is not.
    """
    words = "" if stated is None else " ".join(str(stated).split())
    if not words:
        return None, None, None
    try:
        return *parse_publication(words), None
    except ValueError:
        pass
    try:
        find_date_order([words])
        day = parse_day(words) if re.search(r"\d{4}", words) else None
    except ValueError:
        day = None
    if day is not None and day.precision == "day" and 1900 <= day.start.year <= 2200:
        return day.start, None, None
    return None, None, f"publication date {words[:40]!r} is not a date (write YYYY-MM-DD); read without one"


class ArticleSource:
    """One article a file: text, HTML, PDF or DOCX."""

    name = "article"
    label = "Article (text, HTML, PDF, DOCX)"

    def recognise(self, item: Item) -> float:
        """Return 1 for PDF and DOCX, 0.9 for HTML, 0.2 for any text: the last resort."""
        if item.size == 0 or office.is_pdf(item.head):
            return 1.0
        if item.head.startswith(b"PK\x03\x04"):
            return 1.0 if office.is_docx(item) else 0.1
        if _HTML.search(item.head[:4096].replace(b"\0", b"")):
            return 0.9
        return 0.2

    def read(self, item: Item, options: Options) -> SourceResult:
        """Read the article."""
        parts = _read_parts(item, options.limits)
        limit = options.limits.text_chars
        if len(parts.text) > limit:
            raise SourceFormatError(f"{item.name}: {len(parts.text):,} characters of text, the limit is {limit:,}")
        if not parts.text.strip():
            raise SourceFormatError(f"{item.name}: there is no text in it to read")
        day = options.published_on or parts.published_on
        report = report_from_text(
            parts.text,
            title=parts.title,
            url=item.url or parts.url,
            published_on=day,
            # a day that the person gives overrules the page, so the page's moment must not contradict it
            published_at=parts.published_at if day == parts.published_on else None,
            publisher=parts.publisher,
            language=parts.language,
        )
        warnings = (
            () if day else (f"{item.name}: no publication date found; give it so that weekday words have a date",)
        )
        return SourceResult(self.name, (report,), 1, warnings=warnings, rows=(1,))


def _read_parts(item: Item, limits: Limits) -> _Parts:
    data = item.read(limit=limits.article_bytes)
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise SourceFormatError(f"{item.name}: the file is empty")
    for magic, words in _KINDS_WE_DO_NOT_READ:
        if data.startswith(magic):
            raise SourceFormatError(f"{item.name}: this is {words}")
    if office.is_pdf(data):
        text, title = office.read_pdf(data, name=item.name, limits=limits)
        return _Parts(text, title=title)
    if data.startswith(b"PK\x03\x04"):
        text, title = office.read_docx(data, name=item.name, limits=limits)
        return _Parts(text, title=title)
    if is_binary(data):
        raise SourceFormatError(f"{item.name}: not a text, HTML, PDF or DOCX file")
    text, _ = decode_bytes(data, charset=item.charset)
    if _HTML.search(text[:4096].encode("utf-8", "replace")):
        page = html.read_html(text, url=item.url)
        return _Parts(
            normalise_newlines(page.text),
            title=page.title,
            publisher=page.publisher,
            url=page.url,
            published_on=page.published_on,
            published_at=page.published_at,
            language=page.language,
        )
    _refuse_data(text, item.name)
    return _Parts(normalise_newlines(text))


def _refuse_data(text: str, name: str) -> None:
    """Refuse what is written for programs: read as prose it would only give nonsense."""
    start = text.lstrip()[:200]
    if start.startswith("<?xml") or re.match(r"<[A-Za-z][\w:]*[\s>]", start):
        raise SourceFormatError(f"{name}: this is XML data, not an article")
    if start.startswith(("{", "[")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return
        kind = "GeoJSON" if "FeatureCollection" in text[:5000] else "JSON"
        raise SourceFormatError(
            f"{name}: this is {kind} data, not an article; articles are read from JSONL, tables from CSV"
        )


class JsonlSource:
    """Many articles, one JSON object a line: ``{"id", "text", "publication_date"?, "title"?, "url"?, …}``."""

    name = "jsonl"
    label = "Articles, one JSON object a line"

    def recognise(self, item: Item) -> float:
        """Return 0.95 when the first line that is not blank is an object with a text."""
        head = decode_bytes(item.head)[0].lstrip()
        if not head.startswith("{"):
            return 0.0
        line = head.split("\n", 1)[0]
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            # a first article longer than the head is cut in the middle of its line
            return 0.9 if re.search(r'"text"\s*:\s*"', head) and "\n" not in head else 0.0
        return 0.95 if isinstance(record, dict) and isinstance(record.get("text"), str) else 0.0

    def read(self, item: Item, options: Options) -> SourceResult:
        """Read the articles; a line that is none is rejected with its reason and the rest go on."""
        reports: list[Report] = []
        rows: list[int] = []
        rejected: list[Rejected] = []
        doubts: list[str] = []
        undated = seen = 0
        for number, line in _iter_lines(item, options.limits):
            seen += 1
            try:
                report, doubt = _report_from_line(line, options)
            except SourceFormatError as error:
                rejected.append(Rejected(number, None, clean_text(line[:80]), str(error)))
                continue
            if doubt:
                doubts.append(f"{item.name}, line {number}: {doubt}")
            else:
                undated += report.publication_day is None
            reports.append(report)
            rows.append(number)
        warnings = (f"{item.name}: {undated} articles without a publication date",) if undated else ()
        return SourceResult(self.name, tuple(reports), seen, tuple(rejected), (*doubts, *warnings), tuple(rows))


def _iter_lines(item: Item, limits: Limits) -> Iterator[tuple[int, str]]:
    text, _ = decode_bytes(item.read(limit=limits.table_bytes))
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _report_from_line(line: str, options: Options) -> tuple[Report, str | None]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceFormatError(f"not JSON ({type(error).__name__}: {error})"[:200]) from error
    if not isinstance(record, dict):
        raise SourceFormatError("not a JSON object")
    text = record.get("text")
    if not isinstance(text, str):
        raise SourceFormatError('no "text" in it')
    stated = next((record[k] for k in ("publication_date", "published", "published_at", "date") if record.get(k)), None)
    day, moment, doubt = read_publication(stated)

    def words(key: str) -> str | None:
        value = record.get(key)
        return value if isinstance(value, str) else None

    report = report_from_text(
        text,
        title=words("title"),
        url=words("url"),
        published_on=day or options.published_on,
        published_at=moment,
        publisher=words("publisher") or words("source"),
        language=words("language"),
    )
    return report, doubt


# The libraries speak to the log about pages and files that we report in our own words.
for _name in ("trafilatura", "htmldate", "pypdf", "charset_normalizer"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)
