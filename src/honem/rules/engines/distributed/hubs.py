"""Hubs: nodes that stand at more positions than one task should have, counted first and then spread over tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import unpack_column
from honem.rules.engines.distributed.corpus import SparkCorpus
from honem.rules.engines.distributed.counting import CountedRows, count_targets, fetch_counted
from honem.rules.engines.local.buffers import NO_SEEDS
from honem.rules.engines.local.kernels import Seeds
from honem.rules.params import ExtractionParams


@dataclass(frozen=True, eq=False)
class Hubs:
    """Some nodes, ascending, and what follows each."""

    nodes: NDArray[np.int32]
    counted: CountedRows

    @classmethod
    def none(cls) -> Hubs:
        """No node at all."""
        return cls(np.empty(0, np.int32), CountedRows.none())

    @property
    def with_targets(self) -> Hubs:
        """Those that are rules: a hub may lose all its targets to min_support."""
        known = np.flatnonzero(self.counted.n_rows)
        return Hubs(self.nodes[known], self.counted.select(known))

    def seeds(self, nodes: NDArray[Any]) -> Seeds:
        """Seeds of order 1 for those of the nodes that are hubs, of order 0 for the others."""
        if not np.isin(nodes, self.nodes).any():
            return NO_SEEDS
        places = np.searchsorted(self.nodes, nodes)
        places[places == len(self.nodes)] = 0
        offsets = self.counted.offsets
        return Seeds(
            orders=(self.nodes[places] == nodes).astype(np.int32),
            reference_orders=np.ones(len(nodes), np.int32),
            supports=self.counted.supports[places],
            starts=offsets[:-1][places],
            stops=offsets[1:][places],
            targets=self.counted.targets,
            counts=self.counted.counts,
            ended=np.zeros(len(nodes), np.bool_),
        )


def find_hubs(corpus: SparkCorpus, params: ExtractionParams, n_shards: int) -> Hubs:
    """The nodes with more than a shard's fair share of all positions; there are fewer of them than shards."""
    from pyspark.sql import functions as sql

    if n_shards == 1 or params.max_order == 1:
        return Hubs.none()
    n_nodes = corpus.n_nodes
    parts = corpus.chunks.select("payload").mapInArrow(
        lambda batches: count_positions(batches, n_nodes), "node int, amount long"
    )
    amounts = parts.repartition(n_shards, "node").groupBy("node").agg(sql.sum("amount").alias("amount"))
    busy = amounts.where(sql.col("amount") > corpus.n_steps / n_shards).collect()
    if not busy:
        return Hubs.none()
    nodes = np.sort(np.array([row["node"] for row in busy], np.int32))
    tree = ContextTree.of_contexts(n_nodes, nodes, np.arange(len(nodes) + 1))
    frame = count_targets(corpus.chunks, tree, params.least_count, n_shards).persist()
    try:
        counted = fetch_counted(frame, len(nodes))
    finally:
        frame.unpersist()
    return Hubs(nodes, counted)


def count_positions(batches: Iterable[Any], n_nodes: int) -> Iterator[Any]:
    """How many positions with a next step each node stands at, in the chunks of one task."""
    import pyarrow as pa

    amounts = np.zeros(n_nodes, np.int64)
    for chunk in unpack_column(batches):
        amounts += np.bincount(chunk.tokens[chunk.steps().positions], minlength=n_nodes)
    nodes = np.flatnonzero(amounts)
    yield pa.record_batch({"node": pa.array(nodes.astype(np.int32)), "amount": amounts[nodes]})
