"""What is true of every baseline: planted structure, seeds, weights, odd networks and wrong options."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from honem import Corpus, HonemWarning, ParameterError, first_order_network
from honem.evaluation.baselines import Baseline, make_baseline, network_methods
from tests.evaluation.baselines.networks import blocks, blocks_by_weight, network_of, share_in_block

QUICK: dict[str, dict[str, Any]] = {
    "deepwalk": {"walk_length": 20, "window": 5},
    "node2vec": {"walk_length": 20, "window": 5, "p": 0.5, "q": 2.0},
}
NAMES = [name for name in network_methods() if name != "hon-pool"]
RANDOM = ["deepwalk", "node2vec", "line", "graph-factorization"]
ONE_SIDED = {"deepwalk", "node2vec", "graph-factorization", "laplacian", "lle"}
EVERY = pytest.mark.parametrize("name", NAMES)
EITHER_WAY = pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])


def method(name: str, **options: Any) -> Baseline:
    return make_baseline(name, **{"n_components": 8, **QUICK.get(name, {}), **options})


@EVERY
@EITHER_WAY
def test_blocks_are_recovered(name: str, directed: bool) -> None:
    dimension = {"laplacian": 3, "lle": 3, "grarep": 15}.get(name, 8)
    embedding = method(name, directed=directed, n_components=dimension).fit(blocks())
    assert embedding.dimension == dimension
    # Graph Factorization does not ask where there are edges, only what they weigh: here that is the same everywhere.
    assert share_in_block(embedding) > (0.35 if name == "graph-factorization" else 0.75), "chance is 0.25"


@EVERY
@EITHER_WAY
def test_blocks_that_only_weights_tell_are_recovered(name: str, directed: bool) -> None:
    dimension = {"laplacian": 3, "lle": 3, "grarep": 15}.get(name, 8)
    embedding = method(name, directed=directed, n_components=dimension).fit(blocks_by_weight())
    assert share_in_block(embedding) > 0.6, "chance is 0.25"


@EVERY
def test_one_or_two_vectors_a_node(name: str) -> None:
    embedding = method(name).fit(blocks())
    assert (embedding.target is None) == (name in ONE_SIDED)


@EVERY
def test_same_seed_same_bits(name: str) -> None:
    network = blocks(size=10)
    first, again, other = (method(name, random_state=seed).fit(network) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.source, again.source)
    if first.target is not None and again.target is not None:
        np.testing.assert_array_equal(first.target, again.target)
    if name in RANDOM:
        assert not np.array_equal(first.source, other.source)
    else:
        np.testing.assert_allclose(first.source, other.source, atol=1e-8)


@EVERY
def test_no_global_randomness_is_used(name: str) -> None:
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    method(name).fit(blocks(size=10))
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # type: ignore[index]  # noqa: NPY002


@EVERY
def test_undirected_forgets_which_way_edges_lead(name: str) -> None:
    network = blocks(size=10)
    edges = list(zip(network.sources.tolist(), network.targets.tolist(), network.counts.tolist(), strict=True))
    backwards = network_of([(target, source, count) for source, target, count in edges])
    one, other = (method(name, directed=False).fit(each) for each in (network, backwards))
    np.testing.assert_array_equal(one.source, other.source)


@EVERY
def test_a_corpus_is_embedded_by_its_first_order_network(name: str) -> None:
    corpus = Corpus.from_sequences([list("abcdabefcdba"), list("fedcab")], weights=[2, 3])
    options = {"n_components": 5}
    by_corpus, by_network = (
        method(name, **options).fit(corpus),
        method(name, **options).fit(first_order_network(corpus)),
    )
    np.testing.assert_array_equal(by_corpus.source, by_network.source)
    assert by_corpus.nodes == tuple("abcdef")


ODD = {
    "self-loops only": ([(0, 0, 2), (1, 1, 1)], 2),
    "one self-loop": ([(0, 0, 5)], 1),
    "one edge": ([(0, 1, 1)], 2),
    "a chain to a sink": ([(0, 1, 1), (1, 2, 1), (2, 3, 4)], 4),
    "a star of sinks": ([(0, leaf, leaf) for leaf in range(1, 8)], 8),
    "a star of sources": ([(leaf, 0, leaf) for leaf in range(1, 8)], 8),
    "isolated nodes": ([(0, 1, 1), (1, 2, 1), (2, 0, 1)], 6),
    "equal components": ([(3 * k + i, 3 * k + (i + 1) % 3, 1) for k in range(5) for i in range(3)], 15),
    "two ways and loops": ([(0, 1, 2), (1, 0, 1), (1, 1, 3), (2, 0, 1), (0, 2, 1), (2, 2, 1)], 3),
    "huge weights": ([(0, 1, 10**15), (1, 2, 1), (2, 0, 10**15), (1, 0, 10**9)], 3),
}


@EVERY
@EITHER_WAY
@pytest.mark.parametrize("odd", ODD)
def test_odd_networks(name: str, directed: bool, odd: str) -> None:
    edges, n_nodes = ODD[odd]
    network = network_of(edges, n_nodes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", HonemWarning)
        embedding = method(name, directed=directed).fit(network)
    linked = {end for source, target, _ in edges for end in (source, target)}
    for vectors in (embedding.source, embedding.target):
        if vectors is not None:
            assert len(vectors) == n_nodes
            assert 1 <= vectors.shape[1] <= 8
            assert np.isfinite(vectors).all()
            assert not vectors[[node for node in range(n_nodes) if node not in linked]].any()


@EVERY
def test_disconnected_parts_are_told_apart(name: str) -> None:
    one = blocks(n_blocks=1, size=20, inside=0.4)
    edges = [
        (2 * source + part, 2 * target + part, 1)
        for source, target in zip(one.sources.tolist(), one.targets.tolist(), strict=True)
        for part in (0, 1)
    ]
    dimension = {"laplacian": 1, "lle": 1, "grarep": 10}.get(name, 4)
    embedding = method(name, n_components=dimension, directed=False).fit(network_of(edges))
    assert share_in_block(embedding, n_blocks=2) > 0.75, "chance is 0.49"


@EVERY
def test_no_edges_no_vectors(name: str) -> None:
    with pytest.warns(HonemWarning, match="without edges"):
        embedding = method(name).fit(Corpus.from_sequences([["a"], ["b"]]))
    assert not embedding.source.any()


@pytest.mark.parametrize("name", ["laplacian", "lle", "hope", "netmf", "grarep"])
def test_more_dimensions_than_there_are(name: str) -> None:
    with pytest.warns(HonemWarning, match=r"columns are 0|the vectors have \d dimension"):
        embedding = method(name, n_components=40).fit(network_of([(0, 1, 1), (1, 2, 2), (2, 0, 1), (0, 2, 1)]))
    assert embedding.dimension < 40 or not embedding.source[:, -5:].any()


@pytest.mark.parametrize("name", ["grarep", "netmf", "hope", "laplacian", "lle"])
def test_too_many_nodes_for_dense_matrices(name: str) -> None:
    with pytest.raises(ParameterError, match=r"12001 is more than 12000; use deepwalk"):
        method(name).fit(network_of([(node, (node + 1) % 12_001, 1) for node in range(12_001)]))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("deep-walk", {}, "method must be one of 'deepwalk', 'node2vec'"),
        ("node2vec", {"r": 1}, "node2vec has no option 'r'; it has n_components, directed"),
        ("node2vec", {"p": 0}, "p must be a finite number above 0, not 0"),
        ("deepwalk", {"n_components": 0}, "n_components must be a whole number of at least 1"),
        ("deepwalk", {"directed": "no"}, "directed must be True or False, not 'no'"),
        ("deepwalk", {"random_state": None}, "random_state must be a whole number"),
        ("deepwalk", {"contexts": True, "negative": 0}, "contexts=True needs negative"),
        ("line", {"learning_rate": float("nan")}, "learning_rate must be"),
        ("graph-factorization", {"regularization": -1}, "regularization must be"),
        ("laplacian", {"teleport": 1}, "teleport must be a finite number above 0 and below 1"),
        ("grarep", {"n_components": 4}, "n_components=4 must be at least steps=5"),
        ("hope", {"decay": 1.0}, "decay must be"),
        ("hon-pool", {"pool": "sum"}, "pool must be one of 'max', 'mean', 'weighted'"),
        ("hon-pool", {"method": "hon-pool"}, "method must be one of 'deepwalk'"),
        ("hon-pool", {"method_options": {"p": 2}}, "deepwalk has no option 'p'"),
    ],
)
def test_wrong_options_name_the_right_ones(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make_baseline(name, **options)


@pytest.mark.slow
@EVERY
def test_many_blocks_at_the_size_of_real_data(name: str) -> None:
    """2,000 nodes, 20 blocks, 10 edges a node, 128 dimensions: all methods at their defaults."""
    network = blocks(n_blocks=20, size=100, inside=0.08, outside=0.001)
    assert share_in_block(make_baseline(name).fit(network), n_blocks=20) > 0.5, "chance is 0.05"
