"""Running time: methods against dimension, and one against its max order, in one run, as ratios."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from honem._internal.validation import require_one_of, require_whole
from honem.corpus import Corpus
from honem.errors import HonemError, ParameterError
from honem.evaluation.methods import Method
from honem.evaluation.records import Record

Key = TypeVar("Key")
TASK, AGAINST_ORDER = "running_time", "running_time_by_max_order"
Clock = Callable[[], float]


class Timed(NamedTuple):
    """The seconds of one job, and how many times those of the job it is compared with they are."""

    seconds: float
    ratio: float


def time_methods(
    corpus: Corpus,
    methods: Sequence[Method],
    dimensions: Iterable[int],
    *,
    reference: str,
    seed: int = 0,
    repeats: int = 3,
    longest: float = math.inf,
    dataset: str = "corpus",
    problems: dict[str, str] | None = None,
    clock: Clock = time.perf_counter,
) -> list[Record]:
    """`seconds` of each method at each dimension, and `ratio` to the method named `reference` at that dimension.

    A method that cannot do it ends the run; where `problems` is given, it has no rows and its words are put there.
    """
    require_one_of("reference", reference, tuple(method.name for method in methods))
    records = []
    for dimension in dimensions:
        told: dict[str, str] = {}
        # Without the time of the reference there is no ratio, so its own problem is one of the whole run.
        told_by = {method.name: None if problems is None or method.name == reference else told for method in methods}
        jobs = {method.name: _job(method, corpus, dimension, seed, told_by[method.name]) for method in methods}
        timed = time_jobs(jobs, reference, repeats, clock, longest)
        for name in [name for name in jobs if name not in told]:
            records += _records(dataset, TASK, name, dimension, seed, timed[name])
        if problems is not None:
            problems |= told
    return records


def time_orders(
    corpus: Corpus,
    methods: Mapping[int, Method],
    dimension: int,
    *,
    seed: int = 0,
    repeats: int = 3,
    dataset: str = "corpus",
    clock: Clock = time.perf_counter,
) -> list[Record]:
    """`seconds` of one method at each max order, and `ratio` to the lowest order given.

    The methods are given by their max order; the rows name them `NAME (max order K)`.
    """
    if not methods:
        raise ParameterError("methods has no max order; give a method for each, such as {1: ..., 2: ...}")
    jobs = {order: _job(method, corpus, dimension, seed) for order, method in sorted(methods.items())}
    records = []
    for order, timed in time_jobs(jobs, min(jobs), repeats, clock).items():
        name = f"{methods[order].name} (max order {order})"
        records += _records(dataset, AGAINST_ORDER, name, dimension, seed, timed)
    return records


def time_jobs(
    jobs: Mapping[Key, Callable[[], object]],
    reference: Key,
    repeats: int = 3,
    clock: Clock = time.perf_counter,
    longest: float = math.inf,
) -> dict[Key, Timed]:
    """The least of several times of each job, and its ratio to the one of the reference.

    The jobs take turns, so that a slow minute of the machine meets all of them; the least time leaves out what is
    done only once, such as compiling. A job that took longer than `longest` seconds is not done again.
    """
    require_whole("repeats", repeats, least=1)
    best = dict.fromkeys(jobs, float("inf"))
    for turn in range(repeats):
        for key, job in jobs.items():
            if turn > 0 and best[key] > longest:
                continue
            started = clock()
            job()
            best[key] = min(best[key], clock() - started)
    return {key: Timed(seconds, seconds / best[reference]) for key, seconds in best.items()}


def _job(
    method: Method, corpus: Corpus, dimension: int, seed: int, problems: dict[str, str] | None = None
) -> Callable[[], object]:
    def job() -> None:
        try:
            method.fit(corpus, dimension, seed)
        except HonemError as error:
            if problems is None:
                raise
            problems[method.name] = str(error)

    return job


def _records(dataset: str, task: str, method: str, dimension: int, seed: int, timed: Timed) -> list[Record]:
    return [
        Record(dataset, task, method, dimension, seed, "wall clock", metric, value)
        for metric, value in timed._asdict().items()
    ]
