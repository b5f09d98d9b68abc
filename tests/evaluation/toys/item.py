"""An item of `honem reproduce`."""

from __future__ import annotations

from honem.evaluation.reproduce.claims import CaseScore
from honem.evaluation.reproduce.context import Context
from honem.evaluation.reproduce.items import register_item
from honem.evaluation.reproduce.report import Report


@register_item("toy-item")
def toy_item(context: Context, report: Report) -> list[CaseScore]:
    report.say(f"A table of toys, {len(context.plan.data)} data sets")
    return []
