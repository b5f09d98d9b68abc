"""Weights of sequences from text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import MAX_COUNT
from honem.errors import InputError


def parse_weights(words: Any, place: Callable[[int], str]) -> NDArray[np.int64]:
    """Parse positive whole numbers (`12` or `12.0`); `place(row)` names the place of a wrong one in the error."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.match_substring_regex(words, r"^0*[1-9][0-9]{0,18}(\.0*)?$")
    if not pc.all(whole, min_count=0).as_py():
        row = pc.index(whole, pa.scalar(False)).as_py()
        raise InputError(
            f"{place(row)}: the weight {words[row].as_py()!r:.60} is not a positive whole number of at most {MAX_COUNT}"
        )
    digits = pc.replace_substring_regex(words, r"\.0*$", "")
    try:
        weights: NDArray[np.int64] = digits.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        row = next(row for row, word in enumerate(digits.to_pylist()) if int(word) > MAX_COUNT)
        raise InputError(
            f"{place(row)}: the weight {words[row]} is more than 64-bit counts can hold ({MAX_COUNT})"
        ) from None
    return weights
