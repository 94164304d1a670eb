"""Which column of a table is which field: the contract's own names, then the names that people use.

A field is a column of the contract (`incidents.schema.COLUMNS`) or one of `EXTRA_FIELDS`, whose cells become
several columns (``killed`` gives killed_min and killed_max).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incidents.errors import SourceFormatError
from incidents.schema import COLUMNS

__all__ = ["EXTRA_FIELDS", "RANGE_FIELDS", "ColumnMap", "map_columns", "normalise_header"]

RANGE_FIELDS: tuple[str, ...] = (
    "killed",
    "injured",
    "missing",
    "civilians_killed",
    "children_killed",
    "combatants_killed",
)
"""Fields whose cells hold a count or a range: written to ``…_min`` and ``…_max``."""

EXTRA_FIELDS: tuple[str, ...] = (
    *RANGE_FIELDS,
    "abducted",
    "displaced",
    "arrested",
    "latitude",
    "longitude",
    "coordinates",
    "date",
    "text",
    "row_id",
    "url",
    "publisher",
    "published",
    "language",
    "type_detail",
)

_NAMES: dict[str, tuple[str, ...]] = {
    "row_id": ("id", "event_id", "incident_number", "number", "no", "nr", "ref", "reference", "s", "uid", "uuid"),
    "title": ("headline", "name", "event", "event_name", "case", "incident"),
    "text": ("article", "article_text", "body", "content", "full_text", "story"),
    "evidence": (
        "description",
        "summary",
        "notes",
        "note",
        "details",
        "comment",
        "comments",
        "narrative",
        "опис",
        "описание",
    ),
    "type": (
        "event_type",
        "incident_type",
        "attack_type",
        "category",
        "kind",
        "type_of_event",
        "event_category",
        "тип",
    ),
    "type_detail": ("sub_event_type", "sub_type", "subtype", "means_of_attack", "weapon_type", "attack_method"),
    "date": (
        "event_date",
        "incident_date",
        "date_of_event",
        "date_of_incident",
        "when",
        "occurred",
        "occurred_on",
        "дата",
        "дата_події",
        "дата_события",
    ),
    "date_start": ("start_date", "date_from", "from_date"),
    "date_end": ("end_date", "date_to", "to_date"),
    "place_name": (
        "place",
        "location_name",
        "settlement",
        "city",
        "town",
        "village",
        "city_town",
        "city_village",
        "locality",
        "populated_place",
        "municipality",
        "населений_пункт",
        "населённый_пункт",
        "населенный_пункт",
        "місто",
        "город",
        "location",
        "where",
    ),
    "place_detail": ("site", "address", "venue", "landmark", "facility"),
    "country": ("country_name", "country_code", "iso", "iso2", "nation"),
    "admin1": (
        "admin_1",
        "adm1",
        "adm_1",
        "admin1_name",
        "adm1_name",
        "oblast",
        "province",
        "governorate",
        "state",
        "область",
        "region",
    ),
    "admin2": (
        "admin_2",
        "adm2",
        "adm_2",
        "admin2_name",
        "adm2_name",
        "district",
        "raion",
        "county",
        "район",
        "department",
    ),
    "latitude": ("lat", "y", "latitud", "lat_dd", "decimal_latitude", "gps_latitude", "lat_deg", "широта"),
    "longitude": (
        "lon",
        "lng",
        "long",
        "x",
        "longitud",
        "lon_dd",
        "decimal_longitude",
        "gps_longitude",
        "lon_deg",
        "довгота",
        "долгота",
    ),
    "coordinates": (
        "coordinate",
        "coords",
        "lat_lon",
        "latlon",
        "lat_long",
        "latlng",
        "gps",
        "geo",
        "point",
        "wkt",
        "estimated_coordinates",
        "location_coordinates",
        "geometry",
    ),
    "killed": (
        "fatalities",
        "deaths",
        "dead",
        "fatality",
        "killed_total",
        "total_killed",
        "deaths_total",
        "no_killed",
        "number_killed",
        "people_killed",
        "n_killed",
        "total_fatalities",
        "kills",
        "casualties_killed",
        "загинуло",
        "погибло",
        "убито",
        "best",
    ),
    "injured": (
        "wounded",
        "injuries",
        "total_wounded",
        "total_injured",
        "injured_total",
        "no_injured",
        "n_injured",
        "number_injured",
        "people_injured",
        "n_wounded",
        "casualties_injured",
        "поранено",
        "ранено",
    ),
    "missing": ("missing_people", "missing_persons"),
    "killed_min": ("min_killed", "killed_low", "fatalities_min", "deaths_min", "total_died_min", "low"),
    "killed_max": ("max_killed", "killed_high", "fatalities_max", "deaths_max", "total_died_max", "high"),
    "injured_min": ("min_injured", "wounded_min", "injured_low"),
    "injured_max": ("max_injured", "wounded_max", "injured_high"),
    "civilians_killed": ("civilian_deaths", "civilian_fatalities", "civilians_dead", "deaths_civilians"),
    "children_killed": ("child_deaths", "children_dead", "child_fatalities"),
    "combatants_killed": ("combatant_deaths", "soldiers_killed", "military_killed"),
    "displaced": ("displaced_people", "idps", "people_displaced"),
    "abducted": ("kidnapped", "hostages", "people_abducted"),
    "arrested": ("detained", "people_arrested"),
    "attributed_to": ("perpetrator", "actor", "actor1", "attacker", "responsible", "responsible_party", "actor_1"),
    "url": ("source_url", "link", "source_link", "article_url", "web", "href"),
    "publisher": ("source", "source_name", "outlet", "media", "newspaper", "sources"),
    "published": (
        "publication_date",
        "published_on",
        "date_published",
        "pub_date",
        "article_date",
        "pubdate",
        "published_date",
    ),
    "language": ("lang",),
}

_CONTRACT = frozenset(c.name for c in COLUMNS) - {"geometry"}
_BY_NAME: dict[str, tuple[str, int]] = {
    name: (field, rank) for field, names in _NAMES.items() for rank, name in enumerate(names, start=1)
} | {name: (name, 0) for name in (*_CONTRACT, *_NAMES)}
"""Name -> field, and how well the name says it: 0 is the field's own name."""

FIELDS = frozenset(_CONTRACT | set(EXTRA_FIELDS))

# A table about incidents says at least one of these; anything else is a spreadsheet about something else.
_TELLING = frozenset(
    {*RANGE_FIELDS, "latitude", "coordinates", "date", "date_start", "place_name", "type", "killed_min", "text"}
)


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Field -> position of its column.

    Attributes
    ----------
    positions : mapping
    headers : tuple of str
        The headers as shown, made unique ("Fatalities (2)").
    warnings : tuple of str
        Columns that name a field which another column already has.
    """

    positions: Mapping[str, int]
    headers: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def is_incident_table(self) -> bool:
        """Whether some telling column was found."""
        return any(f in _TELLING for f in self.positions)


def normalise_header(header: str) -> str:
    """Return a header in lower case, with one underscore for every run of other characters."""
    folded = unicodedata.normalize("NFKC", header).casefold()
    folded = re.sub(r"(?<=[a-z0-9])\s*[.#]$", "", folded.strip())
    return re.sub(r"[\W_]+", "_", folded).strip("_")


def map_columns(headers: Sequence[str], *, mapping: Mapping[str, str] | None = None, name: str = "table") -> ColumnMap:
    """Find the field of each column; the first column of a field wins, the others are kept as source values.

    Parameters
    ----------
    headers : sequence of str
        As in the file.
    mapping : mapping, optional
        Column -> field, from the person; it overrules the names. An empty field leaves the column out.
    name : str
        The table's name, for messages.

    Raises
    ------
    SourceFormatError
        `mapping` names a column that is not there, or a field that does not exist.
    """
    shown = _number_repeats([" ".join(h.split()) for h in headers])
    normal = [normalise_header(h) for h in headers]
    positions: dict[str, int] = {}
    taken: set[int] = set()
    for column, field in (mapping or {}).items():
        wanted = normalise_header(column)
        if wanted not in normal:
            raise SourceFormatError(f"{name}: there is no column {column!r}; the columns are {', '.join(shown[:40])}")
        target = field.strip()
        if target and target not in FIELDS:
            raise SourceFormatError(f"{name}: {target!r} is not a field; known are {', '.join(sorted(FIELDS))}")
        taken.add(normal.index(wanted))
        if target:
            positions[target] = normal.index(wanted)
    warnings: list[str] = []
    # Of several columns that could be a field, the one whose name says it best is taken: "admin1" before "region"
    found: dict[str, list[tuple[int, int]]] = {}
    for position, header in enumerate(normal):
        known = _BY_NAME.get(header)
        if known is not None and position not in taken:
            found.setdefault(known[0], []).append((known[1], position))
    for field, columns in found.items():
        ranked = [position for _, position in sorted(columns)]
        first = positions.setdefault(field, ranked[0])
        warnings.extend(
            f"{name}: columns {shown[first]!r} and {shown[other]!r} both look like {field}; the first is used"
            for other in ranked
            if other != first
        )
    return ColumnMap(positions, tuple(shown), tuple(warnings))


def _number_repeats(headers: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    out: list[str] = []
    for position, header in enumerate(headers, start=1):
        label = header or f"column {position}"
        seen[label] = seen.get(label, 0) + 1
        out.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return out
