"""CPU time of steps by what the marking thread was in: each nanosecond is its innermost NVTX range's."""

import polars as pl

from nsysql.compute.nvtx.nesting import nest_block
from nsysql.compute.steps.texts import folded
from nsysql.compute.view_reader import ViewReader

READS = ("_step_series", "_step_mark", "_nvtx_own_range", "string")
PROVIDES = ("_step_cpu_account",)

OUTSIDE = "outside of ranges"
RANGE = ("row_id", "thread_id", "start_ns", "end_ns", "text")
ACCOUNT = pl.Schema(
    {
        "series_id": pl.Int64(),
        "step": pl.Int64(),
        "path": pl.String(),
        "total_ns": pl.Int64(),
        "range_count": pl.Int64(),
        "first_start_ns": pl.Int64(),
    }
)


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _step_cpu_account, from the views in READS."""
    series, marks = views("_step_series"), views("_step_mark")
    ranges = _ranges(views, series["thread_id"].unique())
    found = [pl.DataFrame(schema=ACCOUNT)]
    for series_id, thread_id in series.select("series_id", "thread_id").rows():
        steps = marks.filter(pl.col("series_id") == series_id).sort("step")
        accounts = _accounts(steps, ranges.filter(pl.col("thread_id") == thread_id))
        found.append(accounts.with_columns(series_id=pl.lit(series_id, pl.Int64)).select(ACCOUNT.names()))
    return {"_step_cpu_account": pl.concat(found)}


def _ranges(views: ViewReader, threads: pl.Series) -> pl.DataFrame:
    """The ranges of these threads with their texts, numbers in them as #."""
    own = views("_nvtx_own_range", narrow=lambda some: some.filter(pl.col("thread_id").is_in(threads.implode())))
    names = views("string").select(text_id="id", registered="text")
    named = own.join(names, on="text_id", how="left", maintain_order="left")
    text = pl.coalesce("registered", "plain_text").fill_null("(no text)")
    return named.with_columns(text=folded(text)).select(RANGE)


def _accounts(steps: pl.DataFrame, ranges: pl.DataFrame) -> pl.DataFrame:
    """The time of each step by path; steps follow each other."""
    begin, end = steps["cpu_start_ns"].min(), steps["cpu_end_ns"].max()
    clipped = ranges.with_columns(
        start_ns=pl.max_horizontal("start_ns", pl.lit(begin)), end_ns=pl.min_horizontal("end_ns", pl.lit(end))
    ).filter(pl.col("end_ns") > pl.col("start_ns"))
    nested = nest_block(clipped)
    nested = nest_block(clipped.clear()) if nested is None else nested
    if nested is None:  # no ranges never cross
        raise AssertionError
    nested = _with_paths(nested)
    starts = steps.select("step", at_ns="cpu_start_ns")
    borders = pl.concat([_changes(nested)["at_ns"], starts["at_ns"]]).unique().sort().to_frame()
    pieces = (
        borders.join_asof(_changes(nested), on="at_ns")
        .join_asof(starts, on="at_ns")
        .with_columns(dur_ns=pl.col("at_ns").shift(-1, fill_value=end) - pl.col("at_ns"))
        .with_columns(path=pl.col("path").fill_null(OUTSIDE))
    )
    times = pieces.group_by("step", "path").agg(total_ns=pl.col("dur_ns").sum(), first_start_ns=pl.col("at_ns").min())
    begun = nested.select("path", at_ns="start_ns").sort("at_ns").join_asof(starts, on="at_ns")
    counts = begun.group_by("step", "path").agg(range_count=pl.len().cast(pl.Int64))
    joined = times.filter(pl.col("total_ns") > 0).join(counts, on=["step", "path"], how="left")
    return joined.with_columns(pl.col("range_count").fill_null(0))


def _with_paths(nested: pl.DataFrame) -> pl.DataFrame:
    """The ranges with path, the texts from the outermost range to this one, and outer, the path around it."""
    path, outer = nested["text"], pl.repeat(None, nested.height, dtype=pl.String, eager=True)
    for level in nested["level"].unique().sort().to_list()[1:]:
        at = (nested["level"] == level).arg_true()
        around = path.gather(nested["parent_at"].gather(at))
        outer = outer.scatter(at, around)
        path = path.clone().scatter(at, around + "/" + nested["text"].gather(at))
    return nested.with_columns(path=path, outer=outer)


def _changes(nested: pl.DataFrame) -> pl.DataFrame:
    """From when on which path is the innermost: at_ns, in order, and path, NULL outside of ranges.

    At one time ranges close, the innermost first, then others open; what comes last counts.
    """
    level = pl.col("level").cast(pl.Int64)
    closing = nested.select(at_ns="end_ns", path="outer", order=-1 - level)
    opening = nested.select(at_ns="start_ns", path="path", order=level)
    deep = pl.lit(2**40, pl.Int64)
    both = pl.concat([closing.with_columns(order=pl.col("order") - deep), opening]).sort("at_ns", "order")
    return both.unique("at_ns", keep="last", maintain_order=True).select("at_ns", "path")
