"""What describes nodes to a classifier: vectors, profiles, or both side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from honem.embedding import Vectors


class NodeFeatures(NamedTuple):
    """The features of nodes, one row each; a block that is not used has no columns."""

    vectors: Vectors
    profile: Vectors

    @property
    def matrix(self) -> Vectors:
        """Both blocks side by side."""
        return np.hstack((self.vectors, self.profile))
