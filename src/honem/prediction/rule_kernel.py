"""The inner loop of NextStep: probability and rank of many observed steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import compiled, inlined


@inlined
def _spread(
    rule: Any, parents: Any, offsets: Any, targets: Any, shares: Any, left_over: Any, added: Any, out: Any
) -> Any:
    """Add the shares of a rule and its suffixes to `added`.

    The nodes that get a share are listed in `out`. Returns their number and the probability left for order 0.
    """
    n_named, weight = 0, 1.0
    # Below this, products would underflow to 0 and nodes would be listed twice.
    while rule >= 0 and weight > 1e-300:
        for row in range(offsets[rule], offsets[rule + 1]):
            node = targets[row]
            if added[node] == 0.0:
                out[n_named] = node
                n_named += 1
            added[node] += weight * shares[row]
        weight *= left_over[rule]
        rule = parents[rule]
    return n_named, weight


@inlined
def _places_ahead(probability: float, arrival: int, weight: float, base: Any, base_nodes: Any) -> Any:
    """Count the nodes ahead of an arrival by order 0 alone; equally probable nodes are ranked by their id."""
    low, high = 0, len(base_nodes)
    while low < high:
        middle = (low + high) // 2
        node = base_nodes[middle]
        other = weight * base[node]
        if other > probability or (other == probability and node < arrival):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def judge_steps(
    rules: Any,
    arrivals: Any,
    parents: Any,
    offsets: Any,
    targets: Any,
    shares: Any,
    left_over: Any,
    base: Any,
    base_place: Any,
    base_nodes: Any,
) -> Any:
    """Return probability and rank of each arrival given its rule; steps are sorted by rule.

    Only the targets of the rule and its suffixes have more than their share of order 0. All others are ranked by order
    0, so no step has to look at every node: `base_place` is the position of each node in that ranking, `base_nodes` the
    node at each position.
    """
    probabilities, ranks = np.empty(len(rules)), np.empty(len(rules), np.int64)
    added, named = np.zeros(len(base)), np.empty(len(base), np.int64)
    n_named, weight = 0, 1.0
    for step in range(len(rules)):
        if step == 0 or rules[step] != rules[step - 1]:
            added[named[:n_named]] = 0.0
            n_named, weight = _spread(rules[step], parents, offsets, targets, shares, left_over, added, named)
        arrival = arrivals[step]
        probability = added[arrival] + weight * base[arrival]
        ahead = base_place[arrival]
        if added[arrival] > 0.0:
            ahead = _places_ahead(probability, arrival, weight, base, base_nodes)
        rank = 1 + ahead
        for node in named[:n_named]:
            other = added[node] + weight * base[node]
            rank += other > probability or (other == probability and node < arrival)
            rank -= base_place[node] < ahead
        probabilities[step], ranks[step] = probability, rank
    return probabilities, ranks
