"""Apache Spark as an executor, and SparkCorpus for what Spark can read; the only package that imports pyspark."""

from honem.rules.engines.distributed.executors.spark.corpus import SparkCorpus
from honem.rules.engines.distributed.executors.spark.engine import SparkEngine, make_engine
from honem.rules.engines.distributed.executors.spark.executor import SparkExecutor
from honem.rules.engines.distributed.executors.spark.session import find_session

__all__ = ["SparkCorpus", "SparkEngine", "SparkExecutor", "find_session", "make_engine"]
