"""The README: everything in it runs, and prints what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCK.findall(README) if found == kind]


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_everything_one_after_the_other_in_an_empty_folder(tmp_path: Path) -> None:
    (code,), (printed,) = blocks("python"), blocks("text")
    assert run([sys.executable, "-c", code], tmp_path) == printed
    commands = [shlex.split(line)[1:] for text in blocks("console") for line in text.splitlines()]
    assert [command[:2] for command in commands] == [["honem", "embed"], ["honem", "explore"]]
    for command in commands:
        run([sys.executable, "-m", *command], tmp_path)
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")


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
