"""Files that are written atomically: they appear whole or not at all.

Data are written to a temporary file in the same folder, flushed to disk and renamed. A temporary file that a killed
process left behind is removed by the next one that writes the same file (see `honem.io.ownership`).
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from honem._internal.path_like import PathLike
from honem.errors import HonemError, OutputError, ParameterError
from honem.io.ownership import is_abandoned, temporaries_of, temporary_name

Result = TypeVar("Result")

# On Windows a file that another process has open cannot be replaced; readers have it open for a moment only.
ATTEMPTS, PAUSE = 20, 0.02

_ELSEWHERE = "choose a place you may write to"
_MORE_SPACE = "free some space or choose another disk; nothing was changed"
ADVICE = {
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
    """Open a binary file that replaces `path` when the block ends without an error.

    Symbolic links are followed, an existing file keeps its permissions, and pipes and devices are written to directly.

    Parameters
    ----------
    path : str or PathLike
        The file to write; its folder must exist.

    Yields
    ------
    BinaryIO
        A temporary file in the same folder. After an error or Ctrl-C it is removed and `path` is unchanged.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    check_file_place(path)
    with as_output_error(path):
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:
                yield file
            return
        place = real_place(path)
        temporary = temporary_name(place)
        try:
            with open(temporary, "xb") as file:
                remove_leftovers(place, now=os.fstat(file.fileno()).st_mtime)
                yield file
                file.flush()
                os.fsync(file.fileno())
            # After the file was closed: Windows renames no open file.
            _copy_permissions(place, temporary)
            replace(temporary, place)
        except BaseException:
            insist(lambda: remove(temporary))
            raise
        sync_folder(place.parent)


@contextmanager
def as_output_error(path: PathLike) -> Iterator[None]:
    """Turn an error of the operating system into an OutputError of one line that names the path and gives advice."""
    try:
        yield
    except (HonemError, BrokenPipeError):
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        advice = ADVICE.get(error.errno or 0)
        message = f"{os.fspath(path)} cannot be written: {reason}"
        raise OutputError(f"{message}; {advice}" if advice else message) from error


def check_file_place(path: PathLike) -> None:
    """Raise OutputError, before any work is done, if no file can be written to a path."""
    name = os.fspath(path)
    if os.path.isdir(name):
        raise OutputError(f"{name} cannot be written: it is a folder; name a file in it")
    if os.path.exists(name) and not os.access(name, os.W_OK):
        raise OutputError(f"{name} cannot be written: it is read-only; {_ELSEWHERE}")
    if not os.path.exists(name) or os.path.isfile(name):
        check_folder_place(path, real_place(path).parent)


def check_folder_place(path: PathLike, folder: Path) -> None:
    """Raise OutputError, on behalf of `path`, if a folder does not exist or is read-only."""
    if not folder.is_dir():
        raise OutputError(f"{os.fspath(path)} cannot be written: there is no folder {folder}; create the folder first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{os.fspath(path)} cannot be written: the folder {folder} is read-only; {_ELSEWHERE}")


def real_place(path: PathLike) -> Path:
    """Return a path without symbolic links, so that their target is replaced and not the link.

    Raises
    ------
    ParameterError
        If the path contains a character that names of files cannot have here.
    """
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # a null character, or one that is not in the encoding of the file system
        raise ParameterError(f"{os.fspath(path)!a} cannot be the name of a file: {error}") from None


def remove_leftovers(place: Path, now: float) -> None:
    """Remove temporary files and folders that killed processes made for a path; see `is_abandoned` for `now`."""
    for leftover in temporaries_of(place):
        if is_abandoned(leftover, now):
            remove(leftover)


def remove(path: Path) -> None:
    """Remove a file or a folder, as far as the system permits."""
    if path.is_dir() and not path.is_symlink():
        try:
            shutil.rmtree(path, ignore_errors=True)
        except OSError as error:
            # If Ctrl-C interrupts rmtree just after it closed a descriptor, it closes it again and raises that error.
            if isinstance(error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from error
    else:
        with suppress(OSError):
            path.unlink()


def insist(clean_up: Callable[[], None]) -> None:
    """Run a cleanup that can be run twice; if Ctrl-C interrupts it, complete it before raising KeyboardInterrupt."""
    try:
        clean_up()
    except KeyboardInterrupt:
        clean_up()
        raise


def replace(temporary: Path, place: Path) -> None:
    """Rename a file, in one step, to a name that may be taken."""
    patiently(lambda: os.replace(temporary, place))


def patiently(action: Callable[[], Result]) -> Result:
    """Try an action again for a short time while another process has the file open (Windows)."""
    for _ in range(ATTEMPTS - 1):
        try:
            return action()
        except PermissionError:
            time.sleep(PAUSE)
    return action()


def sync_file(path: Path) -> None:
    """Wait until the content of a file is on disk."""
    with open(path, "r+b") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on disk, where the system has a call for that (Windows has none)."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)


def _copy_permissions(old: Path, new: Path) -> None:
    with suppress(OSError):
        os.chmod(new, stat.S_IMODE(os.stat(old).st_mode))
