"""Continued extraction: the rules of one extraction, to the bit, from the buckets that new sequences touch."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, ExtractionParams, RuleTable
from honem._internal.ragged import offsets_of
from honem.rules.engines.local import LocalEngine, continuing, engine
from honem.rules.engines.local.continuation_tensors import continuation_tensors, restored_continuation
from honem.rules.engines.local.layout import lay_out
from tests.comparing import EXACT
from tests.rules.criteria.toys import AboveMeanShift, LargeShift
from tests.strategies import corpora, params

COLUMNS = (*EXACT, "divergences", "evidence", "q_values", "scores")
all_params = params | st.sampled_from([ExtractionParams(criterion=toy()) for toy in (AboveMeanShift, LargeShift)])


def first_sequences(corpus: Corpus, n: int) -> Corpus:
    """The first sequences, with only the nodes that occur in them: those with the lowest numbers."""
    tokens = corpus.tokens[: corpus.offsets[n]]
    nodes = replace(corpus.vocabulary, labels=corpus.vocabulary.labels[: int(tokens.max(initial=-1)) + 1])
    return Corpus(nodes, tokens, corpus.offsets[: n + 1], corpus.weights[:n])


def in_order(corpus: Corpus, order: list[int]) -> Corpus:
    """The same sequences in another order, with nodes numbered as before."""
    lengths = corpus.lengths[order]
    tokens = [corpus.tokens[:0], *(corpus.tokens[corpus.offsets[n] : corpus.offsets[n + 1]] for n in order)]
    return Corpus(corpus.vocabulary, np.concatenate(tokens), offsets_of(lengths), corpus.weights[order])


def assert_same_bits(found: RuleTable, expected: RuleTable, columns: tuple[str, ...] = COLUMNS) -> None:
    for column in columns:
        assert getattr(found, column).tobytes() == getattr(expected, column).tobytes(), column
        assert getattr(found, column).dtype == getattr(expected, column).dtype, column
    assert found.tests == expected.tests
    assert found.vocabulary.labels == expected.vocabulary.labels


@given(corpora(max_nodes=12), all_params, st.data())
def test_any_batches_give_the_rules_of_one_extraction(
    corpus: Corpus, params: ExtractionParams, data: st.DataObject
) -> None:
    corpus = Corpus.from_sequences([(0, 0), *corpus.sequences()], [1, *corpus.weights.tolist()])
    cuts = sorted(data.draw(st.lists(st.integers(1, corpus.n_sequences), min_size=1, max_size=4)))
    local, known = LocalEngine(n_jobs=1), None
    for n_sequences in (*cuts, corpus.n_sequences):
        part = first_sequences(corpus, n_sequences)
        table, known = local.extend_rules(part, params, known)
        if data.draw(st.booleans()):
            known = restored_continuation(continuation_tensors(known), table, part)
    assert_same_bits(table, local.extract_rules(corpus, params))


@given(corpora(max_nodes=12), all_params, st.data())
def test_the_order_of_batches_has_no_effect(corpus: Corpus, params: ExtractionParams, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(corpus.n_sequences)))
    shuffled, local, known = in_order(corpus, order), LocalEngine(n_jobs=1), None
    cut = data.draw(st.integers(0, corpus.n_sequences))
    for bound in (cut, corpus.n_sequences):
        part = in_order(shuffled, list(range(bound)))
        if part.n_steps:
            table, known = local.extend_rules(part, params, known)
    expected = local.extract_rules(corpus, params)
    # A divergence from the reference is a sum in the order in which successors appear.
    is_ordered = params.acceptance.compared_with == "parent"
    assert_same_bits(table, expected, COLUMNS if is_ordered else (*EXACT, "evidence", "q_values"))
    np.testing.assert_allclose(table.scores, expected.scores, rtol=1e-12, atol=1e-12)


def walks(n: int, seed: int, first: int = 0, last: int = 300) -> list[list[int]]:
    """Paths in which the node after next depends on the one before."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(first, last - 8, n)
    return [[int(start + jump) for jump in np.cumsum(rng.integers(0, 3, 6)) % 8] for start in starts]


@pytest.mark.parametrize("options", [{}, {"criterion": "divergence"}, {"count": "sequences"}])
def test_only_touched_buckets_are_laid_out(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    params, local = ExtractionParams(**options), LocalEngine()
    laid_out: list[int] = []

    def watched(*arguments: Any) -> Any:
        layout = lay_out(*arguments)
        laid_out.append(len(layout.entries))
        return layout

    monkeypatch.setattr(engine, "lay_out", watched)
    before, added = walks(4000, 0), walks(40, 1, last=10)
    _, known = local.extend_rules(Corpus.from_sequences(before), params)
    both = Corpus.from_sequences(before).joined(Corpus.from_sequences(added))
    table, _ = local.extend_rules(both, params, known)
    assert laid_out[0] == 20_000
    assert sum(laid_out[1:]) < 3_000
    assert_same_bits(table, local.extract_rules(both, params))


def test_contexts_with_the_same_hash_are_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuing, "hashed", lambda trail, positions, orders: np.zeros(len(positions), np.uint64))
    params, local, known = ExtractionParams(criterion="divergence", tau=0.3), LocalEngine(), None
    sequences = walks(300, 2, last=30)
    for _, last in pairwise([0, 200, 250, 300]):
        corpus = Corpus.from_sequences(sequences[:last])
        table, known = local.extend_rules(corpus, params, known)
    assert_same_bits(table, local.extract_rules(corpus, params))
