"""What is too large for the driver is refused before it is fetched."""

from __future__ import annotations

import pytest

from honem import HonemError
from honem.rules.engines.distributed.executors.base import Limit
from honem.rules.engines.distributed.sizes import require_room


def test_what_does_not_fit_is_refused_with_its_size_and_a_remedy() -> None:
    limit = Limit(2**20, "maxResultSize=1m")
    require_room(2**20, limit, "the rules", "keep fewer")
    with pytest.raises(
        HonemError,
        match=r"the rules would take 3\.0 MiB on the driver, more than maxResultSize=1m lets through; "
        r"raise it, or keep fewer",
    ):
        require_room(3 * 2**20, limit, "the rules", "keep fewer")
    with pytest.raises(HonemError, match=r"1\.5 GiB"):
        require_room(3 * 2**29, limit, "the rules", "keep fewer")
    require_room(3 * 2**29, None, "the rules", "keep fewer")
    with pytest.raises(HonemError, match=r"more than half the memory .*; use a larger driver, or keep fewer"):
        require_room(2**60, None, "the rules", "keep fewer")
