"""Temporary files are abandoned when their process has ended, and never before."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from honem.io import ownership
from honem.io.ownership import ABANDONED_AFTER, Owner, is_abandoned, start_of, temporaries_of, temporary_name


def made_by(owner: Owner, folder: Path, age: float = 0.0) -> Path:
    """A temporary file of an owner."""
    path = folder / f".honem-{'0' * 16}-{owner.new_name()}.tmp"
    path.touch()
    os.utime(path, (time.time() - age, time.time() - age))
    return path


@pytest.fixture
def other_process() -> Owner:
    """A process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return replace(Owner.current(), process=process.pid)


def test_what_this_process_writes_is_not_abandoned(tmp_path: Path) -> None:
    path = temporary_name(tmp_path / "file")
    path.touch()
    assert temporaries_of(tmp_path / "file") == [path]
    assert not temporaries_of(tmp_path / "other")
    assert Owner.named(path.name) == Owner.current()
    assert not is_abandoned(path, time.time() + 10 * ABANDONED_AFTER)


def test_what_a_running_process_writes_is_not_abandoned(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = Owner(Owner.current().machine, process.pid, start_of(process.pid))
    path = made_by(owner, tmp_path)
    assert not is_abandoned(path, time.time() + 10 * ABANDONED_AFTER)
    process.communicate(b"\n")
    assert is_abandoned(path, time.time())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say when a process started")
def test_a_process_that_nobody_waited_for_has_ended(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    path = made_by(Owner(Owner.current().machine, process.pid, start_of(process.pid)), tmp_path)
    process.kill()
    while start_of(process.pid) != ownership.ENDED:
        time.sleep(0.01)
    assert is_abandoned(path, time.time())
    process.wait()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say when a process started")
def test_another_process_with_the_same_id_is_another_process(tmp_path: Path) -> None:
    now = Owner.current()
    assert is_abandoned(made_by(replace(now, started=str(int(now.started) - 1)), tmp_path), time.time())
    assert not is_abandoned(made_by(replace(now, started=ownership.UNKNOWN), tmp_path), time.time())


def test_another_machine_has_a_day(tmp_path: Path, other_process: Owner) -> None:
    elsewhere = replace(other_process, machine="0" * 8)
    assert not is_abandoned(made_by(elsewhere, tmp_path, age=ABANDONED_AFTER - 60), time.time())
    assert is_abandoned(made_by(elsewhere, tmp_path, age=ABANDONED_AFTER + 60), time.time())


def test_a_folder_is_as_new_as_the_newest_file_in_it(tmp_path: Path) -> None:
    staging = tmp_path / f".honem-{'0' * 16}-{Owner('0' * 8, 1, '1').new_name()}.tmp"
    staging.mkdir()
    (staging / "vectors").touch()
    long_ago = time.time() - 2 * ABANDONED_AFTER
    os.utime(staging, (long_ago, long_ago))
    assert not is_abandoned(staging, time.time())
    os.utime(staging / "vectors", (long_ago, long_ago))
    assert is_abandoned(staging, time.time())


@pytest.mark.parametrize(
    "name", ["thesis.txt", ".honem-lock", f".honem-{'0' * 16}-12345678.tmp", ".honem-x.tmp", "tmp"]
)
def test_a_name_without_an_owner_is_never_abandoned(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert not is_abandoned(tmp_path / name, time.time() + 10 * ABANDONED_AFTER)


@pytest.mark.parametrize(
    ("answer", "runs"),
    [('"python.exe","4711","Console","1","9,000 K"', True), ("INFO: No tasks are running", False), (None, True)],
)
def test_windows_is_asked_by_its_own_means(monkeypatch: pytest.MonkeyPatch, answer: str | None, runs: bool) -> None:
    def tasklist(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[:3] == ["tasklist", "/FI", "PID eq 4711"]
        if answer is None:
            raise FileNotFoundError("tasklist")
        return subprocess.CompletedProcess(command, 0, answer)

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "run", tasklist)
    monkeypatch.setattr(os, "kill", None)  # it would end the process there
    assert replace(Owner.current(), process=4711, started=ownership.UNKNOWN).may_run() == runs
