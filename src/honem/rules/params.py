"""Parameters of rule extraction, shared by all engines."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from honem._internal.option_names import option
from honem._internal.validation import require_one_of, require_whole
from honem.errors import ParameterError
from honem.rules.criteria import CRITERIA, Counting, Criterion, Significance, criterion_class

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
        every transition with a smaller count, at every order, is set to 0 before anything is computed, as in pyHON;
        only with ``criterion="divergence"``.
    tau : float or None, default=None
        Factor of the threshold of ``criterion="divergence"``; a smaller value accepts more contexts. None means 1.
    max_order : int or None, default=None
        Highest order that is considered; None for no limit.
    lower_orders : {"all", "significant", "hon"}, default="all"
        What is kept beside the accepted contexts: all their contiguous sub-contexts, only their prefixes, or what the
        original HON keeps, which needs ``criterion="divergence"``.
    criterion : str or Criterion, default="significance"
        What makes a context accepted: "significance" bounds the false discovery rate, "divergence" is the criterion of
        HON+ and of the HONEM paper; or another registered name, or a criterion object.
    alpha : float or None, default=None
        The false discovery rate of ``criterion="significance"``. None means 0.05.
    count : {"occurrences", "sequences"}, default="occurrences"
        What counts as one observation when evidence is computed: every occurrence of a context, or only its first one
        in each sequence. Counts and probabilities of rules are always those of all occurrences.

    Raises
    ------
    ParameterError
        If a value is not valid.

    Examples
    --------
    >>> ExtractionParams(alpha=0.01).acceptance
    Significance(alpha=0.01, count='occurrences')
    """

    min_support: int = 1
    support: Support = "context"
    tau: float | None = None
    max_order: int | None = None
    lower_orders: LowerOrders = "all"
    criterion: str | Criterion = "significance"
    alpha: float | None = None
    count: Counting = "occurrences"

    def __post_init__(self) -> None:
        require_whole("min_support", self.min_support, least=1)
        if self.max_order is not None:
            require_whole("max_order", self.max_order, least=1)
        require_one_of("support", self.support, get_args(Support))
        require_one_of("lower_orders", self.lower_orders, get_args(LowerOrders))
        require_one_of("count", self.count, get_args(Counting))
        criterion = self.acceptance
        if not isinstance(self.criterion, str):
            self._require_nothing_beside(criterion)
        for name in ("tau", "alpha"):
            if getattr(self, name) is not None and name not in criterion.parameters:
                known = [other.name for other in CRITERIA.values() if name in other.parameters]
                raise ParameterError(
                    f"{option(name, getattr(self, name))} has no effect with {option('criterion', criterion.name)}; "
                    f"it belongs to {' and '.join(option('criterion', other) for other in known)}"
                )
        if criterion.compared_with == "parent":
            for name, value in (("lower_orders", "hon"), ("support", "transition")):
                if getattr(self, name) == value:
                    raise ParameterError(
                        f"{option(name, value)} is not possible with {option('criterion', criterion.name)}, which "
                        f"compares contexts with their parents; use {option('criterion', 'divergence')}"
                    )

    def _require_nothing_beside(self, criterion: Criterion) -> None:
        """Raise ParameterError if a parameter of a criterion object is given a second time."""
        for name in ("tau", "alpha"):
            if getattr(self, name) is not None:
                raise ParameterError(f"{option(name, getattr(self, name))}: set {name} on the criterion object instead")
        if self.count != "occurrences" and self.count != self.counting:
            raise ParameterError(f"{option('count', self.count)}: set count on the criterion object instead")

    @property
    def counting(self) -> Counting:
        """What counts as one observation when evidence is computed."""
        return self.evidence_test.count

    @property
    def evidence_test(self) -> Significance:
        """The test that gives every rule its evidence, under any criterion."""
        criterion = self.acceptance
        return criterion if isinstance(criterion, Significance) else Significance(count=self.count)

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
        """Return the parameters by name, in a form that JSON can hold: the criterion by its name.

        Raises
        ------
        ParameterError
            If the criterion is an object that its name and the parameters do not describe: code cannot be stored.

        Examples
        --------
        >>> from honem.rules.criteria import Divergence
        >>> stored = ExtractionParams(criterion=Divergence(tau=0.3)).to_dict()
        >>> stored["criterion"], stored["tau"]
        ('divergence', 0.3)
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        criterion = self.acceptance
        if isinstance(self.criterion, str):
            return values
        values |= {"criterion": criterion.name, "count": self.counting}
        values |= {name: getattr(criterion, name) for name in criterion.parameters}
        if criterion.name not in CRITERIA or ExtractionParams(**values).acceptance != criterion:
            raise ParameterError(
                f"{option('criterion', criterion)} cannot be stored: only registered criteria can, without parameters "
                "of their own"
            )
        return values
