"""Whatever is wrong with a cache, it is rebuilt: the page is the same as without it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honem import Embedding, load
from honem.explore import positions
from honem.explore.positions import project_nodes
from tests.faults.damage import cuts, flips
from tests.faults.running import ROUNDS, run


@pytest.fixture(autouse=True)
def projections(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Take two columns instead of t-SNE, which takes its time, and count how often."""
    seeds: list[int] = []

    def project(vectors: Any, seed: int, **_: object) -> Any:
        seeds.append(seed)
        return np.ascontiguousarray(vectors[:, :2]) + seed

    monkeypatch.setattr(positions, "project", project)
    return seeds


@pytest.fixture
def embedding(made_store: Path) -> Embedding:
    return load(made_store).embedding


@pytest.fixture
def cache(embedding: Embedding, tmp_path: Path) -> Path:
    for seed in (0, 1):
        project_nodes(embedding, "tsne", seed, tmp_path / "cache.npz")
    return tmp_path / "cache.npz"


def test_maps_are_kept(embedding: Embedding, cache: Path, projections: list[int]) -> None:
    project_nodes(embedding, "tsne", 0, cache)
    assert projections == [0, 1]


def test_damaged_maps_are_computed_again(embedding: Embedding, cache: Path, projections: list[int]) -> None:
    data, chance = cache.read_bytes(), random.Random(0)
    expected = project_nodes(embedding, "tsne", 0).points
    for damaged in (*flips(data, chance, 100 * ROUNDS), *cuts(data, chance, 50 * ROUNDS), b"\0" * 100, b"PK\3\4"):
        cache.write_bytes(damaged)
        np.testing.assert_array_equal(project_nodes(embedding, "tsne", 0, cache).points, expected)
        before = len(projections)
        np.testing.assert_array_equal(project_nodes(embedding, "tsne", 0, cache).points, expected)
        assert len(projections) == before


@pytest.mark.parametrize(
    "points",
    [np.full((7, 2), np.nan), np.ones((6, 2)), np.ones((7, 3)), np.ones(14), np.ones((7, 2), np.int8), np.array("map")],
    ids=lambda points: f"{points.dtype}{points.shape}",
)
def test_maps_that_do_not_fit_are_computed_again(embedding: Embedding, cache: Path, points: Any) -> None:
    expected = project_nodes(embedding, "tsne", 0).points
    with np.load(cache) as file:
        names = list(file)
    np.savez(cache, **dict.fromkeys(names, points), other=np.array(["x"]))
    np.testing.assert_array_equal(project_nodes(embedding, "tsne", 0, cache).points, expected)


def test_explore_says_so_and_makes_the_same_page(store: Path) -> None:
    page, cache = store.with_name("page.html"), store.with_name(f"{store.name}.maps.npz")
    run("explore", store, "-o", page, "--projection", "tsne")
    expected = page.read_bytes()
    cache.write_bytes(cache.read_bytes()[:-10])
    done = run("explore", store, "-o", page, "--projection", "tsne")
    assert f"honem: {cache} is damaged; its maps are computed again" in done.stderr
    assert page.read_bytes() == expected
    assert "damaged" not in run("explore", store, "-o", page, "--projection", "tsne").stderr
