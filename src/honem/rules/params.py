"""Parameters of rule extraction, shared by all engines."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of, require_whole
from honem.errors import ParameterError

Support = Literal["context", "transition"]
LowerOrders = Literal["all", "significant", "hon"]

ACCEPTANCE_MARGIN = 1e-9
"""By how many bits a divergence must exceed its threshold; keeps engines that add in another order agreed."""


@dataclass(frozen=True)
class ExtractionParams:
    """What decides which contexts are rules; the same words in every engine.

    >>> float(ExtractionParams(tau=0.5).threshold(order=2, support=3))
    0.5
    """

    min_support: int = 1
    support: Support = "context"
    tau: float = 1.0
    max_order: int | None = None
    lower_orders: LowerOrders = "all"

    def __post_init__(self) -> None:
        require_whole("min_support", self.min_support, least=1)
        if self.max_order is not None:
            require_whole("max_order", self.max_order, least=1)
        if isinstance(self.tau, bool) or not isinstance(self.tau, Real) or not 0 <= self.tau < np.inf:
            raise ParameterError(f"tau must be a finite number of at least 0, not {self.tau!r}")
        require_one_of("support", self.support, get_args(Support))
        require_one_of("lower_orders", self.lower_orders, get_args(LowerOrders))

    @property
    def least_count(self) -> int:
        """What a transition must be counted to count at all."""
        return self.min_support if self.support == "transition" else 1

    @property
    def least_support(self) -> int:
        """What the support of a context of order 2 or more must be."""
        return self.min_support if self.support == "context" else 1

    def threshold(self, order: Any, support: Any) -> Any:
        """`tau * k / log2(1 + s)`, in bits, for one context or for arrays of them."""
        return self.tau * order / np.log2(1 + support)
