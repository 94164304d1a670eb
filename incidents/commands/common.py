"""What the commands share: options, settings, opening things, writing, progress."""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from incidents.errors import ExportError
from incidents.settings import Settings, hide_password

if TYPE_CHECKING:
    from geodata.gazetteer import Gazetteer
    from geodata.settled import Settled
    from incidents.reading import Reader
    from incidents.sources import FetchPolicy, Limits
    from incidents.store import Store

__all__ = [
    "DATE",
    "country_option",
    "database_option",
    "get_policy",
    "get_settings",
    "get_who",
    "load_reader",
    "load_settled",
    "make_limits",
    "open_gazetteer",
    "open_store",
    "say",
    "show_progress",
    "write_output",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Date(click.ParamType[date]):
    """A day as YYYY-MM-DD."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a date; write it like 2022-04-08", param, ctx)


DATE = _Date()


class _Country(click.ParamType[str]):
    """A country as two letters, ISO 3166-1."""

    name = "country"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from geodata.countries import load_country_table

        code = str(value).upper()
        if code not in load_country_table():
            self.fail(f"{str(value)!r} is not the two-letter code of a country; write it like UA", param, ctx)
        return code


def country_option(text: str, *, multiple: bool) -> Callable[[_Command], _Command]:
    """Add ``--country XX``: one code, or ``countries``, a tuple of them."""
    name = "countries" if multiple else "country"
    words = f"{text}; repeatable." if multiple else f"{text}."
    return click.option("--country", name, metavar="XX", type=_Country(), multiple=multiple, help=words)


def database_option(command: _Command) -> _Command:
    """Add ``--database URL``."""
    return click.option(
        "--database",
        metavar="URL",
        help="The book of incidents. [default: sqlite:///incidents.db, or INCIDENTS_DATABASE_URL]",
    )(command)


def get_settings(**flags: object) -> Settings:
    """Return the settings, with ``--config`` of the main command and the flags of this one."""
    found = click.get_current_context().find_root().obj
    return Settings.load(found if isinstance(found, Path) else None, None, **flags)


def get_who(settings: Settings) -> str:
    """Return the name for the history: the setting, else the login name."""
    if settings.who:
        return settings.who
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no login name, as in some containers
        return "unknown"


def say(message: str, *, hide: bool = False) -> None:
    """Tell the person something, on standard error."""
    if not hide:
        click.echo(" ".join(message.split()), err=True)


def open_store(settings: Settings) -> Store:
    """Open the book of the settings."""
    from incidents.store import Store

    return Store.open(settings.database_url)


def describe_database(settings: Settings) -> str:
    """Return the database's address as it may be shown."""
    return hide_password(settings.database_url)


def open_gazetteer(settings: Settings) -> Gazetteer:
    """Open the place index; the first time it is built, with a bar."""
    from geodata.gazetteer import Gazetteer

    with show_progress("Building the place index (once)", unit="step") as tell:
        return Gazetteer.open(settings.gazetteer_path, progress=tell)


def load_reader(settings: Settings) -> Reader:
    """Load the reader with the place index of the settings."""
    from incidents.reading import Reader

    return Reader.load(gazetteer=open_gazetteer(settings))


def load_settled(settings: Settings) -> Settled:
    """Load the settled places of a book that is there: reading creates none.

    Raises
    ------
    StoreError
        There is no such book.
    """
    from geodata.settled import index_settled
    from incidents.errors import StoreError

    path = settings.database_url.removeprefix("sqlite:///")
    if path != settings.database_url and not Path(path).is_file():
        raise StoreError(f"{path}: there is no such book")
    with open_store(settings) as store:
        return index_settled(store.load_settled())


def make_limits(settings: Settings) -> Limits:
    """Return the size limits of the settings."""
    from incidents.sources import Limits

    return Limits(article_bytes=settings.max_upload_mb * 1_000_000, table_bytes=settings.max_table_mb * 1_000_000)


def get_policy(settings: Settings) -> FetchPolicy:
    """Return what the settings allow to be fetched.

    Raises
    ------
    SourceUnavailable
        Through the policy's resolver, where fetching is switched off.
    """
    from incidents.errors import SourceUnavailable
    from incidents.sources import FetchPolicy
    from incidents.sources.web import resolve_host

    def refuse(host: str, _port: int) -> list[str]:
        raise SourceUnavailable(f"{host}: fetching by address is switched off (setting fetch)")

    return FetchPolicy(
        max_bytes=settings.max_upload_mb * 1_000_000,
        timeout_s=settings.fetch_timeout_s,
        contact=settings.contact,
        resolve=resolve_host if settings.fetch else refuse,
    )


@contextmanager
def show_progress(label: str, *, unit: str = "article") -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error while the work reports (done, in all); nothing when it is no terminal.

    The bar appears with the first report, so quick work shows none.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from tqdm import tqdm

    bars: list[Any] = []

    def tell(done: int, total: int) -> None:
        if not bars:
            scale = unit == "B"  # bytes are shown as kB and MB
            bars.append(
                tqdm(total=total or None, desc=label, unit=unit, unit_scale=scale, file=sys.stderr, leave=False)
            )
        bars[0].total = total or None
        bars[0].update(done - bars[0].n)

    try:
        yield tell
    finally:
        for bar in bars:
            bar.close()


def write_output(data: bytes, path: Path | None) -> None:
    """Write to a file, whole or not at all, or to standard output.

    Raises
    ------
    ExportError
        The file cannot be written.
    """
    if path is None:
        stream = sys.stdout.buffer
        stream.write(data)
        stream.flush()
        return
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a pipe or a device, such as /dev/stdout
            return
        mask = os.umask(0)
        os.umask(mask)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(temporary).chmod(0o666 & ~mask)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ExportError(f"{path}: cannot be written ({error.strerror or error})") from error
