"""The paper's tables and figures, one function each: compute what is missing, then say and show it.

An item gives back the scores by which methods are compared in the report's last section, if it has any.
"""

from __future__ import annotations

from collections.abc import Callable

from honem.evaluation.reproduce.claims import Score
from honem.evaluation.reproduce.items.claiming import claims
from honem.evaluation.reproduce.items.classifying import classification
from honem.evaluation.reproduce.items.context import Context
from honem.evaluation.reproduce.items.describing import data_table
from honem.evaluation.reproduce.items.picturing import visualization
from honem.evaluation.reproduce.items.ranking import link_prediction, link_prediction_table, reconstruction
from honem.evaluation.reproduce.items.timing import max_order, running_time
from honem.evaluation.reproduce.report import Report

__all__ = ["RUNNERS", "Context", "claims"]

RUNNERS: dict[str, Callable[[Context, Report], list[Score]]] = {
    "table1": data_table,
    "table2": link_prediction_table,
    "reconstruction": reconstruction,
    "link-prediction": link_prediction,
    "classification": classification,
    "visualization": visualization,
    "running-time": running_time,
    "max-order": max_order,
}
