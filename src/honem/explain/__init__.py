"""Explanations: the rules of a node, the score of a pair, and what changes between two embeddings."""

from __future__ import annotations

from honem.explain.comparison import Comparison, NodeChange, compare
from honem.explain.node import NodeExplanation, explain_node
from honem.explain.pair import PairExplainer, PairExplanation, explain_pair
from honem.explain.paths import Path
from honem.explain.proximity_parts import OrderPart, RulePart, Step
from honem.explain.score_parts import ScoreParts, ScoreTerm

__all__ = [
    "Comparison",
    "NodeChange",
    "NodeExplanation",
    "OrderPart",
    "PairExplainer",
    "PairExplanation",
    "Path",
    "RulePart",
    "ScoreParts",
    "ScoreTerm",
    "Step",
    "compare",
    "explain_node",
    "explain_pair",
]
