"""The way the paper rejects: embed the nodes of the higher-order network, then pool them to first-order nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of
from honem.corpus import Corpus
from honem.embedding import Embedding, Vectors
from honem.errors import ParameterError
from honem.evaluation.baselines.base import Baseline, Sides
from honem.network import Network, higher_order_network
from honem.rules import RuleTable

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix

Pool = Literal["max", "mean", "weighted"]


@dataclass(frozen=True, kw_only=True)
class HonPool(Baseline):
    """A first-order `method` on the higher-order network; `pool` makes one vector of all that stand for a node.

    A node of the higher-order network stands for the newest node of its context: where one is. "max" takes the
    largest number of each column, "mean" the mean, "weighted" the mean by the counts of the edges in and out.
    """

    method: str = "deepwalk"
    pool: Pool = "mean"
    method_options: Mapping[str, Any] = field(default_factory=dict)

    name = "hon-pool"
    needs_rules = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one_of("pool", self.pool, get_args(Pool))
        self.first_order_method()

    def first_order_method(self) -> Baseline:
        """The method that embeds the nodes of the higher-order network."""
        from honem.evaluation.baselines.registry import METHODS, make_baseline

        require_one_of("method", self.method, tuple(name for name in METHODS if name != self.name))
        general = {"n_components": self.n_components, "directed": self.directed, "random_state": self.random_state}
        return make_baseline(self.method, **{**general, **self.method_options})

    def fit(self, paths: RuleTable | Network | Corpus) -> Embedding:
        """The pooled vectors, from rules or from their higher-order network."""
        if isinstance(paths, Corpus):
            raise ParameterError(f"{self.name} takes rules, not a corpus: fit(honem.extract_rules(corpus, ...))")
        network = higher_order_network(paths) if isinstance(paths, RuleTable) else paths
        found = self.first_order_method().fit(network)
        target = None if found.target is None else pooled(network, found.target, self.pool)
        return Embedding(network.vocabulary, pooled(network, found.source, self.pool), target)

    def embed(self, weights: Matrix) -> Sides:
        return self.first_order_method().embed(weights)


def pooled(network: Network, vectors: Vectors, pool: Pool) -> Vectors:
    """One row a node of the vocabulary, from one row a node of the network; nodes without edges have no say."""
    stands_for = network.context_nodes[network.context_offsets[1:] - 1]
    shape = (len(network.vocabulary), vectors.shape[1])
    ends = np.concatenate((network.sources, network.targets))
    traffic = np.zeros(network.n_nodes)
    np.add.at(traffic, ends, np.tile(network.counts, 2))
    if pool == "max":
        highest = np.full(shape, -np.inf)
        np.maximum.at(highest, stands_for[traffic > 0], vectors[traffic > 0])
        return np.where(np.isfinite(highest), highest, 0.0)
    weights = traffic if pool == "weighted" else (traffic > 0).astype(np.float64)
    total, amount = np.zeros(shape), np.zeros(shape[0])
    np.add.at(total, stands_for, weights[:, None] * vectors)
    np.add.at(amount, stands_for, weights)
    return total / np.where(amount > 0, amount, 1.0)[:, None]
