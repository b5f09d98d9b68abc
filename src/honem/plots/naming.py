"""Names beside points, placed so that they overlap neither each other nor the edge of the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from honem.embedding import Vectors

GAP = 3.0
"""Points between a node and its name."""
TRIED_PER_NAME = 8
"""How many nodes are tried, at most, for each name that is wanted."""


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box) -> bool:
        """Return whether two rectangles have an area in common.

        >>> Box(0, 0, 2, 2).overlaps(Box(1, 1, 3, 3)), Box(0, 0, 1, 1).overlaps(Box(1, 0, 2, 1))
        (True, False)
        """
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def is_within(self, other: Box) -> bool:
        """Return whether the rectangle does not leave another one."""
        return (
            self.left >= other.left
            and self.bottom >= other.bottom
            and self.right <= other.right
            and self.top <= other.top
        )


def candidate_boxes(x: float, y: float, width: float, height: float, gap: float) -> Iterator[Box]:
    """Yield where a name can be written beside a point, best first: right, left, above, below, and the corners.

    >>> [tuple(map(int, box)) for box in candidate_boxes(0, 0, 10, 4, 1)][:2]
    [(1, -2, 11, 2), (-11, -2, -1, 2)]
    """
    right, left, middle = x + gap, x - gap - width, x - width / 2
    above, below, level = y + gap, y - gap - height, y - height / 2
    places = ((right, level), (left, level), (middle, above), (middle, below))
    corners = ((right, above), (right, below), (left, above), (left, below))
    for start, base in (*places, *corners):
        yield Box(start, base, start + width, base + height)


def write_names(axes: Any, points: Vectors, names: Iterable[tuple[int, str]], most: int) -> list[Any]:
    """Write names beside points, as many as fit.

    Sizes of texts and distances are in points, so the names stay clear of each other at any resolution, but not if the
    axes get another size afterwards.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where the points are drawn already.
    points : ndarray of shape (n_nodes, 2)
        Where each node is, in data coordinates.
    names : iterable of (int, str)
        Rows of nodes and their names, most important first.
    most : int
        Largest number of names.

    Returns
    -------
    list of matplotlib.text.Annotation
        The names that were written.
    """
    from matplotlib.patheffects import withStroke

    figure = axes.figure.figure  # of a subfigure, the whole
    figure.draw_without_rendering()  # fixes the place of the axes
    scale = figure.dpi / 72
    frame = Box(*axes.get_window_extent().extents)
    halo = [withStroke(linewidth=2, foreground=axes.get_facecolor())]
    pixels = axes.transData.transform(points)
    taken: list[Box] = []
    written: list[Any] = []
    for tried, (row, name) in enumerate(names):
        if len(written) == most or tried == TRIED_PER_NAME * most:
            break
        x, y = pixels[row]
        text = axes.annotate(
            name, points[row], (0, 0), textcoords="offset points", fontsize="x-small", parse_math=False, zorder=4
        )
        size = text.get_window_extent()
        boxes = candidate_boxes(x, y, size.width, size.height, GAP * scale)
        free = (box for box in boxes if box.is_within(frame) and not any(map(box.overlaps, taken)))
        box = next(free, None)
        if box is None:
            text.remove()
            continue
        # The extent of a text does not begin where the text is placed, but a little beside it.
        text.xyann = ((box.left - size.x0) / scale, (box.bottom - size.y0) / scale)
        text.set_path_effects(halo)
        text.set_in_layout(False)
        dot = GAP * scale
        taken += [box, Box(x - dot, y - dot, x + dot, y + dot)]
        written.append(text)
    return written
