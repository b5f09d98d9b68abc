"""Transforms: steps from S to the proximity matrix, the one that is factorized.

To add a transform, add a subclass of `Transform` and list it in `TRANSFORMS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from honem._internal.option_names import option
from honem._internal.words import number
from honem.embedding.matrices import Array, without_diagonal
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

Numbers: TypeAlias = dict[str, float]
"""The numbers that a transform used for one entry, by name."""


class Transform(ABC):
    """A step from matrix to matrix, which can also explain how it changes one entry."""

    name: str
    uses_reverse: bool = False
    """Whether entry (a, b) may come from entry (b, a); explanations then show paths from b to a as well."""

    @abstractmethod
    def __call__(self, matrix: Matrix) -> Matrix:
        """Return the transformed matrix; the given one is not changed."""

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the numbers, besides the entry itself, on which the transformed entry (a, b) of `matrix` depends."""
        return {}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Describe how an entry was transformed, given its values before and after and the `numbers`."""
        return f"{number(before)} becomes {number(after)}"


TransformLike: TypeAlias = "str | Transform | Callable[[Matrix], Matrix]"
"""A registered name, a Transform, or any function from matrix to matrix."""


@dataclass(frozen=True)
class UserFunction(Transform):
    """A function from matrix to matrix as a Transform, under the function's name."""

    function: Callable[[Matrix], Matrix]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the function; its `repr` if it has none."""
        return getattr(self.function, "__name__", repr(self.function))

    def __call__(self, matrix: Matrix) -> Matrix:
        """Call the function."""
        return self.function(matrix)


@dataclass(frozen=True)
class BothWays(Transform):
    """max(X, rho X^T): if A -> B was observed, B -> A also gets a score, scaled by how reciprocal the data are.

    rho = <X, X^T> / <X, X>, off the diagonal, is the slope of the regression of entries on their reverses: 1 for
    symmetric data, 0 if no pair was observed in both directions.

    >>> from scipy.sparse import csr_array
    >>> both_ways(csr_array([[0.0, 2.0, 2.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).toarray().round(3).tolist()
    [[0.0, 2.0, 2.0], [2.0, 0.0, 0.0], [1.333, 0.0, 0.0]]
    """

    name = "both_ways"
    uses_reverse = True

    def __call__(self, matrix: Matrix) -> Matrix:
        """Compute max(X, rho X^T)."""
        from scipy.sparse import csr_array

        return csr_array(matrix.maximum(reciprocity(matrix) * matrix.T))

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the entry (b, a) and rho."""
        return {"reverse": float(matrix[b, a]), "reciprocity": reciprocity(matrix)}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Compare the entry with the scaled reverse entry."""
        reverse, slope = numbers["reverse"], numbers["reciprocity"]
        product = (
            f"the reverse entry is {number(reverse)}, times reciprocity {number(slope)} = {number(slope * reverse)}"
        )
        if after > before:
            return f"{product}, more than {number(before)}: taken"
        return f"{product}, not more than {number(before)}: unchanged"


def reciprocity(matrix: Matrix) -> float:
    """Return the slope rho of `BothWays`."""
    others = without_diagonal(matrix)
    squares = others.data @ others.data
    return float(others.multiply(others.T).sum() / squares) if squares > 0 else 0.0


@dataclass(frozen=True)
class NearItself(Transform):
    """The diagonal becomes `share` (one half) times the largest other entry of row and column.

    The similarity of a node to itself is never used, but a 0 on the diagonal would be approximated like any other
    entry, and it would push apart nodes with similar neighbours.
    """

    share: float = 0.5

    name = "near_itself"

    def __call__(self, matrix: Matrix) -> Matrix:
        """Replace the diagonal."""
        from scipy.sparse import csr_array, diags_array

        others = without_diagonal(matrix)
        largest = np.maximum(others.max(axis=1).toarray().ravel(), others.max(axis=0).toarray().ravel())
        return csr_array(others + diags_array(self.share * largest))

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the largest other entry of row and column for an entry on the diagonal, else nothing."""
        if a != b:
            return {}
        others = [matrix[[a], :].toarray().ravel(), matrix[:, [a]].toarray().ravel()]
        return {"largest": max(float(np.delete(entries, a).max(initial=0.0)) for entries in others)}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show how an entry on the diagonal was computed; say that all others are unchanged."""
        if "largest" not in numbers:
            return "changes the diagonal only: unchanged"
        return f"{number(self.share)} x its largest other entry, {number(numbers['largest'])} = {number(after)}"


@dataclass(frozen=True)
class ScaleByDegree(Transform):
    """Rows and columns are divided by the fifth root of their sums, so that a few hubs do not fill all dimensions."""

    exponent: float = 0.2

    name = "scale_by_degree"

    def __call__(self, matrix: Matrix) -> Matrix:
        """Multiply rows and columns by their sums to the power of -exponent; empty ones stay 0."""
        from scipy.sparse import csr_array, diags_array

        rows, columns = (self._factors(np.asarray(matrix.sum(axis=axis)).ravel()) for axis in (1, 0))
        return csr_array(diags_array(rows) @ matrix @ diags_array(columns))

    def _factors(self, sums: Array) -> Array:
        factors = np.zeros_like(sums)
        np.power(sums, -self.exponent, where=sums > 0, out=factors)
        return factors

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the sums of row a and column b."""
        return {"row_sum": float(matrix[[a], :].sum()), "column_sum": float(matrix[:, [b]].sum())}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show the division by the scaled sums."""
        sums = f"{number(numbers['row_sum'])} x {number(numbers['column_sum'])}"
        return f"{number(before)} / (row sum x column sum = {sums}) ^ {number(self.exponent)} = {number(after)}"


both_ways, near_itself, scale_by_degree = BothWays(), NearItself(), ScaleByDegree()

TRANSFORMS: dict[str, Transform] = {
    transform.name: transform for transform in (both_ways, near_itself, scale_by_degree)
}


def transforms_of(transforms: Sequence[TransformLike]) -> tuple[Transform, ...]:
    """Return the pieces that a value of the parameter `transforms` means.

    Raises
    ------
    ParameterError
        If it is not a list, or holds something that is neither a registered name nor callable.
    """
    if isinstance(transforms, str) or not isinstance(transforms, Sequence):
        raise ParameterError(f"transforms must be a list of names or functions, not {transforms!r}")
    return tuple(_transform_of(transform) for transform in transforms)


def _transform_of(transform: TransformLike) -> Transform:
    if isinstance(transform, str) and transform in TRANSFORMS:
        return TRANSFORMS[transform]
    if isinstance(transform, str) or not callable(transform):
        known = ", ".join(map(repr, TRANSFORMS))
        raise ParameterError(f"{option('transforms')} must be one of {known}, or functions, not {transform!r}")
    return transform if isinstance(transform, Transform) else UserFunction(transform)


def proximity(matrix: Matrix, transforms: Sequence[TransformLike] = ()) -> Matrix:
    """Apply transforms to a matrix, in the order given.

    Parameters
    ----------
    matrix : csr_array
        S, or any other square sparse matrix. It is not changed.
    transforms : sequence of str, Transform or callable, default=()
        Registered names ("both_ways", "near_itself", "scale_by_degree") or functions from matrix to matrix.

    Returns
    -------
    csr_array
        The transformed matrix; without transforms, the matrix itself.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> proximity(csr_array([[0.0, 2.0], [1.0, 0.0]]), ["near_itself"]).toarray().tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    for transform in transforms_of(transforms):
        matrix = transform(matrix)
    return matrix


def stages(matrix: Matrix, transforms: Sequence[TransformLike]) -> tuple[Matrix, ...]:
    """Return the matrix before the first and after each transform; the last one is the proximity matrix."""
    found = [matrix]
    for transform in transforms:
        found.append(proximity(found[-1], [transform]))
    return tuple(found)
