"""Clean text -> the place names in it, with what stands around them.

Every capitalised run of words is looked up in the place index; the longest run decides, so that the first word of an
unknown name is never resolved alone. What a model says of persons and organisations is evidence against a place, but
never against a name that follows "in", "near" or "at".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from geodata.countries import find_country, find_demonym
from geodata.gazetteer import Gazetteer
from geodata.names import fold
from geodata.place import Place
from incidents.reading.lexicon import load_alternatives, load_words
from incidents.reading.linguistics import Entity
from incidents.reading.sentences import Sentence, Token

__all__ = ["RawMention", "find_dateline_end", "find_mentions"]


@dataclass(slots=True)
class RawMention:
    """A place name found in a sentence, before it is resolved.

    Attributes
    ----------
    start, end : int
        Span in the clean text.
    text : str
        The name alone.
    sentence : int
        Index of the sentence.
    first, last : int
        Token span in the sentence, `last` excluded.
    kind : str
        ``name``, ``country``, ``demonym``, ``unlisted``.
    hint : str or None
        ``region``, ``district``, ``settlement`` from the words around it.
    literal : bool
        False where it stands for a government or is part of an organisation's name.
    compass : str or None
        "eastern" before a country or region.
    detail : str or None
        A site that bears the name: "Kharkivska Street".
    locative : bool
        Follows "in", "at", "near" and the like.
    prefix : str
        The preposition or cue before it.
    marked : bool
        The model calls just this name a place.
    container : int or None
        Index in the list of mentions of the area that is said to hold it.
    """

    start: int
    end: int
    text: str
    sentence: int
    first: int
    last: int
    kind: str
    hint: str | None = None
    literal: bool = True
    compass: str | None = None
    detail: str | None = None
    locative: bool = False
    prefix: str = ""
    dateline: bool = False
    weak: bool = False
    marked: bool = False
    container: int | None = None
    notes: list[str] = field(default_factory=list)


_CONNECTORS = frozenset(
    "de del della di da do dos das du des la las le les los el al of the bin ibn bou ez es ash ad ar as at upon on and e y sur aux am".split()
)
_ARTICLES = frozenset("al el as ash ad ar az at es ez an ul il".split())
_MONTHS_DAYS = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday "
    "saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ramadan easter christmas eid".split()
)
_FUNCTION = frozenset(
    "the a an in on at of for to from by with and or but as if when while after before since until because although though however "
    "this that these those there here it its he she they we i you his her their our my your who which what where why how not no nor "
    "so yet both either neither each every all any some many most more few several one two three four five six seven eight nine ten "
    "another other others such is are was were be been has have had do does did will would could may might must shall should can "
    "said says told also then than now just only even still once about around near over under into out up down off between during "
    "through against among within without across along behind beyond despite except including inside like outside per toward towards "
    "upon via mr mrs ms dr st according meanwhile earlier later separately elsewhere yesterday today tomorrow dozens hundreds "
    "thousands scores half nearly almost yes".split()
)
_COMPASS = re.compile(
    r"(?:north|south|east|west|north-?east|north-?west|south-?east|south-?west)(?:ern)?|central|upper|lower|far|mid|occupied|"
    r"rebel-held|government-held|eastern-most",
    re.I,
)
_REGION_AFTER = re.compile("|".join(load_alternatives("place_words.txt", "region_after")), re.I)
_DISTRICT_AFTER = re.compile("|".join(load_alternatives("place_words.txt", "district_after")), re.I)
_AREA_AFTER = re.compile("|".join(load_alternatives("place_words.txt", "area_after")), re.I)
_SITE_AFTER = re.compile(r"(?:" + "|".join(load_alternatives("place_words.txt", "site_after")) + r")(?:es|s)?", re.I)
_ORG_AFTER = re.compile("|".join(load_alternatives("place_words.txt", "org_after")), re.I)
_REGION_BEFORE = re.compile(
    r"\b(?:" + "|".join(load_alternatives("place_words.txt", "region_before")) + r")(?: the)?\s*$", re.I
)
_CITY_BEFORE = re.compile(
    r"\b(?:" + "|".join(load_alternatives("place_words.txt", "city_before")) + r")(?: the)?\s*$", re.I
)
_VILLAGE_BEFORE = re.compile(
    r"\b(?:village|town|city|settlement|hamlet|suburb|neighbou?rhood|community|township|camp|locality|commune|port|island|quarter)s?"
    r"(?: of)?(?: the)?\s*$",
    re.I,
)
_VILLAGE_AFTER = re.compile(
    r"^\s*(?:,\s*(?:an?|the|another|one of the|one of)\s+(?:(?!who\b|which\b|where\b|in\b|of\b|and\b|from\b)[\w'-]+\s+){0,4}?)?"
    r"(?:village|town|city|settlement|hamlet|suburb|neighbou?rhood|quarter|community|port|township)\b(?! (?:leaders?|elders?|chiefs?|officials?|representatives?|members?|workers?|police|council))",
    re.I,
)
_TITLES = frozenset(w for entry in load_alternatives("place_words.txt", "title_before") for w in [entry.lower()])
_LOCATIVE = frozenset(
    "in at near around outside inside into on over across throughout within from to toward towards off above through by :".split()
)
_STRONG_LOCATIVE = frozenset("in at near around outside inside across throughout within".split())
_ACTION = frozenset(
    "hit hits hitting struck strike striking shelled shelling bombed bombing attacked attacking attack stormed captured seized retook pounded "
    "pounding besieged fled targeted leaving reached left entered against rocked shook".split()
)
_SAYING = re.compile(
    r"^(?:'s)?\s*(?:has |have |had |also |later |then |again |on \w+day )?(?:"
    + "|".join(load_alternatives("place_words.txt", "saying"))
    + r")\b",
    re.I,
)
# Bodies of a place that speak for it: "Quetta police" is in Quetta.
_LOCAL_BODIES = frozenset({"police", "council", "authority", "authorities", "administration", "army"})
_COMMON = load_words("common_words.txt")
_FIRST_NAMES = load_words("first_names.txt")
_ORGANISATIONS = load_words("org_words.txt")
_DATELINE = re.compile(
    r"^\W*([A-Z][\w.'-]*(?:[ /][A-Z][\w.'-]*){0,3}[ /]?(?:,\s*[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*){0,2}\s?|,\s*\d{1,2}\s+\w+|,\s*\w+\.?\s+\d{1,2})*)\s*(?:\([\w ./&-]{2,40}\)\s*)?(?:—|–|--| - |- (?=[A-Z]))"
)


def _is_namelike(token: Token) -> bool:
    text = token.text
    if not text[:1].isalpha():
        return False
    if token.is_capitalised:
        return True
    head, dash, tail = text.partition("-")
    return bool(dash) and head.lower() in _ARTICLES and tail[:1].isupper()


def _strip(text: str) -> str:
    return text[:-2] if text.endswith(("'s", "'S")) else text


@dataclass(frozen=True, slots=True)
class _Context:
    sentence: Sentence
    gazetteer: Gazetteer
    entities: Sequence[Entity]
    dateline: int
    shouting: bool
    persons: frozenset[str]
    partial: Counter[str]


def find_mentions(
    sentences: Sequence[Sentence], gazetteer: Gazetteer, entities: Sequence[Entity] = ()
) -> list[RawMention]:
    """Find the place names of a document.

    Parameters
    ----------
    sentences : sequence of Sentence
    gazetteer : Gazetteer
    entities : sequence of Entity
        The model's entities, or nothing.

    Returns
    -------
    list of RawMention
        In order of appearance, not overlapping.
    """
    persons = _find_persons(sentences, entities)
    by_sentence: dict[int, list[Entity]] = {}
    position = 0
    ordered = sorted(entities, key=lambda e: e.start)
    for sentence in sentences:
        while position < len(ordered) and ordered[position].end <= sentence.start:
            position += 1
        k = position
        while k < len(ordered) and ordered[k].start < sentence.end:
            by_sentence.setdefault(sentence.index, []).append(ordered[k])
            k += 1
    letters = [c for s in sentences[:40] for c in s.text if c.isalpha() and c.lower() != c.upper()]
    shouting = bool(letters) and sum(c.isupper() for c in letters) > 0.7 * len(letters)
    mentions: list[RawMention] = []
    partial: Counter[str] = Counter()
    for sentence in sentences:
        dateline = find_dateline_end(sentence) if sentence.paragraph <= 2 else -1
        context = _Context(
            sentence, gazetteer, by_sentence.get(sentence.index, ()), dateline, shouting, persons, partial
        )
        mentions.extend(_find_in_sentence(context))
    _settle_names(mentions, partial, gazetteer)
    mentions[:] = _find_again(mentions, sentences, entities)
    _spread_plural_cues(mentions, sentences)
    _find_containers(mentions, sentences)
    _spread_containers(mentions, sentences)
    return mentions


def find_dateline_end(sentence: Sentence) -> int:
    """Return where a sentence's dateline ends, in the clean text; -1 where it has none."""
    match = _DATELINE.match(sentence.text) if sentence.index <= 3 else None
    return sentence.start + match.end() if match else -1


def _find_persons(sentences: Sequence[Sentence], entities: Sequence[Entity]) -> frozenset[str]:
    """Collect surnames: the last words of names that follow a first name or a title, or that the model calls persons."""
    names: set[str] = set()
    for sentence in sentences:
        tokens = sentence.tokens
        for i in range(len(tokens) - 1):
            head = tokens[i].lower.rstrip(".")
            if not tokens[i].is_capitalised and head not in _TITLES:
                continue
            nxt = tokens[i + 1]
            if not (nxt.is_capitalised and nxt.is_word) or nxt.lower in _FUNCTION:
                continue
            if head in _FIRST_NAMES or head in {"mr", "mrs", "ms", "dr", "sheikh", "gen", "col"}:
                names.add(_strip(nxt.text))
                if i + 2 < len(tokens) and tokens[i + 2].is_capitalised and tokens[i + 2].is_word:
                    names.add(_strip(tokens[i + 2].text))
    for entity in entities:
        words = entity.text.split()
        if entity.label == "PERSON" and len(words) >= 2:
            names.add(_strip(words[-1]))
    return frozenset(names)


def _find_in_sentence(context: _Context) -> list[RawMention]:
    tokens = context.sentence.tokens
    found: list[RawMention] = []
    i = 0
    while i < len(tokens):
        if not _is_namelike(tokens[i]):
            if "-" in tokens[i].text:
                found.extend(_match_parts(context, i))
            i += 1
            continue
        mention = _match_abbreviation(context, i, found) or _match_capital(context, i) or _match_at(context, i)
        if mention is None and "-" in tokens[i].text:
            parts = _match_parts(context, i)
            if parts:
                found.extend(parts)
                i += 1
                continue
        if mention is None:
            # what cannot begin a name is stepped over: "In Beijing" begins at Beijing
            i = i + 1 if _is_opening(tokens[i]) else _skip_unknown(context, i, found)
            continue
        found.append(mention)
        i = mention.last
    return found


def _is_opening(token: Token) -> bool:
    lower = token.lower.rstrip(".")
    return lower in _FUNCTION or lower in _MONTHS_DAYS or _CONTRACTION.search(lower) is not None


_CONTRACTION = re.compile(r"(?:n't|'(?:ve|ll|re|d|m))$", re.I)
_ABBREVIATION = re.compile(r"[A-Z]\. ?[A-Z]\.(?: ?[A-Z]\.)?|[A-Z]\. [A-Z][a-z]{2,4}\.|[A-Z][A-Za-z]{1,4}\.")
# Press abbreviations that are other words, or ends of sentences, where no town's name stands before them.
_OTHER_WORDS = frozenset(
    "Miss. Mass. Ill. Wash. Cal. Del. Ark. Ind. Pa. La. Man. Vic. Va. Mo. Md. Me. Ore. Ore Minn. Penn. Ala. Mont. S.A. S.D. N.B. W.A. Kan.".split()
)


def _match_abbreviation(context: _Context, i: int, found: Sequence[RawMention]) -> RawMention | None:
    """Read "Ky.", "N. Mex.", "B.C." and, after a town, "KY" as the state."""
    tokens, sentence = context.sentence.tokens, context.sentence
    start = tokens[i].start
    match = _ABBREVIATION.match(sentence.text, start - sentence.start)
    text = match.group() if match else ""
    comma = i > 1 and tokens[i - 1].text == "," and tokens[i - 2].is_capitalised
    place = None
    for form in (text, text.replace(" ", ""), text.title()) if text else ():
        place = context.gazetteer.find_abbreviation(form)
        if place is not None:
            break
    after_town = bool(found) and found[-1].last >= i - 1 and found[-1].kind != "demonym"
    if place is not None and form in _OTHER_WORDS and not (comma or after_town):
        place = None
    if place is None:
        text = tokens[i].text
        if not (comma and after_town and len(text) == 2 and text.isupper() and not context.shouting):
            return None
        place = context.gazetteer.find_abbreviation(text, postal=True)
        if place is None:
            return None
    end = start + len(text)
    last = i
    while last < len(tokens) and tokens[last].end <= end:
        last += 1
    prefix = _find_prefix(tokens, i)
    mention = RawMention(start, end, text, sentence.index, i, max(last, i + 1), "name", hint="region", prefix=prefix)
    mention.locative = prefix in _LOCATIVE
    mention.notes.append(f"abbreviation: {place.geonameid}")
    return mention


_COMPOUNDS = frozenset(
    "based born led backed held controlled occupied run made style speaking majority administered bound flagged owned trained area".split()
)


def _match_parts(context: _Context, i: int) -> list[RawMention]:
    """Read the places within a hyphenated word: "Tbilisi-based", "NATO-Russia", "anti-Russian"."""
    token = context.sentence.tokens[i]
    pieces: list[tuple[int, str]] = []
    at = token.start
    for piece in _strip(token.text).split("-"):
        pieces.append((at, piece))
        at += len(piece) + 1
    if len(pieces) > 3:
        return []
    found = []
    for k, (start, piece) in enumerate(pieces):
        if (len(piece) < 3 and piece not in {"US", "UK"}) or not piece[:1].isupper():
            continue
        country, demonym = find_country(piece), find_demonym(piece)
        kind = "demonym" if demonym else "country"
        if not demonym and (not country or _is_acronym_noise(piece)):
            based = k + 1 < len(pieces) and pieces[k + 1][1] in _COMPOUNDS
            if not based or piece.lower() in _COMMON or piece.isupper() or not context.gazetteer.knows(piece):
                continue
            kind = "name"
        mention = RawMention(start, start + len(piece), piece, context.sentence.index, i, i + 1, kind, literal=False)
        mention.weak = kind == "name" and len(piece) < 4
        found.append(mention)
    return found


_PLANTS = (
    "nuclear power plant",
    "nuclear power station",
    "nuclear plant",
    "power plant",
    "power station",
    "dam",
    "plant",
)


def _match_capital(context: _Context, i: int) -> RawMention | None:
    """Read "the Somali capital": the place is named by what it is."""
    tokens = context.sentence.tokens
    if i + 1 >= len(tokens) or tokens[i + 1].lower != "capital":
        return None
    countries = find_demonym(_strip(tokens[i].text)) or (
        find_country(_strip(tokens[i].text)) if tokens[i].text.endswith("'s") else ()
    )
    if not countries or countries[0].capital is None:
        return None
    after = tokens[i + 2] if i + 2 < len(tokens) else None
    if after is not None and (
        (after.text == "," and i + 3 < len(tokens) and tokens[i + 3].is_capitalised) or after.is_capitalised
    ):
        return None  # the name follows
    start, end = tokens[i].start, tokens[i + 1].end
    mention = RawMention(start, end, countries[0].capital, context.sentence.index, i, i + 2, "name", hint="settlement")
    mention.prefix = _find_prefix(tokens, i)
    mention.locative = mention.prefix in _LOCATIVE
    mention.notes.append(f"capital: {countries[0].iso2}")
    return mention


def _find_prefix(tokens: tuple[Token, ...], i: int) -> str:
    prefix = tokens[i - 1].lower if i else ""
    return tokens[i - 2].lower if prefix == "the" and i > 1 else prefix


def _match_at(context: _Context, i: int) -> RawMention | None:
    """Match the longest known name at token `i`."""
    tokens = context.sentence.tokens
    limit = min(len(tokens), i + 6)
    for j in range(limit, i, -1):
        last = tokens[j - 1]
        if not _is_namelike(last) and not (j - i > 1 and last.text.isdigit()):
            continue
        if not _is_joined(tokens, i, j):
            continue
        name = _strip(
            context.sentence.text[tokens[i].start - context.sentence.start : last.end - context.sentence.start]
        )
        mention = _accept(context, i, j, name)
        if mention is not None:
            return _extend_site(context, mention, name)
        if (
            j - i > 1
            and tokens[i].lower not in _FUNCTION
            and not _is_break(tokens[i])
            and context.gazetteer.knows(name)
        ):
            return None  # no part of a known name stands alone: Kansas in "Kansas City International"
    return None


def _extend_site(context: _Context, mention: RawMention, name: str) -> RawMention:
    """Take in lower-case words where the index knows the site: "Zaporizhzhia nuclear power plant"."""
    follow = context.sentence.text[mention.end - context.sentence.start :][:30]
    for words in _PLANTS:
        if follow.startswith(f" {words}") and context.gazetteer.knows(f"{name} {words}"):
            mention.text = f"{name} {words}"
            mention.end += len(words) + 1
            while (
                mention.last < len(context.sentence.tokens) and context.sentence.tokens[mention.last].end <= mention.end
            ):
                mention.last += 1
            mention.notes[:] = [n for n in mention.notes if not n.startswith(("site", "organisation"))]
            break
    return mention


def _is_joined(tokens: tuple[Token, ...], i: int, j: int) -> bool:
    """Tell whether tokens i..j can be one name: capitalised words and small connectors side by side."""
    for k in range(i, j - 1):
        token, nxt = tokens[k], tokens[k + 1]
        gap = nxt.start - token.end
        if gap > 1 or (token.text.endswith("'s") and token.lower != "people's"):
            return False
        if k > i and not _is_namelike(token) and token.lower not in _CONNECTORS and token.text not in {".", "'", "-"}:
            return False
        if token.text == "." and k == i:
            return False
    return all(t.text not in {",", ";", ":", "(", ")", '"'} for t in tokens[i:j])


# No cue reaches further; a bound keeps long sentences linear.
_REACH = 140


def _get_sides(sentence: Sentence, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and after a span, as far as cues reach."""
    text, first, last = sentence.text, start - sentence.start, end - sentence.start
    return text[max(0, first - _REACH) : first], text[last : last + _REACH]


def _accept(context: _Context, i: int, j: int, name: str) -> RawMention | None:  # noqa: PLR0911 - independent rules, one after the other
    tokens = context.sentence.tokens
    sentence = context.sentence
    start = tokens[i].start
    end = tokens[j - 1].end - (2 if tokens[j - 1].text.endswith(("'s", "'S")) else 0)
    lower = name.lower()
    if tokens[j - 1].end < sentence.end and sentence.text[tokens[j - 1].end - sentence.start] == "$":
        return None  # US$10
    if lower in _MONTHS_DAYS or (j - i == 1 and (lower in _FUNCTION or lower in _ORGANISATIONS or lower in _GENERIC)):
        return None
    if _CONTRACTION.search(lower) is not None:
        return None
    opening = tokens[i].lower
    if (
        j - i > 1
        and i == 0
        and opening in _FUNCTION
        and (opening != "the" or all(t.lower in _COMMON for t in tokens[1:j]))
    ):
        return None  # "At 41", "An Alexandria man", "The City"
    before, after = _get_sides(sentence, start, end)
    in_dateline = end <= context.dateline
    prefix = tokens[i - 1].lower if i else ""
    if prefix == "the" and i > 1:
        prefix = tokens[i - 2].lower
    mention = RawMention(start, end, name, sentence.index, i, j, "name", prefix=prefix, dateline=in_dateline)
    mention.locative = (
        prefix in _STRONG_LOCATIVE
        or (prefix in _LOCATIVE)
        or prefix in _ACTION
        or _CITY_BEFORE.search(before) is not None
    )
    country = find_country(name)
    if country and (find_demonym(name) or _is_town_rather(context, name, country[0].name)):
        country = ()
    if country and not _is_acronym_noise(name) and lower != "emirates":
        mention.kind = "country"
    elif j - i <= 2 and find_demonym(name):
        mention.kind = "demonym"
        mention.literal = False
        # "Lebanese" after "in" is no place; a demonym that is also a place name is the demonym.
        return mention
    elif lower == "emirates" and (i == 0 or tokens[i - 1].lower != "the"):
        return None  # the airline
    elif not context.gazetteer.knows(name) or _is_vetoed(context, mention, i, j):
        return None
    if _is_inside_longer_name(context, i, j, mention):
        return None
    _read_cues(mention, before, after, tokens, i)
    _read_evidence(context, mention)
    if mention.kind == "vetoed":
        return None
    return mention


def _is_town_rather(context: _Context, name: str, country: str) -> bool:
    """Tell whether a name that is a country's only in some other language is a town's own name here: "Bara"."""
    if fold(name) == fold(country) or len(name.split()) > 1:
        return False
    return (
        any(
            c.place.kind == "settlement" and c.match_kind == "primary" and c.place.population > 5_000
            for c in context.gazetteer.find(name)
        )
        and name not in _ENGLISH_COUNTRIES
    )


_ENGLISH_COUNTRIES = frozenset(
    "Congo Georgia Jordan Lebanon Chad Mali Niger Turkey Palestine Britain England Scotland Wales Holland Burma America Persia Ivory Korea "
    "Macedonia Micronesia Samoa Guinea Cuba Panama Luxembourg Monaco Singapore Djibouti Kuwait Guatemala Mexico Brazil Peru".split()
)


def _is_acronym_noise(name: str) -> bool:
    """Short upper-case words are countries only where they are usual names of one."""
    bare = name.replace(".", "")
    return len(bare) <= 3 and name.isupper() and bare not in {"US", "UK", "USA", "UAE", "DRC", "CAR", "DR", "EU"}


def _is_vetoed(context: _Context, mention: RawMention, i: int, j: int) -> bool:  # noqa: PLR0911 - independent rules, one after the other
    tokens = context.sentence.tokens
    name = mention.text
    lower = name.lower()
    if j - i == 1:
        if len(name) <= 2 and name.isascii():
            return True
        if name.isupper() and len(name) <= 5 and name.isascii() and not mention.dateline and not context.shouting:
            return True  # an acronym
        if lower in _TITLES or lower in _FUNCTION:
            return True
        if (
            j < len(tokens)
            and tokens[j].lower == "of"
            and (_SITE_AFTER.fullmatch(lower) or _ORG_AFTER.fullmatch(lower))
        ):
            return True  # "the University of"
        if (
            lower in _COMMON
            and not _is_told_place(context, mention, i)
            and not (mention.prefix in _STRONG_LOCATIVE and (i > 1 or mention.dateline))
            and not mention.dateline
            and not _is_apposed(tokens, i)
        ):
            return True
        if context.shouting and lower in _COMMON:
            return True
        previous = tokens[i - 1] if i else None
        if (
            previous is not None
            and previous.lower.rstrip(".") in _TITLES
            and previous.end + 1 >= mention.start
            and not mention.locative
        ):
            return True
        if lower in _FIRST_NAMES and not mention.locative and not mention.dateline:
            following = tokens[j] if j < len(tokens) else None
            named = following is not None and following.is_capitalised and not _is_break(following)
            if named or not _is_area(context, name):
                return True  # but "Alberta Premier", "Virginia troops"
        if name in context.persons and not (mention.prefix in _STRONG_LOCATIVE or mention.dateline):
            return True
    elif all(t.lower in _COMMON or t.lower in _FUNCTION for t in tokens[i:j]) and not mention.locative and i == 0:
        return True
    return False


def _is_apposed(tokens: tuple[Token, ...], i: int) -> bool:
    """Tell whether the name explains a town just told: "its second city, Tolme, ..."."""
    return (
        i > 1
        and tokens[i - 1].text == ","
        and tokens[i - 2].lower in {"city", "town", "village", "capital", "port", "settlement"}
    )


def _is_told_place(context: _Context, mention: RawMention, i: int) -> bool:
    """Tell whether a common word is a town's name: the model says so within a sentence, or its state follows."""
    tokens = context.sentence.tokens
    if i > 0 and any(e.label == "GPE" and (e.start, e.end) == (mention.start, mention.end) for e in context.entities):
        return True
    if i + 2 >= len(tokens) or tokens[i + 1].text != "," or not tokens[i + 2].is_capitalised or i == 0:
        return False
    state = tokens[i + 2].text
    if i + 3 < len(tokens) and tokens[i + 3].is_capitalised:
        state = f"{state} {tokens[i + 3].text}"
    return _is_area(context, state)


def _is_break(token: Token) -> bool:
    """Tell whether a capitalised neighbour is no part of the name: a title, a cue, a day, a compass word."""
    lower = _strip(token.lower).rstrip(".")
    return (
        lower in _MONTHS_DAYS
        or lower in _FUNCTION
        or lower in _TITLES
        or _COMPASS.fullmatch(lower) is not None
        or _REGION_AFTER.fullmatch(lower) is not None
        or _DISTRICT_AFTER.fullmatch(lower) is not None
        or _AREA_AFTER.fullmatch(lower) is not None
        or bool(find_demonym(_strip(token.text)))
        or lower.endswith(
            ("-held", "-controlled", "-occupied", "-backed", "-led", "-run", "-majority", "-administered")
        )
        or lower in {"city", "town", "village", "local", "river", "county", "island", "islands", "capital", "police"}
    )


def _is_inside_longer_name(context: _Context, i: int, j: int, mention: RawMention) -> bool:
    """Tell whether the name is only part of a longer capitalised run that is not known as a whole.

    Countries, states and names of several words stand before other names ("Alberta Premier", "Tamil Nadu Police"). So
    may other names; these are doubtful, and kept where the model or the rest of the report knows them as places.
    """
    tokens = context.sentence.tokens
    if context.shouting:
        return False
    after = tokens[j] if j < len(tokens) else None
    possessive = tokens[j - 1].text.endswith(("'s", "'S"))
    marked = any(
        e.label in _PLACE_LABELS and e.start <= mention.start < e.end <= mention.end + 2 for e in context.entities
    )
    firm = mention.kind == "country" or marked or (j - i > 1 and _is_area(context, mention.text, 20_000))
    if (
        after is not None
        and not possessive
        and after.start - tokens[j - 1].end == 1
        and after.is_capitalised
        and after.is_word
    ):
        lower = _strip(after.lower)
        if lower in _PAPERS and (lower != "press" or mention.kind != "country"):
            return True
        if _SITE_AFTER.fullmatch(lower) is not None or _ORG_AFTER.fullmatch(lower) is not None:
            if _ORG_AFTER.fullmatch(lower) is not None:
                mention.literal = False
            mention.detail = context.sentence.text[
                tokens[i].start - context.sentence.start : after.end - context.sentence.start
            ]
        elif not _is_break(after) and not mention.dateline and not after.text.isupper():
            if not firm and not _is_area(context, mention.text):
                return True
            mention.literal = mention.literal and mention.prefix in _STRONG_LOCATIVE
    previous = tokens[i - 1] if i else None
    if previous is not None and previous.is_capitalised and previous.is_word and tokens[i].start - previous.end == 1:
        lower = _strip(previous.lower)
        if not (
            _is_break(previous)
            or previous.text.endswith("'s")
            or mention.dateline
            or bool(find_country(_strip(previous.text)))
            or lower in _COMMON
            or firm
        ):
            if i > 1 or lower in _FIRST_NAMES:
                if j - i == 1 and not previous.text.isupper():
                    context.partial[mention.text] += 1
                return True
            mention.weak = True  # "Historic Dublin": any word may open a sentence
    return False


_PAPERS = frozenset(
    "times post herald tribune gazette journal daily press chronicle observer guardian telegraph mirror ministry".split()
)
# Words that say what kind of place it is; some place of that very name is never meant.
_GENERIC = frozenset(
    "island islands united center central coast bay river lake lakes mountain mountains hills district county city state states town "
    "village beach lagoon peninsula avenue street road boulevard highway interstate building eastside westside northside southside".split()
)
_PLACE_LABELS = frozenset({"GPE", "LOC", "FAC"})


def _is_area(context: _Context, name: str, people: int = 10**9) -> bool:
    """Tell whether a name is that of a state, a province or something wider, or of a town of so many people."""
    found = context.gazetteer.find(name)[:8]
    return any(
        (
            c.place.kind in {"admin1", "macro_region", "country"}
            or c.place.population >= people
            or (c.place.kind == "admin2" and " " in name)
        )
        and c.match_kind in {"primary", "curated", "folded"}
        for c in found
    )


def _read_cues(  # noqa: C901, PLR0912 - independent rules, one after the other
    mention: RawMention, before: str, after: str, tokens: tuple[Token, ...], i: int
) -> None:
    follow = after.lstrip()
    if follow.startswith("'s"):
        follow = ""
    word = re.match(r"([A-Za-z-]+)(?:\s+([A-Za-z-]+))?", follow)
    nxt = word.group(1) if word and after[:1] == " " else ""
    if nxt and _REGION_AFTER.fullmatch(nxt):
        # "Lagos state governor" is a region too; "Kherson region's" as well. "X states that" is a verb.
        if not (nxt == "states" and word is not None and word.group(2) in {"that", "the"}):
            mention.hint = "region"
    elif nxt and _DISTRICT_AFTER.fullmatch(nxt):
        # "ten Kentucky counties" are in it, "Clay and Otter counties" are they
        if re.match(r"\s*(?:district|raion)\s+of\s+(?:the\s+)?(?:city|town|capital)\b", after, re.I):
            mention.notes.append("quarter")
        if not nxt.lower().endswith("s") or re.search(r"(?:,|\band|&)\s*$", before):
            mention.hint = "district"
    elif nxt.lower() == "local" and word is not None and (word.group(2) or "").lower() == "government":
        mention.hint = "district"
    elif nxt.lower() == "governor" or (nxt == "regional" and word is not None and word.group(2) == "governor"):
        mention.hint = "region"
        mention.notes.append("speaker")
    elif nxt.lower() in {"city", "town", "village"} and (word is None or (word.group(2) or "").lower() != "of"):
        mention.hint = "settlement"  # but "the Hunan city of Yueyang" lies in it
    elif nxt and _SITE_AFTER.fullmatch(nxt) and mention.detail is None and nxt[0].islower():
        mention.notes.append(f"site: {nxt}")
    elif nxt and _ORG_AFTER.fullmatch(nxt) and nxt[0].islower() and nxt not in _LOCAL_BODIES:
        mention.notes.append(f"organisation: {nxt}")
    if mention.hint is None and _REGION_BEFORE.search(before):
        mention.hint = "region" if not re.search(r"\bhead[s]?(?: of)? the\s*$", before, re.I) else None
        if re.search(r"\bgovernor of(?: the)?\s*$", before, re.I):
            mention.notes.append("speaker")
    elif mention.hint is None and (_CITY_BEFORE.search(before) or _VILLAGE_BEFORE.search(before)):
        mention.hint = "settlement"
    previous = tokens[i - 1] if i else None
    held = previous is not None and previous.lower.endswith(("-held", "-controlled", "-occupied", "-run"))
    if previous is not None and (
        held or (_COMPASS.fullmatch(previous.lower) and previous.lower not in {"far", "mid", "occupied"})
    ):
        if not held and not previous.lower.endswith("-held"):
            mention.compass = previous.lower
        prior = tokens[i - 2].lower if i > 1 else ""
        if prior == "the" and i > 2:
            prior = tokens[i - 3].lower
        if prior in _STRONG_LOCATIVE or prior in _LOCATIVE:
            mention.locative, mention.prefix = True, prior
    else:
        part = re.search(
            r"\b(?:in |to )?the (north|south|east|west|north-?east|north-?west|south-?east|south-?west|centre|center) of(?: the)?\s*$",
            before,
            re.I,
        )
        if part and not re.search(r"(?:kilomet|miles?|km)\w*\s+(?:to )?the \S+ of\s*$", before, re.I):
            mention.compass = part.group(1).lower()
            mention.locative, mention.prefix = True, "in"


def _read_evidence(context: _Context, mention: RawMention) -> None:
    """Weigh what the model says, and whether the name stands for a government."""
    sentence = context.sentence
    after = sentence.text[mention.end - sentence.start :]
    strong = mention.prefix in _STRONG_LOCATIVE or mention.hint is not None
    for entity in context.entities:
        if entity.label in _PLACE_LABELS and entity.start <= mention.start < entity.end <= mention.end + 2:
            mention.marked = True
        if entity.start <= mention.start and entity.end >= mention.end:
            longer = entity.end - entity.start > mention.end - mention.start + 4
            if entity.label == "PERSON" and longer and not strong and mention.kind != "country":
                mention.kind = "vetoed"
            elif entity.label in {"ORG", "WORK_OF_ART", "PRODUCT", "EVENT", "LAW"} and longer and not strong:
                mention.literal = False
            elif entity.label == "PERSON" and not strong and not mention.locative and mention.kind == "name":
                mention.weak = not _is_foreign_town(context, mention.text)
    if mention.kind in {"country", "name"} and not strong and mention.prefix not in _LOCATIVE and _SAYING.match(after):
        mention.literal = False
    if any(note.startswith("organisation") for note in mention.notes) and not strong:
        mention.literal = False


def _is_foreign_town(context: _Context, name: str) -> bool:
    """Tell whether a name is first of all a town where English is not spoken: the model takes such for persons."""
    if name in context.persons:
        return False
    towns = [
        c.place
        for c in context.gazetteer.find(name)[:12]
        if c.place.kind == "settlement" and c.match_kind in {"primary", "curated", "folded"}
    ]
    top = max(towns, key=lambda p: p.population, default=None)
    return top is not None and top.population >= 20_000 and top.country not in _ENGLISH_SPEAKING


_ENGLISH_SPEAKING = frozenset("US GB CA AU NZ IE ZA PH JM SG HK".split())


def _skip_unknown(context: _Context, i: int, found: list[RawMention]) -> int:
    """Step over an unknown capitalised run; take it as an unlisted place where the words around it say so."""
    tokens = context.sentence.tokens
    j = i + 1
    while j < len(tokens) and tokens[j].start - tokens[j - 1].end <= 1 and not tokens[j - 1].text.endswith("'s"):
        if _is_namelike(tokens[j]) and not (tokens[j].is_capitalised and _is_break(tokens[j])):
            j += 1
        elif (
            tokens[j].lower in _CONNECTORS - {"and", "of", "the", "on", "at", "as"}
            and j + 1 < len(tokens)
            and _is_namelike(tokens[j + 1])
        ):
            j += 2
        else:
            break
    mention = _read_unlisted(context, i, j)
    if mention is not None:
        found.append(mention)
        return j
    if j - i == 2 and i > 0 and not tokens[i].text.isupper() and not _is_break(tokens[i]):
        context.partial[_strip(tokens[j - 1].text)] += 1
    # A name inside the run that is known and stands after a break ("Governor of Kherson") is found on its own turn.
    return (
        i + 1 if j == i + 1 or _is_break(tokens[i]) or tokens[i].lower in _COMMON or tokens[i].lower in _FUNCTION else j
    )


def _read_unlisted(context: _Context, i: int, j: int) -> RawMention | None:  # noqa: C901, PLR0911, PLR0912 - independent rules, one after the other
    tokens = context.sentence.tokens
    sentence = context.sentence
    while i < j and (_is_break(tokens[i]) or tokens[i].lower in _FUNCTION):
        if tokens[i].lower.rstrip(".") in _TITLES:
            return None
        i += 1
    if 0 < i < j and tokens[i - 1].lower.rstrip(".") in _TITLES:
        return None
    if i >= j or context.shouting:
        return None
    start, end = tokens[i].start, tokens[j - 1].end - (2 if tokens[j - 1].text.endswith("'s") else 0)
    name = sentence.text[start - sentence.start : end - sentence.start]
    lower = name.lower()
    words = lower.split()
    if (
        lower in _ORGANISATIONS
        or words[0] in _ORGANISATIONS
        or lower in _MONTHS_DAYS
        or len(name) < 3
        or any(c.isdigit() for c in name)
    ):
        return None
    if name.isupper() and len(name) <= 6:
        return None
    if any(_SITE_AFTER.fullmatch(w) or _ORG_AFTER.fullmatch(w) for w in words) or find_demonym(name):
        return None
    before, after = _get_sides(sentence, start, end)
    nxt = re.match(r"\s+([A-Za-z-]+)", after)
    if nxt and (_SITE_AFTER.fullmatch(nxt.group(1)) or _ORG_AFTER.fullmatch(nxt.group(1))):
        return None
    prefix = tokens[i - 1].lower if i else ""
    cue_after = _VILLAGE_AFTER.match(after) if after[:1] in {",", " "} else None
    if (
        cue_after is not None
        and not after.lstrip().startswith(",")
        and nxt
        and nxt.group(1).lower() not in {"village", "town", "city", "settlement"}
    ):
        cue_after = None
    area = nxt.group(1) if nxt else ""
    if area[:1].isupper() and (
        area.lower().startswith("department") or re.match(r"\s+[A-Za-z-]+\s+(?:of|for)\b", after)
    ):
        area = ""  # the Transportation Department; "Commanding District of Colorado"
    region = bool(area) and (_REGION_AFTER.fullmatch(area) is not None or _DISTRICT_AFTER.fullmatch(area) is not None)
    cue_before = _VILLAGE_BEFORE.search(before)
    if cue_before is not None and cue_before.start() > 0 and cue_before.group()[0].isupper():
        cue_before = None  # "Kansas City International": the word belongs to the name before
    strong = cue_before is not None or cue_after is not None or region or area == "area"
    listed = prefix in {"and", ","} and _continues_list(context, i)
    if not (strong or prefix in {"in", "near", "at", "outside", "around", "between"} or listed):
        return None
    if not strong and all(w in _COMMON or w in _FIRST_NAMES for w in words):
        return None
    label = next((e.label for e in context.entities if e.start <= start and e.end >= end), "")
    if not strong and label in {"DATE", "TIME", "LANGUAGE", "EVENT", "WORK_OF_ART", "LAW"}:
        return None
    if not strong and prefix == "at" and label in {"ORG", "PERSON"}:
        return None
    if not strong and listed and label == "PERSON" and len(words) > 1:
        return None
    if not strong and (name in context.persons or (words[0] in _FIRST_NAMES and len(words) > 1)):
        return None
    kind = "name" if strong and context.gazetteer.knows(name) else "unlisted"
    mention = RawMention(start, end, name, sentence.index, i, j, kind, locative=True, prefix=prefix)
    _read_cues(mention, before, after, tokens, i)
    if mention.hint is None and strong:
        mention.hint = "settlement"
    mention.weak = not strong
    return mention


def _continues_list(context: _Context, i: int) -> bool:
    """Tell whether the word before "and"/"," is a name after "in": "in Arven, Harlo and Rivne"."""
    tokens = context.sentence.tokens
    k = i - 1
    while k > 0 and (tokens[k].text == "," or tokens[k].lower == "and" or _is_namelike(tokens[k])):
        k -= 1
    return tokens[k].lower in {"in", "near", "at", "around", "outside", "between"}


def _settle_names(mentions: list[RawMention], partial: Mapping[str, int], gazetteer: Gazetteer) -> None:
    """Decide once per name.

    Weak mentions of a name that is elsewhere surely a place are places, others are dropped. A name that is also the
    last part of an unknown longer one ("Trey Welch") is a person's, unless words around it or the model call it a place.
    """
    sure = {m.text for m in mentions if (m.locative or m.hint or m.dateline) and not m.weak}
    called = {m.text for m in mentions if _is_called_place(m)}
    large: dict[str, bool] = {}

    def keep(mention: RawMention) -> bool:
        text = mention.text
        if mention.kind != "name":
            return not mention.weak or text in sure or mention.kind == "unlisted"
        if mention.weak and text not in sure:
            return False
        if not partial.get(text) or _is_called_place(mention):
            return True
        if text not in large:
            large[text] = any(c.place.population >= 100_000 for c in gazetteer.find(text)[:8])
        return text in called and large[text]

    mentions[:] = [m for m in mentions if keep(m)]


def _is_called_place(mention: RawMention) -> bool:
    return bool(
        mention.prefix in _STRONG_LOCATIVE or mention.hint or mention.dateline or mention.detail or mention.marked
    )


def _find_again(
    mentions: list[RawMention], sentences: Sequence[Sentence], entities: Sequence[Entity]
) -> list[RawMention]:
    """Find the other mentions of unlisted places: "Arven and Harlo are in ..." after "in Arven"."""
    others = {e.text for e in entities if e.label in {"ORG", "PERSON", "NORP", "PRODUCT", "WORK_OF_ART"}}
    names = {m.text for m in mentions if m.kind == "unlisted" and not (m.weak and (m.text in others or " " in m.text))}
    if not names or len(names) > 200:
        return mentions
    pattern = re.compile(
        r"(?<![\w'-])(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")(?![\w-])"
    )
    ends = [m.end for m in mentions]
    found = list(mentions)
    for sentence in sentences:
        for match in pattern.finditer(sentence.text):
            start, end = sentence.start + match.start(), sentence.start + match.end()
            after = bisect_right(ends, start)
            if after < len(mentions) and mentions[after].start < end:
                continue
            first, last = sentence.token_at(start), sentence.token_at(end - 1) + 1
            mention = RawMention(start, end, match.group(), sentence.index, first, last, "unlisted")
            mention.prefix = _find_prefix(sentence.tokens, first)
            mention.locative = mention.prefix in _LOCATIVE
            found.append(mention)
    return sorted(found, key=lambda m: m.start)


def _spread_plural_cues(mentions: list[RawMention], sentences: Sequence[Sentence]) -> None:
    """Give "the Mykolaiv and Kherson regions" its cue twice, and "the cities of A and B" too."""
    for k in range(len(mentions) - 1, 0, -1):
        mention, previous = mentions[k], mentions[k - 1]
        if mention.sentence != previous.sentence:
            continue
        sentence = sentences[mention.sentence]
        between = sentence.text[previous.end - sentence.start : mention.start - sentence.start]
        if not re.fullmatch(r"\s*(?:,|and|or|, and|&)\s*(?:the\s+)?", between):
            continue
        after = sentence.text[mention.end - sentence.start :].lstrip()[:14].lower()
        if mention.hint in {"region", "district"} and re.match(
            r"(?:regions|oblasts|provinces|states|governorates|departments|districts|counties|raions|territories)\b",
            after,
        ):
            previous.hint = previous.hint or mention.hint
        # The spread goes on leftwards because the loop runs from the end.
        if (
            mention.hint == "region"
            and previous.hint is None
            and previous.kind == "name"
            and mentions[k].notes == ["spread"]
        ):
            previous.hint = "region"
        if previous.locative and not mention.locative:
            mention.locative, mention.prefix = True, previous.prefix
    for k in range(1, len(mentions)):
        mention, previous = mentions[k], mentions[k - 1]
        if mention.sentence == previous.sentence and not mention.locative and previous.locative:
            sentence = sentences[mention.sentence]
            between = sentence.text[previous.end - sentence.start : mention.start - sentence.start]
            if re.fullmatch(r"\s*(?:,|and|or|, and|&)\s*(?:the\s+)?", between):
                mention.locative, mention.prefix = True, previous.prefix


_CONTAINER_GAP = re.compile(
    r"^(?:\s+(?:village|town|city|district|region|province|settlement|area|oblast|state|governorate|territory|county|municipality|community|township))?"
    r"\s*(?:,|\(|of|in|'s)?\s*"
    r"(?:(?:(?:an?|the|another|one of|in|of|for|part|lies|is|city|town|village|villages|settlement|district|small|big|"
    r"largest|second|second-largest|second-biggest|biggest|main|port|coal-mining|mining|industrial|eastern|western|northern|southern|central|"
    r"north-?eastern|south-?eastern|north-?western|south-?western|restive|border|capital|strategic|key|front-?line|rural|remote|country's|south|north|east|west|"
    r"region|province|state|area|community|township|township's|neighbourhood|suburb|outskirts|are|both|located|territory|occupied|"
    r"rebel-held|war-torn|ancient|historic|holy|coastal|nearby|northeast|northwest|southeast|southwest|under|administrative)\s+|,\s*)){0,9}$",
    re.I,
)


def _find_containers(mentions: list[RawMention], sentences: Sequence[Sentence]) -> None:
    """Tie a name to the area that follows it: "Arven, a town of Tolme State in the north of X"."""
    for k, mention in enumerate(mentions):
        if mention.kind in {"demonym", "country"}:
            continue
        sentence = sentences[mention.sentence]
        for step in (1, 2, 3):
            if k + step >= len(mentions) or mentions[k + step].sentence != mention.sentence:
                break
            other = mentions[k + step]
            between = sentence.text[mention.end - sentence.start : other.start - sentence.start]
            if len(between) > 110:
                break
            if not _CONTAINER_GAP.match(between):
                continue
            if (
                re.fullmatch(r"\s*,\s*", between)
                and other.hint is None
                and other.kind == "name"
                and _is_listed(sentence, mention, other)
            ):
                continue
            mention.container = k + step
            break
        if mention.container is None and k > 0 and mentions[k - 1].sentence == mention.sentence:
            before = mentions[k - 1]
            between = sentence.text[before.end - sentence.start : mention.start - sentence.start]
            if re.fullmatch(
                r"'s\s+(?:[\w-]+ern\s+|[\w-]+-held\s+)?(?:(?:city|town|village|port|port city|capital|district)(?: of)?\s+)?",
                between,
                re.I,
            ):
                mention.container = k - 1
                if not mention.locative:
                    mention.locative, mention.prefix = before.locative, before.prefix
                if not mention.locative:
                    mention.locative, mention.prefix = before.locative, before.prefix


def _spread_containers(mentions: list[RawMention], sentences: Sequence[Sentence]) -> None:
    """Give every mention of a name the area that any mention of it is tied to; "A and B are in Z" ties both."""
    for k in range(len(mentions) - 1):
        first, second = mentions[k], mentions[k + 1]
        if (
            first.sentence == second.sentence
            and first.container is None
            and second.container is not None
            and second.container > k + 1
        ):
            sentence = sentences[first.sentence]
            between = sentence.text[first.end - sentence.start : second.start - sentence.start]
            tail = sentence.text[second.end - sentence.start :][:24]
            if re.fullmatch(r"\s*(?:,|and|, and)\s*", between) and re.match(
                r"\s*(?:are|both|lie|,? (?:two|three) (?:villages|towns))\b", tail
            ):
                first.container = second.container
    known: dict[str, int] = {}
    for mention in mentions:
        if mention.container is not None and mention.kind != "country":
            known.setdefault(mention.text, mention.container)
    for k, mention in enumerate(mentions):
        if mention.container is None and mention.text in known and known[mention.text] != k:
            mention.container = known[mention.text]


def _is_listed(sentence: Sentence, mention: RawMention, other: RawMention) -> bool:
    """Tell whether "A, B" is a list of equals ("A, B and C") rather than a place and its area."""
    tail = sentence.text[other.end - sentence.start :][:40]
    head = sentence.text[: mention.start - sentence.start]
    return re.match(r"\s*(?:,\s*[A-Z]|,?\s+and\s)", tail) is not None or re.search(r",\s*$", head) is not None


def get_sites(place: Place | None) -> bool:
    """Tell whether a place is a single site rather than a settlement."""
    return place is not None and place.kind == "site"
