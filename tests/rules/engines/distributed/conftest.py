"""The session of all Spark tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rules.engines.distributed.sessions import shared_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """The one session of this process."""
    return shared_session()
