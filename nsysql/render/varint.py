"""Numbers as varints, seven bits a byte, the lowest first: many at once."""

import numpy as np
import numpy.typing as npt

MOST = 10  # bytes of a number


def varints(numbers: npt.ArrayLike) -> bytes:
    """The numbers, none negative, one after the other.

    >>> varints([0, 127, 128, 300]).hex()
    '007f8001ac02'
    """
    values = np.asarray(numbers, np.uint64)  # by themselves numbers of both sizes would become floats
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
    """One number, not negative."""
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def width_of(values: "npt.NDArray[np.uint64]") -> int:
    """The bytes that the largest of the values takes."""
    return max(1, (int(values.max()).bit_length() + 6) // 7) if values.size else 1


def zigzag(numbers: npt.ArrayLike) -> "npt.NDArray[np.uint64]":
    """Numbers of either sign as ones of none: 0, -1, 1, -2 become 0, 1, 2, 3."""
    values = np.asarray(numbers, np.int64)
    return ((values << 1) ^ (values >> 63)).astype(np.uint64)
