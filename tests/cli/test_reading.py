"""The reading options of the command line are those of the readers, all of them, with the same meaning."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from honem.cli import main
from honem.cli.reading import add_reading_options, read_corpus
from honem.errors import ParameterError
from honem.io.paths import read_paths
from honem.io.paths.options import ReadOptions


def parse(*arguments: str) -> argparse.Namespace:
    """The arguments as a command would see them."""
    parser = argparse.ArgumentParser()
    add_reading_options(parser)
    return parser.parse_args(arguments)


def test_every_option_of_the_readers_is_there() -> None:
    assert set(ReadOptions.__annotations__) == set(vars(parse("x"))) - {"paths", "query", "database"}


def test_nothing_said_is_nothing_done(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("A A\tB\n#\n")
    corpus, report = read_corpus(parse(str(tmp_path / "p.txt")))
    assert list(corpus.sequences()) == [("A", "A", "B"), ("#",)]
    assert report.sequences == 2


@pytest.mark.parametrize("delimiter", ["tab", r"\t", "\t"])
def test_a_tab_can_be_named(tmp_path: Path, delimiter: str) -> None:
    (tmp_path / "p.txt").write_text("New York\tbattle\ttab a\n")
    corpus, _ = read_corpus(parse(str(tmp_path / "p.txt"), "--delimiter", delimiter))
    assert list(corpus.sequences()) == [("New York", "battle", "tab a")]


@pytest.mark.parametrize(
    ("text", "arguments", "options"),
    [
        (
            "a\tb\t2\nid\t\t1",
            [r"--delimiter=\t", "--weighted", "--empty=skip"],
            {"delimiter": "\t", "weighted": True, "empty": "skip"},
        ),
        (
            "h\nu A a\n% c",
            ["--header=1", "--id-column", "--comment=%"],
            {"header": 1, "id_column": True, "comment": "%"},
        ),
        (
            "A a b < c\nx",
            ["--lowercase", "--collapse-repeats", "--back-token=<", "--back=replay", "--min-length=2"],
            {"lowercase": True, "collapse_repeats": True, "back_token": "<", "back": "replay", "min_length": 2},
        ),
        ("a b c d e", ["--max-length=2", "--max-nodes=5", "--max-bytes=99"], {"max_length": 2}),
        (
            "e,t,x,y\n1,0,0.5,1.5\n1,9,3,3",
            [
                "--format=csv",
                "--entity=e",
                "--time=t",
                "--lon=x",
                "--lat=y",
                "--grid=1",
                "--grid-origin",
                "0",
                "0",
                "--max-gap=5",
            ],
            {
                "format": "csv",
                "entity": "e",
                "time": "t",
                "lon": "x",
                "lat": "y",
                "grid": 1.0,
                "grid_origin": (0, 0),
                "max_gap": 5,
            },
        ),
        (
            "e,t,n\n1,2009-01-01,a\n1,,b\n1,2009-01-09,c",
            ["--format=csv", "--entity=e", "--time=t", "--node=n", "--max-gap=2d", "--missing=skip"],
            {"format": "csv", "entity": "e", "time": "t", "node": "n", "max_gap": "2d", "missing": "skip"},
        ),
        (
            '{"p": [1, "1"], "w": 2}',
            ["--format=jsonl", "--field=p", "--weight=w"],
            {"format": "jsonl", "field": "p", "weight": "w"},
        ),
    ],
)
def test_options_mean_what_they_mean_in_python(
    text: str, arguments: list[str], options: ReadOptions, tmp_path: Path
) -> None:
    (tmp_path / "p").write_text(text)
    corpus, _ = read_corpus(parse(str(tmp_path / "p"), *arguments))
    expected = read_paths(tmp_path / "p", **options)
    assert list(corpus.sequences()) == list(expected.sequences())
    assert corpus.weights.tolist() == expected.weights.tolist()


def test_several_paths_and_progress(tmp_path: Path) -> None:
    told: list[int] = []
    for name in ("1.txt", "2.txt"):
        (tmp_path / name).write_text("a b\n")
    corpus, report = read_corpus(
        parse(str(tmp_path / "1.txt"), str(tmp_path / "2*")), lambda what, done, total: told.append(done)
    )
    assert (corpus.n_sequences, report.files, told[-1]) == (2, 2, 8)


def test_a_limit_of_the_command_line_is_one_of_the_readers(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("a b c\n")
    with pytest.raises(ValueError, match="max_nodes = 2"):
        read_corpus(parse(str(tmp_path / "p.txt"), "--max-nodes=2"))


@pytest.mark.parametrize(
    ("name", "text", "options", "words"),
    [
        ("p.csv", "e,n\nx,a\nx,\n", ["--entity", "e", "--node", "n"], "with --missing skip"),
        ("p.txt", "a,b\na,,b\n", ["--delimiter", ","], "with --empty skip"),
        ("p.txt", "a b c\n", ["--max-nodes", "2"], "Raise --max-nodes if"),
        ("p.txt", "a b c\n", ["--max-bytes", "2"], "raise --max-bytes if"),
        ("p.txt", "a b c\n", ["--max-line-bytes", "2"], "Raise --max-line-bytes if"),
        ("p.jsonl", '{"p": ["a"]}\n', [], "name the --field with the path"),
        (
            "p.csv",
            "e,n,t\nx,a,1\n",
            ["--entity", "e", "--node", "n", "--time", "t", "--max-gap", "6h"],
            "give --max-gap as a number",
        ),
    ],
)
def test_errors_in_files_name_options_as_flags(
    name: str, text: str, options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert main(["info", str(tmp_path / name), *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    with pytest.raises(ParameterError, match="min_length must be"):
        read_paths(tmp_path / name, min_length=0)
