"""One language's words, from its data file: compiled once, used for every text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

__all__ = ["FLAGS", "Language", "list_languages", "load_language"]

FLAGS = ("not_war", "sport", "court", "fiction", "background", "cumulative", "feared")
"""Cues that become flags of a unit as they are."""

_CALENDAR_TABLES = {"months", "weekdays", "joiners", "ranges", "day_words"}
_NEVER = re.compile(r"(?!)")


def _folder() -> Any:
    return resources.files("incidents.reading").joinpath("lexicons", "languages")


@lru_cache(maxsize=1)
def list_languages() -> frozenset[str]:
    """Return the codes of the languages that have a data file."""
    return frozenset(p.name[:-5] for p in _folder().iterdir() if p.name.endswith(".toml"))


@dataclass(frozen=True)
class Language:
    """The compiled words of one language.

    Attributes
    ----------
    code : str
        ISO 639-1.
    cased : bool
        Names begin with a capital.
    letters : dict
        Translation table of letters that writers exchange, one for one; texts and lists both go through it.
    clitics : tuple of str
        Written onto the next word (Arabic "and", French "l'"), longest first.
    """

    code: str
    cased: bool
    letters: Mapping[int, str]
    clitics: tuple[str, ...]
    abbreviations: frozenset[str]
    hints: Mapping[str, float]
    numbers: Mapping[str, int]
    unit_first: bool
    teens_after: frozenset[int]
    connectors: frozenset[str]
    vague: Mapping[str, tuple[int, int | None]]
    effects_before: tuple[tuple[str, re.Pattern[str]], ...]
    effects_after: tuple[tuple[str, re.Pattern[str]], ...]
    range_open: re.Pattern[str]
    range_join: re.Pattern[str]
    people: tuple[tuple[str, re.Pattern[str]], ...]
    single: tuple[tuple[str, re.Pattern[str]], ...]
    double: tuple[tuple[str, re.Pattern[str]], ...]
    skip: re.Pattern[str]
    not_people: re.Pattern[str]
    harm: tuple[tuple[str, str, re.Pattern[str]], ...]
    zero: tuple[tuple[str, re.Pattern[str]], ...]
    subset: re.Pattern[str]
    update: re.Pattern[str]
    triggers: tuple[tuple[str, int, str, re.Pattern[str]], ...]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    date_joiners: frozenset[str]
    date_ranges: frozenset[str]
    day_words: Mapping[str, int]
    dates: Mapping[str, re.Pattern[str]]
    saying: re.Pattern[str]
    prepositions: tuple[tuple[str, re.Pattern[str]], ...]
    place_words: Mapping[str, re.Pattern[str]]
    endings: tuple[tuple[str, tuple[str, ...]], ...]
    names: Mapping[str, str]
    function_words: frozenset[str]
    cues: Mapping[str, re.Pattern[str]]
    gloss: tuple[tuple[str, re.Pattern[str]], ...]
    sites: tuple[tuple[str, re.Pattern[str]], ...]
    not_after: re.Pattern[str]
    region: tuple[tuple[re.Pattern[str], str], ...]

    def shadow(self, text: str) -> str:
        """Return the text in lower case with exchanged letters made one; always of the same length."""
        lowered = text.lower()
        if len(lowered) != len(text):
            lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        return lowered.translate(self.letters) if self.letters else lowered


def _compile(
    entries: Iterable[str], letters: Mapping[int, str], start: str, *, end: str = r"(?!\w)"
) -> re.Pattern[str]:
    words = sorted((e.translate(letters) for e in entries if e), key=len, reverse=True)
    return re.compile(rf"(?<![\w-]){start}(?:{'|'.join(words)}){end}") if words else _NEVER


def _words(text: str | list[str]) -> list[str]:
    return text.split() if isinstance(text, str) else [str(t) for t in text]


@cache
def load_language(code: str) -> Language:
    """Load and compile a language's data file.

    Raises
    ------
    FileNotFoundError
        There is none; ask `list_languages` first.
    """
    data = tomllib.loads(_folder().joinpath(f"{code}.toml").read_text("utf-8"))
    letters = {ord(k): v for k, v in data.get("letters", {}).items()}
    start = data.get("word_start", "").translate(letters)

    def pattern(entries: Iterable[str]) -> re.Pattern[str]:
        return _compile(entries, letters, start)

    def exact(entries: Iterable[str]) -> re.Pattern[str]:
        return re.compile("(?:" + "|".join(e.translate(letters) for e in entries) + ")") if entries else _NEVER

    def table(section: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((k, pattern(v)) for k, v in data.get(section, {}).items())

    numbers, people, place = data["numbers"], data["people"], data["places"]
    harm = tuple(
        (measure, kind, pattern(entries)) for measure, kinds in data["harm"].items() for kind, entries in kinds.items()
    )
    triggers = []
    for head, entries in data["triggers"].items():
        kind, weight, *likely = head.split()
        triggers.append((kind, int(weight), likely[0] if likely else "", pattern(entries)))
    calendar = data["dates"]
    months = {w.translate(letters): i for i, names in enumerate(calendar["months"], 1) for w in names.split()}
    weekdays = {w.translate(letters): i for i, names in enumerate(calendar["weekdays"]) for w in names.split()}
    number_words = {
        word.translate(letters): int(value) for value, words in numbers["words"].items() for word in words.split()
    }
    return Language(
        code=code,
        cased=data.get("cased", True),
        letters=letters,
        clitics=tuple(sorted((c.translate(letters) for c in data.get("clitics", [])), key=len, reverse=True)),
        abbreviations=frozenset(data.get("abbreviations", [])),
        hints=data.get("hints", {}),
        numbers=number_words,
        unit_first=numbers.get("unit_first", False),
        teens_after=frozenset(numbers.get("teens_after", [])),
        connectors=frozenset(numbers.get("connectors", [])),
        vague={
            w.translate(letters): (low, high or None)
            for low, high, words in numbers.get("vague", [])
            for w in words.split()
        },
        effects_before=tuple(
            (k, re.compile(rf"(?<!\w){start}(?:{'|'.join(x.translate(letters) for x in v)})\s*$"))
            for k, v in numbers["before"].items()
        ),
        effects_after=tuple(
            (k, re.compile(rf"\s*(?:{'|'.join(x.translate(letters) for x in v)})(?!\w)"))
            for k, v in numbers.get("after", {}).items()
        ),
        range_open=re.compile(rf"(?<!\w)(?:{'|'.join(x.translate(letters) for x in numbers['range_open'])})\s*$"),
        range_join=re.compile(rf"\s*(?:[-–]|{'|'.join(x.translate(letters) for x in numbers['range_join'])})\s*"),
        people=tuple((g, exact(_words(v))) for g, v in people["plural"].items()),
        single=tuple((g, exact(_words(v))) for g, v in people["one"].items()),
        double=tuple((g, exact(_words(v))) for g, v in people.get("two", {}).items()),
        skip=exact(_words(people["skip"])),
        not_people=exact(_words(people["not_people"])),
        harm=harm,
        zero=table("zero"),
        subset=pattern(data["cues"]["subset"]),
        update=pattern(data["cues"]["update"]),
        triggers=tuple(triggers),
        months=months,
        weekdays=weekdays,
        date_joiners=frozenset(w.translate(letters) for w in calendar.get("joiners", [])),
        date_ranges=frozenset(w.translate(letters) for w in calendar.get("ranges", [])),
        day_words=calendar.get("day_words", {}),
        dates={k: pattern(v) for k, v in calendar.items() if k not in _CALENDAR_TABLES},
        saying=pattern(data["cues"]["saying"]),
        prepositions=tuple(
            (
                k,
                re.compile(
                    rf"(?<![\w-]){start if k == 'in' and data.get('cased', True) is False else ''}(?:{'|'.join(x.translate(letters) for x in v)})\s*$"
                ),
            )
            for k, v in place["prepositions"].items()
        ),
        place_words={
            k: re.compile(rf"(?<![\w-]){start}(?:{'|'.join(x.translate(letters) for x in place.get(k, []))})\s*$")
            if place.get(k)
            else _NEVER
            for k in ("city", "village", "region", "district", "country", "adjective", "speaker", "site")
        },
        endings=tuple((e, tuple(r)) for e, *r in place.get("endings", [])),
        names={k.translate(letters): v for k, v in place.get("names", {}).items()},
        function_words=frozenset(w.translate(letters) for w in _words(data["function_words"])),
        cues={k: pattern(v) for k, v in data["cues"].items() if k not in {"subset", "update", "saying"}},
        gloss=table("gloss"),
        sites=table("sites"),
        not_after=exact(place.get("not_after", [])),
        region=tuple((re.compile(p.translate(letters)), r) for p, r in place.get("region_rules", [])),
    )
