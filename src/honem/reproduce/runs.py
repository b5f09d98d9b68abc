"""Runs that can be taken up again: a cell that was finished is not computed a second time."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import honem
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.errors import HonemError, InputError
from honem.evaluation.harness import Cell, evaluate_cell, judge_cell
from honem.evaluation.records import Record
from honem.progress import Progress

FINISHED = "cells.jsonl"


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
        self.file = folder / FINISHED
        folder.mkdir(parents=True, exist_ok=True)
        self.file.touch()
        self._take_off_torn_line()
        self.finished = dict(self._read())

    def compute(
        self, cells: Iterable[Cell], *, embedding: Embedding | None = None, progress: Progress | None = None
    ) -> list[Finished]:
        """Every cell, from the folder where it is there; a given embedding is judged instead of a method's."""
        wanted = list(cells)
        results = []
        for done, cell in enumerate(wanted, start=1):
            key = self._key(cell, embedding)
            if key not in self.finished:
                self.finished[key] = self._compute(cell, embedding)
                self._write(key, self.finished[key])
            results.append(self.finished[key])
            if progress is not None:
                progress(f"{cell.task.dataset} {cell.task.name}", done, len(wanted))
        return results

    def _compute(self, cell: Cell, embedding: Embedding | None) -> Finished:
        started = time.perf_counter()
        try:
            records = evaluate_cell(cell) if embedding is None else judge_cell(cell, embedding)
        except HonemError as error:
            # One method that cannot do this data, say for want of memory, must not end a night's run.
            return Finished((), time.perf_counter() - started, str(error))
        return Finished(tuple(records), time.perf_counter() - started)

    def _key(self, cell: Cell, embedding: Embedding | None) -> str:
        vectors = "" if embedding is None else fingerprint(embedding.source)
        data = corpus_fingerprint(cell.task.training_corpus(cell.seed))
        return json.dumps([*cell.key, data, vectors, honem.__version__])

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


def corpus_fingerprint(corpus: Corpus) -> str:
    """The same for the same sequences and weights in the same order."""
    return fingerprint(corpus.tokens, corpus.offsets, corpus.weights, np.array(list(map(repr, corpus.vocabulary))))


def fingerprint(*arrays: np.ndarray[Any, Any]) -> str:
    """A short hash of the content of arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
