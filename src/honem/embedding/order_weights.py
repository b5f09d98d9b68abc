"""Order weights: how much each order counts when the matrices D^v are combined into S.

To add a way to weight orders, add a subclass of `OrderWeighting` and list it in `ORDER_WEIGHTS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from honem._internal.option_names import option
from honem._internal.validation import is_number
from honem.embedding.matrices import squared_length, without_diagonal
from honem.embedding.pieces import piece_of, stored_piece
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Array, Matrix

LEARNT = "learnt"
"""Short for the order weights "similarity" together with the combination "maximum"."""


class OrderWeighting(ABC):
    """How the weight w_k of each order v = k + 1 is found."""

    name: ClassVar[str]

    @abstractmethod
    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Return the weights, given D^1, D^2, ..., one per matrix."""

    @abstractmethod
    def describe(self) -> str:
        """Describe the weights in a few words, k being the order minus 1."""


OrderWeights: TypeAlias = "str | Sequence[float] | Callable[[int], float] | OrderWeighting"
"""A registered name, one number per order, a function of k = order - 1, or an object."""


@dataclass(frozen=True)
class Exponential(OrderWeighting):
    """w_k = exp(-k), as in the paper."""

    name = "exponential"

    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Return exp(-k) for each order."""
        return np.array([float(np.exp(-steps)) for steps in range(len(matrices))])

    def describe(self) -> str:
        """Return the formula of the weights."""
        return "exp(-k)"


@dataclass(frozen=True)
class Constant(OrderWeighting):
    """w_k = 1."""

    name = "constant"

    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Return 1 for each order."""
        return np.ones(len(matrices))

    def describe(self) -> str:
        """Say that all orders have the same weight."""
        return "all equal"


@dataclass(frozen=True)
class Increasing(OrderWeighting):
    """w_k = k + 1."""

    name = "increasing"

    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Return k + 1, the order itself, for each order."""
        return np.arange(1.0, len(matrices) + 1)

    def describe(self) -> str:
        """Return the formula of the weights."""
        return "k + 1"


@dataclass(frozen=True)
class Similarity(OrderWeighting):
    """w_k is the cosine similarity of D^v to D^1, off the diagonals, but at least exp(-1.5 k); w_0 = 1.

    The lower bound matters if all paths lead from origins through hubs to destinations. Longer contexts then never lead
    to the same nodes as single steps, so the similarity is 0, although order 2 contains which origin leads to which
    destination.
    """

    name = "similarity"

    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Compare the off-diagonal entries of each matrix with those of the first."""
        others = [without_diagonal(matrix) for matrix in matrices]
        lengths = [np.sqrt(squared_length(matrix.data)) for matrix in others]
        weights: Array = np.exp(-1.5 * np.arange(len(matrices)))
        for steps in range(1, len(matrices)):
            if lengths[0] and lengths[steps]:
                cosine = others[0].multiply(others[steps]).sum() / (lengths[0] * lengths[steps])
                weights[steps] = max(weights[steps], cosine)
        return weights

    def describe(self) -> str:
        """Name the similarity measure and its lower bound."""
        return "cosine similarity to order 1, at least exp(-1.5 k)"


@dataclass(frozen=True)
class Listed(OrderWeighting):
    """One given number per order; numbers beyond the highest order are not used."""

    name = "listed"
    values: tuple[float, ...]

    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Return the first of the given numbers; raise ParameterError if there are fewer than orders."""
        if len(self.values) < len(matrices):
            raise ParameterError(
                f"order_weights has {len(self.values)} values, but there are rules up to order {len(matrices)}"
            )
        return np.array(self.values[: len(matrices)], dtype=np.float64)

    def describe(self) -> str:
        """Say that the weights were given."""
        return "as given"


@dataclass(frozen=True)
class Computed(OrderWeighting):
    """w_k = function(k)."""

    name = "computed"
    function: Callable[[int], float]

    def weights(self, matrices: Sequence[Matrix]) -> Array:
        """Call the function with k for each order."""
        return np.array([self.function(steps) for steps in range(len(matrices))], dtype=np.float64)

    def describe(self) -> str:
        """Return the name of the function, applied to k."""
        return f"{getattr(self.function, '__name__', repr(self.function))}(k)"


ORDER_WEIGHTS: dict[str, OrderWeighting] = {
    LEARNT: Similarity(),
    **{weighting.name: weighting for weighting in (Exponential(), Constant(), Increasing(), Similarity())},
}


def order_weighting(order_weights: OrderWeights) -> OrderWeighting:
    """Return the piece that a value of the parameter `order_weights` means.

    >>> order_weighting("increasing").weights([None, None, None]).tolist()
    [1.0, 2.0, 3.0]
    >>> order_weighting([1, 0.5])
    Listed(values=(1.0, 0.5))
    """
    if isinstance(order_weights, (str, OrderWeighting)):
        return piece_of("order_weights", order_weights, ORDER_WEIGHTS, OrderWeighting)  # type: ignore[type-abstract]
    if callable(order_weights):
        return Computed(order_weights)
    return Listed(_numbers(order_weights))


def _numbers(values: Any) -> tuple[float, ...]:
    """Return a sequence of order weights as floats; raise ParameterError if it is not one."""
    is_list = isinstance(values, (Sequence, np.ndarray)) and len(values) > 0
    if not is_list or not all(is_number(value) for value in values):
        known = ", ".join(map(repr, ORDER_WEIGHTS))
        raise ParameterError(
            f"{option('order_weights')} must be one of {known}, a list of numbers or a function, not {values!r}"
        )
    weights = tuple(float(value) for value in values)
    require_weights(weights)
    return weights


def require_weights(weights: Sequence[float] | Array) -> None:
    """Raise ParameterError unless weights are finite, at least 0 and not all 0; no weights at all are fine."""
    values = np.asarray(weights, dtype=np.float64)
    if not (np.isfinite(values).all() and (values >= 0).all() and (len(values) == 0 or values.sum() > 0)):
        raise ParameterError(f"{option('order_weights')} must be at least 0 and not all 0, not {values.tolist()}")


def stored_order_weights(order_weights: OrderWeights) -> str | list[float] | dict[str, Any]:
    """Return order weights in a form that JSON can hold; raise ParameterError for code defined outside honem."""
    weighting = order_weighting(order_weights)
    if isinstance(weighting, Listed):
        return list(weighting.values)
    if isinstance(weighting, Similarity):
        return weighting.name  # rather than its alias "learnt", which also means a combination
    return stored_piece("order_weights", order_weights, ORDER_WEIGHTS)
