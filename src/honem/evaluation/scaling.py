"""How features are scaled for classifiers whose penalty depends on it; imported late, since it loads scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import StandardScaler

from honem.embedding import Vectors
from honem.evaluation.node_features import NodeFeatures

MEAN_SQUARED_LENGTH = 4.0
"""Of vectors after scaling, for any number of dimensions; a profile has one for each of its 23 columns.

Measured with HONEM on the five data sets: with more, logistic regression on both overfits the vectors; with less, it
loses what only vectors know."""


class WholeScaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Centre vectors, and divide all of them by one number, so that their mean squared length is fixed.

    Unlike `StandardScaler` it keeps the lengths of the dimensions: in most methods the last ones are short because they
    are mostly noise, which a regularised classifier should not see enlarged.

    Examples
    --------
    >>> WholeScaler().fit_transform(np.array([[0.0, 0.0], [6.0, 8.0]])).tolist()
    [[-1.2, -1.6], [1.2, 1.6]]
    """

    def fit(self, vectors: Vectors, y: Any = None) -> Self:
        """Compute mean and mean squared length."""
        self.mean_: NDArray[np.float64] = vectors.mean(axis=0)
        length = float(np.sqrt(((vectors - self.mean_) ** 2).sum(axis=1).mean()))
        self.scale_ = length / np.sqrt(MEAN_SQUARED_LENGTH) or 1.0
        return self

    def transform(self, vectors: Vectors) -> Vectors:
        """Return the centred and scaled vectors."""
        return np.asarray((vectors - self.mean_) / self.scale_)


def scaler_of(features: NodeFeatures) -> Any:
    """Return a transformer of `features.matrix` that scales vectors as a whole, and each column of a profile."""
    n_vectors, n_columns = features.vectors.shape[1], features.profile.shape[1]
    blocks = [
        ("vectors", WholeScaler(), slice(0, n_vectors)),
        ("profile", StandardScaler(), slice(n_vectors, n_vectors + n_columns)),
    ]
    return ColumnTransformer([block for block, used in zip(blocks, (n_vectors, n_columns), strict=True) if used])
