"""Estimate how much the vectors of nodes say about steps that were never observed."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from honem._internal.ragged import offsets_of
from honem.prediction.base import StepVectors, Values, order_zero
from honem.prediction.base_kernel import guess_steps
from honem.prediction.smoothing import Blend, Smoothing, handed_down
from honem.prediction.tuning import FINE, HeldOutLoss, HeldOutRows, minimum

MOST_SOURCES, ITERATIONS = 256, 20
"""The factors of the guess are estimated from at most this many last nodes, in so many iterations."""
MOST_SCORES, MOST_SCORES_AT_ONCE = 1 << 24, 1 << 19
"""So many scores of steps are computed in all to estimate parameters, and so many in each iteration."""
LEAST_GAIN = 1e-3
"""Vectors are used if they save this share of the bits; otherwise the model is smaller and quicker without them."""
LEAST_KNOWING_GAIN = 1e-2
"""The same for vectors that know the held-out steps: where vectors help, these saved 1.4 to 5 times as much as others
on five data sets, 2.7 % or more."""


class BaseTuning(NamedTuple):
    """Estimation of the base, and of discounts and strengths to go with it.

    Attributes
    ----------
    start : Smoothing
        Parameters without vectors.
    loss : HeldOutLoss
        The loss of held-out steps without vectors.
    log_shares : array of float
        The logarithm of the distribution of order 0.
    symbols, targets : array of int
        The oldest symbol and the next node of each entry of the loss.
    """

    start: Smoothing
    loss: HeldOutLoss
    log_shares: Values
    symbols: NDArray[np.int32]
    targets: NDArray[np.int32]

    @classmethod
    def of(cls, held_out: HeldOutRows, start: Smoothing) -> BaseTuning:
        """Prepare estimation with some held-out steps."""
        trie = held_out.trie
        own = handed_down(trie, held_out.seen, start.alpha)
        return cls(
            start,
            HeldOutLoss.of_counts(held_out, own),
            np.log(order_zero(trie, Blend.of_counts(trie.up_to(0), own, start))),
            trie.symbols[held_out.contexts[held_out.context_of_row]],
            trie.targets[held_out.rows],
        )

    @property
    def has_steps(self) -> bool:
        """Whether a held-out step has a last node that was also observed elsewhere."""
        return bool(self.loss.at_base.any())

    def may_gain(self, vectors: StepVectors) -> bool:
        """Return whether vectors are worth learning without the held-out steps, given those that know them.

        The latter predict these steps better than others can, so more is asked of them.
        """
        sample = self.sample(MOST_SCORES_AT_ONCE, MOST_SOURCES)
        factors = sample.fitted_factors(self.start, vectors)
        bits, bits_without = sample.with_guesses(factors, vectors).bits(factors), sample.loss.bits(self.start)
        return bits < (1.0 - LEAST_KNOWING_GAIN) * bits_without

    def tuned(self, vectors: StepVectors) -> Smoothing:
        """Return parameters for vectors that were learned without the held-out steps; without, if they do not help."""
        factors = self.sample(MOST_SCORES_AT_ONCE, MOST_SOURCES).fitted_factors(self.start, vectors)
        sample = self.sample(MOST_SCORES)
        loss = sample.with_guesses(factors, vectors)
        found = loss.minimized(factors, FINE)
        return found if loss.bits(found) < (1.0 - LEAST_GAIN) * sample.loss.bits(self.start) else self.start

    def sample(self, most_scores: int, most_sources: int | None = None) -> BaseSample:
        """Return the steps from some last nodes, so that at most `most_scores` pairs of them and a node are scored."""
        distinct = np.unique(self.symbols[self.loss.at_base])
        most = min(max(most_scores // len(self.log_shares), 1), most_sources or len(distinct))
        sources = distinct[:: -(-len(distinct) // most)]
        loss, kept = self.loss, np.ones(len(self.symbols), np.bool_)
        if len(sources) < len(distinct):
            loss, kept = loss.starting_at(loss.at_base & np.isin(self.symbols, sources))
        places = np.flatnonzero(loss.at_base)
        amounts = np.bincount(np.searchsorted(sources, self.symbols[kept][places]), minlength=len(sources))
        return BaseSample(loss, self.log_shares, sources, places, offsets_of(amounts), self.targets[kept][places])


class BaseSample(NamedTuple):
    """Held-out steps from some last nodes.

    Attributes
    ----------
    loss : HeldOutLoss
        Their loss without vectors.
    log_shares : array of float
        The logarithm of the distribution of order 0.
    sources : array of int
        The last nodes, ascending.
    places : array of int
        The entries of order 1, sorted by last node.
    offsets, targets : array of int
        The next nodes after source i are `targets[offsets[i]:offsets[i + 1]]`, one for each of `places`.
    """

    loss: HeldOutLoss
    log_shares: Values
    sources: NDArray[np.int32]
    places: NDArray[np.int64]
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]

    def with_guesses(self, factors: Smoothing, vectors: StepVectors) -> HeldOutLoss:
        """Return the loss with the guesses from vectors."""
        guesses, at_once = np.zeros(len(self.loss.guesses)), MOST_SCORES_AT_ONCE // len(self.log_shares) + 1
        for first in range(0, len(self.sources), at_once):
            offsets = self.offsets[first : first + at_once + 1]
            steps = slice(offsets[0], offsets[-1])
            guesses[self.places[steps]], _, _ = guess_steps(
                vectors.scores(self.sources[first : first + at_once]),
                self.log_shares,
                factors.popularity,
                factors.affinity,
                offsets - offsets[0],
                self.targets[steps],
            )
        return self.loss._replace(guesses=guesses)

    def fitted_factors(self, start: Smoothing, vectors: StepVectors) -> Smoothing:
        """Return the share, popularity and affinity of least loss, with all other parameters as they are."""
        scores = vectors.scores(self.sources)
        scale = float(scores.std()) or 1.0
        above = self.loss.derivatives(start)[-1]

        def parameters(values: Values) -> Smoothing:
            popular, near, share = values
            return replace(
                start, popularity=float(popular), affinity=float(near / scale), base_share=float(expit(share))
            )

        def loss_and_slope(values: Values) -> tuple[float, Values]:
            factors = parameters(values)
            found, by_popularity, by_affinity = guess_steps(
                scores, self.log_shares, factors.popularity, factors.affinity, self.offsets, self.targets
            )
            guesses = np.zeros(len(above))
            guesses[self.places] = found
            value, _, _, by_base, _ = self.loss._replace(guesses=guesses).derivatives(factors)
            by_base = by_base[self.places]
            by_logit = factors.base_share * by_base * found
            by_share = by_base @ (found - above[self.places]) * factors.base_share * (1.0 - factors.base_share)
            return value, np.array([by_logit @ by_popularity, by_logit @ by_affinity / scale, by_share])

        # Popular nodes and near ones may count for nothing, but not for less than others.
        bounds = [(0.0, 2.0), (0.0, None), (None, None)]
        return parameters(minimum(loss_and_slope, np.array([0.5, 1.0, 0.0]), ITERATIONS, bounds))
