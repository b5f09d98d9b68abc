"""Updates of hostile stores, from hostile streams, and by two processes at once: nothing is lost or half-written."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from honem import HONEM, HonemError
from tests.faults import changing
from tests.faults.harness import Runner, problems
from tests.faults.hostile_paths import hostile_paths
from tests.faults.running import ROUNDS, run, run_process

LINES = "A C D\nB C E\n"


def files_of(store: Path) -> dict[str, bytes]:
    """The content of all files of a store."""
    return {path.name: path.read_bytes() for path in store.iterdir()}


def use(store: Path) -> None:
    """Use the paths of a model in Python: an error is one of honem's, of one line."""
    actions: tuple[Callable[[HONEM], object], ...] = (
        lambda model: model.update([["A", "C", "new"]]),
        lambda model: model.update([["A", "C"]], window="90d"),
        lambda model: model.forget(["E"]),
        lambda model: model.forget(before="2024-01-01"),
        lambda model: model.fold_in([["A", "new", "C"]]),
    )
    for action in actions:
        try:
            action(HONEM.load(store))
        except HonemError as error:
            assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.filterwarnings("ignore::honem.HonemWarning")
def test_hostile_paths_of_stores(made_store: Path, new_store: Callable[[], Path], tmp_path: Path) -> None:
    changes = hostile_paths()
    (tmp_path / "more.txt").write_text(LINES)
    refused = []
    for name in random.Random(0).sample(sorted(changes), min(12 * ROUNDS, len(changes))):
        store = new_store()
        changes[name](store)
        before = files_of(store)
        try:
            use(store)
            run("drift", store, made_store)
            run("neighbors", store, "A")
            refused.append(run("update", store, tmp_path / "more.txt").is_refusal)
        except BaseException as error:
            error.add_note(f"in a store with this change: {name}")
            raise
        assert not refused[-1] or files_of(store) == before, name
        if not refused[-1]:
            HONEM.load(store)
    assert any(refused)
    assert not all(refused)


def test_hostile_continuations_of_stores(new_store: Callable[[], Path], tmp_path: Path) -> None:
    # In another process, because kernels that are given wrong places may end it.
    store, runner = new_store(), Runner()
    tensors, original = load_file(changing.part_path(store, "continuation")), changing.manifest_of(store)
    (tmp_path / "more.txt").write_text(LINES)
    chance = random.Random(0)

    def hostile() -> Iterator[tuple[str, list[str]]]:
        for number in range(25 * ROUNDS):
            name, value = chance.choice(sorted(tensors)), chance.choice((-1, 0, 1, 7, 255, 2**31 - 1, 2**40, 2**63 - 1))
            changed = odd_array(tensors[name], value, chance)
            changing.write_manifest(store, original)
            replacement = {**tensors, name: np.ascontiguousarray(changed)}
            changing.replace_part(store, "continuation", lambda path, arrays=replacement: save_file(arrays, path))  # type: ignore[misc]
            command = ["update", str(store), str(tmp_path / "more.txt"), "-o", str(tmp_path / "new"), "--force"]
            yield f"change {number}: {name} {value}", command

    try:
        assert not list(problems(runner, hostile()))
    finally:
        runner.close()


def odd_array(array: Any, value: int, chance: random.Random) -> Any:
    """An array with another number at one place or everywhere, another length, or in another order."""
    kind = np.result_type(array.dtype, np.min_scalar_type(value))
    odd = array.astype(kind)
    match chance.randrange(5):
        case 0 if len(odd):
            odd[chance.randrange(len(odd))] = value
        case 1:
            odd[:] = value
        case 2:
            odd = odd[: len(odd) // 2]
        case 3:
            odd = np.concatenate((odd, odd[-1:], odd[:1]))
        case _:
            odd = odd[::-1]
    return odd


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("paths: node 7 at 0", "does not hold the paths"),
        ("paths: node -1 at -1", "does not hold the paths"),
        ("paths: a path of numbers above 32 bits", "does not hold the paths"),
        ("paths: a path of fractions", "does not hold the paths"),
        ("paths: weight 0", "does not hold the paths"),
        ("paths: weight 9223372036854775807 everywhere", "more than 64-bit counts can hold"),
        ("paths: end before start", "ends before it begins"),
        ("paths: times nan", "not finite"),
        ("paths: ticks '7'", "is no unit of time"),
        ("paths: no weight", "does not hold the paths"),
    ],
)
def test_what_is_wrong_with_paths_is_said_when_a_store_is_loaded(store: Path, name: str, words: str) -> None:
    hostile_paths()[name](store)
    with pytest.raises(HonemError, match=words):
        HONEM.load(store)


@pytest.mark.parametrize(
    ("options", "stdin", "words"),
    [
        (("--format", "access-log"), b"x", "--format access-log needs the whole input"),
        (("--format", "event-log"), b"x", "--format event-log needs the whole input"),
        (("--format", "xes"), b"<log/>", "--format xes needs the whole input"),
        (("--format", "csv", "--field", "p"), b"x", "--format csv needs the whole input"),
        (("--max-bytes", "9"), LINES.encode(), "stdin holds more than --max-bytes = 9"),
        (("--max-line-bytes", "99"), b"A " * 10**6, "longer than --max-line-bytes = 99"),
        (("--batch", "2"), b"A \xff C\n", "stdin, batch 1, line 1"),
        ((), b"\x1f\x8b\x08", "stdin is compressed"),
    ],
)
def test_streams_that_are_refused(
    store: Path, options: tuple[str, ...], stdin: bytes, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "stdin").write_bytes(stdin)
    with (tmp_path / "stdin").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert words in run("update", store, "-", *options).stderr
    HONEM.load(store)


def test_a_closed_stdin_is_one_line(made_store: Path) -> None:
    done = run_process("update", str(made_store), "-", redirections="<&-").check()
    assert done.stderr == "honem: error: there is no stdin to read from\n"


def test_paths_are_added_to_what_another_process_wrote(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first.txt").write_text("A C first\n")
    (tmp_path / "second.txt").write_text("A C second\n")
    n_before, update = HONEM.load(store)._known_paths().n_sequences, HONEM.update

    def overtaken(model: HONEM, *paths: Any, **options: Any) -> Any:
        monkeypatch.setattr(HONEM, "update", update)
        run("update", store, tmp_path / "first.txt")
        return update(model, *paths, **options)

    monkeypatch.setattr(HONEM, "update", overtaken)
    done = run("update", store, tmp_path / "second.txt")
    assert "was changed by another process; adding the paths to what it holds now" in done.stderr
    paths = list(HONEM.load(store)._known_paths().sequences())
    assert paths[n_before:] == [("A", "C", "first"), ("A", "C", "second")]


@pytest.mark.slow
def test_two_processes_that_update_the_same_store_lose_nothing(store: Path, tmp_path: Path) -> None:
    n_before = HONEM.load(store)._known_paths().n_sequences
    processes = []
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"A C new{number}\n" * 4)
        command = [sys.executable, "-m", "honem", "update", str(store), "-", "--batch", "2"]
        with (tmp_path / f"{number}.txt").open() as stdin:
            processes.append(subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL))
    assert [process.wait() for process in processes] == [0, 0, 0]
    paths = HONEM.load(store)._known_paths()
    assert paths.n_sequences == n_before + 12
    assert {f"new{number}" for number in range(3)} < set(paths.vocabulary.labels)
    assert not [name for name in files_of(store) if name.startswith(".")]


def test_a_store_that_changed_is_not_replaced_if_that_is_not_wanted(store: Path, tmp_path: Path) -> None:
    first, second = HONEM.load(store), HONEM.load(store)
    first.update([["A", "C", "D"]])
    first.save(store, force=True, if_unchanged=True)
    after = files_of(store)
    with pytest.raises(HonemError, match="was changed by another process since it was loaded"):
        second.save(store, force=True, if_unchanged=True)
    with pytest.raises(HonemError, match="was changed by another process"):
        HONEM(2).fit([["A", "B"]] * 9).save(store, force=True, if_unchanged=True)
    assert files_of(store) == after
    shutil.rmtree(store)
    with pytest.raises(HonemError, match="was changed by another process"):
        second.save(store, if_unchanged=True)
    assert not store.exists()
    second.save(store)
