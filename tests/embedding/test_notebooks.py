"""Embeddings and corpora as NumPy and notebooks see them."""

from __future__ import annotations

import numpy as np
import pytest

from honem import Corpus, Embedding, UnknownNodeError, Vocabulary

EMBEDDING = Embedding(Vocabulary(("<b>", "b", ("t", 1))), np.arange(24.0).reshape(3, 8))


def test_numpy_gets_the_vectors() -> None:
    assert np.array_equal(np.asarray(EMBEDDING), EMBEDDING.source)
    assert np.asarray(EMBEDDING, np.float32).dtype == np.float32
    copied = np.array(EMBEDDING)
    copied[0] = -1
    assert EMBEDDING.source[0, 0] == 0


def test_several_nodes_at_once() -> None:
    assert EMBEDDING[["b", "<b>"]].tolist() == EMBEDDING.source[[1, 0]].tolist()
    assert EMBEDDING[("t", 1)].tolist() == EMBEDDING.source[2].tolist()
    with pytest.raises(UnknownNodeError):
        EMBEDDING[["b", "z"]]


def test_notebooks_show_tables_with_all_text_escaped() -> None:
    for shown in (EMBEDDING._repr_html_(), Corpus.from_sequences([["<b>", "b"]] * 20)._repr_html_()):
        assert shown.startswith("<table>")
        assert "&lt;b&gt;" in shown
        assert "<b>" not in shown
        assert shown.count("<tr>") <= 11
