"""The paths that carry a score, how it is told, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import HONEM, Corpus, Embedding, ParameterError, UnknownNodeError, Vocabulary
from honem._internal.words import WIDTH
from honem.embedding.recipe import PRESETS
from honem.explain import PairExplainer, explain_node, explain_pair
from tests.explain.examples import TRIPS, explanations
from tests.strategies import corpora


@pytest.mark.filterwarnings("ignore::honem.errors.HonemWarning")
@given(corpora(max_nodes=3), st.integers(1, 4))
def test_pieces_of_the_corpus_are_those_a_slow_search_finds(corpus: Corpus, max_order: int) -> None:
    model = HONEM(1, criterion="divergence", max_order=max_order, tau=0.0, solver="dense").fit(corpus)
    explainer = PairExplainer(model.rules_, model.embedding_, model.recipe_)
    for a in corpus.vocabulary[:2]:
        for b in corpus.vocabulary:
            counts: dict[tuple[Hashable, ...], int] = {}
            for sequence, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
                for piece in pieces(sequence, a, b, model.rules_.max_order):
                    counts[piece] = counts.get(piece, 0) + weight
            found = [path for path in explainer.explain(a, b, corpus=corpus).paths if path.kind == "corpus"]
            assert [path.count for path in found] == sorted(counts.values(), reverse=True)[:5]
            assert all(counts[path.nodes] == path.count for path in found)


def pieces(sequence: tuple[Hashable, ...], a: Hashable, b: Hashable, most_steps: int) -> Iterator[tuple[Hashable, ...]]:
    for start in range(len(sequence)):
        for end in range(start + 1, min(start + most_steps, len(sequence) - 1) + 1):
            between = sequence[start + 1 : end]
            if (sequence[start], sequence[end]) == (a, b) and a not in between and b not in between:
                yield sequence[start : end + 1]


def test_without_a_rule_two_steps_are_joined_by_the_rarer() -> None:
    model = HONEM(2).fit([["a", "b"]] * 3 + [["b", "c"]] * 2 + [["a", "d"]] + [["d", "c"]] * 9 + [["c", "a"]] * 4)
    found = explain_pair(model.rules_, model.embedding_, model.recipe_, "a", "c")
    assert [(path.kind, path.nodes, path.count) for path in found.paths] == [
        ("chain", ("a", "b", "c"), 2),
        ("chain", ("a", "d", "c"), 1),
        ("back", ("c", "a"), 4),
    ]
    paper = explain_pair(model.rules_, model.embedding_, PRESETS["paper"], "a", "c")
    assert {path.kind for path in paper.paths} == {"chain"}


def test_a_pair_in_words() -> None:
    model = HONEM(3).fit(TRIPS)
    corpus = Corpus.from_sequences(TRIPS)
    found = explain_pair(model.rules_, model.embedding_, model.recipe_, "dorm", "library", corpus=corpus)
    words = str(found)
    assert words.startswith(f"dorm > library: score {found.score.score:.4g}")
    assert "by dorm > centre > library (20 of 20 times, 100 %)" in words
    assert "in the data\n  dorm > centre > library: 20 times" in words
    assert "unexplained" not in words
    assert json.loads(json.dumps(found.to_dict()))["score"]["own"]["node"] == "dorm"
    assert "no rule leads from the one to the other" in str(
        explain_pair(model.rules_, model.embedding_, model.recipe_, "park", "home")
    )


def test_names_are_text_whatever_is_in_them() -> None:
    nodes = ["a\n\x1b[31mred", "x" * 10_000, "<b>", "two words"]
    model = HONEM(2).fit([nodes] * 9 + [nodes[::-1]] * 3)
    texts = [str(explain_node(model.rules_, node)) for node in nodes]
    texts += [str(found) for found, _, _ in explanations(model)]
    for text in texts:
        assert all(line.isprintable() and len(line) <= WIDTH for line in text.split("\n"))


def test_a_recipe_that_does_not_fit_shows() -> None:
    model = HONEM(3).fit(TRIPS)
    found = explain_pair(model.rules_, model.embedding_, PRESETS["paper"], "dorm", "centre")
    assert abs(found.score.unexplained) > 0.01
    assert "unexplained" in str(found)


def test_what_cannot_be_explained_is_refused() -> None:
    model = HONEM(3).fit(TRIPS)
    rules, embedding, recipe = model.rules_, model.embedding_, model.recipe_
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        explain_pair(rules, embedding, recipe, "dorm", "moon")
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1"):
        explain_pair(rules, embedding, recipe, "dorm", "park", n=0)
    with pytest.raises(ParameterError, match="no target vectors"):
        explain_pair(rules, replace(embedding, target=None), recipe, "dorm", "park")
    with pytest.raises(ParameterError, match="no singular values"):
        explain_pair(rules, replace(embedding, singular_values=None), recipe, "dorm", "park")
    with pytest.raises(ParameterError, match="from one model or one store"):
        explain_pair(rules, Embedding(Vocabulary(("a",)), np.ones((1, 2))), recipe, "dorm", "park")
