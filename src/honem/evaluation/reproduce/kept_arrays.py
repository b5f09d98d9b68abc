"""Arrays that belong to a finished cell, in files beside the cells of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from honem.evaluation.cells import Cell
from honem.evaluation.reproduce.identity import Judge, cell_identity, key_of
from honem.io.atomic import atomic_file

Arrays = Mapping[str, NDArray[np.float64]]


def array_file(folder: Path, cell: Cell, judge: Judge) -> Path:
    """Return the file of the arrays of a cell whose records are computed by `judge`."""
    folder.mkdir(exist_ok=True)
    return folder / f"{key_of(cell_identity(cell, judge))}.npz"


def keep_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays to a file, atomically."""
    with atomic_file(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def kept_arrays(path: Path) -> dict[str, NDArray[np.float64]]:
    """Return the arrays of a file."""
    with np.load(path) as kept:
        return dict(kept)
