"""Download wikispeedia from SNAP into the layout that `load_real` reads."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from honem.corpus import Corpus
from honem.errors import InputError
from honem.io.atomic import atomic_file
from honem.io.paths import clean_corpus

SNAP_ARCHIVE = "https://snap.stanford.edu/data/wikispeedia/wikispeedia_paths-and-graph.tar.gz"
SNAP_SHA256 = "97697096f5d2dcb77aa69e3992305c6c561de89edb9fb10b5ad9feaf8ba534d5"
SNAP_BYTES = 9_901_821
SNAP_TABLES = ("articles.tsv", "categories.tsv", "links.tsv", "paths_finished.tsv", "paths_unfinished.tsv")


def download_wikispeedia(folder: str | os.PathLike[str] | None = None, source: str = SNAP_ARCHIVE) -> Path:
    """Download wikispeedia from SNAP, verify it, and store it in the layout that `load_real` reads.

    Please cite West and Leskovec, Human Wayfinding in Information Networks, WWW 2012.

    Parameters
    ----------
    folder : path-like, optional
        Where to store it. The default is `honem` in the user's cache folder. Data that are already there are not
        downloaded again.
    source : str
        Address of the archive.

    Returns
    -------
    Path
        The folder for HONEM_DATA.

    Raises
    ------
    InputError
        If the archive cannot be downloaded or its checksum is wrong.
    """
    root = Path(folder) if folder is not None else cache_folder()
    place = root / "wikispeedia"
    if not (place / "paths.txt.gz").is_file():
        lay_out_wikispeedia(download(source, SNAP_SHA256, SNAP_BYTES), place)
    return root


def cache_folder() -> Path:
    """Return the folder of downloads: `honem` in XDG_CACHE_HOME, or in `.cache` of the home folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "honem"


def download(source: str, sha256: str, most: int) -> bytes:
    """Download at most `most` bytes; raise InputError if that fails or the checksum is wrong."""
    from urllib.request import urlopen

    try:
        with urlopen(source, timeout=60) as answer:
            data: bytes = answer.read(most + 1)
    except OSError as error:
        raise InputError(f"{source} cannot be reached ({error}); point HONEM_DATA to a folder that has it") from None
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise InputError(f"{source} is not what it was: SHA-256 {found}, expected {sha256}; nothing was kept")
    return data


def lay_out_wikispeedia(archive: bytes, place: Path) -> None:
    """Write the finished games of SNAP's archive and the unfinished ones of more than 3 pages, without back-clicks."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tables = {name: list(_snap_rows(tar, name)) for name in SNAP_TABLES}
    games = [*_games(tables["paths_finished.tsv"]), *_games(tables["paths_unfinished.tsv"], min_length=4)]
    categories: dict[str, list[str]] = {article: [] for (article,) in tables["articles.tsv"]}
    for article, category in tables["categories.tsv"]:
        categories.setdefault(article, []).append(category)
    labels = [
        f"{article}\t{theirs[0].split('.')[1] if theirs else ''}\t{'|'.join(theirs)}"
        for article, theirs in categories.items()
    ]
    place.mkdir(parents=True, exist_ok=True)
    _write(place / "labels.tsv", ["article\ttop_category_first\tall_categories", *labels])
    _write(place / "links.tsv.gz", map("\t".join, tables["links.tsv"]))
    # This file marks the data set as complete, so it is written last.
    _write(place / "paths.txt.gz", map(" ".join, games))


def _snap_rows(tar: tarfile.TarFile, name: str) -> Iterator[list[str]]:
    member = tar.extractfile(f"wikispeedia_paths-and-graph/{name}")
    assert member is not None
    for line in member.read().decode("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split("\t")


def _games(rows: list[list[str]], min_length: int | None = None) -> Iterator[tuple[str, ...]]:
    """Yield the pages of each game, without those that were left by a back-click."""
    played = Corpus.from_sequences(row[3].split(";") for row in rows)
    corpus, _ = clean_corpus(played, back_token="<", back="drop", min_length=min_length)
    for pages in corpus.sequences():
        yield tuple(map(str, pages))


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write a text file atomically, compressed if its name ends in .gz."""
    data = "".join(f"{line}\n" for line in lines).encode("utf-8")
    with atomic_file(path) as file:
        file.write(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
