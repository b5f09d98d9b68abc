"""The paper's map: AP(i) of every node where it lies, and higher-order dependencies of nodes of high traffic."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from honem._internal.words import percent
from honem.embedding import Vectors
from honem.evaluation.cells import Cell
from honem.evaluation.data_table import dependent_shares
from honem.evaluation.datasets.real import RealData, visits
from honem.evaluation.methods import Method
from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context, say_problems
from honem.evaluation.reproduce.figures import MapPanel, draw_maps
from honem.evaluation.reproduce.forms import Form, Outcome
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.node_precisions import NodePrecisions
from honem.evaluation.reproduce.paper import MORE_LIKELY_IN_HIGH_TRAFFIC
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.tables import ReportTable
from honem.evaluation.tasks.link_prediction import LinkPrediction
from honem.rules.engines import extract_rules

MAPPED = ("shenzhen", "lloyds", "db_longdistance2019")
"""A city, shipping, as in the paper, and trains."""
HIGHEST_DIMENSION = 64
CRITERIA = {"divergence": "HON+, as in the paper", "significance": "trusted"}


@register_item("map", position=45)
def precision_map(context: Context, report: Report) -> list[CaseScore]:
    """Add a map for each data set, and the shares of nodes with higher-order dependencies."""
    report.say("## Link prediction on the map")
    mapped = _mapped(context.plan.data)
    if not mapped:
        report.say("No data set of this run has coordinates.")
        return []
    report.say(
        "AP(i) of every node, drawn where the node lies: how high its held-out edges rank among all candidates that "
        f"leave it. Seeds: {len(context.plan.sweep_seeds)}, of which the mean is shown; grey nodes have no held-out "
        f"edge. Forms are chosen by MAP at {context.plan.dimension} dimensions."
    )
    for data in mapped:
        task = LinkPrediction(data.corpus, data.name)
        found = context.compete((task,), LinkPrediction.main_metrics, methods=context.plan.paper_methods)
        say_problems(report, found.problems)
        if found.winners:
            report.show(_figure(context, data, found, NodePrecisions(context.folder, task)))
    report.show(_traffic_table(mapped))
    report.say(
        "High traffic is more visits than the median. The paper says that nodes in zones of high traffic are "
        f"{MORE_LIKELY_IN_HIGH_TRAFFIC:.2%} more likely to have a dependency of order 2 or more, on data that are not "
        "public."
    )
    return []


def _mapped(data: Sequence[RealData]) -> list[RealData]:
    """Return the data sets of the paper's kind, or else the first that has coordinates."""
    located = [one for one in data if one.coordinates]
    return [one for one in located if one.name in MAPPED] or located[:1]


def _figure(context: Context, data: RealData, found: Outcome, precisions: NodePrecisions) -> Figure:
    """Draw one row of panels per method and one column per dimension."""
    plan = context.plan
    methods = {method.name: method for method in plan.paper_methods}
    dimensions = [d for d in plan.dimensions if d <= HIGHEST_DIMENSION] or [min(plan.dimensions)]
    panels = {
        contest.family: [
            MapPanel(f"d = {d}", _mean_precisions(context, precisions, methods[form.method], form, d))
            for d in dimensions
        ]
        for contest, form in found.winners.items()
    }
    places = np.array([data.coordinates.get(node, (np.nan, np.nan)) for node in data.corpus.vocabulary])
    path = draw_maps(panels, places, context.folder / "figures" / f"map-{data.name}", "AP of a node")
    forms = "; ".join(f"{contest.family}: {form}" for contest, form in found.winners.items())
    return Figure(path, f"{data.name}, AP(i) of every node; a few far nodes may be cut off. Forms: {forms}")


def _mean_precisions(
    context: Context, precisions: NodePrecisions, method: Method, form: Form, dimension: int
) -> Vectors:
    """Return the mean of AP(i) over seeds; NaN for nodes without a held-out edge in any."""
    cells = [Cell(precisions.task, method, dimension, seed) for seed in context.plan.sweep_seeds]
    context.run.compute(cells, judge=precisions.judge, progress=context.progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing is what is wanted
        mean: Vectors = np.nanmean([precisions.of(cell, form.score) for cell in cells], axis=0)
    return mean


def _traffic_table(data: Iterable[RealData]) -> ReportTable:
    rows = []
    for one in data:
        for criterion, name in CRITERIA.items():
            found = dependent_shares(extract_rules(one.corpus, criterion=criterion), visits(one.corpus))
            more = percent(found.more_likely) if found.low else "-"
            rows.append((one.name, name, percent(found.high), percent(found.low), more))
    columns = ("data", "rules", "nodes of high traffic", "nodes of low traffic", "more likely by")
    return ReportTable("Share of nodes with a dependency of order 2 or more", columns, tuple(rows))
