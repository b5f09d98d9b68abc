"""Estimate the parameters of a Smoothing from steps that are held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from threadpoolctl import ThreadpoolController

from honem.prediction.base import Values
from honem.prediction.blend_kernel import count_chain_ends, loss_of_rows, mark_ancestors, mark_descendants
from honem.prediction.growing import GrownTrie, TrieGrowth
from honem.prediction.smoothing import N_CLASSES, WHOLE, ContextCounts, Smoothing, handed_down
from honem.prediction.trie import ContextTrie

ALPHAS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
DEPTHS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
"""Greater depths are doubled."""
USUAL_ALPHA, USUAL_DEPTH = 0.5, 4
PRIOR_DISCOUNT, PRIOR_STRENGTH = 0.6, 0.6
"""Discounts (as a share of the count) and strengths are drawn to these; with little data they stay there."""
ROUGH, FINE = 8, 30
"""Most iterations when values of alpha and depth are compared, and for the chosen ones."""
TOLERANCE = 1e-6
"""Iterations end when one of them saves less than this share of the loss."""
LEAST_GAIN = 5e-4
"""Longer contexts are used if they save this share of the bits; otherwise the model is smaller without them."""


def minimum(
    loss_and_slope: Callable[[Values], tuple[float, Values]],
    first: Values,
    iterations: int,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
) -> Values:
    """Return the parameters of least loss, by L-BFGS."""
    found = minimize(
        loss_and_slope,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": iterations, "ftol": TOLERANCE},
    )
    return np.asarray(found.x)


@cache
def libraries() -> ThreadpoolController:
    """Return the loaded libraries that have threads; looking for them takes longer than a fit with few iterations."""
    return ThreadpoolController()


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
        held, seen = grown.held[: len(trie.targets)], grown.seen[: len(trie.targets)]
        totals = grown.seen_totals[: trie.n_contexts]
        weights = count_chain_ends(held, totals, trie.parents, trie.row_parents, trie.context_of_row)
        return cls.passed(trie, seen, weights)

    @classmethod
    def passed(cls, trie: ContextTrie, seen: NDArray[np.int64], weights: NDArray[np.int64]) -> HeldOutRows:
        """Find the rows that are passed, given the number of held-out steps for each row of the trie."""
        is_passed = weights > 0
        mark_ancestors(is_passed, trie.row_parents)
        rows = np.flatnonzero(is_passed)
        # One more place, for the parent of rows that have none.
        place_of_row = np.full(len(is_passed) + 1, -1)
        place_of_row[rows] = np.arange(len(rows))
        contexts = trie.context_of_row[rows]
        is_first = np.append(True, contexts[1:] != contexts[:-1])[: len(contexts)]
        return cls(
            trie=trie,
            seen=seen,
            rows=rows,
            parents=place_of_row[trie.row_parents[rows]],
            weights=weights[rows].astype(np.float64),
            contexts=contexts[is_first],
            context_of_row=np.cumsum(is_first) - 1,
        )


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
        return cls.of_counts(held_out, handed_down(held_out.trie, held_out.seen, alpha))

    @classmethod
    def of_counts(cls, held_out: HeldOutRows, own: Values) -> HeldOutLoss:
        """Return the loss with given counts of all rows of the trie."""
        trie, rows, places = held_out.trie, held_out.rows, held_out.context_of_row
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

    def starting_at(self, chosen: NDArray[np.bool_]) -> tuple[HeldOutLoss, NDArray[np.bool_]]:
        """Return the loss of the steps that pass one of the chosen entries, and which entries it needs.

        The steps count more, as many as all steps do.
        """
        is_below = chosen.copy()
        mark_descendants(is_below, self.parents)
        kept = is_below.copy()
        mark_ancestors(kept, self.parents)
        weights = np.where(is_below, self.weights, 0.0)
        weights *= self.weights.sum() / weights.sum()
        place = np.append(np.cumsum(kept) - 1, -1)
        columns = self._replace(parents=place[self.parents], weights=weights)._asdict()
        needed = {name: values[kept] for name, values in columns.items() if name != "uniform"}
        return HeldOutLoss(**needed, uniform=self.uniform), kept

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
        with libraries().limit(limits=1):  # threads that share so few numbers only wait for each other
            return parameters(minimum(penalized, first, iterations))


def tune_smoothing(growth: TrieGrowth, deepest: int) -> Smoothing:
    """Choose alpha and depth, and estimate discounts and strengths, from the held-out part of a trie.

    Parameters
    ----------
    growth : TrieGrowth
        The trie, which is grown as deep as is tried.
    deepest : int
        Order of the longest contexts that are tried.

    Returns
    -------
    Smoothing
        Without vectors in the base. If nothing is held out, the usual parameters.
    """
    first = growth.reaching(min(USUAL_DEPTH, deepest))
    usual = usual_smoothing(first.trie.depth)
    if not first.held.any() or not first.seen.any():
        return usual

    @cache
    def passed(depth: int) -> HeldOutRows:
        return HeldOutRows.of(growth.reaching(depth), depth)

    def tried(start: Smoothing, iterations: int = ROUGH) -> Tuned:
        loss = HeldOutLoss.of(passed(start.depth), start.alpha)
        found = loss.minimized(start, iterations)
        return Tuned(found, loss.bits(found))

    def of_alpha(best: Smoothing, alpha: float) -> Tuned:
        return tried(replace(best, alpha=alpha))

    def of_depth(best: Smoothing, depth: int) -> Tuned | None:
        depth = min(depth, growth.reaching(depth).trie.depth)
        return None if depth == best.depth else tried(with_depth(best, depth))

    best = tried(usual, 2 * ROUGH)
    best = _climb(best, (ALPHAS[usual.alpha > ALPHAS][::-1], ALPHAS[usual.alpha < ALPHAS]), of_alpha)
    depths = depths_up_to(deepest)
    best = _climb(best, (depths[depths < usual.depth][::-1],), of_depth)
    if best.smoothing.depth == usual.depth:
        best = _climb(best, (depths[depths > usual.depth],), of_depth, LEAST_GAIN)
    return tried(best.smoothing, FINE).smoothing


def depths_up_to(deepest: int) -> NDArray[np.int64]:
    """Return the depths that are tried, ascending.

    >>> depths_up_to(14).tolist(), depths_up_to(100).tolist()[-4:]
    ([1, 2, 3, 4, 6, 8, 12, 14], [24, 32, 64, 100])
    """
    doubled = 2 ** np.arange(6, max(int(deepest).bit_length(), 6))
    depths = np.concatenate((DEPTHS, doubled))
    return np.append(depths[depths < deepest], deepest)


class Tuned(NamedTuple):
    """A smoothing and its loss on the held-out steps, in bits per step."""

    smoothing: Smoothing
    loss: float


def _climb(
    best: Tuned,
    ways: Sequence[NDArray[Any]],
    tried: Callable[[Smoothing, Any], Tuned | None],
    least_gain: float = 0.0,
) -> Tuned:
    """Follow the first way on which the loss falls, from value to value, while each saves more than a share of it."""
    for values in ways:
        first = best
        for value in values.tolist():
            found = tried(best.smoothing, value)
            if found is None or found.loss >= (1.0 - least_gain) * best.loss:
                break
            best = found
        if best is not first:
            break
    return best
