"""Embedding: vectors by node, the nodes nearest to one, and scores of pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_one_of, require_whole
from honem.corpus import Vocabulary
from honem.errors import ParameterError

if TYPE_CHECKING:
    import os

    import pandas as pd
    import pyarrow as pa

    from honem.network import Network

PathLike: TypeAlias = "str | os.PathLike[str]"
Vectors = NDArray[np.float64]
Score = Literal["source.target", "source.source", "cosine", "euclidean"]
"""How two nodes are compared: `source_i . target_j` (which reconstructs S), `source_i . source_j`, the cosine of the
sources, or their negative Euclidean distance. More is nearer, always."""

Which = Literal["source", "target", "both"]
"""Which vectors of a node: one of the two, or both side by side."""

BLOCK_BYTES = 64 << 20


class Neighbor(NamedTuple):
    """A node and its score."""

    node: Hashable
    score: float


@dataclass(frozen=True, eq=False)
class Embedding:
    """Vectors for the nodes of a corpus.

    `source` says where a node leads, `target` where it is led to; a method with only one kind has no `target`.

    >>> embedding = Embedding(Vocabulary(("a", "b", "c")), np.array([[1.0, 0], [1, 1], [0, 1]]))
    >>> embedding.neighbors("a", 1, space="cosine")
    [Neighbor(node='b', score=0.7071067811865475)]
    """

    vocabulary: Vocabulary
    source: Vectors
    target: Vectors | None = None
    singular_values: Vectors | None = None

    def __post_init__(self) -> None:
        for name, vectors in (("source", self.source), ("target", self.target)):
            if vectors is not None and (vectors.ndim != 2 or len(vectors) != len(self.vocabulary)):
                raise ParameterError(f"{name} has shape {vectors.shape} for {len(self.vocabulary)} nodes")

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes, row by row."""
        return self.vocabulary.labels

    @property
    def dimension(self) -> int:
        """Columns of the vectors."""
        return int(self.source.shape[1])

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, node: object) -> bool:
        return node in self.vocabulary

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.vocabulary)

    def __getitem__(self, node: Hashable) -> Vectors:
        """The source vector of a node."""
        vector: Vectors = self.source[self.vocabulary.id(node)]
        return vector

    def vectors(self, nodes: Iterable[Hashable]) -> Vectors:
        """The source vectors of several nodes, a row each."""
        return self.source[[self.vocabulary.id(node) for node in nodes]]

    def neighbors(self, node: Hashable, n: int = 10, *, space: Score = "cosine") -> list[Neighbor]:
        """The n nodes with the highest scores from a node, itself left out; equal scores in node order."""
        ids, scores = self.nearest([node], n, space=space)
        pairs = zip(ids[0].tolist(), scores[0].tolist(), strict=True)
        return [Neighbor(self.vocabulary[number], score) for number, score in pairs]

    def nearest(
        self, nodes: Iterable[Hashable] | None = None, n: int = 10, *, space: Score = "cosine"
    ) -> tuple[NDArray[np.int64], Vectors]:
        """Ids and scores of the nearest nodes of many (of all unless said): exact, in blocks of bounded memory."""
        require_whole("n", n, least=1)
        compare = self._comparison(space)
        all_nodes = range(len(self)) if nodes is None else [self.vocabulary.id(node) for node in nodes]
        queries = np.array(all_nodes, dtype=np.int64)
        n = min(n, len(self) - 1)
        ids = np.empty((len(queries), n), np.int64)
        scores = np.empty((len(queries), n))
        block = max(1, BLOCK_BYTES // (8 * max(1, len(self))))
        for start in range(0, len(queries), block):
            rows = slice(start, start + block)
            all_scores = compare(queries[rows])
            all_scores[np.arange(len(all_scores)), queries[rows]] = -np.inf
            ids[rows], scores[rows] = _highest(all_scores, n)
        return ids, scores

    def score(self, a: Hashable, b: Hashable, kind: Score | None = None) -> float:
        """The score of the ordered pair (a, b); by default the one that reconstructs S."""
        return float(self.scores([(a, b)], kind)[0])

    def scores(self, pairs: Iterable[tuple[Hashable, Hashable]], kind: Score | None = None) -> Vectors:
        """The scores of ordered pairs."""
        numbers = [(self.vocabulary.id(a), self.vocabulary.id(b)) for a, b in pairs]
        first, second = np.array(numbers, dtype=np.int64).reshape(-1, 2).T
        kind = kind or self.default_score
        left, right = self._sides(kind)
        scores: Vectors = (
            -np.linalg.norm(left[first] - right[second], axis=1)
            if kind == "euclidean"
            else np.einsum("ij,ij->i", left[first], right[second])
        )
        return scores

    @property
    def default_score(self) -> Score:
        """What `score` uses unless told: `source.target` where there are two vectors a node."""
        return "source.source" if self.target is None else "source.target"

    @cached_property
    def _directions(self) -> Vectors:
        lengths: Vectors = np.linalg.norm(self.source, axis=1, keepdims=True)
        return self.source / np.where(lengths > 0, lengths, 1.0)

    def _sides(self, kind: Score) -> tuple[Vectors, Vectors]:
        """What is multiplied with what."""
        require_one_of("score", kind, get_args(Score))
        if kind == "cosine":
            return self._directions, self._directions
        if kind != "source.target":
            return self.source, self.source
        if self.target is None:
            raise ParameterError("this embedding has one vector a node: 'source.target' is not defined for it")
        return self.source, self.target

    def _comparison(self, kind: Score) -> Callable[[NDArray[np.int64]], Vectors]:
        """A function that scores some nodes against all."""
        left, right = self._sides(kind)
        if kind != "euclidean":
            return lambda numbers: left[numbers] @ right.T
        squares: Vectors = np.einsum("ij,ij->i", right, right)

        def distances(numbers: NDArray[np.int64]) -> Vectors:
            squared = squares[numbers, None] - 2 * (left[numbers] @ right.T) + squares
            return -np.sqrt(np.maximum(squared, 0))

        return distances

    def to_matrix(self, vectors: Which = "source") -> tuple[Vectors, NDArray[np.object_]]:
        """The matrix that scikit-learn and its like take, and the node of each row."""
        require_one_of("vectors", vectors, get_args(Which))
        nodes = np.empty(len(self), dtype=object)
        nodes[:] = self.nodes
        if vectors == "source":
            return self.source, nodes
        if self.target is None:
            raise ParameterError(f"this embedding has one vector a node, 'source'; there is no {vectors!r}")
        return self.target if vectors == "target" else np.hstack((self.source, self.target)), nodes

    def feature_names(self) -> list[str]:
        """A name for each number of a node: source_0, source_1, ..., and target_0, ... where there are targets."""
        sides = ["source"] if self.target is None else ["source", "target"]
        return [f"{side}_{column}" for side in sides for column in range(self.dimension)]

    def to_pandas(self) -> pd.DataFrame:
        """A row a node, which is its index; a column a number, named as in `feature_names`."""
        import pandas as pd

        matrix, nodes = self.to_matrix("source" if self.target is None else "both")
        return pd.DataFrame(matrix, index=pd.Index(nodes, name="node"), columns=self.feature_names())

    def to_arrow(self) -> pa.Table:
        """A row a node: the node, and a list of numbers for each of its vectors."""
        from honem.io.formats.vectors import arrow_table

        return arrow_table(self)

    def to_parquet(self, path: PathLike) -> None:
        """The table of `to_arrow` in a file."""
        from honem.io.formats.vectors import to_parquet

        to_parquet(self, path)

    def to_csv(self, path: PathLike) -> None:
        """The table of `to_pandas` in a file."""
        from honem.io.formats.vectors import to_csv

        to_csv(self, path)

    def to_numpy(self, path: PathLike) -> None:
        """All arrays and the nodes in one `.npz`, without pickle."""
        from honem.io.formats.vectors import to_npz

        to_npz(self, path)

    def to_word2vec(self, path: PathLike, vectors: Which = "source") -> None:
        """The text format of word2vec, which gensim reads; white space in names is escaped (`New_x0020_York`)."""
        from honem.io.formats.vectors import to_word2vec

        to_word2vec(self, path, vectors=vectors)

    def to_projector(self, path: PathLike, vectors: Which = "source") -> None:
        """The pair of TSV files of TensorBoard's projector."""
        from honem.io.formats.vectors import to_projector

        to_projector(self, path, vectors=vectors)

    def to_torch(self, network: Network | None = None, vectors: Which = "source") -> dict[str, Any]:
        """Tensors under the names of PyTorch Geometric: `x`, and with a network `edge_index` and `edge_weight`."""
        from honem.io.formats.objects import to_torch

        return to_torch(self, network, vectors=vectors)

    def __repr__(self) -> str:
        return f"Embedding({len(self)} nodes, {self.dimension} dimensions)"


def _highest(scores: Vectors, n: int) -> tuple[NDArray[np.int64], Vectors]:
    """Columns and values of the n highest of each row; ties go to the lower column, whatever the partition did."""
    ids = np.empty((len(scores), n), np.int64)
    for row, values in enumerate(scores):
        least = np.partition(values, len(values) - n)[len(values) - n] if n else np.inf
        candidates: NDArray[Any] = np.flatnonzero(values >= least)
        ids[row] = candidates[np.lexsort((candidates, -values[candidates]))][:n]
    return ids, np.take_along_axis(scores, ids, axis=1)
