"""Suppression of what few entities did: after it, every piece of a path was taken by at least so many entities.

A run of consecutive nodes is common if at least `least` entities have it in a sequence. Sequences are cut so that every
remaining run, of whatever length, is common, and runs are counted again, until nothing changes: a cut takes occurrences
of longer runs away, which may then be rare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of


@dataclass(frozen=True, eq=False)
class Pieces:
    """Sequences, the entity that each belongs to, and how many entities each of those stands for."""

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    entities: NDArray[np.int32]
    copies: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Suppressed:
    """Distinct sequences in an order that depends on nothing but themselves, with the number of times each was left.

    `nodes` are the old numbers of the nodes that are left, most frequent first; `n_cuts` is the number of steps that
    were cut, `n_tokens_left_out` that of visits to nodes that were left out.
    """

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    weights: NDArray[np.int64]
    nodes: NDArray[np.int64]
    n_cuts: int
    n_tokens_left_out: int


def suppress(pieces: Pieces, weights: NDArray[np.int64], least: int) -> Suppressed:
    """Cut sequences until every run of nodes in them is one of at least `least` entities.

    Parameters
    ----------
    pieces : Pieces
        The sequences.
    weights : array of int
        The number of times each sequence was observed.
    least : int
        The least number of entities.

    Returns
    -------
    Suppressed
    """
    sequence = np.repeat(np.arange(len(pieces.lengths)), pieces.lengths)
    entity, copies = pieces.entities[sequence], pieces.copies[sequence]
    # A run may cover positions that are joined to those before; the first of a sequence never is.
    is_joined = np.ones(len(sequence), bool)
    is_joined[(np.cumsum(pieces.lengths) - pieces.lengths)[pieces.lengths > 0]] = False
    n_steps = int(np.count_nonzero(is_joined))
    while True:
        reach = _longest_common(pieces.tokens, is_joined, entity, copies, least)
        still = _cut(reach, is_joined)
        if (still == is_joined).all():
            break
        is_joined = still
    kept = reach > 0
    tokens, nodes = _by_frequency(pieces.tokens[kept], weights[sequence[kept]])
    starts = np.flatnonzero(~is_joined[kept])
    lengths = np.diff(starts, append=len(tokens))
    tokens, lengths, weights = _distinct(tokens, lengths, weights[sequence[kept]][starts])
    n_cuts = n_steps - int(np.count_nonzero(is_joined))
    return Suppressed(tokens, lengths, weights, nodes, n_cuts, int(np.count_nonzero(~kept)))


def _longest_common(
    tokens: NDArray[np.int32],
    is_joined: NDArray[np.bool_],
    entity: NDArray[np.int32],
    copies: NDArray[np.int64],
    least: int,
) -> NDArray[np.int32]:
    """Return the length of the longest common run that ends at each position, 0 if not even its node is common.

    A run can be common only if the run without its newest node and the one without its oldest node are.
    """
    reach = np.zeros(len(tokens), np.int32)
    runs = np.full(len(tokens), -1, np.int64)  # a number for the run of the current length that ends here, if common
    ends = np.arange(len(tokens))
    keys = tokens.astype(np.int64)
    length = 0
    while len(ends):
        length += 1
        numbers, is_common = _common(keys, entity[ends], copies[ends], least)
        runs[:] = -1
        ends = ends[is_common]
        runs[ends] = numbers[is_common]
        reach[ends] = length
        ends = ends[is_joined[ends]]
        ends = ends[runs[ends - 1] >= 0]
        keys = runs[ends - 1] * (int(runs.max(initial=0)) + 1) + runs[ends]
    return reach


def _common(
    keys: NDArray[np.int64], entity: NDArray[np.int32], copies: NDArray[np.int64], least: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return numbers of the distinct keys, and which keys enough entities have."""
    distinct, numbers = np.unique(keys, return_inverse=True)
    order = np.lexsort((entity, numbers))
    by_key, by_entity = numbers[order], entity[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (by_key[1:] != by_key[:-1]) | (by_entity[1:] != by_entity[:-1])
    # Floats: the copies of many sequences may add up to more than 64 bits, and only their size matters.
    n_entities = np.bincount(by_key[is_first], copies[order][is_first].astype(np.float64), len(distinct))
    return numbers, n_entities[numbers] >= least


def _cut(reach: NDArray[np.int32], is_joined: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cut as rarely as possible: where the piece so far, with the next node, would be too long to be common."""
    still = is_joined.copy()
    length = 0
    for place, (longest, joined) in enumerate(zip(reach.tolist(), is_joined.tolist(), strict=True)):
        length = length + 1 if joined and length else 1
        if length > longest or (joined and not reach[place - 1]):
            still[place] = False
            length = min(longest, 1)
    return still


def _by_frequency(tokens: NDArray[np.int32], weights: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return nodes numbered by how often they occur, so that their order tells nothing about single sequences."""
    nodes, numbers = np.unique(tokens, return_inverse=True)
    order = np.argsort(-np.bincount(numbers, weights.astype(np.float64), len(nodes)), kind="stable")
    ranks = np.empty(len(nodes), np.int32)
    ranks[order] = np.arange(len(nodes), dtype=np.int32)
    return ranks[numbers], nodes[order].astype(np.int64)


def _distinct(
    tokens: NDArray[np.int32], lengths: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return each sequence once, sorted, with the sum of its weights: pieces of one entity are then not linked."""
    starts = offsets_of(lengths)[:-1]
    found, sums = [np.zeros((0, 0), np.int32)], [np.zeros(0, np.int64)]
    for length in np.unique(lengths).tolist():
        chosen = np.flatnonzero(lengths == length)
        rows = tokens[gather_ranges(starts[chosen], lengths[chosen])].reshape(-1, length)
        distinct, numbers = np.unique(rows, axis=0, return_inverse=True)
        total = np.zeros(len(distinct), np.int64)
        np.add.at(total, numbers.ravel(), weights[chosen])  # NumPy 2.0 returns a column
        found.append(distinct)
        sums.append(total)
    return (
        np.concatenate([rows.ravel() for rows in found]),
        np.concatenate([np.full(len(rows), rows.shape[1], np.int64) for rows in found]),
        np.concatenate(sums),
    )
