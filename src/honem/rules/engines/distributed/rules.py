"""SparkRules: what was found on the cluster. Contexts are here, their counts come home when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.corpus import Vocabulary
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import joined_columns
from honem.rules.engines.distributed.corpus import SparkCorpus
from honem.rules.engines.distributed.counting import CountedRows, count_targets, fetch_counted
from honem.rules.engines.distributed.found import Found, fetch_nouns
from honem.rules.engines.distributed.growing import ENDED, RULES, Contexts, told
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.pairs import summed_pairs
from honem.rules.engines.local.closure import Level, Others, kept_contexts, other_contexts, sub_contexts
from honem.rules.engines.local.engine import Counted, tabulate
from honem.rules.engines.local.kernels import NO_NODE
from honem.rules.params import ExtractionParams
from honem.rules.table import PairSums, RuleTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, eq=False)
class SparkRules:
    """Accepted contexts on a trail of their own, and what is kept beside them (words as in engines.local).

    `passes` have found the accepted contexts, but for the `hubs` that were known before; `by_rank` brings all of them
    into the canonical order. `counted` holds the rows of the others. Spark holds both until `release`.
    """

    vocabulary: Vocabulary
    params: ExtractionParams
    n_shards: int
    passes: Sequence[Found]
    hubs: Hubs
    counted: DataFrame
    by_rank: NDArray[np.int64]
    accepted: Contexts
    trail: NDArray[np.int32]
    positions: NDArray[np.int32]
    levels: list[Level]
    kept: list[NDArray[np.bool_]]
    others: Others

    @classmethod
    def of(
        cls, corpus: SparkCorpus, params: ExtractionParams, hubs: Hubs, passes: Sequence[Found], n_shards: int
    ) -> SparkRules:
        """Close the accepted contexts downwards, and count on the cluster what that adds."""
        fetched = fetch_nouns(passes, RULES, "contexts", "the contexts of the rules")
        contexts = Contexts(*joined_columns([*fetched, hub_contexts(hubs.with_targets)]))
        by_rank = canonical_order(contexts)
        accepted = contexts.select(by_rank)
        trail, positions = lay_contexts(accepted)
        levels = sub_contexts(trail, positions, accepted.orders, corpus.n_nodes)
        is_end = accepted.is_end
        if params.lower_orders == "hon":
            is_end = is_end | ends_of_later_passes(accepted, corpus.n_nodes, passes)
        kept = kept_contexts(levels, params.lower_orders, is_end)
        others = other_contexts(levels, kept)
        nodes = trail[gather_ranges(others.positions.astype(np.int64) - others.orders + 1, others.orders)]
        tree = ContextTree.of_contexts(corpus.n_nodes, nodes, offsets_of(others.orders))
        counted = count_targets(corpus.chunks, tree, params.least_count, n_shards).persist()
        facts = by_rank, accepted, trail, positions, levels, kept, others
        return cls(corpus.vocabulary, params, n_shards, passes, hubs, counted, *facts)

    def table(self) -> RuleTable:
        """All kept rules as a table here, if they fit."""
        fetched = fetch_nouns(self.passes, RULES, "rows", "the rules")
        rows = CountedRows(*joined_columns([*fetched, self.hubs.with_targets.counted])).select(self.by_rank)
        contexts = self.positions, self.accepted.orders, self.accepted.divergences
        accepted = Counted(*contexts, rows.n_rows, rows.targets, rows.counts)
        counted = fetch_counted(self.counted, len(self.others.orders))
        divergences = divergences_from(counted, rows, self.others.references, len(self.vocabulary))
        contexts = self.others.positions, self.others.orders, divergences
        others = Counted(*contexts, counted.n_rows, counted.targets, counted.counts)
        return tabulate(self.vocabulary, self.params, self.trail, self.levels, self.kept, accepted, others)

    @property
    def max_order(self) -> int:
        """The highest order kept."""
        return max((order for order, kept in enumerate(self.kept, start=1) if kept.any()), default=0)

    def pair_sums(self, order: int) -> PairSums:
        """What the rules of one order say of each pair of nodes, summed on the cluster; see RuleTable.pair_sums."""
        return self._pair_sums[order]

    @cached_property
    def _pair_sums(self) -> dict[int, PairSums]:
        oldest = self.trail[self.others.positions - self.others.orders + 1]
        found = reduce(lambda one, other: one.union(other), [found.of_kind(RULES) for found in self.passes])
        found = found.union(hub_frame(self.hubs.with_targets, found.sparkSession))
        return summed_pairs(found, self.dropped(), self.counted, self.others.orders, oldest, self.n_shards)

    def dropped(self) -> ContextTree:
        """The accepted contexts that are not kept; only "hon" drops some."""
        keeps = np.concatenate([level.accepted[kept] for level, kept in zip(self.levels, self.kept, strict=True)])
        is_dropped = np.ones(len(self.accepted.orders), np.bool_)
        is_dropped[keeps[keeps >= 0]] = False
        dropped = self.accepted.select(np.flatnonzero(is_dropped))
        return ContextTree.of_contexts(len(self.vocabulary), dropped.nodes, offsets_of(dropped.orders))

    def release(self) -> None:
        """Let Spark forget what was found."""
        for frame in (*(found.frame for found in self.passes), self.counted):
            frame.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def hub_contexts(hubs: Hubs) -> Contexts:
    """The contexts of the hubs themselves, which no task has found."""
    n_hubs = len(hubs.nodes)
    return Contexts(hubs.nodes, np.ones(n_hubs, np.int32), np.zeros(n_hubs), np.zeros(n_hubs, np.bool_))


def hub_frame(hubs: Hubs, session: SparkSession) -> DataFrame:
    """The hubs as a pass tells its rules."""
    import pyarrow as pa

    batch = told(RULES, 0, len(hubs.nodes), hub_contexts(hubs), hubs.counted)
    return session.createDataFrame(pa.Table.from_batches([batch]))


def canonical_order(contexts: Contexts) -> NDArray[np.int64]:
    """Where each context of the canonical order stands: by order, then by nodes from the newest to the oldest."""
    starts = offsets_of(contexts.orders)[:-1]
    ranked = []
    for order in np.unique(contexts.orders).tolist():
        own = np.flatnonzero(contexts.orders == order)
        columns = contexts.nodes[starts[own] + np.arange(order)[:, None]]
        ranked.append(own[np.lexsort(columns)])
    return np.concatenate([np.zeros(0, np.int64), *ranked])


def lay_contexts(contexts: Contexts) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Contexts one after the other on a trail, and the position of the newest node of each."""
    ends = np.cumsum(contexts.orders.astype(np.int64) + 1)
    trail = np.full(int(ends[-1]) + 1 if len(ends) else 1, NO_NODE, np.int32)
    trail[gather_ranges(ends - contexts.orders, contexts.orders)] = contexts.nodes
    return trail, (ends - 1).astype(np.int32)


def ends_of_later_passes(accepted: Contexts, n_nodes: int, passes: Sequence[Found]) -> NDArray[np.bool_]:
    """The accepted contexts with which, as reference, growth ended after the task that had accepted them."""
    tree = ContextTree.of_contexts(n_nodes, accepted.nodes, offsets_of(accepted.orders))
    is_end = np.zeros(len(accepted.orders), np.bool_)
    for nodes, orders in fetch_nouns(passes, ENDED, "contexts", "the contexts where growth ended"):
        is_end[tree.longest_suffixes(nodes, offsets_of(orders))] = True
    return is_end


def divergences_from(
    counted: CountedRows, reference_rows: CountedRows, references: NDArray[np.int64], n_nodes: int
) -> NDArray[np.float64]:
    """The divergence of each context from its reference, which is one of the contexts of `reference_rows`."""
    if not len(references):
        return np.zeros(0)
    keys = np.repeat(np.arange(len(reference_rows.n_rows)), reference_rows.n_rows) * n_nodes + reference_rows.targets
    rows = np.searchsorted(keys, np.repeat(references, counted.n_rows) * n_nodes + counted.targets)
    bits = counted.counts * (np.log2(counted.counts) - np.log2(reference_rows.counts[rows]))
    sums = np.add.reduceat(bits, counted.offsets[:-1]) / counted.supports
    return np.maximum(sums + np.log2(reference_rows.supports[references] / counted.supports), 0.0)
