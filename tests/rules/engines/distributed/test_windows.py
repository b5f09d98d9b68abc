"""The parts that tasks are made of: chunks, windows and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, Vocabulary
from honem._internal.ragged import offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed import corpus as chunking
from honem.rules.engines.distributed import counting, walking, windows
from honem.rules.engines.distributed.chunks import ALL_ONE, CHUNK, Chunk
from honem.rules.engines.distributed.corpus import DistributedCorpus, chunks_of
from honem.rules.engines.distributed.counting import CountedRows, KeyedSums, Sums, What, count_targets, join_counted
from honem.rules.engines.distributed.executors.in_process import InProcessExecutor
from honem.rules.engines.distributed.growing import context_hashes, row_keys
from honem.rules.engines.distributed.windows import (
    UNNUMBERED,
    Shipping,
    Wanted,
    Windows,
    combine,
    cut_windows,
    hash_nodes,
    join_windows,
    send,
    written_weights,
)
from honem.rules.engines.local.kernels import NO_NODE
from tests.strategies import corpora

NO_HUBS = np.zeros(0, np.int32)
Window = tuple[int, ...]


def chunk_of(corpus: Corpus) -> Chunk:
    """A corpus as one chunk."""
    (chunk,) = chunks_of(corpus)
    return chunk


def obvious_windows(corpus: Corpus, width: int) -> Iterator[tuple[Window, int, int]]:
    """Every position with a next step: its history, cut or filled up, the target, and the weight."""
    for start, end, weight in zip(corpus.offsets, corpus.offsets[1:], corpus.weights.tolist(), strict=False):
        path = corpus.tokens[start:end].tolist()
        for place in range(len(path) - 1):
            history = [NO_NODE] * width + path[: place + 1]
            yield tuple(history[-width:]), path[place + 1], weight


def counted(cut: Windows) -> Counter[tuple[Window, int]]:
    """What is known of windows, whatever their order."""
    found: Counter[tuple[Window, int]] = Counter()
    for history, target, weight in zip(
        cut.histories.tolist(), cut.targets.tolist(), written_weights(cut).tolist(), strict=True
    ):
        found[tuple(history), target] += weight
    return found


def summed(cut: Iterator[tuple[Window, int, int]]) -> Counter[tuple[Window, int]]:
    found: Counter[tuple[Window, int]] = Counter()
    for history, target, weight in cut:
        found[history, target] += weight
    return found


@given(corpus=corpora(), width=st.integers(1, 6), n_shards=st.sampled_from([1, 3]))
def test_every_position_is_cut_out_and_a_newest_node_goes_to_one_shard(
    corpus: Corpus, width: int, n_shards: int
) -> None:
    cut, shards = cut_windows(chunk_of(corpus), Shipping(corpus.n_nodes, width, n_shards, NO_HUBS))
    assert counted(cut) == summed(obvious_windows(corpus, width))
    assert len(cut) == corpus.n_steps
    newest = cut.histories[:, -1]
    assert all(len(set(shards[newest == node].tolist())) == 1 for node in set(newest.tolist()))
    assert shards.max() < n_shards


@given(corpus=corpora(), width=st.integers(2, 6))
def test_hubs_go_by_their_last_two_nodes_and_without_what_has_but_one(corpus: Corpus, width: int) -> None:
    hubs = np.arange(corpus.n_nodes, dtype=np.int32)[::2].copy()
    cut, shards = cut_windows(chunk_of(corpus), Shipping(corpus.n_nodes, width, 1000, hubs))
    expected = summed(
        (history, target, weight)
        for history, target, weight in obvious_windows(corpus, width)
        if history[-1] % 2 or history[-2] != NO_NODE
    )
    assert counted(cut) == expected
    keys = [tuple(history[-2:]) if history[-1] % 2 == 0 else history[-1] for history in cut.histories.tolist()]
    shard_of = dict(zip(keys, shards.tolist(), strict=True))
    assert [shard_of[key] for key in keys] == shards.tolist()


@given(corpus=corpora(), order=st.integers(2, 4), data=st.data())
def test_later_passes_send_only_what_stands_at_open_contexts_and_goes_further_back(
    corpus: Corpus, order: int, data: st.DataObject
) -> None:
    longer = [window for window in obvious_windows(corpus, order + 2) if window[0][1] != NO_NODE]
    contexts = sorted({history[-order:] for history, *_ in longer})
    wanted = data.draw(st.sets(st.sampled_from(contexts))) if contexts else set()
    histories = np.array(sorted(wanted), np.int32).reshape(-1, order)
    shipping = Shipping(corpus.n_nodes, order + 2, 7, NO_HUBS, order, Wanted(np.unique(context_hashes(histories))))
    cut, shards = cut_windows(chunk_of(corpus), shipping)
    assert counted(cut) == summed(window for window in longer if window[0][-order:] in wanted)
    own_shards = dict(zip(map(tuple, histories.tolist()), context_hashes(histories) % np.uint64(7), strict=True))
    assert [own_shards[tuple(history[-order:])] for history in cut.histories.tolist()] == shards.tolist()
    everything = Shipping(corpus.n_nodes, order + 2, 7, NO_HUBS, order, None)
    assert counted(cut_windows(chunk_of(corpus), everything)[0]) == summed(iter(longer))


@given(
    wanted=st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 20), max_size=40),
    others=st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20), max_size=40),
)
def test_wanted_hashes_are_found_and_no_others(wanted: set[int], others: list[int]) -> None:
    asked = [*wanted, *others]
    found = Wanted(np.array(sorted(wanted), np.uint64)).contain(np.array(asked, np.uint64))
    assert found.tolist() == [value in wanted for value in asked]


@pytest.mark.parametrize("colliding", [False, True])
@given(corpus=corpora(), n_shards=st.sampled_from([1, 3]))
def test_combining_adds_up_equal_windows_and_never_merges_others(
    colliding: bool, corpus: Corpus, n_shards: int
) -> None:
    cut, shards = cut_windows(chunk_of(corpus), Shipping(corpus.n_nodes, 3, n_shards, NO_HUBS))
    with pytest.MonkeyPatch.context() as changed:
        if colliding:
            changed.setattr(windows, "window_hashes", lambda cut: np.full(len(cut), 2**63, np.uint64))
        combined, combined_shards = combine(cut, shards)
    assert counted(combined) == counted(cut)
    for shard in range(n_shards):
        assert counted(combined.select(combined_shards == shard)) == counted(cut.select(shards == shard))
    if not colliding:
        assert len(combined) == len(counted(cut))


def test_weights_are_written_out_only_where_some_are_given() -> None:
    histories, targets = np.array([[0, 1]], np.int16), np.array([2], np.int16)
    light, heavy = (Windows(histories, targets, weights, UNNUMBERED) for weights in (ALL_ONE, np.array([5])))
    assert join_windows([light, light]).weights.tolist() == []
    assert join_windows([light, heavy]).weights.tolist() == [1, 5]


@given(corpus=corpora())
def test_windows_with_numbers_are_never_combined_and_those_of_a_sequence_stay_together(corpus: Corpus) -> None:
    shipping = Shipping(corpus.n_nodes, 3, 2, NO_HUBS, numbers_sequences=True)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(windows, "WORTH_COMBINING", 2.0)
        sent = [packet.head.sequences.tolist() for packet in send([cut_windows(chunk_of(corpus), shipping)])]
    steps = np.maximum(corpus.lengths - 1, 0)
    assert (
        sorted(number for numbers in sent for number in numbers)
        == np.repeat(np.arange(corpus.n_sequences), steps).tolist()
    )
    assert all(numbers == sorted(numbers) for numbers in sent)


def test_ids_are_as_narrow_as_they_can_be() -> None:
    chunk = Chunk(np.array([0, 32_766], np.int32), np.array([2]), ALL_ONE, 0)
    for n_nodes, kind in ((32_767, np.int16), (32_768, np.int32)):
        cut, _ = cut_windows(chunk, Shipping(n_nodes, 2, 1, NO_HUBS))
        assert cut.histories.dtype == cut.targets.dtype == kind
        assert cut.targets.tolist() == [32_766]


@given(st.lists(st.tuples(st.integers(-1, 300), st.integers(-1, 300)), min_size=1, max_size=60, unique=True))
def test_keys_of_rows_are_exact(rows: list[tuple[int, int]]) -> None:
    """Also where their bytes end with zeros."""
    keys = row_keys(np.array(rows, np.int32))
    assert len(set(np.sort(keys).tolist())) == len(np.unique(keys)) == len(rows)
    assert (row_keys(np.array(rows[::-1], np.int32)) == keys[::-1]).all()


def test_hashes_tell_orders_and_missing_nodes_apart() -> None:
    rows = np.array([[-1, 0, 1], [0, -1, 1], [0, 1, -1], [1, 0, -1], [0, 0, 0], [-1, -1, -1]])
    assert len(set(hash_nodes([*rows.T]).tolist())) == len(rows)
    assert hash_nodes([*rows.astype(np.int16).T]).tolist() == hash_nodes([*rows.T]).tolist()


@given(
    parts=st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), max_size=6), max_size=8),
    at_once=st.sampled_from([0, 3, 1000]),
)
def test_a_tally_sums_by_key_however_little_it_holds(parts: list[list[tuple[int, int]]], at_once: int) -> None:
    expected: Counter[int] = Counter()
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(counting, "KEYS_AT_ONCE", at_once)
        tally = KeyedSums()
        for part in parts:
            keys, counts = np.array(part, np.int64).reshape(-1, 2).T
            tally.add(Sums(keys, counts))
            for key, count in part:
                expected[key] += count
    total = tally.total()
    assert list(zip(total.keys, total.counts, strict=True)) == sorted(expected.items())


def obvious_counts(corpus: Corpus, order: int, what: What) -> dict[Window, Counter[int]]:
    """What is to be counted at every context of one order."""
    found: dict[Window, Counter[int]] = {}
    for path, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        nodes = [corpus.vocabulary.id(label) for label in path]
        places = range(order + int(what.extended), len(nodes))
        seen = [(tuple(nodes[end - order - int(what.extended) : end]), nodes[end]) for end in places]
        first = dict(reversed(seen))  # of each history, its first occurrence
        for history, target in first.items() if what.by_sequence else seen:
            found.setdefault(history[int(what.extended) :], Counter())[target] += weight
    return {
        context: Counter({target: n for target, n in targets.items() if n >= what.least})
        for context, targets in found.items()
    }


@given(
    corpus=corpora(),
    orders=st.sets(st.integers(1, 5), min_size=1),
    what=st.builds(What, least=st.sampled_from([1, 3]), extended=st.booleans(), by_sequence=st.booleans()),
    tokens_per_chunk=st.sampled_from([10, 1000]),
    found_at_once=st.sampled_from([0, 20]),
)
def test_what_follows_known_contexts_is_counted(
    corpus: Corpus, orders: set[int], what: What, tokens_per_chunk: int, found_at_once: int
) -> None:
    following = {order: obvious_counts(corpus, order, what) for order in orders}
    contexts = sorted({context for found in following.values() for context in found})[::2]
    nodes = np.array([node for context in contexts for node in context], np.int32)
    tree = ContextTree.of_contexts(corpus.n_nodes, nodes, offsets_of(np.array([len(own) for own in contexts], int)))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(chunking, "TOKENS_PER_CHUNK", tokens_per_chunk)
        changed.setattr(walking, "FOUND_AT_ONCE", found_at_once)
        there = DistributedCorpus.of_corpus(corpus, InProcessExecutor())
        parts = count_targets(there, tree, what, n_shards=3).collect("head")
    rows = join_counted(parts, len(contexts))
    for context, start, end in zip(contexts, rows.offsets, rows.offsets[1:], strict=False):
        found = zip(rows.targets[start:end].tolist(), rows.counts[start:end].tolist(), strict=True)
        assert dict(found) == following[len(context)][context]


@given(corpus=corpora(), tokens_per_chunk=st.integers(1, 60))
def test_chunks_hold_every_sequence_once(corpus: Corpus, tokens_per_chunk: int) -> None:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(chunking, "TOKENS_PER_CHUNK", tokens_per_chunk)
        chunks = chunks_of(corpus)
    np.testing.assert_array_equal(np.concatenate([chunk.tokens for chunk in chunks]), corpus.tokens)
    np.testing.assert_array_equal(np.concatenate([chunk.lengths for chunk in chunks]), corpus.lengths)
    weights = np.concatenate([chunk.weights for chunk in chunks])
    assert weights.tolist() == (corpus.weights.tolist() if corpus.is_weighted else [])
    numbers = [chunk.sequences_at(np.arange(len(chunk.tokens))) for chunk in chunks]
    np.testing.assert_array_equal(np.concatenate(numbers), np.repeat(np.arange(corpus.n_sequences), corpus.lengths))
    assert sum(chunk.n_steps for chunk in chunks) == corpus.n_steps
    assert sum(chunk.n_weighted_steps for chunk in chunks) == corpus.n_weighted_steps


def test_weighted_steps_of_a_chunk_are_exact_beyond_64_bits() -> None:
    chunk = Chunk(np.zeros(6, np.int32), np.array([3, 3]), np.array([2**62, 2**62 + 1]), 0)
    assert chunk.packet().head.weighted_steps == 2 * 2**62 + 2 * (2**62 + 1)


def test_a_packet_of_a_chunk_says_how_large_it_is_and_leaves_out_weights_of_1() -> None:
    chunk = Chunk(np.zeros(6, np.int32), np.array([4, 0, 2]), np.array([1, 1, 1]), 0)
    packet = chunk.packet()
    assert (packet.kind, packet.amount, packet.head) == (CHUNK, 3, (3, 4, 4, 4))
    assert packet.body.weights is ALL_ONE


def test_chunks_made_elsewhere_are_measured() -> None:
    paths = enumerate(([0, 1, 0], [1, 0]))
    chunks = [Chunk(np.array(path), np.array([len(path)]), np.array([2]), number) for number, path in paths]
    executor = InProcessExecutor()
    packets = executor.distribute(chunk.packet() for chunk in chunks)
    corpus = DistributedCorpus.of_chunks(Vocabulary(("a", "b")), packets, executor)
    assert (corpus.n_sequences, corpus.n_steps, corpus.n_weighted_steps, corpus.longest) == (2, 3, 6, 3)
    assert corpus.is_weighted
    nothing = DistributedCorpus.of_chunks(Vocabulary(()), executor.distribute([]), executor)
    assert (nothing.n_sequences, nothing.n_steps, nothing.longest) == (0, 0, 0)


def test_rows_of_chosen_contexts() -> None:
    rows = CountedRows(
        np.array([2, 0, 1], np.int32), np.array([4, 7, 1], np.int32), np.array([10, 20, 2**62], np.int64)
    )
    assert rows.supports.tolist() == [30, 0, 2**62]
    chosen = rows.select(np.array([2, 1, 0]))
    assert (chosen.targets.tolist(), chosen.supports.tolist()) == ([1, 4, 7], [2**62, 0, 30])
    assert CountedRows.none().supports.tolist() == []
