"""The Spark session: the one that is there, or a new one; never stopped by us."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from honem.errors import HonemError, MissingDependencyError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def find_session(master: str | None = None) -> SparkSession:
    """The session of this process, or a new one on `master` (a Spark URL such as "local[4]" or "yarn").

    Without a master Spark's own settings decide: those of spark-submit, of spark-defaults.conf, or all cores here.
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
            f"Spark did not start on {place}; it needs Java 17 or newer, and a master that it knows ({one_line(error)})"
        ) from None
    except Py4JError as error:  # a master that Spark does not know, a cluster that does not answer
        raise HonemError(f"Spark did not start on {master or 'its own settings'}: {one_line(error)}") from error
    session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """What Spark could not do, as an error of ours; the whole story stays behind it."""
    pyspark = require_pyspark()
    from py4j.protocol import Py4JError

    try:
        yield
    except (pyspark.errors.PySparkException, Py4JError) as error:
        raise HonemError(f"Spark gave up: {one_line(error)}") from error


@contextmanager
def letting_go(release: Callable[[], object]) -> Iterator[None]:
    """What Spark was to hold for later is let go of when there will be no later."""
    try:
        yield
    except BaseException:
        release()
        raise


def one_line(error: Exception) -> str:
    """The line that says most of Spark's long messages: of a failed worker its last, otherwise the first."""
    lines = [line.strip() for line in str(error).split("JVM stacktrace")[0].splitlines() if line.strip()]
    bare = [re.sub(r"^(: |Caused by: )", "", line) for line in lines]
    raised = [line for line in bare if re.match(r"[\w.]*(Error|Exception)\b.*:", line)]
    return (raised or lines or [type(error).__name__])[-1 if raised else 0]


def require_pyspark() -> Any:
    """The pyspark package, or the way to it."""
    try:
        import pyspark
        import pyspark.sql
    except ImportError:
        raise MissingDependencyError("the spark engine needs PySpark: pip install 'honem[spark]'") from None
    return pyspark
