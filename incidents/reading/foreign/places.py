"""A text in another language -> the same place mentions as `incidents.reading.toponyms` makes.

A name is tried as written and in the nominative forms that the language's endings allow; the index decides. Where a
script has no capitals, only what follows a preposition or a word such as "town" is tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from geodata.countries import find_country
from geodata.gazetteer import Gazetteer
from geodata.place import Candidate
from incidents.reading.foreign.lexicon import Language
from incidents.reading.foreign.words import Word, get_keys
from incidents.reading.sentences import Sentence
from incidents.reading.toponyms import RawMention

__all__ = ["find_foreign_mentions", "inflect"]

_MAX_WORDS = 5
_MAX_FORMS = 40
_BIG = 15_000
_LOOK_BACK = 64  # characters before a name that tell what it is
_LINK = frozenset("de del de la las los du des la le les l d el y sur aux saint sainte da do dos das".split())
_DATELINE = re.compile(
    r"^\W*([^\W\d_][^()\n:;.!?]{1,60}?)\s*(?:\([^()]{2,40}\)\s*[—–.:-]|,\s*\d{1,2}\s+\w+\s*(?:\([^()]{2,40}\)\s*)?[—–-])"
)


@lru_cache(maxsize=16384)
def inflect(word: str, endings: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[str, ...]:
    """Return the nominative forms that a word may come from, itself first."""
    forms = [word]
    for ending, replacements in endings:
        if ending and word.endswith(ending) and len(word) - len(ending) >= 2:
            forms.extend(word[: len(word) - len(ending)] + r for r in replacements)
    return tuple(dict.fromkeys(forms))


@dataclass(frozen=True, slots=True)
class _Match:
    text: str
    first: int
    last: int
    candidate: Candidate
    exact: bool
    clitic: bool


class _Finder:
    """Finds the names of one document."""

    def __init__(self, language: Language, gazetteer: Gazetteer) -> None:
        self.language = language
        self.gazetteer = gazetteer
        self.mentions: list[RawMention] = []

    # ---- looking up -----------------------------------------------------------------------------------------------------

    def _best(self, form: str, hint: str | None) -> Candidate | None:
        if not self.gazetteer.knows(form):
            return None
        found = self.gazetteer.find(form)
        if hint == "region":
            return next((c for c in found if c.place.kind in {"admin1", "macro_region", "admin2"}), None)
        if hint == "district":
            return next((c for c in found if c.place.kind == "admin2"), None)
        if hint in {"settlement", "village"}:
            return next((c for c in found if c.place.kind in {"settlement", "site"}), None)
        return found[0] if found else None

    def look_up(self, words: Sequence[Word], first: int, last: int, hint: str | None) -> _Match | None:
        """Look a stretch of words up, as written and in its nominative forms; the most populous form wins."""
        language = self.language
        heads = get_keys(language.code, words[first].norm)
        best: tuple[float, _Match] | None = None
        for h, head in enumerate(heads if not language.cased or language.clitics else heads[:1]):
            own = words[first].text[len(words[first].norm) - len(head) :]
            rest = [w.text for w in words[first + 1 : last]]
            tokens = [own, *rest]
            written = _join(words, first, last, own)
            fixed = language.names.get(language.shadow(written))
            forms = [fixed] if fixed else self._forms(tokens, written)
            for k, form in enumerate(forms):
                candidate = self._best(form, hint)
                if candidate is None:
                    continue
                place = candidate.place
                points = {"country": 8.0, "macro_region": 6.0, "water": 4.0, "admin1": 5.0}.get(place.kind, 0.0) or len(
                    str(place.population)
                )
                points += (0.8 if k == 0 else 0.0) + (1.0 if candidate.match_kind in {"curated", "primary"} else 0.0)
                if place.country in language.hints:
                    points += 1.0
                if best is None or points > best[0]:
                    best = points, _Match(form, first, last, candidate, k == 0, h > 0)
            if best is not None and h == 0:
                break
        return best[1] if best else None

    def _forms(self, tokens: Sequence[str], written: str) -> list[str]:
        endings = self.language.endings
        if not endings:
            return [written]
        if len(tokens) == 1:
            parts = re.split(r"(-)", tokens[0])
            if len(parts) == 1:
                return list(inflect(tokens[0], endings))[:_MAX_FORMS]
            heads = inflect(parts[0], endings) if len(parts) == 3 else (parts[0],)
            tail = inflect(parts[-1], endings)
            middle = "".join(parts[1:-1])
            forms = [written, *(parts[0] + middle + t for t in tail), *(h + middle + t for h in heads for t in tail)]
            return list(dict.fromkeys(forms))[:_MAX_FORMS]
        heads = inflect(tokens[0], endings)
        tails = inflect(tokens[-1], endings)
        middle_words = list(tokens[1:-1])
        forms = [" ".join([h, *middle_words, t]) for h in heads for t in tails]
        return list(dict.fromkeys([written, *forms]))[: _MAX_FORMS * 2]

    # ---- walking --------------------------------------------------------------------------------------------------------

    def walk(self, sentence: Sentence, words: Sequence[Word], shadow: str, dateline: int) -> None:
        """Add the mentions of one sentence."""
        taken = self._walk_regions(sentence, words, shadow)
        k = 0
        while k < len(words):
            word = words[k]
            if k in taken or not word.is_word or (self.language.cased and not self._may_start(words, k)):
                k += 1
                continue
            last = self._read_name(sentence, words, shadow, k, taken, dateline)
            k = last if last > k else k + 1
        self.mentions.sort(key=lambda m: m.start)

    def _may_start(self, words: Sequence[Word], k: int) -> bool:
        if words[k].is_capital:
            return True
        return any(
            words[k].text[len(words[k].norm) - len(key) :][:1].isupper()
            for key in get_keys(self.language.code, words[k].norm)[1:]
        )

    def _walk_regions(self, sentence: Sentence, words: Sequence[Word], shadow: str) -> set[int]:
        """Find the areas that one expression names: "Харківської області"."""
        taken: set[int] = set()
        for pattern, template in self.language.region:
            for m in pattern.finditer(shadow):
                original = sentence.text
                if self.language.cased and not original[m.start(1) : m.start(1) + 1].isupper():
                    continue
                name = template.format(*(original[m.start(g) : m.end(g)] for g in range(1, (pattern.groups or 0) + 1)))
                hint = "district" if "район" in template or "distri" in template else "region"
                candidate = self._best(name, hint)
                if candidate is None and hint == "region":
                    continue
                inside = [
                    i
                    for i, w in enumerate(words)
                    if w.end - sentence.start > m.start() and w.start - sentence.start < m.end()
                ]
                if not inside or taken & set(inside):
                    continue
                taken.update(inside)
                before = shadow[: m.start()]
                prefix, _ = self._prefix(before)
                self._add(
                    sentence,
                    words,
                    inside[0],
                    inside[-1] + 1,
                    name,
                    "name" if candidate else "unlisted",
                    hint,
                    prefix,
                    before,
                )
        return taken

    def _prefix(self, before: str) -> tuple[str, str | None]:
        """Return (preposition in English, hint by the word for the kind of place) of what stands before a name."""
        language = self.language
        text, hint = before[-_LOOK_BACK:], None
        for _ in range(4):
            for kind in ("city", "village", "region", "district", "country", "adjective", "site"):
                m = language.place_words[kind].search(text)
                if m and m.group().strip():
                    text = text[: m.start()]
                    if hint is None and kind not in {"adjective", "site"}:
                        hint = {"city": "settlement"}.get(kind, kind)
                    break
            else:
                break
        for name, pattern in language.prepositions:
            m = pattern.search(text)
            if m:
                return name, hint
        return "", hint

    def _read_name(
        self, sentence: Sentence, words: Sequence[Word], shadow: str, k: int, taken: set[int], dateline: int
    ) -> int:
        language = self.language
        before = shadow[: words[k].start - sentence.start]
        prefix, told = self._prefix(before)
        hint = told
        keys = get_keys(language.code, words[k].norm)
        opens_name = k > 0 and bool(prefix) and k + 1 < len(words) and words[k].is_capital and words[k + 1].is_capital
        common = words[k].norm in language.function_words and not opens_name  # "en El Tambo" opens a name
        if language.cased and (common or _is_acronym(words[k], language)):
            return k + 1
        written_on = ""
        if not language.cased:
            written_on = self._written_on(keys, words[k].norm)
        if not language.cased and not prefix and not hint and not written_on:
            return k
        limit = k + 1
        while limit < len(words) and limit - k < _MAX_WORDS and limit not in taken and self._continues(words, k, limit):
            limit += 1
        if prefix == "near" and hint is None:
            hint = "settlement"
        match = self._find_match(words, k, limit, prefix or written_on, hint)
        if match is not None:
            kind = "country" if match.candidate.place.kind == "country" and find_country(match.text) else "name"
            use = prefix or (written_on if match.clitic or not language.cased else "")
            if kind == "name" or use:  # a country without a preposition acts or speaks
                shown = {"village": "settlement", "country": None}.get(hint or "", hint)
                self._add(sentence, words, k, match.last, match.text, kind, shown, use, before, dateline=dateline)
            return match.last
        if told in {"village", "settlement"} and (prefix or told == "village"):
            after = self._add_unlisted(sentence, words, k, limit, prefix, before, dateline)
            if after > k:
                return after
        if language.cased:
            # The longest run decides: the rest of an unknown name is not looked up by itself.
            return limit if limit - k > 1 and not prefix and k > 0 else k + 1
        return k

    def _find_match(self, words: Sequence[Word], k: int, limit: int, prefix: str, hint: str | None) -> _Match | None:
        """Find the longest name that starts at `k` and may be believed."""
        language = self.language
        for last in range(limit, k, -1):
            if language.cased and words[last - 1].norm in _LINK and last - k > 1:
                continue
            if last - k == 1 and self._is_common(words[k], hint):
                return None
            if language.cased and last < len(words) and language.not_after.match(words[last].norm):
                continue  # "the Pokrovsk direction": an adjective
            match = self.look_up(words, k, last, hint)
            if match is not None and self._is_believable(match, words, prefix, hint, k, last, limit):
                return match
        return None

    def _add_unlisted(
        self, sentence: Sentence, words: Sequence[Word], k: int, limit: int, prefix: str, before: str, dateline: int
    ) -> int:
        """Keep the name of a village that the index lacks; return the index after it, or `k` where it is no name."""
        if self._is_common(words[k], None):
            return k
        last = k + 1
        while last < limit and words[last].is_capital and self.language.cased:
            last += 1
        text = _join(words, k, last, words[k].text)
        self._add(sentence, words, k, last, text, "unlisted", "settlement", prefix, before, dateline=dateline)
        return last

    def _written_on(self, keys: Sequence[str], norm: str) -> str:
        """Return "in" where the preposition is written onto the name (Arabic "b-")."""
        for key in keys[1:]:
            attached = norm[: len(norm) - len(key)]
            if attached and any(p.search(attached + " ") for name, p in self.language.prepositions if name == "in"):
                return "in"
        return ""

    def _continues(self, words: Sequence[Word], k: int, j: int) -> bool:
        word = words[j]
        gap = word.start - words[j - 1].end
        if not word.is_word or gap > 1:
            return False
        if self.language.cased:
            return word.is_capital or (
                word.norm in _LINK and j + 1 < len(words) and (words[j + 1].is_capital or words[j + 1].norm in _LINK)
            )
        return j - k < 4

    def _is_common(self, word: Word, hint: str | None) -> bool:
        language = self.language
        if any(
            key in language.function_words
            for key in (get_keys(language.code, word.norm) if not language.cased else (word.norm,))
        ):
            return True
        if hint:
            return False
        for pattern in (p for _, _, p in language.harm):
            if pattern.fullmatch(word.norm):
                return True
        return any(p.fullmatch(word.norm) for _, _, _, p in language.triggers)

    def _is_believable(
        self, match: _Match, words: Sequence[Word], prefix: str, hint: str | None, k: int, last: int, limit: int
    ) -> bool:
        place = match.candidate.place
        big = (
            place.population >= _BIG
            or place.kind in {"country", "admin1", "macro_region"}
            or match.candidate.match_kind == "curated"
        )
        if hint:
            return not (self.language.cased and last < limit and words[last].is_capital and not big)
        if not self.language.cased:
            return big or (bool(prefix) and last - k > 1) or (place.population >= 1_500 and match.exact)
        leftover = limit > last and words[last].is_capital and last - k < limit - k
        if prefix:
            return not (leftover and not big)
        if k > 0 and words[k - 1].is_word and words[k - 1].is_capital and not (k == 1 and big and match.exact):
            return False
        if leftover or (not match.exact and not big):
            return False
        return big if k == 0 or words[k - 1].text in {'"', "."} else True

    def _add(
        self,
        sentence: Sentence,
        words: Sequence[Word],
        first: int,
        last: int,
        text: str,
        kind: str,
        hint: str | None,
        prefix: str,
        before: str,
        *,
        dateline: int = -1,
    ) -> None:
        start, end = words[first].start, words[last - 1].end
        head = words[first]
        if not self.language.cased or self.language.clitics:
            # What is written onto the name is not part of it.
            own = next(
                (
                    key
                    for key in get_keys(self.language.code, head.norm)[1:]
                    if self.language.shadow(text).startswith(key)
                ),
                None,
            )
            if own is not None and not self.language.shadow(text).startswith(head.norm):
                start = head.end - len(own)
        mention = RawMention(
            start,
            end,
            text,
            sentence.index,
            first,
            last,
            kind,
            hint=hint,
            prefix=prefix,
            locative=prefix in {"in", "near"} or hint is not None,
            dateline=end <= dateline,
        )
        if kind == "country" and prefix not in {"in", "near", "on", "to", "from", "of"}:
            mention.literal = False
        if self.language.place_words["speaker"].search(before[-_LOOK_BACK:]):
            mention.notes.append("speaker")
        self.mentions.append(mention)


def _is_acronym(word: Word, language: Language) -> bool:
    """Tell whether a word is short and all in capitals, and no known short form of a country."""
    return len(word.text) <= 4 and word.text.isupper() and len(word.text) > 1 and word.norm not in language.names


def _join(words: Sequence[Word], first: int, last: int, own: str) -> str:
    return " ".join([own, *(w.text for w in words[first + 1 : last])])


def find_foreign_mentions(
    sentences: Sequence[Sentence],
    words: Sequence[Sequence[Word]],
    shadows: Sequence[str],
    language: Language,
    gazetteer: Gazetteer,
) -> tuple[list[RawMention], int]:
    """Find the place names of a document.

    Parameters
    ----------
    sentences, words, shadows : sequences
        The sentences, their tokens and their texts as compared.
    language : Language
    gazetteer : Gazetteer

    Returns
    -------
    (list of RawMention, int)
        Mentions in order, `text` being the form that the index knows; and where the dateline ends, -1 where there is none.
    """
    dateline = -1
    if sentences:
        match = _DATELINE.match(sentences[0].text)
        if match:
            dateline = sentences[0].start + match.end()
    finder = _Finder(language, gazetteer)
    for sentence, tokens, shadow in zip(sentences, words, shadows, strict=True):
        finder.walk(sentence, tokens, shadow, dateline if sentence.index == 0 else -1)
    mentions = sorted(finder.mentions, key=lambda m: m.start)
    kept: list[RawMention] = []
    for mention in mentions:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    _set_containers(kept, sentences)
    return kept, dateline


def _set_containers(mentions: Sequence[RawMention], sentences: Sequence[Sentence]) -> None:
    """Link a place to the area named right after it: "Torske, Donetsk region"."""
    for k, mention in enumerate(mentions[:-1]):
        # Districts are redrawn and renamed: the region after one holds the place more surely.
        step = 2 if mentions[k + 1].hint == "district" and k + 2 < len(mentions) else 1
        area = mentions[k + step]
        if mention.sentence != area.sentence or mention.hint == "region" or area.kind == "unlisted":
            continue
        if area.hint != "region" and area.kind != "country":
            continue
        sentence = sentences[mention.sentence]
        between = sentence.text[mention.end - sentence.start : area.start - sentence.start]
        if (
            len(between) <= (24 if step == 1 else 44)
            and len(re.findall(r"\w+", between)) <= 4
            and not re.search(r"[;:.!?]", between)
        ):
            mention.container = k + step
