"""Profiles: every column against loops over sequences and rules, and what must hold for any corpus."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honem import Corpus, ExtractionParams, NodeProfile, ParameterError, UnknownNodeError, Vocabulary, node_profile
from honem.profile.columns import PROFILE_COLUMNS
from honem.rules.engines import make_engine
from tests.profile.naive import naive_profile
from tests.strategies import corpora, params

PAGE = Path(__file__).parents[2] / "docs" / "profile.md"
TRIPS = Corpus.from_sequences([["home", "centre", "office"]] * 20 + [["dorm", "centre", "library"]] * 20)

# With all contexts and counts in the table, code lengths can be computed from it.
complete = st.builds(
    ExtractionParams,
    criterion=st.sampled_from(["divergence", "significance"]),
    min_support=st.integers(1, 4),
    max_order=st.none() | st.integers(1, 6),
    lower_orders=st.sampled_from(["all", "significant"]),
    count=st.sampled_from(["occurrences", "sequences"]),
)


def profile_of(corpus: Corpus, extraction: ExtractionParams | None = None) -> NodeProfile:
    rules = make_engine("reference").extract_rules(corpus, extraction or ExtractionParams())
    return node_profile(rules, corpus.visit_counts())


@given(corpora(), complete)
def test_every_column_is_what_loops_find(corpus: Corpus, extraction: ExtractionParams) -> None:
    rules = make_engine("reference").extract_rules(corpus, extraction)
    found, expected = node_profile(rules, corpus.visit_counts()), naive_profile(corpus, rules)
    for node in corpus.vocabulary:
        assert found.of_node(node) == pytest.approx(expected[node], rel=1e-9, abs=1e-9)


@given(corpora(), params)
def test_numbers_are_finite_and_shares_are_shares(corpus: Corpus, extraction: ExtractionParams) -> None:
    profile = profile_of(corpus, extraction)
    assert np.isfinite(profile.features()).all()
    assert (profile.values >= -1e-9).all()
    shares = [name for name, column in PROFILE_COLUMNS.items() if column.unit == "share"]
    assert all((profile[name] <= 1 + 1e-12).all() for name in shares)


@settings(max_examples=25)
@given(corpora(max_sequences=8))
def test_a_weight_is_so_many_copies(corpus: Corpus) -> None:
    weighted = [(path, int(weight)) for path, weight in zip(corpus.sequences(), corpus.weights, strict=True)]
    copies = Corpus.from_sequences(path for path, weight in weighted for _ in range(weight))
    np.testing.assert_array_equal(profile_of(copies).values, profile_of(corpus).values)


@settings(max_examples=25)
@given(corpora(), st.randoms(use_true_random=False))
def test_other_names_only_permute_the_rows(corpus: Corpus, random: object) -> None:
    names = {node: f"node {node}" for node in corpus.vocabulary}
    paths = [[names[node] for node in path] for path in corpus.sequences()]
    order = list(range(len(paths)))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = profile_of(Corpus.from_sequences([paths[i] for i in order], [corpus.weights[i] for i in order]))
    profile = profile_of(corpus)
    rows = [other.vocabulary.id(names[node]) for node in corpus.vocabulary]
    np.testing.assert_allclose(other.values[rows], profile.values, rtol=1e-9, atol=1e-9)


def test_the_table_in_other_forms() -> None:
    profile = profile_of(TRIPS)
    frame, table = profile.to_pandas(), profile.to_arrow()
    assert frame.index.tolist() == list(profile.nodes) == table["node"].to_pylist()
    assert list(frame.columns) == list(profile.columns) == table.column_names[1:]
    np.testing.assert_array_equal(frame.to_numpy(), profile.values)
    np.testing.assert_array_equal(table.drop_columns("node").to_pandas().to_numpy(), profile.values)
    assert frame.loc["centre", "bits_saved"] == profile["bits_saved"][1] == pytest.approx(40)


def test_features_are_logarithms_of_what_grows_with_the_data() -> None:
    profile = profile_of(TRIPS)
    features = dict(zip(profile.feature_names, profile.features(["centre"])[0], strict=True))
    assert features["log1p_visits"] == pytest.approx(np.log(41))
    assert features["entropy_out"] == pytest.approx(1)
    assert features["highest_order"] == 2
    assert profile["visits"].tolist() == [20, 40, 20, 20, 20]  # the table itself is unchanged


def test_what_does_not_fit_is_said() -> None:
    profile = profile_of(TRIPS)
    with pytest.raises(ParameterError, match=r"column must be one of 'visits', .* not 'degree'"):
        profile["degree"]
    with pytest.raises(UnknownNodeError, match="no node 'mars'"):
        profile.of_node("mars")
    with pytest.raises(ParameterError, match="'degree' is not a column of a profile"):
        NodeProfile(Vocabulary(("a",)), np.zeros((1, 1)), ("degree",))
    with pytest.raises(ParameterError, match=re.escape("the shape (1, 1), not (5, 23)")):
        NodeProfile(profile.vocabulary, np.zeros((1, 1)))
    rules = make_engine("reference").extract_rules(TRIPS, ExtractionParams())
    with pytest.raises(ParameterError, match="those of 2 nodes, not of 5"):
        node_profile(rules, Corpus.from_sequences([["a", "b"]]).visit_counts())
