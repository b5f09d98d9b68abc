"""Memory that this process may still use, and errors that say what did not fit into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MIB = 2**20


def limit_of_address_space() -> int | None:
    """Return how many bytes of address space this process may have (`ulimit -v`); None for no limit."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def require_memory(needed: int, what: str) -> None:
    """Raise MemoryError if a limit leaves less address space than is needed.

    Only for what is known before it starts, and for code that ends the process if it gets no memory, as LLVM does.
    """
    limit = limit_of_address_space()
    if limit is None:
        return
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        used = 0
    if limit - used < needed:
        raise MemoryError(
            f"{what} takes at least {needed // MIB} MiB, and of {limit // MIB} MiB {max(limit - used, 0) // MIB} are "
            "left; raise the limit (ulimit -v)"
        )


@contextmanager
def memory_for(what: str) -> Iterator[None]:
    """Add to a MemoryError what the memory was needed for."""
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"{what} did not fit ({error})" if str(error) else f"{what} did not fit") from error
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        raise MemoryError(f"{what} did not fit (no memory for another thread)") from error
