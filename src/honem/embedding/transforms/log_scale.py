"""Entries on a logarithmic scale, so that a few large ones do not dominate the factorization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from honem._internal.words import number
from honem.embedding.transforms.base import Numbers, Transform

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


class LogScaleUnits(NamedTuple):
    """What entries are divided by before the logarithm, and what logarithms are divided by."""

    typical: float
    spread: float


@dataclass(frozen=True)
class LogScale(Transform):
    """log(1 + X / g) / r, where g is the geometric mean of the entries and r the root mean square of the logarithms.

    Both are taken over the entries that are not 0, which remain the only ones. Afterwards entries have the root mean
    square 1, so that `zero_weight` and `regularization` mean the same for every data set.

    >>> from scipy.sparse import csr_array
    >>> LogScale()(csr_array([[0.0, 2.0], [2.0, 0.0]])).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    name = "log_scale"

    def __call__(self, matrix: Matrix) -> Matrix:
        """Replace each entry by its scaled logarithm."""
        units, scaled = self._units(matrix), matrix.copy()
        scaled.data = np.log1p(matrix.data / units.typical) / units.spread
        return scaled

    def _units(self, matrix: Matrix) -> LogScaleUnits:
        """Return g and r; 1 and 1 for a matrix of zeros."""
        if not matrix.nnz:
            return LogScaleUnits(1.0, 1.0)
        typical = float(np.exp(np.log(matrix.data).mean()))
        return LogScaleUnits(typical, float(np.sqrt(np.square(np.log1p(matrix.data / typical)).mean())))

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return g and r."""
        return dict(self._units(matrix)._asdict())

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show the logarithm."""
        typical, spread = number(numbers["typical"]), number(numbers["spread"])
        return f"log(1 + {number(before)} / {typical}) / {spread} = {number(after)}"
