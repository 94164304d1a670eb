"""Who says so, who is said to have done it, and who denies it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from incidents.reading.sentences import Sentence

__all__ = ["find_attribution", "find_claimant", "find_denials"]

_SAY = r"(?:said|says|told|reported|reports|announced|added|wrote|confirmed|stated|counted|put|claimed|estimated|found|noted|declared|according to)"
_WHO = r"(?:the |a |an |its |their |his |her )?(?:[\w'’.&-]+ ){0,7}?[\w'’.&-]+"
_AFTER = re.compile(
    rf"(?:^|[,;:\"] ?|\band )({_WHO}) (?:also |later |has |have |had )?(?:said|told|wrote|reported|announced|confirmed|stated|added|put|claimed|counted|noted|declared)\b",
    re.I,
)
_ACCORDING = re.compile(r"\baccording to ((?:the |a |an )?[^,.;\"]{3,70})", re.I)
_PRONOUN = re.compile(r"^(?:he|she|it|they|who|that|and|but|which|one)$", re.I)

_FORCE = (
    r"(?:forces|troops|army|military|soldiers|air ?strikes?|air raids?|strikes?|shelling|missiles?|drones?|rockets?|bombs?|bombing|jets?|war ?planes|artillery|"
    r"fire|attacks?|raids?|tanks?|navy|air force|helicopters?|mortars?|guided bombs?|shells?|paramilitar\w+|militia|rebels|separatists|coalition|police|security forces)"
)
_BY_FORCE = re.compile(
    rf"\b((?:the )?(?:[A-Z][\w-]+(?:i|ian|an|ese|ish|ish|iet|ch|ek|q|sh|ni|mar|ban|llah|mas|'s)\b|Taliban|Houthi|Hamas|Hezbollah|Wagner|Kurdish|Israel's|Russia's|government|junta|coalition|Saudi-led)(?: [\w-]+)? {_FORCE})\b"
)
_BY = re.compile(
    r"\b(?:by|blamed on|ascribed to|attributed to|blamed|accused|acting for|work of|carried out by) (?:the |suspected |members of |fighters (?:from|of) |supporters of )*"
    r"([A-Z][\w'-]*(?: (?:of|and|the|al|[A-Z][\w'-]*))*(?: \([A-Z]{2,6}\))?(?: (?:forces|troops|army|military|rebels|militants|fighters|gang|group))?|gunmen|rebels|militants|insurgents|separatists|jihadists|armed men|bandits)"
)
_CLAIMS = re.compile(
    r"([A-Z][\w'-]*(?: (?:of|and|the|[A-Z][\w'-]*)){0,5})(?: \([A-Z]{2,6}\))? (?:has |have |had )?(?:claimed responsibility|said (?:it|they) (?:was|were|had been) (?:responsible|behind)|claimed the attack|owned up)"
)
_DOES = re.compile(
    r"\b((?:the )?[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,4}(?: (?:rebels|militants|fighters|forces|troops|army|gang|men|gunmen|group))?) (?:\([A-Z]{2,6}\) )?"
    r"(?:have |has |had )?(?:killed|attacked|shelled|bombed|struck|hit|fired|stormed|abducted|kidnapped|executed|raided|launched|carried out|opened fire|seized|captured|shot)\b"
)
_DENY = re.compile(
    r"\b((?:the )?(?:[A-Z][\w'-]*|army|military|government|coalition|rebels|group|separatists|defen[cs]e ministry)(?: [A-Z][\w'-]*| of| the| ministry| army| forces| military| spokes\w+| in| also| have| has){0,6}),?(?: in turn,?| however,?)?"
    r" (?:denied|denies|deny|rejected|rejects|dismissed (?:the |that |as |it |reports|claims|accusations|allegations)|insisted (?:they|it) (?:weren't|were not|was not|wasn't)|said (?:it|they|its forces) (?:did not|do not|don't)|blamed)\b"
)
_NOT_ACTOR = re.compile(
    r"^(?:the )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"shelling|shells?|drones?|missiles?|rockets?|bombs?|bombing|blasts?|explosions?|fighting|clashes|artillery|mortars?|air|airstrikes?|strikes?|attacks?|raids?|gunfire|gunshots?|"
    r"telegram|twitter|facebook|police|mayor|governor|reuters|afp|he|she|it|they|nobody|no|one|two|three|people|witnesses|residents|officials|medics|at|on|in|when|after)\b",
    re.I,
)


def _tidy(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:\"'")
    return re.sub(r"^(?:the|a|an) ", "", text, flags=re.I)


def find_claimant(sentence: Sentence, offset: int) -> tuple[str, int, int] | None:
    """Find who is said to say what stands at `offset`.

    Returns
    -------
    (words, start, end) or None
        The span is in the clean text.
    """
    speakers = sentence.memo.get("speakers")
    if speakers is None:
        speakers = sentence.memo["speakers"] = _find_speakers(sentence)
    return min(speakers, key=lambda found: abs(found[1] - offset), default=None)


def _find_speakers(sentence: Sentence) -> list[tuple[str, int, int]]:
    found = []
    for pattern in (_AFTER, _ACCORDING):
        for match in pattern.finditer(sentence.text):
            who = match.group(1).strip()
            if _PRONOUN.match(who) or len(who) < 3 or re.search(r"\d{2}", who):
                continue
            at = sentence.start + match.start(1)
            found.append((_tidy(who), at, at + len(match.group(1))))
    return found


_WEAPON_END = re.compile(
    r"(?:strikes?|raids?|missiles?|drones?|rockets?|bombs?|bombing|shells?|shelling|fire|attacks?|artillery|mortars?|war ?planes|jets?|helicopters?|tanks?)$",
    re.I,
)
_ACTS = re.compile(
    r"^(?:\s+\([A-Z]{2,6}\))?\s+(?:have |had |has |also |then |again )?(?:\w+ly )?(?:kill|shell|attack|str[iu][kc]|hit|fire|storm|bomb|launch|carr|open|shot|shoot|raid|"
    r"seiz|captur|abduct|execut|advanc|pound|target|dropp|enter|burn|loot|surround|ambush|massacr|kidnap|detain|arrest|said (?:it|they) (?:had|was|were))",
    re.I,
)


def _acts(text: str, match: re.Match[str]) -> bool:
    """Tell whether the force named does something here: "Iraqi soldiers" may as well be those attacked."""
    if _WEAPON_END.search(match.group(1)):
        return True
    return (
        _ACTS.match(text[match.end() :]) is not None or re.search(r"\bby (?:the )?$", text[: match.start()]) is not None
    )


def find_attribution(sentences: Sequence[Sentence]) -> list[tuple[str, int, int]]:
    """Find who is said to have done it; words with their spans, in order, without repeats."""
    found: dict[str, tuple[int, int]] = {}
    for sentence in sentences:
        for pattern in (_BY_FORCE, _BY, _CLAIMS, _DOES):
            for match in pattern.finditer(sentence.text):
                who = _tidy(match.group(1))
                if pattern is _BY_FORCE and not _acts(sentence.text, match):
                    continue
                if not who or _NOT_ACTOR.match(who) or len(who) > 60:
                    continue
                who = (
                    re.sub(rf"\s+(?:{_FORCE[3:-1]})$", "", who)
                    if re.search(
                        r"(?:strikes?|raids?|missiles?|drones?|rockets?|bombs?|shells?|fire|shelling|attacks?)$", who
                    )
                    else who
                )
                found.setdefault(who, (sentence.start + match.start(1), sentence.start + match.end(1)))
    return [(who, *span) for who, span in list(found.items())[:4]]


def find_denials(sentences: Sequence[Sentence]) -> list[tuple[str, int, int]]:
    """Find who denies having done it."""
    found: dict[str, tuple[int, int]] = {}
    for sentence in sentences:
        for match in _DENY.finditer(sentence.text):
            if "blamed" in match.group()[-8:] and not re.search(r"\bin turn\b|\balso blamed\b", sentence.text):
                continue
            who = _tidy(match.group(1))
            if who and not _NOT_ACTOR.match(who):
                found.setdefault(who, (sentence.start + match.start(1), sentence.start + match.end(1)))
    return [(who, *span) for who, span in list(found.items())[:4]]
