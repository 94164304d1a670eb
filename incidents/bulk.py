"""Many articles at once: JSONL in, JSONL out, in the same order, over local processes.

Each line is an article of its own: a line that cannot be read gives an ``{"id", "error"}`` line and the rest go on.
Memory stays bounded: lines are read as they are needed, in chunks, and only so many chunks are under way.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self

from geodata.errors import GeodataError
from geodata.place import Place
from incidents.errors import ExportError, IncidentsError, SourceFormatError, SourceUnavailable
from incidents.reading.records import Claim, Mention, ReadIncident, Reading
from incidents.report import Report
from incidents.sources.article import check_url, read_publication, report_from_text

__all__ = [
    "BatchCounts",
    "describe_incident",
    "describe_mention",
    "encode_record",
    "iter_lines",
    "read_batch",
    "read_line",
    "run_batch",
]

LINE_BYTES = 20_000_000
"""The longest line that is read, bytes."""

CHUNK_LINES = 4
CHUNK_BYTES = 1_000_000
"""A chunk ends at whichever comes first; small enough that two workers finish close together."""


class TextReader(Protocol):
    """What is needed of `incidents.reading.Reader`."""

    def read(self, report: Report) -> Reading:
        """Read the incidents of one report's text."""
        ...


@dataclass(slots=True)
class BatchCounts:
    """What a batch did."""

    lines: int = 0
    errors: int = 0
    incidents: int = 0


def describe_incident(incident: ReadIncident, *, text: str) -> dict[str, object]:
    """Return an incident as ``batch`` writes it; `text` is the text whose offsets it has."""
    place = _find_point(incident)
    start, end = incident.evidence_start, incident.evidence_end
    resolution = incident.mention.resolution if incident.mention else None
    best = resolution.best.place if resolution and resolution.best else None
    return {
        "place": incident.place,
        "country": best.country if best else None,
        "lat": place.lat if place else None,
        "lon": place.lon if place else None,
        "precision": incident.precision if place else "unknown",
        "type": incident.type,
        "killed_min": incident.killed_min,
        "killed_max": incident.killed_max,
        "injured_min": incident.injured_min,
        "injured_max": incident.injured_max,
        "date": incident.date_start.isoformat() if incident.date_start else None,
        "date_end": incident.date_end.isoformat() if incident.date_end else None,
        "date_precision": incident.date_precision,
        "current": incident.current,
        "contested": incident.contested,
        "attributed_to": list(incident.attributed_to),
        "evidence": text[start:end],
        "evidence_start": start,
        "evidence_end": end,
        "confidence": round(incident.confidence, 4),
        "claims": [_describe_claim(claim, text=text) for claim in incident.claims],
    }


def _find_point(incident: ReadIncident) -> Place | None:
    """Return the place when it gives a point: the same rule by which `incidents.locate` puts it on the map."""
    resolution = incident.mention.resolution if incident.mention else None
    place = resolution.best.place if resolution and resolution.best else None
    if place is None or place.lat is None or place.lon is None or incident.precision == "unknown":
        return None
    return place


def _describe_claim(claim: Claim, *, text: str) -> dict[str, object]:
    return {
        "claimant": claim.claimant,
        "measure": claim.measure,
        "group": claim.group,
        "min": claim.minimum,
        "max": claim.maximum,
        "stance": claim.stance,
        "evidence": text[claim.start : claim.end] if claim.evidence else "",
        "evidence_start": claim.start,
        "evidence_end": claim.end,
    }


def describe_mention(mention: Mention, *, text: str) -> dict[str, object]:
    """Return a place name in the text as ``batch`` writes it."""
    best = mention.resolution.best.place if mention.resolution.best else None
    pinned = best is not None and best.lat is not None and best.lon is not None
    return {
        "start": mention.start,
        "end": mention.end,
        "text": text[mention.start : mention.end],
        "lat": best.lat if best and pinned else None,
        "lon": best.lon if best and pinned else None,
        "geonameid": best.geonameid if best else None,
        "kind": mention.kind,
        "country": best.country if best else None,
        "literal": mention.literal,
    }


def read_line(line: bytes, *, reader: TextReader, number: int) -> dict[str, object]:
    """Read one article.

    Parameters
    ----------
    line : bytes
        A JSON object ``{"id", "text", "publication_date"?, "language"?}``; UTF-8.
    reader : TextReader
    number : int
        The line's number from 1, for messages.

    Returns
    -------
    dict
        ``{"id", "incidents", "toponyms"}``, with a ``"warning"`` where the publication date could not be read, or
        ``{"id", "error"}``; never an exception.
    """
    record_id: object = None
    try:
        record = _parse_line(line, number)
        record_id = record.get("id")
        text = record.get("text")
        if not isinstance(text, str):
            return {"id": record_id, "error": f'line {number}: no "text" in it'}
        if not text.strip():
            return {"id": record_id, "incidents": [], "toponyms": []}
        report, doubt = _make_report(record, text)
        reading = reader.read(report)
        return {
            "id": record_id,
            "incidents": [describe_incident(i, text=text) for i in reading.incidents],
            "toponyms": [describe_mention(m, text=text) for m in reading.mentions],
            **({"warning": f"line {number}: {doubt}"} if doubt else {}),
        }
    except IncidentsError as error:
        return {"id": record_id, "error": str(error)}
    except Exception as error:  # noqa: BLE001 - one article must never stop the others; it is reported by its id
        return {"id": record_id, "error": f"line {number}: could not be read ({type(error).__name__}: {error})"[:500]}


def _parse_line(line: bytes, number: int) -> dict[str, Any]:
    if len(line) > LINE_BYTES:
        raise SourceFormatError(f"line {number}: longer than the limit of {LINE_BYTES / 1e6:.0f} MB")
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SourceFormatError(f"line {number}: not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise SourceFormatError(f"line {number}: not JSON ({error})"[:300]) from error
    if not isinstance(record, dict):
        raise SourceFormatError(f"line {number}: not a JSON object")
    return record


def _make_report(record: dict[str, Any], text: str) -> tuple[Report, str | None]:
    day, moment, doubt = read_publication(record.get("publication_date"))

    def words(key: str) -> str | None:
        value = record.get(key)
        return value if isinstance(value, str) else None

    report = report_from_text(
        text,
        title=words("title"),
        url=check_url(words("url")),
        published_on=day,
        published_at=moment,
        publisher=words("publisher"),
        language=words("language"),
    )
    return report, doubt


def read_batch(
    lines: Iterable[bytes], *, reader: Callable[[], TextReader], workers: int = 1
) -> Iterator[dict[str, object]]:
    """Read many articles; results come in the order of the lines.

    Parameters
    ----------
    lines : iterable of bytes
        Blank lines are passed over.
    reader : callable
        Makes a reader; called once in each process, so it must be importable by name when `workers` is above 1.
    workers : int
        Processes. With 1 everything happens in this one.

    Yields
    ------
    dict
        As `read_line` returns it.
    """
    numbered = ((n, line) for n, line in enumerate(lines, start=1) if line.strip())
    if workers <= 1:
        made = reader()
        for number, line in numbered:
            yield read_line(line, reader=made, number=number)
        return
    yield from _Pool(reader, workers).run(numbered)


_Chunk = list[tuple[int, bytes]]
_worker: TextReader | Exception | None = None


def _start_worker(reader: Callable[[], TextReader]) -> None:
    global _worker  # noqa: PLW0603 - a worker process holds the one reader it loaded at its start
    # Ctrl-C reaches every process of the terminal; the parent decides what happens then
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _worker = reader()
    except (IncidentsError, GeodataError) as error:
        # an exception here would only show as a broken pool; kept, it reaches the person as itself
        _worker = error


def _read_chunk(chunk: _Chunk) -> list[dict[str, object]]:
    if isinstance(_worker, Exception):
        raise _worker
    if _worker is None:
        raise RuntimeError("the worker was not started")
    return [read_line(line, reader=_worker, number=number) for number, line in chunk]


class _Pool:
    """Worker processes that are started again when one of them dies."""

    def __init__(self, reader: Callable[[], TextReader], workers: int) -> None:
        self._reader = reader
        self._workers = workers
        self._executor = self._start(workers)

    def _start(self, workers: int) -> ProcessPoolExecutor:
        # spawn: a forked copy of a process with threads (the dashboard, numpy) can hang
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(self._reader,))

    def run(self, numbered: Iterable[tuple[int, bytes]]) -> Iterator[dict[str, object]]:
        waiting: deque[tuple[_Chunk, Future[list[dict[str, object]]]]] = deque()
        chunks = _cut(numbered)
        try:
            for chunk in chunks:
                waiting.append((chunk, self._submit(chunk)))
                if len(waiting) >= 3 * self._workers:
                    yield from self._take(waiting)
            while waiting:
                yield from self._take(waiting)
        finally:
            self._executor.shutdown(wait=True, cancel_futures=True)

    def _submit(self, chunk: _Chunk) -> Future[list[dict[str, object]]]:
        try:
            return self._executor.submit(_read_chunk, chunk)
        except BrokenProcessPool as error:
            # noticed when its turn comes, in order
            failed: Future[list[dict[str, object]]] = Future()
            failed.set_exception(error)
            return failed

    def _take(self, waiting: deque[tuple[_Chunk, Future[list[dict[str, object]]]]]) -> list[dict[str, object]]:
        chunk, future = waiting.popleft()
        try:
            return future.result()
        except BrokenProcessPool:
            self._executor.shutdown(wait=True, cancel_futures=True)
            # Some article killed its process (out of memory, a crash in compiled code). All chunks under way are lost;
            # the first is read line by line, alone, to find the one to blame; the others are handed in again.
            results = self._read_singly(chunk)
            self._executor = self._start(self._workers)
            for position, (other, _) in enumerate(waiting):
                waiting[position] = (other, self._submit(other))
            return results

    def _read_singly(self, chunk: _Chunk) -> list[dict[str, object]]:
        results: list[dict[str, object]] = []
        alone = self._start(1)
        for number, line in chunk:
            try:
                results.extend(alone.submit(_read_chunk, [(number, line)]).result())
            except BrokenProcessPool:
                alone.shutdown(wait=True, cancel_futures=True)
                alone = self._start(1)
                results.append({"id": _find_id(line), "error": f"line {number}: reading it ended its process"})
        alone.shutdown(wait=True, cancel_futures=True)
        return results


def _find_id(line: bytes) -> object:
    try:
        return _parse_line(line, 0).get("id")
    except SourceFormatError:
        return None


def _cut(numbered: Iterable[tuple[int, bytes]]) -> Iterator[_Chunk]:
    chunk: _Chunk = []
    size = 0
    for number, line in numbered:
        chunk.append((number, line))
        size += len(line)
        if len(chunk) >= CHUNK_LINES or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def iter_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream; of a line beyond the limit only as much as shows that it is."""
    while line := stream.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES and not line.endswith(b"\n"):
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(LINE_BYTES)
        yield line


def encode_record(record: dict[str, object]) -> bytes:
    """Return a record as one line of JSON, UTF-8; lone surrogates are escaped, since UTF-8 cannot hold them."""
    try:
        return json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, ensure_ascii=True).encode("ascii") + b"\n"


def run_batch(
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    *,
    reader: Callable[[], TextReader],
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> BatchCounts:
    """Read a JSONL file of articles and write a JSONL file of results, line by line.

    Parameters
    ----------
    source, target : Path or binary stream
    reader : callable
        See `read_batch`.
    workers : int
    progress : callable, optional
        Called with the number of lines done.

    Returns
    -------
    BatchCounts

    Raises
    ------
    SourceUnavailable
        `source` cannot be opened.
    ExportError
        `target` cannot be written, or is `source` itself.
    """
    counts = BatchCounts()
    if _is_same_file(source, target):
        raise ExportError(f"{target}: is the input itself; choose another file for the results")
    opened = _open_input(source)
    try:
        with _Output(target) as out:
            for record in read_batch(iter_lines(opened), reader=reader, workers=workers):
                out.write(encode_record(record))
                counts.lines += 1
                counts.errors += "error" in record
                found = record.get("incidents")
                counts.incidents += len(found) if isinstance(found, list) else 0
                if progress:
                    progress(counts.lines)
    finally:
        if isinstance(source, Path):
            opened.close()
    return counts


def _is_same_file(source: Path | BinaryIO, target: Path | BinaryIO) -> bool:
    if not isinstance(source, Path) or not isinstance(target, Path):
        return False
    return source.exists() and target.exists() and source.samefile(target)


def _open_input(source: Path | BinaryIO) -> BinaryIO:
    if not isinstance(source, Path):
        return source
    try:
        return source.open("rb")
    except OSError as error:
        raise SourceUnavailable(f"{source}: cannot be read ({error.strerror or error})") from error


class _Output:
    """The results' file; its faults are ours to tell, those of a pipe are the shell's."""

    def __init__(self, target: Path | BinaryIO) -> None:
        self._target = target
        self._stream: BinaryIO | None = None if isinstance(target, Path) else target

    def __enter__(self) -> Self:
        if isinstance(self._target, Path):
            try:
                self._stream = self._target.open("wb")
            except OSError as error:
                raise ExportError(f"{self._target}: cannot be written ({error.strerror or error})") from error
        return self

    def write(self, line: bytes) -> None:
        if self._stream is None:
            raise RuntimeError("write outside of with")
        try:
            self._stream.write(line)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise ExportError(f"the results cannot be written ({error.strerror or error})") from error

    def __exit__(self, *_details: object) -> None:
        if isinstance(self._target, Path) and self._stream is not None:
            try:
                self._stream.close()
            except OSError as error:
                raise ExportError(f"{self._target}: cannot be written ({error.strerror or error})") from error
