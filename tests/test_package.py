"""What the package declares about itself: its public names, its version and its dependencies."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

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
    assert imports_of_type_checkers() == honem._HOMES
    assert sorted(honem.__all__) == sorted([*honem._HOMES, "__version__"])


def test_the_version_is_written_once_and_cited() -> None:
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "src/honem/__init__.py"
    cited = re.findall(r"^version: (\S+)$", (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited == [honem.__version__]
