"""Projection of vectors to two dimensions by t-SNE or to their principal axes."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of
from honem.embedding.embedding import Vectors
from honem.errors import MissingDependencyError, ParameterError

Tsne = Literal["opentsne", "sklearn"]
"""Which package runs t-SNE: openTSNE, an optional dependency and about twice as fast, or scikit-learn."""

Projection = Literal["auto", "tsne", "pca"]
"""How vectors become points: "auto" is t-SNE where it takes minutes at most, and principal axes elsewhere."""

PERPLEXITY = 30.0
FEWEST_FOR_TSNE, MOST_FOR_TSNE = 5, 30_000
"""Numbers of nodes between which t-SNE is worth while and takes minutes at most."""


def project(vectors: Vectors, seed: int, *, tsne: Tsne = "opentsne", n_jobs: int = 1) -> Vectors:
    """Project vectors to two dimensions by t-SNE, with perplexity 30, or less for fewer than 91 points.

    Parameters
    ----------
    vectors : ndarray of shape (n_points, n_dimensions)
        The vectors.
    seed : int
        Seed of t-SNE; the same seed gives the same points.
    tsne : {"opentsne", "sklearn"}, default="opentsne"
        Which package runs it.
    n_jobs : int, default=1
        Number of threads.

    Returns
    -------
    ndarray of shape (n_points, 2)

    Raises
    ------
    MissingDependencyError
        If openTSNE is requested and not installed.
    ParameterError
        If t-SNE finds no finite positions, for example for very few distinct vectors.
    """
    require_one_of("tsne", tsne, get_args(Tsne))
    perplexity = min(PERPLEXITY, max(1.0, (len(vectors) - 1) / 3))
    if tsne == "sklearn":
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits

        # n_jobs does not limit OpenMP, whose threads spend most of their time waiting when there are few points.
        with threadpool_limits(n_jobs, user_api="openmp"):
            projected = TSNE(perplexity=perplexity, random_state=seed, n_jobs=n_jobs).fit_transform(vectors)
    else:
        try:
            from openTSNE import TSNE as OpenTSNE  # noqa: N811
        except ImportError:
            raise MissingDependencyError(
                "t-SNE needs openTSNE: pip install 'honem[visualization]', or use tsne='sklearn'"
            ) from None
        projected = OpenTSNE(perplexity=perplexity, random_state=seed, n_jobs=n_jobs).fit(vectors)
    points = np.array(projected, np.float64)
    if not np.isfinite(points).all():
        distinct = len(np.unique(vectors, axis=0))
        raise ParameterError(
            f"t-SNE found no finite positions for these {len(points)} vectors, {distinct} of them distinct; "
            "try more dimensions, or tsne='sklearn'"
        )
    return points


def directions(vectors: Vectors) -> Vectors:
    """Scale vectors to length 1; zero vectors stay as they are."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def principal_axes(vectors: Vectors) -> Vectors:
    """Return the first two principal components of the unit vectors."""
    centred = directions(vectors) - directions(vectors).mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    points = np.zeros((len(vectors), 2))
    strongest = centred @ axes[:, ::-1][:, :2]
    points[:, : strongest.shape[1]] = strongest
    return points


def flat(vectors: Vectors, seed: int = 0) -> Vectors:
    """Project the directions of vectors by t-SNE if it is installed and takes minutes at most, else to principal axes.

    Parameters
    ----------
    vectors : ndarray of shape (n_points, n_dimensions)
        The vectors.
    seed : int, default=0
        Seed of t-SNE.

    Returns
    -------
    ndarray of shape (n_points, 2)

    Examples
    --------
    >>> flat(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]])).shape
    (3, 2)
    """
    if FEWEST_FOR_TSNE <= len(vectors) <= MOST_FOR_TSNE:
        try:
            return project(directions(vectors), seed)
        except (MissingDependencyError, ParameterError):
            pass  # principal axes need no package, and exist for any vectors
    return principal_axes(vectors)
