"""Estimate the parameters of a Smoothing from steps that are held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from threadpoolctl import threadpool_limits

from honem.prediction.base import Values
from honem.prediction.blend_kernel import count_chain_ends, loss_of_rows
from honem.prediction.smoothing import N_CLASSES, WHOLE, ContextCounts, Smoothing, handed_down
from honem.prediction.trie import ContextTrie, GrownTrie

ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
USUAL_ALPHA, USUAL_DEPTH = 0.5, 6
PRIOR_DISCOUNT, PRIOR_STRENGTH = 0.6, 0.6
"""Discounts (as a share of the count) and strengths are drawn to these; with little data they stay there."""
ROUGH, FINE = 8, 30
"""Iterations when values of alpha and depth are compared, and for the chosen ones."""


LEAST_GAIN = 5e-4
"""Longer contexts are used if they save this share of the bits; otherwise the model is smaller without them."""


def usual_smoothing(depth: int, alpha: float = USUAL_ALPHA) -> Smoothing:
    """Return the parameters that are used if nothing can be held out."""
    n_kinds = (depth + 1) * N_CLASSES
    return Smoothing(alpha, depth, np.full((n_kinds, 3), PRIOR_DISCOUNT) * WHOLE, np.full(n_kinds, PRIOR_STRENGTH))


def with_depth(smoothing: Smoothing, depth: int) -> Smoothing:
    """Return a smoothing for another depth, with the usual parameters for orders that it does not have."""
    usual = usual_smoothing(depth)
    n_kept = min(len(usual.strengths), len(smoothing.strengths))
    usual.discounts[:n_kept], usual.strengths[:n_kept] = smoothing.discounts[:n_kept], smoothing.strengths[:n_kept]
    return replace(smoothing, depth=depth, discounts=usual.discounts, strengths=usual.strengths)


class HeldOutRows(NamedTuple):
    """The rows of a trie that held-out steps pass, with contexts of up to a depth.

    Attributes
    ----------
    trie : ContextTrie
        The contexts.
    seen : array of int
        Counts of all rows of the trie without what is held out.
    rows, parents : array of int
        Rows that are passed, shorter contexts first, and for each the place of its parent among them, or -1.
    weights : array of float
        Number of held-out steps whose longest known context is that of the row.
    contexts, context_of_row : array of int
        The contexts that are passed, and for each row the place of its context among them.
    """

    trie: ContextTrie
    seen: NDArray[np.int64]
    rows: NDArray[np.int64]
    parents: NDArray[np.int64]
    weights: Values
    contexts: NDArray[np.int32]
    context_of_row: NDArray[np.int64]

    @classmethod
    def of(cls, grown: GrownTrie, depth: int) -> HeldOutRows:
        """Find the rows that are passed with contexts of up to `depth` symbols."""
        trie = grown.trie.up_to(depth)
        held = grown.held[: len(trie.targets)]
        seen = trie.counts - held
        totals = np.add.reduceat(seen, trie.row_offsets[:-1])
        weights = count_chain_ends(held, totals, trie.parents, trie.row_parents, trie.context_of_row)
        rows = _with_ancestors(np.flatnonzero(weights), trie.row_parents)
        above = trie.row_parents[rows]
        contexts, context_of_row = np.unique(trie.context_of_row[rows], return_inverse=True)
        parents = np.where(above < 0, -1, np.searchsorted(rows, above))
        return cls(trie, seen, rows, parents, weights[rows].astype(np.float64), contexts, context_of_row)


def _with_ancestors(rows: NDArray[np.int64], row_parents: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return rows and all rows that they back off to, ascending."""
    is_passed = np.zeros(len(row_parents), np.bool_)
    while len(rows):
        is_passed[rows] = True
        above = row_parents[rows]
        above = above[above >= 0]
        rows = np.unique(above[~is_passed[above]]).astype(np.int64)
    return np.flatnonzero(is_passed)


class HeldOutLoss(NamedTuple):
    """The loss of held-out steps as a function of discounts and strengths.

    The fields are the arguments of `loss_of_rows`, with one value per row that is passed. `guesses` are the
    probabilities from vectors for rows of order 1, or zeros.
    """

    parents: NDArray[np.int64]
    at_base: NDArray[np.bool_]
    kinds: NDArray[np.int64]
    own: Values
    totals: Values
    members: Values
    weights: Values
    uniform: float
    guesses: Values

    @classmethod
    def of(cls, held_out: HeldOutRows, alpha: float) -> HeldOutLoss:
        """Return the loss with counts that are handed down with the power alpha."""
        trie, rows, places = held_out.trie, held_out.rows, held_out.context_of_row
        own = handed_down(trie, held_out.seen, alpha)
        counts = ContextCounts.of(trie, own, held_out.contexts)
        return cls(
            parents=held_out.parents,
            at_base=trie.orders[held_out.contexts][places] == 1,
            kinds=counts.kinds[places],
            own=own[rows],
            totals=counts.totals[places],
            members=counts.members[places],
            weights=held_out.weights,
            uniform=1.0 / trie.n_nodes,
            guesses=np.zeros(len(rows)),
        )

    def derivatives(self, smoothing: Smoothing) -> tuple[float, Values, Values, Values, Values]:
        """Return what `loss_of_rows` returns."""
        found = loss_of_rows(*self, smoothing.base_share, smoothing.discounts, smoothing.strengths)
        return cast(tuple[float, Values, Values, Values, Values], found)

    def bits(self, smoothing: Smoothing) -> float:
        """Return the loss in bits per step."""
        return float(self.derivatives(smoothing)[0] / np.log(2) / self.weights.sum())

    def minimized(self, start: Smoothing, iterations: int) -> Smoothing:
        """Return the discounts and strengths of least loss."""
        n_kinds = len(start.strengths)
        prior = np.concatenate((np.full(3 * n_kinds, logit(PRIOR_DISCOUNT)), np.full(n_kinds, np.log(PRIOR_STRENGTH))))

        def parameters(values: Values) -> Smoothing:
            discounts = expit(values[: 3 * n_kinds]).reshape(n_kinds, 3) * WHOLE
            return replace(start, discounts=discounts, strengths=np.exp(values[3 * n_kinds :]))

        def penalized(values: Values) -> tuple[float, Values]:
            smoothing = parameters(values)
            loss, by_discount, by_strength, _, _ = self.derivatives(smoothing)
            by_share = by_discount * smoothing.discounts * (1.0 - smoothing.discounts / WHOLE)
            slope = np.concatenate((by_share.ravel(), by_strength * smoothing.strengths))
            away = values - prior
            return loss + 0.5 * float(away @ away), slope + away

        first = np.concatenate((logit(start.discounts / WHOLE).ravel(), np.log(start.strengths)))
        with threadpool_limits(1):  # threads that share so few numbers only wait for each other
            found = minimize(penalized, first, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
        return parameters(found.x)


def tune_smoothing(grown: GrownTrie, start: Smoothing | None = None) -> Smoothing:
    """Choose alpha and depth, and estimate discounts and strengths, from the held-out part of a trie.

    Parameters
    ----------
    grown : GrownTrie
        The trie, as deep as contexts may become.
    start : Smoothing, optional
        Parameters from a less deep trie; then only greater depths are tried.

    Returns
    -------
    Smoothing
        Without vectors in the base. If nothing is held out, the usual parameters.
    """
    deepest = grown.trie.depth
    depths = [depth for depth in DEPTHS if depth < deepest] + [deepest]
    usual = usual_smoothing(min(USUAL_DEPTH, deepest))
    if not grown.held.any() or (grown.trie.counts == grown.held).all():
        return usual

    passed = cache(partial(HeldOutRows.of, grown))

    def tried(start: Smoothing, iterations: int = ROUGH) -> Tuned:
        loss = HeldOutLoss.of(passed(start.depth), start.alpha)
        found = loss.minimized(start, iterations)
        return Tuned(found, loss.bits(found))

    def of_alpha(best: Smoothing, alpha: float) -> Tuned:
        return tried(replace(best, alpha=alpha))

    def of_depth(best: Smoothing, depth: int) -> Tuned:
        return tried(with_depth(best, depth))

    if start is None:
        best = tried(usual, 2 * ROUGH)
        best = _climb(best, ALPHAS, best.smoothing.alpha, of_alpha, (-1, 1))
        best = _climb(best, depths, best.smoothing.depth, of_depth, (-1,))
    else:
        best = tried(start)
    best = _climb(best, depths, best.smoothing.depth, of_depth, (1,), LEAST_GAIN)
    return tried(best.smoothing, FINE).smoothing


class Tuned(NamedTuple):
    """A smoothing and its loss on the held-out steps, in bits per step."""

    smoothing: Smoothing
    loss: float


def _climb(
    best: Tuned,
    values: Sequence[Any],
    start: Any,
    tried: Callable[[Smoothing, Any], Tuned],
    directions: Sequence[int],
    least_gain: float = 0.0,
) -> Tuned:
    """Go from a value to its better neighbour as long as that saves more than a share of the loss."""
    for direction in directions:
        place, first = values.index(start) + direction, best
        while 0 <= place < len(values):
            found = tried(best.smoothing, values[place])
            if found.loss >= (1.0 - least_gain) * best.loss:
                break
            best, place = found, place + direction
        if best is not first:
            break
    return best
