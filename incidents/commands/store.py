"""``incidents import``, ``export``, ``brief`` and ``history``: everything that touches the book."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from incidents.commands.common import (
    DATE,
    country_option,
    database_option,
    get_policy,
    get_settings,
    get_who,
    load_reader,
    make_limits,
    open_gazetteer,
    open_store,
    say,
    show_progress,
    write_output,
)
from incidents.commands.filtering import filter_options, make_filter

if TYPE_CHECKING:
    from incidents.pipeline import ImportReport
    from incidents.settings import Settings
    from incidents.store import Store

__all__ = ["brief", "export", "history", "import_"]

_SHOWN_REJECTS = 20


def _parse_mapping(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for value in values:
        column, mark, target = value.rpartition("=")
        if not mark or not column:
            raise click.BadParameter(f"{value!r} is not COLUMN=FIELD")
        mapping[column] = target
    return mapping


@click.command("import")
@click.argument("locations", nargs=-1, required=True, metavar="FILE|URL|-...")
@click.option("--source", default="auto", show_default=True, help="Kind of input: auto, article, jsonl, table.")
@click.option(
    "--map",
    "mapping",
    multiple=True,
    callback=_parse_mapping,
    metavar="COLUMN=FIELD",
    help="Name a column's field; repeatable. An empty field leaves it out.",
)
@click.option("--date-order", type=click.Choice(["dmy", "mdy"]), help="For tables whose dates can be read both ways.")
@click.option("--published", type=DATE, help="Publication date for articles that do not carry one (YYYY-MM-DD).")
@country_option("A country that the input is about, for names that could lie in several", multiple=True)
@click.option("--dry-run", is_flag=True, help="Read and check everything, store nothing.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.json",
    help="Write what was done, with every rejected row.",
)
@database_option
def import_(
    *,
    locations: tuple[str, ...],
    source: str,
    mapping: dict[str, str],
    date_order: str | None,
    published: date | None,
    countries: tuple[str, ...],
    dry_run: bool,
    report: Path | None,
    database: str | None,
) -> None:
    """Read articles and tables into the book.

    Every row is added, known already (importing twice changes nothing), or rejected with its reason. One import is
    one transaction.

    \b
    Examples:
      incidents import article.html report.pdf
      incidents import events.csv --dry-run --report what-would-happen.json
      incidents import events.csv --map "Nr. of dead=killed" --date-order dmy
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from incidents.pipeline import import_files

    settings = get_settings(database_url=database)
    with _open_for_import(settings, dry_run=dry_run) as store, show_progress("Reading") as tell:
        outcome = import_files(
            locations,
            store=store,
            reader=functools.partial(load_reader, settings),
            gazetteer=functools.partial(open_gazetteer, settings),
            source=source,
            mapping=mapping,
            date_order=date_order,
            published_on=published,
            limits=make_limits(settings),
            policy=get_policy(settings),
            countries=countries,
            dry_run=dry_run,
            who=get_who(settings),
            progress=tell,
        )
    if report:
        write_output(outcome.to_json().encode("utf-8", "backslashreplace") + b"\n", report)
    _tell_outcome(outcome)


@contextmanager
def _open_for_import(settings: Settings, *, dry_run: bool) -> Iterator[Store | None]:
    """Open the book; a dry run never creates one."""
    path = settings.database_url.removeprefix("sqlite:///")
    if dry_run and path != settings.database_url and not Path(path).exists():
        yield None
        return
    with open_store(settings) as store:
        yield store


def _tell_outcome(outcome: ImportReport) -> None:
    for warning in outcome.warnings[:_SHOWN_REJECTS]:
        say(f"note: {warning}")
    for entry in outcome.rejected[:_SHOWN_REJECTS]:
        where = f"{entry['file']}: " if "file" in entry else ""
        column = f", column {entry['column']}" if entry["column"] else ""
        value = f" {entry['value']!r}" if entry["value"] else ""
        say(f"rejected: {where}row {entry['row']}{column}{value}: {entry['reason']}")
    left = max(len(outcome.warnings) - _SHOWN_REJECTS, 0) + max(len(outcome.rejected) - _SHOWN_REJECTS, 0)
    if left:
        say(f"… and {left} more; --report FILE.json lists them all")
    verb = "would be added" if outcome.dry_run else "added"
    say(
        f"{outcome.rows_read} read, {outcome.rows_added} {verb} ({outcome.incidents_added} incidents), "
        f"{outcome.rows_duplicate} known already, {outcome.rows_rejected} rejected"
    )


@click.command()
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="File to write; its ending says the format. - for standard output.",
)
@click.option("--format", "fmt", metavar="NAME", help="Format, where the file's ending does not say it.")
@filter_options
@click.option("--current-only", is_flag=True, help="Leave out background: earlier events that a report only recalls.")
@database_option
def export(*, output: Path, fmt: str | None, current_only: bool, database: str | None, **options: Any) -> None:
    """Write incidents as GeoJSON, CSV and other formats.

    Without filters every incident is written, those without a location too.

    \b
    Examples:
      incidents export -o incidents.geojson
      incidents export -o strikes.csv --type missile_strike --type air_strike --min-killed 10 --from 2022-03-01
      incidents export -o - --format geojson --country UA | jq .
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from incidents.exporters import to_bytes, write_export
    from incidents.filters import apply_filter
    from incidents.summary import count_line

    settings = get_settings(database_url=database)
    chosen = make_filter(background=not current_only, **options)
    with open_store(settings) as store:
        everything = store.load()
    shown = apply_filter(everything, chosen)
    if str(output) == "-":
        write_output(to_bytes(shown, fmt or "geojson"), None)
    else:
        metadata = {"filters": chosen.describe(), "written_at": datetime.now(UTC).isoformat(timespec="seconds")}
        write_export(shown, output, fmt=fmt, metadata=metadata)
    say(count_line(everything, shown))


@click.command()
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write: .png or .pdf.",
)
@click.option("--title", help="Heading of the page.")
@click.option("--handling", help="Handling mark, such as 'Internal' or 'TLP:AMBER'.")
@filter_options
@click.option("--background", is_flag=True, help="Show earlier events that a report only recalls, too.")
@database_option
def brief(
    *, output: Path, title: str | None, handling: str | None, background: bool, database: str | None, **options: Any
) -> None:
    """Draw a briefing page: map, figures, table of incidents and sources.

    \b
    Examples:
      incidents brief -o briefing.pdf --title "Strikes in April" --from 2022-04-01 --to 2022-04-30
      incidents brief -o briefing.png --country UA --min-killed 10 --handling "For internal use"
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    from incidents.briefing import write_briefing
    from incidents.filters import apply_filter
    from incidents.summary import count_line

    settings = get_settings(database_url=database)
    chosen = make_filter(background=background, **options)
    with open_store(settings) as store:
        everything = store.load()
        shown = apply_filter(everything, chosen)
        claims = store.load_claims(list(shown["incident_id"]))
    say(count_line(everything, shown))
    with show_progress("Drawing", unit="page") as tell:
        path = write_briefing(
            shown,
            output,
            title=title,
            filter=chosen,
            handling=handling,
            as_of=datetime.now(UTC),
            total=len(everything),
            claims=claims,
            boundaries="de_facto" if settings.boundaries_policy == "de_facto" else "un",
            progress=tell,
        )
    say(f"written to {path}")


@click.command()
@click.argument("incident_id", required=False)
@click.option("--format", "fmt", type=click.Choice(["table", "csv", "jsonl"]), default="table", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write here, not to the screen.")
@database_option
def history(*, incident_id: str | None, fmt: str, output: Path | None, database: str | None) -> None:
    """Show who changed what, when and why: of one incident, or of all.

    \b
    Examples:
      incidents history
      incidents history 3f2a9c0d1e5b7a64 --format csv
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    settings = get_settings(database_url=database)
    with open_store(settings) as store:
        lines = store.history(incident_id)
    write: dict[str, Callable[[], str]] = {
        "csv": lambda: lines.to_csv(index=False),
        "jsonl": lambda: lines.to_json(orient="records", lines=True, date_format="iso", force_ascii=False),
        "table": lambda: "".join(_tell_change(row) for row in lines.to_dict("records")),
    }
    write_output(write[fmt]().encode("utf-8", "backslashreplace"), output)
    if lines.empty:
        say("no history" if incident_id is None else f"no history of {incident_id}")


def _tell_change(row: dict[str, Any]) -> str:
    def show(value: object) -> str:
        text = "nothing" if value is None or value != value else " ".join(str(value).split())  # noqa: PLR0124 - NaN
        return f"{text[:57]}…" if len(text) > 60 else text

    change = f"{row['field']}: {show(row['old'])} → {show(row['new'])}"
    why = f" ({show(row['why'])})" if row["why"] and row["why"] == row["why"] else ""
    when = row["when"].strftime("%Y-%m-%d %H:%M:%S UTC")
    about = row["incident_id"] if isinstance(row["incident_id"], str) else "the book"
    return f"{when}  {show(row['who'])}  {about}  {change}{why}\n"
