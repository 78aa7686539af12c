"""The first screen of a page that is narrowed: one part, the interval of time, without findings."""

import polars as pl

from nsysql.errors import MissingData
from nsysql.pages import first_screen
from nsysql.pages.elements import Section
from nsysql.pages.idle.gather import narrowed_to
from nsysql.pages.sections import Asked


def parts(asked: Asked) -> pl.DataFrame:
    """The interval as rows of `part`: one for each GPU that worked in it."""
    found = asked.rows("gpu_time")
    return found.select(
        pl.lit(0).alias("part_id"), "gpu_id", pl.lit("work").alias("kind"), pl.lit(None, pl.String).alias("name"),
        pl.col("window_start_ns").alias("start_ns"), pl.col("window_ns").alias("length_ns"), "busy_ns", "idle_ns",
        pl.lit(None, pl.Int64).alias("step_count"), pl.lit(None, pl.Int64).alias("step_ns"),
    )  # fmt: skip


def causes(asked: Asked) -> pl.DataFrame:
    """The causes of idle time in the interval, as rows of the findings' `causes`."""
    try:
        ledger = asked.rows("idle_ledger")
    except MissingData:
        return pl.DataFrame(schema={"part_id": pl.Int64, "gpu_id": pl.Int64, "title": pl.String, "idle_ns": pl.Int64})
    titled = ledger.join(asked.rows("idle_causes").select("cause", "title"), on="cause", maintain_order="left")
    return titled.select(pl.lit(0).alias("part_id"), "gpu_id", "title", "idle_ns")


def sections(asked: Asked) -> tuple[Section, ...]:
    """The interval with its busy and idle time; findings are about the whole capture."""
    found, interval = parts(asked), narrowed_to(asked.run, asked.scope)
    rows = first_screen.part_rows(found, causes(asked))
    more = "findings are about the whole capture: nsysql findings; tables of the interval: --all"
    if not rows:
        text = f"No GPU work in {interval}."
        return Section("", before=(text,)), first_screen.closing((), more)
    headline = f"Limited to {interval}; busy and idle time from its first to its last GPU work."
    return first_screen.parts_section(rows, headline, len(rows), found["gpu_id"].n_unique()), first_screen.closing(
        (), more
    )
