"""Write incidents in the formats that other tools take: a registry, one file a format.

``docs/adding-an-exporter.md`` tells how to add one.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol, cast

import pandas as pd

from incidents import __version__
from incidents.errors import ExportError, UnknownName
from incidents.schema import conform

__all__ = ["EXPORTERS", "Exporter", "get_exporter", "to_bytes", "write_export"]


class Write(Protocol):
    """What a format's module offers as ``write``: the frame, conformed, into an open binary file."""

    def __call__(self, frame: Any, file: IO[bytes], *, metadata: Mapping[str, object]) -> None: ...


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format.

    Attributes
    ----------
    name : str
        What ``--format`` takes.
    label : str
        The words shown to people.
    suffixes : tuple of str
        File name endings, the usual one first.
    media_type : str
        For downloads.
    module : str
        The module that has ``write``; imported when used.
    losses : tuple of str
        What the format cannot keep, in plain words.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    media_type: str
    module: str
    losses: tuple[str, ...] = ()

    def write(self, frame: pd.DataFrame, file: IO[bytes], *, metadata: Mapping[str, object] | None = None) -> None:
        """Write a frame into an open binary file, all rows, in their order."""
        write = cast("Write", import_module(self.module).write)
        write(conform(frame), file, metadata={"program_version": __version__, **(metadata or {})})


_CLAIMS = "claims are left out"

EXPORTERS: dict[str, Exporter] = {
    e.name: e
    for e in (
        Exporter(
            "geojson",
            "GeoJSON",
            (".geojson", ".json"),
            "application/geo+json",
            "incidents.exporters.geojson",
            (_CLAIMS,),
        ),
        Exporter(
            "csv",
            "CSV",
            (".csv",),
            "text/csv; charset=utf-8",
            "incidents.exporters.csv",
            (_CLAIMS, "filters and time of the export are left out"),
        ),
    )
}
"""The known formats, by name."""


def get_exporter(name: str) -> Exporter:
    """Return the exporter of this name.

    Raises
    ------
    UnknownName
        The message lists the known ones.
    """
    known = EXPORTERS.get(name.lower())
    if known is None:
        raise UnknownName(f"There is no export format {name!r}; known are {', '.join(EXPORTERS)}")
    return known


def write_export(
    frame: pd.DataFrame, path: str | Path, *, fmt: str | None = None, metadata: Mapping[str, object] | None = None
) -> Path:
    """Write a frame to a file, whole or not at all.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        Contract columns; all rows are written, in their order, the unlocated ones too.
    path : str or Path
        An existing file is replaced.
    fmt : str, optional
        A name of `EXPORTERS`; else the file name's ending says.
    metadata : mapping, optional
        Such as filters in words, time, program version; kept where the format has a place for it.

    Raises
    ------
    UnknownName
        No such format.
    ExportError
        The file cannot be written.
    """
    path = Path(path)
    exporter = get_exporter(fmt) if fmt else _find_exporter(path)
    return _write_file(path, lambda file: exporter.write(frame, file, metadata=metadata))


def to_bytes(frame: pd.DataFrame, fmt: str, *, metadata: Mapping[str, object] | None = None) -> bytes:
    """Return an export as bytes, for a download."""
    buffer = io.BytesIO()
    get_exporter(fmt).write(frame, buffer, metadata=metadata)
    return buffer.getvalue()


def _find_exporter(path: Path) -> Exporter:
    for exporter in EXPORTERS.values():
        if path.name.lower().endswith(exporter.suffixes):
            return exporter
    known = ", ".join(suffix for e in EXPORTERS.values() for suffix in e.suffixes)
    raise UnknownName(f"{path.name!r} does not end in a known format's suffix ({known}); rename it or name the format")


def _write_file(path: Path, write: Callable[[IO[bytes]], None]) -> Path:
    """Write beside the target first, so that a failure leaves what was there."""
    temporary: str | None = None
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as pipe:  # a pipe or a device, such as /dev/stdout: written to, never replaced
                write(pipe)
            return path
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".export-", delete=False) as file:
            temporary = file.name
            write(file)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_get_umask()
        Path(temporary).chmod(mode)  # temporary files are private, exports are ordinary ones
        Path(temporary).replace(path)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
    return path


def _get_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
