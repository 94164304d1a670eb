"""One sentence -> what it says happened to how many people.

The sentence becomes a short string of one letter a chunk (numbers, people, harm words, auxiliaries), and small
patterns over that string tie numbers to harm words: the object of an active verb first, then what stands directly
before a participle, then the subject of a passive or of "died". The parse of a model is not needed for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from incidents.reading.lexicon import load_lines, load_person_nouns
from incidents.reading.numbers import Quantity, find_quantities
from incidents.reading.sentences import Sentence, Token

__all__ = ["Casualty", "find_casualties"]


@dataclass(frozen=True, slots=True)
class Casualty:
    """One figure on people.

    Attributes
    ----------
    measure : str
        killed, injured, missing, displaced, abducted, arrested.
    group : str
        all, civilians, children, women, combatants.
    minimum, maximum : int or None
        None is open.
    start, end : int
        Code-point span in the clean text, from the number to the harm word.
    rule : str
        The name of the pattern.
    further : bool
        To be added to what was said before ("another five").
    update : bool
        Replaces an earlier figure ("the toll rose to 14").
    subset : bool
        A part of another figure ("including five children").
    attackers : bool
        Counts only those who attacked.
    weak : bool
        From a vague or indirect wording ("in hospital", "many were killed").
    vague : bool
        From a word such as "dozens".
    definite : bool
        Told with "the": people mentioned before.
    number_at : int
        Token index of the number, for finding the place that stands beside it.
    word_at : int
        Token index of the harm word.
    """

    measure: str
    group: str
    minimum: int | None
    maximum: int | None
    start: int
    end: int
    rule: str
    further: bool = False
    update: bool = False
    subset: bool = False
    attackers: bool = False
    weak: bool = False
    vague: bool = False
    definite: bool = False
    number_at: int = 0
    word_at: int = 0


@dataclass(slots=True)
class _Chunk:
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


_WORDS = _load_words()
_NOUNS = load_person_nouns()
_PHRASES: tuple[tuple[tuple[str, ...], str, str], ...] = tuple(
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
for _phrase in _PHRASES:
    _PHRASES_BY_WORD.setdefault(_phrase[0][0], []).append(_phrase)
_BE = frozenset("is are was were be been being get got gets am left remained remain remains".split())
_HAVE = frozenset("has have had having".split())
_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth latest".split()
)
_ADVERBS = frozenset(
    "also badly seriously critically severely slightly lightly gravely fatally mortally reportedly still now then later more others "
    "already immediately instantly initially apparently allegedly both all".split()
)
_STOPS = frozenset(
    "in at on near of to from by with for and or but who which that where when while as after before during over under between "
    "into onto against than since until if because though although including among not".split()
)
_DETERMINERS = frozenset("a an his her its their the another one this that our my".split())
_NO = frozenset("no nobody none neither zero without".split())
_MAINLY = frozenset("mostly mainly largely chiefly predominantly primarily".split())
_WITH = frozenset({"along", "together", "alongside"})
_SUBSET = frozenset("including included includes among".split())
_CASUALTY = frozenset("casualties casualty".split())
_AT_FIRST = re.compile(
    r"\b(?:at first|so far|immediate(?:ly)?|initially|yet|preliminary|as yet|were known|was known|could be)\b|\?", re.I
)


def _base(token: Token) -> str:
    word = token.lower
    return word.removesuffix("'s")


def _is_noun(word: str) -> bool:
    return word in _NOUNS or ("-" in word and word.rsplit("-", 1)[1] in _NOUNS and not word[0].isdigit())


def _noun(word: str) -> tuple[str, bool]:
    return _NOUNS[word] if word in _NOUNS else _NOUNS[word.rsplit("-", 1)[1]]


def _find_person(
    tokens: tuple[Token, ...], i: int, limit: int = 5, numbers: Iterable[int] | None = None
) -> tuple[int, str, bool] | None:
    """Find the person noun that a number or article at `i - 1` counts; return (index after it, group, plural)."""
    j = i
    if numbers is not None and any(k in numbers for k in range(i, min(i + limit, len(tokens)))):
        limit = min(k for k in numbers if k >= i) - i - 1
    while j < len(tokens) and j - i <= limit:
        word = _base(tokens[j])
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
            while j + 1 < len(tokens) and _is_noun(_base(tokens[j + 1])) and tokens[j].lower == _base(tokens[j]):
                j += 1
                last_group, plural = _noun(_base(tokens[j]))
                group = last_group if last_group != "all" or group == "attackers" else group
            if tokens[j].lower == "members" and j + 1 < len(tokens) and tokens[j + 1].lower == "of":
                tail = " ".join(t.lower for t in tokens[j + 1 : j + 9])
                if re.search(r"\b(?:forces?|police|army|guard|militia|military|brigade|battalion|service)\b", tail):
                    group = "combatants"
            return j + 1, group, plural
        if (
            word in _STOPS
            or word in _BE
            or word in _HAVE
            or (
                word in _WORDS
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
        or (tokens[j].lower.endswith("s") and tokens[j].lower[:-1] in _NOUNS)
    ):
        return False
    nxt = tokens[j + 1]
    word = nxt.lower
    return (
        nxt.is_word
        and word == nxt.text
        and not (
            word in _STOPS or word in _BE or word in _HAVE or word in _WORDS or word in _ADVERBS or word.endswith("ly")
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
            tokens[q.first - 2].is_capitalised or _is_noun(_base(tokens[q.first - 2]))
        )
    return bool(
        before is not None
        and before.lower == "of"
        and q.first > 1
        and _is_noun(_base(tokens[q.first - 2]))
        and not _noun(_base(tokens[q.first - 2]))[1]
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
    return bool(
        re.fullmatch(r"(?:19|20)\d\d", text)
        and q.core_last == q.core + 1
        and not (after in _NOUNS or after in _WORDS or after in _BE)
    )


def _chunk(tokens: tuple[Token, ...]) -> list[_Chunk]:  # noqa: C901, PLR0912 - one pass over the tokens, a case a kind
    quantities = {q.first: q for q in find_quantities(tokens)}
    chunks: list[_Chunk] = []
    ages = _find_ages(tokens)
    i = 0
    while i < len(tokens):
        token = tokens[i]
        word = _base(token)
        q = quantities.get(i)
        if q is not None and not (q.percent or q.first in ages or _is_age(tokens, q) or _is_date(tokens, q)):
            chunk = _number_chunk(tokens, q)
            if chunk is not None:
                chunks.append(chunk)
                i = chunk.last
                continue
        if q is not None:
            chunks.append(_Chunk("w", i, q.last))
            i = q.last
            continue
        phrase = _match_phrase(tokens, i)
        if phrase is not None:
            chunks.append(_Chunk(phrase[2], i, i + len(phrase[0]), measure=phrase[1]))
            i += len(phrase[0])
            continue
        if word in _NO or (word == "not" and i + 1 < len(tokens) and tokens[i + 1].lower in {"any", "one"}):
            last = i + 2 if i + 1 < len(tokens) and tokens[i + 1].lower in {"one", "any"} else i + 1
            chunks.append(_Chunk("N", i, last))
            i = last
            continue
        if word in _MAINLY or token.lower in _SUBSET:
            chunks.append(_Chunk("U", i, i + 1))
        elif word in _CASUALTY:
            chunks.append(_Chunk("v", i, i + 1))
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
                chunks.append(_Chunk("w", i, last))
            elif plural:
                chunks.append(_Chunk("P", i, last, group=group, definite=word != "a"))
            elif nxt == "'" or word == "one":
                chunks.append(_Chunk("w", i, last))
            else:
                definite = word in {"the", "this", "that"}
                chunks.append(_Chunk("S", i, last, 1, 1, group=group, definite=definite, further=word == "another"))
            i = last
            continue
        elif word in _BE and word != "left":
            chunks.append(_Chunk("B", i, i + 1))
        elif word in _HAVE:
            chunks.append(_Chunk("H", i, i + 1))
        elif word in _WORDS and not _is_name(tokens, i):
            measure, symbol = _WORDS[word]
            chunks.append(_Chunk(symbol, i, i + 1, measure=measure))
        elif _is_noun(word) and token.lower == word:
            group, plural = _noun(word)
            after = tokens[i + 1].lower if i + 1 < len(tokens) else ""
            # Headlines drop the article: "Soldier killed", "Driver dies".
            led = (
                all(c.symbol in "wPS" for c in chunks)
                and i <= 3
                and not any(t.lower in _STOPS or t.lower in _DETERMINERS for t in tokens[:i])
            )
            hit = i > 0 and _WORDS.get(tokens[i - 1].lower, ("", ""))[1] == "a"
            bare = not plural and ((led and (after in _WORDS or after in _BE)) or hit)
            if bare:
                for chunk in chunks if led else ():
                    chunk.symbol = "w"  # "Ukrainian soldier killed" is one person
            chunks.append(_Chunk("S" if bare else "P", i, i + 1, 1 if bare else None, 1 if bare else None, group=group))
        elif word in {"and", "&"} or (word == "as" and i + 2 < len(tokens) and tokens[i + 1].lower == "well"):
            last = i + 1 if word != "as" else i + 3
            chunks.append(_Chunk("&", i, last))
            i = last
            continue
        elif word == "or":
            chunks.append(_Chunk("|", i, i + 1))
        elif token.text in {",", "-", "–", "—", "(", ")"}:
            chunks.append(_Chunk(",", i, i + 1))
        elif token.text in {";", ":"}:
            chunks.append(_Chunk(".", i, i + 1))
        elif word == "of":
            chunks.append(_Chunk("o", i, i + 1))
        elif word in _ADVERBS or (word.endswith("ly") and len(word) > 4):
            chunks.append(_Chunk("l", i, i + 1))
        else:
            chunks.append(_Chunk("w", i, i + 1))
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


def _number_chunk(tokens: tuple[Token, ...], q: Quantity) -> _Chunk | None:
    nxt = tokens[q.last] if q.last < len(tokens) else None
    if nxt is not None and nxt.lower in _NOT_PEOPLE_AFTER:
        return None
    common = {"minimum": q.minimum, "maximum": q.maximum, "further": q.further, "vague": q.vague}
    definite = q.first > 0 and tokens[q.first - 1].lower in {"the", "these", "those", "all"}
    person = _find_person(tokens, q.last)
    if nxt is not None and nxt.lower == "of" and person is None:
        # "20 of his people", "three of the attackers", "many of them"
        if q.last + 1 < len(tokens) and tokens[q.last + 1].lower in {"them", "whom", "which", "these", "those"}:
            return _Chunk("x", q.first, q.last + 2, **common)  # type: ignore[arg-type] - one dict for all numbers
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
        common["maximum"] = high
        return _Chunk("G", q.first, last, group=group, definite=definite, **common)  # type: ignore[arg-type] - see above
    if nxt is None or _may_follow_bare(nxt):
        return _Chunk("Q", q.first, q.last, group="all", definite=definite, **common)  # type: ignore[arg-type] - see above
    if nxt.lower in _CASUALTY:
        return _Chunk("Q", q.first, q.last, group="all", **common)  # type: ignore[arg-type] - see above
    # "10 civilian deaths", "two charred bodies": one or two words, then a countable harm.
    for step in (1, 2):
        j = q.last + step
        if (
            j < len(tokens)
            and _WORDS.get(tokens[j].lower, ("", ""))[1] == "n"
            and tokens[j - 1].is_word
            and tokens[j - 1].lower not in _STOPS
        ):
            group = _NOUNS.get(tokens[q.last].lower, ("all", True))[0]
            return _Chunk("Q", q.first, q.last, group=group, **common)  # type: ignore[arg-type] - see above
    return None


def _may_follow_bare(token: Token) -> bool:
    word = token.lower
    return (
        not token.is_word
        or word in _STOPS
        or word in _BE
        or word in _HAVE
        or word in _WORDS
        or word in _ADVERBS
        or word in {"others", "each", "apiece", "there"}
        or (word.endswith("ly") and len(word) > 4)
    )


# A list needs its "and": "15, the governor said" is none.
_LIST = r"(?:[QGS](?:,[QGS])*,?[&|][QGS]|[QGS])"
_ACTIVE = re.compile(rf"([ab])[wl]{{0,3}}({_LIST})")
_ACTIVE_BOTH = re.compile(rf"([b])(?:&|\|)[b]l?({_LIST})")
_ADJACENT = re.compile(rf"({_LIST})l{{0,2}}([bpt])")
_NOUN = re.compile(r"([QG])[lw]{0,2}(n)")
_NOUN_OF = re.compile(rf"(n)o[wl]{{0,1}}({_LIST})")
_FORM = re.compile(r"([bpn])\.([QG])")
_BODY = re.compile(r"(S)(n)")
_VERB = re.compile(r"(?:H?B{1,2}[lw]{0,3}([bp])|H?l{0,2}(i)|B?[lw]{0,2}(t))")
_CASUALTIES = re.compile(r"([QG])[wl]{0,2}(v)")


def _symbols(chunks: Iterable[_Chunk]) -> str:
    return "".join(c.symbol for c in chunks)


def _sum(parts: list[_Chunk]) -> tuple[int | None, int | None]:
    lows = [c.minimum for c in parts]
    highs = [c.maximum for c in parts]
    low = sum(v for v in lows if v is not None) if any(v is not None for v in lows) else None
    high = None if any(v is None for v in highs) else sum(v for v in highs if v is not None)
    return low, high


def _mark_subsets(tokens: tuple[Token, ...], chunks: list[_Chunk]) -> list[tuple[_Chunk, str]]:
    """Turn parts of a larger figure into `x`; return them with their group."""
    subsets: list[tuple[_Chunk, str]] = []
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
                    if _starts_new_clause(chunks, after):
                        break
                    subsets.append((chunks[after], chunks[after].group))
                    chunks[after].symbol = "x"
                elif chunks[after].symbol == "&":
                    if (
                        after + 1 < len(chunks)
                        and chunks[after + 1].symbol in "QGSP"
                        and _starts_new_clause(chunks, after + 1)
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


def _starts_new_clause(chunks: list[_Chunk], k: int) -> bool:
    """Tell whether the number at `k` is the subject of a harm word of its own: "and 12 were injured"."""
    tail = _symbols(chunks[k + 1 : k + 6])
    return re.match(r"[lw]{0,2}(?:H?B{0,2}l?[bpt]|H?i)", tail) is not None and any(
        c.symbol in "&,x" for c in chunks[max(0, k - 2) : k]
    )


def find_casualties(sentence: Sentence) -> list[Casualty]:
    """Find every figure on people in one sentence.

    Parameters
    ----------
    sentence : Sentence

    Returns
    -------
    list of Casualty
        In order of appearance. Parts of larger figures come with `subset` set.
    """
    tokens = sentence.tokens
    if not tokens or not (
        any(_may_harm(t.lower) for t in tokens) or _QUIET.search(sentence.text) or _STOOD.search(sentence.text)
    ):
        return []
    chunks = _chunk(tokens)
    found: list[Casualty] = []
    found.extend(_find_tolls(sentence, chunks))
    found.extend(_find_casualty_nouns(sentence, chunks))
    subsets = _mark_subsets(tokens, chunks)
    found.extend(_find_active(sentence, chunks))
    found.extend(_find_passive(sentence, chunks))
    found.extend(_find_nouns(sentence, chunks))
    found.extend(_find_zeros(sentence, chunks))
    found.extend(_find_shares(sentence, chunks, found))
    found = _settle_burials(sentence, found)
    found.extend(_find_subsets(sentence, subsets, found))
    return sorted(found, key=lambda c: (c.number_at, c.word_at))


_HINTS = frozenset(
    {w for phrase, _, _ in _PHRASES for w in phrase if len(w) > 3}
    - {"their", "from", "with", "himself", "herself", "made", "taken", "went"}
) | {
    "toll",
    "tolls",
    "figure",
    "figures",
    "total",
    "count",
    "casualties",
    "casualty",
    "taken",
    "lives",
    "life",
    "hospital",
}


def _may_harm(word: str) -> bool:
    """Tell whether a word can carry a figure on people: a cheap gate before the real work."""
    return word in _WORDS or word in _HINTS


def _make(sentence: Sentence, parts: list[_Chunk], word: _Chunk, rule: str, **more: object) -> Casualty:
    low, high = _sum(parts)
    groups = {p.group for p in parts if p.group}
    attackers = groups == {"attackers"}
    group = groups.pop() if len(groups) == 1 else "all"
    group = {"attackers": "combatants", "men": "all"}.get(group, group)
    first, last = min(parts[0].first, word.first), max(parts[-1].last, word.last)
    for part in parts:
        part.used = True
    word.used = True
    tail = tuple(t.lower for t in sentence.tokens[last : last + 3])
    if tail[:2] == ("at", "least") or tail == ("at", "the", "least") or tail[:2] == ("or", "more"):
        high = None  # "46 people were wounded at the least"
    return Casualty(
        measure=word.measure,
        group=group,
        minimum=low,
        maximum=high,
        start=sentence.tokens[first].start,
        end=sentence.tokens[last - 1].end,
        rule=rule,
        further=any(p.further for p in parts),
        attackers=attackers,
        weak=word.symbol == "t",
        vague=any(p.vague for p in parts),
        definite=all(p.definite for p in parts),
        number_at=parts[0].first,
        word_at=word.first,
        **more,  # type: ignore[arg-type] - update and subset only
    )


def _free(chunks: list[_Chunk], first: int, last: int) -> list[_Chunk]:
    return [c for c in chunks[first:last] if c.symbol in "QGS"]


def _find_active(sentence: Sentence, chunks: list[_Chunk]) -> list[Casualty]:
    symbols = _symbols(chunks)
    found = []
    for match in _ACTIVE.finditer(symbols):
        word = chunks[match.start(1)]
        if word.used:
            continue
        before = symbols[max(0, match.start() - 3) : match.start()]
        if word.symbol == "b" and (re.search(r"B[lw]{0,2}$", before) or re.search(r"[QGS]l?$", before)):
            # passive, or "17 injured ...": but "gunmen killed four" has people without a number before it.
            if not re.search(r"S$", before) or chunks[match.start() - 1].minimum != 1:
                continue
            if re.search(r"B[lw]{0,2}$", before):
                continue
        gap = chunks[match.start() + 1 : match.start(2)]
        if any(sentence.tokens[c.first].lower in _STOPS - {"as"} for c in gap if c.symbol == "w"):
            continue
        parts = []
        for k in range(match.start(2), match.end(2)):
            if chunks[k].symbol not in "QGS":
                continue
            if parts and _starts_new_clause(chunks, k):
                break
            if chunks[k].used:
                break
            parts.append(chunks[k])
        if not parts:
            continue
        after = chunks[chunks.index(parts[-1]) + 1 : chunks.index(parts[-1]) + 2]
        if after and after[0].symbol == "p" and after[0].measure == "killed" and word.measure == "injured":
            word = after[0]  # "shot three farmers dead"
        found.append(_make(sentence, parts, word, "object of an active verb"))
    return found


def _find_passive(sentence: Sentence, chunks: list[_Chunk]) -> list[Casualty]:
    symbols = _symbols(chunks)
    found = []
    for match in _ADJACENT.finditer(symbols):
        word = chunks[match.start(2)]
        parts = [c for c in _free(chunks, match.start(1), match.end(1)) if not c.used]
        # keep only the run that touches the word
        run: list[_Chunk] = []
        for c in reversed(_free(chunks, match.start(1), match.end(1))):
            if c.used:
                break
            run.insert(0, c)
        if word.used or not parts or not run:
            continue
        if word.symbol == "b" and all(c.definite and c.symbol == "S" for c in run):
            # "the journalist killed in May" was told before; "became the fourth journalist killed" is this one.
            if not any(t.lower in _ORDINALS for t in sentence.tokens[run[0].first : run[0].last]):
                continue
        rest = symbols[match.end() :]
        if (
            word.symbol == "b"
            and word.measure != "killed"
            and re.match(r"[wl]{1,14}(?:,[wl]{1,6},)?(?:i|H?B[lw]{0,3}b)", rest)
        ):
            continue  # "a woman wounded on Monday died", "six men taken on Thursday were found shot dead": they count as dead
        if word.symbol == "t" and match.start() > 0 and symbols[match.start() - 1] == "&":
            verb = next((c for c in reversed(chunks[: match.start()]) if c.symbol in "ibapn"), None)
            if verb is not None and verb.symbol == "i" and verb.measure == "killed":
                # "five died on the spot and one in hospital"
                died = _Chunk("i", word.first, word.last, measure="killed")
                found.append(replace(_make(sentence, run, died, "and so many in hospital"), further=True))
                continue
        found.append(_make(sentence, run, word, "number before a participle"))
    for match in _VERB.finditer(symbols):
        at = next(match.start(g) for g in (1, 2, 3) if match.group(g))
        word = chunks[at]
        if word.used:
            continue
        k = match.start() - 1
        steps = 0
        # Back over what may stand between subject and verb.
        while (
            k >= 0
            and steps < 16
            and (
                symbols[k] in "wlx,oUPBH"
                or (symbols[k] in "QGS" and chunks[k].used)
                # "six villagers taken from their homes were found dead"
                or (
                    symbols[k] == "b"
                    and not chunks[k].used
                    and chunks[k].measure != "killed"
                    and word.measure == "killed"
                )
            )
        ):
            if symbols[k] == "P" and steps <= 1 and not _in_apposition(sentence, chunks, k):
                k = -1
                break
            if symbols[k] in "QGS":
                # A figure already taken by an active verb ("killed three people who died"): no second reading.
                k = -1
                break
            k -= 1
            steps += 1
        if k < 0 or symbols[k] not in "QGS":
            continue
        if match.start() > 0 and sentence.tokens[chunks[match.start()].first - 1].lower in {
            "they",
            "he",
            "she",
            "we",
            "it",
        }:
            continue  # "after they were kidnapped": the figure belongs elsewhere
        k = _find_head(symbols, chunks, k)
        run = [chunks[k]]
        if k >= 2 and symbols[k - 1] in "&|":
            # The list before the "and": "102 men, 17 women and 12 children".
            k -= 2 if symbols[k - 2] != "," else 3
            while k >= 0 and symbols[k] in "QGS" and not chunks[k].used:
                run.insert(0, chunks[k])
                if k < 2 or symbols[k - 1] != ",":
                    break
                k -= 2
        gap = chunks[chunks.index(run[-1]) + 1 : match.start()]
        if any(c.symbol in "ab" and (c.measure == "killed" or word.measure != "killed") for c in gap) or not run:
            continue
        if all(c.definite and c.symbol == "S" for c in run) and word.symbol != "i" and len(run) == 1 and steps > 6:
            continue
        follow = chunks[at + 1 : at + 3]
        joined = len(follow) == 2 and follow[0].symbol == "&" and sentence.tokens[follow[0].first].lower in _WITH
        if joined and follow[1].symbol in "QGS" and not follow[1].used:
            run = [*run, follow[1]]  # "was killed along with two others"
        found.append(
            _make(sentence, run, word, "subject of a passive" if word.symbol != "i" else "subject of a verb of dying")
        )
    # "killed ... and 12 others": a number after "and" with no word of its own repeats the last measure only where glued.
    return found


def _find_head(symbols: str, chunks: list[_Chunk], k: int) -> int:
    """Step from an apposition to its head: "two civilians, a woman of 81 and a man of 60, died"."""
    if chunks[k].symbol != "S":
        return k
    match = re.search(r"([QG]),(?:S[wo]{0,4}(?:,|&|,&)){0,4}$", symbols[:k])
    if match is None:
        return k
    head = chunks[match.start()]
    return match.start() if not head.used and (head.minimum or 0) >= 2 else k


def _in_apposition(sentence: Sentence, chunks: list[_Chunk], k: int) -> bool:
    """Tell whether people without a number at `k` stand between commas: ", women and children,"."""
    before = next((c for c in reversed(chunks[:k]) if c.symbol not in "P&wl"), None)
    return before is not None and before.symbol in ",U"


def _find_nouns(sentence: Sentence, chunks: list[_Chunk]) -> list[Casualty]:
    symbols = _symbols(chunks)
    found = []
    for match in _NOUN.finditer(symbols):
        number, word = chunks[match.start(1)], chunks[match.start(2)]
        if not (number.used or word.used):
            found.append(_make(sentence, [number], word, "counted harm"))
    for match in _NOUN_OF.finditer(symbols):
        word = chunks[match.start(1)]
        parts = [c for c in _free(chunks, match.start(2), match.end(2)) if not c.used]
        if parts and not word.used:
            found.append(_make(sentence, parts, word, "harm of a number of people"))
    for match in _FORM.finditer(symbols):
        word, number = chunks[match.start(1)], chunks[match.start(2)]
        colon = sentence.tokens[word.last] if word.last < len(sentence.tokens) else None
        if colon is not None and colon.text == ":" and not (word.used or number.used):
            found.append(_make(sentence, [number], word, "filled-in form"))  # "Killed: 2"
    for match in _BODY.finditer(symbols):
        who, word = chunks[match.start(1)], chunks[match.start(2)]
        if not (who.used or word.used) and sentence.tokens[word.first].lower in {"body", "corpse", "remains"}:
            found.append(_make(sentence, [who], word, "body of a person"))
    return found


_TOLL = re.compile(
    r"\b(?:(?:death )?tolls?|figures?|number of (?:dead|deaths|victims|fatalities|those killed|people killed|killed)"
    r"|(?:put|puts|putting|place[sd]?) the (?:dead|number|toll|figure|count|total)|count of|total"
    r"|(?:it|this) (?:now )?(?:stood|stands|rose|climbed|had risen|has risen|grew))\b",
    re.I,
)
_STOOD = re.compile(r"\b(?:it|this) (?:now )?(?:stood|stands|rose|climbed|had risen|has risen|grew) (?:at|to) ", re.I)
_RISES = re.compile(
    r"\b(?:ros[e]|risen|rises?|rising|raised|raising|climb\w*|increas\w+|now|reach\w*|updat\w+|revis\w+|final|jump\w*|grew|grown|mounted|"
    r"bring\w*|brought|pass\w+|by evening|later)\b",
    re.I,
)
_TOLL_LINK = frozenset(
    "to at as of is was stands stood reached reaching hit passed exceeded exceeds above beyond were being totalled now".split()
)


def _find_tolls(sentence: Sentence, chunks: list[_Chunk]) -> list[Casualty]:
    """Find "the toll rose to 14 from nine", "put the figure at 20", "the figures were 8 and 34"."""
    found: list[Casualty] = []
    for match in _TOLL.finditer(sentence.text):
        at = sentence.token_at(sentence.start + match.end() - 1)
        number = next(
            (
                c
                for c in chunks
                if c.symbol in "QG"
                and at < c.first <= at + 14
                and c.first > 0
                and sentence.tokens[c.first - 1].lower in _TOLL_LINK
                and not c.used
            ),
            None,
        )
        if number is None:
            continue
        if re.search(r"\b(?:earlier|previous)\s*$", sentence.text[: match.start()], re.I):
            number.symbol, number.used = "x", True
            continue  # "an earlier toll of 103 was revised down"
        between = [c for c in chunks if at < c.first < number.first]
        if any(c.symbol in "QGia" for c in between):
            continue
        index = chunks.index(number)
        measure = "killed"
        after = chunks[index + 1 : index + 3]
        own = next((c for c in after if c.symbol in "bpn"), None)
        if own is not None and own.measure in {"injured", "missing", "displaced"}:
            continue
        if re.search(r"\b(?:injur|wound|hurt)", sentence.text[max(0, match.start() - 30) : match.end()], re.I):
            measure = "injured"
        word = _Chunk("n", at, at + 1, measure=measure)
        tokens = sentence.tokens
        pair = chunks[index + 1 : index + 3]
        second = pair[1] if len(pair) == 2 and pair[0].symbol == "&" and pair[1].symbol == "Q" else None
        stretch = sentence.text[max(0, match.start() - 30) : tokens[number.first].start - sentence.start]
        rises = (
            _RISES.search(stretch) is not None
            or re.match(r"(?:it|this)\b", match.group(), re.I) is not None
            or match.group().lower() == "figures"
        )
        found.append(_make(sentence, [number], word, "toll" if rises else "toll by a source", update=rises))
        if own is not None:
            own.used = True
        if match.group().lower() == "figures" and second is not None:
            found.append(_make(sentence, [second], _Chunk("n", at, at + 1, measure="injured"), "toll", update=True))
        # "from nine": the figure before.
        for c in chunks[index + 1 : index + 4]:
            if c.symbol in "QG" and c.first and tokens[c.first - 1].lower == "from":
                c.used = True
                c.symbol = "x"
        number.symbol = "x"
    return found


def _find_casualty_nouns(sentence: Sentence, chunks: list[_Chunk]) -> list[Casualty]:
    """Find "15 casualties, four of them fatal" and "of the nine people shot, four died"."""
    tokens = sentence.tokens
    found: list[Casualty] = []
    for match in _CASUALTIES.finditer(_symbols(chunks)):
        total, word = chunks[match.start(1)], chunks[match.start(2)]
        part = next(
            (
                c
                for c in chunks[match.end() :]
                if c.symbol == "x" and c.first <= word.last + 12 and _is_fatal(tokens, c.last)
            ),
            None,
        )
        if part is None or total.minimum is None or part.minimum is None:
            total.used = True
            total.symbol = "x"
            found.append(
                replace(
                    _make(
                        sentence,
                        [total],
                        _Chunk("n", word.first, word.last, measure="injured"),
                        "casualties not told apart",
                    ),
                    weak=True,
                )
            )
            continue
        found.extend(_split_total(sentence, total, part, word, "killed among casualties"))
    for k, chunk in enumerate(chunks):
        if chunk.symbol != "o" or k + 4 >= len(chunks) or k + 1 >= len(chunks):
            continue
        window = chunks[k + 1 : k + 14]
        total = next((c for c in window[:3] if c.symbol in "GQ"), None)
        if total is None or not (k == 0 or chunks[k - 1].symbol in ".,"):
            continue
        comma = next((c for c in window if c.symbol == "," and c.first > total.first), None)
        if comma is None:
            continue
        part = next((c for c in window if c.symbol in "QG" and c.first > comma.first), None)
        harmed = any(
            c.symbol in "bp" and c.measure in {"injured", "killed"}
            for c in window
            if total.first < c.first < comma.first
        )
        if part is None or not harmed:
            continue
        after = chunks[chunks.index(part) + 1 : chunks.index(part) + 4]
        died = next((c for c in after if c.symbol in "ibp" and c.measure == "killed"), None)
        if died is None:
            continue
        for c in window:
            if total.first < c.first < comma.first and c.symbol in "bp":
                c.used = True
                c.symbol = "w"
        found.extend(_split_total(sentence, total, part, died, "killed among people shot"))
        died.used = True
        died.symbol = "w"
    return found


def _is_fatal(tokens: tuple[Token, ...], i: int) -> bool:
    words = [t.lower for t in tokens[i : i + 3]]
    return any(w in {"fatal", "fatally", "dead", "died", "killed", "deadly", "fatalities", "deaths"} for w in words)


def _split_total(sentence: Sentence, total: _Chunk, part: _Chunk, word: _Chunk, rule: str) -> list[Casualty]:
    killed = _make(sentence, [part], _Chunk("n", word.first, word.last, measure="killed"), rule)
    rest_low = (total.minimum or 0) - (part.minimum or 0)
    rest_high = None if total.maximum is None or part.minimum is None else total.maximum - part.minimum
    rest = replace(
        killed,
        measure="injured",
        minimum=max(rest_low, 0),
        maximum=rest_high,
        rule=rule + ", the rest injured",
        number_at=total.first,
    )
    for chunk in (total, part):
        chunk.used = True
        chunk.symbol = "w"
    return [killed, rest]


def _find_zeros(sentence: Sentence, chunks: list[_Chunk]) -> list[Casualty]:
    """Find "no casualties", "nobody was hurt", "none were killed"."""
    tokens = sentence.tokens
    found: list[Casualty] = []
    symbols = _symbols(chunks)
    for k, chunk in enumerate(chunks):
        if chunk.symbol != "N":
            continue
        tail = symbols[k + 1 : k + 9]
        match = re.match(r"[wlGPS]{0,3}([vn])", tail) or re.match(
            r"[wlPSo]{0,3}(?:H?B{1,2}[lw]{0,3}([bp])|H?(i))", tail
        )
        if match is None:
            continue
        group = next(g for g in range(1, (match.lastindex or 1) + 1) if match.group(g))
        word = chunks[k + 1 + match.start(group)]
        if word.used:
            continue
        rest = sentence.text[tokens[chunk.first].start - sentence.start :]
        if _AT_FIRST.search(rest[:80]) or re.match(r"no (?:more|further|other|new|fewer|less)\b", rest, re.I):
            continue
        measures = ["killed", "injured"] if word.symbol == "v" else [word.measure]
        if word.measure == "injured":
            # "no injuries" after an attack also says that nobody died, but only as an inference.
            measures = ["injured", "killed"]
        follow = symbols[chunks.index(word) + 1 : chunks.index(word) + 3]
        if re.match(r"[|&][bpn]", follow):
            measures = ["killed", "injured"]
        for measure in measures:
            if measure not in {"killed", "injured", "missing"}:
                continue
            inferred = word.symbol != "v" and measure != word.measure and not re.match(r"[|&][bpn]", follow)
            found.append(
                Casualty(
                    measure,
                    "all",
                    0,
                    0,
                    tokens[chunk.first].start,
                    tokens[word.last - 1].end,
                    "stated none" if not inferred else "stated none injured",
                    weak=inferred,
                    number_at=chunk.first,
                    word_at=word.first,
                )
            )
        word.used = True
    quiet = _QUIET.search(sentence.text)
    if quiet is not None:
        at = sentence.token_at(sentence.start + quiet.start())
        span = (sentence.start + quiet.start(), sentence.start + quiet.end())
        found.extend(
            Casualty(m, "all", 0, 0, *span, "ended peacefully", weak=True, number_at=at, word_at=at)
            for m in ("killed", "injured")
        )
    return found


_QUIET = re.compile(
    r"\b(?:ended|dispersed|passed(?: off)?|went off|concluded|marched|protested|rallied|demonstrated) "
    r"(?:without (?:incident|violence)|peacefully|calmly)\b",
    re.I,
)


_SHARE_PLACE = frozenset("in at near outside around".split())


def _find_shares(sentence: Sentence, chunks: list[_Chunk], found: list[Casualty]) -> list[Casualty]:
    """Find figures that borrow the harm word: "eight in Damboa and four in Bama", "one each in A, B and C"."""
    tokens = sentence.tokens
    words = [c for c in chunks if c.symbol in "abpin" and c.measure in {"killed", "injured", "missing"}]
    shares: list[Casualty] = []
    for k, chunk in enumerate(chunks):
        if chunk.symbol not in "QG" or chunk.used or chunk.minimum is None:
            continue
        nxt = [t.lower for t in tokens[chunk.last : chunk.last + 2]]
        each = bool(nxt) and nxt[0] in {"each", "apiece"}
        if each:
            nxt = nxt[1:]
        if not nxt or nxt[0] not in _SHARE_PLACE or (not each and k > 0 and chunks[k - 1].symbol not in "&,.Nl"):
            continue
        place = tokens[chunk.last + (2 if each else 1)] if chunk.last + (2 if each else 1) < len(tokens) else None
        if place is None or not (place.is_capitalised or place.lower in {"the", "a"}):
            continue
        word = next((c for c in reversed(words) if c.first < chunk.first), None)
        if word is None:
            continue
        share = _make(sentence, [chunk], word, "share of each place" if each else "share of a place")
        shares.append(replace(share, start=tokens[chunk.first].start, end=tokens[chunk.last - 1].end))
    return shares


_GRAVE = re.compile(r"\b(?:graves?|pits?|burial|cemetery|cemeteries|buried in)\b", re.I)
_RUBBLE = re.compile(r"\b(?:rubble|debris|ruins|wreckage|collapsed?)\b", re.I)


def _settle_burials(sentence: Sentence, found: list[Casualty]) -> list[Casualty]:
    """Count people buried in a grave as dead; people under rubble are not counted."""
    graves = _GRAVE.search(sentence.text) is not None and _RUBBLE.search(sentence.text) is None
    return [
        replace(c, measure="killed", rule="buried in a grave") if c.measure == "buried" else c
        for c in found
        if c.measure != "buried" or graves
    ]


def _find_subsets(sentence: Sentence, subsets: list[tuple[_Chunk, str]], found: list[Casualty]) -> list[Casualty]:
    parts = []
    for chunk, group in subsets:
        if group not in {"children", "civilians", "women", "combatants", "attackers"} or chunk.minimum is None:
            continue
        owner = next(
            (c for c in sorted(found, key=lambda c: -c.number_at) if c.number_at < chunk.first and not c.subset), None
        )
        if owner is None:
            continue
        group = "combatants" if group == "attackers" else group
        parts.append(
            replace(
                owner,
                group=group,
                minimum=chunk.minimum,
                maximum=chunk.maximum,
                start=sentence.tokens[chunk.first].start,
                end=sentence.tokens[chunk.last - 1].end,
                rule="part of a figure",
                subset=True,
                update=False,
                further=False,
                number_at=chunk.first,
            )
        )
    return parts
