"""Read the stacks recorded by nsys's Python sampler: their thread, time and frames.

The sampler's thread records the stacks of all Python threads of its process, and numbers the threads in the order in
which it first sees them; it does not record their OS thread ids. The main thread is recognized by its outermost
function, which is the program's; other threads begin in threading's _bootstrap.
"""

from typing import Any

import numpy as np
import polars as pl

from nsysql.analysis.global_ids import main_thread_of, process_of
from nsysql.analysis.intervals import cut_by_timeline
from nsysql.analysis.operators.tree import SEMICOLON
from nsysql.analysis.view_reader import ViewReader, reads

STACK = "stack_number"


def stacks_at(rows: pl.DataFrame, time: str, intervals: pl.DataFrame) -> pl.Series:
    """Return the stack number of each row's thread_id at its time; NULL if no sample's interval covers it."""
    if intervals.is_empty() or rows.is_empty():
        return pl.repeat(None, rows.height, dtype=pl.Int64, eager=True).alias(STACK)
    times = rows.select(pl.col("thread_id").cast(pl.Int64), at=pl.col(time).cast(pl.Int64)).with_row_index("row")
    sampled = intervals.select("thread_id", "end_ns", STACK, at="start_ns").sort("at")
    latest = times.sort("at").join_asof(sampled, on="at", by="thread_id", check_sortedness=False).sort("row")
    return latest.select(pl.when(pl.col("at") < pl.col("end_ns")).then(STACK)).to_series()


def cut_by_stack(pieces: pl.DataFrame, intervals: pl.DataFrame) -> pl.DataFrame:
    """Split pieces (thread_id, start_ns, end_ns and more) where the stack of their thread changes; adds its number."""
    threads = intervals["thread_id"].unique().implode()
    is_sampled = pl.col("thread_id").is_in(threads)
    on_sampled = pieces.filter(is_sampled).with_row_index("interval")
    others = pieces.filter(~is_sampled.fill_null(False)).with_columns(pl.lit(None, pl.Int64).alias(STACK))
    if on_sampled.is_empty():
        return others
    cut = cut_by_timeline(on_sampled, intervals)
    cut = cut.with_columns(intervals[STACK].gather(cut["row"]))
    parts = cut.join(on_sampled.drop("start_ns", "end_ns"), on="interval", maintain_order="left")
    return pl.concat([others, parts.select(others.columns)], how="vertical_relaxed")


def sample_intervals(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the interval of each sample (thread_id, start_ns, place_number), in order: the same columns and end_ns.

    It reaches half way to the neighboring samples, at most the thread's median sampling interval; ties go to the
    earlier sample. Of several samples of a thread at one time the first counts. For a thread with one sample the median
    of all threads is used; without any, a sample covers its own moment only.
    """
    own = samples.drop_nulls("thread_id").unique(["thread_id", "start_ns"], keep="first", maintain_order=True)
    own = own.sort("thread_id", "start_ns")
    interval = pl.col("start_ns").diff().over("thread_id")
    reach = interval.median().over("thread_id").fill_null(interval.median()).fill_null(0).floor().cast(pl.Int64)
    middle = (pl.col("start_ns") + pl.col("start_ns").shift(-1).over("thread_id")).floordiv(2) + 1
    with_reach = own.with_columns(reach=reach, middle=middle)
    begin = pl.max_horizontal(pl.col("start_ns") - pl.col("reach"), pl.col("middle").shift(1).over("thread_id"))
    end = pl.min_horizontal(pl.col("start_ns") + pl.col("reach") + 1, "middle")
    return with_reach.with_columns(start_ns=begin, end_ns=end).drop("reach", "middle")


def borders(stacks: pl.DataFrame) -> pl.DataFrame:
    """Turn intervals without overlap into change points, from which on a place holds: thread_id, at, place_number.

    place_number is NULL where no place holds.
    """
    begin = stacks.select("thread_id", "place_number", at="start_ns", order=pl.lit(1))
    end = stacks.select("thread_id", at="end_ns", place_number=pl.lit(None, pl.Int64), order=pl.lit(0))
    both = pl.concat([begin, end], how="diagonal").sort("thread_id", "at", "order")
    return both.unique(["thread_id", "at"], keep="last", maintain_order=True).select("thread_id", "at", "place_number")


BEGIN, COUNT, FRAME, HEADER = 16, 8, 24, 32  # bytes: start of frames, offset of their number, size, optional header
LAYOUT = np.dtype([("function_id", "<u8"), ("file_id", "<u8"), ("line", "<u4"), ("unused", "<u4")])
IDS = ("function_id", "file_id", "line")
FRAMES = {"row": pl.UInt32, "depth": pl.Int64, **dict.fromkeys(IDS, pl.Int64)}

Numbers = np.ndarray[Any, np.dtype[Any]]


def decode(payloads: pl.Series) -> pl.DataFrame:
    """Return the frames of all payloads, grouped by payload: row, its index in the series; depth, 0 for the innermost.

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
    """Return all bytes as one array, the offset of each payload, and its size."""
    array = payloads.fill_null(b"").to_arrow()
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data or b"", dtype=np.uint8), ends[:-1], np.diff(ends)


def _count(data: Numbers, begin: Numbers, sizes: Numbers) -> Numbers:
    """Return the number of frames recorded in each payload, -1 if it is too short to have one."""
    is_long = sizes >= BEGIN
    if not is_long.any():
        return np.full(sizes.size, -1, dtype=np.int64)
    places = np.where(is_long, begin, begin[is_long][0])[:, None] + np.arange(COUNT, COUNT + 4)
    return np.where(is_long, data[places].view("<u4")[:, 0].astype(np.int64), -1)


DOMAIN = "Python Backtrace"
SAMPLER = "NSys PySampling"  # the name of the sampler's thread
PROGRAM = ("<module>", "_run_module_as_main")  # the outermost function of a main thread
ESCAPED = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&apos;": "'", "&amp;": "&"}  # in nsys's texts
LIBRARY = r"(^|[/\\])(site-packages|dist-packages)[/\\]|[/\\]lib(64)?[/\\]python[0-9.]+[/\\]|^<"


@reads("_python_mark", "nvtx_domain", "string", "thread")
def python_samples(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames python_sample, python_frame, _python_stretch, _python_stack and _python_sample_stack."""
    marks = _marks(views)
    frames = _named(decode(marks["payload"]), views)
    frames = frames.with_columns(marks["row_id"].gather(frames["row"]).alias("row_id"))
    counts = frames.group_by("row_id").agg(frames=pl.len().cast(pl.Int64))
    samples = marks.drop("payload").join(counts, on="row_id", how="left", maintain_order="left")
    samples = samples.with_columns(pl.col("frames").fill_null(0))
    samples = samples.with_columns(thread_id=_threads(samples, frames, views))
    with_stack = samples.filter(pl.col("frames") > 0).select("row_id", "thread_id", "start_ns")
    stacks = _stacks(frames)
    names = stacks.select("names").unique().sort("names").with_row_index(STACK).cast({STACK: pl.Int64})
    numbers = stacks.join(names, on="names").select("row_id", STACK)
    with_stack = with_stack.join(numbers, on="row_id", how="left", maintain_order="left")
    intervals = sample_intervals(with_stack).select("thread_id", "start_ns", "end_ns", "row_id", STACK)
    return {
        "python_sample": samples.select("row_id", "start_ns", "thread_id", "process_id", "number", "frames"),
        "python_frame": frames.select("row_id", "depth", "function", "file", "line", "is_library"),
        "_python_stretch": intervals,
        "_python_stack": names,
        "_python_sample_stack": with_stack.select("row_id", "thread_id", "start_ns", STACK),
    }


def _marks(views: ViewReader) -> pl.DataFrame:
    """Return the sampler's NVTX marks, by row."""
    marks = views("_python_mark")
    if not marks.is_empty():  # domains are only needed for marks
        domains = views("nvtx_domain").filter((pl.col("name") == DOMAIN) & pl.col("is_first"))
        marks = marks.join(domains.select("process_id", "domain_id"), on=["process_id", "domain_id"], how="semi")
    return marks.drop("domain_id").sort("row_id")


def _named(frames: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """Add function and file to the frames as texts; is_library if the file is not the program's own."""
    used = pl.concat([frames["function_id"], frames["file_id"]]).unique()
    strings = views("string") if used.len() else pl.DataFrame(schema={"id": pl.Int64, "text": pl.String})
    known = strings.filter(pl.col("id").is_in(used.implode())).select("id", text=_plain(pl.col("text")))
    for name in ("function", "file"):
        texts = known.select(pl.col("text").alias(name), pl.col("id").alias(f"{name}_id"))
        frames = frames.join(texts, on=f"{name}_id", how="left", maintain_order="left")
    return frames.with_columns(is_library=pl.col("file").str.contains(LIBRARY).fill_null(True))


def _plain(text: pl.Expr) -> pl.Expr:
    """Remove the HTML escapes that nsys writes from texts."""
    for escape, letter in ESCAPED.items():
        text = text.str.replace_all(escape, letter, literal=True)
    return text


def _threads(samples: pl.DataFrame, frames: pl.DataFrame, views: ViewReader) -> pl.Series:
    """Return the thread of each sample; NULL if unknown."""
    samplers = views("thread").filter(pl.col("name") == SAMPLER)["thread_id"].unique()
    several = samples.group_by("thread_id").agg(pl.col("number").n_unique()).filter(pl.col("number") > 1)["thread_id"]
    by_sampler = pl.col("thread_id").is_in(pl.concat([samplers, several]).implode())
    main, mains = main_thread_of(process_of(pl.col("thread_id"))), _mains(samples, frames)
    rows = samples.join(mains, on=["process_id", "number"], how="left", nulls_equal=True, maintain_order="left")
    own = pl.when(~by_sampler).then("thread_id").when(pl.col("is_main")).then(main)
    return rows.select(own.alias("thread_id")).to_series()


def _mains(samples: pl.DataFrame, frames: pl.DataFrame) -> pl.DataFrame:
    """Return the sampler's number of each process's main thread: process_id, number, is_main.

    It is the first one whose outermost function is the program's; if there is none, the only one.
    """
    outermost = frames.group_by("row_id").agg(pl.col("function").sort_by("depth").last())
    of_number = samples.join(outermost, on="row_id").group_by("process_id", "number")
    known = of_number.agg(is_program=pl.col("function").is_in(PROGRAM).any())
    alone = pl.len().over("process_id") == 1
    kept = known.filter(pl.col("is_program") | alone).sort("process_id", "number", nulls_last=True)
    first = kept.unique("process_id", keep="first", maintain_order=True)
    return first.select("process_id", "number", is_main=pl.lit(True))


def _stacks(frames: pl.DataFrame) -> pl.DataFrame:
    """Return the stack of each sample as one text, outermost first: row_id, names."""
    file = pl.col("file").str.extract(r"([^/\\]*)$").fill_null("?")
    function = pl.col("function").fill_null("(unknown)")
    place = pl.concat_str(function, pl.lit(" ("), file, pl.lit(":"), pl.col("line"), pl.lit(")"))
    named = frames.with_columns(name=place.str.replace_all(SEMICOLON, ",", literal=True))
    ordered = named.sort("row_id", "depth", descending=[False, True])
    return ordered.group_by("row_id", maintain_order=True).agg(names=pl.col("name").str.join(SEMICOLON))
