"""The commands as a user runs them."""

from __future__ import annotations

import csv
import fcntl
import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import honem
from honem import Corpus, extract_rules
from honem.cli import main
from honem.cli.main import build_parser
from honem.cli.options import Subparsers, new_command
from honem.embedding.recipe import Recipe
from honem.io.parts import PARTS
from tests.cli.running import Run

COMMANDS = list(build_parser()._actions[-1].choices or ())


@pytest.fixture
def paths(tmp_path: Path) -> Path:
    """The paper's example, five times over."""
    file = tmp_path / "paths.txt"
    file.write_text("A C D E A C D B C E\n" * 5)
    return file


@pytest.mark.parametrize(
    ("options", "threshold"),
    [
        ({}, 4.322),  # log2(M / (alpha R)) of two tested contexts, both of them accepted
        ({"alpha": 0.01, "count": "occurrences"}, 6.644),
        ({"criterion": "divergence"}, 0.578),
    ],
)
def test_rules_on_stdout_are_one_object_a_row(run: Run, paths: Path, options: dict[str, Any], threshold: float) -> None:
    done = run("rules", paths, "--max-order", 3, *(word for name in options for word in (f"--{name}", options[name])))
    assert done.returncode == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    corpus = Corpus.from_sequences([list("ACDEACDBCE")] * 5)
    assert rows == list(extract_rules(corpus, max_order=3, **options).records())
    assert {
        "context": ["A", "C"],
        "target": "D",
        "order": 2,
        "count": 10,
        "probability": 1.0,
        "support": 10,
        "divergence": pytest.approx(0.585, abs=1e-3),
        "threshold": pytest.approx(threshold, abs=1e-3),
        "evidence": pytest.approx(9.196, abs=1e-3),
        "q_value": pytest.approx(0.0034, abs=1e-4),
        "accepted": True,
    } in rows
    assert "7 rules" in done.stderr


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_rules_in_files(run: Run, paths: Path, tmp_path: Path, ending: str) -> None:
    done = run("rules", paths, "-o", f"rules.{ending}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert (tmp_path / f"rules.{ending}").stat().st_size > 0


def test_engines_agree(run: Run, paths: Path) -> None:
    fast, slow = (run("rules", paths, "--engine", name) for name in ("local", "reference"))
    for one, other in zip(fast.stdout.splitlines(), slow.stdout.splitlines(), strict=True):
        found, expected = json.loads(one), json.loads(other)
        assert (found.pop("context"), found.pop("target")) == (expected.pop("context"), expected.pop("target"))
        assert found == pytest.approx(expected)


def test_info_as_json_and_as_words(run: Run, paths: Path) -> None:
    facts = json.loads(run("info", paths, "--json").stdout)
    assert facts["sequences"] == 5
    assert facts["steps"] == facts["weighted_steps"] == 45
    assert facts["nodes"] == 5
    assert facts["first_order_network"] == {"nodes": 5, "edges": 7, "mean_in_degree": 1.4}
    assert facts["higher_order_network"]["edges"] == 9
    assert facts["gamma"] == pytest.approx(9 / 7)
    assert facts["max_order"] == 2
    assert facts["rules_by_order"] == {"1": 5, "2": 2}
    assert "rules by order        1: 5, 2: 2" in run("info", paths).stdout


def test_embed_then_neighbors(run: Run, paths: Path, tmp_path: Path) -> None:
    done = run("embed", paths, "-o", "vectors", "--dim", 3, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["nodes"] == 5
    found = json.loads(run("neighbors", "vectors", "A", "-n", 2, "--space", "source.target", "--json").stdout)
    model = honem.HONEM(3).fit([list("ACDEACDBCE")] * 5)
    expected = model.embedding_.neighbors("A", 2, space="source.target")
    assert [n["node"] for n in found["neighbors"]] == [n.node for n in expected]
    assert [n["score"] for n in found["neighbors"]] == pytest.approx([n.score for n in expected])
    shown = run("neighbors", "vectors", "A", "-n", 2)
    assert len(shown.stdout.splitlines()) == 2
    missing = run("neighbors", "vectors", "Z")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no node 'Z'" in missing.stderr


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        (["--preset", "paper"], {"preset": "paper"}),
        (["--transforms", "both_ways,near_itself"], {"transforms": ("both_ways", "near_itself")}),
        (["--transforms", "", "--spectrum", "0.5"], {"transforms": (), "spectrum": 0.5}),
        (["--spectrum", "1,0.2", "--score", "cosine"], {"spectrum": (1.0, 0.2), "score": "cosine"}),
        (
            ["--factorization", "weighted", "--zero-weight", "0.3", "--regularization", "0.2", "--length-power", "0.5"],
            {"factorization": "weighted", "zero_weight": 0.3, "regularization": 0.2, "length_power": 0.5},
        ),
        (["--preset", "spatial"], {"preset": "spatial"}),
        (["--tilt", "-0.3"], {"tilt": -0.3}),
        (
            ["--order-weights", "learnt", "--combination", "mean"],
            {"order_weights": "learnt", "combination": "mean"},
        ),
        (
            ["--preset", "paper", "--weighting", "evidence", "--order-weights", "constant"],
            {"preset": "paper", "weighting": "evidence", "order_weights": "constant"},
        ),
    ],
)
def test_presets_and_their_pieces(run: Run, paths: Path, options: list[str], meant: dict[str, Any]) -> None:
    done = run("embed", paths, "-o", "vectors", "--dim", 3, *options)
    assert done.returncode == 0, done.stderr
    store, model = honem.load("vectors"), honem.HONEM(3, **meant)
    assert (store.embedding.source == model.fit([list("ACDEACDBCE")] * 5).embedding_.source).all()
    assert store.recipe is not None
    assert Recipe.from_dict(store.recipe) == model.recipe_
    assert honem.HONEM.load("vectors").set_params(verbose=False, criterion=None).get_params() == model.get_params()


def test_a_store_says_how_its_scores_are_taken_apart(run: Run, paths: Path) -> None:
    assert run("embed", paths, "-o", "vectors", "--dim", 3, "--tilt", 0.3, "--spectrum", "1,0.2").returncode == 0
    told = json.loads(run("explain", "vectors", "A", "D", "--json").stdout)
    assert told["score"]["unexplained"] == pytest.approx(0, abs=1e-9)
    assert told["score"]["score"] != pytest.approx(0, abs=1e-3)


def test_a_store_without_the_next_step_model(run: Run, paths: Path, tmp_path: Path) -> None:
    assert run("embed", paths, "-o", "small", "--dim", 3, "--no-next-step").returncode == 0
    assert not list((tmp_path / "small").glob("next_step-*"))


def test_embedding_twice_gives_the_same_bits(run: Run, paths: Path, tmp_path: Path) -> None:
    for folder, threads in (("a", 1), ("b", 2)):
        assert run("embed", paths, "-o", folder, "--dim", 3, "--threads", threads).returncode == 0
    written = [{file.name: file.read_bytes() for file in (tmp_path / folder).glob("*-*")} for folder in "ab"]
    assert sorted(name.split("-")[0] for name in written[0]) == sorted(set(PARTS) - {"labels"})
    assert written[0] == written[1]


@pytest.mark.parametrize(("kind", "n_edges"), [("fon", 7), ("hon", 9)])
def test_network(run: Run, paths: Path, tmp_path: Path, kind: str, n_edges: int) -> None:
    assert run("network", paths, "--kind", kind, "-o", "edges.csv").returncode == 0
    with (tmp_path / "edges.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == n_edges
    assert sum(int(row["count"]) for row in rows) >= 45


def test_paths_from_stdin_and_gzip(run: Run, paths: Path, tmp_path: Path) -> None:
    plain = run("rules", paths)
    (tmp_path / "paths.txt.gz").write_bytes(gzip.compress(paths.read_bytes()))
    assert run("rules", "paths.txt.gz").stdout == plain.stdout
    assert run("rules", "-", stdin=paths.read_text()).stdout == plain.stdout


def test_weights_from_text(run: Run, paths: Path) -> None:
    weighted = run("rules", "-", "--weighted", stdin="A C D E A C D B C E 5\n")
    assert weighted.stdout == run("rules", paths).stdout


BAD_FILES = {
    "empty": (b"", "empty"),
    "one-node": (b"a\nb\n", "no step"),
    "not-utf8": (b"a b\nc \xff d\n", "line 2"),
    "cut.gz": (gzip.compress(b"a b c\n" * 5000)[:-20], "cut.gz"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", [["embed", "-o", "out"], ["rules", "-o", "out.csv"], ["info"]], ids=lambda c: c[0])
def test_bad_files_are_one_line_and_leave_nothing(run: Run, tmp_path: Path, name: str, command: list[str]) -> None:
    content, words = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    done = run(command[0], name, *command[1:])
    assert done.returncode == 2
    assert done.stdout == ""
    last = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(last) == 1
    assert last[0].startswith("honem: error: ")
    assert words in last[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rules", "missing.txt"], "missing.txt"),
        (["rules", "."], "folder"),
        (["embed", "paths.txt"], "-o"),
        (["neighbors", "paths.txt", "A"], "paths.txt"),
        (["neighbors", "nowhere", "A"], "nowhere"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_bad_options_are_one_line(run: Run, paths: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == 1
    assert words in errors[0]
    assert "sequences" not in done.stderr  # nothing was read yet
    assert [path.name for path in tmp_path.iterdir()] == ["paths.txt"]


@pytest.mark.parametrize("weight", ["-1", "0", "1.5", "x"])
def test_bad_weights_name_the_line(run: Run, weight: str) -> None:
    done = run("rules", "-", "--weighted", stdin=f"a b 3\na c {weight}\n")
    assert done.returncode == 2
    assert "line 2" in done.stderr
    assert weight in done.stderr


def test_a_folder_is_not_overwritten_unless_asked(run: Run, paths: Path, tmp_path: Path) -> None:
    assert run("embed", paths, "-o", "v", "--dim", 2).returncode == 0
    again = run("embed", paths, "-o", "v", "--dim", 3)
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert run("embed", paths, "-o", "v", "--dim", 3, "--force").returncode == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert run("embed", paths, "-o", "mine", "--force").returncode == 2
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert re.search(f"example: .*honem {command} ", done.stdout)


def test_a_command_is_a_module_in_the_list(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def add_command(subparsers: Subparsers) -> None:
        parser = new_command(subparsers, "greet", "greet someone", "honem greet Ada")
        parser.add_argument("name")
        parser.set_defaults(run=lambda args: print(f"hello, {args.name}"))

    module = sys.modules["honem.cli.main"]
    monkeypatch.setattr(module, "COMMANDS", (*module.COMMANDS, SimpleNamespace(add_command=add_command)))
    assert main(["greet", "Ada"]) == 0
    assert capsys.readouterr().out == "hello, Ada\n"


def test_help_loads_no_large_library() -> None:
    heavy = ["numba", "pyspark", "scipy", "sklearn", "matplotlib", "pyarrow", "pandas", "tqdm"]
    code = f"""
import sys
from honem.cli import main
from honem.cli.main import build_parser
from honem.cli.options import Subparsers, new_command
try:
    main(sys.argv[1:])
except SystemExit:
    print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    for command in (["--help"], ["embed", "--help"]):
        done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
        assert done.stderr.strip() == "[]"


def test_more_dimensions_than_nodes_are_a_warning(run: Run, paths: Path) -> None:
    done = run("embed", paths, "-o", "v", "--dim", 50)
    assert done.returncode == 0
    assert "honem: warning: " in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path, paths: Path) -> None:
    paths.write_text("\n".join(" ".join(f"{i}.{j}" for j in range(20)) for i in range(3000)))
    command = f"{sys.executable} -m honem rules paths.txt | head -n 1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr


def test_interrupting_ends_cleanly_with_130(tmp_path: Path) -> None:
    """Ctrl-C while paths are still coming in."""
    command = [sys.executable, "-m", "honem", "embed", "-", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write("a b c\n" * 10)
    process.stdin.flush()
    while unread(process.stdin.fileno()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip().splitlines()[-1] == "honem: interrupted"
    assert list(tmp_path.iterdir()) == []


def unread(pipe: int) -> int:
    """Bytes that were written into a pipe and not yet read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_interrupting_ends_cleanly_while_modules_are_loading(tmp_path: Path) -> None:
    interrupting = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    (tmp_path / "numpy.py").write_text(interrupting, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "honem", "info"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "honem: interrupted\n")


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path, paths: Path) -> None:
    paths.write_text("A C D E A C D B C E\n" * 50_000)
    command = [sys.executable, "-m", "honem", "info", "paths.txt"]
    quiet = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "%|" not in quiet.stderr
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert process.wait(timeout=60) == 0
    assert b"growing contexts" in shown
