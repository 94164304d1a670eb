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
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--country", metavar="XX", help="The country it is in, ISO 3166 two letters.")
@click.option("--online", is_flag=True, help="Ask the network geocoder too (OpenStreetMap's Nominatim).")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Candidates to show a name.")
@click.option("--format", "fmt", type=click.Choice(["table", "jsonl"]), default="table", show_default=True)
def geocode(*, names: tuple[str, ...], country: str | None, online: bool, limit: int, fmt: str) -> None:
    """Find the places that a name can mean, best first, with the reasons.

    \b
    Examples:
      incidents geocode Kramatorsk
      incidents geocode Lyman "Kherson region" --country UA
      incidents geocode "Rue de Rivoli, Paris" --online
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from geodata.resolve import Context, resolve_name

    settings = get_settings(online=online or None)
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


def _make_online(settings: Settings) -> Geocoder:
    from geodata.geocode import get_geocoder

    # a geocoder that needs no contact need not know the option
    return get_geocoder(settings.geocoder, **({"contact": settings.contact} if settings.contact else {}))


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
