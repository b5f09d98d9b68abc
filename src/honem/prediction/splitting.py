"""Hold out sequences in a way that depends on their content only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from honem.corpus import Corpus
from honem.prediction.trie_kernel import hash_sequences


def hold_out_copies(corpus: Corpus, share: float) -> NDArray[np.int64]:
    """Return how many copies of each sequence are held out.

    The number of copies of a sequence that are held out is drawn from a binomial distribution, with a hash of its nodes
    as the source of randomness. So a sequence of weight w and w copies of it give the same split.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    share : float
        Expected share of the sequences that are held out.

    Returns
    -------
    array of int
        For each sequence a number from 0 to its weight.

    Examples
    --------
    >>> copies = Corpus.from_sequences([list("ab")] * 10 + [list("bc")])
    >>> weighted = Corpus.from_sequences([list("ab"), list("bc")], weights=[10, 1])
    >>> hold_out_copies(copies, 0.5).tolist(), hold_out_copies(weighted, 0.5).tolist()
    ([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [4, 0])
    """
    hashes, kinds = np.unique(hash_sequences(corpus.tokens, corpus.offsets), return_inverse=True)
    by_kind = np.argsort(kinds, kind="stable")
    weights = corpus.weights[by_kind]
    is_first = np.append(True, np.diff(kinds[by_kind]) > 0)
    copies = np.add.reduceat(weights, np.flatnonzero(is_first))
    held = _binomial(copies, share, (hashes >> np.uint64(11)) / 2.0**53)
    # The first copies of each kind are held out.
    before = np.cumsum(weights) - weights
    before -= np.repeat(before[is_first], np.bincount(kinds))
    found = np.empty(corpus.n_sequences, np.int64)
    found[by_kind] = np.clip(held[kinds[by_kind]] - before, 0, weights)
    return found


def _binomial(amounts: NDArray[np.int64], share: float, uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return binomial numbers as a function of uniform ones."""
    found = (uniforms >= 1.0 - share).astype(np.int64)
    several = amounts > 1
    found[several] = np.maximum(binom.ppf(uniforms[several], amounts[several], share), 0.0)
    return found
