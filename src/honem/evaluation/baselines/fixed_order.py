"""Next-step prediction from all contexts up to a fixed length."""

from __future__ import annotations

from dataclasses import dataclass

from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.methods import RegisteredMethod, register_method
from honem.prediction import RuleNextStep


@register_method
@dataclass(frozen=True, kw_only=True)
class FixedOrder(RegisteredMethod):
    """Predict from the last `order` nodes, smoothed with shorter contexts as rules are.

    Parameters
    ----------
    order : int, default=2
        Length of the longest contexts.
    """

    order: int = 2

    name = "fixed-order"
    kind = "predictions"
    position = 140

    def __post_init__(self) -> None:
        require_whole("order", self.order, least=1)

    def fit(self, corpus: Corpus) -> RuleNextStep:
        """Count all contexts and return their model of the next step."""
        return RuleNextStep.of(ngram_table(corpus, self.order))


@register_method
@dataclass(frozen=True, kw_only=True)
class FirstOrderPredictor(RegisteredMethod):
    """Predict from the last node only."""

    name = "first-order"
    kind = "predictions"
    position = 10

    def fit(self, corpus: Corpus) -> RuleNextStep:
        """Count all steps and return their model of the next step."""
        return FixedOrder(order=1).fit(corpus)
