"""Network reconstruction: how high the first-order edges rank."""

from __future__ import annotations

from honem.evaluation.reproduce.claims import CaseScore, case_scores, margin_table, of_honem
from honem.evaluation.reproduce.context import Context, say_problems, say_who_is_best
from honem.evaluation.reproduce.figures import precision_curves
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import comparison
from honem.evaluation.tasks.reconstruction import Reconstruction


@register_item("reconstruction", position=30)
def reconstruction(context: Context, report: Report) -> list[CaseScore]:
    """Add Precision@k."""
    at = context.plan.dimension
    tasks = [Reconstruction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, Reconstruction.main_metrics)
    report.say("## Network reconstruction")
    report.say(
        "All ordered pairs ranked by score; truth are the first-order edges. Forms are chosen by the mean of "
        f"Precision@1000 and Precision@10000. {context.seeds_in_words}"
    )
    for metric in Reconstruction.main_metrics:
        values = found.values((metric,), at)
        if values:
            report.show(comparison(f"{metric.capitalize()}, {at} dimensions", values))
            say_who_is_best(report, values, metric.capitalize())
    mean = found.values(Reconstruction.main_metrics, at)
    if mean:
        title = f"Mean of Precision@1000 and Precision@10000, {at} dimensions"
        report.show(comparison(title, mean))
        report.show(margin_table(f"{title}, against the best other method", of_honem(mean), mean))
    curves = precision_curves(found.records, "reconstruction")
    context.show_lines(report, curves, "reconstruction", "k", "precision@k", "Precision@k of reconstruction")
    say_problems(report, found.problems)
    return case_scores("reconstruction", mean)
