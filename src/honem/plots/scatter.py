"""Nodes as points in a plane: by their vectors, or on a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.optional_packages import require_package
from honem._internal.validation import require_one_of, require_whole
from honem._internal.words import name_of
from honem.embedding import Embedding, Vectors
from honem.embedding.projection import Projection
from honem.errors import ParameterError
from honem.explore.basemap import land_outlines
from honem.explore.labels import Column, names_on_page
from honem.explore.positions import project_nodes, unrolled
from honem.io.node_labels import LabelSource, NodeLabels, labels_for
from honem.plots.colors import PALETTE, REST, color_column, colors_of, legend_of
from honem.plots.naming import write_names

SMALLEST, LARGEST = 6.0, 60.0
"""Areas of the points, in square points."""
MANY_NODES = 5000
LEAST_DEGREES = 4.0
"""Extent below which outlines of continents say nothing."""


def plot_nodes(
    embedding: Embedding,
    color: Any = None,
    labels: LabelSource | None = None,
    *,
    coordinates: bool | None = None,
    projection: Projection = "pca",
    seed: int = 0,
    n_names: int = 25,
    visits: NDArray[np.float64] | None = None,
    columns: Mapping[str, NDArray[np.float64]] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the nodes of an embedding; `Embedding.plot` and `HONEM.plot` explain the parameters.

    Parameters
    ----------
    embedding : Embedding
        The vectors.
    color : str, mapping, sequence or None, default=None
        What nodes are coloured by.
    labels : path-like, data frame, Arrow table, mapping, NodeLabels or None, default=None
        Facts about nodes.
    coordinates : bool or None, default=None
        Whether to draw a map; None means if there are coordinates.
    projection : {"pca", "tsne", "auto"}, default="pca"
        How vectors become points otherwise.
    seed : int, default=0
        Seed of t-SNE.
    n_names : int, default=25
        Largest number of names.
    visits : ndarray or None, default=None
        How often each node is visited.
    columns : mapping of str to ndarray or None, default=None
        More columns of numbers to colour nodes by.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    require_package("matplotlib", "plot", "plot")
    require_whole("n_names", n_names, least=0)
    require_one_of("projection", projection, get_args(Projection))
    known = labels_for(labels, None, embedding.vocabulary)
    column = None if color is None else color_column(color, embedding.vocabulary, known, columns)
    places = _coordinates_of(known, coordinates)
    points = project_nodes(embedding, projection, seed).points if places is None else places
    visits = None if visits is None else np.asarray(visits, np.float64)
    if visits is not None and visits.shape != (len(embedding),):
        raise ParameterError(f"visits has shape {visits.shape} for {len(embedding)} nodes")
    axes = _new_axes(places) if ax is None else ax
    weights = np.linalg.norm(embedding.source, axis=1) if visits is None else visits
    order = np.argsort(-weights, kind="stable")
    _draw_points(axes, points, column, _areas(visits, len(points)), order)
    if places is None:
        _without_scale(axes, projection)
    else:
        _draw_map(axes, places)
    names = names_on_page(embedding.vocabulary, known)
    shown = order[np.isfinite(points[order]).all(axis=1)].tolist()
    write_names(axes, points, ((row, name_of(names[row])) for row in shown), n_names)
    return axes


def _coordinates_of(labels: NodeLabels | None, wanted: bool | None) -> Vectors | None:
    """Return longitudes and latitudes to draw nodes at, NaN for unknown ones; None if they are not wanted or known."""
    found = None if labels is None or wanted is False else labels.coordinates
    if found is None or not np.isfinite(found).all(axis=1).any():
        if wanted:
            raise ParameterError("coordinates=True needs labels with the columns lon and lat")
        return None
    known = np.where(np.isfinite(found).all(axis=1, keepdims=True), found, np.nan)
    return np.column_stack((unrolled(known[:, 0]), known[:, 1]))


def _new_axes(places: Vectors | None) -> Any:
    """Return the axes of a new figure, of which a map is about as wide and high as the part of the earth it shows."""
    from matplotlib import pyplot

    height = 5.5
    if places is not None:
        width, extent = np.maximum(np.nanmax(places, axis=0) - np.nanmin(places, axis=0), 0.004)
        height = float(np.clip(0.8 + 6.0 * extent * _stretch(places) / width, 3.0, 7.0))
    return pyplot.subplots(figsize=(8, height), layout="constrained")[1]


def _stretch(places: Vectors) -> float:
    """Return how much longer a degree of latitude is than one of longitude, in the middle of the map."""
    middle = (np.nanmin(places[:, 1]) + np.nanmax(places[:, 1])) / 2
    return float(1 / np.cos(np.deg2rad(np.clip(middle, -80, 80))))


def _areas(visits: NDArray[np.float64] | None, n_nodes: int) -> NDArray[np.float64]:
    """Return the areas of points: by the square root of visits, so that rare nodes can be seen beside busy ones."""
    smallest = SMALLEST if n_nodes <= MANY_NODES else SMALLEST / 3
    if visits is None or not n_nodes or visits.max() <= 0:
        return np.full(n_nodes, 2 * smallest)
    areas: NDArray[np.float64] = smallest + (LARGEST - smallest) * np.sqrt(visits / visits.max())
    return areas


def _draw_points(
    axes: Any, points: Vectors, column: Column | None, areas: NDArray[np.float64], order: NDArray[np.int64]
) -> None:
    """Draw all points, busy ones first, so that they do not hide others."""
    x, y = points[order].T
    style = {"s": areas[order], "linewidths": 0.3, "edgecolors": axes.get_facecolor(), "zorder": 3, "alpha": 0.9}
    if column is None:
        axes.scatter(x, y, color=PALETTE[0], **style)
    elif column.categories is not None:
        colors = colors_of(column)
        axes.scatter(x, y, c=[colors[row] for row in order.tolist()], **style)
        _draw_legend(axes, column)
    else:
        values = column.values[order].astype(np.float64)
        is_known = np.isfinite(values)
        unknown = style | {"s": areas[order][~is_known]}
        axes.scatter(x[~is_known], y[~is_known], color=REST, **unknown)
        drawn = axes.scatter(x[is_known], y[is_known], c=values[is_known], **(style | {"s": areas[order][is_known]}))
        axes.figure.colorbar(drawn, ax=axes, label=_plain(column.name), shrink=0.7)


def _plain(text: str) -> str:
    """Return a text in which matplotlib finds no formula."""
    return name_of(text).replace("$", r"\$")


def _draw_legend(axes: Any, column: Column) -> None:
    from matplotlib.lines import Line2D

    entries = legend_of(column)
    handles = [Line2D([], [], marker="o", linestyle="", color=color) for _, color in entries]
    legend = axes.legend(
        handles,
        [str(number) for number in range(len(entries))],
        title=_plain(column.name) or None,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize="small",
    )
    # As arguments, names that begin with an underscore would be left out, and those with two $ would be formulas.
    for text, (name, _) in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def _without_scale(axes: Any, projection: Projection) -> None:
    """Remove the ticks, which mean nothing; one unit is the same length in both directions."""
    axes.set(xticks=[], yticks=[], aspect="equal", adjustable="datalim")
    if projection == "pca":
        axes.set(xlabel="first principal axis", ylabel="second principal axis")


def _draw_map(axes: Any, places: Vectors) -> None:
    """Draw outlines of continents below the nodes, and show the part of the earth with nodes."""
    from matplotlib.collections import LineCollection

    low, high = np.nanmin(places, axis=0), np.nanmax(places, axis=0)
    margin = np.maximum(0.04 * (high - low), 0.002)
    (left, bottom), (right, top) = low - margin, high + margin
    if max(high - low) >= LEAST_DEGREES:
        outlines = [one + np.array((turn, 0.0)) for one in land_outlines() for turn in (-360.0, 0.0, 360.0)]
        seen = [one for one in outlines if one[:, 0].max() >= left and one[:, 0].min() <= right]
        axes.add_collection(LineCollection(seen, colors=REST, linewidths=0.6, zorder=1), autolim=False)
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect=_stretch(places), adjustable="box")
    axes.set(xlabel="longitude", ylabel="latitude")
