"""Link prediction and network reconstruction: how high do the true pairs rank?"""

from __future__ import annotations

from honem.evaluation import LinkPrediction, Reconstruction
from honem.evaluation.reproduce.claims import Score, scores_of
from honem.evaluation.reproduce.figures import against_dimension, precision_curves
from honem.evaluation.reproduce.items.context import (
    Context,
    say_problems,
    say_who_is_best,
)
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import comparison

RECONSTRUCTED = ("precision@1000", "precision@10000")


def link_prediction(context: Context, report: Report) -> list[Score]:
    """Link prediction: MAP, Precision@k, and MAP against dimension."""
    at = context.plan.dimension
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, ("map",), dimensions=context.plan.dimensions)
    report.say("## Link prediction")
    report.say(
        "20 % of the first-order edges are held out and the sequences cut at them. Of all ordered pairs that are no "
        f"training edge, how high do the held-out ones rank? Forms are chosen by MAP at {at} dimensions. "
        f"{context.seeds_in_words}"
    )
    for metric, title in (("map", "MAP over nodes with a held-out edge"), ("precision@1024", "Precision@1024")):
        values = found.values((metric,), at)
        if values:
            report.show(comparison(f"{title}, {at} dimensions", values))
            say_who_is_best(report, values, title)
    lines = against_dimension(found.records, "link_prediction", "map")
    context.show_lines(
        report,
        lines,
        "link-prediction-map",
        "dimensions",
        "MAP",
        f"MAP against dimension; {len(context.plan.sweep_seeds)} seeds but at {at}",
    )
    curves = precision_curves([record for record in found.records if record.dimension == at], "link_prediction")
    context.show_lines(report, curves, "link-prediction-precision", "k", "precision@k", "Precision@k")
    say_problems(report, found.problems)
    return scores_of("link prediction", found.values(("map",), at))


def link_prediction_table(context: Context, report: Report) -> list[Score]:
    """Table 2: the paper's form of MAP, over all nodes."""
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, ("map",))
    report.say("## Link prediction in the paper's form (its table 2)")
    report.say("MAP over all nodes, those without a held-out edge counting as 0. Forms are chosen by MAP.")
    values = found.values(("map_all_nodes",), context.plan.dimension)
    title = f"MAP over all nodes, {context.plan.dimension} dimensions. {context.seeds_in_words}"
    report.show(comparison(title, values))
    say_problems(report, found.problems)
    return []


def reconstruction(context: Context, report: Report) -> list[Score]:
    """Network reconstruction: Precision@k."""
    at = context.plan.dimension
    tasks = [Reconstruction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, RECONSTRUCTED)
    report.say("## Network reconstruction")
    report.say(
        "All ordered pairs ranked by score; truth are the first-order edges. Forms are chosen by the mean of "
        f"Precision@1000 and Precision@10000. {context.seeds_in_words}"
    )
    for metric in RECONSTRUCTED:
        values = found.values((metric,), at)
        if values:
            report.show(comparison(f"{metric.capitalize()}, {at} dimensions", values))
            say_who_is_best(report, values, metric.capitalize())
    curves = precision_curves(found.records, "reconstruction")
    context.show_lines(report, curves, "reconstruction", "k", "precision@k", "Precision@k of reconstruction")
    say_problems(report, found.problems)
    return scores_of("reconstruction", found.values(RECONSTRUCTED, at))
