"""Vectors from elsewhere become embeddings, or a clear refusal."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from honem import Embedding, InputError, ParameterError, Vocabulary, save, write_vectors
from honem.io.vectors import read_vectors

NODES = ("Paris", "New York", "<script>", "ü", "=1")
RANDOM = np.random.default_rng(0)
EMBEDDING = Embedding(Vocabulary(NODES), RANDOM.normal(size=(5, 3)), RANDOM.normal(size=(5, 3)))


@pytest.mark.parametrize("name", ["v.vec", "v.csv", "v.parquet"])
def test_what_honem_writes_it_reads(tmp_path: Path, name: str) -> None:
    write_vectors(EMBEDDING, tmp_path / name)
    found = read_vectors(tmp_path / name)
    assert found.nodes == NODES
    np.testing.assert_allclose(found.source, EMBEDDING.source)
    if name != "v.vec":
        assert found.target is not None
        assert EMBEDDING.target is not None
        np.testing.assert_allclose(found.target, EMBEDDING.target)


def test_a_store_is_read_as_well(tmp_path: Path) -> None:
    save(tmp_path / "store", EMBEDDING)
    np.testing.assert_array_equal(read_vectors(tmp_path / "store").source, EMBEDDING.source)


def test_a_table_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_text("id\tx\ty\n7\t1\t2.5\n8\t0\t-1\n")
    found = read_vectors(tmp_path / "v.tsv")
    assert found.nodes == ("7", "8")
    np.testing.assert_array_equal(found.source, [[1, 2.5], [0, -1]])
    assert found.target is None


@pytest.mark.parametrize("name", ["v.vec", "v.csv"])
def test_compressed_text_is_read_as_well(tmp_path: Path, name: str) -> None:
    write_vectors(EMBEDDING, tmp_path / name)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    found, expected = read_vectors(tmp_path / f"{name}.gz"), read_vectors(tmp_path / name)
    assert found.nodes == expected.nodes
    np.testing.assert_array_equal(found.source, expected.source)


def test_parquet_keeps_whole_numbers_as_nodes(tmp_path: Path) -> None:
    write_vectors(Embedding(Vocabulary((7, 8)), np.eye(2)), tmp_path / "v.parquet")
    found = read_vectors(tmp_path / "v.parquet")
    assert found.nodes == (7, 8)
    np.testing.assert_array_equal(found.source, np.eye(2))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("v.vec", "a b c\n", "line 1"),
        ("v.vec", "2 2\na 1 2\n", "1 nodes, not 2"),
        ("v.vec", "1 2\na 1\n", "line 2"),
        ("v.vec", "1 2\na 1 x\n", "line 2"),
        ("v.csv", "node,x\na,1\na,2\n", "twice"),
        ("v.vec", "2 1\na 1\na 2\n", "line 3: the node 'a' occurs twice"),
        ("v.csv", "node,x\na,one\n", "line 2: 'one' in column 'x' is not a number"),
        ("v.csv", "node\na\n", "two or more columns"),
        ("v.csv", "node,target_0\na,1\n", "only target vectors"),
        ("v.csv", "node,x\na,\n", "missing or not finite"),
        ("v.csv", "node,x,y\na,1\n", "line 2: the header has 3 fields, this row has 2"),
        ("v.csv", "node,x\na,nan\n", "missing or not finite"),
        ("v.parquet", "nonsense", "cannot be read"),
    ],
)
def test_what_is_no_table_of_vectors_is_refused(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words):
        read_vectors(tmp_path / name)


def test_unknown_endings_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"\.vec, \.txt, \.csv"):
        read_vectors(tmp_path / "v.xls")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_vectors(tmp_path / "v.csv")
