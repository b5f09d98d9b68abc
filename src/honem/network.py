"""Build the first-order network of a corpus and the higher-order network of a rule table."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of, steps_of
from honem.corpus import Corpus, Vocabulary
from honem.rules import RuleTable
from honem.rules.context_tree import ContextTree


@dataclass(frozen=True, eq=False)
class Network:
    """A weighted directed network whose nodes are contexts.

    The first nodes are the nodes of the vocabulary (contexts of order 1), in its order and including those without
    outgoing edges. Contexts of higher orders follow.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes of the paths.
    context_nodes, context_offsets : array of int
        Network node i is the context `context_nodes[context_offsets[i]:context_offsets[i + 1]]`, oldest node first.
    sources, targets : array of int
        The network nodes that each edge connects.
    counts : array of int
        How often each edge was observed.
    probabilities : array of float
        The transition probability of each edge.
    """

    vocabulary: Vocabulary
    context_nodes: NDArray[np.int32]
    context_offsets: NDArray[np.int64]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.context_offsets) - 1

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.sources)

    @property
    def mean_in_degree(self) -> float:
        """Mean number of edges per node."""
        return self.n_edges / self.n_nodes if self.n_nodes else 0.0

    def context(self, node: int) -> tuple[Hashable, ...]:
        """Return the context that a node of the network represents.

        Parameters
        ----------
        node : int
            Number of the network node.

        Returns
        -------
        tuple of hashable
            The labels of the context, oldest first.
        """
        nodes = self.context_nodes[self.context_offsets[node] : self.context_offsets[node + 1]]
        return tuple(self.vocabulary.labels[number] for number in nodes.tolist())

    def name(self, node: int) -> str:
        """Return the printed name of a node of the network.

        Parameters
        ----------
        node : int
            Number of the network node.

        Returns
        -------
        str
            The newest node, followed by the older ones: `C|B.A` is the node C after B after A.
        """
        *older, here = map(str, self.context(node))
        return f"{here}|{'.'.join(reversed(older))}" if older else here

    def sizes(self) -> dict[str, Any]:
        """Return the number of nodes and edges and the mean in-degree."""
        return {"nodes": self.n_nodes, "edges": self.n_edges, "mean_in_degree": self.mean_in_degree}

    def __repr__(self) -> str:
        return f"Network({self.n_nodes} nodes, {self.n_edges} edges)"


def first_order_network(corpus: Corpus) -> Network:
    """Build the network of all steps of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The sequences.

    Returns
    -------
    Network
        One edge per distinct step, with its count and its transition probability.

    Examples
    --------
    >>> first_order_network(Corpus.from_sequences([["a", "b", "c"], ["a", "b"]]))
    Network(3 nodes, 2 edges)
    """
    from scipy.sparse import coo_array

    ends, _ = steps_of(corpus.lengths)
    weights = np.repeat(corpus.weights, corpus.lengths)[ends]
    steps = (corpus.tokens[ends - 1], corpus.tokens[ends])
    n_nodes = corpus.n_nodes
    counted = coo_array((weights, steps), shape=(n_nodes, n_nodes)).tocsr()
    counted.sum_duplicates()
    edges = counted.tocoo()
    return Network(
        vocabulary=corpus.vocabulary,
        context_nodes=np.arange(n_nodes, dtype=np.int32),
        context_offsets=np.arange(n_nodes + 1),
        sources=edges.row.astype(np.int64),
        targets=edges.col.astype(np.int64),
        counts=edges.data,
        probabilities=edges.data / np.asarray(counted.sum(axis=1))[edges.row],
    )


def higher_order_network(rules: RuleTable) -> Network:
    """Build the higher-order network of Xu, Wickramarathne and Chawla (2016).

    The edge of a context c to a target t leads to the longest suffix of c + (t,) that is a rule, or to the first-order
    node t if none is, because t was never followed by another node.

    Parameters
    ----------
    rules : RuleTable
        The rules. With `criterion="divergence"` and `lower_orders="hon"` they give the network of that paper.

    Returns
    -------
    Network

    Examples
    --------
    >>> from honem import Corpus, extract_rules
    >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
    >>> network = higher_order_network(extract_rules(Corpus.from_sequences(trips), engine="reference"))
    >>> network.n_nodes, network.n_edges
    (7, 6)
    """
    n_nodes = len(rules.vocabulary)
    n_first = rules.rules_by_order.get(1, 0)
    # Rules of order 2 and more follow the first-order nodes, some of which may not be rules.
    node_of_rule: NDArray[np.int64] = np.arange(rules.n_rules) + n_nodes - n_first
    node_of_rule[:n_first] = rules.newest[:n_first]
    higher = slice(rules.context_offsets[n_first], None)
    rule_of_row = rules.rule_of_row
    destination = ContextTree.of(rules).longest_suffixes(*_histories_with_target(rules))
    return Network(
        vocabulary=rules.vocabulary,
        context_nodes=np.concatenate((np.arange(n_nodes, dtype=np.int32), rules.context_nodes[higher])),
        context_offsets=offsets_of(np.concatenate((np.ones(n_nodes, np.int32), rules.orders[n_first:]))),
        sources=node_of_rule[rule_of_row],
        targets=np.where(destination >= 0, node_of_rule[destination], rules.targets),
        counts=rules.counts,
        probabilities=rules.probabilities,
    )


def _histories_with_target(rules: RuleTable) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return c + (t,) of every row, concatenated, and the offsets."""
    lengths = rules.orders[rules.rule_of_row].astype(np.int64)
    offsets = offsets_of(lengths + 1)
    nodes = np.empty(offsets[-1], np.int32)
    is_target = np.zeros(offsets[-1], np.bool_)
    is_target[offsets[1:] - 1] = True
    nodes[is_target] = rules.targets
    nodes[~is_target] = rules.context_nodes[gather_ranges(rules.context_offsets[rules.rule_of_row], lengths)]
    return nodes, offsets
