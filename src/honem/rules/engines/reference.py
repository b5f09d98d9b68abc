"""The reference engine: the definition of the method, slow and obvious, without early stops.

All other engines are tested against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Corpus
from honem.rules.criteria import Counting, Criterion, Divergence, Tests, log_q_values
from honem.rules.engines.base import Engine, require_steps
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

ContextNodes = tuple[int, ...]
Distribution = Counter[int]


class ReferenceEngine(Engine):
    """Extraction that counts every context of every length; for tests and small corpora."""

    def extract_rules(self, corpus: Corpus, params: ExtractionParams) -> RuleTable:
        """Grow contexts, keep lower orders, and tabulate."""
        require_steps(corpus)
        accepted, ends = grow(corpus, params)
        kept = close_downwards(accepted, ends, params)
        return tabulate(corpus, params, kept, accepted)


def grow(corpus: Corpus, params: ExtractionParams) -> tuple[dict[ContextNodes, Distribution], set[ContextNodes]]:
    """Return the accepted contexts with their counts, and the references of the contexts at which growth ends."""
    if params.acceptance.compared_with == "parent":
        return accept_in_the_end(corpus, params), set()
    criterion = params.acceptance
    level = count_order(corpus, 1, params)
    accepted = dict(level)
    references: dict[ContextNodes, ContextNodes] = {context: context for context in level}
    end_references: set[ContextNodes] = set()
    order = 1
    while level:
        order += 1
        grown = {} if order - 1 == params.max_order else count_order(corpus, order, params)
        next_references = {}
        for context, targets in grown.items():
            reference = references[context[1:]]
            compared = accepted[reference]
            is_tested = criterion.is_tested(targets, compared, order)
            if is_tested and criterion.passes(criterion.score(targets, compared, order), order, targets.total()):
                accepted[context], reference = targets, context
            next_references[context] = reference
        end_references |= {references[context] for context in level.keys() - {child[1:] for child in grown}}
        level, references = grown, next_references
    return accepted, end_references


def accept_in_the_end(corpus: Corpus, params: ExtractionParams) -> dict[ContextNodes, Distribution]:
    """Return the contexts of order 1, and those that a criterion accepts after it has scored all contexts."""
    accepted = count_order(corpus, 1, params)
    tests = test_contexts(corpus, params, params.acceptance)
    candidates = list(tests.ranked)
    decisions = params.acceptance.decide(np.array([tests.ranked[c] for c in candidates]), tests.n_tested)
    counted = {order: count_order(corpus, order, params) for order in {len(context) for context in candidates}}
    for context, is_accepted in zip(candidates, decisions, strict=True):
        if is_accepted:
            accepted[context] = counted[len(context)][context]
    return accepted


class TestedContexts(NamedTuple):
    """Scores of contexts against their parents: of all, of those that were tested and passed; how many were tested."""

    scores: dict[ContextNodes, float]
    ranked: dict[ContextNodes, float]
    n_tested: int


def test_contexts(corpus: Corpus, params: ExtractionParams, criterion: Criterion) -> TestedContexts:
    """Compare every context of order 2 or more with its parent."""
    scores: dict[ContextNodes, float] = {}
    ranked: dict[ContextNodes, float] = {}
    n_tested, order = 0, 2
    while order - 1 != params.max_order and (occurrences := count_occurrences(corpus, order)):
        observed = observed_counts(corpus, order, params.counting)
        parents = sum_extensions(observed)
        for context, targets in observed.items():
            compared = parents[context[1:]]
            scores[context] = criterion.score(targets, compared, order)
            if occurrences[context].total() < params.least_support or not criterion.is_tested(targets, compared, order):
                continue
            n_tested += 1
            if criterion.passes(scores[context], order, targets.total()):
                ranked[context] = scores[context]
        order += 1
    return TestedContexts(scores, ranked, n_tested)


def sum_extensions(counted: Mapping[ContextNodes, Distribution]) -> dict[ContextNodes, Distribution]:
    """Return the counts of parents where they have an older node: there, their extensions partition them."""
    parents: dict[ContextNodes, Distribution] = {}
    for context, targets in counted.items():
        parents.setdefault(context[1:], Counter()).update(targets)
    return parents


def count_occurrences(corpus: Corpus, order: int) -> dict[ContextNodes, Distribution]:
    """Count `n(c -> t)` for every context of one order."""
    counted: dict[ContextNodes, Distribution] = {}
    for nodes, weight in weighted_sequences(corpus):
        for end in range(order, len(nodes)):
            counted.setdefault(nodes[end - order : end], Counter())[nodes[end]] += weight
    return counted


def observed_counts(corpus: Corpus, order: int, counting: Counting) -> dict[ContextNodes, Distribution]:
    """Count the observations of every context of one order: all occurrences, or the first one in each sequence."""
    if counting == "occurrences":
        return count_occurrences(corpus, order)
    counted: dict[ContextNodes, Distribution] = {}
    for nodes, weight in weighted_sequences(corpus):
        backwards = reversed(range(order, len(nodes)))
        first = {nodes[end - order : end]: nodes[end] for end in backwards}  # earlier occurrences replace later ones
        for context, target in first.items():
            counted.setdefault(context, Counter())[target] += weight
    return counted


def count_order(corpus: Corpus, order: int, params: ExtractionParams) -> dict[ContextNodes, Distribution]:
    """Count `n(c -> t)` for every context of one order that survives `min_support`."""
    counted = count_occurrences(corpus, order)
    if params.support == "transition":
        frequent = {
            context: Counter({target: n for target, n in targets.items() if n >= params.min_support})
            for context, targets in counted.items()
        }
        return {context: targets for context, targets in frequent.items() if targets}
    if order == 1:
        return counted
    return {context: targets for context, targets in counted.items() if targets.total() >= params.min_support}


def close_downwards(
    accepted: Iterable[ContextNodes], end_references: set[ContextNodes], params: ExtractionParams
) -> set[ContextNodes]:
    """Return the accepted contexts and those that `lower_orders` keeps beside them."""
    if params.lower_orders == "all":
        return {
            context[start:stop]
            for context in accepted
            for start in range(len(context))
            for stop in range(start + 1, len(context) + 1)
        }
    wanted = {
        context
        for context in accepted
        if params.lower_orders == "significant" or context in end_references or len(context) == 1
    }
    return {context[:stop] for context in wanted for stop in range(1, len(context) + 1)}


def tabulate(
    corpus: Corpus, params: ExtractionParams, kept: set[ContextNodes], accepted: dict[ContextNodes, Distribution]
) -> RuleTable:
    """Return the kept contexts with their counts and scores, in the canonical order."""
    counted: dict[ContextNodes, Distribution] = {}
    for order in {len(context) for context in kept}:
        counted |= {context: n for context, n in count_order(corpus, order, params).items() if context in kept}
    contexts = sorted(kept, key=lambda context: (len(context), context[::-1]))
    rows = [(target, n) for context in contexts for target, n in sorted(counted[context].items())]
    divergences = [reference_score(Divergence(), context, counted[context], accepted) for context in contexts]
    tests = test_contexts(corpus, params, params.evidence_test)
    evidence = np.array([tests.scores.get(context, 0.0) for context in contexts], dtype=np.float64)
    log_q = log_q_values(evidence, np.array(list(tests.ranked.values())), tests.n_tested)
    return RuleTable(
        vocabulary=corpus.vocabulary,
        params=params,
        context_nodes=np.array([node for context in contexts for node in context], dtype=np.int32),
        context_offsets=offsets_of(np.array([len(context) for context in contexts], dtype=np.int64)),
        target_offsets=offsets_of(np.array([len(counted[context]) for context in contexts], dtype=np.int64)),
        targets=np.array([target for target, _ in rows], dtype=np.int32),
        counts=np.array([n for _, n in rows], dtype=np.int64),
        divergences=np.array(divergences, dtype=np.float64),
        evidence=evidence,
        q_values=np.where([len(context) == 1 for context in contexts], 1.0, np.exp2(log_q)),
        accepted=np.array([context in accepted for context in contexts], dtype=np.bool_),
        tests=Tests(tests.n_tested, sum(len(context) > 1 for context in contexts if context in accepted)),
        own_scores=own_scores(corpus, params, contexts, counted, accepted),
    )


def own_scores(
    corpus: Corpus,
    params: ExtractionParams,
    contexts: list[ContextNodes],
    counted: dict[ContextNodes, Distribution],
    accepted: dict[ContextNodes, Distribution],
) -> NDArray[np.float64] | None:
    """Return the scores of a criterion that scores neither divergence nor evidence."""
    criterion = params.acceptance
    if criterion.score_column != "score":
        return None
    if criterion.compared_with == "parent":
        scores = test_contexts(corpus, params, criterion).scores
        return np.array([scores.get(context, 0.0) for context in contexts])
    return np.array([reference_score(criterion, context, counted[context], accepted) for context in contexts])


def reference_score(
    criterion: Criterion, context: ContextNodes, targets: Distribution, accepted: dict[ContextNodes, Distribution]
) -> float:
    """Return the score of a kept context against its longest proper suffix that was accepted; 0 for order 1."""
    if len(context) == 1:
        return 0.0
    reference = next(context[start:] for start in range(1, len(context)) if context[start:] in accepted)
    return criterion.score(targets, accepted[reference], len(context))


def weighted_sequences(corpus: Corpus) -> Iterator[tuple[ContextNodes, int]]:
    """Yield each sequence as node ids, with its weight."""
    bounds = corpus.offsets.tolist()
    for start, stop, weight in zip(bounds[:-1], bounds[1:], corpus.weights.tolist(), strict=True):
        yield tuple(corpus.tokens[start:stop].tolist()), weight
