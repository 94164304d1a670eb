"""Other services than Nominatim: what each is asked, and how its answers read.

Photon (photon.komoot.io; fair use, no batch work), Pelias (a server of your own, or one with a key), ArcGIS (Esri's
terms: shown on a map, not stored without a licence) and GeoNames' own search (a free account). Their mechanics are
those of `geodata.nominatim.OnlineGeocoder`. None is asked unless somebody names it in the settings and goes online.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from geodata.countries import get_country
from geodata.errors import GeocoderRefused
from geodata.geonames import classify
from geodata.nominatim import USER_AGENT, OnlineGeocoder, make_service

__all__ = ["SERVICES", "make_online_geocoder"]

_TYPE_OF_KIND = {"admin1": "state", "admin2": "county", "settlement": "city", "site": "site"}


@dataclass(frozen=True, slots=True)
class _Service:
    domain: str
    ask: Callable[[list[str], int], dict[str, Any]]
    read: Callable[[dict[str, Any]], dict[str, Any]]
    key_option: str = ""
    key_needed: bool = False


def _as_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _get_point(raw: dict[str, Any]) -> dict[str, Any]:
    """Take the point of a GeoJSON feature."""
    pair = _as_dict(raw.get("geometry")).get("coordinates")
    return {"lon": pair[0], "lat": pair[1]} if isinstance(pair, list) and len(pair) >= 2 else {}


def _get_code(value: object) -> str:
    country = get_country(str(value or ""))
    return country.iso2 if country else ""


def _read_photon(raw: dict[str, Any]) -> dict[str, Any]:
    told = _as_dict(raw.get("properties"))
    address = {"country_code": told.get("countrycode"), "state": told.get("state"), "county": told.get("county")}
    kind = {"district": "suburb", "locality": "locality"}.get(str(told.get("type")), told.get("type"))
    return {**_get_point(raw), "name": told.get("name"), "addresstype": kind, "address": address}


def _read_pelias(raw: dict[str, Any]) -> dict[str, Any]:
    told = _as_dict(raw.get("properties"))
    code = _get_code(told.get("country_code") or told.get("country_a"))
    layer = {"localadmin": "municipality", "borough": "suburb"}.get(str(told.get("layer")), told.get("layer"))
    layer = "city" if layer == "locality" else layer
    address = {"country_code": code, "state": told.get("region"), "county": told.get("county")}
    return {
        **_get_point(raw),
        "name": told.get("name"),
        "addresstype": layer,
        "address": address,
        "importance": told.get("confidence"),
    }


def _read_arcgis(raw: dict[str, Any]) -> dict[str, Any]:
    told, point = _as_dict(raw.get("attributes")), _as_dict(raw.get("location"))
    words = {"country": "country", "state or province": "state", "county": "county", "region": "region"}
    place = str(told.get("Addr_type")) == "Locality"
    kind = words.get(str(told.get("Type")).casefold(), "city" if place else "site")
    score = raw.get("score")
    return {
        "lat": point.get("y"),
        "lon": point.get("x"),
        "name": str(raw.get("address") or "").split(",")[0],
        "addresstype": kind,
        "address": {
            "country_code": _get_code(told.get("Country")),
            "state": told.get("Region"),
            "county": told.get("Subregion"),
        },
        "importance": score / 100 if isinstance(score, int | float) else None,
    }


def _read_geonames(raw: dict[str, Any]) -> dict[str, Any]:
    code = str(raw.get("fcode") or "")
    rule = classify(str(raw.get("fcl") or ""), code)
    kind = "country" if code.startswith("PCL") else _TYPE_OF_KIND.get(rule.kind if rule else "", "site")
    return {
        "lat": raw.get("lat"),
        "lon": raw.get("lng"),
        "name": raw.get("name"),
        "addresstype": kind,
        "address": {"country_code": raw.get("countryCode"), "state": raw.get("adminName1")},
    }


SERVICES = MappingProxyType(
    {
        "photon": _Service("photon.komoot.io", lambda _codes, limit: {"limit": limit, "language": "en"}, _read_photon),
        "pelias": _Service(
            "", lambda codes, _limit: {"countries": codes or None, "language": "en"}, _read_pelias, key_option="api_key"
        ),
        "arcgis": _Service(
            "geocode.arcgis.com",
            lambda _codes, _limit: {"out_fields": "Country,Region,Subregion,Addr_type,Type"},
            _read_arcgis,
        ),
        "geonames": _Service(
            "secure.geonames.org",
            lambda codes, _limit: {"country": [code.upper() for code in codes] or None},
            _read_geonames,
            key_option="username",
            key_needed=True,
        ),
    }
)
"""The services besides Nominatim, by name."""


def make_online_geocoder(
    name: str,
    *,
    contact: str = "",
    key: str = "",
    domain: str = "",
    scheme: str = "https",
    timeout: float = 10.0,
    **options: Any,
) -> OnlineGeocoder:
    """Make the geocoder of a service.

    Parameters
    ----------
    name : str
        One of `SERVICES`.
    contact : str
        E-mail or address for the service's operators, added to the user agent.
    key : str
        The service's key, or the name of the GeoNames account.
    domain, scheme : str
        The server; Pelias has none of its own.
    timeout : float
        Seconds to wait for an answer.
    **options
        As for `geodata.nominatim.OnlineGeocoder`.

    Raises
    ------
    GeocoderRefused
        A key or a server is needed and not given.
    """
    service = SERVICES[name]
    domain = domain or service.domain
    if not domain:
        raise GeocoderRefused(f"{name} has no server of its own: name one (setting geocoder_domain).")
    if service.key_needed and not key:
        raise GeocoderRefused(f"{name} answers only with an account: give its name (setting geocoder_key).")
    asked: dict[str, Any] = {"domain": domain, "scheme": scheme}
    if key and service.key_option:
        asked[service.key_option] = key
    made = make_service(name, agent=f"{USER_AGENT} {contact}".strip(), timeout=timeout, **asked)
    return OnlineGeocoder(made, name=name, domain=domain, ask=service.ask, read=service.read, **options)
