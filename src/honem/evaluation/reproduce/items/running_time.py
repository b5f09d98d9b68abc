"""Running time: all methods of one data set and dimension take turns in one round, so that ratios are comparable."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from honem.evaluation.chosen_method import family_of
from honem.evaluation.datasets.real import RealData
from honem.evaluation.records import Record
from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context, say_problems, without_forms
from honem.evaluation.reproduce.figures import against_dimension
from honem.evaluation.reproduce.forms import Form, Problem
from honem.evaluation.reproduce.identity import timing_identity
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.runs import Finished
from honem.evaluation.reproduce.tables import Value, comparison
from honem.evaluation.running_time import TASK, time_methods, warm_up

LONG = 10.0
"""Seconds; a fit that took longer is timed once only."""
TOO_SLOW = 600.0
"""Seconds; a method that took longer in a round is left out of later ones, which have more steps or dimensions."""


@register_item("running-time", position=70)
def running_time(context: Context, report: Report) -> list[CaseScore]:
    """Add the seconds of each method in its first form, and ratios to HONEM."""
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
    """Compute every round, from few steps to many; a method that was too slow in one is left out of later ones."""
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
    """Yield every dimension on the first data set of the plan, and the main dimension on all of them."""
    plan = context.plan
    for data in sorted(plan.data, key=lambda data: data.corpus.n_steps):
        for dimension in sorted(plan.dimensions) if data is plan.data[0] else (plan.dimension,):
            yield data, dimension


def _round(context: Context, data: RealData, dimension: int, reference: str, slow: Collection[str]) -> Finished:
    methods = context.plan.first_forms

    def work() -> tuple[list[Record], str]:
        able = [method for method in methods if method.name not in slow]
        warm_up(able)
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

    return context.run.once(timing_identity(data.name, TASK, data.corpus, methods, dimension), work)


def _of(records: Sequence[Record], metric: str) -> list[Record]:
    return [record for record in records if record.metric == metric]


def _value(record: Record) -> Value:
    return Value(record.value, 0.0, 1, Form(record.method, "").options)
