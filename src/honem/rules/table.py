"""RuleTable: the rules of a corpus as arrays; all engines return the same schema."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args, overload

import numpy as np
from numpy.typing import NDArray

from honem._internal.html_tables import html_paragraph
from honem._internal.optional_packages import require_package
from honem._internal.ragged import gather_ranges, offsets_of
from honem._internal.validation import require_one_of, require_whole
from honem._internal.words import amount
from honem.corpus import Vocabulary
from honem.errors import HonemError
from honem.rules.criteria import NO_TESTS, Tests
from honem.rules.findings import FindingOrder, Findings
from honem.rules.params import ExtractionParams
from honem.rules.rule import Rule, Successor
from honem.rules.suffixes import rows_of_same_target, shorter_rules

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Place = Literal["newest", "oldest", "any"]
FINDINGS_SHOWN = 5


class PairSums(NamedTuple):
    """Sums over the rules of one order that lead from one node to another, in arrays with one element per entry.

    A pair of nodes may have several entries.

    Attributes
    ----------
    oldest : ndarray of int
        The oldest node of the contexts.
    targets : ndarray of int
        The target.
    amounts : ndarray of int
        Number of rules that were summed.
    counts : ndarray of int
        Sum of their counts.
    probabilities : ndarray of float
        Sum of their probabilities.
    """

    oldest: NDArray[np.int32]
    targets: NDArray[np.int32]
    amounts: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]


class Rules(Protocol):
    """Rules in memory or on a cluster: what is needed to compute the neighbourhood matrices."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodes."""
        ...

    @property
    def max_order(self) -> int:
        """The highest order of a rule; 0 if there are no rules."""
        ...

    def pair_sums(self, order: int) -> PairSums:
        """Sum the rules of one order by their oldest node and target."""
        ...


class Selection(NamedTuple):
    """The table from which rules were selected, and their numbers in it."""

    table: RuleTable
    numbers: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RuleTable:
    """The rules of a corpus: contexts and their distributions over the next node.

    A rule is a context with all its targets; a row is one target of a rule. Rules are sorted by order, then by the
    nodes of their contexts from newest to oldest; the rows of a rule are sorted by target. A context of order 1 has
    no shorter context to compare with, so its divergence, evidence and threshold are 0 and its q-value is 1.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes.
    params : ExtractionParams
        The parameters with which the rules were extracted.
    context_nodes, context_offsets : ndarray of int
        The context of rule r is `context_nodes[context_offsets[r]:context_offsets[r + 1]]`, oldest node first.
    target_offsets : ndarray of int of shape (n_rules + 1,)
        The rows of rule r are `target_offsets[r]:target_offsets[r + 1]`.
    targets : ndarray of int of shape (n_rows,)
        The target of each row.
    counts : ndarray of int of shape (n_rows,)
        How often the target followed the context.
    divergences : ndarray of float of shape (n_rules,)
        The Kullback-Leibler divergence in bits of each rule's distribution from that of its reference, which is its
        longest proper suffix that was accepted. This is the size of the effect.
    evidence : ndarray of float of shape (n_rules,)
        How strongly the counts speak against chance: the binary logarithm of the e-value of the context against its
        parent, in bits. NaN if it is unknown, as in stores of version 0.1.0.
    q_values : ndarray of float of shape (n_rules,)
        The least false discovery rate at which the context would be accepted by ``criterion="significance"``.
    accepted : ndarray of bool of shape (n_rules,)
        Whether the criterion accepted the context; others are kept because of `lower_orders`.
    tests : Tests
        How many contexts of the corpus were tested for evidence, and how many of order 2 or more were accepted.
    own_scores : ndarray of float of shape (n_rules,) or None
        The score of each rule if the criterion has a score of its own, neither the divergence nor the evidence.

    Examples
    --------
    >>> from honem import Corpus, extract_rules
    >>> rules = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5), engine="reference")
    >>> len(rules), rules.n_rows, rules.rules_by_order
    (7, 9, {1: 5, 2: 2})
    >>> [rule.context for rule in rules if rule.order == 2]
    [('A', 'C'), ('B', 'C')]
    >>> rules[-1].successors
    (Successor(node='E', count=5, probability=1.0, shorter=0.3333333333333333),)
    """

    vocabulary: Vocabulary
    params: ExtractionParams
    context_nodes: NDArray[np.int32]
    context_offsets: NDArray[np.int64]
    target_offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]
    divergences: NDArray[np.float64]
    evidence: NDArray[np.float64]
    q_values: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    tests: Tests = NO_TESTS
    own_scores: NDArray[np.float64] | None = None
    _selected_from: Selection | None = field(default=None, init=False, repr=False)

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.accepted)

    @property
    def n_rows(self) -> int:
        """Number of rows, that is pairs of context and target."""
        return len(self.targets)

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self.accepted)

    @overload
    def __getitem__(self, rule: int) -> Rule: ...
    @overload
    def __getitem__(self, rule: slice) -> Findings: ...
    def __getitem__(self, rule: int | slice) -> Rule | Findings:
        """Return one rule with its labels, or several; negative numbers count from the end.

        Raises
        ------
        IndexError
            If there is no such rule.
        """
        if isinstance(rule, slice):
            return Findings(self[number] for number in range(self.n_rules)[rule])
        if not -self.n_rules <= rule < self.n_rules:
            raise IndexError(f"no rule {rule}: the table has {self.n_rules}")
        number = range(self.n_rules)[rule]
        if self._selected_from is not None:  # the shorter rule that it is compared with may not be among the selected
            return self._selected_from.table[int(self._selected_from.numbers[number])]
        rows = slice(self.target_offsets[number], self.target_offsets[number + 1])
        columns = (self.targets, self.counts, self.probabilities, self._shorter_probabilities)
        successors = [
            Successor(self.vocabulary.labels[target], *facts)
            for target, *facts in zip(*(column[rows].tolist() for column in columns), strict=True)
        ]
        return Rule(
            context=self.context(number),
            shorter=self.context(int(self.references[number])),
            successors=tuple(sorted(successors, key=lambda successor: -successor.count)),
            support=int(self.supports[number]),
            divergence=float(self.divergences[number]),
            evidence=float(self.evidence[number]),
            q_value=float(self.q_values[number]),
            threshold=float(self.thresholds[number]),
            accepted=bool(self.accepted[number]),
            verdict=self.verdict(number),
        )

    def __iter__(self) -> Iterator[Rule]:
        """Yield the rules in the order of the table."""
        return (self[rule] for rule in range(self.n_rules))

    def top(self, n: int = 20, by: FindingOrder = "evidence") -> Findings:
        """Return the strongest accepted rules of order 2 or more.

        Parameters
        ----------
        n : int, default=20
            How many rules to return at most.
        by : {"evidence", "bits_saved", "divergence", "support"}, default="evidence"
            What makes a rule strong: how certain it is, how many bits it saves over all its occurrences, how much it
            changes the next step, or how often its context was seen.

        Returns
        -------
        Findings
            A sequence of Rule, strongest first, that prints as a table.

        Raises
        ------
        ParameterError
            If `n` is not a whole number of at least 1, or `by` is unknown.

        Examples
        --------
        >>> from honem import Corpus, extract_rules
        >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 30
        >>> print(extract_rules(Corpus.from_sequences(trips), engine="reference").top(2))
        context        next     share  without oldest  seen  evidence      q
        home > centre  office   100 %            60 %    30      42.0  5e-13
        dorm > centre  library  100 %            40 %    20      41.0  5e-13
        """
        return Findings(self[rule] for rule in self.strongest(n, by).tolist())

    def strongest(self, n: int = 20, by: FindingOrder = "evidence") -> NDArray[np.int64]:
        """Return the numbers of the rules that `top` returns.

        Parameters
        ----------
        n : int, default=20
            How many rules to return at most.
        by : {"evidence", "bits_saved", "divergence", "support"}, default="evidence"
            What makes a rule strong, see `top`.

        Returns
        -------
        ndarray of int
            Numbers of rules, strongest first; of equally strong ones, the first in the table.

        Raises
        ------
        ParameterError
            If `n` is not a whole number of at least 1, or `by` is unknown.
        """
        require_whole("n", n, least=1)
        require_one_of("by", by, get_args(FindingOrder))
        values = {
            "evidence": self.evidence,
            "bits_saved": self.supports * self.divergences,
            "divergence": self.divergences,
            "support": self.supports,
        }[by]
        accepted = np.flatnonzero(self.accepted & (self.orders > 1))
        return accepted[np.argsort(-values[accepted], kind="stable")][:n]

    @cached_property
    def references(self) -> NDArray[np.int64]:
        """For each rule, its longest proper suffix that is an accepted rule, or the rule itself if there is none."""
        return shorter_rules(self, self.accepted)

    @cached_property
    def _shorter_probabilities(self) -> NDArray[np.float64]:
        return self.probabilities[rows_of_same_target(self, self.references)]

    @cached_property
    def orders(self) -> NDArray[np.int32]:
        """The order of each rule, which is the number of nodes in its context."""
        return np.diff(self.context_offsets).astype(np.int32)

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """The support s(c) of each rule, which is the sum of its counts."""
        return np.add.reduceat(self.counts, self.target_offsets[:-1]) if self.n_rules else np.zeros(0, np.int64)

    @cached_property
    def thresholds(self) -> NDArray[np.float64]:
        """What the score of each rule had to exceed, in bits.

        The score is the divergence with ``criterion="divergence"`` and the evidence with ``criterion="significance"``.
        """
        thresholds = self.params.acceptance.thresholds(self.orders, self.supports.astype(np.float64), self.tests)
        return np.where(self.orders == 1, 0.0, thresholds)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each rule under its criterion."""
        columns = {"divergence": self.divergences, "evidence": self.evidence}
        own = columns.get(self.params.acceptance.score_column, self.own_scores)
        return self.divergences if own is None else own

    @cached_property
    def rule_of_row(self) -> NDArray[np.int64]:
        """The rule that each row belongs to."""
        return np.repeat(np.arange(self.n_rules), np.diff(self.target_offsets))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability P(t|c) of each row."""
        return self.counts / self.supports[self.rule_of_row]

    @property
    def oldest(self) -> NDArray[np.int32]:
        """The oldest node of each rule's context."""
        return self.context_nodes[self.context_offsets[:-1]]

    @property
    def newest(self) -> NDArray[np.int32]:
        """The newest node of each rule's context, from which the next step is taken."""
        return self.context_nodes[self.context_offsets[1:] - 1]

    @property
    def max_order(self) -> int:
        """The highest order of a rule; 0 if there are no rules."""
        return int(self.orders[-1]) if self.n_rules else 0

    @cached_property
    def rules_by_order(self) -> dict[int, int]:
        """Number of rules of each order."""
        orders, amounts = np.unique(self.orders, return_counts=True)
        return dict(zip(orders.tolist(), amounts.tolist(), strict=True))

    def order_slice(self, order: int) -> slice:
        """Return where the rules of one order are, which are consecutive.

        Parameters
        ----------
        order : int
            The order.

        Returns
        -------
        slice
            A range of rules; empty if there are no rules of that order.
        """
        return slice(*np.searchsorted(self.orders, (order, order + 1)).tolist())

    def rows_of_order(self, order: int) -> slice:
        """Return where the rows of the rules of one order are, which are consecutive.

        Parameters
        ----------
        order : int
            The order.

        Returns
        -------
        slice
            A range of rows; empty if there are no rules of that order.
        """
        rules = self.order_slice(order)
        return slice(int(self.target_offsets[rules.start]), int(self.target_offsets[rules.stop]))

    def pair_sums(self, order: int) -> PairSums:
        """Return the rows of one order by their oldest node and target.

        Parameters
        ----------
        order : int
            The order.

        Returns
        -------
        PairSums
            One entry per row; nothing is summed yet.
        """
        rows = self.rows_of_order(order)
        oldest = self.oldest[self.rule_of_row[rows]]
        ones = np.ones(rows.stop - rows.start, np.int64)
        return PairSums(oldest, self.targets[rows], ones, self.counts[rows], self.probabilities[rows])

    def contexts(self, order: int) -> NDArray[np.int32]:
        """Return the contexts of one order as a matrix.

        Parameters
        ----------
        order : int
            The order.

        Returns
        -------
        ndarray of int of shape (n_rules_of_order, order)
            The node ids of one context per row, oldest first.
        """
        rules = self.order_slice(order)
        nodes = self.context_nodes[self.context_offsets[rules.start] : self.context_offsets[rules.stop]]
        return nodes.reshape(-1, order)

    def context(self, rule: int) -> tuple[Hashable, ...]:
        """Return the context of one rule.

        Parameters
        ----------
        rule : int
            Number of the rule.

        Returns
        -------
        tuple of hashable
            The labels of the context, oldest first.
        """
        nodes = self.context_nodes[self.context_offsets[rule] : self.context_offsets[rule + 1]]
        return tuple(self.vocabulary.labels[node] for node in nodes.tolist())

    def by_order(self, order: int) -> RuleTable:
        """Return the rules of one order.

        Parameters
        ----------
        order : int
            The order, at least 1.

        Returns
        -------
        RuleTable
            The rules, in the same order as in this table.

        Raises
        ------
        ParameterError
            If the order is not a whole number of at least 1.
        """
        require_whole("order", order, least=1)
        return self.select(self.orders == order)

    def for_node(self, node: Hashable, place: Place = "newest") -> RuleTable:
        """Return the rules whose context contains a node.

        Parameters
        ----------
        node : hashable
            The node.
        place : {"newest", "oldest", "any"}, default="newest"
            Where in the context the node must be. Rules with the node at the newest place predict the next step from
            it; those with the node at the oldest place fill its row of S.

        Returns
        -------
        RuleTable
            The rules, in the same order as in this table.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If the place is unknown.
        """
        require_one_of("place", place, get_args(Place))
        number = self.vocabulary.id(node)
        if place == "newest":
            return self.select(self.newest == number)
        if place == "oldest":
            return self.select(self.oldest == number)
        return self.select(np.logical_or.reduceat(self.context_nodes == number, self.context_offsets[:-1]))

    def select(self, chosen: NDArray[np.bool_]) -> RuleTable:
        """Return some of the rules.

        Parameters
        ----------
        chosen : ndarray of bool of shape (n_rules,)
            Whether to keep each rule.

        Returns
        -------
        RuleTable
            The rules, in the same order as in this table.
        """
        return self.take(np.flatnonzero(chosen))

    def take(self, numbers: NDArray[np.int64]) -> RuleTable:
        """Return some of the rules in a given order, for writing them in this order.

        Parameters
        ----------
        numbers : ndarray of int
            Numbers of rules. Methods that take an order expect ascending ones.

        Returns
        -------
        RuleTable
            The rules in the order given.
        """
        n_rows = np.diff(self.target_offsets)[numbers]
        chosen, rows = numbers, gather_ranges(self.target_offsets[numbers], n_rows)
        selected = RuleTable(
            vocabulary=self.vocabulary,
            params=self.params,
            context_nodes=self.context_nodes[gather_ranges(self.context_offsets[numbers], self.orders[numbers])],
            context_offsets=offsets_of(self.orders[numbers]),
            target_offsets=offsets_of(n_rows),
            targets=self.targets[rows],
            counts=self.counts[rows],
            divergences=self.divergences[chosen],
            evidence=self.evidence[chosen],
            q_values=self.q_values[chosen],
            accepted=self.accepted[chosen],
            tests=self.tests,
            own_scores=None if self.own_scores is None else self.own_scores[chosen],
        )
        object.__setattr__(selected, "_selected_from", self._selection(numbers))
        return selected

    def _selection(self, numbers: NDArray[np.int64]) -> Selection:
        if self._selected_from is None:
            return Selection(self, numbers)
        return Selection(self._selected_from.table, self._selected_from.numbers[numbers])

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as dicts with labels, as `honem rules` writes them.

        Yields
        ------
        dict
            With the keys "context" (a list, oldest first), "target", "order", "count", "probability", "support",
            "divergence", "threshold", "evidence", "q_value" and "accepted".
        """
        labels = self.vocabulary.labels
        rows = zip(self.targets.tolist(), self.counts.tolist(), self.probabilities.tolist(), strict=True)
        ends = self.target_offsets[1:].tolist()
        row_number = 0
        for rule in range(self.n_rules):
            facts = {
                "support": int(self.supports[rule]),
                "divergence": float(self.divergences[rule]),
                "threshold": float(self.thresholds[rule]),
                "evidence": float(self.evidence[rule]),
                "q_value": float(self.q_values[rule]),
                "accepted": bool(self.accepted[rule]),
            }
            context = list(self.context(rule))
            while row_number < ends[rule]:
                target, count, probability = next(rows)
                row_number += 1
                yield {
                    "context": context,
                    "target": labels[target],
                    "order": len(context),
                    "count": count,
                    "probability": probability,
                    **facts,
                }

    def to_arrow(self) -> pa.Table:
        """Return the rules as an Arrow table.

        Returns
        -------
        pyarrow.Table
            One row per context and target, with labels; the columns are the keys of `records`.

        Raises
        ------
        HonemError
            If the labels have different types, which one column cannot hold.
        """
        import pyarrow as pa

        try:
            labels = pa.array(self.vocabulary.labels)
        except pa.ArrowException as error:
            raise HonemError(
                f"nodes of different types cannot be stored in one column; convert them to strings: {error}"
            ) from None
        nodes = labels.take(pa.array(self.context_nodes))
        contexts = pa.LargeListArray.from_arrays(pa.array(self.context_offsets), nodes)
        rule = self.rule_of_row
        return pa.table(
            {
                "context": contexts.take(pa.array(rule)),
                "target": labels.take(pa.array(self.targets)),
                "order": self.orders[rule],
                "count": self.counts,
                "probability": self.probabilities,
                "support": self.supports[rule],
                "divergence": self.divergences[rule],
                "threshold": self.thresholds[rule],
                "evidence": self.evidence[rule],
                "q_value": self.q_values[rule],
                "accepted": self.accepted[rule],
            }
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return the rules as a DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per context and target, with labels; the columns are the keys of `records`.

        Raises
        ------
        HonemError
            If the labels have different types, which one column cannot hold.
        MissingDependencyError
            If pandas is not installed.
        """
        require_package("pandas", "pandas", "to_pandas")
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def __repr__(self) -> str:
        return "\n".join([self._summary(), *map(str, self.top(FINDINGS_SHOWN))])

    def _repr_html_(self) -> str:
        return html_paragraph(self._summary()) + self.top(FINDINGS_SHOWN)._repr_html_()

    def _summary(self) -> str:
        orders = ", ".join(f"{number:,} of order {order}" for order, number in self.rules_by_order.items())
        n_accepted = int((self.accepted & (self.orders > 1)).sum())
        rules = amount(self.n_rules, "rule")
        return f"RuleTable({rules}: {orders or 'empty'}; {n_accepted:,} of order 2 or more accepted)"

    def verdict(self, rule: int) -> str:
        """Describe why a rule was accepted or not.

        Parameters
        ----------
        rule : int
            Number of a rule of order 2 or more.

        Returns
        -------
        str
            The criterion's description of score and threshold.
        """
        score, threshold = float(self.scores[rule]), float(self.thresholds[rule])
        return self.params.acceptance.verdict(score, threshold, bool(self.accepted[rule]))

    def describe(self, rule: int) -> str:
        """Describe a rule in one line.

        Parameters
        ----------
        rule : int
            Number of the rule.

        Returns
        -------
        str
            Such as `C | A, B -> D 75%, E 25% (support 8, 12.3 bits of evidence)`, with at most four targets.
        """
        *older, here = map(str, self.context(rule))
        rows = slice(self.target_offsets[rule], self.target_offsets[rule + 1])
        likeliest = np.argsort(-self.probabilities[rows], kind="stable")[:4].tolist()
        shown = [
            f"{self.vocabulary.labels[self.targets[rows][row]]} {self.probabilities[rows][row]:.0%}"
            for row in likeliest
        ]
        hidden = rows.stop - rows.start - len(shown)
        where = f"{here} | {', '.join(older)}" if older else here
        why = f", {self.verdict(rule)}" if older else ""
        more = f", {hidden} more" if hidden else ""
        return f"{where} -> {', '.join(shown)}{more} (support {self.supports[rule]}{why})"
