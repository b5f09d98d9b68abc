"""The inner loop of PPM-C."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import compiled, inlined


@inlined
def _escape(context: int, parents: Any, offsets: Any, targets: Any, counts: Any, out: Any) -> None:
    """Write the distribution after a context to `out`."""
    out[:] = 0.0
    rest, n_named = 1.0, 0
    while context >= 0:
        total, n_new = 0, 0
        for row in range(offsets[context], offsets[context + 1]):
            if out[targets[row]] == 0.0:
                total += counts[row]
                n_new += 1
        for row in range(offsets[context], offsets[context + 1]):
            if out[targets[row]] == 0.0:
                out[targets[row]] = rest * counts[row] / (total + n_new)
        if n_new:
            rest *= n_new / (total + n_new)
        n_named += n_new
        context = parents[context]
    if n_named == len(out):
        out /= 1.0 - rest
        return
    for node in range(len(out)):
        if out[node] == 0.0:
            out[node] = rest / (len(out) - n_named)


@compiled
def judge_by_escapes(
    contexts: Any, arrivals: Any, parents: Any, offsets: Any, targets: Any, counts: Any, n_nodes: int
) -> Any:
    """Return probability and rank of each arrival given its context; steps are sorted by context."""
    probabilities, ranks = np.empty(len(contexts)), np.ones(len(contexts), np.int64)
    out = np.empty(n_nodes)
    for step in range(len(contexts)):
        if step == 0 or contexts[step] != contexts[step - 1]:
            _escape(contexts[step], parents, offsets, targets, counts, out)
        arrival = arrivals[step]
        probabilities[step] = out[arrival]
        for node in range(n_nodes):
            ranks[step] += out[node] > out[arrival] or (out[node] == out[arrival] and node < arrival)
    return probabilities, ranks
