"""What the GPUs ran, by name: for a run that the GPU's own work limits, kernels and copies tell more than gaps."""

from collections.abc import Iterator

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Section
from nsysql.pages.phrases import counted, percent, share, without_signature
from nsysql.pages.verdict.busy import median_of, memory
from nsysql.pages.verdict.facts import Facts
from nsysql.pages.verdict.totals import stretch, together
from nsysql.words.libraries import library
from nsysql.words.quantities import RATES, scaled, size, time

SHOWN = 5


def sections(facts: Facts, top: int | None) -> Iterator[Section]:
    """The largest kernels, and the copies, with what of them nothing hides."""
    if not facts.kernels.is_empty():
        yield _kernels(facts, top)
    if not facts.copies.is_empty():
        yield _copies(facts)


def _kernels(facts: Facts, top: int | None) -> Section:
    window = facts.judged.window_ns
    sums = facts.kernels.group_by("name", "is_communication").agg(
        pl.col("total_ns", "kernel_count", "small_count").sum(), pl.col("longest_ns").max(), median_of("median_ns")
    )
    rows = sums.sort("total_ns", "name", descending=[True, False])
    shown = rows.head(SHOWN if top is None else top)
    cells: list[tuple[Cell, ...]] = []
    for row in shown.to_dicts():
        count = row["kernel_count"]
        small = percent(row["small_count"], count) if row["small_count"] else ""
        part = share(row["total_ns"], window)
        cells.append(
            (
                *(percent(row["total_ns"], window), Bar(part, 6), time(row["total_ns"]), f"{count:,}"),
                *(time(row["median_ns"]), time(row["longest_ns"]), small),
                *(without_signature(row["name"]), library(row["name"]) or ""),
            )
        )
    rest = rows.height - shown.height
    left = percent(int(rows["total_ns"][shown.height :].sum()), window)
    after = (f"{counted(rest, 'more kernel')} with {left} of {stretch(facts)}.",) if rest else ()
    columns = (
        *map(Column, ("share", "", "time", "count", "median", "longest", "small")),
        Column("kernel", right=False),
    )
    if any(library(name) for name in shown["name"]):
        columns = (*columns, Column("library", right=False, spare=True))
    else:
        cells = [cell[:-1] for cell in cells]
    meaning = f"share of {stretch(facts)}{together(facts)}; small: with fewer blocks than the GPU has SMs"
    return Section("Largest kernels", meaning, (), columns, tuple(cells), after)


def _copies(facts: Facts) -> Section:
    window = facts.judged.window_ns
    keys = ["direction", "src_kind", "dst_kind"]
    rows = facts.copies.sort("exposed_ns", *keys, descending=[True, False, False, False], nulls_last=True)
    cells = tuple(
        (
            *(percent(row["exposed_ns"], window), time(row["exposed_ns"]), time(row["total_ns"])),
            *(f"{row['copy_count']:,}", size(row["median_bytes"]), size(row["largest_bytes"])),
            *(scaled((row["bytes"] or 0) * 1e9 / row["total_ns"], RATES, 3), memory(row)),
        )
        for row in rows.to_dicts()
    )
    total, exposed = int(rows["total_ns"].sum()), int(rows["exposed_ns"].sum())
    after = (f"{percent(total - exposed, total)} of the copy time is overlapped by kernels or other copies.",)
    columns = (
        *(Column("exposed"), Column("time"), Column("in all", spare=True), Column("count"), Column("median")),
        *(Column("largest", spare=True), Column("rate"), Column("copies", right=False)),
    )
    meaning = f"exposed: no kernel running meanwhile, share of {stretch(facts)}{together(facts)}"
    return Section("Copies", meaning, (), columns, cells, after)
