"""Reports that already state their fields (rows of tables) to rows of the contract.

A row without coordinates is placed by its own place columns, with the precision that those deserve: a row that only
names a region is a region, never a pin on its capital.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import geopandas as gpd
import pandas as pd
import shapely

from geodata.coordinates import find_problem
from geodata.countries import find_country, get_country
from geodata.gazetteer import Gazetteer
from geodata.place import Place, Resolution
from geodata.resolve import Context, contradicts, resolve_name
from geodata.settled import Settled, apply_settled
from incidents import schema
from incidents.report import Report, hash_parts
from incidents.schema import COLUMNS
from incidents.taxonomy import get_label
from incidents.words import AMBIGUOUS

__all__ = ["frame_rows", "make_row_id"]

_SPECIAL = frozenset({"geometry", "latitude", "longitude", "source_values", "country"})
_PLAIN = tuple(c.name for c in COLUMNS if c.name not in _SPECIAL)


@dataclass(frozen=True, slots=True)
class _Located:
    place: Place | None
    precision: str
    candidates: int | None
    runner_up: str | None
    reason: str


class _Locator:
    """Finds the places of rows; asks the index once for each distinct set of place columns."""

    def __init__(self, gazetteer: Gazetteer | None, *, countries: Mapping[str, float], settled: Settled) -> None:
        self._gazetteer = gazetteer
        self._hints = dict(countries)
        self._settled = settled
        self._countries: dict[str, str | None] = {}
        self._located: dict[tuple[str | None, str | None, str | None, str | None], _Located] = {}

    def find_country(self, name: str) -> str | None:
        """Return the ISO 3166-1 alpha-2 code of a country's name or code, or None."""
        if name not in self._countries:
            by_code = get_country(name)
            named = (by_code,) if by_code else find_country(name)
            # "Congo" is two countries: which one is not for us to guess
            self._countries[name] = named[0].iso2 if len(named) == 1 else None
        return self._countries[name]

    def locate(self, name: str | None, admin2: str | None, admin1: str | None, country: str | None) -> _Located:
        """Return the place that the row's columns name, finest first."""
        key = (name, admin2, admin1, country)
        if key not in self._located:
            self._located[key] = self._look_up(*key)
        return self._located[key]

    def _look_up(self, name: str | None, admin2: str | None, admin1: str | None, country: str | None) -> _Located:
        if not self._gazetteer:
            return _Located(None, "unknown", None, None, "The row has no coordinates and no place index was given")
        context = Context(countries={country: 1.0} if country else self._hints, admin1={}, near=())
        region = self._resolve(admin1, context, "region", None, country) if admin1 else None
        container = region.best.place if region and region.best else None
        asked = False
        for value, hint in ((name, None), (admin2, "region")):
            if not value:
                continue
            asked = True
            found = self._resolve(value, context, hint, container, country)
            if found.best and found.best.place.lat is not None:
                return _describe(found)
        if region and region.best and not asked:
            return _describe(region)
        if region and region.best:
            # the place itself is not known: the row is only as fine as its region
            return _describe(region, f"{name or admin2!r} is not in the place index; shown as the region it names")
        if asked or admin1:
            return _Located(None, "unknown", 0, None, f"{name or admin2 or admin1!r} is not in the place index")
        if country:
            known = get_country(country)
            found = self._resolve(known.name if known else country, context, "country", None, country)
            if found.best:
                return _describe(found)
        return _Located(None, "unknown", None, None, "The row names no place")

    def _resolve(
        self, name: str, context: Context, hint: str | None, container: Place | None, country: str | None
    ) -> Resolution:
        if self._gazetteer is None:
            raise RuntimeError("asked for a place without a place index")
        found = resolve_name(name, gazetteer=self._gazetteer, context=context, kind_hint=hint, container=container)
        chosen = apply_settled(found, self._settled, gazetteer=self._gazetteer, kind_hint=hint)
        place = chosen.best.place if chosen and chosen.best else None
        if chosen and place and not (container and contradicts(place, container)) and country in {None, place.country}:
            return chosen
        if found.best and country and found.best.place.country not in {None, country}:
            reason = f"{name!r} is known only outside the country that the row names"
            return Resolution(name, None, found.candidates, ambiguous=False, reason=reason)
        return found


def _describe(found: Resolution, reason: str | None = None) -> _Located:
    place = found.best.place if found.best else None
    runner_up = found.runner_up.place if found.runner_up else None
    return _Located(
        place,
        place.precision if place else "unknown",
        len(found.candidates),
        ", ".join(p for p in (runner_up.name, runner_up.admin1, runner_up.country) if p) if runner_up else None,
        reason or (f"{AMBIGUOUS}: {found.reason}" if found.ambiguous else found.reason),
    )


def make_row_id(report: Report) -> str:
    """Return the incident id of a row: the one it states (our own exports do), else a hash of the row."""
    return str(report.fields.get("incident_id") or hash_parts("incident", report.report_id))


def frame_rows(
    reports: Iterable[Report],
    *,
    gazetteer: Gazetteer | None = None,
    countries: Mapping[str, float] | None = None,
    settled: Settled | None = None,
) -> tuple[gpd.GeoDataFrame, tuple[str, ...]]:
    """Build the contract's rows of reports whose `fields` state an incident.

    Parameters
    ----------
    reports : iterable of Report
        Each with `fields` by column name; ``latitude`` and ``longitude`` (degrees, WGS84) stand for the point.
    gazetteer : Gazetteer, optional
        Places rows without coordinates; without it they stay unlocated.
    countries : mapping of str to float, optional
        Where rows that name no country are likely to play, with weights.
    settled : mapping, optional
        Names whose place a person has settled; they never go against the area that a row states.

    Returns
    -------
    tuple of (GeoDataFrame, tuple of str)
        A frame with the contract's columns, unchecked, in the order of the reports; and warnings.
    """
    locator = _Locator(gazetteer, countries=countries or {}, settled=settled or {})
    warnings: list[str] = []
    columns: dict[str, list[object]] = {name: [] for name in (*_PLAIN, "country", "source_values")}
    lons: list[float | None] = []
    lats: list[float | None] = []
    for report in reports:
        row, lon, lat = _make_row(report, locator, warnings)
        for name, values in columns.items():
            values.append(row.get(name))
        lons.append(lon)
        lats.append(lat)
    points = [
        None if lon is None or lat is None else shapely.Point(lon, lat) for lon, lat in zip(lons, lats, strict=True)
    ]
    geometry = gpd.GeoSeries(points, crs=schema.CRS, dtype="geometry")
    frame = gpd.GeoDataFrame(pd.DataFrame(columns, dtype=object), geometry=geometry, crs=schema.CRS)
    return frame, tuple(dict.fromkeys(warnings))


def _make_row(
    report: Report, locator: _Locator, warnings: list[str]
) -> tuple[dict[str, object], float | None, float | None]:
    fields = report.fields
    row: dict[str, object] = {**_defaults(report), **{k: v for k, v in fields.items() if k not in _SPECIAL}}
    country = _read_country(fields, locator, warnings)
    row["country"] = country
    lat, lon = fields.get("latitude"), fields.get("longitude")
    if isinstance(lat, float) and isinstance(lon, float):
        problem = find_problem(lat, lon, country=country)
        if problem is not None:
            warnings.append(f"{_name_row(row)}: {problem.message} Left without a point.")
            row["location_reason"] = problem.message
            lat = lon = None
    if isinstance(lat, float) and isinstance(lon, float):
        # A point without a stated precision is as fine as the name beside it, and no finer
        row.setdefault("location_precision", "settlement" if row.get("place_name") else "near")
        row.setdefault("location_reason", "The source's own coordinates; it does not say how exact they are")
    elif "latitude" in fields or "incident_id" in fields or fields.get("location_reason"):
        # Stated, but unusable: a place name would hide that, so a person decides. (Our own rows state theirs, too.)
        lat = lon = None
    else:
        lat, lon = _place_row(row, country, fields, locator)
    if row.get("location_precision") is None or lat is None:
        row["location_precision"] = "unknown"
    row["incident_id"] = make_row_id(report)
    # One of our own exports names reports of another book; here the row itself is the report, and keeps those names
    row["report_ids"] = [report.report_id]
    row["title"] = row.get("title") or _make_title(row)
    row["source_values"] = fields.get("source_values")
    if "incident_id" not in fields and report.source_values:
        row["source_values"] = json.dumps(dict(report.source_values), ensure_ascii=False, default=str)
    return row, lon if isinstance(lon, float) else None, lat if isinstance(lat, float) else None


def _name_row(row: Mapping[str, object]) -> str:
    return ", ".join(str(row[k])[:60] for k in ("place_name", "date_start") if row.get(k)) or "a row"


def _defaults(report: Report) -> dict[str, object]:
    return {
        "type": "unknown",
        "type_certainty": "coarse",
        "date_precision": "unknown",
        "attributed_to": [],
        "denied_by": [],
        "contested": False,
        "current": True,
        "review_status": "unreviewed",
        "report_ids": [report.report_id],
        "source_names": [report.publisher] if report.publisher else [],
        "source_urls": [report.url] if report.url else [],
        "published_at": report.published_at,
    }


def _read_country(fields: Mapping[str, object], locator: _Locator, warnings: list[str]) -> str | None:
    stated = fields.get("country")
    if not stated:
        return None
    code = locator.find_country(str(stated))
    if code is None:
        warnings.append(f"{str(stated)[:60]!r} is not one country's name or code; kept in source_values only")
    return code


def _place_row(
    row: dict[str, object], country: str | None, fields: Mapping[str, object], locator: _Locator
) -> tuple[float | None, float | None]:
    """Fill the row's place columns from the index; return (lat, lon)."""
    name, admin2, admin1 = (str(fields[k]) if fields.get(k) else None for k in ("place_name", "admin2", "admin1"))
    found = locator.locate(name, admin2, admin1, country or (str(fields["country"]) if fields.get("country") else None))
    row["location_reason"] = found.reason
    row["location_candidates"] = found.candidates
    row["location_runner_up"] = found.runner_up
    place = found.place
    if place is None or place.lat is None or place.lon is None:
        row["location_precision"] = "unknown"
        return None, None
    row["location_precision"] = found.precision
    row["geonameid"], row["area_id"] = place.geonameid, place.area_id
    row["country"] = row["country"] or place.country
    row.update({k: v for k, v in (("admin1", place.admin1), ("admin2", place.admin2)) if v})
    return place.lat, place.lon


def _make_title(row: Mapping[str, object]) -> str:
    kind = get_label(str(row.get("type") or "unknown"))
    where = next((str(row[k]) for k in ("place_name", "admin2", "admin1", "country") if row.get(k)), None)
    return f"{kind}, {where}" if where else kind
