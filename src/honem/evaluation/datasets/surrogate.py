"""Surrogates: sequences simulated from the transitions of a corpus, with memory of a chosen order and no more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem._internal.validation import require_seed, require_whole
from honem.corpus import Corpus
from honem.errors import CorpusError

MOST_TOKENS = 2**28


def markov_surrogate(corpus: Corpus, order: int = 1, seed: int | None = 0) -> Corpus:
    """Simulate a Markov chain with the transitions of a corpus.

    Every sequence keeps its length and its first `order` nodes; each further node is drawn from the successors of the
    `order` nodes before it, as often as they were observed. Rules of a higher order than that are false by
    construction. A sequence ends early where nothing was ever observed to follow. Of a sequence of weight w, each of
    the w copies is simulated.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    order : int, default=1
        Order of the chain.
    seed : int or None, default=0
        Seed of the draws.

    Returns
    -------
    Corpus
        As many sequences as the weights of the corpus sum to, with the same vocabulary.

    Raises
    ------
    ParameterError
        If `order` is not a whole number of at least 1.
    CorpusError
        If the weights stand for more than 268 million nodes.

    Examples
    --------
    >>> trips = Corpus.from_sequences([["dorm", "centre", "library"], ["home", "centre", "office"]], weights=[2, 2])
    >>> list(markov_surrogate(trips, seed=3).sequences())  # doctest: +NORMALIZE_WHITESPACE
    [('dorm', 'centre', 'library'), ('dorm', 'centre', 'office'), ('home', 'centre', 'office'),
     ('home', 'centre', 'office')]
    """
    require_whole("order", order, least=1)
    require_seed("seed", seed)
    n_tokens = int((corpus.lengths.astype(np.float64) * corpus.weights).sum())
    if n_tokens > MOST_TOKENS:
        raise CorpusError(
            f"the weights stand for {n_tokens:,} nodes, but a surrogate has at most {MOST_TOKENS:,}; divide the "
            "weights by a common factor, or do without a surrogate"
        )
    sequences = np.repeat(np.arange(corpus.n_sequences), corpus.weights)
    starts, lengths = corpus.offsets[sequences], corpus.lengths[sequences]
    offsets = offsets_of(lengths)
    kept = np.minimum(lengths, order)
    tokens = np.empty(offsets[-1], np.int32)
    tokens[gather_ranges(offsets[:-1], kept)] = corpus.tokens[gather_ranges(starts, kept)]

    chain = Chain.of(corpus, order)
    rng = np.random.default_rng(seed)
    alive = np.flatnonzero(lengths > order)
    contexts = chain.context_at[starts[alive] + order - 1]
    reached = kept.copy()
    for place in range(order, int(lengths.max(initial=0))):
        goes_on = (lengths[alive] > place) & (chain.totals[contexts] > 0)
        alive, contexts = alive[goes_on], contexts[goes_on]
        steps = chain.draw(contexts, rng)
        tokens[offsets[alive] + place] = chain.successors[steps]
        contexts = chain.next_contexts[steps]
        reached[alive] = place + 1
    return Corpus.from_arrays(corpus.vocabulary.labels, tokens[gather_ranges(offsets[:-1], reached)], reached)


@dataclass(frozen=True, eq=False)
class Chain:
    """The transitions of a corpus at one order, one per step that has a context of that order, sorted by context.

    `context_at` is the context that ends at each token (-1 if it would begin before its sequence), `totals` the sum of
    the weights of the steps of each context, and `cumulative` the running sum of all weights.
    """

    context_at: NDArray[np.int64]
    totals: NDArray[np.int64]
    cumulative: NDArray[np.int64]
    successors: NDArray[np.int32]
    next_contexts: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, order: int) -> Chain:
        """Collect the steps that have a context of one order, sorted by context."""
        n_tokens = len(corpus.tokens)
        history = gather_ranges(np.zeros(corpus.n_sequences, np.int64), corpus.lengths)
        context_at = corpus.tokens.astype(np.int64)
        for back in range(1, order):
            has_older = np.flatnonzero(history >= back)
            keys = context_at[has_older] * corpus.n_nodes + corpus.tokens[has_older - back]
            context_at = np.full(n_tokens, -1)
            context_at[has_older] = np.unique(keys, return_inverse=True)[1]
        is_last = np.zeros(n_tokens, np.bool_)
        is_last[corpus.offsets[1:][corpus.lengths > 0] - 1] = True
        steps = np.flatnonzero((context_at >= 0) & ~is_last)
        steps = steps[np.argsort(context_at[steps], kind="stable")]
        weights = np.repeat(corpus.weights, corpus.lengths)[steps]
        totals = np.zeros(int(context_at.max(initial=-1)) + 1, np.int64)
        np.add.at(totals, context_at[steps], weights)
        return cls(context_at, totals, np.cumsum(weights), corpus.tokens[steps + 1], context_at[steps + 1])

    def draw(self, contexts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw a step after each context, in proportion to the weights."""
        before = offsets_of(self.totals)[:-1]
        drawn = before[contexts] + rng.integers(0, self.totals[contexts])
        return np.searchsorted(self.cumulative, drawn, side="right")
