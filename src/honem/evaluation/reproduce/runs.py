"""Runs that can be resumed: a cell that was finished is not computed a second time."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from honem._internal.progress import Progress
from honem.errors import HonemError, HonemWarning, InputError
from honem.evaluation.cells import Cell, evaluate_cell
from honem.evaluation.records import Record
from honem.evaluation.reproduce.identity import Identity, Judge, cell_identity, key_of

FINISHED = "cells.jsonl"

Work = Callable[[], tuple[Iterable[Record], str]]
"""Returns records, and what could not be computed."""


@dataclass(frozen=True)
class Finished:
    """The result of one cell: its records and how long they took, or why it could not be computed."""

    records: tuple[Record, ...]
    seconds: float
    problem: str = ""


class Run:
    """The finished cells of a folder; each one is written to disk as soon as it is computed.

    A cell is found again only if its parameters after defaults, its data and the code that computes it are the same,
    so a result is never used where it would differ today. Cells of version 0.1.0, which did not record their parameters
    and code, are not used.

    Parameters
    ----------
    folder : Path
        Created if needed. Cells are in its file `cells.jsonl`.

    Raises
    ------
    InputError
        If the file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / FINISHED
        folder.mkdir(parents=True, exist_ok=True)
        self.file.touch()
        self._remove_torn_line()
        self.finished = dict(self._read())

    def compute(
        self,
        cells: Iterable[Cell],
        *,
        judge: Judge = evaluate_cell,
        progress: Progress | None = None,
    ) -> list[Finished]:
        """Return the result of every cell, computed unless the folder has it.

        Parameters
        ----------
        cells : iterable of Cell
            The cells.
        judge : callable, optional
            The function that computes the records of a cell.
        progress : callable, optional
            Called after each cell.
        """
        wanted = list(cells)
        results = []
        for done, cell in enumerate(wanted, start=1):
            results.append(self.once(cell_identity(cell, judge), partial(_judged, cell, judge)))
            if progress is not None:
                progress(f"{cell.task.dataset} {cell.task.name}", done, len(wanted))
        return results

    def once(self, identity: Identity, work: Work) -> Finished:
        """Return the result of some work, which is done unless the folder has it."""
        key = key_of(identity)
        if key not in self.finished:
            self.finished[key] = _do(work)
            self._write(key, identity, self.finished[key])
        return self.finished[key]

    def _remove_torn_line(self) -> None:
        """Remove what follows the last line end: a cell that was being written when the run was killed."""
        os.truncate(self.file, self.file.read_bytes().rfind(b"\n") + 1)

    def _read(self) -> Iterator[tuple[str, Finished]]:
        n_old = 0
        for number, line in enumerate(self.file.read_bytes().splitlines(), start=1):
            try:
                found = json.loads(line)
                records = tuple(Record(*record) for record in found["records"])
                finished = Finished(records, found["seconds"], found["problem"])
                if "identity" in found:
                    yield found["key"], finished
                else:
                    n_old += 1
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise InputError(f"{self.file}, line {number} is damaged ({error}); delete the line") from None
        if n_old:
            message = f"{self.file}: {n_old} cells of honem 0.1.0 are not used, because they may be outdated"
            warnings.warn(f"{message}; what is needed is computed again", HonemWarning, stacklevel=4)

    def _write(self, key: str, identity: Identity, finished: Finished) -> None:
        line = {
            "key": key,
            "identity": identity,
            "records": finished.records,
            "seconds": finished.seconds,
            "problem": finished.problem,
        }
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


def _judged(cell: Cell, judge: Judge) -> tuple[list[Record], str]:
    return judge(cell), ""


def _do(work: Work) -> Finished:
    started = time.perf_counter()
    try:
        records, problem = work()
    except HonemError as error:
        # One method that cannot embed this data, for lack of memory say, must not end a run of many hours.
        records, problem = (), str(error)
    return Finished(tuple(records), time.perf_counter() - started, problem)
