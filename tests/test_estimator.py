"""HONEM as scikit-learn wants it."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from honem import HONEM, CorpusError, ExtractionParams, ParameterError, UnknownNodeError, extract_rules
from honem.embedding.factorize import factorize
from honem.embedding.neighborhood import neighborhood
from honem.embedding.recipe import PRESETS, Recipe
from honem.embedding.transforms import proximity
from honem.errors import HonemWarning
from honem.evaluation.datasets import city_trips
from honem.profile import Features
from tests.comparing import assert_same_matrix

CITY = city_trips(2000)
TRIPS = [list(trip) for trip in CITY.corpus.sequences()]
PLACES = list(CITY.corpus.vocabulary)


class OverTables(HONEM):
    """HONEM that says it takes tables, so that scikit-learn runs all its checks: a row is a sequence of numbers."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


# What cannot hold where a row is a sequence but a sample is a node.
TRANSFORMS_ROWS = "hands the rows given to fit to transform as well, which takes nodes"
NOT_FOR_SEQUENCES = {
    "check_estimators_dtypes": TRANSFORMS_ROWS,
    "check_estimators_pickle": TRANSFORMS_ROWS,
    "check_f_contiguous_array_estimator": TRANSFORMS_ROWS,
    "check_transformer_general": TRANSFORMS_ROWS,
    "check_transformer_preserve_dtypes": TRANSFORMS_ROWS,
    "check_methods_sample_order_invariance": TRANSFORMS_ROWS,
    "check_methods_subset_invariance": TRANSFORMS_ROWS,
    "check_dict_unchanged": TRANSFORMS_ROWS,
    "check_fit_idempotent": TRANSFORMS_ROWS,
    "check_fit2d_1feature": "sequences of one node have no step; the message says that rather than '1 feature'",
    "check_sample_weights_pandas_series": "hands over a DataFrame, which iterates over its columns",
    "check_sample_weights_not_an_array": "hands over an object that cannot be iterated",
    "check_all_zero_sample_weights_error": "a weight of 0 is refused, in other words than the check wants",
    "check_sample_weight_equivalence_on_dense_data": "uses weights of 0; weight w == w copies is tested for engines",
    "check_sample_weight_equivalence_on_sparse_data": "uses weights of 0; weight w == w copies is tested for engines",
    "check_estimator_sparse_tag": "the rows of a sparse matrix are iterables like any other",
    "check_estimator_sparse_array": "the rows of a sparse array are iterables like any other",
    "check_estimator_sparse_matrix": "the rows of a sparse matrix are iterables like any other",
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [OverTables(2)], expected_failed_checks=lambda _: NOT_FOR_SEQUENCES
)
def test_scikit_learn_checks(estimator: HONEM, check: Callable[[HONEM], None]) -> None:
    check(estimator)


def test_a_fitted_model_can_be_pickled() -> None:
    model = HONEM(4).fit(TRIPS)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(PLACES), model.transform(PLACES))
    assert repr(copy.rules_) == repr(model.rules_)


def test_it_is_the_road_and_nothing_else() -> None:
    pieces: dict[str, Any] = {"order_weights": "constant", "transforms": ("near_itself",), "spectrum": 0.6, "tilt": 0.2}
    model = HONEM(5, min_support=3, **pieces).fit(TRIPS)
    rules = extract_rules(CITY.corpus, min_support=3)
    matrix = neighborhood(rules, "constant", "evidence").matrix
    near = proximity(matrix, ["near_itself"])
    factors = factorize(near, 5, spectrum=0.6, tilt=0.2)
    assert repr(model.rules_) == repr(rules)
    assert_same_matrix(model.neighborhood_.matrix, matrix)
    assert_same_matrix(model.proximity_, near)
    np.testing.assert_array_equal(model.embedding_.source, factors.source)
    np.testing.assert_array_equal(model.embedding_.target, factors.target)
    np.testing.assert_array_equal(model.embedding_.singular_values, factors.singular_values)


def test_the_papers_preset_is_the_paper() -> None:
    model = HONEM(5, preset="paper").fit(TRIPS)
    matrix = neighborhood(extract_rules(CITY.corpus)).matrix
    assert_same_matrix(model.neighborhood_.matrix, matrix)
    assert_same_matrix(model.proximity_, matrix)
    np.testing.assert_array_equal(model.embedding_.source, factorize(matrix, 5).source)


def test_a_preset_has_a_name_and_its_pieces_can_be_exchanged() -> None:
    assert recipe_of(preset="evidence") == PRESETS["evidence"]
    assert recipe_of(preset="paper", transforms=["both_ways"]) == replace(PRESETS["paper"], transforms=("both_ways",))
    assert recipe_of(transforms=()) == replace(PRESETS["evidence"], transforms=())
    with pytest.raises(ParameterError, match="preset must be one of 'auto', 'evidence', 'weighted'"):
        HONEM(4, preset="best").fit(TRIPS)
    with pytest.raises(ParameterError, match="transforms must be one of 'both_ways', 'near_itself'"):
        HONEM(4, transforms=["log"]).fit(TRIPS)
    with pytest.raises(ParameterError, match="weighting must be one of 'probability', 'count', 'evidence'"):
        HONEM(4, weighting="bits").fit(TRIPS)
    with pytest.raises(ParameterError, match="spectrum must be one or two numbers from 0 to 2, not -1"):
        HONEM(4, spectrum=-1.0).fit(TRIPS)
    with pytest.raises(ParameterError, match="zero_weight is not an option of factorization='svd', which has spectrum"):
        HONEM(4, zero_weight=0.1).fit(TRIPS)
    with pytest.raises(ParameterError, match="tilt is chosen by preset='auto'; name another preset to set it"):
        HONEM(4, preset="auto", tilt=0.1).fit(TRIPS)
    with pytest.raises(ParameterError, match=r"tilt must be a number from -0.5 to 0.5, not 'much'"):
        HONEM(4, tilt="much").fit(TRIPS)  # type: ignore[arg-type]


def recipe_of(**options: Any) -> Recipe:
    """The recipe of a model that is not tuned."""
    _, (member,) = HONEM(**options).plan()
    return member.recipe


def test_vectors_have_no_columns_of_zeros() -> None:
    for preset in PRESETS:
        with pytest.warns(HonemWarning, match=r"n_components=300 is more than .* the vectors have \d+ dimensions?"):
            embedding = HONEM(300, preset=preset).fit(TRIPS).embedding_
        assert embedding.dimension < len(PLACES) + 1
        assert embedding.source.any(axis=0).all()


def test_how_the_spectrum_is_shared_changes_no_score_of_source_and_target() -> None:
    default, even = HONEM(6).fit(TRIPS).embedding_, HONEM(6, spectrum=0.65).fit(TRIPS).embedding_
    assert default.target is not None
    assert even.target is not None
    np.testing.assert_allclose(default.source @ default.target.T, even.source @ even.target.T, atol=1e-12)


def test_sources_of_power_1_lie_as_far_apart_as_rows_whose_busy_columns_count_less() -> None:
    model = HONEM(len(PLACES), spectrum=(1, 0.3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)
        source = model.fit(TRIPS).embedding_.source
    dense = model.proximity_.toarray()
    sums = dense.sum(axis=0)
    rows = dense / (sums / sums.mean()) ** (1 / 16)
    np.testing.assert_allclose(pdist(source), pdist(rows), atol=1e-9)


def test_transform_of_all_nodes_is_fit_transform() -> None:
    model = HONEM(4)
    all_vectors = model.fit_transform(TRIPS)
    np.testing.assert_array_equal(clone(model).fit(TRIPS).transform(PLACES), all_vectors)
    np.testing.assert_array_equal(model.transform(["library", "dorm north"])[1], model.embedding_["dorm north"])
    assert all_vectors.shape == (len(PLACES), 4)


def test_a_corpus_and_weights_are_taken_as_well() -> None:
    one = HONEM(4).fit_transform(TRIPS[:50], sample_weight=[3] * 50)
    np.testing.assert_array_equal(one, HONEM(4).fit_transform(TRIPS[:50] * 3))
    np.testing.assert_array_equal(HONEM(4).fit_transform(CITY.corpus), HONEM(4).fit_transform(TRIPS))
    with pytest.raises(CorpusError, match="carries its own weights"):
        HONEM(4).fit(CITY.corpus, sample_weight=[1])


def test_parameters_are_only_stored() -> None:
    model = HONEM(7, criterion="divergence", tau=0.5, order_weights=[1.0, 0.5])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "embedding_")
    assert HONEM(n_components=-3).n_components == -3


@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        ({}, "significance"),
        ({"preset": "paper"}, "divergence"),
        ({"criterion": "divergence"}, "divergence"),
        ({"preset": "paper", "criterion": "significance"}, "significance"),
    ],
)
def test_the_criterion_is_that_of_the_preset_unless_given(options: dict[str, Any], criterion: str) -> None:
    model = HONEM(4, **options).fit(CITY.corpus)
    assert model.rules_.params == ExtractionParams(criterion=criterion)
    np.testing.assert_array_equal(
        model.rules_.accepted, extract_rules(CITY.corpus, criterion=criterion, engine="reference").accepted
    )
    assert (model.rules_.accepted & (model.rules_.orders > 1)).any()


def test_stricter_rates_accept_fewer_rules() -> None:
    models = (HONEM(4, alpha=alpha).fit(TRIPS[:300]) for alpha in (1e-20, 1e-9, 0.05))
    accepted = [int(model.rules_.accepted.sum()) for model in models]
    assert accepted[0] < accepted[1] < accepted[2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tau": 1.0}, "tau=1.0 has no effect with criterion='significance'"),
        ({"preset": "paper", "alpha": 0.05}, "alpha=0.05 has no effect with criterion='divergence'"),
        ({"alpha": 2}, "alpha must be a finite number above 0 and below 1"),
        ({"support": "transition"}, "support='transition' is not possible with criterion='significance'"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 2.5}, "n_components"),
        ({"min_support": 0}, "min_support"),
        ({"engine": "spark!"}, "engine"),
        ({"solver": "magic"}, "solver"),
        ({"order_weights": "linear"}, "order_weights"),
        ({"lower_orders": "some"}, "lower_orders"),
    ],
)
def test_ranges_are_checked_in_fit(options: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        HONEM(**options).fit(TRIPS)  # type: ignore[arg-type]


def test_names_and_frames() -> None:
    model = HONEM(3).fit(TRIPS)
    assert model.get_feature_names_out().tolist() == ["honem0", "honem1", "honem2"]
    frame = model.set_output(transform="pandas").transform(["library"])
    assert frame.columns.tolist() == ["honem0", "honem1", "honem2"]


def test_it_stands_in_a_pipeline() -> None:
    groups = [CITY.groups.get(place, "hub") for place in PLACES]
    pipeline = make_pipeline(HONEM(6), StandardScaler(), LogisticRegression())
    pipeline.fit(TRIPS, groups)
    origins = ["dorm north", "dorm south", "home east", "home west", "hotel", "hostel"]
    assert pipeline.predict(origins).tolist() == [CITY.groups[origin] for origin in origins]


@pytest.mark.parametrize("features", ["vectors", "profile", "both"])
def test_features_are_columns_in_pipelines_and_frames(features: Features) -> None:
    model = HONEM(3, features=features)
    everything = model.fit_transform(TRIPS)
    names = model.get_feature_names_out().tolist()
    vectors, profile = [f"honem{number}" for number in range(3)], model.profile().feature_names
    assert names == {"vectors": vectors, "profile": profile, "both": vectors + profile}[features]
    assert everything.shape == (len(PLACES), len(names))
    np.testing.assert_array_equal(model.transform(PLACES), everything)
    frame = model.set_output(transform="pandas").transform(["library", "hotel"])
    assert frame.columns.tolist() == names
    np.testing.assert_array_equal(frame.to_numpy(), everything[[PLACES.index("library"), PLACES.index("hotel")]])
    roles = ["origin" if model.profile().of_node(place)["starts"] else "other" for place in PLACES]
    pipeline = make_pipeline(clone(model), StandardScaler(), LogisticRegression()).fit(TRIPS, roles)
    assert pipeline.score(PLACES, roles) == 1
    assert pipeline[:-1].get_feature_names_out().tolist() == names


def test_the_profile_is_appended_on_request() -> None:
    model = HONEM(3).fit(TRIPS)
    both = model.transform(PLACES, profile=True)
    np.testing.assert_array_equal(both, model.set_params(features="both").transform(PLACES))
    model.set_params(features="vectors")
    with pytest.raises(ParameterError, match='use features="both", not profile=True'):
        model.set_output(transform="pandas").transform(PLACES, profile=True)
    with config_context(transform_output="pandas"), pytest.raises(ParameterError, match="features"):
        HONEM(3).fit(TRIPS).transform(PLACES, profile=True)


def test_the_profile_is_that_of_the_last_fit() -> None:
    model = HONEM(2).fit(TRIPS)
    assert model.profile() is model.profile()
    assert pickle.loads(pickle.dumps(model)).profile().columns == model.profile().columns
    assert model.fit([["a", "b", "a"]]).profile().nodes == ("a", "b")
    with pytest.raises(NotFittedError):
        HONEM().profile()


def test_what_is_not_fitted_or_not_known_is_said() -> None:
    with pytest.raises(NotFittedError):
        HONEM().transform(["a"])
    model = HONEM(3).fit(TRIPS)
    with pytest.raises(UnknownNodeError, match="no node 'mars'"):
        model.transform(["mars"])
    with pytest.raises(ParameterError, match=re.escape("transform(['library'])")):
        model.transform("library")


def test_the_demo_claim_holds() -> None:
    """The first order thinks that a home leads to the library as much as a dorm does; HONEM knows better."""
    for preset in ("evidence", "paper"):
        first = HONEM(4, preset=preset, max_order=1).fit(CITY.corpus).embedding_
        honem = HONEM(4, preset=preset, min_support=10).fit(CITY.corpus).embedding_
        told_apart = []
        for embedding in (first, honem):
            ways = [("dorm north", "library"), ("home east", "library"), ("dorm north", "downtown")]
            student, commuter, hub = embedding.scores(ways, "source.target")
            told_apart.append((student - commuter) / hub)
        assert abs(told_apart[0]) < 0.02 < 0.1 < told_apart[1]
