"""Average precision: how high the true targets of each node rank among all candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honem.embedding import Vectors

SORT_FROM = 24
"""Rows with at least this many true targets are sorted once; with fewer, counting the scores above each is faster."""


def average_precisions(scores: Vectors, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Vectors:
    """Return AP of each row of scores, given the true pairs (row, column), rows ascending; NaN for rows without any.

    >>> average_precisions(np.array([[0.1, 0.9, 0.5], [1, 1, 1]]), np.array([0, 0]), np.array([0, 1])).tolist()
    [0.8333333333333333, nan]
    """
    ranks = np.empty(len(rows), np.int64)
    starts = np.searchsorted(rows, np.arange(len(scores) + 1))
    for row in np.unique(rows).tolist():
        true = slice(starts[row], starts[row + 1])
        ranks[true] = np.sort(_ranks(scores[row], columns[true]))
    place = np.arange(1, len(rows) + 1) - starts[rows]
    total = np.bincount(rows, place / ranks, minlength=len(scores))
    amount = np.diff(starts)
    return np.where(amount > 0, total / np.maximum(amount, 1), np.nan)


def _ranks(values: Vectors, columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank, from 1, of some columns among all values of a row; ties go to the lower column."""
    own = values[columns]
    if len(columns) < SORT_FROM:
        above = np.array([np.count_nonzero(values > score) for score in own])
        tied = np.ones(len(columns), np.bool_)
    else:
        ordered = np.sort(values)
        last = np.searchsorted(ordered, own, side="right")
        above = len(values) - last
        tied = last - np.searchsorted(ordered, own, side="left") > 1
    before = np.zeros(len(columns), np.int64)
    before[tied] = [
        np.count_nonzero(values[:column] == score) for column, score in zip(columns[tied], own[tied], strict=True)
    ]
    return above + before + 1
