"""Damaged and hostile stores: every command gives a result or one line, and changed values are noticed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from honem import (
    HONEM,
    Corpus,
    Embedding,
    HonemError,
    InputError,
    ParameterError,
    Vocabulary,
    extract_rules,
    load,
    save,
)
from honem.io.parts import PARTS
from tests.faults import changing, hostile
from tests.faults.damage import cuts, flips
from tests.faults.hostile_models import hostile_tuning
from tests.faults.running import ROUNDS, Outcome, run, run_process

READING = (
    ("neighbors", "{store}", "A"),
    ("neighbors", "{store}", "A", "--space", "euclidean", "--json"),
    ("neighbors", "{store}", "A", "--space", "source.target"),
    ("explain", "{store}", "C"),
    ("explain", "{store}", "A", "C", "--json"),
    ("next", "{store}", "A", "C"),
    ("next", "{store}", "--histories", "{histories}", "--json"),
    ("sample", "{store}", "-n", "3", "--length", "12"),
    ("profile", "{store}"),
    ("profile", "{store}", "A", "--json"),
    ("info", "{store}"),
    ("info", "{store}", "--json"),
    ("compare", "{store}", "{other}"),
    ("export", "{store}", "-o", "-", "--format", "word2vec"),
    ("export", "{store}", "-o", "-", "--what", "rules", "--format", "jsonl"),
    ("export", "{store}", "-o", "-", "--what", "network", "--format", "csv"),
    ("explore", "{store}", "-o", "{page}", "--projection", "pca"),
)
"""Every command that reads a store."""


def run_all(store: Path, other: Path) -> list[Outcome]:
    """Run every command on a store, and use it as a model."""
    names = {"store": str(store), "other": str(other), "page": str(store.with_name("page.html"))}
    names["histories"] = str(store.with_name("histories.txt"))
    Path(names["histories"]).write_text("A C\nD\nodd\n")
    done = [run(*(word.format(**names) for word in command)) for command in READING]
    try:
        model = HONEM.load(store)
        model.transform(model.embedding_.nodes[:2])
        model.predict_next(model.embedding_.nodes[:2])
        assert repr(model.rules_) == repr(model.rules_)
        assert len(list(model.rules_)) == len(model.rules_)
        assert str(model.tuning_) == str(model.tuning_)
    except HonemError as error:
        assert "\n" not in str(error)  # noqa: PT017
    return done


def test_the_manifest_with_one_bit_changed_is_refused_or_says_the_same(store: Path) -> None:
    path, expected = store / "manifest.json", changing.manifest_of(store)
    for damaged in flips(path.read_bytes(), random.Random(0), 500 * ROUNDS):
        path.write_bytes(damaged)
        try:
            assert load(store, with_rules=False).manifest == expected
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_a_manifest_cut_anywhere_is_refused(store: Path) -> None:
    path = store / "manifest.json"
    data = path.read_bytes()
    for damaged in cuts(data.rstrip(), random.Random(0), 60 * ROUNDS):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="manifest"):
            load(store)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_with_one_bit_changed_or_cut_is_refused(store: Path, part: str) -> None:
    path, chance = changing.part_path(store, part), random.Random(0)
    data = path.read_bytes()
    for damaged in (*flips(data, chance, 60 * ROUNDS), *cuts(data, chance, 20 * ROUNDS)):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"is not what was written \(its SHA-256 differs\)"):
            load(store)


@pytest.mark.parametrize("part", PARTS)
def test_parts_that_are_damaged_inside_with_right_hashes(store: Path, part: str) -> None:
    """The readers of parts see what was damaged, because the hash is that of the damaged file."""
    data, chance = changing.part_path(store, part).read_bytes(), random.Random(0)
    expected = changing.manifest_of(store)
    for damaged in (*flips(data, chance, 40 * ROUNDS), *cuts(data, chance, 10 * ROUNDS)):
        changing.replace_part(store, part, partial(Path.write_bytes, data=damaged))
        try:
            load(store)
        except InputError as error:
            assert "store" in str(error)  # noqa: PT017
        changing.part_path(store, part).unlink()
        changing.write_manifest(store, expected)


@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_every_command_refuses_a_damaged_store_and_embed_replaces_it(
    store: Path, made_store: Path, paths: Path, damage: str
) -> None:
    files, chance = sorted(store.iterdir()), random.Random(1)
    originals = {path: path.read_bytes() for path in files}
    for path in files:
        for damaged in list((flips if damage == "flip" else cuts)(originals[path], chance, ROUNDS))[:ROUNDS]:
            path.write_bytes(damaged)
            done = run_all(store, made_store)
            assert path.name.startswith("manifest") or sum(one.is_refusal for one in done) >= len(done) / 2
            assert not run("embed", paths, "-o", store, "--dim", 3, "--force").is_refusal
            assert run("neighbors", store, "A").stdout == run("neighbors", made_store, "A").stdout
            for leftover in store.iterdir():
                leftover.unlink()
            for original, data in originals.items():
                original.write_bytes(data)


def test_hostile_stores_with_right_hashes(made_store: Path, new_store: Callable[[], Path]) -> None:
    changes = hostile.hostile_stores(made_store)
    chosen = random.Random(0).sample(sorted(changes), min(40 * ROUNDS, len(changes)))
    refused = []
    for name in chosen:
        store = new_store()
        changes[name](store)
        try:
            refused.append(all(one.is_refusal for one in run_all(store, made_store)))
        except BaseException as error:
            error.add_note(f"in a store with this change: {name}")
            raise
    assert any(refused)
    assert not all(refused)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nodes: the text {", "is not a node in JSON"),
        ("nodes: the text {}", "a node cannot be looked up"),
        (f"nodes: the text {hostile.DEEP[:20]}", "is not a node in JSON"),
        ("nodes: the text NaN", "a node is NaN"),
        ('nodes: the text "A"', "the node 'A' occurs more than once"),
        ("nodes: bytes in node", "'node' is of type binary"),
        ("nodes: a missing one in node", "1 missing"),
        ("nodes: not UTF-8 in node", "cannot be read: .*Invalid UTF8"),
        ("vectors: source with nan", "not finite or too large, first in row 6"),
        ("vectors: target with inf", "target holds numbers that are not finite"),
        ("vectors: source with 1e+308", "not finite or too large"),
        ("vectors: source of int64", "source is an array of int64"),
        ("vectors: no columns", "in some columns"),
        ("vectors: target of another shape", "target is an array of float64 and shape"),
        ("vectors: too few singular values", "singular_values are"),
        ("rules: empty context", "a rule has no contexts"),
        ("rules: empty targets", "more targets than counts"),
        ("rules: counts with 0 at (0, 0)", "a count is less than 1"),
        ("rules: counts with -1 at (-1, 0)", "a count is less than 1"),
        ("rules: counts with 9223372036854775807", "more than 64 bits can hold"),
        ("rules: context with 7 at (0, 0)", "not one of the 7"),
        ("rules: targets with -1 at (0, 0)", "not one of the 7"),
        ("rules: not sorted", "rules of order 1 are not sorted"),
        ("rules: not sorted by order", "rules are not sorted by order"),
        ("rules: one twice", "rules of order 1 are not sorted, or one is there twice"),
        ("rules: a target twice", "targets of a rule are not sorted, or one is there twice"),
        ("rules: counts with 2147483647 at (-1, 0)", "more often after longer contexts"),
        ("rules: divergence of nan", "a divergence is not between 0 and 64 bits"),
        ("rules: evidence of inf", "is missing or infinite"),
        ("rules: q_value of 5.0", "q-value is not between 0 and 1"),
        ("rules: missing accepted", "a value of accepted is missing"),
        ("rules: honem.params {", "does not hold rules"),
        ("rules: n_tested -1", "are not numbers of tests"),
        ("rules: criterion odd", "extracted in a way that is not known here"),
        ("next step: a context that extends itself", "comes before the one that it extends"),
        ("next step: a start that is extended", "goes back before the start"),
        ("next step: symbols with 8 at 0", "not one of the 7"),
        ("next step: symbols with 9223372036854775807 at 0", "symbols are not whole numbers"),
        ("next step: symbols with 6 at 0", "not sorted, or one is there twice"),
        ("next step: n_rows with 0 at 1", "a context has no targets"),
        ("next step: n_rows with 9223372036854775807 at slice(None, None, None)", "a context has no targets"),
        ("next step: targets with 7 at -1", "not one of the 7 nodes"),
        ("next step: targets with -1 at -1", "targets are not whole numbers"),
        ("next step: targets with 6 at -1", "more or less often than after all its extensions"),
        ("next step: counts with 0 at -1", "a count is less than 1"),
        ("next step: counts with 255 at -1", "more or less often than after all its extensions"),
        ("next step: counts with 9223372036854775807 at slice(None, None, None)", "more than 64 bits"),
        ("next step: counts with 255 at 0", "more or less often than after all its extensions"),
        ("next step: counts of fractions", "counts are not whole numbers"),
        ("next step: first_counts all zero", "counts of first nodes"),
        ("next step: discounts of 3.5", "a discount is not between 0"),
        ("next step: strengths of 0.0", "a strength is not a positive number"),
        ("next step: alpha of 3.5", "alpha or the share of vectors"),
        ("next step: affinity of nan", "a factor of popularity or of vectors"),
        ("next step: vectors times 1e+308", "vectors are too large for the next-step model"),
        ("next step: no scalars", "does not hold a next-step model of 7 nodes"),
        ("next step: a chain", None),
        ("profile: a column twice", "a profile has a column twice"),
        ("profile: an unknown column", "'odd' is not a column"),
        ("profile: fewer rows", "does not hold the profile of 7 nodes"),
        ("profile: a column of 1e+160", "infinite or too large"),
        ("profile: a column of texts", "does not hold the profile of 7 nodes"),
        ("manifest: parameters []", "damaged or not a manifest"),
        ("manifest: recipe odd", "damaged or not a manifest"),
        ("manifest: no rules", None),
        ("manifest: parameters None", None),
        ("manifest: facts.input True", None),
        ("vectors: no target", None),
        ("rules: no rules", None),
    ],
)
def test_what_is_wrong_is_said_when_a_store_is_loaded(
    store: Path, made_store: Path, name: str, words: str | None
) -> None:
    hostile.hostile_stores(made_store)[name](store)
    if words is None:
        load(store)
        return
    with pytest.raises(InputError, match=words) as refused:
        load(store)
    assert "\n" not in str(refused.value)


def test_a_report_of_tuning_that_cannot_be_read_is_left_out(made_store: Path, new_store: Callable[[], Path]) -> None:
    changes = hostile_tuning(hostile.ODD_VALUES)
    for name in ("tuning: tune_for 'odd'", "tuning: trials.0.value 'nan'", "tuning: reason '\\x1b[2J\\x07'"):
        store = new_store()
        changes[name](store)
        assert load(store).tuning is None
        assert "held-out" not in run("info", store).stdout.decode()
    changes["tuning: trials.0.value '0.5'"](store)
    assert b"mean average precision of held-out edges\nevidence  0.5000" in run("info", store).stdout


def test_numbers_that_json_does_not_have_are_null(store: Path) -> None:
    hostile.hostile_stores(store)["profile: a column of one missing"](store)
    found = run("profile", store, "A", "--json")
    assert None in json.loads(found.stdout, parse_constant=pytest.fail)["profile"].values()


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e200])
def test_numbers_that_cannot_be_loaded_are_not_saved(tmp_path: Path, number: float) -> None:
    with pytest.raises(ParameterError, match="not finite or too large"):
        save(tmp_path / "store", Embedding(Vocabulary(("a", "b")), np.array([[1.0], [number]])))
    assert not any(tmp_path.iterdir())


def test_nodes_that_cannot_be_stored_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HonemError, match="more digits than JSON can hold"):
        save(tmp_path / "store", Embedding(Vocabulary((10**5000, "b")), np.ones((2, 1))))
    assert not any(tmp_path.iterdir())


def test_longer_contexts_alone_can_be_stored(tmp_path: Path) -> None:
    rules = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5))
    longer = rules.by_order(2)
    save(tmp_path / "store", Embedding(rules.vocabulary, np.ones((5, 1))), longer)
    found = load(tmp_path / "store").rules
    assert found is not None
    assert [rule.context for rule in found] == [rule.context for rule in longer]


@pytest.mark.parametrize("name", ["vectors: source with nan", "rules: empty context", "nodes: the text {}"])
def test_hostile_stores_in_a_process_of_their_own(store: Path, made_store: Path, name: str) -> None:
    hostile.hostile_stores(made_store)[name](store)
    done = run_process("explain", str(store), "A").check()
    assert done.is_refusal
    assert done.stderr.startswith("honem: error: ")
