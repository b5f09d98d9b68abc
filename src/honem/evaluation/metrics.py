"""Rankings of all ordered pairs of nodes: Precision@k, average precision a node, MAP; in blocks, never N x N at once.

Higher scores come first. Equal scores are in the order of the pair's ids (source, then target), whatever the block
size, so every number here is the same from run to run. That order is not neutral: ids are given by first appearance,
so much-visited nodes come first, and vectors of zeros, which know nothing, have several times the precision of chance.
Where ties may be many, as in the tasks, `rank_shuffled` gives the nodes an order drawn from a seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_whole
from honem.corpus import Vocabulary
from honem.embedding import BLOCK_BYTES, Embedding, Score, Vectors
from honem.errors import ParameterError
from honem.evaluation.aligning import require_finite
from honem.evaluation.edges import Edges

SORT_FROM = 24
"""From so many true targets on, a row is sorted once; below, counting what beats each of them is quicker."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """How well the true pairs rank among all candidates.

    `hits[r]` says whether the pair at place r of the ranking of all candidates is true; only the best places are
    kept. `average_precisions[i]` is AP(i), among the candidates that leave i, and not a number for nodes which no
    true pair leaves; a ranking that was not asked for them has none.
    """

    hits: NDArray[np.bool_]
    n_candidates: int
    n_true: int
    average_precisions: Vectors | None = None

    def precision_at(self, k: int) -> float:
        """The share of true pairs among the k best."""
        return float(self.precisions([k])[0])

    def precisions(self, ks: Sequence[int]) -> Vectors:
        """Precision@k for several k; a k beyond what was kept is an error."""
        for k in ks:
            require_whole("k", k, least=1)
            if k > len(self.hits):
                raise ParameterError(f"k = {k} is more than the {len(self.hits)} best pairs that were kept")
        places = np.asarray(ks, np.int64)
        return np.cumsum(self.hits)[places - 1] / places

    @property
    def n_judged(self) -> int:
        """Nodes that a true pair leaves."""
        return int(np.count_nonzero(~np.isnan(self._average_precisions)))

    @property
    def mean_average_precision(self) -> float:
        """MAP: the mean of AP(i) over the nodes that a true pair leaves."""
        return float(np.nansum(self._average_precisions) / self.n_judged) if self.n_judged else float("nan")

    @property
    def mean_over_all_nodes(self) -> float:
        """MAP as the paper writes it: AP(i) of a node that no true pair leaves is 0, and all nodes count."""
        return float(np.nansum(self._average_precisions) / len(self._average_precisions))

    @property
    def _average_precisions(self) -> Vectors:
        if self.average_precisions is None:
            raise ParameterError("this ranking has no average precisions; ask rank_pairs for them with per_node=True")
        return self.average_precisions


def rank_pairs(
    embedding: Embedding,
    truth: Edges,
    *,
    score: Score | None = None,
    excluded: Edges | None = None,
    n_top: int = 100_000,
    per_node: bool = True,
    block_bytes: int = BLOCK_BYTES,
) -> Ranking:
    """Rank all ordered pairs i != j that are not excluded, and compare with the true ones.

    Peak memory is a few blocks and the `n_top` best pairs. Row i of an edge is row i of the embedding.

    >>> from honem.corpus import Vocabulary
    >>> embedding = Embedding(Vocabulary(("a", "b", "c")), np.eye(3), np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]))
    >>> ranking = rank_pairs(embedding, Edges.of_pairs(3, [0, 1, 2], [1, 2, 0]))
    >>> ranking.precision_at(3), ranking.mean_average_precision
    (1.0, 1.0)
    """
    n_nodes = len(embedding)
    excluded = Edges(n_nodes, np.zeros(0, np.int64)) if excluded is None else excluded
    _check(embedding, truth, excluded)
    n_candidates = n_nodes * (n_nodes - 1) - len(excluded)
    best = BestPairs(min(n_top, n_candidates))
    precisions = np.full(n_nodes, np.nan)
    for start, scores in score_blocks(embedding, score or embedding.default_score, excluded, block_bytes):
        best.add(scores.ravel(), start * n_nodes)
        if per_node:
            rows, columns = truth.leaving(start, start + len(scores))
            precisions[start : start + len(scores)] = average_precisions(scores, rows, columns)
    return Ranking(truth.contain(best.keys_in_order()), n_candidates, len(truth), precisions if per_node else None)


def rank_shuffled(
    embedding: Embedding,
    truth: Edges,
    seed: int,
    *,
    score: Score | None = None,
    excluded: Edges | None = None,
    n_top: int = 100_000,
    per_node: bool = True,
) -> Ranking:
    """As `rank_pairs`, but ties go by an order of the nodes drawn from the seed: one that says nothing about them."""
    (stream,) = np.random.SeedSequence(seed).spawn(1)
    order = np.random.default_rng(stream).permutation(len(embedding))
    place = np.argsort(order)
    shuffled = Embedding(
        Vocabulary(tuple(embedding.nodes[node] for node in order.tolist())),
        embedding.source[order],
        None if embedding.target is None else embedding.target[order],
    )
    ranking = rank_pairs(
        shuffled,
        truth.renumbered(place),
        score=score,
        excluded=None if excluded is None else excluded.renumbered(place),
        n_top=n_top,
        per_node=per_node,
    )
    found = ranking.average_precisions
    return ranking if found is None else replace(ranking, average_precisions=found[place])


def score_blocks(
    embedding: Embedding, score: Score, excluded: Edges, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[int, Vectors]]:
    """The scores of some rows against all, block by block; what is no candidate has -inf."""
    compare = embedding._comparison(score)
    n_nodes = len(embedding)
    block = max(1, block_bytes // (8 * max(1, n_nodes)))
    for start in range(0, n_nodes, block):
        nodes = np.arange(start, min(start + block, n_nodes))
        scores = compare(nodes)
        scores[nodes - start, nodes] = -np.inf
        scores[excluded.leaving(start, start + len(nodes))] = -np.inf
        yield start, scores


class BestPairs:
    """The n best of pairs that come by in the order of their keys; of equal scores the earliest stay."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.scores: Vectors = np.zeros(0)
        self.keys: NDArray[np.int64] = np.zeros(0, np.int64)
        self.least = -np.inf

    def add(self, scores: Vectors, first_key: int) -> None:
        """Take the scores of the pairs first_key, first_key + 1, ... in."""
        # Strictly more: once n pairs are kept, a later pair with the least of their scores stands behind them.
        found = np.flatnonzero(scores > self.least)
        self.scores = np.concatenate((self.scores, scores[found]))
        self.keys = np.concatenate((self.keys, found + first_key))
        if len(self.keys) > 2 * self.n:
            self._shrink()

    def _shrink(self) -> None:
        if len(self.keys) <= self.n:
            return
        place = len(self.scores) - self.n
        self.least = float(np.partition(self.scores, place)[place]) if self.n else np.inf
        kept = self.scores > self.least
        level = np.flatnonzero(self.scores == self.least)[: self.n - np.count_nonzero(kept)]
        kept[level] = True
        self.scores, self.keys = self.scores[kept], self.keys[kept]

    def keys_in_order(self) -> NDArray[np.int64]:
        """The keys of the n best pairs, best first."""
        self._shrink()
        return self.keys[np.argsort(-self.scores, kind="stable")]


def average_precisions(scores: Vectors, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Vectors:
    """AP of each row of scores, with the true pairs (row, column), rows ascending; not a number where there is none.

    >>> average_precisions(np.array([[0.1, 0.9, 0.5], [1, 1, 1]]), np.array([0, 0]), np.array([0, 1])).tolist()
    [0.8333333333333333, nan]
    """
    ranks = np.empty(len(rows), np.int64)
    starts = np.searchsorted(rows, np.arange(len(scores) + 1))
    for row in np.unique(rows).tolist():
        true = slice(starts[row], starts[row + 1])
        ranks[true] = np.sort(_ranks(scores[row], columns[true]))
    place = np.arange(1, len(rows) + 1) - starts[rows]
    total = np.bincount(rows, place / ranks, minlength=len(scores))
    amount = np.diff(starts)
    return np.where(amount > 0, total / np.maximum(amount, 1), np.nan)


def _ranks(values: Vectors, columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rank of some columns among all values of a row, from 1; ties go to the lower column."""
    own = values[columns]
    if len(columns) < SORT_FROM:
        above = np.array([np.count_nonzero(values > score) for score in own])
        tied = np.ones(len(columns), np.bool_)
    else:
        ordered = np.sort(values)
        last = np.searchsorted(ordered, own, side="right")
        above = len(values) - last
        tied = last - np.searchsorted(ordered, own, side="left") > 1
    before = np.zeros(len(columns), np.int64)
    before[tied] = [
        np.count_nonzero(values[:column] == score) for column, score in zip(columns[tied], own[tied], strict=True)
    ]
    return above + before + 1


def log_spaced(most: int, per_decade: int = 5) -> list[int]:
    """Whole numbers from 1 to `most`, both in, evenly spread in their logarithms.

    >>> log_spaced(100)
    [1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100]
    """
    require_whole("most", most, least=1)
    exponents = np.arange(0, np.log10(most), 1 / per_decade)
    numbers: list[int] = np.unique(np.append(np.rint(10**exponents), most)).astype(int).tolist()
    return numbers


def _check(embedding: Embedding, truth: Edges, excluded: Edges) -> None:
    require_finite(embedding)
    for name, edges in (("true", truth), ("excluded", excluded)):
        if edges.n_nodes != len(embedding):
            raise ParameterError(f"the {name} pairs are of {edges.n_nodes} nodes, the embedding has {len(embedding)}")
    if excluded.contain(truth.keys).any():
        raise ParameterError("some true pairs are excluded from the ranking")
