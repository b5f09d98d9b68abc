"""The paper's tables and figures, one function each: compute what is missing, then say and show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from honem.datasets.real import RealData
from honem.engines import extract_rules
from honem.evaluation import (
    CLASSIFIERS,
    Classification,
    LinkPrediction,
    Reconstruction,
    Record,
    Visualization,
    cells,
    data_row,
    dependency_correlation,
    indicator,
    time_methods,
    time_orders,
)
from honem.evaluation.data_table import DataRow
from honem.evaluation.methods import Method, Task
from honem.progress import Progress
from honem.reproduce.figures import against_dimension, draw_lines, draw_pictures, precision_curves
from honem.reproduce.methods import parse_method
from honem.reproduce.plan import Plan
from honem.reproduce.report import Figure, Report
from honem.reproduce.runs import Finished, Run
from honem.reproduce.tables import Table, Value, best_forms, comparison

PICTURED = {"wikispeedia": ("category", ("Mathematics", "Geography"))}
SLOW_TO_TIME = 200_000  # steps beyond which methods are timed on fewer data sets


@dataclass(frozen=True)
class Context:
    """What every item needs: the plan, the cells that are finished, where figures go, whom to tell."""

    plan: Plan
    run: Run
    folder: Path
    progress: Progress | None = None

    def compute(
        self, tasks: Iterable[Task], dimensions: Iterable[int], methods: Sequence[Method] | None = None
    ) -> tuple[list[Record], list[str]]:
        """The records of all cells of some tasks, and the problems there were."""
        finished: list[tuple[str, Finished]] = []
        for task in tasks:
            wanted = list(cells(task, methods or self.plan.methods, dimensions, self.plan.seeds))
            results = self.run.compute(wanted, progress=self.progress)
            finished += [(f"{c.task.dataset}, {c.method.name}", r) for c, r in zip(wanted, results, strict=True)]
        records = [record for _, result in finished for record in result.records]
        return records, list(dict.fromkeys(f"{name}: {result.problem}" for name, result in finished if result.problem))


def data_table(context: Context, report: Report) -> None:
    """Table 1: sizes of both networks."""
    report.say("## Data (the paper's table 1)")
    rows = []
    for data in context.plan.data:
        row = data_row(data.corpus, extract_rules(data.corpus, lower_orders="hon"), data.name)
        rows.append(tuple(_shown(getattr(row, column.name)) for column in fields(DataRow)))
    report.show(
        Table("Networks, rules at their defaults", tuple(column.name for column in fields(DataRow)), tuple(rows))
    )
    report.say(
        "With `lower_orders` as in HON; gamma is higher-order edges per first-order edge. The paper gives 4,043 nodes "
        "and 38,580 edges for Wikispeedia; no reading of its filter of paths gives those, so ours stand as they are. "
        "Its other data are not public."
    )


def link_prediction(context: Context, report: Report) -> None:
    """Link prediction: MAP, Precision@k, and both against dimension."""
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    records, problems = context.compute(tasks, context.plan.dimensions)
    report.say("## Link prediction")
    report.say(
        "20 % of the first-order edges are held out and the sequences cut at them. Of all ordered pairs that are no "
        f"training edge, how high do the held-out ones rank? {_seeds(context)}; the better of a method's forms and "
        "scores is shown, with its name."
    )
    at = context.plan.dimension
    for metric, title in (("map", "MAP over nodes with a held-out edge"), ("precision@1024", "Precision@1024")):
        values = best_forms(records, "link_prediction", metric, at)
        report.show(comparison(f"{title}, {at} dimensions", values))
        _compare(report, values, title)
    lines = against_dimension(_best_only(records, "link_prediction", "map"), "link_prediction", "map")
    _figure(report, context, draw_lines, lines, "link-prediction-map", "dimensions", "MAP", "MAP against dimension")
    curves = precision_curves(_at(_best_only(records, "link_prediction", "map"), at), "link_prediction")
    _figure(report, context, draw_lines, curves, "link-prediction-precision", "k", "precision@k", "Precision@k")
    _problems(report, problems)


def link_prediction_table(context: Context, report: Report) -> None:
    """Table 2: the paper's form of MAP, over all nodes."""
    tasks = [LinkPrediction(data.corpus, data.name) for data in context.plan.data]
    records, problems = context.compute(tasks, (context.plan.dimension,))
    report.say("## Link prediction in the paper's form (its table 2)")
    values = best_forms(records, "link_prediction", "map_all_nodes", context.plan.dimension)
    report.show(comparison(f"MAP over all nodes, {context.plan.dimension} dimensions. {_seeds(context)}", values))
    _problems(report, problems)


def reconstruction(context: Context, report: Report) -> None:
    """Network reconstruction: Precision@k."""
    tasks = [Reconstruction(data.corpus, data.name) for data in context.plan.data]
    records, problems = context.compute(tasks, (context.plan.dimension,))
    report.say("## Network reconstruction")
    report.say(f"All ordered pairs ranked by score; truth are the first-order edges. {_seeds(context)}.")
    for k in (1000, 10000):
        values = best_forms(records, "reconstruction", f"precision@{k}", context.plan.dimension)
        if values:
            report.show(comparison(f"Precision@{k}, {context.plan.dimension} dimensions", values))
            _compare(report, values, f"Precision@{k}")
    curves = precision_curves(_best_only(records, "reconstruction", "precision@1000"), "reconstruction")
    _figure(report, context, draw_lines, curves, "reconstruction", "k", "precision@k", "Precision@k of reconstruction")
    _problems(report, problems)


def classification(context: Context, report: Report) -> None:
    """Node classification: AUROC by four classifiers; and what labels have to do with higher orders."""
    tasks = [
        Classification(data.corpus, label, labels, data.name, repeats=context.plan.repeats)
        for data in context.plan.data
        for label, labels in data.labels.items()
    ]
    records, problems = context.compute(tasks, (context.plan.dimension,), context.plan.embedding_methods)
    report.say("## Node classification")
    report.say(
        f"70 % of the labelled nodes train, 30 % test, {context.plan.repeats} stratified repeats; AUROC (macro, each "
        f"class against the rest). {_seeds(context)}."
    )
    for classifier in CLASSIFIERS:
        values: dict[tuple[str, str], Value] = {}
        for task in tasks:
            found = best_forms(
                [r for r in records if r.dataset == task.dataset],
                task.name,
                f"auroc:{classifier}",
                context.plan.dimension,
            )
            values |= {(m, f"{d}: {task.label}"): v for (m, d), v in found.items()}
        report.show(comparison(f"AUROC, {classifier.replace('_', ' ')}", values))
        _compare(report, values, f"AUROC by {classifier.replace('_', ' ')}")
    report.show(_correlations(context.plan.data))
    _problems(report, problems)


def _correlations(data: Iterable[RealData]) -> Table:
    rows = []
    for one in data:
        rules = extract_rules(one.corpus)
        amounts = {name: dict(values) for name, values in one.amounts.items()}
        for label, labels in one.labels.items():
            if set(labels.values()) == {"low", "high"}:
                amounts[f"{label} is high"] = indicator(labels, "high")
        for name, values in amounts.items():
            found = dependency_correlation(rules, values)
            rows.append((one.name, name, f"{found.r:.3f}", f"{found.p_value:.1e}"))
    return Table(
        "Pearson correlation of a node's number of higher-order dependencies with its label",
        ("data", "label", "r", "p"),
        tuple(rows),
    )


def visualization(context: Context, report: Report) -> None:
    """t-SNE of two classes, with numbers beside the pictures."""
    report.say("## Visualisation")
    for data in context.plan.data:
        if not data.labels:
            continue
        label, values = PICTURED.get(data.name, (next(iter(data.labels)), None))
        if context.plan.data[0].name != data.name and data.name not in PICTURED:
            continue
        task = Visualization(data.corpus, data.labels[label], values, data.name)
        pictures, titles = {}, {}
        for number, method in enumerate(context.plan.embedding_methods, start=1):
            picture = task.picture(method.fit(data.corpus, context.plan.dimension, 0), 0)
            pictures[method.name] = picture
            titles[method.name] = (
                f"10-NN {picture.neighbor_accuracy(balanced=True):.2f}, silhouette {picture.silhouette():.2f}"
            )
            if context.progress is not None:
                context.progress(f"{data.name} visualization", number, len(context.plan.embedding_methods))
        path = draw_pictures(pictures, context.folder / "figures" / f"visualization-{data.name}", titles)
        caption = f"{data.name}, {label}: t-SNE from {context.plan.dimension} dimensions, seed 0; accuracy is balanced"
        report.show(Figure(path, caption))


def running_time(context: Context, report: Report) -> None:
    """Seconds of each method, as ratios to HONEM in one run."""
    report.say("## Running time")
    records: list[Record] = []
    for data in context.plan.data:
        if data.corpus.n_steps <= SLOW_TO_TIME:
            records += time_methods(
                data.corpus,
                context.plan.embedding_methods,
                (context.plan.dimension,),
                reference="honem",
                repeats=1,
                dataset=data.name,
            )
    values = {(r.method, r.dataset): Value(r.value, 0.0, 1) for r in records if r.metric == "ratio"}
    if values:
        title = f"Times the time of HONEM, {context.plan.dimension} dimensions, all methods in one run"
        report.show(comparison(title, values, highest_is_best=False))


def max_order(context: Context, report: Report) -> None:
    """What higher orders cost, and what they add."""
    report.say("## Maximum order")
    methods = {order: parse_method(f"honem:max_order={order}") for order in (1, 2, 3, 4, 5)}
    values: dict[tuple[str, str], Value] = {}
    for data in context.plan.data:
        timed = time_orders(data.corpus, methods, context.plan.dimension, repeats=1, dataset=data.name)
        for record in timed:
            if record.metric == "ratio":
                values[record.method.rpartition("(")[2].rstrip(")"), data.name] = Value(record.value, 0.0, 1)
    report.show(comparison("Time of HONEM by max order, as a multiple of order 1", values, highest_is_best=False))
    shown: dict[tuple[str, str], Value] = {}
    for data in context.plan.data:
        task = LinkPrediction(data.corpus, data.name)
        for order, method in methods.items():
            results = context.run.compute(
                cells(task, (method,), (context.plan.dimension,), context.plan.seeds), progress=context.progress
            )
            found = best_forms(
                [record for result in results for record in result.records],
                "link_prediction",
                "map",
                context.plan.dimension,
            )
            shown |= {(f"max order {order}", d): replace(v, shown_form="") for (_, d), v in found.items()}
    report.show(comparison(f"MAP of link prediction by max order. {_seeds(context)}", shown))


RUNNERS: dict[str, Callable[[Context, Report], None]] = {
    "table1": data_table,
    "table2": link_prediction_table,
    "reconstruction": reconstruction,
    "link-prediction": link_prediction,
    "classification": classification,
    "visualization": visualization,
    "running-time": running_time,
    "max-order": max_order,
}


def _shown(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _seeds(context: Context) -> str:
    amount = len(context.plan.seeds)
    return f"Mean and standard deviation over {amount} seeds" if amount > 1 else "One seed"


def _at(records: Iterable[Record], dimension: int) -> list[Record]:
    return [record for record in records if record.dimension == dimension]


def _best_only(records: Iterable[Record], task: str, metric: str) -> list[Record]:
    """The records of the form of each method that is best by a metric, so that a figure has a line a method."""
    records = list(records)
    best = best_forms(records, task, metric)
    return [
        record._replace(method=record.method.partition(":")[0])
        for record in records
        if best.get((record.method.partition(":")[0], record.dataset)) is not None
        and best[record.method.partition(":")[0], record.dataset].shown_form
        == ", ".join(filter(None, (record.method.partition(":")[2], record.score)))
    ]


def _figure(report: Report, context: Context, draw: Callable[..., Path], *what: object) -> None:
    panels, name, x_label, y_label, caption = what
    if panels:
        path = draw(panels, context.folder / "figures" / str(name), x_label, y_label)
        report.show(Figure(path, str(caption)))


def _compare(report: Report, values: dict[tuple[str, str], Value], title: str) -> None:
    """In words: where HONEM is best, and where it is not and by how much."""
    won, lost = [], []
    for dataset in dict.fromkeys(d for _, d in values):
        ours = values.get(("honem", dataset))
        others = {m: v.mean for (m, d), v in values.items() if d == dataset and m != "honem"}
        if ours is None or not others:
            continue
        best = max(others, key=lambda method: others[method])
        if ours.mean >= others[best]:
            won.append(f"{dataset} ({ours.mean:.3f}, next {best} {others[best]:.3f})")
        else:
            lost.append(f"{dataset} ({best} {others[best]:.3f} against {ours.mean:.3f})")
    words = [f"{title}: HONEM is best on {', '.join(won)}." if won else f"{title}: HONEM is best nowhere."]
    if lost:
        words.append(f"It loses on {', '.join(lost)}.")
    report.say(" ".join(words))


def _problems(report: Report, problems: list[str]) -> None:
    if problems:
        report.say("Not computed: " + "; ".join(problems) + ".")
