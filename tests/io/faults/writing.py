"""What the processes do that the tests kill and interrupt: save stores in which every part shows the same version."""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np

from honem import Embedding, ExtractionParams, InputError, OutputError, RuleTable, Vocabulary
from honem.io.atomic import atomic_file
from honem.io.folder_lock import FolderLock
from honem.io.formats.jsonl import jsonl_lines, rules_to_jsonl
from honem.io.store import load, save

NODES = 500
VOCABULARY = Vocabulary(tuple(f"node {number}" for number in range(NODES)))


def embedding(version: int, dimension: int = 16) -> Embedding:
    vectors = np.full((NODES, dimension), float(version))
    return Embedding(VOCABULARY, vectors, vectors, np.full(dimension, float(version)))


def rules(version: int) -> RuleTable:
    """Each node leads to the next, as often as the version says."""
    offsets = np.arange(NODES + 1, dtype=np.int64)
    nodes = np.arange(NODES, dtype=np.int32)
    return RuleTable(
        vocabulary=VOCABULARY,
        params=ExtractionParams(min_support=version),
        context_nodes=nodes,
        context_offsets=offsets,
        target_offsets=offsets,
        targets=np.roll(nodes, -1),
        counts=np.full(NODES, version, dtype=np.int64),
        divergences=np.zeros(NODES),
        evidence=np.zeros(NODES),
        q_values=np.ones(NODES),
        accepted=np.ones(NODES, np.bool_),
    )


def lines(version: int) -> list[str]:
    return list(jsonl_lines(rules(version)))


def save_version(place: Path, version: int, force: bool = True) -> None:
    save(place, embedding(version), rules(version), parameters={"seed": version}, force=force)


def version_of(place: Path) -> int:
    """The version of a store, all of whose parts must show the same."""
    store = load(place)
    assert store.rules is not None
    found = {
        store.manifest["seed"],
        store.rules.params.min_support,
        *np.unique(store.embedding.source).tolist(),
        *np.unique(store.rules.counts).tolist(),
    }
    assert len(found) == 1, found
    return int(found.pop())


def leftovers(place: Path) -> set[str]:
    """Everything in the folder of a store that its manifest does not list."""
    files = json.loads((place / "manifest.json").read_text())["files"]
    return set(os.listdir(place)) - {"manifest.json"} - {file["name"] for file in files.values()}


def save_for_ever(place: Path, started: Event) -> None:
    """Replace a store until the process is stopped; after Ctrl-C the exit code is 130."""
    try:
        for version in itertools.count(1):
            started.set()
            save_version(place, version)
    except KeyboardInterrupt:
        sys.exit(130)


def save_some(place: Path, first: int, amount: int) -> None:
    for version in range(first, first + amount):
        save_version(place, version)


def save_in_turns(place: Path, versions: list[int], amount: int) -> None:
    """Save the same few versions again and again, so that files that others remove are wanted again."""
    for number in range(amount):
        save_version(place, versions[number % len(versions)])


def save_once_unforced(place: Path, version: int, ready: Any) -> None:
    """Exit code 0 for the one that was first, 2 for the others."""
    ready.wait()
    try:
        save_version(place, version, force=False)
    except OutputError:
        sys.exit(2)


def read_for_ever(place: Path, stop: Event) -> None:
    """Read while others write: every time the store must be complete."""
    while not stop.is_set():
        try:
            version_of(place)
        except InputError as error:
            print(error, file=sys.stderr)
            sys.exit(1)


def save_until_step(place: Path, version: int, step: int) -> None:
    """Save, and be killed before the step of that number: each thing that is done to the disk is one."""
    _die_at(step, place.parent)
    save_version(place, version)


def write_until_step(place: Path, version: int, step: int) -> None:
    """Write a file, and be killed before the step of that number."""
    _die_at(step, place.parent)
    rules_to_jsonl(rules(version), place)


def save_interrupted_at_step(place: Path, version: int, step: int) -> None:
    """Save, and get Ctrl-C before the step of that number; exit code 130."""
    try:
        _do_at(step, place.parent, KeyboardInterrupt)
        save_version(place, version)
    except KeyboardInterrupt:
        sys.exit(130)


def save_with_error_at_step(place: Path, version: int, step: int) -> None:
    """Save, and let the step of that number fail; exit code 2 if that is reported."""
    try:
        _do_at(step, place.parent, lambda: OSError(errno.EIO, os.strerror(errno.EIO)))
        save_version(place, version)
    except OutputError as error:
        sys.exit(2 if "Input/output error" in str(error) else 1)


def save_and_wait_locked(place: Path, version: int, locked: Event, go_on: Event) -> None:
    """Save, and wait for a signal while the store is locked, just before its manifest is replaced."""
    check = FolderLock.check

    def wait_and_check(lock: FolderLock) -> None:
        locked.set()
        go_on.wait()
        check(lock)

    setattr(FolderLock, "check", wait_and_check)  # noqa: B010
    save_version(place, version)


def write_and_wait(place: Path, written: Event, go_on: Event) -> None:
    """Write a file, and wait for a signal before it is complete."""
    with atomic_file(place) as file:
        file.write(b"waited")
        written.set()
        go_on.wait()


def _die_at(step: int, folder: Path) -> None:
    def die() -> BaseException:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")

    _do_at(step, folder, die)


def _do_at(step: int, folder: Path, make_error: Callable[[], BaseException]) -> None:
    """Raise an error instead of doing the step of that number."""
    steps = itertools.count(1)

    def fail_if_it_is_time(event: str, arguments: tuple[Any, ...]) -> None:
        ours = event in STEPS and (event != "open" or str(arguments[0]).startswith(str(folder)))
        if ours and next(steps) == step:
            raise make_error()

    for name in ("fsync", "close"):
        setattr(os, name, _audited(getattr(os, name)))
    sys.addaudithook(fail_if_it_is_time)


STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "shutil.rmtree", "a step"}


def _audited(function: Any) -> Any:
    def stepping(*arguments: Any, **options: Any) -> Any:
        sys.audit("a step")
        result = function(*arguments, **options)
        sys.audit("a step")
        return result

    return stepping
