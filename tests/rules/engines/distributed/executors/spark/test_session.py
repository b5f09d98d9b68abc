"""The session is used and left as it was; what comes home is looked at before; the estimator takes what Spark holds."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import honem
from honem import (
    HONEM,
    Corpus,
    CorpusError,
    ExtractionParams,
    HonemError,
    MissingDependencyError,
    ParameterError,
    RuleTable,
)
from honem.rules.engines import make_engine
from honem.rules.engines.distributed import DistributedRules, SparkCorpus, SparkEngine, find_session, searching, sizes
from honem.rules.engines.distributed.executors.base import Limit
from honem.rules.engines.distributed.executors.spark import limits
from honem.rules.engines.distributed.executors.spark.executor import SparkExecutor
from tests.comparing import assert_same_rules, rules_as_dict
from tests.rules.engines.distributed.sessions import MASTER, n_persisted, on_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = on_spark

TRIPS = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
LONG_WAY = [[1, *[0] * 5, 2]] * 20 + [[3, *[0] * 5, 4]] * 20
DEEP = ExtractionParams(criterion="divergence", tau=0.01, lower_orders="hon")


@pytest.fixture(autouse=True)
def _forget(spark: SparkSession) -> Iterator[None]:
    """What one test left behind is not the fault of the next."""
    yield
    spark.catalog.clearCache()


@pytest.fixture
def trips(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(trip,) for trip in TRIPS], "trip array<string>")


def scores_by_label(model: HONEM) -> np.ndarray:
    """The score of every pair, in the order of the labels."""
    order = [model.embedding_.vocabulary.id(label) for label in sorted(model.embedding_.vocabulary, key=str)]
    assert model.embedding_.target is not None
    return (model.embedding_.source @ model.embedding_.target.T)[np.ix_(order, order)]


def test_every_kind_of_input_gives_the_vectors_of_the_local_engine(spark: SparkSession, trips: DataFrame) -> None:
    local = HONEM(n_components=3).fit(TRIPS)
    expected, profile = scores_by_label(local), local.profile().to_pandas().sort_index()
    with SparkCorpus.from_frame(trips) as there:
        for given in (trips, there, TRIPS):
            model = HONEM(n_components=3, engine="spark").fit(given)
            np.testing.assert_allclose(scores_by_label(model), expected, rtol=0, atol=1e-8)
            assert model.predict_next(["home", "downtown"], k=1).nodes[0].node == "office"
            pd.testing.assert_frame_equal(model.profile().to_pandas().sort_index(), profile)
    assert n_persisted(spark) == 0


def test_rules_stay_on_spark_until_they_are_asked_for(
    spark: SparkSession, trips: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[DistributedRules] = []
    table = DistributedRules.table

    def noted_table(rules: DistributedRules) -> RuleTable:
        fetched.append(rules)
        return table(rules)

    monkeypatch.setattr(DistributedRules, "table", noted_table)
    model, expected = HONEM(n_components=3, engine="spark").fit(trips), HONEM(n_components=3).fit(TRIPS)
    np.testing.assert_allclose(scores_by_label(model), scores_by_label(expected), rtol=0, atol=1e-8)
    assert not fetched
    n_held = n_persisted(spark)
    assert n_held > 0
    model.fit(trips)
    assert n_persisted(spark) == n_held
    assert rules_as_dict(model.rules_) == rules_as_dict(expected.rules_)
    assert len(fetched) == 1
    assert n_persisted(spark) == 0
    model.fit(trips)
    del model
    gc.collect()
    assert n_persisted(spark) == 0


def test_the_session_that_is_there_is_used_and_goes_on(spark: SparkSession, trips: DataFrame) -> None:
    assert find_session() is spark
    assert find_session(MASTER) is spark
    executor = SparkEngine().executor
    assert isinstance(executor, SparkExecutor)
    assert executor.session is spark
    with pytest.raises(HonemError, match=r"'local\[2\]' is running in this process, not on 'local\[3\]'; leave out"):
        find_session("local[3]")
    with pytest.raises(CorpusError):
        HONEM(engine="spark").fit([["alone"]])
    assert spark.range(5).count() == 5


def test_what_belongs_to_another_engine_is_refused(trips: DataFrame) -> None:
    with pytest.raises(CorpusError, match="DataFrame of Spark needs engine='spark', not 'local'"):
        HONEM().fit(trips)
    with pytest.raises(CorpusError, match="carries its own weights"):
        HONEM(engine="spark").fit(trips, sample_weight=[1] * len(TRIPS))
    with pytest.raises(ParameterError, match="n_jobs=2 does not apply to engine='spark'"):
        HONEM(engine="spark", n_jobs=2).fit(trips)
    with pytest.raises(ParameterError, match="first_window"):
        SparkEngine(first_window=1)
    with pytest.raises(ParameterError, match="n_shards"):
        SparkEngine(n_shards=0)
    with pytest.raises(ParameterError, match="n_shards must be at most 65,536, not 65,537"):
        SparkEngine(n_shards=65_537)


@pytest.mark.slow
def test_progress_tells_of_every_later_pass(spark: SparkSession) -> None:
    told: list[tuple[str, int, int]] = []
    engine = SparkEngine(spark, first_window=2, progress=lambda *step: told.append(step))
    corpus = Corpus.from_sequences(LONG_WAY)
    assert_same_rules(engine.extract_rules(corpus, DEEP), make_engine("local").extract_rules(corpus, DEEP))
    for what in ("growing", "testing"):
        assert [step for name, *step in told if name == f"{what} contexts beyond their windows"] == [[1, 2], [2, 3]]
    assert n_persisted(spark) == 0


def fail_at(call: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the check before the n-th fetch fail; -> what was asked for, as it grows."""
    asked: list[str] = []
    check = sizes.require_room

    def checked(size: int, limit: Limit | None, what: str, remedy: str) -> None:
        asked.append(what)
        if len(asked) == call:
            raise HonemError(f"no room for {what}")
        check(size, limit, what, remedy)

    monkeypatch.setattr(sizes, "require_room", checked)
    return asked


N_FETCHES = 15


@pytest.mark.parametrize(
    "call", [2, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3, 4, 5, *range(7, N_FETCHES + 2)))]
)
def test_nothing_stays_on_spark_after_a_failure(
    spark: SparkSession, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = fail_at(call, monkeypatch)
    frame = spark.createDataFrame([(path,) for path in LONG_WAY], "path array<int>")
    engine = SparkEngine(spark, first_window=2, n_shards=3)
    if call <= N_FETCHES:
        with pytest.raises(HonemError, match="no room"):
            engine.extract_rules(frame, DEEP)
    else:
        engine.extract_rules(frame, DEEP)
        assert len(asked) == N_FETCHES
    assert n_persisted(spark) == 0
    assert spark.range(5).count() == 5


def fail(packets: Any, shared: Any) -> Any:
    raise ValueError("a task that never works")


@pytest.mark.parametrize("name", ["ship", pytest.param("grow", marks=pytest.mark.slow)])
def test_nothing_stays_on_spark_after_a_failed_task(
    spark: SparkSession, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark import cloudpickle

    # Workers know nothing of the tests: the function is sent to them whole.
    this_module = sys.modules[__name__]
    monkeypatch.setattr(searching, name, fail)
    cloudpickle.register_pickle_by_value(this_module)  # type: ignore[no-untyped-call]
    try:
        with pytest.raises(HonemError, match="Spark gave up: ValueError: a task that never works"):
            SparkEngine(spark, n_shards=1).extract_rules(Corpus.from_sequences(TRIPS), ExtractionParams())
    finally:
        cloudpickle.unregister_pickle_by_value(this_module)  # type: ignore[no-untyped-call]
    assert n_persisted(spark) == 0


def a_session(setting: str | None) -> Any:
    """Something with settings."""
    return SimpleNamespace(conf=SimpleNamespace(get=lambda name, otherwise: setting or otherwise))


def test_the_limit_is_that_of_spark() -> None:
    assert limits.result_limit(a_session("1m")) == Limit(2**20, "spark.driver.maxResultSize=1m")
    assert limits.result_limit(a_session(None)) == Limit(2**30, "spark.driver.maxResultSize=1g")
    assert limits.result_limit(a_session("0")) is None
    with pytest.raises(HonemError, match="'lots' is not a size"):
        limits.result_limit(a_session("lots"))


def test_sizes_are_looked_at_before_anything_is_fetched(
    spark: SparkSession, trips: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(frame: DataFrame) -> None:
        pytest.fail("something was fetched")

    monkeypatch.setattr(limits, "parsed_size", lambda setting: 1)
    monkeypatch.setattr(type(trips), "toArrow", never)
    with pytest.raises(HonemError, match="the names of the nodes would take"):
        SparkCorpus.from_frame(trips)
    with pytest.raises(HonemError, match="the contexts of the rules would take"):
        SparkEngine(spark, n_shards=1).extract_rules(Corpus.from_sequences(TRIPS), ExtractionParams())
    assert n_persisted(spark) == 0


def test_without_pyspark_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'honem\[spark\]'"):
        honem.extract_rules(Corpus.from_sequences(TRIPS), engine="spark")


def test_nothing_of_spark_is_imported_unless_asked_for() -> None:
    code = "import sys, honem; honem.extract_rules(honem.Corpus.from_sequences([list('abc')])); honem.HONEM(2)"
    code += "; sys.exit(any(name.partition('.')[0] in ('pyspark', 'py4j') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
