"""JSON lines: each line is a list of nodes, or an object that contains one.

Parsed by Python's own parser, not a columnar one: `1` and `"1"` are two nodes, and one list may hold both.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from honem._internal.option_names import option
from honem.corpus import MAX_COUNT
from honem.errors import InputError
from honem.io.paths.building import Labelled, Parsed
from honem.io.paths.cleaning import Batch
from honem.io.paths.lines import LineChunk, read_line_chunks
from honem.io.paths.options import JsonLayout
from honem.io.paths.registry import SequenceFormat, register
from honem.io.paths.settings import Settings
from honem.io.paths.sources import Stream

NODE_TYPES = frozenset((str, int, float))


def read_json_lines(stream: Stream, layout: JsonLayout) -> Iterator[Parsed]:
    """Parse one file into batches of sequences, with counts of what was left out."""
    return (_parse_chunk(chunk, layout) for chunk in read_line_chunks(stream))


def _layout(settings: Settings) -> JsonLayout:
    return settings.layout(JsonLayout, "JSON lines")


register(
    SequenceFormat(
        name="jsonl",
        extensions=(".jsonl", ".ndjson"),
        description="JSON lines: one list of nodes per line, or one object with a list in a field",
        layouts=(JsonLayout,),
        layout=_layout,
        read=read_json_lines,
    )
)


def _parse_chunk(chunk: LineChunk, layout: JsonLayout) -> Parsed:
    numbers: defaultdict[Hashable, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    tokens: list[int] = []
    lengths: list[int] = []
    weights: list[int] = []
    lines = chunk.data.split(b"\n")[:-1]
    for number, line in enumerate(lines):
        if line.strip(b" \t\r"):
            value = _parse(line, chunk, number)
            nodes = _nodes(value, layout, chunk.place(number))
            tokens.extend(map(numbers.__getitem__, nodes))
            lengths.append(len(nodes))
            if layout.weight is not None:
                weights.append(_weight(value, layout.weight, chunk.place(number)))
    batch = Batch(
        np.array(tokens, np.int32),
        np.array(lengths, np.int64),
        None if layout.weight is None else np.array(weights, np.int64),
    )
    counts = Counter(lines=len(lines), blank_lines=len(lines) - len(lengths))
    return Labelled(tuple(numbers), batch, chunk.place(0)), counts


def _parse(line: bytes, chunk: LineChunk, number: int) -> Any:
    try:
        return json.loads(line.decode(), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{chunk.place(number)}, column {error.colno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{chunk.place(number)}: cannot be read as JSON ({error})") from None


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON value")


def _nodes(value: Any, layout: JsonLayout, place: str) -> list[Any]:
    if layout.field is not None:
        value = _field(value, layout.field, place)
    elif isinstance(value, dict):
        raise InputError(f"{place} is an object; name the {option('field')} with the path (it has {_some(value)})")
    if not isinstance(value, list):
        raise InputError(f"{place}: a path must be a list of nodes, not {json.dumps(value):.60}")
    if not NODE_TYPES.issuperset(map(type, value)):
        wrong = next(node for node in value if type(node) not in NODE_TYPES)
        raise InputError(f"{place}: a node must be a string or a number, not {json.dumps(wrong):.60}")
    for node in value:
        # Only an escape such as \ud800 makes such a string: half a character, which cannot be written to a file.
        if isinstance(node, str) and not node.isascii() and _has_surrogate(node):
            raise InputError(f"{place}: the node {json.dumps(node):.60} holds half a character (a lone surrogate)")
    return value


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _field(value: Any, field: str, place: str) -> Any:
    if not isinstance(value, dict):
        raise InputError(
            f"{place}: field {field!r} was requested, but the line is not an object: {json.dumps(value):.60}"
        )
    if field not in value:
        raise InputError(f"{place} has no field {field!r}; it has {_some(value)}")
    return value[field]


def _weight(value: Any, field: str, place: str) -> int:
    weight = _field(value, field, place)
    if type(weight) not in (int, float) or not 1 <= weight <= MAX_COUNT or weight != int(weight):
        raise InputError(f"{place}: the weight {json.dumps(weight):.60} is not a positive whole number")
    return int(weight)


def _some(value: dict[str, Any]) -> str:
    return ", ".join(map(repr, list(value)[:10])) or "none"
