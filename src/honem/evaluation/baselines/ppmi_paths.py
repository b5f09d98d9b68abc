"""PPMI of paths: factorize how much more often than by chance two nodes occur near each other on a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.validation import require_number, require_switch, require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.embedding.factorize import factorize
from honem.evaluation.baselines.base import in_strengths, out_strengths
from honem.evaluation.methods import RegisteredMethod, register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


@register_method
@dataclass(frozen=True, kw_only=True)
class PpmiPaths(RegisteredMethod):
    """Factorize max(log(C_ij C / (C_i C_j)) - log(shift), 0) by a truncated SVD (Levy and Goldberg 2014).

    C_ij is how often j occurs at most `window` steps after i on a path, counted with the weights of sequences; C_i and
    C_j are the sums of row i and column j, and C of all. `source` is U sqrt(S) and `target` is V sqrt(S).

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether j has to come after i. False replaces C by C + C^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    window : int, default=2
        Distance up to which two nodes of a path are a pair.
    shift : float, default=1
        Pairs count only from this many times chance on: the number of noise nodes per pair of skip-gram.
    """

    n_components: int = 128
    directed: bool = True
    random_state: int = 0
    window: int = 2
    shift: float = 1.0

    name = "ppmi-paths"
    kind = "vectors"
    position = 122

    def __post_init__(self) -> None:
        for option in ("n_components", "window"):
            require_whole(option, getattr(self, option), least=1)
        require_whole("random_state", self.random_state, least=0)
        require_switch("directed", self.directed)
        require_number("shift", self.shift, at_least=1)

    def fit(self, corpus: Corpus) -> Embedding:
        """Count pairs along the paths and factorize their PPMI."""
        from scipy.sparse import csr_array

        counts = windowed_counts(corpus, self.window)
        matrix = positive_information(counts if self.directed else csr_array(counts + counts.T), self.shift)
        factors = factorize(matrix, self.n_components, random_state=self.random_state)
        return Embedding(corpus.vocabulary, factors.source, factors.target, factors.singular_values)


def windowed_counts(corpus: Corpus, window: int) -> Matrix:
    """Return C, where C_ij is how often j occurs 1 to `window` steps after i."""
    from scipy.sparse import csr_array

    sequence = np.repeat(np.arange(corpus.n_sequences), corpus.lengths)
    weights = corpus.weights.astype(np.float64)[sequence]
    shape = (corpus.n_nodes, corpus.n_nodes)
    total = csr_array(shape, dtype=np.float64)
    for distance in range(1, min(window, int(corpus.lengths.max(initial=1)) - 1) + 1):
        first = np.flatnonzero(sequence[:-distance] == sequence[distance:])
        pairs = (corpus.tokens[first], corpus.tokens[first + distance])
        total = total + csr_array((weights[first], pairs), shape=shape)
    return total


def positive_information(counts: Matrix, shift: float) -> Matrix:
    """Return the positive entries of log(C_ij C / (C_i C_j)) - log(shift)."""
    from scipy.sparse import csr_array

    found = counts.tocoo()
    chance = out_strengths(counts)[found.row] * in_strengths(counts)[found.col] / found.data.sum()
    information = np.log(found.data / chance) - np.log(shift)
    kept = information > 0
    return csr_array((information[kept], (found.row[kept], found.col[kept])), shape=found.shape)
