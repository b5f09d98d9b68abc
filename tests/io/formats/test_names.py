"""Names in files: every escape can be undone, and no two nodes get the same name."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honem import OutputError
from honem.io.formats.names import (
    CONTROLS,
    context_name,
    escaper,
    names_of,
    plain_name,
    split_context_name,
    spreadsheet_safe_name,
    unescape,
)
from honem.io.labels import label_table, labels_of
from tests.io.formats.nasty import NASTY

tricky = st.text(st.sampled_from("_x0041F \n\\|.a,'=")) | st.text()
labels = st.recursive(
    st.text() | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none(),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
)


@given(tricky, st.sampled_from([" ", CONTROLS, "," + CONTROLS, r"\s" + CONTROLS]))
@example("_x0041\n", CONTROLS)
@example("\nx0041_", CONTROLS)
@example("\ud800", CONTROLS)
def test_an_escape_can_be_undone(name: str, unsafe: str) -> None:
    assert unescape(escaper(unsafe)(name)) == name


def test_ordinary_names_are_not_escaped() -> None:
    escape = escaper(r"\s" + CONTROLS)
    assert [escape(name) for name in ("New_York", "pos_x", "x_1", "é", "a.b|c")] == [
        "New_York",
        "pos_x",
        "x_1",
        "é",
        "a.b|c",
    ]


@given(st.lists(tricky, min_size=1, max_size=4))
@example([""])
@example(["", ""])
def test_a_context_name_can_be_taken_apart(names: list[str]) -> None:
    assert split_context_name(context_name(names)) == names


def test_ordinary_context_names_are_those_that_are_printed() -> None:
    assert context_name(["St. Louis"]) == "St. Louis"
    assert context_name(["A", "B", "C"]) == "C|B.A"


@given(tricky)
def test_what_is_safe_in_a_spreadsheet_can_be_undone(name: str) -> None:
    safe = spreadsheet_safe_name(name)
    assert plain_name(safe) == name
    assert not safe.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_two_nodes_never_get_one_name() -> None:
    assert names_of((1, "a", (2, "b"))) == ["1", "a", "(2, 'b')"]
    with pytest.raises(OutputError, match="1 and '1' would both be written as '1'"):
        names_of((1, "a", "1"))


@given(st.lists(labels, unique_by=lambda label: (type(label), label)) | st.lists(st.integers()) | st.lists(st.text()))
@example(["\ud800"])
@example([2**70])
def test_labels_come_back_as_what_they_were(given_labels: list[Hashable]) -> None:
    back = labels_of(label_table(given_labels), "here")
    assert list(back) == given_labels
    assert list(map(type, back)) == list(map(type, given_labels))


def test_texts_and_numbers_stand_in_a_plain_column() -> None:
    assert label_table(NASTY).column_names == ["node"]
    assert label_table((1, 2)).schema.field("node").type == "int64"


def test_labels_that_would_come_back_as_something_else_are_refused() -> None:
    with pytest.raises(OutputError, match="frozenset"):
        label_table((frozenset("a"),))
