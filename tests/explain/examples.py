"""What the tests of explanations share."""

from __future__ import annotations

from collections.abc import Iterator

from honem import HONEM
from honem.explain import PairExplainer, PairExplanation

TRIPS = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20 + [["centre", "park"]] * 5


def explanations(model: HONEM) -> Iterator[tuple[PairExplanation, int, int]]:
    """Explanations from the first two nodes to all, and the numbers of the nodes."""
    explainer = PairExplainer(model.rules_, model.embedding_, model.recipe_)
    for a, first in enumerate(model.embedding_.nodes[:2]):
        for b, second in enumerate(model.embedding_.nodes):
            yield explainer.explain(first, second, n=2), a, b
