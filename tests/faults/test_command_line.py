"""Odd arguments, encodings, streams and folder names: a result, or one line and exit code 2."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from tests.faults.running import ROUNDS, run, run_process

ODD_WORDS = (
    *("", " ", "-", "--", "--5", "-5", "0", "5", "05", "-0", "1e3", "1.0", "nan", "inf", "A", "é", "ö", "None", "True"),
    *(
        "5" * 4300,
        "5" * 5000,
        "-" + "5" * 5000,
        "٣",
        "²",
        "A\nB",
        "\x1b[31m",
        "\ud800",
        "\udcff",
        "A" * 100_000,
        "{}",
        "%s",
    ),
    *("../store", "/dev/null", "~", "*", "\u202e", "\N{FACE WITH TEARS OF JOY}", "[1]", "(", "'", '"', "$(true)"),
)
COMMANDS: dict[str, tuple[str, ...]] = {
    "neighbors": ("-n", "--space", "--json"),
    "next": ("-k", "--from-start", "--histories", "--json"),
    "sample": ("-n", "--length", "--start", "--seed", "--json"),
    "profile": ("--by", "-n", "--json"),
    "info": ("--json",),
    "explain": ("-n", "--json"),
    "compare": ("-n", "-k", "--space", "--json"),
    "export": ("--format", "--what", "--vectors", "--kind", "--order", "--spreadsheet-safe"),
}
FLAGS = ("--json", "--spreadsheet-safe", "--from-start")


def random_arguments(chance: random.Random, store: Path) -> list[str]:
    """A command on a store with odd nodes, and odd values of options that it has."""
    command = chance.choice(list(COMMANDS))
    words = [command, str(store), *chance.choices(ODD_WORDS, k=chance.randint(0, 3))]
    for option in chance.sample(COMMANDS[command], chance.randint(0, len(COMMANDS[command]))):
        words += [option] if option in FLAGS else [option, chance.choice(ODD_WORDS)]
    if chance.random() < 0.5:
        words.insert(2, "--")
    return [*words, "-o", "-"] if command == "export" else words


def test_odd_arguments_are_a_result_or_one_line(made_store: Path) -> None:
    chance = random.Random(0)
    refused = [run(*random_arguments(chance, made_store)).is_refusal for _ in range(300 * ROUNDS)]
    assert any(refused)
    assert not all(refused)


@pytest.mark.parametrize("command", ["neighbors", "explain"])
@pytest.mark.parametrize("node", ["--5", "5" * 5000, "-" + "5" * 5000, "٣", ""])
def test_a_node_that_is_no_number_is_unknown(made_store: Path, command: str, node: str) -> None:
    done = run(command, made_store, "--", node)
    assert done.is_refusal
    assert f"no node {node!r} in this corpus" in done.stderr


@pytest.mark.parametrize("node", ["--5", "5" * 5000, "-" + "5" * 5000, "٣", ""])
def test_an_unknown_node_of_a_history_is_named_and_not_used(made_store: Path, node: str) -> None:
    done = run("next", made_store, "--", node)
    assert done.code == 0
    assert f"unknown nodes, after which the history is used: {node}" in done.stdout.decode()


@pytest.mark.parametrize("command", ["neighbors", "explain"])
def test_two_dashes_are_no_node(made_store: Path, command: str) -> None:
    done = run(command, made_store, "--", "--")
    assert done.is_refusal
    assert "'--'" in done.stderr


@pytest.mark.parametrize("command", ["neighbors", "explain", "next"])
def test_characters_that_stdout_cannot_represent_are_one_line(made_store: Path, command: str) -> None:
    done = run(command, made_store, "é", encoding="ascii")
    assert done.is_refusal
    assert "stdout cannot represent '\\x" in done.stderr
    assert "in its encoding, ascii; set PYTHONIOENCODING=utf-8:backslashreplace, or use --json" in done.stderr


def test_the_encoding_may_come_from_the_environment(made_store: Path) -> None:
    done = run_process("neighbors", str(made_store), "é", environment={"PYTHONIOENCODING": "ascii"}).check()
    assert done.is_refusal


def test_json_is_printed_in_every_encoding(made_store: Path) -> None:
    ascii_only, usual = (
        run("neighbors", made_store, "é", "--json", encoding=encoding) for encoding in ("ascii", "utf-8")
    )
    assert ascii_only.stdout.isascii()
    assert not usual.stdout.isascii()
    assert json.loads(ascii_only.stdout) == json.loads(usual.stdout)


NASTY = ("a\x1b[31m", "b\x9b2J\x07", "c\u202e", "d\u2028")


@pytest.fixture(scope="module")
def nasty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of nodes whose names move the cursor, ring the bell, end lines and turn text around."""
    folder = tmp_path_factory.mktemp("nasty")
    (folder / "paths.jsonl").write_text(f"{json.dumps([*NASTY, *NASTY[::-1]])}\n" * 5)
    run("embed", folder / "paths.jsonl", "-o", folder / "store", "--dim", 2)
    return folder / "store"


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize(
    "command", ["neighbors NODE", "next NODE", "explain NODE", "profile", "profile NODE", "sample"]
)
def test_control_characters_in_names_are_escaped(nasty_store: Path, command: str, as_json: bool) -> None:
    name, *words = command.replace("NODE", NASTY[0]).split(" ")
    text = run(name, nasty_store, *words, *["--json"] * as_json).stdout.decode()
    assert not [letter for letter in text if letter not in "\n\t" and not letter.isprintable()]
    if as_json:
        assert NASTY[0] in json.dumps(json.loads(text), ensure_ascii=False).replace("\\u001b", "\x1b")


@pytest.mark.parametrize("command", [["neighbors", "STORE", "A"], ["export", "STORE", "-o", "-"]])
def test_a_closed_stdout_is_one_line(made_store: Path, command: list[str]) -> None:
    words = [str(made_store) if word == "STORE" else word for word in command]
    done = run_process(*words, redirections=">&-").check()
    assert done.is_refusal
    assert done.stderr == "honem: error: stdout is closed; redirect it to a file, or to /dev/null\n"


def test_without_stderr_the_exit_code_and_the_result_remain(made_store: Path, paths: Path, tmp_path: Path) -> None:
    refused = run_process("neighbors", str(made_store), "Z", redirections="2>&-")
    assert (refused.code, refused.stdout) == (2, b"")
    silent = run_process("neighbors", str(made_store), "Z", redirections=">&- 2>&-")
    assert (silent.code, silent.stdout) == (2, b"")
    made = run_process("embed", str(paths), "-o", str(tmp_path / "new"), "--dim", "3", redirections="<&- 2>&-")
    assert (made.code, made.stdout) == (0, b"")
    assert run("neighbors", tmp_path / "new", "A").stdout == run("neighbors", made_store, "A").stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_or_stderr(made_store: Path) -> None:
    done = run_process("neighbors", str(made_store), "A", redirections=">/dev/full").check()
    assert (done.code, done.stderr) == (2, "honem: error: No space left on device\n")
    assert run_process("neighbors", str(made_store), "Z", redirections="2>/dev/full").code == 2


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8 exist on Linux only")
def test_a_folder_whose_name_is_not_utf8(made_store: Path, paths: Path, tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"\xff store")
    shutil.copytree(made_store, place)
    for command in ("neighbors", "explain", "next"):
        assert run(command, place, "A").stdout == run(command, made_store, "A").stdout
    assert run("export", place, "-o", "-", "--what", "rules", "--format", "jsonl").code == 0
    assert run("compare", place, made_store).code == 0
    assert run("explore", place, "-o", tmp_path / "page.html", "--projection", "pca").code == 0
    assert "\N{REPLACEMENT CHARACTER} store · honem" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run("embed", paths, "-o", place, "--dim", 2, "--force").code == 0
    missing = run("neighbors", tmp_path / os.fsdecode(b"\xfe"), "A")
    assert "there is no folder" in missing.stderr
    elsewhere = run_process("neighbors", os.fsencode(place), "A").check()
    assert elsewhere.code == 0
