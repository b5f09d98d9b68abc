"""Transform: the interface of a step from S to the proximity matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from honem._internal.words import number

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

Numbers: TypeAlias = dict[str, float]
"""The numbers that a transform used for one entry, by name."""


class Transform(ABC):
    """A step from matrix to matrix, which can also explain how it changes one entry."""

    name: ClassVar[str]
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
