"""A cell is found again only if its parameters, its data and its code are the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honem import HONEM, Embedding
from honem.embedding.recipe import PRESETS, Recipe
from honem.evaluation import (
    Cell,
    Classification,
    LinkPrediction,
    Method,
    NamedMethod,
    Visualization,
    cells,
    parse_method,
)
from honem.evaluation.baselines import DeepWalk, Hope
from honem.evaluation.datasets import city_trips
from honem.evaluation.methods import KINDS, GivenVectors
from honem.evaluation.reproduce import source_code
from honem.evaluation.reproduce.identity import (
    cell_identity,
    corpus_fingerprint,
    describe,
    key_of,
    settings_of,
    timing_identity,
)
from honem.evaluation.reproduce.runs import Run
from honem.evaluation.reproduce.source_code import code_fingerprint
from tests.evaluation.examples import random_embedding
from tests.evaluation.reproduce.counting import Counting

CITY = city_trips(500).corpus
LABELS = {node: "left" if number % 2 else "right" for number, node in enumerate(CITY.vocabulary)}


def key(method: Method, dimension: int = 4) -> str:
    return key_of(cell_identity(Cell(LinkPrediction(CITY), method, dimension, 0)))


def n_cells(folder: Path) -> int:
    return len((folder / "cells.jsonl").read_text().splitlines())


def changed_default(method: Callable[..., Any], name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    function: Any = method.__init__
    monkeypatch.setitem(function.__kwdefaults__, name, value)


def test_a_changed_default_invalidates_its_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    methods = [parse_method("hope"), parse_method("honem")]
    Run(tmp_path).compute(cells(LinkPrediction(CITY), methods, [3], [0]))
    changed_default(Hope, "decay", 0.7, monkeypatch)
    Run(tmp_path).compute(cells(LinkPrediction(CITY), methods, [3], [0]))
    assert n_cells(tmp_path) == 3
    changed_default(HONEM, "tau", 2.0, monkeypatch)
    Run(tmp_path).compute(cells(LinkPrediction(CITY), methods, [3], [0]))
    assert n_cells(tmp_path) == 4


def test_a_changed_preset_invalidates_the_cells_of_honem(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(parse_method("honem")), key(parse_method("first-order")), key(parse_method("popularity"))
    monkeypatch.setitem(PRESETS, "evidence", Recipe.of("evidence", tilt=0.0))
    after = key(parse_method("honem")), key(parse_method("first-order")), key(parse_method("popularity"))
    assert before[0] != after[0]
    assert before[1:] == after[1:]


def test_a_changed_default_of_the_inner_method_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(parse_method("hon-pool"))
    changed_default(DeepWalk, "window", 3, monkeypatch)
    assert key(parse_method("hon-pool")) != before


def test_other_data_under_the_same_name_is_computed(tmp_path: Path) -> None:
    method = Counting()
    for corpus in (CITY, city_trips(500, seed=1).corpus, CITY):
        Run(tmp_path).compute(cells(LinkPrediction(corpus), [method], [2], [0]))
    assert method.fits == 2
    vectors = [random_embedding(CITY, 2, seed) for seed in (0, 1)]
    other_target = Embedding(vectors[0].vocabulary, vectors[0].source, vectors[1].target)
    keys = [key(GivenVectors("mine.csv", embedding)) for embedding in (*vectors, other_target)]
    assert len(set(keys)) == 3


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, to be edited."""
    ignored = shutil.ignore_patterns("__pycache__", "static")
    return Path(shutil.copytree(source_code.PACKAGE, tmp_path / "honem", ignore=ignored))


NEW_CODE = "\n\ndef something_new() -> int:\n    return 1\n"
EDITS = {
    "code of the solver": ("embedding/lanczos.py", NEW_CODE, {"honem", "hope"}),
    "code of the rules": ("rules/engines/local/kernels.py", NEW_CODE, {"honem", "rules", "hon-pool"}),
    "code of a baseline": ("evaluation/baselines/hope.py", NEW_CODE, {"hope"}),
    "code of the inner method": ("evaluation/baselines/deepwalk.py", NEW_CODE, {"hon-pool"}),
    "code of the next step": ("prediction/rule_kernel.py", NEW_CODE, {"honem", "rules"}),
    "code of the blend": ("prediction/predict_kernel.py", NEW_CODE, {"honem", "rules"}),
    "code of a task": ("evaluation/metrics.py", NEW_CODE, {"link prediction"}),
    "a comment": ("embedding/lanczos.py", "# nothing new\n", set()),
    "the command line": ("cli/main.py", NEW_CODE, set()),
    "the page": ("explore/page.py", NEW_CODE, set()),
    "explanations": ("explain/pair.py", NEW_CODE, set()),
    "output formats": ("io/formats/word2vec.py", NEW_CODE, set()),
    "the report": ("evaluation/reproduce/report.py", NEW_CODE, set()),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_invalidates_what_it_computes_and_nothing_else(edit: str, package: Path) -> None:
    names = ("honem", "hope", "hon-pool", "popularity", "rules")
    parts: dict[str, Any] = {name: parse_method(name, tuple(KINDS)).at(4, 0).parts() for name in names}
    parts["link prediction"] = [LinkPrediction]
    before = {name: code_fingerprint(objects, package) for name, objects in parts.items()}
    assert len(set(before.values())) == len(before)
    file, text, changed = EDITS[edit]
    with (package / file).open("a", encoding="utf-8") as opened:
        opened.write(text)
    after = {name: code_fingerprint(objects, package) for name, objects in parts.items()}
    assert {name for name in parts if after[name] != before[name]} == changed


def test_docstrings_do_not_count_but_other_strings_do(package: Path) -> None:
    file = package / "evaluation" / "baselines" / "popularity.py"
    method = parse_method("popularity").at(4, 0)
    before, text = code_fingerprint([method], package), file.read_text()
    file.write_text(text.replace("Count the visits", "Sum the visits").replace('"""Popularity:', '"""How popular:'))
    assert file.read_text() != text
    assert code_fingerprint([method], package) == before
    file.write_text(text.replace('kind = "vectors"', 'kind = "scores"'))
    assert code_fingerprint([method], package) != before


def test_changed_code_is_computed_again(tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_code, "PACKAGE", package)
    wanted = list(cells(LinkPrediction(CITY), [parse_method("hope"), parse_method("popularity")], [3], [0]))
    for n_expected in (2, 2):
        Run(tmp_path / "run").compute(wanted)
        assert n_cells(tmp_path / "run") == n_expected
    with (package / "embedding" / "factorize.py").open("a", encoding="utf-8") as file:
        file.write(NEW_CODE)
    Run(tmp_path / "run").compute(wanted)
    assert n_cells(tmp_path / "run") == 3


def test_timings_are_identified_in_the_same_way(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def timing(corpus: Any = CITY, dimension: int = 4) -> str:
        methods = [parse_method("hope"), parse_method("popularity")]
        return key_of(timing_identity("city", "running_time", corpus, methods, dimension))

    monkeypatch.setattr(source_code, "PACKAGE", package)
    before = timing()
    assert timing() == before
    assert len({before, timing(city_trips(500, seed=1).corpus), timing(dimension=5)}) == 3
    with (package / "embedding" / "factorize.py").open("a", encoding="utf-8") as file:
        file.write(NEW_CODE)
    edited = timing()
    assert edited != before
    changed_default(Hope, "decay", 0.7, monkeypatch)
    assert timing() not in (before, edited)


def test_code_that_cannot_be_read_is_never_taken_for_the_same() -> None:
    names: dict[str, Any] = {"__name__": "typed at a prompt"}
    exec("def zeros(corpus, dimension, seed): return None", names)
    assert key(NamedMethod("zeros", names["zeros"])) != key(NamedMethod("zeros", names["zeros"]))


def test_what_changes_the_numbers_of_a_task_changes_its_settings() -> None:
    tasks = [
        LinkPrediction(CITY),
        LinkPrediction(CITY, share=0.3),
        LinkPrediction(CITY, ks=[1, 10]),
        Classification(CITY, "side", LABELS),
        Classification(CITY, "side", LABELS, repeats=2),
        Classification(CITY, "side", LABELS, vectors=("source", "target")),
        Classification(CITY, "side", LABELS, features=("vectors", "both")),
        Classification(CITY, "side", {**LABELS, CITY.vocabulary[0]: "left"}),
        Visualization(CITY, LABELS, k=5),
    ]
    assert len({key_of(settings_of(task)) for task in tasks}) == len(tasks)


def test_what_does_not_change_the_numbers_leaves_the_settings() -> None:
    backwards = dict(reversed(LABELS.items()))
    task = Classification(CITY, "side", LABELS)
    for other in (
        Classification(CITY, "side", backwards),
        Classification(CITY, "side", LABELS, n_jobs=2),
        Classification(CITY, "side", LABELS, vectors=["source"]),
    ):
        assert settings_of(other) == settings_of(task)


def test_options_under_another_text_are_another_row_and_the_same_settings() -> None:
    plain, same, other = (
        cell_identity(Cell(LinkPrediction(CITY), parse_method(text), 4, 0))["method"]
        for text in ("hope", "hope:decay=0.5", "hope:decay=0.6")
    )
    assert plain.pop("name") != same.pop("name")
    assert plain == same
    assert plain["decay"] != other["decay"]


def test_values_are_described_by_what_they_are() -> None:
    assert describe({"b": 1, "a": (1, 2.5)}) == describe({"a": [1, 2.5], "b": 1})
    assert describe({"x", "y"}) == describe({"y", "x"})
    assert describe(np.float64(0.5)) == 0.5
    assert describe(np.arange(3)) != describe(np.arange(4))
    assert describe(CITY) == corpus_fingerprint(CITY)
    assert describe(key) == describe(key) != describe(n_cells)
