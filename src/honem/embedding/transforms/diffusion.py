"""Diffusion: nodes that several steps lead to are near as well, the more so the fewer steps it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.option_names import option
from honem._internal.validation import is_number, require_whole
from honem._internal.words import number
from honem.embedding.transforms.base import Numbers, Transform
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class Diffusion(Transform):
    """X + c_1 X P + c_2 X P^2 + ..., where P is X with rows that sum to 1, and c_1, c_2, ... are `weights`.

    Only the `max_entries` largest entries of each row are kept, after each product and at the end, so that memory is
    bounded by that number times the number of nodes. Of equal entries the first columns are kept.

    Parameters
    ----------
    weights : tuple of float, default=(0.5, 0.25)
        Weight of two steps, three steps, and so on.
    max_entries : int, default=256
        Number of entries kept in each row.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> Diffusion((0.5,))(csr_array([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])).toarray().tolist()
    [[0.0, 2.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    weights: tuple[float, ...] = (0.5, 0.25)
    max_entries: int = 256

    name = "diffusion"

    def __post_init__(self) -> None:
        """Raise ParameterError for weights that are not numbers of at least 0, and for a number of entries below 1."""
        object.__setattr__(self, "weights", tuple(self.weights))
        if not all(is_number(weight) and 0 <= weight < np.inf for weight in self.weights):
            raise ParameterError(f"{option('diffusion')} must be numbers of at least 0, not {self.weights!r}")
        require_whole("max_entries", self.max_entries, least=1)

    def __call__(self, matrix: Matrix) -> Matrix:
        """Add the weighted products, one more step at a time."""
        from honem.embedding.sparse_rows import largest_entries

        return largest_entries(sum(self._terms(matrix), 0 * matrix), self.max_entries)

    def _terms(self, matrix: Matrix, rows: slice = slice(None)) -> list[Matrix]:
        """Return X, c_1 X P, c_2 X P^2, ... for some rows; each row of a product depends on one row of X only."""
        from honem.embedding.sparse_rows import product_rows, stochastic

        steps = stochastic(matrix)
        reached = matrix[rows]
        terms = [reached]
        for weight in self.weights:
            reached = product_rows(reached, steps, self.max_entries)
            terms.append(weight * reached)
        return terms

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return what one step, two steps, ... contribute to the entry (a, b)."""
        terms = self._terms(matrix, slice(a, a + 1))
        return {f"steps_{steps}": float(term[0, b]) for steps, term in enumerate(terms, start=1)}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show the contribution of each number of steps."""
        parts = [f"{number(part)} by {name.removeprefix('steps_')}" for name, part in numbers.items() if part]
        if not after:
            return f"0: not among the {self.max_entries} largest of its row" if parts else "no path of this length"
        return f"{' + '.join(parts)} steps = {number(after)}"
