"""Forgetting: the model of a fit to the remaining paths."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import HONEM, Corpus, CorpusError, ParameterError, UnknownNodeError
from honem.forgetting import since, within_window, without_nodes
from tests.strategies import corpora
from tests.test_updating import MORE, WALKS, assert_same_model


def rows_of(corpus: Corpus) -> list[tuple[tuple[object, ...], int]]:
    return list(zip(corpus.sequences(), corpus.weights.tolist(), strict=True))


@given(corpora(), st.sets(st.integers(0, 5)))
def test_paths_are_cut_at_forgotten_nodes(corpus: Corpus, unwanted: set[int]) -> None:
    known = [node for node in unwanted if node in corpus.vocabulary]
    found = without_nodes(corpus, known)
    expected = [
        (tuple(piece), weight)
        for sequence, weight in rows_of(corpus)
        for is_kept, piece in groupby(sequence, lambda node: node not in known)
        if is_kept
    ]
    assert rows_of(found) == expected
    anew = Corpus.from_sequences([sequence for sequence, _ in expected])
    assert found.vocabulary.labels == anew.vocabulary.labels
    assert found.tokens.tolist() == anew.tokens.tolist()


@given(st.lists(st.integers(-5, 20), min_size=1, max_size=9), st.integers(-6, 21), st.integers(1, 30))
def test_old_paths_are_forgotten(starts: list[int], moment: int, width: int) -> None:
    corpus = Corpus.from_sequences([[number, number + 1] for number in range(len(starts))]).with_times(starts)
    assert [row[0] for row, _ in rows_of(since(corpus, moment))] == [
        number for number, start in enumerate(starts) if start >= moment
    ]
    assert [row[0] for row, _ in rows_of(within_window(corpus, width))] == [
        number for number, start in enumerate(starts) if max(starts) - start <= width
    ]


def test_windows_of_dates_are_exact_to_the_nanosecond() -> None:
    base = np.datetime64("2024-05-31T00:00:00", "ns")
    starts = np.array([base - np.timedelta64(86_400_000_000_001, "ns"), base - np.timedelta64(1, "D"), base])
    corpus = Corpus.from_sequences([["a", "b"], ["c", "d"], ["e", "f"]]).with_times(starts)
    assert within_window(corpus, "1d").vocabulary.labels == ("c", "d", "e", "f")
    assert since(corpus, "2024-05-30").vocabulary.labels == ("c", "d", "e", "f")


def test_a_model_that_forgot_is_that_of_the_remaining_paths() -> None:
    model = HONEM(5, preset="evidence").fit(WALKS + MORE)
    movement = model.forget(["new"])
    cut = [[node for node in walk if node != "new"] for walk in MORE]
    assert_same_model(model, HONEM(5, preset="evidence").fit(WALKS + cut))
    assert movement.n_nodes == 17


def test_a_window_slides_with_updates() -> None:
    def timed(walks: list[list[Any]], start: int) -> Corpus:
        return Corpus.from_sequences(walks).with_times(np.arange(start, start + len(walks)))

    model = HONEM(4, preset="evidence").fit(timed(WALKS, 0))
    model.update(timed(MORE, len(WALKS)), window=30)
    assert_same_model(model, HONEM(4, preset="evidence").fit((WALKS + MORE)[-31:]))
    model.forget(before=len(WALKS))
    assert_same_model(model, HONEM(4, preset="evidence").fit(MORE))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"nodes": [99]}, UnknownNodeError, "no node 99"),
        ({"nodes": "ab"}, ParameterError, r"write forget\(\['ab'\]\)"),
        ({}, ParameterError, "nothing to forget"),
        ({"before": 3}, CorpusError, "times of the sequences are not known"),
        ({"nodes": range(17)}, CorpusError, "nothing to learn from"),
    ],
)
def test_an_error_leaves_the_model_as_it_was(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    model = HONEM(3, preset="evidence").fit(WALKS)
    rules = model.rules_
    with pytest.raises(error, match=message):
        model.forget(**arguments)
    assert model.rules_ is rules
    with pytest.raises(CorpusError, match="unknown unit"):
        within_window(Corpus.from_sequences(WALKS).with_times(range(len(WALKS))), "90d")
