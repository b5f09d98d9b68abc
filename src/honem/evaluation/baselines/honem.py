"""HONEM as a method to compare, and HONEM limited to the first order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from honem.corpus import Corpus
from honem.evaluation.methods import Fitted, MethodKind, Predictor, RegisteredMethod, register_method


@register_method
class Honem(RegisteredMethod):
    """HONEM; its options are the parameters of `honem.HONEM`.

    Raises
    ------
    ParameterError
        If the value of a parameter has no meaning.
    """

    name = "honem"
    kind: ClassVar[MethodKind] = "vectors"
    position = 0
    is_ours = True

    fixed: ClassVar[Mapping[str, Any]] = {}
    """Parameters that differ from the defaults of HONEM."""

    def __init__(self, **parameters: Any) -> None:
        from honem.estimator import HONEM

        self.model = HONEM(**{**self.fixed, **parameters})
        self.model.plan()

    @classmethod
    def option_names(cls) -> tuple[str, ...]:
        """Return the names of all parameters of HONEM."""
        from honem.estimator import HONEM

        return tuple(HONEM().get_params())

    def settings(self) -> dict[str, Any]:
        """Return all parameters, and the recipes that they amount to: a changed preset is a changed setting."""
        return {**self.model.get_params(), "members": self.model.plan()[1]}

    def fit(self, corpus: Corpus) -> Fitted:
        """Embed the nodes of a corpus; the matrix comes along, so that link prediction can judge both together."""
        return self.model.fit(corpus).with_evidence()


@register_method
class HonemPredictor(Honem):
    """HONEM's model of the next step: a blend of all contexts, with its vectors below order 1."""

    kind: ClassVar[MethodKind] = "predictions"

    def fit(self, corpus: Corpus) -> Predictor:
        """Fit HONEM and return its model of the next step."""
        return self.model.fit(corpus).next_step_


@register_method
class FirstOrder(Honem):
    """HONEM with the paper's preset and first-order rules only, unless options say otherwise."""

    name = "first-order"
    position = 10
    is_ours = False
    fixed: ClassVar[Mapping[str, Any]] = {"preset": "paper", "max_order": 1}
