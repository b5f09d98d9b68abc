"""Vectors in every format are the vectors, read back by honem's own eyes and by other tools."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from honem import Embedding, MissingDependencyError, OutputError, ParameterError, Vocabulary
from honem.io.formats import number_text
from honem.io.formats.names import plain_name, unescape
from honem.io.formats.objects import to_torch
from honem.io.formats.registry import output_formats
from honem.io.formats.writing import plan_output, write_vectors
from honem.network import higher_order_network
from tests.io.formats.nasty import NASTY, nasty_embedding, nasty_rules, pandas_reads_nul

BOTH = np.hstack((nasty_embedding().source, nasty_embedding().target))  # type: ignore[arg-type]
NODES = list(nasty_embedding().nodes)


@pytest.fixture
def nasty(monkeypatch: pytest.MonkeyPatch) -> Embedding:
    monkeypatch.setattr(number_text, "ROWS_AT_ONCE", 5)
    return nasty_embedding()


def lines_of(path: Path) -> list[str]:
    """Lines end at line feeds only, whatever else Python takes for the end of a line."""
    *lines, rest = path.read_text(encoding="utf-8").split("\n")
    assert rest == ""
    return lines


def test_all_nasty_names_are_there() -> None:
    assert sorted(NODES, key=str) == sorted(NASTY)


def test_nasty_names_come_back_from_parquet(nasty: Embedding, tmp_path: Path) -> None:
    nasty.to_parquet(tmp_path / "vectors.parquet")
    table = pq.read_table(tmp_path / "vectors.parquet")
    assert table["node"].to_pylist() == NODES
    assert table["source"].to_pylist() == nasty.source.tolist()
    frame = pd.read_parquet(tmp_path / "vectors.parquet")
    np.testing.assert_array_equal(np.stack(frame["target"].tolist()), nasty.target)


def test_nasty_names_come_back_from_csv(nasty: Embedding, tmp_path: Path) -> None:
    nasty.to_csv(tmp_path / "vectors.csv")
    with (tmp_path / "vectors.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["node", *(f"{side}_{i}" for side in ("source", "target") for i in range(3))]
    assert [row[0] for row in rows] == NODES
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], float), BOTH)


@pandas_reads_nul
def test_pandas_reads_csv(nasty: Embedding, tmp_path: Path) -> None:
    nasty.to_csv(tmp_path / "vectors.csv")
    frame = pd.read_csv(tmp_path / "vectors.csv", keep_default_na=False, index_col="node")
    assert frame.index.tolist() == NODES
    pd.testing.assert_frame_equal(frame, nasty.to_pandas(), check_index_type=False)


def test_no_spreadsheet_takes_a_name_for_a_formula_when_asked(nasty: Embedding, tmp_path: Path) -> None:
    write_vectors(nasty, tmp_path / "vectors.csv", spreadsheet_safe=True)
    with (tmp_path / "vectors.csv").open(newline="", encoding="utf-8") as file:
        names = [row["node"] for row in csv.DictReader(file)]
    assert not any(name.startswith(("=", "+", "-", "@", "\t", "\r")) for name in names)
    assert [plain_name(name) for name in names] == NODES


@pytest.mark.parametrize("which", ["source", "target", "both"])
def test_nasty_names_come_back_from_npy(nasty: Embedding, tmp_path: Path, which: str) -> None:
    write_vectors(nasty, tmp_path / "vectors.npy", vectors=which)
    expected = {"source": nasty.source, "target": nasty.target, "both": BOTH}[which]
    np.testing.assert_array_equal(np.load(tmp_path / "vectors.npy", allow_pickle=False), expected)
    assert json.loads((tmp_path / "vectors.nodes.json").read_bytes()) == NODES
    assert len(list(tmp_path.iterdir())) == 2


def test_nasty_names_come_back_from_npz(nasty: Embedding, tmp_path: Path) -> None:
    nasty.to_numpy(tmp_path / "vectors.npz")
    with np.load(tmp_path / "vectors.npz", allow_pickle=False) as arrays:
        assert json.loads(bytes(arrays["nodes_json"])) == NODES
        for name in ("source", "target", "singular_values"):
            np.testing.assert_array_equal(arrays[name], getattr(nasty, name))


def test_nasty_names_come_back_from_word2vec(nasty: Embedding, tmp_path: Path) -> None:
    nasty.to_word2vec(tmp_path / "vectors.vec")
    header, *lines = lines_of(tmp_path / "vectors.vec")
    rows = [line.split() for line in lines]
    assert header.split() == [str(len(nasty)), "3"]
    assert [unescape(row[0]) for row in rows] == NODES
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], float), nasty.source)


def test_gensim_reads_word2vec(nasty: Embedding, tmp_path: Path) -> None:
    keyed_vectors = pytest.importorskip("gensim.models", reason="reads the format: pip install gensim").KeyedVectors
    write_vectors(nasty, tmp_path / "vectors.vec", vectors="both")
    model = keyed_vectors.load_word2vec_format(tmp_path / "vectors.vec", binary=False, datatype=np.float64)
    assert [unescape(name) for name in model.index_to_key] == NODES
    np.testing.assert_array_equal(model.vectors, BOTH)
    assert "two_x0020_words" in model


def test_nasty_names_come_back_from_the_projector(nasty: Embedding, tmp_path: Path) -> None:
    write_vectors(nasty, tmp_path / "vectors.tsv", vectors="target")
    assert [unescape(line) for line in lines_of(tmp_path / "vectors.metadata.tsv")] == NODES
    assert not any("\t" in line for line in lines_of(tmp_path / "vectors.metadata.tsv"))
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "vectors.tsv", delimiter="\t"), nasty.target)


def test_scikit_learn_takes_the_matrix(nasty: Embedding) -> None:
    from sklearn.neighbors import NearestNeighbors

    matrix, nodes = nasty.to_matrix("both")
    found = NearestNeighbors(n_neighbors=1).fit(matrix).kneighbors(nasty.to_matrix("both")[0], return_distance=False)
    assert nodes[found[:, 0]].tolist() == NODES


def test_tuples_can_be_nodes_of_a_matrix() -> None:
    nodes = Embedding(Vocabulary(((1, 2), (3, 4))), np.eye(2)).to_matrix()[1]
    assert nodes.tolist() == [(1, 2), (3, 4)]


def test_without_targets_there_is_one_vector_a_node(tmp_path: Path) -> None:
    embedding = Embedding(Vocabulary((1, 2)), np.eye(2))
    for format in output_formats("vectors"):
        write_vectors(embedding, tmp_path / f"vectors{format.extension}")
    assert lines_of(tmp_path / "vectors.csv") == ["node,source_0,source_1", "1,1,0", "2,0,1"]
    assert pq.read_table(tmp_path / "vectors.parquet")["node"].to_pylist() == [1, 2]
    assert json.loads((tmp_path / "vectors.nodes.json").read_bytes()) == [1, 2]
    with pytest.raises(ParameterError, match="no 'target'"):
        write_vectors(embedding, tmp_path / "target.vec", vectors="target")
    assert not (tmp_path / "target.vec").exists()


def test_an_unknown_ending_or_place_is_refused(nasty: Embedding, tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"'\.mat'.*use one of \.csv, \.atlas, \.npy, \.npz, \.parquet, \.tsv, \.vec"
    ):
        write_vectors(nasty, tmp_path / "vectors.mat")
    with pytest.raises(OutputError, match="create the folder first"):
        plan_output(tmp_path / "no" / "vectors.csv", "vectors")
    with pytest.raises(ParameterError, match="'source', 'target', 'both'"):
        nasty.to_matrix("neither")  # type: ignore[arg-type]


def test_torch_is_asked_for_by_name(nasty: Embedding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependencyError, match="pip install torch"):
        nasty.to_torch()


@pytest.mark.parametrize("real", [True, False], ids=["with torch", "with a stand-in"])
def test_tensors_for_pytorch_geometric(nasty: Embedding, monkeypatch: pytest.MonkeyPatch, real: bool) -> None:
    if real:
        pytest.importorskip("torch", reason="makes the tensors: pip install torch")
    else:
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_numpy=np.asarray))
    network = higher_order_network(nasty_rules())
    x, edge_index, edge_weight = (np.asarray(tensor) for tensor in to_torch(nasty, network).values())
    np.testing.assert_array_equal(edge_index, [network.sources, network.targets])
    assert [array.dtype.name for array in (x, edge_index, edge_weight)] == ["float32", "int64", "float32"]
    expected = [nasty[network.context(number)[-1]] for number in range(network.n_nodes)]
    np.testing.assert_allclose(x, expected, rtol=1e-6)
    np.testing.assert_allclose(nasty.to_torch()["x"], nasty.source, rtol=1e-6)
