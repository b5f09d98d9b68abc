"""Aligned vectors: the same scores, coordinates as near as possible to those of another embedding."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ortho_group

from honem import HONEM, Embedding, ParameterError, Vocabulary
from honem.embedding import VectorScore
from honem.embedding.alignment import Movement, align_vectors, rotated
from honem.io.store import load, save

NODES = Vocabulary(tuple(range(40)))
RNG = np.random.default_rng(3)
PLACES = 24
WALKS = [[int(node) for node in (RNG.integers(4) + np.cumsum(RNG.integers(1, 5, 9))) % PLACES] for _ in range(150)]


def random_embedding(seed: int, dimension: int = 5, nodes: Vocabulary = NODES) -> Embedding:
    rng = np.random.default_rng(seed)
    source, target = rng.normal(size=(2, len(nodes), dimension))
    return Embedding(nodes, source, target, np.linspace(3, 1, dimension))


def all_scores(embedding: Embedding, kind: VectorScore | None = None) -> NDArray[np.float64]:
    return embedding.scores(product(embedding.nodes, embedding.nodes), kind)


def target_of(embedding: Embedding) -> NDArray[np.float64]:
    assert embedding.target is not None
    return embedding.target


@pytest.mark.parametrize(("dimension", "other"), [(5, 5), (5, 8), (8, 5)])
def test_scores_cosines_and_distances_stay(dimension: int, other: int) -> None:
    embedding = random_embedding(0, dimension)
    aligned, movement = align_vectors(embedding, random_embedding(1, other))
    assert aligned.dimension == max(dimension, other)
    for kind in get_args(VectorScore):
        before, after = (all_scores(each, kind) for each in (embedding, aligned))
        np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)
    unrotated = aligned.unrotated()
    np.testing.assert_allclose(unrotated.source, embedding.source, atol=1e-12)
    assert aligned.rotation is not None
    assert aligned.rotation.shape == (dimension, max(dimension, other))
    assert movement.n_dimensions == dimension


def test_a_rotation_is_undone_also_where_nodes_come_and_go() -> None:
    embedding = random_embedding(2)
    turned = rotated(embedding, ortho_group.rvs(5, random_state=0))
    source, target = (np.vstack((side[39:9:-1], np.ones((1, 5)))) for side in (turned.source, target_of(turned)))
    fewer = Embedding(Vocabulary((*range(39, 9, -1), "new")), source, target)
    aligned, movement = align_vectors(fewer, embedding)
    np.testing.assert_allclose(aligned.source[:-1], embedding.source[39:9:-1], atol=1e-9)
    assert movement.n_nodes == 30
    assert movement.mean_cosine == pytest.approx(1.0)
    assert movement.low_cosine == pytest.approx(1.0)


def test_no_other_rotation_is_nearer() -> None:
    embedding, reference = random_embedding(3), random_embedding(4)
    aligned, _ = align_vectors(embedding, reference)

    def nearness(each: Embedding) -> float:
        pairs = ((each.source, reference.source), (target_of(each), target_of(reference)))
        return sum(float((new * old).sum() / np.linalg.norm(new) / np.linalg.norm(old)) for new, old in pairs)

    best = nearness(aligned)
    assert all(nearness(rotated(embedding, ortho_group.rvs(5, random_state=seed))) < best for seed in range(50))


def test_flat_dimensions_are_counted() -> None:
    values = np.array([9.0, 3.0, 1.09, 1.05, 1.0])
    flat = replace(random_embedding(0), singular_values=values)
    _, movement = align_vectors(flat, flat)
    assert movement.n_flat == 2
    assert "2 of 5 dimensions have nearly the same singular value" in " ".join(str(movement).split())
    whole = Embedding(Vocabulary(tuple(range(5))), np.eye(5), np.eye(5), values)
    assert align_vectors(whole, whole)[1] == Movement(5, 5, 1.0, 1.0, 0)  # nothing was cut off


def test_vectors_of_zeros_and_nothing_in_common() -> None:
    zero = Embedding(Vocabulary(("a", "b", "c")), np.array([[0.0], [1.0], [0.0]]))
    other = Embedding(Vocabulary(("a", "b", "c")), np.array([[0.0], [2.0], [3.0]]))
    assert align_vectors(zero, other)[1].mean_cosine == pytest.approx(2 / 3)
    with pytest.raises(ParameterError, match="no node in common"):
        align_vectors(zero, Embedding(Vocabulary(("x",)), np.ones((1, 1))))


@pytest.mark.parametrize("preset", ["evidence", "spatial"])
def test_an_aligned_model_explains_predicts_and_is_stored(preset: str, tmp_path: Path) -> None:
    old, new = HONEM(7, preset=preset).fit(WALKS[:70]), HONEM(5, preset=preset).fit(WALKS)
    before = new.explain(7, 9)
    scores = all_scores(new.embedding_)
    new.align_to(old)
    assert new.embedding_.dimension == 7
    np.testing.assert_allclose(all_scores(new.embedding_), scores, atol=1e-9)
    after = new.explain(7, 9)
    assert after.score.score == pytest.approx(before.score.score, abs=1e-9)
    assert [term.node for term in after.score.others] == [term.node for term in before.score.others]
    terms = [[term.part for term in each.score.others] for each in (before, after)]
    np.testing.assert_allclose(terms[1], terms[0], atol=1e-9)
    assert after.score.unexplained == pytest.approx(0, abs=1e-9)
    new.save(tmp_path / "aligned")
    loaded = HONEM.load(tmp_path / "aligned")
    assert loaded.embedding_.rotation is not None
    assert loaded.explain(7, 9).score == after.score
    assert loaded.transform([7]).tobytes() == new.transform([7]).tobytes()


def test_a_store_with_a_bad_rotation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="rows of rotation are not orthonormal"):
        save(tmp_path / "bad", replace(random_embedding(0), rotation=2 * np.eye(5)))
    with pytest.raises(ParameterError, match="rotation is an array"):
        save(tmp_path / "bad", replace(random_embedding(0), rotation=np.eye(4)))
    save(tmp_path / "good", align_vectors(random_embedding(0), random_embedding(1, 6))[0])
    assert load(tmp_path / "good").embedding.dimension == 6
