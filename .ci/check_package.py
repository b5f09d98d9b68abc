"""Check built packages: their content, and the README in an environment that has nothing but the wheel.

python .ci/check_package.py build/dist build/venv/empty/bin/python
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.docs.pages import run_command, run_readme

IN_WHEEL = ("honem/py.typed", "honem/explore/static/page.js", "honem/explore/static/basemap.json")
IN_SDIST = (
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "Makefile",
    "constraints.txt",
    "tests/conftest.py",
    "docs/conf.py",
)

NOT_OURS = {"node_modules", "__pycache__", "build"}


def problems_of(folder: Path) -> list[str]:
    """Return one line for each file that is missing in a package, or does not belong there."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        inside = set(file.namelist())
    found = [f"{wheel.name} lacks {name}" for name in IN_WHEEL if name not in inside]
    found += [f"{wheel.name} has {name}" for name in sorted(inside) if not name.startswith(("honem/", "honem-"))]
    with tarfile.open(sdist) as file:
        packed = {name.partition("/")[2] for name in file.getnames()}
    found += [f"{sdist.name} lacks {name}" for name in IN_SDIST if name not in packed]
    return found + [f"{sdist.name} has {name}" for name in sorted(packed) if NOT_OURS & set(Path(name).parts)]


def main(folder: Path, python: Path) -> int:
    problems = problems_of(folder)
    if not problems:
        with tempfile.TemporaryDirectory() as empty:
            place = run_command([str(python), "-c", "import honem; print(honem.__file__)"], Path(empty)).strip()
            if not Path(place).is_relative_to(python.parents[1]):
                problems.append(f"honem is imported from {place}, not from the wheel")
            run_readme(str(python), Path(empty))
    print("\n".join(problems) or "wheel, sdist and README are fine", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]).absolute()))
