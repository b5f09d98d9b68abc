"""Networks and vectors as objects of other libraries: networkx, igraph and PyTorch."""

from __future__ import annotations

from collections.abc import Hashable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.errors import MissingDependencyError
from honem.io.formats.edges import edges, node_namer

if TYPE_CHECKING:
    from honem.embedding import Embedding, Vectors, Which
    from honem.network import Network


def to_networkx(network: Network) -> Any:
    """Convert a network to a `networkx.DiGraph`.

    Parameters
    ----------
    network : Network
        A first-order network, whose nodes become the labels, or a higher-order one, whose nodes become tuples of
        labels, oldest first.

    Returns
    -------
    networkx.DiGraph
        Nodes have the attributes `name`, `node` (the newest node of the context) and `order`; edges have `count`,
        `probability` and `weight` (the count).

    Raises
    ------
    MissingDependencyError
        If networkx is not installed.

    Examples
    --------
    >>> from honem import Corpus, first_order_network
    >>> graph = to_networkx(first_order_network(Corpus.from_sequences([["home", "office"]] * 3)))
    >>> graph["home"]["office"]["count"]
    3
    """
    graph = _required("networkx").DiGraph()
    keys = [_key(network, number) for number in range(network.n_nodes)]
    for key, facts in zip(keys, zip(*_node_columns(network).values(), strict=True), strict=True):
        graph.add_node(key, **dict(zip(("name", "node", "order"), facts, strict=True)))
    graph.add_edges_from(
        (keys[source], keys[target], {"weight": count, "count": count, "probability": probability})
        for source, target, count, probability in edges(network)
    )
    return graph


def to_igraph(network: Network) -> Any:
    """Convert a network to a directed `igraph.Graph`.

    Parameters
    ----------
    network : Network
        A first-order or higher-order network.

    Returns
    -------
    igraph.Graph
        Nodes have the attributes `name`, `node` (the newest node of the context) and `order`; edges have `count`,
        `probability` and `weight` (the count).

    Raises
    ------
    MissingDependencyError
        If igraph is not installed.

    Examples
    --------
    >>> from honem import Corpus, first_order_network
    >>> graph = to_igraph(first_order_network(Corpus.from_sequences([["home", "office"]] * 3)))
    >>> graph.es["count"]
    [3]
    """
    counts = network.counts.tolist()
    return _required("igraph").Graph(
        n=network.n_nodes,
        edges=np.column_stack((network.sources, network.targets)),
        directed=True,
        vertex_attrs=_node_columns(network),
        edge_attrs={"weight": counts, "count": counts, "probability": network.probabilities.tolist()},
    )


def to_torch(embedding: Embedding, network: Network | None = None, *, vectors: Which = "source") -> dict[str, Any]:
    """Convert vectors to tensors with the names that PyTorch Geometric uses, for `Data(**tensors)`.

    Parameters
    ----------
    embedding : Embedding
        The vectors.
    network : Network, optional
        A network over the same nodes. Default: none, and the result has no edges.
    vectors : {"source", "target", "both"}, default="source"
        Which vectors of a node.

    Returns
    -------
    dict of str to torch.Tensor
        `x` has one row per node; with a network, one row per node of the network, where a context has the vector of
        its newest node. With a network there are also `edge_index` (2 x edges) and `edge_weight` (probabilities).

    Raises
    ------
    MissingDependencyError
        If PyTorch is not installed.
    """
    torch = _required("torch")
    matrix: Vectors = embedding.to_matrix(vectors)[0]
    if network is None:
        return {"x": torch.from_numpy(matrix.astype(np.float32))}
    newest = network.context_nodes[network.context_offsets[1:] - 1]
    rows = [embedding.vocabulary.id(label) for label in network.vocabulary.labels]
    return {
        "x": torch.from_numpy(matrix[rows][newest].astype(np.float32)),
        "edge_index": torch.from_numpy(np.stack((network.sources, network.targets))),
        "edge_weight": torch.from_numpy(network.probabilities.astype(np.float32)),
    }


def _key(network: Network, number: int) -> Hashable:
    context = network.context(number)
    return context[0] if network.n_nodes == len(network.vocabulary) else context


def _node_columns(network: Network) -> dict[str, list[Any]]:
    name = node_namer(network)
    newest = network.context_nodes[network.context_offsets[1:] - 1].tolist()
    return {
        "name": [name(number) for number in range(network.n_nodes)],
        "node": [network.vocabulary.labels[number] for number in newest],
        "order": np.diff(network.context_offsets).tolist(),
    }


def _required(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        raise MissingDependencyError(f"this needs {package}: pip install {package}") from None
