"""Colours of nodes: by a column of labels, by values given for nodes, or one for all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from honem._internal.similar_names import did_you_mean
from honem._internal.words import name_of
from honem.corpus import Vocabulary
from honem.errors import ParameterError
from honem.explore.labels import Column, column_of, columns_of
from honem.io.node_labels import NodeLabels

# Those of the page that `honem explore` makes.
PALETTE = (
    *("#2f6fb5", "#e08214", "#1b9e77", "#c2479d", "#8c6d31", "#5bb4d8", "#d6453d", "#7461b8", "#b8a81e", "#0f7173"),
    *("#8f2d56", "#7fa650", "#f2857d", "#4b3fa8", "#a0522d", "#2bb3a3", "#d99ad0", "#8a9a00", "#0077c8", "#c21e56"),
)
REST = "#b9c0c8"


def color_column(
    color: Any, vocabulary: Vocabulary, labels: NodeLabels | None, more: Mapping[str, Any] | None = None
) -> Column:
    """Return the values by which nodes are coloured.

    Parameters
    ----------
    color : str, mapping, pandas.Series or sequence
        The name of a column, a value for each of some nodes, or one value per node.
    vocabulary : Vocabulary
        The nodes.
    labels : NodeLabels or None
        Where columns are looked up first.
    more : mapping of str to array of numbers, optional
        Where they are looked up next.

    Returns
    -------
    Column

    Raises
    ------
    ParameterError
        If there is no such column, no node has a value, or there is not one value per node.
    """
    if isinstance(color, str):
        return _named_column(color, labels, more or {})
    if hasattr(color, "index") and hasattr(color, "items"):  # a Series of pandas
        color = dict(color.items())
    if isinstance(color, Mapping):
        known = {str(node): value for node, value in color.items()}
        if not any(str(node) in known for node in vocabulary):
            raise ParameterError(f"color has values for {len(known):,} nodes, none of which are among these")
        return _column_of_values([known.get(str(node)) for node in vocabulary])
    values = list(color) if hasattr(color, "__iter__") else None
    if values is None or len(values) != len(vocabulary):
        given = type(color).__name__ if values is None else f"{len(values):,} values"
        raise ParameterError(
            f"color must be a column of the labels, a mapping of nodes to values, or one value for each of "
            f"{len(vocabulary):,} nodes, not {given}"
        )
    return _column_of_values(values)


def _named_column(name: str, labels: NodeLabels | None, more: Mapping[str, Any]) -> Column:
    columns = {column.name: column for column in columns_of(labels)}
    if name in columns:
        return columns[name]
    if name in more:
        return Column(name, np.asarray(more[name], np.float64))
    known = [*columns, *more]
    hint = did_you_mean(name, known) or (f"; there are {', '.join(known)}" if known else "; give labels with it")
    raise ParameterError(f"color={name!r} is not a column of the labels{hint}")


def _column_of_values(values: Sequence[Any]) -> Column:
    """Make a column of any values: numbers stay numbers, all others are categories by their text."""
    known = [value for value in values if not _is_missing(value)]
    is_numeric = all(isinstance(value, (int, float, np.integer, np.floating)) for value in known)
    if known and is_numeric and not any(isinstance(value, bool) for value in known):
        numbers = [math.nan if _is_missing(value) else float(value) for value in values]
        return Column("", np.array(numbers))
    column = column_of("", ["" if _is_missing(value) else f"{value} " for value in values])  # never read as numbers
    return Column("", column.values, tuple(text[:-1] for text in column.categories or ()))


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, (float, np.floating)) and not math.isfinite(value))


def legend_of(column: Column) -> list[tuple[str, str]]:
    """Return names and colours of the most frequent categories; all others share one colour.

    >>> legend_of(column_of("kind", ["home", "work", "home", ""]))
    [('home', '#2f6fb5'), ('work', '#e08214'), ('none', '#b9c0c8')]
    """
    categories = column.categories or ()
    shown = [(name_of(name), color) for name, color in zip(categories, PALETTE, strict=False)]
    n_others = len(categories) - len(shown)
    rest = [*([f"{n_others:,} others"] if n_others else []), *(["none"] if (column.values == 0).any() else [])]
    return [*shown, *([(" and ".join(rest), REST)] if rest else [])]


def colors_of(column: Column) -> list[str]:
    """Return the colour of each node for a column of categories.

    >>> colors_of(column_of("kind", ["home", "work", "home", ""]))
    ['#2f6fb5', '#e08214', '#2f6fb5', '#b9c0c8']
    """
    places = column.values.astype(np.int64).tolist()
    return [PALETTE[place - 1] if 1 <= place <= len(PALETTE) else REST for place in places]
