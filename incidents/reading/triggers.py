"""One sentence -> the words that tell what kind of incident it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from incidents.reading.lexicon import load_lines
from incidents.reading.sentences import Sentence

__all__ = ["GENERIC", "Trigger", "find_triggers"]

GENERIC = "attack"
"""The pseudo type of words that carry an event but not its kind."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A word that tells of an incident: its type, how sure that is (1 to 3), and its span in the clean text.

    `likely` is the type that a generic word mostly means in its language, taken (as inferred) where nothing else tells.
    """

    type: str
    weight: int
    start: int
    end: int
    text: str
    likely: str = ""


@lru_cache(maxsize=1)
def _load_patterns() -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    patterns = []
    for line in load_lines("triggers.txt"):
        head, _, rest = line.partition(": ")
        kind, weight = head.split()
        entries = [e.strip() for e in rest.split(" | ") if e.strip()]
        patterns.append(
            (kind, int(weight), re.compile(r"(?<![\w-])(?:" + "|".join(entries) + r")(?![\w])(?!-\w)", re.I))
        )
    return tuple(patterns)


def find_triggers(sentence: Sentence) -> list[Trigger]:
    """Find the trigger words of a sentence, in order of appearance; of overlapping ones the longest, then the surest."""
    found: list[Trigger] = []
    for kind, weight, pattern in _load_patterns():
        found.extend(
            Trigger(kind, weight, sentence.start + m.start(), sentence.start + m.end(), m.group())
            for m in pattern.finditer(sentence.text)
            if m.group().strip()
        )
    found.sort(key=lambda t: (-(t.end - t.start), -t.weight, t.start))
    kept: list[Trigger] = []
    for trigger in found:
        if all(trigger.end <= k.start or trigger.start >= k.end for k in kept):
            kept.append(trigger)
    return sorted(kept, key=lambda t: t.start)
