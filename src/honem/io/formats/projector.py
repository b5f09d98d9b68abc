"""Vectors as the two TSV files of TensorBoard's embedding projector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honem.io.formats.names import CONTROLS, escaper, names_of
from honem.io.formats.number_text import number_rows
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import companion, output, send_lines

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding, Which


def vectors_to_projector(embedding: Embedding, path: PathLike, *, vectors: Which = "source") -> None:
    """Write the numbers to `x.tsv` and the names to `x.metadata.tsv`.

    Tabs, line ends and other control characters in names are escaped.
    """
    escape = escaper(CONTROLS)
    matrix, _ = embedding.to_matrix(vectors)
    names = [escape(name) for name in names_of(embedding.nodes)]
    with output(companion(path, ".metadata.tsv")) as metadata, output(path) as file:
        send_lines(metadata, (f"{name}\n" for name in names))
        send_lines(file, number_rows(None, matrix, "\t"))


register(
    OutputFormat(
        "projector",
        "vectors",
        ".tsv",
        "TensorBoard's embedding projector",
        vectors_to_projector,
        options=("vectors",),
        to_stdout=False,
    )
)
