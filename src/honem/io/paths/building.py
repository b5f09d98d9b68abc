"""Build a Corpus from batches of labelled sequences, in the memory of its tokens, its names and one batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.ragged import offsets_of
from honem.corpus import Corpus, Vocabulary, number_by_appearance
from honem.errors import CorpusError
from honem.io.paths.cleaning import Batch, clean
from honem.io.paths.options import Cleaning, Limits
from honem.io.paths.suppression import Pieces, suppress
from honem.sequence_times import SequenceTimes

SMALLEST_BLOCK, BLOCK = 2**16, 2**24


Number = TypeVar("Number", bound=np.generic)


class GrowingArray(Generic[Number]):
    """An array that grows by blocks and is joined at the end, block by block, so that it is never in memory twice.

    Blocks are large enough for the C library to return their memory to the system as soon as they are freed.
    """

    def __init__(self, dtype: type[Number]) -> None:
        self.dtype = dtype
        self.blocks: list[NDArray[Number]] = []
        self.free = self.size = 0

    def extend(self, values: NDArray[Any]) -> None:
        """Append numbers."""
        while len(values):
            if not self.free:
                # Double the size, within bounds: a small corpus takes little memory, a large one wastes little.
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
        """Return all numbers in one array, and become empty."""
        joined = np.empty(self.size, self.dtype)
        while self.blocks:
            block = self.blocks.pop()
            used = len(block) - self.free
            joined[self.size - used : self.size] = block[:used]
            self.size, self.free = self.size - used, 0
        return joined


@dataclass(frozen=True, eq=False)
class Labelled:
    """A batch whose tokens are indices into a list of labels, as a reader returns it; `place` is used in messages."""

    labels: Sequence[Hashable]
    batch: Batch
    place: str


Parsed: TypeAlias = "tuple[Labelled, Counter[str]]"
"""Some sequences, and counts of what was read and left out (names of fields of ReadReport)."""


class CorpusBuilder:
    """Numbers labels in order of first appearance, cleans each batch, and collects what remains."""

    def __init__(self, cleaning: Cleaning, limits: Limits) -> None:
        self.cleaning, self.limits = cleaning, limits
        self.counts: Counter[str] = Counter()
        self.numbers: defaultdict[Hashable, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self.lowered: set[str] = set()
        self.tokens, self.lengths, self.weights = GrowingArray(np.int32), GrowingArray(np.int32), GrowingArray(np.int64)
        self.is_weighted = False
        self.times: list[SequenceTimes | None] = []
        self.entities: list[NDArray[np.int32] | None] = []
        # Only for min_entities: the entity of each sequence, and how many entities that stands for.
        self.owners, self.copies = GrowingArray(np.int32), GrowingArray(np.int64)
        self.n_owners = 0

    def add(self, given: Labelled) -> None:
        """Add one batch."""
        self.counts.update(sequences_read=len(given.batch.lengths), tokens_read=len(given.batch.tokens))
        numbers = self._number(given)
        batch = replace(given.batch, tokens=numbers[given.batch.tokens], entities=self._owners(given.batch))
        batch, counts = clean(batch, self.cleaning, self._back_number())
        self.counts.update(counts)
        self.entities.append(batch.entities)
        if self.cleaning.min_entities is not None:
            self._keep_owners(batch, given.batch.entities is not None)
        self.tokens.extend(batch.tokens)
        self.is_weighted |= batch.weights is not None
        # One weight per sequence from the first weighted batch on; earlier sequences have weight 1.
        if self.is_weighted:
            self.weights.extend(np.ones(len(self.lengths) - len(self.weights), np.int64))
            self.weights.extend(np.ones(len(batch.lengths), np.int64) if batch.weights is None else batch.weights)
        self.lengths.extend(batch.lengths)
        self.times.append(batch.sequence_times())

    def _owners(self, batch: Batch) -> NDArray[np.int32] | None:
        """Return the entities of a batch; for `min_entities`, each sequence is one where they are not known."""
        if batch.entities is not None or self.cleaning.min_entities is None:
            return batch.entities
        return np.arange(len(batch.lengths), dtype=np.int32)

    def _keep_owners(self, batch: Batch, are_known: bool) -> None:
        """Note whose sequences were left; one of weight 3 is three, unless they are known to be one entity's."""
        assert batch.entities is not None
        self.owners.extend(batch.entities + np.int32(self.n_owners))
        self.n_owners += int(batch.entities.max(initial=-1)) + 1
        self.copies.extend(
            np.ones(len(batch.lengths), np.int64) if are_known or batch.weights is None else batch.weights
        )

    def _number(self, given: Labelled) -> NDArray[np.int32]:
        labels = given.labels
        if self.cleaning.lowercase:
            labels = [self._lower(label) for label in labels]
        numbers = np.fromiter(map(self.numbers.__getitem__, labels), np.int32, len(labels))
        if len(self.numbers) > self.limits.max_nodes:
            raise CorpusError(
                f"{given.place} and after: more than {option('max_nodes')} = {self.limits.max_nodes} distinct nodes; "
                f"is the delimiter right? Raise {option('max_nodes')} if they fit into memory"
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
        """Return the corpus and the counts; nodes that no longer appear in any sequence are removed."""
        offsets = offsets_of(self.lengths.join())
        weights = self.weights.join() if self.is_weighted else np.ones(len(offsets) - 1, np.int64)
        tokens = self.tokens.join()
        labels = tuple(self.numbers)
        if self.cleaning.can_remove_nodes:
            labels = number_by_appearance(tokens, labels)
        # Only event tables have times, and several files of them are read as one table: one batch.
        times = self.times[0] if len(self.times) == 1 else None
        entities = self.entities[0] if len(self.entities) == 1 and self.cleaning.min_entities is None else None
        corpus = Corpus(Vocabulary(labels), tokens, offsets, weights, times, entities)
        if self.cleaning.min_entities is not None:
            corpus = self._suppressed(corpus, self.cleaning.min_entities)
            tokens = corpus.tokens
        self.counts.update(
            names_lowercased=len(self.lowered),
            empty_sequences=int(np.count_nonzero(corpus.lengths == 0)),
            sequences=corpus.n_sequences,
            tokens=len(tokens),
            nodes=corpus.n_nodes,
        )
        return corpus, self.counts

    def _suppressed(self, corpus: Corpus, least: int) -> Corpus:
        """Return a corpus of what at least so many entities did, whose order tells nothing about single ones."""
        by_name = np.array(sorted(range(corpus.n_nodes), key=lambda node: str(corpus.vocabulary[node])), np.int64)
        ranks = np.empty(len(by_name), np.int32)
        ranks[by_name] = np.arange(len(by_name), dtype=np.int32)
        pieces = Pieces(ranks[corpus.tokens], corpus.lengths, self.owners.join(), self.copies.join())
        left = suppress(pieces, corpus.weights, least)
        self.counts.update(cuts_for_privacy=left.n_cuts, tokens_of_few_entities=left.n_tokens_left_out)
        labels = tuple(corpus.vocabulary[node] for node in by_name[left.nodes].tolist())
        return Corpus(Vocabulary(labels), left.tokens, offsets_of(left.lengths), left.weights, min_entities=least)
