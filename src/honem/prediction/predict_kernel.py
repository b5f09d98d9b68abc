"""The inner loops of prediction: distributions, the most probable nodes, ranks, and random draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import compiled, inlined


@inlined
def _blend(
    context: int, parents: Any, offsets: Any, targets: Any, shares: Any, left_over: Any, base: Any, out: Any
) -> None:
    """Write the distribution after a context to `out`; `base` is what contexts of order 1 back off to."""
    weight, longest = 1.0, context
    while context > 0:
        weight *= left_over[context]
        context = parents[context]
    for node in range(len(base)):
        out[node] = weight * base[node]
    weight, context = 1.0, longest
    while context > 0:
        for row in range(offsets[context], offsets[context + 1]):
            out[targets[row]] += weight * shares[row]
        weight *= left_over[context]
        context = parents[context]


@compiled
def blend_histories(
    contexts: Any, base_of: Any, parents: Any, offsets: Any, targets: Any, shares: Any, left_over: Any, bases: Any
) -> Any:
    """Return the distribution after each context; row `base_of[h]` of `bases` is that below order 1."""
    found = np.empty((len(contexts), bases.shape[1]))
    for history in range(len(contexts)):
        _blend(
            contexts[history],
            parents,
            offsets,
            targets,
            shares,
            left_over,
            bases[base_of[history]],
            found[history],
        )
    return found


@compiled
def most_probable(
    k: int,
    contexts: Any,
    base_of: Any,
    parents: Any,
    offsets: Any,
    targets: Any,
    shares: Any,
    left_over: Any,
    bases: Any,
) -> Any:
    """Return the k most probable nodes after each context, and their probabilities; equal ones by number."""
    n_nodes = bases.shape[1]
    nodes, probabilities = np.zeros((len(contexts), k), np.int32), np.zeros((len(contexts), k))
    out = np.empty(n_nodes)
    for history in range(len(contexts)):
        base = bases[base_of[history]]
        _blend(contexts[history], parents, offsets, targets, shares, left_over, base, out)
        best, values = nodes[history], probabilities[history]
        for node in range(n_nodes):
            value = out[node]
            if node >= k and value <= values[k - 1]:
                continue
            place = min(node, k - 1)
            while place > 0 and values[place - 1] < value:
                values[place], best[place] = values[place - 1], best[place - 1]
                place -= 1
            values[place], best[place] = value, node
    return nodes, probabilities


@compiled
def judge_histories(
    arrivals: Any,
    contexts: Any,
    base_of: Any,
    parents: Any,
    offsets: Any,
    targets: Any,
    shares: Any,
    left_over: Any,
    bases: Any,
) -> Any:
    """Return probability and rank of the node that came after each context; equal nodes are ranked by number."""
    probabilities, ranks = np.empty(len(contexts)), np.ones(len(contexts), np.int64)
    out = np.empty(bases.shape[1])
    for history in range(len(contexts)):
        if history == 0 or contexts[history] != contexts[history - 1] or base_of[history] != base_of[history - 1]:
            base = bases[base_of[history]]
            _blend(contexts[history], parents, offsets, targets, shares, left_over, base, out)
        arrival = arrivals[history]
        probability = out[arrival]
        for node in range(len(out)):
            ranks[history] += out[node] > probability or (out[node] == probability and node < arrival)
        probabilities[history] = probability
    return probabilities, ranks


@compiled
def draw_from_contexts(
    contexts: Any, uniforms: Any, parents: Any, offsets: Any, targets: Any, shares: Any, left_over: Any
) -> Any:
    """Draw the node after each context with one uniform number each.

    Returns -1, and what is left of the uniform number, where the draw falls to the distribution below order 1.
    """
    drawn, rest = np.full(len(contexts), -1, np.int64), uniforms.copy()
    for history in range(len(contexts)):
        context = contexts[history]
        while context > 0 and drawn[history] < 0:
            for row in range(offsets[context], offsets[context + 1]):
                if rest[history] < shares[row]:
                    drawn[history] = targets[row]
                    break
                rest[history] -= shares[row]
            rest[history] = min(max(rest[history] / left_over[context], 0.0), 1.0)
            context = parents[context]
    return drawn, rest
