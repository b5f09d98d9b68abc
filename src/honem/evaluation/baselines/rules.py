"""Next-step prediction from the accepted rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from honem.corpus import Corpus
from honem.evaluation.methods import RegisteredMethod, register_method
from honem.prediction import RuleNextStep
from honem.rules import ExtractionParams
from honem.rules.engines import extract_rules


@register_method
class RulesPredictor(RegisteredMethod):
    """Predict from the longest accepted rule that fits the history, smoothed with shorter ones.

    The options are those of `honem.extract_rules`.
    """

    name = "rules"
    kind = "predictions"
    position = 130
    is_ours = True

    def __init__(self, **options: Any) -> None:
        self.params = ExtractionParams(**options)

    @classmethod
    def option_names(cls) -> tuple[str, ...]:
        """Return the names of all parameters of rule extraction."""
        return tuple(field.name for field in fields(ExtractionParams))

    def settings(self) -> dict[str, Any]:
        """Return all parameters of rule extraction."""
        return dict(vars(self.params))

    def fit(self, corpus: Corpus) -> RuleNextStep:
        """Extract rules and return their model of the next step."""
        return RuleNextStep.of(extract_rules(corpus, **vars(self.params)))
