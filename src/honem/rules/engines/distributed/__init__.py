"""Extraction on a cluster, for corpora that one machine does not hold: one driver, and executors that run its tasks."""

from honem.rules.engines.distributed.corpus import DistributedCorpus
from honem.rules.engines.distributed.driver import DistributedEngine
from honem.rules.engines.distributed.executors.spark import SparkCorpus, SparkEngine, find_session
from honem.rules.engines.distributed.rules import DistributedRules

__all__ = ["DistributedCorpus", "DistributedEngine", "DistributedRules", "SparkCorpus", "SparkEngine", "find_session"]
