"""RuleTable: which histories change what comes next, and how; one schema for every engine."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem._internal.validation import require_one_of, require_whole
from honem.corpus import Vocabulary
from honem.errors import HonemError
from honem.rules.params import ExtractionParams

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Place = Literal["newest", "oldest", "any"]


class PairSums(NamedTuple):
    """What rules of one order say of pairs of nodes: where their histories begin, and where they lead.

    A pair may stand in several entries. Each has the number of rules behind it, and the sums of their counts and
    probabilities.
    """

    oldest: NDArray[np.int32]
    targets: NDArray[np.int32]
    amounts: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]


class Rules(Protocol):
    """Rules wherever they are: enough to fill the neighbourhood matrices."""

    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def max_order(self) -> int: ...
    def pair_sums(self, order: int) -> PairSums: ...


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Every kept context with all its targets.

    A rule is a context; a row is a (context, target). Rules stand in one canonical order: by order, then by their
    nodes read from the newest to the oldest; targets ascend within a rule. Per rule: its nodes (oldest first) are
    `context_nodes[context_offsets[r]:context_offsets[r + 1]]`, its rows are
    `target_offsets[r]:target_offsets[r + 1]`. A first-order context is its own reference: divergence 0, threshold 0.
    """

    vocabulary: Vocabulary
    params: ExtractionParams
    context_nodes: NDArray[np.int32]
    context_offsets: NDArray[np.int64]
    target_offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]
    divergences: NDArray[np.float64]
    accepted: NDArray[np.bool_]

    @property
    def n_rules(self) -> int:
        """How many contexts are kept."""
        return len(self.accepted)

    def __len__(self) -> int:
        """How many rows, that is (context, target) pairs, there are."""
        return len(self.targets)

    @cached_property
    def orders(self) -> NDArray[np.int32]:
        """Nodes in the context of each rule."""
        return np.diff(self.context_offsets).astype(np.int32)

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """`s(c)` of each rule."""
        return np.add.reduceat(self.counts, self.target_offsets[:-1]) if self.n_rules else np.zeros(0, np.int64)

    @cached_property
    def thresholds(self) -> NDArray[np.float64]:
        """What the divergence of each rule had to exceed."""
        thresholds = self.params.acceptance.thresholds(self.orders, self.supports.astype(np.float64))
        return np.where(self.orders == 1, 0.0, thresholds)

    @cached_property
    def rule_of_row(self) -> NDArray[np.int64]:
        """The rule each row belongs to."""
        return np.repeat(np.arange(self.n_rules), np.diff(self.target_offsets))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """`P(t|c)` of each row."""
        return self.counts / self.supports[self.rule_of_row]

    @property
    def oldest(self) -> NDArray[np.int32]:
        """The oldest node of each rule's context."""
        return self.context_nodes[self.context_offsets[:-1]]

    @property
    def newest(self) -> NDArray[np.int32]:
        """The newest node of each rule's context: where one is when the rule speaks."""
        return self.context_nodes[self.context_offsets[1:] - 1]

    @property
    def max_order(self) -> int:
        """The highest order kept; 0 for a table without rules."""
        return int(self.orders[-1]) if self.n_rules else 0

    @cached_property
    def rules_by_order(self) -> dict[int, int]:
        """How many rules there are of each order."""
        orders, amounts = np.unique(self.orders, return_counts=True)
        return dict(zip(orders.tolist(), amounts.tolist(), strict=True))

    def order_slice(self, order: int) -> slice:
        """The rules of one order, which stand together."""
        return slice(*np.searchsorted(self.orders, (order, order + 1)).tolist())

    def rows_of_order(self, order: int) -> slice:
        """The rows (context and target) of the rules of one order."""
        rules = self.order_slice(order)
        return slice(int(self.target_offsets[rules.start]), int(self.target_offsets[rules.stop]))

    def pair_sums(self, order: int) -> PairSums:
        """What the rules of one order say of pairs of nodes, an entry a row."""
        rows = self.rows_of_order(order)
        oldest = self.oldest[self.rule_of_row[rows]]
        ones = np.ones(rows.stop - rows.start, np.int64)
        return PairSums(oldest, self.targets[rows], ones, self.counts[rows], self.probabilities[rows])

    def contexts(self, order: int) -> NDArray[np.int32]:
        """The contexts of one order as rows of node ids, oldest first."""
        rules = self.order_slice(order)
        nodes = self.context_nodes[self.context_offsets[rules.start] : self.context_offsets[rules.stop]]
        return nodes.reshape(-1, order)

    def context(self, rule: int) -> tuple[Hashable, ...]:
        """The labels of one rule's context, oldest first."""
        nodes = self.context_nodes[self.context_offsets[rule] : self.context_offsets[rule + 1]]
        return tuple(self.vocabulary.labels[node] for node in nodes.tolist())

    def by_order(self, order: int) -> RuleTable:
        """The rules of one order."""
        require_whole("order", order, least=1)
        return self.select(self.orders == order)

    def for_node(self, node: Hashable, place: Place = "newest") -> RuleTable:
        """The rules with a node at the newest place (where one is), the oldest (whose row of S they fill), or any."""
        require_one_of("place", place, get_args(Place))
        number = self.vocabulary.id(node)
        if place == "newest":
            return self.select(self.newest == number)
        if place == "oldest":
            return self.select(self.oldest == number)
        return self.select(np.logical_or.reduceat(self.context_nodes == number, self.context_offsets[:-1]))

    def select(self, chosen: NDArray[np.bool_]) -> RuleTable:
        """The rules where `chosen` is true, in the same order."""
        in_context = np.repeat(chosen, self.orders)
        in_rows = np.repeat(chosen, np.diff(self.target_offsets))
        return RuleTable(
            vocabulary=self.vocabulary,
            params=self.params,
            context_nodes=self.context_nodes[in_context],
            context_offsets=offsets_of(self.orders[chosen]),
            target_offsets=offsets_of(np.diff(self.target_offsets)[chosen]),
            targets=self.targets[in_rows],
            counts=self.counts[in_rows],
            divergences=self.divergences[chosen],
            accepted=self.accepted[chosen],
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """One dict a row, with labels, as `honem rules` writes them."""
        labels = self.vocabulary.labels
        rows = zip(self.targets.tolist(), self.counts.tolist(), self.probabilities.tolist(), strict=True)
        ends = self.target_offsets[1:].tolist()
        row_number = 0
        for rule in range(self.n_rules):
            facts = {
                "support": int(self.supports[rule]),
                "divergence": float(self.divergences[rule]),
                "threshold": float(self.thresholds[rule]),
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
        """One row a (context, target), with labels."""
        import pyarrow as pa

        try:
            labels = pa.array(self.vocabulary.labels)
        except pa.ArrowException as error:
            raise HonemError(
                f"node ids of several types cannot stand in one column; make them strings: {error}"
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
                "accepted": self.accepted[rule],
            }
        )

    def to_pandas(self) -> pd.DataFrame:
        """One row a (context, target), with labels."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def __repr__(self) -> str:
        orders = ", ".join(f"order {order}: {amount}" for order, amount in self.rules_by_order.items())
        head = f"RuleTable({self.n_rules} rules, {len(self)} rows; {orders or 'empty'})"
        # The longest histories are what a reader looks for first.
        return "\n".join([head, *(f"  {self.describe(rule)}" for rule in reversed(range(self.n_rules)[-5:]))])

    def verdict(self, rule: int) -> str:
        """Say in the words of the criterion why a rule of order 2 or more was accepted or not."""
        score, threshold = float(self.divergences[rule]), float(self.thresholds[rule])
        return self.params.acceptance.verdict(score, threshold, bool(self.accepted[rule]))

    def describe(self, rule: int) -> str:
        """One rule in a line: `C | A, B -> D 75 %, E 25 % (support 8, 1.20 > 0.95 bits)`."""
        *older, here = map(str, self.context(rule))
        rows = slice(self.target_offsets[rule], self.target_offsets[rule + 1])
        likeliest = np.argsort(-self.probabilities[rows], kind="stable")[:4].tolist()
        shown = [
            f"{self.vocabulary.labels[self.targets[rows][row]]} {self.probabilities[rows][row]:.0%}"
            for row in likeliest
        ]
        hidden = rows.stop - rows.start - len(shown)
        where = f"{here} | {', '.join(older)}" if older else here
        sign = ">" if self.accepted[rule] else "<="
        why = f", {self.divergences[rule]:.3f} {sign} {self.thresholds[rule]:.3f} bits" if older else ""
        more = f", {hidden} more" if hidden else ""
        return f"{where} -> {', '.join(shown)}{more} (support {self.supports[rule]}{why})"
