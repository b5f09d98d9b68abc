"""Readers and cleaning steps too plain to be wrong: the oracles of these tests."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TypeAlias

Paths: TypeAlias = list[tuple[Hashable, ...]]


def lines_of(data: bytes) -> list[str]:
    """Lines without their ends, the empty piece after a last line end left out."""
    lines = data.decode("utf-8-sig").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_text(data: bytes, delimiter: str | None = None) -> Paths:
    """One sequence a line that is not blank."""
    if delimiter is None:
        split = ([field for field in re.split("[ \t]+", line) if field] for line in lines_of(data))
        return [tuple(fields) for fields in split if fields]
    return [tuple(line.split(delimiter)) for line in lines_of(data) if line]


def collapse_repeats(path: list[int]) -> list[int]:
    """A node that follows itself counts once."""
    return [node for place, node in enumerate(path) if place == 0 or path[place - 1] != node]


def resolve(path: list[int], back_token: int, back: str) -> list[int]:
    """Walk with a trail of pages; a back-click takes the last one off."""
    trail: list[int] = []
    walked: list[int] = []
    for node in path:
        if node != back_token:
            trail.append(node)
            walked.append(node)
        elif len(trail) > 1:
            trail.pop()
            walked.append(trail[-1])
    return walked if back == "replay" else trail


def cut_at_length(path: list[int], most: int) -> list[list[int]]:
    """Pieces of at most this many nodes."""
    return [path[start : start + most] for start in range(0, len(path), most)] or [[]]


def cut_at_gaps(path: list[int], times: list[int], gap: int) -> list[list[int]]:
    """Pieces between jumps in time."""
    pieces: list[list[int]] = [[]]
    for place, node in enumerate(path):
        if place and times[place] - times[place - 1] > gap:
            pieces.append([])
        pieces[-1].append(node)
    return pieces
