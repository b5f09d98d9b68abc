"""Node classification, and how labels correlate with higher-order dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from honem.evaluation.data_table import dependency_correlation, indicator
from honem.evaluation.datasets.real import RealData
from honem.evaluation.reproduce.claims import CaseScore, case_scores, margin_table, of_honem
from honem.evaluation.reproduce.context import Context, say_problems, say_who_is_best, without_forms
from honem.evaluation.reproduce.forms import Outcome
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.paper import CORRELATIONS
from honem.evaluation.reproduce.plan import Plan
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import ReportTable, comparison
from honem.evaluation.tasks.classification import CLASSIFIERS, Classification
from honem.profile import Features
from honem.rules.engines import extract_rules

PROFILE = "profile, without vectors"


@register_item("classification", position=50)
def classification(context: Context, report: Report) -> list[CaseScore]:
    """Add AUROC of vectors, of profiles and of both: the mean of the classifiers, and each of them."""
    plan = context.plan
    tasks, metrics, methods = _tasks(plan, ("vectors", "both")), Classification.main_metrics, plan.embedding_methods
    alone = context.compete(tasks, metrics, methods=methods, scores=("source",))
    together = context.compete(tasks, metrics, methods=methods, scores=("source+profile",))
    # It is the same for every method, so one method is enough.
    profile = context.compete(_tasks(plan, ("profile",)), metrics, methods=methods[:1])
    report.say("## Node classification")
    report.say(
        f"70 % of the labelled nodes train, 30 % test, stratified, {plan.repeats} splits a seed, "
        f"{plan.repeats * len(plan.seeds)} in all; AUROC (macro, each class against the rest). "
        f"Forms are chosen by the mean AUROC of the four classifiers. {context.seeds_in_words} Labels marked with "
        "(counted) are counts of the same paths that the methods see."
    )
    report.say(
        "Features are vectors, the profile of a node (counts and rules alone, the same for every method), or both side "
        "by side."
    )
    mean = alone.values(metrics, plan.dimension, with_score=False)
    if mean:
        _show(report, "mean of the four classifiers", metrics, alone, together, profile, plan.dimension)
        both = together.values(metrics, plan.dimension, with_score=False)
        what = "Mean AUROC of the four classifiers, HONEM"
        report.show(margin_table(f"{what} with its vectors against vectors", of_honem(mean), mean))
        report.show(margin_table(f"{what} with vectors and profile against vectors", of_honem(both), mean))
        report.show(margin_table(f"{what} with vectors and profile against both", of_honem(both), both))
    for classifier in CLASSIFIERS if mean else ():
        name = classifier.replace("_", " ")
        _show(report, name, (f"auroc:{classifier}",), alone, together, profile, plan.dimension)
    report.show(correlations(plan.data))
    say_problems(report, dict.fromkeys([*alone.problems, *together.problems, *profile.problems]))
    return case_scores("classification", mean)


def _tasks(plan: Plan, features: Sequence[Features]) -> list[Classification]:
    return [
        Classification(
            data.corpus,
            label,
            labels,
            data.name,
            features=features,
            repeats=plan.repeats,
            counted=label in data.counted,
        )
        for data in plan.data
        for label, labels in data.labels.items()
    ]


def _show(
    report: Report,
    name: str,
    metrics: Sequence[str],
    alone: Outcome,
    together: Outcome,
    profile: Outcome,
    dimension: int,
) -> None:
    """Add a table of vectors and profiles alone, and one of both together, and say who is best."""
    vectors, both, profiles = (
        found.values(metrics, dimension, with_score=False) for found in (alone, together, profile)
    )
    if len(metrics) == 1:  # the table of the mean has named the forms
        vectors, both = without_forms(vectors), without_forms(both)
    rows = {(PROFILE, case): value for (_, case), value in without_forms(profiles).items()}
    report.show(comparison(f"AUROC, {name}, vectors or profile", {**vectors, **rows}))
    say_who_is_best(report, vectors, f"AUROC of vectors, {name}")
    report.show(comparison(f"AUROC, {name}, vectors and profile", both))
    say_who_is_best(report, both, f"AUROC of vectors and profile, {name}")
    ours = {key: value for key, value in both.items() if key[0] == "honem"}
    title = f"AUROC, {name}, of HONEM with the profile against others without it"
    say_who_is_best(report, {**vectors, **ours}, title)


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
