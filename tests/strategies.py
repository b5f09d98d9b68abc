"""Generated corpora and options for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from honem import Corpus, ExtractionParams


@st.composite
def corpora(draw: st.DrawFn, max_nodes: int = 6, max_sequences: int = 30, max_length: int = 12) -> Corpus:
    """Small corpora with repeats, weights, one-node sequences and at least one step."""
    nodes = st.integers(0, draw(st.integers(1, max_nodes)))
    sequences = draw(st.lists(st.lists(nodes, min_size=1, max_size=max_length), min_size=1, max_size=max_sequences))
    # Sequences that share long pieces are what higher orders are made of.
    stems = draw(st.lists(st.lists(nodes, min_size=2, max_size=max_length), min_size=1, max_size=4))
    sequences += [
        draw(st.sampled_from(stems)) + draw(st.lists(nodes, max_size=3)) for _ in range(draw(st.integers(0, 20)))
    ]
    sequences += stems
    # What follows a stem depends on what precedes it, often enough not to be due to chance.
    stem = draw(st.sampled_from(stems))[:5]
    for before, after in draw(st.lists(st.tuples(nodes, nodes), max_size=3)):
        sequences += [[before, *stem, after]] * draw(st.integers(1, 12))
    weights = draw(st.none() | st.lists(st.integers(1, 30), min_size=len(sequences), max_size=len(sequences)))
    return Corpus.from_sequences(sequences, weights)


divergence_params = st.builds(
    ExtractionParams,
    criterion=st.just("divergence"),
    min_support=st.integers(1, 6),
    support=st.sampled_from(["context", "transition"]),
    tau=st.sampled_from([0.0, 0.05, 0.3, 0.46, 1.0, 1.0, 2.0]),
    max_order=st.none() | st.integers(1, 6),
    lower_orders=st.sampled_from(["all", "significant", "hon"]),
    count=st.sampled_from(["occurrences", "sequences"]),
)

significance_params = st.builds(
    ExtractionParams,
    criterion=st.just("significance"),
    min_support=st.integers(1, 6),
    alpha=st.sampled_from([0.01, 0.05, 0.5, 0.9]),
    max_order=st.none() | st.integers(1, 6),
    lower_orders=st.sampled_from(["all", "significant"]),
    count=st.sampled_from(["occurrences", "sequences"]),
)

params = divergence_params | significance_params
