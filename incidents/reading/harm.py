"""The record of a figure on people, and how chunks become one."""

from __future__ import annotations

from dataclasses import dataclass

from incidents.reading.chunks import Chunk
from incidents.reading.sentences import Sentence

__all__ = ["Casualty", "make_casualty", "sum_parts"]


@dataclass(frozen=True, slots=True)
class Casualty:
    """One figure on people.

    Attributes
    ----------
    measure : str
        killed, injured, missing, displaced, abducted, arrested.
    group : str
        all, civilians, children, women, combatants.
    minimum, maximum : int or None
        None is open.
    start, end : int
        Code-point span in the clean text, from the number to the harm word.
    rule : str
        The name of the pattern.
    further : bool
        To be added to what was said before ("another five").
    update : bool
        Replaces an earlier figure ("the toll rose to 14").
    subset : bool
        A part of another figure ("including five children").
    attackers : bool
        Counts only those who attacked.
    weak : bool
        From a vague or indirect wording ("in hospital", "many were killed").
    vague : bool
        From a word such as "dozens".
    definite : bool
        Told with "the": people mentioned before.
    number_at : int
        Token index of the number, for finding the place that stands beside it.
    word_at : int
        Token index of the harm word.
    """

    measure: str
    group: str
    minimum: int | None
    maximum: int | None
    start: int
    end: int
    rule: str
    further: bool = False
    update: bool = False
    subset: bool = False
    attackers: bool = False
    weak: bool = False
    vague: bool = False
    definite: bool = False
    number_at: int = 0
    word_at: int = 0


def sum_parts(parts: list[Chunk]) -> tuple[int | None, int | None]:
    """Add up coordinated numbers; an open end stays open."""
    lows = [c.minimum for c in parts]
    highs = [c.maximum for c in parts]
    low = sum(v for v in lows if v is not None) if any(v is not None for v in lows) else None
    high = None if any(v is None for v in highs) else sum(v for v in highs if v is not None)
    return low, high


def make_casualty(sentence: Sentence, parts: list[Chunk], word: Chunk, rule: str, *, update: bool = False) -> Casualty:
    """Make the figure of the given number chunks with their harm word; marks them as used."""
    low, high = sum_parts(parts)
    groups = {p.group for p in parts if p.group}
    attackers = groups == {"attackers"}
    group = groups.pop() if len(groups) == 1 else "all"
    group = {"attackers": "combatants", "men": "all"}.get(group, group)
    first, last = min(parts[0].first, word.first), max(parts[-1].last, word.last)
    for part in parts:
        part.used = True
    word.used = True
    tail = tuple(t.lower for t in sentence.tokens[last : last + 3])
    if tail[:2] == ("at", "least") or tail == ("at", "the", "least") or tail[:2] == ("or", "more"):
        high = None  # "46 people were wounded at the least"
    return Casualty(
        measure=word.measure,
        group=group,
        minimum=low,
        maximum=high,
        start=sentence.tokens[first].start,
        end=sentence.tokens[last - 1].end,
        rule=rule,
        further=any(p.further for p in parts),
        attackers=attackers,
        weak=word.symbol == "t",
        vague=any(p.vague for p in parts),
        definite=all(p.definite for p in parts),
        number_at=parts[0].first,
        word_at=word.first,
        update=update,
    )
