"""Damage files as disks and transfers do: one bit, or everything from some byte on."""

from __future__ import annotations

import random
from collections.abc import Iterator


def flips(data: bytes, chance: random.Random, amount: int) -> Iterator[bytes]:
    """Yield copies of a file in which one bit is another."""
    for bit in chance.sample(range(8 * len(data)), min(amount, 8 * len(data))):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


def cuts(data: bytes, chance: random.Random, amount: int) -> Iterator[bytes]:
    """Yield beginnings of a file, and one copy with a byte added."""
    for length in {0, 1, len(data) - 1, *chance.sample(range(len(data)), min(amount, len(data)))}:
        yield data[:length]
    yield data + b"\0"
