"""From a corpus to rules: which contexts change what comes next."""

from honem.rules.params import ExtractionParams, LowerOrders, Support
from honem.rules.table import PairSums, Rules, RuleTable

__all__ = ["ExtractionParams", "LowerOrders", "PairSums", "RuleTable", "Rules", "Support"]
