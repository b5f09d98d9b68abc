"""Extraction on Apache Spark, for corpora that one machine does not hold; the only home of pyspark."""

from honem.rules.engines.distributed.corpus import SparkCorpus
from honem.rules.engines.distributed.engine import SparkEngine
from honem.rules.engines.distributed.rules import SparkRules
from honem.rules.engines.distributed.session import find_session

__all__ = ["SparkCorpus", "SparkEngine", "SparkRules", "find_session"]
