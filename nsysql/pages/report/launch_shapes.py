"""The largest kernels by launch shape: what of an SM a shape can fill, and in how many waves it runs."""

import re
from collections.abc import Iterator

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Section
from nsysql.pages.phrases import Row, counted, gpu_number, percent, share, work_names
from nsysql.words.quantities import size, time

TITLE = "Kernels by launch shape"
OCCUPANCY = ("occupancy_pct", "limited_by", "waves", "last_wave_pct")
HEADINGS = ("occupancy", "limited by", "waves", "last wave full")
MEANING = "shares of the GPU's kernel time; shared memory of a block, static and dynamic"
EXPLAINED = (
    "Occupancy is theoretical: the share of an SM's warps that blocks of this shape can fill, and what allows no more;"
    " what was reached is not in an export. A wave is as many blocks as the whole GPU takes at once."
)


def launch_shapes(rows: pl.DataFrame, top: int) -> Iterator[Section]:
    """The first rows of `occupancy` as a section; without its columns, and with the reason, where it knows none."""
    if rows.is_empty():
        return
    largest = rows.sort("total_ns", descending=True, maintain_order=True)
    shown = largest.head(top)
    known = [name for name in OCCUPANCY if shown[name].count()]
    several = rows["gpu_id"].n_unique() > 1
    titles = {name: Column(title, right=name != "limited_by") for name, title in zip(OCCUPANCY, HEADINGS, strict=True)}
    columns = (
        *([Column("GPU")] if several else ()),
        *map(Column, ("share", "", "total", "count")),
        *(titles[name] for name in known),
        *map(Column, ("grid", "block", "registers", "shared")),
        Column("name", right=False),
    )
    cells = tuple(_cells(row, known, several) for row in shown.to_dicts())
    after = tuple(_after(shown, largest.height - top))
    yield Section(TITLE, MEANING, (EXPLAINED,) if known else (), columns, cells, after)


def _cells(row: Row, known: list[str], several: bool) -> tuple[Cell, ...]:
    shared = (row["static_shared_memory_bytes"], row["dynamic_shared_memory_bytes"])
    said = {
        "occupancy_pct": percent(row["occupancy_pct"], 100),
        "limited_by": row["limited_by"] or "",
        "waves": "" if row["waves"] is None else f"{row['waves']:,.2f}",
        "last_wave_pct": percent(row["last_wave_pct"], 100),
    }
    part = row["time_pct"]
    return (
        *([gpu_number(row["gpu_id"])] if several else ()),
        *(percent(part, 100), Bar(share(part, 100), 8), time(row["total_ns"]), f"{row['count']:,}"),
        *(said[name] for name in known),
        *(re.sub("( x 1)+$", "", row[name] or "") for name in ("grid", "block")),
        *("" if row["registers_per_thread"] is None else f"{row['registers_per_thread']}",),
        *("" if None in shared else size(sum(shared)),),
        work_names("{}", row["name"]),
    )


def _after(shown: pl.DataFrame, more: int) -> Iterator[str]:
    """Why shapes have no occupancy, and how many shapes are not shown."""
    for reason, count in shown.group_by("not_covered", maintain_order=True).len().rows():
        if reason is not None:
            of = "" if count == shown.height else f" of {count:,} of these"
            yield f"Theoretical occupancy{of} is not known: {reason} (nsysql occupancy)."
    if shown["occupancy_pct"].count() and shown["waves"].count() < shown["occupancy_pct"].count():
        yield "Without waves: the export does not say how many SMs the GPU has."
    if more > 0:
        yield f"{counted(more, 'more launch shape')} (nsysql occupancy)."
