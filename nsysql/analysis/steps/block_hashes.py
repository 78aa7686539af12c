"""Rolling hashes of launch sequences: equal blocks of launches have equal hashes, wherever they are.

The launch at index i contributes hash(symbol) * FACTOR ** i. The sum over a block, divided by FACTOR to the power of
its first index, depends only on its sequence of symbols. Sums and powers are modulo 2 ** 64 and sums are prefix sums,
so long blocks cost no more than short ones.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

FACTOR = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2 ** 64
INVERSE = pow(FACTOR, -1, 2**64)

Numbers = NDArray[np.uint64]


class BlockHashes:
    """Hashes of blocks in the launches of a process."""

    def __init__(self, symbols: pl.Series) -> None:
        hashes = symbols.hash().to_numpy()
        self._until = _sums(hashes * _powers(FACTOR, hashes.size))
        self._inverses = _powers(INVERSE, hashes.size + 1)

    def of(self, begins: pl.Series, ends: pl.Series) -> pl.Series:
        """The hash of each block [begin, end) of launches."""
        first, end = begins.to_numpy(), ends.to_numpy()
        return pl.Series((self._until[end] - self._until[first]) * self._inverses[first])


def _powers(base: int, count: int) -> Numbers:
    powers = np.full(count, base, dtype=np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers)


def _sums(numbers: Numbers) -> Numbers:
    """Prefix sums: the sum of the numbers before each position, and of all."""
    return np.concatenate([np.zeros(1, dtype=np.uint64), np.add.accumulate(numbers)])
