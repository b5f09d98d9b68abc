"""Values and arrays in few bytes, as the page unpacks them (web/src/unpack.ts)."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.io.rule_columns import plain

KINDS = {np.dtype("u1"): "u1", np.dtype("<u2"): "u2", np.dtype("<u4"): "u4", np.dtype("<f4"): "f4"}


def pack(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Deflated: the length of a JSON header, the header, and the bytes of each array.

    All first bytes of an array's numbers stand together, then all second ones, and so on: like stands beside like, and
    deflates to about two thirds of what it would otherwise.
    """
    ready = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    shapes = {name: [KINDS[array.dtype], array.size] for name, array in ready.items()}
    header = json.dumps({"values": values, "arrays": shapes}, default=plain, separators=(",", ":")).encode()
    planes = [array.reshape(-1, 1).view(np.uint8).T.tobytes() for array in ready.values()]
    return zlib.compress(b"".join([struct.pack("<I", len(header)), header, *planes]), 9)


def unpack(part: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What was packed.

    >>> values, arrays = unpack(pack({"a": 1}, {"b": narrow(np.array([1, 300]))}))
    >>> values, arrays["b"].tolist(), arrays["b"].dtype.str
    ({'a': 1}, [1, 300], '<u2')
    """
    payload = zlib.decompress(part)
    (length,) = struct.unpack_from("<I", payload)
    header, place = json.loads(payload[4 : 4 + length]), 4 + length
    arrays = {}
    for name, (kind, size) in header["arrays"].items():
        dtype = np.dtype(kind).newbyteorder("<")
        planes = np.frombuffer(payload, np.uint8, size * dtype.itemsize, place).reshape(dtype.itemsize, size)
        arrays[name] = np.ascontiguousarray(planes.T).view(dtype).reshape(-1)
        place += planes.size
    return header["values"], arrays


def narrow(numbers: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of at least 0 in the smallest type that holds them; more than 32 bits are cut to the largest."""
    highest = int(numbers.max(initial=0))
    kind = np.dtype("u1") if highest < 1 << 8 else np.dtype("<u2") if highest < 1 << 16 else np.dtype("<u4")
    return np.minimum(numbers.astype(np.int64), (1 << 32) - 1).astype(kind, copy=False)


def in_steps(numbers: NDArray[Any], lowest: float, highest: float) -> NDArray[np.uint16]:
    """Numbers of a range in 65,536 equal steps."""
    span = highest - lowest or 1.0
    return np.rint(np.clip((numbers - lowest) / span, 0, 1) * 65_535).astype(np.dtype("<u2"))
