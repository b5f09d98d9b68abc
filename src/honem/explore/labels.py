"""Columns of facts about nodes, from a labels file, as the page can colour by them."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Vocabulary
from honem.embedding import Vectors
from honem.errors import InputError, ParameterError
from honem.explore.packing import narrow

FEW_VALUES = 12
Table = Mapping[str, Mapping[str, str]]
"""Column -> node, as text -> value."""


@dataclass(frozen=True, eq=False)
class Column:
    """A fact about every node: a number each, or a place in `categories` with 0 for none."""

    name: str
    values: NDArray[Any]
    categories: tuple[str, ...] | None = None


def read_table(path: str | Path) -> Table:
    """Every column of a CSV or TSV file with a header; nodes stand first."""
    path = Path(path)
    csv.field_size_limit(1 << 30)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header, *rows = list(csv.reader(file, delimiter="\t" if path.suffix in (".tsv", ".txt") else ","))
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise InputError(f"{path} cannot be read as a table with a header: {error}") from None
    if len(header) < 2:
        raise InputError(f"{path} has no header with two columns: nodes first, then their labels")
    return {
        name: {row[0]: row[place] for row in rows if len(row) > place} for place, name in enumerate(header) if place
    }


def columns_of(table: Table, vocabulary: Vocabulary) -> list[Column]:
    """The columns for the nodes of a vocabulary; at least one node must be named in the table."""
    nodes = [str(label) for label in vocabulary]
    if table and not any(node in values for values in table.values() for node in nodes):
        known = next(iter(next(iter(table.values()))), None)
        raise ParameterError(
            f"the labels name none of the {len(nodes)} nodes: theirs are like {known!r}, these like {nodes[0]!r}"
        )
    return [column_of(name, [values.get(node, "") for node in nodes]) for name, values in table.items()]


def shown_names(vocabulary: Vocabulary, table: Table, column: str | None) -> list[str]:
    """The nodes as they are shown: by a column of the table where it names them, otherwise as they are.

    >>> shown_names(Vocabulary((7, 8)), {"port": {"7": "Falkenberg"}}, "port")
    ['Falkenberg (7)', '8']
    """
    if column is None:
        return [str(label) for label in vocabulary]
    if column not in table:
        raise ParameterError(f"the labels have no column {column!r}; they have {', '.join(table) or 'none'}")
    names = table[column]
    return [f"{name} ({label})" if (name := names.get(str(label))) else str(label) for label in vocabulary]


def column_of(name: str, values: Sequence[str]) -> Column:
    """Numbers where every value is one and there are many; otherwise categories, the commonest first.

    >>> column_of("colour", ["red", "", "blue", "red"]).categories
    ('red', 'blue')
    """
    numbers = [number_or_none(value) for value in values if value]
    if len(set(values) - {""}) > FEW_VALUES and None not in numbers:
        return Column(name, np.array([float(value) if value else math.nan for value in values], np.dtype("<f4")))
    amounts = Counter(value for value in values if value)
    categories = tuple(sorted(amounts, key=lambda value: (-amounts[value], value)))
    place = {"": 0} | {value: number for number, value in enumerate(categories, start=1)}
    return Column(name, narrow(np.array([place[value] for value in values], np.int64)), categories)


def number_or_none(text: str) -> float | None:
    """The finite number that a text stands for."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def coordinates_in(table: Table, vocabulary: Vocabulary) -> tuple[Vectors, Vectors]:
    """Longitudes and latitudes of all nodes, NaN where there are none."""
    by_name = {name.lower(): values for name, values in table.items()}
    found = []
    for names in (("lon", "lng", "longitude"), ("lat", "latitude")):
        values = next((by_name[name] for name in names if name in by_name), None)
        if values is None:
            raise ParameterError(f"the labels have no column {' or '.join(names)}; they have {', '.join(table)}")
        numbers = [number_or_none(values.get(str(label), "")) for label in vocabulary]
        found.append(np.array([math.nan if number is None else number for number in numbers]))
    return found[0], found[1]
