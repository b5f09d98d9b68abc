"""Text is read as a plain split would, whatever the bytes and wherever the chunks end."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from honem.errors import InputError, ParameterError
from honem.io.paths import Limits, TextLayout, read_paths, read_paths_with_report
from honem.io.paths.building import CorpusBuilder
from honem.io.paths.formats.text import read_text
from honem.io.paths.lines import read_line_chunks
from honem.io.paths.options import Cleaning
from honem.io.paths.sources import ByteCount, InputSource, Stream
from tests.io.paths import naive

# Bytes where everything can go wrong: separators, line ends, other spaces, wide characters, quotes and markup.
PIECES = st.sampled_from(
    [*'ab ,->\t\n\r"#.|\0\x0b\u00a0\u2003\ufeffé日', "ab", "  ", "\r\n", "\n\n", ",,", "->", "=cmd()", "<script>", "12"]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


def parse(data: bytes, layout: TextLayout, chunk_bytes: int, folder: Path) -> naive.Paths:
    """What the reader makes of these bytes, in chunks of this size."""
    path = folder / "paths.txt"
    path.write_bytes(data)
    source = InputSource(str(path))
    builder = CorpusBuilder(Cleaning(), Limits())
    with Stream(source, Limits(), ByteCount([source], None)) as stream:
        for labelled, counts in read_text(read_line_chunks(stream, chunk_bytes), layout):
            builder.counts.update(counts)
            builder.add(labelled)
    corpus, counts = builder.finish()
    assert counts["lines"] == len(naive.lines_of(data))
    assert list(corpus.vocabulary) == list(dict.fromkeys(node for path in corpus.sequences() for node in path))
    return list(corpus.sequences())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a property."""
    return tmp_path_factory.mktemp("text")


@given(text=TEXTS, bom=st.booleans(), chunk_bytes=st.sampled_from([1, 2, 7, 1 << 20]))
def test_reads_what_a_plain_split_reads(text: str, bom: bool, chunk_bytes: int, folder: Path) -> None:
    data = text.encode("utf-8-sig" if bom else "utf-8")
    assert parse(data, TextLayout(), chunk_bytes, folder) == naive.read_text(data)


@given(
    text=TEXTS,
    delimiter=st.sampled_from([",", "->", "é", " ", "\t", ",,", "|"]),
    chunk_bytes=st.sampled_from([1, 7, 1 << 20]),
)
def test_splits_exactly_at_any_delimiter(text: str, delimiter: str, chunk_bytes: int, folder: Path) -> None:
    data = text.encode()
    expected = naive.read_text(data, delimiter)
    layout = TextLayout(delimiter=delimiter, empty="skip")
    without_empty = [kept for path in expected if (kept := tuple(node for node in path if node != ""))]
    assert parse(data, layout, chunk_bytes, folder) == without_empty
    if any("" in path for path in expected):
        with pytest.raises(InputError, match="nothing between two delimiters"):
            parse(data, TextLayout(delimiter=delimiter), chunk_bytes, folder)


@given(
    paths=st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r,"), min_size=1), min_size=1),
        min_size=1,
        max_size=20,
    ),
    data=st.data(),
)
def test_weights_and_ids_round_trip(paths: list[list[str]], data: st.DataObject, folder: Path) -> None:
    weights = data.draw(st.lists(st.integers(1, 2**40), min_size=len(paths), max_size=len(paths)))
    lines = [",".join(["id", *path, str(weight)]) for path, weight in zip(paths, weights, strict=True)]
    (folder / "all.csv").write_text("\n".join(lines), encoding="utf-8", newline="")
    corpus, report = read_paths_with_report(folder / "all.csv", delimiter=",", id_column=True, weighted=True)
    assert [list(path) for path in corpus.sequences()] == paths
    assert corpus.weights.tolist() == weights
    assert report.ids_left_out == len(paths)


def test_ngram_files_are_weighted_and_comma_separated(tmp_path: Path) -> None:
    (tmp_path / "paths.ngram").write_text("a,b,c,12\nb,c,2.0\n")
    corpus = read_paths(tmp_path / "paths.ngram")
    assert list(corpus.sequences()) == [("a", "b", "c"), ("b", "c")]
    assert corpus.weights.tolist() == [12, 2]


def test_comments_and_headers_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("# one\nfrom to\n# two\n#a b\nc # d\n\n")
    assert read_paths(tmp_path / "p.txt").n_sequences == 5
    corpus, report = read_paths_with_report(tmp_path / "p.txt", header=2, comment="# ")
    assert list(corpus.sequences()) == [("#a", "b"), ("c", "#", "d")]
    assert (report.header_lines, report.comment_lines, report.blank_lines, report.lines) == (2, 1, 1, 6)


def test_header_is_of_each_file(tmp_path: Path) -> None:
    for name in ("1.txt", "2.txt"):
        (tmp_path / name).write_text("head\na b\n")
    corpus, report = read_paths_with_report(str(tmp_path / "*.txt"), header=1)
    assert list(corpus.sequences()) == [("a", "b")] * 2
    assert (report.files, report.header_lines) == (2, 2)


def test_empty_fields_of_unread_lines_and_ids_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("x,,y\n#,,\n,a,b\n")
    corpus = read_paths(tmp_path / "p.txt", delimiter=",", id_column=True, header=1, comment="#")
    assert list(corpus.sequences()) == [("a", "b")]


def test_an_id_alone_is_an_empty_sequence(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("u1 a b\nu2\n")
    corpus, report = read_paths_with_report(tmp_path / "p.txt", id_column=True)
    assert list(corpus.sequences()) == [("a", "b"), ()]
    assert report.empty_sequences == 1


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_compression_changes_nothing(ending: str, tmp_path: Path) -> None:
    text = "".join(f"n{i % 7} n{i % 11} n{i}\n" for i in range(5000)).encode()
    by_ending: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}
    squeeze = by_ending[ending]
    # Two members one after the other, as `cat a.gz b.gz` makes them.
    (tmp_path / f"p.txt{ending}").write_bytes(squeeze(text) + squeeze(b"last line\n"))
    assert list(read_paths(tmp_path / f"p.txt{ending}").sequences()) == naive.read_text(text + b"last line\n")
    # The content tells, where the name does not.
    (tmp_path / "unnamed").write_bytes(squeeze(text))
    assert list(read_paths(tmp_path / "unnamed").sequences()) == naive.read_text(text)


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, zstandard.compress])
def test_stdin(squeeze: object) -> None:
    code = (
        "from honem.io.paths import *; c, r = read_paths_with_report('-'); print(list(c.sequences()), r.inputs[0].name)"
    )
    run = subprocess.run([sys.executable, "-c", code], input=squeeze(b"a b\nc"), capture_output=True, check=True)  # type: ignore[operator]
    assert run.stdout.decode().strip() == "[('a', 'b'), ('c',)] stdin"


def test_several_files_and_globs_keep_their_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.txt"):
        (tmp_path / name).write_text(f"{name} x\n")
    names = [path[0] for path in read_paths([tmp_path / "c.txt", str(tmp_path / "[ab].txt")]).sequences()]
    assert names == ["c.txt", "a.txt", "b.txt"]
    (tmp_path / "[ab].txt").write_text("it is I\n")
    assert list(read_paths(str(tmp_path / "[ab].txt")).sequences()) == [("it", "is", "I")]


def test_one_empty_file_among_others_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b\n")
    (tmp_path / "b.txt").write_text("")
    corpus, report = read_paths_with_report(str(tmp_path / "?.txt"))
    assert corpus.n_sequences == 1
    assert (report.files, report.empty_files) == (2, 1)
    assert "1 file without a sequence" in str(report)


def test_progress_ends_at_the_size_of_all_files(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    (tmp_path / "a.txt").write_text("a b\n" * 1000)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"a b\n" * 1000))
    read_paths(str(tmp_path / "*"), progress=lambda *facts: told.append(facts))
    total = sum(os.path.getsize(path) for path in tmp_path.iterdir())
    assert told[-1] == ("reading", total, total)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_the_report_knows_the_hash_of_the_input(tmp_path: Path) -> None:
    import hashlib

    data = gzip.compress(b"a b\n" * 1000)
    (tmp_path / "a.txt.gz").write_bytes(data)
    _, report = read_paths_with_report(tmp_path / "a.txt.gz")
    assert report.to_dict()["inputs"] == [
        {"name": str(tmp_path / "a.txt.gz"), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    ]


def test_csv_without_a_word_about_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("a,b\n")
    with pytest.raises(ParameterError, match=r"entity and node.*or one sequence per line"):
        read_paths(tmp_path / "p.csv")
    assert list(read_paths(tmp_path / "p.csv", delimiter=",").sequences()) == [("a", "b")]
    assert list(read_paths(tmp_path / "p.csv", format="text").sequences()) == [("a,b",)]
