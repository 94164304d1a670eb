# ruff: noqa: E501 - word tables, patterns and SQL are easier to check unbroken
"""One way to compare place names, used alike when the index is built and when it is asked.

`fold` removes what spellings of one name differ in: case, diacritics, apostrophes, hyphens, dots and odd spaces.
`article_key` goes one step further for Arabic names: the article is al, el, as, ez ... or nothing at all, by writer.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["ARTICLE_COUNTRIES", "article_key", "fold", "has_article", "strip_article", "strip_type_words"]

# Letters that Unicode does not decompose, and Arabic and Persian letters that writers exchange freely.
_LETTERS = {
    "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h", "ŋ": "n", "ə": "a", "ɛ": "e", "ɔ": "o",
    "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y", "ى": "ي", "ی": "ي", "ې": "ي", "ک": "ك", "ة": "ه", "ہ": "ه", "ھ": "ه", "ۀ": "ه", "ـ": "", "ٱ": "ا",
    "ё": "е", "ґ": "г",
}  # fmt: skip
_GONE = "'’‘`´ʼʻʹʺ′″ˈˊ“”\"«».·•،ʿʾˁˀՙ՚׳״\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e"
_SPACES = "-‐‑‒–—―_/\\,;:()[]{}|~"
_TABLE = str.maketrans({**_LETTERS, **dict.fromkeys(_GONE, ""), **dict.fromkeys(_SPACES, " ")})

# Vowel signs of Indic and Thai script have class 0, nukta and virama 7 and 9, kana voicing 8: they are letters, not accents.
_KEPT_CLASSES = frozenset({0, 7, 8, 9})

_LATIN_ARTICLES = frozenset(
    {"al", "el", "ad", "adh", "ar", "as", "ash", "at", "ath", "az", "an", "ul", "il", "ed", "er", "es", "esh", "ech"}
    | {"et", "ez", "en", "l", "ach"}
)
_ARABIC_ARTICLE = "ال"

ARTICLE_COUNTRIES = frozenset(
    [
        "AE",
        "BH",
        "DJ",
        "DZ",
        "EG",
        "EH",
        "ER",
        "IL",
        "IQ",
        "JO",
        "KM",
        "KW",
        "LB",
        "LY",
        "MA",
        "MR",
        "OM",
        "PS",
        "QA",
        "SA",
        "SD",
        "SO",
        "SS",
        "SY",
        "TD",
        "TN",
        "YE",
        "ML",
        "NE",
        "NG",
        "IR",
        "TR",
        "ET",
    ]
)
"""Countries (ISO 3166-1 alpha-2) where names carry the Arabic article. Elsewhere "El Paso" is not "Paso"."""

# Words that say what kind of area a name is, in the transliterations that GeoNames, Natural Earth and news use.
_TYPE_WORDS = (
    "autonomous region|autonomous republic|autonomous oblast|autonomous okrug|special administrative region|"
    "federal district|federal city|capital territory|capital region|capital district|metropolitan area|"
    "oblast|oblasti|oblasts|region|regions|province|provinces|state|states|governorate|governorates|muhafazat|muhafazah|mohafazat|"
    "district|districts|county|counties|raion|rayon|raioni|prefecture|prefectures|department|departments|"
    "departement|departamento|provincia|provincie|provinz|provinsi|estado|krai|kray|okrug|republic|division|subdivision|territory|"
    "canton|commune|municipality|municipio|voivodeship|wojewodztwo|wilaya|wilayah|wilayat|vilayet|gouvernorat|"
    "governorate council|zone|woreda|cercle|parish|parroquia|borough|township|emirate|atoll|island council|judet|judetul|"
    "zupanija|kraj|lan|fylke|maakunta|apskritis|megye|ili|iline|il|ostan|ostan e|velayat|viloyati|oblysy|oblusu|shahrestan|"
    "shahrestan e|tehsil|upazila|zila|mandal|qada|qadaa|kaza|nahiyah|nahiya|liwa|caza|mintaqah|mintaqat|markaz"
)
_TYPE_END = re.compile(rf"^(?P<name>.{{2,}}?) (?:{_TYPE_WORDS})$")
_TYPE_START = re.compile(
    rf"^(?:the )?(?:{_TYPE_WORDS}|republic|state) (?:of the |of |de la |de l |de las |de los |del |de |des |du |do |da |di |d )?(?P<name>.{{2,}})$"
)
_TYPE_OTHER_END = re.compile(
    r"^(?P<name>.{2,}?) (?:область|области|облість|області|обл|район|района|району|край|края|республика|республіка|автономная область|"
    r"автономный округ|округ|губерния|воеводство|область\w*)$"
)
_TYPE_OTHER_START = re.compile(
    r"^(?:محافظه|ولايه|منطقه|اقليم|مديريه|قضاء|استان|شهرستان|республика|республіка|автономная республика|автономна республіка) (?P<name>.{2,})$"
)


@lru_cache(maxsize=16384)
def fold(name: str) -> str:
    """Bring a name to the form in which the index compares names.

    Parameters
    ----------
    name : str
        Any text, in any script; lone surrogates are dropped.

    Returns
    -------
    str
        Case-folded, without diacritics, apostrophes, dots and doubled spaces; hyphens are spaces. Folding twice
        changes nothing. Letters of other scripts stay.
    """
    if name.isascii():
        return " ".join(name.casefold().translate(_TABLE).split())
    text = unicodedata.normalize("NFKD", name).casefold()
    text = unicodedata.normalize("NFKD", text).translate(_TABLE)
    text = "".join(c for c in text if unicodedata.combining(c) in _KEPT_CLASSES and not 0xD800 <= ord(c) <= 0xDFFF)
    return " ".join(text.translate(_TABLE).split())


def strip_article(folded: str) -> str | None:
    """Remove a leading Arabic article from a folded name; None when there is none."""
    head, _, tail = folded.partition(" ")
    if tail and head in _LATIN_ARTICLES:
        return tail
    if folded.startswith(_ARABIC_ARTICLE) and len(folded) > len(_ARABIC_ARTICLE) + 2:
        return folded[len(_ARABIC_ARTICLE) :]
    return None


def article_key(folded: str) -> str:
    """Give the key under which spellings with and without articles meet.

    All articles and spaces go: ``deir ez zor``, ``dayr al zawr`` differ still, ``deir el balah`` and
    ``deir al balah`` do not. The key starts with ``~`` so that it never meets an ordinary name.
    """
    words = []
    for word in folded.split(" "):
        if word in _LATIN_ARTICLES:
            continue
        if word.startswith(_ARABIC_ARTICLE) and len(word) > len(_ARABIC_ARTICLE) + 1:
            words.append(word[len(_ARABIC_ARTICLE) :])
        else:
            words.append(word)
    return "~" + "".join(words)


def has_article(folded: str) -> bool:
    """Tell whether any word of a folded name is, or carries, an Arabic article."""
    return any(w in _LATIN_ARTICLES or (w.startswith(_ARABIC_ARTICLE) and len(w) > 3) for w in folded.split(" "))


def strip_type_words(folded: str) -> str | None:
    """Remove the word that says what kind of area a folded name is.

    ``donetsk oblast``, ``region of donetsk`` and ``province du nord`` give ``donetsk`` and ``nord``; a name without such a word gives None.
    """
    for pattern in (_TYPE_END, _TYPE_START, _TYPE_OTHER_END, _TYPE_OTHER_START):
        found = pattern.match(folded)
        if found:
            return found["name"].strip() or None
    return None
