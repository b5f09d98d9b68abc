"""Scores that add the entry of the matrix to the score of the vectors."""

from __future__ import annotations

import numpy as np
import pytest

from honem import HONEM, ParameterError, UnknownNodeError
from honem.evaluation import parse_method
from honem.evaluation.datasets import city_trips

CITY = city_trips(2000)


@pytest.mark.parametrize("options", [{"preset": "evidence"}, {"preset": "spatial", "score": "cosine"}])
def test_a_score_is_that_of_the_vectors_plus_the_entry(options: dict[str, str]) -> None:
    model = HONEM(3, **options).fit(CITY.corpus)  # type: ignore[arg-type]
    scores, dense = model.evidence_scores(), model.proximity_.toarray()
    nodes = model.embedding_.nodes
    found = scores.scores_from(np.arange(len(nodes)))
    for a, first in enumerate(nodes):
        for b, second in enumerate(nodes):
            expected = model.embedding_.score(first, second) + dense[a, b]
            assert scores.score(first, second) == pytest.approx(expected)
            assert found[a, b] == pytest.approx(expected)


def test_neighbors_are_the_highest_scores_without_the_node_itself() -> None:
    scores = HONEM(3, preset="evidence").fit(CITY.corpus).evidence_scores()
    found = scores.neighbors("dorm north", 4)
    others = [node for node in scores.vocabulary if node != "dorm north"]
    ranked = sorted((scores.score("dorm north", node) for node in others), reverse=True)
    assert [neighbor.score for neighbor in found] == pytest.approx(ranked[:4])
    assert len(scores.neighbors("dorm north", 1000)) == len(others)
    with pytest.raises(UnknownNodeError):
        scores.neighbors("mars")
    with pytest.raises(ParameterError, match="n must be"):
        scores.neighbors("hotel", 0)


def test_a_loaded_model_has_them_too(tmp_path: pytest.TempPathFactory) -> None:
    model = HONEM(3, preset="weighted").fit(CITY.corpus)
    model.save(f"{tmp_path}/model")
    loaded = HONEM.load(f"{tmp_path}/model").evidence_scores()
    assert loaded.neighbors("hotel", 3) == model.evidence_scores().neighbors("hotel", 3)


def test_they_are_a_method_to_compare() -> None:
    fitted = parse_method("honem+evidence:preset='evidence'", ["scores"]).fit(CITY.corpus, 3, 0)
    expected = HONEM(3, preset="evidence").fit(CITY.corpus).evidence_scores()
    np.testing.assert_array_equal(fitted.scores_from(np.arange(2)), expected.scores_from(np.arange(2)))
