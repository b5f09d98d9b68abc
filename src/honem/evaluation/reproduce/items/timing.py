"""Running time: all methods of one data set and dimension in one round, as ratios must come from one run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

import honem
from honem.errors import HonemError
from honem.evaluation import LinkPrediction, Record, time_methods, time_orders
from honem.evaluation.datasets import planted_paths
from honem.evaluation.datasets.real import RealData
from honem.evaluation.methods import Method
from honem.evaluation.reproduce.claims import Score
from honem.evaluation.reproduce.figures import against_dimension
from honem.evaluation.reproduce.forms import Form, Problem
from honem.evaluation.reproduce.items.context import Context, say_problems, without_forms
from honem.evaluation.reproduce.methods import family_of, parse_method
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.runs import Finished, corpus_fingerprint
from honem.evaluation.reproduce.tables import Value, comparison
from honem.evaluation.running_time import AGAINST_ORDER, TASK

LONG = 10.0
"""Seconds; a fit that took longer is not timed again to find the least of several times."""
TOO_SLOW = 600.0
"""Seconds; who takes longer in a round is left out of those that follow, on more steps or at more dimensions."""


def running_time(context: Context, report: Report) -> list[Score]:
    """Seconds of each method in its first form, and ratios to HONEM."""
    plan, methods = context.plan, context.plan.first_forms
    if not methods:
        return []
    reference = next((method.name for method in methods if method.name == "honem"), methods[0].name)
    records, problems = _all_rounds(context, reference)
    report.say("## Running time")
    times = f"the least of {plan.timings} times counts, or the first where it is over {LONG:.0f} seconds"
    report.say(
        "The methods of a column take turns in one run on one machine, each in the first of its forms and after a "
        f"small fit that is not timed; {times if plan.timings > 1 else 'each is timed once'}. "
        f"A method that takes more than {TOO_SLOW / 60:.0f} minutes is left out from then on. "
        "Different columns may come from different hours of the machine."
    )
    shown = [record for record in records if record.dimension == plan.dimension]
    swept = [record for record in records if record.dataset == plan.data[0].name]
    ratios = {(family_of(r.method), r.dataset): _value(r) for r in _of(shown, "ratio")}
    seconds = {(family_of(r.method), r.dataset): _value(r) for r in _of(shown, "seconds")}
    by_dimension = {(family_of(r.method), f"{r.dimension} dimensions"): _value(r) for r in _of(swept, "ratio")}
    at = f"{plan.dimension} dimensions"
    report.show(comparison(f"Times the time of {reference}, {at}", ratios, highest_is_best=False))
    report.show(comparison(f"Seconds, {at}", without_forms(seconds), highest_is_best=False))
    if len(plan.dimensions) > 1:
        title = f"Times the time of {reference} by dimension, {plan.data[0].name}"
        report.show(comparison(title, without_forms(by_dimension), highest_is_best=False))
        named = [record._replace(method=family_of(record.method)) for record in swept]
        lines = against_dimension(named, TASK, "seconds")
        context.show_lines(
            report, lines, "running-time", "dimensions", "seconds", "Seconds against dimension", log_y=True
        )
    say_problems(report, problems)
    return []


def _all_rounds(context: Context, reference: str) -> tuple[list[Record], list[Problem]]:
    """Every round, from little data to much; who was too slow in one is left out of the next ones."""
    records: list[Record] = []
    problems: list[Problem] = []
    rounds = list(_rounds(context))
    for number, (data, dimension) in enumerate(rounds, start=1):
        slow = {record.method for record in _of(records, "seconds") if record.value > TOO_SLOW} - {reference}
        done = _round(context, data, dimension, reference, slow)
        records += done.records
        for line in done.problem.splitlines():
            name, _, words = line.partition(": ")
            problems.append(Problem(data.name, name, dimension, words))
        if context.progress is not None:
            context.progress(TASK, number, len(rounds))
    order = [data.name for data in context.plan.data]
    return sorted(records, key=lambda record: order.index(record.dataset)), problems


def _rounds(context: Context) -> Iterator[tuple[RealData, int]]:
    """Every dimension on the first data of the plan, and the one that tables are about on all of them."""
    plan = context.plan
    for data in sorted(plan.data, key=lambda data: data.corpus.n_steps):
        for dimension in sorted(plan.dimensions) if data is plan.data[0] else (plan.dimension,):
            yield data, dimension


def _round(context: Context, data: RealData, dimension: int, reference: str, slow: Collection[str]) -> Finished:
    methods = context.plan.first_forms

    def work() -> tuple[list[Record], str]:
        able = [method for method in methods if method.name not in slow]
        _warm_up(able)
        problems = dict.fromkeys(sorted(slow), f"left out, as it took more than {TOO_SLOW:.0f} seconds before")
        records = time_methods(
            data.corpus,
            able,
            (dimension,),
            reference=reference,
            repeats=context.plan.timings,
            longest=LONG,
            dataset=data.name,
            problems=problems,
        )
        return records, "\n".join(f"{name}: {' '.join(words.split())}" for name, words in problems.items())

    return context.run.once(_key(data, TASK, methods, dimension), work)


def _warm_up(methods: Sequence[Method]) -> None:
    """What is done only once, such as loading and compiling, is done on a small corpus."""
    corpus = planted_paths(n_nodes=60, n_steps=3000, contexts_per_order=5, orders=(2,)).corpus
    for method in methods:
        with suppress(HonemError):
            method.fit(corpus, 10, 0)


def _key(data: RealData, task: str, methods: Sequence[Method], dimension: int) -> str:
    names = [method.name for method in methods]
    return json.dumps([data.name, task, names, dimension, corpus_fingerprint(data.corpus), honem.__version__])


def _of(records: Sequence[Record], metric: str) -> list[Record]:
    return [record for record in records if record.metric == metric]


def _value(record: Record) -> Value:
    return Value(record.value, 0.0, 1, Form(record.method, "").options)


def max_order(context: Context, report: Report) -> list[Score]:
    """What higher orders cost, and what they add."""
    at, methods = context.plan.dimension, _by_order()
    report.say("## Maximum order")
    times: dict[tuple[str, str], Value] = {}
    for data in context.plan.data:
        for record in _of(_orders_round(context, data).records, "ratio"):
            times[record.method.rpartition("(")[2].rstrip(")"), data.name] = Value(record.value, 0.0, 1)
    report.show(comparison("Time of HONEM by max order, as a multiple of order 1", times, highest_is_best=False))
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, ("map",), methods=list(methods.values()))
    names = {method.name: f"max order {order}" for order, method in methods.items()}
    values = {(names[method], case): value for (method, case), value in found.values(("map",), at).items()}
    report.show(comparison(f"MAP of link prediction by max order, {at} dimensions. {context.seeds_in_words}", values))
    say_problems(report, found.problems)
    return []


def _by_order() -> dict[int, Method]:
    return {order: parse_method(f"honem:preset=paper,max_order={order}") for order in (1, 2, 3, 4, 5)}


def _orders_round(context: Context, data: RealData) -> Finished:
    methods, dimension = _by_order(), context.plan.dimension

    def work() -> tuple[list[Record], str]:
        _warm_up(list(methods.values()))
        return time_orders(data.corpus, methods, dimension, repeats=context.plan.timings, dataset=data.name), ""

    return context.run.once(_key(data, AGAINST_ORDER, list(methods.values()), dimension), work)
