# ruff: noqa: E501 - word tables, patterns and SQL are easier to check unbroken
"""Geocoders: what turns a name into candidates, by name, and the chain that asks the network last and only when allowed.

A geocoder is anything with `Geocoder.geocode`. New ones are added with `register_geocoder`; nothing here talks to the
network, `geodata.nominatim` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

from geodata.errors import UnknownGeocoder
from geodata.gazetteer import Gazetteer
from geodata.place import Candidate, Resolution
from geodata.resolve import Context, resolve_name

__all__ = [
    "GazetteerGeocoder",
    "Geocoder",
    "get_geocoder",
    "list_geocoders",
    "register_geocoder",
    "resolve_online",
]


@runtime_checkable
class Geocoder(Protocol):
    """What every geocoder can do."""

    name: str

    def geocode(self, name: str, *, countries: Sequence[str] = (), limit: int = 5) -> tuple[Candidate, ...]:
        """Find places of a name.

        Parameters
        ----------
        name : str
            As written.
        countries : sequence of str
            ISO 3166-1 alpha-2 codes to look in; empty for everywhere.
        limit : int
            At most so many.

        Returns
        -------
        tuple of Candidate
            Empty when there is no such place.

        Raises
        ------
        GeocoderError
            The service could not be asked.
        """
        ...


class GazetteerGeocoder:
    """The offline index as a geocoder."""

    name = "gazetteer"

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.gazetteer = gazetteer

    def geocode(self, name: str, *, countries: Sequence[str] = (), limit: int = 5) -> tuple[Candidate, ...]:
        """Find places of a name in the index; see `Geocoder.geocode`."""
        found = resolve_name(name, gazetteer=self.gazetteer, context=Context(countries=dict.fromkeys(countries, 1.0)))
        wanted = [c for c in found.candidates if not countries or c.place.country in countries]
        return tuple(wanted[:limit])


def _make_gazetteer() -> Geocoder:
    return GazetteerGeocoder(Gazetteer.open())


def _make_nominatim(**options: object) -> Geocoder:
    from geodata.nominatim import NominatimGeocoder  # noqa: PLC0415 - geopy is loaded only when it is asked for

    options.pop("key", None)  # Nominatim knows no keys
    return NominatimGeocoder(**options)  # type: ignore[arg-type]


def _make_online(name: str, **options: object) -> Geocoder:
    from geodata.online import make_online_geocoder  # noqa: PLC0415 - as above

    return make_online_geocoder(name, **options)  # type: ignore[arg-type]


_FACTORIES: dict[str, Callable[..., Geocoder]] = {
    "gazetteer": _make_gazetteer,
    "nominatim": _make_nominatim,
    **{name: partial(_make_online, name) for name in ("photon", "pelias", "arcgis", "geonames")},
}


def register_geocoder(name: str, factory: Callable[..., Geocoder]) -> None:
    """Make a geocoder known under a name.

    Parameters
    ----------
    name : str
        The name for settings and the command line.
    factory : callable
        Called with the options given to `get_geocoder`; returns the geocoder.
    """
    _FACTORIES[name] = factory


def list_geocoders() -> tuple[str, ...]:
    """List the names of the known geocoders."""
    return tuple(sorted(_FACTORIES))


def get_geocoder(name: str, **options: object) -> Geocoder:
    """Make the geocoder of a name.

    Parameters
    ----------
    name : str
        One of `list_geocoders`.
    **options
        Handed to the geocoder.

    Returns
    -------
    Geocoder

    Raises
    ------
    UnknownGeocoder
        No geocoder has this name.
    """
    try:
        factory = _FACTORIES[name]
    except KeyError:
        raise UnknownGeocoder(f"No geocoder is called {name!r}; known are {', '.join(list_geocoders())}.") from None
    return factory(**options)


def resolve_online(
    name: str,
    *,
    gazetteer: Gazetteer,
    context: Context | None = None,
    online: Geocoder | None = None,
    kind_hint: str | None = None,
) -> Resolution:
    """Resolve a name offline, and ask a network geocoder only for what the index lacks.

    Parameters
    ----------
    name : str
        As written.
    gazetteer : Gazetteer
        Asked first; its answer stands whenever it has one.
    context : Context, optional
        Its countries narrow the online search.
    online : Geocoder, optional
        None (the default) keeps everything offline.
    kind_hint : str, optional
        As in `geodata.resolve.resolve_name`.

    Returns
    -------
    Resolution
        An online answer is always ambiguous when there is more than one: a service knows nothing of the report.

    Raises
    ------
    GeocoderError
        The service could not be asked, or refuses.
    """
    offline = resolve_name(name, gazetteer=gazetteer, context=context, kind_hint=kind_hint)
    if offline.best is not None or online is None:
        return offline
    countries = tuple(context.countries) if context else ()
    found = online.geocode(name, countries=countries)
    if not found:
        return offline
    reason = f"{found[0].place.name}, found online by {online.name}; the offline index has no such place there."
    return Resolution(name, found[0], found + offline.candidates, ambiguous=len(found) > 1, reason=reason)
