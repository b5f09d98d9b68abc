"""kill -9 at any moment leaves the old store or the new one, whole, and the next run clears up."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import time
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from honem import InputError
from honem.io.folders import restore_set_aside
from honem.io.store import load
from tests.io.faults import writing


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
        # What was left by earlier kills is gone: at most the last one left something.
        assert len(os.listdir(place.parent)) <= 2
    writing.save_version(place, 1)
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
        process = processes.Process(target=writing.save_until_step, args=(place, 2, step, False))
        process.start()
        process.join()
        found = writing.version_of(place) if place.exists() else None
        assert found in ((1, 2) if there else (None, 2))
        if process.exitcode == 0:
            assert found == 2
            break
        died_with_new += found == 2
        writing.save_version(place, 3)
        assert os.listdir(place.parent) == [place.name]
        if not there:
            shutil.rmtree(place)
    else:
        pytest.fail("the save never came to its end")
    assert died_with_new or stride > 1


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_without_exchange_nothing_is_lost_either(processes: ForkServerContext, tmp_path: Path, stride: int) -> None:
    """Where the system cannot swap two folders, a kill between two renames leaves the old one beside its place."""
    place = tmp_path / "store"
    for step in range(1, 1000, stride):
        writing.save_version(place, 1)
        process = processes.Process(target=writing.save_until_step, args=(place, 2, step, True))
        process.start()
        process.join()
        if not place.exists():
            with pytest.raises(InputError, match="rename it back") as refused:
                load(place)
            aside = next(path for path in tmp_path.iterdir() if str(path) in str(refused.value))
            assert writing.version_of(aside) == 1
        else:
            assert writing.version_of(place) in (1, 2)
        writing.save_version(place, 3)
        assert writing.version_of(place) == 3
        assert os.listdir(tmp_path) == ["store"]
        if process.exitcode == 0:
            return
    pytest.fail("the save never came to its end")


def test_what_was_set_aside_is_put_back(tmp_path: Path) -> None:
    place = tmp_path / "store"
    writing.save_version(place, 1)
    aside = place.with_name(".honem-" + hashlib.sha256(b"store").hexdigest()[:16] + "-00000000.old")
    place.rename(aside)
    restore_set_aside(place)
    assert writing.version_of(place) == 1
    assert os.listdir(tmp_path) == ["store"]


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
