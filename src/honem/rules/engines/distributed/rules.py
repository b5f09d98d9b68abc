"""DistributedRules: rules that stay on the cluster. The driver has the contexts; counts are fetched on request."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Vocabulary
from honem.rules.context_tree import ContextTree
from honem.rules.criteria import ComparedCounts, Criterion
from honem.rules.engines.distributed.chunks import joined_columns
from honem.rules.engines.distributed.closing import Closure
from honem.rules.engines.distributed.counting import COUNTS, CountedRows, join_counted
from honem.rules.engines.distributed.deciding import Decided, hub_contexts
from honem.rules.engines.distributed.executors.base import Collection, Executor, Packet
from honem.rules.engines.distributed.growing import RULES
from honem.rules.engines.distributed.held import Held, fetch
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.pairs import OtherContexts, sum_pairs
from honem.rules.engines.local.engine import Counted, tabulate
from honem.rules.params import ExtractionParams
from honem.rules.table import PairSums, RuleTable


class Releasable(Protocol):
    """Something that an executor holds."""

    def release(self) -> None:
        """Free what the executor holds."""
        ...


@dataclass(eq=False)
class DistributedRules:
    """Rules of which the executor holds the counts until `release`, the end of a `with` block, or garbage collection.

    Parameters
    ----------
    vocabulary : Vocabulary
        The labels of the nodes.
    params : ExtractionParams
        How the rules were found.
    n_shards : int
        The number of tasks that process the rules.
    passes : sequence of Held
        What each pass has found; together with the hubs, all accepted contexts.
    hubs : Hubs
        Frequent nodes, whose first-order contexts were counted before the first pass.
    decided : Decided
        The accepted contexts.
    closure : Closure
        The kept contexts.
    counted : Held
        The counts of the contexts that are kept but not accepted.
    inputs : sequence of Releasable
        What was brought to the cluster only for these rules, and is released with them.
    """

    vocabulary: Vocabulary
    params: ExtractionParams
    n_shards: int
    passes: Sequence[Held]
    hubs: Hubs
    decided: Decided
    closure: Closure
    counted: Held
    inputs: Sequence[Releasable] = ()
    _finalizer: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Free the executor's memory when the rules are garbage collected; when Python exits, the executor does."""
        self._finalizer = weakref.finalize(self, release_all, [*self.passes, self.counted, *self.inputs])
        self._finalizer.atexit = False

    @property
    def executor(self) -> Executor:
        """The executor that holds the rules."""
        return self.counted.executor

    @property
    def max_order(self) -> int:
        """The highest order kept; 0 if there are no rules."""
        return self.closure.max_order

    def table(self) -> RuleTable:
        """Fetch all kept rules.

        Returns
        -------
        RuleTable
            The same table that the local engine finds.

        Raises
        ------
        HonemError
            If the rules are larger than the executor lets through or than half the memory of the driver's machine.
        """
        with self.executor.plain_errors():
            fetched = fetch(self.passes, RULES, "the rules", part="body")
            others = self.closure.others
            what = f"the counts of {len(others.orders):,} contexts"
            counted = join_counted(fetch([self.counted], COUNTS, what), len(others.orders))
        rows = CountedRows(*joined_columns([*fetched, self.hubs.with_targets.counted])).select(self.decided.sources)
        scores = reference_scores(
            self.params.acceptance, others.orders, counted, rows, others.references, len(self.vocabulary)
        )
        accepted = self.decided.accepted
        return tabulate(
            self.vocabulary,
            self.params,
            self.closure.trail,
            self.closure.levels,
            self.closure.kept,
            with_rows(self.closure.positions, accepted.orders, accepted.scores, rows),
            with_rows(others.positions, others.orders, scores, counted),
        )

    def pair_sums(self, order: int) -> PairSums:
        """Return the sums over the rules of one order by oldest node and target, computed on the cluster.

        Parameters
        ----------
        order : int
            From 1 to `max_order`.

        Returns
        -------
        PairSums
            One entry per pair of nodes.
        """
        return self._pair_sums[order]

    @cached_property
    def _pair_sums(self) -> dict[int, PairSums]:
        with self.executor.plain_errors():
            others = OtherContexts(self.closure.nodes_of_others, self.closure.others.orders)
            counted = self.counted.packets.of_kind(COUNTS)
            return sum_pairs(self.accepted_rules(), self.dropped(), counted, others, self.executor, self.n_shards)

    def accepted_rules(self) -> Collection:
        """Return the candidates of all passes and the hubs, with their rows."""
        hubs = self.hubs.with_targets
        packet = Packet(RULES, 0, len(hubs.nodes), hub_contexts(hubs), hubs.counted)
        passes = [held.packets.of_kind(RULES) for held in self.passes]
        return reduce(lambda one, other: one.union(other), [*passes, self.executor.distribute([packet])])

    def dropped(self) -> ContextTree:
        """Return the candidates that are not kept."""
        dropped = self.decided.accepted.select(self.closure.accepted_but_dropped)
        return ContextTree.of_contexts(len(self.vocabulary), dropped.nodes, offsets_of(dropped.orders))

    def release(self) -> None:
        """Free what the executor holds; calling it again has no effect."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def release_all(held: Sequence[Releasable]) -> None:
    """Free everything in a list."""
    for one in held:
        one.release()


def with_rows(
    positions: NDArray[np.int32], orders: NDArray[np.int32], scores: NDArray[np.float64], rows: CountedRows
) -> Counted:
    """Return contexts and their rows as the local engine's `tabulate` takes them."""
    return Counted(positions, orders, scores, rows.n_rows, rows.targets, rows.counts)


def reference_scores(
    criterion: Criterion,
    orders: NDArray[np.int32],
    counted: CountedRows,
    reference_rows: CountedRows,
    references: NDArray[np.int64],
    n_nodes: int,
) -> NDArray[np.float64]:
    """Return the score of each context against its reference, which is one of the contexts of `reference_rows`."""
    keys = np.repeat(np.arange(len(reference_rows.n_rows)), reference_rows.n_rows) * n_nodes + reference_rows.targets
    rows = np.searchsorted(keys, np.repeat(references, counted.n_rows) * n_nodes + counted.targets)
    return criterion.scores(
        ComparedCounts(
            orders=orders,
            offsets=counted.offsets,
            counts=counted.counts,
            compared=reference_rows.counts[rows],
            supports=counted.supports,
            compared_supports=reference_rows.supports[references],
        )
    )
