"""The inner loops of the blend of contexts: counts handed down, sums of contexts, and the loss with its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import compiled, inlined


@inlined
def discount_of(own: float, first: float, second: float, third: float) -> float:
    """Return the discount of a count of at least 1: that of 1, 2, or 3 and more, and in between by interpolation."""
    if own < 2.0:
        return first * (2.0 - own) + second * (own - 1.0)
    if own < 3.0:
        return second * (3.0 - own) + third * (own - 2.0)
    return third


@compiled
def hand_down(counts: Any, row_offsets: Any, n_children: Any, row_parents: Any, alpha: float) -> Any:
    """Return the sum of `own ** alpha` of the same target in all extensions for each row; longest contexts first.

    Contexts without extensions keep their counts.
    """
    own = np.zeros(row_offsets[len(n_children)])
    for context in range(len(n_children) - 1, -1, -1):
        is_leaf = n_children[context] == 0
        for row in range(row_offsets[context + 1] - 1, row_offsets[context] - 1, -1):
            if is_leaf:
                own[row] = counts[row]
            if row_parents[row] >= 0 and own[row] > 0.0:
                # 1 to any power is 1, and most counts are 1.
                own[row_parents[row]] += own[row] if own[row] == 1.0 or alpha == 1.0 else own[row] ** alpha
    return own


@compiled
def sum_contexts(own: Any, row_offsets: Any, contexts: Any) -> Any:
    """Return, for some contexts, the sum of their counts, the number of targets, and how many have counts 1, 2 and 3.

    A count between two whole numbers is divided between them, as in `discount_of`.
    """
    amount = len(contexts)
    totals, n_targets, members = np.zeros(amount), np.zeros(amount, np.int64), np.zeros((amount, 3))
    for place in range(amount):
        for row in range(row_offsets[contexts[place]], row_offsets[contexts[place] + 1]):
            count = own[row]
            if count > 0.0:
                totals[place] += count
                n_targets[place] += 1
                members[place, 0] += discount_of(count, 1.0, 0.0, 0.0)
                members[place, 1] += discount_of(count, 0.0, 1.0, 0.0)
                members[place, 2] += discount_of(count, 0.0, 0.0, 1.0)
    return totals, n_targets, members


@compiled
def share_counts(
    own: Any, row_offsets: Any, totals: Any, members: Any, classes: Any, discounts: Any, strengths: Any
) -> Any:
    """Return the discounted share of each row, and the probability that each context leaves to its parent."""
    shares, left_over = np.zeros(len(own)), np.ones(len(totals))
    for context in range(len(totals)):
        kind = classes[context]
        first, second, third = discounts[kind]
        whole = totals[context] + strengths[kind]
        if totals[context] > 0.0:
            taken = first * members[context, 0] + second * members[context, 1] + third * members[context, 2]
            left_over[context] = (strengths[kind] + taken) / whole
            for row in range(row_offsets[context], row_offsets[context + 1]):
                if own[row] > 0.0:
                    shares[row] = (own[row] - discount_of(own[row], first, second, third)) / whole
    return shares, left_over


@compiled
def count_chain_ends(held: Any, totals: Any, parents: Any, row_parents: Any, context_of_row: Any) -> Any:
    """Return how many held-out steps have each row as the end of their chain of contexts.

    `totals` are the counts of contexts without what is held out. A chain ends at the longest context that was
    observed; a context that was observed once is not extended.
    """
    is_reached = np.zeros(len(totals), np.bool_)
    for context in range(len(totals)):
        parent = parents[context]
        is_reached[context] = totals[context] > 0 and (parent < 0 or (is_reached[parent] and totals[parent] > 1))
    ending = np.zeros(len(held), np.int64)
    for row in range(len(held)):
        if is_reached[context_of_row[row]]:
            ending[row] += held[row]
            if row_parents[row] >= 0:
                ending[row_parents[row]] -= held[row]
    return ending


@compiled
def mark_ancestors(is_passed: Any, row_parents: Any) -> None:
    """Mark the rows that marked rows back off to, in place."""
    for row in range(len(is_passed) - 1, -1, -1):
        if is_passed[row] and row_parents[row] >= 0:
            is_passed[row_parents[row]] = True


@compiled
def mark_descendants(is_passed: Any, row_parents: Any) -> None:
    """Mark the rows that back off to marked rows, in place."""
    for row in range(len(is_passed)):
        if row_parents[row] >= 0 and is_passed[row_parents[row]]:
            is_passed[row] = True


@compiled
def loss_of_rows(
    parents: Any,
    at_base: Any,
    classes: Any,
    own: Any,
    totals: Any,
    members: Any,
    weights: Any,
    uniform: float,
    guesses: Any,
    share: float,
    discounts: Any,
    strengths: Any,
) -> Any:
    """Return the log-loss (nats) of held-out steps, and its derivatives.

    One entry per row of the trie that a held-out step passes, shorter contexts first. `parents` are entries, or -1.
    For entries `at_base`, those of order 1, the parent's probability is first mixed with `guesses`, with weight
    `share`. `weights` count the steps whose chain ends at an entry.

    Returns
    -------
    loss, by_discount, by_strength, by_base, above
        `by_base` are the derivatives by the mixed probability of entries at the base, and `above` is the probability
        that each entry gets from its parent, before it is mixed.
    """
    n_entries = len(parents)
    probability, above, backed, left = (
        np.empty(n_entries),
        np.empty(n_entries),
        np.empty(n_entries),
        np.empty(n_entries),
    )
    by_discount, by_strength = np.zeros_like(discounts), np.zeros_like(strengths)
    by_base, slope = np.zeros(n_entries), np.zeros(n_entries)
    loss = 0.0
    for entry in range(n_entries):
        kind = classes[entry]
        first, second, third = discounts[kind]
        above[entry] = uniform if parents[entry] < 0 else probability[parents[entry]]
        backed[entry] = above[entry]
        if at_base[entry]:
            backed[entry] = share * guesses[entry] + (1.0 - share) * above[entry]
        whole = totals[entry] + strengths[kind]
        taken = first * members[entry, 0] + second * members[entry, 1] + third * members[entry, 2]
        left[entry] = (strengths[kind] + taken) / whole
        kept = own[entry] - discount_of(own[entry], first, second, third) if own[entry] > 0.0 else 0.0
        probability[entry] = kept / whole + left[entry] * backed[entry]
        if weights[entry] > 0.0:
            loss -= weights[entry] * np.log(probability[entry])
            slope[entry] = -weights[entry] / probability[entry]
    for entry in range(n_entries - 1, -1, -1):
        kind = classes[entry]
        per_whole = slope[entry] / (totals[entry] + strengths[kind])
        for j in range(3):
            by_discount[kind, j] += per_whole * members[entry, j] * backed[entry]
        if own[entry] > 0.0:
            by_discount[kind, 0] -= per_whole * discount_of(own[entry], 1.0, 0.0, 0.0)
            by_discount[kind, 1] -= per_whole * discount_of(own[entry], 0.0, 1.0, 0.0)
            by_discount[kind, 2] -= per_whole * discount_of(own[entry], 0.0, 0.0, 1.0)
        by_strength[kind] += per_whole * (backed[entry] - probability[entry])
        handed = slope[entry] * left[entry]
        if at_base[entry]:
            by_base[entry] = handed
            handed *= 1.0 - share
        if parents[entry] >= 0:
            slope[parents[entry]] += handed
    return loss, by_discount, by_strength, by_base, above
