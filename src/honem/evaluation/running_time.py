"""Running time: methods against dimension, and one method against its max order, as ratios within one run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from honem._internal.validation import require_one_of, require_whole
from honem.corpus import Corpus
from honem.errors import HonemError, ParameterError
from honem.evaluation.datasets.planted import planted_paths
from honem.evaluation.methods import Method
from honem.evaluation.records import Record

Key = TypeVar("Key")
TASK, AGAINST_ORDER = "running_time", "running_time_by_max_order"
Clock = Callable[[], float]


class Timed(NamedTuple):
    """The seconds of one job, and their ratio to those of the reference job."""

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
    """Time methods at several dimensions.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    methods : sequence of Method
        They take turns.
    dimensions : iterable of int
        Numbers of columns of the vectors.
    reference : str
        Name of the method to which the others are compared.
    seed : int, default=0
        Seed of the methods.
    repeats : int, default=3
        How often each method is timed; the shortest time counts.
    longest : float, optional
        A method that took more seconds is not timed again; no limit by default.
    dataset : str, default="corpus"
        Name of the data set in the records.
    problems : dict, optional
        Errors of methods that cannot be fitted are added here, by name, and the methods have no records. By default,
        and for the reference, an error is raised.
    clock : callable, optional
        Returns the time in seconds.

    Returns
    -------
    list of Record
        `seconds` of each method at each dimension, and `ratio` to the reference at the same dimension.
    """
    require_one_of("reference", reference, tuple(method.name for method in methods))
    records = []
    for dimension in dimensions:
        failed: dict[str, str] = {}
        # Without the time of the reference there is no ratio, so its error is raised.
        catches = {method.name: None if problems is None or method.name == reference else failed for method in methods}
        jobs = {method.name: _job(method, corpus, dimension, seed, catches[method.name]) for method in methods}
        timed = time_jobs(jobs, reference, repeats, clock, longest)
        for name in [name for name in jobs if name not in failed]:
            records += _records(dataset, TASK, name, dimension, seed, timed[name])
        if problems is not None:
            problems |= failed
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
    """Time one method at several max orders.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    methods : mapping
        The method at each max order.
    dimension : int
        Number of columns of the vectors.
    seed : int, default=0
        Seed of the methods.
    repeats : int, default=3
        How often each is timed; the shortest time counts.
    dataset : str, default="corpus"
        Name of the data set in the records.
    clock : callable, optional
        Returns the time in seconds.

    Returns
    -------
    list of Record
        `seconds` at each max order, and `ratio` to the lowest one, of methods named `NAME (max order K)`.
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
    """Return the shortest of several times of each job, and its ratio to that of the reference.

    The jobs take turns, so that a slow minute of the machine affects all of them; the shortest time leaves out what is
    done only once, such as compiling.

    Parameters
    ----------
    jobs : mapping
        Functions without arguments, by key.
    reference : key
        The job to which the others are compared.
    repeats : int, default=3
        How often each job is run.
    clock : callable, optional
        Returns the time in seconds.
    longest : float, optional
        A job that took more seconds is not run again; no limit by default.
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


def warm_up(methods: Iterable[Method]) -> None:
    """Fit each method to a small corpus, so that loading and compiling are not timed."""
    corpus = planted_paths(n_nodes=60, n_steps=3000, contexts_per_order=5, orders=(2,)).corpus
    for method in methods:
        with suppress(HonemError):
            method.fit(corpus, 10, 0)


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
