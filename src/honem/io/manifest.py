"""The manifest of a store: which files belong to it, and how they were made.

`manifest.json` is the only file of a store whose name is fixed. It is replaced atomically, and readers open the files
that it lists; so a store is always the old or the new one as a whole. It names the SHA-256 of each file and, since
format 3, of its own values, so that a changed parameter or count is noticed like a changed file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from honem.errors import HonemError, InputError
from honem.io.atomic import atomic_file, patiently
from honem.io.ownership import TEMPORARY
from honem.io.rule_columns import json_value

FORMAT, FORMAT_VERSION = "honem store", 3
READABLE_VERSIONS = (1, 2, 3)
VERSIONS_WITHOUT_DIGEST = (1, 2)
MANIFEST, DIGEST = "manifest.json", "sha256"
OBJECTS = ("counts", "parameters", "facts")
DEEPEST_NESTING = 100

RECIPE_PARAMETERS = ("preset", "weighting", "order_weights", "transforms", "spectrum", "tilt", "rank_share")
REQUIRED_OF_A_RECIPE = {"weighting", "order_weights", "transforms"}

# What reading a manifest may raise that is damaged, or was made to do harm.
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)

Result = TypeVar("Result")


@dataclass(frozen=True)
class StoredFile:
    """A file of a store, and what its content must be."""

    name: str
    sha256: str
    size: int

    @classmethod
    def of(cls, path: Path) -> StoredFile:
        """Describe a file as it is."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return cls(path.name, digest, os.fstat(file.fileno()).st_size)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> StoredFile:
        """Read an entry of a manifest; raise ValueError if it does not describe a file in the store's folder."""
        file = cls(entry["name"], entry["sha256"], entry["bytes"])
        if not isinstance(file.name, str) or Path(file.name).name != file.name or "\\" in file.name:
            raise ValueError(f"{file.name!r} is not the name of a file")
        return file

    def to_json(self) -> dict[str, Any]:
        """Return the entry of a manifest."""
        return {"name": self.name, "sha256": self.sha256, "bytes": self.size}

    def is_in(self, folder: Path) -> bool:
        """Return whether a folder holds exactly this file."""
        try:
            return StoredFile.of(folder / self.name) == self
        except OSError:
            return False

    def check(self, folder: Path) -> Path:
        """Return the path of the file in a folder; raise InputError unless it is, byte for byte, what was written."""
        path = folder / self.name
        try:
            found = StoredFile.of(path)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}; make the store again") from None
        if found != self:
            raise InputError(f"{path} is not what was written (its SHA-256 differs); make the store again")
        return path


@dataclass(frozen=True)
class Manifest:
    """The content of manifest.json; `values` is the JSON object."""

    values: dict[str, Any]

    @classmethod
    def of(cls, files: Mapping[str, StoredFile], counts: Mapping[str, int], **values: Any) -> Manifest:
        """Make the manifest of a store."""
        entries = {part: file.to_json() for part, file in files.items()}
        head = {"format": FORMAT, "format_version": FORMAT_VERSION}
        return cls({**head, **values, "counts": dict(counts), "files": entries})

    @classmethod
    def unfinished(cls) -> Manifest:
        """Make the manifest of a store whose first files are about to get their names.

        It marks them as honem's own: if the process is killed, the next one may replace them, and `load` can say what
        happened.
        """
        return cls.of({}, {}, unfinished=True)

    @classmethod
    def read(cls, folder: Path, shown: str | None = None) -> Manifest:
        """Read the manifest of a folder; `shown` is the folder as the user wrote it.

        Raises
        ------
        InputError
            If there is no such folder, no manifest in it, or it is damaged, unfinished or of an unknown version.
        """
        shown, path = shown or os.fspath(folder), folder / MANIFEST
        if not os.path.exists(folder):
            raise InputError(f"there is no folder {shown}")
        if not path.is_file():
            raise InputError(_why_no_manifest(folder, shown))
        try:
            manifest = cls.read_or_none(folder)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
        if manifest is None:
            raise InputError(f"{path} is damaged or not a manifest of honem; make the store again")
        if not manifest.is_readable:
            raise InputError(
                f"{path}: this version of honem reads store format {READABLE_VERSIONS[0]} to {READABLE_VERSIONS[-1]}, "
                f"not {manifest.version!r}; update honem, or make the store again"
            )
        if not manifest.is_intact:
            raise InputError(f"{path} is not what was written (its SHA-256 differs); make the store again")
        if not manifest.is_finished:
            raise InputError(_never_completed(shown))
        return manifest

    @classmethod
    def read_or_none(cls, folder: Path) -> Manifest | None:
        """Return the manifest of a folder, of any version, or None if it has none that honem wrote.

        It may have been changed since: this is how honem recognizes its own folders, not how it reads them.

        Raises
        ------
        OSError
            If it cannot be read, so that it is not known whether honem wrote it.
        """
        try:
            return cls.from_bytes(patiently((folder / MANIFEST).read_bytes))
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, *MALFORMED):
            return None

    @classmethod
    def from_bytes(cls, data: bytes) -> Manifest:
        """Parse a manifest of any version; raise one of MALFORMED if it is not a manifest of honem."""
        manifest = cls(json.loads(data))
        _check_nesting(manifest.values)
        if manifest.values["format"] != FORMAT:
            raise ValueError("not a manifest of honem")
        if manifest.is_readable:
            manifest.check_form()
        elif not manifest.is_intact:  # later formats have the digest too: this is not one of them, but damaged
            raise ValueError("neither a known format nor a newer one")
        return manifest

    def check_form(self) -> None:
        """Raise one of MALFORMED if a piece that honem relies on is missing or of another type."""
        _ = self.files, self.superseded
        for name in OBJECTS:
            if not isinstance(self.values.get(name), dict | None):
                raise TypeError(f"{name} must be an object")
        if not isinstance(self.recipe, dict | None):
            raise TypeError("recipe must be an object or null")

    def replacing(self, old: Manifest, folder: Path) -> Manifest:
        """Return this manifest with a record of files in a folder, from a store in format 1, that it replaces.

        Their names have no hash, so after a kill only this record can tell them from files of the user.
        """
        candidates = old.files.values() if old.version == 1 else old.superseded
        superseded = [file.to_json() for file in candidates if file.is_in(folder)]
        return Manifest({**self.values, "superseded": superseded}) if superseded else self

    def write(self, folder: Path) -> None:
        """Replace the manifest of a folder atomically."""
        with atomic_file(folder / MANIFEST) as file:
            file.write(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the content of manifest.json; its last value is the digest of all others."""
        values = json.loads(json.dumps(self.values, default=json_value))
        values.pop(DIGEST, None)
        return (json.dumps({**values, DIGEST: _digest(values)}, indent=2) + "\n").encode()

    @property
    def version(self) -> Any:
        """The version of the format."""
        return self.values.get("format_version")

    @property
    def is_readable(self) -> bool:
        """Whether this version of honem knows the format."""
        return self.version in READABLE_VERSIONS

    @property
    def is_intact(self) -> bool:
        """Whether all values are those that were written, as far as the format can tell."""
        others = dict(self.values)
        if DIGEST not in others and self.version in VERSIONS_WITHOUT_DIGEST:
            return True
        return bool(others.pop(DIGEST, None) == _digest(others))

    @property
    def digest(self) -> str:
        """The SHA-256 of all other values, also of formats that do not state it."""
        return _digest({name: value for name, value in self.values.items() if name != DIGEST})

    @property
    def is_finished(self) -> bool:
        """Whether the store was ever completed."""
        return not self.values.get("unfinished", False)

    @cached_property
    def files(self) -> dict[str, StoredFile]:
        """The file of each part."""
        entries = dict(self.values["files"].items())
        if self.version == 1:  # by file name, which is that of the part with its extension
            entries = {name.partition(".")[0]: {**entry, "name": name} for name, entry in entries.items()}
        return {part: StoredFile.from_json(entry) for part, entry in entries.items()}

    @cached_property
    def superseded(self) -> list[StoredFile]:
        """Files of a replaced store in format 1, which may be removed."""
        return [StoredFile.from_json(entry) for entry in self.values.get("superseded", [])]

    @property
    def counts(self) -> dict[str, Any]:
        """How many nodes, dimensions and rules the files hold."""
        return self.values.get("counts") or {}

    def completed(self) -> dict[str, Any]:
        """Return all values, with an empty object for those that are missing or null (as in some stores of 0.1.0)."""
        return self.values | {name: self.values.get(name) or {} for name in OBJECTS}

    def file_names(self) -> set[str]:
        """Return the names of all files that the store needs, without the manifest."""
        return {file.name for file in self.files.values()}

    @property
    def recipe(self) -> Mapping[str, Any] | None:
        """How rules became vectors, or None if that was not saved."""
        if self.version != 1:
            return self.values.get("recipe")
        parameters = self.values.get("parameters") or {}
        pieces = {name: parameters[name] for name in RECIPE_PARAMETERS if parameters.get(name) is not None}
        is_complete = "preset" in pieces or pieces.keys() >= REQUIRED_OF_A_RECIPE
        return pieces if is_complete else None


def _digest(values: Mapping[str, Any]) -> str:
    """Return the SHA-256 of JSON values, however they are laid out in a file."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _check_nesting(values: Any) -> None:
    """Raise ValueError if values are nested so deeply that functions that walk through them could fail."""
    level = [values]
    for _ in range(DEEPEST_NESTING):
        level = [inner for outer in level for inner in _inside(outer)]
    if level:
        raise ValueError(f"nested more than {DEEPEST_NESTING} levels deep")


def _inside(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def _why_no_manifest(folder: Path, shown: str) -> str:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    if any(TEMPORARY.fullmatch(name) for name in names):
        return _never_completed(shown)
    return f"{shown} is not a store: it has no {MANIFEST}; `honem embed` writes one"


def _never_completed(shown: str) -> str:
    return f"{shown} is not a store yet: it is being written, or the process that wrote it was stopped; save it again"


def while_unchanged(folder: Path, action: Callable[[], Result]) -> Result:
    """Run an action on a store; if it fails because another process replaced the store meanwhile, run it again."""
    while True:
        stamp = _stamp(folder)
        try:
            return action()
        except HonemError:
            if _stamp(folder) == stamp:
                raise


def _stamp(folder: Path) -> tuple[int, ...] | None:
    try:
        found = os.stat(folder / MANIFEST)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
