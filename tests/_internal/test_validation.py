"""Parameter checks accept what they describe and refuse everything else, with the name of the parameter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from honem import ParameterError
from honem._internal.validation import require_between, require_one_of, require_switch, require_whole


@pytest.mark.parametrize(
    ("check", "limits", "accepted", "refused"),
    [
        (require_whole, (1,), [1, np.int64(7)], [0, 1.0, True, "1", None]),
        (require_one_of, (("a", "b"),), ["a", "b"], ["c", None, 1]),
        (require_between, (0,), [1e-9, 3, np.float32(2)], [0, -1, math.inf, math.nan, True, "1", None]),
        (require_between, (0, 1), [0.5], [0, 1, 2]),
        (require_switch, (), [True, False], [1, 0, None, "yes"]),
    ],
)
def test_checks(check: Callable[..., None], limits: tuple[Any, ...], accepted: list[Any], refused: list[Any]) -> None:
    for value in accepted:
        check("option", value, *limits)
    for value in refused:
        with pytest.raises(ParameterError, match=r"^option must be .*not"):
            check("option", value, *limits)
