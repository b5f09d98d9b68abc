"""Table 2: link prediction as the paper defines it."""

from __future__ import annotations

from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context, say_problems
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import comparison
from honem.evaluation.tasks.link_prediction import LinkPrediction


@register_item("table2", position=20)
def link_prediction_table(context: Context, report: Report) -> list[CaseScore]:
    """Add MAP over all nodes."""
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, LinkPrediction.main_metrics)
    report.say("## Link prediction in the paper's form (its table 2)")
    report.say("MAP over all nodes, those without a held-out edge counting as 0. Forms are chosen by MAP.")
    values = found.values(("map_all_nodes",), context.plan.dimension)
    title = f"MAP over all nodes, {context.plan.dimension} dimensions. {context.seeds_in_words}"
    report.show(comparison(title, values))
    say_problems(report, found.problems)
    return []
