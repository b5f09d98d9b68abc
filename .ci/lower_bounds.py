"""Print the lower bounds of the dependencies in pyproject.toml, extras included, as pip constraints."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"].values()
for requirement in [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]:
    if requirement.startswith("honem["):  # the extra "all" names the others
        continue
    bound = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)", requirement)
    if bound is None:
        raise SystemExit(f"pyproject.toml: write {requirement!r} as 'name>=version'")
    print("==".join(bound.groups()))
