"""One sheet of paper to draw on, in millimetres from its upper left corner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from incidents.briefing.labels import Box
from incidents.briefing.paper import INK, Paper
from incidents.briefing.text import get_families, make_drawable, measure_text

__all__ = ["Sheet", "TextLine"]


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text: left end of the baseline and width in millimetres, size in points."""

    x: float
    y: float
    text: str
    width: float
    size: float
    colour: str
    bold: bool

    @property
    def box(self) -> Box:
        """The space that lower-case and capital letters take, millimetres."""
        em = self.size * 25.4 / 72.0
        return Box(self.x, self.y - 0.74 * em, self.x + self.width, self.y + 0.18 * em)


@lru_cache(maxsize=256)
def _get_font(families: tuple[str, ...], size: float, *, bold: bool) -> FontProperties:
    return FontProperties(family=list(families), size=size, weight="bold" if bold else "normal")


class _TextLayer(Artist):
    """Draws the lines of a sheet.

    Matplotlib's own `Text` lays each string out twice and reads ``$x$`` as mathematics; these lines are measured
    already, and are handed to the renderer as they are.
    """

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self._sheet = sheet
        self.set_zorder(50)

    def draw(self, renderer: RendererBase) -> None:
        """Draw all lines."""
        height = renderer.get_canvas_width_height()[1]
        for line in self._sheet.lines:
            context = renderer.new_gc()
            context.set_foreground(line.colour)
            x, y = self._sheet.transform.transform((line.x, line.y))
            font = _get_font(get_families(line.text), line.size, bold=line.bold)
            y = height - y if renderer.flipy() else y
            renderer.draw_text(context, float(x), float(y), line.text, font, 0.0, ismath=False)
            context.restore()


class Sheet:
    """A figure of the size of a paper.

    Text drawn here is never read as mathematics or TeX, whatever it holds.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.figure = Figure(figsize=(paper.width / 25.4, paper.height / 25.4), facecolor="white")
        self.lines: list[TextLine] = []
        self.figure.add_artist(_TextLayer(self))
        self.transform = (
            Affine2D().scale(1 / 25.4, -1 / 25.4).translate(0, paper.height / 25.4) + self.figure.dpi_scale_trans
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        colour: str = INK.text,
        bold: bool = False,
        align: Literal["left", "center", "right"] = "left",
    ) -> None:
        """Write one line with its baseline at `y`; nothing for an empty one."""
        shown, _ = make_drawable(text)
        if not shown:
            return
        width = measure_text(shown, size, bold=bold)
        left = x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
        self.lines.append(TextLine(left, y, shown, width, size, colour, bold))

    def width_of(self, text: str, size: float, *, bold: bool = False) -> float:
        """Return the width of a line, millimetres."""
        return measure_text(make_drawable(text)[0], size, bold=bold)

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        face: str = "none",
        edge: str = "none",
        line: float = 0.5,
        **options: Any,
    ) -> None:
        """Draw a rectangle from its upper left corner; `line` in points."""
        self.figure.add_artist(
            Rectangle(
                (x, y),
                width,
                height,
                facecolor=face,
                edgecolor=edge,
                linewidth=line,
                transform=self.transform,
                **options,
            )
        )

    def rule(self, x0: float, y0: float, x1: float, y1: float, *, colour: str = INK.rule, line: float = 0.5) -> None:
        """Draw a straight line; `line` in points."""
        self.figure.add_artist(
            Line2D([x0, x1], [y0, y1], color=colour, linewidth=line, transform=self.transform, solid_capstyle="butt")
        )

    def mark(
        self, x: float, y: float, *, marker: str, diameter: float, face: str, edge: str = "white", line: float = 0.5
    ) -> None:
        """Draw a symbol of `diameter` millimetres."""
        self.figure.add_artist(
            Line2D(
                [x],
                [y],
                linestyle="none",
                marker=marker,
                markersize=diameter / 25.4 * 72.0,
                markerfacecolor=face,
                markeredgecolor=edge,
                markeredgewidth=line,
                transform=self.transform,
            )
        )

    def axes(self, x: float, y: float, width: float, height: float) -> Axes:
        """Return empty axes over a rectangle, upper left corner first."""
        paper = self.paper
        rect = (x / paper.width, 1 - (y + height) / paper.height, width / paper.width, height / paper.height)
        axes = self.figure.add_axes(rect, frameon=False, xticks=[], yticks=[])
        axes.set_axis_off()
        axes.set_aspect("equal", adjustable="box")
        return axes
