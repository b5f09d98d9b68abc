"""The file for Embedding Atlas has the neighbors of `Embedding.neighbors` and the labels of the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from honem import HONEM, ParameterError, write_vectors
from honem.cli import main
from honem.corpus import Vocabulary
from honem.io.node_labels import NodeLabels

PATHS = [[7, 3, 5, 9], [9, 5, 3, 7], [7, 5, 9, 3]] * 5
LABELS = {"name": {7: "Falkenberg", 3: "=1+1"}, "x": {7: "left"}}


def test_rows_of_neighbors_and_labels_are_those_of_the_model(tmp_path: Path) -> None:
    model = HONEM(2).fit(PATHS, labels=LABELS)
    model.save(tmp_path / "store")
    file = tmp_path / "atlas.parquet"
    assert main(["export", str(tmp_path / "store"), "--format", "embedding-atlas", "-o", str(file)]) == 0
    rows = pq.read_table(file).to_pylist()
    nodes = [row["node"] for row in rows]
    assert nodes == list(model.embedding_.nodes)
    for row in rows:
        expected = model.embedding_.neighbors(row["node"], 10, space="cosine")
        found = row["neighbors"]
        assert [nodes[place] for place in found["ids"]] == [node for node, _ in expected]
        np.testing.assert_allclose(1 - np.array(found["distances"]), [score for _, score in expected])
    assert {row["node"]: (row["name"], row["label_x"]) for row in rows}[7] == ("Falkenberg", "left")
    assert {row["name"] for row in rows} == {"Falkenberg", "=1+1", None}


def test_labels_of_other_nodes_are_refused(tmp_path: Path) -> None:
    embedding = HONEM(2).fit(PATHS).embedding_
    others = NodeLabels.of({"name": {1: "one"}}, Vocabulary((1, 2)))
    with pytest.raises(ParameterError, match="about the nodes of the embedding"):
        write_vectors(embedding, tmp_path / "x.atlas", labels=others)
    assert not any(tmp_path.iterdir())
