"""What only the local engine has: compilation, batches and buffers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import honem
from honem import Corpus, ExtractionParams
from honem.evaluation.datasets import planted_paths
from honem.rules.engines import make_engine
from honem.rules.engines.local import buffers, engine
from honem.rules.engines.reference import ReferenceEngine
from tests.comparing import assert_same_rules

SMALL_JOB = "import honem; honem.extract_rules(honem.Corpus.from_sequences([list('abcabd')]))"
NOTICE = "compiling honem's kernels"


def first_call(package: Path, home: Path) -> str:
    """What a first extraction says on stderr, with an installation and a home of its own."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    environment |= {"PYTHONPATH": str(package), "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", SMALL_JOB], env=environment, capture_output=True, text=True, check=True
    )
    return done.stderr


@pytest.mark.slow
def test_kernels_are_compiled_once_and_a_read_only_install_uses_the_users_cache(tmp_path: Path) -> None:
    package, home = tmp_path / "site", tmp_path / "home"
    home.mkdir()
    shutil.copytree(Path(honem.__file__).parent, package / "honem", ignore=shutil.ignore_patterns("__pycache__"))
    # A file where the cache folder would be: what a read-only folder is, for root as well.
    (package / "honem" / "rules" / "engines" / "local" / "__pycache__").write_text("")
    assert NOTICE in first_call(package, home)
    assert list(home.rglob("*.nbi")), "nothing was kept in the user's folder"
    assert first_call(package, home) == ""


@pytest.mark.slow
def test_without_any_place_for_a_cache_it_still_works(tmp_path: Path) -> None:
    package, home = tmp_path / "site", tmp_path / "home"
    home.write_text("no folder at all")
    shutil.copytree(Path(honem.__file__).parent, package / "honem", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "honem" / "rules" / "engines" / "local" / "__pycache__").write_text("")
    assert NOTICE in first_call(package, home)


@pytest.mark.parametrize("batches", [1, 3, 1000])
def test_batches_change_nothing(batches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = planted_paths(n_nodes=60, n_steps=4000, length=21, contexts_per_order=10).corpus
    expected = make_engine("local", n_jobs=1).extract_rules(corpus, ExtractionParams())
    monkeypatch.setattr(engine, "BATCHES_PER_THREAD", batches)
    assert_same_rules(make_engine("local", n_jobs=2).extract_rules(corpus, ExtractionParams()), expected, bits=0)


def test_buffers_that_are_always_too_short_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels come back for more room at every turn, and go on where they were."""
    corpus = planted_paths(n_nodes=30, n_steps=6000, length=21, contexts_per_order=10).corpus
    options = ExtractionParams(criterion="divergence", tau=0.3)
    expected = ReferenceEngine().extract_rules(corpus, options)
    enlarged = 0

    def with_just_enough_room(buffer: np.ndarray, used: int, needed: int) -> np.ndarray:
        nonlocal enlarged
        if used + needed <= len(buffer):
            return buffer
        enlarged += 1
        longer = np.empty(used + needed, buffer.dtype)
        longer[:used] = buffer[:used]
        return longer

    monkeypatch.setattr(buffers, "with_room", with_just_enough_room)
    assert_same_rules(make_engine("local", n_jobs=1).extract_rules(corpus, options), expected)
    assert enlarged > 100


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    corpus = planted_paths(n_nodes=50, n_steps=5000, length=21, contexts_per_order=10).corpus
    make_engine("local", progress=lambda *step: told.append(step)).extract_rules(corpus, ExtractionParams())
    for what in ("growing contexts", "counting lower orders"):
        steps = [(done, total) for name, done, total in told if name == what]
        assert [done for done, _ in steps] == list(range(1, steps[-1][1] + 1))


def test_planted_dependencies_are_found_and_chance_is_not() -> None:
    planted = planted_paths(n_nodes=200, n_steps=200_000, orders=(2, 3), contexts_per_order=20)
    rules = honem.extract_rules(planted.corpus, min_support=20)
    found = {rules.context(rule) for rule in range(rules.n_rules) if rules.accepted[rule] and rules.orders[rule] > 1}
    frequent = {context for context in planted.contexts if support_of(planted.corpus, context) >= 100}
    assert len(frequent) > 20
    assert frequent <= found
    chance = honem.extract_rules(planted_paths(n_nodes=200, n_steps=200_000, orders=()).corpus, min_support=20)
    assert chance.n_rules - chance.rules_by_order[1] <= 20


def support_of(corpus: Corpus, context: tuple[int, ...]) -> int:
    wanted = [corpus.vocabulary.id(label) for label in context]
    tokens = np.append(corpus.tokens, -1)
    starts = np.arange(len(tokens) - len(wanted))
    for step, node in enumerate(wanted):
        starts = starts[tokens[starts + step] == node]
    sequence = np.searchsorted(corpus.offsets, starts, side="right")
    return int((starts + len(wanted) < corpus.offsets[sequence]).sum())
