"""Vectors to points in two dimensions, by t-SNE."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of
from honem.embedding.embedding import Vectors
from honem.errors import MissingDependencyError, ParameterError

Tsne = Literal["opentsne", "sklearn"]
"""Who does the t-SNE: openTSNE, an extra and about twice as quick, or scikit-learn; neither stands in for the other."""

PERPLEXITY = 30.0


def project(vectors: Vectors, seed: int, *, tsne: Tsne = "opentsne", n_jobs: int = 1) -> Vectors:
    """t-SNE to two dimensions, the same for the same seed; perplexity 30, or less for fewer than 91 points."""
    require_one_of("tsne", tsne, get_args(Tsne))
    perplexity = min(PERPLEXITY, max(1.0, (len(vectors) - 1) / 3))
    if tsne == "sklearn":
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits

        # Its n_jobs says nothing to OpenMP, whose threads wait for each other more than they work on few points.
        with threadpool_limits(n_jobs, user_api="openmp"):
            projected = TSNE(perplexity=perplexity, random_state=seed, n_jobs=n_jobs).fit_transform(vectors)
    else:
        try:
            from openTSNE import TSNE as OpenTSNE  # noqa: N811
        except ImportError:
            raise MissingDependencyError(
                "t-SNE is done by openTSNE: pip install 'honem[visualization]', or take tsne='sklearn'"
            ) from None
        projected = OpenTSNE(perplexity=perplexity, random_state=seed, n_jobs=n_jobs).fit(vectors)
    points = np.array(projected, np.float64)
    if not np.isfinite(points).all():
        distinct = len(np.unique(vectors, axis=0))
        raise ParameterError(
            f"t-SNE has no place for these {len(points)} vectors, {distinct} distinct; "
            "try more dimensions, or tsne='sklearn'"
        )
    return points
