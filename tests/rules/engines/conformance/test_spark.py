"""The spark engine gives the same contexts, counts and decisions as the reference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from honem import Corpus, CorpusError, ExtractionParams, extract_rules, read_paths
from honem.embedding.neighborhood import neighborhood
from honem.rules.criteria import Counting
from honem.rules.engines import make_engine
from honem.rules.engines.reference import ReferenceEngine
from honem.rules.params import LowerOrders, Support
from tests.comparing import assert_same_neighborhood, assert_same_rules, rules_as_dict
from tests.rules.engines.distributed.generated import THOROUGH, drawn, merged
from tests.rules.engines.distributed.sessions import n_persisted, on_spark, shared_session
from tests.strategies import corpora, divergence_params, significance_params

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from honem.rules.engines.distributed import DistributedRules

pytestmark = on_spark

KINDS: tuple[tuple[LowerOrders, Support], ...] = (
    *(("all", "context"), ("hon", "transition"), ("significant", "context")),
    *(("hon", "context"), ("all", "transition"), ("significant", "transition")),
)
BOTH_CRITERIA: list[dict[str, Any]] = [{}, {"criterion": "divergence"}]
OPTION_SETS: list[dict[str, Any]] = [
    *BOTH_CRITERIA,
    {"count": "sequences", "alpha": 0.2, "lower_orders": "significant"},
    {"criterion": "divergence", "min_support": 5, "lower_orders": "hon"},
    {"criterion": "divergence", "support": "transition", "min_support": 3},
]
HUB_OPTIONS: list[dict[str, Any]] = [
    {"alpha": 0.9, "count": "sequences"},
    {"alpha": 0.9},
    *(
        {"criterion": "divergence", "tau": 0.3, "lower_orders": lower_orders, "support": support}
        for lower_orders, support in KINDS
    ),
]


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """The one session of this process."""
    return shared_session()


@contextmanager
def rules_on_spark(
    spark: SparkSession, corpus: Corpus, options: ExtractionParams, **settings: Any
) -> Iterator[DistributedRules]:
    """The rules of a corpus, while they are on Spark; nothing of them stays there."""
    from honem.rules.engines.distributed import SparkCorpus, SparkEngine

    engine = SparkEngine(spark, **settings)
    with SparkCorpus.from_corpus(corpus, spark) as there, engine.find_rules(there, options) as rules:
        yield rules
    assert n_persisted(spark) == 0


@pytest.mark.parametrize("number", range(60 if THOROUGH else 2))
def test_generated_corpora_give_the_rules_and_matrices_of_the_reference(spark: SparkSession, number: int) -> None:
    corpus = merged(drawn(corpora(), 25, number), weighted=number % 4 < 2)
    if number % 2:
        lower_orders, support = KINDS[number // 2 % 6]
        options = replace(drawn(divergence_params, 12, number)[-1], lower_orders=lower_orders, support=support)
    else:
        count: Counting = "occurrences" if number % 8 > 4 else "sequences"
        options = replace(drawn(significance_params, 12, number)[-1], count=count)
    first_window, n_shards = 2 + number // 2 % 3, (2, 5, 1)[number % 3]
    expected = ReferenceEngine().extract_rules(corpus, options)
    assert expected.tests.n_tested or number > 1  # the options of a few numbers leave nothing to test
    with rules_on_spark(spark, corpus, options, first_window=first_window, n_shards=n_shards) as rules:
        assert_same_rules(rules.table(), expected)
        assert_same_neighborhood(rules, expected)


@pytest.mark.slow  # the in-process executor runs the same with every run of the tests
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("kind", HUB_OPTIONS)
def test_hubs_change_nothing(spark: SparkSession, kind: dict[str, Any], weighted: bool) -> None:
    """Few nodes and many shards: every busy node is split by the node before it."""
    parts = drawn(corpora(max_nodes=3, max_sequences=60), 30, 7)
    part = max(parts, key=lambda corpus: corpus.n_steps)
    corpus = Corpus.from_sequences(part.sequences(), np.arange(1, part.n_sequences + 1) % 5 + 1 if weighted else None)
    options = ExtractionParams(min_support=2, **kind)
    expected = ReferenceEngine().extract_rules(corpus, options)
    assert expected.max_order > 2
    with rules_on_spark(spark, corpus, options, first_window=3, n_shards=5) as rules:
        assert len(rules.hubs.nodes) > 1
        assert len(rules.passes) > 1
        assert_same_rules(rules.table(), expected)
        assert_same_neighborhood(rules, expected)


def a_long_way(steps: int) -> Corpus:
    """What comes at the end depends on what was at the beginning, with nothing between that tells."""
    path = [0] * steps
    return Corpus.from_sequences([[1, *path, 2]] * 40 + [[3, *path, 4]] * 40)


@pytest.mark.slow
@pytest.mark.parametrize("lower_orders", ["all", "hon"])
def test_no_order_is_lost_to_the_window(spark: SparkSession, lower_orders: LowerOrders) -> None:
    corpus, options = a_long_way(20), ExtractionParams(criterion="divergence", tau=0.01, lower_orders=lower_orders)
    with rules_on_spark(spark, corpus, options, first_window=3, n_shards=2) as rules:
        found = rules.table()
        assert len(rules.passes) == 4  # windows of 3, 6, 12 and 22 nodes, which is all there is
    assert found.max_order == 21
    assert_same_rules(found, ReferenceEngine().extract_rules(corpus, options))


@pytest.mark.slow
def test_orders_beyond_one_byte(spark: SparkSession) -> None:
    corpus, options = a_long_way(300), ExtractionParams(criterion="divergence", tau=0.001)
    with rules_on_spark(spark, corpus, options, first_window=8) as rules:
        found = rules.table()
        assert len(rules.passes) > 4
    assert found.max_order == 301
    assert_same_rules(found, ReferenceEngine().extract_rules(corpus, options))


def test_positions_are_not_chosen_where_too_many_contexts_are_open(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    from honem.rules.engines.distributed import searching

    monkeypatch.setattr(searching, "MOST_WANTED", 0)
    corpus, options = a_long_way(6), ExtractionParams(criterion="divergence", tau=0.01, lower_orders="significant")
    with rules_on_spark(spark, corpus, options, first_window=4, n_shards=1) as rules:
        assert len(rules.passes) == 2
        assert_same_rules(rules.table(), ReferenceEngine().extract_rules(corpus, options))


def test_more_nodes_than_two_bytes_can_number(spark: SparkSession) -> None:
    crowd = np.arange(2**15 + 10).reshape(-1, 2).tolist()
    corpus = Corpus.from_sequences([*crowd, *(["a", "b", "c", "d"], ["x", "b", "c", "e"]) * 20])
    options = ExtractionParams(criterion="divergence", min_support=5)
    expected = make_engine("local").extract_rules(corpus, options)
    assert corpus.n_nodes > 2**15
    assert expected.max_order == 3
    with rules_on_spark(spark, corpus, options, first_window=2) as rules:
        assert_same_rules(rules.table(), expected)


def test_counts_near_64_bits_are_exact_and_one_order_is_enough_if_asked_for(spark: SparkSession) -> None:
    huge = 2**61 + 1
    corpus = Corpus.from_sequences([["a", "b"], ["a", "c"], ["x", "a", "b"]], weights=[huge, 7, 1])
    with rules_on_spark(spark, corpus, ExtractionParams(max_order=1), n_shards=2) as rules:
        assert rules_as_dict(rules.table()) == {("a",): ({"b": huge + 1, "c": 7}, True), ("x",): ({"a": 1}, True)}
        assert rules.pair_sums(1).counts.sum() == huge + 9


def test_weights_beyond_64_bits_are_refused(spark: SparkSession) -> None:
    from honem.rules.engines.distributed import SparkCorpus

    frame = spark.createDataFrame([(["a", "b"], 2**62), (["a", "b"], 2**62)], "path array<string>, times long")
    with pytest.raises(CorpusError, match=r"9223372036854775808 steps.*64-bit"):
        SparkCorpus.from_frame(frame, weight="times")
    assert n_persisted(spark) == 0


@pytest.mark.parametrize("sequences", [[], [["a"], ["b"], []]])
def test_a_corpus_without_a_step_is_refused(spark: SparkSession, sequences: list[list[str]]) -> None:
    frame = spark.createDataFrame([(sequence,) for sequence in sequences], "path array<string>")
    paths: tuple[Any, ...] = (Corpus.from_sequences(sequences), frame)
    for corpus in paths:
        with pytest.raises(CorpusError, match=f"none of the {len(sequences)} sequences.*no step"):
            extract_rules(corpus, engine="spark")
    assert n_persisted(spark) == 0


def test_more_than_every_count_leaves_nothing(spark: SparkSession) -> None:
    corpus = Corpus.from_sequences([["a", "b", "c"]])
    options = ExtractionParams(criterion="divergence", support="transition", min_support=2)
    with rules_on_spark(spark, corpus, options, n_shards=5) as rules:
        table = rules.table()
        assert table.n_rules == len(table) == table.max_order == rules.max_order == 0
        assert neighborhood(rules).matrix.nnz == 0


@pytest.mark.slow
@pytest.mark.parametrize("options", BOTH_CRITERIA[:1])  # the other is among the tests below
def test_rules_of_lloyds(spark: SparkSession, real_data: Path, options: dict[str, Any]) -> None:
    corpus = read_paths(real_data / "lloyds" / "paths.txt.gz")
    expected = extract_rules(corpus, **options)
    assert expected.tests.n_accepted > 1000
    with rules_on_spark(spark, corpus, ExtractionParams(**options), first_window=4, n_shards=5) as rules:
        assert len(rules.passes) > 1
        assert_same_rules(rules.table(), expected)
        assert_same_neighborhood(rules, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lloyds", "us_flights", "porto_poi", "shenzhen", "wikispeedia"])
@pytest.mark.parametrize("options", OPTION_SETS)
def test_engines_agree_on_real_paths(spark: SparkSession, real_data: Path, name: str, options: dict[str, Any]) -> None:
    corpus = read_paths(real_data / name / "paths.txt.gz")
    expected = extract_rules(corpus, **options)
    with rules_on_spark(spark, corpus, ExtractionParams(**options), first_window=4) as rules:
        assert_same_rules(rules.table(), expected)
