"""update: the rules, counts, matrix and scores of a fit to all paths, however they are split into batches."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import HONEM, Corpus, CorpusError, InputError, Vocabulary
from honem.io.next_step_tensors import next_step_tensors
from honem.io.path_columns import paths_of
from honem.io.store import load
from honem.prediction import NextStep
from honem.prediction.next_step import require_blend
from tests.comparing import EXACT, assert_same_matrix
from tests.strategies import corpora

WALKS: list[list[Any]] = [
    [(start + step * jump) % 17 for step in range(7)] for start in range(17) for jump in (1, 2, 5)
]
MORE: list[list[Any]] = [[0, 3, 9, "new"], ["new", 4, 9, 0]] * 8


def assert_same_model(found: HONEM, expected: HONEM) -> None:
    """Rules and matrices to the bit, scores to rounding."""
    assert found.embedding_.nodes == expected.embedding_.nodes
    for column in (*EXACT, "divergences", "evidence", "q_values"):
        assert getattr(found.rules_, column).tobytes() == getattr(expected.rules_, column).tobytes(), column
    assert found.rules_.tests == expected.rules_.tests
    assert_same_matrix(found.neighborhood_.matrix, expected.neighborhood_.matrix)
    assert_same_matrix(found.proximity_, expected.proximity_)
    assert found.profile().values.tobytes() == expected.profile().values.tobytes()
    pairs = list(product(expected.embedding_.nodes, repeat=2))
    scores = [model.embedding_.scores((a, b) for a, b in pairs) for model in (found, expected)]
    np.testing.assert_allclose(scores[0], scores[1], rtol=0, atol=1e-9)


def assert_same_next_step(found: HONEM, expected: HONEM) -> None:
    """The same contexts, counts and parameters, to the bit."""
    stored = [next_step_tensors(require_blend(model.next_step_, "this test")) for model in (found, expected)]
    assert stored[0].keys() == stored[1].keys()
    for name, values in stored[0].items():
        assert values.tobytes() == stored[1][name].tobytes(), name


@pytest.mark.filterwarnings("ignore::honem.HonemWarning")
@given(corpora(), st.data(), st.sampled_from(["evidence", "paper", "weighted"]))
def test_any_batches_give_the_model_of_one_fit(corpus: Corpus, data: st.DataObject, preset: str) -> None:
    sequences, weights = [["first", "step"], *corpus.sequences()], [1, *corpus.weights.tolist()]
    cuts = sorted(data.draw(st.lists(st.integers(1, len(sequences)), max_size=3)))
    expected = HONEM(4, preset=preset).fit(sequences, sample_weight=weights)
    bounds = [*cuts, len(sequences)]
    model = HONEM(4, preset=preset).fit(sequences[: bounds[0]], sample_weight=weights[: bounds[0]])
    for first, last in pairwise(bounds):
        model.update(sequences[first:last], sample_weight=weights[first:last])
    assert_same_model(model, expected)
    assert_same_next_step(model, expected)


def test_a_stored_model_is_updated_as_the_model_itself(tmp_path: Path) -> None:
    model, expected = HONEM(5, preset="evidence").fit(WALKS), HONEM(5, preset="evidence").fit(WALKS + MORE)
    model.save(tmp_path / "model")
    loaded = HONEM.load(tmp_path / "model")
    old = loaded.embedding_
    movement = loaded.update(MORE)
    assert_same_model(loaded, expected)
    assert movement.n_nodes == len(old)
    cosines = [
        float(old[node] @ loaded.embedding_[node] / np.linalg.norm(old[node]) / np.linalg.norm(loaded.embedding_[node]))
        for node in old.nodes
    ]
    assert movement.mean_cosine == pytest.approx(np.mean(cosines))
    assert isinstance(loaded.next_step_, NextStep)
    assert_same_next_step(loaded, expected)
    probabilities = [each.predict_proba([[3, 4], ["new"], []]) for each in (loaded, expected)]
    np.testing.assert_allclose(probabilities[0], probabilities[1], atol=1e-9)
    loaded.save(tmp_path / "model", force=True)
    paths = load(tmp_path / "model", with_paths=True).paths
    assert paths is not None
    assert list(paths.sequences()) == [tuple(walk) for walk in WALKS + MORE]


def test_a_tuned_model_keeps_its_recipe() -> None:
    rng = np.random.default_rng(0)
    walks = [[int(node) for node in (rng.integers(50) + np.cumsum(rng.integers(1, 6, 8))) % 50] for _ in range(120)]
    model = HONEM(16).fit(walks[:100])
    recipe, tuning, dimension = model.recipe_, model.tuning_, model._chosen_dimension
    assert tuning is not None
    assert tuning.trials
    model.update(walks[100:])
    assert (model.recipe_, model.tuning_, model._chosen_dimension) == (recipe, tuning, dimension)


def test_a_model_without_its_paths_says_so(tmp_path: Path) -> None:
    HONEM(3, preset="evidence").fit(WALKS).save(tmp_path / "model", with_paths=False)
    with pytest.raises(InputError, match="does not hold the paths"):
        HONEM.load(tmp_path / "model").update(MORE)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("positions", lambda values: values[:-1]),
        ("positions", lambda values: values[::-1]),
        ("positions", lambda values: values.astype(np.uint32) + 1000),
        ("positions", lambda values: values.astype(np.float64)),
        ("tested", lambda values: values[1:]),
        ("places", lambda values: values.astype(np.uint64) + 2**40),
        ("places", lambda values: values[::-1]),
        ("besides_positions", lambda values: values * 0),
        ("besides_orders", lambda values: values.astype(np.uint32) + 1000),
        ("besides_n_rows", lambda values: values.astype(np.uint32) + 1),
        ("besides_targets", lambda values: values.astype(np.uint32) + 1000),
        ("besides_scores", lambda values: values * np.nan),
        ("ends", lambda values: values[None]),
        ("besides_counts", None),
    ],
)
def test_what_does_not_fit_the_paths_is_refused(name: str, change: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    steps = [[int(a), 5, int(b), int(a + b) % 9] for a, b in rng.integers(0, 9, (120, 2))]
    HONEM(3, preset="evidence", alpha=1e-6).fit(steps).save(tmp_path / "model", with_next_step=False)
    model = HONEM.load(tmp_path / "model")
    assert len(model._continuation["places"]) > 1
    arrays = dict(model._continuation)
    model._continuation = arrays
    if change is None:
        del arrays[name]
    else:
        arrays[name] = change(arrays[name])
    with pytest.raises(InputError, match="the model cannot be updated"):
        model.update(MORE)


def test_an_error_leaves_the_model_as_it_was() -> None:
    corpus = Corpus.from_sequences(WALKS).with_times(range(len(WALKS)))
    model = HONEM(3, preset="evidence").fit(corpus)
    rules, vectors = model.rules_, model.embedding_
    dates = Corpus.from_sequences([[1, 2]]).with_times(np.array(["2024-01-01"], "datetime64[D]"))
    with pytest.raises(CorpusError, match="all be dates, or all be numbers"):
        model.update(dates)
    assert model.rules_ is rules
    assert model.embedding_ is vectors


@pytest.mark.parametrize("times", [None, [3, 1, 2], [0.5, 1.5, 2.5], ["2024-01-01", "2024-01-02", "2023-05-05"]])
def test_stored_paths_are_the_paths_of_the_model(times: list[Any] | None, tmp_path: Path) -> None:
    corpus = Corpus.from_sequences([["a", "b"], ["c"], ["b", "a", "b"]], [1, 7, 2])
    if times is not None:
        corpus = corpus.with_times(np.array(times, "datetime64[D]") if isinstance(times[0], str) else times)
    HONEM(1, preset="evidence").fit(corpus).save(tmp_path / "model")
    found = load(tmp_path / "model", with_paths=True).paths
    assert found is not None
    assert list(found.sequences()) == list(corpus.sequences())
    assert found.weights.tolist() == [1, 7, 2]
    assert (found.times is None) == (corpus.times is None)
    if corpus.times is not None and found.times is not None:
        assert found.times.ticks == corpus.times.ticks
        assert found.times.starts.tolist() == corpus.times.starts.tolist()


def test_times_of_joined_corpora_have_the_finer_unit() -> None:
    seconds = Corpus.from_sequences([["a", "b"]]).with_times(np.array(["1970-01-02"], "datetime64[s]"))
    finer = Corpus.from_sequences([["b", "c"]]).with_times(np.array(["1970-01-01T00:00:01.5"], "datetime64[ms]"))
    times = seconds.joined(finer).times
    assert times is not None
    assert (times.starts.tolist(), times.ticks) == ([86_400_000, 1500], 1000)
    assert seconds.joined(Corpus.from_sequences([["x"]])).times is None


@pytest.mark.parametrize(
    "columns",
    [
        {"weight": [1, 1]},
        {"path": [[0, 1], None], "weight": [1, 1]},
        {"path": [[0, 1], [5]], "weight": [1, 1]},
        {"path": [[0, 1], [1]], "weight": [1, 0]},
        {"path": [[0, 1], [1]], "weight": ["1", "1"]},
        {"path": [0, 1], "weight": [1, 1]},
        {"path": [[0, 1], [1]], "weight": [1, 1], "start": [1.0, float("nan")], "end": [1.0, 2.0]},
        {"path": [[0, 1], [1]], "weight": [1, 1], "start": [3, 3], "end": [1, 4]},
        {"path": [[0, 1], [1]], "weight": [1, 1], "start": [3, 3]},
    ],
)
def test_stored_paths_that_are_none_are_refused(columns: dict[str, list[Any]]) -> None:
    table = pa.table(columns)
    if columns.get("path", [None])[0] == [0, 1]:
        table = table.set_column(0, "path", pa.array(columns["path"], pa.large_list(pa.int32())))
    with pytest.raises(InputError, match="does not hold the paths of 2 nodes"):
        paths_of(table, Vocabulary(("a", "b")), "paths.parquet")
