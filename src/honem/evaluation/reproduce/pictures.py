"""Pictures that are kept: their numbers in the cells of a run, their points in files beside them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from honem.evaluation import Cell, Picture, Record, Visualization
from honem.evaluation.harness import records_of
from honem.evaluation.reproduce.runs import Run
from honem.io.atomic import atomic_file


@dataclass(frozen=True)
class Pictures:
    """The pictures of one visualisation in the folder of a run."""

    run: Run
    task: Visualization

    def judge(self, cell: Cell) -> list[Record]:
        """Learn, project and judge one cell, and keep the points."""
        embedding = cell.method.fit(self.task.corpus, cell.dimension, cell.seed)
        picture = self.task.picture(embedding, cell.seed)
        with atomic_file(self.file(cell)) as file:
            np.savez_compressed(file, points=picture.points)
        return records_of(cell, self.task.measures(picture), embedding.dimension)

    def draw(self, cell: Cell) -> Picture:
        """The picture of a finished cell; made again only if its file was taken away."""
        if not self.file(cell).exists():
            self.judge(cell)
        nodes = self.task.nodes
        shown = tuple(self.task.corpus.vocabulary[number] for number in nodes.ids.tolist())
        with np.load(self.file(cell)) as kept:
            return Picture(shown, kept["points"], nodes.classes, nodes.names)

    def file(self, cell: Cell) -> Path:
        """Where the points of a cell are."""
        folder = self.run.folder / "pictures"
        folder.mkdir(exist_ok=True)
        return folder / (hashlib.sha256(self.run.key(cell).encode()).hexdigest()[:16] + ".npz")
