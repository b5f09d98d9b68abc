"""Forms of a method compete on the first seed: the one that is best there is the one that is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple, TypeAlias

from honem.evaluation.chosen_method import family_of
from honem.evaluation.records import Record
from honem.evaluation.reproduce.tables import Value, value_over_seeds

HOW_FORMS_COMPETE = (
    "Where a method has several forms (options, and ways to score a pair), all of them run on the first seed; the one "
    "that is best there, by the number each section names, is run on all seeds and shown, with its name."
)


class Form(NamedTuple):
    """One way to run a method: the text that asks for it, and how its vectors are compared.

    >>> str(Form("node2vec:p=0.5,q=2", "source.source"))
    'p=0.5, q=2, source.source'
    """

    method: str
    score: str

    @property
    def options(self) -> str:
        """The options in which it differs from other forms of the method."""
        return self.method.removeprefix(family_of(self.method)).lstrip(":").replace(",", ", ")

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.options, self.score)))


class Problem(NamedTuple):
    """What could not be computed, and why."""

    dataset: str
    method: str
    dimension: int
    words: str


class Contest(NamedTuple):
    """Where forms compete: a data set, a task, and the method of which they are forms."""

    dataset: str
    task: str
    family: str


Winners: TypeAlias = Mapping[Contest, Form]


def contest_of(record: Record) -> Contest:
    """Return the contest to which a record belongs."""
    return Contest(record.dataset, record.task, family_of(record.method))


def choose_forms(
    records: Iterable[Record], metrics: Sequence[str], higher_is_better: bool = True
) -> dict[Contest, Form]:
    """Return the best form in each contest by the mean of some metrics; the first one of several that are equal."""
    best = max if higher_is_better else min
    found: dict[Contest, dict[Form, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        if record.metric in metrics:
            found[contest_of(record)][Form(record.method, record.score)].append(record.value)
    return {contest: best(forms, key=lambda form: fmean(forms[form])) for contest, forms in found.items()}


def only_winners(records: Iterable[Record], winners: Winners) -> list[Record]:
    """Return the records of the winning forms, under the name of their method."""
    return [
        record._replace(method=family_of(record.method))
        for record in records
        if winners.get(contest_of(record)) == (record.method, record.score)
    ]


def case_of(dataset: str, task: str) -> str:
    """Return the data set, and the label if the task is about one.

    >>> case_of("trips", "link_prediction"), case_of("trips", "classification:area")
    ('trips', 'trips: area')
    """
    return ": ".join(filter(None, (dataset, task.partition(":")[2])))


@dataclass(frozen=True)
class Outcome:
    """The results of some tasks: the records of the winning forms, these forms, and what could not be computed.

    `ours` are the records of our methods by every score, also those that did not win.
    """

    records: tuple[Record, ...]
    winners: Winners
    problems: tuple[Problem, ...] = ()
    ours: tuple[Record, ...] = ()

    def values(
        self, metrics: Sequence[str], dimension: int, *, with_score: bool = True
    ) -> dict[tuple[str, str], Value]:
        """Return the mean over seeds of a metric, or of the mean of several, by (method, case).

        Each value names the form, or only its options with `with_score=False`: if vectors are features, there is one
        score only.
        """
        found: dict[Contest, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for record in self.records:
            if record.metric in metrics and record.dimension == dimension:
                found[contest_of(record)][record.seed].append(record.value)
        return {
            (contest.family, case_of(contest.dataset, contest.task)): value_over_seeds(
                [fmean(numbers) for numbers in seeds.values()],
                str(self.winners[contest]) if with_score else self.winners[contest].options,
            )
            for contest, seeds in found.items()
        }
