"""From files to the book: read, locate, check, store; what the command line and the dashboard call.

Every row read is added, a duplicate, or rejected with its reason; one import is one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import geopandas as gpd
import pandas as pd
import pycountry

from geodata.countries import load_country_table
from geodata.gazetteer import Gazetteer
from geodata.settled import Settled, index_settled
from incidents import schema
from incidents.errors import SourceError
from incidents.locate import frame_readings
from incidents.reading.foreign import list_languages
from incidents.reading.languages import detect_language, normalise_code
from incidents.reading.records import Reading
from incidents.report import Report
from incidents.sources import FetchPolicy, Limits, SourceResult, read_source
from incidents.tabular import frame_rows, make_row_id

if TYPE_CHECKING:
    from incidents.store import Store

__all__ = [
    "ImportReport",
    "ReadResult",
    "TextReader",
    "describe_languages",
    "hint_countries",
    "import_files",
    "import_results",
    "read_reports",
]


_Made = TypeVar("_Made")
_NAME_LENGTH = 60  # of a report's title or first words in a message
_HINT = 5.0  # what the reader's own hint says for a country, against 1 for the report's naming it once


class TextReader(Protocol):
    """What is needed of `incidents.reading.Reader`."""

    def read(
        self, report: Report, *, countries: Mapping[str, float] | None = None, settled: Settled | None = None
    ) -> Reading:
        """Read the incidents of one report's text."""
        ...


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What was read from reports, before anything is stored.

    Attributes
    ----------
    frame : GeoDataFrame
        Incidents that keep the contract, in the order of the reports.
    claims : DataFrame
        The claims of the incidents in `frame`.
    readings : tuple of Reading
        One for each report with a text.
    rejected : DataFrame
        Rows that break the contract, with the column ``reason``; its index is the position of the row's report.
    duplicates : tuple of int
        Positions of reports that came before in the same call.
    warnings : tuple of str
    """

    frame: gpd.GeoDataFrame
    claims: pd.DataFrame
    readings: tuple[Reading, ...]
    rejected: pd.DataFrame
    duplicates: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class ImportReport:
    """What an import did. `rows_…` count rows of tables, or articles."""

    source: str
    rows_read: int = 0
    rows_added: int = 0
    rows_duplicate: int = 0
    rejected: list[dict[str, object]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    incidents_added: int = 0
    dry_run: bool = False

    @property
    def rows_rejected(self) -> int:
        """How many rows were rejected."""
        return len({(r.get("file"), r["row"]) for r in self.rejected})

    def to_dict(self) -> dict[str, object]:
        """Return it in the layout of ``incidents import --report``."""
        return {
            "source": self.source,
            "rows_read": self.rows_read,
            "rows_added": self.rows_added,
            "rows_duplicate": self.rows_duplicate,
            "rows_rejected": self.rows_rejected,
            "rejected": self.rejected,
            "warnings": self.warnings,
            "incidents_added": self.incidents_added,
            "dry_run": self.dry_run,
        }

    def to_json(self) -> str:
        """Return it as JSON, the layout of ``incidents import --report``."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


def read_reports(
    reports: Iterable[Report],
    *,
    reader: TextReader | None,
    gazetteer: Gazetteer | None = None,
    countries: Sequence[str] = (),
    settled: Settled | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReadResult:
    """Turn reports into incidents: texts are read, rows that already state their fields become rows directly.

    Parameters
    ----------
    reports : iterable of Report
    reader : TextReader or None
        Reads texts; may be None where all reports are table rows.
    gazetteer : Gazetteer, optional
        Places table rows without coordinates; the reader's own by default.
    countries : sequence of str
        ISO 3166-1 alpha-2 codes of the countries that the person says it is about.
    settled : mapping, optional
        Names whose place was settled: see `geodata.settled.index_settled`.
    progress : callable, optional
        Called with (texts read, texts in all).

    Returns
    -------
    ReadResult
    """
    listed = list(reports)
    gazetteer = gazetteer or getattr(reader, "gazetteer", None)
    first: dict[str, int] = {}
    # an id is a hash made anew each time it is asked for: once is enough
    duplicates = tuple(p for p, r in enumerate(listed) if first.setdefault(r.report_id, p) != p)
    skipped = set(duplicates)
    stated = [p for p, r in enumerate(listed) if r.fields and p not in skipped]
    told = [p for p, r in enumerate(listed) if r.text and not r.fields and p not in skipped]
    readings: list[Reading] = []
    hints = hint_countries(countries)
    # a reader of another make need not know of what was not said
    known = {name: value for name, value in (("countries", hints), ("settled", settled)) if value}
    for done, position in enumerate(told, start=1):
        if reader is None:
            raise SourceError("an article needs a reader")
        readings.append(reader.read(listed[position], **known))  # type: ignore[arg-type]
        if progress:
            progress(done, len(told))
    warnings: tuple[str, ...] = tuple(w for reading in readings for w in _warn_of_language(reading.report))
    whole, claims = frame_readings(readings)
    origins = [p for p, reading in zip(told, readings, strict=True) for _ in reading.incidents]
    if stated:
        rows, of_rows = frame_rows((listed[p] for p in stated), gazetteer=gazetteer, countries=hints, settled=settled)
        warnings += tuple(of_rows)
        whole = rows if whole.empty else _concatenate(whole, rows)
        origins += stated
    whole.index = pd.Index(origins)
    good, rejected = schema.split_valid(whole.sort_index(kind="stable"))
    claims = claims[claims["incident_id"].isin(good["incident_id"])]
    return ReadResult(good, schema.conform_claims(claims), tuple(readings), rejected, duplicates, warnings)


def hint_countries(codes: Sequence[str]) -> dict[str, float]:
    """Return the weights of the countries that a person says a report is about.

    Raises
    ------
    SourceError
        A code is not the ISO 3166-1 alpha-2 code of a country.
    """
    wrong = [code for code in codes if code.upper() not in load_country_table()]
    if wrong:
        raise SourceError(f"{wrong[0]!r} is not the two-letter code of a country; write it like UA")
    return {code.upper(): _HINT for code in codes}


def _get_language_name(code: str) -> str:
    found = pycountry.languages.get(alpha_2=code) or pycountry.languages.get(alpha_3=code)
    return str(found.name).partition(" (")[0] if found else code


def describe_languages() -> str:
    """Return the languages that the built-in reader reads, in words: "Arabic, English and Ukrainian"."""
    names = sorted(_get_language_name(code) for code in {"en", *list_languages()})
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _warn_of_language(report: Report) -> list[str]:
    """Return a line where a text is in a language that the reader does not know: it still tries, but badly."""
    code = normalise_code(report.language) or detect_language(report.text)
    if code is None or code in {"en", *list_languages()}:
        return []
    name = " ".join((report.title or report.text).split())
    shown = name if len(name) <= _NAME_LENGTH else name[:_NAME_LENGTH].rstrip() + "…"
    known = describe_languages()
    looks = f"“{shown}”: the text looks like {_get_language_name(code)}"
    return [f"{looks}. The built-in reader reads {known}: check what it found against the text."]


def _concatenate(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    both = pd.concat([pd.DataFrame(f).astype(object) for f in (first, second)], ignore_index=True)
    points = gpd.GeoSeries(both["geometry"].tolist(), crs=schema.CRS)
    return gpd.GeoDataFrame(both.drop(columns="geometry"), geometry=points, crs=schema.CRS)


def import_files(
    locations: Sequence[str | Path],
    *,
    store: Store | None,
    reader: Callable[[], TextReader] | TextReader | None,
    source: str = "auto",
    mapping: Mapping[str, str] | None = None,
    published_on: date | None = None,
    date_order: str | None = None,
    limits: Limits | None = None,
    policy: FetchPolicy | None = None,
    gazetteer: Callable[[], Gazetteer] | Gazetteer | None = None,
    countries: Sequence[str] = (),
    dry_run: bool = False,
    who: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Import files, addresses or ``-`` into the store, all in one transaction.

    Parameters
    ----------
    locations : sequence of str or Path
    store : Store or None
        None only with `dry_run`.
    reader : TextReader, callable that makes one, or None
        Made only when there are texts to read.
    source, mapping, published_on, date_order, limits, policy
        As `incidents.sources.read_source` takes them.
    gazetteer : Gazetteer or callable that makes one, optional
        Places table rows; made only when there are such rows. The reader's own by default.
    countries : sequence of str
        ISO 3166-1 alpha-2 codes of the countries that the person says it is about.
    dry_run : bool
        Read and check everything, store nothing.
    who : str
        The name for the history.
    progress : callable, optional
        Called with (reports done, reports in all).

    Returns
    -------
    ImportReport

    Raises
    ------
    SourceError, StoreError, UnknownName
        Nothing was stored then.
    """
    results = []
    for location in locations:
        try:
            result = read_source(
                location,
                source=source,
                published_on=published_on,
                mapping=mapping,
                date_order=date_order,
                limits=limits,
                policy=policy,
            )
        except SourceError as error:
            if len(locations) == 1:
                raise
            raise type(error)(f"{error}; nothing was imported, the other files neither") from error
        results.append((str(location), result))
    return import_results(
        results,
        store=store,
        reader=reader,
        gazetteer=gazetteer,
        countries=countries,
        dry_run=dry_run,
        who=who,
        progress=progress,
    )


def import_results(
    results: Sequence[tuple[str, SourceResult]],
    *,
    store: Store | None,
    reader: Callable[[], TextReader] | TextReader | None,
    gazetteer: Callable[[], Gazetteer] | Gazetteer | None = None,
    countries: Sequence[str] = (),
    dry_run: bool = False,
    who: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Import what sources have already read, such as uploads; the parameters of `import_files`.

    Places that were settled in the store are settled for what is imported.

    Parameters
    ----------
    results : sequence of (str, SourceResult)
        Each with the name to show for it.
    store, reader, gazetteer, countries, dry_run, who, progress
        As `import_files` takes them.
    """
    names = list(dict.fromkeys(r.source for _, r in results))
    outcome = ImportReport(source=", ".join(names) or "none", dry_run=dry_run)
    many = len(results) > 1
    reports: list[Report] = []
    places: list[tuple[str, int]] = []
    for name, result in results:
        outcome.rows_read += result.rows_read
        outcome.warnings.extend(result.warnings)
        outcome.rejected.extend(r.to_dict() | ({"file": name} if many else {}) for r in result.rejected)
        reports.extend(result.reports)
        places.extend((name, row) for row in result.rows)
    # An article that the book already has is not read again: importing twice changes nothing, and costs nothing.
    # A table row is compared by its incident's id, which the store does.
    known = _find_known(reports, store)
    fresh = [p for p, r in enumerate(reports) if r.fields or r.report_id not in known]
    chosen = [reports[p] for p in fresh]
    made = _make(reader) if any(not r.fields for r in chosen) else None
    index = _make(gazetteer) if any(r.fields for r in chosen) else None
    settled = index_settled(store.load_settled()) if store is not None else None
    read = read_reports(chosen, reader=made, gazetteer=index, countries=countries, settled=settled, progress=progress)
    outcome.warnings.extend(read.warnings)
    bad: set[int] = set()
    for position, reason in read.rejected["reason"].items():
        name, row = places[fresh[int(position)]]
        if chosen[int(position)].fields:
            bad.add(int(position))
            entry: dict[str, object] = {"row": row, "column": None, "value": None, "reason": str(reason)}
            outcome.rejected.append(entry | ({"file": name} if many else {}))
        else:
            # the article is kept; only what was read of it breaks the contract
            outcome.warnings.append(f"{name}: row {row}: an incident read from it was left out: {reason}")
    left_out = bad | set(read.duplicates)
    kept = [r for p, r in enumerate(chosen) if p not in left_out]
    added = _add(read, kept, store=None if dry_run else store, who=who)
    outcome.incidents_added = len(added)
    # another import may have stored an article while this one read it: then it gave none of the incidents added
    stale = set() if store is None else _find_stale(read, added)
    outcome.rows_added = sum(make_row_id(r) in added if r.fields else r.report_id not in stale for r in kept)
    outcome.rows_duplicate = outcome.rows_read - outcome.rows_rejected - outcome.rows_added
    return outcome


def _make(maker: Callable[[], _Made] | _Made | None) -> _Made | None:
    return maker() if callable(maker) else maker


def _find_known(reports: Sequence[Report], store: Store | None) -> set[str]:
    texts = [r.report_id for r in reports if not r.fields]
    if store is None or not texts:
        return set()
    return {r.report_id for r in store.load_reports(texts)}


def _find_stale(read: ReadResult, added: set[str]) -> set[str]:
    """Return the reports whose incidents were all in the book before; those without incidents are not among them."""
    by_report: dict[str, bool] = {}
    for incident_id, names in zip(read.frame["incident_id"], read.frame["report_ids"], strict=True):
        for name in names:
            by_report[name] = by_report.get(name, False) or incident_id in added
    return {name for name, new in by_report.items() if not new}


def _add(read: ReadResult, reports: Sequence[Report], *, store: Store | None, who: str) -> set[str]:
    """Store it all in one transaction; return the ids of the incidents that are new (all of them in a dry run)."""
    if store is None:
        return set(read.frame["incident_id"])
    if not reports:
        return set()
    return set(store.add(read.frame, read.claims, reports, who=who, why="import").incident_ids)
