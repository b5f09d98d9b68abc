"""Link prediction: how high held-out edges rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from honem.evaluation.records import Record
from honem.evaluation.reproduce.claims import CaseScore, case_scores, margin_table
from honem.evaluation.reproduce.context import Context, say_problems, say_who_is_best, without_forms
from honem.evaluation.reproduce.figures import against_dimension, precision_curves
from honem.evaluation.reproduce.forms import Outcome
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import ReportTable, comparison
from honem.evaluation.tasks.link_prediction import LinkPrediction

SHOWN = {
    "map": "MAP over nodes with a held-out edge",
    "map_new_pairs": "MAP without the pairs whose reverse is a training edge",
    "map_all_nodes": "MAP over all nodes, 0 for those without a held-out edge (the paper's definition)",
    "precision@1024": "Precision@1024",
}


@register_item("link-prediction", position=40)
def link_prediction(context: Context, report: Report) -> list[CaseScore]:
    """Add MAP, Precision@k, and MAP against dimension."""
    at = context.plan.dimension
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    found = context.compete(tasks, LinkPrediction.main_metrics, dimensions=context.plan.dimensions)
    report.say("## Link prediction")
    report.say(
        "20 % of the first-order edges are held out and the sequences cut at them. Of all ordered pairs that are no "
        f"training edge, how high do the held-out ones rank? Forms are chosen by MAP at {at} dimensions. "
        f"{context.seeds_in_words}"
    )
    for metric, title in SHOWN.items():
        values = found.values((metric,), at)
        if values:
            report.show(comparison(f"{title}, {at} dimensions", values))
            say_who_is_best(report, values, title)
    for dimension in context.plan.dimensions:
        values = found.values(("map",), dimension)
        if values and dimension != at:
            report.show(comparison(f"{SHOWN['map']}, {dimension} dimensions", without_forms(values)))
    for table in margins(found, context.plan.dimensions):
        report.show(table)
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
    return case_scores("link prediction", found.values(LinkPrediction.main_metrics, at))


def margins(found: Outcome, dimensions: Sequence[int]) -> Iterator[ReportTable]:
    """Yield the margins of HONEM over the best other method at every dimension, by two kinds of score.

    The first is the one that its recipe says, with no choice on the test data; the second is the best of all its
    scores, as the other methods have it.
    """
    for dimension in dimensions:
        values = found.values(LinkPrediction.main_metrics, dimension)
        own, best = honem_maps(found.ours, dimension)
        for words, ours in (("the score of its recipe", own), ("the best of its scores", best)):
            yield margin_table(f"MAP of HONEM by {words}, {dimension} dimensions", ours, values)


def honem_maps(records: Iterable[Record], dimension: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return MAP of HONEM at its defaults by data set: by the score of its recipe, and by its best score.

    Tasks judge by the score of the recipe first, so it is that of the first record of a cell.
    """
    by_score: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    by_recipe: dict[str, dict[int, float]] = defaultdict(dict)
    for record in records:
        if (record.method, record.dimension, record.metric) == ("honem", dimension, "map"):
            by_score[record.dataset][record.score].append(record.value)
            by_recipe[record.dataset].setdefault(record.seed, record.value)
    own = {dataset: fmean(seeds.values()) for dataset, seeds in by_recipe.items()}
    return own, {dataset: max(map(fmean, scores.values())) for dataset, scores in by_score.items()}
