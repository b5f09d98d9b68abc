"""Projection of vectors to two dimensions by t-SNE."""

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
