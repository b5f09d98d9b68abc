"""Compile the inner loops with Numba, once per machine, and log a message when that happens."""

from __future__ import annotations

import hashlib
import inspect
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from honem._internal.memory import require_memory

NUMBA_BYTES = 300 * 2**20
"""Address space for loading Numba and LLVM, whose error says nothing about memory."""

if "numba" not in sys.modules:
    require_memory(NUMBA_BYTES, "loading Numba")

from numba import njit  # noqa: E402
from numba.core import event  # noqa: E402
from numba.core.caching import FunctionCache  # noqa: E402

logger = logging.getLogger(__name__)

# error_model="numpy" drops Python's zero-division checks from the inner loops; no divisor here can be 0.
_njit = partial(njit, nogil=True, error_model="numpy")


class ForgivingCache(FunctionCache):
    """Numba's cache of a function; if it is damaged or cannot be written, the function is compiled again.

    Numba does not wait until its files are on disk, so a machine that stops can leave empty ones behind.
    """

    def load_overload(self, *arguments: Any) -> Any:
        """Return the compiled code, or None if there is none that can be read."""
        try:
            return super().load_overload(*arguments)  # type: ignore[no-untyped-call]
        except Exception as error:  # a damaged pickle can raise anything
            logger.debug("Numba's cache in %s is damaged and written again: %r", self.cache_path, error)
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, *arguments: Any) -> None:
        """Keep the compiled code, unless the disk is full or read-only."""
        with suppress(OSError):
            super().save_overload(*arguments)  # type: ignore[no-untyped-call]


def compiled(
    function: Callable[..., Any], *, inlined: bool = False, cache: bool = True, **options: Any
) -> Callable[..., Any]:
    """Compile a function when it is first called, and keep the result for later processes where it can be written."""
    dispatcher: Any = _njit(function, forceinline=inlined, **options)
    if cache and hasattr(dispatcher, "_cache"):  # it has none if Numba is switched off
        with suppress(RuntimeError):  # neither the package's folder nor the user's can be written
            dispatcher._cache = ForgivingCache(function)  # type: ignore[no-untyped-call]
    return cast(Callable[..., Any], dispatcher)


reassociated = partial(compiled, fastmath={"reassoc", "contract", "nsz"})
"""For sums that may be added in any order, which lets the compiler use vector instructions: on one machine the result
is always the same."""

inlined = partial(compiled, inlined=True)
"""For parts of an inner loop: a call with arrays costs atomic reference counts, for which threads would contend."""


def with_names(function: Callable[..., Any], names: Mapping[str, object], suffix: str) -> FunctionType:
    """Return a copy of a function that sees other values under some global names.

    `suffix` becomes part of its qualified name, which is what Numba caches compiled code under.
    """
    original = cast(FunctionType, function)
    copy = FunctionType(original.__code__, {**original.__globals__, **names}, original.__name__)
    copy.__qualname__ = f"{original.__qualname__}_{suffix}"
    return copy


def linked(functions: Iterable[Callable[..., Any]]) -> dict[Callable[..., Any], Callable[..., Any]]:
    """Compile plain functions of one module that call each other by name, for use in a kernel."""
    namespace: dict[str, object] = {}
    found: dict[Callable[..., Any], Callable[..., Any]] = {}
    for function in cast(Iterable[FunctionType], functions):
        namespace = namespace or dict(function.__globals__)
        found[function] = _njit(FunctionType(function.__code__, namespace, function.__name__), forceinline=True)
        namespace[function.__name__] = found[function]
    return found


def source_digest(*owners: type | ModuleType) -> str | None:
    """Return a short hash of the source files of classes and modules.

    Returns None if one has no file, as in an interactive session.
    """
    try:
        sources = [Path(inspect.getfile(owner)).read_bytes() for owner in owners]
    except (OSError, TypeError):
        return None
    return hashlib.sha256(b"".join(sources)).hexdigest()[:12]


class CompilationNotice(event.Listener):
    """Log one message when the first kernel is compiled, and none if all kernels come from the cache.

    The level is WARNING: Python shows it on stderr even if the application does not configure logging, so that users
    of a notebook learn why their first fit takes 10 seconds longer than the next.
    """

    def __init__(self) -> None:
        self.is_logged = False

    def on_start(self, event: Any) -> None:
        if not self.is_logged:
            logger.warning("compiling honem's kernels, once per machine (about 10 s) ...")
            self.is_logged = True

    def on_end(self, event: Any) -> None:
        """Do nothing: the end of compilation is not announced."""


def announcing_compilation() -> AbstractContextManager[None]:
    """Announce compilation while the context is open."""
    return event.install_listener("numba:compile", CompilationNotice())
