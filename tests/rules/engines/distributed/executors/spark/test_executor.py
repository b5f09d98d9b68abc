"""Spark as an executor."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from honem.rules.engines.distributed.executors.spark.executor import SparkCollection, SparkExecutor
from tests.rules.engines.distributed.executors import contract
from tests.rules.engines.distributed.sessions import n_persisted, on_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = on_spark


def test_it_keeps_the_contract(spark: SparkSession) -> None:
    from pyspark import cloudpickle

    # Workers know nothing of the tests: the tasks are sent to them whole.
    cloudpickle.register_pickle_by_value(contract)  # type: ignore[no-untyped-call]
    try:
        contract.check_contract(SparkExecutor(spark))
    finally:
        cloudpickle.unregister_pickle_by_value(contract)  # type: ignore[no-untyped-call]
    assert n_persisted(spark) == 0


def test_nothing_is_released_in_a_context_that_was_stopped() -> None:
    """A model may be garbage collected after its session was stopped."""

    def unpersist() -> None:
        pytest.fail("Spark was asked")

    stopped: Any = SimpleNamespace(sparkSession=SimpleNamespace(sparkContext=SimpleNamespace(_jsc=None)))
    stopped.unpersist = unpersist
    SparkCollection(stopped).release()
