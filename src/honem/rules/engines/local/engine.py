"""LocalEngine: lay out, grow every bucket, keep the lower orders, count those that were not grown, tabulate."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import announcing_compilation
from honem._internal.progress import Progress
from honem._internal.ragged import gather_ranges, offsets_of
from honem._internal.threads import count_threads
from honem.corpus import Corpus, Vocabulary
from honem.rules.criteria import Criterion
from honem.rules.engines.base import Engine, require_steps
from honem.rules.engines.local.buffers import Grown, Growth, count_contexts, empty, grow_buckets
from honem.rules.engines.local.closure import Level, Others, kept_contexts, other_contexts, sub_contexts
from honem.rules.engines.local.kernels import References
from honem.rules.engines.local.layout import Layout, lay_out
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

BATCHES_PER_THREAD = 16


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


class LocalEngine(Engine):
    """Extraction in memory; the result does not depend on the number of threads.

    Parameters
    ----------
    n_jobs : int or None, default None
        Number of threads; None or -1 for all cores.
    progress : Progress or None, default None
        Called after each batch of work.
    """

    def __init__(self, n_jobs: int | None = None, progress: Progress | None = None) -> None:
        self.n_threads = count_threads(n_jobs)
        self.progress = progress

    def extract_rules(self, corpus: Corpus, params: ExtractionParams) -> RuleTable:
        """Lay out the corpus, grow contexts, keep lower orders, and tabulate."""
        require_steps(corpus)
        with announcing_compilation(), ThreadPoolExecutor(self.n_threads) as threads:
            layout = lay_out(corpus, threads, self.n_threads)
            accepted, is_end = self.grow(layout, params, threads)
            levels = sub_contexts(layout.trail, accepted.positions, accepted.orders, corpus.n_nodes)
            kept = kept_contexts(levels, params.lower_orders, is_end)
            others = self.count_others(layout, params, other_contexts(levels, kept), accepted, threads)
        trail = layout.trail
        del layout  # the entries are the largest thing there is, and the table can do without them
        return tabulate(corpus.vocabulary, params, trail, levels, kept, accepted, others)

    def grow(self, layout: Layout, params: ExtractionParams, threads: Executor) -> tuple[Counted, NDArray[np.bool_]]:
        """Return the accepted contexts, and for each whether growth ended with it as reference."""
        growth = Growth.of(params)

        def grow_batch(buckets: tuple[int, int]) -> Grown:
            return grow_buckets(layout, *buckets, growth)

        batches = list(layout.batches(self.n_threads * BATCHES_PER_THREAD))
        grown = self.watched("growing contexts", threads.map(grow_batch, batches), len(batches))
        positions, orders, scores, is_end, n_rows, targets, counts = join([batch.rules for batch in grown])
        candidates = Counted(positions, orders, scores, n_rows, targets, counts)
        n_tested = sum(batch.n_tested for batch in grown)
        chosen = accepted_candidates(params.acceptance, orders, scores, n_tested)
        return candidates.select(chosen), is_end[chosen]

    def count_others(
        self,
        layout: Layout,
        params: ExtractionParams,
        others: Others,
        accepted: Counted,
        threads: Executor,
    ) -> Counted:
        """Count the kept contexts that were not accepted, in the order given."""
        if not len(others.positions):
            return Counted(*empty(np.int32, np.int32, np.float64, np.int32, np.int32, np.int64))
        positions, orders = others.positions, others.orders
        compared = References(accepted.supports, accepted.row_offsets, accepted.targets, accepted.counts)
        growth = Growth.of(params)

        def count_batch(batch: NDArray[np.int64]) -> Any:
            chosen = positions[batch], orders[batch], others.references[batch]
            return count_contexts(layout, *chosen, compared, growth)

        # Contexts with the same newest node share a bucket, and a bucket belongs to one thread.
        by_bucket = np.argsort(layout.trail[positions], kind="stable")
        batches = bucket_batches(layout, positions, by_bucket, self.n_threads * BATCHES_PER_THREAD)
        scores, n_rows, targets, counts = join(
            self.watched("counting lower orders", threads.map(count_batch, batches), len(batches))
        )
        back = np.argsort(by_bucket)
        rows = gather_ranges(offsets_of(n_rows)[:-1][back], n_rows[back])
        return Counted(positions, orders, scores[back], n_rows[back], targets[rows], counts[rows])

    def watched(self, what: str, results: Iterable[Any], amount: int) -> list[Any]:
        """Collect the results and report progress after each."""
        collected = []
        for done, result in enumerate(results, start=1):
            collected.append(result)
            if self.progress is not None:
                self.progress(what, done, amount)
        return collected


def accepted_candidates(
    criterion: Criterion, orders: NDArray[np.int32], scores: NDArray[np.float64], n_tested: int
) -> NDArray[np.bool_]:
    """Return which candidates a criterion accepts in the end; contexts of order 1 always are."""
    chosen: NDArray[np.bool_] = orders == 1
    chosen[~chosen] = criterion.decide(scores[~chosen], n_tested)
    return chosen


def bucket_batches(
    layout: Layout, positions: NDArray[np.int32], by_bucket: NDArray[np.int64], n_batches: int
) -> list[NDArray[np.int64]]:
    """Split the contexts to count into batches, between buckets."""
    newest = layout.trail[positions[by_bucket]]
    cuts = np.searchsorted(newest, [last for _, last in layout.batches(n_batches)])
    return [batch for batch in np.split(by_bucket, cuts) if len(batch)]


def tabulate(
    vocabulary: Vocabulary,
    params: ExtractionParams,
    trail: NDArray[np.int32],
    levels: list[Level],
    kept: list[NDArray[np.bool_]],
    accepted: Counted,
    others: Counted,
) -> RuleTable:
    """Merge accepted and other contexts into a table in the canonical order."""
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
    n_rows = np.concatenate((accepted.n_rows, others.n_rows))
    starts = offsets_of(n_rows)[:-1]
    rows = gather_ranges(starts[source], n_rows[source])
    positions = np.concatenate((accepted.positions, others.positions))[source]
    orders = np.concatenate((accepted.orders, others.orders))[source]
    return RuleTable(
        vocabulary=vocabulary,
        params=params,
        context_nodes=trail[gather_ranges(positions.astype(np.int64) - orders + 1, orders)],
        context_offsets=offsets_of(orders),
        target_offsets=offsets_of(n_rows[source]),
        targets=np.concatenate((accepted.targets, others.targets))[rows],
        counts=np.concatenate((accepted.counts, others.counts))[rows],
        divergences=np.concatenate((accepted.scores, others.scores))[source],
        accepted=source < n_accepted,
    )


def join(results: list[Any]) -> list[NDArray[Any]]:
    """Concatenate the columns of all batches."""
    return [np.concatenate(columns) for columns in zip(*results, strict=True)]
