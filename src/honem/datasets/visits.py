"""Generated visits: a table with one row per visit, as event data usually come, and the same as a corpus."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.csv

from honem._internal.path_like import PathLike
from honem.corpus import Corpus
from honem.io.paths import from_events

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
    node : str
        Name of the column that says what was visited.
    labels : dict
        Class of each node that has one, for classification and for colours; empty if there are none.

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
    node: str
    labels: Mapping[Hashable, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        columns = ", ".join(self.table.column_names)
        return (
            f"Visits({self.corpus.n_sequences:,} sequences of {self.entity}, {self.table.num_rows:,} rows;"
            f" columns {columns})"
        )

    @cached_property
    def corpus(self) -> Corpus:
        """The visits as sequences, one per entity."""
        return from_events(self.table, entity=self.entity, time=self.time, node=self.node)

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
    rows.sort(key=lambda row: row[1])
    names, times, places = zip(*rows, strict=True)
    table = pa.table({entity: names, time: pa.array(times, pa.timestamp("s")), node: places})
    return Visits(table, entity, time, node, labels)
