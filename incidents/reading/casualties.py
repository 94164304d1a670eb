"""One sentence -> what it says happened to how many people.

The sentence becomes a short string of one letter a chunk (numbers, people, harm words, auxiliaries), and small
patterns over that string tie numbers to harm words: the object of an active verb first, then what stands directly
before a participle, then the subject of a passive or of "died". The parse of a model is not needed for that.
"""

from __future__ import annotations

import re
from dataclasses import replace

from incidents.reading.chunks import (
    ORDINALS,
    PHRASES,
    STOPS,
    WITH,
    WORDS,
    Chunk,
    chunk_tokens,
    get_symbols,
    mark_subsets,
    starts_new_clause,
)
from incidents.reading.harm import Casualty, make_casualty
from incidents.reading.sentences import Sentence
from incidents.reading.tolls import QUIET, STOOD, find_casualty_nouns, find_tolls, find_zeros

__all__ = ["Casualty", "find_casualties"]

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
        any(_may_harm(t.lower) for t in tokens) or QUIET.search(sentence.text) or STOOD.search(sentence.text)
    ):
        return []
    chunks = chunk_tokens(tokens)
    found: list[Casualty] = []
    found.extend(find_tolls(sentence, chunks))
    found.extend(find_casualty_nouns(sentence, chunks))
    subsets = mark_subsets(tokens, chunks)
    found.extend(_find_active(sentence, chunks))
    found.extend(_find_passive(sentence, chunks))
    found.extend(_find_nouns(sentence, chunks))
    found.extend(find_zeros(sentence, chunks))
    found.extend(_find_shares(sentence, chunks))
    found = _settle_burials(sentence, found)
    found.extend(_find_subsets(sentence, subsets, found))
    return sorted(found, key=lambda c: (c.number_at, c.word_at))


_HINTS = frozenset(
    {w for phrase, _, _ in PHRASES for w in phrase if len(w) > 3}
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
    return word in WORDS or word in _HINTS


def _free(chunks: list[Chunk], first: int, last: int) -> list[Chunk]:
    return [c for c in chunks[first:last] if c.symbol in "QGS"]


def _find_active(sentence: Sentence, chunks: list[Chunk]) -> list[Casualty]:
    symbols = get_symbols(chunks)
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
        first = chunks[match.start(2)]
        if first.last < len(sentence.tokens) and sentence.tokens[first.last].lower in {"each", "apiece"}:
            continue  # a share of each place: `_find_shares`
        gap = chunks[match.start() + 1 : match.start(2)]
        if any(sentence.tokens[c.first].lower in STOPS - {"as"} for c in gap if c.symbol == "w"):
            continue
        parts: list[Chunk] = []
        for k in range(match.start(2), match.end(2)):
            if chunks[k].symbol not in "QGS":
                continue
            if parts and starts_new_clause(chunks, k):
                break
            if chunks[k].used:
                break
            parts.append(chunks[k])
        if not parts:
            continue
        after = chunks[chunks.index(parts[-1]) + 1 : chunks.index(parts[-1]) + 2]
        if after and after[0].symbol == "p" and after[0].measure == "killed" and word.measure == "injured":
            word = after[0]  # "shot three farmers dead"
        found.append(make_casualty(sentence, parts, word, "object of an active verb"))
    return found


def _find_passive(  # noqa: C901, PLR0912 - what may stand between a subject and its verb, in order
    sentence: Sentence, chunks: list[Chunk]
) -> list[Casualty]:
    symbols = get_symbols(chunks)
    found = []
    for match in _ADJACENT.finditer(symbols):
        word = chunks[match.start(2)]
        parts = [c for c in _free(chunks, match.start(1), match.end(1)) if not c.used]
        # keep only the run that touches the word
        run: list[Chunk] = []
        for c in reversed(_free(chunks, match.start(1), match.end(1))):
            if c.used:
                break
            run.insert(0, c)
        if word.used or not parts or not run:
            continue
        known = word.symbol == "b" and all(c.definite and c.symbol == "S" for c in run)
        # "the journalist killed in May" was told before; "became the fourth journalist killed" is this one.
        if known and not any(t.lower in ORDINALS for t in sentence.tokens[run[0].first : run[0].last]):
            continue
        rest = symbols[match.end() :]
        if (
            word.symbol == "b"
            and word.measure != "killed"
            and re.match(r"[wl]{1,14}(?:,[wl]{1,6},)?(?:i|H?B[lw]{0,3}[bp])", rest)
        ):
            continue  # "a woman wounded on Monday died", "six men taken on Thursday were found shot dead": they count as dead
        if word.symbol == "t" and match.start() > 0 and symbols[match.start() - 1] == "&":
            verb = next((c for c in reversed(chunks[: match.start()]) if c.symbol in "ibapn"), None)
            if verb is not None and verb.symbol == "i" and verb.measure == "killed":
                # "four died there and two in hospital"
                died = Chunk("i", word.first, word.last, measure="killed")
                found.append(replace(make_casualty(sentence, run, died, "and so many in hospital"), further=True))
                continue
        found.append(make_casualty(sentence, run, word, "number before a participle"))
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
            if symbols[k] == "P" and steps <= 1 and not _in_apposition(chunks, k):
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
            # The list before the "and": "12 men, nine women and three boys".
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
        joined = len(follow) == 2 and follow[0].symbol == "&" and sentence.tokens[follow[0].first].lower in WITH
        if joined and follow[1].symbol in "QGS" and not follow[1].used:
            run = [*run, follow[1]]  # "was killed along with two others"
        found.append(
            make_casualty(
                sentence, run, word, "subject of a passive" if word.symbol != "i" else "subject of a verb of dying"
            )
        )
    # "killed ... and 12 others": a number after "and" with no word of its own repeats the last measure only where glued.
    return found


def _find_head(symbols: str, chunks: list[Chunk], k: int) -> int:
    """Step from an apposition to its head: "two farmers, a woman of 50 and her son, died"."""
    if chunks[k].symbol != "S":
        return k
    match = re.search(r"([QG]),(?:S[wo]{0,4}(?:,|&|,&)){0,4}$", symbols[:k])
    if match is None:
        return k
    head = chunks[match.start()]
    return match.start() if not head.used and (head.minimum or 0) >= 2 else k


def _in_apposition(chunks: list[Chunk], k: int) -> bool:
    """Tell whether people without a number at `k` stand between commas: ", women and children,"."""
    before = next((c for c in reversed(chunks[:k]) if c.symbol not in "P&wl"), None)
    return before is not None and before.symbol in ",U"


def _find_nouns(sentence: Sentence, chunks: list[Chunk]) -> list[Casualty]:
    symbols = get_symbols(chunks)
    found = []
    for match in _NOUN.finditer(symbols):
        number, word = chunks[match.start(1)], chunks[match.start(2)]
        if not (number.used or word.used):
            found.append(make_casualty(sentence, [number], word, "counted harm"))
    for match in _NOUN_OF.finditer(symbols):
        word = chunks[match.start(1)]
        parts = [c for c in _free(chunks, match.start(2), match.end(2)) if not c.used]
        if parts and not word.used:
            found.append(make_casualty(sentence, parts, word, "harm of a number of people"))
    for match in _FORM.finditer(symbols):
        word, number = chunks[match.start(1)], chunks[match.start(2)]
        colon = sentence.tokens[word.last] if word.last < len(sentence.tokens) else None
        if colon is not None and colon.text == ":" and not (word.used or number.used):
            found.append(make_casualty(sentence, [number], word, "filled-in form"))  # "Killed: 2"
    for match in _BODY.finditer(symbols):
        who, word = chunks[match.start(1)], chunks[match.start(2)]
        if not (who.used or word.used) and sentence.tokens[word.first].lower in {"body", "corpse", "remains"}:
            found.append(make_casualty(sentence, [who], word, "body of a person"))
    return found


_SHARE_PLACE = frozenset("in at near outside around".split())


def _find_shares(sentence: Sentence, chunks: list[Chunk]) -> list[Casualty]:
    """Find figures that borrow the harm word: "eight in Arven and four in Harlo", "one each in A, B and C"."""
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
        share = make_casualty(sentence, [chunk], word, "share of each place" if each else "share of a place")
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


def _find_subsets(sentence: Sentence, subsets: list[tuple[Chunk, str]], found: list[Casualty]) -> list[Casualty]:
    parts = []
    for chunk, group in subsets:
        if group not in {"children", "civilians", "women", "combatants", "attackers"} or chunk.minimum is None:
            continue
        owner = next(
            (c for c in sorted(found, key=lambda c: -c.number_at) if c.number_at < chunk.first and not c.subset), None
        )
        if owner is None:
            continue
        who = "combatants" if group == "attackers" else group
        parts.append(
            replace(
                owner,
                group=who,
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
