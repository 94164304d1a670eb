"""PDF and DOCX files to text. Damaged, locked and oversized files end in one clear line."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

import docx
import pypdf
import pypdf.errors
from docx.oxml.ns import qn
from docx.table import Table, _Cell
from docx.text.paragraph import Paragraph

from incidents.errors import SourceFormatError
from incidents.sources.base import Item, Limits

__all__ = ["is_docx", "is_pdf", "read_docx", "read_pdf"]

_MOST_TAGS = 2_000_000
"""Measured: 15 million tags, packed in 250 kB, took over a minute and 1.1 GB to read."""

_ENDS_SENTENCE = re.compile(r"[.!?:…。؟][\"'”’»)\]]*$")


def is_pdf(head: bytes) -> bool:
    """Return whether the head holds the PDF mark; readers accept it within the first 1024 bytes."""
    return b"%PDF-" in head[:1024]


def is_docx(item: Item) -> bool:
    """Return whether a zip file is a Word document, by the part names in its head."""
    return b"word/" in item.head or b"[Content_Types].xml" in item.head[:200]


def read_pdf(data: bytes, *, name: str, limits: Limits) -> tuple[str, str | None]:
    """Return the text of a PDF, its lines joined to paragraphs, and its title.

    Raises
    ------
    SourceFormatError
        Encrypted, damaged, too many pages, too much text, or pictures of pages only.
    """
    try:
        pages, title = _read_pages(data, name=name, limits=limits)
    except SourceFormatError:
        raise
    except pypdf.errors.LimitReachedError as error:
        raise SourceFormatError(
            f"{name}: a part of this PDF unpacks to far more than a text; it is not read"
        ) from error
    except Exception as error:  # pypdf raises errors of many kinds on damaged files
        raise SourceFormatError(f"{name}: this PDF is damaged and cannot be read ({type(error).__name__})") from error
    text = _join_lines("\n\n".join(pages))
    if not text.strip():
        raise SourceFormatError(
            f"{name}: this PDF holds no text, only pictures; run text recognition (OCR) on it first"
        )
    return text, title


def _read_pages(data: bytes, *, name: str, limits: Limits) -> tuple[list[str], str | None]:
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise SourceFormatError(f"{name}: this PDF is locked with a password; unlock it first")
    count = len(reader.pages)
    if count > limits.pages:
        raise SourceFormatError(f"{name}: this PDF has {count:,} pages, the limit is {limits.pages:,}")
    pages: list[str] = []
    length = 0
    for page in reader.pages:
        pages.append(page.extract_text() or "")
        length += len(pages[-1])
        if length > limits.text_chars:
            raise SourceFormatError(f"{name}: more than {limits.text_chars:,} characters of text, which is the limit")
    title = reader.metadata.title if reader.metadata else None
    return pages, (str(title).strip() or None) if title else None


def _join_lines(text: str) -> str:
    """Join the lines of a page to paragraphs: a line ends one when it ends a sentence and is visibly short."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    widths = sorted(len(line) for line in lines if line)
    if not widths:
        return ""
    full = widths[int(len(widths) * 0.8)]
    out: list[str] = []
    for line in lines:
        if not line:
            out.append("\n\n")
        elif len(line) < 0.8 * full and _ENDS_SENTENCE.search(line):
            out.append(line + "\n\n")
        elif re.search(r"[^\W\d_]-$", line):
            # a hyphen at the line's end: keep it before a capital ("Al-Shabab"), drop it in a broken word
            out.append(line + "\0")
        else:
            out.append(line + "\n")
    joined = "".join(out)
    joined = re.sub(r"-\0(?=[^\W\d_])", lambda m: "-" if joined[m.end()].isupper() else "", joined).replace("\0", "\n")
    joined = re.sub(r"(?<!\n)\n(?!\n)", " ", joined)
    return re.sub(r"\n{2,}", "\n\n", joined).strip()


def read_docx(data: bytes, *, name: str, limits: Limits) -> tuple[str, str | None]:
    """Return the text of a Word document, paragraphs and table cells in reading order, and its title.

    Raises
    ------
    SourceFormatError
        Not a Word document, damaged, or larger than the limit once unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            names = {m.filename for m in members}
            # zipfile never unpacks more than the size declared here, so the declared sizes bound the real ones
            unpacked = sum(m.file_size for m in members)
            tags = _count_tags(archive, members) if unpacked <= limits.unpacked_bytes else 0
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError) as error:
        raise SourceFormatError(f"{name}: this zip file is damaged ({error})") from error
    if unpacked > limits.unpacked_bytes or len(members) > 10_000:
        raise SourceFormatError(
            f"{name}: unpacks to {unpacked / 1e6:,.0f} MB in {len(members):,} parts; the limit is "
            f"{limits.unpacked_bytes / 1e6:,.0f} MB in 10,000 parts"
        )
    if any(n.startswith("xl/") for n in names):
        raise SourceFormatError(f"{name}: this is an Excel workbook: save the sheet as CSV")
    if "word/document.xml" not in names:
        raise SourceFormatError(f"{name}: this zip file is not a Word document")
    if tags > _MOST_TAGS:
        raise SourceFormatError(f"{name}: this Word document has more than {_MOST_TAGS:,} marks in it, the limit")
    try:
        document = docx.Document(io.BytesIO(data))
        _check_spans(document, name)
        text = "\n\n".join(_iter_blocks(document))
        title = document.core_properties.title
    except SourceFormatError:
        raise
    except Exception as error:  # python-docx raises errors of many kinds on damaged files
        raise SourceFormatError(
            f"{name}: this Word document is damaged and cannot be read ({type(error).__name__})"
        ) from error
    return text, title or None


def _count_tags(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> int:
    """Return the tags of the XML parts: a tree takes memory and time by them, up to twenty times the text's size."""
    count = 0
    for member in members:
        if member.filename.endswith((".xml", ".rels")):
            with archive.open(member) as part:
                while block := part.read(1 << 20):
                    count += block.count(b"<")
    return count


def _check_spans(document: docx.document.Document, name: str) -> None:
    """Refuse a cell that claims to be wider than any table: python-docx repeats it once for each column."""
    for span in document.element.body.iter(qn("w:gridSpan")):
        value = str(span.get(qn("w:val")) or "1")
        if not value.isdigit() or len(value) > 3:
            raise SourceFormatError(f"{name}: this Word document is damaged (a cell as wide as {value[:20]} columns)")


def _iter_blocks(document: docx.document.Document) -> Iterator[str]:
    for block in document.iter_inner_content():
        if isinstance(block, Paragraph):
            if block.text.strip():
                yield block.text
        elif isinstance(block, Table):
            yield from _iter_rows(block)


def _iter_rows(table: Table) -> Iterator[str]:
    """Yield the rows of a table as lines; a cell merged downwards is told in each of its rows.

    `row.cells` of python-docx climbs to the head of a merged cell from every row again: a minute for 1200 rows.
    """
    above: dict[int, str] = {}
    for row in table.rows:
        cells: dict[str, None] = {}
        at = 0
        for cell in row._tr.tc_lst:  # noqa: SLF001 - the only way to the cells that are really there
            text = above.get(at, "") if cell.vMerge == "continue" else _Cell(cell, table).text.strip()
            above[at] = text
            at += cell.grid_span
            if text:
                cells[text] = None
        if cells:
            yield " | ".join(cells)
