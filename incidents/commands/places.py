"""``incidents geocode``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from incidents.commands.common import get_settings, open_gazetteer
from incidents.errors import SettingsError

if TYPE_CHECKING:
    from geodata.geocode import Geocoder
    from geodata.place import Candidate, Resolution
    from incidents.settings import Settings

__all__ = ["geocode"]


@click.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--reverse", nargs=2, metavar="LAT LON", help="Tell where a point lies instead: country, region, nearest town."
)
@click.option("--country", metavar="XX", help="The country it is in, ISO 3166 two letters.")
@click.option("--online", is_flag=True, help="Ask the network geocoder too (by default Nominatim).")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Candidates to show a name.")
@click.option("--format", "fmt", type=click.Choice(["table", "jsonl"]), default="table", show_default=True)
def geocode(
    *, names: tuple[str, ...], reverse: tuple[str, str] | None, country: str | None, online: bool, limit: int, fmt: str
) -> None:
    """Find the places that a name can mean, best first, with the reasons; or tell where a point lies.

    \b
    Examples:
      incidents geocode Kramatorsk
      incidents geocode Lyman "Kherson region" --country UA
      incidents geocode "Rue de Rivoli, Paris" --online
      incidents geocode --reverse 48.72 37.56
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from geodata.resolve import Context, resolve_name

    if bool(names) == bool(reverse):
        raise click.UsageError("Give names, or --reverse LAT LON.")
    settings = get_settings(online=online or None)
    if reverse:
        _tell_point(*reverse, settings=settings, fmt=fmt)
        return
    code = country.upper() if country else None
    if code is not None and (len(code) != 2 or not code.isascii() or not code.isalpha()):
        raise SettingsError(f"--country {country!r} is not a two-letter code, like UA")
    context = Context(countries={code: 1.0} if code else {}, admin1={}, near=())
    online_geocoder = _make_online(settings) if settings.online else None
    with open_gazetteer(settings) as index:
        for name in names:
            found = resolve_name(name, gazetteer=index, context=context)
            candidates = [c for c in found.candidates if code is None or c.place.country == code][:limit]
            if online_geocoder:
                candidates += online_geocoder.geocode(name, countries=[code] if code else (), limit=limit)
            _tell(name, found, candidates, fmt=fmt)


def _tell_point(lat_text: str, lon_text: str, *, settings: Settings, fmt: str) -> None:
    from geodata.coordinates import find_problem, parse_coordinate
    from geodata.errors import CoordinateError
    from geodata.reverse import describe_point

    lat, lon = parse_coordinate(lat_text), parse_coordinate(lon_text)
    problem = find_problem(lat, lon)
    if problem is not None:
        raise CoordinateError(problem.message)
    with open_gazetteer(settings) as index:
        found = describe_point(
            lat, lon, gazetteer=index, policy="de_facto" if settings.boundaries_policy == "de_facto" else "un"
        )
    if fmt == "table":
        click.echo(f"{lat:.4f}, {lon:.4f}: {found.to_text()}")
        return
    area, town = found.area, found.town
    told = {
        "lat": lat,
        "lon": lon,
        "text": found.to_text(),
        "country": area.country if area else None,
        "admin1": area.admin1 if area else None,
        "admin1_code": area.admin1_code if area else None,
        "offshore": area.offshore if area else None,
        "distance_km": area.distance_km if area else None,
        "occupied": area.occupied if area else None,
        "nearest": town.name if town else None,
        "nearest_km": found.town_km,
        "nearest_geonameid": town.geonameid if town else None,
    }
    click.echo(json.dumps(told, ensure_ascii=False))


def _make_online(settings: Settings) -> Geocoder:
    from geodata.geocode import get_geocoder

    # a geocoder that needs none of these need not know the options
    options = {"contact": settings.contact, "domain": settings.geocoder_domain, "key": settings.geocoder_key}
    return get_geocoder(settings.geocoder, **{name: value for name, value in options.items() if value})


def _tell(name: str, found: Resolution, candidates: list[Candidate], *, fmt: str) -> None:
    if fmt == "jsonl":
        listed = [_describe(c) for c in candidates]
        click.echo(json.dumps({"name": name, "reason": found.reason, "candidates": listed}, ensure_ascii=False))
        return
    click.echo(f"{name}: {found.reason if candidates else 'no such place is known'}")
    for number, candidate in enumerate(candidates, start=1):
        place = candidate.place
        point = f"{place.lat:.4f}, {place.lon:.4f}" if place.lat is not None and place.lon is not None else "no point"
        where = ", ".join(p for p in (place.name, place.admin2, place.admin1, place.country) if p)
        people = f", {place.population:,} people" if place.population else ""
        click.echo(f"  {number}. {where}: {place.kind}, {point}{people} ({place.source})")
        if candidate.reasons:
            click.echo(f"     {'; '.join(candidate.reasons)}")


def _describe(candidate: Candidate) -> dict[str, object]:
    place = candidate.place
    return {
        "name": place.name,
        "kind": place.kind,
        "lat": place.lat,
        "lon": place.lon,
        "precision": place.precision,
        "country": place.country,
        "admin1": place.admin1,
        "admin2": place.admin2,
        "geonameid": place.geonameid,
        "population": place.population,
        "source": place.source,
        "score": round(candidate.score, 4),
        "reasons": list(candidate.reasons),
    }
