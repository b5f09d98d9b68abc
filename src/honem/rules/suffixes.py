"""Which shorter rule each rule continues, and where the shorter rule has the same targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.rules.context_tree import NOT_A_RULE, ContextTree

if TYPE_CHECKING:
    from honem.rules.table import RuleTable


def longest_suffix_rules(table: RuleTable, tree: ContextTree) -> NDArray[np.int64]:
    """Return the longest proper suffix of each rule that is a rule, or -1."""
    parents = np.full(table.n_rules, NOT_A_RULE, np.int64)
    longer = table.orders > 1
    lengths = table.orders[longer] - 1
    nodes = table.context_nodes[gather_ranges(table.context_offsets[:-1][longer] + 1, lengths)]
    parents[longer] = tree.longest_suffixes(nodes, offsets_of(lengths))
    return parents


def shorter_rules(table: RuleTable, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each rule, its longest proper suffix among the chosen rules, or the rule itself if there is none."""
    found = longest_suffix_rules(table, ContextTree.of(table.select(chosen)))
    shorter, is_found = np.arange(table.n_rules), found != NOT_A_RULE
    shorter[is_found] = np.flatnonzero(chosen)[found[is_found]]
    return shorter


def rows_of_same_target(table: RuleTable, rules: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each row, the row with the same target of the rule that `rules` assigns to its rule."""
    n_nodes = len(table.vocabulary)
    keys = table.rule_of_row * n_nodes + table.targets
    return np.searchsorted(keys, rules[table.rule_of_row] * n_nodes + table.targets)
