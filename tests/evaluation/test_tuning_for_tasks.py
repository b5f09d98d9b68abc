"""What methods that choose among recipes are told about the task that judges them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from honem.embedding import Embedding
from honem.evaluation import Classification, LinkPrediction, NamedMethod, Reconstruction, parse_method
from honem.evaluation.cells import Cell, evaluate_cell
from honem.evaluation.datasets import city_trips

CITY = city_trips(2000)
TASKS: dict[str, Any] = {
    "links": LinkPrediction(CITY.corpus, ks=(10,)),
    "reconstruction": Reconstruction(CITY.corpus, ks=(10,)),
    "labels": Classification(CITY.corpus, "group", CITY.groups, classifiers=("logistic_regression",), repeats=1),
}


def settings(method: str, purpose: str) -> dict[str, Any]:
    cell = Cell(TASKS[purpose], parse_method(method), 4, 0)
    return cell.method.at(4, 0).settings()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("purpose", TASKS)
def test_honem_is_tuned_for_the_task_that_judges_it(purpose: str) -> None:
    assert settings("honem", purpose)["tune_for"] == purpose
    assert Cell(TASKS[purpose], parse_method("honem"), 4, 0).method.name == "honem"


def test_its_own_options_come_first_and_other_methods_are_left_alone() -> None:
    assert settings("honem:tune_for=links", "reconstruction")["tune_for"] == "links"
    assert settings("hope", "reconstruction") == settings("hope", "links")


def test_what_is_fitted_is_what_was_tuned() -> None:
    tuned = evaluate_cell(Cell(TASKS["reconstruction"], parse_method("honem"), 3, 0))
    named = evaluate_cell(Cell(TASKS["reconstruction"], parse_method("honem:tune_for=reconstruction"), 3, 0))
    assert [record.value for record in tuned] == [record.value for record in named]


def test_methods_without_options_are_fitted_as_they_are() -> None:
    method = NamedMethod(
        "zeros", lambda corpus, dimension, seed: Embedding(corpus.vocabulary, np.zeros((len(corpus.vocabulary), 2)))
    )
    assert Cell(TASKS["links"], method, 2, 0).method is method
