"""One node: its rules in words, its place in the orders, and what longer histories tell about it."""

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
    """A next node: how often it came, P(node|history), and P(node|shorter history)."""

    node: Hashable
    count: int
    probability: float
    shorter: float


@dataclass(frozen=True)
class ExplainedRule:
    """A history that ends at the node, and what follows it, likeliest first.

    `shorter` is the history it is measured against: the longest end of it that is an accepted rule, and the history
    itself at first order. (With `lower_orders="hon"`, which leaves some accepted contexts out, the divergence can have
    been measured against one that is left out.)
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
        """Nodes in the history."""
        return len(self.context)

    @property
    def margin(self) -> float:
        """By how many bits the divergence exceeds its threshold; more than 0 where the rule is accepted."""
        return self.divergence - self.threshold

    @property
    def bits(self) -> float:
        """What the rule tells in all: its divergence, as often as it was seen."""
        return self.support * self.divergence

    def to_dict(self) -> dict[str, Any]:
        """The rule for JSON."""
        return asdict(self) | {"order": self.order, "margin": self.margin}

    def __str__(self) -> str:
        told = [self._told(share, is_first=not place) for place, share in enumerate(self._most_telling())]
        hidden = len(self.next) - len(told)
        more = f" and {hidden} more" if hidden else ""
        return f"after {history_of(self.context)}: {', '.join(told)}{more}; seen {times(self.support)}{self._verdict()}"

    def _most_telling(self) -> list[NextShare]:
        """The next nodes that weigh most in the divergence, more likely now or less; at first order the likeliest."""
        if self.order == 1:
            return list(self.next[:NEXT_SHOWN])
        bits = [abs(share.probability * math.log2(share.probability / share.shorter)) for share in self.next]
        telling = sorted(range(len(bits)), key=lambda place: -bits[place])
        return [self.next[place] for place in telling[:NEXT_SHOWN]]

    def _told(self, share: NextShare, is_first: bool) -> str:
        told = f"{name_of(share.node)} {percent(share.probability)}"
        by_whom = f"{history_of(self.shorter)} alone: " if is_first else ""
        return told if self.order == 1 else f"{told} ({by_whom}{percent(share.shorter)})"

    def _verdict(self) -> str:
        if self.order == 1:
            return ""
        return f", {self.verdict}" if self.accepted else f", {self.verdict}: kept for longer histories only"


@dataclass(frozen=True)
class NodeExplanation:
    """What the rules know of a node.

    `rules` are those whose history ends at the node, which say where one goes from there: first order first, then what
    tells most (divergence times support). `n_beginning` rules begin at it; those fill its row of S. `entropy` is what
    first order leaves open, in bits a step, and `gain` what longer histories take off it:

        gain = sum over rules c that end at x, and nodes t, of  own(c -> t) log2(P(t|c) / P(t|x))  /  s(x)

    where own(c -> t) counts the steps to t for which c is the longest rule that fits. So it is the mean, over all steps
    from x, of the bits that are saved, on the paths the rules were learnt from. Written by rules it is the sum of
    s(c) / s(x) times the Kullback-Leibler divergence of c from the longest shorter rule, and so never less than 0.
    """

    node: Hashable
    rules: tuple[ExplainedRule, ...]
    n_beginning: int
    entropy: float
    gain: float

    @property
    def rules_by_order(self) -> dict[int, int]:
        """How many of its rules there are of each order."""
        orders, amounts = np.unique([rule.order for rule in self.rules], return_counts=True)
        return dict(zip(map(int, orders), map(int, amounts), strict=True))

    @property
    def max_order(self) -> int:
        """The longest of its histories; 0 where nothing was seen to follow the node."""
        return max((rule.order for rule in self.rules), default=0)

    def to_dict(self) -> dict[str, Any]:
        """The explanation for JSON."""
        facts = {"rules_by_order": self.rules_by_order, "max_order": self.max_order}
        return asdict(self) | facts | {"rules": [rule.to_dict() for rule in self.rules]}

    def describe(self, n: int = 5) -> str:
        """The explanation in sentences, with the n longer histories that tell most."""
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
    """What the rules know of a node.

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
    told = explained_rules(ending)
    by_telling = sorted(told, key=lambda rule: (rule.order > 1, -rule.bits))
    first = ending.probabilities[ending.rows_of_order(1)]
    entropy = float(-(first @ np.log2(first)))
    return NodeExplanation(node, tuple(by_telling), n_beginning, max(entropy, 0.0), gain_over_first_order(ending))


def explained_rules(ending: RuleTable) -> list[ExplainedRule]:
    """All rules of a table that holds those of one node, in its order."""
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
    """The gain of NodeExplanation, by rules."""
    shorter = shorter_rules(ending, np.ones(ending.n_rules, np.bool_))
    shorter_probabilities = ending.probabilities[rows_of_same_target(ending, shorter)]
    bits = ending.counts @ np.log2(ending.probabilities / shorter_probabilities)
    return max(float(bits / ending.supports[0]), 0.0)  # a sum of divergences, but for rounding


def shorter_rules(table: RuleTable, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The longest shorter end of each rule that is one of the chosen rules; where there is none, the rule itself."""
    found = longest_suffix_rules(table, ContextTree.of(table.select(chosen)))
    return np.where(found == NOT_A_RULE, np.arange(table.n_rules), np.flatnonzero(chosen)[found])
