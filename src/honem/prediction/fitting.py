"""Fit a NextStep: hold sequences out, estimate parameters from them, and count all sequences."""

from __future__ import annotations

from typing import NamedTuple

from honem.corpus import Corpus
from honem.prediction.base import Embed, StepVectors
from honem.prediction.base_tuning import BaseTuning
from honem.prediction.growing import TrieGrowth
from honem.prediction.smoothing import Smoothing
from honem.prediction.splitting import hold_out_copies
from honem.prediction.trie import ContextTrie
from honem.prediction.tuning import HeldOutRows, tune_smoothing

LARGEST_SHARE, MOST_HELD_OUT = 0.2, 1 << 15
"""Share of the steps that is held out to estimate parameters, and the number of steps that are enough."""


class FittedBlend(NamedTuple):
    """The counts of all contexts, how to blend them, and the vectors if they are used."""

    trie: ContextTrie
    smoothing: Smoothing
    vectors: StepVectors | None


def fit_blend(
    corpus: Corpus, max_order: int | None, embed: Embed | None, vectors: StepVectors | None, n_jobs: int | None
) -> FittedBlend:
    """Count all contexts of a corpus and estimate how to blend them; see `NextStep.fit` for the parameters."""
    share = MOST_HELD_OUT / corpus.n_weighted_steps
    held = hold_out_copies(corpus, min(LARGEST_SHARE, share))
    growth, longest = TrieGrowth(corpus, held, n_jobs), int(corpus.lengths.max())
    smoothing = tune_smoothing(growth, longest if max_order is None else min(max_order, longest))
    grown = growth.reaching(smoothing.depth)
    others = corpus.reweighted(corpus.weights - held)
    if embed is not None and others.n_steps:
        tuning = BaseTuning.of(HeldOutRows.of(grown, smoothing.depth), smoothing)
        # With few steps, learning vectors again takes little time, and what may be gained is hard to tell.
        if tuning.has_steps and (share > LARGEST_SHARE or vectors is None or tuning.may_gain(vectors)):
            smoothing = tuning.tuned(embed(others))
    if not smoothing.base_share:
        vectors = None
    elif vectors is None and embed is not None:
        vectors = embed(corpus)
    return FittedBlend(grown.trie.up_to(smoothing.depth), smoothing, vectors)
