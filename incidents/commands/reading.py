"""``incidents read`` and ``incidents batch``: texts to incidents, nothing stored."""

from __future__ import annotations

import functools
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from incidents.commands.common import (
    DATE,
    country_option,
    get_policy,
    get_settings,
    load_reader,
    load_settled,
    make_limits,
    open_gazetteer,
    say,
    show_progress,
    write_output,
)
from incidents.errors import IncidentsError

if TYPE_CHECKING:
    from incidents.reading import Reader
    from incidents.report import Report

__all__ = ["batch", "read"]

_FORMATS = ("table", "geojson", "jsonl", "csv")
_BY_SUFFIX = {".geojson": "geojson", ".json": "geojson", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}


@click.command()
@click.argument("locations", nargs=-1, required=True, metavar="FILE|URL|-...")
@click.option("--published", type=DATE, help="Publication date, where the article does not carry one (YYYY-MM-DD).")
@click.option(
    "--format",
    "fmt",
    type=click.Choice(_FORMATS),
    help="[default: by the output's ending; else table on a terminal, geojson otherwise]",
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write here, not to the screen.")
@click.option("--explain", is_flag=True, help="Say for every value which rule gave it, and from which words.")
@click.option("--source", default="auto", show_default=True, help="Kind of input: auto, article, jsonl, table.")
@country_option("A country that the articles are about, for names that could lie in several", multiple=True)
@click.option("--database", metavar="URL", help="Use the places that were settled in this book.")
def read(
    *,
    locations: tuple[str, ...],
    published: date | None,
    fmt: str | None,
    output: Path | None,
    explain: bool,
    source: str,
    countries: tuple[str, ...],
    database: str | None,
) -> None:
    """Read the incidents of one or more articles. Nothing is stored.

    FILE is a text, HTML, PDF or DOCX file, a table, or many articles as JSONL; an http(s) address is fetched; - is
    standard input.

    \b
    Examples:
      incidents read article.html
      incidents read --published 2022-04-08 --explain article.txt
      incidents read --country UA --country RU article.txt
      pbpaste | incidents read - --format geojson > incidents.geojson
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from incidents.pipeline import read_reports
    from incidents.sources import read_source

    settings = get_settings(database_url=database)
    settled = load_settled(settings) if database else None
    chosen = fmt or _BY_SUFFIX.get(output.suffix.lower() if output else "") or _guess_format(output)
    reports: list[Report] = []
    for location in locations:
        found = read_source(
            location, source=source, published_on=published, limits=make_limits(settings), policy=get_policy(settings)
        )
        reports.extend(found.reports)
        for warning in found.warnings:
            say(f"note: {warning}")
        for row in found.rejected:
            say(f"rejected: row {row.row}: {row.column or ''} {row.value!r}: {row.reason}")
    reader = load_reader(settings)
    with show_progress("Reading") as tell:
        result = read_reports(
            reports,
            reader=reader,
            gazetteer=open_gazetteer(settings),
            countries=countries,
            settled=settled,
            progress=tell,
        )
    for warning in result.warnings:
        say(f"note: {warning}")
    for reason in result.rejected["reason"]:
        say(f"left out: {reason}")
    for note in dict.fromkeys(note for reading in result.readings for note in reading.notes):
        say(f"note: {note}")

    from incidents.commands.show import explain_readings, render_result

    write_output(render_result(result, fmt=chosen), output)
    if explain:
        text = explain_readings(result.readings)
        # beside a table it is part of what was asked for; it must not spoil GeoJSON or CSV
        if chosen == "table":
            write_output(text.encode("utf-8", "backslashreplace"), None)
        else:
            click.echo(text, err=True)


def _guess_format(output: Path | None) -> str:
    return "table" if output is None and sys.stdout.isatty() else "geojson"


@click.command()
@click.argument("source", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), metavar="IN.jsonl")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="OUT.jsonl",
    help="Results, one line an article, in the same order; - for standard output.",
)
@click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes to read with.")
def batch(*, source: Path, output: Path, workers: int) -> None:
    """Read many articles: one JSON object a line, {"id", "text", "publication_date"?, "language"?}.

    A line that cannot be read gives an {"id", "error"} line, and the rest go on.

    \b
    Example:
      incidents batch articles.jsonl -o incidents.jsonl --workers 2
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from incidents.bulk import run_batch

    settings = get_settings()
    # built here once, so that the workers find it ready
    open_gazetteer(settings).close()
    make = functools.partial(make_reader, str(settings.gazetteer_path) if settings.gazetteer_path else None)
    with show_progress("Reading") as tell:
        counts = run_batch(
            source if str(source) != "-" else sys.stdin.buffer,
            output if str(output) != "-" else sys.stdout.buffer,
            reader=make,
            workers=workers,
            progress=lambda done: tell(done, 0),
        )
    say(f"{counts.lines} articles read, {counts.incidents} incidents, {counts.errors} lines with errors")
    if counts.lines and counts.errors == counts.lines:
        raise IncidentsError(f"none of the {counts.lines} lines could be read; the reasons are in {output}")


def make_reader(gazetteer_path: str | None) -> Reader:
    """Load a reader; by name importable, so that worker processes can call it."""
    from geodata.gazetteer import Gazetteer
    from incidents.reading import Reader

    return Reader.load(gazetteer=Gazetteer.open(Path(gazetteer_path) if gazetteer_path else None))
