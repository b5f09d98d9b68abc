"""Finds or starts the Spark session, which is never stopped here, and translates Spark's errors."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from honem.errors import HonemError, MissingDependencyError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def find_session(master: str | None = None) -> SparkSession:
    """Return the running Spark session, or start one.

    Parameters
    ----------
    master : str, optional
        A Spark URL such as "local[4]" or "yarn". By default Spark's own settings decide: those of spark-submit or
        spark-defaults.conf, or else all cores of this machine.

    Returns
    -------
    SparkSession
        A session that the caller may stop; honem never does.

    Raises
    ------
    HonemError
        If Spark does not start, or a session is running on another master.
    MissingDependencyError
        If PySpark is not installed.
    """
    pyspark = require_pyspark()
    session: SparkSession | None = pyspark.sql.SparkSession.getActiveSession()
    if session is None and pyspark.SparkContext._active_spark_context is not None:
        session = pyspark.sql.SparkSession.builder.getOrCreate()
    if session is None:
        return _new_session(pyspark, master)
    if master is not None and session.sparkContext.master != master:
        raise HonemError(
            f"a Spark session on {session.sparkContext.master!r} is running in this process, not on {master!r}; "
            "leave out the master to use it"
        )
    return session


def _new_session(pyspark: Any, master: str | None) -> SparkSession:
    from py4j.protocol import Py4JError

    # Workers on this machine must be the Python that has honem, not the first one of the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = pyspark.sql.SparkSession.builder.appName("honem")
    builder = builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    if master is not None:
        builder = builder.master(master)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of pandas 3, which we do not hand to Spark
            session: SparkSession = builder.getOrCreate()
    except pyspark.errors.PySparkRuntimeError as error:
        place = master or "its own settings"
        raise HonemError(
            f"Spark did not start on {place}; it needs Java 17 or newer, and a master that it knows "
            f"({spark_message(error)})"
        ) from None
    except Py4JError as error:  # a master that Spark does not know, a cluster that does not answer
        raise HonemError(f"Spark did not start on {master or 'its own settings'}: {spark_message(error)}") from error
    session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise Spark's exceptions as a HonemError of one line, chained to the original."""
    pyspark = require_pyspark()
    from py4j.protocol import Py4JError

    try:
        yield
    except (pyspark.errors.PySparkException, Py4JError) as error:
        raise HonemError(f"Spark gave up: {spark_message(error)}") from error


def spark_message(error: Exception) -> str:
    """Return the most informative line of a Spark error: the last one of a failed worker, otherwise the first."""
    lines = [line.strip() for line in str(error).split("JVM stacktrace")[0].splitlines() if line.strip()]
    bare = [re.sub(r"^(: |Caused by: )", "", line) for line in lines]
    raised = [line for line in bare if re.match(r"[\w.]*(Error|Exception)\b.*:", line)]
    return (raised or lines or [type(error).__name__])[-1 if raised else 0]


def require_pyspark() -> Any:
    """Import pyspark, or raise MissingDependencyError."""
    try:
        import pyspark
        import pyspark.sql
    except ImportError:
        raise MissingDependencyError("the spark engine needs PySpark: pip install 'honem[spark]'") from None
    return pyspark
