"""What a task is, and the registry of all tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast

from honem.corpus import Corpus
from honem.evaluation.methods import MethodKind
from honem.evaluation.records import Measure
from honem.evaluation.registry import LAST, Registry
from honem.profile import Features

if TYPE_CHECKING:
    from honem.tuning.tuner import TuneFor


class Task(Protocol):
    """A question that is put to every method in the same way: what it may learn from, and how the result is judged."""

    @property
    def name(self) -> str:
        """Name of the task in tables."""

    @property
    def dataset(self) -> str:
        """Name of the data set in tables."""

    def training_corpus(self, seed: int) -> Corpus:
        """Return what a method may see; it is the same for every method with the same seed."""

    def judge(self, fitted: Any, seed: int) -> Iterator[Measure]:
        """Yield the measures of one method that was fitted to the training corpus of that seed."""


class RegisteredTask(ABC):
    """Base class of the tasks that can be selected by name, as in `honem evaluate --task`.

    Subclasses are frozen dataclasses decorated with `register_task`. They have the fields `corpus` and `dataset`; a
    task about classes of nodes has a field `labels`, from node to class, and may have a field `label`, their name.
    """

    command: ClassVar[str]
    """Name on the command line."""
    summary: ClassVar[str]
    """One line that says what is measured, for help and documentation."""
    judges: ClassVar[tuple[MethodKind, ...]]
    """Kinds of methods that can be judged."""
    main_metrics: ClassVar[tuple[str, ...]]
    """Methods are compared by the mean of these metrics."""
    higher_is_better: ClassVar[bool] = True
    """Direction of the main metrics."""
    shown_metrics: ClassVar[tuple[str, ...]]
    """Prefixes of the metrics in the printed summary."""
    default_methods: ClassVar[tuple[str, ...]] = ("honem", "first-order")
    """Methods that are compared unless others are named."""
    position: ClassVar[int] = LAST
    """Where the task is listed."""
    tune_for: ClassVar[TuneFor | None] = None
    """What methods that choose among recipes are told that their vectors are for, unless their options say so."""

    @abstractmethod
    def training_corpus(self, seed: int) -> Corpus:
        """Return what a method may see; it is the same for every method with the same seed."""

    @abstractmethod
    def judge(self, fitted: Any, seed: int) -> Iterator[Measure]:
        """Yield the measures of one method that was fitted to the training corpus of that seed."""

    @classmethod
    def input_names(cls) -> tuple[str, ...]:
        """Return the names of all fields."""
        return tuple(field.name for field in fields(cast(Any, cls)))

    @classmethod
    def needs_labels(cls) -> bool:
        """Return whether the task is about classes of nodes."""
        return "labels" in cls.input_names()


TASKS: Registry[str, type[RegisteredTask]] = Registry(
    "honem.evaluation.tasks", key=lambda task: task.command, position=lambda task: task.position
)
"""All tasks, by their names on the command line."""

Registered = TypeVar("Registered", bound=type[RegisteredTask])


def register_task(task: Registered) -> Registered:
    """Add a task class to TASKS; use it as a decorator."""
    TASKS.register(task)
    return task


def make_task(
    command: str,
    corpus: Corpus,
    dataset: str = "corpus",
    *,
    label: str | None = None,
    labels: Mapping[Hashable, str] | None = None,
    distinct: bool = False,
    holdout: str = "random",
    features: Sequence[Features] = ("vectors",),
) -> Task:
    """Return the task of this name at its defaults.

    Parameters
    ----------
    command : str
        Name of the task on the command line.
    corpus : Corpus
        The paths.
    dataset : str, default="corpus"
        Name of the data set in tables.
    label : str, optional
        Name of the labels, for tasks that have one.
    labels : mapping, optional
        Class of each node; only tasks about classes take it, and they need it.
    distinct : bool, default=False
        Whether equal sequences are held out together, for tasks that hold out sequences.
    holdout : {"random", "time"}, default="random"
        Which sequences are held out, for tasks that hold out sequences: random ones, or those that began last.
    features : sequence of str, default=("vectors",)
        What describes a node, "vectors", "profile" or "both"; only for tasks that have a choice.

    Raises
    ------
    KeyError
        If there is no task of this name.
    """
    task = TASKS[command]
    inputs = {
        "corpus": corpus,
        "dataset": dataset,
        "label": label,
        "labels": labels,
        "distinct": distinct,
        "holdout": holdout,
        "features": features,
    }
    return cast(Task, task(**{name: value for name, value in inputs.items() if name in task.input_names()}))
