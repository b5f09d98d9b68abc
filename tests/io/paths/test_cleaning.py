"""Every cleaning step against a plain loop, sequence by sequence, with its count."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus
from honem.io.paths import clean_corpus, from_events_with_report
from honem.io.paths.cleaning import (
    Batch,
    collapse_repeats,
    cut_at_gaps,
    cut_at_length,
    drop_short,
    resolve_back_clicks,
)
from honem.io.paths.times import Times
from tests.io.paths import naive

BACK = 3
PATHS = st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=12)


def batch_of(paths: list[list[int]], times: Times | None = None) -> Batch:
    """The paths as a batch in which every weight tells its sequence."""
    tokens = np.array([node for path in paths for node in path], np.int32)
    return Batch(tokens, np.array([len(path) for path in paths], np.int64), np.arange(len(paths)), times)


def paths_of(batch: Batch) -> list[tuple[int, list[int]]]:
    """Each path of a batch with its weight."""
    assert batch.weights is not None
    assert batch.lengths.sum() == len(batch.tokens)
    parts = np.split(batch.tokens, np.cumsum(batch.lengths)[:-1]) if len(batch.lengths) else []
    return [(weight, part.tolist()) for weight, part in zip(batch.weights.tolist(), parts, strict=True)]


def weighed(pieces: list[list[list[int]]]) -> list[tuple[int, list[int]]]:
    """The pieces of each path, every one with the weight of its whole."""
    return [(weight, piece) for weight, several in enumerate(pieces) for piece in several]


@given(paths=PATHS)
def test_collapse_repeats(paths: list[list[int]]) -> None:
    batch, collapsed = collapse_repeats(batch_of(paths))
    expected = [naive.collapse_repeats(path) for path in paths]
    assert paths_of(batch) == list(enumerate(expected))
    assert collapsed == sum(map(len, paths)) - sum(map(len, expected))


@given(paths=PATHS, most=st.integers(1, 5))
def test_cut_at_length(paths: list[list[int]], most: int) -> None:
    batch, cuts = cut_at_length(batch_of(paths), most)
    expected = weighed([naive.cut_at_length(path, most) for path in paths])
    assert paths_of(batch) == expected
    assert cuts == len(expected) - len(paths)


@given(paths=PATHS, least=st.integers(1, 5))
def test_drop_short(paths: list[list[int]], least: int) -> None:
    batch, sequences, tokens = drop_short(batch_of(paths), least)
    assert paths_of(batch) == [(weight, path) for weight, path in enumerate(paths) if len(path) >= least]
    assert sequences == sum(len(path) < least for path in paths)
    assert tokens == sum(len(path) for path in paths if len(path) < least)


@given(paths=PATHS, gap=st.integers(1, 4), unit=st.sampled_from(["plain", "seconds", "milliseconds"]), data=st.data())
def test_cut_at_gaps(paths: list[list[int]], gap: int, unit: str, data: st.DataObject) -> None:
    times = [sorted(data.draw(st.lists(st.integers(0, 20), min_size=len(p), max_size=len(p)))) for p in paths]
    units: dict[str, tuple[int, int | None, str | int]] = {
        "plain": (1, None, gap),
        "seconds": (1, 1, f"{gap}s"),
        "milliseconds": (1000, 1000, gap),
    }
    factor, ticks, given_gap = units[unit]
    values = np.array([time * factor for path in times for time in path], np.int64)
    batch, cuts = cut_at_gaps(batch_of(paths, Times(values, ticks)), given_gap)
    expected = weighed([naive.cut_at_gaps(path, time, gap) for path, time in zip(paths, times, strict=True)])
    assert paths_of(batch) == expected
    assert cuts == len(expected) - len(paths)


@given(paths=PATHS, back=st.sampled_from(["drop", "replay"]))
def test_back_clicks(paths: list[list[int]], back: Any) -> None:
    batch, resolved, nowhere = resolve_back_clicks(batch_of(paths), BACK, back)
    assert paths_of(batch) == list(enumerate(naive.resolve(path, BACK, back) for path in paths))
    assert resolved + nowhere == sum(path.count(BACK) for path in paths)
    if back == "replay":
        assert nowhere == sum(map(len, paths)) - len(batch.tokens)
    else:
        assert 2 * resolved + nowhere == sum(map(len, paths)) - len(batch.tokens)


@given(paths=PATHS.filter(len), options=st.fixed_dictionaries({}, optional={
    "lowercase": st.booleans(),
    "back": st.sampled_from(["drop", "replay"]),
    "collapse_repeats": st.booleans(),
    "max_length": st.integers(1, 4),
}))  # fmt: skip
def test_all_steps_in_their_order(paths: list[list[int]], options: dict[str, Any]) -> None:
    names = ["a", "A", "b", "B"]
    if "back" in options:
        options["back_token"] = "B"
    corpus, report = clean_corpus(Corpus.from_sequences([[names[node] for node in path] for path in paths]), **options)
    # "A" is 1 and becomes "a", 0; "B" is 3 and becomes "b", 2, and so does the back-click.
    lower = [[node // 2 * 2 if options.get("lowercase") else node for node in path] for path in paths]
    if "back" in options:
        lower = [naive.resolve(path, 2 if options.get("lowercase") else 3, options["back"]) for path in lower]
    if options.get("collapse_repeats"):
        lower = [naive.collapse_repeats(path) for path in lower]
    if "max_length" in options:
        lower = [piece for path in lower for piece in naive.cut_at_length(path, options["max_length"])]
    expected = [tuple(names[node] for node in path) for path in lower]
    assert list(corpus.sequences()) == expected
    assert list(corpus.vocabulary) == list(dict.fromkeys(node for path in expected for node in path))
    assert (report.sequences, report.tokens) == (corpus.n_sequences, len(corpus.tokens))


def test_what_is_in_no_sequence_any_more_is_no_node() -> None:
    corpus = Corpus.from_sequences([["x"], ["b", "a"], ["y"]], weights=[1, 2, 3])
    cleaned, report = clean_corpus(corpus, min_length=2)
    assert list(cleaned.vocabulary) == ["b", "a"]
    assert cleaned.weights.tolist() == [2]
    assert (report.sequences_read, report.sequences, report.sequences_too_short) == (3, 1, 2)


def test_a_back_click_does_not_reach_over_a_gap() -> None:
    visits = {"who": ["u"] * 5, "when": [0, 1, 100, 101, 102], "page": ["a", "b", "<", "c", "<"]}
    corpus, report = from_events_with_report(
        visits, entity="who", time="when", node="page", max_gap=10, back_token="<", back="drop"
    )
    assert list(corpus.sequences()) == [("a", "b"), ("c",)]
    assert (report.cuts_at_gaps, report.back_clicks_resolved, report.back_clicks_without_page) == (1, 0, 2)


def test_the_report_in_words() -> None:
    corpus = Corpus.from_sequences([["A", "a", "b"], ["c"]])
    _, report = clean_corpus(corpus, lowercase=True, collapse_repeats=True, min_length=2)
    assert str(report) == (
        "1 sequence, 2 tokens, 2 nodes; 1 name made lower case; 1 repeat collapsed; "
        "1 sequence shorter than min_length left out; 1 token left out with them"
    )
    assert report.to_dict()["repeats_collapsed"] == 1
