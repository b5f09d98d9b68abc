"""First-order and higher-order networks against their definitions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given

from honem import Corpus, ExtractionParams, extract_rules, first_order_network, higher_order_network
from honem.network import Network
from tests.comparing import rules_as_dict
from tests.strategies import corpora, params

Edges = dict[tuple[tuple[object, ...], tuple[object, ...]], int]


def edges_of(network: Network) -> Edges:
    found = {
        (network.context(source), network.context(target)): count
        for source, target, count in zip(network.sources, network.targets, network.counts.tolist(), strict=True)
    }
    assert len(found) == network.n_edges
    return found


@given(corpora())
def test_first_order_edges_are_the_steps(corpus: Corpus) -> None:
    steps: Counter[tuple[tuple[object, ...], tuple[object, ...]]] = Counter()
    for sequence, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        for a, b in pairwise(sequence):
            steps[((a,), (b,))] += weight
    network = first_order_network(corpus)
    assert edges_of(network) == steps
    assert network.n_nodes == corpus.n_nodes
    leaving: dict[tuple[object, ...], float] = {(a,): 0.0 for a in corpus.vocabulary}
    for source, probability in zip(network.sources, network.probabilities, strict=True):
        leaving[network.context(source)] += probability
    assert all(total == pytest.approx(1) or total == 0 for total in leaving.values())


@given(corpora(), params)
def test_higher_order_edges_lead_to_the_longest_rule(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    rules = rules_as_dict(table)
    expected: Edges = {}
    for context, (targets, _) in rules.items():
        for target, count in targets.items():
            path = (*context, target)
            suffixes = [path[start:] for start in range(len(path))]
            expected[context, next((s for s in suffixes if s in rules), (target,))] = count
    network = higher_order_network(table)
    assert edges_of(network) == expected
    assert network.n_nodes == corpus.n_nodes + sum(len(context) > 1 for context in rules)


def test_with_one_order_both_networks_are_the_same() -> None:
    corpus = Corpus.from_sequences([list("abcab"), list("bd")], weights=[2, 3])
    assert edges_of(higher_order_network(extract_rules(corpus, max_order=1))) == edges_of(first_order_network(corpus))


def test_names_and_sizes() -> None:
    corpus = Corpus.from_sequences([list("axb")] * 20 + [list("cxd")] * 20)
    network = higher_order_network(extract_rules(corpus))
    assert [network.name(node) for node in range(network.n_nodes)] == ["a", "x", "b", "c", "d", "x|a", "x|c"]
    # a -> x|a -> b and c -> x|c -> d, and x -> b, d of the first order that is kept
    assert network.sizes() == {"nodes": 7, "edges": 6, "mean_in_degree": 6 / 7}
