"""Link prediction: do edges that were never seen rank above pairs that are no edges?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from honem.corpus import Corpus
from honem.embedding import Embedding, Score
from honem.evaluation.aligning import align
from honem.evaluation.metrics import Ranking, log_spaced, rank_shuffled
from honem.evaluation.records import Measure
from honem.evaluation.splits import LinkSplit, hold_out_edges
from honem.evaluation.tasks.reconstruction import N_TOP, precision_curve, scores_of

PAPER_K = 1024
CURVE = tuple(sorted({*log_spaced(N_TOP), PAPER_K}))


@dataclass(frozen=True, eq=False)
class LinkPrediction:
    """Hold edges out, learn from the sequences cut at them, rank all ordered pairs i != j that are no training edge.

    Reported are `map` (over nodes with a held-out edge), `map_all_nodes` (the paper's form), `precision@k`, and what
    the split was: `held_out_edges`, `nodes_with_held_out_edge` and `isolated_nodes`, those without a step left.
    """

    corpus: Corpus
    dataset: str = "corpus"
    share: float = 0.2
    scores: Sequence[Score] | None = None
    ks: Sequence[int] = CURVE
    name: str = "link_prediction"

    def split(self, seed: int) -> LinkSplit:
        """The split of a seed; every method has the same one."""
        return hold_out_edges(self.corpus, self.share, seed)

    def training_corpus(self, seed: int) -> Corpus:
        """The corpus cut at the held-out edges of that seed."""
        return self.split(seed).corpus

    def rank(self, embedding: Embedding, seed: int, score: Score | None = None) -> Ranking:
        """The ranking of one embedding by one score, with AP(i) of every node."""
        return self._rank(embedding, seed, self.split(seed), score)

    def _rank(self, embedding: Embedding, seed: int, split: LinkSplit, score: Score | None) -> Ranking:
        aligned = align(embedding, self.corpus.vocabulary)
        return rank_shuffled(aligned, split.held_out, seed, score=score, excluded=split.training, n_top=max(self.ks))

    def judge(self, embedding: Embedding, seed: int) -> Iterator[Measure]:
        """MAP in both forms and Precision@k by each score."""
        split = self.split(seed)
        for score in self.scores or scores_of(embedding):
            ranking = self._rank(embedding, seed, split, score)
            yield Measure(score, "map", ranking.mean_average_precision)
            yield Measure(score, "map_all_nodes", ranking.mean_over_all_nodes)
            yield from precision_curve(ranking, score, self.ks)
            yield Measure(score, "held_out_edges", len(split.held_out))
            yield Measure(score, "nodes_with_held_out_edge", ranking.n_judged)
            yield Measure(score, "isolated_nodes", split.n_isolated)
