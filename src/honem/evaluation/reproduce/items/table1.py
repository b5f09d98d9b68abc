"""Table 1: sizes of the first-order and the higher-order networks."""

from __future__ import annotations

from dataclasses import fields

from honem.evaluation.data_table import DataRow, data_row
from honem.evaluation.datasets.real import RealData
from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.paper import TABLE1
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.tables import ReportTable
from honem.rules.engines import extract_rules


@register_item("table1", position=10)
def data_table(context: Context, report: Report) -> list[CaseScore]:
    """Add the sizes of both networks of each data set, and those that the paper prints."""
    report.say("## Data (the paper's table 1)")
    rows = [*(_row(data) for data in context.plan.data), *TABLE1]
    columns = tuple(column.name.replace("_", " ") for column in fields(DataRow))
    shown = tuple(tuple(_shown(getattr(row, column.name)) for column in fields(DataRow)) for row in rows)
    report.show(ReportTable("Networks, rules of HON+", columns, shown))
    report.say(
        "With `lower_orders` as in HON; gamma is higher-order edges per first-order edge. Rows marked (paper) are "
        "printed in the paper. Of its data only Wikispeedia is public; we found no reading of its filter of paths that "
        "gives its 4,043 nodes and 38,580 edges. shenzhen, porto_poi and lloyds are of the same kind as its other data."
    )
    return []


def _row(data: RealData) -> DataRow:
    rules = extract_rules(data.corpus, criterion="divergence", lower_orders="hon")
    return data_row(data.corpus, rules, data.name)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
