"""Real path data with labels of their nodes, from the folder in the environment variable HONEM_DATA.

Each data set is a folder with `paths.txt.gz`, one sequence per line, and tables that describe its nodes. None of them
is part of honem; wikispeedia can be downloaded.
"""

from __future__ import annotations

import os
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
from honem.io.paths import read_paths
from honem.io.tables import NodeTable

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
    counted : frozenset of str
        The kinds of label that are counts of the same paths, such as traffic: a method that keeps track of how busy
        nodes are knows them already.
    hold_out_distinct : bool
        Whether few distinct sequences are repeated many times, so that all copies of a sequence have to be held out
        together.
    """

    name: str
    corpus: Corpus
    labels: dict[str, Labels]
    amounts: dict[str, Amounts] = field(default_factory=dict)
    coordinates: dict[Hashable, tuple[float, float]] = field(default_factory=dict)
    counted: frozenset[str] = frozenset()
    hold_out_distinct: bool = False


def load_real(name: str, folder: str | os.PathLike[str] | None = None) -> RealData:
    """Load a data set.

    Parameters
    ----------
    name : str
        The data set, one of `REAL_DATA`.
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


def available(folder: str | os.PathLike[str] | None = None) -> tuple[str, ...]:
    """Return the names of the data sets that the folder has."""
    return tuple(name for name in REAL_DATA if (data_folder(folder) / name / "paths.txt.gz").is_file())


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
    "or download wikispeedia with honem.evaluation.datasets.download_wikispeedia()"
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
        counted=frozenset({"traffic"}),
    )


def _shenzhen(place: Path) -> RealData:
    """Load grid cells, labelled by `pickups` (low or high, split at the median; 0 for cells not in the table).

    A path begins where a passenger is picked up, among other places, so pick-ups are counts of the same paths.
    """
    corpus = read_paths(place / "paths.txt.gz")
    counted = np.nan_to_num(_table(place / "pickups.tsv").numbers_for(corpus.vocabulary, "pickups"))
    pickups: Amounts = dict(zip(corpus.vocabulary, counted.tolist(), strict=True))
    cells = {cell: tuple(map(int, str(cell).split("_"))) for cell in corpus.vocabulary}
    centres = {
        cell: (GRID_LON + (column + 0.5) * GRID_STEP, GRID_LAT + (row + 0.5) * GRID_STEP)
        for cell, (row, column) in cells.items()
    }
    return RealData(
        "shenzhen",
        corpus,
        {"pickups": low_or_high(pickups)},
        {"pickups": pickups},
        dict(centres),
        counted=frozenset({"pickups"}),
    )


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


def _grateful_dead_setlists(place: Path) -> RealData:
    """Load songs, labelled by `era` (that of their first year) and `segue_class` (whether they run into the next one).

    The column `slot`, the part of a concert in which a song is usually played, derives from the order of the songs, so
    it is not a label.
    """
    corpus = read_paths(place / "paths.txt.gz", delimiter="\t")
    table = _table(place / "labels.tsv")
    labels = {name: _labels(table, name, corpus.vocabulary) for name in ("era", "segue_class")}
    amounts = {"traffic": visits(corpus), "first_year": _amounts(table, "first_year", corpus.vocabulary)}
    return RealData("grateful_dead_setlists", corpus, labels, amounts)


def _db_longdistance2019(place: Path) -> RealData:
    """Load stations, labelled by `country` and by `main_train_type`; 20,231 runs have 1,306 distinct sequences."""
    corpus = read_paths(place / "paths.txt.gz", delimiter="\t")
    table = _table(place / "labels.tsv")
    labels = {name: _labels(table, name, corpus.vocabulary) for name in ("country", "main_train_type")}
    places = _coordinates(table, corpus.vocabulary)
    amounts = {"traffic": visits(corpus)}
    return RealData("db_longdistance2019", corpus, labels, amounts, places, hold_out_distinct=True)


def _bay_area_bikes2014(place: Path) -> RealData:
    """Load bicycle stations, labelled by `city`."""
    corpus = read_paths(place / "paths.txt.gz", delimiter="\t")
    table = _table(place / "labels.tsv")
    labels = {"city": _labels(table, "city", corpus.vocabulary)}
    amounts = {"traffic": visits(corpus), "docks": _amounts(table, "docks", corpus.vocabulary)}
    return RealData("bay_area_bikes2014", corpus, labels, amounts, _coordinates(table, corpus.vocabulary))


def _lausanne_roads(place: Path) -> RealData:
    """Load road junctions, which have coordinates and no label."""
    corpus = read_paths(place / "paths.txt.gz")
    places = _coordinates(_table(place / "labels.tsv"), corpus.vocabulary)
    return RealData("lausanne_roads", corpus, {}, {"traffic": visits(corpus)}, places)


LOADERS: dict[str, Callable[[Path], RealData]] = {
    "wikispeedia": _wikispeedia,
    "lloyds": _lloyds,
    "shenzhen": _shenzhen,
    "us_flights": _us_flights,
    "porto_poi": _porto_poi,
    "grateful_dead_setlists": _grateful_dead_setlists,
    "db_longdistance2019": _db_longdistance2019,
    "bay_area_bikes2014": _bay_area_bikes2014,
    "lausanne_roads": _lausanne_roads,
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


def _links(path: Path) -> Iterator[tuple[str, str]]:
    for source, target in read_paths(path, format="text", delimiter="\t", comment="#").sequences():
        yield str(source), str(target)


def _table(path: Path) -> NodeTable:
    if not path.is_file():
        raise InputError(f"{path} is not there; {HOW_TO_GET}")
    return NodeTable.read(path)


def _labels(table: NodeTable, name: str, vocabulary: Vocabulary) -> Labels:
    return {node: label for node, label in table.labels(name).items() if node in vocabulary}


def _amounts(table: NodeTable, name: str, vocabulary: Vocabulary) -> Amounts:
    numbers = zip(vocabulary, table.numbers_for(vocabulary, name).tolist(), strict=True)
    return {node: number for node, number in numbers if isfinite(number)}


def _coordinates(table: NodeTable, vocabulary: Vocabulary) -> dict[Hashable, tuple[float, float]]:
    places = zip(vocabulary, *(values.tolist() for values in table.coordinates(vocabulary)), strict=True)
    return {node: (lon, lat) for node, lon, lat in places if isfinite(lon + lat)}
