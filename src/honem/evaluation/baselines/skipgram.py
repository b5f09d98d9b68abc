"""Skip-gram over sequences of nodes with gensim's Word2Vec; the only module that imports gensim."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from honem.errors import MissingDependencyError
from honem.evaluation.baselines.base import Sides


def skip_gram(
    sentences: Iterable[list[int]],
    n_nodes: int,
    *,
    n_components: int,
    window: int,
    negative: int,
    epochs: int,
    seed: int,
    contexts: bool,
) -> Sides:
    """Return vectors of the nodes 0 .. n_nodes - 1; those of nodes in no sentence are 0.

    `sentences` is iterated over several times. One worker makes it reproducible.
    """
    model = _word2vec()(
        sentences=sentences,
        vector_size=n_components,
        window=window,
        sg=1,
        hs=int(not negative),
        negative=negative,
        sample=0,
        min_count=1,
        epochs=epochs,
        seed=seed,
        workers=1,
    )
    sides = (model.wv.vectors, model.syn1neg) if contexts else (model.wv.vectors,)
    source, target = np.zeros((2, n_nodes, n_components), np.float32)
    for side, vectors in zip((source, target), sides, strict=False):
        side[model.wv.index_to_key] = vectors
    return Sides(source, target if contexts else None)


def _word2vec() -> Any:
    try:
        return import_module("gensim.models").Word2Vec
    except ImportError:
        raise MissingDependencyError(
            "DeepWalk, Node2Vec and Item2Vec need gensim: pip install 'honem[baselines]'"
        ) from None
