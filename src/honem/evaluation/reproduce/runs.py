"""Runs that can be taken up again: a cell that was finished is not computed a second time."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import honem
from honem._internal.hashing import fingerprint
from honem._internal.progress import Progress
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.errors import HonemError, InputError
from honem.evaluation.harness import Cell, evaluate_cell, judge_cell
from honem.evaluation.methods import Task
from honem.evaluation.records import Record

FINISHED = "cells.jsonl"
# Of a task's fields: in the key already, or without a say in the numbers.
IN_NO_SETTINGS = ("corpus", "label", "dataset", "name", "n_jobs")

Judge = Callable[[Cell], list[Record]]
Work = Callable[[], tuple[Iterable[Record], str]]
"""Gives its numbers, and what of it could not be done."""


@dataclass(frozen=True)
class Finished:
    """What came of one cell: its numbers and how long it took, or why it could not be computed."""

    records: tuple[Record, ...]
    seconds: float
    problem: str = ""


class Run:
    """The cells of a folder: each is written down, on the disk, as soon as it is finished.

    A cell is known by its key and by the data it was computed on, so results of other data are never taken for these.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / FINISHED
        folder.mkdir(parents=True, exist_ok=True)
        self.file.touch()
        self._take_off_torn_line()
        self.finished = dict(self._read())
        self._last_seen: tuple[Task | None, int, str] = (None, 0, "")

    def compute(
        self,
        cells: Iterable[Cell],
        *,
        embedding: Embedding | None = None,
        judge: Judge = evaluate_cell,
        progress: Progress | None = None,
    ) -> list[Finished]:
        """Every cell, from the folder where it is there; a given embedding is judged instead of a method's."""
        wanted = list(cells)
        results = []
        for done, cell in enumerate(wanted, start=1):
            key = self.key(cell, embedding)
            results.append(self.once(key, partial(_judged, cell, embedding, judge)))
            if progress is not None:
                progress(f"{cell.task.dataset} {cell.task.name}", done, len(wanted))
        return results

    def once(self, key: str, work: Work) -> Finished:
        """What came of some work, which is done if the folder does not have it."""
        if key not in self.finished:
            self.finished[key] = _do(work)
            self._write(key, self.finished[key])
        return self.finished[key]

    def key(self, cell: Cell, embedding: Embedding | None = None) -> str:
        """What a finished cell is found by: its own key, its data, the vectors given, honem, and other settings."""
        vectors = "" if embedding is None else fingerprint(embedding.source)
        settings = task_settings(cell.task)
        data = self._training_data(cell)
        return json.dumps([*cell.key, data, vectors, honem.__version__, *([settings] if settings else [])])

    def _training_data(self, cell: Cell) -> str:
        """The fingerprint of what a method sees; all methods see the same, so the last one is remembered."""
        if self._last_seen[:2] != (cell.task, cell.seed):
            data = corpus_fingerprint(cell.task.training_corpus(cell.seed))
            self._last_seen = (cell.task, cell.seed, data)
        return self._last_seen[2]

    def _take_off_torn_line(self) -> None:
        """What follows the last line end is a cell that was being written when the run was killed."""
        os.truncate(self.file, self.file.read_bytes().rfind(b"\n") + 1)

    def _read(self) -> Iterator[tuple[str, Finished]]:
        for number, line in enumerate(self.file.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                found = json.loads(line)
                records = tuple(Record(*record) for record in found["records"])
                yield found["key"], Finished(records, found["seconds"], found["problem"])
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{self.file}, line {number} is damaged ({error}); take the line out") from None

    def _write(self, key: str, finished: Finished) -> None:
        line: dict[str, Any] = {
            "key": key,
            "records": finished.records,
            "seconds": finished.seconds,
            "problem": finished.problem,
        }
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


def _judged(cell: Cell, embedding: Embedding | None, judge: Judge) -> tuple[list[Record], str]:
    return (judge(cell) if embedding is None else judge_cell(cell, embedding)), ""


def _do(work: Work) -> Finished:
    started = time.perf_counter()
    try:
        records, problem = work()
    except HonemError as error:
        # One method that cannot do this data, say for want of memory, must not end a night's run.
        records, problem = (), str(error)
    return Finished(tuple(records), time.perf_counter() - started, problem)


def task_settings(task: Task) -> str:
    """What of a task is not as by default and changes its numbers; the labels of nodes, by their fingerprint.

    >>> from honem.evaluation import LinkPrediction
    >>> corpus = Corpus.from_sequences([["a", "b"]])
    >>> task_settings(LinkPrediction(corpus)), task_settings(LinkPrediction(corpus, share=0.1))
    ('', 'share=0.1')
    """
    if not is_dataclass(task):
        return ""
    settings = []
    for setting in fields(task):
        value = _plain(getattr(task, setting.name))
        if setting.name == "labels":
            settings.append(f"labels={labels_fingerprint(getattr(task, setting.name))}")
        elif setting.name not in IN_NO_SETTINGS and value != _plain(setting.default):
            settings.append(f"{setting.name}={value!r}")
    return ", ".join(settings)


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else value


def labels_fingerprint(labels: Mapping[Hashable, str]) -> str:
    """The same for the same labels of the same nodes, in whatever order."""
    return fingerprint(np.array(sorted(f"{node!r}: {label!r}" for node, label in labels.items())))


def corpus_fingerprint(corpus: Corpus) -> str:
    """The same for the same sequences and weights in the same order."""
    return fingerprint(corpus.tokens, corpus.offsets, corpus.weights, np.array(list(map(repr, corpus.vocabulary))))
