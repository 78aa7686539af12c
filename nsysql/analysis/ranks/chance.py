"""Tell whether ranks come last at collectives beyond chance."""

from math import comb
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
MOST_OF_WAIT = 2 / 3
NEARLY_ALL = 0.95
CHANCE = 0.01  # p-value below which it is no coincidence that one rank arrives last so often
DRAWS, SEED = 4000, 20240611


def pinned(last: Ints, waited: Ints, late: Floats, enough: float) -> tuple[int, Bools] | None:
    """Return the index of the rank that is late beyond chance, and a mask of the collectives; None if none is.

    It is late most of the time, by `enough` ns at the median, and no other rank beyond chance; or it causes most
    of the waiting: then the mask has those collectives that cause nearly all of it. If others are about as late and it
    is not nearly always the last, chance is among these.
    """
    count, ranks = late.shape
    counts = np.bincount(last, minlength=ranks)
    lateness = np.median(late, axis=0)

    def alike(rank: int) -> int:
        as_late = int((lateness > max(enough, lateness[rank] / 2)).sum())
        is_one_of_several = as_late > 1 and lateness[rank] > enough and counts[rank] < NEARLY_ALL * count
        return as_late if is_one_of_several else ranks

    usual = int(np.argmax(counts))
    beyond = [ranks * _at_least(often, count, 1 / alike(rank)) < CHANCE for rank, often in enumerate(counts.tolist())]
    if sum(beyond) == 1 and beyond[usual] and lateness[usual] > enough:
        return usual, last == usual
    caused = np.bincount(last, weights=waited, minlength=ranks)
    total = caused.sum()
    if not total:
        return None
    most = int(np.argmax(caused))
    share = caused[most] / total
    if share < MOST_OF_WAIT:
        return None
    draws = np.random.default_rng(SEED).integers(alike(most), size=(DRAWS, count))
    sums = np.stack([(draws == rank) @ waited for rank in range(alike(most))])
    reached = int((sums.max(axis=0) >= caused[most]).sum())
    if (reached + 1) / (DRAWS + 1) >= CHANCE:
        return None
    own = np.where(last == most, waited, 0)
    order = np.argsort(-own, kind="stable")
    before = np.cumsum(own[order]) - own[order]
    counts_for = np.zeros(count, dtype=np.bool_)
    counts_for[order[before < NEARLY_ALL * own.sum()]] = True
    return most, counts_for & (own > 0)


def taking_turns(last: Ints, waited: Ints, ranks: int) -> list[int]:
    """Return the ranks that cause nearly all waiting, if they are at most half, and more than chance explains."""
    caused = np.bincount(last, weights=waited, minlength=ranks)
    order = np.argsort(-caused, kind="stable")
    few = int(np.searchsorted(np.cumsum(caused[order]), NEARLY_ALL * caused.sum())) + 1
    if not 1 < few <= ranks / 2:
        return []
    by_chance = comb(ranks, few) * _at_least(int(np.isin(last, order[:few]).sum()), len(last), few / ranks)
    return sorted(order[:few].tolist()) if by_chance < CHANCE else []


def _at_least(hits: int, count: int, chance: float) -> float:
    """Return the probability of at least `hits` successes in `count` trials (binomial)."""
    steps = np.log(np.arange(1, count + 1))
    log_factorial = np.concatenate([[0.0], np.cumsum(steps)])
    k = np.arange(hits, count + 1)
    ways = log_factorial[count] - log_factorial[k] - log_factorial[count - k]
    return float(np.exp(ways + k * np.log(chance) + (count - k) * np.log1p(-chance)).sum())
