"""Embeddings and methods with a known outcome."""

from __future__ import annotations

import numpy as np

from honem import Corpus, Embedding, Vocabulary
from honem.evaluation import Edges


def vocabulary(n_nodes: int) -> Vocabulary:
    return Vocabulary(tuple(f"node {number}" for number in range(n_nodes)))


def random_embedding(corpus: Corpus, dimension: int, seed: int) -> Embedding:
    """A method that has learnt nothing."""
    source, target = np.random.default_rng(seed).normal(size=(2, corpus.n_nodes, dimension))
    return Embedding(corpus.vocabulary, source, target)


def knowing(edges: Edges, nodes: Vocabulary) -> Embedding:
    """An embedding that is the truth: source . target is 1 for an edge and 0 for any other pair."""
    target = np.zeros((len(nodes), len(nodes)))
    target[edges.targets, edges.sources] = 1
    return Embedding(nodes, np.eye(len(nodes)), target)
