"""Heat maps: the busy share of GPUs in equal columns of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from nsysql.pages.elements import Slices

COLUMNS = 48
SHADES = ((0.05, "·"), (0.3, "░"), (0.6, "▒"), (0.9, "▓"), (2.0, "█"))  # (upper limit of the share, character)
LEGEND = f"{', '.join(f'{sign} below {below:.0%}' for below, sign in SHADES[:-1])}, {SHADES[-1][1]} above"


@dataclass(frozen=True)
class Busy:
    """Columns of `column_ns` from the start of the first GPU on; `shares` of each GPU, None outside of its window."""

    column_ns: int
    shares: tuple[tuple[float | None, ...], ...]


def busy(parts: Sequence[pl.DataFrame], offsets: Sequence[int]) -> Busy | None:
    """The map of GPUs with these rows of busy_over_time, in order of time; offsets are added to their times.

    Within a row the busy time is taken as even. None without any work.
    """
    ends = [(own["start_ns"][0] + add, own["end_ns"][-1] + add) for own, add in zip(parts, offsets, strict=True)]
    if not ends:
        return None
    start, end = min(first for first, _ in ends), max(last for _, last in ends)
    column = max(1, -(-(end - start) // COLUMNS))
    borders = np.arange(-(-max(end - start, 1) // column) + 1, dtype=np.int64) * column
    return Busy(column, tuple(_shares(own, borders, start - add) for own, add in zip(parts, offsets, strict=True)))


def _shares(own: pl.DataFrame, borders: "np.ndarray[Any, np.dtype[np.int64]]", start: int) -> tuple[float | None, ...]:
    edges = np.append(own["start_ns"].to_numpy(), own["end_ns"][-1]) - start
    reached = np.diff(np.interp(borders, edges, np.append(0, own["busy_ns"].cum_sum().to_numpy())))
    inside = np.diff(np.clip(borders, edges[0], edges[-1]))
    return tuple(min(1.0, b / w) if w else None for b, w in zip(reached.tolist(), inside.tolist(), strict=True))


def cell(shares: Sequence[float | None]) -> Slices:
    """A row of the map: blank outside of the window, · for nearly idle, █ for busy."""
    shades = (" " if one is None else next(sign for below, sign in SHADES if one < below) for one in shares)
    return Slices(tuple(shares), "".join(shades))
