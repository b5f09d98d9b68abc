"""Vocabulary and Corpus: sequences of nodes as one array of integer ids, with their weights.

Labels are used only here and in input and output; all computation works on integer ids.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeGuard, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honem._internal.html_tables import html_table
from honem._internal.ragged import offsets_of
from honem._internal.similar_names import did_you_mean
from honem._internal.words import path_of
from honem.errors import CorpusError, UnknownNodeError
from honem.sequence_times import SequenceTimes

MAX_COUNT = np.iinfo(np.int64).max
MAX_NODES = np.iinfo(np.int32).max
BLOCK = 2**24
SHOWN_ROWS = 10


@dataclass(frozen=True, eq=False)
class Vocabulary(Sequence[Hashable]):
    """The nodes of a corpus, in order of first appearance.

    The id of a node is its position.

    Parameters
    ----------
    labels : tuple of hashable
        The nodes.
    coordinates : ndarray of shape (n_nodes, 2), optional
        Longitude and latitude of each node in degrees, NaN for unknown ones. Grid cells have those of their centres.

    Examples
    --------
    >>> vocabulary = Vocabulary(("Porto", "Rome"))
    >>> vocabulary.id("Rome"), vocabulary[0], len(vocabulary)
    (1, 'Porto', 2)
    """

    labels: tuple[Hashable, ...]
    coordinates: NDArray[np.float64] | None = None

    @cached_property
    def ids(self) -> dict[Hashable, int]:
        """The id of each label.

        Raises
        ------
        CorpusError
            If a label occurs twice.
        """
        ids = {label: number for number, label in enumerate(self.labels)}
        if len(ids) < len(self.labels):
            again = next(label for number, label in enumerate(self.labels) if ids[label] != number)
            raise CorpusError(f"the node {_short(again)} occurs more than once in the vocabulary")
        return ids

    def id(self, label: Hashable) -> int:
        """Return the id of a node.

        Parameters
        ----------
        label : hashable
            The node.

        Returns
        -------
        int

        Raises
        ------
        UnknownNodeError
            If the node is not in the vocabulary.
        """
        try:
            return self.ids[label]
        except (KeyError, TypeError):
            raise UnknownNodeError(
                f"no node {label!r} in this corpus of {len(self.labels)} nodes{self._hint(label)}"
            ) from None

    def _hint(self, label: Hashable) -> str:
        other = str(label) if not isinstance(label, str) else _as_int(label)
        if other in self.ids:
            return f" (there is {other!r}: nodes read from text are strings)"
        return did_you_mean(label, filter(_is_text, self.labels)) if isinstance(label, str) else ""

    def extended(self, nodes: Iterable[Hashable]) -> Vocabulary:
        """Return these nodes, followed by those of the given ones that are not among them.

        Parameters
        ----------
        nodes : iterable of hashable
            More nodes, each of them once.

        Returns
        -------
        Vocabulary

        Examples
        --------
        >>> Vocabulary(("Porto", "Rome")).extended(["Rome", "Oslo"]).labels
        ('Porto', 'Rome', 'Oslo')
        """
        nodes = nodes if isinstance(nodes, Vocabulary) else Vocabulary(tuple(nodes))
        added = [number for number, node in enumerate(nodes) if node not in self]
        labels = (*self.labels, *(nodes[number] for number in added))
        if self.coordinates is None and nodes.coordinates is None:
            return Vocabulary(labels)
        return Vocabulary(labels, np.vstack((self._places(), nodes._places()[added])))

    def _places(self) -> NDArray[np.float64]:
        """Return the coordinates, NaN if there are none."""
        return np.full((len(self), 2), np.nan) if self.coordinates is None else self.coordinates

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            return label in self.ids
        except TypeError:
            return False

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    @overload
    def __getitem__(self, number: int) -> Hashable: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Hashable, ...]: ...
    def __getitem__(self, number: int | slice) -> Hashable | tuple[Hashable, ...]:
        return self.labels[number]


class VisitCounts(NamedTuple):
    """How often each node occurs in the sequences of a corpus, with the weights of the sequences.

    Attributes
    ----------
    visits : ndarray of float of shape (n_nodes,)
        At any position.
    starts : ndarray of float of shape (n_nodes,)
        As the first node of a sequence.
    ends : ndarray of float of shape (n_nodes,)
        As the last node of a sequence.
    """

    visits: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """A multiset of sequences of nodes.

    Parameters
    ----------
    vocabulary : Vocabulary
        The nodes.
    tokens : array of int32
        The node ids of all sequences, concatenated.
    offsets : array of int64
        Sequence s is `tokens[offsets[s]:offsets[s + 1]]`.
    weights : array of int64
        The number of times each sequence was observed.
    times : SequenceTimes, optional
        When each sequence began and ended. Event tables with a time column have them; see also `with_times`.
    entities : array of int32, optional
        A number for the entity that each sequence belongs to, such as a ship whose path was cut at long gaps. Event
        tables have them.
    min_entities : int, optional
        If sequences were cut so that every piece of them was taken by at least so many entities: that number.

    Raises
    ------
    CorpusError
        If the arrays do not fit together, a weight is less than 1, or the weights add up to more steps than a 64-bit
        integer can hold.

    Examples
    --------
    >>> corpus = Corpus.from_sequences([["a", "b", "c"], ["b", "c"]], weights=[1, 4])
    >>> corpus
    Corpus(2 sequences, 5 tokens, 3 nodes, 6 weighted steps)
    >>> list(corpus.sequences())
    [('a', 'b', 'c'), ('b', 'c')]
    """

    vocabulary: Vocabulary
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    weights: NDArray[np.int64]
    times: SequenceTimes | None = None
    entities: NDArray[np.int32] | None = None
    min_entities: int | None = None

    def __post_init__(self) -> None:
        for name, kind in (("tokens", np.int32), ("offsets", np.int64), ("weights", np.int64)):
            values = getattr(self, name)
            if not isinstance(values, np.ndarray) or values.dtype != kind or values.ndim != 1:
                raise CorpusError(f"{name} must be a one-dimensional array of {kind.__name__}, not {_short(values)}")
        if len(self.offsets) != len(self.weights) + 1 or self.offsets[-1] != len(self.tokens):
            raise CorpusError(
                f"offsets do not match: {len(self.offsets)} offsets up to {self.offsets[-1:]} for "
                f"{len(self.weights)} weights and {len(self.tokens)} tokens"
            )
        # Compared, not subtracted: differences of numbers near the limits of 64 bits wrap around.
        if self.offsets[0] != 0 or (self.offsets[1:] < self.offsets[:-1]).any():
            raise CorpusError("offsets must begin at 0 and must not decrease")
        if len(self.weights) and int(self.weights.min()) < 1:
            raise CorpusError(f"the weight {self.weights.min()} is not a positive whole number")
        if len(self.tokens) and not 0 <= int(self.tokens.min()) <= int(self.tokens.max()) < len(self.vocabulary):
            raise CorpusError(f"a token is not the id of one of the {len(self.vocabulary)} nodes")
        if not isinstance(self.times, SequenceTimes | None):
            raise CorpusError(f"times must be SequenceTimes, not {_short(self.times)}; see Corpus.with_times")
        if self.times is not None and len(self.times) != len(self.weights):
            raise CorpusError(f"{len(self.times)} times for {len(self.weights)} sequences")
        if self.entities is not None and self.entities.shape != self.weights.shape:
            raise CorpusError(f"entities must be one number per sequence, not of shape {self.entities.shape}")
        for values in (self.tokens, self.offsets, self.weights):
            values.setflags(write=False)
        require_countable(self.n_weighted_steps)

    @classmethod
    def from_sequences(cls, sequences: Iterable[Iterable[Hashable]], weights: Iterable[Any] | None = None) -> Corpus:
        """Create a corpus from sequences of nodes.

        Parameters
        ----------
        sequences : iterable of iterable of hashable
            The sequences. Nodes are the same if they are equal in Python: `1` and `"1"` are two nodes. Empty sequences
            are kept, but contribute nothing.
        weights : iterable of int, optional
            The number of times each sequence was observed; 1 each by default.

        Returns
        -------
        Corpus

        Raises
        ------
        CorpusError
            If a sequence is a string, a set or a mapping, if a node is not hashable or not equal to itself (NaN), or if
            a weight is not a positive whole number.
        """
        if isinstance(sequences, (str, bytes)) or not _can_be_iterated(sequences):
            raise CorpusError(
                f"sequences must be an iterable of sequences, not the {type(sequences).__name__} {_short(sequences)}"
            )
        # A dict that numbers each new label when it is looked up: one pass at the speed of C.
        numbers: defaultdict[Hashable, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        tokens, lengths = array("i"), array("q")
        for place, sequence in enumerate(sequences, start=1):
            _require_sequence(sequence, place)
            before = len(tokens)
            nodes = sequence.tolist() if isinstance(sequence, np.ndarray) else sequence
            try:
                tokens.extend(map(numbers.__getitem__, nodes))
            except TypeError as error:
                raise CorpusError(f"sequence {place}: a node is not hashable: {error}") from None
            lengths.append(len(tokens) - before)
        return cls.from_arrays(numbers, tokens, lengths, weights)

    @classmethod
    def from_arrays(
        cls,
        labels: Iterable[Hashable],
        tokens: ArrayLike | array[int],
        lengths: ArrayLike | array[int],
        weights: Iterable[Any] | None = None,
    ) -> Corpus:
        """Create a corpus from arrays.

        Parameters
        ----------
        labels : iterable of hashable
            The nodes; the id of a node is its position.
        tokens : array of int
            The node ids of all sequences, concatenated.
        lengths : array of int
            The number of nodes in each sequence.
        weights : iterable of int, optional
            The number of times each sequence was observed; 1 each by default.

        Returns
        -------
        Corpus

        Raises
        ------
        CorpusError
            If a label occurs twice, the arrays do not fit together, a token is not the id of a label, or a length or
            weight is not a whole number of at least 0 and 1.
        """
        vocabulary = Vocabulary(tuple(labels))
        if len(vocabulary) > MAX_NODES:
            raise CorpusError(f"{len(vocabulary)} distinct nodes; at most {MAX_NODES} are possible")
        missing = next((label for label in vocabulary if not _equals_itself(label)), None)
        if missing is not None:
            raise CorpusError(f"a node is {missing!r}, which is not equal to itself; replace missing values first")
        if not isinstance(labels, Mapping):  # whose keys are distinct
            _ = vocabulary.ids
        offsets = offsets_of(as_whole("lengths", lengths, 0, MAX_COUNT))
        counted = np.ones(len(offsets) - 1, np.int64) if weights is None else as_weights(weights, len(offsets) - 1)
        numbers = as_whole("tokens", tokens, 0, MAX_NODES)
        return cls(vocabulary, np.ascontiguousarray(numbers, dtype=np.int32), offsets, counted)

    @property
    def n_sequences(self) -> int:
        """Number of sequences, regardless of weights."""
        return len(self.weights)

    @property
    def n_nodes(self) -> int:
        """Number of nodes in the vocabulary."""
        return len(self.vocabulary)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of nodes in each sequence."""
        return np.diff(self.offsets)

    @cached_property
    def n_steps(self) -> int:
        """Number of steps (pairs of consecutive nodes), regardless of weights."""
        return int(np.maximum(self.lengths - 1, 0).sum())

    @cached_property
    def n_weighted_steps(self) -> int:
        """Number of steps, each counted with the weight of its sequence."""
        if not self.is_weighted:
            return self.n_steps
        steps = np.maximum(self.lengths - 1, 0)
        if float(steps @ self.weights.astype(np.float64)) < MAX_COUNT / 2:
            return int(steps @ self.weights)
        return sum(int(step) * int(weight) for step, weight in zip(steps, self.weights, strict=True))

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any weight differs from 1."""
        return bool((self.weights != 1).any())

    def sequences(self) -> Iterator[tuple[Hashable, ...]]:
        """Yield the sequences as tuples of labels."""
        labels = self.vocabulary.labels
        for start, stop in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield tuple(labels[token] for token in self.tokens[start:stop].tolist())

    def visit_counts(self) -> VisitCounts:
        """Count how often each node is visited, and how often a sequence starts or ends there.

        Returns
        -------
        VisitCounts
            Three arrays with one number per node.

        Examples
        --------
        >>> corpus = Corpus.from_sequences([["a", "b", "a"], ["b"]], weights=[1, 3])
        >>> [counts.tolist() for counts in corpus.visit_counts()]
        [[2.0, 4.0], [1.0, 3.0], [1.0, 3.0]]
        """
        return count_visits(self.tokens, self.lengths, self.weights, self.n_nodes)

    def reweighted(self, weights: NDArray[np.int64]) -> Corpus:
        """Return the same sequences with other weights, without those of weight 0; vocabulary and times stay.

        Parameters
        ----------
        weights : array of int64
            One weight of at least 0 per sequence.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> corpus = Corpus.from_sequences([["a", "b"], ["b", "c"]])
        >>> corpus.reweighted(np.array([0, 3]))
        Corpus(1 sequences, 2 tokens, 3 nodes, 3 weighted steps)
        """
        kept = weights > 0
        tokens = self.tokens[np.repeat(kept, self.lengths)]
        times = None if self.times is None else self.times.select(kept)
        offsets = offsets_of(self.lengths[kept])
        entities = None if self.entities is None else self.entities[kept]
        return replace(self, tokens=tokens, offsets=offsets, weights=weights[kept], times=times, entities=entities)

    def joined(self, other: Corpus) -> Corpus:
        """Return the sequences of this corpus, followed by those of another one.

        Nodes keep their ids; those that only the other corpus has get the next ones, in its order. So the result is the
        same as if all sequences had been read together.

        Parameters
        ----------
        other : Corpus
            The sequences that follow.

        Returns
        -------
        Corpus
            It has times if both have them.

        Raises
        ------
        CorpusError
            If the times of one are dates and those of the other are numbers, or only one of them has been cut for
            `min_entities`.

        Examples
        --------
        >>> both = Corpus.from_sequences([["a", "b"]]).joined(Corpus.from_sequences([["c", "a"]]))
        >>> both.vocabulary.labels, list(both.sequences())
        (('a', 'b', 'c'), [('a', 'b'), ('c', 'a')])
        """
        least = {self.min_entities, other.min_entities}
        if None in least and len(least) > 1:
            raise CorpusError(
                f"one of the corpora holds only what at least {max(filter(None, least))} entities did (min_entities), "
                "and the other one does not; read both with min_entities"
            )
        vocabulary = self.vocabulary.extended(other.vocabulary)
        numbers = np.array([vocabulary.id(node) for node in other.vocabulary], np.int32)
        return Corpus(
            vocabulary,
            np.concatenate((self.tokens, numbers[other.tokens])),
            np.concatenate((self.offsets, self.offsets[-1] + other.offsets[1:])),
            np.concatenate((self.weights, other.weights)),
            None if self.times is None or other.times is None else self.times.joined(other.times),
            min_entities=min(filter(None, least), default=None),
        )

    def with_times(self, starts: ArrayLike, ends: ArrayLike | None = None) -> Corpus:
        """Return the same sequences with the times at which they began and ended.

        Parameters
        ----------
        starts : array-like of numbers, datetime64 or datetime
            When each sequence began.
        ends : array-like of numbers, datetime64 or datetime, optional
            When each sequence ended; by default when it began.

        Returns
        -------
        Corpus

        Raises
        ------
        CorpusError
            If there is not one time per sequence, a time is missing, or a sequence ends before it begins.

        Examples
        --------
        >>> corpus = Corpus.from_sequences([["a", "b"], ["b", "c"]]).with_times([2019, 2021])
        >>> corpus.times.starts.tolist()
        [2019, 2021]
        """
        return replace(self, times=SequenceTimes.of(starts, ends))

    def __repr__(self) -> str:
        return (
            f"Corpus({self.n_sequences} sequences, {len(self.tokens)} tokens, {self.n_nodes} nodes, "
            f"{self.n_weighted_steps} weighted steps)"
        )

    def _repr_html_(self) -> str:
        """Return the first sequences as a table, for notebooks."""
        shown = islice(zip(self.sequences(), self.weights.tolist(), strict=True), SHOWN_ROWS)
        rows = [
            [path_of(nodes[:SHOWN_ROWS]) + " …" * (len(nodes) > SHOWN_ROWS), str(weight)] for nodes, weight in shown
        ]
        return html_table(["sequence", "weight"], rows, repr(self))


def count_visits(
    tokens: NDArray[np.int32], lengths: NDArray[np.int64], weights: NDArray[np.int64], n_nodes: int
) -> VisitCounts:
    """Count the visits, starts and ends of each node in concatenated sequences.

    Sums are floats, because weights of sequences without a step may add up to more than 64-bit integers hold.
    """
    offsets, filled = offsets_of(lengths), lengths > 0
    # Some sequences at a time, so that the weights of all positions are never in memory together.
    cuts = np.unique([*np.searchsorted(offsets, np.arange(0, len(tokens), BLOCK)).tolist(), len(lengths)]).tolist()

    def counted(nodes: NDArray[np.int32], amounts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.bincount(nodes, amounts, n_nodes).astype(np.float64)

    visits = np.zeros(n_nodes)
    is_weighted = bool((weights != 1).any())
    for first, last in pairwise(cuts):
        nodes = tokens[offsets[first] : offsets[last]]
        if is_weighted:
            visits += counted(nodes, np.repeat(weights[first:last], lengths[first:last]))
        else:
            visits += np.bincount(nodes, minlength=n_nodes)
    return VisitCounts(
        visits,
        counted(tokens[offsets[:-1][filled]], weights[filled]),
        counted(tokens[offsets[1:][filled] - 1], weights[filled]),
    )


def number_by_appearance(tokens: NDArray[np.int32], labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Renumber nodes in place by first appearance, and return the labels that appear in that order.

    >>> tokens = np.array([2, 0, 2], np.int32)
    >>> number_by_appearance(tokens, ("a", "b", "c")), tokens.tolist()
    (('c', 'a'), [0, 1, 0])
    """
    first = np.full(len(labels), len(tokens), np.int64)
    # Backwards, block by block: of several assignments to one element the last one is kept.
    for start in reversed(range(0, len(tokens), BLOCK)):
        block = tokens[start : start + BLOCK]
        first[block[::-1]] = np.arange(start + len(block) - 1, start - 1, -1)
    order = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < len(tokens)))]
    numbers = np.zeros(len(labels), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    for start in range(0, len(tokens), BLOCK):
        block = tokens[start : start + BLOCK]
        block[:] = numbers[block]
    return tuple(labels[number] for number in order.tolist())


def as_weights(weights: Iterable[Any], expected: int) -> NDArray[np.int64]:
    """Return weights as 64-bit integers.

    Raises
    ------
    CorpusError
        If their number is not as expected, or if one is not a positive whole number; the message names the sequence.
    """
    if not isinstance(weights, Iterable):
        raise CorpusError(f"weights must be one number per sequence, not {_short(weights)}")
    given = weights if isinstance(weights, np.ndarray) else list(weights)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        raise CorpusError(f"weights must be one number per sequence, not an array of shape {given.shape}")
    if len(given) != expected:
        raise CorpusError(f"{len(given)} weights for {expected} sequences")
    if isinstance(given, np.ndarray) and given.dtype.kind == "i" and (given > 0).all():
        return given.astype(np.int64)
    for place, weight in enumerate(given, start=1):
        if isinstance(weight, (bool, np.bool_)) or not _is_positive_whole(weight):
            raise CorpusError(f"sequence {place}: the weight {_short(weight)} is not a positive whole number")
        # As an integer: a NumPy float would turn the largest count into 2^63 and be equal to it.
        if int(weight) > MAX_COUNT:
            raise CorpusError(f"sequence {place}: the weight {weight} is more than 64-bit counts can hold")
    return np.array([int(weight) for weight in given], dtype=np.int64)


def as_whole(name: str, values: ArrayLike | array[int], least: int, most: int) -> NDArray[Any]:
    """Return whole numbers as an array, before they are converted to a type in which they might wrap around.

    Raises
    ------
    CorpusError
        If they are not one-dimensional, not whole, or out of bounds.
    """
    given = np.asarray(values)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        raise CorpusError(f"{name} must be a one-dimensional array of whole numbers, not {_short(values)}")
    if given.size and not least <= int(given.min()) <= int(given.max()) <= most:
        raise CorpusError(f"{name} must be from {least} to {most}, not from {given.min()} to {given.max()}")
    return given if given.size else np.zeros(0, np.int64)


def require_countable(n_weighted_steps: int) -> None:
    """Raise CorpusError if there are more steps than a 64-bit count can hold."""
    if n_weighted_steps > MAX_COUNT:
        raise CorpusError(
            f"the weights add up to {n_weighted_steps} steps, more than 64-bit counts can hold ({MAX_COUNT}); "
            "divide all weights by a common factor"
        )


def _equals_itself(label: Hashable) -> bool:
    try:
        return bool(label == label)
    except TypeError:  # pandas.NA: whether it is equal to itself is missing, too
        return False


def _is_positive_whole(weight: Any) -> bool:
    try:
        return bool(weight >= 1 and weight == int(weight))
    except (TypeError, ValueError, OverflowError):
        return False


def _can_be_iterated(given: object) -> bool:
    try:
        iter(given)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def _require_sequence(sequence: object, place: int) -> None:
    if isinstance(sequence, (str, bytes)):
        raise CorpusError(
            f"sequence {place} is the {type(sequence).__name__} {_short(sequence)}; "
            "pass a list of nodes (to read text with one sequence per line, use honem.read_paths)"
        )
    if isinstance(sequence, (Set, Mapping)):
        raise CorpusError(f"sequence {place} is a {type(sequence).__name__}, which has no order; pass a list of nodes")
    if not isinstance(sequence, Iterable):
        raise CorpusError(f"sequence {place} is {_short(sequence)}, not a sequence of nodes")


def _short(value: object, most: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _is_text(label: Hashable) -> TypeGuard[str]:
    return isinstance(label, str)


def _as_int(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
