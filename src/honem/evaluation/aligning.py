"""Rows of an embedding, or of scores of pairs, in the order of the vocabulary by which they are judged."""

from __future__ import annotations

from typing import Literal, get_args, overload

import numpy as np

from honem._internal.validation import require_one_of
from honem.corpus import Vocabulary
from honem.embedding import Embedding
from honem.errors import ParameterError
from honem.evaluation.pair_scores import Scored, select_nodes

Missing = Literal["error", "zero"]


@overload
def align(model: Embedding, vocabulary: Vocabulary, missing: Missing = "error") -> Embedding: ...
@overload
def align(model: Scored, vocabulary: Vocabulary, missing: Missing = "error") -> Scored: ...
def align(model: Scored, vocabulary: Vocabulary, missing: Missing = "error") -> Scored:
    """Reorder an embedding or scorer so that it has exactly the nodes of a vocabulary, in its order.

    Parameters
    ----------
    model : Embedding or PairScorer
        Nodes that are not in the vocabulary are left out.
    vocabulary : Vocabulary
        The nodes of the result.
    missing : {"error", "zero"}, default="error"
        What to do with nodes of the vocabulary that an embedding does not have: raise, or give them vectors of zeros,
        whose dot product with every vector is 0. A scorer must have all nodes.

    Returns
    -------
    Embedding or PairScorer
        The model itself if its nodes are already in order.

    Raises
    ------
    ParameterError
        If nodes are missing or vectors are not finite.

    Examples
    --------
    >>> given = Embedding(Vocabulary(("b", "a")), np.array([[2.0], [1.0]]))
    >>> align(given, Vocabulary(("a", "b"))).source.tolist()
    [[1.0], [2.0]]
    """
    require_one_of("missing", missing, get_args(Missing))
    if isinstance(model, Embedding):
        require_finite(model)
    if model.vocabulary is vocabulary or model.vocabulary.labels == vocabulary.labels:
        return model
    known = model.vocabulary.ids
    absent = [label for label in vocabulary if label not in known]
    if absent and not isinstance(model, Embedding):
        raise ParameterError(f"{len(absent)} of {len(vocabulary)} nodes have no scores, the first is {absent[0]!r}")
    if absent and missing == "error":
        raise ParameterError(
            f"{len(absent)} of {len(vocabulary)} nodes have no vector, the first is {absent[0]!r}; add their vectors, "
            "or use align(embedding, vocabulary, missing='zero')"
        )
    return select_nodes(model, vocabulary, np.array([known.get(label, -1) for label in vocabulary], np.int64))


def require_finite(embedding: Embedding) -> None:
    """Raise ParameterError if a vector is not finite, because its scores could not be ranked."""
    for name, vectors in (("source", embedding.source), ("target", embedding.target)):
        if vectors is not None and not np.isfinite(vectors).all():
            row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
            raise ParameterError(f"the {name} vector of {embedding.nodes[row]!r} has numbers that are not finite")
