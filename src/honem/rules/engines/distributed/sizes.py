"""What comes home from a cluster: looked at before it is fetched, and refused when it is too much."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from honem.errors import HonemError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FEWER_RULES = "keep fewer rules (min_support, max_order)"
SPARKS_DEFAULT = "1g"
UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
MEMORY_SHARE = 2  # at most half the memory of this machine: what is fetched is copied once


def fetch(frame: DataFrame, what: str, remedy: str) -> Any:
    """A frame as an Arrow table, if it fits; it should be persisted, as it is looked at first."""
    require_room(size_of(frame), frame.sparkSession, what, remedy)
    return frame.toArrow()


def size_of(frame: DataFrame) -> int:
    """The bytes of a frame: of binary and text columns their lengths, of all others eight a value."""
    from pyspark.sql import functions as sql
    from pyspark.sql import types

    lengths = [
        sql.octet_length(field.name) if isinstance(field.dataType, (types.BinaryType, types.StringType)) else sql.lit(8)
        for field in frame.schema.fields
    ]
    total = sum(lengths[1:], start=lengths[0])
    row = frame.agg(sql.sum(total.cast("long"))).first()
    return int(row[0] or 0) if row is not None else 0


def require_room(size: int, session: SparkSession, what: str, remedy: str) -> None:
    """Refuse to fetch more than Spark lets through or the driver's machine holds; the message says how much it is."""
    setting = session.conf.get("spark.driver.maxResultSize", SPARKS_DEFAULT) or SPARKS_DEFAULT
    allowed = parsed_size(setting)
    if allowed and size > allowed:
        raise HonemError(
            f"{what} would take {shown_size(size)} on the driver, more than spark.driver.maxResultSize={setting} lets "
            f"through; raise it, or {remedy}"
        )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEMORY_SHARE
    if size > memory:
        raise HonemError(
            f"{what} would take {shown_size(size)} on the driver, more than half the memory of its machine "
            f"({shown_size(memory)}); use a larger driver, or {remedy}"
        )


def parsed_size(setting: str) -> int:
    """Bytes of a size as Spark writes it; 0 is no limit.

    >>> parsed_size("1g"), parsed_size("512MB"), parsed_size("0")
    (1073741824, 536870912, 0)
    """
    found = re.fullmatch(r"(\d+)([bkmgt]?)b?", setting.strip().lower())
    if found is None:
        raise HonemError(f"spark.driver.maxResultSize={setting!r} is not a size such as 4g")
    return int(found[1]) * UNITS[found[2]]


def shown_size(size: int) -> str:
    """Bytes in words.

    >>> shown_size(3 * 2**29)
    '1.5 GiB'
    """
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 // 10 else f"{size / 2**20:,.1f} MiB"
