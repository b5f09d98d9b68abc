"""Smoothing: how counts of contexts become probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.prediction.trie import ContextTrie

CLASS_BOUNDS = np.array([2, 3, 5, 9])
"""Contexts are classed by their number of distinct targets: 1, 2, 3 to 4, 5 to 8, 9 and more."""
N_CLASSES = len(CLASS_BOUNDS) + 1
WHOLE = np.array([1.0, 2.0, 3.0])
"""A discount is estimated for counts of 1, of 2, and of 3 and more."""


@dataclass(frozen=True, eq=False)
class Smoothing:
    """Parameters of the blend of contexts.

    Attributes
    ----------
    alpha : float
        Power of the counts that a context gets from its extensions: 0 counts each once, as Kneser-Ney does, and 1 adds
        them up.
    depth : int
        Order of the longest contexts.
    discounts : array of shape (n_kinds, 3)
        What is subtracted from counts of 1, 2, and 3 or more, for each kind of context: order times number of targets.
    strengths : array of shape (n_kinds,)
        What is added to the sum of the counts of a context.
    base_share : float
        Weight of the guess from vectors in the distribution below order 1.
    popularity, affinity : float
        Factors of the log-probability of order 0 and of the score of vectors in that guess.
    """

    alpha: float
    depth: int
    discounts: NDArray[np.float64]
    strengths: NDArray[np.float64]
    base_share: float = 0.0
    popularity: float = 1.0
    affinity: float = 0.0


class ContextCounts(NamedTuple):
    """Sums of the counts of contexts: in total, of targets with counts 1, 2 and 3 or more; and the kind of each."""

    totals: NDArray[np.float64]
    members: NDArray[np.float64]
    kinds: NDArray[np.int64]

    @classmethod
    def of(cls, trie: ContextTrie, own: NDArray[np.float64], contexts: NDArray[np.int32]) -> ContextCounts:
        """Sum the counts `own` of the rows of some contexts."""
        from honem.prediction.blend_kernel import sum_contexts

        totals, n_targets, members = sum_contexts(own, trie.row_offsets, contexts)
        kinds = trie.orders[contexts] * N_CLASSES + np.searchsorted(CLASS_BOUNDS, n_targets, side="right")
        return cls(totals, members, kinds)


def handed_down(trie: ContextTrie, counts: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """Return the counts n' of all rows.

    `n'(c -> t)` is the sum of `n' ** alpha` over the extensions of c. Contexts without extensions keep their counts.

    Parameters
    ----------
    trie : ContextTrie
        The contexts.
    counts : array of int
        How often each row was observed; rows may be missing, with count 0.
    alpha : float
        The power.

    Returns
    -------
    array of float
    """
    from honem.prediction.blend_kernel import hand_down

    return np.asarray(hand_down(counts, trie.row_offsets, trie.n_children, trie.row_parents, alpha))


class Blend(NamedTuple):
    """The discounted share of each row of a trie, and the probability that each context leaves to its parent."""

    shares: NDArray[np.float64]
    left_over: NDArray[np.float64]

    @classmethod
    def of(cls, trie: ContextTrie, smoothing: Smoothing, *, as_observed: bool = False) -> Blend:
        """Apply a smoothing to the counts n' of a trie, or to its counts as they were observed."""
        from honem._internal.compilation import announcing_compilation

        with announcing_compilation():
            own = trie.counts.astype(np.float64) if as_observed else handed_down(trie, trie.counts, smoothing.alpha)
            return cls.of_counts(trie, own, smoothing)

    @classmethod
    def of_counts(cls, trie: ContextTrie, own: NDArray[np.float64], smoothing: Smoothing) -> Blend:
        """Apply a smoothing to given counts of the rows of a trie."""
        from honem.prediction.blend_kernel import share_counts

        own = own[: len(trie.targets)]
        counts = ContextCounts.of(trie, own, np.arange(trie.n_contexts, dtype=np.int32))
        return cls(*share_counts(own, trie.row_offsets, *counts, smoothing.discounts, smoothing.strengths))
