"""Recipes: how parameters choose pieces, and how recipes are stored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from honem import HONEM, Corpus, ParameterError, extract_rules
from honem.embedding.combining import Maximum
from honem.embedding.order_weights import ORDER_WEIGHTS, Similarity
from honem.embedding.recipe import PRESETS, Recipe
from honem.embedding.transforms import Diffusion, NearItself
from honem.embedding.weighting import Evidence

RULES = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5))


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ({}, ("similarity", "maximum")),
        ({"preset": "paper"}, ("exponential", "mean")),
        ({"order_weights": "learnt"}, ("similarity", "maximum")),
        ({"preset": "paper", "order_weights": "learnt"}, ("similarity", "maximum")),
        ({"order_weights": "constant"}, ("constant", "mean")),
        ({"order_weights": "similarity"}, ("similarity", "mean")),
        ({"order_weights": [1, 2]}, ((1, 2), "mean")),
        ({"combination": "mean"}, ("similarity", "mean")),
        ({"order_weights": "learnt", "combination": "mean"}, ("similarity", "mean")),
        ({"preset": "paper", "combination": "maximum"}, ("exponential", "maximum")),
    ],
)
def test_order_weights_bring_their_combination_unless_one_is_given(pieces: dict[str, Any], expected: Any) -> None:
    recipe = HONEM(**{"preset": "evidence", **pieces}).plan()[1][0].recipe
    assert (recipe.order_weights, recipe.combination) == expected


def test_every_choice_of_weights_and_combination_is_what_it_says() -> None:
    for name in ORDER_WEIGHTS:
        near = {how: Recipe.of("paper", order_weights=name, combination=how).neighborhood(RULES) for how in HOW}
        terms = [
            weight * matrix.toarray()
            for weight, matrix in zip(near["mean"].order_weights, near["mean"].by_order, strict=True)
        ]
        np.testing.assert_allclose(near["mean"].matrix.toarray(), sum(terms) / near["mean"].order_weights.sum())
        np.testing.assert_allclose(near["maximum"].matrix.toarray(), np.maximum(*terms))


HOW = ("mean", "maximum")


@pytest.mark.parametrize(
    "recipe",
    [
        *PRESETS.values(),
        Recipe.of("evidence", order_weights=[1.0, 0.5], spectrum=[1, 0.4], transforms=["near_itself"]),
        Recipe.of("paper", combination="maximum", tilt=-0.3),
        Recipe.of("weighted", transforms=["both_ways", Diffusion((0.3,), 8)], zero_weight=0.5, score="cosine"),
        Recipe.of("paper", factorization="weighted"),
    ],
)
def test_a_recipe_survives_json(recipe: Recipe) -> None:
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


def test_registered_objects_are_stored_by_name() -> None:
    recipe = replace(
        PRESETS["evidence"],
        weighting=Evidence(),
        order_weights=Similarity(),
        combination=Maximum(),
        transforms=PRESETS["evidence"].transform_pieces,
    )
    assert recipe.to_dict() == PRESETS["evidence"].to_dict()


def test_pieces_of_version_0_1_0_are_read() -> None:
    pieces = PRESETS["evidence"].to_dict() | {"order_weights": "learnt"}
    del pieces["combination"]
    assert Recipe.from_dict(pieces) == PRESETS["evidence"]
    assert Recipe.from_dict(pieces | {"order_weights": "constant"}).combination == "mean"
    assert Recipe.from_dict({"preset": "paper", "tilt": 0.1, "rank_share": 0.5}) == Recipe.of("paper", tilt=0.1)
    del pieces["factorization"], pieces["score"]
    flat = Recipe.from_dict({**pieces, "spectrum": [1.2, 0.1], "tilt": 0.0625, "rank_share": 0.5})
    assert flat == PRESETS["evidence"]


def test_a_recipe_that_is_incomplete_or_unknown_is_refused() -> None:
    whole = PRESETS["paper"].to_dict()
    for piece in whole.keys() - {"combination", "score"}:
        with pytest.raises(ParameterError, match=f"incomplete: it has no .*{piece}"):
            Recipe.from_dict({name: value for name, value in whole.items() if name != piece})
    with pytest.raises(ParameterError, match="'diffusion' that this version does not know"):
        Recipe.from_dict(whole | {"diffusion": 0.5})
    with pytest.raises(ParameterError, match="weighting must be one of"):
        Recipe.from_dict(whole | {"weighting": "bits"})


def double(matrix: Any) -> Any:
    return 2 * matrix


@pytest.mark.parametrize(
    "pieces",
    [{"transforms": [double]}, {"order_weights": lambda k: 1 / (1 + k)}],
)
def test_code_cannot_be_stored(pieces: dict[str, Any]) -> None:
    (parameter,) = pieces
    with pytest.raises(ParameterError, match=f"{parameter} holds .* cannot be stored"):
        Recipe.of("evidence", **pieces).to_dict()


def test_a_piece_with_other_values_is_stored_with_them() -> None:
    stored = Recipe.of("evidence", transforms=[NearItself(0.25), "both_ways"]).to_dict()
    assert stored["transforms"] == [{"name": "near_itself", "share": 0.25}, "both_ways"]
    assert Recipe.from_dict(stored).transform_pieces[0] == NearItself(0.25)
    with pytest.raises(ParameterError, match="has a value 'size' that is not known"):
        Recipe.from_dict(stored | {"transforms": [{"name": "near_itself", "size": 1}]})
