"""Incident types, their ACLED event type as parent, and the words shown for them.

Parents are ACLED's event types (ACLED Codebook, "Event types and sub-event types"), so that groups
and crosswalks are the field's own.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "AFFECTED_KINDS",
    "CERTAINTIES",
    "FAMILIES",
    "INCIDENT_TYPES",
    "PARENTS",
    "TYPES",
    "IncidentType",
    "get_family",
    "get_label",
    "get_parent",
]


@dataclass(frozen=True, slots=True)
class IncidentType:
    """One incident type.

    Attributes
    ----------
    name : str
        The value stored and exported.
    label : str
        The words shown to people.
    parent : str
        The ACLED event type, or ``Other``.
    meaning : str
        One plain line.
    """

    name: str
    label: str
    parent: str
    meaning: str


_REMOTE = "Explosions/remote violence"
_BATTLES = "Battles"
_CIVILIANS = "Violence against civilians"
_RIOTS = "Riots"
_PROTESTS = "Protests"
_STRATEGIC = "Strategic developments"
_OTHER = "Other"

INCIDENT_TYPES: tuple[IncidentType, ...] = (
    IncidentType("missile_strike", "Missile strike", _REMOTE, "Ballistic or cruise missile"),
    IncidentType("air_strike", "Air strike", _REMOTE, "Bombs or rockets from crewed aircraft, guided bombs"),
    IncidentType("drone_strike", "Drone strike", _REMOTE, "Uncrewed aircraft that strike or drop"),
    IncidentType("shelling", "Shelling", _REMOTE, "Artillery, mortars, rockets, tank fire"),
    IncidentType("explosion", "Explosion", _REMOTE, "IED, mine, car or suicide bomb, depot"),
    IncidentType("ground_assault", "Ground assault", _BATTLES, "Clash, raid, assault, territory changing hands"),
    IncidentType("shooting", "Shooting", _CIVILIANS, "Small-arms fire at people who are not fighting back"),
    IncidentType("execution", "Execution", _CIVILIANS, "Killing of people in the killer's power"),
    IncidentType("bodies_found", "Bodies found", _CIVILIANS, "Bodies or a mass grave, the manner of death apart"),
    IncidentType("sexual_violence", "Sexual violence", _CIVILIANS, "Rape and other sexual violence"),
    IncidentType("abduction", "Abduction", _CIVILIANS, "Abduction, arrest, hostage-taking, deportation"),
    IncidentType("riot", "Riot", _RIOTS, "Violent crowd"),
    IncidentType("protest", "Protest", _PROTESTS, "Peaceful demonstration"),
    IncidentType("displacement", "Displacement", _STRATEGIC, "People fleeing or made to leave"),
    IncidentType("looting", "Looting", _STRATEGIC, "Looting, arson, demolition of property"),
    IncidentType("strategic", "Strategic event", _STRATEGIC, "Agreement, retreat, base, control change"),
    IncidentType("other", "Other", _OTHER, "An incident of another kind"),
    IncidentType("unknown", "Unknown", _OTHER, "An incident whose kind is not stated"),
)
"""All types, in the order in which they are listed to people."""

TYPES: tuple[str, ...] = tuple(t.name for t in INCIDENT_TYPES)
PARENTS: tuple[str, ...] = tuple(dict.fromkeys(t.parent for t in INCIDENT_TYPES))
CERTAINTIES: tuple[str, ...] = ("stated", "inferred", "coarse")
AFFECTED_KINDS: tuple[str, ...] = ("abducted", "displaced", "arrested")

_BY_NAME = {t.name: t for t in INCIDENT_TYPES}

FAMILIES: dict[str, frozenset[str]] = {
    "remote": frozenset({"missile_strike", "air_strike", "drone_strike", "shelling", "explosion"}),
    "armed": frozenset({"ground_assault", "shooting", "execution", "bodies_found"}),
}
"""Types that two reports may give to one and the same event."""


def get_parent(name: str) -> str:
    """Return the ACLED event type of a type name; ``Other`` for names that are not ours."""
    known = _BY_NAME.get(name)
    return known.parent if known else _OTHER


def get_label(name: str) -> str:
    """Return the words shown for a type name; the name itself where it is not ours."""
    known = _BY_NAME.get(name)
    return known.label if known else name


def get_family(name: str) -> str:
    """Return the family in which reports confuse types: ``remote``, ``armed``, or the type itself."""
    for family, members in FAMILIES.items():
        if name in members:
            return family
    return name
