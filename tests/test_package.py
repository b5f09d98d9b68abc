"""What the package declares about itself: its public names, its version and its dependencies."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import honem

CHECKOUT = Path(__file__).parents[1]
PYPROJECT: dict[str, Any] = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def imports_of_type_checkers() -> dict[str, str]:
    """Name -> module, from the `if TYPE_CHECKING:` block of `honem/__init__.py`."""
    tree = ast.parse(Path(honem.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}


def test_type_checkers_the_lazy_table_and_all_agree() -> None:
    assert imports_of_type_checkers() == {**honem._HOMES, "datasets": "honem"}
    assert sorted(honem.__all__) == sorted([*honem._HOMES, "__version__", "datasets"])


def test_the_version_is_written_once_and_cited() -> None:
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "src/honem/__init__.py"
    cited = re.findall(r"^version: (\S+)$", (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited == [honem.__version__]


def pins_of(name: str) -> dict[str, Version]:
    """Package -> version; fails on anything but `name==version`, such as an address or a hash."""
    lines = (CHECKOUT / name).read_text(encoding="utf-8").splitlines()
    pins = [re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9._+!-]+)", line) for line in lines]
    assert None not in pins
    return {canonicalize_name(pin[1]): Version(pin[2]) for pin in pins if pin}


def requirements_of_users() -> list[Requirement]:
    """The dependencies of the package and of its extras, without the package itself, which the extra `all` names."""
    project = PYPROJECT["project"]
    lines = chain(project["dependencies"], *project["optional-dependencies"].values())
    return [requirement for requirement in map(Requirement, lines) if requirement.name != "honem"]


def test_the_extra_all_names_all_others() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    assert everything.name == "honem"
    assert everything.extras == set(extras) - {"all"}


def requirements_of_developers() -> list[Requirement]:
    """Those of the dependency groups, without included groups and the package itself."""
    lines = [line for line in chain(*PYPROJECT["dependency-groups"].values()) if isinstance(line, str)]
    return [requirement for requirement in map(Requirement, lines) if requirement.name != "honem"]


def test_constraints_pin_what_is_required() -> None:
    pins = pins_of("constraints.txt")
    for requirement in requirements_of_users() + requirements_of_developers():
        assert pins[canonicalize_name(requirement.name)] in requirement.specifier, f"{requirement}: run make lock"


def test_the_lowest_constraints_are_the_lower_bounds() -> None:
    pins = pins_of("constraints-lowest.txt")
    for requirement in requirements_of_users():
        (bound,) = requirement.specifier
        assert bound.operator == ">="
        assert pins[canonicalize_name(requirement.name)] == Version(bound.version), f"{requirement}: run make lock"
