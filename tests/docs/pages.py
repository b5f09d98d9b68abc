"""Pages of the documentation as tests need them: their files written, their examples run."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lay_out(page: Path, folder: Path) -> list[tuple[str, str]]:
    """Write the files of a page, and return its other blocks as (kind, text)."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    for _, name, text in found:
        if name:
            (folder / name).write_text(text, encoding="utf-8")
    return [(kind, text) for kind, name, text in found if not name]


def run_examples(page: Path, blocks: list[tuple[str, str]]) -> int:
    """Run the Python examples of a page, which must print what the page shows, and return how many there were."""
    return run_doctest(page, "".join(text for kind, text in blocks if kind == "pycon"), {})


def run_page(page: Path, blocks: list[tuple[str, str]]) -> None:
    """Run all blocks of a page in their order: examples, code (without output) and commands, in the current folder."""
    from honem.cli.main import main

    names: dict[str, object] = {}
    for kind, text in blocks:
        if kind == "pycon":
            run_doctest(page, text, names)
        elif kind == "python":
            exec(compile(text, str(page), "exec"), names)
        elif kind == "console":
            for line in text.splitlines():
                program, *arguments = shlex.split(line.removeprefix("$ "))
                assert program == "honem", line
                assert main(arguments) == 0, line


def run_readme(python: str, folder: Path) -> None:
    """Run the code and the commands of the README in an empty folder, and compare what they print."""
    found = BLOCK.findall((DOCS.parent / "README.md").read_text(encoding="utf-8"))
    blocks = {kind: [text for other, _, text in found if other == kind] for kind in ("python", "text", "console")}
    (code,), (printed,) = blocks["python"], blocks["text"]
    assert run_command([python, "-c", code], folder) == printed
    commands = [shlex.split(line)[1:] for text in blocks["console"] for line in text.splitlines()]
    assert [command[:2] for command in commands] == [["honem", "embed"], ["honem", "explore"]]
    for command in commands:
        run_command([python, "-m", *command], folder)
    assert "<html" in (folder / "page.html").read_text(encoding="utf-8")


def run_command(command: list[str], folder: Path) -> str:
    """Run a command in a folder, and return what it prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_doctest(page: Path, text: str, names: dict[str, object]) -> int:
    """Run one piece of a page; names that it defines are added to `names`."""
    example = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(example, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures
    return runner.tries
