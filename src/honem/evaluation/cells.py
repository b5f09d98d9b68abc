"""Cells: one method on one task at one dimension and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from honem.embedding import Embedding
from honem.evaluation.chosen_method import ChosenMethod
from honem.evaluation.methods import Fitted, Method
from honem.evaluation.records import Measure, Record
from honem.evaluation.tasks.base import Task

NO_DIMENSION = 0
"""Dimension in the tables of a method that has none."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One method on one task at one dimension and seed: the smallest unit that is computed and stored.

    A method that chooses among recipes chooses them for the task, as somebody with that purpose would ask it to. A
    method that holds out sequences to choose something does so in the way of the task.
    """

    task: Task
    method: Method
    dimension: int
    seed: int

    def __post_init__(self) -> None:
        if isinstance(self.method, ChosenMethod):
            facts = {name: getattr(self.task, name, None) for name in ("tune_for", "distinct")}
            told = {name: value for name, value in facts.items() if value}
            object.__setattr__(self, "method", self.method.told(**told))

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """Data set, task, method, dimension and seed, as in tables."""
        return (self.task.dataset, self.task.name, self.method.name, self.dimension, self.seed)


def cells(task: Task, methods: Iterable[Method], dimensions: Iterable[int], seeds: Iterable[int]) -> Iterator[Cell]:
    """Yield all cells of a task.

    Seeds are the outermost loop, so that a run that is stopped has complete comparisons. A method that does not use
    the dimension has one cell per seed.

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
    """
    methods, dimensions = tuple(methods), tuple(dimensions)
    for seed in seeds:
        for number, dimension in enumerate(dimensions):
            for method in methods:
                if uses_dimension(method):
                    yield Cell(task, method, dimension, seed)
                elif number == 0:
                    yield Cell(task, method, NO_DIMENSION, seed)


def uses_dimension(method: Method) -> bool:
    """Return whether the dimension can change the result of a method."""
    return getattr(method, "uses_dimension", True)


def evaluate_cell(cell: Cell) -> list[Record]:
    """Fit the method of a cell and judge it."""
    corpus = cell.task.training_corpus(cell.seed)
    return judge_cell(cell, cell.method.fit(corpus, cell.dimension, cell.seed))


def judge_cell(cell: Cell, fitted: Fitted) -> list[Record]:
    """Judge what was fitted, or read from a file, before; the records have the dimension of the vectors themselves."""
    return records_of(cell, cell.task.judge(fitted, cell.seed), fitted)


def records_of(cell: Cell, measures: Iterable[Measure], fitted: Fitted) -> list[Record]:
    """Return measures as records of a cell."""
    dataset, task, method, dimension, seed = cell.key
    dimension = fitted.dimension if isinstance(fitted, Embedding) else dimension
    return [Record(dataset, task, method, dimension, seed, *measure) for measure in measures]
