"""Evaluate methods on tasks: the same corpus, split and metrics for all.

Methods and tasks register themselves, see `honem.evaluation.methods` and `honem.evaluation.tasks.base`.
"""

from __future__ import annotations

from honem.embedding.projection import project
from honem.evaluation.aligning import align
from honem.evaluation.cells import Cell, cells, evaluate_cell, judge_cell
from honem.evaluation.chosen_method import ChosenMethod, parse_method
from honem.evaluation.data_table import (
    Correlation,
    DataRow,
    DependentShares,
    data_row,
    dependency_correlation,
    dependency_counts,
    dependent_shares,
    indicator,
)
from honem.evaluation.harness import (
    DIMENSIONS,
    evaluate,
    evaluate_classification,
    evaluate_link_prediction,
    evaluate_reconstruction,
    evaluate_visualization,
)
from honem.evaluation.methods import (
    METHODS,
    Method,
    NamedMethod,
    Predictor,
    RegisteredMethod,
    method_names,
    register_method,
)
from honem.evaluation.metrics import Ranking, log_spaced, rank_pairs, rank_shuffled
from honem.evaluation.pair_scores import PairScorer
from honem.evaluation.records import Measure, Record, over_seeds, to_frame
from honem.evaluation.running_time import Timed, time_jobs, time_methods, time_orders
from honem.evaluation.tasks.base import TASKS, RegisteredTask, Task, make_task, register_task
from honem.evaluation.tasks.classification import CLASSIFIERS, Classification
from honem.evaluation.tasks.link_prediction import LinkPrediction
from honem.evaluation.tasks.next_step import NextStepPrediction, hold_out_latest, hold_out_sequences
from honem.evaluation.tasks.reconstruction import Reconstruction
from honem.evaluation.tasks.visualization import Picture, Visualization
from honem.tuning.edges import Edges
from honem.tuning.splits import LinkSplit, cut_at, hold_out_edges

__all__ = [
    "CLASSIFIERS",
    "DIMENSIONS",
    "METHODS",
    "TASKS",
    "Cell",
    "ChosenMethod",
    "Classification",
    "Correlation",
    "DataRow",
    "DependentShares",
    "Edges",
    "LinkPrediction",
    "LinkSplit",
    "Measure",
    "Method",
    "NamedMethod",
    "NextStepPrediction",
    "PairScorer",
    "Picture",
    "Predictor",
    "Ranking",
    "Reconstruction",
    "Record",
    "RegisteredMethod",
    "RegisteredTask",
    "Task",
    "Timed",
    "Visualization",
    "align",
    "cells",
    "cut_at",
    "data_row",
    "dependency_correlation",
    "dependency_counts",
    "dependent_shares",
    "evaluate",
    "evaluate_cell",
    "evaluate_classification",
    "evaluate_link_prediction",
    "evaluate_reconstruction",
    "evaluate_visualization",
    "hold_out_edges",
    "hold_out_latest",
    "hold_out_sequences",
    "indicator",
    "judge_cell",
    "log_spaced",
    "make_task",
    "method_names",
    "over_seeds",
    "parse_method",
    "project",
    "rank_pairs",
    "rank_shuffled",
    "register_method",
    "register_task",
    "time_jobs",
    "time_methods",
    "time_orders",
    "to_frame",
]
