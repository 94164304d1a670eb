"""Which language a text is in, by script and function words: short texts too, mixed texts by their majority."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

__all__ = ["detect_language", "normalise_code"]

_SAMPLE = 12_000  # characters; more tells no more
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("latin", re.compile("[a-z\u00c0-\u024f]", re.I)),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("ka", re.compile("[\u10a0-\u10ff]")),
    ("am", re.compile("[\u1200-\u137f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
)
# Frequent words that few of the other languages of the script share.
_WORDS = {
    "latin": {
        "en": "the of and to in a is was an i or but be has had this which were into over near killed they he she it its than been will would there his her when while two three people after before about more we you all one out up who new did can no if what out through during against by under between were that for on with by at from said has have been are as it his after their who not",
        "fr": "morts mort deux trois attaque attaques frappe frappes tirs soldats explosion sans a l d s c n qu cette ces leurs il elle ils ne pas entre vers lors depuis mais ont ou où tous été tués blessés contre lundi mardi mercredi jeudi vendredi samedi dimanche le la les des du de et une un dans en au aux par pour sur est ont été qui que selon avec ce sont après d l à plus près mais",
        "es": "mueren muere muertos heridos soldados ataque ataques dos tres explosión matan asesinan no sin hubo ha han está esta este otros otro o si cuando desde hasta sobre contra ya muy le les lunes martes miércoles jueves viernes sábado domingo el la los las de del y en un una por para con que se su sus al fue fueron según lo tras más este entre murieron también",
        "pt": "morrem morre mortos feridos soldados ataque ataques dois duas três explosão matam sem ter ele ela eles mas ou já até entre sobre contra há outro outros está esta este segunda terça quarta quinta sexta sábado domingo o a os as de do da dos das e em no na nos nas um uma por para com que foi foram não segundo ao à mais após pelo pela são",
        "de": "der die das und in den von zu mit im auf ein eine ist sich des dem nach bei wurde wurden nicht sind auch aus am als",
        "it": "il lo la gli le di del della dei e in un una per con che è sono nel nella alla da dal dopo stato stati secondo più anche",
        "pl": "w i na z do że się nie to jest oraz po przez od za o został zostało osób według przy które został jak ze",
        "nl": "de het een en van in op te dat is voor met zijn door bij aan niet werd werden ook na uit om naar over",
        "tr": "ve bir bu için ile de da olarak olan en göre daha sonra kadar ise çok ancak oldu edildi tarafından",
        "ro": "și în la de pe cu din un o care a au fost pentru sunt că mai după prin lui este",
        "sw": "na ya wa kwa katika ni la za watu kuwa cha mji baada hiyo huo vya jeshi waliuawa",
        "so": "iyo ee ka ku uu in la oo waxaa ayaa dadka weerar kale magaalada kadib",
    },
    "cyrillic": {
        "uk": "і та у в на що з не до як про за від під час це або внаслідок через після також є були був було її його які якого",
        "ru": "и в на что с не по как о за из от это или при после также был были было его её их которые которого для",
        "bg": "и в на че с не от за е се са да със което която след при бе беше като по към които",
        "sr": "и у на да је се су за од са који која које није после били био као што",
        "be": "і у на што з не да як пра за ад гэта або пасля таксама былі быў было яго які",
    },
    "arabic": {
        "ar": "في من على إلى أن عن التي الذي مع هذا هذه بعد قبل كان وقال أو ما لا بين كما إن خلال يوم حسب",
        "fa": "در از به که این را با است برای آن یک های می شد شده خود تا بر هم کرد نیز",
        "ur": "میں کے کی ہے اور سے کا نے کو پر یہ ہیں تھا بھی گیا کہ جس",
        "ckb": "لە بۆ کە و بە ئەو لەگەڵ لەسەر ئەم دا هەیە کرد",
    },
}
# Letters that a language has and its neighbours have not: each counts like a word.
_LETTERS = {
    "uk": "їєґі", "ru": "ыэъё", "be": "ўі", "sr": "јљњћђџ", "bg": "",
    "fa": "پچژگیک", "ur": "ٹڈڑےںھہ", "ckb": "ەێۆڵ", "ar": "ةىي",
    "fr": "çêœèàùîëé", "es": "ñ¿¡úíóá", "pt": "ãõçê", "de": "äöüß", "pl": "łąęśżźń", "tr": "ığş", "ro": "țșăâ",
}  # fmt: skip
# Letters that a language never writes.
_ALIEN = {
    "ar": "پچژگٹڈڑےںھہیکەێۆڵ",
    "ru": "іїєґў",
    "uk": "ыэъёў",
    "bg": "іїєґыэё",
    "sr": "іїєґыэёщъйяю",
    "be": "щъїєґи",
}


@lru_cache(maxsize=1)
def _load_words() -> dict[str, dict[str, frozenset[str]]]:
    return {s: {c: frozenset(w.split()) for c, w in table.items()} for s, table in _WORDS.items()}


def normalise_code(code: str | None) -> str | None:
    """Bring a language code to ISO 639-1 (``uk-UA`` -> ``uk``, ``ukr`` -> ``uk``); None for what is no code."""
    if not code:
        return None
    head = re.split(r"[-_]", code.strip().lower())[0]
    long = {
        "eng": "en", "ukr": "uk", "rus": "ru", "fra": "fr", "fre": "fr", "spa": "es", "ara": "ar", "por": "pt", "deu": "de", "ger": "de", "pol": "pl",
        "english": "en", "ukrainian": "uk", "russian": "ru", "french": "fr", "spanish": "es", "arabic": "ar", "portuguese": "pt", "ua": "uk",
    }  # fmt: skip
    head = long.get(head, head)
    return head if re.fullmatch(r"[a-z]{2,3}", head) and head not in {"und", "mul", "zxx"} else None


def detect_language(text: str, *, default: str = "en") -> str:
    """Tell the language of a text.

    Parameters
    ----------
    text : str
        Any text; of a long one, its beginning, middle and end are looked at.
    default : str
        Returned where nothing speaks for any language.

    Returns
    -------
    str
        ISO 639-1 code. A text of several languages is in that of most of its letters.
    """
    if len(text) > _SAMPLE:
        third = _SAMPLE // 3
        middle = len(text) // 2
        text = " ".join((text[:third], text[middle : middle + third], text[-third:]))
    if text.isascii():
        scripts = Counter({"latin": 1})
    else:
        scripts = Counter({name: n for name, pattern in _SCRIPTS if (n := len(pattern.findall(text)))})
    if scripts["ja"]:
        scripts["ja"] += scripts.pop("zh", 0)
    if not scripts:
        return default
    # A Latin word in a text of another script is mostly a name or a link: other scripts count double.
    script = max(scripts, key=lambda s: scripts[s] * (1 if s == "latin" else 2))
    if script not in _WORDS:
        return script
    return _decide(text, script, default)


def _decide(text: str, script: str, default: str) -> str:
    words = Counter(w.lower() for w in _WORD.findall(text))
    letters = Counter(text.lower())
    scores: dict[str, float] = {}
    for code, known in _load_words()[script].items():
        score = float(sum(min(n, 40) for w, n in words.items() if w in known))
        score += 0.7 * sum(letters[c] for c in _LETTERS.get(code, ""))
        score -= 1.5 * sum(letters[c] for c in _ALIEN.get(code, ""))
        scores[code] = score
    if script == "cyrillic" and sum(letters[c] for c in "іїє") == 0 and len(text) >= 30:
        scores["uk"] -= 2.0  # every seventh vowel of Ukrainian is one of these
    best = max(scores, key=lambda c: scores[c])
    fallback = {"latin": default, "cyrillic": "ru", "arabic": "ar"}[script]
    floor = 1.5 if script == "latin" else 0.5
    # Latin headlines without function words stay with the default; two hits tell more than one.
    return (
        best if scores[best] >= floor and (script != "latin" or scores[best] > scores.get(default, 0.0)) else fallback
    )
