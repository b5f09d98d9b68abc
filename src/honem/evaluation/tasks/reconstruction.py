"""Network reconstruction: are the first-order edges of a corpus the best-scored of all ordered pairs?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from honem.corpus import Corpus
from honem.embedding import Embedding, Score
from honem.evaluation.aligning import align
from honem.evaluation.edges import Edges
from honem.evaluation.metrics import Ranking, log_spaced, rank_shuffled
from honem.evaluation.records import Measure
from honem.network import first_order_network

N_TOP = 100_000


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Rank all ordered pairs i != j; the truth is the first-order edges of the corpus.

    Methods see the whole corpus. Reported is Precision@k, as metric `precision@k`, for each k of `ks`, by default
    log-spaced up to 100,000 or to all pairs where there are fewer; a k beyond those is left out.
    """

    corpus: Corpus
    dataset: str = "corpus"
    scores: Sequence[Score] | None = None
    ks: Sequence[int] | None = None
    name: str = "reconstruction"

    def training_corpus(self, seed: int) -> Corpus:
        """The whole corpus, whatever the seed."""
        return self.corpus

    @cached_property
    def truth(self) -> Edges:
        """The first-order edges between different nodes."""
        return Edges.of(first_order_network(self.corpus))

    def rank(self, embedding: Embedding, seed: int = 0, score: Score | None = None) -> Ranking:
        """The ranking of one embedding by one score; the seed decides ties."""
        n_top = max(self.ks) if self.ks else N_TOP
        aligned = align(embedding, self.corpus.vocabulary)
        return rank_shuffled(aligned, self.truth, seed, score=score, n_top=n_top, per_node=False)

    def judge(self, embedding: Embedding, seed: int = 0) -> Iterator[Measure]:
        """Precision@k by each score."""
        for score in self.scores or scores_of(embedding):
            yield from precision_curve(self.rank(embedding, seed, score), score, self.ks)


def precision_curve(ranking: Ranking, score: Score, ks: Sequence[int] | None) -> Iterator[Measure]:
    """Precision@k for each k that the ranking is long enough for."""
    kept = len(ranking.hits)
    asked = [k for k in ks if k <= kept] if ks else log_spaced(kept)
    for k, precision in zip(asked, ranking.precisions(asked).tolist(), strict=True):
        yield Measure(score, f"precision@{k}", precision)


def scores_of(embedding: Embedding) -> tuple[Score, ...]:
    """How an embedding is judged unless said: both dot products where it has two vectors a node, else the one."""
    return ("source.source",) if embedding.target is None else ("source.target", "source.source")
