"""What a page opens with: the strongest rules, memory by order, nodes with the most memory, and new pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.embedding import Embedding
from honem.rules import RuleTable
from honem.rules.findings import FindingOrder

MOST_RULES, MOST_NODES, MOST_PAIRS = 24, 12, 12
MOST_NEAR = 10
"""Neighbors that count as near, unless a quarter of all nodes is fewer; the panel of a node shows as many."""
Nearest = tuple[NDArray[np.int64], NDArray[np.float64]]


def findings_of(
    rules: RuleTable | None, embeddings: Sequence[Embedding], nearest: Sequence[Nearest]
) -> dict[str, Any] | None:
    """Return the findings of a page; None without rules.

    Parameters
    ----------
    rules : RuleTable or None
        All rules.
    embeddings : sequence of Embedding
        The embedding of the page, and its first-order counterpart if there is one.
    nearest : sequence of (ids, scores)
        The nearest neighbors of every node in each of them.

    Returns
    -------
    dict or None
    """
    if rules is None:
        return None
    pairs = new_pairs(embeddings[1], nearest[0], nearest[1], traffic(rules)) if len(embeddings) > 1 else ()
    return {
        "rules": [*strongest_rules(rules)],
        "memory": memory_by_order(rules),
        "nodes": [*nodes_with_memory(rules)],
        "pairs": [*pairs],
    }


def strongest_rules(rules: RuleTable) -> Iterator[dict[str, Any]]:
    """Yield the accepted rules with the most evidence, each with the successor that it makes more probable."""
    ids = rules.vocabulary.ids
    # Stores of 0.1.0 have no evidence.
    by: FindingOrder = "bits_saved" if np.isnan(rules.evidence).any() else "evidence"
    for rule in rules.top(MOST_RULES, by):
        next = rule.largest_change
        yield {
            "context": [ids[node] for node in rule.context],
            "target": ids[next.node],
            "probability": next.probability,
            "shorter": next.shorter,
            "support": rule.support,
            "verdict": rule.verdict,
        }


def memory_by_order(rules: RuleTable) -> list[dict[str, Any]]:
    """Return for each order the accepted rules, the steps that they are the longest rule for, and the bits they save.

    The saved bits of an order are the supports of its rules times their divergences from the longest shorter rule;
    those of all orders add up to what the longest rules save over first order.
    """
    steps, bits, n_steps = longest_for(rules), rules.supports * rules.divergences, max(1, int(traffic(rules).sum()))
    found = []
    for order in range(1, rules.max_order + 1):
        own = rules.accepted & (rules.orders == order)
        saved = float(bits[own].sum()) / n_steps if order > 1 else 0.0
        share = float(steps[own].sum()) / n_steps
        found.append({"order": order, "rules": int(own.sum()), "share": share, "bits": saved})
    return found


def longest_for(rules: RuleTable) -> NDArray[np.int64]:
    """Return for each rule the number of steps of which it is the longest accepted context; 0 if not accepted."""
    left = np.where(rules.accepted, rules.supports, 0)
    longer = rules.accepted & (rules.orders > 1)
    np.subtract.at(left, rules.references[longer], rules.supports[longer])
    return left


def nodes_with_memory(rules: RuleTable) -> Iterator[dict[str, Any]]:
    """Yield the nodes whose next node depends most on what came before them, by the bits that accepted rules save."""
    longer = rules.accepted & (rules.orders > 1)
    newest, n_nodes = rules.newest[longer], len(rules.vocabulary)
    bits = np.bincount(newest, (rules.supports * rules.divergences)[longer], n_nodes)
    steps, changed = traffic(rules), np.bincount(newest, longest_for(rules)[longer], n_nodes)
    for node in np.argsort(-bits, kind="stable")[:MOST_NODES].tolist():
        if bits[node] > 0:
            yield {
                "node": node,
                "bits": bits[node] / steps[node],
                "share": changed[node] / steps[node],
                "steps": int(steps[node]),
                "rules": int((newest == node).sum()),
            }


def traffic(rules: RuleTable) -> NDArray[np.int64]:
    """Return the number of steps from each node."""
    first = rules.order_slice(1)
    steps = np.zeros(len(rules.vocabulary), np.int64)
    steps[rules.newest[first]] = rules.supports[first]
    return steps


def new_pairs(
    first_order: Embedding, nearest: Nearest, nearest_first: Nearest, steps: NDArray[np.int64]
) -> Iterator[dict[str, Any]]:
    """Yield pairs of nearest neighbors that first order keeps apart, largest difference of cosines first.

    Both nodes are among the nearest of the other, and neither is by first order. Nodes with fewer steps than the
    median are left out, as is a node that a stronger pair has.
    """
    n_near = min(MOST_NEAR, max(1, len(steps) // 4))
    ids, scores, first_ids = nearest[0][:, :n_near], nearest[1][:, :n_near], nearest_first[0][:, :n_near]
    is_busy = steps >= max(1.0, float(np.median(steps)))
    sources, places = np.nonzero((ids > np.arange(len(ids))[:, None]) & is_busy[:, None] & is_busy[ids])
    targets = ids[sources, places]
    is_new = (
        _contains(ids, targets, sources)
        & ~_contains(first_ids, sources, targets)
        & ~_contains(first_ids, targets, sources)
    )
    sources, targets, now = sources[is_new], targets[is_new], scores[sources, places][is_new]
    before = _cosines(first_order, sources, targets)
    seen: set[int] = set()
    for pair in np.argsort(before - now, kind="stable").tolist():
        nodes = {int(sources[pair]), int(targets[pair])}
        if now[pair] <= before[pair] or len(seen) >= 2 * MOST_PAIRS:
            return
        if not nodes & seen:
            seen |= nodes
            yield {"nodes": sorted(nodes), "cosine": float(now[pair]), "first_order": float(before[pair])}


def _contains(ids: NDArray[np.int64], rows: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each node is among the neighbors of the node of its row."""
    found: NDArray[np.bool_] = (ids[rows] == nodes[:, None]).any(axis=1)
    return found


def _cosines(embedding: Embedding, rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
    left, right = embedding.source[rows], embedding.source[others]
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines: NDArray[np.float64] = (left * right).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)
    return cosines
