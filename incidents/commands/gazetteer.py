"""``incidents gazetteer``: what is in the offline place index, and adding places to it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from incidents.commands.common import get_settings, open_gazetteer, say, show_progress

if TYPE_CHECKING:
    from geodata.overlay_file import Addition

__all__ = ["gazetteer"]

_WHAT = {"dump": "GeoNames places", "names": "GeoNames alternate names", "places": "your places"}


@click.group()
def gazetteer() -> None:
    """Look at the offline place index, and add places to it.

    The index knows towns all over the world, but few villages outside Europe. More come from GeoNames' free country
    files, or from a table of your own; docs/places.md tells how.

    \b
    Examples:
      incidents gazetteer status
      incidents gazetteer download BF
      incidents gazetteer add my-places.csv
      incidents gazetteer remove BF
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped


@gazetteer.command()
def status() -> None:
    """Show what is in the place index, what was added, from when, and under which licence.

    \b
    Example:
      incidents gazetteer status
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    with open_gazetteer(get_settings()) as index:
        found = index.status()
        added: list[dict[str, Any]] = found.pop("additions", [])  # type: ignore[assignment]
        damaged: list[str] = found.pop("damaged_additions", [])  # type: ignore[assignment]
        for key, value in found.items():
            shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
            click.echo(f"{key.replace('_', ' '):<16} {shown}")
        faults = index.check()
    for one in added:
        _show_addition(one)
    for name in damaged:
        click.echo(f"{'added':<16} {name}: the file is damaged and left out; add it again, or remove it")
    if not added and not damaged:
        click.echo(f"{'added':<16} nothing")
    say("the index is whole" if not faults else f"the index is damaged: {faults[0]}")


def _show_addition(one: dict[str, Any]) -> None:
    said = f", last modified {one['last_modified']}" if one["last_modified"] else ""
    counts = f"{one['places']:,} places, {one['names']:,} names" if one["places"] else f"{one['names']:,} names"
    left_out = f" ({one['skipped']:,} rows left out)" if one["skipped"] else ""
    click.echo(f"{'added':<16} {_plain(one['name'])}: {_WHAT.get(one['kind'], one['kind'])}, {counts}{left_out}")
    click.echo(f"{'':<16}   from {_plain(one['origin'])}, {one['size']:,} bytes{said}")
    click.echo(f"{'':<16}   data of {one['dated']}, added {one['added_at']}; licence: {one['licence']}")


def _plain(text: object) -> str:
    """Take away what could move the terminal's cursor: file names may hold anything."""
    return "".join(c if c.isprintable() else "?" for c in str(text))


@gazetteer.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="What it is called in status and remove. [default: by its content]")
def add(*, file: Path, name: str | None) -> None:
    """Add the places of FILE: a GeoNames file (zip or txt), or a CSV with name, lat and lon.

    Works offline. FILE goes in whole or, if anything in it cannot be used, not at all.

    \b
    Examples:
      incidents gazetteer add BF.zip
      incidents gazetteer add alternatenames-BF.zip
      incidents gazetteer add my-places.csv
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from geodata.overlay import add_file

    settings = get_settings()
    open_gazetteer(settings).close()  # builds the index with a bar where there is none yet
    say(f"reading {_plain(file.name)}; a large country takes half a minute")
    _tell_added(add_file(file, index=settings.gazetteer_path, name=name))


@gazetteer.command()
@click.argument("country", metavar="CC")
@click.option("--names", is_flag=True, help="Fetch the country's alternate names too, with old ones marked as old.")
def download(*, country: str, names: bool) -> None:
    """Fetch a country's places from GeoNames (CC BY 4.0) and add them.

    CC is the country's two-letter code. A download that broke off goes on where it stopped when the same command is
    given again. This is one of the few commands that use the network.

    \b
    Examples:
      incidents gazetteer download BF
      incidents gazetteer download SD --names
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from geodata.geonames_download import download_table
    from geodata.index import get_index_path
    from geodata.overlay import add_file

    settings = get_settings()
    open_gazetteer(settings).close()
    folder = get_index_path(settings.gazetteer_path).parent / "downloads"
    for wanted in (False, True) if names else (False,):
        with show_progress(f"Fetching {country.upper()}{' names' if wanted else ''}", unit="B") as tell:
            fetched = download_table(
                country, names=wanted, base_url=settings.geonames_url, folder=folder, progress=tell
            )
        try:
            _tell_added(
                add_file(
                    fetched.path,
                    index=settings.gazetteer_path,
                    origin=fetched.url,
                    last_modified=fetched.last_modified,
                )
            )
        finally:
            with contextlib.suppress(OSError):
                fetched.path.unlink()


@gazetteer.command()
@click.argument("name")
def remove(*, name: str) -> None:
    """Take out what was added under NAME (see status).

    \b
    Example:
      incidents gazetteer remove BF
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from geodata.overlay import remove_addition

    gone = remove_addition(name, index=get_settings().gazetteer_path)
    say(f"removed {gone.name}: {gone.places:,} places, {gone.names:,} names" if gone else f"removed {name}")


def _tell_added(one: Addition) -> None:
    left_out = f"; {one.skipped:,} rows of kinds that the index does not hold were left out" if one.skipped else ""
    say(f"added {one.name}: {one.places:,} places, {one.names:,} names{left_out}")
    for note in one.notes:
        say(f"note: {_plain(note)}")
