"""The house rules that imports can break: the road runs one way, and `import honem` stays quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import honem

PACKAGE = Path(honem.__file__).parent

ROAD = [
    "errors",
    "checks ranges progress compilation",
    "corpus",
    "readers",
    "rules",
    "context_tree step_kernel",
    "prediction",
    "engines",
    "network",
    "neighborhood",
    "proximity",
    "lanczos",
    "factorize",
    "presets",
    "embedding",
    "explain",
    "evaluation",
    "baselines",
    "estimator",
    "estimate writers",
    "store",
    "foreign",
    "reproduce",
    "explore",
    "cli",
    "__main__",
]
STATION = {name: place for place, names in enumerate(ROAD) for name in names.split()}
# What may stand beside the road: it knows the corpus and is known by benchmarks, the demo and tests only.
BESIDE = {"datasets": {"errors", "checks", "corpus", "readers"}}
# Not yet needed to the left, though they stand there: what knows Corpus must not know rules, and so on.
FORBIDDEN = {
    "readers": {"rules", "engines"},
    "rules": {"readers"},
    "engines": {"readers"},
    "embedding": {"engines"},
    "evaluation": {"engines", "readers", "neighborhood", "proximity", "factorize"},
    "baselines": {"engines", "readers"},
}
# The Spark engine reads where the data is, and takes the readers' words for it.
READS_BY_ITSELF = PACKAGE / "engines" / "spark" / "frames.py"
# An embedding leads to its writers, which it imports only when one is asked for.
EXITS = {"embedding": {"writers"}}


def station_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports_of(path: Path) -> set[str]:
    """The stations a module imports from, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("honem.")}
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_only_back_along_the_road(path: Path) -> None:
    station = station_of(path)
    known = imports_of(path) - {station}
    if station in BESIDE:
        assert known <= BESIDE[station]
        return
    assert station in STATION, f"{station} has no place on the road: give it one here"
    known -= EXITS.get(station, set())
    ahead = {name for name in known if STATION.get(name, -1) >= STATION[station]}
    assert not ahead, f"{station} stands before {ahead}"
    assert path == READS_BY_ITSELF or not known & FORBIDDEN.get(station, set())
    assert station in ("reproduce", "cli", "__main__") or not known & BESIDE.keys()


def test_importing_honem_is_quick_and_pulls_in_nothing_heavy() -> None:
    heavy = ["numba", "pyspark", "scipy", "sklearn", "matplotlib", "pyarrow", "pandas", "tqdm"]
    code = f"import sys, honem; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    for name in honem.__all__:
        assert getattr(honem, name) is not None
    assert set(honem.__all__) <= set(dir(honem))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        honem.nothing  # noqa: B018


def test_pyspark_has_one_home() -> None:
    spark = PACKAGE / "engines" / "spark"
    others = [path for path in MODULES if spark not in path.parents]
    assert not [path for path in others if "import pyspark" in path.read_text() or "from pyspark" in path.read_text()]
