"""A progress bar for long work: on a terminal only, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


class TerminalProgress:
    """One bar after the other, each gone when its work is done; silent where stderr is no terminal."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.what = ""
        self.bar: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if not self.shown:
            return
        if what != self.what:
            self.close()
            self.what, self.bar = what, self._new_bar(what, total)
        self.bar.total = total
        self.bar.update(done - self.bar.n)

    def _new_bar(self, what: str, total: int) -> Any:
        from tqdm import tqdm

        return tqdm(desc=what, total=total, leave=False, unit_scale=True, dynamic_ncols=True, file=sys.stderr)

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()
        self.what, self.bar = "", None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
