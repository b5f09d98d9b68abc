"""The README: everything in it runs, and prints what it shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.docs.pages import run_readme

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_everything_one_after_the_other_in_an_empty_folder(tmp_path: Path) -> None:
    run_readme(sys.executable, tmp_path)


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"`make (\S+)`", README)
    assert targets
    for target in targets:
        assert f"\n{target}:" in makefile


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    extras = [line for name, extra in project["optional-dependencies"].items() if name != "all" for line in extra]
    for requirement in [*project["dependencies"], *extras]:
        name = re.split(r"[\[<>=!~ ]", requirement)[0]
        assert f"| {name} " in reasons, name


def test_every_link_leads_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
