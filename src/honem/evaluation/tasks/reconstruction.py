"""Network reconstruction: whether the first-order edges of a corpus score highest among all ordered pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from honem.corpus import Corpus
from honem.embedding import Embedding, Score
from honem.evaluation.aligning import align
from honem.evaluation.metrics import Ranking, log_spaced, rank_shuffled
from honem.evaluation.pair_scores import OWN_SCORE, Scored
from honem.evaluation.records import Measure
from honem.evaluation.tasks.base import RegisteredTask, register_task
from honem.network import first_order_network
from honem.tuning.edges import Edges

N_TOP = 100_000


@register_task
@dataclass(frozen=True, eq=False)
class Reconstruction(RegisteredTask):
    """Rank all ordered pairs i != j; the true pairs are the first-order edges of the corpus.

    Methods see the whole corpus. The metrics are `precision@k`.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    dataset : str, default="corpus"
        Name of the data set in tables.
    scores : sequence of str, optional
        How vectors are compared; by default by their dot products and by cosine similarity.
    ks : sequence of int, optional
        By default log-spaced up to 100,000, or up to the number of pairs; a k beyond those is left out.
    name : str, default="reconstruction"
        Name of the task in tables.
    """

    command = "reconstruction"
    summary = "rank all pairs of nodes; the first-order edges are true"
    judges = ("vectors", "scores")
    main_metrics = ("precision@1000", "precision@10000")
    shown_metrics = ("precision@10",)
    position = 10
    tune_for = "reconstruction"

    corpus: Corpus
    dataset: str = "corpus"
    scores: Sequence[Score] | None = None
    ks: Sequence[int] | None = None
    name: str = "reconstruction"

    def training_corpus(self, seed: int) -> Corpus:
        """Return the whole corpus, regardless of the seed."""
        return self.corpus

    @cached_property
    def truth(self) -> Edges:
        """The first-order edges between different nodes."""
        return Edges.of(first_order_network(self.corpus))

    def rank(self, fitted: Scored, seed: int = 0, score: Score | None = None) -> Ranking:
        """Return the ranking by one score; the seed breaks ties."""
        n_top = max(self.ks) if self.ks else N_TOP
        aligned = align(fitted, self.corpus.vocabulary)
        return rank_shuffled(aligned, self.truth, seed, score=score, n_top=n_top, per_node=False)

    def judge(self, fitted: Scored, seed: int = 0) -> Iterator[Measure]:
        """Yield Precision@k by each score."""
        for name, score in judged_scores(fitted, self.scores):
            yield from precision_curve(self.rank(fitted, seed, score), name, self.ks)


def precision_curve(ranking: Ranking, score: str, ks: Sequence[int] | None) -> Iterator[Measure]:
    """Yield Precision@k for each k that the ranking is long enough for."""
    kept = len(ranking.hits)
    asked = [k for k in ks if k <= kept] if ks else log_spaced(kept)
    for k, precision in zip(asked, ranking.precisions(asked).tolist(), strict=True):
        yield Measure(score, f"precision@{k}", precision)


def judged_scores(
    fitted: Scored, asked: Sequence[Score] | None = None, *, with_evidence: bool = False
) -> list[tuple[str, Score | None]]:
    """Return the name and the kind of each score by which a model is judged.

    For vectors these are the requested scores; by default the dot products, both if there are two vectors per node, and
    the cosine similarity, which suits vectors of walks better. With the matrix beside them, it can be added: fair where
    candidates are ranked, but not where vectors alone are to remember the network. A scorer without vectors has only
    its own score.
    """
    if not isinstance(fitted, Embedding):
        return [(OWN_SCORE, None)]
    natural: tuple[Score, ...] = (fitted.default_score, "source.source", "cosine")
    if with_evidence and fitted.evidence is not None:
        natural = (*natural, "evidence")
    return [(score, score) for score in asked or dict.fromkeys(natural)]
