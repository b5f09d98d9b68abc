"""Counting what follows contexts that are known by name, wherever they stand in the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.context_tree import ContextTree
from honem.engines.local.buffers import empty
from honem.engines.spark.chunks import Chunk, unpack_column
from honem.engines.spark.sizes import fetch
from honem.ranges import gather_ranges, offsets_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COUNTED = "context long, target int, count long"
KEYS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Targets and counts of some contexts, one context after the other; targets ascend."""

    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> CountedRows:
        """Of no context at all."""
        return cls(*empty(np.int32, np.int32, np.int64))

    def select(self, chosen: NDArray[np.int64]) -> CountedRows:
        """The rows of some contexts, in the order given."""
        rows = gather_ranges(self.offsets[:-1][chosen], self.n_rows[chosen])
        return CountedRows(self.n_rows[chosen], self.targets[rows], self.counts[rows])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the rows of each context begin and end."""
        return offsets_of(self.n_rows)

    @property
    def supports(self) -> NDArray[np.int64]:
        """`s(c)` of each context."""
        sums = offsets_of(self.counts)
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]


def count_targets(chunks: DataFrame, tree: ContextTree, least_count: int, n_parts: int) -> DataFrame:
    """How often each target follows each context of the tree: `context` (its number), `target`, `count`.

    All rows of a context are in the same of the `n_parts` partitions.
    """
    from pyspark.sql import functions as sql

    session = chunks.sparkSession
    if tree.n_rules == 0:
        return session.createDataFrame([], COUNTED)
    shared = session.sparkContext.broadcast(tree)
    parts = chunks.select("payload").mapInArrow(lambda batches: count_parts(batches, shared), COUNTED)
    counted = parts.repartition(n_parts, "context").groupBy("context", "target").agg(sql.sum("count").alias("count"))
    return counted.where(sql.col("count") >= least_count)


def fetch_counted(counted: DataFrame, n_contexts: int) -> CountedRows:
    """What `count_targets` counted, brought home."""
    table = fetch(counted, f"the counts of {n_contexts:,} contexts", "keep fewer rules (min_support, max_order)")
    contexts, targets, counts = (table.column(name).to_numpy() for name in ("context", "target", "count"))
    order = np.lexsort((targets, contexts))
    n_rows = np.bincount(contexts, minlength=n_contexts).astype(np.int32)
    return CountedRows(n_rows, targets[order], counts[order])


def count_parts(batches: Iterable[Any], shared: Any) -> Iterator[Any]:
    """What the chunks of one task count, each pair of context and target once or a few times."""
    import pyarrow as pa

    tree: ContextTree = shared.value
    tally = Tally()
    for chunk in unpack_column(batches):
        tally.add(*keys_of(chunk, tree))
    for keys, counts in tally.parts():
        contexts, targets = np.divmod(keys, tree.n_nodes)
        yield pa.record_batch(
            {"context": contexts, "target": pa.array(targets.astype(np.int32)), "count": counts},
        )


def keys_of(chunk: Chunk, tree: ContextTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`context * n_nodes + target` of each step that stands at a context, and its weight."""
    steps = chunk.steps()
    found = list(tree.suffixes(chunk.tokens, steps.positions + 1, steps.histories))
    standing = np.concatenate([histories for histories, _ in found])
    contexts = np.concatenate([rules for _, rules in found])
    weights = steps.weights[standing] if len(steps.weights) else np.ones(len(standing), np.int64)
    return contexts * tree.n_nodes + steps.targets[standing], weights


class Tally:
    """Sums by key, of more keys than are held at once."""

    def __init__(self) -> None:
        self.pending: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self.amount = 0

    def add(self, keys: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Add counts to keys."""
        self.pending.append((keys, counts))
        self.amount += len(keys)
        if self.amount > KEYS_AT_ONCE:
            self.pending = list(self.parts())
            # What is left after summing is different: wait until as much again has come.
            self.amount = 0

    def parts(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Each key once, with its sum."""
        if not self.pending:
            return
        keys = np.concatenate([keys for keys, _ in self.pending])
        counts = np.concatenate([counts for _, counts in self.pending])
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        if len(first):
            yield keys[first], np.add.reduceat(counts, first)
