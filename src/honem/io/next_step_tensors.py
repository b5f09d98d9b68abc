"""A model of the next step as arrays with names, in which it is stored.

Integers take as few bytes as the largest of them needs. Vectors are not among them: the store has them already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Vocabulary
from honem.prediction import NextStep
from honem.prediction.smoothing import N_CLASSES, Smoothing
from honem.prediction.trie import ContextTrie

SCALARS = ("alpha", "base_share", "popularity", "affinity")


def next_step_tensors(model: NextStep) -> dict[str, NDArray[Any]]:
    """Return the arrays that `next_step_of` restores a model from."""
    trie, smoothing = model.trie, model.smoothing
    whole = {
        "symbols": trie.symbols[1:],
        "n_children": trie.n_children,
        "n_rows": np.diff(trie.row_offsets),
        "targets": trie.targets,
        "counts": trie.counts,
        "first_counts": model.first_counts,
    }
    return {
        **{name: values.astype(np.min_scalar_type(values.max(initial=0))) for name, values in whole.items()},
        "discounts": np.ascontiguousarray(smoothing.discounts),
        "strengths": np.ascontiguousarray(smoothing.strengths),
        "scalars": np.array([getattr(smoothing, name) for name in SCALARS]),
    }


def next_step_of(tensors: Mapping[str, NDArray[Any]], vocabulary: Vocabulary) -> NextStep:
    """Return the model of arrays, without vectors.

    Raises
    ------
    KeyError, ValueError
        If an array is missing, or arrays do not fit each other or the nodes.
    """
    trie = ContextTrie(
        n_nodes=len(vocabulary),
        symbols=np.append(-1, tensors["symbols"]).astype(np.int32),
        n_children=tensors["n_children"].astype(np.int32),
        row_offsets=offsets_of(tensors["n_rows"].astype(np.int64)),
        targets=tensors["targets"].astype(np.int32),
        counts=tensors["counts"].astype(np.int64),
    )
    discounts, strengths = tensors["discounts"], tensors["strengths"]
    _check_trie(trie)
    if discounts.shape != (len(strengths), 3) or len(strengths) < (trie.depth + 1) * N_CLASSES:
        raise ValueError(f"{discounts.shape} discounts and {len(strengths)} strengths for order {trie.depth}")
    if len(tensors["first_counts"]) != len(vocabulary):
        raise ValueError(f"{len(tensors['first_counts'])} counts of first nodes")
    values = dict(zip(SCALARS, tensors["scalars"].tolist(), strict=True))
    smoothing = Smoothing(depth=len(strengths) // N_CLASSES - 1, discounts=discounts, strengths=strengths, **values)
    return NextStep(vocabulary, trie, smoothing, tensors["first_counts"].astype(np.int64))


def _check_trie(trie: ContextTrie) -> None:
    """Raise ValueError unless the arrays of a trie fit each other; the kernels do not check bounds."""
    n_contexts = len(trie.symbols)
    if not (len(trie.n_children) == len(trie.row_offsets) - 1 == n_contexts == trie.n_children.sum() + 1):
        raise ValueError("the numbers of contexts differ")
    if (trie.child_offsets[1:] <= np.arange(n_contexts)).any():
        raise ValueError("a context comes before the one that it extends")
    if not (len(trie.targets) == len(trie.counts) == trie.row_offsets[-1]):
        raise ValueError("the numbers of rows differ")
    if trie.targets.max(initial=0) >= trie.n_nodes or trie.symbols.max(initial=0) > trie.n_nodes:
        raise ValueError("a node is not in the vocabulary")
