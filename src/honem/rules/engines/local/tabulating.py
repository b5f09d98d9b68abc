"""From counted contexts to a RuleTable: the canonical order, divergences, evidence and q-values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.corpus import Vocabulary
from honem.rules.criteria import ComparedCounts, Criterion, Divergence, Tests, log_q_values
from honem.rules.engines.local.closure import Level, Ranks, references
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable


@dataclass(frozen=True, eq=False)
class Counted:
    """Contexts, each given by an example position on the trail and its order, with their scores and counts."""

    positions: NDArray[np.int32]
    orders: NDArray[np.int32]
    scores: NDArray[np.float64]
    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def row_offsets(self) -> NDArray[np.int64]:
        """Where the rows of each context begin and end."""
        return offsets_of(self.n_rows)

    @property
    def supports(self) -> NDArray[np.int64]:
        """Support of each context."""
        return np.add.reduceat(self.counts, self.row_offsets[:-1])

    def take(self, order: NDArray[np.int64]) -> Counted:
        """Return contexts by their numbers, in the order given."""
        rows = gather_ranges(self.row_offsets[:-1][order], self.n_rows[order])
        return Counted(
            self.positions[order],
            self.orders[order],
            self.scores[order],
            self.n_rows[order],
            self.targets[rows],
            self.counts[rows],
        )

    def select(self, chosen: NDArray[np.bool_]) -> Counted:
        """Return the contexts where `chosen` is true."""
        if chosen.all():
            return self
        rows = np.repeat(chosen, self.n_rows)
        return Counted(
            self.positions[chosen],
            self.orders[chosen],
            self.scores[chosen],
            self.n_rows[chosen],
            self.targets[rows],
            self.counts[rows],
        )


@dataclass(frozen=True, eq=False)
class Kept:
    """The kept contexts in the canonical order.

    `references` are the references that contexts are compared with, as numbers among the accepted contexts; contexts of
    order 1 are their own.
    """

    contexts: Counted
    is_accepted: NDArray[np.bool_]
    references: Ranks


@dataclass(frozen=True, eq=False)
class KeptEvidence:
    """The evidence of the kept contexts; that of all ranked contexts, and how many were tested."""

    of_kept: NDArray[np.float64]
    ranked: NDArray[np.float64]
    n_tested: int


def merge(levels: list[Level], kept: list[NDArray[np.bool_]], accepted: Counted, others: Counted) -> Kept:
    """Merge accepted contexts, and others that are kept, in the canonical order."""
    n_accepted = len(accepted.orders)
    next_other = n_accepted
    sources = []
    for level, keep in zip(levels, kept, strict=True):
        source = level.accepted[keep]
        is_other = source < 0
        source[is_other] = next_other + np.arange(is_other.sum())
        next_other += int(is_other.sum())
        sources.append(source)
    source = np.concatenate(sources)
    below = zip(references(levels)[:-1], levels[1:], kept[1:], strict=True)
    compared = [sources[0], *(found[level.parents[keep]] for found, level, keep in below)]
    n_rows = np.concatenate((accepted.n_rows, others.n_rows))
    rows = gather_ranges(offsets_of(n_rows)[:-1][source], n_rows[source])
    contexts = Counted(
        positions=np.concatenate((accepted.positions, others.positions))[source],
        orders=np.concatenate((accepted.orders, others.orders))[source],
        scores=np.concatenate((accepted.scores, others.scores))[source],
        n_rows=n_rows[source],
        targets=np.concatenate((accepted.targets, others.targets))[rows],
        counts=np.concatenate((accepted.counts, others.counts))[rows],
    )
    return Kept(contexts, source < n_accepted, np.concatenate(compared))


def tabulate(
    vocabulary: Vocabulary,
    params: ExtractionParams,
    trail: NDArray[np.int32],
    kept: Kept,
    accepted: Counted,
    evidence: KeptEvidence,
) -> RuleTable:
    """Return the kept contexts as a table."""
    contexts, score_column = kept.contexts, params.acceptance.score_column
    is_first = contexts.orders == 1
    divergences = contexts.scores
    if score_column != "divergence":
        divergences = reference_scores(Divergence(), contexts, accepted, kept.references, len(vocabulary))
    starts = contexts.positions.astype(np.int64) - contexts.orders + 1
    return RuleTable(
        vocabulary=vocabulary,
        params=params,
        context_nodes=trail[gather_ranges(starts, contexts.orders)],
        context_offsets=offsets_of(contexts.orders),
        target_offsets=contexts.row_offsets,
        targets=contexts.targets,
        counts=contexts.counts,
        divergences=np.where(is_first, 0.0, divergences),
        evidence=np.where(is_first, 0.0, evidence.of_kept),
        q_values=q_values(evidence.of_kept, is_first, evidence.ranked, evidence.n_tested),
        accepted=kept.is_accepted,
        tests=Tests(evidence.n_tested, int((kept.is_accepted & ~is_first).sum())),
        own_scores=contexts.scores if score_column == "score" else None,
    )


def q_values(
    evidence: NDArray[np.float64], is_first: NDArray[np.bool_], ranked: NDArray[np.float64], n_tested: int
) -> NDArray[np.float64]:
    """Return the q-values of contexts; it is 1 for contexts of order 1, which are not tested."""
    return np.where(is_first, 1.0, np.exp2(log_q_values(evidence, ranked, n_tested)))


def reference_scores(
    criterion: Criterion, contexts: Counted, accepted: Counted, references: Ranks, n_nodes: int
) -> NDArray[np.float64]:
    """Return the score of each context against its reference, which is one of the accepted contexts."""
    keys = np.repeat(np.arange(len(accepted.n_rows)), accepted.n_rows) * n_nodes + accepted.targets
    rows = np.searchsorted(keys, np.repeat(references, contexts.n_rows) * n_nodes + contexts.targets)
    return criterion.scores(
        ComparedCounts(
            orders=contexts.orders,
            offsets=contexts.row_offsets,
            counts=contexts.counts,
            compared=accepted.counts[rows],
            supports=contexts.supports,
            compared_supports=accepted.supports[references],
        )
    )
