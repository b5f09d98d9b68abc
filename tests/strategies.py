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
    weights = draw(st.none() | st.lists(st.integers(1, 30), min_size=len(sequences), max_size=len(sequences)))
    return Corpus.from_sequences(sequences, weights)


params = st.builds(
    ExtractionParams,
    min_support=st.integers(1, 6),
    support=st.sampled_from(["context", "transition"]),
    tau=st.sampled_from([0.0, 0.05, 0.3, 0.46, 1.0, 1.0, 2.0]),
    max_order=st.none() | st.integers(1, 6),
    lower_orders=st.sampled_from(["all", "significant", "hon"]),
)
