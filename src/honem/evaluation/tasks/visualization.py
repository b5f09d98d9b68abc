"""Visualisation: whether nodes of different classes separate in two dimensions, to the eye and in numbers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding, Vectors, Which
from honem.embedding.projection import Tsne, project
from honem.evaluation.aligning import align
from honem.evaluation.labels import LabelledNodes, labelled_nodes
from honem.evaluation.records import Measure
from honem.evaluation.tasks.base import RegisteredTask, register_task


@dataclass(frozen=True, eq=False)
class Picture:
    """Nodes as points in two dimensions; `classes` are indices into `names`."""

    nodes: tuple[Hashable, ...]
    points: Vectors
    classes: NDArray[np.int64]
    names: tuple[str, ...]

    def neighbor_accuracy(self, k: int = 10, *, balanced: bool = False) -> float:
        """Return the share of points whose class is the most frequent one among their k nearest other points.

        Parameters
        ----------
        k : int, default=10
            Number of neighbours; ties between classes go to the first name.
        balanced : bool, default=False
            Return the mean of the share over the classes, which says more if one class is much larger than the others.
        """
        require_whole("k", k, least=1)
        right = self._votes(min(k, len(self.points) - 1)).argmax(axis=1) == self.classes
        if not balanced:
            return float(right.mean())
        return float((np.bincount(self.classes, right) / np.bincount(self.classes)).mean())

    def _votes(self, k: int) -> NDArray[np.int64]:
        """Count the classes of the k nearest other points of each point."""
        from sklearn.neighbors import NearestNeighbors

        # Without an argument, kneighbors leaves each point out of its own neighbours.
        nearest = NearestNeighbors(n_neighbors=k).fit(self.points).kneighbors(return_distance=False)
        votes = [np.count_nonzero(self.classes[nearest] == number, axis=1) for number in range(len(self.names))]
        return np.stack(votes, axis=1)

    def silhouette(self) -> float:
        """Return the silhouette coefficient, from -1 to 1: how much closer points are to their own class."""
        from sklearn.metrics import silhouette_score

        return float(silhouette_score(self.points, self.classes))


@register_task
@dataclass(frozen=True, eq=False)
class Visualization(RegisteredTask):
    """Project the labelled nodes to two dimensions with t-SNE and measure how well their classes separate.

    Methods see the whole corpus. The metrics are `knn_accuracy`, `knn_balanced_accuracy` and `silhouette`; the score
    says which vectors were projected.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    labels : mapping
        Class of each node; an empty string means no label.
    values : collection of str, optional
        Only nodes of these classes are shown; all by default.
    dataset : str, default="corpus"
        Name of the data set in tables.
    vectors : {"source", "target", "both"}, default="source"
        Which vectors are projected.
    k : int, default=10
        Number of nearest neighbours.
    tsne : {"opentsne", "sklearn"}, default="opentsne"
        Which implementation of t-SNE is used.
    n_jobs : int, default=1
        Threads of t-SNE.
    name : str, default="visualization"
        Name of the task in tables.
    """

    command = "visualization"
    summary = "project labelled nodes to two dimensions and measure how well their classes separate"
    judges = ("vectors",)
    main_metrics = ("knn_balanced_accuracy",)
    shown_metrics = ("knn_", "silhouette")
    position = 40
    tune_for = "labels"

    corpus: Corpus
    labels: Mapping[Hashable, str]
    values: Collection[str] | None = None
    dataset: str = "corpus"
    vectors: Which = "source"
    k: int = 10
    tsne: Tsne = "opentsne"
    n_jobs: int = 1
    name: str = "visualization"

    def training_corpus(self, seed: int) -> Corpus:
        """Return the whole corpus, regardless of the seed."""
        return self.corpus

    @cached_property
    def nodes(self) -> LabelledNodes:
        """The nodes that are projected."""
        return labelled_nodes(self.corpus.vocabulary, self.labels, only=self.values, least=2)

    def picture(self, fitted: Embedding, seed: int) -> Picture:
        """Return the points to draw."""
        features, nodes = align(fitted, self.corpus.vocabulary).to_matrix(self.vectors)
        points = project(features[self.nodes.ids], seed, tsne=self.tsne, n_jobs=self.n_jobs)
        return Picture(tuple(nodes[self.nodes.ids]), points, self.nodes.classes, self.nodes.names)

    def judge(self, fitted: Embedding, seed: int) -> Iterator[Measure]:
        """Return the measures of the picture."""
        return self.measures(self.picture(fitted, seed))

    def measures(self, picture: Picture) -> Iterator[Measure]:
        """Yield the measures of a picture."""
        yield Measure(self.vectors, "knn_accuracy", picture.neighbor_accuracy(self.k))
        yield Measure(self.vectors, "knn_balanced_accuracy", picture.neighbor_accuracy(self.k, balanced=True))
        yield Measure(self.vectors, "silhouette", picture.silhouette())
