"""Compares contexts with their parents wherever they occur, and tests all contexts of a corpus for evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.criteria import Criterion
from honem.rules.engines.distributed.counting import COUNTS, CountedRows, What, count_targets, join_counted
from honem.rules.engines.distributed.growing import SCORES, TESTED
from honem.rules.engines.distributed.held import compute, fetch, release_all
from honem.rules.engines.distributed.hubs import Hubs, hubs_as_parents
from honem.rules.engines.distributed.searching import Search
from honem.rules.engines.local.buffers import Growth
from honem.rules.engines.local.tabulating import Counted, KeptEvidence, reference_scores


def find_evidence(search: Search, hubs: Hubs, kept: Counted, trail: NDArray[np.int32]) -> KeptEvidence:
    """Test all contexts of the corpus for evidence, whatever the criterion, and return that of the kept ones."""
    params = search.params
    is_longer = kept.orders > 1
    of_kept = np.zeros(len(kept.orders))
    of_kept[is_longer] = parent_scores(search, params.evidence_test, kept.select(is_longer), trail)
    as_parents = hubs_as_parents(hubs, search.corpus, params, search.n_shards)
    passes = search.grow(Growth.for_evidence(params), as_parents, wants_rules=False)
    try:
        ranked = fetch(passes, SCORES, "the scores of all contexts with evidence")
        n_tested = sum(held.amount(TESTED) for held in passes)
    finally:
        release_all(passes)
    return KeptEvidence(of_kept, np.concatenate([np.zeros(0), *ranked]), n_tested)


def parent_scores(
    search: Search, criterion: Criterion, contexts: Counted, trail: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the scores of contexts of order 2 and more against their parents, which are counted on the cluster."""
    orders, parent_orders = contexts.orders, contexts.orders - 1
    starts = contexts.positions.astype(np.int64) - orders + 1
    n_nodes, by_sequence = search.corpus.n_nodes, search.params.counting == "sequences"
    if by_sequence or search.params.least_count > 1:
        tree = ContextTree.of_contexts(n_nodes, trail[gather_ranges(starts, orders)], offsets_of(orders))
        rows = observe(search, tree, What(by_sequence=by_sequence), len(orders))
        contexts = replace(contexts, n_rows=rows.n_rows, targets=rows.targets, counts=rows.counts)
    nodes, offsets = trail[gather_ranges(starts + 1, parent_orders)], offsets_of(parent_orders)
    tree = ContextTree.of_contexts(n_nodes, nodes, offsets)
    # Many contexts have the same parent, of which the tree has one.
    used, references = np.unique(tree.longest_suffixes(nodes, offsets), return_inverse=True)
    rows = observe(search, tree, What(extended=True, by_sequence=by_sequence), len(orders)).select(used)
    parents = Counted(contexts.positions[used], parent_orders[used], np.zeros(len(used)), *vars(rows).values())
    return reference_scores(criterion, contexts, parents, references, n_nodes)


def observe(search: Search, tree: ContextTree, what: What, n_contexts: int) -> CountedRows:
    """Count observations of contexts on the cluster, and fetch them."""
    counts = count_targets(search.corpus, tree, what, search.n_shards)
    parts = compute(counts, search.corpus.executor, COUNTS, f"the counts of {n_contexts:,} contexts")
    return join_counted(parts, n_contexts)
