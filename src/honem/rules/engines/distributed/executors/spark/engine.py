"""SparkEngine: the distributed driver on a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honem._internal.progress import Progress
from honem.errors import ParameterError
from honem.rules.engines.distributed.driver import FIRST_WINDOW, DistributedEngine
from honem.rules.engines.distributed.executors.spark.executor import SparkExecutor

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkEngine(DistributedEngine):
    """Extraction on Apache Spark; the same rules as from every engine, found where the sequences are.

    Parameters
    ----------
    session : SparkSession, optional
        The session to run in. By default the running one, or a new one.
    master : str, optional
        The Spark URL of a new session, such as "local[4]" or "yarn". By default Spark's own settings decide.
    first_window : int, default 8
        How many nodes of each history are sent in the first pass. Later passes send twice as many, at the positions
        where contexts might still grow.
    n_shards : int, optional
        The number of tasks that grow contexts. By default one per core, or more if a task would get too many steps.
    progress : Progress, optional
        Called before every pass after the first.
    """

    def __init__(
        self,
        session: SparkSession | None = None,
        *,
        master: str | None = None,
        first_window: int = FIRST_WINDOW,
        n_shards: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        executor = SparkExecutor(session, master)
        super().__init__(executor, first_window=first_window, n_shards=n_shards, progress=progress)


def make_engine(n_jobs: int | None = None, progress: Progress | None = None) -> SparkEngine:
    """Create the engine that `engine="spark"` names."""
    if n_jobs is not None:
        raise ParameterError(f"n_jobs={n_jobs!r} has no meaning for engine='spark': its master says how many cores")
    return SparkEngine(progress=progress)
