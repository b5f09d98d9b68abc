"""Held-out edges leave no trace in what is learnt from."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from honem import Corpus, CorpusError, ParameterError, extract_rules, first_order_network
from honem.evaluation import Edges, LinkSplit, hold_out_edges
from honem.evaluation.datasets import planted_paths
from honem.evaluation.datasets.real import load_real
from tests.evaluation import naive
from tests.strategies import corpora

seeds = st.integers(0, 2**32 - 1)


def split_or_reject(corpus: Corpus, seed: int, share: float = 0.2) -> LinkSplit:
    assume(len(Edges.of(first_order_network(corpus))) > 1)
    return hold_out_edges(corpus, share, seed)


@given(corpora(), seeds, st.sampled_from([0.2, 0.5]))
def test_no_rule_of_any_order_contains_a_held_out_step(corpus: Corpus, seed: int, share: float) -> None:
    split = split_or_reject(corpus, seed, share)
    held_out = naive.pairs_of(split.held_out)
    for options in ({"criterion": "divergence", "tau": 0.0}, {"criterion": "divergence"}, {"alpha": 0.5}):
        rules = extract_rules(split.corpus, engine="reference", lower_orders="all", **options)
        for record in rules.records():
            walked = [rules.vocabulary.id(node) for node in (*record["context"], record["target"])]
            assert held_out.isdisjoint(pairwise(walked))


@given(corpora(), seeds)
def test_sequences_are_cut_exactly_at_the_held_out_steps(corpus: Corpus, seed: int) -> None:
    split = split_or_reject(corpus, seed)
    found = list(zip(split.corpus.sequences(), split.corpus.weights.tolist(), strict=True))
    assert found == naive.cut(corpus, naive.pairs_of(split.held_out))


@given(corpora(), seeds)
def test_training_and_held_out_edges_are_the_edges(corpus: Corpus, seed: int) -> None:
    split = split_or_reject(corpus, seed)
    edges = Edges.of(first_order_network(corpus))
    np.testing.assert_array_equal(np.union1d(split.training.keys, split.held_out.keys), edges.keys)
    assert not split.training.contain(split.held_out.keys).any()
    assert len(split.held_out) == max(1, round(0.2 * len(edges)))
    np.testing.assert_array_equal(Edges.of(first_order_network(split.corpus)).keys, split.training.keys)


@given(corpora(), seeds)
def test_every_node_keeps_its_id_and_every_visit_stays(corpus: Corpus, seed: int) -> None:
    split = split_or_reject(corpus, seed)
    assert split.corpus.vocabulary is corpus.vocabulary
    np.testing.assert_array_equal(split.corpus.tokens, corpus.tokens)


def test_empty_sequences_and_seams_are_no_steps() -> None:
    corpus = Corpus.from_sequences([[], ["a"], ["b"], [], ["a", "b"], ["b", "c"], ["c", "a"], []])
    for seed in range(9):
        split = hold_out_edges(corpus, 0.34, seed)
        assert split.corpus.n_sequences == corpus.n_sequences + 1


def test_a_node_without_steps_is_counted() -> None:
    split = hold_out_edges(Corpus.from_sequences([["a", "b"], ["c", "d"]]), 0.5, seed=0)
    assert split.n_isolated == 2


def test_the_seed_decides() -> None:
    corpus = planted_paths(n_nodes=60, n_steps=3000, orders=(2,), contexts_per_order=5).corpus
    one, same, other = (hold_out_edges(corpus, seed=seed).held_out.keys for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert set(one.tolist()) != set(other.tolist())


def test_what_cannot_be_split_is_refused() -> None:
    with pytest.raises(CorpusError, match="1 edges"):
        hold_out_edges(Corpus.from_sequences([["a", "b"], ["a", "a"]]))
    with pytest.raises(ParameterError, match="share must be between 0 and 1"):
        hold_out_edges(Corpus.from_sequences([list("abca")]), share=1.0)


@pytest.mark.parametrize("name", ["lloyds", "porto_poi"])
def test_real_rules_do_not_leak_either(real_data: Path, name: str) -> None:
    split = hold_out_edges(load_real(name, real_data).corpus, seed=1)
    rules = extract_rules(split.corpus, criterion="divergence", tau=0.0, max_order=6, lower_orders="all")
    inner = np.ones(len(rules.context_nodes), np.bool_)
    inner[rules.context_offsets[1:] - 1] = False
    first = np.flatnonzero(inner)
    n_nodes, nodes = len(rules.vocabulary), rules.context_nodes.astype(np.int64)
    assert not split.held_out.contain(nodes[first] * n_nodes + nodes[first + 1]).any()
    last = rules.newest[rules.rule_of_row].astype(np.int64)
    assert not split.held_out.contain(last * n_nodes + rules.targets).any()
    assert rules.max_order > 2
