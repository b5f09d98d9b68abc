"""A full disk, a read-only one, Ctrl-C and concurrent processes: nothing is lost and nothing is left behind."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

from honem import Embedding, OutputError, RuleTable, Vocabulary
from honem.io.atomic import atomic_file, remove
from honem.io.formats.writing import write_rules, write_vectors
from honem.io.parts import PARTS
from honem.io.store import check_target, save
from honem.io.store_folder import staging_folder
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
    assert not there or (writing.version_of(place) == 1 and not writing.leftovers(place))


FILES: dict[str, Callable[[Path], None]] = {
    "x.parquet": lambda path: large(1000, 200, 10).to_parquet(path),
    "x.csv": lambda path: large(1000, 200, 10).to_csv(path),
    "x.npz": lambda path: large(1000, 200, 10).to_numpy(path),
    "x.npy": lambda path: write_vectors(large(1000, 200, 10), path),
    "x.tsv": lambda path: large(1000, 200, 10).to_projector(path),
    "x.jsonl": lambda path: write_rules(long_rules(), path),
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
        for folder in (place / "store", place):
            folder.chmod(0o500)
    yield place
    if mounted:
        subprocess.run(["umount", place], check=True)
    else:
        for folder in (place, place / "store"):
            folder.chmod(0o700)


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
        assert not writing.leftovers(tmp_path / "store")
        assert os.listdir(tmp_path) == ["store"]


STRIDES = [7, pytest.param(1, marks=pytest.mark.slow)]


@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_ctrl_c_at_any_step_leaves_nothing(
    processes: ForkServerContext, tmp_path: Path, there: bool, stride: int
) -> None:
    place = tmp_path / "store"
    for step in range(1, 1000, stride):
        if there:
            writing.save_version(place, 1)
        process = processes.Process(target=writing.save_interrupted_at_step, args=(place, 2, step))
        process.start()
        process.join()
        assert process.exitcode in (0, 130)
        if there or place.exists():
            assert writing.version_of(place) in ((1, 2) if there else (2,))
            assert not writing.leftovers(place)
        if process.exitcode == 0:
            return
        shutil.rmtree(place, ignore_errors=True)
    pytest.fail("the save never came to its end")


@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize("there", [True, False], ids=["replacing", "new"])
def test_an_error_at_any_step_loses_nothing(
    processes: ForkServerContext, tmp_path: Path, there: bool, stride: int
) -> None:
    place, codes = tmp_path / "store", set()
    for step in range(1, 100, stride):
        if there:
            writing.save_version(place, 1)
        process = processes.Process(target=writing.save_with_error_at_step, args=(place, 2, step))
        process.start()
        process.join()
        codes.add(process.exitcode)
        if process.exitcode == 0:
            assert writing.version_of(place) == 2
        elif there:
            assert writing.version_of(place) in (1, 2)
        writing.save_version(place, 3)
        assert writing.version_of(place) == 3
        assert not writing.leftovers(place)
        shutil.rmtree(place)
    assert codes == {0, 2}


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
    assert not writing.leftovers(place)
    assert os.listdir(tmp_path) == ["store"]


def test_a_file_that_one_removes_and_another_keeps_is_there(processes: ForkServerContext, tmp_path: Path) -> None:
    """Both save the same two versions in turns, so each keeps files that the other is about to remove."""
    place = tmp_path / "store"
    writing.save_version(place, 1)
    writers = [processes.Process(target=writing.save_in_turns, args=(place, turns, 40)) for turns in ([1, 2], [2, 1])]
    for process in writers:
        process.start()
    while any(process.is_alive() for process in writers):
        assert writing.version_of(place) in (1, 2)
    assert [process.exitcode for process in writers] == [0, 0]
    assert writing.version_of(place) in (1, 2)
    assert not writing.leftovers(place)


def test_a_reader_that_loses_a_file_reads_the_new_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, read = tmp_path / "store", PARTS["nodes"].read
    writing.save_version(place, 1)

    def read_while_replaced(path: Path, vocabulary: Vocabulary) -> Vocabulary:
        monkeypatch.setitem(PARTS, "nodes", replace(PARTS["nodes"], read=read))
        writing.save_version(place, 2)
        nodes: Vocabulary = read(path, vocabulary)
        return nodes

    monkeypatch.setitem(PARTS, "nodes", replace(PARTS["nodes"], read=read_while_replaced))
    assert writing.version_of(place) == 2


def test_files_that_cannot_be_removed_are_removed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows a file that is being read can be neither removed nor replaced."""
    place, unlink = tmp_path / "store", Path.unlink
    writing.save_version(place, 1)
    being_read = next(place.glob("vectors-*"))

    def refusing_unlink(path: Path, missing_ok: bool = False) -> None:
        if path == being_read:
            raise PermissionError(errno.EACCES, "it is being used by another process")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refusing_unlink)
    writing.save_version(place, 2)
    assert writing.version_of(place) == 2
    assert writing.leftovers(place) == {being_read.name}
    monkeypatch.setattr(Path, "unlink", unlink)
    writing.save_version(place, 3)
    assert not writing.leftovers(place)


def test_a_manifest_that_is_being_read_is_replaced_a_little_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing.save_version(tmp_path / "store", 1)
    rename, refusals = os.replace, [PermissionError(errno.EACCES, "it is being used by another process")] * 3

    def refusing_replace(old: Path, new: Path) -> None:
        if new.name == "manifest.json" and refusals:
            raise refusals.pop()
        rename(old, new)

    monkeypatch.setattr(os, "replace", refusing_replace)
    writing.save_version(tmp_path / "store", 2)
    assert not refusals
    assert writing.version_of(tmp_path / "store") == 2


def test_a_run_that_is_still_writing_is_left_alone(processes: ForkServerContext, tmp_path: Path) -> None:
    place, version = tmp_path / "store", 1
    written, go_on = processes.Event(), processes.Event()
    process = processes.Process(target=writing.write_and_wait, args=(tmp_path / "file", written, go_on))
    process.start()
    assert written.wait(30)
    with staging_folder(place) as staging:
        (staging / "vectors").write_bytes(b"half of it")
        writing.save_version(place, version)
        assert (staging / "vectors").read_bytes() == b"half of it"
        assert writing.leftovers(place) == {staging.name}
        with atomic_file(tmp_path / "file") as file:
            file.write(b"quick")
    go_on.set()
    process.join()
    assert process.exitcode == 0
    assert (tmp_path / "file").read_bytes() == b"waited"
    assert not writing.leftovers(place)


def test_a_read_only_manifest_is_said_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing.save_version(tmp_path / "store", 1)
    access = os.access
    # Root may write everywhere, so the system's answer is replaced.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "manifest.json" and access(path, mode))
    with pytest.raises(OutputError, match=r"manifest\.json cannot be written: it is read-only"):
        check_target(tmp_path / "store", force=True)


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
        assert not writing.leftovers(place)
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
