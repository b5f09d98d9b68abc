"""How embeddings are judged: the same corpus, split and scorer for all; takes an Embedding, knows no method."""

from __future__ import annotations

from honem.embedding.projection import project
from honem.evaluation.aligning import align
from honem.evaluation.data_table import (
    Correlation,
    DataRow,
    data_row,
    dependency_correlation,
    dependency_counts,
    indicator,
)
from honem.evaluation.edges import Edges
from honem.evaluation.harness import (
    DIMENSIONS,
    Cell,
    cells,
    evaluate,
    evaluate_cell,
    evaluate_classification,
    evaluate_link_prediction,
    evaluate_reconstruction,
    evaluate_visualization,
    judge_cell,
)
from honem.evaluation.methods import Method, NamedMethod, Task
from honem.evaluation.metrics import Ranking, log_spaced, rank_pairs, rank_shuffled
from honem.evaluation.records import Measure, Record, over_seeds, to_frame
from honem.evaluation.running_time import Timed, time_jobs, time_methods, time_orders
from honem.evaluation.splits import LinkSplit, cut_at, hold_out_edges
from honem.evaluation.tasks.classification import CLASSIFIERS, Classification
from honem.evaluation.tasks.link_prediction import LinkPrediction
from honem.evaluation.tasks.next_step import NextStepPrediction, hold_out_sequences
from honem.evaluation.tasks.reconstruction import Reconstruction
from honem.evaluation.tasks.visualization import Picture, Visualization

__all__ = [
    "CLASSIFIERS",
    "DIMENSIONS",
    "Cell",
    "Classification",
    "Correlation",
    "DataRow",
    "Edges",
    "LinkPrediction",
    "LinkSplit",
    "Measure",
    "Method",
    "NamedMethod",
    "NextStepPrediction",
    "Picture",
    "Ranking",
    "Reconstruction",
    "Record",
    "Task",
    "Timed",
    "Visualization",
    "align",
    "cells",
    "cut_at",
    "data_row",
    "dependency_correlation",
    "dependency_counts",
    "evaluate",
    "evaluate_cell",
    "evaluate_classification",
    "evaluate_link_prediction",
    "evaluate_reconstruction",
    "evaluate_visualization",
    "hold_out_edges",
    "hold_out_sequences",
    "indicator",
    "judge_cell",
    "log_spaced",
    "over_seeds",
    "project",
    "rank_pairs",
    "rank_shuffled",
    "time_jobs",
    "time_methods",
    "time_orders",
    "to_frame",
]
