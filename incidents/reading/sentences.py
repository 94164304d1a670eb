"""Clean text -> sentences of tokens. Linear in the text's length whatever the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Sentence", "Token", "split_sentences", "tokenise"]

_TOKEN = re.compile(
    r"(?:[A-Z]\.){2,8}"  # U.S., a.m. in capitals
    r"|[ap]\.m\.(?!\w)"
    r"|\d{1,3}(?:[ ,.]\d{3})+(?![\d])"  # 1,024 and 22 000
    r"|\d+(?:[.,:/]\d+)*(?:st|nd|rd|th)?(?![^\W\d_])"
    r"|[^\W_]+(?:['-][^\W_]+)*"
    r"|\n+|[^\w\s]|_+",
)
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof gen col maj capt lt sgt st gov sen rep rev hon jr sr no vs etc inc ltd co corp dept approx fig jan feb mar apr "
    "jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.n e.g i.e al".split()
)
_MAX_SENTENCE = 2_000


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its text, lower-case form and code-point span in the clean text."""

    text: str
    lower: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """True for anything that starts with a letter."""
        return self.text[:1].isalpha()

    @property
    def is_capitalised(self) -> bool:
        """True where the first letter is upper case, or the script has no case."""
        first = self.text[:1]
        return first.isalpha() and first == first.upper() and (first != first.lower() or first > "\u0590")


@dataclass(frozen=True)
class Sentence:
    """One sentence: its place in the document and its tokens."""

    index: int
    paragraph: int
    start: int
    end: int
    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def lower(self) -> str:
        """The sentence in lower case; offsets as in `text` where folding keeps length."""
        lowered = self.text.lower()
        return lowered if len(lowered) == len(self.text) else self.text

    @cached_property
    def memo(self) -> dict[str, list[tuple[str, int, int]]]:
        """What a later stage found in this sentence, so that a sentence of many figures is searched once."""
        return {}

    def token_at(self, offset: int) -> int:
        """Return the index of the token that covers a document offset, or of the next one."""
        return bisect_right(self.tokens, offset, key=lambda token: token.end)


def tokenise(text: str, *, offset: int = 0) -> tuple[Token, ...]:
    """Split a text into tokens; `offset` is added to every span."""
    return tuple(
        Token(m.group(), m.group().lower(), m.start() + offset, m.end() + offset)
        for m in _TOKEN.finditer(text)
        if not m.group().isspace()
    )


# Possessive, and only from the first mark of a run: else thousands of dots would be tried from each of them.
_STOP = re.compile(r"((?<![.!?…؟。])[.!?…؟。]++)([\"')\]]*+)(\s++|(?=[A-Z][a-z])|$)|\n[^\S\n]*+\n\s*+|\n")


def _is_stop(text: str, match: re.Match[str], start: int, abbreviations: frozenset[str]) -> bool:
    """Tell whether the mark found really ends a sentence."""
    marks = match.group(1)
    if marks is None:
        return True
    if marks != ".":
        return True
    before = text[max(start, match.start() - 24) : match.start()]
    word = re.search(r"([^\W\d_][\w.]*|\d+)$", before)
    rest = text[match.end() : match.end() + 2]
    if word is None:
        return True
    last = word.group(1)
    if match.group(3) == "":
        # No space after the stop ("people.None were"): only between a word and a capital.
        return (len(last) > 2 and last.lower() == last and match.end() < len(text)) or match.end() >= len(text)
    if len(last) == 1 and last.isupper():
        return False
    if last.lower() in abbreviations:
        # "7 p.m. On Monday" ends; "Jan. 15", "Gen. Smith" do not.
        return last.lower() in {"a.m", "p.m", "etc", "u.s", "u.n"} and rest[:1].isupper()
    return not rest[:1].islower()


def split_sentences(text: str, *, abbreviations: frozenset[str] = _ABBREVIATIONS) -> tuple[Sentence, ...]:
    """Split clean text into sentences; blank lines are paragraph borders, list lines stand alone.

    A stretch without any stop is cut after `2,000` characters at a space, so that no rule ever sees more.
    """
    spans: list[tuple[int, int, int]] = []
    start = 0
    paragraph = 0
    for match in _STOP.finditer(text):
        if not _is_stop(text, match, start, abbreviations):
            continue
        is_break = match.group(1) is None
        end = match.start() if is_break else match.start() + len(match.group(1)) + len(match.group(2))
        spans.extend((a, b, paragraph) for a, b in _cut(text, start, end))
        start = match.end()
        if is_break or "\n" in (match.group(3) or ""):
            paragraph += 1
    spans.extend((a, b, paragraph) for a, b in _cut(text, start, len(text)))
    return tuple(Sentence(i, p, a, b, text[a:b], tokenise(text[a:b], offset=a)) for i, (a, b, p) in enumerate(spans))


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    pieces = []
    while start < end:
        stop = end
        if end - start > _MAX_SENTENCE:
            space = text.rfind(" ", start + _MAX_SENTENCE // 2, start + _MAX_SENTENCE)
            stop = space if space > 0 else start + _MAX_SENTENCE
        piece = text[start:stop]
        stripped = piece.strip()
        if stripped:
            lead = len(piece) - len(piece.lstrip())
            pieces.append((start + lead, start + lead + len(stripped)))
        start = stop
    return pieces
