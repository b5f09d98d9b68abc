"""A G-test of each context against its reference, with the Benjamini-Hochberg procedure."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from criteria.counting import count_contexts, rule_table
from criteria.discoveries import false_discoveries_bounded
from honem import Corpus, RuleTable

LEAST_SUPPORT = 5
"""The usual rule of thumb for the chi-squared approximation."""


def by_g_test(corpus: Corpus) -> RuleTable:
    """Accept contexts whose counts differ from their reference, the longest accepted suffix.

    The statistic is twice the log-likelihood ratio, with one degree of freedom less than the reference has successors.
    Contexts with a support of 5 or more are tested, and Benjamini-Hochberg is applied to each order at 0.05.
    """
    levels = count_contexts(corpus)
    accepted = [np.ones(levels[0].n_contexts, np.bool_)]
    reference_shares, degrees = levels[0].shares, levels[0].n_targets - 1
    for level in levels[1:]:
        expected, degrees = reference_shares[level.parent_rows], degrees[level.parents]
        statistic = level.by_context(2 * level.totals * np.log(level.shares / expected))
        is_tested = (level.supports >= LEAST_SUPPORT) & (degrees > 0)
        p_values = np.asarray(chi2.sf(statistic[is_tested], degrees[is_tested]))
        is_accepted = np.zeros(level.n_contexts, np.bool_)
        is_accepted[is_tested] = false_discoveries_bounded(p_values)
        reference_shares = np.where(is_accepted[level.context_of_row], level.shares, expected)
        degrees = np.where(is_accepted, level.n_targets - 1, degrees)
        accepted.append(is_accepted)
    return rule_table(corpus, levels, accepted)
