"""Tokens -> chunks: numbers, people, harm words and the small words between, one letter each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from incidents.reading.lexicon import load_lines, load_person_nouns
from incidents.reading.numbers import Quantity, find_quantities
from incidents.reading.sentences import Token

__all__ = [
    "BE",
    "HAVE",
    "NOUNS",
    "ORDINALS",
    "PHRASES",
    "STOPS",
    "WITH",
    "WORDS",
    "Chunk",
    "chunk_tokens",
    "get_base",
    "get_symbols",
    "mark_subsets",
    "starts_new_clause",
]


@dataclass(slots=True)
class Chunk:
    """A stretch of tokens with one letter of meaning."""

    symbol: str
    first: int
    last: int
    minimum: int | None = None
    maximum: int | None = None
    group: str = ""
    measure: str = ""
    further: bool = False
    vague: bool = False
    definite: bool = False
    used: bool = False


def _load_words() -> dict[str, tuple[str, str]]:
    words: dict[str, tuple[str, str]] = {}
    symbols = {"both": "b", "act": "a", "part": "p", "intr": "i", "noun": "n"}
    for line in load_lines("casualty_words.txt"):
        head, _, rest = line.partition(": ")
        measure, voice = head.split()
        for word in rest.split():
            words.setdefault(word, (measure, symbols[voice]))
    return words


WORDS = _load_words()
NOUNS = load_person_nouns()
PHRASES: tuple[tuple[tuple[str, ...], str, str], ...] = tuple(
    (tuple(phrase.split()), measure, symbol)
    for phrase, measure, symbol in (
        ("shot dead", "killed", "b"),
        ("shot and killed", "killed", "b"),
        ("shot to death", "killed", "b"),
        ("shot and wounded", "injured", "b"),
        ("shot and injured", "injured", "b"),
        ("beaten to death", "killed", "b"),
        ("stabbed to death", "killed", "b"),
        ("hacked to death", "killed", "b"),
        ("burned to death", "killed", "b"),
        ("burnt to death", "killed", "b"),
        ("put to death", "killed", "b"),
        ("gunned down", "killed", "b"),
        ("mown down", "killed", "b"),
        ("lost their lives", "killed", "i"),
        ("lose their lives", "killed", "i"),
        ("lost his life", "killed", "i"),
        ("lost her life", "killed", "i"),
        ("lost their life", "killed", "i"),
        ("claimed the lives of", "killed", "a"),
        ("claiming the lives of", "killed", "a"),
        ("claims the lives of", "killed", "a"),
        ("taking the lives of", "killed", "a"),
        ("took the lives of", "killed", "a"),
        ("cost the lives of", "killed", "a"),
        ("costing the lives of", "killed", "a"),
        ("blown up", "killed", "p"),
        ("in hospital", "injured", "t"),
        ("in hospitals", "injured", "t"),
        ("taken to hospital", "injured", "t"),
        ("rushed to hospital", "injured", "t"),
        ("in intensive care", "injured", "t"),
        ("sought medical help", "injured", "t"),
        ("gone missing", "missing", "p"),
        ("went missing", "missing", "i"),
        ("unaccounted for", "missing", "p"),
        ("taken hostage", "abducted", "b"),
        ("taken captive", "abducted", "b"),
        ("taken prisoner", "abducted", "b"),
        ("taken away", "abducted", "b"),
        ("taken from their homes", "abducted", "b"),
        ("taken from their home", "abducted", "b"),
        ("taken from his home", "abducted", "b"),
        ("taken from a bus", "abducted", "b"),
        ("taken from their beds", "abducted", "b"),
        ("held hostage", "abducted", "b"),
        ("carried off", "abducted", "b"),
        ("forced to flee", "displaced", "b"),
        ("forced from their homes", "displaced", "b"),
        ("driven from their homes", "displaced", "b"),
        ("made homeless", "displaced", "b"),
        ("left their homes", "displaced", "i"),
        ("had to flee", "displaced", "i"),
        ("under arrest", "arrested", "p"),
        ("suffered injuries", "injured", "i"),
        ("suffered bullet wounds", "injured", "i"),
        ("suffered wounds", "injured", "i"),
        ("sustained injuries", "injured", "i"),
        ("received injuries", "injured", "i"),
        ("received wounds", "injured", "i"),
        ("himself and", "killed", "l"),
        ("herself and", "killed", "l"),
        ("shot down", "", "w"),
        ("along with", "", "&"),
        ("together with", "", "&"),
        ("alongside", "", "&"),
        ("their lives", "killed", "p"),
        ("buried", "buried", "p"),
    )
)
_PHRASES_BY_WORD: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
for _phrase in PHRASES:
    _PHRASES_BY_WORD.setdefault(_phrase[0][0], []).append(_phrase)
BE = frozenset("is are was were be been being get got gets am left remained remain remains".split())
HAVE = frozenset("has have had having".split())
ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth latest".split())
_ADVERBS = frozenset(
    "also badly seriously critically severely slightly lightly gravely fatally mortally reportedly still now then later more others "
    "already immediately instantly initially apparently allegedly both all".split()
)
STOPS = frozenset(
    "in at on near of to from by with for and or but who which that where when while as after before during over under between "
    "into onto against than since until if because though although including among not".split()
)
_DETERMINERS = frozenset("a an his her its their the another one this that our my".split())
_NO = frozenset("no nobody none neither zero without".split())
_MAINLY = frozenset("mostly mainly largely chiefly predominantly primarily".split())
WITH = frozenset({"along", "together", "alongside"})
_SUBSET = frozenset("including included includes among".split())
_CASUALTY = frozenset("casualties casualty".split())


def get_base(token: Token) -> str:
    """Return the lower-case word without a possessive."""
    word = token.lower
    return word.removesuffix("'s")


def _is_noun(word: str) -> bool:
    return word in NOUNS or ("-" in word and word.rsplit("-", 1)[1] in NOUNS and not word[0].isdigit())


def _noun(word: str) -> tuple[str, bool]:
    return NOUNS[word] if word in NOUNS else NOUNS[word.rsplit("-", 1)[1]]


def _find_person(
    tokens: tuple[Token, ...], i: int, limit: int = 5, numbers: Iterable[int] | None = None
) -> tuple[int, str, bool] | None:
    """Find the person noun that a number or article at `i - 1` counts; return (index after it, group, plural)."""
    j = i
    if numbers is not None and any(k in numbers for k in range(i, min(i + limit, len(tokens)))):
        limit = min(k for k in numbers if k >= i) - i - 1
    while j < len(tokens) and j - i <= limit:
        word = get_base(tokens[j])
        if not tokens[j].is_word and not (tokens[j].text[:1].isdigit() and "-" in tokens[j].text):
            if tokens[j].text in {"-", '"', "'"} or (
                tokens[j].text[:1].isdigit() and j + 1 < len(tokens) and tokens[j + 1].text == "-"
            ):
                j += 1
                continue
            return None
        if _is_noun(word) and not _is_adjective(tokens, j):
            # "police officers", "family members", "child soldiers": the last of a run of person nouns counts.
            group, plural = _noun(word)
            while j + 1 < len(tokens) and _is_noun(get_base(tokens[j + 1])) and tokens[j].lower == get_base(tokens[j]):
                j += 1
                last_group, plural = _noun(get_base(tokens[j]))
                group = last_group if last_group != "all" or group == "attackers" else group
            if tokens[j].lower == "members" and j + 1 < len(tokens) and tokens[j + 1].lower == "of":
                tail = " ".join(t.lower for t in tokens[j + 1 : j + 9])
                if re.search(r"\b(?:forces?|police|army|guard|militia|military|brigade|battalion|service)\b", tail):
                    group = "combatants"
            return j + 1, group, plural
        if (
            word in STOPS
            or (j > i and word in _DETERMINERS)
            or word in BE
            or word in HAVE
            or (
                word in WORDS
                and not (
                    j == i
                    and word in {"wounded", "injured", "displaced", "captured", "kidnapped", "abducted", "detained"}
                )
            )
        ):
            return None
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and tokens[j].text[0].islower():
            return None  # a plural thing: "34 houses"
        j += 1
    return None


def _is_adjective(tokens: tuple[Token, ...], j: int) -> bool:
    """Tell whether a people's name is an adjective here: "nine Ukrainian drones"."""
    if (
        not tokens[j].text[:1].isupper()
        or j + 1 >= len(tokens)
        or (tokens[j].lower.endswith("s") and tokens[j].lower[:-1] in NOUNS)
    ):
        return False
    nxt = tokens[j + 1]
    word = nxt.lower
    return (
        nxt.is_word
        and word == nxt.text
        and not (
            word in STOPS or word in BE or word in HAVE or word in WORDS or word in _ADVERBS or word.endswith("ly")
        )
    )


def _is_age(tokens: tuple[Token, ...], q: Quantity) -> bool:
    """Tell whether a bare number is somebody's age: ", 69,", "a man of 60"."""
    value = q.minimum
    if value is None or value > 110 or q.core != q.first:
        return False
    before = tokens[q.first - 1] if q.first else None
    after = tokens[q.last] if q.last < len(tokens) else None
    if before is not None and before.text == "," and (after is None or after.text in {",", "."}) and q.first > 1:
        return tokens[q.first - 2].is_word and (
            tokens[q.first - 2].is_capitalised or _is_noun(get_base(tokens[q.first - 2]))
        )
    return bool(
        before is not None
        and before.lower == "of"
        and q.first > 1
        and _is_noun(get_base(tokens[q.first - 2]))
        and not _noun(get_base(tokens[q.first - 2]))[1]
    )


def _find_ages(tokens: tuple[Token, ...]) -> set[int]:
    """Return the indices of the numbers after "aged": "aged 11, 12 and 14"."""
    ages: set[int] = set()
    for i, token in enumerate(tokens):
        if token.lower in {"aged", "ages"}:
            j = i + 1
            while j < len(tokens) and (
                tokens[j].text[:1].isdigit() or tokens[j].lower in {",", "and", "between", "to", "from"}
            ):
                ages.add(j)
                j += 1
    return ages


_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_YEAR_PARTS = frozenset("spring summer autumn fall winter beginning start middle end".split())
_NOT_PEOPLE_AFTER = frozenset(
    "days day hours hour minutes minute weeks week months month years year kilometres kilometers kilometre kilometer km miles mile metres "
    "meters m percent per cent a.m p.m am pm gmt local tonnes tons kilograms kg dollars euros times rounds o'clock degrees metre meter "
    "yards feet square hectares acres".split()
)


def _is_date(tokens: tuple[Token, ...], q: Quantity) -> bool:
    before = tokens[q.core - 1].lower if q.core else ""
    if before == "." and q.core > 1:
        before = tokens[q.core - 2].lower  # "Dec. 29"
        if before in _MONTHS and tokens[q.core - 2].is_capitalised:
            return True
    after = tokens[q.core_last].lower if q.core_last < len(tokens) else ""
    text = tokens[q.core].text
    if after in _MONTHS and (q.minimum or 0) <= 31 and tokens[q.core_last].is_capitalised:
        return True
    if before in _MONTHS and tokens[q.core - 1].is_capitalised and text.isdigit() and (q.minimum or 0) <= 31:
        return True
    if not re.fullmatch(r"(?:19|20)\d\d", text) or q.core_last != q.core + 1:
        return False
    return _follows_date(tokens, q.core, after) or not (after in NOUNS or after in WORDS or after in BE)


def _follows_date(tokens: tuple[Token, ...], i: int, after: str) -> bool:
    """Tell whether the words before a number like 2022 make it a year, even right before "killed" or "people"."""
    words = [t.lower for t in tokens[max(0, i - 3) : i]]
    if words and words[-1] in {",", "."}:
        words.pop()  # "April 8, 2022", "Apr. 2022"
    if words and words[-1].isdigit() and int(words[-1]) <= 31:
        words.pop()
    at = i - 1
    while at >= 0 and tokens[at].lower not in _MONTHS and i - at <= 3:
        at -= 1
    if words and words[-1] in _MONTHS and at >= 0 and tokens[at].is_capitalised:
        return True  # "on 8 April 2022 killed people"
    if after in NOUNS:
        return False  # "in 2022 villages"
    if words and words[-1] == "of":
        return len(words) > 1 and words[-2] in _YEAR_PARTS
    return bool(words) and words[-1] in {"in", "since", "during", "until", "early", "late", "mid", "throughout"}


def chunk_tokens(tokens: tuple[Token, ...]) -> list[Chunk]:  # noqa: C901, PLR0912, PLR0915 - one pass, a case a kind
    """Turn the tokens of a sentence into chunks.

    The letters: Q a bare number, G a number of people, S one person, P people without a number, x a part of a figure;
    a, b, p, i, n, t harm words (active, either, participle, intransitive, noun, in hospital); B be, H have, N no,
    U including, v casualties, o of, l adverbs, & and, | or, "," and "." stops, w any other word.
    """
    quantities = {q.first: q for q in find_quantities(tokens)}
    chunks: list[Chunk] = []
    ages = _find_ages(tokens)
    i = 0
    while i < len(tokens):
        token = tokens[i]
        word = get_base(token)
        q = quantities.get(i)
        if q is not None and not (q.percent or q.first in ages or _is_age(tokens, q) or _is_date(tokens, q)):
            chunk = _number_chunk(tokens, q)
            if chunk is not None:
                chunks.append(chunk)
                i = chunk.last
                continue
        if i in ages or (word in _DETERMINERS and i + 1 in quantities):
            if i in ages:
                chunks.append(Chunk("w", i, i + 1))
            i += 1  # "her two sons": the number speaks
            continue
        if q is not None:
            chunks.append(Chunk("w", i, q.last))
            i = q.last
            continue
        phrase = _match_phrase(tokens, i)
        if phrase is not None:
            chunks.append(Chunk(phrase[2], i, i + len(phrase[0]), measure=phrase[1]))
            i += len(phrase[0])
            continue
        if word in _NO or (word == "not" and i + 1 < len(tokens) and tokens[i + 1].lower in {"any", "one"}):
            last = i + 2 if i + 1 < len(tokens) and tokens[i + 1].lower in {"one", "any"} else i + 1
            chunks.append(Chunk("N", i, last))
            i = last
            continue
        if word in _MAINLY or token.lower in _SUBSET:
            chunks.append(Chunk("U", i, i + 1))
        elif word in _CASUALTY:
            chunks.append(Chunk("v", i, i + 1))
        elif (
            word in _DETERMINERS
            and i + 1 not in quantities
            and (person := _find_person(tokens, i + 1, 4, quantities)) is not None
        ):
            last, group, plural = person
            nxt = tokens[last].text if last < len(tokens) else ""
            if tokens[last - 1].lower.endswith("'s") and not (
                last < len(tokens) and tokens[last].lower in {"body", "corpse"}
            ):
                chunks.append(Chunk("w", i, last))
            elif plural:
                chunks.append(Chunk("P", i, last, group=group, definite=word != "a"))
            elif nxt == "'" or word == "one":
                chunks.append(Chunk("w", i, last))
            else:
                definite = word in {"the", "this", "that"}
                chunks.append(Chunk("S", i, last, 1, 1, group=group, definite=definite, further=word == "another"))
            i = last
            continue
        elif word in BE and word != "left":
            chunks.append(Chunk("B", i, i + 1))
        elif word in HAVE:
            chunks.append(Chunk("H", i, i + 1))
        elif word in WORDS and not _is_name(tokens, i):
            measure, symbol = WORDS[word]
            chunks.append(Chunk(symbol, i, i + 1, measure=measure))
        elif _is_noun(word) and token.lower == word:
            group, plural = _noun(word)
            after = tokens[i + 1].lower if i + 1 < len(tokens) else ""
            # Headlines drop the article: "Soldier killed", "Driver dies".
            led = (
                all(c.symbol in "wPS" for c in chunks)
                and i <= 3
                and not any(t.lower in STOPS or t.lower in _DETERMINERS for t in tokens[:i])
            )
            hit = i > 0 and WORDS.get(tokens[i - 1].lower, ("", ""))[1] == "a"
            bare = not plural and ((led and (after in WORDS or after in BE)) or hit)
            if bare:
                for chunk in chunks if led else ():
                    chunk.symbol = "w"  # "Ukrainian soldier killed" is one person
            chunks.append(Chunk("S" if bare else "P", i, i + 1, 1 if bare else None, 1 if bare else None, group=group))
        elif word in {"and", "&"} or (word == "as" and i + 2 < len(tokens) and tokens[i + 1].lower == "well"):
            last = i + 1 if word != "as" else i + 3
            chunks.append(Chunk("&", i, last))
            i = last
            continue
        elif word == "or":
            chunks.append(Chunk("|", i, i + 1))
        elif token.text in {",", "-", "–", "—", "(", ")"}:
            chunks.append(Chunk(",", i, i + 1))
        elif token.text in {";", ":"}:
            chunks.append(Chunk(".", i, i + 1))
        elif word == "of":
            chunks.append(Chunk("o", i, i + 1))
        elif word in _ADVERBS or (word.endswith("ly") and len(word) > 4):
            chunks.append(Chunk("l", i, i + 1))
        else:
            chunks.append(Chunk("w", i, i + 1))
        i += 1
    return chunks


def _match_phrase(tokens: tuple[Token, ...], i: int) -> tuple[tuple[str, ...], str, str] | None:
    for phrase in _PHRASES_BY_WORD.get(tokens[i].lower, ()):
        words = phrase[0]
        if all(t.lower == word for t, word in zip(tokens[i : i + len(words)], words, strict=False)) and i + len(
            words
        ) <= len(tokens):
            return phrase
    return None


def _is_name(tokens: tuple[Token, ...], i: int) -> bool:
    """Tell whether a harm word is part of a capitalised name ("Wounded Knee", "Martyred Intellectuals Day")."""
    token = tokens[i]
    if not token.text[:1].isupper() or i == 0:
        return False
    return tokens[i - 1].text[:1].isupper() and not all(t.text.isupper() for t in tokens[:6] if t.is_word)


def _number_chunk(tokens: tuple[Token, ...], q: Quantity) -> Chunk | None:
    nxt = tokens[q.last] if q.last < len(tokens) else None
    if nxt is not None and nxt.lower in _NOT_PEOPLE_AFTER:
        return None
    low, high = q.minimum, q.maximum

    def make(symbol: str, last: int, *, group: str = "", definite: bool = False) -> Chunk:
        return Chunk(symbol, q.first, last, low, high, group=group, further=q.further, vague=q.vague, definite=definite)

    definite = q.first > 0 and tokens[q.first - 1].lower in {"the", "these", "those", "all"}
    person = _find_person(tokens, q.last)
    if nxt is not None and nxt.lower == "of" and person is None:
        # "20 of his people", "three of the attackers", "many of them"
        if q.last + 1 < len(tokens) and tokens[q.last + 1].lower in {"them", "whom", "which", "these", "those"}:
            return make("x", q.last + 2)
        person = _find_person(tokens, q.last + 1, 3)
        if person is not None and tokens[q.last + 1].lower not in _DETERMINERS:
            person = None
    if person is not None:
        last, group, _ = person
        _low, high = q.minimum, q.maximum
        for words, open_end in (
            (("or", "more"), True),
            ((",", "or", "more", ","), True),
            (("at", "least"), True),
            (("at", "the", "least"), True),
            (("or", "so"), False),
        ):
            if tuple(t.lower for t in tokens[last : last + len(words)]) == words:
                last += len(words)
                high = None if open_end else high
                break
        return make("G", last, group=group, definite=definite)
    if nxt is None or _may_follow_bare(nxt):
        return make("Q", q.last, group="all", definite=definite)
    if nxt.lower in _CASUALTY:
        return make("Q", q.last, group="all")
    # "10 civilian deaths", "two charred bodies": one or two words, then a countable harm.
    for step in (1, 2):
        j = q.last + step
        if (
            j < len(tokens)
            and WORDS.get(tokens[j].lower, ("", ""))[1] == "n"
            and tokens[j - 1].is_word
            and tokens[j - 1].lower not in STOPS
        ):
            group = NOUNS.get(tokens[q.last].lower, ("all", True))[0]
            return make("Q", q.last, group=group)
    return None


def _may_follow_bare(token: Token) -> bool:
    word = token.lower
    return (
        not token.is_word
        or word in STOPS
        or word in BE
        or word in HAVE
        or word in WORDS
        or word in _ADVERBS
        or word in {"others", "each", "apiece", "there"}
        or (word.endswith("ly") and len(word) > 4)
    )


def get_symbols(chunks: Iterable[Chunk]) -> str:
    """Return the letters of the chunks, one a chunk."""
    return "".join(c.symbol for c in chunks)


def mark_subsets(  # noqa: C901, PLR0912 - the ways of saying "of them", side by side
    tokens: tuple[Token, ...], chunks: list[Chunk]
) -> list[tuple[Chunk, str]]:
    """Turn parts of a larger figure into `x`; return them with their group."""
    subsets: list[tuple[Chunk, str]] = []
    for k, chunk in enumerate(chunks):
        word = tokens[chunk.first].lower
        if chunk.symbol == "U":
            after = k + 1
            if (
                word == "among"
                and after < len(chunks)
                and tokens[chunks[after].first].lower in {"them", "whom", "those"}
            ):
                if after + 1 >= len(chunks) or chunks[after + 1].symbol not in "QGSP":
                    # "... , 14 children among them": the list back to the comma before it.
                    back = k - 1
                    while back >= 0 and chunks[back].symbol in "QGSP&w":
                        if chunks[back].symbol in "QGSP":
                            subsets.append((chunks[back], chunks[back].group))
                        chunks[back].symbol = "x"
                        back -= 1
                    continue
                after += 1
            while after < len(chunks) and chunks[after].symbol in "QGSP&,wolx":
                if chunks[after].symbol in "QGSP":
                    if starts_new_clause(chunks, after):
                        break
                    subsets.append((chunks[after], chunks[after].group))
                    chunks[after].symbol = "x"
                elif chunks[after].symbol == "&":
                    if (
                        after + 1 < len(chunks)
                        and chunks[after + 1].symbol in "QGSP"
                        and starts_new_clause(chunks, after + 1)
                    ):
                        break
                    chunks[after].symbol = "x"
                elif (
                    chunks[after].symbol == "," and after + 1 < len(chunks) and chunks[after + 1].symbol not in "QGSP&"
                ):
                    break
                after += 1
        elif (
            chunk.symbol in "QG"
            and k > 1
            and word != "of"
            and tokens[max(chunk.first - 2, 0)].lower == "of"
            and (tokens[chunk.first - 1].lower in {"whom", "them", "which"})
        ):
            # "of whom 15 were children"
            group = next((c.group for c in chunks[k : k + 4] if c.symbol in "GPS" and c.group not in {"", "all"}), "")
            subsets.append((chunk, group))
            for c in chunks[k : k + 4]:
                if c.symbol in "QGPSB":
                    c.symbol = "x"
        elif chunk.symbol == "x":
            group = next((c.group for c in chunks[k + 1 : k + 4] if c.symbol in "GPS" and c.group), "")
            subsets.append((chunk, group))
            for c in chunks[k + 1 : k + 4]:
                if c.symbol in "GPS":
                    c.symbol = "x"
                elif c.symbol not in "wlB":
                    break
    return subsets


def starts_new_clause(chunks: list[Chunk], k: int) -> bool:
    """Tell whether the number at `k` is the subject of a harm word of its own: "and 12 were injured"."""
    tail = get_symbols(chunks[k + 1 : k + 6])
    return re.match(r"[lw]{0,2}(?:H?B{0,2}l?[bpt]|H?i)", tail) is not None and any(
        c.symbol in "&,x" for c in chunks[max(0, k - 2) : k]
    )
