"""How sure a reading is: a small logistic model over what was and was not stated.

The weights are fitted on labelled articles; `docs/quality.md` has the reliability table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from incidents.reading.assemble import Draft
from incidents.reading.figures import Range

__all__ = ["FEATURES", "estimate_confidence", "get_features"]

FEATURES: tuple[str, ...] = (
    "bias",
    "place_known",
    "place_strong",
    "place_ambiguous",
    "place_coarse",
    "place_unlisted",
    "type_stated",
    "type_strong",
    "date_stated",
    "has_killed",
    "has_injured",
    "many_units",
    "disputed",
    "background",
    "late",
)
_WEIGHTS: Mapping[str, float] = {
    "bias": -0.9,
    "place_known": 0.5,
    "place_strong": 0.6,
    "place_ambiguous": -0.6,
    "place_coarse": -0.3,
    "place_unlisted": 0.2,
    "type_stated": 0.5,
    "type_strong": 0.4,
    "date_stated": 0.5,
    "has_killed": 0.5,
    "has_injured": 0.3,
    "many_units": 0.3,
    "disputed": -0.2,
    "background": -0.6,
    "late": -0.4,
}


def get_features(draft: Draft, ranges: Mapping[str, Range]) -> dict[str, float]:
    """Return the features of one event, by name."""
    located = draft.located
    place = located.place if located else None
    return {
        "bias": 1.0,
        "place_known": float(place is not None),
        "place_strong": float(draft.place is not None and draft.place.score >= 3.0),
        "place_ambiguous": float(located is not None and located.resolution.ambiguous),
        "place_coarse": float(located is not None and located.rank <= 1),
        "place_unlisted": float(located is not None and located.raw.kind == "unlisted"),
        "type_stated": float(not draft.inherited_type),
        "type_strong": float(draft.votes.get(draft.type, 0) >= 3),
        "date_stated": float(draft.when is not None and draft.precision == "day"),
        "has_killed": float(ranges["killed"].minimum is not None or ranges["killed"].maximum is not None),
        "has_injured": float(ranges["injured"].minimum is not None),
        "many_units": float(len(draft.units) > 1),
        "disputed": float(any(r.disputed for r in ranges.values())),
        "background": float(not draft.current),
        "late": float(bool(draft.units) and draft.units[0].sentence.index > 5),
    }


def estimate_confidence(draft: Draft, ranges: Mapping[str, Range]) -> float:
    """Return the chance, 0 to 1, that an event is an incident told by the text with the right place and type."""
    features = get_features(draft, ranges)
    total = sum(_WEIGHTS[name] * value for name, value in features.items())
    return round(1 / (1 + math.exp(-total)), 3)
