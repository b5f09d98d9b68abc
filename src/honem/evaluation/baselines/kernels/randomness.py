"""Random numbers inside kernels: splitmix64 (Steele et al. 2014), whose state is one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import inlined

STRIDE = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_1, SHIFT_2, SHIFT_3, TO_53_BITS = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@inlined
def next_state(state: Any) -> Any:
    """Return the next state."""
    return state + STRIDE


@inlined
def fraction(state: Any) -> Any:
    """Return the number in [0, 1) that belongs to a state."""
    mixed = (state ^ (state >> SHIFT_1)) * MIX_1
    mixed = (mixed ^ (mixed >> SHIFT_2)) * MIX_2
    return ((mixed ^ (mixed >> SHIFT_3)) >> TO_53_BITS) * UNIT
