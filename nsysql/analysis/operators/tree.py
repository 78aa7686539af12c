"""Nest NVTX paths, sum what is under each, and measure the time in which work under each ran."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.intervals import END, LENGTH, START
from nsysql.analysis.nvtx.paths import BETWEEN

OUTSIDE = ""  # the path of a thread that is in no range
KEY = ["grouping", "name", "depth"]  # of a row: path, name or module; which; how many ranges the path has
WITHIN = ["key", "gpu_id"]
NO_DEPTH = pl.lit(None, pl.Int64)
SEMICOLON = ";"  # between the ranges of a stack, as in all tools that read collapsed stacks


def under(paths: pl.Series, names: pl.DataFrame) -> pl.DataFrame:
    """Return every path, including those only around others, with each row that it counts in: itself, those around it.

    Columns path, level, is_own, is_end and those of KEY. By name or module a path counts once if it is in a range of
    that name. What is directly in a path belongs to its innermost range (is_end), and to its module (is_own).
    """
    known = _beginnings(paths.filter(paths != OUTSIDE).unique())["above"].unique()
    around = _beginnings(known).with_columns(text_id=pl.col("last").cast(pl.Int64))
    around = around.join(names, on="text_id", how="left")
    texts = around.filter(pl.col("above") == pl.col("path")).select(above="path", text=_text("parts", names))
    depth, is_end = pl.col("level").cast(pl.Int64), pl.col("above") == pl.col("path")
    rows = around.join(texts, on="above", how="left").select(
        "path", "text", "name", "module", level=depth, is_own=is_end, is_end=is_end
    )
    by_path = rows.with_columns(grouping=pl.lit("path"), name="text", depth="level")
    is_last = pl.col("level") == pl.col("level").max().over("path")
    of_module = rows.drop_nulls("module").with_columns(name="module", is_own=is_last)
    in_none = rows.filter(pl.col("module").is_null().all().over("path") & pl.col("is_own"))
    no_module = in_none.with_columns(
        name=pl.lit(None, pl.String), grouping=pl.lit("module"), depth=NO_DEPTH, is_end=pl.lit(False)
    )
    grouped = [by_path, _once(rows, "name"), _once(of_module, "module"), no_module, _outside()]
    columns = ["path", "level", "is_own", "is_end", *KEY]
    return pl.concat([frame.select(columns) for frame in grouped]).sort("path", *KEY, "level")


def _once(rows: pl.DataFrame, grouping: str) -> pl.DataFrame:
    """Reduce the rows to one for each name of a path."""
    once = rows.group_by("path", "name").agg(pl.col("level").min(), pl.col("is_own", "is_end").any())
    return once.with_columns(grouping=pl.lit(grouping), depth=NO_DEPTH)


def _outside() -> pl.DataFrame:
    """Return the rows of what is in no range."""
    rows = pl.DataFrame({"path": [OUTSIDE] * 3, "grouping": ["path", "name", "module"], "depth": [0, None, None]})
    none = pl.lit(None, pl.String)
    return rows.with_columns(level=pl.lit(0, pl.Int64), name=none, is_own=pl.lit(True), is_end=pl.lit(True))


def stack(paths: pl.Expr, names: pl.DataFrame) -> pl.Expr:
    """Return paths with names instead of numbers, separated by semicolons; those in names become commas."""
    plain = names.with_columns(pl.col("name").str.replace_all(SEMICOLON, ",", literal=True))
    return _text(paths.str.split(BETWEEN), plain, SEMICOLON)


def _text(parts: pl.Expr | str, names: pl.DataFrame, between: str = BETWEEN) -> pl.Expr:
    numbers, texts = names["text_id"].cast(pl.String), names["name"]
    named = pl.element().replace_strict(numbers, texts, default=None, return_dtype=pl.String)
    return (pl.col(parts) if isinstance(parts, str) else parts).list.eval(named).list.join(between)


def _beginnings(paths: pl.Series) -> pl.DataFrame:
    """Return each path with all its prefixes, itself included: path, parts, level, above, last."""
    parts = pl.DataFrame({"path": paths.cast(pl.String)}).with_columns(parts=pl.col("path").str.split(BETWEEN))
    levels = parts.with_columns(level=pl.int_ranges(1, pl.col("parts").list.len() + 1)).explode("level")
    head = pl.col("parts").list.head("level")
    return levels.with_columns(above=head.list.join(BETWEEN), last=head.list.last())


def totals(own: pl.DataFrame, around: pl.DataFrame) -> pl.DataFrame:
    """Sum what is directly in paths (path and numbers): KEY, NAME_total, NAME_self, NAME_end."""
    numbers = [name for name in own.columns if name != "path"]
    rows = around.join(own, on="path", how="left").with_columns(pl.col(numbers).fill_null(0))
    return rows.group_by(KEY).agg(
        *(pl.col(name).sum().alias(f"{name}_total") for name in numbers),
        *(pl.col(name).filter("is_own").sum().alias(f"{name}_self") for name in numbers),
        *(pl.col(name).filter("is_end").sum().alias(f"{name}_end") for name in numbers),
    )


def running(work: pl.DataFrame, around: pl.DataFrame) -> pl.DataFrame:
    """Measure the time in which work of each row ran, summed over GPUs: KEY, gpu_busy_ns.

    `work` has path, gpu_id, start_ns, end_ns. Most of it runs alone, so its durations are summed. The rest is processed
    level by level, so that there are never more than two rows for a piece of work.
    """
    keys = around.select(KEY).unique().with_row_index("key")
    around = around.join(keys, on=KEY, nulls_equal=True).select("path", "level", "key").sort("level")
    work = work.select("path", "gpu_id", "start_ns", "end_ns").sort("gpu_id", "start_ns")
    is_alone = _runs_alone(work)
    alone = work.filter(is_alone).group_by("path").agg(gpu_busy_ns=LENGTH.sum()).join(around, on="path")
    rows = _first(pl.concat(_levels(work.filter(~is_alone), around)).sort(*WITHIN, "start_ns"))
    both = pl.concat([alone.select("key", "gpu_busy_ns"), rows.select("key", gpu_busy_ns=LENGTH)])
    return both.group_by("key").agg(pl.col("gpu_busy_ns").sum()).join(keys, on="key").select(*KEY, "gpu_busy_ns")


def _runs_alone(work: pl.DataFrame) -> pl.Series:
    """Mark pieces of work during which nothing else runs on the GPU; they are in order of GPU and start."""
    gpu, start, end = pl.col("gpu_id"), pl.col("start_ns"), pl.col("end_ns")
    reached = end.cum_max().over("gpu_id")
    is_after = gpu.ne_missing(gpu.shift()) | (start >= reached.shift())
    is_before = gpu.ne_missing(gpu.shift(-1)) | (end <= start.shift(-1))
    return work.select(alone=is_after.fill_null(True) & is_before.fill_null(True)).to_series()


def _levels(work: pl.DataFrame, around: pl.DataFrame) -> Iterator[pl.DataFrame]:
    yield pl.DataFrame(schema={"key": around.schema["key"], **work.drop("path").schema})
    for _, level in around.group_by("level", maintain_order=True):
        rows = work.join(level.select("path", "key"), on="path", maintain_order="left")
        yield _first(rows.select(*WITHIN, "start_ns", "end_ns"))


def _first(rows: pl.DataFrame) -> pl.DataFrame:
    """Cut rows, in order of start, to begin when no earlier one of their group runs; drop those without time left."""
    reached = pl.col("end_ns").cum_max().shift().over(WITHIN)
    begun = rows.with_columns(start_ns=pl.max_horizontal("start_ns", reached))
    return begun.filter(END > START)
