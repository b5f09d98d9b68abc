"""One process at a time holds the lock of a folder, and that of a killed one is taken over."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from honem import OutputError
from honem.io import folder_lock
from honem.io.folder_lock import LOCK, FolderLock, locked
from honem.io.ownership import ABANDONED_AFTER, Owner

# No process has this id: it is more than any system gives.
ENDED = Owner(Owner.current().machine, 2**31 - 1, "1")


@contextmanager
def lock_of(folder: Path, name: str) -> Iterator[FolderLock]:
    """The lock, taken with a staging folder of that name."""
    (folder / name).mkdir()
    with locked(folder, folder / name) as lock:
        yield lock


def leave_lock(folder: Path, *owners: Owner) -> list[Path]:
    """A lock as killed processes leave it."""
    (folder / LOCK).mkdir()
    markers = [folder / LOCK / owner.new_name() for owner in owners]
    for marker in markers:
        marker.touch()
    return markers


@pytest.fixture(params=["as on Linux", "as on Windows"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows renames nothing to a name that is taken, not even by an empty folder."""
    rename = os.rename

    def refusing_rename(old: Path, new: Path) -> None:
        if os.path.exists(new):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        rename(old, new)

    if request.param == "as on Windows":
        monkeypatch.setattr(os, "rename", refusing_rename)


@pytest.mark.usefixtures("system")
def test_one_at_a_time(tmp_path: Path) -> None:
    holders, most = [], []

    def hold(number: int) -> None:
        for turn in range(10):
            with lock_of(tmp_path, f"{number}-{turn}"):
                holders.append(number)
                most.append(len(holders))
                time.sleep(0.001)
                holders.remove(number)

    threads = [threading.Thread(target=hold, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 40
    assert not (tmp_path / LOCK).exists()


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("owners", [[], [ENDED], [ENDED, ENDED]], ids=["no owner", "ended", "two ended"])
def test_the_lock_of_an_ended_process_is_taken_over(tmp_path: Path, owners: list[Owner]) -> None:
    leave_lock(tmp_path, *owners)
    with lock_of(tmp_path, "mine") as lock:
        assert os.listdir(tmp_path / LOCK) == [lock.marker.name]
    assert not (tmp_path / LOCK).exists()


@pytest.mark.parametrize("owner", [Owner.current(), Owner("0" * 8, 1, "1")], ids=["this machine", "another"])
def test_a_lock_that_is_held_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Owner) -> None:
    monkeypatch.setattr(folder_lock, "PATIENCE", 0.1)
    [marker] = leave_lock(tmp_path, owner)
    expected = rf"cannot be written: another process keeps it locked \(process {owner.process}\); .* remove .*{LOCK}"
    with pytest.raises(OutputError, match=expected), lock_of(tmp_path, "mine"):
        pytest.fail("it is held")
    assert marker.exists()


def test_the_lock_of_another_machine_is_taken_over_after_a_day(tmp_path: Path) -> None:
    [marker] = leave_lock(tmp_path, Owner("0" * 8, 1, "1"))
    long_ago = time.time() - ABANDONED_AFTER - 60
    os.utime(marker, (long_ago, long_ago))
    with lock_of(tmp_path, "mine"):
        assert not marker.exists()


def test_who_takes_over_late_does_not_take_the_next_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two find the lock of an ended process; when the second removes it, the first has its own already."""
    [marker] = leave_lock(tmp_path, ENDED)
    listdir = os.listdir
    with lock_of(tmp_path, "first") as first:
        monkeypatch.setattr(os, "listdir", lambda path: [marker.name] if path == tmp_path / LOCK else listdir(path))
        monkeypatch.setattr(folder_lock, "PATIENCE", 0.1)
        with pytest.raises(OutputError, match="keeps it locked"), lock_of(tmp_path, "second"):
            pytest.fail("it is held")
        assert first.marker.exists()
        first.check()


def test_a_lock_that_was_lost_is_noticed(tmp_path: Path) -> None:
    with lock_of(tmp_path, "mine") as lock:
        lock.check()
        lock.marker.unlink()
        with pytest.raises(OutputError, match="its lock was lost"):
            lock.check()


def test_a_rename_that_a_network_file_system_reports_as_failed_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def rename_and_fail(old: Path, new: Path) -> None:
        rename(old, new)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(os, "rename", rename_and_fail)
    with lock_of(tmp_path, "mine") as lock:
        lock.check()


def test_other_errors_are_raised_at_once(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("a file")
    with pytest.raises(NotADirectoryError), lock_of(tmp_path, "mine"):
        pytest.fail("it cannot be taken")
    assert (tmp_path / LOCK).read_text() == "a file"
