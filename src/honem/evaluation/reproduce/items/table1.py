"""Table 1: sizes of the first-order and the higher-order networks."""

from __future__ import annotations

from dataclasses import fields

from honem.evaluation.data_table import DataRow, data_row
from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import ReportTable
from honem.rules.engines import extract_rules


@register_item("table1", position=10)
def data_table(context: Context, report: Report) -> list[CaseScore]:
    """Add the sizes of both networks of each data set."""
    report.say("## Data (the paper's table 1)")
    rows = []
    for data in context.plan.data:
        rules = extract_rules(data.corpus, criterion="divergence", lower_orders="hon")
        row = data_row(data.corpus, rules, data.name)
        rows.append(tuple(_shown(getattr(row, column.name)) for column in fields(DataRow)))
    columns = tuple(column.name.replace("_", " ") for column in fields(DataRow))
    report.show(ReportTable("Networks, rules of HON+", columns, tuple(rows)))
    report.say(
        "With `lower_orders` as in HON; gamma is higher-order edges per first-order edge. The paper gives 4,043 nodes "
        "and 38,580 edges for Wikispeedia; we found no reading of its filter of paths that gives those. "
        "Its other data are not public."
    )
    return []


def _shown(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
