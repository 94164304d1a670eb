"""How sure a reading is: a small logistic model over what was and was not stated.

The weights are fitted on labelled articles; `docs/quality.md` has the reliability table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from incidents.reading.draft import Draft
from incidents.reading.figures import Range

__all__ = ["FEATURES", "estimate_confidence", "get_features"]

_WEIGHTS: Mapping[str, float] = {
    "bias": -0.2,
    "place_known": 1.0,
    "place_ambiguous": -0.3,
    "place_coarse": 0.4,
    "place_unlisted": 0.4,
    "type_stated": 0.75,
    "date_stated": 0.9,
    "has_killed": 0.1,
    "has_injured": 0.6,
    "many_units": 1.3,
    "disputed": 0.1,
    "background": -0.55,
}
FEATURES: tuple[str, ...] = tuple(_WEIGHTS)


def get_features(draft: Draft, ranges: Mapping[str, Range]) -> dict[str, float]:
    """Return the features of one event, by name."""
    located = draft.located
    place = located.place if located else None
    return {
        "bias": 1.0,
        "place_known": float(place is not None),
        "place_ambiguous": float(located is not None and located.resolution.ambiguous),
        "place_coarse": float(located is not None and located.rank <= 1),
        "place_unlisted": float(located is not None and located.raw.kind == "unlisted"),
        "type_stated": float(not draft.inherited_type),
        "date_stated": float(draft.when is not None and draft.precision == "day"),
        "has_killed": float(ranges["killed"].minimum is not None or ranges["killed"].maximum is not None),
        "has_injured": float(ranges["injured"].minimum is not None),
        "many_units": float(len(draft.units) > 1),
        "disputed": float(any(r.disputed for r in ranges.values())),
        "background": float(not draft.current),
    }


def estimate_confidence(draft: Draft, ranges: Mapping[str, Range]) -> float:
    """Return the chance, 0 to 1, that an event is an incident told by the text with the right place and type."""
    features = get_features(draft, ranges)
    total = sum(_WEIGHTS[name] * value for name, value in features.items())
    return round(1 / (1 + math.exp(-total)), 3)
