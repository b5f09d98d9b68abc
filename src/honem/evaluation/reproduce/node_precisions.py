"""AP(i) of every node in link prediction: the records of a cell, and AP(i) by each score in a file beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from honem.embedding import Vectors
from honem.evaluation.cells import Cell, records_of
from honem.evaluation.records import Record
from honem.evaluation.reproduce.kept_arrays import array_file, keep_arrays, kept_arrays
from honem.evaluation.tasks.link_prediction import LinkPrediction


@dataclass(frozen=True)
class NodePrecisions:
    """AP(i) of the cells of one task, in the folder of a run."""

    folder: Path
    task: LinkPrediction

    def judge(self, cell: Cell) -> list[Record]:
        """Fit and judge one cell, and store AP(i) by each score."""
        fitted = cell.method.fit(self.task.training_corpus(cell.seed), cell.dimension, cell.seed)
        judged = list(self.task.judge_rankings(fitted, cell.seed))
        precisions = {measures[0].score: ranking.average_precisions for ranking, measures in judged}
        keep_arrays(self.file(cell), {score: found for score, found in precisions.items() if found is not None})
        return records_of(cell, [measure for _, measures in judged for measure in measures], fitted)

    def of(self, cell: Cell, score: str) -> Vectors:
        """Return AP(i) of a finished cell, NaN for nodes without a held-out edge.

        It is computed again only if its file was removed.
        """
        if not self.file(cell).exists():
            self.judge(cell)
        return kept_arrays(self.file(cell))[score]

    def file(self, cell: Cell) -> Path:
        """Return the file of a cell."""
        return array_file(self.folder / "node-precisions", cell, self.judge)
