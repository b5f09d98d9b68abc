"""A lock on a folder that needs nothing of the operating system but renaming and removing.

The lock is a folder with one file in it, the marker, whose name states its owner (see `honem.io.ownership`). All steps
are atomic on local disks and network file systems of Linux, macOS and Windows:

- It is taken by renaming a folder that already contains the marker. This fails while a lock with a marker exists, so
  a lock never exists without its owner's name.
- It is released by removing the marker, then the empty folder.
- If its owner was killed, others remove the marker, by its name, then the empty folder. The name is unique, so a
  process that is late with this cannot remove the marker of the next owner; and a folder that is not empty cannot be
  removed.

The lock is held while new files take their names, which is short, not while they are written.
"""

from __future__ import annotations

import errno
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from honem.errors import OutputError
from honem.io.atomic import insist
from honem.io.ownership import Owner, is_abandoned

LOCK = ".honem-lock"
PATIENCE = 60.0  # seconds to wait for another process
LONGEST_PAUSE = 0.02

_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.EACCES, errno.EPERM}  # the last two on Windows


@dataclass(frozen=True)
class FolderLock:
    """A lock that this process holds."""

    marker: Path

    @property
    def is_held(self) -> bool:
        """Whether the lock is still held; it can be taken away from a process that was suspended for days."""
        return self.marker.exists()

    def check(self) -> None:
        """Raise OutputError if the lock was taken away."""
        if not self.is_held:
            raise OutputError(f"{self.marker.parent.parent} cannot be written: its lock was lost; save again")


@contextmanager
def locked(folder: Path, staging: Path) -> Iterator[FolderLock]:
    """Hold the lock of a folder.

    Parameters
    ----------
    folder : Path
        The folder to lock.
    staging : Path
        A folder on the same file system that only this process uses.

    Raises
    ------
    OutputError
        If another process does not release the lock within a minute.
    """
    own, name = staging / "lock", Owner.current().new_name()
    lock = folder / LOCK
    try:
        own.mkdir()
        (own / name).touch()
        _acquire(own, lock / name)
        yield FolderLock(lock / name)
    finally:
        insist(lambda: _release(lock / name))


def _acquire(own: Path, marker: Path) -> None:
    lock, now = marker.parent, os.stat(own).st_mtime
    started = time.monotonic()
    while not _try(own, marker):
        _remove_abandoned(lock, now + time.monotonic() - started)
        if time.monotonic() - started > PATIENCE:
            raise OutputError(
                f"{lock.parent} cannot be written: another process keeps it locked ({_owner(lock)}); wait for it, or "
                f"remove {lock} if it no longer runs"
            )
        # A random time, so that processes that wait for each other do not stay in step.
        time.sleep(random.uniform(0, LONGEST_PAUSE))


def _try(own: Path, marker: Path) -> bool:
    try:
        os.rename(own, marker.parent)
    except OSError as error:
        # A network file system may repeat a request that it lost the answer to, and report the repetition's failure.
        if not marker.exists() and error.errno not in _TAKEN:
            raise
        return marker.exists()
    return True


def _release(marker: Path) -> None:
    with suppress(OSError):
        marker.unlink()
    with suppress(OSError):  # it may be the next owner's already
        marker.parent.rmdir()


def _remove_abandoned(lock: Path, now: float) -> None:
    with suppress(OSError):
        for name in os.listdir(lock):
            if is_abandoned(lock / name, now):
                (lock / name).unlink()
        lock.rmdir()


def _owner(lock: Path) -> str:
    owners = [Owner.named(name) for name in os.listdir(lock)] if lock.is_dir() else []
    return ", ".join(f"process {owner.process}" for owner in owners if owner) or "unknown process"
