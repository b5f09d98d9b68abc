"""Columns of facts about nodes, as the page colours points by them, and the names that it shows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Vocabulary
from honem.explore.packing import narrow
from honem.io.node_labels import LabelSource, NodeLabels, labels_for
from honem.io.tables import parse_number
from honem.profile import NodeProfile
from honem.profile.columns import PROFILE_COLUMNS

FEW_VALUES = 12


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


def page_labels(
    given: LabelSource | None, names: str | None, vocabulary: Vocabulary, stored: NodeLabels | None
) -> NodeLabels | None:
    """Return the labels of a page: those given, else those of the model; None and an empty mapping are none given."""
    if given is None or (isinstance(given, Mapping) and not given):
        return stored if names is None else labels_for(stored, names, vocabulary)
    return labels_for(given, names, vocabulary)


def columns_of(labels: NodeLabels | None) -> list[Column]:
    """Return all columns of labels; coordinates are numbers, however few there are."""
    if labels is None:
        return []
    places = labels.coordinate_columns or ()
    return [
        _numbers(name, texts) if name in places else column_of(name, texts) for name, texts in labels.columns.items()
    ]


def profile_columns(profile: NodeProfile | None) -> list[Column]:
    """Return the columns of a profile; its highest order is left out, which every page with rules has as categories."""
    if profile is None:
        return []
    return [
        Column(name.replace("_", " "), profile[name].astype("<f4"), None, "profile", PROFILE_COLUMNS[name].meaning)
        for name in profile.columns
        if name != "highest_order"
    ]


def names_on_page(vocabulary: Vocabulary, labels: NodeLabels | None) -> list[str]:
    """Return what is shown for nodes: their names, with labels where names collide, or labels where there are none.

    >>> names_on_page(Vocabulary((7, 8)), NodeLabels.of({"name": {"7": "Falkenberg"}}, Vocabulary((7, 8))))
    ['Falkenberg', '8']
    """
    names = None if labels is None else labels.node_names
    return [str(label) for label in (vocabulary if names is None else names.shown)]


def column_of(name: str, values: Sequence[str]) -> Column:
    """Make a column of texts: numbers if all are finite numbers and there are many, else categories by frequency.

    >>> column_of("colour", ["red", "", "blue", "red"]).categories
    ('red', 'blue')
    """
    amounts = Counter(value for value in values if value)
    if len(amounts) > FEW_VALUES and all(map(_is_finite, amounts)):
        return _numbers(name, values)
    categories = tuple(sorted(amounts, key=lambda value: (-amounts[value], value)))
    place = {"": 0} | {value: number for number, value in enumerate(categories, start=1)}
    return Column(name, narrow(np.array([place[value] for value in values], np.int64)), categories)


def _numbers(name: str, values: Sequence[str]) -> Column:
    numbers = [math.nan if (number := parse_number(value)) is None else number for value in values]
    return Column(name, np.array(numbers, np.dtype("<f4")))


def _is_finite(text: str) -> bool:
    number = parse_number(text)
    return number is not None and math.isfinite(number)
