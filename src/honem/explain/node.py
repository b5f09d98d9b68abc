"""Explain a node: its rules in words, and how many bits per step its longer contexts save."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.words import and_more, history_of, name_of, percent, times, wrapped
from honem.prediction.next_step import longest_suffix_rules, rows_of_same_target
from honem.rules import RuleTable
from honem.rules.context_tree import NOT_A_RULE, ContextTree

NEXT_SHOWN = 3


@dataclass(frozen=True)
class NextShare:
    """A next node after a context.

    Attributes
    ----------
    node : hashable
        The node.
    count : int
        How often it followed the context.
    probability : float
        P(node|context).
    shorter : float
        P(node|shorter context).
    """

    node: Hashable
    count: int
    probability: float
    shorter: float


@dataclass(frozen=True)
class ExplainedRule:
    """A context that ends at the node, and what follows it.

    Attributes
    ----------
    context : tuple
        The nodes of the context, oldest first.
    shorter : tuple
        The context it is compared with: its longest suffix that is an accepted rule; at first order, itself. (With
        `lower_orders="hon"`, which drops some accepted contexts, the divergence may have been computed against one of
        these.)
    next : tuple of NextShare
        The next nodes, most likely first.
    support : int
        How often the context was followed by any node.
    divergence, threshold : float
        The divergence of its distribution, and what it had to exceed, in bits.
    accepted : bool
        Whether it did.
    """

    context: tuple[Hashable, ...]
    shorter: tuple[Hashable, ...]
    next: tuple[NextShare, ...]
    support: int
    divergence: float
    threshold: float
    accepted: bool
    verdict: str = field(compare=False, repr=False)

    @property
    def order(self) -> int:
        """The number of nodes in the context."""
        return len(self.context)

    @property
    def margin(self) -> float:
        """The divergence minus the threshold, in bits; positive if the rule is accepted."""
        return self.divergence - self.threshold

    @property
    def bits(self) -> float:
        """The divergence times the support: the information of the rule over all its occurrences."""
        return self.support * self.divergence

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a dict that JSON can hold."""
        return asdict(self) | {"order": self.order, "margin": self.margin}

    def __str__(self) -> str:
        shown = [
            self._describe_share(share, is_first=not place) for place, share in enumerate(self._most_informative())
        ]
        hidden = len(self.next) - len(shown)
        more = f" and {hidden} more" if hidden else ""
        return (
            f"after {history_of(self.context)}: {', '.join(shown)}{more}; seen {times(self.support)}{self._verdict()}"
        )

    def _most_informative(self) -> list[NextShare]:
        """Return the next nodes that contribute most to the divergence; at first order the most likely ones."""
        if self.order == 1:
            return list(self.next[:NEXT_SHOWN])
        bits = [abs(share.probability * math.log2(share.probability / share.shorter)) for share in self.next]
        by_bits = sorted(range(len(bits)), key=lambda place: -bits[place])
        return [self.next[place] for place in by_bits[:NEXT_SHOWN]]

    def _describe_share(self, share: NextShare, is_first: bool) -> str:
        text = f"{name_of(share.node)} {percent(share.probability)}"
        by_whom = f"{history_of(self.shorter)} alone: " if is_first else ""
        return text if self.order == 1 else f"{text} ({by_whom}{percent(share.shorter)})"

    def _verdict(self) -> str:
        if self.order == 1:
            return ""
        return f", {self.verdict}" if self.accepted else f", {self.verdict}: kept for longer histories only"


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
    rules : tuple of ExplainedRule
        The rules whose context ends at the node, which predict the next step: first order first, then by divergence
        times support.
    n_beginning : int
        Number of rules whose context begins at the node; these fill its row of S.
    entropy : float
        Entropy of the next step at first order, in bits.
    gain : float
        How much of it longer contexts save.
    """

    node: Hashable
    rules: tuple[ExplainedRule, ...]
    n_beginning: int
    entropy: float
    gain: float

    @property
    def rules_by_order(self) -> dict[int, int]:
        """The number of its rules of each order."""
        orders, amounts = np.unique([rule.order for rule in self.rules], return_counts=True)
        return dict(zip(map(int, orders), map(int, amounts), strict=True))

    @property
    def max_order(self) -> int:
        """The order of its longest context; 0 if no node was observed to follow it."""
        return max((rule.order for rule in self.rules), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dict that JSON can hold."""
        facts = {"rules_by_order": self.rules_by_order, "max_order": self.max_order}
        return asdict(self) | facts | {"rules": [rule.to_dict() for rule in self.rules]}

    def describe(self, n: int = 5) -> str:
        """Describe the explanation in words.

        Parameters
        ----------
        n : int, default=5
            Number of contexts of order 2 or more to list, most informative first.

        Returns
        -------
        str
        """
        shown = [wrapped(str(rule)) for rule in self.rules[: n + 1]]
        return "\n".join([*map(wrapped, self._facts()), "", *shown, *and_more(len(self.rules) - n - 1, "rule")]).strip()

    def _facts(self) -> list[str]:
        name = name_of(self.node)
        if not self.rules:
            return [f"{name}: nothing was seen to follow it, so it has no rules"]
        orders = ", ".join(f"{count:,} of order {order}" for order, count in self.rules_by_order.items())
        facts = [f"{name}: rules that end here: {orders}; that begin here: {self.n_beginning:,}"]
        if self.max_order == 1:
            return [*facts, "no longer history changes what comes next: first order says all there is"]
        saved = f"longer histories save {self.gain:.2f} of the {self.entropy:.2f} bits a step"
        return [*facts, f"{saved} that {name} alone leaves open (on the paths they were learnt from)"]

    def __str__(self) -> str:
        return self.describe()


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
    longer histories save 1.00 of the 1.00 bits a step that centre alone leaves open (on the paths
        they were learnt from)
    <BLANKLINE>
    after centre: library 50 %, office 50 %; seen 40 times
    after dorm, then centre: library 100 % (centre alone: 50 %); seen 20 times, 1.00 bits against a
        threshold of 0.46
    after home, then centre: office 100 % (centre alone: 50 %); seen 20 times, 1.00 bits against a
        threshold of 0.46
    """
    number = rules.vocabulary.id(node)
    ending = rules.for_node(node, "newest")
    n_beginning = int(np.count_nonzero(rules.oldest == number))
    if not ending.n_rules:
        return NodeExplanation(node, (), n_beginning, 0.0, 0.0)
    most_informative_first = sorted(explained_rules(ending), key=lambda rule: (rule.order > 1, -rule.bits))
    first = ending.probabilities[ending.rows_of_order(1)]
    entropy = float(-(first @ np.log2(first)))
    return NodeExplanation(
        node, tuple(most_informative_first), n_beginning, max(entropy, 0.0), gain_over_first_order(ending)
    )


def explained_rules(ending: RuleTable) -> list[ExplainedRule]:
    """Return all rules of a table that holds the rules of one node, in its order."""
    labels = ending.vocabulary.labels
    shorter = shorter_rules(ending, ending.accepted)
    shorter_probabilities = ending.probabilities[rows_of_same_target(ending, shorter)]
    columns = (ending.targets, ending.counts, ending.probabilities, shorter_probabilities)
    shares = [
        NextShare(labels[target], *facts)
        for target, *facts in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return [
        ExplainedRule(
            context=ending.context(rule),
            shorter=ending.context(int(shorter[rule])),
            next=tuple(sorted(shares[start:stop], key=lambda share: -share.count)),
            support=int(ending.supports[rule]),
            divergence=float(ending.divergences[rule]),
            threshold=float(ending.thresholds[rule]),
            accepted=bool(ending.accepted[rule]),
            verdict=ending.verdict(rule),
        )
        for rule, (start, stop) in enumerate(pairwise(ending.target_offsets.tolist()))
    ]


def gain_over_first_order(ending: RuleTable) -> float:
    """Compute the gain of NodeExplanation as a sum over rules."""
    shorter = shorter_rules(ending, np.ones(ending.n_rules, np.bool_))
    shorter_probabilities = ending.probabilities[rows_of_same_target(ending, shorter)]
    bits = ending.counts @ np.log2(ending.probabilities / shorter_probabilities)
    return max(float(bits / ending.supports[0]), 0.0)  # negative by rounding only: it is a sum of divergences


def shorter_rules(table: RuleTable, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each rule, its longest proper suffix among the chosen rules, or the rule itself if there is none."""
    found = longest_suffix_rules(table, ContextTree.of(table.select(chosen)))
    return np.where(found == NOT_A_RULE, np.arange(table.n_rules), np.flatnonzero(chosen)[found])
