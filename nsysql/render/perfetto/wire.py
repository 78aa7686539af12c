"""Protobuf for many rows at once: a message of a row is a row of bytes, and all rows are equally long.

Every number in a column takes as many bytes as the largest: a varint may be padded with zero bits. A column of bytes is
an array of uint8 with a row per message; a message's parts are columns side by side.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MOST = 10  # most bytes of a number


def varints(numbers: npt.ArrayLike) -> bytes:
    """The varints of non-negative numbers, concatenated.

    >>> varints([0, 127, 128, 300]).hex()
    '007f8001ac02'
    """
    values = np.asarray(numbers, np.uint64)  # without the dtype, mixed sizes would become floats
    if not values.size:
        return b""
    width = width_of(values)
    septets = values[:, None] >> (np.arange(width, dtype=np.uint64) * np.uint64(7))
    more = np.zeros(septets.shape, bool)
    more[:, :-1] = septets[:, 1:] > 0
    made = (septets & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
    used = np.ones(septets.shape, bool)
    used[:, 1:] = septets[:, 1:] > 0
    return made[used].tobytes()


def varint(number: int) -> bytes:
    """The varint of one non-negative number."""
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def width_of(values: "npt.NDArray[np.uint64]") -> int:
    """The number of bytes of the largest value's varint."""
    return max(1, (int(values.max()).bit_length() + 6) // 7) if values.size else 1


def zigzag(numbers: npt.ArrayLike) -> "npt.NDArray[np.uint64]":
    """Map signed to unsigned numbers: 0, -1, 1, -2 become 0, 1, 2, 3."""
    values = np.asarray(numbers, np.int64)
    return ((values << 1) ^ (values >> 63)).astype(np.uint64)


Bytes = npt.NDArray[np.uint8]
VARINT, FIXED64, DELIMITED = 0, 1, 2  # wire types


def tag(field: int, kind: int) -> bytes:
    """The tag of a field."""
    return varint(field << 3 | kind)


def number(field: int, value: int) -> bytes:
    """A number as a field of one message."""
    return tag(field, VARINT) + varint(value)


def text(field: int, value: str) -> bytes:
    """A text as a field of one message; invalid UTF-8 is escaped."""
    return message(field, value.encode("utf-8", "backslashreplace"))


def message(field: int, *parts: bytes) -> bytes:
    """A message, or bytes, as a field of one message."""
    body = b"".join(parts)
    return tag(field, DELIMITED) + varint(len(body)) + body


def entries(field: int, values: Sequence[str], first: int) -> bytes:
    """Interned texts numbered from `first` on, each a message of number (1) and text (2), as a field."""
    head, numbered, named = tag(field, DELIMITED), tag(1, VARINT), tag(2, DELIMITED)
    made = []
    for place, value in enumerate(values, first):
        data, own = value.encode("utf-8", "backslashreplace"), numbered + varint(place) + named
        length = varint(len(data))
        made += [head, varint(len(own) + len(length) + len(data)), own, length, data]
    return b"".join(made)


def numbers(field: int, values: npt.ArrayLike) -> Bytes:
    """A column of non-negative numbers as fields, one per message.

    >>> numbers(1, [1, 300]).tolist()
    [[8, 129, 0], [8, 172, 2]]
    """
    column = np.asarray(values).astype(np.uint64)
    width = width_of(column)
    head = tag(field, VARINT)
    made = np.empty((column.size, len(head) + width), np.uint8)
    made[:, : len(head)] = np.frombuffer(head, np.uint8)
    for place in range(width):
        septet = (column & np.uint64(0x7F)).astype(np.uint8)
        made[:, len(head) + place] = septet if place == width - 1 else septet | 0x80
        column = column >> np.uint64(7)
    return made


def constants(data: bytes, rows: int) -> Bytes:
    """The same bytes in each of `count` messages."""
    return np.broadcast_to(np.frombuffer(data, np.uint8), (rows, len(data)))


def messages(field: int, parts: Sequence[Bytes]) -> Bytes:
    """Submessages made of these columns, as fields, one per message."""
    width = sum(part.shape[1] for part in parts)
    head = tag(field, DELIMITED) + varint(width)
    return np.hstack([constants(head, parts[0].shape[0]), *parts])


def interleaved(parts: Sequence[tuple[npt.NDArray[np.int64], Bytes]], rows: int) -> bytes:
    """Merge messages of several kinds: each kind has the positions of its rows in the result, and their bytes."""
    widest = max((data.shape[1] for _, data in parts), default=0)
    made, width = np.empty((rows, widest), np.uint8), np.zeros(rows, np.int64)
    for places, data in parts:
        made[places, : data.shape[1]] = data
        width[places] = data.shape[1]
    return made[np.arange(widest) < width[:, None]].tobytes()
