"""The filter options that ``export`` and ``brief`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from incidents.commands.common import DATE
from incidents.taxonomy import TYPES

if TYPE_CHECKING:
    from incidents.filters import Filter

__all__ = ["filter_options", "make_filter"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Box(click.ParamType[tuple[float, float, float, float]]):
    """A box as LON,LAT,LON,LAT: west, south, east, north; west may be greater than east across the antimeridian."""

    name = "box"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float, float]:
        if isinstance(value, tuple) and len(value) == 4:
            return value
        try:
            west, south, east, north = (float(v) for v in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a box; write west,south,east,north in degrees, like 30,45,40,50", param, ctx)
        if not (abs(west) <= 180 and abs(east) <= 180 and -90 <= south <= north <= 90):
            self.fail(f"{value!r}: longitudes are -180 to 180, latitudes -90 to 90, south before north", param, ctx)
        return west, south, east, north


_OPTIONS = (
    click.option(
        "--type", "types", multiple=True, type=click.Choice(TYPES), metavar="TYPE", help="One type; repeatable."
    ),
    click.option("--min-killed", type=click.IntRange(0), help="At least so many killed."),
    click.option("--max-killed", type=click.IntRange(0), help="At most so many killed."),
    click.option("--min-injured", type=click.IntRange(0), help="At least so many injured."),
    click.option("--max-injured", type=click.IntRange(0), help="At most so many injured."),
    click.option("--unstated", is_flag=True, help="With these, keep incidents whose figure is not stated too."),
    click.option("--from", "date_from", type=DATE, help="First day (YYYY-MM-DD)."),
    click.option("--to", "date_to", type=DATE, help="Last day (YYYY-MM-DD)."),
    click.option("--undated", is_flag=True, help="With --from or --to, keep incidents without a date too."),
    click.option("--country", "countries", multiple=True, metavar="XX", help="ISO 3166 two-letter code; repeatable."),
    click.option("--bbox", type=_Box(), metavar="W,S,E,N", help="Only points within this box, degrees."),
    click.option(
        "--within", type=click.Path(exists=True, dir_okay=False), help="Only points within this polygon file."
    ),
    click.option("--text", default="", help="Words in title, place or evidence; accents do not matter."),
)


def filter_options(command: _Command) -> _Command:
    """Add the filter options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def make_filter(*, background: bool, **options: Any) -> Filter:
    """Build the filter of the options.

    A figure that is not stated is neither small nor large: with a range of figures such incidents are left out
    unless ``--unstated`` asks for them, and the same holds for undated ones and a range of days.

    Parameters
    ----------
    background : bool
        Whether incidents that reports only recall are kept.
    **options
        As `filter_options` names them.
    """
    from incidents.filters import Filter

    dated = options["date_from"] is not None or options["date_to"] is not None
    return Filter(
        types=frozenset(options["types"]),
        killed_min=options["min_killed"],
        killed_max=options["max_killed"],
        killed_unstated=options["unstated"] or (options["min_killed"] is None and options["max_killed"] is None),
        injured_min=options["min_injured"],
        injured_max=options["max_injured"],
        injured_unstated=options["unstated"] or (options["min_injured"] is None and options["max_injured"] is None),
        date_from=options["date_from"],
        date_to=options["date_to"],
        undated=options["undated"] or not dated,
        countries=frozenset(c.upper() for c in options["countries"]),
        bbox=options["bbox"],
        within=options["within"],
        text=options["text"],
        background=background,
    )
