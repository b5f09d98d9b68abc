"""The real data: the counts that are told with it, and the raw games that its paths were made from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from honem.io.paths import read_paths, read_paths_with_report

TOLD = {
    "wikispeedia": (63_053, 4_177, 55_354, 6.1),
    "lloyds": (4_298, 910, 8_753, 28.1),
    "shenzhen": (58_246, 1_267, 6_691, 7.3),
    "us_flights": (286_810, 175, 1_598, 4.2),
    "porto_poi": (4_352, 2_165, 10_447, 22.9),
    "grateful_dead_setlists": (4_049, 430, 7_665, 9.5),
    "db_longdistance2019": (20_231, 634, 1_858, 12.5),
    "bay_area_bikes2014": (127_550, 70, 1_705, 3.6),
    "lausanne_roads": (229, 4_449, 5_832, 100.7),
}
TABBED = ("grateful_dead_setlists", "db_longdistance2019", "bay_area_bikes2014")


@pytest.mark.parametrize("name", TOLD)
def test_counts(name: str, real_data: Path) -> None:
    corpus, report = read_paths_with_report(
        real_data / name / "paths.txt.gz", delimiter="\t" if name in TABBED else None
    )
    is_step = np.ones(len(corpus.tokens), bool)
    is_step[corpus.offsets[1:] - 1] = False
    steps = np.flatnonzero(is_step)
    edges = np.unique(corpus.tokens[steps].astype(np.int64) * corpus.n_nodes + corpus.tokens[steps + 1])
    mean_length = round(len(corpus.tokens) / corpus.n_sequences, 1)
    assert (corpus.n_sequences, corpus.n_nodes, len(edges), mean_length) == TOLD[name]
    assert report.lines == corpus.n_sequences


def test_dropping_what_back_clicks_left_gives_the_paths_of_wikispeedia(real_data: Path) -> None:
    """All finished games, and unfinished ones of more than 3 pages."""
    games = real_data / "wikispeedia"
    finished, report = read_paths_with_report(games / "finished_with_backclicks.txt.gz", back_token="<", back="drop")
    unfinished = read_paths(games / "unfinished_with_backclicks.txt.gz", back_token="<", back="drop", min_length=4)
    paths = read_paths(games / "paths.txt.gz")
    assert Counter(finished.sequences()) + Counter(unfinished.sequences()) == Counter(paths.sequences())
    assert (report.back_clicks_resolved, report.back_clicks_without_page) == (20_559, 0)
    assert report.tokens == report.tokens_read - 2 * report.back_clicks_resolved


def test_replaying_back_clicks_loses_no_page(real_data: Path) -> None:
    games = real_data / "wikispeedia" / "finished_with_backclicks.txt.gz"
    raw, replayed = read_paths(games), read_paths(games, back_token="<", back="replay")
    assert len(raw.tokens) == len(replayed.tokens)
    assert "<" not in replayed.vocabulary
    assert set(replayed.vocabulary) == set(raw.vocabulary) - {"<"}
