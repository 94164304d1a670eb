"""The records of a place: where it is, how finely that is known, and why we think so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["COARSE_PRECISIONS", "PRECISIONS", "Candidate", "LocationPrecision", "Place", "Resolution"]


class LocationPrecision(StrEnum):
    """How finely a location is known, finest first."""

    EXACT = "exact"
    NEAR = "near"
    SETTLEMENT = "settlement"
    DISTRICT = "district"
    REGION = "region"
    MACRO_REGION = "macro_region"
    COUNTRY = "country"
    UNKNOWN = "unknown"


PRECISIONS: tuple[str, ...] = tuple(p.value for p in LocationPrecision)
"""The vocabulary of `location_precision`, finest first."""

COARSE_PRECISIONS: frozenset[str] = frozenset({"district", "region", "macro_region", "country"})
"""The precisions that are drawn as an area, never as a pin."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the index, or an area.

    Attributes
    ----------
    name : str
        The current name, as GeoNames gives it.
    kind : str
        ``settlement``, ``site``, ``admin2``, ``admin1``, ``macro_region`` or ``country``.
    lat, lon : float or None
        Degrees, WGS84. For areas, a point inside that stands for the area. None where the name
        is known but no point is.
    precision : str
        What a report that names only this place tells: a member of `PRECISIONS`.
    country : str or None
        ISO 3166-1 alpha-2.
    admin1, admin2 : str or None
        Current GeoNames names of the containing areas.
    admin1_code : str or None
        GeoNames code such as ``UA.05``.
    area_id : str or None
        The key of the polygon in `geodata.boundaries`: ``country:UA``, ``admin1:UA.05``,
        ``macro:donbas``. None for places without an area of their own.
    geonameid : int or None
        GeoNames id.
    population : int
        0 where unknown.
    feature_code : str or None
        GeoNames feature code (``PPL``, ``ADM1``, ``RSTN``) where the source has it.
    source : str
        Where the entry comes from: ``geonames``, ``curated``, ``user``, ``natural_earth``, ``nominatim``.
    """

    name: str
    kind: str
    lat: float | None
    lon: float | None
    precision: str
    country: str | None = None
    admin1: str | None = None
    admin1_code: str | None = None
    admin2: str | None = None
    area_id: str | None = None
    geonameid: int | None = None
    population: int = 0
    feature_code: str | None = None
    source: str = "geonames"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a name, with its score and the reasons in words."""

    place: Place
    matched_name: str
    match_kind: str
    """``user``, ``curated``, ``primary``, ``alternate``, ``folded``, ``article`` or ``historic``."""
    score: float = 0.0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name in its context means.

    Attributes
    ----------
    query : str
        The name as asked.
    best : Candidate or None
        None when nothing is known or nothing is believable; `reason` then says why.
    candidates : tuple of Candidate
        All believable readings, best first; the second is the runner-up.
    ambiguous : bool
        True when the runner-up is too close for the choice to be made silently.
    reason : str
        One plain sentence.
    """

    query: str
    best: Candidate | None
    candidates: tuple[Candidate, ...]
    ambiguous: bool
    reason: str

    @property
    def runner_up(self) -> Candidate | None:
        """The second-best reading, or None."""
        return self.candidates[1] if len(self.candidates) > 1 else None
