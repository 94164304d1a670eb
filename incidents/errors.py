"""The errors of `incidents`: one root, each leaf also a standard type.

The command line and the dashboard catch `IncidentsError` and `geodata.GeodataError` and nothing
else: any other exception is a bug.
"""

from __future__ import annotations

__all__ = [
    "ExportError",
    "FilterError",
    "IncidentsError",
    "SchemaError",
    "SettingsError",
    "SourceError",
    "SourceFormatError",
    "SourceUnavailable",
    "StoreError",
    "StoreVersionError",
    "UnknownName",
]


class IncidentsError(Exception):
    """Root of every error that `incidents` raises on purpose."""


class SchemaError(IncidentsError, ValueError):
    """A frame breaks the column contract.

    Attributes
    ----------
    failures : list of dict
        One entry per fault: ``column``, ``row`` (incident_id or position), ``value``, ``rule``.
    """

    def __init__(self, message: str, *, failures: list[dict[str, object]] | None = None) -> None:
        super().__init__(message)
        self.failures = failures or []


class SourceError(IncidentsError):
    """Root of the errors of sources."""


class SourceUnavailable(SourceError, OSError):
    """A source cannot be read at all: no such file, no access, no answer."""


class SourceFormatError(SourceError, ValueError):
    """A source is not what it claims to be; the message names file, row and rule."""


class ExportError(IncidentsError, OSError):
    """An export or a briefing cannot be written."""


class FilterError(IncidentsError, ValueError):
    """A filter has a value that is not usable; the message names it and says why."""


class StoreError(IncidentsError, OSError):
    """The database cannot be opened, read or written."""


class StoreVersionError(StoreError):
    """The database belongs to a newer version of the program."""


class SettingsError(IncidentsError, ValueError):
    """A setting is unknown or has no usable value; never shows a secret."""


class UnknownName(IncidentsError, LookupError):
    """No source, exporter or briefing format has this name; the message lists the known ones."""
