"""Bytes to text: byte-order marks, stated encodings, guesses; and the characters that no text should hold."""

from __future__ import annotations

import codecs
import re
from collections import Counter

import charset_normalizer

__all__ = ["clean_text", "decode_bytes", "is_binary", "normalise_newlines"]

_BOMS: tuple[tuple[bytes, str], ...] = (
    # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_SAMPLE = 100_000
_NOT_FOR_PAGES = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "unicode_escape", "utf-7"}
)
"""Python codecs that no page is written in, and that a hostile page could make us run for minutes."""

# One character for one character, so that offsets into the text stay true.
_CONTROLS = {c: " " for c in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if c not in (0x09, 0x0A, 0x0D)}
_CONTROLS.update({0x0B: "\n", 0x0C: "\n", 0x85: "\n"})
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode_bytes(data: bytes, *, charset: str | None = None) -> tuple[str, str]:
    """Decode the bytes of a text, a page or a table.

    Order: byte-order mark; UTF-8 where it fits without a fault (it hardly ever fits by chance); the encoding that
    the server, the page's ``meta`` or the XML declaration states; UTF-16 by its zero bytes; a guess by
    charset-normalizer; Windows-1252, which takes nearly anything.

    Returns
    -------
    tuple of (str, str)
        The text without byte-order mark, and the encoding's name.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace"), name
    if b"\0" not in data[:4096]:
        try:
            return data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            pass
    for stated in (charset, _find_stated(data)):
        text = _try_decode(data, stated)
        if text is not None and stated is not None:
            return text, stated.lower()
    wide = _find_utf16(data)
    if wide:
        return data.decode(wide, "replace"), wide
    guess = charset_normalizer.from_bytes(data[:_SAMPLE]).best()
    text = _try_decode(data, guess.encoding) if guess else None
    if guess and text is not None:
        return text, guess.encoding
    return data.decode("cp1252", "replace"), "cp1252"


def _find_stated(data: bytes) -> str | None:
    match = _META.search(data[:4096]) or _XML.search(data[:200])
    return match[1].decode("ascii") if match else None


def _try_decode(data: bytes, charset: str | None) -> str | None:
    if not charset:
        return None
    try:
        info = codecs.lookup(charset)
        if info.name in _NOT_FOR_PAGES:
            return None
        # Pages that say Latin-1 mean Windows-1252 (WHATWG Encoding Standard, "labels")
        name = "cp1252" if info.name in {"iso8859-1", "ascii"} else info.name
        return data.decode(name)
    except (LookupError, UnicodeError, ValueError):
        return None


def _find_utf16(data: bytes) -> str | None:
    """Return the UTF-16 that a text without byte-order mark is in: blanks hold a zero, letters one page number."""
    sample = data[: 2048 - 2048 % 2]
    halves = (sample[0::2], sample[1::2])
    for name, high, low in (("utf-16-le", halves[1], halves[0]), ("utf-16-be", halves[0], halves[1])):
        if high.count(0) < len(high) * 0.05 or low.count(0) > len(low) * 0.01 or len(high) < 4:
            continue
        pages = Counter(high).most_common(3)
        if sum(n for _, n in pages) < len(high) * 0.9:
            continue
        text = data[: len(data) - len(data) % 2][:4096].decode(name, "replace")
        if sum(c < " " and c not in "\t\n\r" for c in text) <= len(text) * 0.01:
            return name
    return None


def is_binary(data: bytes) -> bool:
    """Return whether the bytes look like no text at all: zero bytes without being UTF-16/32, or many controls."""
    if any(data.startswith(mark) for mark, _ in _BOMS) or _find_utf16(data):
        return False
    sample = data[:8192]
    if not sample:
        return False
    controls = sum(sample.count(bytes([c])) for c in range(32) if c not in (9, 10, 12, 13, 27))
    zeros = sample.count(0)
    return zeros > max(2, len(sample) // 200) or controls > len(sample) * 0.02 + 2


def clean_text(text: str) -> str:
    """Replace control characters by blanks and lone surrogates by U+FFFD, one for one: offsets stay true."""
    return _SURROGATE.sub("�", text.translate(_CONTROLS))


def normalise_newlines(text: str) -> str:
    """Write every line end as a single line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
