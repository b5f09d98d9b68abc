"""The size of the content of Arrow IPC messages, from their metadata, before anything is decompressed.

pyarrow decompresses a whole record batch at once and has no limit for it, so a small file can fill the memory. Each
compressed buffer begins with the number of bytes that it decompresses to, and Arrow checks that number.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from
from typing import Any

# Positions of fields in the tables of Arrow's Message.fbs.
HEADER_TYPE, HEADER = 1, 2
DICTIONARY_DATA = 1
BUFFERS, COMPRESSION = 2, 3
DICTIONARY_BATCH, RECORD_BATCH = 2, 3

NOT_COMPRESSED = -1
LENGTH_PREFIX = 8


def content_sizes(messages: Any) -> Iterator[int]:
    """Yield the number of bytes that each message of a `pyarrow.ipc.MessageReader` decompresses to.

    Raises
    ------
    struct.error
        If the metadata of a message is damaged.
    """
    for message in messages:
        batch = _record_batch(message.metadata)
        if batch is not None:
            yield _content_size(message.metadata, batch, message.body)


def _record_batch(metadata: Any) -> int | None:
    """Return where the table of the record batch begins, or None if the message has no data."""
    (message,) = unpack_from("<I", metadata)
    kind_at, header_at = _field(metadata, message, HEADER_TYPE), _field(metadata, message, HEADER)
    if kind_at is None or header_at is None:
        return None
    (kind,) = unpack_from("<B", metadata, kind_at)
    if kind == RECORD_BATCH:
        return _target(metadata, header_at)
    data_at = _field(metadata, _target(metadata, header_at), DICTIONARY_DATA) if kind == DICTIONARY_BATCH else None
    return None if data_at is None else _target(metadata, data_at)


def _content_size(metadata: Any, batch: int, body: Any) -> int:
    is_compressed = _field(metadata, batch, COMPRESSION) is not None
    size = 0
    for offset, length in _buffers(metadata, batch):
        if is_compressed and length >= LENGTH_PREFIX:
            (claimed,) = unpack_from("<q", body, offset)
            length = length - LENGTH_PREFIX if claimed == NOT_COMPRESSED else max(claimed, 0)
        size += max(length, 0)
    return size


def _buffers(metadata: Any, batch: int) -> Iterator[tuple[int, int]]:
    """Yield offset and length of each buffer of a record batch."""
    at = _field(metadata, batch, BUFFERS)
    if at is None:
        return
    vector = _target(metadata, at)
    (amount,) = unpack_from("<I", metadata, vector)
    for number in range(amount):
        yield unpack_from("<qq", metadata, vector + 4 + 16 * number)


def _target(metadata: Any, at: int) -> int:
    """Follow an offset of a flatbuffer."""
    return at + int(unpack_from("<I", metadata, at)[0])


def _field(metadata: Any, table: int, number: int) -> int | None:
    """Return where a field of a flatbuffer's table is, or None if it has its default."""
    vtable = table - unpack_from("<i", metadata, table)[0]
    (vtable_bytes,) = unpack_from("<H", metadata, vtable)
    entry = 4 + 2 * number
    offset = unpack_from("<H", metadata, vtable + entry)[0] if entry < vtable_bytes else 0
    return table + offset if offset else None
