"""Extraction on Apache Spark, for corpora that one machine does not hold; the only home of pyspark."""

from honem.engines.spark.corpus import SparkCorpus
from honem.engines.spark.engine import SparkEngine
from honem.engines.spark.rules import SparkRules
from honem.engines.spark.session import find_session

__all__ = ["SparkCorpus", "SparkEngine", "SparkRules", "find_session"]
