"""Many generated corpora as one, since a job of Spark takes seconds whatever its size."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from honem import Corpus

THOROUGH = os.environ.get("HONEM_HYPOTHESIS", "quick") == "thorough"
Drawn = TypeVar("Drawn")


def drawn(strategy: SearchStrategy[Drawn], amount: int, number: int) -> list[Drawn]:
    """Some values of a strategy, the same for the same number; nothing is shrunk, as that would take hours."""
    values: list[Drawn] = []

    @seed(number)
    @settings(
        max_examples=amount,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def gather(value: Drawn) -> None:
        values.append(value)

    gather()
    return values[:amount]


def merged(corpora: Sequence[Corpus], weighted: bool) -> Corpus:
    """Corpora that do not touch each other: node x of the k-th one is (k, x)."""
    sequences = [[(k, node) for node in path] for k, corpus in enumerate(corpora) for path in corpus.sequences()]
    weights = [weight for corpus in corpora for weight in corpus.weights.tolist()]
    return Corpus.from_sequences(sequences, weights if weighted else None)
