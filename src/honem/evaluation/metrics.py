"""Rankings of all ordered pairs of nodes: Precision@k, average precision per node, MAP; in blocks, never N x N at once.

Higher scores come first. Equal scores are ranked by the ids of the pair (source, then target), regardless of the block
size, so every number is reproducible. That order is not neutral: ids are assigned by first appearance, so frequent
nodes come first, and vectors of zeros, which carry no information, have several times the precision of chance. Where
there may be many ties, as in the tasks, `rank_shuffled` breaks them by an order of the nodes drawn from a seed.
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
from honem.evaluation.pair_scores import RowsOfScores, Scored, rows_of_scores, select_nodes
from honem.tuning.average_precision import average_precisions
from honem.tuning.edges import Edges


@dataclass(frozen=True, eq=False)
class Ranking:
    """How high the true pairs rank among all candidates.

    Parameters
    ----------
    hits : array of bool
        Whether the pair at each place of the ranking is true; only the best places are kept.
    n_candidates : int
        Number of ranked pairs.
    n_true : int
        Number of true pairs.
    average_precisions : array of float, optional
        AP(i) of every node i among the candidates that leave i; NaN for nodes that no true pair leaves.
    average_precisions_of_new : array of float, optional
        The same without the pairs about which something was known, neither as true pairs nor as other candidates.
    """

    hits: NDArray[np.bool_]
    n_candidates: int
    n_true: int
    average_precisions: Vectors | None = None
    average_precisions_of_new: Vectors | None = None

    def precision_at(self, k: int) -> float:
        """Return the share of true pairs among the k best."""
        return float(self.precisions([k])[0])

    def precisions(self, ks: Sequence[int]) -> Vectors:
        """Return Precision@k for several k.

        Raises
        ------
        ParameterError
            If a k is larger than the number of pairs that were kept.
        """
        for k in ks:
            require_whole("k", k, least=1)
            if k > len(self.hits):
                raise ParameterError(f"k = {k} is more than the {len(self.hits)} best pairs that were kept")
        places = np.asarray(ks, np.int64)
        return np.cumsum(self.hits)[places - 1] / places

    @property
    def n_judged(self) -> int:
        """Number of nodes that a true pair leaves."""
        return _n_numbers(self._average_precisions)

    @property
    def mean_average_precision(self) -> float:
        """MAP: the mean of AP(i) over the nodes that a true pair leaves."""
        return _mean_of_numbers(self._average_precisions)

    @property
    def mean_over_all_nodes(self) -> float:
        """MAP as defined in the paper: the mean over all nodes, where AP(i) is 0 if no true pair leaves i."""
        return float(np.nansum(self._average_precisions) / len(self._average_precisions))

    @property
    def n_judged_by_new(self) -> int:
        """Number of nodes that a true pair about which nothing was known leaves."""
        return _n_numbers(self._average_precisions_of_new)

    @property
    def mean_over_new_pairs(self) -> float:
        """MAP among the pairs about which nothing was known."""
        return _mean_of_numbers(self._average_precisions_of_new)

    @property
    def _average_precisions(self) -> Vectors:
        if self.average_precisions is None:
            raise ParameterError("this ranking has no average precisions; ask rank_pairs for them with per_node=True")
        return self.average_precisions

    @property
    def _average_precisions_of_new(self) -> Vectors:
        if self.average_precisions_of_new is None:
            raise ParameterError("this ranking does not know which pairs are new; tell rank_pairs with known=EDGES")
        return self.average_precisions_of_new


def _n_numbers(values: Vectors) -> int:
    return int(np.count_nonzero(~np.isnan(values)))


def _mean_of_numbers(values: Vectors) -> float:
    return float(np.nansum(values) / _n_numbers(values)) if _n_numbers(values) else float("nan")


def rank_pairs(
    model: Scored,
    truth: Edges,
    *,
    score: Score | None = None,
    excluded: Edges | None = None,
    known: Edges | None = None,
    n_top: int = 100_000,
    per_node: bool = True,
    block_bytes: int = BLOCK_BYTES,
) -> Ranking:
    """Rank all ordered pairs i != j that are not excluded, and compare the ranking with the true pairs.

    Parameters
    ----------
    model : Embedding or PairScorer
        Row i of the model is node i of the edges.
    truth : Edges
        The true pairs.
    score : str, optional
        How vectors are compared; by default the default score of the embedding. A PairScorer has its own score.
    excluded : Edges, optional
        Pairs that are not ranked; none by default.
    known : Edges, optional
        Pairs about which something was known, such as their reverse. They are ranked like others, and left out of a
        second set of average precisions.
    n_top : int, default=100_000
        Number of best pairs that are kept for Precision@k.
    per_node : bool, default=True
        Whether to compute the average precision of every node.
    block_bytes : int, default=67_108_864
        Size of a block of scores; peak memory is a few blocks and the `n_top` best pairs.

    Returns
    -------
    Ranking

    Raises
    ------
    ParameterError
        If the edges have another number of nodes, if true pairs are excluded, or if scores are not finite.

    Examples
    --------
    >>> from honem.corpus import Vocabulary
    >>> embedding = Embedding(Vocabulary(("a", "b", "c")), np.eye(3), np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]))
    >>> ranking = rank_pairs(embedding, Edges.of_pairs(3, [0, 1, 2], [1, 2, 0]))
    >>> ranking.precision_at(3), ranking.mean_average_precision
    (1.0, 1.0)
    """
    n_nodes = len(model.vocabulary)
    excluded = Edges(n_nodes, np.zeros(0, np.int64)) if excluded is None else excluded
    _check(model, truth, excluded)
    n_candidates = n_nodes * (n_nodes - 1) - len(excluded)
    best = BestPairs(min(n_top, n_candidates))
    of_all, of_new = np.full((2, n_nodes), np.nan)
    new = truth if known is None else truth.select(~known.contain(truth.keys))
    for start, scores in score_blocks(rows_of_scores(model, score), n_nodes, excluded, block_bytes):
        block = slice(start, start + len(scores))
        best.add(scores.ravel(), start * n_nodes)
        if per_node:
            of_all[block] = average_precisions(scores, *truth.leaving(block.start, block.stop))
        if per_node and known is not None:
            scores[known.leaving(block.start, block.stop)] = -np.inf
            of_new[block] = average_precisions(scores, *new.leaving(block.start, block.stop))
    return Ranking(
        truth.contain(best.keys_in_order()),
        n_candidates,
        len(truth),
        of_all if per_node else None,
        of_new if per_node and known is not None else None,
    )


def rank_shuffled(
    model: Scored,
    truth: Edges,
    seed: int,
    *,
    score: Score | None = None,
    excluded: Edges | None = None,
    known: Edges | None = None,
    n_top: int = 100_000,
    per_node: bool = True,
) -> Ranking:
    """Rank pairs as `rank_pairs` does, but break ties by an order of the nodes drawn from a seed.

    Parameters
    ----------
    model, truth, score, excluded, known, n_top, per_node
        As in `rank_pairs`.
    seed : int
        Seed of the order of the nodes.

    Returns
    -------
    Ranking
    """
    (stream,) = np.random.SeedSequence(seed).spawn(1)
    order = np.random.default_rng(stream).permutation(len(model.vocabulary))
    place = np.argsort(order)
    nodes = Vocabulary(tuple(model.vocabulary[node] for node in order.tolist()))
    ranking = rank_pairs(
        select_nodes(model, nodes, order),
        truth.renumbered(place),
        score=score,
        excluded=None if excluded is None else excluded.renumbered(place),
        known=None if known is None else known.renumbered(place),
        n_top=n_top,
        per_node=per_node,
    )
    of_all, of_new = (
        None if found is None else found[place]
        for found in (ranking.average_precisions, ranking.average_precisions_of_new)
    )
    return replace(ranking, average_precisions=of_all, average_precisions_of_new=of_new)


def score_blocks(
    scores_from: RowsOfScores, n_nodes: int, excluded: Edges, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[int, Vectors]]:
    """Yield the first row and the scores of each block of rows; pairs that are not candidates have -inf."""
    block = max(1, block_bytes // (8 * max(1, n_nodes)))
    for start in range(0, n_nodes, block):
        nodes = np.arange(start, min(start + block, n_nodes))
        scores = scores_from(nodes)
        scores[nodes - start, nodes] = -np.inf
        scores[excluded.leaving(start, start + len(nodes))] = -np.inf
        yield start, scores


class BestPairs:
    """The n best of all pairs added in the order of their keys; of equal scores the earliest are kept."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.scores: Vectors = np.zeros(0)
        self.keys: NDArray[np.int64] = np.zeros(0, np.int64)
        self.least = -np.inf

    def add(self, scores: Vectors, first_key: int) -> None:
        """Add the scores of the pairs first_key, first_key + 1, ..."""
        # Strictly more: once n pairs are kept, a later pair with the lowest of their scores ranks behind them.
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
        """Return the keys of the n best pairs, best first."""
        self._shrink()
        return self.keys[np.argsort(-self.scores, kind="stable")]


def log_spaced(most: int, per_decade: int = 5) -> list[int]:
    """Return integers from 1 to `most`, both included, evenly spaced on a logarithmic scale.

    Parameters
    ----------
    most : int
        The last number.
    per_decade : int, default=5
        How many numbers there are per factor of 10, before rounding.

    Examples
    --------
    >>> log_spaced(100)
    [1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100]
    """
    require_whole("most", most, least=1)
    exponents = np.arange(0, np.log10(most), 1 / per_decade)
    numbers: list[int] = np.unique(np.append(np.rint(10**exponents), most)).astype(int).tolist()
    return numbers


def _check(model: Scored, truth: Edges, excluded: Edges) -> None:
    if isinstance(model, Embedding):
        require_finite(model)
    n_nodes = len(model.vocabulary)
    for name, edges in (("true", truth), ("excluded", excluded)):
        if edges.n_nodes != n_nodes:
            raise ParameterError(f"the {name} pairs are of {edges.n_nodes} nodes, the model has {n_nodes}")
    if excluded.contain(truth.keys).any():
        raise ParameterError("some true pairs are excluded from the ranking")
