"""Frames in slices that follow each other."""

from collections.abc import Iterable, Iterator

import polars as pl

SLICE = 2**18  # rows that a slice has at least, if they are not the last


def merge_slices(frames: Iterable[pl.DataFrame], least: list[int], name: str) -> Iterator[pl.DataFrame]:
    """The rows of all frames in slices, in any order: no value of that column is less than one of an earlier slice.

    `least` has the least value of each frame, in order. At least one slice; NULLs go last.
    """
    waiting: list[pl.DataFrame] = []
    ready: list[pl.DataFrame] = []
    for frame, border in zip(frames, [*least[1:], None], strict=True):
        waiting.append(frame if frame[name].is_sorted(nulls_last=True) else frame.sort(name, nulls_last=True))
        ends = [_up_to(one[name], border) for one in waiting]
        ready += [one.head(end) for one, end in zip(waiting, ends, strict=True) if end or border is None]
        waiting = [one.slice(end) for one, end in zip(waiting, ends, strict=True) if end < one.height]
        if border is None or sum(one.height for one in ready) >= SLICE:
            yield from _cut(pl.concat(ready, how="diagonal_relaxed"), name)
            ready = []


def _cut(rows: pl.DataFrame, name: str) -> Iterator[pl.DataFrame]:
    """Rows in slices by that column, equal values in the same one; at least one slice."""
    if rows.height < 2 * SLICE:
        yield rows
        return
    rows = rows.sort(name, nulls_last=True)
    borders = rows[name].gather(pl.int_range(SLICE, rows.height, SLICE, eager=True)).unique().sort()
    cuts = [end for border in borders if border is not None and (end := _up_to(rows[name], border))]
    for first, end in zip([0, *cuts], [*cuts, rows.height], strict=True):
        yield rows.slice(first, end - first)


def _up_to(values: pl.Series, border: int | None) -> int:
    """How many of the values, in order with NULLs last, are less than the border; all where there is none."""
    if border is None:
        return values.len()
    known = values.head(values.len() - values.null_count())
    return int(known.search_sorted(border, side="left"))
