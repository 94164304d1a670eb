"""Number words and figures -> quantities with a lower and an upper end.

The rules for vague words are those of the design, section 5: about n = n-n; at least n = n-open; more than n =
n+1-open; up to n = open-n; dozens 24-open, scores 40-open, hundreds 200-open, several 3-open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from incidents.reading.sentences import Token

__all__ = ["Quantity", "find_quantities", "parse_count"]

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_VAGUE: dict[str, tuple[int, int | None]] = {
    "tens": (20, None),
    "dozens": (24, None),
    "scores": (40, None),
    "hundreds": (200, None),
    "thousands": (2_000, None),
    "several": (3, None),
    "many": (3, None),
    "numerous": (3, None),
    "couple": (2, 2),
    "pair": (2, 2),
    "handful": (3, None),
    "few": (3, None),
    "trio": (3, 3),
    "both": (2, 2),
}
_MAX = 10**10

# Words before a number: (lower-case words) -> what they do to it.
_BEFORE: tuple[tuple[tuple[str, ...], str], ...] = tuple(
    (tuple(words.split()), effect)
    for words, effect in (
        ("at least", "min"),
        ("at the least", "min"),
        ("no fewer than", "min"),
        ("no less than", "min"),
        ("not fewer than", "min"),
        ("not less than", "min"),
        ("a minimum of", "min"),
        ("minimum of", "min"),
        ("upwards of", "min"),
        ("as many as", "max"),
        ("up to", "max"),
        ("at most", "max"),
        ("a maximum of", "max"),
        ("no more than", "max"),
        ("fewer than", "below"),
        ("less than", "below"),
        ("under", "below"),
        ("more than", "above"),
        ("over", "above"),
        ("above", "above"),
        ("upward of", "min"),
        ("well over", "above"),
        ("just over", "above"),
        ("in excess of", "above"),
        ("about", "about"),
        ("around", "about"),
        ("some", "about"),
        ("roughly", "about"),
        ("approximately", "about"),
        ("nearly", "about"),
        ("almost", "about"),
        ("close to", "about"),
        ("an estimated", "about"),
        ("estimated", "about"),
        ("a total of", "exact"),
        ("total of", "exact"),
        ("just", "exact"),
        ("only", "exact"),
        ("exactly", "exact"),
        ("a further", "further"),
        ("another", "further"),
        ("an additional", "further"),
        ("an extra", "further"),
        ("further", "further"),
        ("additional", "further"),
        ("the other", "further"),
    )
)
_AFTER: tuple[tuple[tuple[str, ...], str], ...] = tuple(
    (tuple(words.split()), effect)
    for words, effect in (
        ("or more", "min"),
        ("or so", "about"),
        ("at least", "min"),
        ("at the least", "min"),
        ("or over", "min"),
        ("or fewer", "max"),
        ("or less", "max"),
        ("or thereabouts", "about"),
        ("at most", "max"),
        ("more", "further"),
    )
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the text.

    Attributes
    ----------
    minimum, maximum : int or None
        None is open.
    first, last : int
        Token span in the sentence, `last` excluded; words such as "at least" included.
    core, core_last : int
        Token span of the number itself.
    further : bool
        "another five", "five more": to be added to what was said before.
    vague : bool
        From a word such as "dozens".
    approximate : bool
        From "about" and the like.
    percent : bool
        A share, not a count.
    """

    minimum: int | None
    maximum: int | None
    first: int
    last: int
    core: int
    core_last: int
    further: bool = False
    vague: bool = False
    approximate: bool = False
    percent: bool = False


_FIGURE = re.compile(r"\d{1,3}(?:[,. ]\d{3})+$|\d+$")


def _figure(text: str) -> int | None:
    if not _FIGURE.match(text):
        return None
    value = int(re.sub(r"\D", "", text)) if len(text) < 16 else _MAX + 1
    return value if value <= _MAX else None


def _read_number(tokens: tuple[Token, ...], i: int) -> tuple[int, int] | None:  # noqa: C901, PLR0912 - one small automaton, clearer whole
    """Read one number starting at token `i`; return its value and the index after it."""
    total = 0
    current: int | None = None
    j = i
    if (
        tokens[i].lower == "half"
        and i + 2 < len(tokens)
        and tokens[i + 1].lower == "a"
        and tokens[i + 2].lower == "dozen"
    ):
        return 6, i + 3
    while j < len(tokens):
        word = tokens[j].lower
        parts = word.split("-") if "-" in word and not word[0].isdigit() else [word]
        if len(parts) == 2 and parts[0] in _TENS and parts[1] in _UNITS:
            current = (current or 0) + _TENS[parts[0]] + _UNITS[parts[1]]
        elif len(parts) == 2 and parts[1] in {"odd", "plus"} and (parts[0] in _TENS or parts[0] in _UNITS):
            current = _TENS.get(parts[0], _UNITS.get(parts[0], 0))
        elif word in _UNITS and (current is None or (current % 10 == 0 and current % 100 != 10 and current > 0)):
            current = (current or 0) + _UNITS[word]
        elif word in _TENS and (current is None or current % 100 == 0):
            current = (current or 0) + _TENS[word]
        elif word == "dozen" and (current is not None or j == i + 1):
            current = (current if current is not None else 1) * 12
        elif word in _SCALES:
            if current is None and total == 0:
                return None
            scale = _SCALES[word]
            if scale == 100:
                current = (current or 1) * 100
            else:
                total += (current if current is not None else 1) * scale
                current = None
        elif word == "and" and j > i and j + 1 < len(tokens) and tokens[j - 1].lower in {"hundred", "thousand"}:
            nxt = tokens[j + 1].lower
            if not (nxt in _UNITS or nxt in _TENS or nxt.split("-")[0] in _TENS):
                break
        elif word in {"a", "an"} and j == i and j + 1 < len(tokens) and tokens[j + 1].lower in {*_SCALES, "dozen"}:
            current = 1
        else:
            value = _figure(word) if word[0].isdigit() else None
            if value is None and j == i and re.fullmatch(r"\d+\.\d+", word) and j + 1 < len(tokens):
                scale = _SCALES.get(tokens[j + 1].lower, 0)
                if scale > 100:
                    return round(float(word) * scale), j + 2
            if value is None or current is not None:
                break
            current = value
        j += 1
    if j == i:
        return None
    value = total + (current or 0)
    return (value, j) if value <= _MAX else None


def _is_excluded(tokens: tuple[Token, ...], i: int, j: int) -> bool:
    """Tell whether the number at tokens i..j is an age, a time, a calibre, money, a name: anything but a count."""
    before = tokens[i - 1] if i else None
    after = tokens[j] if j < len(tokens) else None
    glued_before = before is not None and before.end == tokens[i].start
    glued_after = after is not None and after.start == tokens[j - 1].end
    if glued_before and before is not None and before.text in {"$", "€", "£", "#", "/", "-", "@", "_", "\\", "°"}:
        # "S-300" is one token; "-300" after a word is a name, after a space dash a number.
        return True
    if glued_after and after is not None and after.text == "-" and j + 1 < len(tokens) and tokens[j + 1].is_word:
        return tokens[j + 1].start == after.end  # 152-mm, 57-year-old
    if glued_after and after is not None and after.text in {"°", "/", "\\", "_", "@", ":"}:
        return True
    return bool(
        before is not None
        and before.lower
        in {"aged", "age", "no", "number", "apartment", "flat", "room", "route", "article", "resolution"}
    )


def find_quantities(tokens: tuple[Token, ...]) -> list[Quantity]:
    """Find every quantity of a sentence, left to right, not overlapping.

    Parameters
    ----------
    tokens : tuple of Token
        The sentence's tokens.
    """
    found: list[Quantity] = []
    i = 0
    while i < len(tokens):
        quantity = _read_quantity(tokens, i)
        if quantity is None:
            i += 1
            continue
        quantity = _widen(tokens, quantity, found[-1].last if found else 0)
        found.append(quantity)
        i = quantity.last
    return found


def _read_quantity(tokens: tuple[Token, ...], i: int) -> Quantity | None:  # noqa: PLR0911 - one return a form
    word = tokens[i].lower
    if word in _VAGUE:
        return _read_vague(tokens, i, word)
    if word == "a" and i + 1 < len(tokens) and tokens[i + 1].lower in {"couple", "pair", "handful", "few", "trio"}:
        low, high = _VAGUE[tokens[i + 1].lower]
        end = i + 3 if i + 2 < len(tokens) and tokens[i + 2].lower == "of" else i + 2
        return Quantity(low, high, i, end, i, end, vague=high is None)
    if word in {"between", "from"}:
        pair = _read_pair(tokens, i + 1, "and" if word == "between" else "to")
        if pair is not None:
            low, high, end = pair
            return Quantity(low, high, i, end, i, end)
        return None
    pair = _read_pair(tokens, i, "to") or _read_pair(tokens, i, "or") or _read_pair(tokens, i, "-")
    if pair is not None and pair[1] > pair[0] and not _is_excluded(tokens, i, pair[2]):
        return Quantity(pair[0], pair[1], i, pair[2], i, pair[2])
    number = _read_number(tokens, i)
    if number is None:
        return None
    value, end = number
    if _is_excluded(tokens, i, end):
        return None
    percent = (
        end < len(tokens)
        and tokens[end].lower in {"%", "percent", "per", "pc"}
        and (tokens[end].lower != "per" or (end + 1 < len(tokens) and tokens[end + 1].lower == "cent"))
    )
    plus = end < len(tokens) and tokens[end].text == "+" and tokens[end].start == tokens[end - 1].end
    if plus:
        return Quantity(value, None, i, end + 1, i, end + 1, percent=percent)
    return Quantity(value, value, i, end, i, end, percent=percent)


def _read_vague(tokens: tuple[Token, ...], i: int, word: str) -> Quantity | None:
    low, high = _VAGUE[word]
    end = i + 1
    if (
        word in {"many", "few"}
        and end < len(tokens)
        and tokens[end].lower in {"as", "more", "dozens", "hundreds", "scores", "thousands"}
    ):
        return None  # "as many as 40", "many more"
    if word == "tens" and (end >= len(tokens) or tokens[end].lower != "of"):
        return None
    if word in {"couple", "pair", "handful", "trio"} and (i == 0 or tokens[i - 1].lower not in {"a", "the", "another"}):
        return None
    if word in {"hundreds", "scores", "dozens", "thousands", "tens", "couple", "pair", "handful", "trio"}:
        if end + 1 < len(tokens) and tokens[end].lower == "of" and tokens[end + 1].lower in {"thousands", "hundreds"}:
            # "tens of thousands" is 20 times 1,000; "hundreds of thousands" 200 times.
            low *= 100 if tokens[end + 1].lower == "hundreds" else 1_000
            end += 2
        if end < len(tokens) and tokens[end].lower == "of":
            end += 1
    return Quantity(low, high, i, end, i, end, vague=high is None)


def _read_pair(tokens: tuple[Token, ...], i: int, joint: str) -> tuple[int, int, int] | None:
    if i >= len(tokens):
        return None
    if joint == "-" and "-" in tokens[i].text:
        parts = tokens[i].text.split("-")
        if len(parts) == 2 and all(p.isdigit() and len(p) < 7 for p in parts):
            return int(parts[0]), int(parts[1]), i + 1
        return None
    first = _read_number(tokens, i)
    if first is None or first[1] + 1 >= len(tokens):
        return None
    middle = tokens[first[1]].lower
    if middle != joint and not (joint in {"-", "to"} and middle in {"-", "–"}):
        return None
    second = _read_number(tokens, first[1] + 1)
    if second is None or second[0] <= first[0]:
        return None
    return first[0], second[0], second[1]


def _widen(tokens: tuple[Token, ...], quantity: Quantity, floor: int) -> Quantity:
    """Take in "at least", "or more" and the like on either side."""
    changed = True
    while changed:
        changed = False
        for words, effect in _BEFORE:
            start = quantity.first - len(words)
            if start >= floor and tuple(t.lower for t in tokens[start : quantity.first]) == words:
                quantity = replace(_apply(quantity, effect), first=start)
                changed = True
                break
    for words, effect in _AFTER:
        end = quantity.last + len(words)
        if tuple(t.lower for t in tokens[quantity.last : end]) == words:
            if words == ("more",) and end < len(tokens) and tokens[end].lower == "than":
                continue
            quantity = replace(_apply(quantity, effect), last=end)
            break
    return quantity


def _apply(quantity: Quantity, effect: str) -> Quantity:
    low, high = quantity.minimum, quantity.maximum
    match effect:
        case "min":
            return replace(quantity, maximum=None)
        case "max":
            return replace(quantity, minimum=None)
        case "above":
            # "more than 50" is 51 or more; of vague words ("over several") nothing changes.
            return replace(quantity, minimum=low + 1 if low is not None and not quantity.vague else low, maximum=None)
        case "below":
            return replace(quantity, minimum=None, maximum=high - 1 if high else high)
        case "about":
            return replace(quantity, approximate=True)
        case "further":
            return replace(quantity, further=True)
        case _:
            return quantity


def parse_count(text: str) -> tuple[int | None, int | None] | None:
    """Read a whole text as one count: "at least 4", "3-5", "dozens"; None where it is none.

    Returns
    -------
    tuple of (int or None, int or None), or None
        Lower and upper end; None in the pair is open.
    """
    from incidents.reading.sentences import tokenise  # noqa: PLC0415 - kept beside its only use

    quantities = find_quantities(tokenise(text))
    return (quantities[0].minimum, quantities[0].maximum) if len(quantities) == 1 else None
