"""Steps by NVTX: ranges of one thread and one name that do not overlap, and hold most of the process's launches.

All ranges are read once, batch by batch, to count the launches in them by name; the ranges of the best names are
read again.
"""

from collections.abc import Callable
from typing import Any

import polars as pl

from nsysql.compute.steps.found import Found, spans
from nsysql.compute.steps.texts import OPERATOR, folded, folded_name, numbers_layers
from nsysql.compute.view_reader import ViewReader
from nsysql.errors import MissingData, suggestion

VIEW = "_step_mark_candidate"
LEAST = 3  # ranges that make a series
COVERED = 0.5  # of the launches of the process: ranges with fewer are no steps
NEARLY = 0.9  # of the best score: then longer ranges are preferred
WHOLE = 0.9  # of the median period: a last mark that is shorter is no whole step
TRIED = 12  # names whose ranges are read
PROCESS = ~0xFFFFFF
KEY = ["thread_id", "domain_id", "text"]
Row = dict[str, Any]
Marks = Callable[[pl.DataFrame], pl.DataFrame]  # the ranges of chosen candidates
Starts = dict[int, pl.Series]  # by process: when its launches were called, in order


def candidates(views: ViewReader, starts: Starts) -> pl.DataFrame:
    """One row per thread, domain and folded text with closed ranges, and what lies in them.

    Columns thread_id, domain_id, text, process_id, ranges, inside (launches of the process that were called in
    them), dur_ns (their sum), start_ns and end_ns (of the first and last).
    """
    counted = views(VIEW, narrow=lambda some: _counted(some, starts), stream=True)
    by_id = counted.filter(pl.col("text_id").is_not_null()).drop("text")
    names = views("string").select(text_id="id", text="text")
    named = by_id.join(names, on="text_id").filter(~pl.col("text").str.contains(OPERATOR))
    rest = counted.filter(pl.col("text_id").is_null())
    both = [named.with_columns(folded(pl.col("text"))).select(rest.columns), rest]
    return (
        pl.concat(both, how="vertical_relaxed")
        .group_by(KEY)
        .agg(pl.col("ranges", "inside", "dur_ns").sum(), pl.col("start_ns").min(), pl.col("end_ns").max())
        .with_columns(process_id=pl.col("thread_id") & PROCESS)
        .sort("thread_id", "start_ns", "text", "domain_id")
    )


def _counted(some: pl.DataFrame, starts: Starts) -> pl.DataFrame:
    """Some ranges by thread, domain and text, and what lies in them."""
    rows = some.with_columns(
        text=folded(pl.col("plain_text")), inside=pl.lit(0, pl.Int64), process_id=pl.col("thread_id") & PROCESS
    )
    for process_id, times in starts.items():
        first, end = (times.search_sorted(rows[name], side="left").cast(pl.Int64) for name in ("start_ns", "end_ns"))
        own = pl.col("process_id") == process_id
        rows = rows.with_columns(inside=pl.when(own).then(end - first).otherwise("inside"))
    return rows.group_by("thread_id", "domain_id", "text_id", "text").agg(
        pl.len().cast(pl.Int64).alias("ranges"),
        pl.col("inside").sum(),
        (pl.col("end_ns") - pl.col("start_ns")).sum().alias("dur_ns"),
        pl.col("start_ns").min(),
        pl.col("end_ns").max(),
    )


def read_marks(views: ViewReader, chosen: pl.DataFrame) -> pl.DataFrame:
    """The ranges of the chosen candidates, in order of start: number (the candidate's row), start_ns, end_ns."""
    keys = chosen.select(*KEY).with_row_index("number")
    names = views("string").select("id", "text")
    ids = names.select(text_id="id", text=folded(pl.col("text"))).join(keys, on="text").drop("text")
    on = ["thread_id", "domain_id"]

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        own = some.filter(pl.col("thread_id").is_in(keys["thread_id"].implode()))
        by_id = own.join(ids, on=[*on, "text_id"], nulls_equal=True)
        plain = own.filter(pl.col("text_id").is_null()).with_columns(text=folded(pl.col("plain_text")))
        by_text = plain.join(keys, on=[*on, "text"], nulls_equal=True)
        return pl.concat([found.select("number", "start_ns", "end_ns") for found in (by_id, by_text)])

    return views(VIEW, narrow=narrow, stream=True).sort("start_ns", "end_ns", "number")


def by_nvtx(found: pl.DataFrame, marks: Marks, launches: int) -> list[Found]:
    """The series of one process whose marks hold at least half of its launches, if there is one.

    `found` are its candidates. One that numbers layers is no series of steps; it goes last then.
    """
    able = found.filter(
        (pl.col("ranges") >= LEAST)
        & (pl.col("inside") >= max(1, COVERED * launches))
        & (pl.col("dur_ns") <= pl.col("end_ns") - pl.col("start_ns"))
    )
    able = able.sort("inside", "start_ns", descending=[True, False], maintain_order=True).head(TRIED)
    if able.is_empty():
        return []
    read = marks(able)
    apart = [row | {"marks": own} for row, own in _with_marks(able, read) if not _overlap(own)]
    steps = _best([row for row in apart if not numbers_layers(row["text"])])
    layers = _best([row for row in apart if numbers_layers(row["text"])])
    series = [_series("nvtx", steps, launches)] if steps else []
    if layers and not steps:
        series.append(_series("nvtx", layers, launches, "repetition of layers, not steps", is_steps=False))
    return series


def _with_marks(chosen: pl.DataFrame, marks: pl.DataFrame) -> list[tuple[Row, pl.DataFrame]]:
    """The candidates with their ranges."""
    return [
        (row, marks.filter(pl.col("number") == number).drop("number"))
        for number, row in enumerate(chosen.iter_rows(named=True))
    ]


def _overlap(marks: pl.DataFrame) -> bool:
    """Whether any of the ranges, in order, begins before an earlier one ends."""
    return bool((marks["start_ns"] < marks["end_ns"].cum_max().shift()).any())


def _best(rows: list[Row]) -> Row | None:
    """Of candidates within 0.9 of the best that with the longest mean range, then with fewer ranges, then the first."""
    if not rows:
        return None
    most = max(row["inside"] for row in rows)
    near = [row for row in rows if row["inside"] >= NEARLY * most]
    return min(near, key=lambda row: (-row["dur_ns"] / row["ranges"], row["ranges"], row["start_ns"]))


def _series(found_by: str, row: Row, launches: int, note: str | None = None, is_steps: bool = True) -> Found:
    marks = row["marks"]
    starts = marks["start_ns"]
    last = int(marks["end_ns"][-1])
    usual = starts.diff().median()
    length = last - int(starts[-1])
    is_whole = length >= WHOLE * usual if isinstance(usual, int | float) else True
    covered = row["inside"] / launches if launches else row["dur_ns"] / max(1, row["end_ns"] - row["start_ns"])
    whole = spans(starts, last, is_whole)
    return Found(found_by, row["text"], row["process_id"], row["thread_id"], whole, covered, note, is_steps)


def by_name(found: pl.DataFrame, name: str, marks: Marks, starts: Starts) -> list[Found]:
    """The series of each process that the ranges NAME[@DOMAIN] mark; of several threads the one with most launches.

    `found` are all candidates, with their `domain`. Ranges within others of the name are left out. Raises
    MissingData, with near matches, where no range has the name.
    """
    text, _, domain = name.rpartition("@")
    in_domain = (pl.col("text") == folded_name(text)) & (pl.col("domain") == domain)
    meant = found.filter(in_domain | (pl.col("text") == folded_name(name)))
    if meant.is_empty():
        known = found.select(pl.concat_str("text", pl.lit("@") + pl.col("domain"), ignore_nulls=True)).to_series()
        offer = suggestion(folded_name(name), known.drop_nulls().unique()) or " `nsysql nvtx-names` lists them."
        raise MissingData(f"No closed NVTX range is named {name!r}, so it marks no steps.{offer}")
    best = meant.sort("inside", "ranges", "start_ns", descending=[True, True, False], maintain_order=True)
    best = best.unique("process_id", keep="first", maintain_order=True).sort("process_id")
    series = []
    for row, own in _with_marks(best, marks(best)):
        apart = own.filter((pl.col("start_ns") >= pl.col("end_ns").cum_max().shift()).fill_null(True))
        of_process = starts.get(row["process_id"])
        series.append(_series("named", row | {"marks": apart}, 0 if of_process is None else of_process.len()))
    return series


def by_cpu_time(found: pl.DataFrame, marks: Marks) -> Found | None:
    """The series of one process without GPU work: ranges that cover most of their own span."""
    able = found.filter(
        (pl.col("ranges") >= LEAST)
        & (pl.col("dur_ns") <= pl.col("end_ns") - pl.col("start_ns"))
        & (pl.col("dur_ns") >= WHOLE * (pl.col("end_ns") - pl.col("start_ns")))
    ).with_columns(inside="dur_ns")
    able = able.sort("inside", "start_ns", descending=[True, False], maintain_order=True).head(TRIED)
    if able.is_empty():
        return None
    best = _best([row | {"marks": own} for row, own in _with_marks(able, marks(able)) if not _overlap(own)])
    return _series("nvtx", best, 0) if best else None
