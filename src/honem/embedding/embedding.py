"""Embedding: the vectors of nodes, their nearest neighbours, and scores of pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.html_tables import html_table
from honem._internal.optional_packages import require_package
from honem._internal.path_like import PathLike
from honem._internal.validation import require_one_of, require_whole
from honem._internal.words import name_of
from honem.corpus import Vocabulary
from honem.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from honem.embedding.matrices import Matrix
    from honem.embedding.projection import Projection
    from honem.network import Network

Vectors = NDArray[np.float64]
VectorScore = Literal["source.target", "source.source", "cosine", "euclidean"]
"""How two nodes are compared by their vectors: `source_i . target_j` (which reconstructs S), `source_i . source_j`, the
cosine similarity of the source vectors, or their negative Euclidean distance. Higher is always nearer."""
Score = Literal[VectorScore, "evidence"]
"""How two nodes are compared: by their vectors, or by those and the entry of the matrix that was factorized."""

Which = Literal["source", "target", "both"]
"""Which vectors of a node: its source vector, its target vector, or both concatenated."""

BLOCK_BYTES = 64 << 20
SHOWN_ROWS, SHOWN_COLUMNS = 10, 6
"""Of the table that notebooks show."""


class Neighbor(NamedTuple):
    """A node and its score."""

    node: Hashable
    score: float


@dataclass(frozen=True, eq=False)
class Embedding:
    """Vectors of the nodes of a corpus.

    Parameters
    ----------
    vocabulary : Vocabulary
        The nodes, in the order of the rows.
    source : ndarray of shape (n_nodes, n_dimensions)
        One row per node, describing where the node leads to.
    target : ndarray of the same shape or None, default=None
        One row per node, describing where the node is reached from; None for methods with one vector per node.
    singular_values : ndarray or None, default=None
        The singular values of the columns, for methods that have them.
    preferred_score : {"source.target", "source.source", "cosine", "euclidean"} or None, default=None
        How the vectors are meant to be compared, the default of `score` and `neighbors`. None means "source.target" if
        there are two vectors per node, else "source.source".
    evidence : csr_array of shape (n_nodes, n_nodes) or None, default=None
        The matrix that was factorized, if it is at hand: needed by the score "evidence". It is not written to files.
    rotation : ndarray of shape (n_singular_values, n_dimensions) or None, default=None
        The matrix with orthonormal rows by which the vectors of the factorization were multiplied to align them with
        others; None if they were not.

    Raises
    ------
    ParameterError
        If there is not one row per node.

    Examples
    --------
    >>> embedding = Embedding(Vocabulary(("a", "b", "c")), np.array([[1.0, 0], [1, 1], [0, 1]]))
    >>> embedding.neighbors("a", 1, space="cosine")
    [Neighbor(node='b', score=0.7071067811865475)]
    """

    vocabulary: Vocabulary
    source: Vectors
    target: Vectors | None = None
    singular_values: Vectors | None = None
    preferred_score: VectorScore | None = None
    evidence: Matrix | None = None
    rotation: Vectors | None = None

    def __post_init__(self) -> None:
        for name, vectors in (("source", self.source), ("target", self.target)):
            if vectors is not None and (vectors.ndim != 2 or len(vectors) != len(self.vocabulary)):
                raise ParameterError(f"{name} has shape {vectors.shape} for {len(self.vocabulary)} nodes")

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes, in the order of the rows."""
        return self.vocabulary.labels

    @property
    def dimension(self) -> int:
        """The number of dimensions."""
        return int(self.source.shape[1])

    def unrotated(self) -> Embedding:
        """Return the vectors as they were factorized, one column per singular value, before they were aligned.

        Returns
        -------
        Embedding
            The embedding itself if it was not aligned.
        """
        if self.rotation is None:
            return self
        target = None if self.target is None else self.target @ self.rotation.T
        return replace(self, source=self.source @ self.rotation.T, target=target, rotation=None)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, node: object) -> bool:
        return node in self.vocabulary

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.vocabulary)

    def __getitem__(self, node: Hashable | list[Any]) -> Vectors:
        """Return the source vector of a node, or one row per node of a list of nodes."""
        if isinstance(node, list):
            return self.vectors(node)
        vector: Vectors = self.source[self.vocabulary.id(node)]
        return vector

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the source vectors, one row per node, for NumPy and what uses it."""
        if copy is False and dtype is not None and np.dtype(dtype) != self.source.dtype:
            raise ValueError("the vectors cannot be converted to another type without a copy")
        return np.array(self.source, dtype=dtype) if copy or dtype is not None else self.source

    def vectors(self, nodes: Iterable[Hashable]) -> Vectors:
        """Return the source vectors of nodes.

        Parameters
        ----------
        nodes : iterable of nodes
            The nodes.

        Returns
        -------
        ndarray of shape (n_nodes, n_dimensions)
            One row per node.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        """
        return self.source[[self.vocabulary.id(node) for node in nodes]]

    def neighbors(self, node: Hashable, n: int = 10, *, space: Score | None = None) -> list[Neighbor]:
        """Return the nodes with the highest scores from a node, without the node itself.

        Parameters
        ----------
        node : node
            The node.
        n : int, default=10
            Number of neighbours.
        space : {"cosine", "source.target", "source.source", "euclidean", "evidence"} or None, default=None
            How nodes are compared, see `score`. None means `default_score`.

        Returns
        -------
        list of Neighbor
            Pairs of node and score, highest score first; equal scores in the order of the nodes.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If `n` is less than 1, or the score is not defined for this embedding.
        """
        ids, scores = self.nearest([node], n, space=space)
        pairs = zip(ids[0].tolist(), scores[0].tolist(), strict=True)
        return [Neighbor(self.vocabulary[number], score) for number, score in pairs]

    def nearest(
        self, nodes: Iterable[Hashable] | None = None, n: int = 10, *, space: Score | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """Return the nearest neighbours of many nodes, computed exactly, in blocks of bounded memory.

        Parameters
        ----------
        nodes : iterable of nodes or None, default=None
            The nodes; None for all.
        n : int, default=10
            Number of neighbours of each.
        space : {"cosine", "source.target", "source.source", "euclidean", "evidence"} or None, default=None
            How nodes are compared, see `score`. None means `default_score`.

        Returns
        -------
        ids : ndarray of shape (n_nodes, n)
            Row numbers of the neighbours, nearest first.
        scores : ndarray of shape (n_nodes, n)
            Their scores.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If `n` is less than 1, or the score is not defined for this embedding.
        """
        require_whole("n", n, least=1)
        all_nodes = range(len(self)) if nodes is None else [self.vocabulary.id(node) for node in nodes]
        queries = np.array(all_nodes, dtype=np.int64)
        n = min(n, len(self) - 1)
        ids = np.empty((len(queries), n), np.int64)
        scores = np.empty((len(queries), n))
        for start, all_scores in self.score_blocks(queries, space):
            rows = slice(start, start + len(all_scores))
            all_scores[np.arange(len(all_scores)), queries[rows]] = -np.inf
            ids[rows], scores[rows] = highest_scores(all_scores, n)
        return ids, scores

    def score_blocks(self, numbers: NDArray[np.int64], kind: Score | None = None) -> Iterator[tuple[int, Vectors]]:
        """Yield the scores of nodes, given by row number, to all nodes, in blocks of bounded memory.

        Parameters
        ----------
        numbers : ndarray of int
            Row numbers of the nodes.
        kind : {"source.target", "source.source", "cosine", "euclidean", "evidence"} or None, default=None
            How nodes are compared, see `score`.

        Yields
        ------
        start : int
            Where the block begins among the given nodes.
        scores : ndarray of shape (n_nodes_of_the_block, n_nodes)
            The scores, which may be modified.
        """
        compare = self._comparison(kind or self.default_score)
        block = max(1, BLOCK_BYTES // (8 * max(1, len(self))))
        for start in range(0, len(numbers), block):
            yield start, compare(numbers[start : start + block])

    def score(self, a: Hashable, b: Hashable, kind: Score | None = None) -> float:
        """Return the score of the ordered pair (a, b).

        Parameters
        ----------
        a, b : node
            The nodes.
        kind : {"source.target", "source.source", "cosine", "euclidean", "evidence"} or None, default=None
            How nodes are compared: "source.target" is the dot product of the source vector of the first node and the
            target vector of the second, "source.source" the dot product of the source vectors, "cosine" their cosine
            similarity, "euclidean" their negative distance, "evidence" the default score plus the entry of the matrix
            that was factorized, see `HONEM.with_evidence`. Higher is always nearer. None means `default_score`.

        Returns
        -------
        float

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If the score is not defined for this embedding.
        """
        return float(self.scores([(a, b)], kind)[0])

    def scores(self, pairs: Iterable[tuple[Hashable, Hashable]], kind: Score | None = None) -> Vectors:
        """Return the scores of ordered pairs.

        Parameters
        ----------
        pairs : iterable of pairs of nodes
            The pairs.
        kind : {"source.target", "source.source", "cosine", "euclidean", "evidence"} or None, default=None
            How nodes are compared, see `score`. None means `default_score`.

        Returns
        -------
        ndarray of shape (n_pairs,)

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If the score is not defined for this embedding.
        """
        numbers = [(self.vocabulary.id(a), self.vocabulary.id(b)) for a, b in pairs]
        first, second = np.array(numbers, dtype=np.int64).reshape(-1, 2).T
        return self._scores_of(first, second, kind or self.default_score)

    def _scores_of(self, first: NDArray[np.int64], second: NDArray[np.int64], kind: Score) -> Vectors:
        if kind == "evidence":
            entries: Vectors = self._evidence[first, second]
            return self._scores_of(first, second, self.default_score) + np.asarray(entries)
        left, right = self._sides(kind)
        scores: Vectors = (
            -np.linalg.norm(left[first] - right[second], axis=1)
            if kind == "euclidean"
            else np.einsum("ij,ij->i", left[first], right[second])
        )
        return scores

    @property
    def default_score(self) -> VectorScore:
        """The score that is used unless another one is asked for, see `preferred_score`."""
        if self.preferred_score is not None:
            return self.preferred_score
        return "source.source" if self.target is None else "source.target"

    @cached_property
    def _directions(self) -> Vectors:
        lengths: Vectors = np.linalg.norm(self.source, axis=1, keepdims=True)
        return self.source / np.where(lengths > 0, lengths, 1.0)

    @cached_property
    def _squared_lengths(self) -> Vectors:
        squares: Vectors = np.einsum("ij,ij->i", self.source, self.source)
        return squares

    @property
    def _evidence(self) -> Matrix:
        if self.evidence is None:
            raise ParameterError(
                "the score 'evidence' needs the matrix that was factorized: use model.with_evidence() of a fitted HONEM"
            )
        return self.evidence

    def _sides(self, kind: Score) -> tuple[Vectors, Vectors]:
        """Return the vectors of the first and of the second node of a pair."""
        require_one_of("score", kind, get_args(Score))
        if kind == "cosine":
            return self._directions, self._directions
        if kind != "source.target":
            return self.source, self.source
        if self.target is None:
            raise ParameterError("this embedding has one vector per node: 'source.target' is not defined for it")
        return self.source, self.target

    def _comparison(self, kind: Score) -> Callable[[NDArray[np.int64]], Vectors]:
        """Return a function that scores some nodes against all."""
        if kind == "evidence":
            matrix, by_vectors = self._evidence, self._comparison(self.default_score)
            return lambda numbers: by_vectors(numbers) + matrix[numbers].toarray()
        left, right = self._sides(kind)
        if kind != "euclidean":
            return lambda numbers: left[numbers] @ right.T
        squares = self._squared_lengths

        def distances(numbers: NDArray[np.int64]) -> Vectors:
            squared = squares[numbers, None] - 2 * (left[numbers] @ right.T) + squares
            return -np.sqrt(np.maximum(squared, 0))

        return distances

    def to_matrix(self, vectors: Which = "source") -> tuple[Vectors, NDArray[np.object_]]:
        """Return the vectors as a matrix, as scikit-learn takes it, and the node of each row.

        Parameters
        ----------
        vectors : {"source", "target", "both"}, default="source"
            Which vectors of a node: its source vector, its target vector, or both concatenated.

        Returns
        -------
        matrix : ndarray
            One row per node.
        nodes : ndarray of object
            The nodes.

        Raises
        ------
        ParameterError
            If the embedding does not have these vectors.
        """
        require_one_of("vectors", vectors, get_args(Which))
        nodes = np.empty(len(self), dtype=object)
        nodes[:] = self.nodes
        if vectors == "source":
            return self.source, nodes
        if self.target is None:
            raise ParameterError(f"this embedding has one vector per node, 'source'; there is no {vectors!r}")
        return self.target if vectors == "target" else np.hstack((self.source, self.target)), nodes

    def feature_names(self) -> list[str]:
        """Return column names: source_0, source_1, ..., and target_0, ... if there are target vectors.

        Returns
        -------
        list of str
        """
        sides = ["source"] if self.target is None else ["source", "target"]
        return [f"{side}_{column}" for side in sides for column in range(self.dimension)]

    def to_pandas(self) -> pd.DataFrame:
        """Return the vectors as a DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per node, indexed by node; columns are named as in `feature_names`.

        Raises
        ------
        MissingDependencyError
            If pandas is not installed.
        """
        pandas = require_package("pandas", "pandas", "to_pandas")
        matrix, nodes = self.to_matrix("source" if self.target is None else "both")
        frame: pd.DataFrame = pandas.DataFrame(
            matrix, index=pandas.Index(nodes, name="node"), columns=self.feature_names()
        )
        return frame

    def to_arrow(self) -> pa.Table:
        """Return the vectors as an Arrow table.

        Returns
        -------
        pyarrow.Table
            One row per node: the node, and a list of numbers for each of its vectors.
        """
        from honem.io.formats.parquet import vector_table

        return vector_table(self)

    def to_parquet(self, path: PathLike) -> None:
        """Write the vectors to a Parquet file with the columns of `to_arrow`.

        Parameters
        ----------
        path : str or os.PathLike
            File to write. It is written atomically: after an error the previous file is unchanged.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        from honem.io.formats.writing import write_vectors

        write_vectors(self, path, format="parquet")

    def to_csv(self, path: PathLike) -> None:
        """Write the vectors to a CSV file with the columns of `to_pandas`.

        Parameters
        ----------
        path : str or os.PathLike
            File to write. It is written atomically: after an error the previous file is unchanged.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        from honem.io.formats.writing import write_vectors

        write_vectors(self, path, format="csv")

    def to_numpy(self, path: PathLike) -> None:
        """Write all arrays and the nodes to an `.npz` file, which can be loaded without pickle.

        Parameters
        ----------
        path : str or os.PathLike
            File to write. It is written atomically: after an error the previous file is unchanged.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        from honem.io.formats.writing import write_vectors

        write_vectors(self, path, format="npz")

    def to_word2vec(self, path: PathLike, vectors: Which = "source") -> None:
        """Write the vectors in the text format of word2vec, which gensim reads.

        White space in names is escaped (`New_x0020_York`).

        Parameters
        ----------
        path : str or os.PathLike
            File to write. It is written atomically: after an error the previous file is unchanged.
        vectors : {"source", "target", "both"}, default="source"
            Which vectors of a node: its source vector, its target vector, or both concatenated.

        Raises
        ------
        ParameterError
            If the embedding does not have these vectors.
        OutputError
            If the file cannot be written.
        """
        from honem.io.formats.writing import write_vectors

        write_vectors(self, path, format="word2vec", vectors=vectors)

    def to_projector(self, path: PathLike, vectors: Which = "source") -> None:
        """Write the pair of TSV files that TensorBoard's projector reads.

        Parameters
        ----------
        path : str or os.PathLike
            File for the vectors; the file with the names is written beside it. Both are written atomically.
        vectors : {"source", "target", "both"}, default="source"
            Which vectors of a node: its source vector, its target vector, or both concatenated.

        Raises
        ------
        ParameterError
            If the embedding does not have these vectors.
        OutputError
            If the files cannot be written.
        """
        from honem.io.formats.writing import write_vectors

        write_vectors(self, path, format="projector", vectors=vectors)

    def to_torch(self, network: Network | None = None, vectors: Which = "source") -> dict[str, Any]:
        """Convert vectors to tensors with the names that PyTorch Geometric uses, for `Data(**tensors)`.

        Parameters
        ----------
        network : Network, optional
            A network over the same nodes. Default: none, and the result has no edges.
        vectors : {"source", "target", "both"}, default="source"
            Which vectors of a node: its source vector, its target vector, or both concatenated.

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
        from honem.io.formats.objects import to_torch

        return to_torch(self, network, vectors=vectors)

    def plot(
        self,
        color: Any = None,
        labels: Any = None,
        *,
        coordinates: bool | None = None,
        projection: Projection = "pca",
        seed: int = 0,
        n_names: int = 25,
        visits: Any = None,
        ax: Any = None,
    ) -> Any:
        """Draw the nodes as points with matplotlib: by their vectors, or on a map.

        Parameters
        ----------
        color : str, mapping, sequence or None, default=None
            What nodes are coloured by: a column of the labels, a mapping of nodes to values, or one value per node.
            Numbers get a scale, other values a legend. None means one colour for all.
        labels : path-like, data frame, Arrow table, mapping, NodeLabels or None, default=None
            Names, categories and coordinates: a CSV, TSV or Parquet file or a table in memory with the node in the
            first column, or a mapping {column: {node: value}}. None means the coordinates of the nodes, if they are
            cells of a grid, and nothing else.
        coordinates : bool or None, default=None
            Whether to draw nodes on a map, by the columns lon and lat of the labels; nodes without coordinates are
            left out. None means if there are coordinates.
        projection : {"pca", "tsne", "auto"}, default="pca"
            How vectors become points otherwise: the first two principal axes of the directions of the source vectors,
            or t-SNE. "auto" is t-SNE for up to 30,000 nodes if openTSNE is installed, and PCA otherwise.
        seed : int, default=0
            Seed of t-SNE.
        n_names : int, default=25
            Largest number of names beside nodes. Names that would overlap others are left out.
        visits : sequence of float or None, default=None
            How often each node is visited: the most visited nodes have larger points and get names first. None means
            points of one size, and names for the nodes with the longest source vectors.
        ax : matplotlib.axes.Axes or None, default=None
            Where to draw; None for a new figure. Its size must not change afterwards, or names may overlap.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed, or openTSNE with ``projection="tsne"``.
        ParameterError
            If a parameter is invalid, such as a column that the labels do not have.
        """
        from honem.plots import plot_nodes

        return plot_nodes(
            self,
            color,
            labels,
            coordinates=coordinates,
            projection=projection,
            seed=seed,
            n_names=n_names,
            visits=visits,
            ax=ax,
        )

    def __repr__(self) -> str:
        return f"Embedding({len(self)} nodes, {self.dimension} dimensions)"

    def _repr_html_(self) -> str:
        """Return the first vectors as a table, for notebooks."""
        columns = min(self.dimension, SHOWN_COLUMNS)
        more = [""] if columns < self.dimension else []
        head = ["node", *(f"{number}" for number in range(columns)), *more]
        rows = [
            [name_of(node), *(f"{value:.4g}" for value in vector[:columns].tolist()), *(["…"] if more else [])]
            for node, vector in zip(self.nodes[:SHOWN_ROWS], self.source, strict=False)
        ]
        return html_table(head, rows, repr(self))


def highest_scores(scores: Vectors, n: int) -> tuple[NDArray[np.int64], Vectors]:
    """Return columns and values of the n highest scores of each row; equal scores in the order of the columns."""
    ids = np.empty((len(scores), n), np.int64)
    for row, values in enumerate(scores):
        least = np.partition(values, len(values) - n)[len(values) - n] if n else np.inf
        candidates: NDArray[Any] = np.flatnonzero(values >= least)
        ids[row] = candidates[np.lexsort((candidates, -values[candidates]))][:n]
    return ids, np.take_along_axis(scores, ids, axis=1)
