"""Next-step prediction: how well is each step of unseen sequences foretold by what came before it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.errors import CorpusError, ParameterError
from honem.evaluation.records import Measure
from honem.prediction import StepScores


class Predictor(Protocol):
    """Whatever gives every node of a vocabulary a probability to come next."""

    def score(self, corpus: Corpus) -> StepScores:
        """log2 P(next | history) and the rank of the next node, for every step of a corpus."""
        ...


Learner = Callable[[Corpus], Predictor]


@dataclass(frozen=True, eq=False)
class SequenceSplit:
    """Sequences to learn from and others to be judged by; both know all nodes of the corpus."""

    training: Corpus
    held_out: Corpus


def hold_out_sequences(corpus: Corpus, share: float = 0.2, seed: int = 0) -> SequenceSplit:
    """Hold out each sequence with the chance `share`; of one that weighs w, each of its w copies by itself.

    >>> split = hold_out_sequences(Corpus.from_sequences([list("ab"), list("bc")], weights=[1000, 1]), seed=0)
    >>> split.training.weights.tolist(), split.held_out.weights.tolist()
    ([824, 1], [176])
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must be between 0 and 1, not {share!r}")
    drawn = np.random.default_rng(seed).binomial(corpus.weights, share)
    split = SequenceSplit(corpus.reweighted(corpus.weights - drawn), corpus.reweighted(drawn))
    if not (split.training.n_steps and split.held_out.n_steps):
        raise CorpusError(f"{corpus.n_sequences} sequences are too few to hold some out and learn from the others")
    return split


@dataclass(frozen=True, eq=False)
class NextStepPrediction:
    """Hold sequences out, learn from the others, and foretell each step from all before it in its sequence.

    Reported are `log_loss` (bits a step), `perplexity` (2 to the power of it) and `hit@k`, each step counted as often
    as its sequence weighs, and `held_out_steps`. Judged are steps from a node to the next, not where a sequence begins
    or that it ends. A node that was never seen in training is still a node of the corpus: each model gives it the
    share of order 0 that it divides equally among all.
    """

    corpus: Corpus
    dataset: str = "corpus"
    share: float = 0.2
    ks: Sequence[int] = (1, 5, 10)
    name: str = "next_step"

    def split(self, seed: int) -> SequenceSplit:
        """The split of a seed; every method has the same one."""
        return hold_out_sequences(self.corpus, self.share, seed)

    def training_corpus(self, seed: int) -> Corpus:
        """The sequences that are not held out with that seed."""
        return self.split(seed).training

    def judge(self, predictor: Predictor, seed: int) -> Iterator[Measure]:
        """Log-loss, perplexity and hit@k."""
        held_out = self.split(seed).held_out
        scores, weights = predictor.score(held_out), step_weights(held_out)
        loss = -float(np.average(scores.log_probabilities, weights=weights))
        yield Measure("probability", "log_loss", loss)
        yield Measure("probability", "perplexity", 2.0**loss)
        for k in self.ks:
            yield Measure("probability", f"hit@{k}", float(np.average(scores.ranks <= k, weights=weights)))
        yield Measure("probability", "held_out_steps", held_out.n_weighted_steps)


def step_weights(corpus: Corpus) -> NDArray[np.int64]:
    """How often each step of a corpus counts."""
    return np.repeat(corpus.weights, np.maximum(corpus.lengths - 1, 0))


def least_loss(learners: Mapping[str, Learner], corpus: Corpus, seed: int = 0) -> str:
    """Which learner foretells best what is held out of a training corpus; so an order is chosen without a peek."""
    task = NextStepPrediction(corpus)
    training = task.training_corpus(seed)
    return min(learners, key=lambda name: next(task.judge(learners[name](training), seed)).value)
