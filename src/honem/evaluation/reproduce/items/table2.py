"""Table 2: Precision@1024 of link prediction against the dimension, HONEM and Node2Vec."""

from __future__ import annotations

from collections.abc import Iterator

from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context, say_problems
from honem.evaluation.reproduce.forms import Outcome
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.paper import TABLE2
from honem.evaluation.reproduce.plan import Plan
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import ReportTable, bold_if
from honem.evaluation.tasks.link_prediction import PAPER_K, LinkPrediction

METRIC = f"precision@{PAPER_K}"


@register_item("table2", position=20)
def link_prediction_table(context: Context, report: Report) -> list[CaseScore]:
    """Add Precision@1024 at every dimension, and what the paper prints for Rome."""
    plan = context.plan
    tasks = [LinkPrediction(data.corpus, data.name) for data in plan.data]
    found = context.compete(tasks, (METRIC,), dimensions=plan.dimensions, methods=plan.paper_methods)
    report.say("## Link prediction by dimension (the paper's table 2)")
    report.say(
        f"Precision@{PAPER_K} of HONEM and of Node2Vec. Forms are chosen by it at {plan.dimension} dimensions. "
        f"{context.seeds_in_words} {_fewer_seeds(plan)}"
        "The rows of Rome are printed in the paper; its data are not public. The best of each data set is bold."
    )
    columns = ("data", "method", *(f"d = {dimension}" for dimension in plan.dimensions))
    rows = (*_rows(found, plan.dimensions), *_printed_rows(plan.dimensions))
    report.show(ReportTable(f"Precision@{PAPER_K} by dimension", columns, rows))
    say_problems(report, found.problems)
    return []


def _fewer_seeds(plan: Plan) -> str:
    fewer = len(plan.sweep_seeds)
    return "" if fewer == len(plan.seeds) else f"Only at {plan.dimension} dimensions all seeds, else {fewer}. "


def _rows(found: Outcome, dimensions: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    """Yield one row per data set and method; a data set with fewer than 1024 candidates has none."""
    columns = [found.values((METRIC,), dimension) for dimension in dimensions]
    forms = {key: value.shown_form for values in columns for key, value in values.items()}
    for method, case in forms:
        cells = []
        for values in columns:
            best = max((value.mean for (_, other), value in values.items() if other == case), default=0.0)
            value = values.get((method, case))
            cells.append("-" if value is None else bold_if(value.mean == best, str(value)))
        yield (case, f"{method}\n({forms[method, case]})", *cells)


def _printed_rows(dimensions: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    for method, printed in TABLE2.items():
        yield ("Rome (paper)", method, *(f"{printed[d]:.3f}" if d in printed else "-" for d in dimensions))
