"""The executor without a cluster."""

from __future__ import annotations

import pytest

from honem import ParameterError
from honem.rules.engines.distributed.executors.in_process import InProcessExecutor
from tests.rules.engines.distributed.executors.contract import check_contract


@pytest.mark.parametrize("parallelism", [1, 2, 30])
def test_it_keeps_the_contract(parallelism: int) -> None:
    executor = InProcessExecutor(parallelism)
    assert executor.parallelism == parallelism
    check_contract(executor)


def test_there_is_at_least_one_partition() -> None:
    with pytest.raises(ParameterError, match="parallelism"):
        InProcessExecutor(0)
