"""The parts of a store, one file each, and how they are written and read.

To store something new, add an entry to PARTS, its content to `contents` in `save`, and a field to `Store`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus, Vocabulary
from honem.embedding import Embedding
from honem.errors import InputError, ParameterError
from honem.io.labels import label_table, labels_of
from honem.io.next_step_checks import check_next_step
from honem.io.next_step_tensors import next_step_of, next_step_tensors
from honem.io.node_labels import NodeLabels
from honem.io.part_checks import check_labels, check_nodes, check_profile, check_rules, check_vectors
from honem.io.path_columns import path_columns, paths_of
from honem.io.rule_columns import rule_columns, rules_of
from honem.prediction import NextStep
from honem.profile import NodeProfile
from honem.rules import RuleTable

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP_SIZE = 1 << 17
NAME_COLUMN = "names"
"""Key of the column of names in the metadata of the file of labels."""
VECTOR_ARRAYS = ("source", "target", "singular_values", "rotation")


def _always_valid(content: object) -> None:
    """Accept any content."""


@dataclass(frozen=True)
class Part:
    """How one kind of content is kept in a file.

    Attributes
    ----------
    ending : str
        The file extension.
    write : callable
        `write(path, content)` writes a file. The same content must give the same bytes, for an unchanged file is
        recognized by its hash and kept.
    read : callable
        `read(path, vocabulary)` returns the content; the vocabulary holds the nodes of the store. It raises InputError
        if the file does not hold such content.
    check : callable
        `check(content)` raises ParameterError if other code could not use the content. It is called before writing
        and after reading; by default all contents are valid.
    """

    ending: str
    write: Callable[[Path, Any], None]
    read: Callable[[Path, Vocabulary], Any]
    check: Callable[[Any], None] = _always_valid


def _write_nodes(path: Path, nodes: Vocabulary) -> None:
    """Write the label of each node, in row order."""
    _write_table(path, label_table(nodes.labels))


def _read_nodes(path: Path, _: Vocabulary) -> Vocabulary:
    """Read the labels of all nodes."""
    return Vocabulary(labels_of(_read_table(path), str(path)))


def _write_vectors(path: Path, embedding: Embedding) -> None:
    """Write source, target and singular values of an embedding."""
    named = {name: getattr(embedding, name) for name in VECTOR_ARRAYS}
    # safetensors writes the memory of an array as it is, ignoring its strides.
    _write_tensors(path, {name: np.ascontiguousarray(values) for name, values in named.items() if values is not None})


def _read_vectors(path: Path, vocabulary: Vocabulary) -> Embedding:
    """Read the embedding of the nodes of a vocabulary."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(path)
        return Embedding(
            vocabulary,
            tensors["source"],
            tensors.get("target"),
            tensors.get("singular_values"),
            rotation=tensors.get("rotation"),
        )
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not hold the vectors of {len(vocabulary)} nodes: {error}") from None


def _write_rules(path: Path, rules: RuleTable) -> None:
    """Write rules, with nodes as row numbers, and the parameters of their extraction."""
    _write_table(path, rule_columns(rules))


def _read_rules(path: Path, vocabulary: Vocabulary) -> RuleTable:
    """Read rules about the nodes of a vocabulary."""
    return rules_of(_read_table(path), vocabulary, str(path))


def _write_profile(path: Path, profile: NodeProfile) -> None:
    """Write the columns of a profile; its rows are those of the nodes."""
    import pyarrow as pa

    columns = [np.ascontiguousarray(column) for column in profile.values.T]
    _write_table(path, pa.table(columns, names=list(profile.columns)))


def _read_profile(path: Path, vocabulary: Vocabulary) -> NodeProfile:
    """Read the profile of the nodes of a vocabulary."""
    table = _read_table(path)
    try:
        values = np.column_stack([column.to_numpy() for column in table.columns])
        return NodeProfile(vocabulary, values.astype(np.float64), tuple(table.column_names))
    except (ParameterError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not hold the profile of {len(vocabulary)} nodes: {error}") from None


def _write_node_labels(path: Path, labels: NodeLabels) -> None:
    """Write the columns of labels; their rows are those of the nodes."""
    import pyarrow as pa

    columns = [pa.array(texts, pa.large_string()) for texts in labels.columns.values()]
    table = pa.table(columns, names=list(labels.columns))
    has_names = labels.name_column is not None
    _write_table(path, table.replace_schema_metadata({NAME_COLUMN: labels.name_column} if has_names else None))


def _read_node_labels(path: Path, vocabulary: Vocabulary) -> NodeLabels:
    """Read the labels of the nodes of a vocabulary."""
    table = _read_table(path)
    names = (table.schema.metadata or {}).get(NAME_COLUMN.encode())
    try:
        if len(set(table.column_names)) < len(table.column_names):
            raise ParameterError("a column is there twice")
        columns = {name: tuple(column.to_pylist()) for name, column in zip(table.column_names, table, strict=True)}
        return NodeLabels(vocabulary, columns, None if names is None else names.decode())
    except (ParameterError, UnicodeDecodeError) as error:
        raise InputError(f"{path} does not hold the labels of {len(vocabulary)} nodes: {error}") from None


def _write_paths(path: Path, corpus: Corpus) -> None:
    """Write the sequences of a corpus, with nodes as row numbers."""
    _write_table(path, path_columns(corpus))


def _read_paths(path: Path, vocabulary: Vocabulary) -> Corpus:
    """Read sequences of the nodes of a vocabulary."""
    return paths_of(_read_table(path), vocabulary, str(path))


def _write_continuation(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write what an update needs to know of an extraction, besides rules and paths."""
    _write_tensors(path, dict(tensors))


def _read_continuation(path: Path, _: Vocabulary) -> dict[str, NDArray[Any]]:
    """Read the arrays; whether they fit the rules and paths is checked when a model is updated."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _write_next_step(path: Path, model: NextStep) -> None:
    """Write the contexts, counts and parameters of a model of the next step."""
    _write_tensors(path, next_step_tensors(model))


def _read_next_step(path: Path, vocabulary: Vocabulary) -> NextStep:
    """Read a model of the next step, which has no vectors yet."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return next_step_of(load_file(path), vocabulary)
    except (SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"{path} does not hold a next-step model of {len(vocabulary)} nodes: {error}") from None


PARTS = {
    "nodes": Part(".parquet", _write_nodes, _read_nodes, check_nodes),
    "vectors": Part(".safetensors", _write_vectors, _read_vectors, check_vectors),
    "rules": Part(".parquet", _write_rules, _read_rules, check_rules),
    "profile": Part(".parquet", _write_profile, _read_profile, check_profile),
    "next_step": Part(".safetensors", _write_next_step, _read_next_step, check_next_step),
    "labels": Part(".parquet", _write_node_labels, _read_node_labels, check_labels),
    "paths": Part(".parquet", _write_paths, _read_paths),
    "continuation": Part(".safetensors", _write_continuation, _read_continuation),
}


def file_name(part: str, digest: str) -> str:
    """Return the name of the file of a part whose content has a SHA-256.

    >>> file_name("nodes", "0123456789abcdef" * 4)
    'nodes-0123456789abcdef.parquet'
    """
    return f"{part}-{digest[:16]}{PARTS[part].ending}"


def is_part_file(name: str) -> bool:
    """Return whether a name is one that a file of a store has.

    >>> is_part_file("nodes-0123456789abcdef.parquet"), is_part_file("nodes.parquet")
    (True, False)
    """
    found = re.fullmatch(r"([a-z_]+)-[0-9a-f]{16}(\.[a-z]+)", name)
    return found is not None and found[1] in PARTS and PARTS[found[1]].ending == found[2]


def _write_tensors(path: Path, tensors: dict[str, NDArray[Any]]) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file(tensors, path)
    except SafetensorError as error:
        raise _as_os_error(error) from None


def _write_table(path: Path, table: pa.Table) -> None:
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(table, file, compression="zstd", row_group_size=ROW_GROUP_SIZE)


def _read_table(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Not pq.read_table: a folder whose name looks like `key=value` must not become a column. As bytes, because a
        # name need not be UTF-8; not as a file of Python, because Arrow's threads may still hold it when Python ends,
        # which aborts the process. Closed at once, because Windows removes no open file.
        with pa.OSFile(os.fsencode(path)) as file, pq.ParquetFile(file) as table:
            found = table.read()
        found.validate(full=True)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    return found


def _as_os_error(error: Exception) -> OSError:
    """Return the error of the operating system that safetensors reports in its message."""
    found = re.search(r"(?:os error|code:) (\d+)", str(error))
    number = int(found[1]) if found else 0
    return OSError(number, os.strerror(number) if number else str(error))
