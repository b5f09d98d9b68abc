"""kill -9 at any moment leaves the old store or the new one, complete, and the next run removes leftovers."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from honem import InputError
from honem.io.store import load
from tests.io.faults import writing
from tests.io.test_store import OLD_STORE


def kill_at_random(processes: ForkServerContext, place: Path, kills: int) -> None:
    # What is random here is the time at which the system stops a process; the seed makes only the choice the same.
    moments = random.Random(0)
    writing.save_version(place, 1)
    for _ in range(kills):
        started = processes.Event()
        process = processes.Process(target=writing.save_for_ever, args=(place, started))
        process.start()
        assert started.wait(30)
        time.sleep(moments.uniform(0, 0.1))
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert writing.version_of(place) >= 1
        # Leftovers of earlier kills were removed; the last one leaves a staging folder, a temporary manifest, the lock
        # and files without a manifest at most.
        assert len(writing.leftovers(place)) <= 3 + 3
    writing.save_version(place, 1)
    assert not writing.leftovers(place)
    assert os.listdir(place.parent) == [place.name]


def test_ten_kills_leave_nothing_partial(processes: ForkServerContext, tmp_path: Path) -> None:
    kill_at_random(processes, tmp_path / "store", 10)


@pytest.mark.slow
def test_two_hundred_kills_leave_nothing_partial(processes: ForkServerContext, tmp_path: Path) -> None:
    kill_at_random(processes, tmp_path / "store", 200)


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_every_step_of_a_save_can_be_the_last(processes: ForkServerContext, tmp_path: Path, there: bool) -> None:
    steps_of_a_save(processes, tmp_path / "store", there, stride=1)


@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_some_steps_of_a_save_can_be_the_last(processes: ForkServerContext, tmp_path: Path, there: bool) -> None:
    steps_of_a_save(processes, tmp_path / "store", there, stride=5)


def steps_of_a_save(processes: ForkServerContext, place: Path, there: bool, stride: int) -> None:
    died_with_new = 0
    for step in range(1, 1000, stride):
        if there:
            writing.save_version(place, 1)
        process = processes.Process(target=writing.save_until_step, args=(place, 2, step))
        process.start()
        process.join()
        found = version_or_none(place)
        assert found in ((1, 2) if there else (None, 2))
        if process.exitcode == 0:
            assert found == 2
            break
        died_with_new += found == 2
        writing.save_version(place, 3, force=there or found == 2)
        assert writing.version_of(place) == 3
        assert not writing.leftovers(place)
        assert os.listdir(place.parent) == [place.name]
        if not there:
            shutil.rmtree(place)
    else:
        pytest.fail("the save never came to its end")
    assert died_with_new or stride > 1


def version_or_none(place: Path) -> int | None:
    """The version of a store; None if there is nothing, or a clear message that it was never completed."""
    if not place.exists():
        return None
    if not (place / "manifest.json").exists() or b"unfinished" in (place / "manifest.json").read_bytes():
        with pytest.raises(InputError, match="store is not a store"):
            load(place)
        return None
    return writing.version_of(place)


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_a_run_that_clears_up_can_be_killed_too(processes: ForkServerContext, tmp_path: Path, there: bool) -> None:
    """A second kill, at any step, of a run that finds what a first one, killed while it held the lock, left behind."""
    begun = tmp_path / "begun" / "store"
    begun.parent.mkdir()
    if there:
        writing.save_version(begun, 1)
    kill_while_locked(processes, begun)
    for step in range(1, 1000):
        place = tmp_path / f"{step}" / "store"
        shutil.copytree(begun, place)
        process = processes.Process(target=writing.save_until_step, args=(place, 2, step))
        process.start()
        process.join()
        assert version_or_none(place) in ((1, 2) if there else (None, 2))
        if process.exitcode == 0:
            return
        writing.save_version(place, 3)
        assert writing.version_of(place) == 3
        assert not writing.leftovers(place)
    pytest.fail("the save never came to its end")


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_replacing_an_old_store_can_be_killed_at_any_step(
    processes: ForkServerContext, tmp_path: Path, stride: int
) -> None:
    for step in range(1, 1000, stride):
        place = tmp_path / f"{step}" / "store"
        shutil.copytree(OLD_STORE, place)
        process = processes.Process(target=writing.save_until_step, args=(place, 2, step))
        process.start()
        process.join()
        assert len(load(place).embedding) == 5 or writing.version_of(place) == 2
        if process.exitcode == 0:
            return
        writing.save_version(place, 3)
        assert writing.version_of(place) == 3
        assert not writing.leftovers(place)
    pytest.fail("the save never came to its end")


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_replacing_a_damaged_store_can_be_killed_at_any_step(
    processes: ForkServerContext, tmp_path: Path, stride: int
) -> None:
    for step in range(1, 1000, stride):
        place = tmp_path / f"{step}" / "store"
        place.parent.mkdir()
        writing.save_version(place, 1)
        (place / "manifest.json").write_bytes(b"damaged")
        process = processes.Process(target=writing.save_until_step, args=(place, 2, step))
        process.start()
        process.join()
        if process.exitcode == 0:
            assert writing.version_of(place) == 2
            return
        writing.save_version(place, 3)
        assert writing.version_of(place) == 3
        assert not writing.leftovers(place)
        assert os.listdir(place.parent) == [place.name]
    pytest.fail("the save never came to its end")


def kill_while_locked(processes: ForkServerContext, place: Path) -> None:
    locked, never = processes.Event(), processes.Event()
    process = processes.Process(target=writing.save_and_wait_locked, args=(place, 2, locked, never))
    process.start()
    assert locked.wait(30)
    process.kill()
    process.join()
    assert (place / ".honem-lock").is_dir()


@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_the_lock_of_a_killed_run_is_taken_over(processes: ForkServerContext, tmp_path: Path, there: bool) -> None:
    place = tmp_path / "store"
    if there:
        writing.save_version(place, 1)
    kill_while_locked(processes, place)
    assert version_or_none(place) == (1 if there else None)
    writing.save_version(place, 3, force=there)
    assert writing.version_of(place) == 3
    assert not writing.leftovers(place)


@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_every_step_of_a_file_can_be_the_last(processes: ForkServerContext, tmp_path: Path, there: bool) -> None:
    place = tmp_path / "rules.jsonl"
    texts = {version: "".join(writing.lines(version)) for version in (1, 2)}
    for step in range(1, 1000):
        place.write_text(texts[1]) if there else place.unlink(missing_ok=True)
        process = processes.Process(target=writing.write_until_step, args=(place, 2, step))
        process.start()
        process.join()
        found = place.read_text() if place.exists() else None
        assert found in (texts[2], texts[1] if there else None)
        if process.exitcode == 0:
            assert found == texts[2]
            assert os.listdir(tmp_path) == [place.name]
            return
    pytest.fail("the file never came to its end")
