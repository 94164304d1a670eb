"""The word lists, read once from `lexicons/`: data files, each with a line of comment on top."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

__all__ = ["load_alternatives", "load_lines", "load_pattern", "load_person_nouns", "load_words"]


@cache
def load_lines(name: str) -> tuple[str, ...]:
    """Return the lines of a word list without comments and blanks."""
    text = resources.files("incidents.reading").joinpath("lexicons", name).read_text("utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def load_words(name: str) -> frozenset[str]:
    """Return all white-space separated words of a list, in lower case."""
    return frozenset(word.lower() for line in load_lines(name) for word in line.split())


@cache
def load_alternatives(name: str, section: str | None = None) -> tuple[str, ...]:
    """Return the entries of a list; with `section`, those of the lines "section: entry | entry"."""
    entries: list[str] = []
    for line in load_lines(name):
        head, colon, rest = line.partition(": ")
        if section is None:
            entries.extend(e.strip() for e in line.split("|"))
        elif colon and head == section:
            entries.extend(e.strip() for e in rest.split("|"))
    return tuple(e for e in entries if e)


@cache
def load_pattern(name: str, section: str | None = None) -> re.Pattern[str]:
    """Return one case-insensitive pattern of a list's entries, each a small regular expression on whole words."""
    entries = sorted(load_alternatives(name, section), key=len, reverse=True)
    return re.compile(r"(?<![\w-])(?:" + "|".join(entries) + r")(?![\w-])", re.I)


@cache
def load_person_nouns() -> dict[str, tuple[str, bool]]:
    """Return noun -> (group, is plural); nouns that have one form count as plural."""
    nouns: dict[str, tuple[str, bool]] = {}
    for line in load_lines("person_nouns.txt"):
        group, _, words = line.partition(": ")
        for word in words.split():
            singular, slash, plural = word.lower().partition("/")
            nouns[singular] = (group, not slash)
            if slash:
                nouns[plural] = (group, True)
    return nouns
