"""The definitions of evaluation, written out: slow, obvious, with every pair in memory."""

from __future__ import annotations

import numpy as np

from honem import Corpus, Embedding
from honem.embedding.embedding import Score
from honem.evaluation import Edges

Pairs = set[tuple[int, int]]


def pairs_of(edges: Edges) -> Pairs:
    return set(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))


def ranked(embedding: Embedding, score: Score, candidates: Pairs) -> list[tuple[int, int]]:
    """All candidates, best first, ties by source and target."""
    nodes = embedding.nodes
    return sorted(candidates, key=lambda pair: (-embedding.score(nodes[pair[0]], nodes[pair[1]], score), *pair))


def all_pairs(n_nodes: int) -> Pairs:
    return {(i, j) for i in range(n_nodes) for j in range(n_nodes) if i != j}


def precision_at(ranking: list[tuple[int, int]], truth: Pairs, k: int) -> float:
    return sum(pair in truth for pair in ranking[:k]) / k


def average_precision(ranking: list[tuple[int, int]], truth: Pairs) -> float:
    """The mean, over the true pairs, of the precision at the place of each; not a number where there is none."""
    places = [place for place, pair in enumerate(ranking, start=1) if pair in truth]
    return float(np.mean([found / place for found, place in enumerate(places, start=1)])) if places else float("nan")


def cut(corpus: Corpus, held_out: Pairs) -> list[tuple[tuple[object, ...], int]]:
    """Every sequence, cut between the nodes of each held-out step, with its weight."""
    pieces = []
    for sequence, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        piece: list[object] = []
        for node in sequence:
            if piece and (corpus.vocabulary.id(piece[-1]), corpus.vocabulary.id(node)) in held_out:
                pieces.append((tuple(piece), weight))
                piece = []
            piece.append(node)
        pieces.append((tuple(piece), weight))
    return pieces
