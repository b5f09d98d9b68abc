"""Factorizations: ways from the proximity matrix to vectors.

To add a factorization, write a subclass of `Factorization` in a module of this package and list it in
`FACTORIZATIONS`.
"""

from honem.embedding.factorizations.base import Factorization, Scores, ScoreTerms
from honem.embedding.factorizations.svd import SvdScores, TruncatedSvd
from honem.embedding.factorizations.weighted import WeightedFactorization, WeightedScores

__all__ = [
    "FACTORIZATIONS",
    "Factorization",
    "ScoreTerms",
    "Scores",
    "SvdScores",
    "TruncatedSvd",
    "WeightedFactorization",
    "WeightedScores",
]

FACTORIZATIONS: dict[str, Factorization] = {
    factorization.name: factorization for factorization in (TruncatedSvd(), WeightedFactorization())
}
