"""Decay: paths that began long ago count less, and an exact test of what is left remains exact.

A path is removed with a probability that grows with its age: of all paths that began one half-life before the latest
one, half are left. The chance of a path is fixed when it arrives, by the time at which it began, so that a path that is
gone does not come back, and the same paths are left however they arrive in batches. Counts are those of the paths that
are left: whole numbers, which add up.

Fractions of paths would be smoother, but no observations. A test would have to take 1,000 paths of weight 0.01 for
something, and if whole numbers proportional to the weights are counted, as in forward decay (Cormode et al. 2009), for
far more observations than there are. Chance would then look like evidence. A random subset that does not depend on the
nodes of paths is itself a sample of paths; what is exact for paths is exact for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.errors import CorpusError
from honem.forgetting import times_of
from honem.io.paths.durations import parse_duration
from honem.sequence_times import SequenceTimes

LARGE_WEIGHT = 10**6
"""From here on, the number of copies that are left is drawn from a normal distribution."""
NANOSECONDS = 10**9


def decayed(corpus: Corpus, half_life: str | float, seed: int = 0) -> Corpus:
    """Return the paths that are left after decay; the vocabulary stays as it is.

    Parameters
    ----------
    corpus : Corpus
        The paths, with times.
    half_life : str or float
        The age at which half of the paths are left: "30d", "12h", or a number in the unit of the times. The age of a
        path is the time from its beginning to that of the latest path.
    seed : int, default=0
        Which paths are left: another seed leaves others.

    Returns
    -------
    Corpus
        A path that counts w times counts as often as w copies of it that decay independently.

    Raises
    ------
    CorpusError
        If times are not known, or no step is left.

    Examples
    --------
    >>> corpus = Corpus.from_sequences([["a", "b"]] * 4000).with_times([0] * 1000 + [10] * 1000 + [20] * 2000)
    >>> decayed(corpus, 10)
    Corpus(2773 sequences, 5546 tokens, 2 nodes, 2773 weighted steps)
    """
    if not corpus.n_sequences:
        return corpus
    left = copies_left(corpus.weights, shares_left(times_of(corpus), half_life), chances(times_of(corpus), seed))
    found = corpus.reweighted(left)
    if corpus.n_steps and not found.n_steps:
        raise CorpusError(f"no step is left with a half-life of {half_life}; use a longer one")
    return found


def shares_left(times: SequenceTimes, half_life: str | float) -> NDArray[np.float64]:
    """Return the share of paths of each age that is left: a power of 2."""
    length = parse_duration("half_life", half_life)
    if isinstance(half_life, str) and times.ticks is None:
        raise CorpusError("times of the sequences are numbers of an unknown unit; give the half-life as a number, too")
    ages = times.starts.max() - times.starts
    if times.starts.dtype == np.int64:  # as unsigned numbers, differences of 64-bit integers cannot wrap around
        ages = times.starts.max().astype(np.uint64) - times.starts.astype(np.uint64)
    shares: NDArray[np.float64] = np.exp2(-(ages.astype(np.float64) / float(length * (times.ticks or 1))))
    return shares


def chances(times: SequenceTimes, seed: int) -> NDArray[np.float64]:
    """Return a number between 0 and 1 for each path, from its start and its place among those with the same start.

    It depends on nothing else, so neither later paths nor those that a window has dropped change it.
    """
    order = np.argsort(times.starts, kind="stable")
    starts = times.starts[order]
    is_first = np.concatenate(([True], starts[1:] != starts[:-1]))
    places = np.arange(len(starts)) - np.maximum.accumulate(np.where(is_first, np.arange(len(starts)), 0))
    ranks = np.empty(len(starts), np.uint64)
    ranks[order] = places
    state = _mixed(np.full(len(starts), seed % 2**64, np.uint64))
    for values in (*_as_keys(times), ranks):
        state = _mixed(state ^ values)
    chance: NDArray[np.float64] = ((state >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return chance


def _as_keys(times: SequenceTimes) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return two numbers that are the same for the same time in any unit and type."""
    if times.ticks is not None:
        seconds, rest = np.divmod(times.starts, times.ticks)
        return seconds.view(np.uint64), (rest * (NANOSECONDS // times.ticks)).view(np.uint64)
    rounded = times.starts.astype(np.float64) + 0.0  # without the sign of -0.0
    rest = np.zeros(len(rounded), np.int64)
    if times.starts.dtype == np.int64:  # above 2^53
        rest = times.starts - rounded.astype(np.int64)
    return rounded.view(np.uint64), rest.view(np.uint64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers in which every bit depends on every bit of the given ones (SplitMix64)."""
    with np.errstate(over="ignore"):
        values = values + np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return values ^ (values >> np.uint64(31))


def copies_left(
    weights: NDArray[np.int64], shares: NDArray[np.float64], chance: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return how many copies of each path are left: the quantile, at its chance, of the binomial distribution.

    It falls with the share, so copies that are gone do not come back.
    """
    from scipy.special import ndtri
    from scipy.stats import binom

    left = np.where(chance > 1.0 - shares, weights, 0)
    some = np.flatnonzero((weights > 1) & (shares < 1.0))
    small = some[weights[some] < LARGE_WEIGHT]
    left[small] = np.asarray(binom.ppf(chance[small], weights[small], shares[small]), np.int64)
    large = some[weights[some] >= LARGE_WEIGHT]
    expected = weights[large] * shares[large]
    spread = np.sqrt(expected * (1.0 - shares[large]))
    drawn = np.maximum(np.rint(expected + spread * ndtri(chance[large])), 0.0)
    left[large] = np.minimum(drawn.astype(np.int64), weights[large])
    return left
