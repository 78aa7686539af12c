"""Decode the payloads of Python samples, many at once.

Little endian: u32 state, u32, u32 number of frames, u32, then for each frame u64 function and u64 file (ids of texts),
u32 line, u32; the innermost frame first. The meaning of the other u32 is unknown. A header of 32 bytes can precede all.
"""

from typing import Any

import numpy as np
import polars as pl

BEGIN, COUNT, FRAME, HEADER = (
    16,
    8,
    24,
    32,
)  # bytes: start of the frames, offset of their number, size of a frame, optional header
LAYOUT = np.dtype([("function_id", "<u8"), ("file_id", "<u8"), ("line", "<u4"), ("unused", "<u4")])
IDS = ("function_id", "file_id", "line")
FRAMES = {"row": pl.UInt32, "depth": pl.Int64, **dict.fromkeys(IDS, pl.Int64)}

Numbers = np.ndarray[Any, np.dtype[Any]]


def decode(payloads: pl.Series) -> pl.DataFrame:
    """The frames of all payloads, grouped by payload: row, its index in the series; depth, 0 for the innermost.

    A payload whose size does not match its number of frames has none.
    """
    data, begin, sizes = _bytes(payloads)
    frames, first = np.zeros_like(sizes), begin
    for header in (HEADER, 0):
        counted = _count(data, begin + header, sizes - header)
        fits = (counted >= 0) & (sizes == header + BEGIN + FRAME * counted)
        frames, first = np.where(fits, counted, frames), np.where(fits, begin + header, first)
    row = np.repeat(np.arange(frames.size, dtype=np.uint32), frames)
    depth = np.arange(row.size, dtype=np.int64) - np.repeat(np.cumsum(frames) - frames, frames)
    places = first[row] + BEGIN + FRAME * depth
    cells = data[places[:, None] + np.arange(FRAME)].reshape(-1).view(LAYOUT)
    columns = {name: cells[name].astype(np.int64) for name in IDS}
    return pl.DataFrame({"row": row, "depth": depth, **columns}, schema=FRAMES)


def _bytes(payloads: pl.Series) -> tuple[Numbers, Numbers, Numbers]:
    """All bytes as one array, the offset of each payload, and its size."""
    array = payloads.fill_null(b"").to_arrow()
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data or b"", dtype=np.uint8), ends[:-1], np.diff(ends)


def _count(data: Numbers, begin: Numbers, sizes: Numbers) -> Numbers:
    """The number of frames recorded in each payload, -1 if it is too short to have one."""
    is_long = sizes >= BEGIN
    if not is_long.any():
        return np.full(sizes.size, -1, dtype=np.int64)
    places = np.where(is_long, begin, begin[is_long][0])[:, None] + np.arange(COUNT, COUNT + 4)
    return np.where(is_long, data[places].view("<u4")[:, 0].astype(np.int64), -1)
