"""The README does what it says, word for word."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCK.findall(README) if found == kind]


@pytest.mark.parametrize("code", blocks("python"))
def test_examples_in_python(code: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_commands_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "paths.txt").write_text("A C D\nB C E\n" * 50)
    commands = [line[2:] for text in blocks("console") for line in text.splitlines() if line.startswith("$ honem")]
    assert commands
    for command in commands:
        told = command.replace("honem ", f"{sys.executable} -m honem ", 1)
        done = subprocess.run(told, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)


def test_the_two_commands_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"\$ make (\S+)", README):
        assert f"\n{target}:" in makefile


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    reasons = README.split("## Why each dependency is there")[1]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    for requirement in [*project["dependencies"], *extras]:
        name = re.split(r"[\[<>=!~ ]", requirement)[0]
        assert f"| {name} " in reasons, name


def test_every_link_leads_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
