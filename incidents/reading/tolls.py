"""Figures that no verb carries: tolls, "15 casualties, four of them fatal", and stated zeros."""

from __future__ import annotations

import re
from dataclasses import replace

from incidents.reading.chunks import Chunk, get_symbols
from incidents.reading.harm import Casualty, make_casualty
from incidents.reading.sentences import Sentence, Token

__all__ = ["QUIET", "STOOD", "find_casualty_nouns", "find_tolls", "find_zeros"]

_CASUALTIES = re.compile(r"([QG])[wl]{0,2}(v)")
_TOLL = re.compile(
    r"\b(?:(?:death )?tolls?|figures?|number of (?:dead|deaths|victims|fatalities|those killed|people killed|killed)"
    r"|(?:put|puts|putting|place[sd]?) the (?:dead|number|toll|figure|count|total)|count of|total"
    r"|(?:it|this) (?:now )?(?:stood|stands|rose|climbed|had risen|has risen|grew))\b",
    re.I,
)
STOOD = re.compile(r"\b(?:it|this) (?:now )?(?:stood|stands|rose|climbed|had risen|has risen|grew) (?:at|to) ", re.I)
_RISES = re.compile(
    r"\b(?:ros[e]|risen|rises?|rising|raised|raising|climb\w*|increas\w+|now|reach\w*|updat\w+|revis\w+|final|jump\w*|grew|grown|mounted|"
    r"bring\w*|brought|pass\w+|by evening|later)\b",
    re.I,
)
_TOLL_LINK = frozenset(
    "to at as of is was stands stood reached reaching hit passed exceeded exceeds above beyond were being totalled now".split()
)


def find_tolls(sentence: Sentence, chunks: list[Chunk]) -> list[Casualty]:
    """Find "the toll rose to 14 from nine", "put the figure at 20", "the figures were 8 and 34"."""
    found: list[Casualty] = []
    for match in _TOLL.finditer(sentence.text):
        at = sentence.token_at(sentence.start + match.end() - 1)
        number = next(
            (
                c
                for c in chunks
                if c.symbol in "QG"
                and at < c.first <= at + 30
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
        word = Chunk("n", at, at + 1, measure=measure)
        tokens = sentence.tokens
        pair = chunks[index + 1 : index + 3]
        second = pair[1] if len(pair) == 2 and pair[0].symbol == "&" and pair[1].symbol == "Q" else None
        stretch = sentence.text[max(0, match.start() - 30) : tokens[number.first].start - sentence.start]
        rises = (
            _RISES.search(stretch) is not None
            or re.match(r"(?:it|this)\b", match.group(), re.I) is not None
            or match.group().lower() == "figures"
        )
        found.append(make_casualty(sentence, [number], word, "toll" if rises else "toll by a source", update=rises))
        if own is not None:
            own.used = True
        if match.group().lower() == "figures" and second is not None:
            found.append(
                make_casualty(sentence, [second], Chunk("n", at, at + 1, measure="injured"), "toll", update=True)
            )
        # "from nine": the figure before.
        for c in chunks[index + 1 : index + 4]:
            if c.symbol in "QG" and c.first and tokens[c.first - 1].lower == "from":
                c.used = True
                c.symbol = "x"
        number.symbol = "x"
    return found


def find_casualty_nouns(sentence: Sentence, chunks: list[Chunk]) -> list[Casualty]:
    """Find "15 casualties, four of them fatal" and "of the nine people shot, four died"."""
    tokens = sentence.tokens
    found: list[Casualty] = []
    for match in _CASUALTIES.finditer(get_symbols(chunks)):
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
                    make_casualty(
                        sentence,
                        [total],
                        Chunk("n", word.first, word.last, measure="injured"),
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
        whole = next((c for c in window[:3] if c.symbol in "GQ"), None)
        if whole is None or not (k == 0 or chunks[k - 1].symbol in ".,"):
            continue
        comma = next((c for c in window if c.symbol == "," and c.first > whole.first), None)
        if comma is None:
            continue
        part = next((c for c in window if c.symbol in "QG" and c.first > comma.first), None)
        harmed = any(
            c.symbol in "bp" and c.measure in {"injured", "killed"}
            for c in window
            if whole.first < c.first < comma.first
        )
        if part is None or not harmed:
            continue
        after = chunks[chunks.index(part) + 1 : chunks.index(part) + 4]
        died = next((c for c in after if c.symbol in "ibp" and c.measure == "killed"), None)
        if died is None:
            continue
        for c in window:
            if whole.first < c.first < comma.first and c.symbol in "bp":
                c.used = True
                c.symbol = "w"
        found.extend(_split_total(sentence, whole, part, died, "killed among people shot"))
        died.used = True
        died.symbol = "w"
    return found


def _is_fatal(tokens: tuple[Token, ...], i: int) -> bool:
    words = [t.lower for t in tokens[i : i + 3]]
    return any(w in {"fatal", "fatally", "dead", "died", "killed", "deadly", "fatalities", "deaths"} for w in words)


def _split_total(sentence: Sentence, total: Chunk, part: Chunk, word: Chunk, rule: str) -> list[Casualty]:
    killed = make_casualty(sentence, [part], Chunk("n", word.first, word.last, measure="killed"), rule)
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


_AT_FIRST = re.compile(
    r"\b(?:at first|so far|immediate(?:ly)?|initially|yet|preliminary|as yet|were known|was known|could be)\b|\?", re.I
)


def find_zeros(sentence: Sentence, chunks: list[Chunk]) -> list[Casualty]:
    """Find "no casualties", "nobody was hurt", "none were killed"."""
    tokens = sentence.tokens
    found: list[Casualty] = []
    symbols = get_symbols(chunks)
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
    quiet = QUIET.search(sentence.text)
    if quiet is not None:
        at = sentence.token_at(sentence.start + quiet.start())
        span = (sentence.start + quiet.start(), sentence.start + quiet.end())
        found.extend(
            Casualty(m, "all", 0, 0, *span, "ended peacefully", weak=True, number_at=at, word_at=at)
            for m in ("killed", "injured")
        )
    return found


QUIET = re.compile(
    r"\b(?:ended|dispersed|passed(?: off)?|went off|concluded|marched|protested|rallied|demonstrated) "
    r"(?:without (?:incident|violence)|peacefully|calmly)\b",
    re.I,
)


_SHARE_PLACE = frozenset("in at near outside around".split())
