"""How many threads to use."""

from __future__ import annotations

import os

from honem._internal.validation import require_n_jobs


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    Parameters
    ----------
    n_jobs : int or None
        A number of threads, or None or -1 for all available cores.

    Raises
    ------
    ParameterError
        If `n_jobs` is anything else.
    """
    if n_jobs is None or n_jobs == -1:
        return available_cores()
    require_n_jobs("n_jobs", n_jobs)
    return int(n_jobs)
