"""Cleaning steps: each is explicit, counted, and a function from arrays to arrays.

The order is fixed (it is that of the fields of `Cleaning`): lower case, cuts at gaps in time, back-clicks, repeats,
cuts at max_length, min_length. Gaps come first because they refer to visits as they were recorded; a back-click never
crosses a gap. Repeats come after back-clicks, which can create them; lengths are those of the remaining sequences.
Cuts for min_entities come at the very end, when all sequences are known; see `suppression`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.ragged import offsets_of
from honem.errors import ParameterError
from honem.io.paths.options import Back, Cleaning
from honem.io.paths.times import Times
from honem.sequence_times import SequenceTimes


@dataclass(frozen=True, eq=False)
class Batch:
    """Some whole sequences: their tokens in one array, the length and weight of each, and the times of the tokens.

    Without weights every sequence has weight 1. `entities` are numbers of those whose sequences they are, if known.
    """

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    weights: NDArray[np.int64] | None = None
    times: Times | None = None
    entities: NDArray[np.int32] | None = None

    @property
    def starts(self) -> NDArray[np.int64]:
        """Index of the first token of each sequence."""
        return np.cumsum(self.lengths) - self.lengths

    def sequence_times(self) -> SequenceTimes | None:
        """Return when each sequence begins and ends, if times are known."""
        if self.times is None or not len(self.tokens):
            return None
        firsts = np.minimum(self.starts, len(self.tokens) - 1)
        lasts = np.maximum(self.starts + self.lengths - 1, firsts)  # an empty sequence has the time of the next one
        return SequenceTimes(self.times.values[firsts], self.times.values[lasts], self.times.ticks)

    def keep_tokens(self, kept: NDArray[np.bool_]) -> Batch:
        """Remove the tokens that are not kept; a sequence may become empty, but is not removed."""
        # Differences of a running sum, because reduceat returns wrong sums for empty sequences.
        running = offsets_of(kept)
        ends = np.cumsum(self.lengths)
        lengths = running[ends] - running[ends - self.lengths]
        times = self.times and self.times.select(kept)
        return replace(self, tokens=self.tokens[kept], lengths=lengths, times=times)

    def keep_sequences(self, kept: NDArray[np.bool_]) -> Batch:
        """Remove the sequences that are not kept."""
        tokens = np.repeat(kept, self.lengths)
        return Batch(
            self.tokens[tokens],
            self.lengths[kept],
            None if self.weights is None else self.weights[kept],
            self.times and self.times.select(tokens),
            None if self.entities is None else self.entities[kept],
        )

    def cut(self, at: NDArray[np.int64]) -> Batch:
        """Cut before these tokens, none of which starts a sequence; each piece has the weight of the whole."""
        starts = np.sort(np.concatenate((self.starts, at)), kind="stable")
        lengths = np.diff(starts, append=len(self.tokens))
        if self.weights is None and self.entities is None:
            return replace(self, lengths=lengths)
        pieces = (
            np.bincount(np.searchsorted(np.cumsum(self.lengths), at, side="right"), minlength=len(self.lengths)) + 1
        )
        weights = None if self.weights is None else np.repeat(self.weights, pieces)
        entities = None if self.entities is None else np.repeat(self.entities, pieces)
        return replace(self, lengths=lengths, weights=weights, entities=entities)


def clean(batch: Batch, cleaning: Cleaning, back_token: int | None = None) -> tuple[Batch, Counter[str]]:
    """Apply the requested steps in order, and count what each did; names were converted to lower case before."""
    counts: Counter[str] = Counter()
    if cleaning.max_gap is not None:
        batch, counts["cuts_at_gaps"] = cut_at_gaps(batch, cleaning.max_gap)
    if back_token is not None and cleaning.back is not None:
        batch, counts["back_clicks_resolved"], counts["back_clicks_without_page"] = resolve_back_clicks(
            batch, back_token, cleaning.back
        )
    if cleaning.collapse_repeats:
        batch, counts["repeats_collapsed"] = collapse_repeats(batch)
    if cleaning.max_length is not None:
        batch, counts["cuts_at_max_length"] = cut_at_length(batch, cleaning.max_length)
    if cleaning.min_length is not None:
        batch, counts["sequences_too_short"], counts["tokens_too_short"] = drop_short(batch, cleaning.min_length)
    return batch, counts


def cut_at_gaps(batch: Batch, max_gap: str | float) -> tuple[Batch, int]:
    """Cut where more than `max_gap` passes between two visits; also return the number of cuts."""
    require_times(max_gap, batch.times is not None)
    assert batch.times is not None
    jumps = batch.times.jumps(max_gap)
    jumps[batch.starts[batch.lengths > 0]] = False
    at = np.flatnonzero(jumps)
    return batch.cut(at), len(at)


def require_times(max_gap: str | float, has_times: bool) -> None:
    """Raise ParameterError if sequences are to be cut at gaps in time and have no times."""
    if not has_times:
        raise ParameterError(
            f"{option('max_gap', max_gap)} needs times: an event table, and {option('time')} for its time column"
        )


def collapse_repeats(batch: Batch) -> tuple[Batch, int]:
    """Keep a node that follows itself once; also return how many were removed.

    >>> batch, collapsed = collapse_repeats(Batch(np.array([1, 1, 1, 2, 1]), np.array([2, 3])))
    >>> batch.tokens.tolist(), batch.lengths.tolist(), collapsed
    ([1, 1, 2, 1], [1, 3], 1)
    """
    kept = np.ones(len(batch.tokens), bool)
    np.not_equal(batch.tokens[1:], batch.tokens[:-1], out=kept[1:])
    kept[batch.starts[batch.lengths > 0]] = True
    n_kept = int(np.count_nonzero(kept))
    return (batch, 0) if n_kept == len(kept) else (batch.keep_tokens(kept), len(kept) - n_kept)


def cut_at_length(batch: Batch, most: int) -> tuple[Batch, int]:
    """Cut into pieces of `most` nodes, the last one shorter; also return the number of cuts.

    >>> batch, cuts = cut_at_length(Batch(np.arange(5), np.array([5])), 2)
    >>> batch.lengths.tolist(), cuts
    ([2, 2, 1], 2)
    """
    place = np.arange(len(batch.tokens)) - np.repeat(batch.starts, batch.lengths)
    at = np.flatnonzero((place % most == 0) & (place > 0))
    return (batch.cut(at), len(at)) if len(at) else (batch, 0)


def drop_short(batch: Batch, least: int) -> tuple[Batch, int, int]:
    """Remove sequences of fewer than `least` nodes; also return how many sequences and tokens were removed."""
    kept = batch.lengths >= least
    after = batch.keep_sequences(kept)
    return after, len(kept) - len(after.lengths), len(batch.tokens) - len(after.tokens)


def resolve_back_clicks(batch: Batch, back_token: int, back: Back) -> tuple[Batch, int, int]:
    """Resolve back-clicks, each of which returns to the page that the current one was reached from.

    "drop" removes the pages that were left, so that the path continues from the page returned to; "replay" repeats the
    page returned to. A back-click on the first page leads nowhere and is removed. Also return how many back-clicks
    were resolved, and how many led nowhere. `<` is 9 here:

    >>> batch = Batch(np.array([1, 2, 3, 9, 9, 4]), np.array([6]))
    >>> [resolve_back_clicks(batch, 9, back)[0].tokens.tolist() for back in ("drop", "replay")]
    [[1, 4], [1, 2, 3, 2, 1, 4]]
    """
    clicks = np.flatnonzero(batch.tokens == back_token)
    if not len(clicks):
        return batch, 0, 0
    tokens, kept = batch.tokens.copy(), np.ones(len(batch.tokens), bool)
    ends = np.cumsum(batch.lengths)
    nowhere = 0
    for sequence in np.unique(np.searchsorted(ends, clicks, side="right")).tolist():
        part = slice(int(ends[sequence] - batch.lengths[sequence]), int(ends[sequence]))
        nowhere += _resolve_one(tokens[part], kept[part], back_token, back)
    return replace(batch, tokens=tokens).keep_tokens(kept), len(clicks) - nowhere, nowhere


def _resolve_one(tokens: NDArray[np.int32], kept: NDArray[np.bool_], back_token: int, back: Back) -> int:
    """Resolve the back-clicks of one sequence in place; return how many led nowhere.

    A loop with a stack: it is linear however deep back-clicks are nested, and only sequences that have any get here.
    """
    trail: list[int] = []
    nowhere = 0
    for place, token in enumerate(tokens.tolist()):
        if token != back_token:
            trail.append(place)
        elif len(trail) < 2:
            kept[place] = False
            nowhere += 1
        else:
            left = trail.pop()
            if back == "drop":
                kept[place] = kept[left] = False
            else:
                tokens[place] = tokens[trail[-1]]
    return nowhere
