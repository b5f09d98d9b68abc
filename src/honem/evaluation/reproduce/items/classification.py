"""Node classification, and how labels correlate with higher-order dependencies."""

from __future__ import annotations

from collections.abc import Iterable

from honem.evaluation.data_table import dependency_correlation, indicator
from honem.evaluation.datasets.real import RealData
from honem.evaluation.reproduce.claims import CaseScore, case_scores
from honem.evaluation.reproduce.context import Context, say_problems, say_who_is_best, without_forms
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.paper import CORRELATIONS
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import ReportTable, comparison
from honem.evaluation.tasks.classification import CLASSIFIERS, Classification
from honem.rules.engines import extract_rules


@register_item("classification", position=50)
def classification(context: Context, report: Report) -> list[CaseScore]:
    """Add AUROC of each classifier, and the mean of all."""
    plan = context.plan
    tasks = [
        Classification(data.corpus, label, labels, data.name, repeats=plan.repeats, counted=label in data.counted)
        for data in plan.data
        for label, labels in data.labels.items()
    ]
    found = context.compete(tasks, Classification.main_metrics, methods=plan.embedding_methods)
    report.say("## Node classification")
    report.say(
        f"70 % of the labelled nodes train, 30 % test, stratified, {plan.repeats} splits a seed, "
        f"{plan.repeats * len(plan.seeds)} in all; AUROC (macro, each class against the rest). "
        f"Forms are chosen by the mean AUROC of the four classifiers. {context.seeds_in_words} Labels marked with "
        "(counted) are counts of the same paths that the methods see."
    )
    mean = found.values(Classification.main_metrics, plan.dimension, with_score=False)
    if mean:
        report.show(comparison("AUROC, mean of the four classifiers", mean))
        say_who_is_best(report, mean, "Mean AUROC")
    for classifier in CLASSIFIERS if mean else ():
        values = without_forms(found.values((f"auroc:{classifier}",), plan.dimension))
        report.show(comparison(f"AUROC, {classifier.replace('_', ' ')}", values))
        say_who_is_best(report, values, f"AUROC by {classifier.replace('_', ' ')}")
    report.show(correlations(plan.data))
    say_problems(report, found.problems)
    return case_scores("classification", mean)


def correlations(data: Iterable[RealData]) -> ReportTable:
    """Return the correlation of the number of higher-order dependencies of a node with its label."""
    rows = []
    for one in data:
        rules = extract_rules(one.corpus, criterion="divergence")  # as in the paper
        amounts = {name: dict(values) for name, values in one.amounts.items()}
        for label, labels in one.labels.items():
            if set(labels.values()) == {"low", "high"}:
                amounts[f"{label} is high"] = indicator(labels, "high")
        for name, values in amounts.items():
            found = dependency_correlation(rules, values)
            p_value = f"{found.p_value:.1e}" if found.p_value else "< 1e-300"
            rows.append((one.name, name, f"{found.r:.3f}", p_value, CORRELATIONS.get((one.name, name), "-")))
    return ReportTable(
        "Pearson correlation of a node's number of higher-order dependencies with its label",
        ("data", "label", "r", "p", "r in the paper"),
        tuple(rows),
    )
