"""Visualisation: t-SNE of nodes of some classes, with measures of how well the classes separate."""

from __future__ import annotations

from collections.abc import Iterator

from honem.evaluation.cells import Cell
from honem.evaluation.reproduce.claims import CaseScore, case_scores
from honem.evaluation.reproduce.context import Context, say_problems, say_who_is_best, without_forms
from honem.evaluation.reproduce.figures import draw_pictures
from honem.evaluation.reproduce.forms import Outcome, case_of
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.pictures import Pictures
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.tables import comparison
from honem.evaluation.tasks.visualization import Visualization

PICTURED = {"wikispeedia": ("category", ("Mathematics", "Geography"))}
(ACCURACY,) = Visualization.main_metrics


@register_item("visualization", position=60)
def visualization(context: Context, report: Report) -> list[CaseScore]:
    """Add a picture of every method, and its measures over seeds."""
    report.say("## Visualisation")
    report.say(
        f"Nodes of some classes by t-SNE from {context.plan.dimension} dimensions to two; do the classes lie apart? "
        f"Forms are chosen by balanced accuracy. {context.seeds_in_words} The pictures are those of the first seed."
    )
    scores: list[CaseScore] = []
    for task in _tasks(context):
        pictures = Pictures(context.folder, task)
        found = context.compete((task,), (ACCURACY,), methods=context.plan.embedding_methods, judge=pictures.judge)
        say_problems(report, found.problems)
        if not found.records:
            continue
        accuracy, silhouette = (
            found.values((metric,), context.plan.dimension, with_score=False) for metric in (ACCURACY, "silhouette")
        )
        numbers = {(method, "balanced accuracy by 10 nearest neighbours"): v for (method, _), v in accuracy.items()}
        numbers |= {(method, "silhouette"): value for (method, _), value in without_forms(silhouette).items()}
        report.show(comparison(case_of(task.dataset, task.name), numbers))
        say_who_is_best(report, accuracy, "Balanced accuracy")
        report.show(_figure(context, found, pictures))
        scores += case_scores("visualisation", accuracy)
    return scores


def _tasks(context: Context) -> Iterator[Visualization]:
    """Yield the paper's picture if its data are available, else the first kind of label of the first labelled data."""
    labelled = [data for data in context.plan.data if data.labels]
    for data in [data for data in labelled if data.name in PICTURED] or labelled[:1]:
        label, values = PICTURED.get(data.name, (next(iter(data.labels)), None))
        yield Visualization(data.corpus, data.labels[label], values, data.name, name=f"visualization:{label}")


def _figure(context: Context, found: Outcome, pictures: Pictures) -> Figure:
    """Draw one panel per method, each in the form that is shown."""
    plan, task = context.plan, pictures.task
    forms = {form.method: contest.family for contest, form in found.winners.items()}
    cells = [Cell(task, method, plan.dimension, plan.seeds[0]) for method in plan.methods if method.name in forms]
    numbers = {(record.method, record.metric): record.value for record in found.records if record.seed == plan.seeds[0]}
    titles = {
        family: f"10-NN {numbers[family, ACCURACY]:.2f}, silhouette {numbers[family, 'silhouette']:.2f}"
        for family in forms.values()
    }
    drawn = {forms[cell.method.name]: pictures.draw(cell) for cell in cells}
    label = task.name.partition(":")[2]
    path = draw_pictures(drawn, context.folder / "figures" / f"visualization-{task.dataset}", titles)
    caption = f"{task.dataset}, {label}: t-SNE from {plan.dimension} dimensions, first seed; accuracy is balanced"
    return Figure(path, caption)
