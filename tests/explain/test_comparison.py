"""Neighbours won and lost, against a slow search."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import HONEM, Embedding, ParameterError, Vocabulary
from honem.embedding import VectorScore
from honem.explain import compare
from tests.explain.examples import TRIPS

SPACES: list[VectorScore] = ["cosine", "source.source", "euclidean"]


@st.composite
def embeddings(draw: st.DrawFn) -> Embedding:
    nodes = draw(st.lists(st.sampled_from("abcdefgh"), min_size=4, max_size=8, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return Embedding(Vocabulary(tuple(nodes)), rng.normal(size=(len(nodes), 3)))


@given(embeddings(), embeddings(), st.integers(1, 5), st.sampled_from(SPACES))
def test_neighbours_won_and_lost_are_those_of_one_and_not_the_other(
    one: Embedding, other: Embedding, k: int, space: VectorScore
) -> None:
    common = [node for node in one if node in other]
    if len(common) < 2:
        with pytest.raises(ParameterError, match="in common"):
            compare(one, other, k, space)
        return
    found = compare(one, other, k, space)
    assert found.n_left_out == len(one) + len(other) - 2 * len(common)
    assert sorted((change.node for change in found.changes), key=str) == sorted(common, key=str)
    for change in found.changes:
        here, there = (near(embedding, common, change.node, k, space) for embedding in (one, other))
        assert list(change.won) == [node for node in here if node not in there]
        assert list(change.lost) == [node for node in there if node not in here]
        assert change.share == len(change.won) / len(here)
    order = [(-change.share, common.index(change.node)) for change in found.changes]
    assert order == sorted(order)


def near(embedding: Embedding, common: list[Hashable], node: Hashable, k: int, space: VectorScore) -> list[Hashable]:
    """The k nearest of the common nodes."""
    others = [other for other in common if other != node]
    return sorted(others, key=lambda other: -embedding.score(node, other, space))[:k]


def test_an_embedding_changes_nothing_against_itself() -> None:
    embedding = HONEM(3).fit(TRIPS).embedding_
    found = compare(embedding, embedding)
    assert found.mean_share == 0
    assert str(found) == "0 % of the 5 nearest by cosine changed; 0 of 6 nodes changed"


def test_a_comparison_in_words() -> None:
    higher, first = HONEM(3).fit(TRIPS).embedding_, HONEM(3, max_order=1).fit(TRIPS).embedding_
    found = compare(higher, first, k=2)
    top = found.changes[0]
    assert re.search(rf"^{top.node}: {top.share:.0%}".replace("%", " % changed$"), str(found), re.MULTILINE)
    assert json.loads(json.dumps(found.to_dict()))["changes"][0]["won"] == list(top.won)
