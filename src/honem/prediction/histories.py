"""Histories as numbers of nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Vocabulary


class EncodedHistories(NamedTuple):
    """Histories as numbers: the known nodes after the last unknown one."""

    nodes: NDArray[np.int32]
    ends: NDArray[np.int64]
    lengths: NDArray[np.int64]
    begins: NDArray[np.bool_]
    are_open: NDArray[np.bool_]
    """Whether it is not known what came before the history."""

    @classmethod
    def of(
        cls, histories: Sequence[tuple[Hashable, ...]], vocabulary: Vocabulary, longest: int, from_start: bool
    ) -> EncodedHistories:
        """Encode histories; only the last `longest` nodes of each are used.

        Parameters
        ----------
        histories : sequence of tuple of hashable
            The histories, oldest node first.
        vocabulary : Vocabulary
            The nodes that are known.
        longest : int
            Order of the longest contexts.
        from_start : bool
            Whether histories begin at the start of a sequence.

        Returns
        -------
        EncodedHistories
        """
        used = [history[-longest:] for history in histories]
        nodes = np.array([vocabulary.ids.get(node, -1) for history in used for node in history], np.int32)
        offsets = offsets_of(np.array([len(history) for history in used], np.int64))
        # The place after the last unknown node of each history, or where the history begins.
        unknown = np.maximum.accumulate(np.append(0, np.where(nodes < 0, np.arange(len(nodes)) + 1, 0)))
        firsts = np.maximum(offsets[:-1], unknown[offsets[1:]])
        whole = np.array([len(history) for history in histories], np.int64) == offsets[1:] - firsts
        return cls(nodes, offsets[1:], offsets[1:] - firsts, whole & from_start, whole & (not from_start))

    def last_nodes(self) -> NDArray[np.int64]:
        """Return the last node of each history, or -1."""
        last = np.full(len(self.ends), -1, np.int64)
        last[self.lengths > 0] = self.nodes[self.ends[self.lengths > 0] - 1]
        return last


def is_many_histories(history: Any) -> bool:
    """Return whether something is a list of histories: each is a list, which no node can be."""
    return isinstance(history, (list, tuple)) and len(history) > 0 and all(isinstance(each, list) for each in history)
