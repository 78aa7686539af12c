"""The largest kernels by launch shape: what of an SM a shape can fill, and in how many waves it runs."""

import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from nsysql.pages.elements import Section
from nsysql.pages.phrases import Row, gpu_number
from nsysql.pages.sections import table

TITLE = "Kernels by launch shape"
OCCUPANCY = ("occupancy_pct", "limited_by", "waves", "last_wave_pct")
COLUMNS = (
    "gpu=GPU time_pct=share:part total_ns=total count=count occupancy_pct=occupancy:pct limited_by=limited_by:text"
    " waves=waves last_wave_pct=last_wave_full:pct grid=grid block=block registers=registers shared_bytes=shared"
    " name=name:kernel"
)
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
    several = rows["gpu_id"].n_unique() > 1
    before = (EXPLAINED,) if any(shown[name].count() for name in OCCUPANCY) else ()
    yield table(
        TITLE, COLUMNS, [_row(row, several) for row in largest.to_dicts()], MEANING, before, tuple(_unknown(shown)),
        top, "launch shape", " (nsysql occupancy)",
    )  # fmt: skip


def _row(row: Row, several: bool) -> dict[str, Any]:
    shared = (row["static_shared_memory_bytes"], row["dynamic_shared_memory_bytes"])
    waves, registers = row["waves"], row["registers_per_thread"]
    return {
        **row,
        "gpu": gpu_number(row["gpu_id"]) if several else None,
        "waves": None if waves is None else f"{waves:,.2f}",
        "registers": None if registers is None else str(registers),
        "shared_bytes": None if None in shared else sum(shared),
        **{name: re.sub("( x 1)+$", "", row[name] or "") for name in ("grid", "block")},
    }


def _unknown(shown: pl.DataFrame) -> Iterator[str]:
    """Why shapes have no occupancy, or no waves."""
    for reason, count in shown.group_by("not_covered", maintain_order=True).len().rows():
        if reason is not None:
            of = "" if count == shown.height else f" of {count:,} of these"
            yield f"Theoretical occupancy{of} is not known: {reason} (nsysql occupancy)."
    if shown["occupancy_pct"].count() and shown["waves"].count() < shown["occupancy_pct"].count():
        yield "Without waves: the export does not say how many SMs the GPU has."
