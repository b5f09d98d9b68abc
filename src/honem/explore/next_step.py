"""The next-step model in a page: the counts of contexts without extensions, from which all others follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.explore.packing import narrow, pack
from honem.io.next_step_tensors import SCALARS
from honem.prediction import NextStep

VECTOR_STEPS = 2**20
"""Vectors are in steps of their largest absolute value / this, which changes probabilities by less than 1e-6."""
MOST_EXACT = 2**32
"""Whole numbers below this are packed as they are, larger ones as floating-point numbers."""


def next_step_part(model: NextStep | None, most_bytes: int | None = None) -> bytes:
    """Pack a next-step model; if there is none, or its arrays have more than `most_bytes`, pack only that fact."""
    if model is None:
        return pack({"is_stored": False}, {})
    arrays = next_step_arrays(model)
    n_bytes = sum(array.nbytes for array in arrays.values())
    if most_bytes is not None and n_bytes > most_bytes:
        return pack({"is_stored": True, "left_out": n_bytes}, {})
    scalars = {name: float(getattr(model.smoothing, name)) for name in SCALARS}
    vectors = {} if model.vectors is None else model.vectors._asdict()
    steps = {f"{name}_step": _step(values) for name, values in vectors.items()}
    return pack({"is_stored": True, "n_contexts": model.trie.n_contexts, **scalars, **steps}, arrays)


def next_step_arrays(model: NextStep) -> dict[str, NDArray[Any]]:
    """Return the arrays from which a page restores a model.

    Every occurrence of a context that has extensions is an occurrence of one of them. So the counts of a context are
    the sums of those of its extensions, and only contexts without extensions need theirs. Vectors are in whole steps,
    which take two thirds of the bytes of floating-point numbers.
    """
    trie, smoothing = model.trie, model.smoothing
    is_leaf_row = (trie.n_children == 0)[trie.context_of_row]
    counts = {
        "symbols": trie.symbols[1:],
        "n_children": trie.n_children,
        "n_rows": np.diff(trie.row_offsets)[trie.n_children == 0],
        "targets": trie.targets[is_leaf_row],
        "counts": trie.counts[is_leaf_row],
    }
    arrays = {name: _whole(values) for name, values in counts.items()}
    arrays |= {name: getattr(smoothing, name).astype("<f8").reshape(-1) for name in ("discounts", "strengths")}
    if model.vectors is not None:
        arrays |= {name: _in_steps(values) for name, values in model.vectors._asdict().items()}
    return arrays


def _step(values: NDArray[Any]) -> float:
    return float(np.abs(values).max(initial=0.0)) / VECTOR_STEPS or 1.0


def _in_steps(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in steps above the lowest that is possible; their high bytes are few and compress well."""
    return (np.rint(values / _step(values)) + VECTOR_STEPS).astype("<u4").reshape(-1)


def _whole(values: NDArray[Any]) -> NDArray[Any]:
    return narrow(values) if values.max(initial=0) < MOST_EXACT else values.astype("<f8")
