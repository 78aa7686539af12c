"""Find the steps of every process with their times on CPU and GPU, and choose the series of the capture."""

import re
from dataclasses import replace

import polars as pl

from nsysql.analysis.global_ids import pid_of, tid_of
from nsysql.analysis.idle.blocks import busy
from nsysql.analysis.nvtx.folded_ranges import WARM_UP, folded_name, numbers_epochs
from nsysql.analysis.steps.launch_sequence import by_launches, by_threads
from nsysql.analysis.steps.launches import GPU_TIMES, busy_time, gpu_times, launched_work, launches
from nsysql.analysis.steps.mark_ranges import MarkRanges
from nsysql.analysis.steps.nvtx_marks import NO_LAUNCHES, OF_SERIES, Marks, by_cpu_time, by_name, by_nvtx
from nsysql.analysis.steps.phases import by_phases
from nsysql.analysis.steps.step_series import StepSeries
from nsysql.analysis.view_reader import ViewReader, reads, schema_of
from nsysql.errors import MissingData

SLOW = 1.25  # times the usual period: longer steps at the beginning are warm-up
OFTEN = 0.5  # times the share of slow steps among the leading ones: if as many later ones are, none is warm-up
IN_A_ROW = 3  # this many consecutive steps that are not slow end the warm-up
SHARE = 10  # one in this many steps can be warm-up,
MOST = 20  # and at most this many: if more are slow, the program's steps become shorter
TREND = "the first {} steps take longer than later ones, too many for warm-up (a tenth, at most 20); none is left out"


def is_trend(slow: int, steps: int) -> bool:
    """Tell whether so many slow leading steps are too many to be warm-up: over 20, or over a tenth (rounded up).

    >>> is_trend(1, 7), is_trend(2, 7)
    (False, True)
    """
    return slow > min(MOST, -(-steps // SHARE))


def slow_count(periods: pl.Series) -> int:
    """Count the leading steps, at most half, before three in a row of at most 1.25 times the usual period.

    The usual one is the median of the later half. Without three in a row, those before the first such step count.
    None do if later steps are as often longer: they vary all the time.

    >>> slow_count(pl.Series([90, 20, 10, 10, 30, 10, 10])), slow_count(pl.Series([9, 5, 9, 5, 5, 5, 9, 5, 9, 5, 9]))
    (2, 0)
    """
    usual = periods.tail((periods.len() + 1) // 2).median()
    if not isinstance(usual, int | float):
        return 0
    fast = periods <= SLOW * usual
    rows = fast.clone()
    for later in range(1, IN_A_ROW):
        rows = rows & fast.shift(-later, fill_value=False)
    first = (rows if rows.any() else fast).arg_max()
    count = min(int(first or 0), periods.len() // 2)
    leading, later_on = (float((~some).mean() or 0) for some in (fast.head(count), fast.slice(count)))  # type: ignore[arg-type]
    return count if later_on < OFTEN * leading else 0


# Steps of several blocks: the periods of blocks of launches alternate, as 75 ms, 1.2 ms, 75 ms, 1.2 ms.
MOST_BLOCKS = 8  # of a step
FEWEST_STEPS = 4  # steps that must be seen
LIKE = 0.25  # share of their median by which the periods of one place in the step may differ
LIKE_SHARE = 0.9  # share of the periods that must be like the median of their place
USUAL = 0.8  # share of the periods like the median of all from which the others are slow steps, not alternating blocks


def blocks_of_step(periods: pl.Series) -> int:
    """Count the consecutive blocks that make one step, from their periods in order; 1 if periods do not alternate.

    >>> blocks_of_step(pl.Series([75, 1, 76, 1, 75, 1, 74, 1])), blocks_of_step(pl.Series([10, 11, 10, 10, 11] * 9))
    (2, 1)
    """
    if periods.len() < 2 * FEWEST_STEPS or _share_like(periods, 1) >= USUAL:
        return 1
    counts = range(2, min(MOST_BLOCKS, periods.len() // FEWEST_STEPS) + 1)
    return next((count for count in counts if _share_like(periods, count) >= LIKE_SHARE), 1)


def _share_like(periods: pl.Series, count: int) -> float:
    """Return the share of the periods that are like the median of those with the same place among `count` blocks."""
    placed = pl.DataFrame({"period": periods}).with_columns(place=pl.int_range(pl.len()) % count)
    median = pl.col("period").median().over("place")
    return float(placed.select(((pl.col("period") - median).abs() <= LIKE * median).mean()).item() or 0)


def together(marks: pl.DataFrame, count: int) -> pl.DataFrame:
    """Join the marks of `count` blocks each to steps; a last one with fewer is not complete."""
    steps = marks.group_by(pl.int_range(pl.len()) // count, maintain_order=True).agg(
        pl.col("cpu_start_ns", "first_launch").first(),
        pl.col("cpu_end_ns", "end_launch").last(),
        pl.col("is_complete", "is_equal", "is_alike").all() & (pl.len() == count),
    )
    return steps.select(marks.columns).cast(marks.schema)


LAUNCHES = "launches"  # found_by of series that no range marks
OF_LAUNCHES = re.compile(r"[0-9]+ launches(/[0-9]+)?")  # step_range of such a series
FEWEST = 3  # least distinct numbers that count as layers
NEARLY = 0.2  # share of the repeats by which the number of layer ranges may differ

SERIES, MARK, GPU = map(schema_of, ("_step_series", "_step_mark", "_step_gpu"))


TIMES = ("gpu_id", "api_start_ns", "start_ns", "end_ns", "launch")
NO_WORK = pl.DataFrame(schema={**dict.fromkeys(TIMES, pl.Int64), "is_run": pl.Boolean})
SAME = 0.1  # share of their launches by which the steps of a series may differ from those of its warm-up


@reads(
    "_step_mark_candidate", "_step_range", "_gpu_activity_sorted", "_activity_launch", "_api_call_ids",
    "_copy_memory", "graph_trace", "_step_domain", "string",
)  # fmt: skip
def steps(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _step_series, _step_mark and _step_gpu."""
    of_process = launched_work(views)
    called = {process_id: launches(rows) for process_id, rows in of_process.items()}
    name = views("_step_range")["step_range"][0]
    placed = [_together(one, _work_of(one, of_process)) for one in _every_series(views, called, name)]
    every = _with_step_range([one for one, _ in placed])
    if name is not None and not any(one.step_range == name or one.found_by == "named" for one in every):
        raise MissingData(f"No series of steps is named {name!r}. `nsysql step-series` lists them.")
    series, marks, times = [], [pl.DataFrame(schema=MARK)], [pl.DataFrame(schema=GPU).drop("busy_ns", "wait_ns")]
    for number, (each, (_, on_gpus)) in enumerate(zip(every, placed, strict=True)):
        periods, count = _periods(each.marks, on_gpus), each.marks.height
        if not on_gpus.is_empty():  # there the last one ends with its work, the others where the next begins
            periods = periods.filter(pl.col("step") < count - 1)
        slow = slow_count(periods["period"])
        before = int(periods["step"][slow]) if slow else 0  # steps without GPU work have no period
        warm = 0 if is_trend(slow, count) else before
        one = replace(each, note=_joined(each.note, TREND.format(before))) if before > warm else each
        step = pl.int_range(count, eager=True)
        is_steady = (step >= warm) & one.marks["is_complete"] & one.marks["is_alike"]
        of_series = pl.lit(number, pl.Int64).alias("series_id")
        known = one.marks.select(of_series, step.alias("step"), "cpu_start_ns", "cpu_end_ns", "is_complete")
        marks.append(known.with_columns(is_steady=is_steady & (one.found_by != "nvtx" or not one.is_layers)))
        times.append(on_gpus.select(of_series, *GPU_TIMES.names()))
        starts = called[one.process_id]["api_start_ns"] if one.process_id in called else NO_LAUNCHES
        series.append(_row(number, one, warm, starts, int(on_gpus["work_ns"].sum())))
    frame = pl.DataFrame(series, schema=SERIES, orient="row")
    of_steps = busy_time(pl.concat(times), busy(views, "gpu_id", "start_ns", "end_ns"))
    return {"_step_series": _with_chosen(frame, name), "_step_mark": pl.concat(marks), "_step_gpu": of_steps}


def _work_of(series: StepSeries, of_process: dict[int, pl.DataFrame]) -> pl.DataFrame:
    """Return the GPU work whose launches the steps of a series can contain, with the numbers of these launches."""
    work = of_process.get(series.process_id, NO_WORK)
    if not series.is_of_thread:
        return work
    own = work.filter(pl.col("thread_id") == series.thread_id)
    return own.with_columns(launch=(pl.col("launch") != pl.col("launch").shift()).fill_null(False).cum_sum())


def _together(series: StepSeries, work: pl.DataFrame) -> tuple[StepSeries, pl.DataFrame]:
    """Join several blocks to each step of the series if the periods of its blocks of launches alternate.

    Also returns when its steps ran on each GPU.
    """
    times = gpu_times(work, series.marks)
    count = blocks_of_step(_periods(series.marks, times)["period"]) if series.found_by == LAUNCHES else 1
    if count == 1:
        return series, times
    name = f"{count * int(series.name.split()[0])} launches"
    note = f"each step is {count} equal blocks of launches, which take different times in turn"
    marks = together(series.marks, count)
    return replace(series, name=name, note=_joined(series.note, note), marks=marks), gpu_times(work, marks)


def _joined(*notes: str | None) -> str:
    return "; ".join(note for note in notes if note)


def _with_step_range(every: list[StepSeries]) -> list[StepSeries]:
    """Set the --step-range that chooses a series found by launches: the second one of a name is NAME/1."""
    seen: dict[str, int] = {}
    named = []
    for one in every:
        before = seen.get(one.name, 0)
        if one.found_by == LAUNCHES:
            seen[one.name] = before + 1
            one = replace(one, step_range=f"{one.name}/{before}" if before else one.name)
        named.append(one)
    return named


def _row(number: int, series: StepSeries, warm: int, starts: pl.Series, work_ns: int) -> tuple[object, ...]:
    marks = series.marks
    equal = None if marks["is_equal"].null_count() else int(marks["is_equal"].sum())
    first, end = ("first_launch", "end_launch") if equal is not None else ("cpu_start_ns", "cpu_end_ns")
    counts = marks[end] - marks[first]
    if equal is None:
        counts = starts.search_sorted(marks[end]).cast(pl.Int64) - starts.search_sorted(marks[first]).cast(pl.Int64)
    own = series.found_by, series.name, series.process_id, series.thread_id
    of = *own, marks.height, equal, int(counts.mode().sort()[0])
    return number, *of, warm, 100 * series.covered, False, series.is_layers, series.step_range, series.note, work_ns


def _with_chosen(series: pl.DataFrame, name: str | None) -> pl.DataFrame:
    """Mark at most one series as chosen: that of the requested name, else the one with most GPU work; ties: the first.

    Steps precede layers, and warm-up that is named so comes after steps with the same launches.
    """
    is_warm_up = pl.col("name").str.contains(WARM_UP) & (pl.col("found_by") != LAUNCHES)
    known = series.filter(~is_warm_up).select("process_id", like="launch_count").unique()
    alike = series.filter(is_warm_up).join(known, on="process_id")
    alike = alike.filter((pl.col("launch_count") - pl.col("like")).abs() <= SAME * pl.col("like"))
    after = pl.col("series_id").is_in(alike["series_id"].implode())
    other = (pl.col("step_range") != pl.lit(name)).fill_null(False) & (pl.col("found_by") != "named")
    could_be = series.filter(~(pl.col("is_layers") & (pl.col("found_by") == "nvtx")))
    order = could_be.select("series_id", "work_ns", other=other, after=after)
    order = order.sort("other", "after", "work_ns", "series_id", descending=[False, False, True, False])
    best = order.head(1)["series_id"]
    return series.with_columns(is_chosen=pl.col("series_id").is_in(best.implode()))


def _periods(marks: pl.DataFrame, times: pl.DataFrame) -> pl.DataFrame:
    """Return step and period of each complete step on the GPU with most of their work; on the CPU without GPU work."""
    whole = marks.with_row_index("step").filter("is_complete")
    if times.is_empty():
        return whole.select("step", period=pl.col("cpu_end_ns") - pl.col("cpu_start_ns"))
    most = times.group_by("gpu_id").agg(pl.col("work_ns").sum()).sort("work_ns", "gpu_id", descending=[True, False])
    is_own = pl.col("gpu_id").eq_missing(pl.lit(most["gpu_id"][0], pl.Int64))
    own = times.filter(is_own & pl.col("step").is_in(whole["step"].cast(pl.Int64).implode()))
    return own.sort("step").select("step", period=pl.col("gpu_end_ns") - pl.col("gpu_start_ns"))


IS_EPOCH = numbers_epochs(pl.col("text")).fill_null(False)


def _every_series(views: ViewReader, called: dict[int, pl.DataFrame], name: str | None) -> list[StepSeries]:
    """Find the series of all processes, in process order: by the requested name, by NVTX, and by launches elsewhere."""
    starts = {process_id: rows["api_start_ns"] for process_id, rows in called.items()}
    all_marks = MarkRanges(views)
    domains = views("_step_domain").filter("is_first").select("process_id", "domain_id", domain="name")
    ranges, marks = all_marks.candidates(starts), all_marks.of
    ranges = ranges.join(domains, on=["process_id", "domain_id"], how="left", maintain_order="left")
    ranges = _with_thread(ranges, called)
    if name is not None and not (OF_LAUNCHES.fullmatch(name) and folded_name(name) not in ranges["text"]):
        return by_name(ranges, name, marks, starts)
    every: list[StepSeries] = []
    for process_id, rows in called.items():
        own = ranges.filter(pl.col("process_id") == process_id)
        marked = by_nvtx(own.filter(~IS_EPOCH), marks, starts[process_id])
        taken = [_launches_of(one, starts[process_id]) for one in marked if not one.is_layers]
        repeated = by_launches(rows, process_id, taken) or ([] if marked else by_threads(rows, process_id))
        found = [one for one in marked if not (one.is_layers and repeated)] + repeated
        every += found or by_nvtx(own.filter(IS_EPOCH), marks, starts[process_id])
    return _with_layers(every, all_marks) if called else _without_gpu(ranges, marks)


def _launches_of(series: StepSeries, starts: pl.Series) -> tuple[int, int]:
    """Return the launches from the first step of a series to the end of the last."""
    first, end = series.marks["cpu_start_ns"][0], series.marks["cpu_end_ns"][-1]
    return starts.search_sorted(first, side="left"), starts.search_sorted(end, side="left")


def _with_layers(series: list[StepSeries], marks: MarkRanges) -> list[StepSeries]:
    """Mark series found by launches as layers if NVTX ranges number them: several numbers, about a range per block."""
    if all(one.found_by != LAUNCHES for one in series):
        return series
    ranges = marks.layers().filter(pl.col("layers") >= FEWEST).sort("dur_ns", "text", descending=[True, False])
    marked = []
    for one in series:
        count = one.marks.height
        is_alike = (pl.col("ranges") - count).abs() <= NEARLY * count
        texts = ranges.filter(pl.col("process_id") == one.process_id, is_alike)["text"]
        if one.found_by == LAUNCHES and texts.len():
            note = f"layers and not whole steps: the NVTX ranges {texts[0]} number them"
            one = replace(one, is_layers=True, note=note)
        marked.append(one)
    return marked


def _without_gpu(ranges: pl.DataFrame, marks: Marks) -> list[StepSeries]:
    """Find the series of processes in a capture without GPU work."""
    series = []
    for _, own in ranges.group_by("process_id", maintain_order=True):
        steps = own.filter(~IS_EPOCH)
        marked = by_cpu_time(steps, marks) or by_phases(steps, marks) or by_cpu_time(own, marks)
        series += [marked] if marked else []
    return series


def _with_thread(ranges: pl.DataFrame, called: dict[int, pl.DataFrame]) -> pl.DataFrame:
    """Add in_loop: the range's thread could run the loop, as it is the main one or launches much of the process's work.

    Copies do not count: a data loader's thread has them.
    """
    launched = pl.Series([], dtype=pl.Int64)
    for rows in called.values():
        runs = rows.filter("is_run")["thread_id"].value_counts()
        launched = launched.append(runs.filter(pl.col("count") >= OF_SERIES * pl.col("count").sum())["thread_id"])
    is_main = tid_of(pl.col("thread_id")) == pid_of(pl.col("thread_id"))
    in_loop = is_main | pl.col("thread_id").is_in(launched.implode())
    return ranges.with_columns(in_loop=in_loop.fill_null(False))
