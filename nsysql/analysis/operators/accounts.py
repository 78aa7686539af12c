"""Sum the CPU time of each NVTX path and name, and the GPU work launched inside."""

from collections.abc import Mapping

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, of_threads, process_of
from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.intervals import LENGTH
from nsysql.analysis.lines.python_stacks import STACK, stacks_at
from nsysql.analysis.nvtx.paths import NUMBER, OUTSIDE, STEP, PathInterval, paths_at, text_of_paths
from nsysql.analysis.operators.tree import KEY, running, stack, totals, under
from nsysql.analysis.view_reader import ViewReader, reads
from nsysql.analysis.window import Window

RANGES = "_operator_range"
NUMBERED = ["thread_id", "place", "start_ns", "end_ns", "sequence", "is_backward"]
OF = ["process_id", "sequence"]


def backward_work(views: ViewReader, work: pl.DataFrame) -> pl.DataFrame | None:
    """Return the backward work of operators, by thread and the place of the operator's range among its thread's.

    One row for each outermost backward range: thread_id, place, backward_cpu, backward_gpu; NULL if no operator has its
    number, or several threads have. None if the export has no such ranges.
    """
    if not views(RANGES, "is_backward").to_series().any():
        return None
    known = _numbered(views.of_threads(RANGES)).with_columns(process_id=process_of(pl.col("thread_id")))
    backward = _outermost(known.filter("is_backward"))
    forward = _outside(known.filter(~pl.col("is_backward")), backward)
    one_thread = forward.group_by(OF).agg(is_one=pl.col("thread_id").n_unique() == 1).filter("is_one").select(OF)
    forward = forward.join(one_thread, on=OF, how="semi").sort("start_ns", "place")
    made = forward.select(*OF, "start_ns", "thread_id", "place")
    rows = _with_work(backward, work, views.window).drop("thread_id", "place").sort("start_ns")
    rows = rows.join_asof(made, on="start_ns", by=OF, check_sortedness=False)
    return rows.select("thread_id", "place", "backward_cpu", "backward_gpu")


def _numbered(ranges: Mapping[object, pl.DataFrame]) -> pl.DataFrame:
    """Return the ranges with a sequence number, by thread and in order; `place` is the position in the thread."""
    is_numbered = pl.col("sequence").is_not_null()
    numbered = (own.with_row_index("place").filter(is_numbered).select(NUMBERED) for own in ranges.values())
    return pl.concat(numbered).cast({"place": pl.Int64})


def _outermost(ranges: pl.DataFrame) -> pl.DataFrame:
    """Keep the ranges, by thread and in order, that do not begin inside another of them."""
    reached = pl.col("end_ns").cum_max().shift().over("thread_id")
    return ranges.filter(reached.is_null() | (pl.col("start_ns") >= reached))


def _outside(forward: pl.DataFrame, backward: pl.DataFrame) -> pl.DataFrame:
    """Keep the ranges that begin in no backward range of their thread: those inside have numbers of other operators."""
    before = backward.select("thread_id", "start_ns", until="end_ns").sort("start_ns")
    placed = forward.sort("start_ns").join_asof(before, on="start_ns", by="thread_id", check_sortedness=False)
    return placed.filter(pl.col("until").is_null() | (pl.col("start_ns") >= pl.col("until"))).drop("until")


def _with_work(backward: pl.DataFrame, work: pl.DataFrame, window: Window) -> pl.DataFrame:
    """Add to backward ranges their CPU time in the window, and the GPU time of the work that calls in them launched."""
    backward = backward.with_row_index("which")
    begun = backward.select("thread_id", "which", "end_ns", "start_ns").sort("start_ns")
    called = window.shortened(work).drop_nulls(["thread_id", "api_start_ns"])
    called = called.select("thread_id", start_ns="api_start_ns", gpu=LENGTH).sort("start_ns")
    inside = called.join_asof(begun, on="start_ns", by="thread_id", check_sortedness=False)
    sums = inside.filter(pl.col("start_ns") < pl.col("end_ns")).group_by("which").agg(backward_gpu=pl.col("gpu").sum())
    rows = backward.join(sums, on="which", how="left", maintain_order="left")
    start_ns, end_ns = (window.squeezed(rows[name].cast(pl.Int64)) for name in ("start_ns", "end_ns"))
    rows = rows.with_columns(pl.col("backward_gpu").fill_null(0), backward_cpu=end_ns - start_ns)
    return rows.filter(window.has(rows) | (rows["backward_gpu"] > 0))


WORK = "_operator_work"
KIND = pl.Enum(["kernel", "memcpy", "memset", "graph"])
FIRST_ON_GPU = ["call_id", "gpu_id", "start_ns", "stream_id", "kind", "row_id"]  # of a call's work
NULLS_LAST = [False, False, False, True, False, False]


def launched_work(views: ViewReader) -> pl.DataFrame:
    """Return the GPU work with its calls; is_launch is true in the first row of each call on the GPU."""
    work = views(WORK, narrow=lambda some: shrink_ints(some.cast({"kind": KIND})))
    work = work.with_columns(is_launch=_is_first(work)).drop("call_id", "stream_id", "row_id")
    return work.with_columns(stacks_at(work, "api_start_ns", views("_python_stretch")))


def _is_first(work: pl.DataFrame) -> pl.Series:
    """Mark each piece of work that is the first of its call."""
    is_alone, is_launched = work["call_id"].is_unique(), work["call_id"].is_not_null()
    several = work.with_row_index("place").filter(~is_alone & is_launched)
    first = several.sort(FIRST_ON_GPU, nulls_last=NULLS_LAST).unique("call_id", keep="first")["place"]
    return (is_alone & is_launched) | pl.int_range(work.height, dtype=pl.UInt32, eager=True).is_in(first.implode())


OF_CALL = ["thread_id", "api_start_ns", "api_end_ns"]
FOUND = {"path": NUMBER, **dict.fromkeys(("cpu", "count", "backward_cpu", "backward_gpu"), pl.Int64)}
BACKWARD = dict.fromkeys(("thread_id", "place", "backward_cpu", "backward_gpu"), pl.Int64)
OWN = {  # numbers of a path, as they are named in `_operator`
    **{name: f"{name}_ns" for name in ("cpu_total", "cpu_self", "gpu_total", "gpu_self")},
    "count_end": "count", "kernels_total": "kernels", "launches_total": "launches",
    "backward_cpu_total": "backward_cpu_ns", "backward_gpu_total": "backward_gpu_ns",
}  # fmt: skip


@reads("_operator_range", "_operator_name", "_operator_work", "_python_stretch")
def operators(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _operator and _operator_stack."""
    work = launched_work(views)
    context = _Context(backward_work(views, work), views.window, _called(work))
    outside, launched = _by_thread(views.window.shortened(work))
    del work
    work = context.place(outside, launched, views.of_threads("_operator_range"))
    texts, names = text_of_paths(context.steps), views("_operator_name")
    ran = work.group_by("path", "kind", "detail_id", STACK).agg(
        gpu=LENGTH.sum(), pieces=pl.len().cast(pl.Int64), launches=pl.col("is_launch").sum().cast(pl.Int64)
    )
    sums = _by_text(_sums(context.own, ran), texts)
    around = under(sums["path"], names)
    numbers = around.join(texts.rename({"text": "path", "path": "number"}), on="path")
    busy_ns = running(work, numbers.drop("path").rename({"number": "path"}))
    rows = totals(sums, around).join(busy_ns, on=KEY, how="left", nulls_equal=True)
    if not context.has_backward:
        rows = rows.with_columns(backward_cpu_total=None, backward_gpu_total=None)
    columns = (pl.col(name).cast(pl.Int64).alias(alias) for name, alias in OWN.items())
    busy = pl.col("gpu_busy_ns").fill_null(0).cast(pl.Int64)
    stacks = _stacks(sums, _by_text(ran, texts), names)
    return {"_operator": rows.select(*KEY, *columns, busy), "_operator_stack": stacks}


class _Context:
    """The results of all threads so far: what is directly in each path (path, cpu, count), and the steps of the paths.

    Only what is in the window counts; `called` has each thread's first and last launching call in the whole capture.
    """

    def __init__(self, backward: pl.DataFrame | None, window: Window, called: dict[object, tuple[int, int]]) -> None:
        self._window, self._called, self.has_backward = window, called, backward is not None
        self.own = [pl.DataFrame(schema=FOUND)]
        self.steps = [pl.DataFrame(schema=STEP)]
        known = pl.DataFrame(schema=BACKWARD) if backward is None else backward
        self._backward = of_threads(known)
        self._take_backward(known.filter(pl.col("thread_id").is_null()), pl.lit(OUTSIDE, NUMBER))

    def place(
        self, outside: pl.DataFrame, launched: dict[object, pl.DataFrame], ranges: Mapping[object, pl.DataFrame]
    ) -> pl.DataFrame:
        """Return the work with the path of each piece's call, whether its thread is known or not."""
        none = pl.lit(OUTSIDE, NUMBER).alias("path")
        _move_to_main(ranges, launched)
        placed = [outside.with_columns(none)]
        for thread in [*ranges, *(thread for thread in self._called if thread not in ranges)]:
            calls, known = launched.pop(thread, outside.clear()), ranges.get(thread)
            before, paths = len(self.own), [pl.Series(dtype=NUMBER)]
            if known is not None:
                calls = calls.sort("api_start_ns")
                for some, interval in paths_at(known, calls["api_start_ns"]):
                    paths.append(some)
                    self._take(known, self._backward.get(thread), interval)
            calls = calls.with_columns(none if known is None else pl.concat(paths).alias("path"))
            inside = sum(int(own["cpu"].sum()) for own in self.own[before:] if "cpu" in own.columns)
            self._take_outside(known, thread, inside)
            placed.append(calls.drop(OF_CALL))
            del known, calls  # those of the next thread need the memory
        placed[0] = placed[0].drop(OF_CALL)
        return pl.concat(placed)

    def _take(self, ranges: pl.DataFrame, backward: pl.DataFrame | None, interval: PathInterval) -> None:
        begun = ranges.slice(interval.first, interval.opened.len())
        self.own += [interval.lasting(self._window), interval.counts(self._window.has(begun))]
        self.steps.append(interval.steps)
        if backward is not None:
            place = pl.col("place") - interval.first
            own = backward.with_columns(place).filter(pl.col("place").is_between(0, interval.opened.len() - 1))
            self._take_backward(own, interval.opened.gather(own["place"]))

    def _take_backward(self, rows: pl.DataFrame, path: pl.Series | pl.Expr) -> None:
        """Add the backward work of ranges with these paths."""
        self.own.append(rows.select("backward_cpu", "backward_gpu").with_columns(path.alias("path")))

    def _take_outside(self, ranges: pl.DataFrame | None, thread: object, inside: int) -> None:
        """Add the time of a thread outside of ranges, from its first range or call to its last."""
        times = [self._called[thread]] if thread in self._called else []
        if ranges is not None:
            times.append((ranges["start_ns"].min(), ranges["end_ns"].max()))  # type: ignore[arg-type]
        first, last = self._window.squeezed(pl.Series([min(times)[0], max(end for _, end in times)], dtype=pl.Int64))
        row = {"path": [OUTSIDE], "cpu": [max(last - first, 0) - inside]}
        self.own.append(pl.DataFrame(row, schema={"path": NUMBER, "cpu": pl.Int64}))


def _called(work: pl.DataFrame) -> dict[object, tuple[int, int]]:
    """Return the start of the first call and the end of the last one of each thread that launched work."""
    calls = work.drop_nulls(["thread_id", "api_start_ns"]).group_by("thread_id", maintain_order=True)
    spans = calls.agg(pl.col("api_start_ns").min(), pl.max_horizontal("api_start_ns", "api_end_ns").max().alias("end"))
    return {thread: (first, last) for thread, first, last in spans.iter_rows()}


def _by_thread(work: pl.DataFrame) -> tuple[pl.DataFrame, dict[object, pl.DataFrame]]:
    """Split the work into that without a known call, and that of each thread."""
    is_placed = pl.col("thread_id").is_not_null() & pl.col("api_start_ns").is_not_null()
    outside, work = work.filter(~is_placed), work.filter(is_placed)
    return outside, of_threads(work)


def _move_to_main(ranges: Mapping[object, pl.DataFrame], launched: dict[object, pl.DataFrame]) -> None:
    """Move the work of threads that never opened a range to the main threads of their processes, if these did.

    PyTorch's autograd thread launches while the main thread is in backward().
    """
    for thread in [thread for thread in launched if isinstance(thread, int) and thread not in ranges]:
        main = main_thread_of(process_of(thread))
        if main in ranges:
            own = launched.pop(thread)
            launched[main] = pl.concat([launched[main], own]) if main in launched else own


def _sums(own: list[pl.DataFrame], ran: pl.DataFrame) -> pl.DataFrame:
    """Sum what is directly in each path: path, cpu, count, gpu, kernels, launches."""
    of_work = ran.group_by("path").agg(
        pl.col("gpu", "launches").sum(), kernels=pl.col("pieces").filter(pl.col("kind") == "kernel").sum()
    )
    both = pl.concat([*own, of_work], how="diagonal")
    return both.group_by("path").agg(pl.all().sum())


def _by_text(rows: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Replace the number of each row's path by its text."""
    return rows.join(texts, on="path", how="left", maintain_order="left").drop("path").rename({"text": "path"})


def _stacks(sums: pl.DataFrame, ran: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of _operator_stack; what ran is the last frame, except for CPU time."""
    columns = ["path", "kind", "detail_id", STACK]
    ran = ran.select(*columns, "gpu", "launches").cast({"kind": pl.String})
    on_gpu = ran.unpivot(["gpu", "launches"], index=columns, variable_name="weight")
    on_cpu = sums.select("path", value="cpu", weight=pl.lit("cpu"))
    both = pl.concat([on_gpu, on_cpu], how="diagonal_relaxed").filter(pl.col("value") > 0)
    named = both.with_columns(pl.col("detail_id").cast(pl.Int64), names=stack(pl.col("path"), names))
    return named.select("weight", "names", "kind", "detail_id", "value", STACK)
