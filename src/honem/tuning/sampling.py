"""A part of a large corpus: paths among nodes that are near each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Corpus, Vocabulary
from honem.network import first_order_network


def neighborhood_sample(corpus: Corpus, max_nodes: int, seed: int = 0) -> Corpus:
    """Return the paths among at most so many nodes, found by breadth-first search from random nodes.

    Nodes that are near each other are kept together, so that the network of the sample is locally as dense as the whole
    one. Sequences are cut where they leave the sample.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    max_nodes : int
        Largest number of nodes of the sample; a corpus with no more is returned as it is.
    seed : int, default=0
        Seed of the random nodes.

    Returns
    -------
    Corpus
    """
    if corpus.n_nodes <= max_nodes:
        return corpus
    is_kept = np.zeros(corpus.n_nodes, np.bool_)
    is_kept[_near_nodes(corpus, max_nodes, seed)] = True
    return paths_among(corpus, is_kept)


def _near_nodes(corpus: Corpus, n_nodes: int, seed: int) -> NDArray[np.int64]:
    """Return nodes in the order in which a search reaches them, with a new random start where it comes to an end."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    network = first_order_network(corpus)
    edges = (np.ones(len(network.sources)), (network.sources, network.targets))
    graph = csr_array(edges, shape=(corpus.n_nodes, corpus.n_nodes))
    found: list[int] = []
    is_found = np.zeros(corpus.n_nodes, np.bool_)
    for start in np.random.default_rng(seed).permutation(corpus.n_nodes).tolist():
        if len(found) >= n_nodes:
            break
        if not is_found[start]:
            reached = breadth_first_order(graph, start, directed=False, return_predecessors=False)
            is_found[reached] = True
            found += reached.tolist()
    return np.array(found[:n_nodes], np.int64)


def paths_among(corpus: Corpus, is_kept: NDArray[np.bool_]) -> Corpus:
    """Return the parts of the sequences that run through the marked nodes only, with just these nodes.

    >>> corpus = Corpus.from_sequences([list("abxcd"), list("ab")])
    >>> list(paths_among(corpus, np.array([label != "x" for label in corpus.vocabulary])).sequences())
    [('a', 'b'), ('c', 'd'), ('a', 'b')]
    """
    kept = is_kept[corpus.tokens]
    begins = kept.copy()
    begins[1:] &= ~kept[:-1]
    firsts = corpus.offsets[:-1][corpus.lengths > 0]
    begins[firsts] = kept[firsts]
    piece_of_token = np.cumsum(begins)[kept] - 1
    sequence_of_token = np.repeat(np.arange(corpus.n_sequences), corpus.lengths)
    labels = [label for label, keep in zip(corpus.vocabulary.labels, is_kept.tolist(), strict=True) if keep]
    numbers = np.cumsum(is_kept) - 1
    return Corpus(
        Vocabulary(tuple(labels)),
        numbers[corpus.tokens[kept]].astype(corpus.tokens.dtype),
        offsets_of(np.bincount(piece_of_token, minlength=int(begins.sum()))),
        corpus.weights[sequence_of_token[begins]],
    )
