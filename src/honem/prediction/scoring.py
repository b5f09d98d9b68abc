"""How models of the next step score the steps of a corpus."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import steps_of
from honem.corpus import Corpus, Vocabulary
from honem.errors import ParameterError

LEAST_PROBABILITY = float(np.finfo(np.float64).tiny)
"""Products over a hundred orders can underflow to 0; with this lower bound their logarithm stays finite."""


class StepScores(NamedTuple):
    """For each step of a corpus: log2 P(next | history), and the rank of the next node among all nodes, from 1."""

    log_probabilities: NDArray[np.float64]
    ranks: NDArray[np.int64]


class StepScorer(ABC):
    """A model that scores the steps of a corpus.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes.
    """

    vocabulary: Vocabulary

    def score(self, corpus: Corpus) -> StepScores:
        """Score each step of a corpus given the nodes before it in its sequence.

        The first node and the end of a sequence are not predicted.

        Parameters
        ----------
        corpus : Corpus
            The sequences. Their vocabulary must be the one of this model.

        Returns
        -------
        StepScores
            One entry per step, in the order of the corpus. Equally probable nodes are ranked in the order of the
            vocabulary, as in `predict`.

        Raises
        ------
        ParameterError
            If the vocabularies differ.
        """
        require_same_nodes(corpus, self.vocabulary)
        probabilities, ranks = self._judge(corpus.tokens, *steps_of(corpus.lengths))
        return StepScores(np.log2(np.maximum(probabilities, LEAST_PROBABILITY)), ranks)

    @abstractmethod
    def _judge(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return probability and rank of the node at each end, after the `lengths` nodes before it."""


def require_same_nodes(corpus: Corpus, vocabulary: Vocabulary) -> None:
    """Raise ParameterError unless the nodes of a corpus are those of a model."""
    if corpus.vocabulary.labels != vocabulary.labels:
        raise ParameterError(
            f"the corpus has {corpus.n_nodes} nodes that are not the {len(vocabulary)} of the model; "
            "make both from one corpus, so that they share its vocabulary"
        )
