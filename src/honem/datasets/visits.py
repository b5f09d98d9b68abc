"""Generated visits: a table with one row per visit, as event data usually come, and the same as a corpus."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from honem._internal.path_like import PathLike
from honem.corpus import Corpus
from honem.io.paths import from_events
from honem.io.paths.options import ReadOptions

FIRST_DAY = datetime(2024, 1, 1, 6)
MINUTES_BETWEEN_SEQUENCES = 7


@dataclass(frozen=True, eq=False, repr=False)
class Visits:
    """A table with one row per visit.

    Attributes
    ----------
    table : pyarrow.Table
        One row per visit, sorted by time.
    entity : str
        Name of the column that says whose visit it was; each of its values is one sequence.
    time : str
        Name of the column with the time of the visit.
    node : str or None
        Name of the column that says what was visited; None if the table has positions instead.
    labels : dict
        Class of each node that has one, for classification and for colours; empty if there are none.
    coordinates : dict
        Longitude and latitude of each node; empty if nodes are not places on the earth.
    reading : dict
        Options of `read_paths` that the table needs besides its columns, such as `grid` for positions.

    Examples
    --------
    >>> from honem.datasets import load_orders
    >>> orders = load_orders()
    >>> orders.table.column_names, orders.corpus.n_nodes
    (['order', 'time', 'activity'], 10)
    """

    table: pa.Table
    entity: str
    time: str
    node: str | None
    labels: Mapping[Hashable, str] = field(default_factory=dict)
    coordinates: Mapping[Hashable, tuple[float, float]] = field(default_factory=dict)
    reading: ReadOptions = field(default_factory=ReadOptions)

    def __repr__(self) -> str:
        columns = ", ".join(self.table.column_names)
        return (
            f"Visits({self.corpus.n_sequences:,} sequences of {self.entity}, {self.table.num_rows:,} rows;"
            f" columns {columns})"
        )

    @property
    def options(self) -> ReadOptions:
        """The options with which `read_paths`, `from_events` and `HONEM.fit` read the table."""
        columns: ReadOptions = {"entity": self.entity, "time": self.time}
        if self.node is not None:
            columns["node"] = self.node
        return {**columns, **self.reading}

    @cached_property
    def corpus(self) -> Corpus:
        """The visits as sequences, one per entity."""
        return from_events(self.table, **self.options)

    def to_csv(self, path: PathLike) -> None:
        """Write the table as a CSV file with a header.

        Parameters
        ----------
        path : path-like
            File to write; an existing one is replaced.
        """
        from honem.io.atomic import atomic_file

        with atomic_file(path) as file:
            pyarrow.csv.write_csv(self.table, file)


def visits_of(
    sequences: Sequence[Sequence[str]],
    columns: tuple[str, str, str],
    labels: Mapping[Hashable, str],
    random: np.random.Generator,
    **fields: Any,
) -> Visits:
    """Return sequences as visits: a sequence begins every few minutes, and a visit takes up to an hour."""
    entity, time, node = columns
    prefix = entity[0]
    rows = []
    for number, sequence in enumerate(sequences):
        start = FIRST_DAY + timedelta(minutes=number * MINUTES_BETWEEN_SEQUENCES)
        passed = np.cumsum(random.integers(5, 60, size=len(sequence)))
        rows += [
            (f"{prefix}{number + 1}", start + timedelta(minutes=int(minutes)), place)
            for minutes, place in zip(passed, sequence, strict=True)
        ]
    return Visits(table_of_visits(rows, columns), entity, time, node, labels, **fields)


def table_of_visits(rows: Iterable[tuple[Any, ...]], columns: Sequence[str]) -> pa.Table:
    """Return rows of (entity, time, ...) as a table that is sorted by time."""
    entities, times, *others = zip(*sorted(rows, key=lambda row: row[1]), strict=True)
    values = [entities, pa.array(times, pa.timestamp("s")), *others]
    return pa.table(dict(zip(columns, values, strict=True)))
