"""The engines by name. Engines are imported when they are used, so the names can be listed at no cost.

Every module in `distributed/executors` except `base` is an engine: in_process.py is "in-process". It must define
`make_engine(n_jobs, progress)`. Engines from other packages are added with `register_engine`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from honem._internal.option_names import option
from honem._internal.progress import Progress
from honem._internal.validation import require_n_jobs, require_one_of
from honem.errors import ParameterError
from honem.rules.engines.base import Engine

EngineFactory = Callable[[int | None, Progress | None], Engine]
ONE_THREAD = ("reference", "in-process")
EXECUTORS = "honem.rules.engines.distributed.executors"


def make_local(n_jobs: int | None, progress: Progress | None) -> Engine:
    """Create the engine that `engine="local"` names."""
    from honem.rules.engines.local import LocalEngine

    return LocalEngine(n_jobs=n_jobs, progress=progress)


def make_reference(n_jobs: int | None, progress: Progress | None) -> Engine:
    """Create the engine that `engine="reference"` names."""
    from honem.rules.engines.reference import ReferenceEngine

    return ReferenceEngine()


def factory_of(module: str) -> EngineFactory:
    """Return a factory that imports an executor when it is called."""

    def make(n_jobs: int | None, progress: Progress | None) -> Engine:
        engine: Engine = import_module(module).make_engine(n_jobs, progress)
        return engine

    return make


def executor_engines() -> dict[str, EngineFactory]:
    """Return one engine per module in `distributed/executors`, without importing them."""
    folder = Path(__file__).parent / "distributed" / "executors"
    modules = sorted(module.name for module in iter_modules([str(folder)]) if module.name != "base")
    return {name.replace("_", "-"): factory_of(f"{EXECUTORS}.{name}") for name in modules}


ENGINES: dict[str, EngineFactory] = {
    "local": make_local,
    "reference": make_reference,
    **executor_engines(),
}


def register_engine(name: str, factory: EngineFactory) -> None:
    """Add an engine, or replace the one of that name.

    Parameters
    ----------
    name : str
        What `engine=` and `--engine` call it.
    factory : callable
        Takes `n_jobs` (int or None) and `progress` (a callback or None), and returns an Engine.

    Examples
    --------
    >>> from honem.rules.engines.distributed.driver import DistributedEngine
    >>> from honem.rules.engines.distributed.executors.in_process import InProcessExecutor
    >>> register_engine("five-parts", lambda n_jobs, progress: DistributedEngine(InProcessExecutor(5)))
    >>> make_engine("five-parts").executor.parallelism
    5
    >>> del ENGINES["five-parts"]
    """
    ENGINES[name] = factory


def require_engine(name: str, n_jobs: int | None = None) -> None:
    """Raise ParameterError unless there is an engine of that name that can use so many threads."""
    require_one_of("engine", name, tuple(ENGINES))
    require_n_jobs("n_jobs", n_jobs)
    given = f"{option('n_jobs', n_jobs)} does not apply to {option('engine', name)}"
    if name == "spark" and n_jobs is not None:
        raise ParameterError(f"{given}: the Spark master determines the cores")
    if name in ONE_THREAD and n_jobs not in (None, 1):
        raise ParameterError(f"{given}, which runs on one thread")


def make_engine(name: str, n_jobs: int | None = None, progress: Progress | None = None) -> Engine:
    """Create an engine.

    Parameters
    ----------
    name : str
        One of `ENGINES`.
    n_jobs : int, optional
        Threads; only the local engine uses more than one.
    progress : Progress, optional
        Called with what is being done, how much is done, and how much there is.

    Raises
    ------
    ParameterError
        If there is no engine of that name, or it cannot use `n_jobs`.
    """
    require_engine(name, n_jobs)
    return ENGINES[name](n_jobs, progress)
