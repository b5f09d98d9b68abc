"""RuleNextStep: the rules as a variable-order Markov model of the next node.

The baseline that NextStep is compared with, and what a store without a NextStep predicts from.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of, steps_of
from honem._internal.validation import require_whole
from honem.corpus import Corpus, Vocabulary
from honem.prediction.answers import Contribution, NextNode, Prediction, as_history
from honem.prediction.scoring import StepScorer
from honem.rules import RuleTable
from honem.rules.context_tree import NOT_A_RULE, ContextTree
from honem.rules.suffixes import longest_suffix_rules, rows_of_same_target

STEPS_AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class RuleNextStep(StepScorer):
    """A model of the next node given the history, P(next | history).

    The longest suffix of the history that is a rule is interpolated with all shorter ones. With p the longest rule that
    is a proper suffix of the rule c, and m(c) the number of targets of c,

        P(t|c) = (n'(c -> t) - D) / s'(c) + D m(c) / s'(c) * P(t|p),

    without the first term if t is not a target of c.

    This is Kneser-Ney smoothing for contexts of different lengths (Siivola, Hirsimaki and Virpioja 2007). n'(c -> t)
    are counts in which each longer rule that ends in c counts only once, because where it was observed it is used
    itself; s'(c) is their sum. Order 1 is interpolated with order 0, the number of distinct nodes after which a node
    was observed, and order 0 with the uniform distribution, so every step has a positive probability. The discount D
    is estimated for each order as (n1 + 1/2) / (n1 + 2 n2 + 1), where n1 and n2 are the numbers of rows with n' of 1
    and 2; the halves keep it between 0 and 1. (With support="transition" and a min_support of m, counts below m are 0,
    and m and 2 m are used in place of 1 and 2.) There is no parameter to tune.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes.
    tree : ContextTree
        Finds the longest rule that is a suffix of a history.
    orders, parents : array of int
        The order of each rule, and the longest rule that is a proper suffix of it, or -1.
    offsets, targets : array of int
        The targets of rule i are `targets[offsets[i]:offsets[i + 1]]`.
    shares : array of float
        The first term of the formula for each target.
    left_over : array of float
        The factor of P(t|p) for each rule.
    base : array of float
        The distribution of order 0 over all nodes.
    counts : array of int
        How often each target was observed.
    """

    vocabulary: Vocabulary
    tree: ContextTree
    orders: NDArray[np.int32]
    parents: NDArray[np.int64]
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    shares: NDArray[np.float64]
    left_over: NDArray[np.float64]
    base: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, table: RuleTable) -> RuleNextStep:
        """Build the model of a rule table.

        Parameters
        ----------
        table : RuleTable
            The rules.

        Returns
        -------
        RuleNextStep
        """
        tree = ContextTree.of(table)
        parents = longest_suffix_rules(table, tree)
        shares, left_over = discounted(
            own_counts(table, parents), table.target_offsets, table.orders, table.params.least_count
        )
        return cls(
            vocabulary=table.vocabulary,
            tree=tree,
            orders=table.orders,
            parents=parents,
            offsets=table.target_offsets,
            targets=table.targets,
            shares=shares,
            left_over=left_over,
            base=_order_zero(table),
            counts=table.counts,
        )

    def predict(self, history: Iterable[Hashable], k: int = 10) -> Prediction:
        """Return the k most probable next nodes after a history.

        Parameters
        ----------
        history : iterable of hashable
            The nodes visited so far, oldest first; any number of them, also none.
        k : int, default=10
            Number of nodes to return.

        Returns
        -------
        Prediction
            Equally probable nodes are in the order of the vocabulary.

        Raises
        ------
        ParameterError
            If `k` is not a whole number of at least 1, or `history` is a string.

        Examples
        --------
        >>> from honem.rules.engines import extract_rules
        >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
        >>> model = RuleNextStep.of(extract_rules(Corpus.from_sequences(trips), engine="reference"))
        >>> found = model.predict(["dorm", "centre"], k=1)
        >>> found.context, found.nodes[0].node, round(found.nodes[0].probability, 2)
        (('dorm', 'centre'), 'library', 0.98)
        """
        require_whole("k", k, least=1)
        history = as_history(history)
        nodes = np.array([self.vocabulary.ids.get(node, -1) for node in history], np.int32)
        known = nodes[int(np.max(np.flatnonzero(nodes < 0) + 1, initial=0)) :]
        rule = int(self._rules_after(known, np.array([len(known)]), np.array([len(known)]))[0])
        probabilities = self.distribution(rule)
        likeliest = np.argsort(-probabilities, kind="stable")[:k].tolist()
        observed = self._observed(rule)
        found = (
            NextNode(self.vocabulary[node], float(probabilities[node]), observed.get(node, 0)) for node in likeliest
        )
        contributions = tuple(self._contributions(rule, history))
        unknown = tuple(dict.fromkeys(node for node in history if node not in self.vocabulary))
        return Prediction(contributions[0].context or (), tuple(found), contributions, unknown)

    def _observed(self, rule: int) -> dict[int, int]:
        """Return how often each node was observed after a rule."""
        rows = slice(*self.offsets[rule : rule + 2]) if rule != NOT_A_RULE else slice(0)
        return dict(zip(self.targets[rows].tolist(), self.counts[rows].tolist(), strict=True))

    def _contributions(self, rule: int, history: tuple[Hashable, ...]) -> Iterator[Contribution]:
        """Yield what each rule contributes, longest first, then order 0."""
        weight = 1.0
        while rule != NOT_A_RULE:
            left = float(self.left_over[rule])
            context = history[len(history) - int(self.orders[rule]) :]
            yield Contribution(context, weight * (1.0 - left), sum(self._observed(rule).values()))
            weight, rule = weight * left, int(self.parents[rule])
        first_order = self.counts[self.offsets[0] : self.offsets[-1]][
            np.repeat(self.orders, np.diff(self.offsets)) == 1
        ]
        yield Contribution((), weight, int(first_order.sum()))

    def distribution(self, rule: int) -> NDArray[np.float64]:
        """Return the probabilities of all nodes given a rule.

        Parameters
        ----------
        rule : int
            Position of the rule in the rule table, or -1 for the distribution of order 0.

        Returns
        -------
        array of float
        """
        added, weight = np.zeros_like(self.base), 1.0
        while rule != NOT_A_RULE:
            rows = slice(self.offsets[rule], self.offsets[rule + 1])
            added[self.targets[rows]] += weight * self.shares[rows]
            weight *= self.left_over[rule]
            rule = self.parents[rule]
        return added + weight * self.base

    def rules_of_steps(self, corpus: Corpus) -> NDArray[np.int64]:
        """Return, for each step of a corpus, the longest rule that is a suffix of the nodes before it, or -1.

        Parameters
        ----------
        corpus : Corpus
            The sequences, with the vocabulary of this model.

        Returns
        -------
        array of int
            Positions in the rule table, one per step, in the order of the corpus.
        """
        return self._rules_of(corpus.tokens, *steps_of(corpus.lengths))

    def _rules_of(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        blocks = [slice(start, start + STEPS_AT_ONCE) for start in range(0, len(ends), STEPS_AT_ONCE)]
        rules = [self._rules_after(nodes, ends[block], lengths[block]) for block in blocks]
        return np.concatenate([np.zeros(0, np.int64), *rules])

    def _judge(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        from honem._internal.compilation import announcing_compilation
        from honem.prediction.rule_kernel import judge_steps

        rules = self._rules_of(nodes, ends, lengths)
        by_rule = np.argsort(rules, kind="stable")
        model = (self.parents, self.offsets, self.targets, self.shares, self.left_over, self.base)
        probabilities, ranks = np.empty(len(rules)), np.empty(len(rules), np.int64)
        with announcing_compilation():
            found = judge_steps(rules[by_rule], nodes[ends[by_rule]], *model, *self._base_order)
        probabilities[by_rule], ranks[by_rule] = found
        return probabilities, ranks

    def _rules_after(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the longest rule that is a suffix of the nodes before each end, or -1."""
        found = np.full(len(ends), NOT_A_RULE, np.int64)
        known = lengths > 0
        looked_at = np.minimum(lengths[known], len(self.tree.rules))
        flat = nodes[gather_ranges(ends[known] - looked_at, looked_at)]
        found[known] = self.tree.longest_suffixes(flat, offsets_of(looked_at))
        return found

    @cached_property
    def _base_order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rank of every node by order 0, counted from 0, and the node at every rank."""
        likeliest = np.argsort(-self.base, kind="stable")
        place = np.empty(len(likeliest), np.int64)
        place[likeliest] = np.arange(len(likeliest))
        return place, likeliest


def predict_next(rules: RuleTable, history: Iterable[Hashable], k: int = 10) -> Prediction:
    """Return the k most probable next nodes after a history.

    For many histories, build the model once with `RuleNextStep.of(rules)` and call its `predict`.

    Parameters
    ----------
    rules : RuleTable
        The rules.
    history : iterable of hashable
        The nodes visited so far, oldest first.
    k : int, default=10
        Number of nodes to return.

    Returns
    -------
    Prediction

    Raises
    ------
    ParameterError
        If `k` is not a whole number of at least 1, or `history` is a string.

    Examples
    --------
    >>> from honem.rules.engines import extract_rules
    >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
    >>> rules = extract_rules(Corpus.from_sequences(trips), engine="reference")
    >>> predict_next(rules, ["home", "centre"], k=1).nodes[0].node
    'office'
    """
    return RuleNextStep.of(rules).predict(history, k)


def discounted(
    counts: NDArray[np.int64], offsets: NDArray[np.int64], orders: NDArray[Any], least: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the discounted share of each row, and the probability that each rule leaves to shorter contexts.

    `least` is the smallest possible count of a row; the discount is estimated in this unit.

    >>> shares, left_over = discounted(np.array([3, 1, 2]), np.array([0, 2, 3]), np.array([1, 1]))
    >>> shares.round(3).tolist(), left_over.round(3).tolist()
    ([0.656, 0.156, 0.812], [0.188, 0.188])
    """
    amounts = np.diff(offsets)
    rule_of_row = np.repeat(np.arange(len(amounts)), amounts)
    supports = np.add.reduceat(counts, offsets[:-1]) if len(amounts) else np.zeros(0, np.int64)
    once, twice = (
        np.bincount(orders[rule_of_row[counts == count]], minlength=int(orders.max(initial=0)) + 1)
        for count in (least, 2 * least)
    )
    discount = (least * (once + 0.5) / (once + 2 * twice + 1))[orders]
    return (counts - discount[rule_of_row]) / supports[rule_of_row], discount * amounts / supports


def own_counts(table: RuleTable, parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the counts of all rows, in which each longer rule that ends in a rule contributes the smallest count."""
    has_parent = parents[table.rule_of_row] != NOT_A_RULE
    row_of_parent = rows_of_same_target(table, parents)[has_parent]
    counts = table.counts.copy()
    np.subtract.at(counts, row_of_parent, table.counts[has_parent] - table.params.least_count)
    return counts


def _order_zero(table: RuleTable) -> NDArray[np.float64]:
    """Return the distribution of order 0: distinct predecessors, interpolated with the uniform distribution."""
    n_nodes = len(table.vocabulary)
    ways = np.bincount(table.targets[table.rows_of_order(1)], minlength=n_nodes)
    seen = np.flatnonzero(ways)
    if not len(seen):  # with support="transition" min_support can leave no rule at all
        return np.full(n_nodes, 1 / n_nodes)
    shares, left_over = discounted(ways[seen], np.array([0, len(seen)]), np.zeros(1, np.int64))
    base = np.full(n_nodes, left_over[0] / n_nodes)
    base[seen] += shares
    return base
