"""The score "evidence": that of the vectors plus the entry of the matrix."""

from __future__ import annotations

import numpy as np
import pytest

from honem import HONEM, Corpus, ParameterError, UnknownNodeError
from honem.evaluation import LinkPrediction, Reconstruction, parse_method
from honem.evaluation.aligning import align
from honem.evaluation.datasets import city_trips

CITY = city_trips(2000)


@pytest.mark.parametrize("options", [{"preset": "evidence"}, {"preset": "spatial", "score": "cosine"}])
def test_a_score_is_that_of_the_vectors_plus_the_entry(options: dict[str, str]) -> None:
    model = HONEM(3, **options).fit(CITY.corpus)  # type: ignore[arg-type]
    embedding, dense = model.with_evidence(), model.proximity_.toarray()
    nodes = embedding.nodes
    found = np.vstack([scores for _, scores in embedding.score_blocks(np.arange(len(nodes)), "evidence")])
    for a, first in enumerate(nodes):
        for b, second in enumerate(nodes):
            expected = model.embedding_.score(first, second) + dense[a, b]
            assert embedding.score(first, second, "evidence") == pytest.approx(expected)
            assert found[a, b] == pytest.approx(expected)


def test_neighbors_are_the_highest_scores_without_the_node_itself() -> None:
    embedding = HONEM(3, preset="evidence").fit(CITY.corpus).with_evidence()
    found = embedding.neighbors("dorm north", 4, space="evidence")
    others = [node for node in embedding.nodes if node != "dorm north"]
    ranked = sorted((embedding.score("dorm north", node, "evidence") for node in others), reverse=True)
    assert [neighbor.score for neighbor in found] == pytest.approx(ranked[:4])
    assert len(embedding.neighbors("dorm north", 1000, space="evidence")) == len(others)
    with pytest.raises(UnknownNodeError):
        embedding.neighbors("mars", space="evidence")


def test_vectors_alone_have_no_such_score() -> None:
    embedding = HONEM(3, preset="evidence").fit(CITY.corpus).embedding_
    with pytest.raises(ParameterError, match="needs the matrix that was factorized"):
        embedding.neighbors("hotel", space="evidence")
    with pytest.raises(ParameterError, match="needs the matrix that was factorized"):
        embedding.score("hotel", "museum", "evidence")


def test_a_loaded_model_has_it_too(tmp_path: pytest.TempPathFactory) -> None:
    model = HONEM(3, preset="weighted").fit(CITY.corpus)
    model.save(f"{tmp_path}/model")
    loaded = HONEM.load(f"{tmp_path}/model").with_evidence()
    assert loaded.neighbors("hotel", 3, space="evidence") == model.with_evidence().neighbors(
        "hotel", 3, space="evidence"
    )


def test_link_prediction_judges_honem_by_it_as_well_but_reconstruction_does_not() -> None:
    fitted = parse_method("honem:preset='evidence'").fit(CITY.corpus, 3, 0)
    judged = {measure.score for measure in LinkPrediction(CITY.corpus, ks=(10,)).judge(fitted, 0)}
    assert judged == {"source.target", "source.source", "cosine", "evidence"}
    assert "evidence" not in {measure.score for measure in Reconstruction(CITY.corpus, ks=(10,)).judge(fitted)}


def test_nodes_in_another_order_and_unknown_ones_keep_their_entries() -> None:
    embedding = HONEM(2, preset="evidence").fit([["a", "b", "c"], ["c", "a", "b"]] * 10).with_evidence()
    aligned = align(embedding, Corpus.from_sequences([["c", "new", "a", "b"]]).vocabulary, missing="zero")
    for a, b in ("cb", "ac", "ba"):
        assert aligned.score(a, b, "evidence") == pytest.approx(embedding.score(a, b, "evidence"))
    assert aligned.score("new", "a", "evidence") == 0.0
