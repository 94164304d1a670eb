"""Frame -> folium: the only file that imports folium, and the home of the one escape function.

folium runs Jinja over data on the server, then writes raw HTML, then JavaScript template literals. Every text
therefore passes `escape_text` on its way in, and the browser reads it as HTML exactly once, so that nothing runs and
nothing is escaped twice for the reader.

The map itself is always the same empty one; incidents come only through one feature group, as one compact list that
`assets/atlas.js` draws on a canvas. That keeps the reader's zoom and place while filters change.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import folium
import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely
from branca.element import MacroElement
from folium.template import Template

from geodata.boundaries import Policy
from geodata.place import COARSE_PRECISIONS, PRECISIONS
from incidents.report import hash_parts
from incidents.summary import format_range
from incidents.symbols import KILLED_CLASSES, PARENT_STYLES
from incidents.taxonomy import PARENTS, TYPES, get_label, get_parent
from incidents.words import describe_date, to_optional

__all__ = [
    "ASSETS",
    "MARK_LIMIT",
    "MapAssets",
    "MapPlace",
    "build_incident_layer",
    "build_map",
    "build_place_layer",
    "build_place_map",
    "escape_text",
    "read_mark_key",
    "select_mark",
]

ASSETS = Path(__file__).parent / "assets"
"""Our own script and style sheet."""

MARK_LIMIT = 2_000
"""More marks than this in view are drawn as groups with a count: past it canvas redraws and payload grow
noticeable (measured: 2,000 marks redraw in 20 to 70 ms, 10,000 in 120)."""

_AREA_LIMIT = 150  # outlines drawn at once; the incidents of the rest get a dashed mark
_TITLE_LIMIT = 600  # above it tooltips carry no titles, so that an update stays small
_TITLE_LENGTH = 110
_LISTED = 5
_CELLS_ACROSS = 44
_SCALE = 100_000  # marks are told apart to 1e-5 degrees, about a metre
_POINT, _COARSE, _GROUP, _NEAR = range(4)  # as in assets/atlas.js
_MIXED = len(PARENTS)
_RANK = {precision: rank for rank, precision in enumerate(("district", "region", "macro_region", "country"))}

# Control characters, direction overrides, and halves of surrogate pairs, which cannot be sent as UTF-8.
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_INERT = str.maketrans({"{": "&#123;", "}": "&#125;", "`": "&#96;", "\\": "&#92;", "$": "&#36;"})
_KEY = re.compile(r"\[mark ([\w.:-]{1,64})\]\s*$")

_WORDS = {
    "legend": "Legend",
    "kinds": "Kind of event",
    "sizes": "Killed",
    "more": "Sizes and places",
    "places": "Place",
    "area": "Known only to an area: the whole area",
    "coarse": "Stands for an area, not a site",
    "near": "Near the place named",
    "several": "Several incidents at one place",
    "group": "Many incidents: click to zoom in",
    "fit": "Show all results",
    "attribution": "Borders: Natural Earth; Crimea is Ukraine (ISO 3166-2), occupied. Names: GeoNames. Leaflet",
}
_DE_FACTO = "Borders: Natural Earth, drawn by who holds an area. Names: GeoNames. Leaflet"


def escape_text(text: object) -> str:
    r"""Return a text that is inert in every place folium puts it, and reads the same to a person.

    HTML-escaped first; then the marks that mean something to Jinja (``{``, ``}``) and to JavaScript template
    literals (`````, ``\``, ``$``) become numeric entities. White space is folded; characters that cannot be shown
    are dropped. None gives the empty text.
    """
    if to_optional(text) is None:
        return ""
    clean = " ".join(_UNFIT.sub("", str(text)).split())
    return html.escape(clean, quote=True).translate(_INERT)


@dataclass(frozen=True, slots=True)
class MapAssets:
    """Where the browser finds the files of the map: URL prefixes that end in a slash, relative to the map's frame."""

    leaflet: str
    own: str
    base: str
    version: str = ""
    """Added to our own files' URLs, so that a browser's cache never serves an older program's script."""


class _AtlasMap(folium.Map):
    """A folium map that loads Leaflet and our script from this server and nothing else."""

    def __init__(self, assets: MapAssets) -> None:
        # maxZoom belongs to the map: folium gives it only to tile layers, and there are none.
        super().__init__(location=[25, 20], zoom_start=2, tiles=None, zoom_control=True, world_copy_jump=True)
        self.options.update({"maxZoom": 16, "minZoom": 2})
        tail = f"?v={assets.version}" if assets.version else ""
        self.default_js = [("leaflet", f"{assets.leaflet}leaflet.js"), ("atlas", f"{assets.own}atlas.js{tail}")]
        self.default_css = [("leaflet", f"{assets.leaflet}leaflet.css"), ("atlas", f"{assets.own}atlas.css{tail}")]


class _Script(MacroElement):
    """A call of `assets/atlas.js` with the parent's variable and one JSON argument."""

    _template = Template(
        "{% macro script(this, kwargs) %}"
        "incidentAtlas.{{ this.function }}({{ this._parent.get_name() }}, {{ this.argument }});"
        "{% endmacro %}"
    )

    def __init__(self, function: str, argument: object) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # branca publishes no types
        self._name = "AtlasScript"
        self.function = function
        self.argument = json.dumps(argument, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        # Nested lists and objects may open with "{{" or "[{%" only through our own keys; a space keeps Jinja out.
        self.argument = self.argument.replace("{{", "{ {").replace("{%", "{ %").replace("{#", "{ #")


def build_map(*, assets: MapAssets, policy: Policy = "un") -> folium.Map:
    """Return a fresh empty map with base layer, names, scale and legend, and no incidents.

    It must be built anew on every rerun: streamlit-folium changes the map it is given. It depends on `assets` only,
    so that the browser keeps the same map, with its zoom and place, whatever is filtered.

    Parameters
    ----------
    assets : MapAssets
        Where the browser finds the map's files.
    policy : {"un", "de_facto"}
        The one that the base layer was made with, so that the credit line says it.
    """
    words = _WORDS if policy == "un" else {**_WORDS, "attribution": _DE_FACTO}
    spec = {
        "base": assets.base,
        "parents": [
            {"label": escape_text(parent), "colour": style.colour, "shape": style.shape}
            for parent, style in PARENT_STYLES.items()
        ],
        "sizes": [{"label": escape_text(c.label), "radius": c.radius_px, "unstated": c.hollow} for c in KILLED_CLASSES],
        "words": {key: escape_text(text) for key, text in words.items()},
    }
    result = _AtlasMap(assets)
    result.add_child(_Script("init", spec))
    return result


# ---- incidents ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _parent_codes() -> npt.NDArray[np.int8]:
    """Return the parent's position for each type code of the contract, in the order of `TYPES`."""
    return np.array([PARENTS.index(get_parent(name)) for name in TYPES], dtype=np.int8)


@dataclass(frozen=True, slots=True)
class _Points:
    """The located rows as arrays; `row` points back into the frame."""

    row: npt.NDArray[np.intp]
    lon: npt.NDArray[np.float64]
    lat: npt.NDArray[np.float64]
    parent: npt.NDArray[np.int8]
    killed: npt.NDArray[np.float64]
    precision: npt.NDArray[np.object_]

    def take(self, index: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> _Points:
        return _Points(*(getattr(self, name)[index] for name in self.__slots__))


def _read_points(frame: gpd.GeoDataFrame) -> _Points:
    geometry = frame.geometry.to_numpy()
    lon, lat = shapely.get_x(geometry), shapely.get_y(geometry)
    # The contract already forbids it; one bad row from elsewhere must still not take the map down.
    usable = np.isfinite(lon) & np.isfinite(lat) & (np.abs(lon) <= 180) & (np.abs(lat) <= 90)
    types = pd.Categorical(frame["type"], categories=list(TYPES)).codes
    parents = np.where(types >= 0, _parent_codes()[types], len(PARENTS) - 1).astype(np.int8)
    killed = frame["killed_min"].fillna(frame["killed_max"]).to_numpy(dtype="float64", na_value=np.nan)
    precision = np.asarray(frame["location_precision"].astype(object))
    points = _Points(np.arange(len(frame)), lon, lat, parents, killed, precision)
    return points.take(usable)


def _number_places(lon: npt.NDArray[np.float64], lat: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return one integer per place, equal for points less than about a metre apart."""
    x = np.rint((lon + 180) * _SCALE).astype(np.int64)
    y = np.rint((lat + 90) * _SCALE).astype(np.int64)
    return x * (200 * _SCALE) + y


def _size_code(killed: float) -> int:
    if np.isnan(killed):
        return 0
    return max(i for i, c in enumerate(KILLED_CLASSES) if c.minimum is not None and c.minimum <= max(killed, 0))


@dataclass(frozen=True, slots=True)
class _Bunch:
    """Rows that share one mark."""

    rows: npt.NDArray[np.intp]
    lon: float
    lat: float
    parent: int
    killed: float


def _gather(points: _Points, codes: npt.NDArray[np.intp], number: int) -> list[_Bunch]:
    """Return one bunch per code: mean place, common parent or "mixed", and the sum of the killed that are stated."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(number))
    counts = np.bincount(codes, minlength=number)
    lon = np.bincount(codes, weights=points.lon, minlength=number) / counts
    lat = np.bincount(codes, weights=points.lat, minlength=number) / counts
    low = np.minimum.reduceat(points.parent[order], starts)
    high = np.maximum.reduceat(points.parent[order], starts)
    stated = ~np.isnan(points.killed)
    total = np.bincount(codes, weights=np.where(stated, points.killed, 0), minlength=number)
    known = np.bincount(codes, weights=stated, minlength=number) > 0
    ends = np.append(starts[1:], len(order))
    return [
        _Bunch(
            points.row[order[starts[i] : ends[i]]],
            float(lon[i]),
            float(lat[i]),
            int(low[i]) if low[i] == high[i] else _MIXED,
            float(total[i]) if known[i] else float("nan"),
        )
        for i in range(number)
    ]


def _shorten(title: object) -> str:
    text = " ".join(str(title).split())
    return text if len(text) <= _TITLE_LENGTH else text[: _TITLE_LENGTH - 1].rstrip() + "…"


def _describe_one(frame: gpd.GeoDataFrame, row: int, *, titled: bool) -> list[str]:
    """Return the tooltip of a single incident: inert HTML lines."""
    data = frame.iloc[row]
    kind = get_label(str(data["type"]))
    day = describe_date(to_optional(data["date_start"]), to_optional(data["date_end"]), str(data["date_precision"]))
    killed = format_range(to_optional(data["killed_min"]), to_optional(data["killed_max"]))
    injured = format_range(to_optional(data["injured_min"]), to_optional(data["injured_max"]))
    lines = [f"<b>{escape_text(_shorten(data['title']))}</b>"] if titled else []
    lines += [escape_text(f"{kind} · {day}"), escape_text(f"Killed: {killed} · Injured: {injured}")]
    if str(data["location_precision"]) in COARSE_PRECISIONS:
        lines.append(escape_text(f"Place known only as: {to_optional(data['place_name']) or 'an area'}"))
    if bool(data["contested"]):
        lines.append("Contested")
    return lines


def _describe_many(frame: gpd.GeoDataFrame, rows: npt.NDArray[np.intp], *, titled: bool) -> list[str]:
    lines = [f"<b>{len(rows):,} incidents at this place</b>"]
    if titled:
        listed = rows[:_LISTED]
        lines += [
            f"{escape_text(get_label(str(kind)))}: {escape_text(_shorten(title))}"
            for kind, title in zip(frame["type"].iloc[listed], frame["title"].iloc[listed], strict=True)
        ]
        if len(rows) > _LISTED:
            lines.append(f"and {len(rows) - _LISTED:,} more")
    lines.append("Click to list them")
    return lines


def _describe(frame: gpd.GeoDataFrame, rows: npt.NDArray[np.intp], *, titled: bool) -> list[str]:
    if len(rows) == 1:
        return _describe_one(frame, int(rows[0]), titled=titled)
    return _describe_many(frame, rows, titled=titled)


def _cut_to_view(points: _Points, bounds: tuple[float, float, float, float]) -> _Points:
    """Keep what lies in the view and a tenth around it; a view across the date line keeps all longitudes."""
    west, south, east, north = bounds
    pad_x, pad_y = (east - west) * 0.1, (north - south) * 0.1
    inside = (points.lat >= south - pad_y) & (points.lat <= north + pad_y)
    if west >= -180 and east <= 180:
        inside &= (points.lon >= west - pad_x) & (points.lon <= east + pad_x)
    return points.take(inside)


def _make_marks(frame: gpd.GeoDataFrame, points: _Points, *, limit: int) -> list[list[object]]:
    """Return the marks of settlements and finer places, as groups where there are too many."""
    if not len(points.row):
        return []
    numbers, keys = pd.factorize(_number_places(points.lon, points.lat))
    grouped = len(keys) > limit
    if grouped:
        span = max(float(np.ptp(points.lon)), float(np.ptp(points.lat)), 1e-6) / _CELLS_ACROSS
        cells = np.floor((points.lon + 180) / span).astype(np.int64) * 1_000_003 + np.floor(
            (points.lat + 90) / span
        ).astype(np.int64)
        numbers, keys = pd.factorize(cells)
    bunches = _gather(points, numbers, len(keys))
    titled = len(bunches) <= _TITLE_LIMIT
    marks: list[list[object]] = []
    near = set(points.row[points.precision == "near"].tolist())
    for bunch, key in zip(bunches, keys, strict=True):
        count = len(bunch.rows)
        if grouped and count > 1:
            lines = [f"<b>{count:,} incidents</b>", "Click to zoom in"]
            kind, name, size = _GROUP, "", 0
        else:
            kind = _NEAR if count == 1 and int(bunch.rows[0]) in near else _POINT
            place = int(_number_places(np.array([bunch.lon]), np.array([bunch.lat]))[0]) if grouped else int(key)
            name, size = f"p{place}", _size_code(bunch.killed)
            lines = _describe(frame, bunch.rows, titled=titled)
        marks.append([round(bunch.lat, 5), round(bunch.lon, 5), bunch.parent, size, kind, count, name, lines])
    # Large marks first, so that small ones lie on top and can be reached.
    marks.sort(key=lambda mark: (mark[4] != _GROUP, -int(mark[3]), -int(mark[5]), mark[0], mark[1]))  # type: ignore[call-overload]
    return marks


def _coarse_keys(frame: gpd.GeoDataFrame, points: _Points) -> npt.NDArray[np.object_]:
    """Return the mark key of each coarse row: by area where it has one, else by place."""
    area = frame["area_id"].iloc[points.row].astype(object)
    hashed = area.map({a: "a" + hash_parts("area", a) for a in area.dropna().unique()}).to_numpy(dtype=object)
    places = _number_places(points.lon, points.lat)
    return np.array([h if isinstance(h, str) else f"c{p}" for h, p in zip(hashed, places, strict=True)], dtype=object)


def _make_areas(
    frame: gpd.GeoDataFrame, points: _Points, *, area_url: Callable[[str], str | None]
) -> tuple[list[list[object]], list[list[object]]]:
    """Return (areas with an outline, dashed marks of coarse places without one)."""
    areas: list[list[object]] = []
    marks: list[list[object]] = []
    if not len(points.row):
        return areas, marks
    numbers, keys = pd.factorize(_coarse_keys(frame, points))
    bunches = sorted(zip(_gather(points, numbers, len(keys)), keys, strict=True), key=lambda b: (-len(b[0].rows), b[1]))
    for bunch, key in bunches:
        first = int(bunch.rows[0])
        area = to_optional(frame["area_id"].iloc[first])
        url = area_url(str(area)) if area is not None and len(areas) < _AREA_LIMIT else None
        lines = _describe(frame, bunch.rows, titled=len(bunches) <= _TITLE_LIMIT)
        size, count = _size_code(bunch.killed), len(bunch.rows)
        if url is None:
            marks.append([round(bunch.lat, 5), round(bunch.lon, 5), bunch.parent, size, _COARSE, count, key, lines])
        else:
            rank = _RANK.get(str(frame["location_precision"].iloc[first]), 0)
            areas.append([url, rank, bunch.parent, size, count, key, lines])
    return areas, marks


def _bound(points: _Points) -> list[float] | None:
    if not len(points.row):
        return None
    west, east = float(points.lon.min()), float(points.lon.max())
    south, north = float(points.lat.min()), float(points.lat.max())
    # A single spot gets some country around it, so that nobody lands at the deepest zoom.
    return [round(v, 4) for v in (south - 0.3, west - 0.5, north + 0.3, east + 0.5)]


def build_incident_layer(
    frame: gpd.GeoDataFrame,
    *,
    area_url: Callable[[str], str | None],
    bounds: tuple[float, float, float, float] | None = None,
    limit: int = MARK_LIMIT,
    note: str = "",
) -> folium.FeatureGroup:
    """Return the incidents of a frame as one layer for `st_folium(feature_group_to_add=...)`.

    Parameters
    ----------
    frame : GeoDataFrame
        Contract columns; not changed. Rows without a point are not drawn.
    area_url : callable
        Gives the URL, relative to `MapAssets.base`, of the outline of an ``area_id``, or None where there is none.
    bounds : (west, south, east, north) in degrees, or None
        What the reader sees. Used only when there are more marks than `limit`.
    limit : int
        The largest number of single marks.
    note : str
        A line shown in the map's corner; empty for none.

    Returns
    -------
    folium.FeatureGroup
        The same frame gives the same layer, so that a rerun without a change redraws nothing.
    """
    points = _read_points(frame)
    coarse = np.isin(points.precision, list(COARSE_PRECISIONS))
    areas, marks = _make_areas(frame, points.take(coarse), area_url=area_url)
    fine = points.take(~coarse)
    if bounds is not None and len(fine.row) > limit:
        fine = _cut_to_view(fine, bounds)
    marks += _make_marks(frame, fine, limit=limit)
    shown = sum(int(mark[5]) for mark in marks) + sum(int(area[4]) for area in areas)  # type: ignore[call-overload]
    group = folium.FeatureGroup(name="incidents", control=False)
    data = {"bounds": _bound(points), "shown": shown, "note": escape_text(note), "marks": marks, "areas": areas}
    group.add_child(_Script("show", data))
    return group


def read_mark_key(tooltip: str | None) -> str | None:
    """Return the key of the mark that was clicked, from the tooltip text that streamlit-folium hands back."""
    found = _KEY.search(tooltip or "")
    return found.group(1) if found else None


def select_mark(frame: gpd.GeoDataFrame, key: str) -> gpd.GeoDataFrame:
    """Return the rows that share the mark `key`; none where the key belongs to no row (any more)."""
    points = _read_points(frame)
    coarse = np.isin(points.precision, list(COARSE_PRECISIONS))
    if key.startswith("p") and key[1:].isdigit():
        fine = points.take(~coarse)
        rows = fine.row[_number_places(fine.lon, fine.lat) == int(key[1:])]
    else:
        some = points.take(coarse)
        rows = some.row[_coarse_keys(frame, some) == key] if len(some.row) else some.row
    return frame.iloc[np.sort(rows)]


# ---- the places that a name may mean --------------------------------------------------------------------------------

_PLACE_STYLES = (("#0072b2", "circle"), ("#d55e00", "circle"), ("#767676", "diamond"))  # candidate, chosen, company
_PLACE_SIZES = (10, 6)


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A place on the small map: a numbered candidate, or (without a number) another place of the report."""

    lat: float
    lon: float
    lines: tuple[str, ...]
    """Plain text for the tooltip; the first line is its heading."""
    number: int | None = None
    chosen: bool = False


def build_place_map(*, assets: MapAssets, policy: Policy = "un") -> folium.Map:
    """Return a fresh small map for `build_place_layer`: no legend, and it does not touch the large map's view."""
    words = _WORDS if policy == "un" else {**_WORDS, "attribution": _DE_FACTO}
    spec = {
        "base": assets.base,
        "plain": True,
        "parents": [{"label": "", "colour": colour, "shape": shape} for colour, shape in _PLACE_STYLES],
        "sizes": [{"label": "", "radius": radius, "unstated": False} for radius in _PLACE_SIZES],
        "words": {key: escape_text(text) for key, text in words.items()},
    }
    result = _AtlasMap(assets)
    result.add_child(_Script("init", spec))
    return result


def build_place_layer(places: Sequence[MapPlace]) -> folium.FeatureGroup:
    """Return candidates and their company as one layer; the key of a candidate's mark is ``k`` and its number.

    Parameters
    ----------
    places : sequence of MapPlace
        lat, lon in degrees, WGS84. Candidates lie above the company, the first above the later ones.
    """
    marks: list[list[object]] = []
    for place in sorted(places, key=lambda p: (p.number is not None, p.chosen, -(p.number or 0))):
        lines = [escape_text(line) for line in place.lines]
        lines[:1] = [f"<b>{line}</b>" for line in lines[:1]]
        style, size = (2, 1) if place.number is None else (1 if place.chosen else 0, 0)
        name = f"k{place.number}" if place.number is not None else ""
        label = str(place.number) if place.number is not None else ""
        marks.append([round(place.lat, 5), round(place.lon, 5), style, size, _POINT, 1, name, lines, label])
    lats, lons = [p.lat for p in places], [p.lon for p in places]
    bounds = [min(lats) - 0.3, min(lons) - 0.5, max(lats) + 0.3, max(lons) + 0.5] if places else None
    group = folium.FeatureGroup(name="places", control=False)
    data = {"bounds": bounds, "shown": len(places), "note": "", "marks": marks, "areas": []}
    group.add_child(_Script("show", data))
    return group


_UNRANKED = COARSE_PRECISIONS - set(_RANK)
if _UNRANKED or not set(PRECISIONS) >= set(_RANK):  # a new precision would else be drawn in the wrong order
    msg = f"incidents/map.py ranks {sorted(_RANK)}, but the coarse precisions are {sorted(COARSE_PRECISIONS)}"
    raise RuntimeError(msg)
