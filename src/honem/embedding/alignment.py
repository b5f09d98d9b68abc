"""Alignment: rotate vectors so that coordinates stay comparable with those of an earlier embedding."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from honem._internal.words import amount, wrapped
from honem.embedding.embedding import Embedding, Vectors
from honem.errors import ParameterError

LOW_QUANTILE = 0.05
FLAT = 1.1
"""Dimensions whose singular value is less than this many times the last one are easily exchanged for others."""


@dataclass(frozen=True)
class Movement:
    """How far source vectors moved from one embedding to another, after the best rotation. Print it for a sentence.

    Attributes
    ----------
    n_nodes : int
        Number of nodes that both embeddings have.
    n_dimensions : int
        Number of dimensions of the factorization.
    mean_cosine : float
        Mean of the cosine of the old and the new vector of a node; 1 if no node changed its direction.
    low_cosine : float
        The 5 % quantile of these cosines: one node in twenty moved farther.
    n_flat : int
        Number of dimensions whose singular value is less than 1.1 times that of the last one. A small change of the
        data can replace them by dimensions that were cut off, so coordinates along them are not stable.

    Examples
    --------
    >>> print(Movement(900, 128, 0.98, 0.91, 12))
    900 nodes: mean cosine of old and new vectors 0.980, 5 % quantile 0.910; 12 of 128 dimensions
        have nearly the same singular value as the last one, and coordinates along them are not
        stable
    """

    n_nodes: int
    n_dimensions: int
    mean_cosine: float
    low_cosine: float
    n_flat: int

    def to_dict(self) -> dict[str, Any]:
        """Return the movement as a dict that JSON can hold."""
        return asdict(self)

    def __str__(self) -> str:
        cosines = f"mean cosine of old and new vectors {self.mean_cosine:.3f}, 5 % quantile {self.low_cosine:.3f}"
        flat = (
            f"; {self.n_flat} of {amount(self.n_dimensions, 'dimension')} have nearly the same singular value as the "
            "last one, and coordinates along them are not stable"
        )
        return wrapped(f"{amount(self.n_nodes, 'node')}: {cosines}{flat if self.n_flat else ''}")


def align_vectors(embedding: Embedding, reference: Embedding) -> tuple[Embedding, Movement]:
    """Rotate an embedding so that its vectors are as near as possible to those of another (orthogonal Procrustes).

    Source and target vectors get the same rotation, which is chosen by the nodes that both embeddings have. It changes
    neither scores nor cosines nor distances. If the other embedding has more dimensions, so has the result.

    Parameters
    ----------
    embedding : Embedding
        The vectors to rotate.
    reference : Embedding
        The vectors to approach.

    Returns
    -------
    aligned : Embedding
        The rotated vectors.
    movement : Movement
        How far vectors are from those of the reference.

    Raises
    ------
    ParameterError
        If the embeddings have no node in common.

    Examples
    --------
    >>> from honem import Vocabulary
    >>> old = Embedding(Vocabulary(("a", "b")), np.array([[1.0, 0.0], [0.0, 2.0]]))
    >>> turned = Embedding(Vocabulary(("b", "a")), np.array([[2.0, 0.0], [0.0, -1.0]]))
    >>> aligned, movement = align_vectors(turned, old)
    >>> (aligned.source.round(12) + 0.0).tolist(), movement.mean_cosine
    ([[0.0, 2.0], [1.0, 0.0]], 1.0)
    """
    from scipy.linalg import orthogonal_procrustes
    from threadpoolctl import threadpool_limits

    common = [node for node in embedding.nodes if node in reference]
    if not common:
        raise ParameterError("the embeddings have no node in common, so they cannot be aligned")
    sides = [(embedding.source, reference.source)]
    if embedding.target is not None and reference.target is not None:
        sides.append((embedding.target, reference.target))
    here, there = ([each.vocabulary.id(node) for node in common] for each in (embedding, reference))
    width = max(embedding.dimension, reference.dimension)
    new = np.vstack([_unit_size(widened(vectors[here], width)) for vectors, _ in sides])
    old = np.vstack([_unit_size(widened(vectors[there], width)) for _, vectors in sides])
    with threadpool_limits(1):  # so that the bits do not depend on the number of threads
        rotation, _ = orthogonal_procrustes(new, old)
        aligned = rotated(embedding, np.asarray(rotation[: embedding.dimension], np.float64))
    cosines = _cosines(aligned.source[here], widened(reference.source[there], width))
    low = float(np.quantile(cosines, LOW_QUANTILE))
    n_dimensions, n_flat = _flat_dimensions(embedding)
    return aligned, Movement(len(common), n_dimensions, float(cosines.mean()), low, n_flat)


def rotated(embedding: Embedding, rotation: Vectors) -> Embedding:
    """Return an embedding with source and target multiplied by a matrix with orthonormal rows."""
    return replace(
        embedding,
        source=embedding.source @ rotation,
        target=None if embedding.target is None else embedding.target @ rotation,
        rotation=rotation if embedding.rotation is None else embedding.rotation @ rotation,
    )


def widened(vectors: Vectors, width: int) -> Vectors:
    """Return vectors with zeros as further coordinates."""
    return np.pad(vectors, ((0, 0), (0, width - vectors.shape[1])))


def _unit_size(vectors: Vectors) -> Vectors:
    """Divide by the root of the sum of squares, so that source and target have the same say in the rotation."""
    size = float(np.linalg.norm(vectors))
    return vectors / size if size else vectors


def _cosines(new: Vectors, old: Vectors) -> Vectors:
    """Return the cosine of each pair of rows, at most 1; two vectors of zeros are the same, one of them is not."""
    lengths, others = np.linalg.norm(new, axis=1), np.linalg.norm(old, axis=1)
    products = np.einsum("ij,ij->i", new, old)
    is_known = (lengths > 0) & (others > 0)
    cosines = np.where((lengths == 0) & (others == 0), 1.0, 0.0)
    cosines[is_known] = np.minimum(products[is_known] / lengths[is_known] / others[is_known], 1.0)
    return cosines


def _flat_dimensions(embedding: Embedding) -> tuple[int, int]:
    """Return the number of dimensions, and of those that are hardly stronger than the last one."""
    values = embedding.singular_values
    if values is None or len(values) >= len(embedding):  # nothing was cut off
        return embedding.dimension if values is None else len(values), 0
    return len(values), int(np.count_nonzero(values[:-1] < FLAT * values[-1]))
