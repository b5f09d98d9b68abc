"""The strongest rules, where all of them would make the page too large."""

from __future__ import annotations

import numpy as np

from honem.rules import RuleTable


def strongest(rules: RuleTable, most_rows: int | None) -> RuleTable:
    """Rules of at most so many rows: those of first order, then the best supported; all where no limit is given.

    No rule without its shorter ones: a suffix or prefix of a context has at least its support, and stands before it.
    """
    if most_rows is None or len(rules) <= most_rows:
        return rules
    by_strength = np.lexsort((np.arange(rules.n_rules), rules.orders, -rules.supports, rules.orders > 1))
    rows = np.cumsum(np.diff(rules.target_offsets)[by_strength])
    chosen = np.zeros(rules.n_rules, np.bool_)
    chosen[by_strength[rows <= most_rows]] = True
    return rules.select(chosen)
