"""min_entities: whatever is left was done by enough entities, and no cut was made without need."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import honem
from honem import HONEM, Corpus, CorpusError, ParameterError
from honem.cli import main
from honem.io.paths import clean_corpus, from_events_with_report

Run = tuple[Hashable, ...]
Owned = list[tuple[int, Run]]
VISITS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.sampled_from("abcd")), min_size=1, max_size=60)


def runs_of(path: Run) -> set[Run]:
    """Every run of consecutive nodes."""
    return {path[first:last] for first in range(len(path)) for last in range(first + 1, len(path) + 1)}


def rare_runs(paths: Owned, least: int) -> set[Run]:
    owners = defaultdict(set)
    for owner, path in paths:
        for run in runs_of(path):
            owners[run].add(owner)
    return {run for run, whose in owners.items() if len(whose) < least}


def obviously_suppressed(paths: Owned, least: int) -> Counter[Run]:
    """Walk along each path and begin a new piece where the run so far would be rare; again until there is none."""
    while rare := rare_runs(paths, least):
        cut: Owned = []
        for owner, path in paths:
            piece: Run = ()
            for node in path:
                if (*piece, node) in rare:
                    cut.append((owner, piece))
                    piece = () if (node,) in rare else (node,)
                else:
                    piece = (*piece, node)
            cut.append((owner, piece))
        paths = [(owner, piece) for owner, piece in cut if piece]
    return Counter(path for _, path in paths)


def counted(corpus: Corpus) -> Counter[Run]:
    return Counter(dict(zip(corpus.sequences(), corpus.weights.tolist(), strict=True)))


@given(VISITS, st.integers(1, 4), st.sampled_from([None, 5]))
def test_the_same_as_the_obvious_way(visits: list[tuple[int, int, str]], least: int, gap: int | None) -> None:
    table = {name: [visit[number] for visit in visits] for number, name in enumerate(("who", "when", "where"))}
    whole = honem.from_events(table, entity="who", time="when", node="where", max_gap=gap)
    assert whole.entities is not None
    paths = list(zip(whole.entities.tolist(), whole.sequences(), strict=True))
    expected = obviously_suppressed(paths, least)
    try:
        corpus, report = from_events_with_report(
            table, entity="who", time="when", node="where", max_gap=gap, min_entities=least
        )
    except CorpusError:
        assert not expected
        return
    assert counted(corpus) == expected
    assert counted(clean_corpus(whole, min_entities=least)[0]) == expected
    assert report.cuts_for_privacy == whole.n_steps - corpus.n_weighted_steps
    assert corpus.min_entities == least
    assert corpus.times is None
    assert corpus.entities is None


@given(VISITS, st.integers(2, 4), st.randoms())
def test_order_tells_nothing(visits: list[tuple[int, int, str]], least: int, random: object) -> None:
    paths = defaultdict(list)
    for who, _, where in visits:
        paths[who].append(where)
    shuffled = list(paths.values())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    corpora = [Corpus.from_sequences(given) for given in (paths.values(), shuffled)]
    try:
        one, other = (clean_corpus(corpus, min_entities=least)[0] for corpus in corpora)
    except CorpusError:
        return
    assert one.vocabulary.labels == other.vocabulary.labels
    assert np.array_equal(one.tokens, other.tokens)
    assert np.array_equal(one.weights, other.weights)


def test_by_hand() -> None:
    paths = [["home", "shop", "cart"], ["home", "shop", "help"], ["home", "shop", "cart", "alice"], ["bob", "home"]]
    corpus, report = clean_corpus(Corpus.from_sequences(paths), min_entities=2)
    # alice, bob and help are nodes of one path each; home -> shop -> cart is one of two.
    assert counted(corpus) == {("home", "shop", "cart"): 2, ("home", "shop"): 1, ("home",): 1}
    assert str(report).endswith("3 cuts for min_entities; 3 tokens of nodes of too few entities left out")


def test_one_entity_is_one_however_often_it_was_cut() -> None:
    table = {"who": [1, 1, 1, 1, 2], "when": [0, 1, 100, 101, 0], "where": ["a", "b", "a", "b", "a"]}
    often = honem.from_events(table, entity="who", time="when", node="where", max_gap=10, min_entities=2)
    assert counted(often) == {("a",): 3}
    twice = [["a", "b"], ["a", "b"]]
    assert counted(clean_corpus(Corpus.from_sequences(twice), min_entities=2)[0]) == {("a", "b"): 2}
    # Of unknown entities, a path of weight 2 is two; of known ones, it is one.
    assert counted(clean_corpus(Corpus.from_sequences([["a", "b"]], [2]), min_entities=2)[0]) == {("a", "b"): 2}
    heavy = {"who": [1, 1], "where": ["a", "b"], "weight": [2, 2]}
    with pytest.raises(CorpusError, match="cleaning left no sequence"):
        honem.from_events(heavy, entity="who", node="where", weight="weight", min_entities=2)


def test_a_whole_model_shows_nothing_rare(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = [[f"p{node}" for node in rng.integers(0, 6, 5)] for _ in range(60)] + [["p1", "secret", "p2"]]
    model = HONEM(2, preset="evidence").fit(paths, min_entities=3)
    rare = rare_runs([(number, tuple(path)) for number, path in enumerate(paths)], 3)
    assert rare
    assert "secret" not in model.embedding_.nodes
    for rule in model.rules_:
        for successor in rule.successors:
            assert (*rule.context, successor.node) not in rare
            assert successor.count >= 3
    for history in ([node] for node in model.embedding_.nodes):
        for step in model.predict_next(history).nodes:
            assert not step.observed or (*history, step.node) not in rare
    model.save(tmp_path / "model")
    stored = HONEM.load(tmp_path / "model")._known_paths()
    assert stored.min_entities == 3
    assert all(not (runs_of(path) & rare) for path in stored.sequences())
    with pytest.raises(CorpusError, match="min_entities"):
        model.update([["p1", "secret"]])
    model.update(clean_corpus(Corpus.from_sequences(paths), min_entities=3)[0])


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "paths.txt").write_text("a b c\na b c\na b d\n")
    assert main(["rules", str(tmp_path / "paths.txt"), "--min-entities", "2"]) == 0
    printed = capsys.readouterr()
    assert '"d"' not in printed.out
    assert "1 cut for min_entities" in printed.err
    assert main(["rules", str(tmp_path / "paths.txt"), "--min-entities", "9"]) == 2
    with pytest.raises(ParameterError, match="min_entities"):
        honem.read_paths(tmp_path / "paths.txt", min_entities=0)
