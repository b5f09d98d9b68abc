"""A model of the next step as arrays with names, in which it is stored.

Integers take as few bytes as the largest of them needs. Vectors are not among them: the store has them already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Vocabulary
from honem.prediction import NextStep
from honem.prediction.smoothing import N_CLASSES, Smoothing
from honem.prediction.trie import ContextTrie

Whole = TypeVar("Whole", np.int32, np.int64)

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
        If an array is missing, or of another type or number of axes. Whether arrays fit each other is checked in
        `next_step_checks`.
    """
    trie = ContextTrie(
        n_nodes=len(vocabulary),
        symbols=np.append(np.int32(-1), _whole(tensors, "symbols", np.int32)),
        n_children=_whole(tensors, "n_children", np.int32),
        row_offsets=offsets_of(_whole(tensors, "n_rows", np.int64)),
        targets=_whole(tensors, "targets", np.int32),
        counts=_whole(tensors, "counts", np.int64),
    )
    discounts, strengths = _numbers(tensors, "discounts", 2), _numbers(tensors, "strengths", 1)
    values = dict(zip(SCALARS, _numbers(tensors, "scalars", 1).tolist(), strict=True))
    smoothing = Smoothing(depth=len(strengths) // N_CLASSES - 1, discounts=discounts, strengths=strengths, **values)
    return NextStep(vocabulary, trie, smoothing, _whole(tensors, "first_counts", np.int64))


def _whole(tensors: Mapping[str, NDArray[Any]], name: str, kind: type[Whole]) -> NDArray[Whole]:
    """Return an array of whole numbers of at least 0 in another type; raise ValueError if it is none, or too large."""
    values = tensors[name]
    if values.ndim != 1 or values.dtype.kind != "u" or values.max(initial=0) > np.iinfo(kind).max:
        raise ValueError(f"{name} are not whole numbers that fit into {np.dtype(kind)}")
    return values.astype(kind)


def _numbers(tensors: Mapping[str, NDArray[Any]], name: str, n_axes: int) -> NDArray[np.float64]:
    """Return an array of numbers of 64 bits; raise ValueError if it is none."""
    values = tensors[name]
    if values.ndim != n_axes or values.dtype != np.float64:
        raise ValueError(f"{name} are an array of {values.dtype} and shape {values.shape}")
    return values
