"""SparkCorpus: from frames, from events and from files; what the local reader makes of the same, and refuses."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import honem
from honem import Corpus, CorpusError, HonemError, InputError, ParameterError
from honem.rules.engines.distributed import SparkCorpus
from honem.rules.engines.distributed.chunks import Chunk
from tests.comparing import rules_as_dict
from tests.rules.engines.distributed.sessions import n_persisted, on_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = on_spark

Paths = Counter[tuple[Hashable, ...]]
VISITS = [("ann", 3, "c"), ("bob", 1, "x"), ("ann", 1, "a"), ("ann", 2, "b"), ("bob", 2, "z"), ("bob", 2, "y")]
PATHS_OF_VISITS = {("a", "b", "c"): 1, ("x", "y", "z"): 1}


@pytest.fixture(autouse=True)
def _nothing_stays(spark: SparkSession) -> Any:
    yield
    assert n_persisted(spark) == 0


def paths_in(corpus: SparkCorpus) -> Paths:
    """The sequences of a corpus with their weights, whatever their order; the corpus is let go of."""
    found: Paths = Counter()
    with corpus:
        chunks = corpus.chunks.packets.collect("body")
    numbers = [number for chunk in chunks for number in range(*sequence_numbers(chunk))]
    assert len(set(numbers)) == len(numbers)
    for chunk in chunks:
        labels = iter([corpus.vocabulary[token] for token in chunk.tokens.tolist()])
        weights = chunk.weights.tolist() or [1] * len(chunk.lengths)
        for length, weight in zip(chunk.lengths.tolist(), weights, strict=True):
            found[tuple(next(labels) for _ in range(length))] += weight
    assert list(corpus.vocabulary) == sorted({label for path in found for label in path})  # type: ignore[type-var]
    return found


def sequence_numbers(chunk: Chunk) -> tuple[int, int]:
    """The first number of a sequence of a chunk, and the one after the last."""
    return chunk.first_sequence, chunk.first_sequence + len(chunk.lengths)


def paths_here(corpus: Corpus) -> Paths:
    found: Paths = Counter()
    for path, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        found[path] += weight
    return found


def test_the_only_column_of_arrays_is_found(spark: SparkSession) -> None:
    rows = [(1, [10, 9, 100]), (2, [9, 10]), (3, []), (4, [10, 9, 100])]
    corpus = SparkCorpus.from_frame(spark.createDataFrame(rows, "id int, path array<int>"))
    assert (corpus.n_sequences, corpus.n_nodes, corpus.n_steps, corpus.longest) == (4, 3, 5, 3)
    assert not corpus.is_weighted
    assert repr(corpus) == "SparkCorpus(4 sequences, 3 nodes, 5 weighted steps)"
    assert corpus.vocabulary.labels == (9, 10, 100)
    assert paths_in(corpus) == {(10, 9, 100): 2, (9, 10): 1, (): 1}


def test_sequences_are_numbered_over_all_partitions_and_batches(spark: SparkSession) -> None:
    """Each sequence counts once: those with the same number would be taken for one."""
    paths = [["a", "x", "p"] * 3] * 8 + [["b", "x", "q"] * 3] * 8
    options: dict[str, Any] = {"count": "sequences", "max_order": 2}
    expected = honem.extract_rules(Corpus.from_sequences(paths), **options)
    assert expected.tests.n_accepted
    batch_size = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(batch_size)
    spark.conf.set(batch_size, "1")
    try:
        frame = spark.createDataFrame([(path,) for path in paths], "path array<string>").repartition(2)
        with SparkCorpus.from_frame(frame) as corpus:
            assert len(corpus.chunks.packets.collect("head")) == len(paths)
            found = honem.extract_rules(corpus, engine="spark", **options)  # type: ignore[arg-type]
    finally:
        spark.conf.set(batch_size, str(before))
    assert rules_as_dict(found) == rules_as_dict(expected)
    assert sorted(found.evidence) == pytest.approx(sorted(expected.evidence))


def test_columns_are_named_and_weights_count(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(["a", "b"], ["x"], 3), (["b"], ["y"], 2)], "`my.path` array<string>, other array<string>, n tinyint"
    )
    with pytest.raises(CorpusError, match=r"my\.path, other, n 2 are arrays; say with `field`"):
        SparkCorpus.from_frame(frame)
    corpus = SparkCorpus.from_frame(frame, field="my.path", weight="n")
    assert corpus.is_weighted
    assert (corpus.n_steps, corpus.n_weighted_steps) == (1, 3)
    assert paths_in(corpus) == {("a", "b"): 3, ("b",): 2}


@pytest.mark.parametrize(
    ("schema", "options", "words"),
    [
        ("n int, word string", {}, "0 are arrays"),
        ("path array<string>, n int", {"field": "n"}, "'n' is int, not an array"),
        ("path array<string>, n int", {"field": "paths"}, "no column 'paths'; the columns are path, n"),
        ("path array<string>, n int", {"weight": "m"}, "no column 'm'"),
        ("path array<string>, n double", {"weight": "n"}, "'n' are double; they must be whole numbers"),
        ("path array<string>, n string", {"weight": "n"}, "'n' are string; they must be whole numbers"),
    ],
)
def test_frames_of_another_kind_are_refused(
    spark: SparkSession, schema: str, options: dict[str, str], words: str
) -> None:
    with pytest.raises(CorpusError, match=words):
        SparkCorpus.from_frame(spark.createDataFrame([], schema), **options)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((["a", None], 1), "1 sequences, nodes or weights are missing"),
        ((["a", "b"], 0), "the weight 0 is not a positive whole number"),
        pytest.param((None, 1), "1 sequences, nodes or weights are missing", marks=pytest.mark.slow),
        pytest.param((["a", "b"], None), "1 sequences, nodes or weights are missing", marks=pytest.mark.slow),
        pytest.param((["a", "b"], -5), "the weight -5 is not", marks=pytest.mark.slow),
    ],
)
def test_what_is_missing_or_weighs_nothing_is_refused(spark: SparkSession, row: tuple[Any, Any], words: str) -> None:
    frame = spark.createDataFrame([(["a", "b"], 1), row], "path array<string>, n long")
    with pytest.raises(CorpusError, match=words):
        SparkCorpus.from_frame(frame, weight="n")


def test_visits_stand_in_the_order_of_time_and_then_of_nodes(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame(VISITS, "who string, at int, place string")
    assert paths_in(SparkCorpus.from_events(frame, entity="who", time="at", node="place")) == PATHS_OF_VISITS
    frame.write.parquet(str(tmp_path / "visits.parquet"))
    columns = {"entity": "who", "time": "at", "node": "place"}
    assert paths_in(SparkCorpus.read(str(tmp_path / "visits.parquet"), spark, **columns)) == PATHS_OF_VISITS


def test_visits_without_a_value_or_a_column_are_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([*VISITS, ("ann", None, "a"), (None, 1, "a")], "who string, at int, place string")
    with pytest.raises(CorpusError, match=r"2 visits lack who, at or place \(null\)"):
        SparkCorpus.from_events(frame, entity="who", time="at", node="place")
    with pytest.raises(CorpusError, match="no column 'when'"):
        SparkCorpus.from_events(frame, entity="who", time="when", node="place")


def test_what_goes_wrong_in_a_users_frame_is_told_in_a_line(spark: SparkSession) -> None:
    def fail(batches: Any) -> Any:
        raise ValueError("no such luck")

    frame = spark.range(3).mapInArrow(fail, "who int, at int, path array<int>")
    with pytest.raises(HonemError, match=r"^Spark gave up: ValueError: no such luck$"):
        SparkCorpus.from_frame(frame)
    with pytest.raises(HonemError, match=r"^Spark gave up: ValueError: no such luck$"):
        SparkCorpus.from_events(frame, entity="who", time="at", node="path")


def test_a_corpus_from_here_keeps_its_numbers(spark: SparkSession) -> None:
    here = Corpus.from_sequences([["z", "a"], ["m", "z", "a"]], weights=[2, 1])
    with SparkCorpus.from_corpus(here, spark) as there:
        assert there.vocabulary is here.vocabulary
        assert (there.n_sequences, there.n_steps, there.n_weighted_steps, there.longest) == (2, 3, 4, 3)


def test_parquet_has_one_sequence_a_row(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(["a", "b"], ["u"], 3), (["b", "c"], ["v"], 1)]
    file = str(tmp_path / "paths.parquet")
    spark.createDataFrame(rows, "path array<string>, other array<string>, n int").write.parquet(file)
    assert paths_in(SparkCorpus.read(file, spark, field="path", weight="n")) == {("a", "b"): 3, ("b", "c"): 1}
    with pytest.raises(CorpusError, match="2 are arrays; say with `field`"):
        SparkCorpus.read(file, spark)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Text with line ends, blanks and comments of all kinds, some of it compressed."""
    tmp_path.joinpath("a.txt").write_bytes("\ufeffdé fé\r\n\r\n# no path\n  a\t b  c \t\n \t \na\u00a0b #c\rd".encode())
    tmp_path.joinpath("b.txt.gz").write_bytes(gzip.compress(b"a b c d\nb c d\n" * 50))
    return tmp_path


def test_text_is_read_as_the_local_reader_does(spark: SparkSession, folder: Path) -> None:
    files = sorted(map(str, folder.iterdir()))
    expected = paths_here(honem.read_paths(files, comment="#"))
    assert expected["a\u00a0b", "#c\rd"] == 1
    for place in (files, folder, str(folder / "*.txt*")):
        assert paths_in(SparkCorpus.read(place, spark, comment="#")) == expected, place


def test_rules_of_text_are_those_of_the_local_engine(spark: SparkSession, folder: Path) -> None:
    files = sorted(map(str, folder.iterdir()))
    expected = honem.extract_rules(honem.read_paths(files), min_support=2)
    with SparkCorpus.read(files, spark) as corpus:
        found = honem.extract_rules(corpus, engine="spark", min_support=2)  # type: ignore[arg-type]
    assert rules_as_dict(found) == rules_as_dict(expected)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("1, a,b ,3\n  ,c,d,12.0\n,x,7\n\r\ny,z,01", {"delimiter": ",", "id_column": True, "weighted": True}),
        pytest.param("1 a b\n2\n", {"id_column": True}, marks=pytest.mark.slow),
        pytest.param("  \na|b||c\n", {"delimiter": "||"}, marks=pytest.mark.slow),
        pytest.param("a\tb\nc d\te\n", {"delimiter": "\t"}, marks=pytest.mark.slow),
        pytest.param("a\\Eb\\E c\n", {"delimiter": "\\E"}, marks=pytest.mark.slow),
        pytest.param("a.b.c\n", {"delimiter": "."}, marks=pytest.mark.slow),
    ],
)
def test_fields_are_taken_as_the_local_reader_does(
    spark: SparkSession, tmp_path: Path, content: str, options: dict[str, Any]
) -> None:
    file = tmp_path / "paths.txt"
    file.write_text(content, newline="")
    expected = paths_here(honem.read_paths(file, **options))
    assert paths_in(SparkCorpus.read(str(file), spark, **options)) == expected


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"a b\na \xff\n", {}),
        (b"a,b\na,,b\n", {"delimiter": ","}),
        (b"a b 1\na b +3\n", {"weighted": True}),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                (b"a,b,\n", {"delimiter": ","}),
                (b"\t\na\tb\n", {"delimiter": "\t"}),
                (b"a b 0\n", {"weighted": True}),
                (b"a b x\n", {"weighted": True}),
                (b"a b 1.5\n", {"weighted": True}),
                (b"a b 9223372036854775808\n", {"weighted": True}),
                (b"3\na b 2\n", {"weighted": True}),
                (b"1 3\n2 a b 2\n", {"weighted": True, "id_column": True}),
                (b"a,b, 3\n", {"weighted": True, "delimiter": ","}),
            ]
        ),
    ],
)
def test_what_the_local_reader_refuses_is_refused_here(
    spark: SparkSession, tmp_path: Path, content: bytes, options: dict[str, Any]
) -> None:
    file = tmp_path / "paths.txt"
    file.write_bytes(content)
    with pytest.raises(InputError):
        honem.read_paths(file, **options)
    with pytest.raises(HonemError) as refused:
        SparkCorpus.read(str(file), spark, **options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"comment": ""}, "comment must be"),
        ({"delimiter": ""}, "delimiter must be"),
        ({"format": "csv"}, "'text', 'parquet'"),
        ({"weight": "n"}, "weight='n' has no meaning for text"),
        ({"field": "path", "id_column": True}, "id_column=True has no meaning for parquet"),
        ({"format": "text", "entity": "who"}, "entity='who' has no meaning for text"),
    ],
)
def test_options_without_a_meaning_are_refused(
    spark: SparkSession, folder: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        SparkCorpus.read(str(folder / "a.txt"), spark, **options)


@pytest.mark.parametrize("name", ["nowhere.txt", "nowhere/*.parquet"])
def test_a_missing_path_is_told_in_a_line(spark: SparkSession, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="nowhere") as refused:
        SparkCorpus.read(str(tmp_path / name), spark)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["broken.parquet", "broken.txt.gz"])
def test_a_broken_file_is_told_in_a_line(spark: SparkSession, tmp_path: Path, name: str) -> None:
    whole = gzip.compress(b"a b c d\nb c d\n" * 5000)
    tmp_path.joinpath(name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(HonemError) as refused:
        SparkCorpus.read(str(tmp_path / name), spark)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) > 30
