"""How much Spark lets the driver fetch, and the sizes of DataFrames."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from honem.errors import HonemError
from honem.rules.engines.distributed import sizes
from honem.rules.engines.distributed.executors.base import Limit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPARKS_DEFAULT = "1g"
UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def result_limit(session: SparkSession) -> Limit | None:
    """Return the limit that `spark.driver.maxResultSize` sets, or None if it is 0."""
    setting = session.conf.get("spark.driver.maxResultSize", SPARKS_DEFAULT) or SPARKS_DEFAULT
    size = parsed_size(setting)
    return Limit(size, f"spark.driver.maxResultSize={setting}") if size else None


def parsed_size(setting: str) -> int:
    """Parse a size as Spark writes it, in bytes.

    >>> parsed_size("1g"), parsed_size("512MB"), parsed_size("0")
    (1073741824, 536870912, 0)
    """
    found = re.fullmatch(r"(\d+)([bkmgt]?)b?", setting.strip().lower())
    if found is None:
        raise HonemError(f"spark.driver.maxResultSize={setting!r} is not a size such as 4g")
    return int(found[1]) * UNITS[found[2]]


def fetch_frame(frame: DataFrame, what: str, remedy: str) -> Any:
    """Bring a DataFrame to the driver as an Arrow table, if it fits; it should be persisted, as it is read twice."""
    sizes.require_room(size_of(frame), result_limit(frame.sparkSession), what, remedy)
    return frame.toArrow()


def size_of(frame: DataFrame) -> int:
    """Return the bytes of a DataFrame: the lengths of binary and text values, and 8 for every other value."""
    from pyspark.sql import functions as sql
    from pyspark.sql import types

    lengths = [
        sql.octet_length(field.name) if isinstance(field.dataType, (types.BinaryType, types.StringType)) else sql.lit(8)
        for field in frame.schema.fields
    ]
    total = sum(lengths[1:], start=lengths[0])
    row = frame.agg(sql.sum(total.cast("long"))).first()
    return int(row[0] or 0) if row is not None else 0
