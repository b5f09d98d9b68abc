"""Combination: how the weighted matrices D^v of all orders become one matrix, S.

To add a combination, add a subclass of `Combination` and list it in `COMBINATIONS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from honem.embedding.order_weights import LEARNT, OrderWeights

if TYPE_CHECKING:
    from honem.embedding.matrices import Array, Matrix


class Combination(ABC):
    """How w_k D^v of all orders v = k + 1 become S, and how an entry of S is divided among the orders."""

    name: ClassVar[str]
    result_name: ClassVar[str]
    """What an entry of S is called in terms of the w_k D^v, such as "sum"."""

    @abstractmethod
    def matrix(self, matrices: Sequence[Matrix], weights: Array, n_nodes: int) -> Matrix:
        """Compute S, which is 0 if there are no orders."""

    @abstractmethod
    def parts(self, weights: Sequence[float], values: Sequence[float]) -> list[float]:
        """Divide an entry of S among the orders, given their effective weights and entries; the parts sum to it."""

    def effective_weights(self, weights: Array) -> list[float]:
        """Return the factor that the entries of each D^v have in S."""
        return [float(weight) for weight in weights]


@dataclass(frozen=True)
class Mean(Combination):
    """S is the mean of all D^v weighted by w_k."""

    name = "mean"
    result_name = "sum"

    def matrix(self, matrices: Sequence[Matrix], weights: Array, n_nodes: int) -> Matrix:
        """Compute the sum of w_k D^v divided by the sum of w_k."""
        from scipy.sparse import csr_array

        total = csr_array((n_nodes, n_nodes), dtype=np.float64)
        for weight, matrix in zip(weights, matrices, strict=True):
            total = total + weight * matrix
        return csr_array(total / weights.sum() if len(weights) else total)

    def effective_weights(self, weights: Array) -> list[float]:
        """Return the weights divided by their sum."""
        whole = float(weights.sum())
        return [float(weight) / whole for weight in weights]

    def parts(self, weights: Sequence[float], values: Sequence[float]) -> list[float]:
        """Return the product of weight and entry for each order."""
        return [weight * value for weight, value in zip(weights, values, strict=True)]


@dataclass(frozen=True)
class Maximum(Combination):
    """S(i, j) is the largest of w_k D^v(i, j); the order that has it contributes the whole entry."""

    name = "maximum"
    result_name = "largest"

    def matrix(self, matrices: Sequence[Matrix], weights: Array, n_nodes: int) -> Matrix:
        """Compute the element-wise maximum of w_k D^v."""
        from scipy.sparse import csr_array

        largest = csr_array((n_nodes, n_nodes), dtype=np.float64)
        for weight, matrix in zip(weights, matrices, strict=True):
            largest = largest.maximum(weight * matrix)
        return csr_array(largest)

    def parts(self, weights: Sequence[float], values: Sequence[float]) -> list[float]:
        """Return the largest term for the (lowest) order that has it, and 0 for all others."""
        terms = [weight * value for weight, value in zip(weights, values, strict=True)]
        largest = terms.index(max(terms)) if terms else 0
        return [term if place == largest else 0.0 for place, term in enumerate(terms)]


COMBINATIONS: dict[str, Combination] = {combination.name: combination for combination in (Mean(), Maximum())}


def default_combination(order_weights: OrderWeights) -> str:
    """Return the combination that order weights imply unless one is given: "maximum" with "learnt", else "mean"."""
    return Maximum.name if isinstance(order_weights, str) and order_weights == LEARNT else Mean.name
