"""Vectors in the text format of word2vec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honem.io.formats.names import CONTROLS, escaper, names_of
from honem.io.formats.number_text import number_rows, with_header
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import write_lines

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding, Which


def vectors_to_word2vec(embedding: Embedding, path: PathLike, *, vectors: Which = "source") -> None:
    """Write a line with both sizes, then one line per node: its name and its numbers, separated by spaces.

    White space and control characters in names are escaped (`New_x0020_York`); `honem.io.formats.names.unescape`
    reverses it.
    """
    escape = escaper(r"\s" + CONTROLS)
    matrix, _ = embedding.to_matrix(vectors)
    names = [escape(name) for name in names_of(embedding.nodes)]
    write_lines(path, with_header(f"{len(names)} {matrix.shape[1]}", number_rows(names, matrix, " ")))


register(
    OutputFormat("word2vec", "vectors", ".vec", "gensim, fastText tools", vectors_to_word2vec, options=("vectors",))
)
