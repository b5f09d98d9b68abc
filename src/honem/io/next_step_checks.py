"""What a stored next-step model must be like.

The kernels of prediction do not check bounds, and follow contexts from child to parent. So a model is used only if its
contexts are a tree, its rows are sorted and in range, and its parameters give probabilities. Every check raises
ParameterError and says what is wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honem.corpus import MAX_COUNT
from honem.errors import ParameterError
from honem.prediction import NextStep
from honem.prediction.smoothing import N_CLASSES, WHOLE, Smoothing
from honem.prediction.trie import ContextTrie

LARGEST_LOGIT = 1e300


def check_next_step(model: NextStep) -> None:
    """Check that a model can be used, and that it gives probabilities."""
    trie = model.trie
    _check_contexts(trie)
    _check_rows(trie)
    _check_counts(trie)
    _check_smoothing(model.smoothing, trie.depth)
    first = model.first_counts
    if len(first) != trie.n_nodes or first.min(initial=0) < 0 or not 0 < first.sum(dtype=np.float64) < MAX_COUNT:
        raise ParameterError(f"the counts of first nodes are not those of {trie.n_nodes} nodes")


def check_scores(model: NextStep) -> None:
    """Check that the scores from vectors in the base of a model are finite."""
    if model.vectors is None:
        return
    lengths = [float(np.sqrt(np.einsum("ij,ij->i", each, each).max(initial=0))) for each in model.vectors]
    if not max(1.0, model.smoothing.affinity) * lengths[0] * lengths[1] < LARGEST_LOGIT:
        raise ParameterError("the vectors are too large for the next-step model")


def _check_contexts(trie: ContextTrie) -> None:
    """Check that contexts are a tree, in which a context comes after the one that it extends."""
    n_contexts, children = len(trie.symbols), trie.n_children
    if not len(children) == len(trie.row_offsets) - 1 == n_contexts == children.sum(dtype=np.int64) + 1:
        raise ParameterError("the numbers of contexts and of their extensions differ")
    if children.min() < 0 or (trie.child_offsets[:-1] <= np.arange(n_contexts)).any():
        raise ParameterError("a context comes before the one that it extends")
    symbols = trie.symbols[1:]
    if symbols.min(initial=0) < 0 or symbols.max(initial=0) > trie.n_nodes:
        raise ParameterError(f"a context names a node that is not one of the {trie.n_nodes}")
    if children[trie.symbols == trie.n_nodes].any():
        raise ParameterError("a context goes back before the start of a sequence")
    if not _ascends_within(trie.parents[1:], symbols):
        raise ParameterError("the extensions of a context are not sorted, or one is there twice")


def _check_rows(trie: ContextTrie) -> None:
    """Check that every context has targets, and that these are sorted and in range."""
    offsets, targets = trie.row_offsets, trie.targets
    if offsets.min() < 0 or (np.diff(offsets) < 1).any():
        raise ParameterError("a context has no targets")
    if not len(targets) == len(trie.counts) == offsets[-1]:
        raise ParameterError("the numbers of targets and counts differ")
    if targets.min() < 0 or targets.max() >= trie.n_nodes:
        raise ParameterError(f"a target is not one of the {trie.n_nodes} nodes")
    if not _ascends_within(trie.context_of_row, targets):
        raise ParameterError("the targets of a context are not sorted, or one is there twice")


def _check_counts(trie: ContextTrie) -> None:
    """Check that a target was counted after a context as often as after all its extensions, if it has any.

    Pages rely on it: they hold only the counts of contexts without extensions.
    """
    if trie.counts.min() < 1 or trie.counts[: trie.row_offsets[1]].sum(dtype=np.float64) >= MAX_COUNT:
        raise ParameterError("a count is less than 1, or counts add up to more than 64 bits can hold")
    extended = slice(trie.row_offsets[1], None)
    rows = trie.context_of_row.astype(np.int64) * trie.n_nodes + trie.targets  # ascending
    wanted = trie.parents[trie.context_of_row[extended]].astype(np.int64) * trie.n_nodes + trie.targets[extended]
    places = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    # As floats: sums of counts that are too large would wrap around.
    longer = np.bincount(places, trie.counts[extended].astype(np.float64), minlength=len(rows))
    is_extended = (trie.n_children > 0)[trie.context_of_row]
    if (rows[places] != wanted).any() or not np.allclose(longer[is_extended], trie.counts[is_extended], 1e-9, 0):
        raise ParameterError("a target was counted after a context more or less often than after all its extensions")


def _check_smoothing(smoothing: Smoothing, depth: int) -> None:
    """Check that counts of contexts up to a depth become probabilities."""
    discounts, strengths = smoothing.discounts, smoothing.strengths
    if discounts.shape != (len(strengths), 3) or len(strengths) < (depth + 1) * N_CLASSES:
        raise ParameterError(f"{discounts.shape} discounts and {len(strengths)} strengths for order {depth}")
    if not ((discounts >= 0) & (discounts <= WHOLE)).all():
        raise ParameterError("a discount is not between 0 and the count that it is subtracted from")
    if not ((strengths > 0) & (strengths < MAX_COUNT)).all():
        raise ParameterError("a strength is not a positive number")
    if not (0 <= smoothing.alpha <= 1 and 0 <= smoothing.base_share <= 1):
        raise ParameterError("alpha or the share of vectors is not between 0 and 1")
    if not (0 <= smoothing.popularity < MAX_COUNT and 0 <= smoothing.affinity < np.inf):
        raise ParameterError("a factor of popularity or of vectors is negative or too large")


def _ascends_within(groups: NDArray[np.int32], values: NDArray[np.int32]) -> bool:
    """Return whether values ascend within each group; groups are consecutive."""
    return bool(((np.diff(values) > 0) | (np.diff(groups) > 0)).all())
