"""The inner loops of LINE: edges and noise nodes are drawn from alias tables, with one gradient step each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import compiled, inlined
from honem.evaluation.baselines.kernels.randomness import fraction, next_state

ROW_UNIT = 4  # columns summed side by side, which lets the processor overlap them
LEAST_RATE = 1e-4


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the tables of Walker's alias method: draw i uniformly, keep it with chances[i], else take others[i].

    >>> chances, others = alias_table(np.array([1.0, 3.0]))
    >>> chances.tolist(), others.tolist()
    ([0.5, 1.0], [1, 1])
    """
    chances = weights / weights.mean()
    others = np.arange(len(weights))
    fill_alias(chances, others, np.empty(len(weights), np.int64))
    return chances, others


@compiled
def fill_alias(chances: Any, others: Any, stack: Any) -> None:
    """Fill the entries below the mean from those above it, in place."""
    n_small, first_large = 0, len(chances)
    for place in range(len(chances)):
        if chances[place] < 1.0:
            stack[n_small] = place
            n_small += 1
        else:
            first_large -= 1
            stack[first_large] = place
    while n_small > 0 and first_large < len(chances):
        small, large = stack[n_small - 1], stack[first_large]
        n_small -= 1
        others[small] = large
        chances[large] -= 1.0 - chances[small]
        if chances[large] < 1.0:
            first_large += 1
            stack[n_small] = large
            n_small += 1


@inlined
def draw(state: Any, chances: Any, others: Any) -> Any:
    """Draw an index by its weight."""
    share = fraction(state) * len(chances)
    place = np.int64(share)
    return place if share - place < chances[place] else others[place]


@compiled
def train(
    edge_sources: Any,
    edge_targets: Any,
    edge_chances: Any,
    edge_others: Any,
    noise_chances: Any,
    noise_others: Any,
    n_samples: int,
    n_noise: int,
    first_rate: float,
    state: Any,
    source: Any,
    target: Any,
) -> None:
    """Stochastic gradient descent on -log sigmoid(source_i . target_j) and its noise terms, in place."""
    n_columns = source.shape[1]
    change = np.zeros(n_columns, np.float32)
    for sample in range(n_samples):
        rate = first_rate * max(LEAST_RATE, 1.0 - sample / n_samples)
        state = next_state(state)
        edge = draw(state, edge_chances, edge_others)
        i, hit = edge_sources[edge], edge_targets[edge]
        for column in range(n_columns):
            change[column] = 0.0
        for trial in range(n_noise + 1):
            j = hit
            if trial > 0:
                state = next_state(state)
                j = draw(state, noise_chances, noise_others)
                if j == hit:
                    continue
            a = b = c = d = np.float32(0.0)
            for column in range(0, n_columns, ROW_UNIT):
                a += source[i, column] * target[j, column]
                b += source[i, column + 1] * target[j, column + 1]
                c += source[i, column + 2] * target[j, column + 2]
                d += source[i, column + 3] * target[j, column + 3]
            wanted = 1.0 if trial == 0 else 0.0
            step = np.float32(rate * (wanted - 1.0 / (1.0 + np.exp(-np.float64(a + b + c + d)))))
            for column in range(n_columns):
                change[column] += step * target[j, column]
                target[j, column] += step * source[i, column]
        for column in range(n_columns):
            source[i, column] += change[column]
