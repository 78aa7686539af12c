"""Sequences of launches as numbers: equal blocks of launches have equal ones, wherever they lie.

A launch at place i of all counts hash(symbol) * FACTOR ** i. What a block of launches counts, divided by FACTOR to the
power of its first place, depends on the order of its symbols alone. Sums and powers are taken modulo 2 ** 64, so a
block costs the same whether it is short or long.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

FACTOR = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2 ** 64
INVERSE = pow(FACTOR, -1, 2**64)

Numbers = NDArray[np.uint64]


class BlockHashes:
    """The launches of a process, in order, of which stretches are to be compared."""

    def __init__(self, symbols: pl.Series) -> None:
        hashes = symbols.hash().to_numpy()
        self._until = _sums(hashes * _powers(FACTOR, hashes.size))
        self._inverses = _powers(INVERSE, hashes.size + 1)

    def of(self, begins: pl.Series, ends: pl.Series) -> pl.Series:
        """The sequence of each stretch of launches, from its first place to before its end, as a number."""
        first, end = begins.to_numpy(), ends.to_numpy()
        return pl.Series((self._until[end] - self._until[first]) * self._inverses[first])


def _powers(base: int, count: int) -> Numbers:
    powers = np.full(count, base, dtype=np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers)


def _sums(numbers: Numbers) -> Numbers:
    """What the numbers before each place sum to, and all of them."""
    return np.concatenate([np.zeros(1, dtype=np.uint64), np.add.accumulate(numbers)])
