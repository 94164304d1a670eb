"""Placing labels on the map so that none lies on another: pure geometry in millimetres of paper."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Box", "Label", "Obstacles", "place_label", "place_labels"]

_DIRECTIONS = (45, 135, 315, 225, 0, 180, 90, 270, 22, 158, 202, 338, 68, 112, 248, 292)
"""Degrees from the right, counter-clockwise; right above first, as cartographers like it (Imhof 1975)."""
_REACHES = (0.0, 2.5, 5.0, 8.0, 11.0, 15.0, 20.0, 26.0, 33.0)
"""Millimetres between symbol and label that are tried, nearest first."""
_FINE_DIRECTIONS = tuple(range(7, 367, 9))
_FINE_REACHES = tuple(float(reach) for reach in range(3, 72, 3))
"""A second, closer search for the labels of a crowd."""
_LEADER_FROM = 2.0


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle, millimetres, y downward or upward alike."""

    left: float
    low: float
    right: float
    high: float

    def overlaps(self, other: Box, *, gap: float = 0.0) -> bool:
        """Return whether the boxes come nearer to each other than `gap` millimetres."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.low < other.high + gap
            and other.low < self.high + gap
        )

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        """Return the box of a size around a centre."""
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box."""
        return (self.left + self.right) / 2, (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its place; `leader` is the line back to what it names, or None."""

    box: Box
    leader: tuple[tuple[float, float], tuple[float, float]] | None


class Obstacles:
    """The boxes that are taken, searched fast."""

    def __init__(self, boxes: Iterable[Box] = ()) -> None:
        self._rows: list[tuple[float, float, float, float]] = []
        self._array: NDArray[np.float64] | None = None
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        """Take a box."""
        self._rows.append((box.left, box.low, box.right, box.high))
        self._array = None

    def _get_array(self) -> NDArray[np.float64]:
        if self._array is None:
            self._array = np.array(self._rows, dtype=float).reshape(-1, 4)
        return self._array

    def hits(self, box: Box, *, gap: float = 0.0) -> bool:
        """Return whether a box comes nearer than `gap` millimetres to a taken one."""
        taken = self._get_array()
        return bool(
            np.any(
                (box.left < taken[:, 2] + gap)
                & (taken[:, 0] < box.right + gap)
                & (box.low < taken[:, 3] + gap)
                & (taken[:, 1] < box.high + gap)
            )
        )

    def crosses(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Return whether a line runs through a taken box, looked at in steps of half a millimetre."""
        taken = self._get_array()
        steps = max(2, math.ceil(math.dist(start, end) / 0.5))
        xs = np.linspace(start[0], end[0], steps)[:, None]
        ys = np.linspace(start[1], end[1], steps)[:, None]
        inside = (xs > taken[:, 0]) & (xs < taken[:, 2]) & (ys > taken[:, 1]) & (ys < taken[:, 3])
        return bool(inside.any())


def _is_inside(box: Box, frame: Box) -> bool:
    return box.left >= frame.left and box.right <= frame.right and box.low >= frame.low and box.high <= frame.high


def place_label(
    anchor: Box, *, width: float, height: float, frame: Box, taken: Obstacles, leaders: Obstacles
) -> Label | None:
    """Return the best free place for one label, or None.

    Parameters
    ----------
    anchor : Box
        What the label names.
    width, height : float
        Size of the label, millimetres.
    frame : Box
        The label stays inside.
    taken : Obstacles
        Boxes that the label must not touch.
    leaders : Obstacles
        Boxes that the line back to the symbol must not cross.

    Returns
    -------
    Label or None
    """
    x, y = anchor.centre
    half_width, half_height = (anchor.right - anchor.left) / 2, (anchor.high - anchor.low) / 2
    for reaches, directions in ((_REACHES, _DIRECTIONS), (_FINE_REACHES, _FINE_DIRECTIONS)):
        for reach, degrees in itertools.product(reaches, directions):
            cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            along = half_width + width / 2 + reach + 0.3
            across = half_height + height / 2 + reach + 0.3
            box = Box.around(x + cos * along, y + sin * across, width, height)
            if not _is_inside(box, frame) or taken.hits(box, gap=0.25):
                continue
            if reach < _LEADER_FROM:
                return Label(box, None)
            end = (min(max(x, box.left), box.right), min(max(y, box.low), box.high))
            length = math.dist((x, y), end) or 1.0
            start = (x + (end[0] - x) / length * half_width, y + (end[1] - y) / length * half_height)
            if leaders.crosses(start, end):
                continue
            return Label(box, (start, end))
    return None


def place_labels(
    anchors: Sequence[Box], sizes: Sequence[tuple[float, float]], *, frame: Box, taken: Obstacles
) -> list[Label | None]:
    """Return a place for each label, none on another; the crowded ones choose first.

    Parameters
    ----------
    anchors : sequence of Box
        The symbols. They count as taken.
    sizes : sequence of (width, height)
        Millimetres.
    frame : Box
    taken : Obstacles
        Other boxes that are taken. The placed labels are added to it.

    Returns
    -------
    list of Label or None
        In the order of `anchors`; None where there is no room.
    """
    if not anchors:
        return []
    centres = np.array([anchor.centre for anchor in anchors])
    near = np.array([(np.hypot(*(centres - centre).T) < 9.0).sum() for centre in centres])
    for anchor in anchors:
        taken.add(anchor)
    leaders = Obstacles()
    placed: list[Label | None] = [None] * len(anchors)
    for index in np.argsort(-near, kind="stable"):
        width, height = sizes[index]
        label = place_label(anchors[index], width=width, height=height, frame=frame, taken=taken, leaders=leaders)
        if label is not None:
            taken.add(label.box)
            leaders.add(label.box)
            if label.leader is not None:
                for box in _cover_line(*label.leader):
                    taken.add(box)
        placed[index] = label
    return placed


def _cover_line(start: tuple[float, float], end: tuple[float, float]) -> list[Box]:
    """Return small boxes along a line, so that no later label is set on it."""
    steps = max(2, math.ceil(math.dist(start, end)))
    return [
        Box.around(float(x), float(y), 0.3, 0.3)
        for x, y in zip(np.linspace(start[0], end[0], steps), np.linspace(start[1], end[1], steps), strict=True)
    ]
