"""When each GPU runs work of a class: unions of what overlaps, by running maxima over sorted rows."""

from collections.abc import Callable

import polars as pl

KINDS = ("kernel", "memcpy", "memset", "graph")
START, END = pl.col("start_ns"), pl.col("end_ns")
STRETCH = {"gpu_id": pl.Int64, "class": pl.String, "start_ns": pl.Int64, "end_ns": pl.Int64}


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames gpu_stretch_record and gpu_process_record, from the view named in their headers."""
    work = view("gpu_work_class")
    processes = work.group_by("gpu_id", "process_id", "device_id").agg(
        activities=pl.len(), knows_small=pl.col("is_small").is_not_null().any()
    )
    work = work.drop("process_id", "device_id").sort("gpu_id", "start_ns")
    found = [pl.DataFrame(schema=STRETCH)]
    for (gpu_id,), rows in work.group_by("gpu_id", maintain_order=True):
        for name, stretches in _classes(rows).items():
            labels = pl.lit(gpu_id, pl.Int64).alias("gpu_id"), pl.lit(name).alias("class")
            found.append(stretches.select(*labels, "start_ns", "end_ns"))
    return {"gpu_stretch_record": pl.concat(found), "gpu_process_record": processes}


def _classes(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The stretches of a GPU by class."""
    run = rows.filter(pl.col("kind").is_in(["kernel", "graph"]))
    computing = run.filter(~pl.col("is_communication"))
    by_kind = {kind: union(rows.filter(pl.col("kind") == kind)) for kind in KINDS}
    classes = {"any": union(rows), **by_kind, "run": union(run), "computing": union(computing)}
    return {**classes, "small": alone(computing).filter("is_small")}


def union(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in order of their start, those that overlap or touch as one: start_ns, end_ns."""
    reached = END.cum_max()
    is_first = (reached.shift() < START).fill_null(True)
    starts = rows.select(START.filter(is_first))
    ends = rows.select(reached.filter(is_first.shift(-1, fill_value=True)))
    return starts.hstack(ends)


def alone(rows: pl.DataFrame) -> pl.DataFrame:
    """When exactly one of the rows, in order of their start, is under way: start_ns, end_ns, is_small of that one.

    Between one start and the next, the one that ends last is alone after the second last has ended.
    """
    before = END.cum_max().shift()
    second = pl.when(before.is_not_null()).then(pl.min_horizontal(END, before)).cum_max()
    last = pl.when((before < END).fill_null(True)).then("is_small").forward_fill()
    return rows.select(
        start_ns=pl.max_horizontal(START, second),
        end_ns=pl.min_horizontal(START.shift(-1), END.cum_max()),
        is_small=last,
    ).filter(END > START)
