"""From batches of labelled sequences to a Corpus, in the memory of its tokens, its names and one batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Corpus, Vocabulary, number_by_appearance
from honem.errors import CorpusError
from honem.io.paths.cleaning import Batch, clean
from honem.io.paths.options import Cleaning, Limits
from honem.io.paths.times import parse_duration

SMALLEST_BLOCK, BLOCK = 2**16, 2**24


Number = TypeVar("Number", bound=np.generic)


class Growing(Generic[Number]):
    """A row of numbers that grows by blocks and is joined at the end, block by block, so that it never stands twice.

    Large blocks are more than what the C library keeps for itself when freed, so joining gives memory back as it goes.
    """

    def __init__(self, dtype: type[Number]) -> None:
        self.dtype = dtype
        self.blocks: list[NDArray[Number]] = []
        self.free = self.size = 0

    def extend(self, values: NDArray[Any]) -> None:
        """Put these numbers at the end."""
        while len(values):
            if not self.free:
                # As much again as there is, within bounds: a small corpus takes little, a large one wastes little.
                self.free = min(max(self.size, SMALLEST_BLOCK), BLOCK)
                self.blocks.append(np.empty(self.free, self.dtype))
            part, values = values[: self.free], values[self.free :]
            start = len(self.blocks[-1]) - self.free
            self.blocks[-1][start : start + len(part)] = part
            self.free -= len(part)
            self.size += len(part)

    def __len__(self) -> int:
        return self.size

    def join(self) -> NDArray[Number]:
        """All numbers in one array; there are none left here afterwards."""
        joined = np.empty(self.size, self.dtype)
        while self.blocks:
            block = self.blocks.pop()
            used = len(block) - self.free
            joined[self.size - used : self.size] = block[:used]
            self.size, self.free = self.size - used, 0
        return joined


@dataclass(frozen=True, eq=False)
class Labelled:
    """A batch whose tokens are places in a list of labels, as a reader hands it over; `place` is for messages."""

    labels: Sequence[Hashable]
    batch: Batch
    place: str


class CorpusBuilder:
    """Numbers the labels as they first appear, cleans each batch, and keeps what is left."""

    def __init__(self, cleaning: Cleaning, limits: Limits) -> None:
        if cleaning.max_gap is not None:
            parse_duration(cleaning.max_gap)
        self.cleaning, self.limits = cleaning, limits
        self.counts: Counter[str] = Counter()
        self.numbers: defaultdict[Hashable, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self.lowered: set[str] = set()
        self.tokens, self.lengths, self.weights = Growing(np.int32), Growing(np.int32), Growing(np.int64)
        self.is_weighted = False

    def add(self, given: Labelled) -> None:
        """Take one batch in."""
        self.counts.update(sequences_read=len(given.batch.lengths), tokens_read=len(given.batch.tokens))
        numbers = self._number(given)
        batch = replace(given.batch, tokens=numbers[given.batch.tokens])
        batch, counts = clean(batch, self.cleaning, self._back_number())
        self.counts.update(counts)
        self.tokens.extend(batch.tokens)
        self.is_weighted |= batch.weights is not None
        # One weight a sequence from the first weighted batch on; those before weigh 1.
        if self.is_weighted:
            self.weights.extend(np.ones(len(self.lengths) - len(self.weights), np.int64))
            self.weights.extend(np.ones(len(batch.lengths), np.int64) if batch.weights is None else batch.weights)
        self.lengths.extend(batch.lengths)

    def _number(self, given: Labelled) -> NDArray[np.int32]:
        labels = given.labels
        if self.cleaning.lowercase:
            labels = [self._lower(label) for label in labels]
        numbers = np.fromiter(map(self.numbers.__getitem__, labels), np.int32, len(labels))
        if len(self.numbers) > self.limits.max_nodes:
            raise CorpusError(
                f"{given.place} and after: more than max_nodes = {self.limits.max_nodes} distinct nodes so far; "
                "is the delimiter right? Raise max_nodes if they fit into memory"
            )
        return numbers

    def _lower(self, label: Hashable) -> Hashable:
        if not isinstance(label, str) or (lower := label.lower()) == label:
            return label
        self.lowered.add(label)
        return lower

    def _back_number(self) -> int | None:
        token = self.cleaning.back_token
        return None if token is None else self.numbers.get(token.lower() if self.cleaning.lowercase else token)

    def finish(self) -> tuple[Corpus, Counter[str]]:
        """The corpus, and what was counted; nodes that are in no sequence any more are no nodes of it."""
        offsets = offsets_of(self.lengths.join())
        weights = self.weights.join() if self.is_weighted else np.ones(len(offsets) - 1, np.int64)
        tokens = self.tokens.join()
        labels = tuple(self.numbers)
        if self.cleaning.can_remove_nodes:
            labels = number_by_appearance(tokens, labels)
        corpus = Corpus(Vocabulary(labels), tokens, offsets, weights)
        self.counts.update(
            names_lowercased=len(self.lowered),
            empty_sequences=int(np.count_nonzero(corpus.lengths == 0)),
            sequences=corpus.n_sequences,
            tokens=len(tokens),
            nodes=corpus.n_nodes,
        )
        return corpus, self.counts
