"""Explain a node: its rules in words, and how many bits per step its longer contexts save."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from honem._internal.words import and_more, name_of, wrapped
from honem.rules import Rule, RuleTable
from honem.rules.suffixes import rows_of_same_target, shorter_rules


@dataclass(frozen=True)
class NodeExplanation:
    """The rules of a node, and how much they improve predictions. Print it for a description in words.

    The gain is the mean number of bits that longer contexts save per step from the node x, on the training paths:

        gain = sum over rules c that end at x, and nodes t, of  own(c -> t) log2(P(t|c) / P(t|x))  /  s(x)

    where own(c -> t) counts the steps to t for which c is the longest matching rule. As a sum over rules, it is
    s(c) / s(x) times the Kullback-Leibler divergence of c from the longest shorter rule, and so never negative.

    Attributes
    ----------
    node : hashable
        The node.
    rules : tuple of Rule
        The rules whose context ends at the node, which predict the next step: first order first, then the accepted
        ones by the bits they save, then those that are kept only as a lower order of an accepted rule.
    n_beginning : int
        Number of rules whose context begins at the node; these fill its row of S.
    entropy : float
        Entropy of the next step at first order, in bits.
    gain : float
        How much of it longer contexts save.
    """

    node: Hashable
    rules: tuple[Rule, ...]
    n_beginning: int
    entropy: float
    gain: float

    @property
    def rules_by_order(self) -> dict[int, int]:
        """The number of its rules of each order."""
        orders, amounts = np.unique([rule.order for rule in self.rules], return_counts=True)
        return dict(zip(map(int, orders), map(int, amounts), strict=True))

    @property
    def n_kept_only(self) -> int:
        """How many of its rules were not accepted, but are kept as a lower order of an accepted rule."""
        return sum(not rule.accepted for rule in self.rules)

    @property
    def max_order(self) -> int:
        """The order of its longest context; 0 if no node was observed to follow it."""
        return max((rule.order for rule in self.rules), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dict that JSON can hold."""
        facts = {
            "rules_by_order": self.rules_by_order,
            "n_kept_only": self.n_kept_only,
            "max_order": self.max_order,
        }
        return asdict(self) | facts | {"rules": [rule.to_dict() for rule in self.rules]}

    def describe(self, n: int = 5) -> str:
        """Describe the explanation in words.

        Parameters
        ----------
        n : int, default=5
            Number of contexts of order 2 or more to list: accepted ones first, those that save most bits first.

        Returns
        -------
        str
        """
        shown = [wrapped(str(rule)) for rule in self.rules[: n + 1]]
        return "\n".join([*map(wrapped, self.facts()), "", *shown, *and_more(len(self.rules) - n - 1, "rule")]).strip()

    def facts(self) -> list[str]:
        """Return what is known of the node, without its rules, in one or two sentences."""
        name = name_of(self.node)
        if not self.rules:
            return [f"{name}: nothing was seen to follow it, so it has no rules"]
        orders = ", ".join(f"{count:,} of order {order}" for order, count in self.rules_by_order.items())
        kept_only = f" ({self.n_kept_only:,} kept for longer contexts only)" if self.n_kept_only else ""
        facts = [f"{name}: rules that end here: {orders}{kept_only}; that begin here: {self.n_beginning:,}"]
        if self.max_order == 1:
            return [*facts, f"no longer context is a rule: the next step is predicted from {name} alone"]
        saved = f"longer contexts save {self.gain:.2f} of the {self.entropy:.2f} bits per step"
        return [*facts, f"{saved} that {name} alone leaves open (on the training paths)"]

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        from honem.explain.notebooks import html_of_node

        return html_of_node(self)


def explain_node(rules: RuleTable, node: Hashable) -> NodeExplanation:
    """Explain a node by the rules that end at it.

    Parameters
    ----------
    rules : RuleTable
        The rules.
    node : hashable
        The node.

    Returns
    -------
    NodeExplanation

    Raises
    ------
    UnknownNodeError
        If there is no such node.

    Examples
    --------
    >>> from honem import Corpus, extract_rules
    >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
    >>> print(explain_node(extract_rules(Corpus.from_sequences(trips), engine="reference"), "centre"))
    centre: rules that end here: 1 of order 1, 2 of order 2; that begin here: 1
    longer contexts save 1.00 of the 1.00 bits per step that centre alone leaves open (on the
        training paths)
    <BLANKLINE>
    after centre: library 50 %, office 50 %; seen 40 times
    after dorm, then centre: library 100 % (centre alone: 50 %); seen 20 times, 33.2 bits of
        evidence
    after home, then centre: office 100 % (centre alone: 50 %); seen 20 times, 33.2 bits of evidence
    """
    number = rules.vocabulary.id(node)
    ending = rules.for_node(node, "newest")
    n_beginning = int(np.count_nonzero(rules.oldest == number))
    if not ending.n_rules:
        return NodeExplanation(node, (), n_beginning, 0.0, 0.0)
    best_first = sorted(ending, key=lambda rule: (rule.order > 1, not rule.accepted, -rule.bits_saved))
    first = ending.probabilities[ending.rows_of_order(1)]
    entropy = float(-(first @ np.log2(first)))
    return NodeExplanation(node, tuple(best_first), n_beginning, max(entropy, 0.0), gain_over_first_order(ending))


def gain_over_first_order(ending: RuleTable) -> float:
    """Compute the gain of NodeExplanation as a sum over rules."""
    shorter = shorter_rules(ending, np.ones(ending.n_rules, np.bool_))
    shorter_probabilities = ending.probabilities[rows_of_same_target(ending, shorter)]
    bits = ending.counts @ np.log2(ending.probabilities / shorter_probabilities)
    return max(float(bits / ending.supports[0]), 0.0)  # negative by rounding only: it is a sum of divergences
