"""Whole tables in one call: every method at every dimension and seed, as a tidy frame."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from honem.corpus import Corpus
from honem.embedding import Score, Which
from honem.embedding.projection import Tsne
from honem.evaluation.cells import cells, evaluate_cell
from honem.evaluation.methods import Method
from honem.evaluation.records import Record, to_frame
from honem.evaluation.tasks.base import Task
from honem.evaluation.tasks.classification import CLASSIFIERS, Classification, Classifier
from honem.evaluation.tasks.link_prediction import CURVE, LinkPrediction
from honem.evaluation.tasks.reconstruction import Reconstruction
from honem.evaluation.tasks.visualization import Visualization
from honem.profile import Features

if TYPE_CHECKING:
    import pandas as pd

DIMENSIONS = (4, 8, 16, 32, 64, 128, 256)


def evaluate(task: Task, methods: Iterable[Method], dimensions: Iterable[int], seeds: Iterable[int]) -> pd.DataFrame:
    """Evaluate methods on a task.

    Parameters
    ----------
    task : Task
        The task.
    methods : iterable of Method
        The methods to compare.
    dimensions : iterable of int
        Numbers of columns of the vectors.
    seeds : iterable of int
        Each seed draws another split, and is the seed of the methods.

    Returns
    -------
    pandas.DataFrame
        One row per number: data set, task, method, dimension, seed, score, metric and value.
    """
    return to_frame(record for cell in cells(task, methods, dimensions, seeds) for record in evaluate_cell(cell))


def evaluate_reconstruction(
    corpus: Corpus,
    methods: Iterable[Method],
    dimensions: Iterable[int] = (128,),
    seeds: Iterable[int] = range(5),
    scores: Sequence[Score] | None = None,
    *,
    ks: Sequence[int] | None = None,
    dataset: str = "corpus",
) -> pd.DataFrame:
    """Evaluate methods on network reconstruction: rank all pairs, the first-order edges are true.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    methods : iterable of Method
        The methods to compare.
    dimensions : iterable of int, default=(128,)
        Numbers of columns of the vectors.
    seeds : iterable of int, default=range(5)
        Each seed draws another split, and is the seed of the methods.
    scores : sequence of str, optional
        How vectors are compared; by default by their dot products and by cosine similarity.
    ks : sequence of int, optional
        The k of Precision@k.
    dataset : str, default="corpus"
        Name of the data set in the frame.

    Returns
    -------
    pandas.DataFrame
        One row per number: data set, task, method, dimension, seed, score, metric and value.
    """
    return evaluate(Reconstruction(corpus, dataset, scores, ks), methods, dimensions, seeds)


def evaluate_link_prediction(
    corpus: Corpus,
    methods: Iterable[Method],
    dimensions: Iterable[int] = DIMENSIONS,
    seeds: Iterable[int] = range(5),
    scores: Sequence[Score] | None = None,
    *,
    share: float = 0.2,
    ks: Sequence[int] = CURVE,
    dataset: str = "corpus",
) -> pd.DataFrame:
    """Evaluate methods on link prediction: rank all pairs that are not training edges; held-out edges are positive.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    methods : iterable of Method
        The methods to compare.
    dimensions : iterable of int, default=(4, 8, 16, 32, 64, 128, 256)
        Numbers of columns of the vectors.
    seeds : iterable of int, default=range(5)
        Each seed draws another split, and is the seed of the methods.
    scores : sequence of str, optional
        How vectors are compared; by default by their dot products and by cosine similarity.
    share : float, default=0.2
        Share of the first-order edges that are held out.
    ks : sequence of int, optional
        The k of Precision@k. Default: logarithmically spaced up to 100,000, and 1024.
    dataset : str, default="corpus"
        Name of the data set in the frame.

    Returns
    -------
    pandas.DataFrame
        One row per number: data set, task, method, dimension, seed, score, metric and value.
    """
    return evaluate(LinkPrediction(corpus, dataset, share, scores, ks), methods, dimensions, seeds)


def evaluate_classification(
    corpus: Corpus,
    methods: Iterable[Method],
    labels: Mapping[str, Mapping[Hashable, str]],
    dimensions: Iterable[int] = (128,),
    seeds: Iterable[int] = range(5),
    *,
    classifiers: Sequence[Classifier] = CLASSIFIERS,
    vectors: Sequence[Which] = ("source",),
    features: Sequence[Features] = ("vectors",),
    repeats: int = 10,
    dataset: str = "corpus",
) -> pd.DataFrame:
    """Evaluate methods on node classification, for each kind of labels.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    methods : iterable of Method
        The methods to compare.
    labels : mapping
        For each kind of labels, by name, the class of each node.
    dimensions : iterable of int, default=(128,)
        Numbers of columns of the vectors.
    seeds : iterable of int, default=range(5)
        Each seed draws another split, and is the seed of the methods.
    classifiers : sequence of str
        By default "logistic_regression", "random_forest", "decision_tree" and "adaboost".
    vectors : sequence of str, default=("source",)
        Which vectors are the features: "source", "target" or "both".
    features : sequence of str, default=("vectors",)
        What describes a node: its "vectors", its "profile" or "both".
    repeats : int, default=10
        Number of splits per seed.
    dataset : str, default="corpus"
        Name of the data set in the frame.

    Returns
    -------
    pandas.DataFrame
        One row per number: data set, task, method, dimension, seed, score, metric and value.
    """
    methods, dimensions, seeds = tuple(methods), tuple(dimensions), tuple(seeds)
    records: list[Record] = []
    for label, theirs in labels.items():
        task = Classification(corpus, label, theirs, dataset, classifiers, vectors, features, repeats)
        for cell in cells(task, methods, dimensions, seeds):
            records += evaluate_cell(cell)
    return to_frame(records)


def evaluate_visualization(
    corpus: Corpus,
    methods: Iterable[Method],
    labels: Mapping[Hashable, str],
    values: Collection[str] | None = None,
    dimensions: Iterable[int] = (128,),
    seeds: Iterable[int] = (0,),
    *,
    tsne: Tsne = "opentsne",
    dataset: str = "corpus",
) -> pd.DataFrame:
    """Evaluate methods by how well classes of nodes separate in two dimensions.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    methods : iterable of Method
        The methods to compare.
    labels : mapping
        Class of each node.
    values : collection of str, optional
        Only nodes of these classes are shown; all by default.
    dimensions : iterable of int, default=(128,)
        Numbers of columns of the vectors.
    seeds : iterable of int, default=(0,)
        Each seed draws another split, and is the seed of the methods.
    tsne : {"opentsne", "sklearn"}, default="opentsne"
        Which implementation of t-SNE is used.
    dataset : str, default="corpus"
        Name of the data set in the frame.

    Returns
    -------
    pandas.DataFrame
        One row per number: data set, task, method, dimension, seed, score, metric and value.
    """
    task = Visualization(corpus, labels, values, dataset, tsne=tsne)
    return evaluate(task, methods, dimensions, seeds)
