"""The steps of every process, their times on CPU and GPU, and the series chosen for the capture."""

import polars as pl

from nsysql.analysis.idle.blocks import busy
from nsysql.analysis.steps.found import Found
from nsysql.analysis.steps.gpu_times import GPU_TIMES, busy_time, gpu_times
from nsysql.analysis.steps.launch_sequence import by_launches
from nsysql.analysis.steps.launches import launched_work, launches
from nsysql.analysis.steps.mark_ranges import MarkRanges
from nsysql.analysis.steps.nvtx_marks import Marks, by_cpu_time, by_name, by_nvtx
from nsysql.analysis.steps.phases import by_phases
from nsysql.analysis.steps.warm_up import warm_up_count
from nsysql.analysis.view_reader import ViewReader

READS = (
    "_step_mark_candidate",
    "_step_range",
    "_gpu_activity_sorted",
    "_activity_launch",
    "_copy_memory",
    "graph_trace",
    "nvtx_domain",
    "string",
)
PROVIDES = ("_step_series", "_step_mark", "_step_gpu")

SERIES = pl.Schema(
    {
        "series_id": pl.Int64(),
        "found_by": pl.String(),
        "name": pl.String(),
        "process_id": pl.Int64(),
        "thread_id": pl.Int64(),
        "step_count": pl.Int64(),
        "warm_up_count": pl.Int64(),
        "covered_pct": pl.Float64(),
        "is_chosen": pl.Boolean(),
        "note": pl.String(),
        "work_ns": pl.Int64(),
    }
)
MARK = pl.Schema(
    {
        "series_id": pl.Int64(),
        "step": pl.Int64(),
        "cpu_start_ns": pl.Int64(),
        "cpu_end_ns": pl.Int64(),
        "is_complete": pl.Boolean(),
        "is_steady": pl.Boolean(),
    }
)
GPU = pl.Schema({"series_id": pl.Int64(), **GPU_TIMES, "busy_ns": pl.Int64()})


NO_WORK = pl.DataFrame(
    schema=dict.fromkeys(("gpu_id", "api_start_ns", "start_ns", "end_ns"), pl.Int64()),
)


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _step_series, _step_mark and _step_gpu, from the views in READS."""
    of_process = launched_work(views)
    called = {process_id: launches(rows) for process_id, rows in of_process.items()}
    series, marks, times = [], [pl.DataFrame(schema=MARK)], [pl.DataFrame(schema=GPU).drop("busy_ns")]
    for number, found in enumerate(_found(views, called)):
        own = of_process.get(found.process_id, NO_WORK)
        on_gpus = gpu_times(own, found.marks)
        warm = warm_up_count(_periods(found.marks, on_gpus))
        step = pl.int_range(found.marks.height, eager=True)
        marks.append(
            found.marks.select(
                *(pl.lit(number, pl.Int64).alias("series_id"), step.alias("step")),
                *("cpu_start_ns", "cpu_end_ns", "is_complete"),
                is_steady=(step >= warm) & pl.col("is_complete") & found.is_steps,
            )
        )
        times.append(on_gpus.select(pl.lit(number, pl.Int64).alias("series_id"), *GPU_TIMES.names()))
        series.append(_row(number, found, warm, int(on_gpus["work_ns"].sum())))
    frame = pl.DataFrame(series, schema=SERIES, orient="row")
    of_steps = busy_time(pl.concat(times), busy(views, "gpu_id", "start_ns", "end_ns"))
    return {"_step_series": _with_chosen(frame), "_step_mark": pl.concat(marks), "_step_gpu": of_steps}


def _row(number: int, found: Found, warm: int, work_ns: int) -> tuple[object, ...]:
    of = (found.found_by, found.name, found.process_id, found.thread_id)
    steps = found.marks.height
    return number, *of, steps, warm, 100 * found.covered, found.is_steps, found.note, work_ns


def _with_chosen(series: pl.DataFrame) -> pl.DataFrame:
    """Mark at most one series as chosen: the one with most GPU work; ties go to the first."""
    best = series.filter("is_chosen").sort("work_ns", "series_id", descending=[True, False]).head(1)["series_id"]
    return series.with_columns(is_chosen=pl.col("series_id").is_in(best.implode()))


def _periods(marks: pl.DataFrame, times: pl.DataFrame) -> pl.Series:
    """The duration of each complete step on the GPU with most of their work; on the CPU if there is no GPU work."""
    whole = marks.with_row_index("step").filter("is_complete")
    if times.is_empty():
        return whole["cpu_end_ns"] - whole["cpu_start_ns"]
    most = times.group_by("gpu_id").agg(pl.col("work_ns").sum()).sort("work_ns", "gpu_id", descending=[True, False])
    is_own = pl.col("gpu_id").eq_missing(pl.lit(most["gpu_id"][0], pl.Int64))
    own = times.filter(is_own & pl.col("step").is_in(whole["step"].cast(pl.Int64).implode()))
    return own["gpu_end_ns"] - own["gpu_start_ns"]


def _found(views: ViewReader, called: dict[int, pl.DataFrame]) -> list[Found]:
    """The series of all processes, in process order: by the requested name, by NVTX, else by launches."""
    starts = {process_id: rows["api_start_ns"] for process_id, rows in called.items()}
    all_marks = MarkRanges(views)
    ranges, marks = all_marks.candidates(starts), all_marks.of
    name = views("_step_range")["step_range"][0]
    if name is not None:
        return by_name(_with_domain(views, ranges), name, marks, starts)
    found: list[Found] = []
    for process_id, rows in called.items():
        own = by_nvtx(ranges.filter(pl.col("process_id") == process_id), marks, rows.height)
        if not any(series.is_steps for series in own):
            by_sequence = by_launches(rows, process_id)
            own += [by_sequence] if by_sequence else []
        found += own
    return found if called else _without_gpu(ranges, marks)


def _without_gpu(ranges: pl.DataFrame, marks: Marks) -> list[Found]:
    """The series of processes in a capture without GPU work."""
    series = []
    for _, own in ranges.group_by("process_id", maintain_order=True):
        found = by_cpu_time(own, marks) or by_phases(own, marks)
        series += [found] if found else []
    return series


def _with_domain(views: ViewReader, ranges: pl.DataFrame) -> pl.DataFrame:
    """Add the names of their domains to the candidates."""
    domains = views("nvtx_domain").filter("is_first").select("process_id", "domain_id", domain="name")
    return ranges.join(domains, on=["process_id", "domain_id"], how="left", maintain_order="left")
