"""Names of nodes: what is shown, which node a text means, and what may have been meant."""

from __future__ import annotations

import pickle
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import UnknownNodeError, Vocabulary
from honem._internal import similar_names as similar
from honem._internal.similar_names import MOST_COMPARED, folded, similar_names
from honem.node_names import NamedNode, NodeFinder, NodeNames, shown_names

NAMES = st.sampled_from(["", "a", "b", "a (1)", "1", "2", "a ('1')", "1 (1, row 1)", "a (1, row 1)"])
LABELS = st.one_of(st.integers(0, 3), st.sampled_from(["0", "1", "2", "a", "b", "a (1)"]))


@given(st.lists(st.tuples(LABELS, NAMES), unique_by=lambda pair: pair[0], max_size=8))
def test_what_is_shown_is_different_for_every_node(nodes: list[tuple[int | str, str]]) -> None:
    labels, names = [label for label, _ in nodes], [name for _, name in nodes]
    shown = shown_names(labels, names)
    assert len(set(shown)) == len(nodes)
    texts = [name or str(label) for label, name in nodes]
    if len(set(texts)) == len(texts):
        assert shown == texts


@given(st.lists(st.tuples(LABELS, NAMES), unique_by=lambda pair: pair[0], min_size=1, max_size=8))
def test_what_is_shown_and_the_label_find_the_node(nodes: list[tuple[int | str, str]]) -> None:
    vocabulary = Vocabulary(tuple(label for label, _ in nodes))
    named = NodeNames(vocabulary, [name for _, name in nodes]).named(vocabulary)
    finder = NodeFinder(named)
    texts = {str(label) for label in vocabulary}
    for node in named:
        assert isinstance(node, NamedNode)
        if str(node.node) != node.node and str(node.node) in vocabulary:
            continue  # both 1 and "1" are nodes: a text means the string
        assert finder.find(str(node.node)) == node
        if str(node) not in texts:  # labels come first
            assert finder.find(str(node)) == node


def test_case_accents_and_underscores_do_not_matter_where_the_match_is_unique() -> None:
    finder = NodeFinder(Vocabulary(("São_Paulo", "Sao Tome", "LYON", "Lyon", 7)))
    assert finder.find("sao paulo") == "São_Paulo"
    assert finder.find("SAO_TOMÉ") == "Sao Tome"
    assert finder.find("Lyon") == "Lyon"
    assert finder.find("7") == 7
    with pytest.raises(UnknownNodeError, match="'lyon' could be 2 nodes: LYON, Lyon; write one of these in full"):
        finder.find("lyon")


def test_a_name_that_several_nodes_have_needs_the_label() -> None:
    nodes = Vocabulary(("CMH", "CSG", "OSL"))
    finder = NodeFinder(NodeNames(nodes, ("Columbus", "Columbus", "Oslo")).named(nodes))
    with pytest.raises(UnknownNodeError, match=r"could be 2 nodes: Columbus \(CMH\), Columbus \(CSG\)"):
        finder.find("Columbus")
    assert finder.find("columbus (csg)") == "Columbus (CSG)"
    with pytest.raises(UnknownNodeError, match=r"no node 'Olso' in this corpus of 3 nodes; did you mean Oslo\?"):
        finder.find("Olso")


def test_an_unknown_node_in_python_says_what_may_have_been_meant() -> None:
    with pytest.raises(
        UnknownNodeError, match=r"no node 'Roterdam' in this corpus of 2 nodes; did you mean Rotterdam\?"
    ):
        Vocabulary(("Rotterdam", "Oslo")).id("Roterdam")
    with pytest.raises(UnknownNodeError, match=r"there is 7: nodes read from text"):
        Vocabulary((7, 8)).id("7")
    with pytest.raises(UnknownNodeError, match=r"2 nodes$"):
        Vocabulary(("Rotterdam", "Oslo")).id(("a", "tuple"))


def test_a_bounded_number_of_names_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def count(text: str) -> str:
        nonlocal compared
        compared += 1
        return text

    monkeypatch.setattr(similar, "folded", count)
    assert similar_names("Rotterdan", (f"{number:09}" for number in range(100_000))) == []
    assert compared <= MOST_COMPARED + 1


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


def test_a_named_node_survives_copies() -> None:
    node = NamedNode("Rotterdam", ("11", 2))
    for copied in (pickle.loads(pickle.dumps(node)), deepcopy(node)):
        assert (copied, copied.node) == ("Rotterdam", ("11", 2))
