"""A full disk, a read-only one, Ctrl-C, and several at once: nothing is lost and nothing is left lying about."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

from honem import Embedding, OutputError, RuleTable, Vocabulary
from honem.io.atomic import atomic_file, remove
from honem.io.formats import rules as rule_writers
from honem.io.formats import vectors as vector_writers
from honem.io.store import save
from tests.io.faults import writing


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one mebibyte; where we may not mount one, files may not become longer than 400 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = mount("-t", "tmpfs", "-o", "size=1m", "none", place)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if not mounted:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400 << 10, limits[1]))
    yield place
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    if mounted:
        subprocess.run(["umount", place], check=True)


def mount(*words: str | Path) -> bool:
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def large(nodes: int, dimension: int, length: int) -> Embedding:
    """Vectors and names that do not shrink when they are compressed."""
    names = np.random.default_rng(0).integers(97, 123, (nodes, length), dtype=np.uint8)
    vocabulary = Vocabulary(tuple(name.tobytes().decode() for name in names))
    return Embedding(vocabulary, np.random.default_rng(0).standard_normal((nodes, dimension)))


@pytest.mark.parametrize(
    "too_large", [large(1000, 200, 10), large(1000, 1, 4000)], ids=["vectors fill it", "nodes fill it"]
)
@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_a_full_disk_loses_nothing(small_disk: Path, too_large: Embedding, there: bool) -> None:
    place = small_disk / "store"
    if there:
        writing.save_version(place, 1)
    with pytest.raises(
        OutputError, match=r"store cannot be written: (No space left|File too large).*; free some"
    ) as told:
        save(place, too_large, force=True)
    assert "\n" not in str(told.value)
    assert os.listdir(small_disk) == (["store"] if there else [])
    assert not there or writing.version_of(place) == 1


FILES: dict[str, Callable[[Path], None]] = {
    "x.parquet": lambda path: large(1000, 200, 10).to_parquet(path),
    "x.csv": lambda path: large(1000, 200, 10).to_csv(path),
    "x.npz": lambda path: large(1000, 200, 10).to_numpy(path),
    "x.npy": lambda path: vector_writers.to_npy(large(1000, 200, 10), path),
    "x.tsv": lambda path: large(1000, 200, 10).to_projector(path),
    "x.jsonl": lambda path: rule_writers.to_jsonl(long_rules(), path),
}


def long_rules() -> RuleTable:
    from honem import Corpus, extract_rules

    return extract_rules(Corpus.from_sequences([large(1000, 1, 1000).nodes]))


@pytest.mark.parametrize("name", FILES)
def test_a_full_disk_leaves_the_old_file(small_disk: Path, name: str) -> None:
    (small_disk / name).write_text("old")
    with pytest.raises(OutputError, match=r"x\..* cannot be written: (No space left|File too large)"):
        FILES[name](small_disk / name)
    assert (small_disk / name).read_text() == "old"
    assert os.listdir(small_disk) == [name]


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder, with a store and a file, that cannot be written to."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = mount("-t", "tmpfs", "none", place)
    writing.save_version(place / "store", 1)
    (place / "x.csv").write_text("old")
    if mounted:
        assert mount("-o", "remount,ro", place)
    else:
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere, and cannot mount here")
        place.chmod(0o500)
    yield place
    if mounted:
        subprocess.run(["umount", place], check=True)
    else:
        place.chmod(0o700)


@pytest.mark.parametrize("name", ["store", "new"])
def test_a_read_only_place_is_said(read_only: Path, name: str) -> None:
    with pytest.raises(OutputError, match=rf"{name} cannot be written: .*; choose a place you may write to"):
        writing.save_version(read_only / name, 2)
    for file in ("x.csv", "y.csv"):
        with pytest.raises(OutputError, match=rf"{file} cannot be written: .*; choose a place you may write to"):
            writing.embedding(1).to_csv(read_only / file)
    assert writing.version_of(read_only / "store") == 1
    assert sorted(os.listdir(read_only)) == ["store", "x.csv"]


def interrupt(process: BaseProcess) -> None:
    """Press Ctrl-C; once in some hundred times Python loses it (in a destructor), and we press again."""
    while process.is_alive():
        os.kill(process.pid or 0, signal.SIGINT)
        process.join(10)


@pytest.mark.parametrize("times", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_ctrl_c_leaves_the_store_and_nothing_else(processes: ForkServerContext, tmp_path: Path, times: int) -> None:
    moments = random.Random(0)
    writing.save_version(tmp_path / "store", 1)
    for _ in range(times):
        started = processes.Event()
        process = processes.Process(target=writing.save_for_ever, args=(tmp_path / "store", started))
        process.start()
        assert started.wait(30)
        time.sleep(moments.uniform(0, 0.05))
        interrupt(process)
        assert process.exitcode == 130
        assert writing.version_of(tmp_path / "store") >= 1
        assert os.listdir(tmp_path) == ["store"]


def test_an_error_or_ctrl_c_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")

    def write_and_fail(error: type[BaseException]) -> None:
        with atomic_file(tmp_path / "file") as file:
            file.write(b"new")
            raise error

    for error in (KeyboardInterrupt, ZeroDivisionError):
        with pytest.raises(error):
            write_and_fail(error)
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_ctrl_c_while_a_folder_is_removed_stays_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    close, interruptions = os.close, [KeyboardInterrupt()]

    def interrupted_close(descriptor: int) -> None:
        close(descriptor)
        if interruptions:
            raise interruptions.pop()

    monkeypatch.setattr(os, "close", interrupted_close)
    with pytest.raises(KeyboardInterrupt):
        remove(tmp_path / "old")


def test_several_may_replace_one_store_while_others_read_it(processes: ForkServerContext, tmp_path: Path) -> None:
    place = tmp_path / "store"
    writing.save_version(place, 1)
    stop = processes.Event()
    reader = processes.Process(target=writing.read_for_ever, args=(place, stop))
    writers = [processes.Process(target=writing.save_some, args=(place, first, 15)) for first in (100, 200)]
    for process in (reader, *writers):
        process.start()
    for process in writers:
        process.join()
    stop.set()
    reader.join()
    assert [process.exitcode for process in (reader, *writers)] == [0, 0, 0]
    assert writing.version_of(place) in (114, 214)
    assert os.listdir(tmp_path) == ["store"]


def test_of_several_that_want_a_new_place_one_gets_it(processes: ForkServerContext, tmp_path: Path) -> None:
    for attempt in range(5):
        place, ready = tmp_path / f"store {attempt}", processes.Barrier(3)
        rivals = [processes.Process(target=writing.save_once_unforced, args=(place, n, ready)) for n in (1, 2, 3)]
        for rival in rivals:
            rival.start()
        for rival in rivals:
            rival.join()
        codes = [rival.exitcode for rival in rivals]
        assert sorted(codes, key=str) == [0, 2, 2]
        assert writing.version_of(place) == codes.index(0) + 1
    assert len(os.listdir(tmp_path)) == 5


def test_what_a_living_run_is_writing_is_left_alone(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "file") as first:
        first.write(b"first")
        with atomic_file(tmp_path / "file") as second:
            second.write(b"second")
        assert (tmp_path / "file").read_bytes() == b"second"
    assert (tmp_path / "file").read_bytes() == b"first"


def test_pipes_devices_links_and_permissions_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o600)
    (tmp_path / "link").symlink_to("file")
    with atomic_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    with atomic_file("/dev/null") as file:
        file.write(b"gone")
    assert Path("/dev/null").is_char_device()


def test_the_longest_name_the_system_allows_is_allowed(tmp_path: Path) -> None:
    writing.save_version(tmp_path / ("x" * 255), 1)
    assert writing.version_of(tmp_path / ("x" * 255)) == 1
    with pytest.raises(OutputError, match="choose a shorter name"):
        writing.save_version(tmp_path / ("x" * 256), 1)
