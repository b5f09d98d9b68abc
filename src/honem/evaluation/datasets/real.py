"""Real path data with labels of their nodes, from the folder in the environment variable HONEM_DATA.

Each data set is a folder with `paths.txt.gz`, one sequence per line, and tables that describe its nodes. None of them
is part of honem; wikispeedia can be downloaded.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_one_of
from honem.corpus import Corpus, Vocabulary
from honem.errors import InputError
from honem.io.atomic import atomic_file
from honem.io.paths import clean_corpus, read_paths
from honem.io.tables import NodeTable

SNAP_ARCHIVE = "https://snap.stanford.edu/data/wikispeedia/wikispeedia_paths-and-graph.tar.gz"
SNAP_SHA256 = "97697096f5d2dcb77aa69e3992305c6c561de89edb9fb10b5ad9feaf8ba534d5"
SNAP_BYTES = 9_901_821

COMMON_AMENITIES = 5
FEW_CLICKS = 5
GRID_LAT, GRID_LON, GRID_STEP = 22.43, 113.75, 0.01

CENSUS_REGIONS = {
    "Northeast": "Connecticut, Maine, Massachusetts, New Hampshire, Rhode Island, Vermont, New Jersey, New York, "
    "Pennsylvania",
    "Midwest": "Illinois, Indiana, Michigan, Ohio, Wisconsin, Iowa, Kansas, Minnesota, Missouri, Nebraska, "
    "North Dakota, South Dakota",
    "South": "Delaware, District of Columbia, Florida, Georgia, Maryland, North Carolina, South Carolina, Virginia, "
    "West Virginia, Alabama, Kentucky, Mississippi, Tennessee, Arkansas, Louisiana, Oklahoma, Texas",
    "West": "Arizona, Colorado, Idaho, Montana, Nevada, New Mexico, Utah, Wyoming, Alaska, California, Hawaii, Oregon, "
    "Washington",
}
"""The four regions of the US Census Bureau; territories such as Puerto Rico belong to none."""

Labels = dict[Hashable, str]
Amounts = dict[Hashable, float]


@dataclass(frozen=True, eq=False)
class RealData:
    """A corpus and facts about its nodes.

    Attributes
    ----------
    name : str
        Name of the data set.
    corpus : Corpus
        The sequences.
    labels : dict
        For each kind of label, the class of each labelled node.
    amounts : dict
        For each kind of amount, the number of each node.
    coordinates : dict
        Longitude and latitude of nodes.
    """

    name: str
    corpus: Corpus
    labels: dict[str, Labels]
    amounts: dict[str, Amounts] = field(default_factory=dict)
    coordinates: dict[Hashable, tuple[float, float]] = field(default_factory=dict)


def load_real(name: str, folder: str | os.PathLike[str] | None = None) -> RealData:
    """Load a data set.

    Parameters
    ----------
    name : {"wikispeedia", "lloyds", "shenzhen", "us_flights", "porto_poi"}
        The data set.
    folder : path-like, optional
        The folder that contains one folder per data set. The default is the environment variable HONEM_DATA.

    Returns
    -------
    RealData

    Raises
    ------
    ParameterError
        If the name is unknown.
    InputError
        If a file is missing or cannot be read.
    """
    require_one_of("name", name, tuple(LOADERS))
    place = data_folder(folder) / name
    if not (place / "paths.txt.gz").is_file():
        raise InputError(f"{place / 'paths.txt.gz'} is not there; {HOW_TO_GET}")
    return LOADERS[name](place)


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the given folder or the one in HONEM_DATA; if there is none, raise InputError with instructions."""
    given = folder if folder is not None else os.environ.get("HONEM_DATA")
    if not given:
        raise InputError(f"there is no folder of real data: HONEM_DATA is not set; {HOW_TO_GET}")
    if not Path(given).is_dir():
        raise InputError(f"the folder of real data {os.fspath(given)!r} is not there; {HOW_TO_GET}")
    return Path(given)


HOW_TO_GET = (
    "point HONEM_DATA to a folder with one folder a data set (wikispeedia/paths.txt.gz and so on), "
    "or download wikispeedia with honem.evaluation.datasets.real.download_wikispeedia()"
)


def _lloyds(place: Path) -> RealData:
    """Load ports, labelled by `traffic` (low or high, split at the median number of calls) and `continent`."""
    corpus = read_paths(place / "paths.txt.gz")
    table = _table(place / "labels.tsv")
    calls = visits(corpus)
    return RealData(
        "lloyds",
        corpus,
        {"traffic": low_or_high(calls), "continent": _labels(table, "continent", corpus.vocabulary)},
        {"traffic": calls},
        _coordinates(table, corpus.vocabulary),
    )


def _shenzhen(place: Path) -> RealData:
    """Load grid cells, labelled by `pickups` (low or high, split at the median; 0 for cells not in the table)."""
    corpus = read_paths(place / "paths.txt.gz")
    counted = np.nan_to_num(_table(place / "pickups.tsv").numbers_for(corpus.vocabulary, "pickups"))
    pickups: Amounts = dict(zip(corpus.vocabulary, counted.tolist(), strict=True))
    cells = {cell: tuple(map(int, str(cell).split("_"))) for cell in corpus.vocabulary}
    centres = {
        cell: (GRID_LON + (column + 0.5) * GRID_STEP, GRID_LAT + (row + 0.5) * GRID_STEP)
        for cell, (row, column) in cells.items()
    }
    return RealData("shenzhen", corpus, {"pickups": low_or_high(pickups)}, {"pickups": pickups}, dict(centres))


def _us_flights(place: Path) -> RealData:
    """Load airports, labelled by `region`, the census region of their state."""
    corpus = read_paths(place / "paths.txt.gz")
    table = _table(place / "labels.tsv")
    region_of = {state: region for region, states in CENSUS_REGIONS.items() for state in states.split(", ")}
    states = _labels(table, "subd_state", corpus.vocabulary)
    regions = {airport: region_of[state] for airport, state in states.items() if state in region_of}
    calls = visits(corpus)
    places = _coordinates(table, corpus.vocabulary)
    return RealData("us_flights", corpus, {"region": regions}, {"traffic": calls}, places)


def _porto_poi(place: Path) -> RealData:
    """Load points of interest, labelled by `amenity` if it is one of the five most common."""
    corpus = read_paths(place / "paths.txt.gz")
    table = _table(place / "labels.tsv")
    amenities = _labels(table, "amenity", corpus.vocabulary)
    common = {name for name, _ in Counter(amenities.values()).most_common(COMMON_AMENITIES)}
    labels = {point: amenity for point, amenity in amenities.items() if amenity in common}
    places = _coordinates(table, corpus.vocabulary)
    return RealData("porto_poi", corpus, {"amenity": labels}, {"traffic": visits(corpus)}, places)


def _wikispeedia(place: Path) -> RealData:
    """Load articles, labelled by `category` (the first top category of each) and `few_clicks` (yes or no).

    `few_clicks` is yes if the article can be reached by at most four links from more than half of all other articles
    with links.
    """
    corpus = read_paths(place / "paths.txt.gz")
    table = _table(place / "labels.tsv")
    shares = reachable_shares(_links(place / "links.tsv.gz"), FEW_CLICKS - 1)
    reach: Amounts = {article: shares.get(article, 0.0) for article in corpus.vocabulary}
    few: Labels = {article: "yes" if share > 0.5 else "no" for article, share in reach.items()}
    labels = {"few_clicks": few, "category": _labels(table, "top_category_first", corpus.vocabulary)}
    return RealData("wikispeedia", corpus, labels, {"few_clicks": reach, "traffic": visits(corpus)})


LOADERS: dict[str, Callable[[Path], RealData]] = {
    "wikispeedia": _wikispeedia,
    "lloyds": _lloyds,
    "shenzhen": _shenzhen,
    "us_flights": _us_flights,
    "porto_poi": _porto_poi,
}
REAL_DATA = tuple(LOADERS)


def visits(corpus: Corpus) -> Amounts:
    """Return how often each node occurs, counting the weights of sequences.

    >>> visits(Corpus.from_sequences([["a", "b", "a"], ["b"]], weights=[1, 3]))
    {'a': 2.0, 'b': 4.0}
    """
    weights = np.repeat(corpus.weights, corpus.lengths).astype(np.float64)
    amounts = np.bincount(corpus.tokens, weights, minlength=corpus.n_nodes)
    return dict(zip(corpus.vocabulary, amounts.tolist(), strict=True))


def low_or_high(amounts: Mapping[Hashable, float]) -> Labels:
    """Return `high` for nodes with more than the median amount, and `low` for the others.

    >>> low_or_high({"a": 0, "b": 0, "c": 7})
    {'a': 'low', 'b': 'low', 'c': 'high'}
    """
    median = float(np.median(list(amounts.values())))
    return {node: "high" if amount > median else "low" for node, amount in amounts.items()}


def reachable_shares(links: Iterable[tuple[str, str]], most: int) -> Amounts:
    """Return the share of all other nodes from which each node can be reached by at most `most` links.

    >>> reachable_shares([("a", "b"), ("b", "c")], most=2)
    {'a': 0.0, 'b': 0.5, 'c': 1.0}
    """
    pairs = sorted(set(links), key=lambda pair: pair[1])
    nodes = Vocabulary(tuple(dict.fromkeys(name for pair in sorted(pairs) for name in pair)))
    sources = np.array([nodes.id(source) for source, _ in pairs], np.int64)
    heads, starts = np.unique(np.array([nodes.ids[target] for _, target in pairs], np.int64), return_index=True)
    # Pairs are sorted by target, so the sources of one target are adjacent, though targets are not in id order.
    order = np.argsort(starts)
    heads, starts = heads[order], starts[order]
    reached: NDArray[np.uint8] = np.packbits(np.eye(len(nodes), dtype=np.bool_), axis=1)
    for _ in range(most):
        further = reached.copy()
        further[heads] |= np.bitwise_or.reduceat(reached[sources], starts, axis=0)
        reached = further
    shares = (np.bitwise_count(reached).sum(axis=1, dtype=np.int64) - 1) / max(1, len(nodes) - 1)
    return dict(zip(nodes, shares.tolist(), strict=True))


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
        raise InputError(f"{source} cannot be reached ({error}); {HOW_TO_GET}") from None
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


SNAP_TABLES = ("articles.tsv", "categories.tsv", "links.tsv", "paths_finished.tsv", "paths_unfinished.tsv")


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


def _links(path: Path) -> Iterator[tuple[str, str]]:
    for source, target in read_paths(path, format="text", delimiter="\t", comment="#").sequences():
        yield str(source), str(target)


def _table(path: Path) -> NodeTable:
    if not path.is_file():
        raise InputError(f"{path} is not there; {HOW_TO_GET}")
    return NodeTable.read(path)


def _labels(table: NodeTable, name: str, vocabulary: Vocabulary) -> Labels:
    return {node: label for node, label in table.labels(name).items() if node in vocabulary}


def _coordinates(table: NodeTable, vocabulary: Vocabulary) -> dict[Hashable, tuple[float, float]]:
    places = zip(vocabulary, *(values.tolist() for values in table.coordinates(vocabulary)), strict=True)
    return {node: (lon, lat) for node, lon, lat in places if isfinite(lon + lat)}
