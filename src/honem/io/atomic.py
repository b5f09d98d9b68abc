"""Files and folders that appear whole or not at all.

What is written stands in a temporary sibling until it is complete and on the disk, and is then renamed. The writer
holds a lock on its sibling, which the system lets go when the writer dies: so the next one can tell what a killed run
left behind from what another run is writing at this moment.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from honem.errors import HonemError, OutputError

PathLike: TypeAlias = "str | os.PathLike[str]"

UNFINISHED, SET_ASIDE = ".tmp", ".old"
ATTEMPTS = 100

_ELSEWHERE = "choose a place you may write to"
_MORE_SPACE = "free some space or choose another disk; nothing was changed"
WAYS_OUT = {
    errno.ENOSPC: _MORE_SPACE,
    errno.EDQUOT: _MORE_SPACE,
    errno.EFBIG: _MORE_SPACE,
    errno.EACCES: _ELSEWHERE,
    errno.EPERM: _ELSEWHERE,
    errno.EROFS: _ELSEWHERE,
    errno.ENOENT: "create the folder first",
    errno.ENAMETOOLONG: "choose a shorter name",
}


@contextmanager
def atomic_file(path: PathLike) -> Iterator[BinaryIO]:
    """A binary file that takes its name only when it is whole and on the disk; after an error nothing is left of it.

    A link stays a link, and pipes and devices are written to as they are.
    """
    check_file_place(path)
    with told_as_output_error(path):
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:
                yield file
            return
        place = real_place(path)
        remove_leftovers(place)
        temporary, descriptor = claim(place, _new_file)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                _keep_permissions(file, place)
                file.flush()
                os.fsync(file.fileno())
                # Renamed while it is locked: a run that looks for leftovers never sees it unlocked.
                os.replace(temporary, place)
        except BaseException:
            remove(temporary)
            raise
        sync(place.parent)


@contextmanager
def told_as_output_error(path: PathLike) -> Iterator[None]:
    """Whatever the system refuses becomes one line that names the place and the way out."""
    try:
        yield
    except (HonemError, BrokenPipeError):
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        way_out = WAYS_OUT.get(error.errno or 0)
        shown = f"{os.fspath(path)} cannot be written: {reason}"
        raise OutputError(f"{shown}; {way_out}" if way_out else shown) from error


def check_file_place(path: PathLike) -> None:
    """Refuse, before any work is done, a place where no file can be written."""
    name = os.fspath(path)
    if os.path.isdir(name):
        raise OutputError(f"{name} cannot be written: it is a folder; name a file in it")
    if os.path.exists(name) and not os.access(name, os.W_OK):
        raise OutputError(f"{name} cannot be written: it is read-only; {_ELSEWHERE}")
    if not os.path.exists(name) or os.path.isfile(name):
        check_folder_of(path)


def check_folder_of(path: PathLike) -> None:
    """Refuse a place whose folder is missing or cannot be written to."""
    folder = real_place(path).parent
    if not folder.is_dir():
        raise OutputError(f"{os.fspath(path)} cannot be written: there is no folder {folder}; create the folder first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{os.fspath(path)} cannot be written: the folder {folder} is read-only; {_ELSEWHERE}")


def real_place(path: PathLike) -> Path:
    """Where a path leads: a link is followed, so that what it points to is replaced and not the link."""
    return Path(os.path.realpath(path))


def claim(place: Path, make: Callable[[Path], int]) -> tuple[Path, int]:
    """A new temporary sibling of a place, and its descriptor, which holds the lock.

    Between making it and locking it another run may take it for a leftover and remove it; it is empty then, and a
    new one is made.
    """
    for _ in range(ATTEMPTS):
        temporary = place.with_name(f"{_prefix(place)}{secrets.token_hex(4)}{UNFINISHED}")
        try:
            descriptor = make(temporary)
            if _try_lock(descriptor) is not False and _is_same(descriptor, temporary):
                return temporary, descriptor
            os.close(descriptor)
        except FileNotFoundError as error:
            if not isinstance(error, _VanishedError):
                raise
        except KeyboardInterrupt:
            remove(temporary)
            raise
    raise OutputError(f"{place} cannot be written: other runs keep removing what this one begins; wait for them")


class _VanishedError(FileNotFoundError):
    """A temporary sibling went away before it could be opened."""


def _new_file(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)


def new_folder(path: Path) -> int:
    """Make a folder; -> a descriptor of it."""
    path.mkdir()
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError as error:
        raise _VanishedError from error


def remove_leftovers(place: Path) -> None:
    """Remove what killed runs left beside a place; what a living one is writing stays."""
    for leftover in siblings(place, UNFINISHED):
        with suppress(OSError):
            descriptor = os.open(leftover, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if _try_lock(descriptor):
                    remove(leftover)
            finally:
                os.close(descriptor)


def siblings(place: Path, ending: str) -> list[Path]:
    """What honem put beside a place, with this ending."""
    try:
        names = os.listdir(place.parent)
    except OSError:
        return []
    return [place.with_name(name) for name in names if name.startswith(_prefix(place)) and name.endswith(ending)]


def remove(path: Path) -> None:
    """Remove a file or a folder, as far as the system lets us."""
    if path.is_dir() and not path.is_symlink():
        try:
            shutil.rmtree(path, ignore_errors=True)
        except OSError as error:
            # Interrupted when it has closed a descriptor, rmtree closes it once more and tells of that alone.
            if isinstance(error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            raise
    else:
        with suppress(OSError):
            path.unlink()


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _prefix(place: Path) -> str:
    # A digest, for the name itself may be as long as the system allows.
    digest = hashlib.sha256(os.fsencode(place.name)).hexdigest()[:16]
    return f".honem-{digest}-"


def _try_lock(descriptor: int) -> bool | None:
    """Whether the lock is ours now; None where the file system knows no locks, and nothing can be told."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _keep_permissions(file: BinaryIO, place: Path) -> None:
    """Who may read a file that is replaced may read the new one."""
    with suppress(OSError):
        os.fchmod(file.fileno(), stat.S_IMODE(os.stat(place).st_mode))
