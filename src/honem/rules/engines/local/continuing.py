"""Continuation: what an extraction leaves behind, so that the next one only grows buckets that new sequences touch.

A context never leaves the bucket of its newest node, and what a bucket contains depends on nothing else. So the
candidates, the tests and the counts of buckets in which nothing was added are those of before. Only decisions that
depend on all buckets are taken again: the false discovery rate, and which shorter contexts are kept. New sequences
are appended, so places on the trail remain as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.corpus import Corpus
from honem.rules.criteria import Criterion
from honem.rules.engines.local.tabulating import Counted
from honem.rules.table import RuleTable

NOT_FOUND = -1
HASH_SEED = 20


@dataclass(frozen=True, eq=False)
class GrownContexts:
    """Candidates, for each whether growth ended with it as reference, and how many contexts each bucket tested.

    Candidates are sorted by order, and within an order in the canonical order.
    """

    contexts: Counted
    is_end: NDArray[np.bool_]
    tested: NDArray[np.int64]

    @property
    def n_tested(self) -> int:
        """How many contexts were tested."""
        return int(self.tested.sum())

    def sorted_by(self, keys: NDArray[Any]) -> GrownContexts:
        """Return the candidates sorted by a number each; those of the same number stay in their order."""
        order = np.argsort(keys, kind="stable")
        return GrownContexts(self.contexts.take(order), self.is_end[order], self.tested)


def accepted_candidates(criterion: Criterion, grown: GrownContexts) -> NDArray[np.bool_]:
    """Return which candidates a criterion accepts in the end; contexts of order 1 always are."""
    chosen: NDArray[np.bool_] = grown.contexts.orders == 1
    chosen[~chosen] = criterion.decide(grown.contexts.scores[~chosen], grown.n_tested)
    return chosen


@dataclass(frozen=True, eq=False)
class RankedContexts:
    """The newest node and the evidence of all ranked contexts, and how many contexts each bucket tested for it.

    Only for criteria other than the test for evidence.
    """

    newest: NDArray[np.int32]
    scores: NDArray[np.float64]
    tested: NDArray[np.int64]

    @classmethod
    def of(cls, grown: GrownContexts, trail: NDArray[np.int32]) -> RankedContexts:
        """Take what is needed from contexts that were grown for evidence."""
        is_ranked = grown.contexts.orders > 1
        return cls(trail[grown.contexts.positions[is_ranked]], grown.contexts.scores[is_ranked], grown.tested)

    def updated(self, grown: RankedContexts, touched: NDArray[np.bool_]) -> RankedContexts:
        """Return the contexts of buckets that were not touched, with those that were grown in all others."""
        stay = ~touched[self.newest]
        return RankedContexts(
            np.concatenate((self.newest[stay], grown.newest)),
            np.concatenate((self.scores[stay], grown.scores)),
            tests_beside(self.tested, grown.tested, touched),
        )


@dataclass(frozen=True, eq=False)
class Continuation:
    """What is known about the sequences of an extraction.

    Parameters
    ----------
    rules : RuleTable
        Its result.
    n_sequences : int
        Number of its sequences.
    positions : array of int32
        For each rule, a place on the trail where its context occurs.
    ends : array of bool
        Whether growth ended with the rule as reference.
    besides : Counted
        Candidates that are not accepted rules of the table: other numbers of tests may accept them, and
        ``lower_orders="hon"`` leaves out accepted ones.
    places : array of int64
        Their places among all candidates.
    tested : array of int64
        Number of tested contexts by newest node.
    ranked : RankedContexts or None
        What evidence and q-values need besides, if the criterion is not the test for evidence.
    """

    rules: RuleTable
    n_sequences: int
    positions: NDArray[np.int32]
    ends: NDArray[np.bool_]
    besides: Counted
    places: NDArray[np.int64]
    tested: NDArray[np.int64]
    ranked: RankedContexts | None

    def touched(self, corpus: Corpus) -> NDArray[np.bool_]:
        """Return which nodes have a next step in sequences that were added; the first ones are those of before."""
        new, lengths = corpus.tokens[corpus.offsets[self.n_sequences] :], corpus.lengths[self.n_sequences :]
        has_next = np.ones(len(new), np.bool_)
        has_next[offsets_of(lengths)[1:][lengths > 0] - 1] = False
        touched = np.zeros(corpus.n_nodes, np.bool_)
        touched[new[has_next]] = True
        return touched

    def candidates(self) -> GrownContexts:
        """Return all candidates."""
        rules = self.contexts()
        accepted = rules.select(self.rules.accepted)
        both = joined(accepted, self.besides)
        is_beside = np.zeros(len(both.orders), np.bool_)
        is_beside[self.places] = True
        source = np.empty(len(both.orders), np.int64)
        source[is_beside] = len(accepted.orders) + np.arange(len(self.places))
        source[~is_beside] = np.arange(len(accepted.orders))
        ends = np.concatenate((self.ends[self.rules.accepted], np.zeros(len(self.places), np.bool_)))
        return GrownContexts(both.take(source), ends[source], self.tested)

    def contexts(self) -> Counted:
        """Return the rules as counted contexts."""
        rules = self.rules
        n_rows = np.diff(rules.target_offsets).astype(np.int32)
        return Counted(self.positions, rules.orders, rules.scores, n_rows, rules.targets, rules.counts)

    def updated(self, grown: GrownContexts, touched: NDArray[np.bool_], trail: NDArray[np.int32]) -> GrownContexts:
        """Return the candidates of buckets that were not touched, with those that were grown in all others."""
        before = self.candidates()
        stay = ~touched[trail[before.contexts.positions]]
        both = joined(before.contexts.select(stay), grown.contexts)
        found = GrownContexts(
            both,
            np.concatenate((before.is_end[stay], grown.is_end)),
            tests_beside(self.tested, grown.tested, touched),
        )
        return found.sorted_by(both.orders * np.int64(len(touched)) + trail[both.positions])

    def recalled(self, touched: NDArray[np.bool_], trail: NDArray[np.int32]) -> Recalled:
        """Return the rules of buckets that were not touched, and the candidates besides."""
        rules = self.contexts()
        evidence = np.concatenate((self.rules.evidence, np.full(len(self.places), np.nan)))
        known = joined(rules, self.besides)
        stay = ~touched[trail[known.positions]]
        return Recalled.of(known.select(stay), evidence[stay], trail)


@dataclass(frozen=True, eq=False)
class Recalled:
    """Contexts that can be looked up; `hashes` are sorted, and `order` says which context each belongs to."""

    contexts: Counted
    evidence: NDArray[np.float64]
    trail: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    order: NDArray[np.int64]

    @classmethod
    def of(cls, contexts: Counted, evidence: NDArray[np.float64], trail: NDArray[np.int32]) -> Recalled:
        """Make contexts searchable."""
        hashes = hashed(trail, contexts.positions, contexts.orders)
        order = np.argsort(hashes, kind="stable")
        return cls(contexts, evidence, trail, hashes[order], order)

    def find(self, positions: NDArray[np.int32], orders: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the number of each context among those that are known, or NOT_FOUND."""
        found = np.full(len(positions), NOT_FOUND, np.int64)
        if not len(self.hashes) or not len(positions):
            return found
        wanted = hashed(self.trail, positions, orders)
        slots = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        candidates = self.order[slots]
        likely = np.flatnonzero((self.hashes[slots] == wanted) & (self.contexts.orders[candidates] == orders))
        if not len(likely):
            return found
        # Different contexts may have the same hash; such a context is counted again.
        ours = trail_windows(self.trail, positions[likely], orders[likely])
        theirs = trail_windows(self.trail, self.contexts.positions[candidates[likely]], orders[likely])
        same = np.logical_and.reduceat(ours == theirs, offsets_of(orders[likely])[:-1])
        found[likely[same]] = candidates[likely[same]]
        return found


def joined(first: Counted, second: Counted) -> Counted:
    """Return the contexts of both."""
    columns = zip(vars(first).values(), vars(second).values(), strict=True)
    return Counted(*(np.concatenate(pair) for pair in columns))


def tests_beside(before: NDArray[np.int64], grown: NDArray[np.int64], touched: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of tests of each bucket: as before where it was not touched."""
    tested = np.zeros(len(touched), np.int64)
    tested[: len(before)] = before
    return np.where(touched, grown, tested)


def trail_windows(
    trail: NDArray[np.int32], positions: NDArray[np.int32], orders: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the nodes of contexts, oldest first, concatenated."""
    windows: NDArray[np.int32] = trail[gather_ranges(positions.astype(np.int64) - orders + 1, orders)]
    return windows


def hashed(trail: NDArray[np.int32], positions: NDArray[np.int32], orders: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each context."""
    if not len(positions):
        return np.zeros(0, np.uint64)
    powers = np.random.default_rng(HASH_SEED).integers(1, 2**63, int(orders.max()), np.uint64) | np.uint64(1)
    nodes = (trail_windows(trail, positions, orders) + 1).astype(np.uint64)
    from_oldest = gather_ranges(np.zeros(len(orders), np.int64), orders)
    with np.errstate(over="ignore"):
        hashes: NDArray[np.uint64] = np.add.reduceat(nodes * powers[from_oldest], offsets_of(orders)[:-1])
    return hashes
