"""Embedding: neighbours and scores against the plain formulas."""

from __future__ import annotations

import numpy as np
import pytest

import honem.embedding
from honem import Embedding, ParameterError, UnknownNodeError, Vocabulary

RANDOM = np.random.default_rng(5)
N = 40
EMBEDDING = Embedding(
    Vocabulary(tuple(f"n{i}" for i in range(N))), RANDOM.normal(size=(N, 6)), RANDOM.normal(size=(N, 6))
)
S, T = EMBEDDING.source, EMBEDDING.target
assert T is not None
UNIT = S / np.linalg.norm(S, axis=1, keepdims=True)
FORMULAS = {
    "source.target": S @ T.T,
    "source.source": S @ S.T,
    "cosine": UNIT @ UNIT.T,
    "euclidean": -np.linalg.norm(S[:, None] - S[None], axis=2),
}


@pytest.mark.parametrize("kind", FORMULAS)
def test_scores_are_their_formulas(kind: str) -> None:
    pairs = [(f"n{i}", f"n{j}") for i in range(N) for j in range(N)]
    scores = EMBEDDING.scores(pairs, kind)  # type: ignore[arg-type]
    np.testing.assert_allclose(scores.reshape(N, N), FORMULAS[kind], atol=1e-12)
    assert EMBEDDING.score("n3", "n5", kind) == pytest.approx(FORMULAS[kind][3, 5])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", FORMULAS)
@pytest.mark.parametrize("block_bytes", [1, 8 * N * 7, 1 << 20])
def test_neighbours_are_the_highest_scores_whatever_the_block(
    kind: str, block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(honem.embedding, "BLOCK_BYTES", block_bytes)
    ids, scores = EMBEDDING.nearest(n=7, space=kind)  # type: ignore[arg-type]
    expected = FORMULAS[kind].copy()
    np.fill_diagonal(expected, -np.inf)
    np.testing.assert_array_equal(ids, np.argsort(-expected, axis=1, kind="stable")[:, :7])
    np.testing.assert_allclose(scores, np.take_along_axis(expected, ids, axis=1), atol=1e-7)
    assert [n.node for n in EMBEDDING.neighbors("n3", 7, space=kind)] == [  # type: ignore[arg-type]
        f"n{i}" for i in ids[3]
    ]


def test_equal_scores_stand_in_node_order() -> None:
    same = Embedding(Vocabulary(tuple("abcdef")), np.ones((6, 2)))
    assert [n.node for n in same.neighbors("c", 3)] == ["a", "b", "d"]


def test_more_neighbours_than_nodes_are_all_of_them() -> None:
    assert len(EMBEDDING.neighbors("n0", 1000)) == N - 1
    alone = Embedding(Vocabulary(("a",)), np.zeros((1, 3)))
    assert alone.neighbors("a") == []


def test_the_default_score_reconstructs() -> None:
    assert EMBEDDING.score("n1", "n2") == pytest.approx(S[1] @ T[2])  # type: ignore[index]
    one_sided = Embedding(EMBEDDING.vocabulary, S)
    assert one_sided.score("n1", "n2") == pytest.approx(S[1] @ S[2])
    with pytest.raises(ParameterError, match="one vector per node"):
        one_sided.score("n1", "n2", "source.target")


def test_a_zero_vector_has_cosine_zero() -> None:
    zero = Embedding(Vocabulary(("a", "b")), np.array([[0.0, 0], [1, 1]]))
    assert zero.score("a", "b", "cosine") == 0


def test_vectors_by_node() -> None:
    np.testing.assert_array_equal(EMBEDDING["n4"], S[4])
    np.testing.assert_array_equal(EMBEDDING.vectors(["n4", "n0", "n4"]), S[[4, 0, 4]])
    assert EMBEDDING.scores([]).shape == (0,)
    with pytest.raises(UnknownNodeError, match="no node 'mars'"):
        EMBEDDING["mars"]


@pytest.mark.parametrize("n", [0, -1, 2.5])
def test_a_number_of_neighbours_without_meaning_is_refused(n: object) -> None:
    with pytest.raises(ParameterError, match="n must be"):
        EMBEDDING.neighbors("n0", n)  # type: ignore[arg-type]


def test_unknown_spaces_and_shapes_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"'source.target', 'source.source', 'cosine', 'euclidean'"):
        EMBEDDING.neighbors("n0", space="manhattan")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="shape"):
        Embedding(Vocabulary(("a",)), np.zeros((2, 3)))
