"""Names of temporary files that say which process writes them, to distinguish leftovers from work in progress.

File locks are not available on every network file system, and renaming or removing behaves differently on each
operating system. Names work everywhere. A temporary file or folder is called

    .honem-<what it will replace>-<machine>-<process id>-<start of the process>-<random>.tmp

and it is abandoned, so that another process may remove it,

- if it was made on this machine and its process no longer runs, or
- if it was made on another machine, whose processes cannot be seen from here, and nothing in it changed for a day.

The machine is identified by its host name, its boot and its process id namespace: containers that share a host name
and a folder do not share process ids. The start time distinguishes a process from a later one with the same id. Where
the system reveals neither (macOS, Windows), the host name and the process id are used alone. In doubt, the files
are kept.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ABANDONED_AFTER = 24 * 60 * 60.0  # seconds without a change, for what another machine wrote

UNKNOWN, ENDED = "0", "ended"

OWNER = re.compile(r"(?P<machine>[0-9a-f]{8})-(?P<process>[0-9]{1,10})-(?P<started>[0-9]{1,20})-[0-9a-f]{8}")
TEMPORARY = re.compile(rf"\.honem-[0-9a-f]{{16}}-(?P<owner>{OWNER.pattern})\.tmp")


@dataclass(frozen=True)
class Owner:
    """The process that made a temporary file or folder."""

    machine: str
    process: int
    started: str

    @classmethod
    def current(cls) -> Owner:
        """Return this process."""
        return cls(_this_machine(), os.getpid(), start_of(os.getpid()))

    @classmethod
    def named(cls, name: str) -> Owner | None:
        """Return the owner that a name states: the name of a temporary file, or an owner alone."""
        found = TEMPORARY.fullmatch(name) or OWNER.fullmatch(name)
        return cls(found["machine"], int(found["process"]), found["started"]) if found else None

    def new_name(self) -> str:
        """Return a name that states this owner and has not been used before."""
        return f"{self.machine}-{self.process}-{self.started}-{secrets.token_hex(4)}"

    def may_run(self) -> bool:
        """Return whether the process may still run; only for processes of this machine."""
        if not _exists(self.process):
            return False
        started = start_of(self.process)
        return UNKNOWN in (started, self.started) or started == self.started


def temporary_name(path: Path) -> Path:
    """Return a new temporary name beside a path, for what will become that path."""
    return path.with_name(f"{_prefix(path)}{Owner.current().new_name()}.tmp")


def temporaries_of(path: Path) -> list[Path]:
    """Return all temporary files and folders beside a path that were made for it."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return []
    prefix = _prefix(path)
    return [path.with_name(name) for name in names if name.startswith(prefix) and TEMPORARY.fullmatch(name)]


def is_abandoned(path: Path, now: float) -> bool:
    """Return whether the process that made a temporary file or folder has ended without removing it.

    Parameters
    ----------
    path : Path
        A file or folder whose name states its owner; others are never abandoned.
    now : float
        The time by the clock of the file system, which may differ from that of this machine: the modification time
        of something that was just written there.
    """
    owner = Owner.named(path.name)
    if owner is None:
        return False
    if owner.machine == _this_machine():
        return not owner.may_run()
    return now - last_change(path) > ABANDONED_AFTER


def last_change(path: Path) -> float:
    """Return when a file, or anything in a folder, was last modified; infinity if that cannot be determined."""
    try:
        inside = [path / name for name in os.listdir(path)] if os.path.isdir(path) else []
        return max(os.lstat(each).st_mtime for each in (path, *inside))
    except OSError:
        return float("inf")


def _prefix(path: Path) -> str:
    # A digest, because the name itself may be as long as the system allows.
    return f".honem-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}-"


@cache
def _this_machine() -> str:
    identity = [platform.node()]
    with suppress(OSError):
        identity.append(Path("/proc/sys/kernel/random/boot_id").read_text())
    with suppress(OSError):
        identity.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(identity).encode()).hexdigest()[:8]


def start_of(process: int) -> str:
    """Return when a process started, in clock ticks; UNKNOWN where the system does not say, ENDED for a zombie."""
    try:
        # The second field is the program's name in parentheses, which may contain anything.
        fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return ENDED if fields[0] in "ZX" else fields[19]
    except (OSError, IndexError):
        return UNKNOWN


def _exists(process: int) -> bool:
    """Return whether there may be a process with an id."""
    if sys.platform == "win32":
        return _exists_on_windows(process)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it is another user's
    return True


def _exists_on_windows(process: int) -> bool:
    # os.kill(process, 0) would send Ctrl-C there.
    command = ["tasklist", "/FI", f"PID eq {process}", "/NH", "/FO", "CSV"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError):
        return True
    return f'"{process}"' in found
