"""The store: a folder with the vectors, nodes and rules of a model, and a manifest that describes them.

    vectors-<hash>.safetensors   source, target, singular_values
    nodes-<hash>.parquet         the node of each row
    rules-<hash>.parquet         one rule per row, with nodes as row numbers; the parameters of the extraction
    next_step-<hash>.safetensors counts of all contexts and parameters of the next-step model, if there is one
    manifest.json                parameters, seed, versions, counts, what was read; name and SHA-256 of each file

Data files are named after their content. To replace a store, `save` writes new data files beside the old ones, then
replaces the manifest in one step, then removes the files that it no longer lists. Files with unchanged content are
kept. `load` opens the files that the manifest lists, so it returns the old store or the new one, never a mix.
"""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from honem._internal.path_like import PathLike
from honem.corpus import Vocabulary
from honem.embedding import Embedding
from honem.errors import InputError, ParameterError
from honem.io.atomic import as_output_error, check_file_place, check_folder_place, real_place, sync_file
from honem.io.manifest import MANIFEST, Manifest, StoredFile, while_unchanged
from honem.io.parts import PARTS, file_name
from honem.io.store_folder import check_replaceable, put_in_place, staging_folder
from honem.prediction import NextStep
from honem.rules import RuleTable


@dataclass(frozen=True, eq=False)
class Store:
    """The content of a store.

    Attributes
    ----------
    embedding : Embedding
        The vectors and their nodes.
    rules : RuleTable or None
        The rules; None if none were saved, or with `load(..., with_rules=False)`.
    manifest : dict
        The content of manifest.json.
    next_step : NextStep or None
        The model of the next step; None if none was saved, or with `load(..., with_rules=False)`.
    """

    embedding: Embedding
    rules: RuleTable | None
    manifest: dict[str, Any]
    next_step: NextStep | None = None

    @property
    def recipe(self) -> Mapping[str, Any] | None:
        """How rules became vectors; None if that was not saved."""
        return Manifest(self.manifest).recipe


def save(
    directory: PathLike,
    embedding: Embedding,
    rules: RuleTable | None = None,
    *,
    next_step: NextStep | None = None,
    recipe: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write an embedding, and the rules behind it, to a store.

    The store is complete or, after an error, unchanged. Several processes may write the same store; the last one wins.

    Parameters
    ----------
    directory : str or PathLike
        The folder of the store. It is created if it does not exist; its parent must exist.
    embedding : Embedding
        Vectors and nodes.
    rules : RuleTable, default=None
        The rules that the vectors were made from, about the same nodes.
    next_step : NextStep, default=None
        The model of the next step, about the same nodes.
    recipe : Mapping, default=None
        How rules became vectors, as JSON values. Scores of a store without a recipe cannot be explained.
    parameters : Mapping, default=None
        All other parameters of the model.
    facts : Mapping, default=None
        Anything else to record: the files that were read and their hashes, counts, timings.
    force : bool, default=False
        Replace an existing store. A folder with files that honem did not write is never replaced.

    Raises
    ------
    OutputError
        If the folder cannot be written, or holds something that may not be replaced.
    ParameterError
        If the rules are about other nodes than the embedding.

    Examples
    --------
    >>> import tempfile
    >>> from honem import HONEM
    >>> model = HONEM(n_components=2).fit([["home", "downtown", "office"]] * 20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(f"{folder}/vectors", model.embedding_)
    ...     load(f"{folder}/vectors").embedding.nodes
    ('home', 'downtown', 'office')
    """
    if rules is not None and rules.vocabulary.labels != embedding.nodes:
        raise ParameterError(
            f"the rules are about {len(rules.vocabulary)} nodes that are not the {len(embedding)} of the embedding"
        )
    check_target(directory, force=force)
    contents = {"nodes": embedding.nodes, "vectors": embedding, "rules": rules, "next_step": next_step}
    parameters = dict(parameters or {})
    values = {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "recipe": None if recipe is None else dict(recipe),
        "parameters": parameters,
        "seed": parameters.get("random_state", parameters.get("seed")),
        "facts": dict(facts or {}),
    }
    with as_output_error(directory), staging_folder(real_place(directory)) as staging:
        files = _write_parts(staging, contents)
        put_in_place(staging, Manifest.of(files, _counts(embedding, rules), **values), force)


def check_target(directory: PathLike, *, force: bool = False) -> None:
    """Raise OutputError, before any work is done, if `save` could not write to a folder.

    Parameters
    ----------
    directory : str or PathLike
        The folder of the store.
    force : bool, default=False
        Whether an existing store may be replaced.
    """
    place = real_place(directory)
    with as_output_error(directory):
        with suppress(FileNotFoundError):
            os.stat(place)  # raises if the name is too long
        while_unchanged(place, lambda: check_replaceable(place, force))
        check_folder_place(directory, place if os.path.exists(place) else place.parent)
        if os.path.exists(place):
            check_file_place(place / MANIFEST)


def load(directory: PathLike, *, with_rules: bool = True) -> Store:
    """Read a store.

    Parameters
    ----------
    directory : str or PathLike
        A folder that `save` or `honem embed` wrote.
    with_rules : bool, default=True
        Whether to read the rules and the next-step model; vectors alone are quicker.

    Returns
    -------
    Store
        Its content, bit for bit as it was saved.

    Raises
    ------
    InputError
        If the folder is not a store, or one of its files is not, byte for byte, what was written.

    Examples
    --------
    >>> import tempfile
    >>> from honem import HONEM
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     HONEM(n_components=2).fit([["home", "downtown", "office"]] * 20).save(f"{folder}/model")
    ...     load(f"{folder}/model").rules.rules_by_order
    {1: 2}
    """
    place = real_place(directory)
    return while_unchanged(place, lambda: _read_store(place, os.fspath(directory), with_rules))


def _read_store(place: Path, shown: str, with_rules: bool) -> Store:
    manifest = Manifest.read(place, shown)
    vocabulary = _read_part(place, manifest, "nodes", Vocabulary(()))
    embedding = _read_part(place, manifest, "vectors", vocabulary)
    rules = _read_part(place, manifest, "rules", vocabulary) if with_rules and "rules" in manifest.files else None
    counts = _counts(embedding, rules)
    written = {name: manifest.counts.get(name) for name in counts}
    if counts != written:
        raise InputError(f"{place / MANIFEST} does not fit its files: it says {written}, they hold {counts}")
    return Store(embedding, rules, manifest.values, _read_next_step(place, manifest, embedding) if with_rules else None)


def _read_next_step(place: Path, manifest: Manifest, embedding: Embedding) -> NextStep | None:
    """Read the next-step model, if there is one, and give it the vectors of the store."""
    if "next_step" not in manifest.files:
        return None
    model: NextStep = _read_part(place, manifest, "next_step", embedding.vocabulary)
    return model.with_vectors(embedding.source, embedding.target)


def _read_part(place: Path, manifest: Manifest, part: str, vocabulary: Vocabulary) -> Any:
    if part not in manifest.files:
        raise InputError(f"{place / MANIFEST} lists no file of {part}; make the store again")
    path = manifest.files[part].check(place)
    try:
        return PARTS[part].read(path, vocabulary)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _write_parts(staging: Path, contents: Mapping[str, Any]) -> dict[str, StoredFile]:
    """Write all parts that have a content to files named after it."""
    files = {}
    for part, content in contents.items():
        if content is not None:
            unnamed = staging / part
            PARTS[part].write(unnamed, content)
            sync_file(unnamed)
            file = StoredFile.of(unnamed)
            files[part] = dataclasses.replace(file, name=file_name(part, file.sha256))
            unnamed.rename(staging / files[part].name)
    return files


def _versions() -> dict[str, str]:
    import honem

    return {"honem": honem.__version__, "numpy": np.__version__, "python": platform.python_version()}


def _counts(embedding: Embedding, rules: RuleTable | None) -> dict[str, int]:
    counts = {"nodes": len(embedding), "dimensions": embedding.dimension}
    if rules is not None:
        counts |= {"rules": rules.n_rules, "rule_rows": rules.n_rows, "max_order": rules.max_order}
    return counts
