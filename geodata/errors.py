"""The errors of `geodata`: one root, each leaf also a standard type.

"No such place" is a value (None or an empty list), never an exception.
"""

from __future__ import annotations

__all__ = [
    "BoundaryNotFound",
    "CoordinateError",
    "CrsError",
    "GazetteerError",
    "GeocoderError",
    "GeocoderRateLimited",
    "GeocoderRefused",
    "GeocoderUnavailable",
    "GeodataError",
    "UnknownGeocoder",
]


class GeodataError(Exception):
    """Root of every error that `geodata` raises on purpose."""


class CoordinateError(GeodataError, ValueError):
    """A coordinate that cannot be read, or is out of range."""


class CrsError(GeodataError, ValueError):
    """A missing or unsuitable coordinate reference system."""


class BoundaryNotFound(GeodataError, LookupError):
    """No polygon is known for an area id."""


class GazetteerError(GeodataError, OSError):
    """The place index cannot be built, opened or extended."""


class GeocoderError(GeodataError):
    """Root of the errors of geocoders."""


class GeocoderUnavailable(GeocoderError, OSError):
    """The service could not be asked; asking again later may work."""


class GeocoderRateLimited(GeocoderUnavailable):
    """The service asks us to slow down.

    Attributes
    ----------
    retry_after : float or None
        Seconds to wait, where the service said so.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class GeocoderRefused(GeocoderError, PermissionError):
    """The service refuses us (key, quota, terms): stop the batch."""


class UnknownGeocoder(GeodataError, LookupError):
    """No geocoder has this name."""
