"""The summary's sections that list names by their time: kernels, calls, ranges, memory operations."""

from collections.abc import Iterator

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Section
from nsysql.pages.phrases import counted, percent, share, short_name, work_names
from nsysql.pages.summary.gather import Summary
from nsysql.words.quantities import RATES, scaled, size, time

NAME = Column("name", right=False)
TIMED = (Column("share"), Column(), Column("total"), Column("count"))
MEMSET = "[CUDA memset]"
PAIR = 3  # columns of a bar next to another


def named(title: str, meaning: str, frame: pl.DataFrame, top: int) -> Iterator[Section]:
    """Names by time, the longest total first: a frame whose last column is the name."""
    if frame.is_empty():
        return
    total, name = _total(frame), frame.columns[-1]
    rows = tuple(
        (
            *_timed(row["total_time_ns"], total, row["count"]),
            time(row["med_ns"]),
            work_names("{}", row[name]),
        )
        for row in frame.head(top).to_dicts()
    )
    yield Section(title, meaning, (), (*TIMED, Column("median"), NAME), rows, _rest(frame, top))


def _timed(part: int | None, whole: int, count: int) -> tuple[Cell, ...]:
    """A time as a share, a bar and itself, and how many have spent it."""
    return percent(part, whole), Bar(share(part, whole), 8), time(part), f"{count:,}"


def _rest(frame: pl.DataFrame, top: int, word: str = "name") -> tuple[str, ...]:
    """What the names that are not shown amount to."""
    rest = frame.height - top
    if rest <= 0:
        return ()
    return (f"{counted(rest, f'more {word}')} with {percent(_total(frame[top:]), _total(frame))} of the time.",)


def _total(frame: pl.DataFrame) -> int:
    return int(frame["total_time_ns"].sum())


def nvtx(found: Summary, top: int) -> Iterator[Section]:
    """NVTX ranges by name, those of all processes together."""
    if found.nvtx.is_empty():
        return
    sums = pl.col("names").max(), pl.col("instances", "total_time_ns").sum()
    names = found.nvtx.group_by("name").agg(sums).sort("total_time_ns", "name", descending=[True, False])
    total = _total(names)
    rows = tuple(
        (
            *_timed(row["total_time_ns"], total, row["instances"]),
            *(time(row["total_time_ns"] / row["instances"]), row["name"] or "(no text)"),
        )
        for row in names.head(top).to_dicts()
    )
    merged = "; names differing only in numbers are merged" if (names["names"] > 1).any() else ""
    meaning = f"time between their ends on the CPU, nested ones counted again{merged}"
    yield Section("NVTX ranges", meaning, (), (*TIMED, Column("mean"), NAME), rows, _rest(names, top))


def memory(found: Summary, top: int) -> Iterator[Section]:
    """Memory operations by time and by bytes."""
    moved = {row["operation"]: row["total_bytes"] for row in found.memory_by_size.to_dicts()}
    total, all_moved = _total(found.memory_by_time), sum(count or 0 for count in moved.values())
    fastest = found.gpus["memory_bandwidth_bytes_per_s"].min() if found.gpus.height else None
    rows: list[tuple[Cell, ...]] = []
    for row in found.memory_by_time.head(top).to_dicts():
        spent, count = row["total_time_ns"], moved[row["operation"]]
        rate = _rate(row["operation"], count * 1e9 / spent, fastest) if spent and count is not None else ""
        rows.append(
            (
                *(percent(spent, total), Bar(share(spent, total), PAIR), time(spent)),
                *(percent(count, all_moved), Bar(share(count, all_moved), PAIR), size(count)),
                *(f"{row['count']:,}", rate, short_name(row["operation"]).removeprefix("copy ")),
            )
        )
    if rows:
        headings = ("time", "", "total", "bytes", "", "total", "count", "rate")
        columns = (*map(Column, headings), Column("operation", right=False))
        meaning = "memcpy and memset on the GPU; shares of their time and of their bytes"
        rest = _rest(found.memory_by_time, top, "kind")
        yield Section("Memory operations", meaning, (), columns, tuple(rows), rest)


def _rate(operation: str, rate: float, fastest: object) -> str:
    """Bytes a second; not of memsets that are not known to be slower than memory: they are recorded too short."""
    if operation == MEMSET and not (isinstance(fastest, int) and rate <= fastest):
        return ""
    return scaled(rate, RATES, 3)
