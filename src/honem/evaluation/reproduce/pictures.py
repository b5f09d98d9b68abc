"""Pictures that are stored: their measures in the cells of a run, their points in files beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from honem.evaluation.cells import Cell, records_of
from honem.evaluation.records import Record
from honem.evaluation.reproduce.kept_arrays import array_file, keep_arrays, kept_arrays
from honem.evaluation.tasks.visualization import Picture, Visualization


@dataclass(frozen=True)
class Pictures:
    """The pictures of one visualisation, in the folder of a run."""

    folder: Path
    task: Visualization

    def judge(self, cell: Cell) -> list[Record]:
        """Fit, project and judge one cell, and store the points."""
        embedding = cell.method.fit(self.task.corpus, cell.dimension, cell.seed)
        picture = self.task.picture(embedding, cell.seed)
        keep_arrays(self.file(cell), {"points": picture.points})
        return records_of(cell, self.task.measures(picture), embedding)

    def draw(self, cell: Cell) -> Picture:
        """Return the picture of a finished cell; it is computed again only if its file was removed."""
        if not self.file(cell).exists():
            self.judge(cell)
        nodes = self.task.nodes
        shown = tuple(self.task.corpus.vocabulary[number] for number in nodes.ids.tolist())
        return Picture(shown, kept_arrays(self.file(cell))["points"], nodes.classes, nodes.names)

    def file(self, cell: Cell) -> Path:
        """Return the file of the points of a cell."""
        return array_file(self.folder / "pictures", cell, self.judge)
