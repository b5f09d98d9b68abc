"""How features are scaled for classifiers whose penalty depends on it; imported late, since it loads scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import StandardScaler

from honem.embedding import Vectors
from honem.evaluation.node_features import NodeFeatures


class BlockScaler(StandardScaler):  # type: ignore[misc]
    """Standardize columns, and multiply them by a factor, so that a block of columns weighs as much as another.

    Parameters
    ----------
    factor : float, default=1.0
        What standardized columns are multiplied by.

    Examples
    --------
    >>> BlockScaler(0.5).fit_transform([[0.0], [6.0]]).tolist()
    [[-0.5], [0.5]]
    """

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor

    def transform(self, X: Any, copy: bool | None = None) -> Vectors:  # noqa: N803
        """Return the scaled columns."""
        return np.asarray(super().transform(X, copy) * self.factor)


def scaler_of(features: NodeFeatures) -> Any:
    """Return a transformer of `features.matrix` that standardizes all columns.

    Vectors beside a profile are scaled to its total variance. Otherwise a classifier with a penalty would nearly ignore
    the few columns of the profile beside the many of the vectors.
    """
    n_vectors, n_columns = features.vectors.shape[1], features.profile.shape[1]
    factor = float(np.sqrt(min(n_columns / n_vectors, 1.0))) if n_vectors and n_columns else 1.0
    blocks = [
        ("vectors", BlockScaler(factor), slice(0, n_vectors)),
        ("profile", BlockScaler(), slice(n_vectors, n_vectors + n_columns)),
    ]
    return ColumnTransformer([block for block, used in zip(blocks, (n_vectors, n_columns), strict=True) if used])
