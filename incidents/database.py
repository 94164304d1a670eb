"""Open a book's database: check it in plain words, set it up for several users, bring it to this version's tables."""

from __future__ import annotations

import contextlib
import sqlite3
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import incidents
from incidents.errors import StoreError, StoreVersionError
from incidents.tables import HEAD_REVISION, meta

__all__ = ["begin_read", "begin_write", "open_engine", "translate_errors"]

_BUSY_SECONDS = 60.0
"""How long a user action waits for another process's transaction before it gives up."""

_CACHE_KIB = 64 * 1024
"""Pages that a connection may keep; with SQLite's 2 MB a large import reads its indexes again and again."""

_SQLITE_HEADER = b"SQLite format 3\x00"


def open_engine(url: str) -> sa.Engine:
    """Return an engine on the book at `url`, created or upgraded as needed.

    Parameters
    ----------
    url : str
        Such as ``sqlite:///incidents.db`` (relative) or ``sqlite:////data/incidents.db`` (absolute).

    Raises
    ------
    StoreVersionError
        A newer version of the program made the book.
    StoreError
        It cannot be opened; one line says why and what to do.
    """
    path = _check_url(url)
    _check_path(path)
    engine = sa.create_engine(
        sa.engine.URL.create("sqlite", database=str(path)), connect_args={"timeout": _BUSY_SECONDS}
    )
    sa.event.listen(engine, "connect", _set_up_connection)
    sa.event.listen(engine, "begin", _begin)
    try:
        with translate_errors(path):
            _set_wal(engine)
            with begin_read(engine) as connection:
                revision = _find_revision(connection, path=path)
            if revision != HEAD_REVISION:
                with begin_write(engine) as connection:
                    _upgrade(connection, path=path)
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextlib.contextmanager
def begin_read(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection that sees one state of the book throughout, whatever others write meanwhile."""
    with engine.connect() as connection, connection.begin():
        yield connection


@contextlib.contextmanager
def begin_write(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection that is the only one to write; all is kept at the end, or nothing after an error.

    The lock is taken at the start: a transaction that reads first and asks to write later can fail in SQLite without
    ever having waited.
    """
    with engine.connect().execution_options(incidents_write=True) as connection, connection.begin():
        yield connection


@contextlib.contextmanager
def translate_errors(where: object) -> Iterator[None]:
    """Turn the database's errors into `StoreError`, in one line."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise StoreError(f"{where}: {_explain(str(error.orig))}") from error
    except sa.exc.SQLAlchemyError as error:
        raise StoreError(f"{where}: {' '.join(str(error).split())}") from error
    except sqlite3.Error as error:
        raise StoreError(f"{where}: {_explain(str(error))}") from error


def _explain(message: str) -> str:
    known = {
        "database is locked": "another program keeps the book busy; try again, or close the other program",
        "file is not a database": "this file is not an incident book (not an SQLite database); choose another file",
        "database disk image is malformed": "the book is damaged; restore it from a backup",
        "attempt to write a readonly database": "the book is read-only; check the permissions of the file and folder",
        "unable to open database file": "the book cannot be opened; check that folder and file may be read and written",
        "database or disk is full": "the disk is full; nothing was saved",
    }
    return next((text for part, text in known.items() if part in message), " ".join(message.split()))


def _check_url(url: str) -> Path:
    try:
        parsed = sa.engine.make_url(url)
    except sa.exc.ArgumentError:
        raise StoreError(f"{url!r} is no database address; write it like sqlite:///incidents.db") from None
    if parsed.get_backend_name() != "sqlite":
        shown = parsed.render_as_string(hide_password=True)
        raise StoreError(f"{shown}: this version keeps books in SQLite only; write it like sqlite:///incidents.db")
    if not parsed.database or parsed.database == ":memory:" or parsed.database.startswith("file:"):
        raise StoreError(f"{url!r} names no file; write it like sqlite:///incidents.db")
    if "?" in url:
        # what stands after a question mark is no part of the name: another file than the one meant would be made
        raise StoreError(f"{url!r}: a book's address takes no options, and its file name no question mark")
    return Path(parsed.database)


def _check_path(path: Path) -> None:
    try:
        if not path.parent.is_dir():
            raise StoreError(f"{path}: the folder {path.parent} does not exist; create it, or choose another place")
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database file; add a file name")
        if path.exists():
            with path.open("rb") as file:
                header = file.read(len(_SQLITE_HEADER))
            if header and header != _SQLITE_HEADER:
                raise StoreError(f"{path}: {_explain('file is not a database')}")
    except PermissionError:
        raise StoreError(f"{path} may not be read; check the permissions of the file and folder") from None


def _set_up_connection(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves: see _begin
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(_BUSY_SECONDS * 1000)}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("incidents_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _set_wal(engine: sa.Engine) -> None:
    """Switch to the write-ahead log, which lets readers go on while one writes; it stays set in the file."""
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        deadline = time.monotonic() + _BUSY_SECONDS
        while cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                # the switch does not wait for others by itself
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
    finally:
        raw.close()


def _find_revision(connection: sa.Connection, *, path: Path) -> str | None:
    """Return the book's revision, None for an empty file; refuse what is no book or a newer one."""
    names = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    if not names:
        return None
    if not {"alembic_version", "meta"} <= names:
        raise StoreError(f"{path} is a database of another program, not an incident book; choose another file")
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if revision == HEAD_REVISION:
        return HEAD_REVISION
    if revision not in _list_revisions():
        raise StoreVersionError(
            f"{path} was made by a newer version of Incident Atlas (its tables are version {revision}, this program "
            f"knows {HEAD_REVISION}); update the program, or open another book"
        )
    return str(revision)


def _make_config(connection: sa.Connection | None) -> Any:
    from alembic.config import Config  # noqa: PLC0415 - only needed when a book is made or upgraded

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _list_revisions() -> set[str]:
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - see _make_config

    return {script.revision for script in ScriptDirectory.from_config(_make_config(None)).walk_revisions()}


def _upgrade(connection: sa.Connection, *, path: Path) -> None:
    """Bring the book to this version, in the caller's transaction; another process may have been faster."""
    from alembic import command  # noqa: PLC0415 - see _make_config

    if _find_revision(connection, path=path) == HEAD_REVISION:
        return
    command.upgrade(_make_config(connection), "head")
    if connection.execute(sa.select(meta.c.meta_id)).first() is None:
        connection.execute(
            meta.insert().values(
                meta_id=1,
                book_id=uuid.uuid4().hex,
                revision=0,
                created_at=datetime.now(UTC),
                program_version=incidents.__version__,
            )
        )
