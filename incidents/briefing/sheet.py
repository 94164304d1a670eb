"""One sheet of paper to draw on, in millimetres from its upper left corner."""

from __future__ import annotations

from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from incidents.briefing.paper import INK, Paper
from incidents.briefing.text import get_families, make_drawable, measure_text

__all__ = ["Sheet"]


class Sheet:
    """A figure of the size of a paper.

    Text drawn here is never read as mathematics or TeX, whatever it holds.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.figure = Figure(figsize=(paper.width / 25.4, paper.height / 25.4), facecolor="white")
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
        valign: Literal["baseline", "center"] = "baseline",
        **options: Any,
    ) -> Text | None:
        """Write one line; nothing for an empty one. Returns what was drawn."""
        shown, _ = make_drawable(text)
        if not shown:
            return None
        return self.figure.text(
            x,
            y,
            shown,
            transform=self.transform,
            fontsize=size,
            color=colour,
            fontweight="bold" if bold else "normal",
            fontfamily=list(get_families(shown)),
            ha=align,
            va="center_baseline" if valign == "center" else "baseline",
            parse_math=False,
            usetex=False,
            **options,
        )

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
                (x, y), width, height, facecolor=face, edgecolor=edge, linewidth=line, transform=self.transform, **options
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
        return axes
