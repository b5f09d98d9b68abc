"""What comes next: the fast model against the obvious one, and what every model of probabilities owes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honem import Corpus, ExtractionParams, RuleTable, extract_rules
from honem.errors import ParameterError
from honem.prediction import RuleNextStep, predict_next
from honem.rules.engines import make_engine
from tests.strategies import corpora, params

Context = tuple[int, ...]


class ObviousModel:
    """The formula of RuleNextStep with dictionaries and recursion."""

    def __init__(self, rules: RuleTable) -> None:
        self.n_nodes, self.least = len(rules.vocabulary), rules.params.least_count
        self.rules: dict[Context, Counter[int]] = {}
        for row, rule in enumerate(rules.rule_of_row.tolist()):
            start, stop = rules.context_offsets[rule : rule + 2]
            context = tuple(rules.context_nodes[start:stop].tolist())
            self.rules.setdefault(context, Counter())[int(rules.targets[row])] = int(rules.counts[row])
        self.rules[()] = Counter()
        self.own = {context: Counter(targets) for context, targets in self.rules.items()}
        self.own[()] = Counter(
            target for context, targets in self.rules.items() if len(context) == 1 for target in targets
        )
        for context, targets in self.rules.items():
            for target, count in targets.items() if len(context) > 1 else ():
                self.own[self.rule_of(context[1:])][target] -= count - self.least

    def rule_of(self, history: Context) -> Context:
        return next(history[start:] for start in range(len(history) + 1) if history[start:] in self.rules)

    def discount(self, order: int) -> float:
        seen = Counter(n for context, own in self.own.items() if len(context) == order for n in own.values())
        unit = self.least if order else 1
        return unit * (seen[unit] + 0.5) / (seen[unit] + 2 * seen[2 * unit] + 1)

    def probability(self, node: int, history: Context) -> float:
        context = self.rule_of(history)
        if not self.own[context]:
            return 1 / self.n_nodes
        own, discount = self.own[context], self.discount(len(context))
        shorter = self.probability(node, context[1:]) if context else 1 / self.n_nodes
        kept = own[node] - discount if node in own else 0.0
        return (kept + discount * len(own) * shorter) / own.total()


def histories(corpus: Corpus) -> list[Context]:
    bounds = zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), strict=True)
    return [tuple(corpus.tokens[start:end].tolist()) for start, stop in bounds for end in range(start + 1, stop)]


def arrivals(corpus: Corpus) -> list[int]:
    starts = set(corpus.offsets[:-1].tolist())
    return [node for place, node in enumerate(corpus.tokens.tolist()) if place not in starts]


@st.composite
def parts(draw: st.DrawFn) -> tuple[Corpus, Corpus]:
    """Two corpora of the same nodes, of which the second may go where the first never went."""
    whole = draw(corpora(max_sequences=12))
    middle = draw(st.integers(0, whole.n_sequences - 1))
    offset = int(whole.offsets[middle])
    later = Corpus(whole.vocabulary, whole.tokens[offset:], whole.offsets[middle:] - offset, whole.weights[middle:])
    if not whole.offsets[middle] or not (np.diff(whole.offsets[: middle + 1]) > 1).any():
        return whole, later
    offsets = whole.offsets[: middle + 1]
    return Corpus(whole.vocabulary, whole.tokens[:offset], offsets, whole.weights[:middle]), later


@given(parts(), params)
def test_probabilities_and_ranks_are_those_of_the_obvious_model(
    pair: tuple[Corpus, Corpus], options: ExtractionParams
) -> None:
    training, judged = pair
    table = make_engine("reference").extract_rules(training, options)
    obvious, scores = ObviousModel(table), RuleNextStep.of(table).score(judged)
    for history, arrival, log_probability, rank in zip(histories(judged), arrivals(judged), *scores, strict=True):
        expected = [obvious.probability(node, history) for node in range(judged.n_nodes)]
        assert sum(expected) == pytest.approx(1)
        assert log_probability == pytest.approx(np.log2(expected[arrival]))
        likelier = sum(p > expected[arrival] + 1e-12 for p in expected)
        no_less_likely = sum(p >= expected[arrival] - 1e-12 for p in expected)
        assert likelier < rank <= no_less_likely


EQUALS = Corpus.from_sequences([[0], [3, 1, 1], [3, 1, 1], [3, 1, 1], [0, 2]])


@example((EQUALS, EQUALS), ExtractionParams(criterion="divergence", tau=0.0))
@given(parts(), params)
def test_a_prediction_lists_nodes_by_the_ranks_that_score_gives(
    pair: tuple[Corpus, Corpus], options: ExtractionParams
) -> None:
    training, judged = pair
    table = make_engine("reference").extract_rules(training, options)
    model, labels = RuleNextStep.of(table), judged.vocabulary.labels
    for history, arrival, log_probability, rank in zip(
        histories(judged), arrivals(judged), *model.score(judged), strict=True
    ):
        found = model.predict([labels[node] for node in history], k=judged.n_nodes)
        assert sum(node.probability for node in found.nodes) == pytest.approx(1)
        assert found.nodes[rank - 1].node == labels[arrival]
        assert np.log2(found.nodes[rank - 1].probability) == pytest.approx(log_probability)
        assert tuple(labels.index(node) for node in found.context) == ObviousModel(table).rule_of(history)


@given(corpora(), st.integers(2, 5))
def test_only_shares_matter_at_first_order_when_every_count_is_large(corpus: Corpus, times: int) -> None:
    table = extract_rules(corpus, engine="reference", max_order=1)
    many = replace(table, counts=table.counts * 10**6 * times)
    model = RuleNextStep.of(many)
    for rule in range(table.n_rules):
        rows = slice(table.target_offsets[rule], table.target_offsets[rule + 1])
        expected = np.zeros(corpus.n_nodes)
        expected[table.targets[rows]] = table.probabilities[rows]
        assert model.distribution(rule) == pytest.approx(expected, abs=1e-4)


TRIPS = (
    [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20 + [["zoo"], *[["centre", "library"]] * 9]
)


@pytest.fixture
def rules() -> RuleTable:
    return extract_rules(Corpus.from_sequences(TRIPS))


@pytest.mark.parametrize(
    ("history", "context", "likeliest"),
    [
        (["dorm", "centre"], ("dorm", "centre"), "library"),
        (["office", "zoo", "dorm", "centre"], ("dorm", "centre"), "library"),
        (["zoo", "centre"], ("centre",), "library"),
        (["library"], (), "centre"),
        ([], (), "centre"),
        (["moon", "dorm", "centre"], ("dorm", "centre"), "library"),
        (["dorm", "moon", "centre"], ("centre",), "library"),
        (["dorm", "moon"], (), "centre"),
    ],
)
def test_the_longest_rule_that_fits_speaks(
    rules: RuleTable, history: Sequence[str], context: tuple[str, ...], likeliest: str
) -> None:
    found = predict_next(rules, history, k=2)
    assert (found.context, found.order, found.nodes[0].node) == (context, len(context), likeliest)
    assert len(found.nodes) == 2
    assert found.unknown == (("moon",) if "moon" in history else ())
    assert sum(part.weight for part in found.contributions) == pytest.approx(1)


def test_what_cannot_be_predicted_is_refused(rules: RuleTable) -> None:
    with pytest.raises(ParameterError, match="write \\['dorm'\\]"):
        predict_next(rules, "dorm")
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1, not 0"):
        predict_next(rules, ["dorm"], k=0)
    with pytest.raises(ParameterError, match="3 nodes that are not the 6 of the model"):
        RuleNextStep.of(rules).score(Corpus.from_sequences([["a", "b", "c"]]))


def test_evidence_of_five_hundred_orders_leaves_a_finite_loss() -> None:
    walk = [*range(500), "end"]
    corpus = Corpus.from_sequences([walk, ["end", 0]], weights=[10**9, 1])
    table = extract_rules(corpus, max_order=2)
    nodes = np.arange(500, dtype=np.int32)
    lengths = np.arange(1, 501)
    chain = replace(
        table,
        context_nodes=np.concatenate([nodes[500 - length :] for length in lengths]),
        context_offsets=np.concatenate(([0], np.cumsum(lengths))),
        target_offsets=np.arange(501),
        targets=np.full(500, 500, np.int32),
        counts=np.full(500, 10**9),
        divergences=np.zeros(500),
        evidence=np.zeros(500),
        q_values=np.ones(500),
        accepted=np.ones(500, np.bool_),
    )
    away = Corpus(corpus.vocabulary, np.append(nodes, np.int32(3)), np.array([0, 501]), np.array([1]))
    scores = RuleNextStep.of(chain).score(away)
    assert np.isfinite(scores.log_probabilities).all()
    assert 1 < scores.ranks[-1] <= corpus.n_nodes
