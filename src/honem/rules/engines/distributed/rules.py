"""DistributedRules: rules that stay on the cluster. The driver has the contexts; counts are fetched on request."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np

from honem._internal.ragged import offsets_of
from honem.corpus import VisitCounts, Vocabulary
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import joined_columns
from honem.rules.engines.distributed.closing import Closure
from honem.rules.engines.distributed.counting import COUNTS, CountedRows, join_counted
from honem.rules.engines.distributed.deciding import Decided, hub_contexts
from honem.rules.engines.distributed.evidence import find_evidence, parent_scores
from honem.rules.engines.distributed.executors.base import Collection, Executor, Packet
from honem.rules.engines.distributed.growing import RULES, Contexts
from honem.rules.engines.distributed.held import Held, Releasable, fetch, release_all
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.pairs import OtherContexts, sum_pairs
from honem.rules.engines.distributed.searching import Search
from honem.rules.engines.local.tabulating import Counted, Kept, KeptEvidence, merge, reference_scores, tabulate
from honem.rules.table import PairSums, RuleTable


@dataclass(eq=False)
class DistributedRules:
    """Rules of which the executor holds the counts until `release`, the end of a `with` block, or garbage collection.

    Parameters
    ----------
    search : Search
        How the rules were found, and in which corpus.
    passes : sequence of Held
        What each pass has found; together with the hubs, all candidates.
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

    search: Search
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
    def vocabulary(self) -> Vocabulary:
        """The labels of the nodes."""
        return self.search.corpus.vocabulary

    @property
    def executor(self) -> Executor:
        """The executor that holds the rules."""
        return self.counted.executor

    @property
    def max_order(self) -> int:
        """The highest order kept; 0 if there are no rules."""
        return self.closure.max_order

    def table(self) -> RuleTable:
        """Fetch all kept rules, and compute their evidence, for which the corpus is read again.

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
            accepted, kept = self._kept()
            return tabulate(
                self.vocabulary, self.search.params, self.closure.trail, kept, accepted, self._evidence(kept.contexts)
            )

    def _kept(self) -> tuple[Counted, Kept]:
        """Fetch the rows of the accepted contexts, and of all kept ones with their scores."""
        closure, decided = self.closure, self.decided.accepted
        fetched = fetch(self.passes, RULES, "the rules", part="body")
        rows = CountedRows(*joined_columns([*fetched, self.hubs.with_targets.counted])).select(self.decided.sources)
        accepted = Counted(closure.positions, decided.orders, decided.scores, *vars(rows).values())
        n_others = len(closure.others.orders)
        rows = join_counted(fetch([self.counted], COUNTS, f"the counts of {n_others:,} contexts"), n_others)
        others = Counted(closure.others.positions, closure.others.orders, np.zeros(n_others), *vars(rows).values())
        criterion = self.search.params.acceptance
        if criterion.compared_with == "parent":
            scores = parent_scores(self.search, criterion, others, closure.trail)
        else:
            n_nodes = len(self.vocabulary)
            scores = reference_scores(criterion, others, accepted, closure.others.references, n_nodes)
        return accepted, merge(closure.levels, closure.kept, accepted, replace(others, scores=scores))

    def _evidence(self, kept: Counted) -> KeptEvidence:
        """Return the evidence of the kept contexts; a criterion that tests for evidence has found it already."""
        if self.search.params.acceptance == self.search.params.evidence_test:
            return KeptEvidence(kept.scores, self.decided.ranked, self.decided.n_tested)
        return find_evidence(self.search, self.hubs, kept, self.closure.trail)

    def visit_counts(self) -> VisitCounts:
        """Count the visits to the nodes of the corpus in which the rules were found."""
        return self.search.corpus.visit_counts()

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
            dropped, n_shards = self.dropped(), self.search.n_shards
            return sum_pairs(self.candidates(), dropped, counted, others, self.executor, n_shards)

    def candidates(self) -> Collection:
        """Return the candidates of all passes and the hubs, with their rows."""
        hubs = self.hubs.with_targets
        packet = Packet(RULES, 0, len(hubs.nodes), hub_contexts(hubs), hubs.counted)
        passes = [held.packets.of_kind(RULES) for held in self.passes]
        return reduce(lambda one, other: one.union(other), [*passes, self.executor.distribute([packet])])

    def dropped(self) -> ContextTree:
        """Return the candidates that are not kept."""
        accepted = self.decided.accepted.select(self.closure.accepted_but_dropped)
        dropped = Contexts(*joined_columns([self.decided.rejected, accepted]))
        return ContextTree.of_contexts(len(self.vocabulary), dropped.nodes, offsets_of(dropped.orders))

    def release(self) -> None:
        """Free what the executor holds; calling it again has no effect."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
