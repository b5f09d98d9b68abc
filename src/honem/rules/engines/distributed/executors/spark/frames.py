"""Brings DataFrames and files of paths into two columns: `sequence`, an array of nodes, and optionally `weight`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

from honem._internal.validation import require_one_of
from honem.errors import CorpusError, InputError, ParameterError
from honem.io.paths.options import TextLayout
from honem.rules.engines.distributed.executors.spark.session import spark_message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SparkFormat = Literal["text", "parquet"]
SPARK_OPTIONS = (
    *("format", "delimiter", "id_column", "weighted", "comment"),
    *("field", "weight", "entity", "time", "node"),
)
SparkPaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
WHOLE = ("tinyint", "smallint", "int", "bigint")


def sequences_of(frame: DataFrame, field: str | None = None, weight: str | None = None) -> DataFrame:
    """Read one row per sequence: the only column of arrays, or the one that `field` names."""
    from pyspark.sql import functions as sql

    kinds = dict(frame.dtypes)
    arrays = [name for name, kind in kinds.items() if kind.startswith("array<")]
    require_columns(frame, field, weight)
    if field is None:
        if len(arrays) != 1:
            raise CorpusError(
                f"of the columns {', '.join(kinds)} {len(arrays)} are arrays; say with `field` which holds the path"
            )
        field = arrays[0]
    if field not in arrays:
        raise CorpusError(f"the column {field!r} is {kinds[field]}, not an array of nodes")
    columns = [sql.col(f"`{field}`").alias("sequence")]
    if weight is not None:
        if kinds[weight] not in WHOLE:
            raise CorpusError(f"the weights in {weight!r} are {kinds[weight]}; they must be whole numbers")
        columns.append(sql.col(f"`{weight}`").cast("long").alias("weight"))
    return frame.select(*columns)


def events_as_sequences(frame: DataFrame, entity: str, time: str, node: str) -> DataFrame:
    """Read one row per visit: the visits of each entity sorted by time, and by node at equal times."""
    from pyspark.sql import functions as sql

    require_columns(frame, entity, time, node)
    who, when, where = (sql.col(f"`{name}`") for name in (entity, time, node))
    incomplete = frame.where(who.isNull() | when.isNull() | where.isNull()).count()
    if incomplete:
        raise CorpusError(f"{incomplete} visits lack {entity}, {time} or {node} (null); leave those rows out first")
    visits = frame.select(who.alias("entity"), sql.struct(when.alias("time"), where.alias("node")).alias("visit"))
    gathered = visits.groupBy("entity").agg(sql.sort_array(sql.collect_list("visit")).alias("visits"))
    return gathered.select(sql.col("visits.node").alias("sequence"))


def file_as_sequences(
    session: SparkSession,
    path: SparkPaths,
    *,
    format: SparkFormat | None = None,
    delimiter: str | None = None,
    id_column: bool = False,
    weighted: bool = False,
    comment: str | None = None,
    field: str | None = None,
    weight: str | None = None,
    entity: str | None = None,
    time: str | None = None,
    node: str | None = None,
) -> DataFrame:
    """Read Parquet or text files; the format is inferred from the file extension unless `format` is given.

    The options have the meaning of honem.io.paths.options. Text has one sequence per line (`delimiter`, `id_column`,
    `weighted`, `comment`). Parquet has one row per sequence (`field`, `weight`) or per visit (`entity`, `time`,
    `node`).
    """
    paths = [os.fspath(one) for one in ([path] if isinstance(path, (str, os.PathLike)) else path)]
    is_table = any(name is not None for name in (field, entity))
    chosen = format or ("parquet" if is_table or all(one.endswith(".parquet") for one in paths) else "text")
    require_one_of("format", chosen, get_args(SparkFormat))
    for_text = {"delimiter": delimiter, "id_column": id_column, "weighted": weighted, "comment": comment}
    for_tables = {"field": field, "weight": weight, "entity": entity, "time": time, "node": node}
    for name, value in (for_tables if chosen == "text" else for_text).items():
        if value not in (None, False):
            raise ParameterError(f"{name}={value!r} has no meaning for {chosen}")
    layout = TextLayout(delimiter, id_column, weighted, comment)
    frame = open_files(session, paths, chosen)
    if chosen == "text":
        return lines_as_sequences(frame, layout)
    if entity is None:
        return sequences_of(frame, field, weight)
    if time is None or node is None or weight is not None:
        raise ParameterError("events on Spark need entity, time and node, and have no weight")
    return events_as_sequences(frame, entity, time, node)


def open_files(session: SparkSession, paths: list[str], chosen: str) -> DataFrame:
    """Open files as a DataFrame; raise InputError with one line if Spark cannot read them."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return session.read.format(chosen).option("lineSep", "\n").load(paths)
    except (PySparkException, Py4JError) as error:
        raise InputError(f"{', '.join(paths)}: {spark_message(error).split(' SQLSTATE')[0]}") from None


def lines_as_sequences(lines: DataFrame, layout: TextLayout) -> DataFrame:
    """Read one sequence per line; blank lines are left out."""
    from pyspark.sql import functions as sql

    line = sql.validate_utf8("value")
    if layout.comment is not None:
        lines = lines.where(~line.startswith(layout.comment))
    lines = lines.where(~line.rlike(r"^[ \t\r]*$" if layout.delimiter is None else r"^\r?$"))
    line = sql.regexp_replace(line, "\r$", "")
    if layout.delimiter is None:
        fields = sql.split(sql.regexp_replace(line, r"^[ \t]+|[ \t]+$", ""), r"[ \t]+")
    else:
        fields = sql.split(line, re.escape(layout.delimiter), -1)
    n_ends = int(layout.id_column) + int(layout.weighted)
    # The length of a slice must not be negative: a line may have no field but its id.
    nodes = sql.slice(fields, 1 + int(layout.id_column), sql.greatest(sql.size(fields) - n_ends, sql.lit(0)))
    # Nothing between two delimiters is not a node; it is reported as missing.
    sequence = sql.transform(nodes, lambda name: sql.when(name != "", name)).alias("sequence")
    if not layout.weighted:
        return lines.select(sequence)
    word = sql.element_at(fields, -1)
    is_weight = word.rlike(r"^\d+(\.0*)?$") & (sql.size(nodes) > 0)
    weight = sql.when(is_weight, sql.regexp_replace(word, r"\.0*$", "").try_cast("long"))
    return lines.select(sequence, weight.alias("weight"))


def require_columns(frame: DataFrame, *names: str | None) -> None:
    """Raise CorpusError for columns that a frame does not have."""
    for name in names:
        if name is not None and name not in frame.columns:
            raise CorpusError(f"there is no column {name!r}; the columns are {', '.join(frame.columns)}")
