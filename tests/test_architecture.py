"""The package's structure: imports point one way, `import honem` is quick, and a public name has one meaning."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import honem

PACKAGE = Path(honem.__file__).parent

# From the input file to the command line. A module may import from its own layer and from those above it here.
LAYERS = [
    "errors",
    "_internal",
    "sequence_times",
    "corpus",
    "node_names",
    "io.paths",
    "forgetting",
    "decay",
    "periods",
    "datasets",
    "rules",
    "profile",
    "prediction",
    "network",
    "embedding",
    "tuning",
    "io",
    "explain",
    "drift",
    "explore",
    "plots",
    "estimator",
    "cost",
    "evaluation",
    "cli",
    "__main__",
]
# Layers that a module must not use although they come before it.
FORBIDDEN = {
    "rules": {"io.paths"},
    "profile": {"io.paths"},
    "embedding": {"io.paths", "prediction"},
    "prediction": {"io.paths"},
}
# The Spark executor reads files where the data are, and takes the readers' option names for it.
READS_FILES_ITSELF = "rules.engines.distributed.executors.spark"
# Embedding.to_csv, Embedding.plot, NodeProfile.to_arrow, Visits.to_csv and their like import what writes or draws when
# they are called, and load_coastlines the reader of the map of `honem explore`.
LATE_IMPORTS = {
    "datasets.coastlines": {"explore"},
    "datasets.visits": {"io"},
    "embedding.embedding": {"io", "plots"},
    "profile.table": {"io"},
}
# Names that several modules define because each has its own implementation of the same thing.
IMPLEMENTED_SEVERAL_TIMES = {
    "add_command": "one per command",
    "logger": "one per module that logs",
    "run": "one per command",
    "main": "the program, and the command line it starts",
    "make_engine": "one per executor, and the one that chooses among engines",
    "register": "one per registry of formats",
    "unregister": "one per registry of formats",
    "score": "the compiled form of each criterion",
    "passes": "the compiled form of each criterion",
    "can_extend": "the compiled form of each criterion",
    "is_tested": "the compiled form of each criterion",
    "grow": "one per engine",
    "close_downwards": "one per engine",
    "tabulate": "one per engine",
    "count_targets": "one per engine",
    "grow_buckets": "the kernel, and the function that gives it memory",
    "count_contexts": "the kernel, and the function that gives it memory",
    "read_parquet": "tables about nodes, and paths",
    "read_delimited": "tables about nodes, and paths",
}


def module_name(path: Path) -> str:
    """`rules.table` for src/honem/rules/table.py."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def layer_of(module: str) -> str:
    """The longest entry of LAYERS that the module is part of."""
    fitting = [layer for layer in LAYERS if module == layer or module.startswith(f"{layer}.")]
    assert fitting, f"{module} belongs to no layer: add one to LAYERS"
    return max(fitting, key=len)


def imported_layers(path: Path) -> set[str]:
    """The layers that a module imports from, at its top or inside a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {layer_of(name.removeprefix("honem.")) for name in names if name.startswith("honem.")}


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_only_to_earlier_layers(path: Path) -> None:
    module = module_name(path)
    layer = layer_of(module)
    used = imported_layers(path) - {layer} - LATE_IMPORTS.get(module, set())
    later = {name for name in used if LAYERS.index(name) > LAYERS.index(layer)}
    assert not later, f"{module} comes before {later}"
    if not module.startswith(READS_FILES_ITSELF):
        assert not used & FORBIDDEN.get(layer, set())


def public_definitions(path: Path) -> set[str]:
    """Public classes, functions and type aliases that a module defines at its top level."""
    return {name for node in ast.parse(path.read_text(encoding="utf-8")).body for name in defined_names(node)}


def defined_names(node: ast.stmt) -> list[str]:
    """What a statement defines; constants, which are written in capitals, belong to their modules."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        names = [node.name]
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and "TypeVar(" not in ast.unparse(node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name) and not target.id.isupper()]
    else:
        names = []
    return [name for name in names if not name.startswith("_")]


def test_a_public_name_has_one_meaning() -> None:
    homes = defaultdict(set)
    for path in MODULES:
        for name in public_definitions(path):
            homes[name].add(module_name(path))
    several = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert set(several) == set(IMPLEMENTED_SEVERAL_TIMES), several
    assert not set(several) & set(honem.__all__)


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
        honem.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_pyspark_is_imported_by_the_spark_executor_only() -> None:
    spark = "rules.engines.distributed.executors.spark"
    others = [path for path in MODULES if not module_name(path).startswith(spark)]
    assert not [path for path in others if "import pyspark" in path.read_text() or "from pyspark" in path.read_text()]


def calls_print(path: Path) -> bool:
    """Whether a module calls `print`; examples in docstrings do not count."""
    calls = [node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return any(isinstance(function, ast.Name) and function.id == "print" for function in calls)


def test_only_the_command_line_prints() -> None:
    printing = {module_name(path) for path in MODULES if calls_print(path)}
    assert {name for name in printing if layer_of(name) not in ("cli", "__main__")} == set()
    assert "cli.streams" in printing
