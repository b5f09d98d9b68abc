"""A folder that is replaced in one step: whoever looks sees the old one or the new one, whole."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from honem.io.atomic import (
    ATTEMPTS,
    SET_ASIDE,
    UNFINISHED,
    PathLike,
    claim,
    new_folder,
    real_place,
    remove,
    remove_leftovers,
    siblings,
    sync,
    told_as_output_error,
)

AT_FDCWD, RENAME_EXCHANGE = -100, 2
NOT_SUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}


@contextmanager
def atomic_folder(path: PathLike, check: Callable[[Path], None]) -> Iterator[Path]:
    """An empty folder to fill, which takes its place when it is whole and on the disk.

    `check` is asked about whatever stands in the place, at the last moment, and raises unless it may be replaced.
    """
    place = real_place(path)
    with told_as_output_error(path):
        restore_set_aside(place)
        remove_leftovers(place)
        temporary, lock = claim(place, new_folder)
        try:
            yield temporary
            for file in temporary.iterdir():
                sync(file)
            sync(temporary)
            put(temporary, place, check)
            sync(place.parent)
        finally:
            # By now this is either the unfinished new folder or the old one that was replaced.
            try:
                remove(temporary)
            except KeyboardInterrupt:
                remove(temporary)
                raise
            finally:
                os.close(lock)


def put(new: Path, place: Path, check: Callable[[Path], None]) -> None:
    """Give a folder its place; what stands there, if it may be replaced, ends up where the new one was."""
    for _ in range(ATTEMPTS):
        try:
            os.rename(new, place)  # takes a free place, or that of an empty folder; never one with something in it
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
        with suppress(FileNotFoundError):  # gone in between: the place is free
            check(place)
            exchange(new, place)
            return
    raise OSError(errno.EBUSY, "other runs keep replacing it")


def exchange(new: Path, place: Path) -> None:
    """Let two folders swap names, in one step where the system can (Linux, on nearly every file system)."""
    try:
        _exchange_at_once(new, place)
    except OSError as error:
        if error.errno not in NOT_SUPPORTED:
            raise
        _exchange_in_steps(new, place)


def _exchange_at_once(new: Path, place: Path) -> None:
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if rename(AT_FDCWD, os.fsencode(new), AT_FDCWD, os.fsencode(place), RENAME_EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(place))


def _exchange_in_steps(new: Path, place: Path) -> None:
    """Without help from the system: between two renames the place is empty, and the old folder waits beside it.

    Whoever is killed just there loses nothing: the next save puts the old folder back, and `load` says where it is.
    """
    aside = new.with_suffix(SET_ASIDE)
    os.rename(place, aside)
    try:
        os.rename(new, place)
    except BaseException:
        os.rename(aside, place)
        raise
    with suppress(FileNotFoundError):  # another run found it no longer needed
        os.rename(aside, new)


def restore_set_aside(place: Path) -> None:
    """Put back what a run killed between two renames had set aside."""
    for aside in siblings(place, SET_ASIDE):
        # While the run that set it aside lives, its unfinished folder does too.
        remove_leftovers(place)
        if not aside.with_suffix(UNFINISHED).exists():
            with suppress(OSError):
                remove(aside) if place.exists() else os.rename(aside, place)
