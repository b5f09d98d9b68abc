"""The data table: sizes of both networks of a corpus, and correlations of its higher-order dependencies."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.network import first_order_network, higher_order_network
from honem.rules import RuleTable


@dataclass(frozen=True)
class DataRow:
    """Sizes of one data set: its sequences (None if unknown), first-order (FON) and higher-order (HON) network."""

    dataset: str
    sequences: int | None
    nodes: int
    fon_edges: int
    fon_mean_in_degree: float
    hon_nodes: int
    hon_edges: int
    hon_mean_in_degree: float
    gamma: float
    highest_order: int


def data_row(corpus: Corpus, rules: RuleTable, dataset: str = "corpus") -> DataRow:
    """Return the sizes of a corpus and of its networks.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    rules : RuleTable
        Rules of the corpus, with `lower_orders="hon"` for the network of Xu et al.
    dataset : str, default="corpus"
        Name of the data set.

    Returns
    -------
    DataRow
        gamma is HON edges / FON edges; self-loops count as edges.

    Raises
    ------
    ParameterError
        If the rules are of another corpus.
    """
    if rules.vocabulary is not corpus.vocabulary and rules.vocabulary.labels != corpus.vocabulary.labels:
        raise ParameterError("the rules are of another corpus: their nodes differ")
    first, higher = first_order_network(corpus), higher_order_network(rules)
    return DataRow(
        dataset=dataset,
        sequences=corpus.n_sequences,
        nodes=first.n_nodes,
        fon_edges=first.n_edges,
        fon_mean_in_degree=first.mean_in_degree,
        hon_nodes=higher.n_nodes,
        hon_edges=higher.n_edges,
        hon_mean_in_degree=higher.mean_in_degree,
        gamma=higher.n_edges / first.n_edges if first.n_edges else float("nan"),
        highest_order=rules.max_order,
    )


class Correlation(NamedTuple):
    """Pearson's r, its p-value, and the number of nodes; NaN if one side is constant."""

    r: float
    p_value: float
    n_nodes: int


def dependency_counts(rules: RuleTable) -> NDArray[np.int64]:
    """Return the number of higher-order dependencies of each node: accepted rules of order 2 or more that end in it."""
    counted = rules.accepted & (rules.orders > 1)
    return np.bincount(rules.newest[counted], minlength=len(rules.vocabulary))


def dependency_correlation(rules: RuleTable, amounts: Mapping[Hashable, float]) -> Correlation:
    """Correlate the number of higher-order dependencies of nodes with another amount.

    Parameters
    ----------
    rules : RuleTable
        The rules.
    amounts : mapping
        Amount of each node; nodes without one are left out.

    Returns
    -------
    Correlation
    """
    from scipy.stats import pearsonr

    known = np.array([node in amounts for node in rules.vocabulary], np.bool_)
    values = np.array([amounts[node] for node in rules.vocabulary if node in amounts], np.float64)
    counts = dependency_counts(rules)[known].astype(np.float64)
    if len(values) < 3 or not np.ptp(values) or not np.ptp(counts):
        return Correlation(float("nan"), float("nan"), len(values))
    found = pearsonr(counts, values)
    return Correlation(float(found.statistic), float(found.pvalue), len(values))


class DependentShares(NamedTuple):
    """The share of nodes with a higher-order dependency among those of high and among those of low traffic."""

    high: float
    low: float

    @property
    def more_likely(self) -> float:
        """How much more likely nodes of high traffic are to have one: 0.5 is 50 % more."""
        return self.high / self.low - 1 if self.low else float("inf") if self.high else 0.0


def dependent_shares(rules: RuleTable, traffic: Mapping[Hashable, float]) -> DependentShares:
    """Compare nodes of high traffic, above the median, with the others.

    Parameters
    ----------
    rules : RuleTable
        The rules.
    traffic : mapping
        Traffic of every node of the vocabulary.
    """
    amounts = np.array([traffic[node] for node in rules.vocabulary], np.float64)
    is_high, is_dependent = amounts > np.median(amounts), dependency_counts(rules) > 0
    high, low = (float(is_dependent[side].mean()) if side.any() else 0.0 for side in (is_high, ~is_high))
    return DependentShares(high, low)


def indicator(labels: Mapping[Hashable, str], value: str) -> dict[Hashable, float]:
    """Return 1 for nodes with a label, 0 for nodes with another label; nodes without a label are left out.

    Raises
    ------
    ParameterError
        If no node has the label.

    Examples
    --------
    >>> indicator({"a": "high", "b": "low", "c": ""}, "high")
    {'a': 1.0, 'b': 0.0}
    """
    if value not in labels.values():
        raise ParameterError(f"no node has the label {value!r}")
    return {node: float(label == value) for node, label in labels.items() if label}
