"""Vectors as a NumPy `.npy` file, with the nodes in a JSON file next to it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from honem.io.formats.names import nodes_json
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import companion, output

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding, Which


def vectors_to_npy(embedding: Embedding, path: PathLike, *, vectors: Which = "source") -> None:
    """Write one matrix as `x.npy`, and the node of each row as a JSON list in `x.nodes.json`."""
    matrix, _ = embedding.to_matrix(vectors)
    with output(companion(path, ".nodes.json")) as nodes, output(path) as file:
        nodes.write(nodes_json(embedding.nodes))
        # Not the file itself: when NumPy writes past its buffers, it does not say why a write failed.
        np.save(SimpleNamespace(write=file.write), matrix, allow_pickle=False)


register(
    OutputFormat("npy", "vectors", ".npy", "NumPy, one matrix", vectors_to_npy, options=("vectors",), to_stdout=False)
)
