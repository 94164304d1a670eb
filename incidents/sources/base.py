"""What every source shares: the item it is given, the limits, and the result it hands back."""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import BinaryIO, Protocol, overload

from incidents.errors import SourceError, SourceFormatError, SourceUnavailable
from incidents.report import Report

__all__ = ["HEAD_BYTES", "Item", "Limits", "Options", "Rejected", "Source", "SourceResult", "sanitise_name"]

HEAD_BYTES = 65_536
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of anything is read before we refuse.

    Attributes
    ----------
    article_bytes : int
        Size of one article file, bytes as stored.
    table_bytes : int
        Size of one table or of a file of many articles, bytes as stored.
    text_chars : int
        Characters of one article's text.
    unpacked_bytes : int
        Size of a zipped format (DOCX) once unpacked.
    pages : int
        Pages of a PDF.
    columns : int
        Columns of a table.
    """

    article_bytes: int = 20 * _MEGABYTE
    table_bytes: int = 1024 * _MEGABYTE
    text_chars: int = 5 * _MEGABYTE
    unpacked_bytes: int = 100 * _MEGABYTE
    pages: int = 2000
    columns: int = 1000


@dataclass(frozen=True, slots=True)
class Options:
    """What the person said about the file.

    Attributes
    ----------
    published_on : date or None
        The publication day of articles that do not carry one.
    mapping : mapping
        Column name as in the file -> field, overriding what the names say.
    date_order : str or None
        ``dmy`` or ``mdy`` for a column that does not show it.
    limits : Limits
    """

    published_on: date | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    date_order: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Item:
    """One file, upload, page or standard input, of which only the head has been looked at.

    Attributes
    ----------
    name : str
        The name shown to people; already sanitised, never used to open anything.
    head : bytes
        The first `HEAD_BYTES` bytes.
    size : int
        Bytes in all.
    path : Path or None
        Where the rest is; None when `head` and `data` hold everything.
    data : bytes
        The whole content where there is no path.
    url : str or None
        The address it was fetched from.
    charset : str or None
        The encoding that the server stated.
    """

    name: str
    head: bytes
    size: int
    path: Path | None = None
    data: bytes = b""
    url: str | None = None
    charset: str | None = None

    @classmethod
    def from_path(cls, path: Path) -> Item:
        """Look at a file's head.

        Raises
        ------
        SourceUnavailable
            No such file, a folder, no permission.
        """
        name = sanitise_name(path.name)
        try:
            if path.is_dir():
                raise SourceUnavailable(f"{name}: is a folder; give the files in it")
            if not path.is_file() and path.exists():
                # a pipe or a device has no size: read it as standard input is read
                with path.open("rb") as stream:
                    return cls.from_stream(stream, name=name)
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            return cls(name=name, head=head, size=path.stat().st_size, path=path)
        except SourceError:
            raise  # ours is an OSError or a ValueError as well, and says all there is to say
        except FileNotFoundError as error:
            raise SourceUnavailable(f"{path}: no such file") from error
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SourceUnavailable(f"{name}: cannot be read ({reason or error})") from error

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str, url: str | None = None, charset: str | None = None) -> Item:
        """Wrap bytes that are already here, such as an upload."""
        return cls(
            name=sanitise_name(name), head=data[:HEAD_BYTES], size=len(data), data=data, url=url, charset=charset
        )

    @classmethod
    def from_stream(cls, stream: BinaryIO | None = None, *, name: str = "standard input") -> Item:
        """Read standard input, or another stream without a size, up to the limit of a table."""
        limit = Limits().table_bytes
        data = (stream or sys.stdin.buffer).read(limit + 1)
        if len(data) > limit:
            raise SourceFormatError(f"{name}: larger than the limit of {limit // _MEGABYTE} MB")
        return cls.from_bytes(data, name=name)

    def read(self, *, limit: int) -> bytes:
        """Return the whole content.

        Raises
        ------
        SourceFormatError
            Larger than `limit` bytes.
        SourceUnavailable
            The file went away or cannot be read.
        """
        if self.size > limit:
            raise SourceFormatError(
                f"{self.name}: {self.size / _MEGABYTE:.1f} MB is more than the limit of {limit / _MEGABYTE:.0f} MB"
            )
        if self.path is None:
            return self.data
        try:
            with self.path.open("rb") as stream:
                data = stream.read(limit + 1)
        except OSError as error:
            raise SourceUnavailable(f"{self.name}: cannot be read ({error.strerror or error})") from error
        if len(data) > limit:
            raise SourceFormatError(
                f"{self.name}: grew beyond the limit of {limit / _MEGABYTE:.0f} MB while being read"
            )
        return data

    def open(self, *, limit: int) -> BinaryIO:
        """Return a binary stream of the whole content, of at most `limit` bytes (the same errors as `read`)."""
        if self.path is None or self.size > limit:
            return io.BytesIO(self.read(limit=limit))
        try:
            return self.path.open("rb")
        except OSError as error:
            raise SourceUnavailable(f"{self.name}: cannot be read ({error.strerror or error})") from error


@dataclass(frozen=True, slots=True)
class Rejected:
    """One row that was not taken, and why.

    `row` counts the data rows of a table, or the lines of a JSONL file, from 1.
    """

    row: int
    column: str | None
    value: str | None
    reason: str

    def to_dict(self) -> dict[str, object]:
        """Return it as the import report writes it."""
        return {"row": self.row, "column": self.column, "value": self.value, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class SourceResult(Sequence[Report]):
    """The reports of one item; a sequence of them, with what was left out and what to know.

    Attributes
    ----------
    source : str
        The source that read it.
    reports : tuple of Report
    rows_read : int
        Rows or articles seen, the rejected ones included.
    rejected : tuple of Rejected
    warnings : tuple of str
    rows : tuple of int
        The row each report came from, as in `Rejected.row`.
    """

    source: str
    reports: tuple[Report, ...]
    rows_read: int
    rejected: tuple[Rejected, ...] = ()
    warnings: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Report: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Report]: ...
    def __getitem__(self, index: int | slice) -> Report | Sequence[Report]:
        return self.reports[index]

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[Report]:
        return iter(self.reports)


class Source(Protocol):
    """A plug-in that turns one item into reports. See ``docs/adding-a-source.md``."""

    name: str
    label: str

    def recognise(self, item: Item) -> float:
        """Return how sure it is, 0 to 1, that the item is of its kind; looks at the head only, never at the name."""
        ...

    def read(self, item: Item, options: Options) -> SourceResult:
        """Return the item's reports.

        Raises
        ------
        SourceFormatError
            The item is damaged, too large, or not of this kind.
        """
        ...


def sanitise_name(name: str) -> str:
    """Return the name of a file as it may be shown: last part only, no control or direction characters, 120 at most.

    The result is for people; nothing is ever opened or written under it.
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(c for c in last if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}).strip()
    if len(kept) > 120:
        kept = f"{kept[:80]}…{kept[-39:]}"
    return kept if kept.strip(".") else "file"
