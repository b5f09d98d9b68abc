"""Telling the user that the kernels are being compiled, which happens once per machine."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from numba.core import event


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
