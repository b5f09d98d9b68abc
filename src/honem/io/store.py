"""The store: a folder with the vectors, nodes, rules and profile of a model, and a manifest that describes them.

    vectors-<hash>.safetensors   source, target, singular_values, and the rotation of aligned vectors
    nodes-<hash>.parquet         the node of each row
    rules-<hash>.parquet         one rule per row, with nodes as row numbers; the parameters of the extraction
    profile-<hash>.parquet       one row of numbers per node
    next_step-<hash>.safetensors counts of all contexts and parameters of the next-step model, if there is one
    labels-<hash>.parquet        names, categories and coordinates of nodes, one row per node, if there are any
    paths-<hash>.parquet         the sequences that the model was fitted to, as row numbers of nodes, to update it
    continuation-<hash>.safetensors  where contexts occur in them, and contexts that are nearly rules, to update it fast
    manifest.json                parameters, seed, versions, counts, what was read; name and SHA-256 of each file;
                                 the SHA-256 of all these values

Data files are named after their content. To replace a store, `save` writes new data files beside the old ones, then
replaces the manifest in one step, then removes the files that it no longer lists. Files with unchanged content are
kept. `load` opens the files that the manifest lists, so it returns the old store or the new one, never a mix.
"""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.path_like import PathLike
from honem.corpus import Corpus, Vocabulary
from honem.embedding import Embedding, VectorScore
from honem.errors import InputError, ParameterError
from honem.io.atomic import as_output_error, check_file_place, check_folder_place, real_place, sync_file
from honem.io.manifest import MALFORMED, MANIFEST, Manifest, StoredFile, while_unchanged
from honem.io.next_step_checks import check_scores
from honem.io.node_labels import NodeLabels
from honem.io.parts import PARTS, file_name
from honem.io.store_folder import check_replaceable, put_in_place, staging_folder
from honem.prediction import NextStep
from honem.profile import NodeProfile
from honem.rules import RuleTable
from honem.tuning import Tuning


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
    profile : NodeProfile or None
        The profile of the nodes; None if none was saved, or with `load(..., with_profile=False)`.
    next_step : NextStep or None
        The model of the next step; None if none was saved, or with `load(..., with_rules=False)`.
    paths : Corpus or None
        The paths that the model was fitted to; None if they were not saved, or with `load(..., with_paths=False)`.
    continuation : Mapping of str to ndarray, or None
        What else the local engine needs to extend the rules when paths are added; None if there are no paths.
    labels : NodeLabels or None
        Names, categories and coordinates of the nodes; None if none were saved.
    digest : str
        The SHA-256 of the manifest, which changes whenever the store is replaced.
    """

    embedding: Embedding
    rules: RuleTable | None
    manifest: dict[str, Any]
    profile: NodeProfile | None = None
    next_step: NextStep | None = None
    paths: Corpus | None = None
    continuation: Mapping[str, NDArray[Any]] | None = None
    labels: NodeLabels | None = None
    digest: str = ""

    @property
    def recipe(self) -> Mapping[str, Any] | None:
        """How rules became vectors; None if that was not saved."""
        return Manifest(self.manifest).recipe

    @property
    def tuning(self) -> Tuning | None:
        """What was tried before the recipe was chosen; None if nothing was, or the report cannot be read."""
        stored = self.manifest.get("facts", {}).get("tuning")
        try:
            return None if stored is None else Tuning.from_dict(stored)
        except MALFORMED:
            return None


def save(
    directory: PathLike,
    embedding: Embedding,
    rules: RuleTable | None = None,
    *,
    profile: NodeProfile | None = None,
    next_step: NextStep | None = None,
    paths: Corpus | None = None,
    continuation: Mapping[str, NDArray[Any]] | None = None,
    labels: NodeLabels | None = None,
    recipe: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    force: bool = False,
    expected: str | None = None,
) -> None:
    """Write an embedding, and the rules behind it, to a store.

    The store is complete or, after an error, unchanged. Several processes may write the same store; the last one wins,
    unless it expects the store to be as it was loaded.

    Parameters
    ----------
    directory : str or PathLike
        The folder of the store. It is created if it does not exist; its parent must exist.
    embedding : Embedding
        Vectors and nodes.
    rules : RuleTable, default=None
        The rules that the vectors were made from, about the same nodes.
    profile : NodeProfile, default=None
        The profile of the same nodes.
    next_step : NextStep, default=None
        The model of the next step, about the same nodes.
    paths : Corpus, default=None
        The paths of the same nodes; a model without them cannot be updated.
    continuation : Mapping of str to ndarray, default=None
        What else the local engine needs to extend the rules; without it, an update extracts all rules again.
    labels : NodeLabels, default=None
        Names, categories and coordinates of the same nodes.
    recipe : Mapping, default=None
        How rules became vectors, as JSON values. Scores of a store without a recipe cannot be explained.
    parameters : Mapping, default=None
        All other parameters of the model.
    facts : Mapping, default=None
        Anything else to record: the files that were read and their hashes, counts, timings.
    force : bool, default=False
        Replace an existing store. A folder with files that honem did not write is never replaced.
    expected : str, default=None
        The digest of the store that is replaced, as `load` returned it. If the folder holds another one by now, nothing
        is written.

    Raises
    ------
    OutputError
        If the folder cannot be written, or holds something that may not be replaced.
    ParameterError
        If the rules, the profile, the paths or the labels are about other nodes than the embedding, a number is not
        finite, or the recipe, parameters or facts cannot be stored.

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
    parts = (("rules are", rules), ("profile is", profile), ("paths are", paths), ("labels are", labels))
    for name, part in parts:
        if part is not None and part.vocabulary.labels != embedding.nodes:
            raise ParameterError(
                f"the {name} about {len(part.vocabulary)} nodes that are not the {len(embedding)} of the embedding"
            )
    check_target(directory, force=force)
    contents = {
        "nodes": embedding.vocabulary,
        "vectors": embedding,
        "rules": rules,
        "profile": profile,
        "next_step": next_step,
        "labels": labels,
        "paths": paths,
        "continuation": continuation,
    }
    for name, content in contents.items():
        if content is not None:
            PARTS[name].check(content)
    parameters = dict(parameters or {})
    values = {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "recipe": None if recipe is None else dict(recipe),
        "parameters": parameters,
        "seed": parameters.get("random_state", parameters.get("seed")),
        "facts": dict(facts or {}),
    }
    _check_values(values)
    with as_output_error(directory), staging_folder(real_place(directory)) as staging:
        files = _write_parts(staging, contents)
        put_in_place(staging, Manifest.of(files, _counts(embedding, rules), **values), force, expected)


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


def load(directory: PathLike, *, with_rules: bool = True, with_profile: bool = True, with_paths: bool = True) -> Store:
    """Read a store.

    Parameters
    ----------
    directory : str or PathLike
        A folder that `save` or `honem embed` wrote.
    with_rules : bool, default=True
        Whether to read the rules and the next-step model; vectors alone are quicker.
    with_profile : bool, default=True
        Whether to read the profile of the nodes.
    with_paths : bool, default=True
        Whether to read the paths that the model was fitted to; they are not read without the rules.

    Returns
    -------
    Store
        Its content, bit for bit as it was saved.

    Raises
    ------
    InputError
        If the folder is not a store, one of its files is not, byte for byte, what was written, or holds what `save`
        does not write, such as numbers that are not finite.

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
    wanted = {"rules": with_rules, "profile": with_profile, "next_step": with_rules}
    wanted |= dict.fromkeys(("paths", "continuation"), with_paths and with_rules)
    chosen = ["labels", *(part for part, is_wanted in wanted.items() if is_wanted)]
    return while_unchanged(place, lambda: _read_store(place, os.fspath(directory), chosen))


def _read_store(place: Path, shown: str, chosen: Collection[str]) -> Store:
    manifest = Manifest.read(place, shown)
    vocabulary = _read_part(place, manifest, "nodes", Vocabulary(()))
    embedding = _read_part(place, manifest, "vectors", vocabulary)
    optional = {part: _read_part(place, manifest, part, vocabulary) for part in chosen if part in manifest.files}
    rules = optional.get("rules")
    embedding = dataclasses.replace(embedding, preferred_score=_stored_score(manifest, embedding))
    counts = _counts(embedding, rules)
    written = {name: manifest.counts.get(name) for name in counts}
    if counts != written:
        raise InputError(f"{place / MANIFEST} does not fit its files: it says {written}, they hold {counts}")
    next_step = optional.get("next_step")
    if next_step is not None:
        next_step = _with_vectors(next_step, embedding, place)
    paths, continuation = optional.get("paths"), optional.get("continuation")
    profile, labels = optional.get("profile"), optional.get("labels")
    values, digest = manifest.completed(), manifest.digest
    return Store(embedding, rules, values, profile, next_step, paths, continuation, labels, digest)


def _with_vectors(next_step: NextStep, embedding: Embedding, place: Path) -> NextStep:
    """Return the next-step model with the vectors of the store, which its own file does not hold."""
    found = next_step.with_vectors(embedding.source, embedding.target)
    try:
        check_scores(found)
    except ParameterError as error:
        raise InputError(f"{place} cannot be used: {error}; make the store again") from None
    return found


def _stored_score(manifest: Manifest, embedding: Embedding) -> VectorScore | None:
    """Return how the vectors are meant to be compared; None if that was not saved or does not apply to them."""
    score = (manifest.recipe or {}).get("score")
    return (
        score if score in get_args(VectorScore) and (embedding.target is not None or score != "source.target") else None
    )


def _read_part(place: Path, manifest: Manifest, part: str, vocabulary: Vocabulary) -> Any:
    if part not in manifest.files:
        raise InputError(f"{place / MANIFEST} lists no file of {part}; make the store again")
    path = manifest.files[part].check(place)
    try:
        content = PARTS[part].read(path, vocabulary)
        PARTS[part].check(content)
    except ParameterError as error:
        raise InputError(f"{path} cannot be used: {error}; make the store again") from None
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    return content


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


def _check_values(values: Mapping[str, Any]) -> None:
    """Raise ParameterError if `load` could not read what a manifest would hold."""
    try:
        Manifest.from_bytes(Manifest.of({}, {}, **values).to_bytes())
    except MALFORMED as error:
        raise ParameterError(f"recipe, parameters or facts cannot be stored as JSON: {error}") from None


def _versions() -> dict[str, str]:
    import honem

    return {"honem": honem.__version__, "numpy": np.__version__, "python": platform.python_version()}


def _counts(embedding: Embedding, rules: RuleTable | None) -> dict[str, int]:
    counts = {"nodes": len(embedding), "dimensions": embedding.dimension}
    if rules is not None:
        counts |= {"rules": rules.n_rules, "rule_rows": rules.n_rows, "max_order": rules.max_order}
    return counts
