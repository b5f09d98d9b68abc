"""The methods that factorise or solve, against their formulas."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array

from honem.evaluation.baselines import GraphFactorization, GraRep, Hope, LaplacianEigenmaps, Line, LocallyLinear, NetMF
from honem.evaluation.baselines.base import Baseline, edge_weights
from honem.evaluation.baselines.graph_factorization import _loss
from honem.evaluation.baselines.grarep import positive_log
from honem.evaluation.baselines.hope import katz_matrix, spectral_radius
from honem.evaluation.baselines.kernels.edge_sampling import alias_table
from honem.evaluation.baselines.laplacian import symmetric_flow
from honem.evaluation.baselines.netmf import deepwalk_matrix
from tests.evaluation.baselines.networks import blocks, flow, network_of, share_in_block

SMALL = blocks(n_blocks=2, size=8, inside=0.5, outside=0.2)
WEIGHTS = edge_weights(SMALL)


@pytest.mark.parametrize("method", [Line(n_components=8), Hope(n_components=8), NetMF(n_components=8, window=1)])
def test_two_kinds_of_vectors_know_which_way_a_flow_goes(method: Baseline) -> None:
    embedding = method.fit(flow())
    assert share_in_block(embedding, ahead=1, space="source.target") > 0.75
    assert share_in_block(embedding, ahead=3, space="source.target") < 0.15


def test_netmf_by_hand() -> None:
    # 0 -> 1 twice as often as 0 -> 2; both lead back. vol = 8, in-strengths 5, 2, 1.
    weights = edge_weights(network_of([(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 0, 3)]))
    # P = [[0, 2/3, 1/3], [1, 0, 0], [1, 0, 0]], P^2 = [[1, 0, 0], [0, 2/3, 1/3], [0, 2/3, 1/3]]
    one = np.array([[0, 2 / 3, 1 / 3], [1, 0, 0], [1, 0, 0]])
    two = np.array([[1, 0, 0], [0, 2 / 3, 1 / 3], [0, 2 / 3, 1 / 3]])
    expected = 8 / 2 * (one + two) / np.array([5, 2, 1])
    np.testing.assert_allclose(deepwalk_matrix(weights, 2, 1), np.log(np.maximum(expected, 1)), atol=1e-12)
    np.testing.assert_allclose(deepwalk_matrix(weights, 2, 2), np.log(np.maximum(expected / 2, 1)), atol=1e-12)


def test_netmf_undirected_is_the_formula_of_the_paper() -> None:
    weights = edge_weights(SMALL, directed=False).toarray()
    inverse = np.diag(1 / weights.sum(axis=1))
    sums = sum(np.linalg.matrix_power(inverse @ weights, power) for power in range(1, 11))
    expected = np.log(np.maximum(weights.sum() / 10 * sums @ inverse, 1))
    np.testing.assert_allclose(expected, expected.T, atol=1e-12)
    embedding = NetMF(n_components=16, directed=False).fit(SMALL)
    assert embedding.target is not None
    np.testing.assert_allclose(embedding.source @ embedding.target.T, expected, atol=1e-9)


def test_hope_is_the_katz_matrix() -> None:
    dense = WEIGHTS.toarray()
    radius = np.abs(np.linalg.eigvals(dense)).max()
    assert spectral_radius(WEIGHTS) == pytest.approx(radius)
    beta = 0.5 / radius
    series = sum(np.linalg.matrix_power(beta * dense, power) for power in range(1, 80))
    np.testing.assert_allclose(katz_matrix(WEIGHTS, beta), series, atol=1e-12)
    embedding = Hope(n_components=16).fit(SMALL)
    assert embedding.target is not None
    np.testing.assert_allclose(embedding.source @ embedding.target.T, series, atol=1e-9)


def test_spectral_radius_of_what_has_no_cycles_and_of_what_is_periodic() -> None:
    assert spectral_radius(edge_weights(network_of([(0, 1, 5), (1, 2, 7), (0, 2, 1)]))) == 0.0
    assert spectral_radius(edge_weights(network_of([(0, 1, 2), (1, 0, 8)]))) == pytest.approx(4)
    cycle = [(node, (node + 1) % 600, 3) for node in range(600)]
    assert spectral_radius(edge_weights(network_of(cycle))) == pytest.approx(3)
    large = edge_weights(blocks(n_blocks=6, size=100, inside=0.05, outside=0.01))
    assert spectral_radius(large) == pytest.approx(np.abs(np.linalg.eigvals(large.toarray())).max())


def test_grarep_steps_side_by_side() -> None:
    steps = WEIGHTS.toarray() / WEIGHTS.toarray().sum(axis=1, keepdims=True)
    embedding = GraRep(n_components=32, steps=2).fit(SMALL)
    assert embedding.target is not None
    for columns, power in ((slice(16), steps), (slice(16, 32), steps @ steps)):
        with np.errstate(divide="ignore"):
            expected = np.maximum(np.log(power / power.sum(axis=0)) - np.log(1 / 16), 0)
        np.testing.assert_allclose(positive_log(power), expected, atol=1e-12)
        product = embedding.source[:, columns] @ embedding.target[:, columns].T
        np.testing.assert_allclose(product, expected, atol=1e-9)


def test_grarep_shares_the_columns_out() -> None:
    assert GraRep(n_components=13, steps=5).fit(SMALL).dimension == 13


def test_laplacian_solves_the_generalised_problem() -> None:
    weights = edge_weights(SMALL, directed=False).toarray()
    degrees = np.diag(weights.sum(axis=1))
    values, _ = eigh(degrees - weights, degrees)
    vectors = LaplacianEigenmaps(n_components=15, directed=False).fit(SMALL).source
    np.testing.assert_allclose((degrees - weights) @ vectors, degrees @ vectors * values[1:], atol=1e-9)
    np.testing.assert_allclose(vectors.T @ degrees @ vectors, np.eye(15), atol=1e-9)
    np.testing.assert_allclose(degrees.diagonal() @ vectors, 0, atol=1e-9)


def test_directed_laplacian_is_chungs() -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(16))
    edges = zip(SMALL.sources.tolist(), SMALL.targets.tolist(), SMALL.counts.tolist(), strict=True)
    graph.add_weighted_edges_from(edges)
    assert nx.is_strongly_connected(graph)
    flow_matrix = symmetric_flow(WEIGHTS, 1e-4).toarray()
    roots = np.sqrt(flow_matrix.sum(axis=1))
    found = np.eye(16) - flow_matrix / np.outer(roots, roots)
    np.testing.assert_allclose(found, nx.directed_laplacian_matrix(graph, walk_type="random"), atol=1e-3)


def test_lle_minimises_the_reconstruction_error() -> None:
    steps = WEIGHTS.toarray() / WEIGHTS.toarray().sum(axis=1, keepdims=True)
    errors = np.eye(16) - steps
    values = np.linalg.eigvalsh(errors.T @ errors)
    vectors = LocallyLinear(n_components=15).fit(SMALL).source
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(15), atol=1e-9)
    np.testing.assert_allclose(vectors.sum(axis=0), 0, atol=1e-9)
    kept = np.linalg.eigvalsh(vectors.T @ errors.T @ errors @ vectors)
    assert kept.sum() <= values.sum() + 1e-9
    few = LocallyLinear(n_components=3).fit(SMALL).source
    orthogonal = np.eye(16) - 1 / 16
    best = np.linalg.eigvalsh(orthogonal @ errors.T @ errors @ orthogonal + 10 / 16)[:3]
    assert np.linalg.norm(errors @ few) ** 2 == pytest.approx(best.sum())


@pytest.mark.parametrize("method", [LaplacianEigenmaps, LocallyLinear])
def test_equal_components_are_all_found(method: type[LaplacianEigenmaps] | type[LocallyLinear]) -> None:
    """Seven equal components: 0 is an eigenvalue seven times, and so is every other one."""
    kite = [(0, 1, 3), (1, 2, 1), (2, 0, 2), (0, 3, 1), (3, 0, 1)]
    network = network_of([(4 * k + i, 4 * k + j, w) for k in range(7) for i, j, w in kite])
    vectors = method(n_components=6, directed=False).fit(network).source
    parts = np.repeat(np.eye(7), 4, axis=0)
    outside = vectors - parts @ np.linalg.lstsq(parts, vectors, rcond=None)[0]
    np.testing.assert_allclose(outside, 0, atol=1e-9)
    assert np.linalg.matrix_rank(vectors) == 6


def test_graph_factorization_gradient_is_the_slope() -> None:
    rng = np.random.default_rng(0)
    weights = csr_array(np.array([[2.0, 1, 0], [0, 0, 3], [1, 0, 0]]))
    here = rng.standard_normal(6)
    _, gradient = _loss(here, weights, 2, 0.3)
    for place in range(6):
        step = np.zeros(6)
        step[place] = 1e-6
        slope = (_loss(here + step, weights, 2, 0.3)[0] - _loss(here - step, weights, 2, 0.3)[0]) / 2e-6
        assert gradient[place] == pytest.approx(slope, abs=1e-6)


def test_graph_factorization_fits_the_weights() -> None:
    network = network_of([(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 0, 6)])
    vectors = GraphFactorization(n_components=4, regularization=1e-6, max_iterations=500).fit(network).source
    products = (vectors @ vectors.T)[network.sources, network.targets]
    np.testing.assert_allclose(products, network.counts / 3, atol=1e-3)


def test_line_fits_the_odds_of_its_samples() -> None:
    """With more columns than nodes, source_i . target_j = log(P(j|i) / (k P_noise(j))) where the loss is least."""
    matrix = np.array([[0, 6, 2], [4, 0, 4], [1, 7, 0]])
    network = network_of([(i, j, int(matrix[i, j])) for i in range(3) for j in range(3) if i != j])
    embedding = Line(n_components=16, epochs=60_000, negative=5).fit(network)
    assert embedding.target is not None
    noise = (matrix.sum(axis=0) + matrix.sum(axis=1)) ** 0.75
    noise /= noise.sum()
    # A noise node that is the hit itself is passed over, which takes P(j|i) of the noise away.
    chance = matrix / matrix.sum(axis=1, keepdims=True)
    edges = ~np.eye(3, dtype=bool)
    expected = np.log(chance[edges] / (5 * (noise * (1 - chance))[edges]))
    np.testing.assert_allclose((embedding.source @ embedding.target.T)[edges], expected, atol=0.15)


def test_alias_table_keeps_the_chances() -> None:
    weights = np.random.default_rng(0).random(101) ** 4
    chances, others = alias_table(weights)
    kept = np.minimum(chances, 1.0)
    total = kept.copy()
    np.add.at(total, others, 1 - kept)
    np.testing.assert_allclose(total / 101, weights / weights.sum(), atol=1e-12)
