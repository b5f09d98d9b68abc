"""Base class of methods that embed a network, and the matrices they share."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_switch, require_whole
from honem.corpus import Corpus, Vocabulary
from honem.embedding import Embedding, Vectors
from honem.errors import HonemWarning, ParameterError
from honem.evaluation.methods import RegisteredMethod
from honem.network import Network, first_order_network

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64, tuple[int, int]]

MAX_DENSE_NODES = 12_000
"""Methods that make dense N x N matrices, of about 1.2 GB each, refuse more nodes than this."""


class Sides(NamedTuple):
    """Vectors, one row per node; `target` is None if a method has only one kind of vector."""

    source: NDArray[Any]
    target: NDArray[Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Baseline(RegisteredMethod):
    """Base class of methods that embed a network: the fields are the options, `embed` is the mathematics.

    The same network, options and `random_state` give the same bits.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    """

    n_components: int = 128
    directed: bool = True
    random_state: int = 0

    kind = "vectors"

    def __post_init__(self) -> None:
        require_whole("n_components", self.n_components, least=1)
        require_whole("random_state", self.random_state, least=0)
        require_switch("directed", self.directed)

    def fit(self, paths: Corpus | Network) -> Embedding:
        """Embed the nodes of a network.

        Parameters
        ----------
        paths : Corpus or Network
            A corpus is replaced by its first-order network.

        Returns
        -------
        Embedding
            Nodes without edges have vectors of zeros. The nodes of a higher-order network are named by their contexts.
        """
        network = first_order_network(paths) if isinstance(paths, Corpus) else paths
        weights = edge_weights(network, self.directed)
        is_linked = in_strengths(weights) + out_strengths(weights) > 0
        if not is_linked.any():
            warnings.warn(f"a network of {network.n_nodes} nodes without edges: all vectors are 0", HonemWarning, 2)
            return Embedding(node_names(network), np.zeros((network.n_nodes, self.n_components)))
        sides = self.embed(weights[is_linked][:, is_linked])
        source, target = (None if side is None else _spread(side, is_linked) for side in sides)
        assert source is not None
        return Embedding(node_names(network), source, target)

    @abstractmethod
    def embed(self, weights: Matrix) -> Sides:
        """Return the vectors, given the weights W of the edges i -> j; each node has an edge in or out."""

    def _require_dense(self, n_nodes: int) -> None:
        if n_nodes > MAX_DENSE_NODES:
            raise ParameterError(
                f"{self.name} makes dense N x N matrices, and N = {n_nodes} is more than {MAX_DENSE_NODES}; "
                "use deepwalk, node2vec, line or graph-factorization"
            )


def edge_weights(network: Network, directed: bool = True) -> Matrix:
    """Return W, where W_ij is the count of the edge i -> j, or W + W^T; columns ascend in each row."""
    from scipy.sparse import csr_array

    edges = (network.counts.astype(np.float64), (network.sources, network.targets))
    weights = csr_array(edges, shape=(network.n_nodes, network.n_nodes))
    weights.sum_duplicates()
    weights.eliminate_zeros()
    return weights if directed else csr_array(weights + weights.T)


def step_probabilities(weights: Matrix) -> Matrix:
    """Return P = D^-1 W; the row of a node without outgoing edges is 0."""
    from scipy.sparse import csr_array, diags_array

    leaving = out_strengths(weights)
    return csr_array(diags_array(1 / np.where(leaving > 0, leaving, 1.0)) @ weights)


def powers(steps: Matrix, n_powers: int) -> Iterator[Vectors]:
    """Yield P, P^2, ... as dense matrices."""
    power: Any = steps.toarray()
    yield power
    for _ in range(n_powers - 1):
        power = steps @ power
        yield power


def out_strengths(weights: Matrix) -> Vectors:
    """Return the sum of the weights of the edges that leave each node."""
    return np.asarray(weights.sum(axis=1), np.float64)


def in_strengths(weights: Matrix) -> Vectors:
    """Return the sum of the weights of the edges that lead to each node."""
    return np.asarray(weights.sum(axis=0), np.float64)


def node_names(network: Network) -> Vocabulary:
    """Return the labels of a first-order network, or the contexts, as tuples, of a higher-order one."""
    if network.n_nodes == len(network.vocabulary):
        return network.vocabulary
    return Vocabulary(tuple(network.context(node) for node in range(network.n_nodes)))


def _spread(vectors: NDArray[Any], is_linked: NDArray[np.bool_]) -> Vectors:
    everywhere = np.zeros((len(is_linked), vectors.shape[1]))
    everywhere[is_linked] = vectors
    return everywhere
