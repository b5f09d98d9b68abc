"""Skip-gram over walks with gensim's Word2Vec; the only module that imports gensim."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.errors import MissingDependencyError
from honem.evaluation.baselines.base import Sides


def skip_gram(
    walks: NDArray[np.int32],
    n_nodes: int,
    *,
    n_components: int,
    window: int,
    negative: int,
    epochs: int,
    seed: int,
    contexts: bool,
) -> Sides:
    """Return vectors of the nodes 0 .. n_nodes - 1, all of which are in the walks; one worker makes it reproducible."""
    model = _word2vec()(
        sentences=[row[row >= 0].tolist() for row in walks],
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
    rows = [model.wv.key_to_index[node] for node in range(n_nodes)]
    return Sides(model.wv.vectors[rows], model.syn1neg[rows] if contexts else None)


def _word2vec() -> Any:
    try:
        return import_module("gensim.models").Word2Vec
    except ImportError:
        raise MissingDependencyError("DeepWalk and Node2Vec need gensim: pip install 'honem[baselines]'") from None
