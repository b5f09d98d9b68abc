"""LocalEngine: lay out, grow every bucket, keep the lower orders, count those that were not grown, tabulate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import announcing_compilation
from honem._internal.memory import memory_for, require_memory
from honem._internal.progress import Progress
from honem._internal.threads import count_threads
from honem.corpus import Corpus
from honem.rules.engines.base import Engine, require_steps
from honem.rules.engines.local.buffers import Grown, Growth, count_contexts, empty, grow_buckets
from honem.rules.engines.local.closure import Others, kept_contexts, other_contexts, sub_contexts
from honem.rules.engines.local.continuing import (
    NOT_FOUND,
    Continuation,
    GrownContexts,
    RankedContexts,
    Recalled,
    accepted_candidates,
)
from honem.rules.engines.local.kernels import References
from honem.rules.engines.local.layout import Layout, lay_out, layout_bytes
from honem.rules.engines.local.tabulating import Counted, KeptEvidence, merge, tabulate
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

BATCHES_PER_THREAD = 16
KERNEL_BYTES = 256 * 2**20
"""Address space for loading compiled kernels; LLVM ends the process if it gets none."""


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
        return self.extend_rules(corpus, params)[0]

    def extend_rules(
        self, corpus: Corpus, params: ExtractionParams, known: Any = None
    ) -> tuple[RuleTable, Continuation]:
        """Extract rules, growing only buckets that differ from what is known; return what a next extraction can know.

        `known` is about the first sequences of the corpus, with the same parameters.
        """
        require_steps(corpus)
        steps = f"extracting the rules of {corpus.n_steps} steps"
        require_memory(KERNEL_BYTES + layout_bytes(corpus), steps)
        with memory_for(steps), announcing_compilation(), ThreadPoolExecutor(self.n_threads) as threads:
            return self._extract(Extraction(corpus, params, known, threads, self.n_threads))

    def _extract(self, work: Extraction) -> tuple[RuleTable, Continuation]:
        params, layout = work.params, work.layout
        criterion = params.acceptance
        grown = self.grow(layout, Growth.of(params), work.threads)
        if work.known is not None:
            grown = work.known.updated(grown, work.touched, layout.trail)
        chosen = accepted_candidates(criterion, grown)
        accepted, is_end = grown.contexts.select(chosen), grown.is_end[chosen]
        levels = sub_contexts(layout.trail, accepted.positions, accepted.orders, layout.n_nodes)
        is_kept = kept_contexts(levels, params.lower_orders, is_end)
        others = self.count_others(work, other_contexts(levels, is_kept), accepted)
        kept = merge(levels, is_kept, accepted, others)
        ranked = None
        if criterion == params.evidence_test:
            evidence = KeptEvidence(
                kept.contexts.scores, grown.contexts.scores[grown.contexts.orders > 1], grown.n_tested
            )
        else:
            of_kept, ranked = self.test(work, kept.contexts)
            evidence = KeptEvidence(of_kept, ranked.scores, int(ranked.tested.sum()))
        trail = layout.trail
        work.free()  # the entries are the largest thing there is, and the table can do without them
        del layout
        table = tabulate(work.corpus.vocabulary, params, trail, kept, accepted, evidence)
        as_rules = np.concatenate([level.accepted[keep] for level, keep in zip(levels, is_kept, strict=True)])
        as_rules = as_rules[as_rules >= 0]
        ends, is_beside = np.zeros(table.n_rules, np.bool_), np.ones(len(chosen), np.bool_)
        ends[kept.is_accepted] = is_end[as_rules]
        is_beside[np.flatnonzero(chosen)[as_rules]] = False
        return table, Continuation(
            rules=table,
            n_sequences=work.corpus.n_sequences,
            positions=kept.contexts.positions,
            ends=ends,
            besides=grown.contexts.select(is_beside),
            places=np.flatnonzero(is_beside),
            tested=grown.tested,
            ranked=ranked,
        )

    def grow(self, layout: Layout, growth: Growth, threads: Executor) -> GrownContexts:
        """Return the candidates that growth found."""

        def grow_batch(buckets: tuple[int, int]) -> Grown:
            return grow_buckets(layout, *buckets, growth)

        batches = list(layout.batches(self.n_threads * BATCHES_PER_THREAD))
        grown = self.watched("growing contexts", threads.map(grow_batch, batches), len(batches))
        positions, orders, scores, is_end, n_rows, targets, counts = join([batch.rules for batch in grown])
        contexts = Counted(positions, orders, scores, n_rows, targets, counts)
        tested = np.concatenate([batch.tested for batch in grown])
        return GrownContexts(contexts, is_end, tested).sorted_by(orders)

    def test(self, work: Extraction, kept: Counted) -> tuple[NDArray[np.float64], RankedContexts]:
        """Return the evidence of kept contexts, and all contexts of the corpus that have enough of it to be ranked."""
        growth = Growth.for_evidence(work.params)
        no_references = References(*empty(np.int64, np.int64, np.int32, np.int64))
        evidence = np.zeros(len(kept.orders))
        recalled, found = work.recall(kept.positions, kept.orders)
        if recalled is not None:
            evidence[found >= 0] = recalled.evidence[found[found >= 0]]
        unknown = np.flatnonzero((kept.orders > 1) & ((found < 0) | np.isnan(evidence)))
        for layout, chosen in work.layouts_of(kept.positions, unknown):

            def score_batch(batch: NDArray[np.int64], layout: Layout = layout) -> None:
                own = kept.positions[batch], kept.orders[batch], np.zeros(len(batch), np.int64)
                evidence[batch], *_ = count_contexts(layout, *own, no_references, growth)

            self.by_bucket("computing evidence", score_batch, layout, kept.positions, chosen, work.threads)
        evidence[kept.orders == 1] = 0.0
        ranked = RankedContexts.of(self.grow(work.layout, growth, work.threads), work.layout.trail)
        if work.known is not None and work.known.ranked is not None:
            ranked = work.known.ranked.updated(ranked, work.touched)
        return evidence, ranked

    def count_others(self, work: Extraction, others: Others, accepted: Counted) -> Counted:
        """Count and score the kept contexts that were not accepted, in the order given."""
        if not len(others.positions):
            return Counted(*empty(np.int32, np.int32, np.float64, np.int32, np.int32, np.int64))
        positions, orders, growth = others.positions, others.orders, Growth.of(work.params)
        compared = References(accepted.supports, accepted.row_offsets, accepted.targets, accepted.counts)
        recalled, found = work.recall(positions, orders)
        sources, parts = [np.flatnonzero(found >= 0)], []
        if recalled is not None:
            same = recalled.contexts.take(found[found >= 0])
            parts.append([same.scores, same.n_rows, same.targets, same.counts])
        for layout, chosen in work.layouts_of(positions, np.flatnonzero(found < 0)):

            def count_batch(batch: NDArray[np.int64], layout: Layout = layout) -> Any:
                own = positions[batch], orders[batch], others.references[batch]
                return count_contexts(layout, *own, compared, growth)

            by_bucket, counted = self.by_bucket(
                "counting lower orders", count_batch, layout, positions, chosen, work.threads
            )
            sources.append(by_bucket)
            parts.extend(counted)
        scores, n_rows, targets, counts = join(parts)
        source = np.concatenate(sources)
        return Counted(positions[source], orders[source], scores, n_rows, targets, counts).take(np.argsort(source))

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


@dataclass(eq=False)
class Extraction:
    """An extraction at work: the corpus as kernels want it, and what is known about its first sequences."""

    corpus: Corpus
    params: ExtractionParams
    known: Continuation | None
    threads: Executor
    n_threads: int

    @cached_property
    def touched(self) -> NDArray[np.bool_]:
        """Which buckets are not known; one per node."""
        return np.ones(self.corpus.n_nodes, np.bool_) if self.known is None else self.known.touched(self.corpus)

    @cached_property
    def layout(self) -> Layout:
        """The buckets that are not known."""
        return self.lay_out(None if self.known is None else self.touched)

    @cached_property
    def recalled(self) -> Recalled | None:
        """The contexts of the buckets that are known."""
        return None if self.known is None else self.known.recalled(self.touched, self.layout.trail)

    def lay_out(self, chosen: NDArray[np.bool_] | None) -> Layout:
        """Return the buckets of some nodes, or all."""
        return lay_out(self.corpus, self.threads, self.n_threads, self.params.counting, chosen)

    def recall(
        self, positions: NDArray[np.int32], orders: NDArray[np.int32]
    ) -> tuple[Recalled | None, NDArray[np.int64]]:
        """Return the contexts that are known, and the number of each given one among them, or NOT_FOUND."""
        if self.recalled is None:
            return None, np.full(len(positions), NOT_FOUND, np.int64)
        return self.recalled, self.recalled.find(positions, orders)

    def layouts_of(
        self, positions: NDArray[np.int32], chosen: NDArray[np.int64]
    ) -> Iterator[tuple[Layout, NDArray[np.int64]]]:
        """Yield the buckets that chosen contexts are in, and the contexts: first those of buckets that were grown."""
        newest = self.layout.trail[positions[chosen]]
        is_grown = self.touched[newest]
        if is_grown.any():
            yield self.layout, chosen[is_grown]
        if not is_grown.all():
            # Contexts that nothing depended on before: a rule elsewhere has only now been accepted.
            buckets = np.zeros(self.corpus.n_nodes, np.bool_)
            buckets[newest[~is_grown]] = True
            yield self.lay_out(buckets), chosen[~is_grown]

    def free(self) -> None:
        """Release the layout."""
        self.__dict__.pop("layout", None)
        self.__dict__.pop("recalled", None)


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
