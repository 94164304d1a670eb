"""Text on paper: made harmless, measured, wrapped, cut with an ellipsis, and given a font that has its letters.

Matplotlib from 3.11 on shapes text with HarfBuzz, through libraqm, so that Arabic is joined and runs right to left.
DejaVu Sans comes with matplotlib and has Latin, Cyrillic, Greek, Arabic and Hebrew. Other scripts need a font of the
machine; where there is none, the script is named in brackets instead of drawing empty boxes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

__all__ = ["FAMILY", "clean_text", "fit_text", "get_families", "make_drawable", "measure_text", "wrap_text"]

FAMILY = "DejaVu Sans"
_MM_PER_POINT = 25.4 / 72.0
_MEASURE_DPI = 300
_ELLIPSIS = "…"
_FIRST_LETTERS = 200  # more than a line holds; what is shorter is measured once
_JOINERS = {"\u200c", "\u200d"}  # they decide how letters join, in Persian and Indic scripts
_EXTRA_FAMILIES: dict[str, tuple[str, ...]] = {
    "CJK": ("Droid Sans Fallback", "WenQuanYi Micro Hei", "SimHei", "Microsoft YaHei", "Arial Unicode MS"),
    "HANGUL": ("Noto Sans KR", "NanumGothic", "Malgun Gothic", "Arial Unicode MS"),
    "HIRAGANA": ("Noto Sans JP", "Droid Sans Fallback", "IPAexGothic", "Arial Unicode MS"),
    "KATAKANA": ("Noto Sans JP", "Droid Sans Fallback", "IPAexGothic", "Arial Unicode MS"),
    "MYANMAR": ("Padauk", "Myanmar Text"),
    "ETHIOPIC": ("Abyssinica SIL", "Ebrima", "Nyala"),
    "DEVANAGARI": ("Lohit Devanagari", "Nirmala UI", "Mangal"),
    "BENGALI": ("Lohit Bengali", "Nirmala UI"),
}
_GENERAL_FAMILIES = ("FreeSans", "FreeSerif", "Arial Unicode MS", "Unifont")
_SCRIPT_WORDS = {"CJK": "Chinese characters", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


def clean_text(text: object) -> str:
    """Return text as one harmless line.

    Control characters, line ends and the invisible characters that turn the direction of writing become a space or
    nothing; runs of spaces become one. None and other nulls become an empty string.
    """
    if text is None or not isinstance(text, str):
        return ""
    kept: list[str] = []
    for char in text:
        category = unicodedata.category(char)
        if category in {"Cc", "Zl", "Zp", "Zs"}:
            kept.append(" ")
        elif category == "Cs":
            kept.append("\ufffd")
        elif category != "Cf" or char in _JOINERS:
            kept.append(char)
    return re.sub(r" {2,}", " ", "".join(kept)).strip()


@lru_cache(maxsize=4)
def _get_path(family: str, *, bold: bool = False) -> str:
    weight = "bold" if bold else "normal"
    return str(font_manager.findfont(font_manager.FontProperties(family=[family], weight=weight)))


@lru_cache(maxsize=32)
def _get_letters(path: str) -> frozenset[int]:
    return frozenset(font_manager.get_font(path).get_charmap())


@lru_cache(maxsize=1)
def _installed() -> dict[str, str]:
    """Return family to file of the regular faces that matplotlib can embed (single TrueType files)."""
    found: dict[str, str] = {}
    for entry in font_manager.fontManager.ttflist:
        plain = entry.style == "normal" and entry.weight in {400, "normal", "regular", "book"}
        if plain and entry.fname.lower().endswith(".ttf"):
            found.setdefault(entry.name, entry.fname)
    return found


def _get_script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0].split("-")[0]


@lru_cache(maxsize=4096)
def _find_fallback(char: str) -> str | None:
    """Return an installed family that has the letter, or None."""
    script = _get_script(char)
    installed = _installed()
    for family in (
        f"Noto Sans {script.title()}",
        f"Noto Serif {script.title()}",
        *_EXTRA_FAMILIES.get(script, ()),
        *_GENERAL_FAMILIES,
    ):
        path = installed.get(family)
        if path and ord(char) in _get_letters(path):
            return family
    return None


@lru_cache(maxsize=8192)
def get_families(text: str) -> tuple[str, ...]:
    """Return the font families that together have the letters of a text, DejaVu Sans first."""
    if text.isascii():
        return (FAMILY,)
    have = _get_letters(_get_path(FAMILY))
    families = [FAMILY]
    for char in text:
        if ord(char) not in have:
            family = _find_fallback(char)
            if family and family not in families:
                families.append(family)
    return tuple(families)


@lru_cache(maxsize=8192)
def make_drawable(text: str) -> tuple[str, frozenset[str]]:
    """Return the cleaned text with scripts that no font here has named in brackets, and the names of those scripts."""
    text = clean_text(text)
    if text.isascii():
        return text, frozenset()
    have = _get_letters(_get_path(FAMILY))
    shown: list[str] = []
    missing: set[str] = set()
    for char in text:
        if ord(char) in have or char in _JOINERS or _find_fallback(char):
            shown.append(char)
            continue
        script = _get_script(char)
        letter = unicodedata.category(char)[0] in "LM" and script
        word = _SCRIPT_WORDS.get(script, script.title()) if letter else "sign"
        missing.add(word)
        if not (shown and shown[-1] == f"[{word}]"):
            shown.append(f"[{word}]")
    return "".join(shown), frozenset(missing)


def _get_font(text: str, *, bold: bool) -> FT2Font:
    paths = [_get_path(FAMILY, bold=bold)]
    paths += [_installed()[family] for family in get_families(text)[1:]]
    return font_manager.get_font(paths)


@lru_cache(maxsize=65536)
def measure_text(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of one line.

    Parameters
    ----------
    text : str
    size : float
        Points.
    bold : bool

    Returns
    -------
    float
        Millimetres.
    """
    if not text:
        return 0.0
    font = _get_font(text, bold=bold)
    font.set_size(size, _MEASURE_DPI)
    font.set_text(text, 0.0, flags=LoadFlags.NO_HINTING)
    width, _ = font.get_width_height()
    return float(width) / 64.0 / _MEASURE_DPI * 25.4


def _count_fitting(text: str, width: float, size: float, *, bold: bool, end: str = "") -> int:
    """Return how many letters of a text, with `end` after them, are no wider than `width` millimetres.

    Shaping takes time with the length, and a hostile word has no end: only about twice as much is measured as fits.
    """

    def fits(count: int) -> bool:
        return measure_text(text[:count].rstrip() + end if end else text[:count], size, bold=bold) <= width

    low, high = 0, min(len(text), _FIRST_LETTERS)
    while fits(high):
        if high == len(text):
            return high
        low, high = high, min(len(text), 2 * high)
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def fit_text(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return the text, or its beginning with an ellipsis, so that it is no wider than `width` millimetres."""
    if not text or _count_fitting(text, width, size, bold=bold) == len(text):
        return text
    return text[: _count_fitting(text, width, size, bold=bold, end=_ELLIPSIS)].rstrip() + _ELLIPSIS


def _split_word(word: str, width: float, size: float, *, bold: bool) -> Iterator[str]:
    """Yield a word in pieces, where it is wider than the line on its own."""
    while word:
        cut = max(1, _count_fitting(word, width, size, bold=bold))
        yield word[:cut]
        word = word[cut:]


def wrap_text(text: str, width: float, size: float, *, max_lines: int = 99, bold: bool = False) -> tuple[str, ...]:
    """Return a text in lines.

    Parameters
    ----------
    text : str
        Drawable text (see `make_drawable`).
    width : float
        Millimetres.
    size : float
        Points.
    max_lines : int
        What is left after so many lines is cut, with an ellipsis.
    bold : bool

    Returns
    -------
    tuple of str
        Empty for an empty text.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        for piece in _split_word(word, width, size, bold=bold):
            joined = f"{line} {piece}" if line else piece
            if line and measure_text(joined, size, bold=bold) > width:
                lines.append(line)
                line = piece
            else:
                line = joined
            if len(lines) > max_lines:
                break
        if len(lines) > max_lines:
            break
    if line:
        lines.append(line)
    if len(lines) > max_lines:
        # a little more than fits is handed to fit_text, so that it sets the ellipsis at the edge
        lines = [*lines[: max_lines - 1], fit_text(" ".join(lines[max_lines - 1 :]), width, size, bold=bold)]
    return tuple(lines)
