"""Compiling the inner loops with Numba, once per machine, and telling the user when that happens."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, cast

from numba import njit
from numba.core import event


def compiled(function: Callable[..., Any], inlined: bool = False) -> Callable[..., Any]:
    """Compile when first called and keep the result for later processes, wherever there is a place to keep it."""
    # error_model="numpy" drops Python's zero-division checks from the inner loops; no divisor here can be 0.
    compile_with = partial(njit, nogil=True, error_model="numpy", forceinline=inlined)
    try:
        return cast(Callable[..., Any], compile_with(function, cache=True))
    except RuntimeError:  # neither the package's folder nor the user's can be written
        return cast(Callable[..., Any], compile_with(function))


inlined = partial(compiled, inlined=True)
"""For pieces of an inner loop: a call with arrays costs atomic reference counts, which threads would fight over."""


class CompilationNotice(event.Listener):
    """One line on stderr when the first kernel is compiled; nothing when all come from the cache."""

    def __init__(self) -> None:
        self.told = False

    def on_start(self, event: Any) -> None:
        if not self.told:
            print("honem: compiling its kernels, once per machine (about 10 s) ...", file=sys.stderr, flush=True)
            self.told = True

    def on_end(self, event: Any) -> None:
        """Nothing to say: the work itself goes on."""


def announcing_compilation() -> AbstractContextManager[None]:
    """While this is open, compilation is announced."""
    return event.install_listener("numba:compile", CompilationNotice())
