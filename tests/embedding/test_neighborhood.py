"""D^v and S against the sums of the definition, written out."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given

from honem import Corpus, ExtractionParams, ParameterError, RuleTable, extract_rules
from honem.embedding.neighborhood import neighborhood
from tests.strategies import corpora, params


def naive_matrices(table: RuleTable) -> list[np.ndarray]:
    n_nodes, ids = len(table.vocabulary), table.vocabulary.ids
    probabilities: dict[tuple[int, int, int], list[float]] = defaultdict(list)
    for record in table.records():
        key = (record["order"], ids[record["context"][0]], ids[record["target"]])
        probabilities[key].append(record["probability"])
    matrices = [np.zeros((n_nodes, n_nodes)) for _ in range(table.max_order)]
    for (order, i, j), values in probabilities.items():
        matrices[order - 1][i, j] = sum(values) / len(values)
    return matrices


@given(corpora(), params)
def test_matrices_are_those_of_the_definition(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    found, expected = neighborhood(table), naive_matrices(table)
    assert len(found.by_order) == len(expected)
    for matrix, naive in zip(found.by_order, expected, strict=True):
        np.testing.assert_allclose(matrix.toarray(), naive, atol=1e-12)
    weights = np.exp(-np.arange(table.max_order))
    mean = sum((w * m for w, m in zip(weights, expected, strict=True)), np.zeros((corpus.n_nodes,) * 2))
    np.testing.assert_allclose(found.matrix.toarray(), mean / weights.sum() if expected else mean, atol=1e-12)


@given(corpora(), params)
def test_counts_and_evidence_are_what_the_rules_saw(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    ids = table.vocabulary.ids
    expected = [np.zeros((corpus.n_nodes,) * 2) for _ in range(table.max_order)]
    for record in table.records():
        expected[record["order"] - 1][ids[record["context"][0]], ids[record["target"]]] += record["count"]
    counts, evidence = (neighborhood(table, weighting=name).by_order for name in ("count", "evidence"))
    assert len(counts) == len(evidence) == len(expected)
    for count, damped, naive in zip(counts, evidence, expected, strict=True):
        np.testing.assert_array_equal(count.toarray(), naive)
        np.testing.assert_allclose(damped.toarray(), np.log10(1 + 9 * naive), rtol=1e-12)


@given(corpora(), params)
def test_learnt_weights_are_cosines_with_the_first_order(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    found = neighborhood(table, "learnt", "evidence")
    others = [matrix.toarray() * (1 - np.eye(corpus.n_nodes)) for matrix in found.by_order]
    expected = np.zeros((corpus.n_nodes,) * 2)
    for order, (weight, matrix) in enumerate(zip(found.order_weights, found.by_order, strict=True), start=1):
        lengths = np.linalg.norm(others[0]) * np.linalg.norm(others[order - 1])
        cosine = (others[0] * others[order - 1]).sum() / lengths if lengths else 0.0
        assert weight == pytest.approx(1.0 if order == 1 else max(cosine, np.exp(-1.5 * (order - 1))), abs=1e-12)
        assert 0 <= weight <= 1 + 1e-12
        expected = np.maximum(expected, weight * matrix.toarray())
    np.testing.assert_allclose(found.matrix.toarray(), expected, atol=1e-12)


def test_the_papers_second_order() -> None:
    table = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5), max_order=3)
    second = neighborhood(table).order(2).toarray()
    a, b, d, e = (table.vocabulary.id(node) for node in "ABDE")
    assert second[a, d] == second[b, e] == 1
    assert second.sum() == 2


@pytest.mark.parametrize("criterion", ["significance", "divergence"])
def test_rules_without_the_target_do_not_enter_the_mean(criterion: str) -> None:
    words = {"iqj": 30, "iqk": 10, "ipj": 40, "oqz": 400, "opz": 400}
    corpus = Corpus.from_sequences([list(word) for word in words], weights=list(words.values()))
    table = extract_rules(corpus, criterion=criterion)
    assert [rule.context for rule in table.for_node("i", "oldest") if rule.order == 2] == [("i", "q"), ("i", "p")]
    i, j, k = (table.vocabulary.id(node) for node in "ijk")
    assert neighborhood(table).order(2)[i, j] == pytest.approx(0.875)
    assert neighborhood(table).order(2)[i, k] == pytest.approx(0.25)


def test_first_order_alone_is_the_transition_matrix() -> None:
    corpus = Corpus.from_sequences([list("abac"), list("cb")])
    matrix = neighborhood(extract_rules(corpus, max_order=1)).matrix.toarray()
    np.testing.assert_allclose(matrix, [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    ("order_weights", "expected"),
    [
        ("exponential", [1, np.exp(-1)]),
        ("constant", [1, 1]),
        ("increasing", [1, 2]),
        ([3, 1], [3, 1]),
        ([3, 1, 5], [3, 1]),
        (lambda k: 1 / (1 + k), [1, 0.5]),
        ([0, 1], [0, 1]),
    ],
)
def test_orders_are_weighted_as_asked(order_weights: object, expected: list[float]) -> None:
    table = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5))
    near = neighborhood(table, order_weights)  # type: ignore[arg-type]
    np.testing.assert_allclose(near.order_weights, expected)
    mean = sum(w * near.order(k + 1).toarray() for k, w in enumerate(expected)) / sum(expected)
    np.testing.assert_allclose(near.matrix.toarray(), mean)


@pytest.mark.parametrize(
    ("order_weights", "words"),
    [
        ("linear", "'learnt', 'exponential', 'constant', 'increasing'"),
        ([1], "1 values"),
        ([0, 0], "not all 0"),
        ([1, -1], "0"),
    ],
)
def test_weights_without_meaning_are_refused(order_weights: object, words: str) -> None:
    table = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5))
    with pytest.raises(ParameterError, match=words):
        neighborhood(table, order_weights)  # type: ignore[arg-type]


def test_without_rules_everything_is_zero() -> None:
    table = extract_rules(
        Corpus.from_sequences([["a", "b"]]), criterion="divergence", support="transition", min_support=2
    )
    near = neighborhood(table)
    assert near.by_order == ()
    assert near.matrix.shape == (2, 2)
    assert near.matrix.nnz == 0
