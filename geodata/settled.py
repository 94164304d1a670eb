"""Names whose place a person has settled: the choice goes before every rule, except what the text itself says.

A choice may be narrowed to a country or first-level area. It then holds where the rules put the name there, or nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from geodata.gazetteer import Gazetteer
from geodata.names import fold
from geodata.place import Candidate, Place, Resolution

__all__ = ["Settled", "SettledPlace", "apply_settled", "fits_words", "index_settled"]

_AREAS = frozenset({"country", "macro_region", "admin1", "admin2", "water"})
_KINDS_ASKED: Mapping[str, frozenset[str]] = {
    "country": frozenset({"country", "macro_region"}),
    "region": _AREAS,
    "district": frozenset({"admin2", "admin1"}),
    "settlement": frozenset({"settlement", "site"}),
}


@dataclass(frozen=True, slots=True)
class SettledPlace:
    """One choice: what a name means in a project.

    Attributes
    ----------
    name : str
        As it was written where it was settled.
    geonameid : int
        The place chosen.
    country, admin1 : str or None
        Where the choice holds: an ISO 3166-1 alpha-2 code, and a GeoNames code such as ``UA.05``. None: everywhere.
    label : str
        The place in words, for lists.
    who : str
    when : datetime or None
        With a zone.
    """

    name: str
    geonameid: int
    country: str | None = None
    admin1: str | None = None
    label: str = ""
    who: str = ""
    when: datetime | None = None

    @property
    def key(self) -> str:
        """The folded name, under which all spellings of it meet."""
        return fold(self.name)

    @property
    def reason(self) -> str:
        """Why the name means this place, in words."""
        day = f" on {self.when:%Y-%m-%d}" if self.when else ""
        return f"settled by {self.who or 'a person'}{day} for this project"

    def holds_for(self, place: Place | None) -> bool:
        """Tell whether the choice reaches a name that the rules take for `place` (None: for no place)."""
        if place is None:
            return True
        if self.admin1 is not None and place.admin1_code != self.admin1:
            return False
        return self.country is None or place.country == self.country


Settled = Mapping[str, tuple[SettledPlace, ...]]
"""Choices by folded name, the narrowest first."""


def index_settled(choices: Iterable[SettledPlace]) -> Settled:
    """Arrange choices by folded name, the narrowest first."""
    found: dict[str, list[SettledPlace]] = {}
    for choice in choices:
        found.setdefault(choice.key, []).append(choice)
    return {
        key: tuple(sorted(some, key=lambda c: (c.admin1 is None, c.country is None, c.country or "", c.admin1 or "")))
        for key, some in found.items()
    }


def fits_words(place: Place, kind_hint: str | None) -> bool:
    """Tell whether a place is of the kind that the words ask for: "Donetsk region" is never the town of Donetsk."""
    return kind_hint is None or place.kind in _KINDS_ASKED.get(kind_hint, _AREAS | {"settlement", "site"})


def apply_settled(
    found: Resolution, settled: Settled, *, gazetteer: Gazetteer, kind_hint: str | None = None
) -> Resolution | None:
    """Return the answer that was settled for a name, or None where no choice reaches it.

    Parameters
    ----------
    found : Resolution
        What the rules say of the name.
    settled : mapping
        See `index_settled`.
    gazetteer : Gazetteer
        A choice whose place it no longer holds says nothing.
    kind_hint : str, optional
        As in `geodata.resolve.resolve_name`: the choice must be of that kind.

    Returns
    -------
    Resolution or None
        Not ambiguous; the rules' other candidates stay behind the chosen one. Whether the text names a container
        that speaks against it, is the caller's to ask (`geodata.resolve.contradicts`).
    """
    ruled = found.best.place if found.best else None
    for choice in settled.get(fold(found.query), ()):
        place = gazetteer.get_place(choice.geonameid) if choice.holds_for(ruled) else None
        if place is None or not fits_words(place, kind_hint):
            continue
        candidate = Candidate(place, found.query, "user", 1.0, (choice.reason,))
        rest = tuple(replace(c, score=0.0) for c in found.candidates if c.place.geonameid != place.geonameid)
        where = ", ".join(dict.fromkeys(p for p in (place.name, place.admin1, place.country) if p))
        return Resolution(
            found.query, candidate, (candidate, *rest), ambiguous=False, reason=f"{where} ({choice.reason})."
        )
    return None
