"""A variable-length Markov chain whose context tree is pruned by the Bayesian information criterion."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from criteria.counting import count_contexts, rule_table
from honem import Corpus, RuleTable


def by_bic(corpus: Corpus) -> RuleTable:
    """Accept contexts that remain after pruning and improve the criterion themselves.

    The model predicts each step from the longest context in the tree. A context adds the log-likelihood ratio between
    its distribution and that of its parent, and costs (m - 1) / 2 ln(n), where m is the number of the parent's
    successors and n the number of steps. Bottom-up, a context is pruned with all its extensions unless what they add
    together exceeds what they cost: the tree that remains has the best criterion of all subtrees.
    """
    levels = count_contexts(corpus)
    per_parameter = np.log(corpus.n_weighted_steps) / 2
    improvements = [np.zeros(levels[0].n_contexts)]
    for parent, level in pairwise(levels):
        added = level.by_context(level.totals * np.log(level.shares / parent.shares[level.parent_rows]))
        improvements.append(added - per_parameter * (parent.n_targets[level.parents] - 1))
    gains = [improvement.copy() for improvement in improvements]
    for place in range(len(levels) - 1, 1, -1):
        of_children = np.maximum(gains[place], 0)
        gains[place - 1] += np.bincount(
            levels[place].parents, weights=of_children, minlength=levels[place - 1].n_contexts
        )
    in_tree = [np.ones(levels[0].n_contexts, np.bool_)]
    for level, gain in zip(levels[1:], gains[1:], strict=True):
        in_tree.append(in_tree[-1][level.parents] & (gain > 0))
    own = [kept & (improvement > 0) for kept, improvement in zip(in_tree[1:], improvements[1:], strict=True)]
    return rule_table(corpus, levels, [in_tree[0], *own])
