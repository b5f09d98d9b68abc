"""Files that are probably not what they would be read as: text whose words are no nodes.

Only files whose format was not named are questioned; ``format="text"`` reads anything.
"""

from __future__ import annotations

import json
import re
from itertools import islice

from honem._internal.option_names import option
from honem.errors import InputError
from honem.io.paths.lines import LineChunk

ACCESS_LOG = re.compile(r'[^\s"]+ \S+ [^\[\n]+ \[\d\d/[A-Z][a-z]{2}/\d{4}:[^\]\n]+\] "')
MARKUP = re.compile(r"<(\?xml|!doctype html|html|log)\b", re.IGNORECASE)
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
BINARY = {b"PAR1": "parquet", b"ARRO": "arrow"}
NO_PATHS = {b"PK\3\4": "a zip file", b"SQLi": "a database of SQLite", b"%PDF": "a PDF file", b"\x89PNG": "a picture"}
LOOKED_AT = 200
LEAST_LINES = 3
LEAST_EDGES = 50
"""Lines of two words before they are questioned: a few short paths are nothing strange."""


def question_bytes(head: bytes, shown: str) -> None:
    """Raise InputError if the first four bytes are those of a file that is not text."""
    for magic, name in BINARY.items():
        if head.startswith(magic):
            raise InputError(f"{shown} is a file of Arrow or Parquet, not text; read it with {option('format', name)}")
    for magic, what in NO_PATHS.items():
        if head.startswith(magic):
            hint = f"; query it with {option('database')}" if magic == b"SQLi" else ""
            raise InputError(f"{shown} is {what}, not text with one path per line{hint}")


def question_lines(chunk: LineChunk) -> None:
    """Raise InputError if the first lines, which would be split at spaces, look like something else than paths."""
    if b"\0" in chunk.data[:4096]:
        raise InputError(f"{chunk.shown} is a binary file, not text with one path per line{_forced()}")
    start = chunk.data[: 2**20].decode(errors="ignore").splitlines()
    lines = list(islice((line for line in start if line.strip()), LOOKED_AT))
    found = next(filter(None, (look(lines) for look in (_markup, _access_log, _json, _separated, _edges))), None)
    if lines and found is not None:
        raise InputError(f"{chunk.shown} {found}{_forced()}")


def _forced() -> str:
    return f" ({option('format', 'text')} reads it as it is)"


def _markup(lines: list[str]) -> str | None:
    found = MARKUP.match(lines[0].lstrip()) if lines else None
    if found is None:
        return None
    if found[1].lower() in ("?xml", "log"):
        return f"looks like XML, not paths; if it is an event log, read it with {option('format', 'xes')}"
    return "looks like a web page (HTML), not paths"


def _access_log(lines: list[str]) -> str | None:
    if not lines or not ACCESS_LOG.match(lines[0]):
        return None
    return f"looks like an access log; read it with {option('format', 'access-log')}"


def _json(lines: list[str]) -> str | None:
    first = lines[0].lstrip() if lines else ""
    if not first.startswith(("{", "[")):
        return None
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        # A document over several lines begins with a bracket alone, or an opened object.
        is_document = re.fullmatch(r'[\[{]\s*("[^"]*"\s*:.*)?', first) is not None
        return "looks like a JSON document; only JSON lines can be read, one value per line" if is_document else None
    return f"looks like JSON lines; read it with {option('format', 'jsonl')}"


def _separated(lines: list[str]) -> str | None:
    """Recognize tables and lists with another delimiter, of which spaces would make one node per line."""
    if len(lines) < LEAST_LINES:
        return None
    for delimiter in (",", ";", "|"):
        amounts = {line.count(delimiter) for line in lines}
        is_table = len(amounts) == 1 and min(amounts) >= 2 and not any(character.isspace() for character in lines[0])
        if is_table or (0 not in amounts and not any(len(line.split()) > 1 for line in lines)):
            return (
                f"has {delimiter!r} between values: if it is a table with one row per visit, read it with "
                f"{option('format', 'csv')}, {option('entity')} and {option('node')}; if lines are paths, with "
                f"{option('delimiter', delimiter)}"
            )
    rows = [line.split("\t") for line in lines]
    if len({len(row) for row in rows}) == 1 and len(rows[0]) >= 3 and _has_header(rows):
        return (
            f"looks like a table with the columns {', '.join(rows[0][:5])}; read it with {option('format', 'tsv')}, "
            f"{option('entity')} and {option('node')}"
        )
    return None


def _has_header(rows: list[list[str]]) -> bool:
    """Return whether some column is numbers or dates below a name."""
    columns = list(zip(*rows, strict=True))
    return not any(NUMBER.match(name) for name in rows[0]) and any(
        all(NUMBER.match(value) for value in column[1:]) for column in columns
    )


def _edges(lines: list[str]) -> str | None:
    """Recognize lists of edges: pairs of nodes, alone or with a weight."""
    rows = [line.split() for line in lines]
    # Paths are often taken again; a list names each edge once.
    if len(rows) < LEAST_EDGES or len(set(map(tuple, rows))) < len(rows):
        return None
    if all(len(row) == 2 for row in rows):
        return "looks like a list of edges: every path has two nodes, so that nothing can depend on more than one"
    nodes = {node for row in rows for node in row[:2]}
    has_weights = all(len(row) == 3 and NUMBER.fullmatch(row[2]) for row in rows)
    # If nodes are numbers too, the third one of each line may be a node as well.
    if has_weights and not all(map(NUMBER.fullmatch, nodes)) and not any(row[2] in nodes for row in rows):
        return f"looks like a list of edges with weights; read it with {option('weighted')}"
    return None
