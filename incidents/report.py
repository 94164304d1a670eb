"""One item as a source gave it: an article, or a row of a table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

__all__ = ["Report", "hash_parts", "hash_text"]


def hash_parts(*parts: object) -> str:
    """Return a short stable id (16 hex digits) of the given parts, in order."""
    joined = "\x1f".join("" if part is None else str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def hash_text(text: str) -> str:
    """Return the hash of a text with its white space folded, so that re-wrapped copies agree."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Report:
    """One item as a source gave it.

    Attributes
    ----------
    source : str
        The source plug-in that read it: ``article``, ``table``, ``acled`` and so on.
    source_id : str
        The source's own id of the item; for an article without one, the hash of its text.
    text : str
        The prose, exactly as read: evidence offsets point into it. Empty for bare table rows.
    title, url, publisher, language : str or None
        As given. `url` is http(s) or None.
    published_at : datetime or None
        Moment of publication, UTC.
    published_on : date or None
        Day of publication as the publisher's calendar has it: weekday words are read against it.
    fields : mapping
        What the source states already, by column name of the contract (`incidents.schema`).
    source_values : mapping
        The source's own values, kept as they were.
    """

    source: str
    source_id: str
    text: str = ""
    title: str | None = None
    url: str | None = None
    publisher: str | None = None
    language: str | None = None
    published_at: datetime | None = None
    published_on: date | None = None
    fields: Mapping[str, object] = field(default_factory=dict)
    source_values: Mapping[str, object] = field(default_factory=dict)

    @property
    def report_id(self) -> str:
        """Stable id: a hash of the source and its own id."""
        return hash_parts("report", self.source, self.source_id)

    @property
    def content_hash(self) -> str:
        """Hash of the text, white space folded; of the fields where there is no text."""
        if self.text:
            return hash_text(self.text)
        return hash_parts(*(f"{k}={v}" for k, v in sorted(self.source_values.items() or self.fields.items())))

    @property
    def publication_day(self) -> date | None:
        """The day to read relative dates against, or None."""
        if self.published_on is not None:
            return self.published_on
        return self.published_at.astimezone(UTC).date() if self.published_at is not None else None
