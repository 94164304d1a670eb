"""``incidents places``: what names mean in the book, as a person has settled it."""

from __future__ import annotations

import json

import click

from incidents.commands.common import (
    country_option,
    database_option,
    get_settings,
    get_who,
    open_gazetteer,
    open_store,
    say,
)

__all__ = ["places"]


@click.group()
def places() -> None:
    """Settle what a name means in the book; it is then read so, and what is in the book is put right.

    \b
    Examples:
      incidents places list
      incidents places settle Novoselivka 699185
      incidents places unsettle Novoselivka
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped


@places.command("list")
@click.option("--format", "fmt", type=click.Choice(["table", "jsonl"]), default="table", show_default=True)
@database_option
def list_(*, fmt: str, database: str | None) -> None:
    """List the settled names, and those whose place is still in doubt."""
    from incidents.settled import find_unsettled

    settings = get_settings(database_url=database)
    with open_store(settings) as store:
        choices = store.load_settled()
        unsettled = find_unsettled(store.load())
    for choice in choices:
        area = choice.admin1 or choice.country
        when = choice.when.date().isoformat() if choice.when else None
        if fmt == "jsonl":
            told = {
                "name": choice.name,
                "geonameid": choice.geonameid,
                "place": choice.label,
                "country": choice.country,
                "admin1": choice.admin1,
                "who": choice.who,
                "when": choice.when.isoformat() if choice.when else None,
            }
            click.echo(json.dumps(told, ensure_ascii=False))
        else:
            where = f" in {area}" if area else ""
            click.echo(f"{choice.name}{where}: {choice.label} (GeoNames {choice.geonameid}), by {choice.who} on {when}")
    if not choices:
        say("no place is settled in this book")
    for name, count in unsettled["place_name"].value_counts().items():
        say(f"in doubt: {name}, {count} incident{'' if count == 1 else 's'}; see incidents geocode {name!r}")


@places.command("settle")
@click.argument("name")
@click.argument("geonameid", type=int)
@country_option("Only where the rules put the name in this country, or nowhere", multiple=False)
@database_option
def settle(*, name: str, geonameid: int, country: str | None, database: str | None) -> None:
    """Settle that NAME means the place GEONAMEID (`incidents geocode NAME --format jsonl` lists them).

    Incidents of that name move there, except where a person has reviewed them, where the source states its own
    point, or where the report itself names an area that does not hold the place.
    """
    from incidents.errors import StoreError

    settings = get_settings(database_url=database)
    with open_gazetteer(settings) as index:
        place = index.get_place(geonameid)
    if place is None:
        raise StoreError(f"the place index holds no place with the GeoNames id {geonameid}")
    with open_store(settings) as store:
        result = store.settle_place(name, place, country=country, who=get_who(settings))
        (choice,) = [c for c in store.load_settled() if c.geonameid == geonameid and c.country == country][:1]
    say(f"{choice.name} is {choice.label}: {_count(len(result.changed))} moved there")
    for incident_id, reason in result.kept.items():
        say(f"left as it is: {incident_id}: {reason}")


@places.command("unsettle")
@click.argument("name")
@country_option("The choice for this country, where there are several", multiple=False)
@click.option("--admin1", metavar="CC.XX", help="The choice for this region, as `incidents places list` names it.")
@database_option
def unsettle(*, name: str, country: str | None, admin1: str | None, database: str | None) -> None:
    """Take back what was settled for NAME; its incidents get back the place they had."""
    settings = get_settings(database_url=database)
    with open_store(settings) as store:
        if admin1 is not None and country is None:
            country = admin1.partition(".")[0].upper()
        result = store.unsettle_place(name, country=country, admin1=admin1, who=get_who(settings))
    say(f"{name} is open again: {_count(len(result.changed))} put back")
    for incident_id, reason in result.kept.items():
        say(f"left as it is: {incident_id}: {reason}")


def _count(number: int) -> str:
    return f"{number} incident{'' if number == 1 else 's'}"
