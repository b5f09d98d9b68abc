"""Visualisation: do nodes of different classes lie apart in two dimensions, to the eye and in numbers?"""

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


@dataclass(frozen=True, eq=False)
class Picture:
    """Nodes as points in two dimensions, each with its class as a place in `names`."""

    nodes: tuple[Hashable, ...]
    points: Vectors
    classes: NDArray[np.int64]
    names: tuple[str, ...]

    def neighbor_accuracy(self, k: int = 10, *, balanced: bool = False) -> float:
        """The share of points whose class is the commonest among their k nearest others; of equals the first name.

        Where one class is much larger than the others, `balanced` tells more: the mean of the share over the classes.
        """
        require_whole("k", k, least=1)
        right = self._votes(min(k, len(self.points) - 1)).argmax(axis=1) == self.classes
        if not balanced:
            return float(right.mean())
        return float((np.bincount(self.classes, right) / np.bincount(self.classes)).mean())

    def _votes(self, k: int) -> NDArray[np.int64]:
        """How many of the k nearest others of each point are of each class."""
        from sklearn.neighbors import NearestNeighbors

        # Asked about its own points without naming them, it leaves each one out of its neighbours.
        nearest = NearestNeighbors(n_neighbors=k).fit(self.points).kneighbors(return_distance=False)
        votes = [np.count_nonzero(self.classes[nearest] == number, axis=1) for number in range(len(self.names))]
        return np.stack(votes, axis=1)

    def silhouette(self) -> float:
        """How much nearer points are to their own class than to the next: from -1 to 1."""
        from sklearn.metrics import silhouette_score

        return float(silhouette_score(self.points, self.classes))


@dataclass(frozen=True, eq=False)
class Visualization:
    """t-SNE of the nodes with some label values (all unless said), judged in two dimensions.

    Methods see the whole corpus. Reported are `knn_accuracy`, `knn_balanced_accuracy` and `silhouette`; the score of a
    row is which vectors were projected.
    """

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
        """The whole corpus, whatever the seed."""
        return self.corpus

    @cached_property
    def nodes(self) -> LabelledNodes:
        """The nodes that are shown."""
        return labelled_nodes(self.corpus.vocabulary, self.labels, only=self.values, least=2)

    def picture(self, embedding: Embedding, seed: int) -> Picture:
        """The points to draw."""
        features, nodes = align(embedding, self.corpus.vocabulary).to_matrix(self.vectors)
        points = project(features[self.nodes.ids], seed, tsne=self.tsne, n_jobs=self.n_jobs)
        return Picture(tuple(nodes[self.nodes.ids]), points, self.nodes.classes, self.nodes.names)

    def judge(self, embedding: Embedding, seed: int) -> Iterator[Measure]:
        """The numbers beside the picture."""
        return self.measures(self.picture(embedding, seed))

    def measures(self, picture: Picture) -> Iterator[Measure]:
        """What is told of a picture."""
        yield Measure(self.vectors, "knn_accuracy", picture.neighbor_accuracy(self.k))
        yield Measure(self.vectors, "knn_balanced_accuracy", picture.neighbor_accuracy(self.k, balanced=True))
        yield Measure(self.vectors, "silhouette", picture.silhouette())
