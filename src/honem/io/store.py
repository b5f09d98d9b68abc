"""The store: one folder with vectors, nodes, rules and a manifest that says where they came from.

    vectors.safetensors   source, target, singular_values
    nodes.parquet         the node of each row
    rules.parquet         a rule a row, nodes as row numbers of nodes.parquet; the options it was made with
    manifest.json         parameters, seed, versions, counts, what was read, the SHA-256 of each file

A store appears whole or not at all, and one that is replaced stays whole until the new one takes its place.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.corpus import Vocabulary
from honem.embedding import Embedding
from honem.errors import InputError, OutputError, ParameterError
from honem.io.atomic import SET_ASIDE, PathLike, check_folder_of, real_place, siblings, told_as_output_error
from honem.io.folders import atomic_folder
from honem.io.labels import label_table, labels_of
from honem.io.rule_columns import plain, rule_columns, rules_of
from honem.rules import RuleTable

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT, FORMAT_VERSION = "honem store", 1
VECTORS, NODES, RULES, MANIFEST = "vectors.safetensors", "nodes.parquet", "rules.parquet", "manifest.json"
RULES_AT_ONCE = 1 << 17
RECIPE_PIECES = ("preset", "weighting", "order_weights", "transforms", "spectrum", "tilt", "rank_share")


@dataclass(frozen=True, eq=False)
class Store:
    """The contents of a store.

    `rules` is None if none were saved or none were asked for; `recipe` describes how the rules became the vectors
    (`Recipe.from_dict` reads it) and is None if it was not saved.
    """

    embedding: Embedding
    rules: RuleTable | None
    manifest: dict[str, Any]
    recipe: Mapping[str, Any] | None = None


def save(
    directory: PathLike,
    embedding: Embedding,
    rules: RuleTable | None = None,
    *,
    recipe: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write a store; one that is there already is replaced only by force, and anything else never.

    `recipe` is how the rules became the vectors (`Recipe.to_dict()`); without it, scores of pairs cannot be explained.
    `parameters` are what the vectors were made with, `facts` whatever else should be known of them: the files that
    were read and their hashes, counts, timings.
    """
    if rules is not None and rules.vocabulary.labels != embedding.nodes:
        raise ParameterError(
            f"the rules are about {len(rules.vocabulary)} nodes that are not the {len(embedding)} of the embedding"
        )
    check_target(directory, force=force)
    with atomic_folder(directory, lambda place: _check_replaceable(place, force)) as folder:
        _write_table(folder / NODES, label_table(embedding.nodes))
        _write_vectors(folder / VECTORS, embedding)
        # safetensors makes files that nobody else may read.
        shutil.copymode(folder / NODES, folder / VECTORS)
        if rules is not None:
            _write_table(folder / RULES, rule_columns(rules))
        manifest = _manifest(folder, embedding, rules, parameters or {}, facts or {})
        if recipe is not None:
            manifest["recipe"] = dict(recipe)
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, default=plain) + "\n", encoding="utf-8")


def check_target(directory: PathLike, *, force: bool = False) -> None:
    """Refuse, before any work is done, a folder that `save` could not write."""
    with told_as_output_error(directory):
        check_folder_of(directory)
        _check_replaceable(real_place(directory), force)


def _check_replaceable(place: Path, force: bool) -> None:
    if os.path.exists(place) and not os.path.isdir(place):
        raise OutputError(f"{place} is a file, not a folder; choose another name")
    there = set(os.listdir(place)) if os.path.exists(place) else set()
    if not there:
        return
    manifest = _manifest_or_none(place)
    if manifest is None:
        raise OutputError(f"{place} was not written by honem and is never overwritten; choose another name")
    foreign = sorted(there - {MANIFEST, *manifest["files"]})
    if foreign:
        raise OutputError(f"{place} also holds {foreign[0]!r}, which honem did not write; move it elsewhere first")
    if not force:
        raise OutputError(f"{place} holds a store already; replace it by force (--force) or choose another name")


def load(directory: PathLike, *, with_rules: bool = True) -> Store:
    """Read a store, and refuse one whose files are not, byte for byte, what was written.

    `with_rules=False` leaves the rules on the disk, for those who only want vectors.
    """
    while True:
        # A store that is replaced while it is read could give old vectors and new rules; then it is read again.
        with _same_folder(real_place(directory)) as is_same:
            try:
                store = _read_store(real_place(directory), os.fspath(directory), with_rules)
            except InputError:
                if is_same():
                    raise
            else:
                if is_same():
                    return store


@contextmanager
def _same_folder(place: Path) -> Iterator[Callable[[], bool]]:
    """A function that tells whether a folder is still the one it was. While it is open its number is not given away."""
    descriptor = os.open(place, os.O_RDONLY) if os.path.isdir(place) else None

    def is_same() -> bool:
        if descriptor is None or not os.path.exists(place):
            return descriptor is None and not os.path.isdir(place)
        return os.path.samestat(os.fstat(descriptor), os.stat(place))

    try:
        yield is_same
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _read_store(place: Path, shown: str, with_rules: bool) -> Store:
    manifest = _read_manifest(place, shown)
    files = manifest["files"]
    wanted = [VECTORS, NODES, *([RULES] if with_rules and RULES in files else [])]
    for name in wanted:
        _check_file(place / name, files.get(name))
    nodes = labels_of(_read_table(place / NODES), str(place / NODES))
    embedding = _read_embedding(place / VECTORS, Vocabulary(nodes))
    rules = rules_of(_read_table(place / RULES), embedding.vocabulary, str(place / RULES)) if RULES in wanted else None
    counts = _counts(embedding, rules)
    written = {name: manifest["counts"].get(name) for name in counts}
    if counts != written:
        raise InputError(f"{place / MANIFEST} does not fit its files: it says {written}, they hold {counts}")
    return Store(embedding, rules, manifest, _stored_recipe(manifest))


def _stored_recipe(manifest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the recipe in a manifest; version 0.1.0 wrote its pieces among the parameters."""
    if "recipe" in manifest:
        found: Mapping[str, Any] = manifest["recipe"]
        return found
    parameters = manifest.get("parameters", {})
    return {name: parameters[name] for name in RECIPE_PIECES if parameters.get(name) is not None} or None


def _write_vectors(path: Path, embedding: Embedding) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    named = {"source": embedding.source, "target": embedding.target, "singular_values": embedding.singular_values}
    # safetensors takes the memory of an array as it lies, whatever its strides say.
    tensors = {name: np.ascontiguousarray(values) for name, values in named.items() if values is not None}
    try:
        save_file(tensors, path)
    except SafetensorError as error:
        raise _as_os_error(error) from None


def _as_os_error(error: Exception) -> OSError:
    """What the system said, out of the words of a library that packs it away."""
    found = re.search(r"os error (\d+)", str(error))
    number = int(found[1]) if found else 0
    return OSError(number, os.strerror(number) if number else str(error))


def _read_embedding(path: Path, vocabulary: Vocabulary) -> Embedding:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(path)
        source, target = tensors["source"], tensors.get("target")
        if target is not None and target.shape != source.shape:
            raise InputError(f"{path}: source has shape {source.shape}, target {target.shape}")
        return Embedding(vocabulary, source, target, tensors.get("singular_values"))
    except (SafetensorError, KeyError, ParameterError) as error:
        raise InputError(f"{path} does not hold the vectors of {len(vocabulary)} nodes: {error}") from None


def _write_table(path: Path, table: pa.Table) -> None:
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(table, file, compression="zstd", row_group_size=RULES_AT_ONCE)


def _read_table(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A plain read: the folder's name, if it looks like `key=value`, must not become a column.
        return pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _manifest(
    folder: Path,
    embedding: Embedding,
    rules: RuleTable | None,
    parameters: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    import honem

    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"honem": honem.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "parameters": dict(parameters),
        "seed": parameters.get("random_state", parameters.get("seed")),
        "facts": dict(facts),
        "counts": _counts(embedding, rules),
        "files": {file.name: _identity(file) for file in sorted(folder.iterdir())},
    }


def _counts(embedding: Embedding, rules: RuleTable | None) -> dict[str, int]:
    counts = {"nodes": len(embedding), "dimensions": embedding.dimension}
    if rules is not None:
        counts |= {"rules": rules.n_rules, "rule_rows": len(rules), "max_order": rules.max_order}
    return counts


def _read_manifest(place: Path, shown: str) -> dict[str, Any]:
    path = place / MANIFEST
    if not os.path.exists(place):
        aside = siblings(place, SET_ASIDE)
        where = f"; the one that was being replaced is {aside[0]}: rename it back" if aside else ""
        raise InputError(f"there is no folder {shown}{where}")
    if not path.is_file():
        raise InputError(f"{shown} is not a store: it has no {MANIFEST}; `honem embed` writes one")
    manifest = _manifest_or_none(place)
    if manifest is None:
        raise InputError(f"{path} is damaged or not a manifest of honem; make the store again")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise InputError(
            f"{path}: this honem reads format version {FORMAT_VERSION}, not {manifest.get('format_version')!r}; "
            "update honem, or make the store again"
        )
    return manifest


def _manifest_or_none(place: Path) -> dict[str, Any] | None:
    """The manifest of a folder, if it has one that is whole."""
    try:
        manifest = json.loads((place / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    is_ours = isinstance(manifest, dict) and manifest.get("format") == FORMAT
    whole = is_ours and all(isinstance(manifest.get(part), dict) for part in ("files", "counts"))
    return manifest if whole else None


def _check_file(path: Path, expected: Any) -> None:
    if expected is None:
        raise InputError(f"{path} is not in the manifest; make the store again")
    try:
        found = _identity(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; make the store again") from None
    if found != expected:
        raise InputError(f"{path} is not what was written (its SHA-256 differs); make the store again")


def _identity(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": os.fstat(file.fileno()).st_size}
