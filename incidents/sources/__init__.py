"""Sources: whatever a person has, as reports. One module a kind; a new one is a class and a line in `SOURCES`.

What a file is, its content says, never its name. See ``docs/adding-a-source.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from incidents.errors import SourceFormatError, UnknownName
from incidents.sources.article import ArticleSource, JsonlSource, report_from_text
from incidents.sources.base import Item, Limits, Options, Rejected, Source, SourceResult, sanitise_name
from incidents.sources.table import TableSource
from incidents.sources.web import FetchPolicy, fetch_item, is_address

__all__ = [
    "SOURCES",
    "FetchPolicy",
    "Item",
    "Limits",
    "Options",
    "Rejected",
    "Source",
    "SourceResult",
    "get_source",
    "identify",
    "read_bytes",
    "read_item",
    "read_source",
    "report_from_text",
    "sanitise_name",
]

SOURCES: dict[str, Source] = {source.name: source for source in (ArticleSource(), JsonlSource(), TableSource())}
"""Name -> source. The first of equally sure ones wins."""


def get_source(name: str) -> Source:
    """Return the source of a name.

    Raises
    ------
    UnknownName
        There is none; the message lists the known ones.
    """
    try:
        return SOURCES[name]
    except KeyError:
        raise UnknownName(f"no source is called {name!r}; known are auto, {', '.join(SOURCES)}") from None


def identify(item: Item) -> Source:
    """Return the source that is surest of an item, by its content.

    Raises
    ------
    SourceFormatError
        No source knows it.
    """
    sure = {name: source.recognise(item) for name, source in SOURCES.items()}
    best = max(sure, key=lambda name: sure[name])
    if sure[best] <= 0:
        raise SourceFormatError(f"{item.name}: not recognised; name its kind with --source ({', '.join(SOURCES)})")
    return SOURCES[best]


def read_item(item: Item, *, source: str = "auto", options: Options | None = None) -> SourceResult:
    """Read one item with the named source, or with the one that recognises it.

    Raises
    ------
    SourceFormatError, SourceUnavailable, UnknownName
    """
    options = options or Options()
    if source == "auto" and options.mapping:
        source = "table"  # whoever names columns has a table
    chosen = identify(item) if source == "auto" else get_source(source)
    return chosen.read(item, options)


def read_bytes(
    data: bytes,
    *,
    name: str = "upload",
    source: str = "auto",
    published_on: date | None = None,
    mapping: Mapping[str, str] | None = None,
    date_order: str | None = None,
    limits: Limits | None = None,
) -> SourceResult:
    """Read an upload. `name` is only shown, sanitised; nothing is opened or written under it.

    Raises
    ------
    SourceFormatError, UnknownName
    """
    options = Options(published_on, mapping or {}, date_order, limits or Limits())
    return read_item(Item.from_bytes(data, name=name), source=source, options=options)


def read_source(
    location: str | Path,
    *,
    source: str = "auto",
    published_on: date | None = None,
    mapping: Mapping[str, str] | None = None,
    date_order: str | None = None,
    limits: Limits | None = None,
    policy: FetchPolicy | None = None,
) -> SourceResult:
    """Read a file, an address, or ``-`` for standard input.

    Parameters
    ----------
    location : str or Path
        A path, an ``http(s)://`` address (fetched at once: only ever pass one that a person gave), or ``-``.
    source : str
        A name of `SOURCES`, or ``auto``: recognised by content.
    published_on : date, optional
        Publication day for articles that do not carry one; for a single article it overrules the page's own.
    mapping : mapping, optional
        Column -> field, for tables.
    date_order : str, optional
        ``dmy`` or ``mdy``, for tables whose dates do not show it.
    limits : Limits, optional
    policy : FetchPolicy, optional
        How addresses are fetched.

    Returns
    -------
    SourceResult
        A sequence of reports that also knows what was rejected and why.

    Raises
    ------
    SourceUnavailable
        No such file, or the address is refused or does not answer.
    SourceFormatError
        The content cannot be read.
    UnknownName
        No source has this name.
    """
    options = Options(published_on, mapping or {}, date_order, limits or Limits())
    if isinstance(location, str) and location == "-":
        item = Item.from_stream()
    elif isinstance(location, str) and is_address(location):
        item = fetch_item(location, policy=policy)
    else:
        item = Item.from_path(Path(location))
    return read_item(item, source=source, options=options)
