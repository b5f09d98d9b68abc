"""The engines against each other on real paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honem import extract_rules, read_paths
from tests.comparing import assert_same_rules


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lloyds", "us_flights", "porto_poi", "shenzhen", "wikispeedia"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"count": "sequences", "alpha": 0.2, "lower_orders": "significant"},
        {"criterion": "divergence"},
        {"criterion": "divergence", "min_support": 5, "lower_orders": "hon"},
        {"criterion": "divergence", "support": "transition", "min_support": 3},
    ],
)
def test_engines_agree_on_real_paths(real_data: Path, name: str, options: dict[str, Any]) -> None:
    corpus = read_paths(real_data / name / "paths.txt.gz")
    assert_same_rules(extract_rules(corpus, **options), extract_rules(corpus, engine="reference", **options))
