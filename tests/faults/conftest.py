"""A small store with rules of order 2, as `honem embed` writes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.faults.running import one_parser, run


@pytest.fixture(scope="module", autouse=True)
def quick_commands() -> Iterator[None]:
    """Build the parser of all commands only once."""
    with one_parser():
        yield


@pytest.fixture(scope="session")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's example, five times over, and sequences with names that are not ASCII."""
    file = tmp_path_factory.mktemp("paths") / "paths.txt"
    file.write_text("A C D E A C D B C E\n" * 5 + "é C ö A\n" * 3, encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def made_store(paths: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that no test changes."""
    place = tmp_path_factory.mktemp("made") / "store"
    labels = place.with_name("labels.csv")
    labels.write_text("node,kind,lon,lat\nA,start,1.5,2.5\nC,hub,,\n", encoding="utf-8")
    run("embed", paths, "-o", place, "--dim", 3, "--labels", labels)
    return place


@pytest.fixture
def new_store(made_store: Path, tmp_path: Path) -> Callable[[], Path]:
    """Make a copy of the store to damage; each time another one."""
    numbers = count()

    def copy() -> Path:
        return Path(shutil.copytree(made_store, tmp_path / f"store {next(numbers)}"))

    return copy


@pytest.fixture
def store(new_store: Callable[[], Path]) -> Path:
    """A copy of the store to damage."""
    return new_store()
