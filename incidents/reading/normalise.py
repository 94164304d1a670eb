"""Text as it came -> clean text for the rules, with the way back to every original offset.

The rules see straight quotes, plain spaces, decoded entities and no page furniture; evidence always points into the
text as it came.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

__all__ = ["CleanText", "clean_text"]

_ONE_TO_ONE = {
    0x2018: "'",
    0x2019: "'",
    0x201A: "'",
    0x201B: "'",
    0x02BC: "'",
    0x02BB: "'",
    0x2032: "'",
    0x201C: '"',
    0x201D: '"',
    0x201E: '"',
    0x00AB: '"',
    0x00BB: '"',
    0x2033: '"',
    0x2010: "-",
    0x2011: "-",
    0x2012: "-",
    0x2043: "-",
    0x2212: "-",
    0x2028: "\n",
    0x2029: "\n",
    0x000B: "\n",
    0x000C: "\n",
    0x0085: "\n",
}
# Characters that carry no text: soft hyphen, zero-width marks, direction marks, byte order mark.
# So do Arabic vowel signs and the stretching line, and stress marks that make no letter of their own.
_DROPPED = re.compile("[\u00ad\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ACCENTED = re.compile("[^\\W\\d_][\u0300-\u036f]{1,8}")
_CHANGED = re.compile(f"{_ENTITY.pattern}|{_ACCENTED.pattern}|{_DROPPED.pattern}")
_MARKUP = re.compile(r"<(script|style)\b[^<>]{0,200}>.{0,2000}?</\1>|</?[A-Za-z][^<>]{0,300}>|<!--.{0,2000}?-->", re.S)

# Whole lines that are furniture of the page, not of the story.
_FURNITURE_LINE = re.compile(
    r"^\W*(?:read (?:more|also|next)\b|most read\b|related\b(?:\s+(?:stories|articles|news|topics))?\s*:?|sign up\b|subscribe\b"
    r"|advertisement\b|follow us\b|share (?:this|on)\b|click here\b|watch\s*:|listen\s*:|see also\b|recommended\b"
    r"|(?:©|\(c\)|copyright\b).*|all rights reserved.*|by [A-Z][\w.'-]+(?: [A-Z][\w.'-]+){1,3}\W*$|photo(?:graph)?\s*:|image\s*:"
    r"|(?:newsletter|cookie|privacy policy|terms of (?:use|service))\b|editor'?s? picks?\b|trending\b|more on this\b"
    r"|what (?:to|you should) know\b.{0,60}$|don'?t miss\b|download (?:our|the) app\b)",
    re.I,
)
_CREDITS = re.compile(
    r"\[(?:excerpts?|passage omitted|text|editor'?s? note|sic|video|audio|words? indistinct|end of recording|begin recording)[^\[\]]{0,60}\]|"
    r"\((?:additional )?(?:reporting|writing|editing|compiled|edited|written|photo|file photo|example photo)\b[^()]{0,400}\)"
    r"|\((?:AP|AFP|Reuters|EPA|Getty|[A-Z][\w ]{0,30}) (?:Photo|Images?|photo)[^()]{0,200}\)",
    re.I,
)
# A picture's caption: "FILE - ... , Jan. 15, 2023." up to the end of its sentence.
_CAPTION = re.compile(
    r"(?:\A\s*|\n[^\S\n]*)(?:FILE(?: PHOTO)?|In this (?:file )?(?:photo|image))\s*[-–—:,].{0,400}?(?:\b(?:19|20)\d\d\.|\n|$)",
    re.S,
)


@dataclass(frozen=True, slots=True)
class CleanText:
    """Clean text and the map back to the original.

    `pieces` holds, in order, (start in clean text, start in original): within a piece both run in step.
    """

    original: str
    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Return the original's code-point span for a span of the clean text."""
        first = self._origin(start)
        last = self._origin(end - 1) + 1 if end > start else first
        if end > start:
            # The last clean character may stand for several of the original (an entity): take all of them.
            last = min(max(last, self._next_origin(end) if self._is_edge(end) else last), len(self.original))
        return first, max(first, last)

    def _origin(self, position: int) -> int:
        index = bisect_right(self.starts, position) - 1
        return self.origins[index] + position - self.starts[index]

    def _is_edge(self, position: int) -> bool:
        index = bisect_right(self.starts, position) - 1
        return index > 0 and self.starts[index] == position and self.original[self._origin(position - 1)] == "&"

    def _next_origin(self, position: int) -> int:
        return self._origin(position) if position < len(self.text) else len(self.original)


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    """Overwrite what the pattern finds with spaces, line breaks kept, so that offsets stay."""
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def _blank_furniture(text: str) -> str:
    text = _blank(_blank(text, _CREDITS), _CAPTION)
    if "\n" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(" " * len(line) if len(line) < 300 and _FURNITURE_LINE.match(line) else line for line in lines)


def _join_wrapped(text: str) -> str:
    """Turn the line breaks of a hard-wrapped text into spaces; those of lists, headings and paragraphs stay.

    A text counts as wrapped where most lines that another line follows are long and end in the middle of a sentence.
    """
    if "\n" not in text:
        return text
    lines = text.split("\n")
    followed = [a for a, b in itertools.pairwise(lines) if a.strip() and b.strip()]
    open_ended = [a for a in followed if 40 <= len(a.rstrip()) <= 110 and a.rstrip()[-1] not in ".!?:;\"'”’)"]
    if len(followed) < 2 or len(open_ended) < 0.6 * len(followed):
        return text
    longest = sorted(len(a.rstrip()) for a in followed)[int(0.8 * (len(followed) - 1))]
    parts = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        wrapped = bool(line.strip()) and bool(after.strip()) and len(line.rstrip()) >= 0.6 * longest
        starts_item = re.match(r"\s*(?:[-*•–—]|\d+[.)])\s", after) is not None
        parts.append(line + (" " if wrapped and not starts_item else "\n"))
    return "".join(parts)[: len(text)]


def clean_text(original: str) -> CleanText:
    """Return the clean text of a report with its map back.

    Parameters
    ----------
    original : str
        Any text; lone surrogates, markup, entities and control characters are allowed.
    """
    source = _blank(original, _MARKUP) if "<" in original else original
    source = _join_wrapped(source)
    source = _blank_furniture(source)
    parts: list[str] = []
    starts: list[int] = [0]
    origins: list[int] = [0]
    length = 0
    position = 0

    def take(text: str, origin: int) -> None:
        nonlocal length
        if not text:
            return
        if starts[-1] == length:
            origins[-1] = origin
        else:
            starts.append(length)
            origins.append(origin)
        parts.append(text)
        length += len(text)

    for match in _CHANGED.finditer(source):
        take(source[position : match.start()], position)
        position = match.end()
        found = match.group()
        if found.startswith("&"):
            decoded = html.unescape(found)
            take(decoded if decoded != found and len(decoded) == 1 else found, match.start())
        elif len(found) > 1:
            composed = unicodedata.normalize("NFC", found)
            take(composed if len(composed) == 1 else found[0], match.start())
    take(source[position:], position)
    joined = "".join(parts).translate(_ONE_TO_ONE)
    # Odd spaces (no-break, thin, ideographic) and control characters become plain spaces, one for one.
    joined = "".join(_plain(c) if ord(c) > 126 or ord(c) < 32 else c for c in joined)
    return CleanText(original, joined, tuple(starts), tuple(origins))


def _plain(character: str) -> str:
    if character == "\n":
        return character
    category = unicodedata.category(character)
    return " " if category in {"Zs", "Cc", "Cf", "Cs"} else character
