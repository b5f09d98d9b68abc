"""Every method at every dimension and seed, a cell at a time; and whole tables in one call."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honem.corpus import Corpus
from honem.embedding import Embedding, Score, Which
from honem.embedding.projection import Tsne
from honem.evaluation.methods import Method, Task
from honem.evaluation.records import Measure, Record, to_frame
from honem.evaluation.tasks.classification import CLASSIFIERS, Classification, Classifier
from honem.evaluation.tasks.link_prediction import CURVE, LinkPrediction
from honem.evaluation.tasks.reconstruction import Reconstruction
from honem.evaluation.tasks.visualization import Visualization

if TYPE_CHECKING:
    import pandas as pd

DIMENSIONS = (4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, eq=False)
class Cell:
    """One method on one task at one dimension and seed: the least that is computed, or kept, as a whole."""

    task: Task
    method: Method
    dimension: int
    seed: int

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What tells it from every other cell: data set, task, method, dimension, seed."""
        return (self.task.dataset, self.task.name, self.method.name, self.dimension, self.seed)


def cells(task: Task, methods: Iterable[Method], dimensions: Iterable[int], seeds: Iterable[int]) -> Iterator[Cell]:
    """All cells of a task: seeds outermost, so that a run that is stopped has whole comparisons."""
    methods, dimensions = tuple(methods), tuple(dimensions)
    for seed in seeds:
        for dimension in dimensions:
            for method in methods:
                yield Cell(task, method, dimension, seed)


def evaluate_cell(cell: Cell) -> list[Record]:
    """Learn and judge one cell."""
    corpus = cell.task.training_corpus(cell.seed)
    return judge_cell(cell, cell.method.fit(corpus, cell.dimension, cell.seed))


def judge_cell(cell: Cell, embedding: Embedding) -> list[Record]:
    """Judge an embedding that was learnt, or read, before; the records name its own dimension."""
    return records_of(cell, cell.task.judge(embedding, cell.seed), embedding.dimension)


def records_of(cell: Cell, measures: Iterable[Measure], dimension: int) -> list[Record]:
    """The numbers of an embedding of that dimension, with the name of the cell."""
    dataset, task, method, _, seed = cell.key
    return [Record(dataset, task, method, dimension, seed, *measure) for measure in measures]


def evaluate(task: Task, methods: Iterable[Method], dimensions: Iterable[int], seeds: Iterable[int]) -> pd.DataFrame:
    """A tidy frame of all cells of a task."""
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
    """Network reconstruction, as a tidy frame; see Reconstruction."""
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
    """Link prediction, as a tidy frame; see LinkPrediction."""
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
    repeats: int = 10,
    dataset: str = "corpus",
) -> pd.DataFrame:
    """Node classification by each kind of labels, as a tidy frame; see Classification."""
    methods, dimensions, seeds = tuple(methods), tuple(dimensions), tuple(seeds)
    records: list[Record] = []
    for label, theirs in labels.items():
        task = Classification(corpus, label, theirs, dataset, classifiers, vectors, repeats)
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
    """The numbers beside the pictures, as a tidy frame; see Visualization."""
    task = Visualization(corpus, labels, values, dataset, tsne=tsne)
    return evaluate(task, methods, dimensions, seeds)
