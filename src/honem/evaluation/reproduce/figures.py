"""Figures of a report, each as PNG and SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from honem.embedding import Vectors
from honem.errors import MissingDependencyError
from honem.evaluation.chosen_method import is_ours
from honem.evaluation.methods import method_names
from honem.evaluation.records import Record
from honem.evaluation.reproduce.tables import Value, means_over_seeds
from honem.io.atomic import atomic_file

if TYPE_CHECKING:
    from honem.evaluation.tasks.visualization import Picture


class Point(NamedTuple):
    """A point of a line, and the standard deviation over seeds."""

    x: float
    y: float
    deviation: float = 0.0


Lines = Mapping[str, Sequence[Point]]
"""The points of the line of each method."""
Panels = Mapping[str, Lines]
"""The lines of each data set."""

PANELS_A_ROW = 3
N_NAMED = 4
"""In a figure of several panels, so many of the best other methods of each panel have a colour and a name."""
NAME_GAP = 0.065
"""Between two names of lines, as a share of the height of a panel."""
CLOSE = 0.3
"""Lines that all end below this share of the height of a panel cannot be told apart there."""
OURS = "#c8102e"
GREY = "#c4c4c4"
# At least as many colours as methods, all dark enough to be seen on white; red, the first one, is HONEM's alone.
COLORS = (
    OURS, "#1f77b4", "#7f7f7f", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf",
    "#8c564b", "#e377c2", "#000000", "#a6a61f", "#003f5c", "#b8860b", "#00a36c", "#556b2f", "#4169e1",
    "#5f6b00", "#2f4f4f", "#6a5acd", "#008080", "#a0522d", "#4b0082", "#808000", "#0077b6",
    "#c98b5a", "#3cb371", "#5fa8d3", "#9932cc",
)  # fmt: skip
MARKERS = (*"os^vD*PX<>hpdH81.234+x|_", 4, 5, 6, 7)
DASHES = ("-", "--", ":", "-.")


def precision_curves(records: Iterable[Record], task: str) -> Panels:
    """Return Precision@k against k per data set, of each method by its default score at its highest dimension."""
    values = {key: value for key, value in means_over_seeds(records).items() if key[1] == task}
    panels: dict[str, dict[str, list[Point]]] = {}
    for dataset, method, dimension, score in dict.fromkeys((k[0], k[2], k[3], k[4]) for k in values):
        points = [
            Point(float(metric.partition("@")[2]), value.mean, _shown_deviation(value))
            for (d, _, m, n, s, metric), value in values.items()
            if (d, m, n, s) == (dataset, method, dimension, score) and metric.startswith("precision@")
        ]
        lines = panels.setdefault(dataset, {})
        # The first score of a method is its default; a higher dimension replaces a lower one.
        if points and (method not in lines or score == _first_score(values, dataset, method)):
            lines[method] = sorted(points)
    return panels


def _first_score(values: Iterable[tuple[str, str, str, int, str, str]], dataset: str, method: str) -> str:
    return next(key[4] for key in values if (key[0], key[2]) == (dataset, method))


def _shown_deviation(value: Value) -> float:
    return value.deviation if value.seeds > 1 else 0.0


def against_dimension(records: Iterable[Record], task: str, metric: str) -> Panels:
    """Return a metric against the dimension, one panel per data set; of several scores the better one."""
    panels: dict[str, dict[str, dict[int, Point]]] = {}
    for (dataset, found, method, dimension, _, name), value in means_over_seeds(records).items():
        if (found, name) == (task, metric):
            line = panels.setdefault(dataset, {}).setdefault(method, {})
            point = Point(float(dimension), value.mean, _shown_deviation(value))
            line[dimension] = max(point, line.get(dimension, point), key=lambda one: one.y)
    return {
        dataset: {method: [line[d] for d in sorted(line)] for method, line in lines.items()}
        for dataset, lines in panels.items()
    }


def draw_lines(panels: Panels, path: Path, x_label: str, y_label: str, log_y: bool = False) -> Path:
    """Draw one panel per data set and one line per method, with its name beside it and a band of one deviation.

    HONEM is thick, red and in front. With several panels, all but the best other methods of each are thin and grey.
    """
    figure, axes = _panels(len(panels))
    styles = line_styles(dict.fromkeys(name for lines in panels.values() for name in lines))
    named = {title: _named(lines) if len(panels) > 1 else tuple(lines) for title, lines in panels.items()}
    for axis, (title, lines) in zip(axes, panels.items(), strict=False):
        for name, points in lines.items():
            _draw_line(axis, points, styles[name] if name in named[title] else None)
        axis.set_title(title, fontsize=10)
        axis.set_xscale("log", base=10 if x_label == "k" else 2)
        if x_label == "dimensions":
            asked = sorted({int(point.x) for points in lines.values() for point in points})
            axis.set_xticks(asked, [str(dimension) for dimension in asked])
            axis.minorticks_off()
        axis.set_xlabel(x_label)
        axis.set_ylabel(y_label)
        if log_y:
            _log_in_plain_numbers(axis)
        else:  # precisions, which a band of one deviation must not leave
            lowest, highest = axis.get_ylim()
            axis.set_ylim(max(lowest, -0.03), min(highest, 1.03))
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
        _name_lines(axis, {name: lines[name] for name in named[title]}, styles)
    if any(len(named[title]) < len(lines) for title, lines in panels.items()):
        figure.supxlabel("grey: other methods", fontsize=8, color="#666666", x=0.99, ha="right")
    return _save(figure, path)


def _named(lines: Lines) -> tuple[str, ...]:
    """Return our methods and the best others by the mean height of their line."""
    others = sorted((name for name in lines if not is_ours(name)), key=lambda name: -_height(lines[name]))
    chosen = {*others[:N_NAMED], *filter(is_ours, lines)}
    return tuple(name for name in lines if name in chosen)


def _height(points: Sequence[Point]) -> float:
    return float(np.mean([point.y for point in points]))


def _draw_line(axis: Any, points: Sequence[Point], style: Mapping[str, Any] | None) -> None:
    x, y, deviation = (np.array(column) for column in zip(*points, strict=True))
    if style is None:
        axis.plot(x, y, color=GREY, linewidth=0.7, zorder=1, marker="o" if len(x) == 1 else "", markersize=3)
        return
    axis.plot(x, y, **style)
    if deviation.any():
        band = {"color": style["color"], "alpha": 0.15, "linewidth": 0, "zorder": style["zorder"] - 1}
        axis.fill_between(x, y - deviation, y + deviation, **band)


def _name_lines(axis: Any, lines: Lines, styles: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the name of each line in its colour: beside its end, or, where all end at the bottom, in a list.

    The list is ordered by the mean height of the lines.
    """
    to_panel = axis.transScale + axis.transLimits
    ends = {name: float(to_panel.transform(points[-1][:2])[1]) for name, points in lines.items()}
    if max(ends.values()) < CLOSE and len(ends) > 1:
        for number, name in enumerate(sorted(lines, key=lambda name: -_height(lines[name]))):
            corner = {"xy": (1.06, 0.98 - NAME_GAP * number), "va": "top", "annotation_clip": False}
            axis.annotate(name, xycoords="axes fraction", **corner, **_name_style(name, styles))
        return
    names = sorted(ends, key=lambda name: ends[name])
    for name, place in zip(names, spread_out([ends[name] for name in names], NAME_GAP), strict=True):
        axis.annotate(
            name,
            xy=(1.01, ends[name]),
            xytext=(1.06, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0, **_thin(name, styles)},
            **_name_style(name, styles),
        )


def _name_style(name: str, styles: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {"fontsize": 7.5, "color": styles[name]["color"], "fontweight": "bold" if is_ours(name) else "normal"}


def _thin(name: str, styles: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {"color": styles[name]["color"], "linewidth": 0.5}


def spread_out(places: Sequence[float], gap: float) -> list[float]:
    """Move ascending places apart until neighbours differ by at least a gap, each as little as possible.

    Places that must be moved form groups, and the middle of a group stays where it was.

    >>> spread_out([0.0, 0.5, 0.5, 1.0], 0.1)
    [0.0, 0.45, 0.55, 1.0]
    """
    groups: list[tuple[float, int]] = []  # the middle of each group, and its size
    for place in places:
        middle, size = place, 1
        while groups and middle - gap * (size - 1) / 2 < groups[-1][0] + gap * (groups[-1][1] + 1) / 2:
            before, others = groups.pop()
            middle, size = (before * others + middle * size) / (others + size), others + size
        groups.append((middle, size))
    return [middle + gap * (number - (size - 1) / 2) for middle, size in groups for number in range(size)]


def _log_in_plain_numbers(axis: Any) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_formatter(NullFormatter())


def line_styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the style of each line: one colour per method in all figures; its forms differ in marker and dashes."""
    styles: dict[str, dict[str, Any]] = {}
    forms: Counter[str] = Counter()
    known = list(method_names())
    for name in names:
        method = name.partition(":")[0]
        known += [method] if method not in known else []
        forms[method] += name != method
        form = forms[method] if name != method else 0
        place = known.index(method)
        styles[name] = {
            "color": COLORS[place % len(COLORS)],
            "marker": MARKERS[(place + form) % len(MARKERS)],
            "linestyle": DASHES[form % len(DASHES)],
            "linewidth": 2.5 if is_ours(name) else 1.2,
            "markersize": 3.5,
            "zorder": 5 if is_ours(name) else 3,
        }
    return styles


def draw_pictures(pictures: Mapping[str, Picture], path: Path, titles: Mapping[str, str]) -> Path:
    """Draw nodes as points: one panel per method, one colour per class."""
    figure, axes = _panels(len(pictures))
    for axis, (name, picture) in zip(axes, pictures.items(), strict=False):
        for number, label in enumerate(picture.names):
            chosen = picture.points[picture.classes == number]
            axis.scatter(*chosen.T, s=6, alpha=0.7, label=label, color=f"C{number}")
        axis.set_title(f"{name}\n{titles.get(name, '')}", fontsize=9)
        axis.set_xticks([])
        axis.set_yticks([])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return _save(figure, path)


class MapPanel(NamedTuple):
    """One map: its title, and a number between 0 and 1 for every node, NaN for nodes without one."""

    title: str
    values: Vectors


def draw_maps(rows: Mapping[str, Sequence[MapPanel]], places: Vectors, path: Path, label: str) -> Path:
    """Draw nodes at their longitude and latitude, coloured by a number: one row of panels per method.

    A few far nodes may lie outside.

    Parameters
    ----------
    rows : mapping
        The panels of each method; all methods have as many.
    places : array of shape (n_nodes, 2)
        Longitude and latitude of each node, NaN where they are unknown.
    path : Path
        The file, without its extension.
    label : str
        What the numbers are.
    """
    figure, axes = _map_panels(len(rows), max(map(len, rows.values())), places)
    size = 4 + 2000 / max(1, len(places))
    for line, (name, panels) in zip(axes, rows.items(), strict=True):
        for axis, panel in zip(line, panels, strict=True):
            has_none = np.isnan(panel.values)
            axis.scatter(*places[has_none].T, s=size / 2, color="#b5b5b5", linewidths=0)
            # High numbers are drawn last, so that every panel hides the same kind of node.
            order = np.argsort(panel.values)[: np.count_nonzero(~has_none)]
            drawn = axis.scatter(
                *places[order].T, c=panel.values[order], s=size, cmap="plasma_r", vmin=0, vmax=1, linewidths=0
            )
            mean = np.nanmean(panel.values) if len(order) else np.nan
            axis.set_title(f"{name}, {panel.title}, mean {mean:.2f}", fontsize=8)
    figure.colorbar(drawn, ax=axes, label=label, shrink=0.6, pad=0.01)
    return _save(figure, path)


def _map_panels(n_rows: int, n_columns: int, places: Vectors) -> tuple[Any, Any]:
    """Return a figure whose panels have the shape of the map."""
    low, high = _map_limits(places)
    aspect = 1 / np.cos(np.radians((low[1] + high[1]) / 2))
    tallness = float(np.clip(aspect * (high[1] - low[1]) / (high[0] - low[0]), 0.4, 1.6))
    width = 3.0
    figure = _new_figure((width * n_columns + 1.2, (width * tallness + 0.35) * n_rows))
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for axis in axes.flat:
        axis.set_aspect(aspect)
        axis.set_xlim(low[0], high[0])
        axis.set_ylim(low[1], high[1])
        axis.set_facecolor("#f4f4f4")
        axis.set_xticks([])
        axis.set_yticks([])
    return figure, axes


def _map_limits(places: Vectors) -> tuple[Vectors, Vectors]:
    """Return the lowest and highest coordinates that are shown.

    A few far nodes would shrink all others to a spot, so limits are at most 10 % beyond the central 98 % of the nodes.
    """
    low, high = np.nanquantile(places, (0.01, 0.99), axis=0)
    beyond = 0.1 * (high - low)
    margin = 0.03 * (high - low) + 1e-9
    lowest, highest = np.nanmin(places, axis=0) - margin, np.nanmax(places, axis=0) + margin
    return np.maximum(lowest, low - beyond), np.minimum(highest, high + beyond)


def _panels(amount: int) -> tuple[Any, list[Any]]:
    columns = min(amount, PANELS_A_ROW)
    rows = -(-amount // columns)
    figure = _new_figure((4.6 * columns, 3.2 * rows))
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axis in axes[amount:]:
        axis.set_visible(False)
    return figure, axes[:amount]


def _new_figure(size: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("figures need matplotlib: pip install 'honem[plot]'") from None
    return Figure(figsize=size, layout="constrained")


def _save(figure: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path.with_suffix(".svg")) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
    with atomic_file(path.with_suffix(".png")) as file:
        figure.savefig(file, format="png", dpi=130)
    return path.with_suffix(".png")
