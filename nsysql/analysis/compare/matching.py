"""Match the accounts of A and B: by name, by parts of the name, then by position in the launch sequence."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from nsysql.analysis.digest import KERNELS, Key
from nsysql.words.kernel_names import ALL, short

NAME, NOTATION, SHORT_NAME = "name", "name in other notation", "short name"
WITHOUT_ARGUMENTS, NUMBERS, PLACE = "name without arguments", "name without numbers", "place in the sequence"
LONGEST = 2_000  # names of a sequence that are aligned, as the table grows quadratically
PLACED = (*KERNELS, "cpu")  # kinds that occur in the launch sequence


@dataclass(frozen=True)
class Match:
    """A matched account: its key in A, in B, or in both, and how the match was found."""

    a: Key | None
    b: Key | None
    by: str


@dataclass(frozen=True)
class Names:
    """The accounts of one side, the largest first, and the kernels in launch order."""

    keys: tuple[Key, ...]
    sequence: tuple[str, ...]


def matched(a: Names, b: Names) -> list[Match]:
    """Match every account of both sides once, in A's order, then those only in B. matched(b, a) is this, swapped."""
    if (b.sequence, sorted(b.keys)) < (a.sequence, sorted(a.keys)):
        swapped = {"only in A": "only in B", "only in B": "only in A"}
        back = [Match(m.b, m.a, swapped.get(m.by, m.by)) for m in matched(b, a)]
        order = {key: i for i, key in enumerate(a.keys)}
        return sorted(back, key=lambda m: order.get(m.a, len(order)) if m.a else len(order))
    pairs = {key: (key, NAME) for key in a.keys if key in set(b.keys)}
    _pair(a, b, pairs, partial(short, detail=ALL), NOTATION)
    _pair(a, b, pairs, short, SHORT_NAME)
    _pair(a, b, pairs, root, WITHOUT_ARGUMENTS, most=1)  # if several share a name, their arguments distinguish them
    _pair(a, b, pairs, without_numbers, NUMBERS)
    _by_place(a, b, pairs)
    _pair(a, b, pairs, without_numbers, NUMBERS, is_largest=True)
    matches = [Match(key, *pairs[key]) if key in pairs else Match(key, None, "only in A") for key in a.keys]
    taken = {key for key, _ in pairs.values()}
    return matches + [Match(None, key, "only in B") for key in b.keys if key not in taken]


def root(name: str) -> str:
    """Return a kernel's name without namespaces, parameters and template arguments.

    >>> root("void ns::gemm<float, (int)4>(float *)")
    'gemm'
    """
    return short(name).partition("<")[0]


def without_numbers(name: str) -> str:
    """Return root() with # for numbers: compilers write line numbers and tile sizes into names.

    >>> without_numbers("main_58_gpu"), without_numbers("sgemm_128x64_tn")
    ('main_#_gpu', 'sgemm_#x#_tn')
    """
    return re.sub(r"\d+", "#", root(name))


Pairs = dict[Key, tuple[Key, str]]


def _pair(
    a: Names, b: Names, pairs: Pairs, of: Callable[[str], str], by: str, most: int | None = None,
    is_largest: bool = False,
) -> None:  # fmt: skip
    """Pair kernels of equal kind and shortened name, if A and B have equally many, in order of their first launches.

    `most` is the largest allowed number; with `is_largest` a single kernel is paired with the longest of several.
    """
    theirs = _by_short_name(_unmatched(b.keys, {key for key, _ in pairs.values()}), b.sequence, of)
    for shortened, ours in _by_short_name(_unmatched(a.keys, pairs), a.sequence, of).items():
        others = theirs.get(shortened, [])
        if is_largest and others and min(len(ours), len(others)) == 1:
            ours, others = [min(ours, key=a.keys.index)], [min(others, key=b.keys.index)]
        if len(ours) == len(others) <= (most or len(ours)):
            pairs.update((key, (other, by)) for key, other in zip(ours, others, strict=True))


def _unmatched(keys: Iterable[Key], taken: Iterable[Key], kinds: Sequence[str] = KERNELS) -> list[Key]:
    gone = set(taken)
    return [key for key in keys if key not in gone and key[0] in kinds]


def _by_short_name(keys: list[Key], sequence: Sequence[str], of: Callable[[str], str]) -> dict[Key, list[Key]]:
    first = {name: i for i, name in reversed(list(enumerate(sequence)))}
    keys_of: dict[Key, list[Key]] = {}
    for key in sorted(keys, key=lambda key: (first.get(key[1], len(sequence)), key)):
        keys_of.setdefault((key[0], of(key[1])), []).append(key)
    return keys_of


def _by_place(a: Names, b: Names, pairs: Pairs) -> None:
    """Pair accounts that are between the same neighbors in at least half of their launches."""
    ours = {key[1]: key for key in _unmatched(a.keys, pairs, PLACED)}
    theirs = {key[1]: key for key in _unmatched(b.keys, {key for key, _ in pairs.values()}, PLACED)}
    if not ours or not theirs:
        return
    known = {key[1]: other[1] for key, (other, _) in pairs.items()}
    votes = replaced([known.get(name, name) for name in a.sequence], list(b.sequence), set(ours), set(theirs))
    launched_a, launched_b = Counter(a.sequence), Counter(b.sequence)
    for (x, y), count in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if x in ours and y in theirs and 2 * count >= max(launched_a[x], launched_b[y]):
            pairs[ours.pop(x)] = (theirs.pop(y), PLACE)


def replaced(a: Sequence[str], b: Sequence[str], only_a: set[str], only_b: set[str]) -> Counter[tuple[str, str]]:
    """Count the pairs of a name only in A and a name only in B at the same position between common names.

    >>> replaced(["x", "f", "y", "x", "f", "y"], ["x", "g", "y", "x", "g", "y"], {"f"}, {"g"})
    Counter({('f', 'g'): 2})
    """
    a, b = a[:LONGEST], b[:LONGEST]
    common = [(-1, -1), *_common(a, b), (len(a), len(b))]
    pairs: Counter[tuple[str, str]] = Counter()
    for (i, j), (after_i, after_j) in pairwise(common):
        ours = [name for name in a[i + 1 : after_i] if name in only_a]
        theirs = [name for name in b[j + 1 : after_j] if name in only_b]
        if len(ours) == len(theirs):
            pairs.update(zip(ours, theirs, strict=True))
    return pairs


def _common(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of a longest common subsequence, by dynamic programming with a table of arrays."""
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
