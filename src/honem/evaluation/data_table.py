"""The data table: how large both networks of a corpus are, and what its higher-order dependencies go with."""

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
    """One data set: its sequences and its first-order (FON) and higher-order (HON) network."""

    dataset: str
    sequences: int
    nodes: int
    fon_edges: int
    fon_mean_in_degree: float
    hon_nodes: int
    hon_edges: int
    hon_mean_in_degree: float
    gamma: float
    highest_order: int


def data_row(corpus: Corpus, rules: RuleTable, dataset: str = "corpus") -> DataRow:
    """The row of a corpus; `rules` are its rules, with `lower_orders="hon"` for the network of Xu et al.

    gamma is HON edges / FON edges. Loops are edges like others here.
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
    """Pearson's r, the p-value of no correlation, and of how many nodes; not a number where one side is constant."""

    r: float
    p_value: float
    n_nodes: int


def dependency_counts(rules: RuleTable) -> NDArray[np.int64]:
    """The higher-order dependencies of each node: accepted rules of order 2 and more that speak when one is there."""
    counted = rules.accepted & (rules.orders > 1)
    return np.bincount(rules.newest[counted], minlength=len(rules.vocabulary))


def dependency_correlation(rules: RuleTable, amounts: Mapping[Hashable, float]) -> Correlation:
    """Does a node with more higher-order dependencies have more of something? Nodes without an amount are left out."""
    from scipy.stats import pearsonr

    known = np.array([node in amounts for node in rules.vocabulary], np.bool_)
    values = np.array([amounts[node] for node in rules.vocabulary if node in amounts], np.float64)
    counts = dependency_counts(rules)[known].astype(np.float64)
    if len(values) < 3 or not np.ptp(values) or not np.ptp(counts):
        return Correlation(float("nan"), float("nan"), len(values))
    found = pearsonr(counts, values)
    return Correlation(float(found.statistic), float(found.pvalue), len(values))


def indicator(labels: Mapping[Hashable, str], value: str) -> dict[Hashable, float]:
    """1 for nodes with that label, 0 for those with another; those without one have none.

    >>> indicator({"a": "high", "b": "low", "c": ""}, "high")
    {'a': 1.0, 'b': 0.0}
    """
    if value not in labels.values():
        raise ParameterError(f"no node has the label {value!r}")
    return {node: float(label == value) for node, label in labels.items() if label}
