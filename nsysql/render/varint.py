"""Encode many numbers as varints at once: seven bits per byte, the lowest first."""

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
