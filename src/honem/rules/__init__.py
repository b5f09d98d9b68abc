"""From a corpus to rules: which contexts change what comes next."""

from honem.rules.findings import Findings
from honem.rules.params import ExtractionParams, LowerOrders, Support
from honem.rules.rule import Rule, Successor
from honem.rules.table import PairSums, Rules, RuleTable

__all__ = [
    "ExtractionParams",
    "Findings",
    "LowerOrders",
    "PairSums",
    "Rule",
    "RuleTable",
    "Rules",
    "Successor",
    "Support",
]
