"""The command line itself: help, suggestions, quiet, colour, completion."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

import honem
from honem.cli import colour
from honem.cli.completion import SCRIPTS, commands_of
from honem.cli.main import COMMANDS, GROUPS, build_parser
from tests.cli.running import Run

ALL = list(commands_of(build_parser()))


def test_honem_alone_prints_the_help(run: Run) -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--help").stdout
    assert done.stdout.startswith("usage: honem COMMAND [OPTIONS] ...")


def test_every_command_is_in_one_group_of_the_help() -> None:
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(command.name for command in ALL)
    assert len(ALL) == len(COMMANDS)


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name)
def test_help_is_short_and_has_an_example(run: Run, command: object) -> None:
    name = command.name  # type: ignore[attr-defined]
    text = run(name, "--help").stdout
    usage = text.splitlines()[0]
    assert usage.startswith(f"usage: honem {name}")
    assert usage.endswith("[OPTIONS]")
    assert "example: " in text


def test_the_version_has_a_short_option(run: Run) -> None:
    assert run("-V").stdout == run("--version").stdout == f"honem {honem.__version__}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("embd", "honem: error: there is no command 'embd'; did you mean embed? (see honem --help)"),
        ("zzz", "there is no command 'zzz'; commands are embed, update"),
        ("embed p.txt -o v --dims 3", "unrecognized arguments: --dims 3; did you mean --dim? (see honem embed --help)"),
        ("embed p.txt -o v --preset evidnce", "invalid choice: 'evidnce'; did you mean evidence? (choose from auto"),
        ("neighbors v A B", "unrecognized arguments: B (see honem neighbors --help)"),
    ],
)
def test_what_is_misspelt_gets_a_suggestion(run: Run, words: str, message: str) -> None:
    done = run(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_quiet_leaves_out_messages_but_not_errors(run: Run, tmp_path: Path) -> None:
    (tmp_path / "paths.txt").write_text("a b c\nd b e\n" * 5)
    loud = run("embed", "paths.txt", "-o", "v", "--preset", "evidence")
    assert "5 nodes, so that vectors have no more than 5 dimensions (default 128)" in loud.stderr
    assert "warning" not in loud.stderr
    for words in (("-q", "embed"), ("embed", "--quiet")):
        done = run(*words, "paths.txt", "-o", "v", "--force", "--preset", "evidence")
        assert (done.returncode, done.stderr) == (0, "")
    assert "error" in run("-q", "neighbors", "v", "z").stderr
    assert (
        "--dim 100 is more than"
        in run("-q", "embed", "paths.txt", "-o", "w", "--dim", 100, "--preset", "evidence").stderr
    )


class Terminal:
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert colour.painted("error:", "red", Terminal()) == "\x1b[1;31merror:\x1b[0m"  # type: ignore[arg-type]
    assert "\x1b[1musage:\x1b[0m" in colour.with_bold_headings("usage: honem", Terminal())  # type: ignore[arg-type]
    with (tmp_path / "file").open("w") as file:
        assert colour.painted("error:", "red", file) == "error:"
    monkeypatch.setenv("NO_COLOR", "1")
    assert colour.painted("error:", "red", Terminal()) == "error:"  # type: ignore[arg-type]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts_have_every_command_and_option(run: Run, shell: str) -> None:
    script = run("completion", shell).stdout
    for command in ALL:
        assert command.name in script
        for flag in command.flags:
            for spelling in flag.spellings:
                assert (
                    f" -l {spelling[2:]}" if shell == "fish" and spelling.startswith("--") else spelling[1:]
                ) in script
    program = shutil.which(shell)
    if program is not None:
        assert subprocess.run([program, "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("honem neigh", {"neighbors"}),
        ("honem embed --tune", {"--tune-for"}),
        ("honem embed --preset w", {"weighted"}),
        ("honem completion z", {"zsh"}),
        ("honem embed --labels ", set()),
    ],
)
def test_bash_completes(run: Run, line: str, found: set[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = run("completion", "bash").stdout
    words = line.split(" ")
    asked = f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; _honem"
    text = f'{script}\n{asked}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run([bash, "-c", text], capture_output=True, text=True, check=True)
    assert set(filter(None, done.stdout.split("\n"))) == found


def test_every_parser_is_of_the_same_kind() -> None:
    action = next(one for one in build_parser()._actions if isinstance(one, argparse._SubParsersAction))
    assert {type(parser).__name__ for parser in action.choices.values()} == {"OneLineParser"}
