"""Names of nodes and edges of a network, one at a time; shared by the formats for networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from honem.io.formats.names import context_name, names_of
from honem.network import Network

EDGES_AT_ONCE = 1 << 16


def node_namer(network: Network) -> Callable[[int], str]:
    """Return a function from a node's number to its name; names are made on demand, so millions need no memory."""
    names = names_of(network.vocabulary.labels)
    context_nodes, offsets = network.context_nodes, network.context_offsets
    return lambda node: context_name([names[i] for i in context_nodes[offsets[node] : offsets[node + 1]].tolist()])


def edges(network: Network) -> Iterator[tuple[int, int, int, float]]:
    """Yield source, target, count and probability of each edge."""
    for start in range(0, network.n_edges, EDGES_AT_ONCE):
        part = slice(start, start + EDGES_AT_ONCE)
        columns = (network.sources, network.targets, network.counts, network.probabilities)
        yield from zip(*(column[part].tolist() for column in columns), strict=True)
