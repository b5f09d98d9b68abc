"""The folder of a store: how new files get into it, and what may be replaced.

A store is replaced in these steps, and the process may be killed at any of them:

1. All files are written to a staging folder inside the store's folder.
2. The folder is locked, for only one process may do the rest at a time.
3. If there is no manifest yet, an unfinished one is written: it marks what follows as written by honem.
4. The files are renamed to their names, which are derived from their content. Existing files with these names are kept.
5. The manifest is replaced. Until here readers see the old store, from here on the new one.
6. Files that the manifest does not list are removed, then the lock, then the staging folder.

A folder belongs to honem if its manifest says so. If the manifest cannot be read, the other files tell: one whose name
states the hash of its content was written by honem. Such a damaged store can be replaced by force.

What a killed process leaves behind is a staging folder, a lock, files that no manifest lists, or an unfinished
manifest; the next process that saves removes all of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from honem.errors import OutputError
from honem.io.atomic import ATTEMPTS, insist, remove, remove_leftovers, replace, sync_folder
from honem.io.folder_lock import LOCK, locked
from honem.io.manifest import MANIFEST, Manifest, StoredFile
from honem.io.ownership import TEMPORARY, temporary_name
from honem.io.parts import file_name, is_part_file


class StoreChangedError(OutputError):
    """Another process has replaced a store since it was loaded."""


def check_replaceable(place: Path, force: bool) -> None:
    """Raise OutputError if a folder holds what honem did not write, or a store that may not be replaced."""
    if not os.path.exists(place):
        return
    if not os.path.isdir(place):
        raise OutputError(f"{place} is a file, not a folder; choose another name")
    others = [name for name in sorted(os.listdir(place)) if not _is_temporary(name)]
    manifest = Manifest.read_or_none(place)
    if manifest is None:
        if others and not _is_damaged_store(place, others):
            raise OutputError(f"{place} was not written by honem and is never overwritten; choose another name")
        if others and not force:
            raise OutputError(f"{place} holds a damaged store; replace it by force (--force) or choose another name")
        return
    if not manifest.is_readable:
        raise OutputError(f"{place} holds a store of a newer version of honem; update honem or choose another name")
    known = {MANIFEST} | manifest.file_names() | {file.name for file in manifest.superseded if file.is_in(place)}
    foreign = [name for name in others if name not in known and not is_part_file(name)]
    if foreign:
        raise OutputError(f"{place} also holds {foreign[0]!r}, which honem did not write; move it elsewhere first")
    if manifest.is_finished and not force:
        raise OutputError(f"{place} holds a store already; replace it by force (--force) or choose another name")


def _is_damaged_store(place: Path, names: list[str]) -> bool:
    """Return whether files are a manifest that cannot be read, and files that only honem can have written."""
    parts = [name for name in names if name != MANIFEST]
    return (
        len(parts) < len(names) and all(map(is_part_file, parts)) and any(_is_as_named(place / name) for name in parts)
    )


def _is_as_named(path: Path) -> bool:
    """Return whether a file of a store has the content that its name states."""
    try:
        return file_name(path.name.partition("-")[0], StoredFile.of(path).sha256) == path.name
    except OSError:
        return False


def _is_temporary(name: str) -> bool:
    return name == LOCK or TEMPORARY.fullmatch(name) is not None


@contextmanager
def staging_folder(place: Path) -> Iterator[Path]:
    """Make a folder to write files to, in the store's folder, which is made as well and removed if it stays empty."""
    staging, is_new = temporary_name(place / MANIFEST), _is_new(place)
    try:
        _make_staging(place, staging)
        remove_leftovers(place / MANIFEST, now=os.stat(staging).st_mtime)
        yield staging
    finally:
        insist(lambda: _remove_staging(staging, is_new))


def _is_new(place: Path) -> bool:
    """Return whether a folder does not exist, or was made by another `save` that has not finished."""
    if not os.path.exists(place):
        return True
    names = os.listdir(place)
    return bool(names) and all(map(_is_temporary, names))


def _make_staging(place: Path, staging: Path) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            place.mkdir(exist_ok=True)
            staging.mkdir()
            return
        except FileNotFoundError:  # another process, which failed, has just removed the folder that it had made
            if attempt == ATTEMPTS:
                raise


def _remove_staging(staging: Path, is_new: bool) -> None:
    remove(staging)
    if is_new:
        with suppress(OSError):  # it is not empty: a store, or what another process is writing
            staging.parent.rmdir()


def put_in_place(staging: Path, manifest: Manifest, force: bool, expected: str | None = None) -> None:
    """Move staged files to the store's folder and replace its manifest; if a digest is expected, only that one."""
    place = staging.parent
    with locked(place, staging) as lock:
        check_replaceable(place, force)
        _check_unchanged(place, expected)
        try:
            old = Manifest.read_or_none(place)
            if old is None:
                old = Manifest.unfinished()
                if not os.path.exists(place / MANIFEST):  # a damaged one stays until the new one is complete
                    old.write(place)
            for file in manifest.files.values():
                _move_unless_there(staging, place, file)
            sync_folder(place)
            lock.check()
            manifest.replacing(old, place).write(place)
        finally:
            if lock.is_held:
                insist(lambda: _remove_unlisted(place))


def _check_unchanged(place: Path, expected: str | None) -> None:
    found = Manifest.read_or_none(place) if expected is not None else None
    if expected is not None and (found is None or found.digest != expected):
        raise StoreChangedError(f"{place} was changed by another process since it was loaded; load it again")


def _move_unless_there(staging: Path, place: Path, file: StoredFile) -> None:
    if file.is_in(place):
        return
    shutil.copymode(place / MANIFEST, staging / file.name)  # safetensors makes files that only their owner may read
    replace(staging / file.name, place / file.name)


def _remove_unlisted(place: Path) -> None:
    """Remove files of the store that its manifest does not list; if it never was completed, all of them.

    Call it only while the folder is locked: then no other process is about to list them. On Windows a file that is
    being read stays, and the next `save` removes it.
    """
    with suppress(OSError):  # also if the manifest cannot be read: then no file is known to be superfluous
        manifest = Manifest.read_or_none(place)
        if manifest is None or not manifest.is_intact:
            return
        superseded = [file.name for file in manifest.superseded if file.is_in(place)]
        for name in (*filter(is_part_file, os.listdir(place)), *superseded):
            if name not in manifest.file_names():
                remove(place / name)
        if not manifest.is_finished:
            remove(place / MANIFEST)
