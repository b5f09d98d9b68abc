"""N-gram tables against counting by hand, and Kneser-Ney against its definition."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, ExtractionParams
from honem.evaluation.baselines.kneser_ney import KneserNey, ModifiedKneserNey, best_order, kneser_ney
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.datasets import planted_paths
from honem.rules.engines.reference import count_order, weighted_sequences
from tests.strategies import corpora

Context = tuple[int, ...]


class ByDefinition:
    """Interpolated Kneser-Ney as Chen and Goodman (1999) write it: continuation counts below the highest order."""

    def __init__(self, corpus: Corpus, order: int, *, is_modified: bool = False) -> None:
        self.is_modified = is_modified
        self.n_nodes, self.order, self.start = corpus.n_nodes, order, corpus.n_nodes
        plain: defaultdict[Context, Counter[int]] = defaultdict(Counter)
        before: defaultdict[Context, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for nodes, weight in weighted_sequences(corpus):
            padded = (self.start, *nodes)
            for end in range(2, len(padded)):
                for length in range(min(order, end) + 1):
                    plain[padded[end - length : end]][padded[end]] += weight
                    if length < end:
                        before[padded[end - length : end]][padded[end]].add(padded[end - length - 1])
        self.counts = {}
        for context, targets in plain.items():
            is_plain = len(context) == order or context[:1] == (self.start,)
            self.counts[context] = (
                targets if is_plain else Counter({target: len(seen) for target, seen in before[context].items()})
            )

    def probability(self, node: int, history: Context) -> float:
        context = (self.start, *history)[-self.order :]
        while context not in self.counts:
            context = context[1:]
        return self.blend(node, context)

    def blend(self, node: int, context: Context) -> float:
        own = self.counts[context]
        seen = Counter(n for c, counts in self.counts.items() if len(c) == len(context) for n in counts.values())
        discounts = (
            self.discounts(seen) if self.is_modified and context else [(seen[1] + 0.5) / (seen[1] + 2 * seen[2] + 1)]
        )
        taken = {target: discounts[min(count, len(discounts)) - 1] for target, count in own.items()}
        shorter = self.blend(node, context[1:]) if context else 1 / self.n_nodes
        return (own[node] - taken.get(node, 0) + sum(taken.values()) * shorter) / own.total()

    @staticmethod
    def discounts(seen: Counter[int]) -> list[float]:
        """D_1, D_2 and D_3+; halves are added as in the model."""
        n1, n2, n3, n4 = (seen[count] + 0.5 for count in (1, 2, 3, 4))
        y = n1 / (n1 + 2 * n2)
        found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        return [min(max(value, 0.05), count - 0.05) for count, value in enumerate(found, start=1)]


@given(corpora(max_sequences=10, max_length=8), st.integers(1, 4))
def test_a_table_of_n_grams_holds_every_context(corpus: Corpus, order: int) -> None:
    table = ngram_table(corpus, order)
    expected: dict[Context, Counter[int]] = {}
    for length in range(1, order + 1):
        expected |= count_order(corpus, length, ExtractionParams())
    found: dict[Context, Counter[int]] = {}
    for row, rule in enumerate(table.rule_of_row.tolist()):
        context = tuple(corpus.vocabulary.id(label) for label in table.context(rule))
        found.setdefault(context, Counter())[int(table.targets[row])] = int(table.counts[row])
    assert found == expected
    assert list(found) == sorted(found, key=lambda context: (len(context), context[::-1]))


@given(corpora(max_sequences=8, max_length=8), st.integers(1, 4), st.booleans())
def test_kneser_ney_is_what_its_definition_says(corpus: Corpus, order: int, is_modified: bool) -> None:
    method = ModifiedKneserNey(order=order) if is_modified else KneserNey(order=order)
    model, definition = method.fit(corpus), ByDefinition(corpus, order, is_modified=is_modified)
    expected = []
    for nodes, _ in weighted_sequences(corpus):
        for end in range(1, len(nodes)):
            probabilities = [definition.probability(node, nodes[:end]) for node in range(corpus.n_nodes)]
            assert sum(probabilities) == pytest.approx(1)
            expected.append(probabilities[nodes[end]])
    assert model.score(corpus).log_probabilities == pytest.approx(np.log2(expected))


@given(corpora(max_sequences=8, max_length=8), st.integers(1, 4))
def test_no_history_leads_to_the_start_and_probabilities_add_up(corpus: Corpus, order: int) -> None:
    model = kneser_ney(corpus, order).model
    for rule in range(-1, len(model.orders)):
        probabilities = model.distribution(rule)
        assert probabilities[-1] == 0
        assert (probabilities[:-1] > 0).all()
        assert probabilities.sum() == pytest.approx(1)


def test_the_order_is_chosen_on_an_inner_split_unless_given() -> None:
    corpus = planted_paths(50, 40_000, orders=(2,), contexts_per_order=100, out_degree=4).corpus
    chosen = KneserNey(max_order=3)
    assert best_order(kneser_ney, 3, corpus) == 2
    for method, order in ((chosen, 2), (KneserNey(order=1), 1)):
        found, expected = method.fit(corpus).score(corpus), kneser_ney(corpus, order).score(corpus)
        np.testing.assert_array_equal(found.log_probabilities, expected.log_probabilities)
