"""Columns of facts about nodes, as the page colours points by them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Vocabulary
from honem.explore.packing import narrow
from honem.io.tables import NodeTable, parse_number
from honem.profile import NodeProfile
from honem.profile.columns import PROFILE_COLUMNS

FEW_VALUES = 12
LabelSource: TypeAlias = "str | Path | NodeTable | Mapping[str, Mapping[Any, Any]] | None"
"""A table file, a NodeTable, a mapping {column: {node: value}}, or None for no labels."""


@dataclass(frozen=True, eq=False)
class Column:
    """One value per node: a number, or with `categories` a position in them, counted from 1, and 0 for none.

    Columns of a `group` are listed together; `meaning` explains a column in a phrase.
    """

    name: str
    values: NDArray[Any]
    categories: tuple[str, ...] | None = None
    group: str = ""
    meaning: str = ""


def table_of(labels: LabelSource) -> NodeTable | None:
    """Return the labels as a table; None and an empty mapping are no labels."""
    if labels is None or isinstance(labels, NodeTable):
        return labels
    if isinstance(labels, Mapping):
        return NodeTable.of(labels) if labels else None
    return NodeTable.read(labels)


def columns_of(table: NodeTable | None, vocabulary: Vocabulary) -> list[Column]:
    """Return all columns for the nodes of a vocabulary, at least one of which must be in the table."""
    if table is None:
        return []
    return [column_of(name, table.texts_for(vocabulary, name)) for name in table.facts]


def profile_columns(profile: NodeProfile | None) -> list[Column]:
    """Return the columns of a profile; its highest order is left out, which every page with rules has as categories."""
    if profile is None:
        return []
    return [
        Column(name.replace("_", " "), profile[name].astype("<f4"), None, "profile", PROFILE_COLUMNS[name].meaning)
        for name in profile.columns
        if name != "highest_order"
    ]


def shown_names(vocabulary: Vocabulary, table: NodeTable | None, column: str | None) -> list[str]:
    """Return the names under which nodes are shown: from a column of the table where it has one, else their own.

    >>> shown_names(Vocabulary((7, 8)), NodeTable.of({"port": {"7": "Falkenberg"}}), "port")
    ['Falkenberg (7)', '8']
    """
    if column is None or table is None:
        return [str(label) for label in vocabulary]
    names = table.texts_for(vocabulary, column)
    return [f"{name} ({label})" if name else str(label) for name, label in zip(names, vocabulary, strict=True)]


def column_of(name: str, values: Sequence[str]) -> Column:
    """Make a column of texts: numbers if all are finite numbers and there are many, else categories by frequency.

    >>> column_of("colour", ["red", "", "blue", "red"]).categories
    ('red', 'blue')
    """
    amounts = Counter(value for value in values if value)
    if len(amounts) > FEW_VALUES and all(map(_is_finite, amounts)):
        return Column(name, np.array([float(value) if value else math.nan for value in values], np.dtype("<f4")))
    categories = tuple(sorted(amounts, key=lambda value: (-amounts[value], value)))
    place = {"": 0} | {value: number for number, value in enumerate(categories, start=1)}
    return Column(name, narrow(np.array([place[value] for value in values], np.int64)), categories)


def _is_finite(text: str) -> bool:
    number = parse_number(text)
    return number is not None and math.isfinite(number)
