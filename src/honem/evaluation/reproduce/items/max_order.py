"""Maximum order: what higher orders cost, and what they add."""

from __future__ import annotations

from honem.evaluation.chosen_method import parse_method
from honem.evaluation.datasets.real import RealData
from honem.evaluation.methods import Method
from honem.evaluation.records import Record
from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context, say_problems
from honem.evaluation.reproduce.identity import timing_identity
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.runs import Finished
from honem.evaluation.reproduce.tables import Value, comparison
from honem.evaluation.running_time import AGAINST_ORDER, time_orders, warm_up
from honem.evaluation.tasks.link_prediction import LinkPrediction


@register_item("max-order", position=80)
def max_order(context: Context, report: Report) -> list[CaseScore]:
    """Add the time and the MAP of HONEM by max order."""
    at, methods = context.plan.dimension, _by_order()
    report.say("## Maximum order")
    times: dict[tuple[str, str], Value] = {}
    for data in context.plan.data:
        for record in _orders_round(context, data).records:
            if record.metric == "ratio":
                times[record.method.rpartition("(")[2].rstrip(")"), data.name] = Value(record.value, 0.0, 1)
    report.show(comparison("Time of HONEM by max order, as a multiple of order 1", times, highest_is_best=False))
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, LinkPrediction.main_metrics, methods=list(methods.values()))
    names = {method.name: f"max order {order}" for order, method in methods.items()}
    by_method = found.values(LinkPrediction.main_metrics, at)
    values = {(names[method], case): value for (method, case), value in by_method.items()}
    report.show(comparison(f"MAP of link prediction by max order, {at} dimensions. {context.seeds_in_words}", values))
    say_problems(report, found.problems)
    return []


def _by_order() -> dict[int, Method]:
    return {order: parse_method(f"honem:preset=paper,max_order={order}") for order in (1, 2, 3, 4, 5)}


def _orders_round(context: Context, data: RealData) -> Finished:
    methods, dimension = _by_order(), context.plan.dimension

    def work() -> tuple[list[Record], str]:
        warm_up(list(methods.values()))
        return time_orders(data.corpus, methods, dimension, repeats=context.plan.timings, dataset=data.name), ""

    identity = timing_identity(data.name, AGAINST_ORDER, data.corpus, methods.values(), dimension)
    return context.run.once(identity, work)
