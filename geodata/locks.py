"""Taking turns: an exclusive lock on a file, between processes and threads."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["hold_lock"]


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file while the block runs; the file is made and stays.

    Parameters
    ----------
    path : Path
        In a directory that exists. The lock goes with the process, so a killed one leaves none behind.

    Raises
    ------
    OSError
        The file cannot be opened for writing.
    """
    with path.open("a+b") as file:
        if os.name == "nt":  # pragma: no cover - Windows
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            while True:
                try:
                    file.seek(0)
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
                    break
                except OSError:
                    time.sleep(0.2)
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl  # noqa: PLC0415 - does not exist on Windows

            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(file.fileno(), fcntl.LOCK_UN)
