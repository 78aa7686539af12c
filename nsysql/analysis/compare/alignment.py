"""Align two sequences: their longest common subsequence, and the names in its gaps."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

LONGEST = 2_000  # names of a sequence that are aligned, as the table grows quadratically


def replaced(a: Sequence[str], b: Sequence[str], only_a: set[str], only_b: set[str]) -> Counter[tuple[str, str]]:
    """Count the pairs of a name only in A and a name only in B at the same position between common names.

    >>> replaced(["x", "f", "y", "x", "f", "y"], ["x", "g", "y", "x", "g", "y"], {"f"}, {"g"})
    Counter({('f', 'g'): 2})
    """
    a, b = a[:LONGEST], b[:LONGEST]
    common = [(-1, -1), *_common(a, b), (len(a), len(b))]
    found: Counter[tuple[str, str]] = Counter()
    for (i, j), (after_i, after_j) in pairwise(common):
        ours = [name for name in a[i + 1 : after_i] if name in only_a]
        theirs = [name for name in b[j + 1 : after_j] if name in only_b]
        if len(ours) == len(theirs):
            found.update(zip(ours, theirs, strict=True))
    return found


def _common(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The positions of a longest common subsequence, by dynamic programming with a table of arrays."""
    import numpy as np

    numbers = {name: i for i, name in enumerate(dict.fromkeys((*a, *b)))}
    right = np.array([numbers[name] for name in b], dtype=np.int64)
    rows = [np.zeros(len(b) + 1, dtype=np.int32)]
    for name in reversed(a):
        below = rows[-1]
        # Length of the common subsequence of a's rest and each suffix of b; the maximum runs from the right.
        best = np.maximum(below[:-1], np.where(right == numbers[name], below[1:] + 1, 0))
        rows.append(np.append(np.maximum.accumulate(best[::-1])[::-1], 0).astype(np.int32))
    rows.reverse()
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j] and rows[i][j] == rows[i + 1][j + 1] + 1:
            yield i, j
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
