"""Pictures of embeddings: every node is drawn, names do not overlap, and colours are what was asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from honem import Embedding, MissingDependencyError, ParameterError, Vocabulary
from honem.plots.naming import Box

matplotlib = pytest.importorskip("matplotlib", reason="no matplotlib here")

NODES = tuple(f"a long name {number}" for number in range(60))
EMBEDDING = Embedding(Vocabulary(NODES), np.random.default_rng(0).normal(size=(60, 4)))


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def boxes_of(axes: Any) -> list[Box]:
    axes.figure.canvas.draw()
    return [Box(*text.get_window_extent().extents) for text in axes.texts]


@pytest.mark.parametrize("color", [None, dict.fromkeys(NODES, "all")])
def test_names_do_not_overlap_or_leave_the_axes(color: Any) -> None:
    axes = EMBEDDING.plot(color)
    boxes = boxes_of(axes)
    assert 5 < len(boxes) <= 25
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.is_within(Box(*axes.get_window_extent().extents)) for box in boxes)
    assert sum(len(points.get_offsets()) for points in axes.collections) == 60


def test_the_most_visited_nodes_get_names_first() -> None:
    visits = np.arange(60)
    (text,) = EMBEDDING.plot(visits=visits, n_names=1).texts
    assert text.get_text() in NODES[-8:]
    assert not EMBEDDING.plot(n_names=0).texts


def test_names_and_categories_are_no_formulas_and_none_is_left_out() -> None:
    embedding = Embedding(Vocabulary(("$a_b$", "_b", "c\n")), np.eye(3))
    axes = embedding.plot({"$a_b$": "_hidden", "_b": "$x^$"})
    axes.figure.canvas.draw()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["$x^$", "_hidden", "none"]
    assert {text.get_text() for text in axes.texts} <= {"$a_b$", "_b", "c\\n"}


def test_nodes_with_coordinates_are_drawn_where_they_are() -> None:
    labels = {"lon": {"a": 170, "b": -170}, "lat": {"a": 10, "b": 20}, "kind": {"a": "port"}}
    embedding = Embedding(Vocabulary(("a", "b", "c")), np.eye(3))
    axes = embedding.plot("kind", labels)
    assert axes.get_xlabel() == "longitude"
    offsets = np.ma.getdata(axes.collections[0].get_offsets())
    assert sorted(map(tuple, offsets[np.isfinite(offsets).all(axis=1)].tolist())) == [(170, 10), (190, 20)]
    assert embedding.plot("kind", labels, coordinates=False).get_xlabel() == "first principal axis"


def test_numbers_get_a_scale() -> None:
    axes = EMBEDDING.plot(np.arange(60.0))
    assert len(axes.figure.axes) == 2
    assert axes.get_legend() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"color": "kidn", "labels": {"kind": {NODES[0]: "x"}}}, "did you mean kind"),
        ({"color": [1, 2]}, "not 2 values"),
        ({"color": {"z": 1}}, "none of which"),
        ({"coordinates": True}, "lon and lat"),
        ({"n_names": -1}, "n_names"),
        ({"visits": [1.0]}, "visits"),
    ],
)
def test_what_cannot_be_drawn(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        EMBEDDING.plot(**arguments)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"honem\[plot\]"):
        EMBEDDING.plot()
