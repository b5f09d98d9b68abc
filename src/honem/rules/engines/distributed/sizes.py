"""Checks the size of a result before the driver fetches it."""

from __future__ import annotations

import os

from honem.errors import HonemError
from honem.rules.engines.distributed.executors.base import Limit

FEWER_RULES = "keep fewer rules (min_support, max_order)"
MEMORY_SHARE = 2  # at most half the memory of this machine: what is fetched is copied once


def require_room(size: int, limit: Limit | None, what: str, remedy: str) -> None:
    """Raise HonemError if `size` bytes are more than the executor lets through or the driver's machine holds."""
    if limit is not None and size > limit.size:
        raise HonemError(
            f"{what} would take {shown_size(size)} on the driver, more than {limit.setting} lets through; "
            f"raise it, or {remedy}"
        )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEMORY_SHARE
    if size > memory:
        raise HonemError(
            f"{what} would take {shown_size(size)} on the driver, more than half the memory of its machine "
            f"({shown_size(memory)}); use a larger driver, or {remedy}"
        )


def shown_size(size: int) -> str:
    """Format a number of bytes.

    >>> shown_size(3 * 2**29)
    '1.5 GiB'
    """
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 // 10 else f"{size / 2**20:,.1f} MiB"
