"""Prediction by partial matching with escape method C, and exclusion (Moffat 1990)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem._internal.ragged import steps_of
from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.evaluation.baselines.kneser_ney import best_order
from honem.evaluation.methods import RegisteredMethod, register_method
from honem.prediction import StepScores
from honem.prediction.growing import grow_trie
from honem.prediction.trie import ContextTrie


@register_method
@dataclass(frozen=True, kw_only=True)
class PartialMatching(RegisteredMethod):
    """PPM-C; by default the order is the one that best predicts a part held out of the training data.

    Parameters
    ----------
    order : int, optional
        Length of the longest contexts. By default it is chosen.
    max_order : int, default=6
        Highest order that is tried when the order is chosen.
    distinct : bool, default=False
        Whether equal sequences are in one part when the order is chosen, as they should be where the held-out
        sequences of the task do not occur in training.
    """

    order: int | None = None
    max_order: int = 6
    distinct: bool = False

    name = "ppm-c"
    kind = "predictions"
    position = 170

    def __post_init__(self) -> None:
        require_whole("max_order", self.max_order, least=1)
        if self.order is not None:
            require_whole("order", self.order, least=1)

    def fit(self, corpus: Corpus) -> EscapeModel:
        """Choose the order if there is none, and count."""
        order = self.order or best_order(escape_model, self.max_order, corpus, distinct=self.distinct)
        return escape_model(corpus, order)


def escape_model(corpus: Corpus, order: int) -> EscapeModel:
    """Return the PPM-C model with contexts of up to `order` symbols, the start of a sequence being one."""
    return EscapeModel(grow_trie(corpus, order).trie)


@dataclass(frozen=True, eq=False)
class EscapeModel:
    """Counts of contexts, from which a step is predicted by escaping to shorter ones.

    A context with m distinct targets and n observations gives each target its count out of n + m, and escapes with
    probability m / (n + m). Targets of longer contexts are excluded from shorter ones; at the end all other nodes are
    equally probable. Contexts that were observed once need not be extended: extensions exclude all that they know.
    """

    trie: ContextTrie

    def score(self, corpus: Corpus) -> StepScores:
        """Score the steps of a corpus, as NextStep does."""
        from honem._internal.compilation import announcing_compilation
        from honem.evaluation.baselines.kernels.partial_matching import judge_by_escapes

        ends, lengths = steps_of(corpus.lengths)
        contexts = self.trie.find(corpus.tokens, ends, lengths, np.ones(len(ends), np.bool_))
        by_context = np.argsort(contexts, kind="stable")
        trie, scores = self.trie, StepScores(np.empty(len(ends)), np.empty(len(ends), np.int64))
        with announcing_compilation():
            probabilities, ranks = judge_by_escapes(
                contexts[by_context],
                corpus.tokens[ends[by_context]],
                trie.parents,
                trie.row_offsets,
                trie.targets,
                trie.counts,
                trie.n_nodes,
            )
        scores.log_probabilities[by_context], scores.ranks[by_context] = np.log2(probabilities), ranks
        return scores
