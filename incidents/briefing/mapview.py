"""The main map of a briefing: base layer, areas, symbols, numbers, names, scale bar and north arrow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib_scalebar.scalebar import ScaleBar
from numpy.typing import NDArray

from geodata.boundaries import Policy
from incidents.briefing.base import BaseLayer, NamedShape, cut_area, cut_base, get_outline
from incidents.briefing.labels import Box, Label, Obstacles, place_label, place_labels
from incidents.briefing.model import Area, Briefing, Symbol, join_numbers
from incidents.briefing.paper import INK, SIZE
from incidents.briefing.projection import View, choose_view
from incidents.briefing.sheet import Sheet
from incidents.briefing.text import FAMILY, fit_text, make_drawable, measure_text
from incidents.briefing.towns import find_towns
from incidents.symbols import PARENT_STYLES, KilledClass, get_killed_class

__all__ = ["MIXED", "MapDrawing", "draw_map", "style_symbol"]

MIXED = ("#3C4650", "h")
"""Colour and marker of a point at which incidents of several types lie."""
_MERGE_MM = 1.7
"""Symbols nearer than this on paper would hide each other, and share one symbol."""
_UNNUMBERED_MM = 1.5
_LABEL_SIZE = SIZE.body
_LINE_MM = 2.6
_WORLD_ASPECT = 1.75
"""Width to height of world maps; the Earth itself has 2.05, the rest is for scale bar and arrow."""
_TOWNS, _TOWNS_ASKED = 22, 90
_TOWN_APART_MM = 7.0
_COUNTRY_LINE_PT, _ADMIN_LINE_PT = 0.7, 0.35


@dataclass
class MapDrawing:
    """What came of drawing: for the legend, the notes and the tests."""

    view: View
    frame: Box
    """Where the map came to lie."""
    boxes: list[Box] = field(default_factory=list)
    """Labels on the map, millimetres on the sheet."""
    unplaced: tuple[int, ...] = ()
    """Numbers for which there was no room."""
    has_areas: bool = False
    has_loose_areas: bool = False
    has_occupied: bool = False
    has_mixed: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    """A symbol on paper, perhaps for several points that lie too close to be told apart."""

    x: float
    y: float
    numbers: tuple[int, ...]
    parent: str | None
    killed: KilledClass


@dataclass(frozen=True)
class _Canvas:
    sheet: Sheet
    axes: Axes
    view: View
    frame: Box

    def to_mm(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return projected metres as millimetres on the sheet."""
        (x0, x1), (y0, y1) = self.view.xlim, self.view.ylim
        left = self.frame.left + (points[:, 0] - x0) / (x1 - x0) * (self.frame.right - self.frame.left)
        top = self.frame.high - (points[:, 1] - y0) / (y1 - y0) * (self.frame.high - self.frame.low)
        return np.column_stack([left, top])


def style_symbol(parent: str | None) -> tuple[str, str]:
    """Return colour and matplotlib marker of an ACLED event type, or of a mixed point."""
    if parent is None:
        return MIXED
    style = PARENT_STYLES[parent]
    return style.colour, style.marker


def _make_path(shape: shapely.Geometry) -> Path | None:
    """Return a compound path of all rings of the polygons in a shape."""
    vertices: list[NDArray[np.float64]] = []
    codes: list[NDArray[np.uint8]] = []
    for part in shapely.get_parts(shape):
        if part.geom_type == "GeometryCollection":
            continue
        if part.geom_type != "Polygon":
            continue
        for ring in (part.exterior, *part.interiors):
            xy = np.asarray(ring.coords)[:, :2]
            xy = xy[np.isfinite(xy).all(axis=1)]
            if len(xy) < 4:
                continue
            code = np.full(len(xy), Path.LINETO, dtype=np.uint8)
            code[0], code[-1] = Path.MOVETO, Path.CLOSEPOLY
            vertices.append(xy)
            codes.append(code)
    return Path(np.concatenate(vertices), np.concatenate(codes)) if vertices else None


def _choose_extent(symbols: tuple[Symbol, ...], areas: tuple[Area, ...]) -> tuple[list[float], list[float]]:
    """Return the longitudes and latitudes that the map has to show.

    Areas count with their whole outline, but countries only where there is nothing finer: one line that says no
    more than "in Russia" must not shrink everything else to a dot.
    """
    lons = [symbol.lon for symbol in symbols] + [area.lon for area in areas]
    lats = [symbol.lat for symbol in symbols] + [area.lat for area in areas]
    fine = [area for area in areas if area.precision != "country"]
    for area in areas if not symbols and not fine else fine:
        outline = get_outline(area.area_id)
        if outline is None:
            continue
        parts = shapely.get_parts(outline)
        sizes = shapely.area(parts)
        xy = shapely.get_coordinates(parts[sizes > 0.1 * sizes.max()])  # far islands do not set the frame
        step = max(1, len(xy) // 400)
        extremes = [xy[:, 0].argmin(), xy[:, 0].argmax(), xy[:, 1].argmin(), xy[:, 1].argmax()]
        picked = np.vstack([xy[::step], xy[extremes]])
        lons += picked[:, 0].tolist()
        lats += picked[:, 1].tolist()
    return lons, lats


def _draw_polygons(canvas: _Canvas, shapes: list[shapely.Geometry], **style: object) -> None:
    paths = [path for path in (_make_path(shape) for shape in shapes) if path is not None]
    if paths:
        canvas.axes.add_collection(PathCollection(paths, transform=canvas.axes.transData, **style), autolim=False)  # type: ignore[arg-type] # style is a plain dictionary of matplotlib options


def _draw_sea(canvas: _Canvas) -> None:
    view = canvas.view
    (x0, x1), (y0, y1) = view.xlim, view.ylim
    if not view.is_world:
        canvas.axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, facecolor=INK.sea, edgecolor="none", zorder=0))
        return
    lats = np.linspace(-90.0, 90.0, 181)
    left = view.project(np.full(181, view.lon0 - 179.9999), lats)
    right = view.project(np.full(181, view.lon0 + 179.9999), lats[::-1])
    globe = Path(np.vstack([left, right, left[:1]]), closed=True)
    canvas.axes.add_patch(PathPatch(globe, facecolor=INK.sea, edgecolor=INK.coast, linewidth=0.5, zorder=0))


def _draw_base(canvas: _Canvas, base: BaseLayer, focus: frozenset[str]) -> None:
    _draw_sea(canvas)
    rest = [c.shape for c in base.countries if c.country not in focus]
    mine = [c.shape for c in base.countries if c.country in focus]
    line = {"edgecolors": INK.border, "linewidths": _COUNTRY_LINE_PT if not canvas.view.is_world else 0.3}
    _draw_polygons(canvas, rest, facecolors=INK.land, zorder=1, edgecolors="none", linewidths=0)
    _draw_polygons(canvas, mine, facecolors=INK.focus, zorder=1, edgecolors="none", linewidths=0)
    _draw_polygons(
        canvas,
        [a.shape for a in base.admin1 if not focus or a.country in focus],
        facecolors="none",
        edgecolors=INK.admin,
        linewidths=_ADMIN_LINE_PT,
        zorder=2,
    )
    _draw_polygons(canvas, list(base.lakes), facecolors=INK.sea, edgecolors=INK.coast, linewidths=0.2, zorder=2)
    rivers = [
        line_of for shape in base.rivers for line_of in shapely.get_parts(shape) if line_of.geom_type == "LineString"
    ]
    canvas.axes.add_collection(
        LineCollection(
            [np.asarray(river.coords)[:, :2] for river in rivers], colors=INK.river, linewidths=0.5, zorder=2
        ),
        autolim=False,
    )
    _draw_polygons(canvas, rest + mine, facecolors="none", zorder=3, **line)


def _draw_occupied(canvas: _Canvas, shapes: tuple[shapely.Geometry, ...]) -> bool:
    """Hatch the occupied areas; return whether any is in view."""
    frame = shapely.box(canvas.view.xlim[0], canvas.view.ylim[0], canvas.view.xlim[1], canvas.view.ylim[1])
    shown = [shape for shape in shapes if shapely.intersects(shapely.make_valid(shape), frame)]
    for shape in shown:
        path = _make_path(shape)
        if path is not None:
            canvas.axes.add_patch(
                PathPatch(
                    path, facecolor="none", edgecolor=INK.occupied, hatch="\\\\\\\\", linewidth=0.4, alpha=0.8, zorder=4
                )
            )
    return bool(shown)


def _merge_marks(symbols: tuple[Symbol, ...], points: NDArray[np.float64]) -> list[_Mark]:
    """Return the numbered symbols as marks, those too close on paper joined; points in millimetres."""
    order = sorted((i for i, s in enumerate(symbols) if s.numbers), key=lambda i: (-symbols[i].killed.diameter_mm, i))
    groups: list[list[int]] = []
    for index in order:
        for group in groups:
            if math.dist(points[group[0]], points[index]) < _MERGE_MM:
                group.append(index)
                break
        else:
            groups.append([index])
    marks = []
    for group in groups:
        parents = {symbols[i].parent for i in group}
        lows = [symbols[i].killed.minimum for i in group]
        known = [low for low in lows if low is not None]
        # the classes' lower ends are added: a sum of "at least" figures is itself an "at least"
        killed = symbols[group[0]].killed if len(group) == 1 else get_killed_class(sum(known) if known else None)
        marks.append(
            _Mark(
                x=float(points[group[0]][0]),
                y=float(points[group[0]][1]),
                numbers=tuple(sorted(n for i in group for n in symbols[i].numbers)),
                parent=parents.pop() if len(parents) == 1 else None,
                killed=killed,
            )
        )
    return marks


def _draw_marks(canvas: _Canvas, marks: list[_Mark]) -> None:
    for mark in sorted(marks, key=lambda m: -m.killed.diameter_mm):
        colour, marker = style_symbol(mark.parent)
        hollow = mark.killed.hollow
        canvas.sheet.mark(
            mark.x,
            mark.y,
            marker=marker,
            diameter=mark.killed.diameter_mm,
            face="white" if hollow else colour,
            edge=colour if hollow else "white",
            line=1.1 if hollow else 0.5,
        )


def _draw_unnumbered(canvas: _Canvas, symbols: tuple[Symbol, ...], points: NDArray[np.float64]) -> None:
    """Draw the incidents that the table does not list: small, many, in one go for each type."""
    by_style: dict[tuple[str, str], list[int]] = {}
    for index, symbol in enumerate(symbols):
        if not symbol.numbers:
            by_style.setdefault(style_symbol(symbol.parent), []).append(index)
    view, frame = canvas.view, canvas.frame
    for (colour, marker), members in by_style.items():
        xy = points[members]
        x = view.xlim[0] + (xy[:, 0] - frame.left) / (frame.right - frame.left) * (view.xlim[1] - view.xlim[0])
        y = view.ylim[0] + (frame.high - xy[:, 1]) / (frame.high - frame.low) * (view.ylim[1] - view.ylim[0])
        canvas.axes.plot(
            x,
            y,
            linestyle="none",
            marker=marker,
            markersize=_UNNUMBERED_MM / 25.4 * 72,
            markerfacecolor=colour,
            markeredgecolor="white",
            markeredgewidth=0.2,
            alpha=0.65,
            zorder=6,
            scalex=False,
            scaley=False,
        )


def _measure_label(text: str, *, size: float = _LABEL_SIZE, bold: bool = True) -> tuple[float, float]:
    return measure_text(text, size, bold=bold) + 1.1, size * 25.4 / 72 * 1.18 + 0.5


def _shorten_numbers(numbers: tuple[int, ...]) -> str:
    """Return the numbers of a symbol; a long list is cut where a reader can still find the rest by the first."""
    text = join_numbers(numbers)
    parts = text.split(", ")
    return text if len(parts) <= 5 else f"{', '.join(parts[:4])} +{len(numbers) - _count_numbers(parts[:4])}"


def _count_numbers(parts: list[str]) -> int:
    total = 0
    for part in parts:
        ends = [int(end) for end in part.split("–")]
        total += ends[-1] - ends[0] + 1
    return total


def _draw_label(canvas: _Canvas, label: Label, text: str, *, edge: str) -> None:
    sheet, box = canvas.sheet, label.box
    if label.leader is not None:
        (x0, y0), (x1, y1) = label.leader
        sheet.rule(x0, y0, x1, y1, colour=INK.text, line=0.45)
    sheet.rectangle(
        box.left, box.low, box.right - box.left, box.high - box.low, face="white", edge=edge, line=0.35, alpha=0.9
    )
    x, y = box.centre
    sheet.text(x, y + _LABEL_SIZE * 0.127, text, size=_LABEL_SIZE, bold=True, align="center")


def _cover_segments(shape: shapely.Geometry, canvas: _Canvas) -> list[tuple[float, float]]:
    """Return places inside a projected area for a label, best first, as millimetres on the sheet."""
    best = shapely.get_coordinates(shapely.point_on_surface(shape))[0]
    pole = shapely.maximum_inscribed_circle(shape, tolerance=(canvas.view.xlim[1] - canvas.view.xlim[0]) / 200)
    middle = shapely.get_coordinates(pole)[0]
    left, low, right, high = shape.bounds
    xs, ys = np.meshgrid(np.linspace(left, right, 24), np.linspace(low, high, 24))
    points = np.column_stack([xs.ravel(), ys.ravel()])
    inside = points[shapely.contains_xy(shape, points[:, 0], points[:, 1])]
    ordered = inside[np.argsort(np.hypot(*(inside - middle).T), kind="stable")]
    return [tuple(p) for p in canvas.to_mm(np.vstack([[middle], [best], ordered])).tolist()]


def _draw_areas(
    canvas: _Canvas, areas: tuple[Area, ...], taken: Obstacles, drawing: MapDrawing, *, policy: Policy
) -> list[int]:
    """Hatch the areas and set their numbers inside; return the numbers that found no room."""
    left_out: list[int] = []
    shaped: list[tuple[Area, shapely.Geometry]] = []
    for area in areas:
        outline = get_outline(area.area_id, policy=policy)
        shape = cut_area(outline, canvas.view) if outline is not None else None
        if shape is None:
            left_out += _draw_loose_area(canvas, area, taken, drawing)
        else:
            shaped.append((area, shape))
    for area, shape in sorted(shaped, key=lambda pair: -pair[1].area):
        path = _make_path(shape)
        colour = style_symbol(area.parent)[0]
        if path is not None:
            hatch = "//" if area.precision == "country" else "////"
            canvas.axes.add_patch(
                PathPatch(path, facecolor=colour, edgecolor="none", linewidth=0, alpha=0.06, zorder=4)
            )
            canvas.axes.add_patch(
                PathPatch(path, facecolor="none", edgecolor=colour, hatch=hatch, linewidth=0.8, alpha=0.6, zorder=4)
            )
    for area, shape in sorted(shaped, key=lambda pair: pair[1].area):
        if not area.numbers:
            continue
        drawing.has_areas = True
        text = _shorten_numbers(area.numbers)
        width, height = _measure_label(text)
        for x, y in _cover_segments(shape, canvas):
            box = Box.around(x, y, width, height)
            inside = box.left > canvas.frame.left and box.right < canvas.frame.right
            inside = inside and box.low > canvas.frame.low and box.high < canvas.frame.high
            if inside and not taken.hits(box, gap=0.3):
                taken.add(box)
                drawing.boxes.append(box)
                _draw_label(canvas, Label(box, None), text, edge=style_symbol(area.parent)[0])
                break
        else:
            left_out += area.numbers
    drawing.has_areas = drawing.has_areas or bool(shaped)
    return left_out


def _draw_loose_area(canvas: _Canvas, area: Area, taken: Obstacles, drawing: MapDrawing) -> list[int]:
    """Draw a dashed ring for an area whose outline is not known; return the numbers that found no room."""
    drawing.has_loose_areas = True
    x, y = canvas.to_mm(canvas.view.project([area.lon], [area.lat]))[0]
    colour = style_symbol(area.parent)[0]
    canvas.sheet.mark(float(x), float(y), marker="o", diameter=7.0, face="none", edge=colour, line=0.9)
    if not area.numbers:
        return []
    text = _shorten_numbers(area.numbers)
    width, height = _measure_label(text)
    anchor = Box.around(float(x), float(y), 0.1, 0.1)
    box = Box.around(float(x), float(y), width, height)
    label = (
        Label(box, None)
        if not taken.hits(box, gap=0.3)
        else place_label(anchor, width=width, height=height, frame=canvas.frame, taken=taken, leaders=Obstacles())
    )
    if label is None:
        return list(area.numbers)
    taken.add(label.box)
    drawing.boxes.append(label.box)
    _draw_label(canvas, label, text, edge=colour)
    return []


def _draw_names(
    canvas: _Canvas, shapes: tuple[NamedShape, ...], taken: Obstacles, drawing: MapDrawing, *, size: float, bold: bool
) -> None:
    """Write the names of areas where they fit inside and nothing else lies."""
    frame_mm = canvas.frame.right - canvas.frame.left
    per_mm = (canvas.view.xlim[1] - canvas.view.xlim[0]) / frame_mm
    frame = shapely.box(canvas.view.xlim[0], canvas.view.ylim[0], canvas.view.xlim[1], canvas.view.ylim[1])
    for named in sorted(shapes, key=lambda s: (-s.shape.area, s.area_id)):
        text = make_drawable(named.name)[0]
        text = text.upper() if bold else text
        width, height = _measure_label(text, size=size, bold=False)
        shown = shapely.intersection(shapely.make_valid(named.shape), frame)
        if shown.is_empty or shown.area < 0.6 * width * height * per_mm**2:
            continue
        parts = shapely.get_parts(shown)
        biggest = parts[int(np.argmax(shapely.area(parts)))]
        if biggest.bounds[2] - biggest.bounds[0] < 0.85 * width * per_mm:
            continue
        for x, y in _cover_segments(biggest, canvas)[:260]:
            box = Box.around(x, y, width, height)
            inside = box.left > canvas.frame.left + 1 and box.right < canvas.frame.right - 1
            inside = inside and box.low > canvas.frame.low + 1 and box.high < canvas.frame.high - 1
            if inside and not taken.hits(box, gap=0.4) and _holds(biggest, canvas, box):
                taken.add(box)
                drawing.boxes.append(box)
                canvas.sheet.text(
                    x, y + size * 0.127, text, size=size, colour=INK.quiet if bold else "#858D95", align="center"
                )
                break


def _holds(shape: shapely.Geometry, canvas: _Canvas, box: Box) -> bool:
    """Return whether the middle line of a box of the sheet lies inside a projected shape."""
    (x0, x1), (y0, y1) = canvas.view.xlim, canvas.view.ylim
    frame = canvas.frame
    y = y0 + (frame.high - box.centre[1]) / (frame.high - frame.low) * (y1 - y0)
    ends = [x0 + (mm - frame.left) / (frame.right - frame.left) * (x1 - x0) for mm in (box.left, box.right)]
    return bool(shapely.contains(shape, shapely.LineString([(ends[0], y), (ends[1], y)])))


def _draw_towns(canvas: _Canvas, taken: Obstacles, drawing: MapDrawing) -> None:
    """Set the largest towns of the view whose names find room; suburbs of a larger town are passed over."""
    drawn = 0
    seen: list[tuple[float, float]] = []
    frame = Box(canvas.frame.left + 0.8, canvas.frame.low + 0.8, canvas.frame.right - 0.8, canvas.frame.high - 0.8)
    towns = find_towns(canvas.view.box, limit=_TOWNS_ASKED)
    points = canvas.to_mm(canvas.view.project([t.lon for t in towns], [t.lat for t in towns]))  # type: ignore[misc] # settlements always have a point
    for town, (x, y) in zip(towns, points.tolist(), strict=True):
        if not (frame.left < x < frame.right and frame.low < y < frame.high):
            continue
        if any(math.dist((x, y), other) < _TOWN_APART_MM for other in seen):
            continue
        seen.append((x, y))
        text = fit_text(make_drawable(town.name)[0], 30.0, SIZE.small)
        width, height = _measure_label(text, size=SIZE.small, bold=False)
        box = _find_town_room(x, y, width, height, frame=frame, taken=taken)
        if box is None:
            continue
        dot = Box.around(x, y, 0.9, 0.9)
        if not taken.hits(dot):
            canvas.sheet.mark(x, y, marker="o", diameter=0.9, face=INK.town, line=0.2)
            taken.add(dot)
        taken.add(box)
        drawing.boxes.append(box)
        canvas.sheet.rectangle(box.left, box.low, width, height, face="white", alpha=0.5)
        cx, cy = box.centre
        canvas.sheet.text(cx, cy + SIZE.small * 0.127, text, size=SIZE.small, colour=INK.town, align="center")
        drawn += 1
        if drawn >= _TOWNS:
            return


def _find_town_room(x: float, y: float, width: float, height: float, *, frame: Box, taken: Obstacles) -> Box | None:
    for dx, dy in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)):
        box = Box.around(x + dx * (width / 2 + 0.7), y + dy * (height / 2 + 0.7), width, height)
        inside = box.left > frame.left and box.right < frame.right and box.low > frame.low and box.high < frame.high
        if inside and not taken.hits(box, gap=0.2):
            return box
    return None


def _choose_length(longest: float) -> float:
    """Return the greatest of 1, 2, 5, 10, 20, … kilometres (or a tenth of it, …) that is no longer than `longest`."""
    power = 10.0 ** math.floor(math.log10(longest))
    return max(step * power for step in (1, 2, 5) if step * power <= longest)


def _draw_furniture(canvas: _Canvas, taken: Obstacles) -> None:
    """Draw the scale bar below on the left and the north arrow above on the right, and keep labels off them."""
    frame, view = canvas.frame, canvas.view
    length = _choose_length(view.width_km * 0.22)
    bar = ScaleBar(
        1.0 / view.scale,
        "m",
        fixed_value=length,
        fixed_units="km",
        scale_formatter=lambda value, unit: f"{value:,.12g} {unit}",
        width_fraction=0.006,
        location="lower left",
        pad=0.45,
        border_pad=0.5,
        sep=1.5,
        color=INK.text,
        box_color="white",
        box_alpha=0.88,
        font_properties={"family": FAMILY, "size": SIZE.small},
        label="at the centre of the map" if view.width_km > 2500 else None,
        label_loc="top",
    )
    bar.set_zorder(9)
    canvas.axes.add_artist(bar)
    bar_width = 0.24 * (frame.right - frame.left) + 8.0
    taken.add(Box(frame.left, frame.high - (9.5 if view.width_km > 2500 else 7.0), frame.left + bar_width, frame.high))
    said = f"Projection: {view.name}"
    width, height = _measure_label(said, size=SIZE.small, bold=False)
    note = Box(frame.right - width - 1.2, frame.high - height - 0.8, frame.right - 0.6, frame.high - 0.6)
    taken.add(note)
    canvas.sheet.rectangle(note.left, note.low, note.right - note.left, note.high - note.low, face="white", alpha=0.85)
    canvas.sheet.text(note.right - 0.6, note.high - 0.8, said, size=SIZE.small, colour=INK.quiet, align="right")
    x, y = frame.right - 6.0, frame.low + 4.0
    taken.add(Box(x - 3.5, y - 3.0, x + 3.5, y + 10.5))
    canvas.sheet.rectangle(x - 3.0, y - 2.2, 6.0, 11.6, face="white", alpha=0.85)
    for side, face in ((-1, INK.text), (1, "white")):
        arrow = Path([(x, y - 1.0), (x + side * 1.7, y + 5.0), (x, y + 3.7), (x, y - 1.0)], closed=True)
        canvas.sheet.figure.add_artist(
            PathPatch(arrow, facecolor=face, edgecolor=INK.text, linewidth=0.5, transform=canvas.sheet.transform)
        )
    canvas.sheet.text(x, y + 8.3, "N", size=SIZE.body, bold=True, align="center")


def draw_map(sheet: Sheet, briefing: Briefing, frame: Box) -> MapDrawing:
    """Draw the main map.

    Parameters
    ----------
    sheet : Sheet
    briefing : Briefing
    frame : Box
        Where, in millimetres from the upper left corner of the sheet.

    Returns
    -------
    MapDrawing
    """
    width, height = frame.right - frame.left, frame.high - frame.low
    lons, lats = _choose_extent(briefing.symbols, briefing.areas)
    view = choose_view(lons, lats, aspect=width / height)
    if view.is_world:  # no empty bands above and below the whole Earth
        height = min(height, width / _WORLD_ASPECT)
        frame = Box(frame.left, frame.low, frame.right, frame.low + height)
        view = choose_view(lons, lats, aspect=width / height)
    axes = sheet.axes(frame.left, frame.low, width, height)
    axes.set_xlim(*view.xlim)
    axes.set_ylim(*view.ylim)
    canvas = _Canvas(sheet, axes, view, frame)
    drawing = MapDrawing(view, frame)
    base = cut_base(view, policy=briefing.boundaries)
    _draw_base(canvas, base, briefing.countries)
    drawing.has_occupied = _draw_occupied(canvas, base.occupied)

    taken = Obstacles()
    _draw_furniture(canvas, taken)
    points = canvas.to_mm(view.project([s.lon for s in briefing.symbols], [s.lat for s in briefing.symbols]))
    _draw_unnumbered(canvas, briefing.symbols, points)
    marks = _merge_marks(briefing.symbols, points)
    drawing.has_mixed = any(mark.parent is None for mark in marks) or any(s.parent is None for s in briefing.symbols)
    texts = [_shorten_numbers(mark.numbers) for mark in marks]
    anchors = [Box.around(m.x, m.y, m.killed.diameter_mm, m.killed.diameter_mm) for m in marks]
    labels = place_labels(anchors, [_measure_label(text) for text in texts], frame=frame, taken=taken)
    left_out = _draw_areas(canvas, briefing.areas, taken, drawing, policy=briefing.boundaries)
    for label, text, mark in zip(labels, texts, marks, strict=True):
        if label is None:
            left_out += mark.numbers
            continue
        drawing.boxes.append(label.box)
        _draw_label(canvas, label, text, edge=style_symbol(mark.parent)[0])
    _draw_marks(canvas, marks)
    if not view.is_world:
        _draw_names(canvas, base.countries, taken, drawing, size=SIZE.heading, bold=True)
        _draw_towns(canvas, taken, drawing)
        mine = tuple(a for a in base.admin1 if not briefing.countries or a.country in briefing.countries)
        _draw_names(canvas, mine, taken, drawing, size=SIZE.small, bold=False)
    drawing.unplaced = tuple(sorted(left_out))
    if not (briefing.symbols or briefing.areas) and briefing.rows:
        said = "No incident of this briefing has a location that is known."
        _, line = _measure_label(said, size=SIZE.subtitle)
        x, y = (frame.left + frame.right) / 2, frame.low + height * 0.47
        wide = sheet.width_of(said, SIZE.subtitle, bold=True) + 6.0
        sheet.rectangle(x - wide / 2, y - line - 0.6, wide, 2 * line + 0.6, face="white", edge=INK.rule, alpha=0.92)
        sheet.text(x, y, said, size=SIZE.subtitle, bold=True, align="center")
    sheet.rectangle(frame.left, frame.low, width, height, edge=INK.coast, line=0.6)
    return drawing
