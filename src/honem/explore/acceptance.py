"""How rules were accepted, in the criterion's words: what the page says about all rules, and about each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.words import amount, percent
from honem.rules import RuleTable
from honem.rules.criteria import Significance

COMMON_ALPHA = 0.05
"""The false discovery rate with which rules of other criteria are compared."""

MOST_BITS = 2e8
"""A strength is packed in tenths of bits as a number of 32 bits."""


def acceptance_of(rules: RuleTable) -> dict[str, Any]:
    """Return what the page calls accepted rules, how many there are of each order, and what that means.

    Rules that the criterion "significance" accepted are called trusted: the share of them that is due to chance has a
    bound. Rules of order 1 are not tested and not counted.
    """
    longer = rules.orders > 1
    accepted = rules.accepted & longer
    word = rules.params.acceptance.accepted_word
    sentences = [*_meaning(rules, accepted)]
    if (longer & ~accepted).any():
        sentences.append(f"The other rules of order 2 or more are kept only as lower orders of {word} rules.")
    return {"word": word, "by_order": rules.select(accepted).rules_by_order, "meaning": " ".join(sentences)}


def _meaning(rules: RuleTable, accepted: NDArray[np.bool_]) -> Iterator[str]:
    criterion, n_accepted = rules.params.acceptance, int(accepted.sum())
    if isinstance(criterion, Significance):
        alpha = criterion.alpha
        yield "A rule is trusted if the evidence is strong that the oldest node of its context changes what comes next."
        yield (
            f"Of {amount(rules.tests.n_tested, 'tested context')} of order 2 or more, {n_accepted:,} are trusted "
            f"at a false discovery rate (alpha) of {alpha:g}: at most {100 * alpha:g} % of the trusted rules are "
            "expected to be due to chance."
        )
        if criterion.count == "sequences":
            yield "For the test, only the first occurrence of a context in each sequence was counted."
        return
    yield f'The criterion "{criterion.name}" accepted {amount(n_accepted, "rule")} of order 2 or more.'
    q_values = rules.q_values[accepted]
    if np.isnan(q_values).any():
        yield "Their evidence is not known, because an older version of honem wrote the store."
    elif n_accepted:
        share = float((q_values <= COMMON_ALPHA).mean())
        yield f"{percent(share)} of them have a q-value of at most {COMMON_ALPHA:g}."
        yield 'The q-value is the least false discovery rate at which the criterion "significance" accepts a rule.'


def verdicts(rules: RuleTable) -> Iterator[str]:
    """Yield the criterion's words on each rule; none on those of order 1, which are not tested."""
    criterion = rules.params.acceptance
    columns = (rules.orders, rules.scores, rules.thresholds, rules.accepted)
    for order, score, threshold, accepted in zip(*(column.tolist() for column in columns), strict=True):
        yield criterion.verdict(score, threshold, accepted) if order > 1 else ""


def details(rules: RuleTable) -> Iterator[str]:
    """Yield the evidence and q-value of each rule, as far as they are known and the verdict does not contain them."""
    test, is_significance = rules.params.evidence_test, isinstance(rules.params.acceptance, Significance)
    columns = (rules.orders, rules.evidence, rules.q_values, rules.accepted)
    for order, evidence, q_value, accepted in zip(*(column.tolist() for column in columns), strict=True):
        if order == 1 or np.isnan(evidence):
            yield ""
        else:
            before = "" if is_significance else f"{test.verdict(evidence, 0.0, accepted)}, "
            yield f"{before}q-value {q_value:.1g}"


def strengths(rules: RuleTable) -> NDArray[np.float64]:
    """Return by what the rules of a node are ranked, in bits.

    This is the evidence where rules are accepted by it, and otherwise by how much the score exceeds its threshold,
    times the support.
    """
    is_significance = isinstance(rules.params.acceptance, Significance)
    bits = rules.evidence if is_significance else (rules.scores - rules.thresholds) * rules.supports
    return np.clip(np.nan_to_num(bits), -MOST_BITS, MOST_BITS)
