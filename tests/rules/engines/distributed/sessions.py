"""One Spark session for all tests of a process; starting one takes longer than most tests."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local[2]"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

# With `--dist loadgroup` all tests of the group run in the same process, so only one starts a JVM.
on_spark = pytest.mark.xdist_group("spark")


def require_spark() -> None:
    """Skip where Spark cannot run."""
    pytest.importorskip("pyspark", reason="no PySpark here: pip install 'honem[spark]'")
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
    if shutil.which(java) is None:
        pytest.skip("no Java here: Spark needs Java 17")


def start_session(master: str, settings: dict[str, str]) -> SparkSession:
    """A session whose workers have this Python, and which says nothing."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("tests of honem")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


@cache
def shared_session() -> SparkSession:
    """The session that all tests share; it ends with the process."""
    require_spark()
    return start_session(MASTER, SETTINGS)


def n_persisted(session: SparkSession) -> int:
    """How many frames Spark holds for us."""
    return int(session.sparkContext._jsc.sc().getPersistentRDDs().size())
