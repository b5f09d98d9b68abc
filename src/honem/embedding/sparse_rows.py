"""Row-wise operations on sparse matrices with bounded memory; compiled, and the same bits for any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import announcing_compilation, compiled
from honem._internal.ragged import gather_ranges, offsets_of
from honem._internal.threads import count_threads
from honem.embedding.matrices import Array

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

ROWS_PER_TASK = 256

ForEachRange = Callable[[Callable[[int, int], Any], int], list[Any]]
"""Call a function with the first and last row of every range of rows, and return the results in order."""


@contextmanager
def row_ranges(n_jobs: int | None = None) -> Iterator[ForEachRange]:
    """Provide a function that runs ranges of rows on threads; where the ranges end does not depend on their number."""
    with announcing_compilation(), ThreadPoolExecutor(count_threads(n_jobs)) as pool:

        def for_each(function: Callable[[int, int], Any], n_rows: int) -> list[Any]:
            firsts = range(0, n_rows, ROWS_PER_TASK)
            return list(pool.map(function, firsts, [min(first + ROWS_PER_TASK, n_rows) for first in firsts]))

        yield for_each


def stochastic(matrix: Matrix) -> Matrix:
    """Return the matrix with rows divided by their sums; empty rows stay empty."""
    sums: Array = np.asarray(matrix.sum(axis=1)).ravel()
    steps = matrix.copy()
    steps.data = matrix.data / np.repeat(np.where(sums > 0, sums, 1.0), np.diff(matrix.indptr))
    return steps


def largest_entries(matrix: Matrix, n_entries: int) -> Matrix:
    """Return the matrix with the largest entries of each row only; of equal ones, those of the first columns."""
    from scipy.sparse import csr_array

    sizes = np.diff(matrix.indptr)
    if sizes.max(initial=0) <= n_entries:
        return matrix
    matrix.sort_indices()
    rows = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    kept = np.sort(order[gather_ranges(matrix.indptr[:-1].astype(np.int64), np.minimum(sizes, n_entries))])
    offsets = offsets_of(np.minimum(sizes, n_entries))
    return csr_array((matrix.data[kept], matrix.indices[kept], offsets), shape=matrix.shape)


def product_rows(left: Matrix, right: Matrix, n_entries: int, n_jobs: int | None = None) -> Matrix:
    """Multiply two sparse matrices and keep the largest entries of each row of the product.

    Entries are selected while multiplying, so that the whole product is never in memory.

    Parameters
    ----------
    left, right : csr_array
        The matrices, with entries of at least 0.
    n_entries : int
        Number of entries kept in each row; of equal ones, those of the first columns.
    n_jobs : int or None, default=None
        Number of threads; None or -1 for all cores.

    Returns
    -------
    csr_array
    """
    from scipy.sparse import csr_array

    arrays = (left.indptr, left.indices, left.data, right.indptr, right.indices, right.data)
    n_columns = right.shape[1]

    def multiply(first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        sizes = np.zeros(last - first, np.int64)
        columns = np.empty((last - first, min(n_entries, n_columns)), np.int32)
        values = np.empty(columns.shape)
        multiply_rows(*arrays, first, last, n_columns, sizes, columns, values)
        filled = np.arange(columns.shape[1]) < sizes[:, np.newaxis]
        return sizes, columns[filled], values[filled]

    with row_ranges(n_jobs) as for_each:
        pieces = for_each(multiply, left.shape[0])
    if not pieces:
        return csr_array((left.shape[0], n_columns))
    sizes, columns, values = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return csr_array((values, columns, offsets_of(sizes)), shape=(left.shape[0], n_columns))


@compiled
def multiply_block(pointers: Any, columns: Any, values: Any, block: Any, result: Any, first: int, last: int) -> None:
    """Compute the rows from `first` to `last` of the product of a sparse matrix and a dense block."""
    width = block.shape[1]
    for row in range(first, last):
        for k in range(width):
            result[row, k] = 0.0
        for place in range(pointers[row], pointers[row + 1]):
            value, column = values[place], columns[place]
            for k in range(width):
                result[row, k] += value * block[column, k]


@compiled
def multiply_rows(
    left_ptr: Any,
    left_columns: Any,
    left_values: Any,
    right_ptr: Any,
    right_columns: Any,
    right_values: Any,
    first: int,
    last: int,
    n_columns: int,
    sizes: Any,
    columns: Any,
    values: Any,
) -> None:
    """Compute the rows from `first` to `last` of a product; the largest entries go to `columns` and `values`."""
    total = np.zeros(n_columns)
    is_reached = np.zeros(n_columns, np.bool_)
    reached = np.empty(n_columns, np.int32)
    for row in range(first, last):
        n_reached = 0
        for place in range(left_ptr[row], left_ptr[row + 1]):
            middle, factor = left_columns[place], left_values[place]
            for other in range(right_ptr[middle], right_ptr[middle + 1]):
                column = right_columns[other]
                if not is_reached[column]:
                    is_reached[column] = True
                    reached[n_reached] = column
                    n_reached += 1
                total[column] += factor * right_values[other]
        found = np.sort(reached[:n_reached])
        if n_reached > columns.shape[1]:
            # Stable, and columns ascend: of equal entries the first columns are kept.
            strongest = np.argsort(-total[found], kind="mergesort")[: columns.shape[1]]
            found = np.sort(found[strongest])
        sizes[row - first] = len(found)
        for place in range(len(found)):
            columns[row - first, place] = found[place]
            values[row - first, place] = total[found[place]]
        for place in range(n_reached):
            total[reached[place]] = 0.0
            is_reached[reached[place]] = False
