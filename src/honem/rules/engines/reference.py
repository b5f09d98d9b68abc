"""The reference engine: the definition of the method, slow and obvious, without early stops.

All other engines are tested against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from honem._internal.ragged import offsets_of
from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.rules.engines.base import Engine, require_steps
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

Context = tuple[int, ...]
Distribution = Counter[int]


class ReferenceEngine(Engine):
    """Extraction that counts every context of every length; for tests and small corpora."""

    def __init__(self, n_jobs: int | None = None) -> None:
        if n_jobs not in (None, 1):
            raise ParameterError(f"the reference engine runs on one thread; n_jobs={n_jobs!r} needs engine='local'")

    def extract_rules(self, corpus: Corpus, params: ExtractionParams) -> RuleTable:
        """Grow contexts, keep lower orders, and tabulate."""
        require_steps(corpus)
        accepted, ends = grow(corpus, params)
        kept = close_downwards(accepted, ends, params)
        return tabulate(corpus, params, kept, accepted)


def grow(corpus: Corpus, params: ExtractionParams) -> tuple[dict[Context, Distribution], set[Context]]:
    """Return the accepted contexts with their counts, and the references of the contexts at which growth ends."""
    criterion = params.acceptance
    level = count_order(corpus, 1, params)
    accepted = dict(level)
    references: dict[Context, Context] = {context: context for context in level}
    end_references: set[Context] = set()
    scores: dict[Context, float] = {}
    n_tested, order = 0, 1
    while level:
        order += 1
        grown = {} if order - 1 == params.max_order else count_order(corpus, order, params)
        next_references = {}
        for context, targets in grown.items():
            reference = references[context[1:]]
            compared = compared_counts(context, accepted[reference], corpus, params)
            if criterion.is_tested(targets, compared, order):
                n_tested += 1
                score = criterion.score(targets, compared, order)
                if criterion.passes(score, order, targets.total()):
                    accepted[context], scores[context] = targets, score
                    reference = context
            next_references[context] = reference
        end_references |= {references[context] for context in level.keys() - {child[1:] for child in grown}}
        level, references = grown, next_references
    decisions = criterion.decide(np.array(list(scores.values())), n_tested)
    for context, is_accepted in zip(scores, decisions, strict=True):
        if not is_accepted:
            del accepted[context]
    return accepted, end_references


def compared_counts(
    context: Context, reference: Distribution, corpus: Corpus, params: ExtractionParams
) -> Distribution:
    """Return the counts that a context is compared with: its reference's, or those of its parent.

    Of the parent only occurrences count that have an older node in their sequence.
    """
    if params.acceptance.compared_with == "reference":
        return reference
    order = len(context)
    counted: Distribution = Counter()
    for nodes, weight in weighted_sequences(corpus):
        for end in range(order, len(nodes)):
            if nodes[end - order + 1 : end] == context[1:]:
                counted[nodes[end]] += weight
    return Counter({target: n for target, n in counted.items() if n >= params.least_count})


def count_order(corpus: Corpus, order: int, params: ExtractionParams) -> dict[Context, Distribution]:
    """Count `n(c -> t)` for every context of one order that survives `min_support`."""
    counted: dict[Context, Distribution] = {}
    for nodes, weight in weighted_sequences(corpus):
        for end in range(order, len(nodes)):
            counted.setdefault(nodes[end - order : end], Counter())[nodes[end]] += weight
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
    accepted: Iterable[Context], end_references: set[Context], params: ExtractionParams
) -> set[Context]:
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
    corpus: Corpus, params: ExtractionParams, kept: set[Context], accepted: dict[Context, Distribution]
) -> RuleTable:
    """Return the kept contexts with their counts and scores, in the canonical order."""
    counted: dict[Context, Distribution] = {}
    for order in {len(context) for context in kept}:
        counted |= {context: n for context, n in count_order(corpus, order, params).items() if context in kept}
    contexts = sorted(kept, key=lambda context: (len(context), context[::-1]))
    rows = [(target, n) for context in contexts for target, n in sorted(counted[context].items())]
    return RuleTable(
        vocabulary=corpus.vocabulary,
        params=params,
        context_nodes=np.array([node for context in contexts for node in context], dtype=np.int32),
        context_offsets=offsets_of(np.array([len(context) for context in contexts], dtype=np.int64)),
        target_offsets=offsets_of(np.array([len(counted[context]) for context in contexts], dtype=np.int64)),
        targets=np.array([target for target, _ in rows], dtype=np.int32),
        counts=np.array([n for _, n in rows], dtype=np.int64),
        divergences=np.array([own_score(c, counted[c], accepted, corpus, params) for c in contexts], dtype=np.float64),
        accepted=np.array([context in accepted for context in contexts], dtype=np.bool_),
    )


def own_score(
    context: Context,
    targets: Distribution,
    accepted: dict[Context, Distribution],
    corpus: Corpus,
    params: ExtractionParams,
) -> float:
    """Return the score of a kept context; the reference of its parent is the parent's longest accepted suffix."""
    if len(context) == 1:
        return 0.0
    reference = next(context[start:] for start in range(1, len(context)) if context[start:] in accepted)
    compared = compared_counts(context, accepted[reference], corpus, params)
    return params.acceptance.score(targets, compared, len(context))


def weighted_sequences(corpus: Corpus) -> Iterator[tuple[Context, int]]:
    """Yield each sequence as node ids, with its weight."""
    bounds = corpus.offsets.tolist()
    for start, stop, weight in zip(bounds[:-1], bounds[1:], corpus.weights.tolist(), strict=True):
        yield tuple(corpus.tokens[start:stop].tolist()), weight
