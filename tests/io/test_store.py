"""The store returns what was saved, bit for bit, and refuses damaged files."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from honem import (
    Corpus,
    Embedding,
    ExtractionParams,
    InputError,
    OutputError,
    ParameterError,
    RuleTable,
    Vocabulary,
    extract_rules,
)
from honem.io.manifest import Manifest
from honem.io.part_checks import check_rules
from honem.io.rule_columns import rule_columns, rules_of
from honem.io.store import check_target, load, save
from honem.rules.criteria import CRITERIA, NO_TESTS
from tests.comparing import EXACT, assert_same_rules
from tests.io.formats.nasty import nasty_embedding, nasty_rules
from tests.rules.criteria.toys import AboveMeanShift, LargeShift
from tests.strategies import corpora, params

OLD_STORE = Path(__file__).parent / "data" / "store-0.1.0"  # written by honem 0.1.0

CITY = Corpus.from_sequences([["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20)


def embedding_of(nodes: tuple[Hashable, ...], value: float = 1.0) -> Embedding:
    source = np.arange(len(nodes) * 2, dtype=np.float64).reshape(-1, 2) + value
    return Embedding(Vocabulary(nodes), source, -source, np.array([2.0, 1.0]))


@pytest.fixture
def city() -> tuple[Embedding, RuleTable]:
    return embedding_of(CITY.vocabulary.labels), extract_rules(CITY)


@pytest.fixture
def stored(city: tuple[Embedding, RuleTable], tmp_path: Path) -> Path:
    save(tmp_path / "store", *city, parameters={"tau": np.float64(1), "random_state": 7}, facts={"seconds": 1.5})
    return tmp_path / "store"


def file_of(store: Path, part: str) -> Path:
    """The file of a part, by the manifest."""
    return store / str(json.loads((store / "manifest.json").read_text())["files"][part]["name"])


def rewrite_manifest(store: Path, **changes: object) -> None:
    """Change values of a manifest and its digest with them."""
    values = json.loads((store / "manifest.json").read_text())
    (store / "manifest.json").write_bytes(Manifest(values | changes).to_bytes())


def listed(store: Path) -> list[str]:
    """The names of all files that the manifest lists, and its own."""
    files = json.loads((store / "manifest.json").read_text())["files"]
    return sorted(["manifest.json", *(file["name"] for file in files.values())])


def assert_same_embedding(found: Embedding, expected: Embedding) -> None:
    assert found.nodes == expected.nodes
    for name in ("source", "target", "singular_values"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@settings(max_examples=25)
@given(corpora(), params)
def test_rules_come_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, options: ExtractionParams
) -> None:
    rules = extract_rules(corpus, **vars(options))
    place = tmp_path_factory.mktemp("stores") / "store"
    save(place, embedding_of(corpus.vocabulary.labels), rules)
    found = load(place).rules
    assert found is not None
    assert_same_rules(found, rules, bits=0)
    for column in ("divergences", "evidence", "q_values", "thresholds"):
        np.testing.assert_array_equal(getattr(found, column), getattr(rules, column), err_msg=column)
    assert found.own_scores is None
    assert list(found) == list(rules)
    assert found.params == options
    assert found.vocabulary.labels == corpus.vocabulary.labels
    assert all(getattr(found, column).flags.writeable for column in (*EXACT, "divergences", "evidence", "q_values"))


def test_options_may_be_any_kind_of_number(tmp_path: Path) -> None:
    for options in ({"criterion": "divergence", "tau": Fraction(1, 2)}, {"alpha": np.float64(0.125)}):
        rules = extract_rules(CITY, min_support=np.int64(2), **options)
        save(tmp_path / "store", embedding_of(CITY.vocabulary.labels), rules, force=True)
        found = load(tmp_path / "store").rules
        assert found is not None
        assert found.params == rules.params


@pytest.fixture(params=[LargeShift, AboveMeanShift])
def registered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a criterion with scores of its own, registered for one test."""
    monkeypatch.setitem(CRITERIA, request.param.name, request.param)
    return str(request.param.name)


def test_scores_of_a_registered_criterion_come_back(registered: str, tmp_path: Path) -> None:
    strollers = [["park", "downtown", "library"]] * 5 + [["park", "downtown", "office"]] * 5
    city = Corpus.from_sequences([*CITY.sequences(), *strollers])
    rules = extract_rules(city, criterion=registered)
    assert rules.own_scores is not None
    assert rules.own_scores[rules.orders > 1].tolist() == [0.5, 0.5]
    save(tmp_path / "store", embedding_of(city.vocabulary.labels), rules)
    found = load(tmp_path / "store").rules
    assert found is not None
    assert found.own_scores is not None
    np.testing.assert_array_equal(found.own_scores, rules.own_scores)
    np.testing.assert_array_equal(found.scores, rules.scores)
    assert_same_rules(found, rules, bits=0)
    assert found[-1].verdict == "shifted by 0.50"
    del CRITERIA[registered]
    with pytest.raises(InputError, match=rf"rules-\w+\.parquet .* not known here: .*, not '{registered}'"):
        load(tmp_path / "store")


def test_rules_that_do_not_fit_are_refused(city: tuple[Embedding, RuleTable]) -> None:
    table = rule_columns(city[1])
    with pytest.raises(InputError, match="here does not hold rules"):
        rules_of(table.drop_columns("counts"), city[0].vocabulary, "here")
    with pytest.raises(ParameterError, match="not one of the 2"):
        check_rules(rules_of(table, Vocabulary(("a", "b")), "here"))
    with pytest.raises(InputError, match="more targets than counts"):
        rules_of(table.set_column(2, "counts", [[[1]] * len(table)]), city[0].vocabulary, "here")


def test_nasty_names_come_back(tmp_path: Path) -> None:
    save(tmp_path / "=cmd() é \n", nasty_embedding(), nasty_rules())
    store = load(tmp_path / "=cmd() é \n")
    assert_same_embedding(store.embedding, nasty_embedding())
    assert store.rules is not None
    assert list(store.rules.records()) == list(nasty_rules().records())


@pytest.mark.parametrize("nodes", [(1, 2, 3), ("1", "2"), (1, "1", 2.5, None), ((1, "a"), (1, ("b",))), ()])
def test_nodes_come_back_as_what_they_were(tmp_path: Path, nodes: tuple[Hashable, ...]) -> None:
    save(tmp_path / "store", embedding_of(nodes))
    found = load(tmp_path / "store").embedding.nodes
    assert found == nodes
    assert list(map(type, found)) == list(map(type, nodes))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_come_back_however_they_lie_in_memory(tmp_path: Path, dtype: type) -> None:
    vectors: np.ndarray = np.asfortranarray(np.random.default_rng(0).standard_normal((5, 8)).astype(dtype))[:, ::2]
    embedding = Embedding(Vocabulary(tuple("abcde")), vectors)
    save(tmp_path / "store", embedding)
    assert_same_embedding(load(tmp_path / "store").embedding, embedding)


def test_the_manifest_says_where_it_came_from(stored: Path) -> None:
    manifest = load(stored).manifest
    assert manifest["parameters"] == {"tau": 1.0, "random_state": 7}
    assert manifest["seed"] == 7
    assert manifest["facts"] == {"seconds": 1.5}
    assert manifest["counts"] == {"nodes": 5, "dimensions": 2, "rules": 5, "rule_rows": 6, "max_order": 2}
    assert manifest["recipe"] is None
    assert sorted(manifest["files"]) == ["nodes", "rules", "vectors"]
    assert sorted(path.name for path in stored.iterdir()) == listed(stored)


def test_files_are_named_after_their_content(stored: Path) -> None:
    for part, ending in (("nodes", "parquet"), ("rules", "parquet"), ("vectors", "safetensors")):
        file = file_of(stored, part)
        assert file.name == f"{part}-{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}.{ending}"


def test_unchanged_files_are_kept(stored: Path, city: tuple[Embedding, RuleTable]) -> None:
    before = {part: file_of(stored, part) for part in ("nodes", "rules", "vectors")}
    kept = {part: before[part].stat() for part in ("nodes", "rules")}
    save(stored, embedding_of(city[0].nodes, value=2.0), city[1], force=True)
    for part, was in kept.items():
        now = file_of(stored, part).stat()
        assert (now.st_ino, now.st_mtime_ns) == (was.st_ino, was.st_mtime_ns)
    assert file_of(stored, "vectors") != before["vectors"]
    assert not before["vectors"].exists()


def test_a_damaged_file_is_not_kept(stored: Path, city: tuple[Embedding, RuleTable]) -> None:
    file_of(stored, "rules").write_bytes(b"damaged")
    save(stored, *city, force=True)
    assert_same_embedding(load(stored).embedding, city[0])


def test_the_recipe_comes_back(tmp_path: Path) -> None:
    recipe = {"weighting": "evidence", "transforms": ("damp",), "tilt": np.float64(0.5)}
    save(tmp_path / "store", embedding_of(("a",)), recipe=recipe)
    assert load(tmp_path / "store").recipe == {"weighting": "evidence", "transforms": ["damp"], "tilt": 0.5}
    save(tmp_path / "store", embedding_of(("a",)), parameters=recipe, force=True)
    assert load(tmp_path / "store").recipe is None


def test_rules_can_stay_on_the_disk(stored: Path) -> None:
    assert load(stored, with_rules=False).rules is None
    assert load(stored).rules is not None


@pytest.mark.parametrize("part", ["vectors", "nodes", "rules"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove", "swap"])
def test_a_damaged_file_is_refused_by_name(stored: Path, part: str, damage: str) -> None:
    name = file_of(stored, part).name
    data = bytearray((stored / name).read_bytes())
    data[len(data) // 2] ^= 1
    damages: dict[str, Callable[[], object]] = {
        "flip": lambda: (stored / name).write_bytes(data),
        "cut": lambda: (stored / name).write_bytes(data[:-1]),
        "remove": lambda: (stored / name).unlink(),
        "swap": lambda: shutil.copy(stored / "manifest.json", stored / name),
    }
    damages[damage]()
    with pytest.raises(InputError, match=name) as refused:
        load(stored)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "not a manifest of honem"),
        ({"format_version": 4}, "reads store format 1 to 3, not 4; update honem"),
        ({"format_version": 4, "files": "who knows"}, "not 4; update honem"),
        ({"format_version": None}, "not None"),
        ({"files": {}}, "lists no file of nodes"),
        ({"files": []}, "damaged"),
        ({"files": {"nodes": {}}}, "damaged"),
        ({"superseded": [{"name": "../x", "sha256": "", "bytes": 1}]}, "damaged"),
        ({"files": {"nodes": {"name": "../nodes.parquet", "sha256": "", "bytes": 1}}}, "damaged"),
        ({"counts": {"nodes": 4, "dimensions": 2}}, "says .*4.* they hold .*5"),
        ({"counts": {}}, "does not fit its files"),
        ({"counts": None}, "does not fit its files"),
        ({"counts": 5}, "damaged"),
        ({"parameters": [1]}, "damaged"),
        ({"facts": "none"}, "damaged"),
        ({"recipe": "paper"}, "damaged"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(stored: Path, change: dict[str, object], words: str) -> None:
    rewrite_manifest(stored, **change)
    with pytest.raises(InputError, match=words):
        load(stored)


@pytest.mark.parametrize("change", [{"recipe": {"tilt": 0.5}}, {"seed": 8}, {"format_version": 2}, {"more": 1}])
def test_a_manifest_is_protected_by_its_own_digest(stored: Path, change: dict[str, object]) -> None:
    values = json.loads((stored / "manifest.json").read_text())
    (stored / "manifest.json").write_text(json.dumps(values))  # laid out in another way: the values are the same
    assert load(stored).manifest == values
    (stored / "manifest.json").write_text(json.dumps(values | change))
    with pytest.raises(InputError, match=r"manifest\.json is not what was written \(its SHA-256 differs\)"):
        load(stored)
    del values["sha256"]
    (stored / "manifest.json").write_text(json.dumps(values))
    with pytest.raises(InputError, match="SHA-256 differs"):
        load(stored)


def test_stores_of_format_2_have_no_digest_and_are_read(stored: Path, city: tuple[Embedding, RuleTable]) -> None:
    values = json.loads((stored / "manifest.json").read_text()) | {"format_version": 2}
    del values["sha256"]
    (stored / "manifest.json").write_text(json.dumps(values))
    assert load(stored).manifest == values
    assert_same_embedding(load(stored).embedding, city[0])
    save(stored, *city, force=True)
    assert load(stored).manifest["format_version"] == 3


def nested(depth: int) -> str:
    return '{"format": "honem store", "format_version": 3, "facts": ' + "[" * depth + "]" * depth + "}"


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "\0", nested(101), nested(900), nested(100_000)], ids=lambda d: d[:9]
)
def test_a_store_with_a_damaged_manifest_is_replaced_by_force(
    stored: Path, city: tuple[Embedding, RuleTable], damage: str
) -> None:
    (stored / "manifest.json").write_text(damage)
    before = {path.name: path.read_bytes() for path in stored.iterdir()}
    with pytest.raises(InputError, match="damaged"):
        load(stored)
    with pytest.raises(OutputError, match=r"holds a damaged store; replace it by force \(--force\)"):
        save(stored, *city)
    (stored / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="not written by honem"):
        save(stored, *city, force=True)
    (stored / "thesis.txt").unlink()
    assert {path.name: path.read_bytes() for path in stored.iterdir()} == before
    save(stored, embedding_of(city[0].nodes, value=2.0), city[1], force=True)
    assert_same_embedding(load(stored).embedding, embedding_of(city[0].nodes, value=2.0))
    assert sorted(path.name for path in stored.iterdir()) == listed(stored)


def test_a_damaged_store_stays_until_the_new_one_is_complete(
    stored: Path, city: tuple[Embedding, RuleTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    (stored / "manifest.json").write_text("damaged")
    before = {path.name: path.read_bytes() for path in stored.iterdir()}

    def fail(*_: object) -> None:
        raise OutputError("no space")

    monkeypatch.setattr(Manifest, "write", fail)
    with pytest.raises(OutputError, match="no space"):
        save(stored, *city, force=True)
    assert {path.name: path.read_bytes() for path in stored.iterdir()} == before


def test_a_manifest_of_another_program_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "an extension of a browser"}')
    (tmp_path / "nodes-0123456789abcdef.parquet").write_text("not what its name says")
    with pytest.raises(OutputError, match="not written by honem"):
        save(tmp_path, embedding_of(("a",)), force=True)


@pytest.mark.parametrize("facts", [{(1, 2): 3}, {"deep": json.loads("[" * 200 + "]" * 200)}])
def test_facts_that_json_cannot_hold_are_refused_before_anything_is_written(
    tmp_path: Path, facts: dict[Any, Any]
) -> None:
    with pytest.raises(ParameterError, match="cannot be stored as JSON"):
        save(tmp_path / "store", embedding_of(("a",)), facts=facts)
    assert not (tmp_path / "store").exists()


def test_a_file_of_another_store_does_not_fit(stored: Path, tmp_path: Path) -> None:
    save(tmp_path / "other", embedding_of(("only", "two")))
    manifest = json.loads((stored / "manifest.json").read_text())
    other = json.loads((tmp_path / "other" / "manifest.json").read_text())
    shutil.copy(file_of(tmp_path / "other", "nodes"), stored)
    manifest["files"]["nodes"] = other["files"]["nodes"]
    rewrite_manifest(stored, **manifest)
    with pytest.raises(InputError, match=r"vectors-\w+\.safetensors does not hold the vectors of 2 nodes"):
        load(stored)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    for missing in ("missing", "x" * 300):
        with pytest.raises(InputError, match="there is no folder"):
            load(tmp_path / missing)
    with pytest.raises(InputError, match=r"is not a store: it has no manifest\.json"):
        load(tmp_path)
    for damaged in ("{", "[]", "null", "[" * 100_000):
        (tmp_path / "manifest.json").write_text(damaged)
        with pytest.raises(InputError, match="damaged"):
            load(tmp_path)


@pytest.mark.parametrize("name", ["null \0", "half of a pair \ud800"])
def test_what_cannot_be_a_name_is_refused(tmp_path: Path, name: str) -> None:
    for action in (load, check_target, lambda place: save(place, embedding_of(("a",)))):
        with pytest.raises(ParameterError, match="cannot be the name of a file"):
            action(tmp_path / name)


def test_a_store_is_replaced_only_by_force(stored: Path) -> None:
    new = embedding_of(("other",))
    with pytest.raises(OutputError, match="--force"):
        save(stored, new)
    assert len(load(stored).embedding) == 5
    save(stored, new, force=True)
    assert_same_embedding(load(stored).embedding, new)
    assert load(stored).rules is None
    assert [path.name for path in stored.parent.iterdir()] == ["store"]
    assert sorted(path.name for path in stored.iterdir()) == listed(stored)


def test_a_store_of_a_newer_version_is_not_replaced(stored: Path) -> None:
    rewrite_manifest(stored, format_version=4)
    before = sorted(path.name for path in stored.iterdir())
    with pytest.raises(OutputError, match="newer version of honem"):
        save(stored, embedding_of(("other",)), force=True)
    assert sorted(path.name for path in stored.iterdir()) == before


def test_a_store_with_a_damaged_version_is_replaced_by_force(stored: Path, city: tuple[Embedding, RuleTable]) -> None:
    text = (stored / "manifest.json").read_text()
    (stored / "manifest.json").write_text(text.replace('"format_version": 3', '"format_version": 7'))
    with pytest.raises(InputError, match="damaged"):
        load(stored)
    save(stored, *city, force=True)
    assert_same_embedding(load(stored).embedding, city[0])


def test_a_store_that_lost_its_manifest_is_not_emptied(stored: Path) -> None:
    (stored / "manifest.json").unlink()
    before = sorted(path.name for path in stored.iterdir())
    with pytest.raises(OutputError, match="never overwritten"):
        save(stored, embedding_of(("other",)), force=True)
    assert sorted(path.name for path in stored.iterdir()) == before
    with pytest.raises(InputError, match=r"it has no manifest\.json"):
        load(stored)


def test_stores_of_version_0_1_0_are_read() -> None:
    store = load(OLD_STORE)
    assert store.embedding.nodes == ("dorm", "downtown", "library", "home", "office")
    np.testing.assert_allclose(store.embedding.vectors(["downtown"])[0, :2], [1.50824254, 0.815614074], rtol=1e-8)
    trips = [["dorm", "downtown", "library"], ["home", "downtown", "office"]] * 6
    assert store.rules is not None
    expected = extract_rules(Corpus.from_sequences(trips), criterion="divergence", tau=1.0)
    unknown = np.full(expected.n_rules, np.nan)
    assert_same_rules(store.rules, replace(expected, evidence=unknown, q_values=unknown, tests=NO_TESTS), bits=0)
    assert store.rules.params == expected.params
    assert "evidence" not in str(store.rules.top(1)[0])
    (shown,) = store.rules.top(1).rows()
    assert shown == ("dorm > downtown", "library", "100 %", "50 %", "6", "", "")
    assert store.recipe == {
        "preset": "evidence",
        "weighting": "evidence",
        "order_weights": "learnt",
        "transforms": ["both_ways", "near_itself", "scale_by_degree"],
        "spectrum": [1.2, 0.1],
        "tilt": 0.0625,
        "rank_share": 0.5,
    }
    assert load(OLD_STORE, with_rules=False).rules is None


def test_an_old_store_without_a_recipe_has_none(tmp_path: Path) -> None:
    shutil.copytree(OLD_STORE, tmp_path / "store")
    manifest = json.loads((OLD_STORE / "manifest.json").read_text())
    incomplete = {**manifest["parameters"], "preset": None, "transforms": None}
    for parameters in (incomplete, {}, None):
        (tmp_path / "store" / "manifest.json").write_text(json.dumps(manifest | {"parameters": parameters}))
        assert load(tmp_path / "store").recipe is None


@pytest.mark.parametrize("killed", [False, True])
def test_stores_of_version_0_1_0_are_replaced(tmp_path: Path, killed: bool) -> None:
    place = tmp_path / "store"
    shutil.copytree(OLD_STORE, place)
    with pytest.raises(OutputError, match="--force"):
        save(place, embedding_of(("new",)))
    save(place, embedding_of(("new",)), force=True)
    assert sorted(path.name for path in place.iterdir()) == listed(place)
    if killed:  # before the old files were removed
        shutil.copy(OLD_STORE / "nodes.parquet", place)
        shutil.copy(OLD_STORE / "rules.parquet", place)
        save(place, embedding_of(("newer",)), force=True)
        save(place, embedding_of(("new",)), force=True)
        assert "superseded" not in load(place).manifest
    assert load(place).embedding.nodes == ("new",)
    assert sorted(path.name for path in place.iterdir()) == listed(place)


def test_a_file_with_the_name_of_an_old_one_is_not_removed(tmp_path: Path) -> None:
    place = tmp_path / "store"
    shutil.copytree(OLD_STORE, place)
    save(place, embedding_of(("new",)), force=True)
    (place / "rules.parquet").write_text("exported from this store")
    with pytest.raises(OutputError, match=r"rules\.parquet"):
        save(place, embedding_of(("newer",)), force=True)
    assert (place / "rules.parquet").read_text() == "exported from this store"


def test_what_honem_did_not_write_is_never_overwritten(stored: Path, tmp_path: Path) -> None:
    new = embedding_of(("other",))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="not written by honem"):
        save(tmp_path / "mine", new, force=True)
    (tmp_path / "file").write_text("a file")
    with pytest.raises(OutputError, match="is a file"):
        save(tmp_path / "file", new, force=True)
    for name in ("notes.txt", "rules.parquet", "nodes.parquet"):
        (stored / name).write_text("exported from this store")
        with pytest.raises(OutputError, match=name):
            save(stored, new, force=True)
        assert (stored / name).read_text() == "exported from this store"
        (stored / name).unlink()
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    assert len(load(stored).embedding) == 5


def test_an_empty_folder_may_be_filled(tmp_path: Path, city: tuple[Embedding, RuleTable]) -> None:
    (tmp_path / "empty").mkdir()
    save(tmp_path / "empty", *city)
    assert load(tmp_path / "empty").rules is not None


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_is_removed_only_by_those_who_made_it(tmp_path: Path, there: bool) -> None:
    if there:
        (tmp_path / "store").mkdir()
    with pytest.raises(OutputError, match="frozenset"):
        save(tmp_path / "store", embedding_of((frozenset("a"),)))
    assert (tmp_path / "store").exists() == there
    assert not there or not any((tmp_path / "store").iterdir())


def test_a_link_stays_a_link(stored: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(stored)
    save(tmp_path / "link", embedding_of(("other",)), force=True)
    assert (tmp_path / "link").is_symlink()
    assert load(stored).embedding.nodes == ("other",)
    (tmp_path / "to be").symlink_to(tmp_path / "made")
    save(tmp_path / "to be", embedding_of(("another",)))
    assert load(tmp_path / "made").embedding.nodes == ("another",)


def test_targets_are_checked_before_any_work(stored: Path, tmp_path: Path) -> None:
    check_target(tmp_path / "new")
    check_target(stored, force=True)
    with pytest.raises(OutputError, match="--force"):
        check_target(stored)
    with pytest.raises(OutputError, match="create the folder first"):
        check_target(tmp_path / "no" / "where")
    with pytest.raises(OutputError, match="choose a shorter name"):
        check_target(tmp_path / ("x" * 256))
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_rules_of_other_nodes_are_refused(tmp_path: Path, city: tuple[Embedding, RuleTable]) -> None:
    with pytest.raises(ParameterError, match="not the 1 of the embedding"):
        save(tmp_path / "store", embedding_of(("other",)), city[1])
    assert not any(tmp_path.iterdir())


def test_a_node_that_cannot_come_back_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="frozenset"):
        save(tmp_path / "store", embedding_of((frozenset("a"),)))
    assert not any(tmp_path.iterdir())


def test_all_files_may_be_read_by_the_same_people(stored: Path) -> None:
    assert len({file.stat().st_mode for file in stored.iterdir()}) == 1
