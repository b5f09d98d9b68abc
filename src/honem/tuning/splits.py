"""Held-out edges, and the corpus without any trace of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.errors import CorpusError, ParameterError
from honem.network import first_order_network
from honem.tuning.edges import Edges


@dataclass(frozen=True, eq=False)
class LinkSplit:
    """A training corpus, its edges, and the edges that were held out."""

    corpus: Corpus
    training: Edges
    held_out: Edges

    @property
    def n_isolated(self) -> int:
        """Number of nodes that no step of the training corpus touches: nothing can be learnt about them."""
        touched = np.union1d(self.training.sources, self.training.targets)
        return self.corpus.n_nodes - len(touched)


def hold_out_edges(corpus: Corpus, share: float = 0.2, seed: int = 0) -> LinkSplit:
    """Hold out a random share of the first-order edges, and cut the sequences wherever they use one.

    Steps from a node to itself are not ranked in link prediction, so they are never held out.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    share : float, default=0.2
        Share of the edges that are held out, between 0 and 1.
    seed : int, default=0
        Seed of the draw.

    Raises
    ------
    ParameterError
        If the share is not between 0 and 1.
    CorpusError
        If the corpus has too few edges.

    Examples
    --------
    >>> split = hold_out_edges(Corpus.from_sequences([list("abc"), list("bca")]), share=0.3, seed=1)
    >>> [split.corpus.vocabulary[node] for node in (split.held_out.sources[0], split.held_out.targets[0])]
    ['b', 'c']
    >>> list(split.corpus.sequences())
    [('a', 'b'), ('c',), ('b',), ('c', 'a')]
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must be between 0 and 1, not {share!r}")
    edges = Edges.of(first_order_network(corpus))
    n_held_out = max(1, round(share * len(edges)))
    if n_held_out >= len(edges):
        raise CorpusError(f"the corpus has {len(edges)} edges between different nodes; too few to hold some out")
    drawn = np.zeros(len(edges), np.bool_)
    drawn[np.random.default_rng(seed).choice(len(edges), n_held_out, replace=False)] = True
    held_out = edges.select(drawn)
    return LinkSplit(cut_at(corpus, held_out), edges.select(~drawn), held_out)


def cut_at(corpus: Corpus, held_out: Edges) -> Corpus:
    """Return the corpus with every sequence cut between the two nodes of each held-out step, so that no count spans it.

    No token is dropped: vocabulary and ids are kept, and a node that loses all its steps remains as sequences of one
    node, from which nothing can be learnt. Each piece has the weight of its sequence.
    """
    cuts = _cuts(corpus, held_out)
    in_sequence = np.searchsorted(corpus.offsets, cuts, side="right") - 1
    pieces = 1 + np.bincount(in_sequence, minlength=corpus.n_sequences)
    offsets = np.sort(np.concatenate((corpus.offsets, cuts)))
    return Corpus(corpus.vocabulary, corpus.tokens, offsets, np.repeat(corpus.weights, pieces))


def _cuts(corpus: Corpus, held_out: Edges) -> NDArray[np.int64]:
    """Return the positions at which a held-out step would arrive."""
    if len(corpus.tokens) < 2:
        return np.zeros(0, np.int64)
    steps = held_out.contain(corpus.tokens[:-1].astype(np.int64) * corpus.n_nodes + corpus.tokens[1:])
    # A sequence begins where another ends: the two nodes around an offset are no step.
    inner = corpus.offsets[(corpus.offsets > 0) & (corpus.offsets < len(corpus.tokens))]
    steps[inner - 1] = False
    return np.flatnonzero(steps) + 1
