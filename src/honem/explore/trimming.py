"""Keep the strongest rules if all of them would make the page too large."""

from __future__ import annotations

import numpy as np

from honem.rules import RuleTable


def strongest(rules: RuleTable, most_rows: int | None) -> RuleTable:
    """Return rules of at most `most_rows` rows: those of order 1, then by support; all if there is no limit.

    A rule is never kept without its shorter ones: prefixes and suffixes of a context have at least its support, and
    come before it.
    """
    if most_rows is None or rules.n_rows <= most_rows:
        return rules
    by_strength = np.lexsort((np.arange(rules.n_rules), rules.orders, -rules.supports, rules.orders > 1))
    rows = np.cumsum(np.diff(rules.target_offsets)[by_strength])
    chosen = np.zeros(rules.n_rules, np.bool_)
    chosen[by_strength[rows <= most_rows]] = True
    return rules.select(chosen)
