"""Vectors as a NumPy `.npz` archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from honem.io.formats.names import nodes_json
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import output

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding


def vectors_to_npz(embedding: Embedding, path: PathLike) -> None:
    """Write all arrays; `nodes_json` holds the bytes of a JSON list: `json.loads(bytes(arrays["nodes_json"]))`.

    An array of strings would pad each to the longest and lose trailing zero characters; an array of objects would need
    pickle, which can execute code when it is loaded.
    """
    named = {"source": embedding.source, "target": embedding.target, "singular_values": embedding.singular_values}
    arrays: dict[str, Any] = {name: values for name, values in named.items() if values is not None}
    with output(path) as file:
        # Without allow_pickle, which NumPy 2.0 would store as one more array.
        np.savez(file, nodes_json=np.frombuffer(nodes_json(embedding.nodes), np.uint8), **arrays)


register(OutputFormat("npz", "vectors", ".npz", "NumPy, all arrays", vectors_to_npz, to_stdout=False))
