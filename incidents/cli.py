"""The command line: ``incidents …`` and ``python -m incidents …``.

Data goes to standard output, talk to standard error. Exit code 0 is fine, 1 an error told in one line, 2 a command
that was not understood. Each command's module is only imported when it is called, so ``--help`` is instant.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from geodata.errors import GeodataError
from incidents import __version__
from incidents.errors import IncidentsError

__all__ = ["cli", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "read": ("incidents.commands.reading:read", "Read the incidents of articles; nothing is stored."),
    "batch": ("incidents.commands.reading:batch", "Read many articles, JSONL in and JSONL out."),
    "import": ("incidents.commands.store:import_", "Read articles and tables into the book."),
    "export": ("incidents.commands.store:export", "Write incidents as GeoJSON, CSV and other formats."),
    "brief": ("incidents.commands.store:brief", "Draw a briefing page: map, figures, table, sources."),
    "history": ("incidents.commands.store:history", "Show who changed what, when and why."),
    "geocode": ("incidents.commands.places:geocode", "Find the places that a name can mean, with reasons."),
    "places": ("incidents.commands.settling:places", "Settle what a name means in the book."),
    "gazetteer": ("incidents.commands.gazetteer:gazetteer", "Look at the offline place index, and add places to it."),
    "serve": ("incidents.commands.system:serve", "Open the dashboard in the browser."),
    "doctor": ("incidents.commands.system:doctor", "Check that everything this needs is in place."),
}
"""Name -> where it is defined, and its line in the help (so that listing the commands imports none of them)."""


class _Group(click.Group):
    """A group that imports a command when it is called, and tells our errors in one line."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        found = getattr(importlib.import_module(module), attribute)
        return found if isinstance(found, click.Command) else None

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (IncidentsError, GeodataError) as error:
            text = " ".join("".join(c if c.isprintable() else " " for c in str(error)).split())
            click.echo(f"error: {text or type(error).__name__}", err=True)
            ctx.exit(1)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file. [default: ./incidents.toml]"
)
@click.version_option(__version__, prog_name="incidents")
@click.pass_context
def cli(ctx: click.Context, config: Path | None) -> None:
    """Read conflict incidents out of articles and tables, place them offline, map and export them.

    \b
    Examples:
      incidents read article.html
      incidents import article.html events.csv
      incidents export -o incidents.geojson --type missile_strike --min-killed 10
      incidents serve
    """  # noqa: D301 - click's mark for a paragraph that is not to be re-wrapped
    ctx.obj = config


def main() -> None:
    """Run the command line; the entry point."""
    for stream in (sys.stdout, sys.stderr):
        # names in any script must not end in a traceback on a terminal that cannot show them
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="incidents")


if __name__ == "__main__":
    main()
