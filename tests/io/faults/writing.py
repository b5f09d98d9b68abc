"""What the processes do that the tests here kill and interrupt: they save stores whose every part shows its version."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import sys
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np

from honem import Embedding, ExtractionParams, InputError, OutputError, RuleTable, Vocabulary
from honem.io import folders
from honem.io.formats.rules import jsonl_lines, to_jsonl
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


def save_for_ever(place: Path, started: Event) -> None:
    """Replace a store until something stops us; a Ctrl-C is told by the exit code."""
    try:
        for version in itertools.count(1):
            started.set()
            save_version(place, version)
    except KeyboardInterrupt:
        sys.exit(130)


def save_some(place: Path, first: int, amount: int) -> None:
    for version in range(first, first + amount):
        save_version(place, version)


def save_once_unforced(place: Path, version: int, ready: Any) -> None:
    """Exit code 0 for the one that was first, 2 for the others."""
    ready.wait()
    try:
        save_version(place, version, force=False)
    except OutputError:
        sys.exit(2)


def read_for_ever(place: Path, stop: Event) -> None:
    """Whoever reads while others write sees a whole store, always."""
    while not stop.is_set():
        try:
            version_of(place)
        except InputError as error:
            print(error, file=sys.stderr)
            sys.exit(1)


def save_until_step(place: Path, version: int, step: int, in_steps: bool) -> None:
    """Save, and die at the step of that number: before each thing that is done to the disk."""
    if in_steps:
        folders._exchange_at_once = _not_supported
    _die_at(step, place.parent)
    save_version(place, version)


def write_until_step(place: Path, version: int, step: int) -> None:
    """Write a file, and die at the step of that number."""
    _die_at(step, place.parent)
    to_jsonl(rules(version), place)


def _die_at(step: int, folder: Path) -> None:
    steps = itertools.count(1)

    def die_if_it_is_time(event: str, arguments: tuple[Any, ...]) -> None:
        ours = event in STEPS and (event != "open" or str(arguments[0]).startswith(str(folder)))
        if ours and next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    for module, name in ((os, "fsync"), (folders, "_exchange_at_once"), (os, "fdopen"), (os, "close")):
        setattr(module, name, _audited(getattr(module, name)))
    sys.addaudithook(die_if_it_is_time)


STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree", "fcntl.flock", "a step"}


def _audited(function: Any) -> Any:
    def stepping(*arguments: Any, **options: Any) -> Any:
        sys.audit("a step")
        result = function(*arguments, **options)
        sys.audit("a step")
        return result

    return stepping


def _not_supported(new: Path, place: Path) -> None:
    raise OSError(errno.EINVAL, "not here")
