"""Asking OpenStreetMap's Nominatim and its like, politely; the only module that imports geopy.

Off by default: names of places under attack leave the machine only when somebody switches this on. The service's rules
(operations.osmfoundation.org/policies/nominatim): at most one request a second, a user agent of our own, and answers
kept, so the same name is never asked twice. "Nothing found" is kept too, for a shorter time.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from geopy.adapters import URLLibAdapter
from geopy.exc import (
    GeocoderAuthenticationFailure,
    GeocoderInsufficientPrivileges,
    GeocoderParseError,
    GeocoderQueryError,
    GeocoderQuotaExceeded,
    GeocoderServiceError,
)
from geopy.exc import (
    GeocoderRateLimited as GeopyRateLimited,
)
from geopy.geocoders import Nominatim, get_geocoder_for_service

from geodata.answers import AnswerCache
from geodata.coordinates import check_coordinate
from geodata.errors import (
    CoordinateError,
    GeocoderError,
    GeocoderRateLimited,
    GeocoderRefused,
    GeocoderUnavailable,
)
from geodata.index import get_cache_dir
from geodata.names import fold
from geodata.place import Candidate, Place

__all__ = ["CREDIT", "USER_AGENT", "AnswerCache", "NominatimGeocoder", "OnlineGeocoder", "make_service"]

CREDIT = "Places found online: © OpenStreetMap contributors, ODbL"
USER_AGENT = "incident-atlas"
"""Sent with every request, followed by the contact from the settings."""
_LONGEST_NAME = 200
# what geopy raises, or lets through, when an answer is not what it expects
_UNREADABLE = (GeocoderParseError, GeocoderQueryError, ValueError, TypeError, LookupError, AttributeError)
_SERVICE_WORDS = {
    "nominatim": "Nominatim",
    "photon": "Photon",
    "arcgis": "ArcGIS",
    "pelias": "Pelias",
    "geonames": "GeoNames",
}

_KIND_OF_TYPE = {"country": "country", "state": "admin1", "region": "admin1", "province": "admin1", "county": "admin2"}
_PRECISION = {
    "country": "country",
    "admin1": "region",
    "admin2": "district",
    "settlement": "settlement",
    "site": "exact",
}
_SETTLEMENTS = frozenset(
    {
        "city",
        "town",
        "village",
        "hamlet",
        "municipality",
        "suburb",
        "neighbourhood",
        "quarter",
        "locality",
        "isolated_dwelling",
    }
)


def make_service(service: str, *, agent: str, timeout: float, **options: Any) -> Any:
    """Make one of geopy's geocoders, without its own retries.

    Parameters
    ----------
    service : str
        geopy's name: ``photon``, ``arcgis`` ...
    agent : str
        The user agent.
    timeout : float
        Seconds to wait for an answer.
    **options
        The service's own.
    """
    # The adapter on `requests` retries and waits by itself, unseen; this one leaves both to us.
    return get_geocoder_for_service(service)(
        user_agent=agent, timeout=timeout, adapter_factory=URLLibAdapter, **options
    )


class OnlineGeocoder:
    """A network service as a geocoder (`geodata.geocode.Geocoder`), asked politely.

    Parameters
    ----------
    service : object
        One of geopy's geocoders (`make_service`).
    name : str
        What it is called in settings and as the source of a place.
    domain : str
        The server, for messages and for the kept answers.
    ask : callable
        Makes the service's own options out of (country codes in lower case, limit).
    read : callable, optional
        Turns one raw answer into the fields of Nominatim's: ``lat``, ``lon``, ``name``, ``addresstype``, ``class``,
        ``importance`` and ``address`` (``country_code``, ``state``, ``county``). Not needed for Nominatim.
    cache_path : Path, optional
        File of the kept answers. Default: in the cache directory.
    interval : float
        Seconds between two requests, of all threads together.
    attempts : int
        At most so many requests for one name.
    limit_requests : int, optional
        At most so many requests in the life of this object, so that a batch cannot run away.
    sleep : callable
        Waits; replaced in tests.
    """

    def __init__(
        self,
        service: Any,
        *,
        name: str,
        domain: str,
        ask: Callable[[list[str], int], dict[str, Any]],
        read: Callable[[dict[str, Any]], dict[str, Any]] = dict,
        cache_path: Path | None = None,
        interval: float = 1.0,
        attempts: int = 3,
        limit_requests: int | None = 500,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._service = service
        self._domain = domain
        self._make_options = ask
        self._read = read
        self._cache = AnswerCache(cache_path or get_cache_dir() / f"{name}.sqlite")
        self._interval = interval
        self._attempts = max(1, attempts)
        self._left = limit_requests
        self._sleep = sleep
        self._turn = threading.Lock()
        self._next = 0.0

    def geocode(self, name: str, *, countries: Sequence[str] = (), limit: int = 5) -> tuple[Candidate, ...]:
        """Find places of a name; see `geodata.geocode.Geocoder.geocode`.

        Raises
        ------
        GeocoderRefused
            The service refuses us (403, quota); stop the batch.
        GeocoderRateLimited
            Asked to slow down (429) more often than we try.
        GeocoderUnavailable
            No answer, or one that cannot be read.
        """
        text = " ".join(name.encode("utf-8", "ignore").decode("utf-8").split())[:_LONGEST_NAME]
        if not text:
            return ()
        codes = sorted({code.lower() for code in countries if len(code) == 2 and code.isalpha()})
        key = json.dumps([self._domain, fold(text), codes, limit], ensure_ascii=False)
        answer = self._cache.get(key)
        if answer is None:
            answer = self._ask(text, codes, limit)
            self._cache.put(key, answer)
        candidates = [_make_candidate(item, text, source=self.name) for item in answer]
        # not every service can be told where to look, so what lies elsewhere is left out here
        wanted = {code.upper() for code in codes}
        return tuple(c for c in candidates if c is not None and (not wanted or c.place.country in {None, *wanted}))[
            :limit
        ]

    def _ask(self, text: str, codes: list[str], limit: int) -> list[dict[str, Any]]:
        last: GeocoderError = GeocoderUnavailable(f"{self._domain} was not asked.")
        for attempt in range(self._attempts):
            self._wait()
            try:
                found = self._service.geocode(text, exactly_one=False, **self._make_options(codes, limit))
                return [self._read(dict(place.raw)) for place in found or [] if place is not None]
            except GeopyRateLimited as error:
                after = error.retry_after
                last = GeocoderRateLimited(f"{self._domain} asks us to slow down.", retry_after=after)
                pause = float(after) if after is not None else 2.0 * 2**attempt
                if pause > 60:
                    break
            except (
                GeocoderAuthenticationFailure,
                GeocoderInsufficientPrivileges,
                GeocoderQuotaExceeded,
            ) as error:
                raise GeocoderRefused(
                    f"{self._domain} refuses to answer ({_name(error)}). Nothing more is asked."
                ) from error
            except (
                GeocoderParseError,
                GeocoderQueryError,
                ValueError,
                TypeError,
                LookupError,
                AttributeError,
            ) as error:
                raise GeocoderUnavailable(
                    f"{self._domain} gave an answer that cannot be read ({_name(error)})."
                ) from error
            except GeocoderServiceError as error:
                last = GeocoderUnavailable(f"{self._domain} does not answer ({_name(error)}).")
                pause = 1.0 * 2**attempt
            if attempt + 1 < self._attempts:
                self._sleep(pause)
        raise last

    def _wait(self) -> None:
        """Wait for our turn: one request an interval, however many threads ask."""
        with self._turn:
            if self._left is not None:
                if self._left <= 0:
                    raise GeocoderRefused(
                        "The limit of online requests for one run is reached; the rest stays offline."
                    )
                self._left -= 1
            now = time.monotonic()
            if now < self._next:
                self._sleep(self._next - now)
            self._next = max(now, self._next) + self._interval


class NominatimGeocoder(OnlineGeocoder):
    """OpenStreetMap's Nominatim.

    Parameters
    ----------
    contact : str
        E-mail or address for the service's operators, added to the user agent.
    domain, scheme : str
        The server; OpenStreetMap's by default.
    interval : float
        Seconds between two requests; at least 1 against OpenStreetMap's own server.
    timeout : float
        Seconds to wait for an answer.
    **options
        As for `OnlineGeocoder`.
    """

    def __init__(
        self,
        *,
        contact: str = "",
        domain: str = "nominatim.openstreetmap.org",
        scheme: str = "https",
        interval: float = 1.0,
        timeout: float = 10.0,
        **options: Any,
    ) -> None:
        if domain.endswith("openstreetmap.org"):
            interval = max(interval, 1.0)
        service = Nominatim(
            user_agent=f"{USER_AGENT} {contact}".strip(),
            domain=domain,
            scheme=scheme,
            timeout=timeout,
            adapter_factory=URLLibAdapter,
        )
        super().__init__(service, name="nominatim", domain=domain, ask=_ask_nominatim, interval=interval, **options)


def _ask_nominatim(codes: list[str], limit: int) -> dict[str, Any]:
    return {"limit": limit, "addressdetails": True, "language": "en", "country_codes": codes or None}


def _name(error: Exception) -> str:
    return type(error).__name__.removeprefix("Geocoder")


def _make_candidate(item: dict[str, Any], asked: str, *, source: str) -> Candidate | None:
    """Turn one raw answer into a candidate; None where it has no readable point."""
    try:
        lat, lon = float(item["lat"]), float(item["lon"])
        check_coordinate(lat, lon)
    except (KeyError, TypeError, ValueError, CoordinateError):
        return None
    address = item.get("address") if isinstance(item.get("address"), dict) else {}
    assert isinstance(address, dict)  # noqa: S101 - tells the type checker what the line above ensures
    type_ = str(item.get("addresstype") or item.get("type") or "")
    kind = _KIND_OF_TYPE.get(type_) or (
        "settlement" if type_ in _SETTLEMENTS or item.get("class") == "place" else "site"
    )
    code = str(address.get("country_code") or "").upper()
    label = str(item.get("name") or str(item.get("display_name") or asked).split(",")[0])[:_LONGEST_NAME]
    place = Place(
        name=label,
        kind=kind,
        lat=lat,
        lon=lon,
        precision=_PRECISION[kind],
        country=code if len(code) == 2 else None,
        admin1=str(address["state"])[:_LONGEST_NAME] if address.get("state") else None,
        admin2=str(address["county"])[:_LONGEST_NAME] if address.get("county") else None,
        source=source,
    )
    try:
        score = min(1.0, max(0.0, float(item.get("importance") or 0)))
    except (TypeError, ValueError):
        score = 0.0
    reason = f"found online by {_SERVICE_WORDS.get(source, source)}"
    return Candidate(place=place, matched_name=asked, match_kind="primary", score=score, reasons=(reason,))
