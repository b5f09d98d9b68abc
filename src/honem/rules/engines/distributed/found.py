"""Found: what one pass told, held by Spark, with its sizes by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from honem.rules.engines.distributed.chunks import unpack_column
from honem.rules.engines.distributed.session import letting_go
from honem.rules.engines.distributed.sizes import FEWER_RULES, require_room

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False)
class Found:
    """Rows of growing.FOUND; of each kind, how many contexts there are and the bytes of both columns."""

    frame: DataFrame
    totals: dict[str, dict[str, int]]

    @classmethod
    def of(cls, frame: DataFrame) -> Found:
        """Run the pass and hold what it tells."""
        from pyspark.sql import functions as sql

        frame = frame.persist()
        sizes = [sql.sum(sql.octet_length(name)).alias(name) for name in ("contexts", "rows")]
        with letting_go(frame.unpersist):
            rows = frame.groupBy("kind").agg(sql.sum("amount").alias("amount"), *sizes).collect()
        return cls(frame, {row["kind"]: row.asDict() for row in rows})

    def amount(self, kind: str) -> int:
        """How many contexts of one kind there are."""
        return self.totals[kind]["amount"] if kind in self.totals else 0

    def size(self, kind: str, column: str) -> int:
        """The bytes of one column."""
        return self.totals[kind][column] if kind in self.totals else 0

    def of_kind(self, kind: str) -> DataFrame:
        """The rows of one kind."""
        return self.frame.where(f"kind = '{kind}'")


def fetch_nouns(passes: Sequence[Found], kind: str, column: str, what: str) -> list[Any]:
    """One column of one kind, of several passes, brought home if it fits."""
    session = passes[0].frame.sparkSession
    require_room(sum(found.size(kind, column) for found in passes), session, what, FEWER_RULES)
    return [
        noun
        for found in passes
        if found.amount(kind)
        for noun in unpack_column(found.of_kind(kind).select(column).toArrow().to_batches(), column)
    ]
