"""Embed the nodes of the higher-order network, then pool them to first-order nodes: the approach the paper rejects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of
from honem.corpus import Corpus
from honem.embedding import Embedding, Vectors
from honem.evaluation.baselines.base import Baseline, Sides
from honem.evaluation.baselines.registry import make_baseline, network_methods
from honem.evaluation.methods import RegisteredMethod, register_method
from honem.network import Network, higher_order_network
from honem.rules import RuleTable
from honem.rules.engines import extract_rules

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix

Pool = Literal["max", "mean", "weighted"]


@register_method
@dataclass(frozen=True, kw_only=True)
class HonPool(Baseline):
    """Embed the nodes of the higher-order network with another method, and pool those of the same place.

    A node of the higher-order network is a context; its place is the newest node of the context.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator of `method`. Equal seeds give equal vectors, to the bit.
    method : str, default="deepwalk"
        Name of the method that embeds the higher-order network.
    pool : {"max", "mean", "weighted"}, default="mean"
        "max" takes the largest number of each column, "mean" the mean, "weighted" the mean weighted by the counts of
        the edges in and out.
    method_options : mapping, optional
        Options of `method`.
    """

    method: str = "deepwalk"
    pool: Pool = "mean"
    method_options: Mapping[str, Any] = field(default_factory=dict)

    name = "hon-pool"
    position = 120

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one_of("pool", self.pool, get_args(Pool))
        self.first_order_method()

    def first_order_method(self) -> Baseline:
        """Return the method that embeds the nodes of the higher-order network."""
        require_one_of("method", self.method, tuple(name for name in network_methods() if name != self.name))
        general = {"n_components": self.n_components, "directed": self.directed, "random_state": self.random_state}
        return make_baseline(self.method, **{**general, **self.method_options})

    def settings(self) -> dict[str, Any]:
        """Return all options, and those of the method that embeds the higher-order network."""
        return {**super().settings(), "method_settings": self.first_order_method().settings()}

    def parts(self) -> tuple[RegisteredMethod, ...]:
        """Return this method and the one that embeds the higher-order network."""
        return (self, *self.first_order_method().parts())

    def fit(self, paths: RuleTable | Network | Corpus) -> Embedding:
        """Embed and pool the nodes of a higher-order network.

        Parameters
        ----------
        paths : Corpus, RuleTable or Network
            Rules are replaced by their higher-order network, a corpus by the rules of HON+, with
            `criterion="divergence"` and `lower_orders="hon"`.

        Returns
        -------
        Embedding
            One vector per node of the vocabulary.
        """
        if isinstance(paths, Corpus):
            paths = extract_rules(paths, criterion="divergence", lower_orders="hon")
        network = higher_order_network(paths) if isinstance(paths, RuleTable) else paths
        found = self.first_order_method().fit(network)
        target = None if found.target is None else pooled(network, found.target, self.pool)
        return Embedding(network.vocabulary, pooled(network, found.source, self.pool), target)

    def embed(self, weights: Matrix) -> Sides:
        """Embed a higher-order network given by its weights."""
        return self.first_order_method().embed(weights)


def pooled(network: Network, vectors: Vectors, pool: Pool) -> Vectors:
    """Return one row per node of the vocabulary from one row per context; contexts without edges do not count."""
    place_of = network.context_nodes[network.context_offsets[1:] - 1]
    shape = (len(network.vocabulary), vectors.shape[1])
    ends = np.concatenate((network.sources, network.targets))
    traffic = np.zeros(network.n_nodes)
    np.add.at(traffic, ends, np.tile(network.counts, 2))
    if pool == "max":
        highest = np.full(shape, -np.inf)
        np.maximum.at(highest, place_of[traffic > 0], vectors[traffic > 0])
        return np.where(np.isfinite(highest), highest, 0.0)
    weights = traffic if pool == "weighted" else (traffic > 0).astype(np.float64)
    total, amount = np.zeros(shape), np.zeros(shape[0])
    np.add.at(total, place_of, weights[:, None] * vectors)
    np.add.at(amount, place_of, weights)
    return total / np.where(amount > 0, amount, 1.0)[:, None]
