"""Parameters of rule extraction, shared by all engines."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from honem._internal.option_names import option
from honem._internal.validation import require_number, require_one_of, require_whole
from honem.errors import ParameterError
from honem.rules.criteria import Criterion, criterion_class

Support = Literal["context", "transition"]
LowerOrders = Literal["all", "significant", "hon"]


@dataclass(frozen=True)
class ExtractionParams:
    """Parameters of rule extraction.

    Parameters
    ----------
    min_support : int, default=1
        Least support; what it applies to is set by `support`.
    support : {"context", "transition"}, default="context"
        "context": contexts of order 2 or more with less support are discarded with all their extensions. "transition":
        every transition with a smaller count, at every order, is set to 0 before anything is computed, as in pyHON.
    tau : float, default=1.0
        Factor of the threshold of ``criterion="divergence"``; a smaller value accepts more contexts.
    max_order : int or None, default=None
        Highest order that is considered; None for no limit.
    lower_orders : {"all", "significant", "hon"}, default="all"
        What is kept beside the accepted contexts: all their contiguous sub-contexts, only their prefixes, or what the
        original HON keeps.
    criterion : str or Criterion, default="divergence"
        What makes a context accepted: the name of a registered criterion, or a criterion object.

    Raises
    ------
    ParameterError
        If a value is not valid.

    Examples
    --------
    >>> float(ExtractionParams(tau=0.5).acceptance.thresholds(orders=2, supports=3))
    0.5
    """

    min_support: int = 1
    support: Support = "context"
    tau: float = 1.0
    max_order: int | None = None
    lower_orders: LowerOrders = "all"
    criterion: str | Criterion = "divergence"

    def __post_init__(self) -> None:
        require_whole("min_support", self.min_support, least=1)
        if self.max_order is not None:
            require_whole("max_order", self.max_order, least=1)
        require_number("tau", self.tau, at_least=0)
        require_one_of("support", self.support, get_args(Support))
        require_one_of("lower_orders", self.lower_orders, get_args(LowerOrders))
        criterion = self.acceptance
        if self.lower_orders == "hon" and criterion.compared_with != "reference":
            raise ParameterError(
                f"{option('lower_orders', 'hon')} needs a criterion that compares with the reference, "
                f"not {self.criterion!r}"
            )

    @property
    def acceptance(self) -> Criterion:
        """The acceptance criterion with its parameters."""
        if isinstance(self.criterion, Criterion):
            return self.criterion
        return criterion_class(self.criterion).from_params(self)

    @property
    def least_count(self) -> int:
        """The least count of a transition that is kept."""
        return self.min_support if self.support == "transition" else 1

    @property
    def least_support(self) -> int:
        """The least support of a context of order 2 or more."""
        return self.min_support if self.support == "context" else 1

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters by name, with the criterion as its name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {"criterion": self.acceptance.name}
