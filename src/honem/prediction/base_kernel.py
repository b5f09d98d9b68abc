"""The inner loops of the guess from vectors: scores of steps, and the softmax over all nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import compiled, inlined, reassociated

TARGETS_AT_ONCE = 256
"""So many target vectors stay in the cache while the scores of all sources are computed."""


@reassociated
def score_steps(sources: Any, targets: Any) -> Any:
    """Return the scalar products of all source and target vectors.

    Unlike a product of matrices, each one is rounded in the same way however many there are.
    """
    scores = np.empty((len(sources), len(targets)))
    for low in range(0, len(targets), TARGETS_AT_ONCE):
        for source in range(len(sources)):
            for target in range(low, min(low + TARGETS_AT_ONCE, len(targets))):
                total = 0.0
                for place in range(sources.shape[1]):
                    total += sources[source, place] * targets[target, place]
                scores[source, target] = total
    return scores


@inlined
def _softmax(scores: Any, log_shares: Any, popularity: float, affinity: float, out: Any) -> None:
    """Write the softmax of `popularity * log_shares + affinity * scores` to `out`."""
    highest = -np.inf
    for node in range(len(scores)):
        out[node] = popularity * log_shares[node] + affinity * scores[node]
        highest = max(highest, out[node])
    total = 0.0
    for node in range(len(scores)):
        out[node] = np.exp(out[node] - highest)
        total += out[node]
    for node in range(len(scores)):
        out[node] /= total


@compiled
def guess_rows(scores: Any, log_shares: Any, popularity: float, affinity: float) -> Any:
    """Return the guess after each source, one row of probabilities each."""
    guesses = np.empty_like(scores)
    for source in range(len(scores)):
        _softmax(scores[source], log_shares, popularity, affinity, guesses[source])
    return guesses


@compiled
def guess_steps(scores: Any, log_shares: Any, popularity: float, affinity: float, offsets: Any, targets: Any) -> Any:
    """Return the guess for each step, and the derivatives of its logarithm by popularity and affinity.

    The targets of the steps from source i are `targets[offsets[i]:offsets[i + 1]]`.
    """
    guesses, by_popularity, by_affinity = np.empty((3, len(targets)))
    row = np.empty(scores.shape[1])
    for source in range(len(scores)):
        _softmax(scores[source], log_shares, popularity, affinity, row)
        mean_share, mean_score = 0.0, 0.0
        for node in range(len(row)):
            mean_share += row[node] * log_shares[node]
            mean_score += row[node] * scores[source, node]
        for step in range(offsets[source], offsets[source + 1]):
            guesses[step] = row[targets[step]]
            by_popularity[step] = log_shares[targets[step]] - mean_share
            by_affinity[step] = scores[source, targets[step]] - mean_score
    return guesses, by_popularity, by_affinity
