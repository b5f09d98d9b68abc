"""LocalEngine: lay out, grow every bucket, keep the lower orders, count those that were not grown, tabulate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import announcing_compilation
from honem._internal.memory import memory_for, require_memory
from honem._internal.progress import Progress
from honem._internal.ragged import gather_ranges, offsets_of
from honem._internal.threads import count_threads
from honem.corpus import Corpus
from honem.rules.criteria import Criterion
from honem.rules.engines.base import Engine, require_steps
from honem.rules.engines.local.buffers import Grown, Growth, count_contexts, empty, grow_buckets
from honem.rules.engines.local.closure import Others, kept_contexts, other_contexts, sub_contexts
from honem.rules.engines.local.kernels import References
from honem.rules.engines.local.layout import Layout, lay_out, layout_bytes
from honem.rules.engines.local.tabulating import Counted, KeptEvidence, merge, tabulate
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

BATCHES_PER_THREAD = 16
KERNEL_BYTES = 256 * 2**20
"""Address space for loading compiled kernels; LLVM ends the process if it gets none."""


@dataclass(frozen=True, eq=False)
class GrownContexts:
    """Candidates, for each whether growth ended with it as reference, and how many contexts were tested."""

    contexts: Counted
    is_end: NDArray[np.bool_]
    n_tested: int


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
        steps = f"extracting the rules of {corpus.n_steps} steps"
        require_memory(KERNEL_BYTES + layout_bytes(corpus), steps)
        with memory_for(steps):
            return self._extract(corpus, params)

    def _extract(self, corpus: Corpus, params: ExtractionParams) -> RuleTable:
        criterion = params.acceptance
        with announcing_compilation(), ThreadPoolExecutor(self.n_threads) as threads:
            layout = lay_out(corpus, threads, self.n_threads, params.counting)
            grown = self.grow(layout, Growth.of(params), threads)
            chosen = accepted_candidates(criterion, grown)
            accepted, is_end = grown.contexts.select(chosen), grown.is_end[chosen]
            levels = sub_contexts(layout.trail, accepted.positions, accepted.orders, corpus.n_nodes)
            is_kept = kept_contexts(levels, params.lower_orders, is_end)
            others = self.count_others(layout, params, other_contexts(levels, is_kept), accepted, threads)
            kept = merge(levels, is_kept, accepted, others)
            evidence, tested = kept.contexts.scores, grown
            if criterion != params.evidence_test:
                evidence, tested = self.test(layout, params, kept.contexts, threads)
        trail = layout.trail
        del layout  # the entries are the largest thing there is, and the table can do without them
        return tabulate(corpus.vocabulary, params, trail, kept, accepted, KeptEvidence.of(evidence, tested))

    def grow(self, layout: Layout, growth: Growth, threads: Executor) -> GrownContexts:
        """Return the candidates that growth found."""

        def grow_batch(buckets: tuple[int, int]) -> Grown:
            return grow_buckets(layout, *buckets, growth)

        batches = list(layout.batches(self.n_threads * BATCHES_PER_THREAD))
        grown = self.watched("growing contexts", threads.map(grow_batch, batches), len(batches))
        positions, orders, scores, is_end, n_rows, targets, counts = join([batch.rules for batch in grown])
        contexts = Counted(positions, orders, scores, n_rows, targets, counts)
        return GrownContexts(contexts, is_end, sum(batch.n_tested for batch in grown))

    def test(
        self, layout: Layout, params: ExtractionParams, kept: Counted, threads: Executor
    ) -> tuple[NDArray[np.float64], GrownContexts]:
        """Return the evidence of kept contexts, and all contexts of the corpus that have enough of it to be ranked."""
        growth = Growth.for_evidence(params)
        no_references = References(*empty(np.int64, np.int64, np.int32, np.int64))
        evidence = np.zeros(len(kept.orders))

        def score_batch(batch: NDArray[np.int64]) -> None:
            chosen = kept.positions[batch], kept.orders[batch], np.zeros(len(batch), np.int64)
            evidence[batch], *_ = count_contexts(layout, *chosen, no_references, growth)

        self.by_bucket(
            "computing evidence", score_batch, layout, kept.positions, np.flatnonzero(kept.orders > 1), threads
        )
        return evidence, self.grow(layout, growth, threads)

    def count_others(
        self,
        layout: Layout,
        params: ExtractionParams,
        others: Others,
        accepted: Counted,
        threads: Executor,
    ) -> Counted:
        """Count and score the kept contexts that were not accepted, in the order given."""
        if not len(others.positions):
            return Counted(*empty(np.int32, np.int32, np.float64, np.int32, np.int32, np.int64))
        positions, orders, growth = others.positions, others.orders, Growth.of(params)
        compared = References(accepted.supports, accepted.row_offsets, accepted.targets, accepted.counts)

        def count_batch(batch: NDArray[np.int64]) -> Any:
            chosen = positions[batch], orders[batch], others.references[batch]
            return count_contexts(layout, *chosen, compared, growth)

        everything = np.arange(len(positions))
        by_bucket, counted = self.by_bucket(
            "counting lower orders", count_batch, layout, positions, everything, threads
        )
        scores, n_rows, targets, counts = join(counted)
        back = np.argsort(by_bucket)
        rows = gather_ranges(offsets_of(n_rows)[:-1][back], n_rows[back])
        return Counted(positions, orders, scores[back], n_rows[back], targets[rows], counts[rows])

    def by_bucket(
        self,
        what: str,
        work: Callable[[NDArray[np.int64]], Any],
        layout: Layout,
        positions: NDArray[np.int32],
        chosen: NDArray[np.int64],
        threads: Executor,
    ) -> tuple[NDArray[np.int64], list[Any]]:
        """Do some work for chosen contexts, sorted by bucket; return them in that order, and the results of batches."""
        # Contexts with the same newest node share a bucket, and a bucket belongs to one thread.
        ordered = chosen[np.argsort(layout.trail[positions[chosen]], kind="stable")]
        batches = bucket_batches(layout, positions, ordered, self.n_threads * BATCHES_PER_THREAD)
        return ordered, self.watched(what, threads.map(work, batches), len(batches))

    def watched(self, what: str, results: Iterable[Any], amount: int) -> list[Any]:
        """Collect the results and report progress after each."""
        collected = []
        for done, result in enumerate(results, start=1):
            collected.append(result)
            if self.progress is not None:
                self.progress(what, done, amount)
        return collected


def accepted_candidates(criterion: Criterion, grown: GrownContexts) -> NDArray[np.bool_]:
    """Return which candidates a criterion accepts in the end; contexts of order 1 always are."""
    chosen: NDArray[np.bool_] = grown.contexts.orders == 1
    chosen[~chosen] = criterion.decide(grown.contexts.scores[~chosen], grown.n_tested)
    return chosen


def bucket_batches(
    layout: Layout, positions: NDArray[np.int32], by_bucket: NDArray[np.int64], n_batches: int
) -> list[NDArray[np.int64]]:
    """Split the contexts to count into batches, between buckets."""
    newest = layout.trail[positions[by_bucket]]
    cuts = np.searchsorted(newest, [last for _, last in layout.batches(n_batches)])
    return [batch for batch in np.split(by_bucket, cuts) if len(batch)]


def join(results: list[Any]) -> list[NDArray[Any]]:
    """Concatenate the columns of all batches."""
    return [np.concatenate(columns) for columns in zip(*results, strict=True)]
