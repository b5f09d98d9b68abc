"""The Benjamini-Hochberg procedure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

FALSE_DISCOVERY_RATE = 0.05


def false_discoveries_bounded(p_values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which hypotheses are rejected at a false discovery rate of 0.05."""
    if not len(p_values):
        return np.zeros(0, np.bool_)
    rejected: NDArray[np.bool_] = false_discovery_control(p_values) <= FALSE_DISCOVERY_RATE
    return rejected
