"""An event's figures from what was claimed, by one written rule.

The first full toll stands. A later figure that is told as an update replaces it; one told as "another" or "further" is
added; a larger one from elsewhere makes a range; a smaller one is a detail of it, unless a source is set against it.
The attackers' own dead are kept apart. Figures of several claimants thus become a range, never a sum.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from incidents.reading.casualties import Casualty
from incidents.reading.draft import Figure

__all__ = ["Range", "derive_range", "derive_subset"]

_CONFIRMED_SO_FAR = re.compile(
    r"\b(?:so far|up to now|until now|as yet|confirmed (?:only )?(?:\w+ ){0,2}(?:deaths?|dead|killed))\b", re.I
)
_SET_AGAINST = re.compile(
    r"\b(?:but|while|however|other(?:s| officials| sources| reports)|put|spoke of|gave|counted|a (?:security|hospital|medical) source|reports? (?:said|differed)|figure)\b",
    re.I,
)
_CLAIMED = re.compile(
    r"\b(?:claim(?:s|ed)|boasted)\b[^,;]{0,60}$|\b(?:its|their) (?:fighters|forces|men|troops|soldiers|army)\b[^,;]{0,40}$",
    re.I,
)
# "By Monday the UN had counted 53 dead": the later state of the same toll.
_BY_THEN = re.compile(
    r"\bby (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|midday|noon|evening|nightfall|midnight|late|early|the (?:evening|end|next|following))\b",
    re.I,
)
_ALSO = re.compile(
    r"\balso (?:killed|wounded|injured|died|hurt)\b|\b(?:killed|wounded|injured|died|hurt) (?:too|as well)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Range:
    """A derived figure: ends, and the figure it rests on."""

    minimum: int | None
    maximum: int | None
    source: Figure | None = None
    disputed: bool = False


def _drop_parts(figures: list[Figure]) -> list[Figure]:
    """Within a sentence, drop figures that only break a total down: "20 lives: 18 at once and two in hospital"."""
    kept: list[Figure] = []
    by_sentence: dict[int, list[Figure]] = {}
    for figure in figures:
        by_sentence.setdefault(figure.unit.sentence.index, []).append(figure)
    for mine in by_sentence.values():
        if len(mine) >= 3:
            total, *parts = mine
            values = [p.casualty.minimum or 0 for p in parts]
            if total.casualty.minimum and sum(values) == total.casualty.minimum:
                kept.append(total)
                continue
        kept.extend(mine)
    return kept


def _sum_sentence(figures: list[Figure]) -> list[tuple[Figure, int | None, int | None, bool]]:
    """Give each sentence one figure: further ones are added, separate victims too; claims of several sources stay apart."""
    out: list[tuple[Figure, int | None, int | None, bool]] = []
    for figure in figures:
        c = figure.casualty
        if c.update and out and out[-1][0].unit.sentence.index == figure.unit.sentence.index:
            out[-1] = (figure, c.minimum, c.maximum, True)
            continue
        if out and out[-1][3] and out[-1][0].unit.sentence.index == figure.unit.sentence.index:
            continue  # "rose to 14 after five more bodies were found"
        if out and out[-1][0].unit is figure.unit and not c.update:
            first, low, high, update = out[-1]
            between = figure.unit.sentence.text[
                max(0, first.casualty.end - figure.unit.sentence.start) : max(0, c.start - figure.unit.sentence.start)
            ]
            claims = re.search(r"\b(?:said|according|put|spoke|reported|counted|figure)\b|;", between)
            separate = c.further or (
                not claims and c.group != "all" and first.casualty.group != "all" and not c.definite
            )
            if separate and low is not None and c.minimum is not None:
                high = None if high is None or c.maximum is None else high + c.maximum
                out[-1] = (first, low + c.minimum, high, update)
                continue
        out.append((figure, c.minimum, c.maximum, c.update))
    return out


def derive_range(  # noqa: C901, PLR0912 - the written rule, step by step
    figures: Sequence[Figure], measure: str
) -> Range:
    """Derive one measure of an event.

    Parameters
    ----------
    figures : sequence of Figure
        All figures of the event, in reading order.
    measure : str

    Returns
    -------
    Range
        Ends are None where nothing is stated.
    """
    mine = [f for f in figures if f.casualty.measure == measure and not f.casualty.subset]
    firm = [f for f in mine if not f.casualty.weak] or mine
    if any((f.casualty.minimum or 0) > 0 or f.casualty.minimum is None for f in firm):
        firm = [f for f in firm if f.casualty.minimum is None or f.casualty.minimum > 0]
    victims = [f for f in firm if not f.casualty.attackers] or firm
    if not victims:
        return Range(None, None)
    steps = _sum_sentence(_drop_parts(victims))
    (base, low, high, _), rest = steps[0], steps[1:]
    source = base
    disputed = False
    ceiling: int | None = None
    for figure, next_low, next_high, update in rest:
        c = figure.casualty
        text = figure.unit.text
        if update or (_BY_THEN.search(text[: max(0, c.start - figure.unit.start)]) and (next_low or 0) >= (low or 0)):
            low, high, source, ceiling = next_low, next_high, figure, None
            continue
        if next_low is None or low is None:
            if low is None and next_low is not None:
                low, high, source = next_low, next_high if high is None else max(high, next_high or 0), figure
            continue
        if c.further and next_low > 5 * max(low, 1):
            continue  # "about 1,000 more": of the whole war
        if c.further or (_ALSO.search(text) and figure.unit.sentence.index != base.unit.sentence.index):
            low = low + next_low
            high = None if high is None or next_high is None else high + next_high
            continue
        if (
            base.casualty.vague
            and source is base
            and not c.vague
            and not c.subset
            and next_low >= low / 2
            and c.group in {"all", base.casualty.group}
        ):
            low, high, source = next_low, next_high, figure  # "scores of bodies", then 67
            continue
        if _CLAIMED.search(text[: max(0, c.start - figure.unit.start)]):
            continue  # a fighting side's own claim: kept as a claim, not in the figures
        if next_low == low:
            if next_high is None:
                high = None
            continue
        if next_low > low:
            if c.definite or (next_low > 3 * low and low > 1):
                continue
            if low == 1 and base.casualty.group != "all" and next_low > 1 and c.group == "all":
                # One victim was told first, the whole toll later.
                low, high, source = next_low, next_high, figure
                continue
            ceiling = max(ceiling or 0, next_high if next_high is not None else next_low)
            disputed = True
            continue
        if (
            _SET_AGAINST.search(text)
            and not _CONFIRMED_SO_FAR.search(text)
            and c.group == "all"
            and next_low >= 0.6 * low
            and not c.definite
        ):
            if high is not None:
                ceiling = max(ceiling or 0, high)
            low = next_low
            disputed = True
    if ceiling is not None:
        high = max(ceiling, high or 0)
    if high is not None and low is not None and high < low:
        high = low
    return Range(low, high, source, disputed)


def derive_subset(figures: Sequence[Figure], measure: str, group: str) -> tuple[Casualty | None, Range]:
    """Derive a part of a measure ("children killed"), where it is said."""
    mine = [f for f in figures if f.casualty.measure == measure and f.casualty.group == group]
    parts = [f for f in mine if f.casualty.subset] or [f for f in mine if not f.casualty.subset]
    if not parts:
        return None, Range(None, None)
    best = max(parts, key=lambda f: f.casualty.minimum or 0)
    return best.casualty, Range(best.casualty.minimum, best.casualty.maximum, best)
