"""Find words in texts of any script, without regard to case and accents, over whole columns at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["TEXT_COLUMNS", "fold_texts", "match_text"]

TEXT_COLUMNS: tuple[str, ...] = ("title", "place_name", "evidence")
"""The columns that a text is looked for in."""

_MARKS = (
    "[\u0300-\u036f\u0483-\u0487"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u200b-\u200f\u00ad]"
)
"""Marks that people leave out when they type: accents, Hebrew points, Arabic vowels and tatweel, invisible signs.

The vowel signs of Indic and other scripts are letters there and stay.
"""
_LETTERS: dict[str, str] = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ħ": "h",
    "ı": "i",
    "ς": "σ",
    "ة": "ه",
    "ى": "ي",
    "ی": "ي",
    "ک": "ك",
}
"""Letters that Unicode does not take apart, but readers do."""


def fold_texts(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the texts as they are compared: without case and accents, in every script."""
    folded = pc.utf8_normalize(texts, form="NFKD")
    folded = pc.utf8_lower(pc.replace_substring_regex(folded, pattern=_MARKS, replacement=""))
    for letter, plain in _LETTERS.items():
        folded = pc.replace_substring(folded, pattern=letter, replacement=plain)
    folded = pc.replace_substring_regex(folded, pattern="[\u2018\u2019\u02bc\u02b9\u02bb\u0060\u00b4]", replacement="'")
    return pc.replace_substring_regex(folded, pattern="[\u2010-\u2015]", replacement="-")


class _FoldedColumns:
    """Keep the folded texts of the last few large columns: folding takes seconds, looking a word up does not.

    A column is known again by the memory that it lies in; the kept reference makes sure nothing else moves there.
    """

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], tuple[Any, Any]] = OrderedDict()

    def fold(self, series: pd.Series) -> pa.ChunkedArray:
        texts = pa.array(series, pa.large_string(), from_pandas=True)
        texts = texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([texts])
        if len(texts) < _LARGE:
            return _fold_apart(texts)
        key = tuple((c.offset, len(c), *(b.address if b else 0 for b in c.buffers())) for c in texts.chunks)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
        folded = _fold_apart(texts)
        with self._lock:
            self._kept[key] = (texts, folded)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return folded


_LARGE = 20_000
_folded_columns = _FoldedColumns(size=2 * len(TEXT_COLUMNS))


def _fold_apart(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Fold plain ASCII texts, most of the usual, by lowering them; the others thoroughly."""
    plain = pc.fill_null(pc.string_is_ascii(texts), fill_value=True)
    folded = pc.utf8_lower(texts)
    if pc.all(plain).as_py():
        return pc.replace_substring(folded, pattern="`", replacement="'")
    special = pc.invert(plain)
    # arrow's own replace_with_mask copies value by value; taking from both is one pass
    both = pa.chunked_array([*folded.chunks, *fold_texts(pc.filter(texts, special)).chunks])
    places = np.arange(len(texts))
    mask = special.to_numpy()
    places[mask] = len(texts) + np.arange(int(mask.sum()))
    folded = both.take(pa.array(places))
    return pc.replace_substring(folded, pattern="`", replacement="'")


def match_text(frame: pd.DataFrame, text: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return, row by row, whether every word of `text` occurs in one of `TEXT_COLUMNS`."""
    words = [w for w in fold_texts(pa.array(text.split(), pa.large_string())).to_pylist() if w]
    found = np.zeros((len(words), len(frame)), dtype=bool)
    for column in TEXT_COLUMNS:
        folded = _folded_columns.fold(frame[column])
        for number, word in enumerate(words):
            found[number] |= pc.fill_null(pc.match_substring(folded, pattern=word), fill_value=False).to_numpy()
    return np.asarray(np.logical_and.reduce(found, axis=0), dtype=np.bool_)
