"""Rows of an embedding in the order of the vocabulary it is judged by."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of
from honem.corpus import Vocabulary
from honem.embedding import Embedding, Vectors
from honem.errors import ParameterError

Missing = Literal["error", "zero"]


def align(embedding: Embedding, vocabulary: Vocabulary, missing: Missing = "error") -> Embedding:
    """The embedding with a row for each node of the vocabulary, in its order; nodes it knows beyond them are left out.

    A node without a vector is an error, or with `missing="zero"` has zeros, which score 0 with every other.

    >>> given = Embedding(Vocabulary(("b", "a")), np.array([[2.0], [1.0]]))
    >>> align(given, Vocabulary(("a", "b"))).source.tolist()
    [[1.0], [2.0]]
    """
    require_one_of("missing", missing, get_args(Missing))
    require_finite(embedding)
    if embedding.vocabulary is vocabulary or embedding.nodes == vocabulary.labels:
        return embedding
    known = embedding.vocabulary.ids
    absent = [label for label in vocabulary if label not in known]
    if absent and missing == "error":
        raise ParameterError(
            f"{len(absent)} of {len(vocabulary)} nodes have no vector, the first is {absent[0]!r}; give them vectors, "
            "or align(embedding, vocabulary, missing='zero')"
        )
    # Row -1 is the row of zeros that is put at the end.
    rows = np.array([known.get(label, -1) for label in vocabulary], np.int64)
    target = None if embedding.target is None else _with_zeros(embedding.target)[rows]
    return Embedding(vocabulary, _with_zeros(embedding.source)[rows], target, embedding.singular_values)


def require_finite(embedding: Embedding) -> None:
    """Refuse vectors with numbers that have no place in a ranking."""
    for name, vectors in (("source", embedding.source), ("target", embedding.target)):
        if vectors is not None and not np.isfinite(vectors).all():
            row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
            raise ParameterError(f"the {name} vector of {embedding.nodes[row]!r} has numbers that are not finite")


def _with_zeros(vectors: Vectors) -> Vectors:
    return np.vstack((vectors, np.zeros((1, vectors.shape[1]))))
