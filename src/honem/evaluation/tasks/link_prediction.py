"""Link prediction: whether held-out edges rank above pairs that are not edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from honem.corpus import Corpus
from honem.embedding import Score
from honem.evaluation.aligning import align
from honem.evaluation.metrics import Ranking, log_spaced, rank_shuffled
from honem.evaluation.pair_scores import Scored
from honem.evaluation.records import Measure
from honem.evaluation.tasks.base import RegisteredTask, register_task
from honem.evaluation.tasks.reconstruction import N_TOP, judged_scores, precision_curve
from honem.tuning.splits import LinkSplit, hold_out_edges

PAPER_K = 1024
CURVE = tuple(sorted({*log_spaced(N_TOP), PAPER_K}))


@register_task
@dataclass(frozen=True, eq=False)
class LinkPrediction(RegisteredTask):
    """Hold out edges, learn from the sequences cut at them, rank all ordered pairs i != j that are not training edges.

    The metrics are `map` (over nodes with a held-out edge), `map_all_nodes` (the paper's definition), `map_new_pairs`
    (over the pairs whose reverse is not a training edge either, true ones and others), `precision@k`, and the size of
    the split: `held_out_edges`, `nodes_with_held_out_edge`, `nodes_with_new_pair` and `isolated_nodes` (nodes that have
    no step left).

    Parameters
    ----------
    corpus : Corpus
        The paths.
    dataset : str, default="corpus"
        Name of the data set in tables.
    share : float, default=0.2
        Share of the first-order edges that are held out.
    scores : sequence of str, optional
        How vectors are compared; by default by their dot products and by cosine similarity, and, where the embedding
        brings the matrix that was factorized, by "evidence".
    ks : sequence of int
        By default log-spaced up to 100,000, and 1024; a k beyond the number of pairs is left out.
    name : str, default="link_prediction"
        Name of the task in tables.
    """

    command = "link-prediction"
    summary = "hold out 20 % of the edges and rank all pairs that are not training edges"
    judges = ("vectors", "scores")
    main_metrics = ("map",)
    shown_metrics = ("map", "precision@10")
    position = 20
    tune_for = "links"

    corpus: Corpus
    dataset: str = "corpus"
    share: float = 0.2
    scores: Sequence[Score] | None = None
    ks: Sequence[int] = CURVE
    name: str = "link_prediction"

    def split(self, seed: int) -> LinkSplit:
        """Return the split of a seed, which is the same for every method."""
        return hold_out_edges(self.corpus, self.share, seed)

    def training_corpus(self, seed: int) -> Corpus:
        """Return the corpus cut at the held-out edges of that seed."""
        return self.split(seed).corpus

    def rank(self, fitted: Scored, seed: int, score: Score | None = None) -> Ranking:
        """Return the ranking by one score, with AP(i) of every node."""
        return self._rank(fitted, seed, self.split(seed), score)

    def _rank(self, fitted: Scored, seed: int, split: LinkSplit, score: Score | None) -> Ranking:
        return rank_shuffled(
            align(fitted, self.corpus.vocabulary),
            split.held_out,
            seed,
            score=score,
            excluded=split.training,
            known=split.training.reversed(),
            n_top=max(self.ks),
        )

    def judge(self, fitted: Scored, seed: int) -> Iterator[Measure]:
        """Yield MAP in its definitions and Precision@k by each score."""
        for _, measures in self.judge_rankings(fitted, seed):
            yield from measures

    def judge_rankings(self, fitted: Scored, seed: int) -> Iterator[tuple[Ranking, list[Measure]]]:
        """Yield the ranking by each score, with AP(i) of every node, and its measures."""
        split = self.split(seed)
        for name, score in judged_scores(fitted, self.scores, with_evidence=True):
            ranking = self._rank(fitted, seed, split, score)
            yield ranking, list(self._measures(name, ranking, split))

    def _measures(self, score: str, ranking: Ranking, split: LinkSplit) -> Iterator[Measure]:
        yield Measure(score, "map", ranking.mean_average_precision)
        yield Measure(score, "map_all_nodes", ranking.mean_over_all_nodes)
        if ranking.n_judged_by_new:
            yield Measure(score, "map_new_pairs", ranking.mean_over_new_pairs)
        yield from precision_curve(ranking, score, self.ks)
        yield Measure(score, "held_out_edges", len(split.held_out))
        yield Measure(score, "nodes_with_held_out_edge", ranking.n_judged)
        yield Measure(score, "nodes_with_new_pair", ranking.n_judged_by_new)
        yield Measure(score, "isolated_nodes", split.n_isolated)
