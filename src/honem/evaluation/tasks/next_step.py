"""Next-step prediction: how well each step of held-out sequences is predicted from the nodes before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.validation import require_one_of
from honem.corpus import Corpus
from honem.errors import CorpusError, ParameterError
from honem.evaluation.methods import Predictor
from honem.evaluation.records import Measure
from honem.evaluation.tasks.base import RegisteredTask, register_task

Learner = Callable[[Corpus], Predictor]
Holdout = Literal["random", "time"]


@dataclass(frozen=True, eq=False)
class SequenceSplit:
    """Sequences to learn from and sequences to be judged by; both have all nodes of the corpus."""

    training: Corpus
    held_out: Corpus


def hold_out_sequences(corpus: Corpus, share: float = 0.2, seed: int = 0, *, distinct: bool = False) -> SequenceSplit:
    """Hold out each sequence with probability `share`; of a sequence of weight w, each of its w copies separately.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    share : float, default=0.2
        Expected share of the sequences that are held out, between 0 and 1.
    seed : int, default=0
        Seed of the draw.
    distinct : bool, default=False
        Whether equal sequences are held out together, with all their copies. Where few distinct sequences are repeated
        many times, almost every held-out sequence would be in the training part too.

    Raises
    ------
    ParameterError
        If the share is not between 0 and 1.
    CorpusError
        If one of the two parts has no step.

    Examples
    --------
    >>> split = hold_out_sequences(Corpus.from_sequences([list("ab"), list("bc")], weights=[1000, 1]), seed=0)
    >>> split.training.weights.tolist(), split.held_out.weights.tolist()
    ([824, 1], [176])
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must be between 0 and 1, not {share!r}")
    random = np.random.default_rng(seed)
    if distinct:
        numbers = distinct_sequences(corpus)
        is_drawn = random.random(numbers.max(initial=-1) + 1) < share
        drawn = np.where(is_drawn[numbers], corpus.weights, 0)
    else:
        drawn = random.binomial(corpus.weights, share)
    return _split(corpus, drawn)


def hold_out_latest(corpus: Corpus, share: float = 0.2) -> SequenceSplit:
    """Hold out the sequences that began last; those that began at the same time are in one part.

    Sequences that began earlier are learned from as a whole, also if they ended later.

    Parameters
    ----------
    corpus : Corpus
        The paths, with times.
    share : float, default=0.2
        Share of the sequences that are held out, between 0 and 1, as nearly as equal times permit.

    Raises
    ------
    ParameterError
        If the share is not between 0 and 1, or the sequences have no times.
    CorpusError
        If one of the two parts has no step.

    Examples
    --------
    >>> corpus = Corpus.from_sequences([list("ab"), list("bc"), list("ca")]).with_times([5, 9, 2])
    >>> list(hold_out_latest(corpus, 0.3).held_out.sequences())
    [('b', 'c')]
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must be between 0 and 1, not {share!r}")
    if corpus.times is None:
        raise ParameterError(
            f"{option('holdout', 'time')} needs the times of sequences: an event table, and {option('time')} for its "
            "time column"
        )
    starts = corpus.times.starts
    distinct, places = np.unique(starts, return_inverse=True)
    amounts = np.bincount(places, corpus.weights)
    later = amounts.sum() - np.cumsum(amounts) + amounts  # sequences that begin at each time or after it
    first = distinct[np.argmin(np.abs(later - share * amounts.sum()))] if len(distinct) else 0
    return _split(corpus, np.where(starts >= first, corpus.weights, 0))


def _split(corpus: Corpus, drawn: NDArray[np.int64]) -> SequenceSplit:
    """Return a corpus without what was drawn, and what was drawn."""
    split = SequenceSplit(corpus.reweighted(corpus.weights - drawn), corpus.reweighted(drawn))
    if not (split.training.n_steps and split.held_out.n_steps):
        raise CorpusError(f"{corpus.n_sequences} sequences are too few to hold some out and learn from the others")
    return split


def distinct_sequences(corpus: Corpus) -> NDArray[np.int64]:
    """Return a number for each sequence, from 0, that it shares with equal sequences only.

    >>> distinct_sequences(Corpus.from_sequences([list("ab"), list("b"), list("ab")])).tolist()
    [0, 1, 0]
    """
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(content, len(numbers)) for content in _contents(corpus)], np.int64)


def is_unseen_sequence(corpus: Corpus, known: Corpus) -> NDArray[np.bool_]:
    """Return which sequences of a corpus do not occur in another one with the same nodes.

    >>> both = Corpus.from_sequences([list("ab"), list("b"), list("ba"), list("ab")])
    >>> is_unseen_sequence(both.reweighted(np.array([1, 0, 1, 0])), both.reweighted(np.array([0, 1, 0, 1]))).tolist()
    [False, True]
    """
    contents = frozenset(_contents(known))
    return np.array([content not in contents for content in _contents(corpus)], np.bool_)


def _contents(corpus: Corpus) -> Iterator[bytes]:
    for start, stop in pairwise(corpus.offsets.tolist()):
        yield corpus.tokens[start:stop].tobytes()


@register_task
@dataclass(frozen=True, eq=False)
class NextStepPrediction(RegisteredTask):
    """Hold out sequences, learn from the others, and predict each step from all nodes before it in its sequence.

    The metrics are `log_loss` (bits per step), `perplexity` (2 to the power of it), `hit@k`, `mrr` (mean of 1 / rank)
    and `held_out_steps`; a step counts with the weight of its sequence. The first node and the end of a sequence are
    not predicted. A node that does not appear in training is still a node of the corpus: each model gives it the part
    of order 0 that is divided equally among all nodes.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    dataset : str, default="corpus"
        Name of the data set in tables.
    share : float, default=0.2
        Share of the sequences that are held out.
    ks : sequence of int, default=(1, 5, 10)
        The k of `hit@k`.
    name : str, default="next_step"
        Name of the task in tables.
    distinct : bool, default=False
        Whether equal sequences are held out together.
    holdout : {"random", "time"}, default="random"
        Which sequences are held out: random ones, or those that began last, which are the same for all seeds.

    Raises
    ------
    ParameterError
        If `holdout` is unknown, or is "time" and the sequences have no times or `distinct` is true.
    """

    command = "next-step"
    summary = "hold out 20 % of the sequences and predict each of their steps from those before it"
    judges = ("predictions",)
    main_metrics = ("log_loss",)
    higher_is_better = False
    shown_metrics = ("log_loss", "perplexity", "hit@", "mrr")
    default_methods = ("honem", "rules", "first-order", "kneser-ney")
    position = 50

    corpus: Corpus
    dataset: str = "corpus"
    share: float = 0.2
    ks: Sequence[int] = (1, 5, 10)
    name: str = "next_step"
    distinct: bool = False
    holdout: Holdout = "random"

    def __post_init__(self) -> None:
        require_one_of("holdout", self.holdout, get_args(Holdout))
        if self.holdout == "time":
            if self.distinct:
                raise ParameterError(
                    f"{option('distinct', True)} does not apply to {option('holdout', 'time')}, which holds out the "
                    "sequences that began last"
                )
            hold_out_latest(self.corpus, self.share)

    def split(self, seed: int) -> SequenceSplit:
        """Return the split of a seed, which is the same for every method."""
        if self.holdout == "time":
            return hold_out_latest(self.corpus, self.share)
        return hold_out_sequences(self.corpus, self.share, seed, distinct=self.distinct)

    def training_corpus(self, seed: int) -> Corpus:
        """Return the sequences that are not held out with that seed."""
        return self.split(seed).training

    def judge(self, fitted: Predictor, seed: int) -> Iterator[Measure]:
        """Yield log-loss, perplexity, hit@k and mean reciprocal rank."""
        held_out = self.split(seed).held_out
        scores, weights = fitted.score(held_out), step_weights(held_out)
        loss = -float(np.average(scores.log_probabilities, weights=weights))
        yield Measure("probability", "log_loss", loss)
        yield Measure("probability", "perplexity", 2.0**loss)
        for k in self.ks:
            yield Measure("probability", f"hit@{k}", float(np.average(scores.ranks <= k, weights=weights)))
        yield Measure("probability", "mrr", float(np.average(1.0 / scores.ranks, weights=weights)))
        yield Measure("probability", "held_out_steps", held_out.n_weighted_steps)


def step_weights(corpus: Corpus) -> NDArray[np.int64]:
    """Return how often each step of a corpus counts."""
    return np.repeat(corpus.weights, np.maximum(corpus.lengths - 1, 0))


def least_loss(learners: Mapping[str, Learner], corpus: Corpus, seed: int = 0, *, distinct: bool = False) -> str:
    """Return the name of the learner that best predicts a part held out of a training corpus.

    `distinct` should be that of the task by which the learner will be judged.
    """
    task = NextStepPrediction(corpus, distinct=distinct)
    training = task.training_corpus(seed)
    return min(learners, key=lambda name: next(task.judge(learners[name](training), seed)).value)
