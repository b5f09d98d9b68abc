"""Estimate how much the vectors of nodes say about steps that were never observed."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, softmax

from honem.prediction.base import StepVectors, Values, order_zero
from honem.prediction.smoothing import Blend, Smoothing
from honem.prediction.tuning import FINE, HeldOutLoss, HeldOutRows

MOST_SOURCES, ITERATIONS = 256, 20
"""The factors of the guess are estimated from at most this many last nodes, in so many iterations."""
LEAST_GAIN = 1e-3
"""StepVectors are used if they save this share of the bits; otherwise the model is smaller and quicker without them."""


def tune_base(held_out: HeldOutRows, start: Smoothing, vectors: StepVectors) -> Smoothing:
    """Estimate the factors of the base, and discounts and strengths to go with them.

    Parameters
    ----------
    held_out : HeldOutRows
        Held-out steps, and the counts of all others.
    start : Smoothing
        Parameters without vectors.
    vectors : StepVectors
        StepVectors that were learned without the held-out steps.

    Returns
    -------
    Smoothing
        `start` itself if vectors do not help.
    """
    loss = HeldOutLoss.of(held_out, start.alpha)
    seen = replace(held_out.trie, counts=held_out.seen)
    popularity = np.log(order_zero(seen, Blend.of(seen, start)))
    steps = _first_order_steps(held_out, loss)
    factors = _fit_factors(loss, start, steps, popularity, vectors)
    with_vectors = loss._replace(guesses=_guesses(loss, factors, steps, popularity, vectors))
    found = with_vectors.minimized(factors, FINE)
    return found if with_vectors.bits(found) < (1.0 - LEAST_GAIN) * loss.bits(start) else start


class FirstOrderSteps(NamedTuple):
    """The entries of order 1 among held-out rows: their place, last node and next node, sorted by last node."""

    places: NDArray[np.int64]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]

    def after(self, sources: NDArray[np.int32]) -> tuple[FirstOrderSteps, NDArray[np.int64]]:
        """Return the steps from some nodes, which are sorted, and the place of each step's node among them."""
        chosen = np.isin(self.sources, sources)
        steps = FirstOrderSteps(self.places[chosen], self.sources[chosen], self.targets[chosen])
        return steps, np.searchsorted(sources, steps.sources)


def _first_order_steps(held_out: HeldOutRows, loss: HeldOutLoss) -> FirstOrderSteps:
    places, trie = np.flatnonzero(loss.at_base), held_out.trie
    contexts = held_out.contexts[held_out.context_of_row[places]]
    return FirstOrderSteps(places, trie.symbols[contexts], trie.targets[held_out.rows[places]])


def _fit_factors(
    loss: HeldOutLoss, start: Smoothing, steps: FirstOrderSteps, popularity: Values, vectors: StepVectors
) -> Smoothing:
    """Return the share, popularity and affinity of least loss, with all other parameters as they are."""
    distinct = np.unique(steps.sources)
    sources = distinct[:: -(-len(distinct) // MOST_SOURCES)]
    steps, source_of_step = steps.after(sources)
    scores = vectors.scores(sources)
    scale = float(scores.std()) or 1.0
    above = loss.derivatives(start)[-1]

    def parameters(values: Values) -> Smoothing:
        popular, near, share = values
        return replace(start, popularity=float(popular), affinity=float(near / scale), base_share=float(expit(share)))

    def loss_and_slope(values: Values) -> tuple[float, Values]:
        smoothing = parameters(values)
        rows = softmax(smoothing.popularity * popularity + smoothing.affinity * scores, axis=1)
        guesses, of_step = above.copy(), (source_of_step, steps.targets)
        guesses[steps.places] = rows[of_step]
        value, _, _, by_base, _ = loss._replace(guesses=guesses).derivatives(smoothing)
        by_base = by_base[steps.places]
        by_logit = smoothing.base_share * by_base * rows[of_step]
        by_popularity = by_logit @ (popularity[steps.targets] - (rows @ popularity)[source_of_step])
        by_affinity = by_logit @ (scores[of_step] - (rows * scores).sum(axis=1)[source_of_step])
        by_share = by_base @ (guesses - above)[steps.places] * smoothing.base_share * (1.0 - smoothing.base_share)
        return value, np.array([by_popularity, by_affinity / scale, by_share])

    # Popular nodes and near ones may count for nothing, but not for less than others.
    bounds = [(0.0, 2.0), (0.0, None), (None, None)]
    found = minimize(
        loss_and_slope,
        [0.5, 1.0, 0.0],
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": ITERATIONS},
    )
    return parameters(found.x)


def _guesses(
    loss: HeldOutLoss, factors: Smoothing, steps: FirstOrderSteps, popularity: Values, vectors: StepVectors
) -> Values:
    """Return the guesses of all entries of order 1."""
    guesses, distinct = np.zeros(len(loss.guesses)), np.unique(steps.sources)
    for sources in np.array_split(distinct, -(-len(distinct) // MOST_SOURCES)):
        some, source_of_step = steps.after(sources)
        logits = factors.popularity * popularity + factors.affinity * vectors.scores(sources)
        guesses[some.places] = softmax(logits, axis=1)[source_of_step, some.targets]
    return guesses
