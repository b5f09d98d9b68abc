"""A progress bar on stderr, shown on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

Progress = Callable[[str, int, int], None]
"""Called with the name of the current task, the work done so far, and the total."""


_is_hidden = False


@contextmanager
def without_progress() -> Iterator[None]:
    """Show no bars while the context is active."""
    global _is_hidden
    before, _is_hidden = _is_hidden, True
    try:
        yield
    finally:
        _is_hidden = before


class TerminalProgress:
    """One bar per task, removed when the task ends; nothing is shown if stderr is not a terminal."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty() and not _is_hidden
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
        """Remove the current bar."""
        if self.bar is not None:
            self.bar.close()
        self.what, self.bar = "", None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
