"""What every engine must pass: the same contexts, counts and decisions as the reference."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, CorpusError, ExtractionParams, ParameterError, extract_rules
from honem.rules.engines import ENGINES, make_engine
from honem.rules.engines.reference import ReferenceEngine
from tests.comparing import EXACT, assert_same_rules, rules_as_dict
from tests.strategies import corpora, params

FAST_ENGINES = ["local", "in-process"]  # spark has a file of its own: it takes seconds per corpus
every_engine = pytest.mark.parametrize("engine", [name for name in ENGINES if name != "spark"])
every_fast_engine = pytest.mark.parametrize("engine", FAST_ENGINES)


@every_fast_engine
@given(corpus=corpora(), options=params)
def test_engine_equals_reference(engine: str, corpus: Corpus, options: ExtractionParams) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    assert_same_rules(make_engine(engine).extract_rules(corpus, options), expected)


@every_fast_engine
@pytest.mark.slow
@given(corpus=corpora(max_nodes=40, max_sequences=150, max_length=40), options=params)
def test_engine_equals_reference_on_larger_corpora(engine: str, corpus: Corpus, options: ExtractionParams) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    assert_same_rules(make_engine(engine).extract_rules(corpus, options), expected)


@every_fast_engine
@pytest.mark.parametrize("options", [ExtractionParams(), ExtractionParams(criterion="divergence", tau=0.001)])
def test_orders_beyond_one_byte(engine: str, options: ExtractionParams) -> None:
    """A dependency 300 steps long, found and counted with all its sub-contexts."""
    path = [0] * 300
    corpus = Corpus.from_sequences([[1, *path, 2], [3, *path, 4]], [40, 40])
    found = make_engine(engine).extract_rules(corpus, options)
    assert found.max_order == 301
    assert_same_rules(found, ReferenceEngine().extract_rules(corpus, options))


@every_engine
@given(corpus=corpora(), options=params)
def test_weight_equals_copies(engine: str, corpus: Corpus, options: ExtractionParams) -> None:
    copies = [
        sequence for sequence, weight in zip(corpus.sequences(), corpus.weights, strict=True) for _ in range(weight)
    ]
    weighted = make_engine(engine).extract_rules(corpus, options)
    copied = make_engine(engine).extract_rules(Corpus.from_sequences(copies), options)
    assert_same_rules(weighted, copied)


@every_engine
@given(corpus=corpora(), options=params, seed=st.integers(0, 100))
def test_shuffling_and_renaming_change_nothing_else(
    engine: str, corpus: Corpus, options: ExtractionParams, seed: int
) -> None:
    names = {label: f"node {label}" for label in corpus.vocabulary}
    pairs = list(zip(corpus.sequences(), corpus.weights.tolist(), strict=True))
    random.Random(seed).shuffle(pairs)
    shuffled = Corpus.from_sequences([[names[x] for x in s] for s, _ in pairs], [w for _, w in pairs])
    before = rules_as_dict(make_engine(engine).extract_rules(corpus, options))
    after = rules_as_dict(make_engine(engine).extract_rules(shuffled, options))
    renamed = {
        tuple(names[x] for x in context): ({names[t]: n for t, n in counts.items()}, accepted)
        for context, (counts, accepted) in before.items()
    }
    assert after == renamed


@given(corpus=corpora(max_nodes=12), options=params)
def test_threads_give_the_same_bits(corpus: Corpus, options: ExtractionParams) -> None:
    one = make_engine("local", n_jobs=1).extract_rules(corpus, options)
    for n_jobs in (2, 8):
        other = make_engine("local", n_jobs=n_jobs).extract_rules(corpus, options)
        for column in (*EXACT, "divergences", "evidence", "q_values"):
            assert getattr(one, column).tobytes() == getattr(other, column).tobytes(), column


@every_engine
@given(corpus=corpora(), options=params)
def test_what_is_kept_is_closed(engine: str, corpus: Corpus, options: ExtractionParams) -> None:
    contexts = set(rules_as_dict(make_engine(engine).extract_rules(corpus, options)))
    for context in contexts:
        if len(context) > 1:
            assert context[:-1] in contexts
            assert options.lower_orders != "all" or context[1:] in contexts


@every_engine
@given(corpus=corpora(), options=params)
def test_supports_are_the_counts_and_probabilities_add_up(
    engine: str, corpus: Corpus, options: ExtractionParams
) -> None:
    table = make_engine(engine).extract_rules(corpus, options)
    totals = np.bincount(table.rule_of_row, weights=table.probabilities, minlength=table.n_rules)
    np.testing.assert_allclose(totals, 1)
    first = table.orders == 1
    if options.support == "context":
        assert table.supports[first].sum() == corpus.n_weighted_steps


@every_engine
@pytest.mark.parametrize("sequences", [[], [["a"]], [["a"], ["b"], []]])
def test_a_corpus_without_a_step_is_refused(engine: str, sequences: list[list[str]]) -> None:
    with pytest.raises(CorpusError, match="no step"):
        extract_rules(Corpus.from_sequences(sequences), engine=engine)


@every_engine
def test_more_than_every_count_leaves_nothing(engine: str) -> None:
    corpus = Corpus.from_sequences([["a", "b", "c"]])
    table = extract_rules(corpus, engine=engine, criterion="divergence", support="transition", min_support=2)
    assert table.n_rules == len(table) == table.max_order == 0
    assert "empty" in repr(table)


@every_engine
def test_counts_near_64_bits_are_exact(engine: str) -> None:
    huge = 2**61 + 1
    corpus = Corpus.from_sequences([["a", "b"], ["a", "c"], ["x", "a", "b"]], weights=[huge, 7, 1])
    table = extract_rules(corpus, engine=engine)
    assert rules_as_dict(table)[("a",)] == ({"b": huge + 1, "c": 7}, True)


def test_weights_beyond_64_bits_are_refused() -> None:
    with pytest.raises(CorpusError, match="64-bit"):
        Corpus.from_sequences([["a", "b"], ["a", "b"]], weights=[2**62, 2**62])
    with pytest.raises(CorpusError, match="64-bit"):
        Corpus.from_sequences([["a", "b"]], weights=[2**63])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"min_support": 0}, "min_support"),
        ({"min_support": 1.5}, "min_support"),
        ({"min_support": True}, "min_support"),
        ({"criterion": "divergence", "tau": -1}, "tau"),
        ({"criterion": "divergence", "tau": float("nan")}, "tau"),
        ({"criterion": "divergence", "tau": "1"}, "tau"),
        ({"tau": 1.0}, "tau=1.0 has no effect with criterion='significance'"),
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1.0}, "alpha"),
        ({"criterion": "divergence", "alpha": 0.1}, "alpha=0.1 has no effect with criterion='divergence'"),
        ({"count": "nodes"}, "'occurrences', 'sequences'"),
        ({"lower_orders": "hon"}, "use criterion='divergence'"),
        ({"support": "transition"}, "use criterion='divergence'"),
        ({"max_order": 0}, "max_order"),
        ({"support": "contexts"}, "'context', 'transition'"),
        ({"lower_orders": "none"}, "'all', 'significant', 'hon'"),
        ({"engine": "sprak"}, "'local', 'reference'"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"min_suport": 1}, "min_support"),
        ({"engine": "reference", "n_jobs": 4}, "one thread"),
    ],
)
def test_bad_options_name_the_value_and_the_way_out(options: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        extract_rules(Corpus.from_sequences([["a", "b"]]), **options)
