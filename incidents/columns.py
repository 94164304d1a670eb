"""The columns of the contract: names, types, vocabularies and meanings.

`incidents.schema` holds what is done with them; import from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from geodata.place import PRECISIONS
from incidents.taxonomy import AFFECTED_KINDS, CERTAINTIES, TYPES

__all__ = [
    "CLAIM_COLUMNS",
    "COLUMNS",
    "COUNT_COLUMNS",
    "CRS",
    "DATE_PRECISIONS",
    "LIST_COLUMNS",
    "RANGES",
    "REVIEW_STATUSES",
    "SCHEMA_VERSION",
    "Column",
]

SCHEMA_VERSION = 1
CRS = "EPSG:4326"

DATE_PRECISIONS: tuple[str, ...] = ("day", "week", "month", "year", "unknown")
REVIEW_STATUSES: tuple[str, ...] = ("unreviewed", "confirmed", "edited", "rejected")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the contract.

    Attributes
    ----------
    name : str
    dtype : str
        ``str``, ``category``, ``ordered``, ``date``, ``Int64``, ``float``, ``bool``, ``list``, ``json``, ``datetime``
        or ``Point``.
    meaning : str
        One line for the documentation.
    nullable : bool
    allowed : tuple of str
        The vocabulary, finest or least first where ordered.
    unit : str
        Where there is one.
    """

    name: str
    dtype: str
    meaning: str
    nullable: bool = True
    allowed: tuple[str, ...] = ()
    unit: str = ""


def _count(name: str, meaning: str) -> Column:
    return Column(name, "Int64", meaning, unit="people")


COLUMNS: tuple[Column, ...] = (
    Column(
        "incident_id", "str", "Deterministic hash of what identifies the incident; never a row number", nullable=False
    ),
    Column("title", "str", "Plain text, one line", nullable=False),
    Column("type", "category", "Incident type", nullable=False, allowed=TYPES),
    Column(
        "type_certainty",
        "category",
        "Whether the type is stated, inferred, or the source cannot say more finely",
        nullable=False,
        allowed=CERTAINTIES,
    ),
    Column("date_start", "date", "First day, local calendar, inclusive"),
    Column("date_end", "date", "Last day, inclusive; equal to the first for one day"),
    Column("date_precision", "ordered", "How finely the date is known", nullable=False, allowed=DATE_PRECISIONS),
    Column("place_name", "str", "The place as the report wrote it"),
    Column("place_detail", "str", "Site or relation, such as a train station or 'near'"),
    Column("country", "str", "ISO 3166-1 alpha-2"),
    Column("admin1", "str", "First-level area, current GeoNames name"),
    Column("admin2", "str", "Second-level area, current GeoNames name"),
    Column("area_id", "str", "Polygon of a coarse place: country:UA, admin1:UA.05, macro:donbas"),
    Column("geonameid", "Int64", "GeoNames id"),
    Column(
        "geometry",
        "Point",
        "Finite point in range, or null; never (0, 0) as filler",
        unit="degrees, x = lon, y = lat, EPSG:4326",
    ),
    Column(
        "location_precision",
        "ordered",
        "How finely the location is known; unknown exactly where there is no point",
        nullable=False,
        allowed=PRECISIONS,
    ),
    Column("location_candidates", "Int64", "How many places bear the name", unit="places"),
    Column("location_runner_up", "str", "The second-best reading of the name"),
    Column("location_reason", "str", "Why this place was chosen, or why none was"),
    _count("killed_min", "Killed, lower end"),
    _count("killed_max", "Killed, upper end"),
    _count("injured_min", "Injured, lower end"),
    _count("injured_max", "Injured, upper end"),
    _count("missing_min", "Missing, lower end"),
    _count("missing_max", "Missing, upper end"),
    _count("civilians_killed_min", "Civilians among the killed, lower end"),
    _count("civilians_killed_max", "Civilians among the killed, upper end"),
    _count("children_killed_min", "Children among the killed, lower end"),
    _count("children_killed_max", "Children among the killed, upper end"),
    _count("combatants_killed_min", "Combatants among the killed, lower end"),
    _count("combatants_killed_max", "Combatants among the killed, upper end"),
    _count("other_affected", "People affected otherwise, of the kind in other_affected_kind"),
    Column("other_affected_kind", "category", "How they were affected", allowed=AFFECTED_KINDS),
    Column("attributed_to", "list", "Who is said to have done it", nullable=False),
    Column("denied_by", "list", "Who denies having done it", nullable=False),
    Column("contested", "bool", "Claims disagree on who did it, or on the figures", nullable=False),
    Column("current", "bool", "False for background: an earlier event that a report only recalls", nullable=False),
    Column("evidence", "str", "The sentence it was read from, exactly as in the report"),
    Column("evidence_start", "Int64", "Offset of the evidence in the report's text", unit="code points"),
    Column("evidence_end", "Int64", "End offset of the evidence", unit="code points"),
    Column("confidence", "float", "How sure the reading is, 0 to 1"),
    Column("review_status", "category", "What a person said of it", nullable=False, allowed=REVIEW_STATUSES),
    Column("report_ids", "list", "The reports that tell of it", nullable=False),
    Column("source_names", "list", "Who published them", nullable=False),
    Column("source_urls", "list", "Where they are; http or https only", nullable=False),
    Column("published_at", "datetime", "When the first report appeared", unit="UTC"),
    Column("added_at", "datetime", "When it was added to the store", unit="UTC"),
    Column("source_values", "json", "The source's own type, precision and ids, and the mapping rule used"),
)
"""The contract, in the order in which columns are written everywhere."""

CLAIM_COLUMNS: tuple[Column, ...] = (
    Column("claim_id", "str", "Deterministic hash", nullable=False),
    Column("incident_id", "str", "The incident it is about", nullable=False),
    Column("report_id", "str", "The report it was read from"),
    Column("claimant", "str", "Who says so; null where the report says it itself"),
    Column(
        "measure",
        "category",
        "What is counted",
        nullable=False,
        allowed=("killed", "injured", "missing", "abducted", "displaced", "arrested", "responsibility"),
    ),
    Column(
        "group", "category", "Of whom", nullable=False, allowed=("all", "civilians", "children", "women", "combatants")
    ),
    Column("min", "Int64", "Lower end", unit="people"),
    Column("max", "Int64", "Upper end", unit="people"),
    Column("evidence", "str", "The words it was read from"),
    Column("evidence_start", "Int64", "Offset in the report's text", unit="code points"),
    Column("evidence_end", "Int64", "End offset", unit="code points"),
    Column(
        "stance", "category", "Whether the claimant asserts or denies it", nullable=False, allowed=("asserts", "denies")
    ),
)
"""The claims table: many claims to an incident; an incident's figures are derived from them."""

COUNT_COLUMNS: tuple[str, ...] = tuple(c.name for c in COLUMNS if c.unit == "people")
LIST_COLUMNS: tuple[str, ...] = tuple(c.name for c in COLUMNS if c.dtype == "list")

RANGES: tuple[tuple[str, str], ...] = tuple(
    (c.name, c.name.removesuffix("_min") + "_max") for c in COLUMNS if c.name.endswith("_min")
)
"""The pairs of columns that are the two ends of one figure."""
