"""Pack values and arrays into few bytes; the page unpacks them (web/src/unpack.ts)."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.io.rule_columns import json_value

UNSIGNED = (np.dtype("u1"), np.dtype("<u2"), np.dtype("<u4"))
SIGNED = (np.dtype("i1"), np.dtype("<i2"), np.dtype("<i4"))
KINDS = {kind: kind.str[1:] for kind in (*UNSIGNED, *SIGNED, np.dtype("<f4"), np.dtype("<f8"))}


def pack(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Compress a JSON header, preceded by its length, and the bytes of each array.

    The first bytes of all numbers of an array are stored together, then the second bytes, and so on. Similar bytes are
    then neighbors, which compresses to about two thirds of the size.
    """
    ready = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    shapes = {name: [KINDS[array.dtype], array.size] for name, array in ready.items()}
    header = json.dumps({"values": values, "arrays": shapes}, default=json_value, separators=(",", ":")).encode()
    planes = [array.reshape(-1, 1).view(np.uint8).T.tobytes() for array in ready.values()]
    return zlib.compress(b"".join([struct.pack("<I", len(header)), header, *planes]), 9)


def unpack(part: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what was packed.

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
    """Return whole numbers in the smallest type that holds them, clipped to 32 bits; signed if one is negative.

    >>> [narrow(np.array(numbers)).dtype.str for numbers in ([0, 255], [256], [-1, 127], [-1, 128])]
    ['|u1', '<u2', '|i1', '<i2']
    """
    lowest, highest = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    kinds = SIGNED if lowest < 0 else UNSIGNED
    fitting = (kind for kind in kinds if np.iinfo(kind).min <= lowest and highest <= np.iinfo(kind).max)
    kind = next(fitting, kinds[-1])
    return np.clip(numbers.astype(np.int64), np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)


class Numbered(NamedTuple):
    """The different texts of a column, and for each place the number of its text."""

    texts: list[str]
    numbers: NDArray[np.int64]


def numbered(column: Iterable[str]) -> Numbered:
    """Return the different texts of a column in the order of their appearance.

    >>> numbered(["a", "b", "a"])
    Numbered(texts=['a', 'b'], numbers=array([0, 1, 0]))
    """
    places: dict[str, int] = {}
    numbers = [places.setdefault(text, len(places)) for text in column]
    return Numbered(list(places), np.array(numbers, np.int64))


def in_steps(numbers: NDArray[Any], lowest: float, highest: float) -> NDArray[np.uint16]:
    """Quantize numbers of a range to 65,536 equal steps."""
    span = highest - lowest or 1.0
    return np.rint(np.clip((numbers - lowest) / span, 0, 1) * 65_535).astype(np.dtype("<u2"))
