"""Split each GPU's captured time into parts by the rules in docs/findings.md.

The time is cut at few places; every nanosecond is in one part.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from nsysql.analysis.intervals import covered_until, runs_of
from nsysql.analysis.view_reader import ViewReader, reads, schema_of
from nsysql.errors import BEYOND, TooLarge

ONCE = ("module_load", "context_setup", "first_launch", "graph_build")
SETUP = (*ONCE, "stream_and_event_setup", "memory_management")
OF_WINDOW = 0.05  # least share of the window for a series: a shorter one would displace start-up
IN_STEPS = 0.25  # least share of a series without ranges in its steps: with less, the work is not this loop
REST = 0.01  # share of the window from which work outside of series is a part
CALLS_FIRST_NS = 1_000_000  # if CUDA calls precede the first work by as much, the program began in the capture
ONCE_SHARE = 0.02  # share of causes that happen once, from which the time before the first steady step is start-up
WORKS = 0.2  # share of the window: if the GPU works as long before the first long gap, start-up is later
WAITS = 0.2  # share of that time in which the GPU can be idle
TIMES = ("gap_id", "start_ns", "end_ns")
PAUSE_NS = 10_000_000  # shorter gaps are part of the work
PAUSE_TIMES = 10  # how many times as long as the next longest gap a pause is
LONG_GAP = 0.02  # share of the window from which a gap can be the end of set-up
LOADS = 3  # with as many modules loaded in one gap, what the host does between them is set-up, too
SETUP_SHARE = 0.3  # of a gap: context, module, library creation or first launch

CLASSES = ("any", "run", "computing")
PART, BUSY, SPAN, STEP = map(schema_of, ("part", "_part_busy", "_part_span", "_part_step"))
Span = tuple[int, int]


@dataclass
class Series:
    """Steady steps on one GPU."""

    name: str | None
    steps: pl.DataFrame  # step, start_ns, end_ns
    start: int
    end: int
    is_chosen: bool  # of all series it has most GPU work
    is_found: bool  # by its launches, not by ranges

    def is_loop(self) -> bool:
        """Tell whether the steps are the loop; launches can also look alike between other work."""
        inside = int((self.steps["end_ns"] - self.steps["start_ns"]).sum())
        return not self.is_found or inside >= IN_STEPS * (self.end - self.start)


@dataclass
class Cuts:
    """The pieces (kind, start, end, series) into which a GPU's captured time is cut without gaps."""

    pieces: list[tuple[str, int, int, Series | None]] = field(default_factory=list)

    def add(self, kind: str, start: int, end: int, series: Series | None = None, pause: Span | None = None) -> None:
        """Add a piece, unless it is empty, without the pause in it."""
        if pause and start <= pause[0] and pause[1] <= end:
            self.add(kind, start, pause[0], series)
            self.add(kind, pause[1], end, series)
        elif end > start:
            self.pieces.append((kind, start, end, series))


@reads(
    "_captured", "_gpu_window", "_gpu_process", "_gpu_busy_interval", "_idle_gap", "_idle_piece",
    "_process_api_span", "_step_series", "_step_mark", "_step_gpu",
)  # fmt: skip
def parts(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames part, _part_busy, _part_span and _part_step."""
    start, end = (int(time) for time in views("_captured").row(0))
    if end - start >= 2**63:
        raise TooLarge(BEYOND)
    gpus = views("_gpu_window").sort("gpu_id")  # first: the ledger computes frames in memory that steps read
    marks = _steps(views)
    parts, spans, steps = [], [], []
    of_gpus: list[tuple[int | None, int | None, Cuts, int]]
    none = [(None, None, _without_gpu(start, end, marks), 0)] if gpus.is_empty() else []
    of_gpus = [*none, *_of_gpus(views, gpus, marks, start, end)]
    number = 0
    for gpu_id, process_id, cuts, window in of_gpus:
        groups: dict[tuple[str, int], list[tuple[str, int, int, Series | None]]] = {}
        for piece in sorted(cuts.pieces, key=lambda piece: piece[1]):
            groups.setdefault((piece[0], id(piece[3])), []).append(piece)
        for (kind, _), pieces in groups.items():
            number += 1
            series = pieces[0][3]
            spans += [(number, gpu_id, a, b) for _, a, b, _ in pieces]
            lengths = series.steps["end_ns"] - series.steps["start_ns"] if series else pl.Series(dtype=pl.Int64)
            middle = lengths.median()
            parts.append(
                {
                    "part_id": number, "gpu_id": gpu_id, "process_id": process_id, "kind": kind,
                    "name": series.name if series else None,
                    "start_ns": pieces[0][1], "end_ns": pieces[-1][2], "length_ns": sum(b - a for _, a, b, _ in pieces),
                    "step_count": series.steps.height if series else None,
                    "step_ns": int(middle) if isinstance(middle, int | float) else None,
                    "longest_step_ns": lengths.max(), "steps_ns": int(lengths.sum()) if series else None,
                    "window_ns": window or None,
                }
            )  # fmt: skip
            if series:
                of_part = (pl.lit(number, pl.Int64).alias("part_id"), pl.lit(gpu_id, pl.Int64).alias("gpu_id"))
                steps.append(series.steps.select(*of_part, "step", "start_ns", "end_ns").cast(STEP))
    frame = pl.DataFrame(parts, PART)
    at = pl.DataFrame(spans, SPAN, orient="row")
    busy = _busy(at, views)
    return {
        "part": _with_busy(frame, busy) if gpus.height else frame,
        "_part_busy": busy,
        "_part_span": at,
        "_part_step": pl.concat([pl.DataFrame(schema=STEP), *steps]),
    }


def _steps(views: ViewReader) -> pl.DataFrame:
    """Return the steady steps of all series with their times on each GPU; without GPU work those of the CPU."""
    key = pl.Schema({"series_id": pl.Int64(), "step": pl.Int64()})
    is_found = (pl.col("found_by") == "launches").alias("is_found")
    times = views("_step_gpu").cast(key)
    marks = views("_step_mark").filter("is_steady").cast(key).join(times, on=key.names(), how="left")
    series = views("_step_series").cast({"series_id": pl.Int64})
    steps = marks.join(series.select("series_id", "name", "is_chosen", is_found), on="series_id").with_columns(
        pl.col("gpu_id").cast(pl.Int64),
        start_ns=pl.coalesce("gpu_start_ns", "cpu_start_ns").cast(pl.Int64),
        end_ns=pl.coalesce("gpu_end_ns", "cpu_end_ns").cast(pl.Int64),
    )
    return steps.sort("series_id", "gpu_id", "start_ns", "step")


def _without_gpu(start: int, end: int, marks: pl.DataFrame) -> Cuts:
    """Cut a capture without GPU work at its chosen steps; without steps it is one part."""
    cuts, own = Cuts(), marks.filter("is_chosen")
    if own.is_empty():
        cuts.add("work", start, end)
        return cuts
    series = _series(own)
    first, last = max(start, series.start), min(end, series.end)
    cuts.add("rest", start, first)
    cuts.add("series", first, last, series)
    cuts.add("rest", last, end)
    return cuts


def _series(own: pl.DataFrame) -> Series:
    return Series(
        own["name"][0],
        own.select("step", "start_ns", "end_ns"),
        int(own["start_ns"].min() or 0),  # type: ignore[arg-type]
        int(own["end_ns"].max() or 0),  # type: ignore[arg-type]
        bool(own["is_chosen"][0]),
        bool(own["is_found"][0]),
    )


def _of_gpus(
    views: ViewReader, gpus: pl.DataFrame, marks: pl.DataFrame, start: int, end: int
) -> Iterator[tuple[int | None, int | None, Cuts, int]]:
    """Yield for each GPU its id, the process with most work, its cuts, and the length of its window without a pause."""
    users = views("_gpu_process").sort("activities", "process_id", descending=[True, False])
    gaps = _gaps(views)
    spans = views("_process_api_span").select("process_id", "start_ns", "end_ns").drop_nulls()
    calls = {process_id: times for process_id, *times in spans.rows()}
    for gpu_id, first, last in gpus.select("gpu_id", "start_ns", "end_ns").rows():
        of_gpu = pl.col("gpu_id").eq_missing(pl.lit(gpu_id, pl.Int64))
        own = users.filter(of_gpu)
        process_id = own["process_id"][0] if own.height else None
        times = [calls[p] for p in own["process_id"].unique().to_list() if p in calls]
        span = (min((t[0] for t in times), default=first), max((t[1] for t in times), default=last))
        own_gaps = gaps.filter(of_gpu)
        reads = own_gaps.filter("is_after_work")["start_ns"].min()  # the host reads results: no GPU work waits for it
        until, last = last, int(reads) if isinstance(reads, int) else last
        gpu = Gpu(start, end, span, first, last, own_gaps.filter(pl.col("end_ns") <= last), until)
        cuts = gpu.cut(marks.filter(of_gpu))
        yield gpu_id, process_id, cuts, gpu.window


def _gaps(views: ViewReader) -> pl.DataFrame:
    """Return the gaps with their time under causes that happen once, and under set-up of any kind."""
    times = [pl.col(name).cast(pl.Int64) for name in TIMES]
    length, cause = pl.col("end_ns") - pl.col("start_ns"), pl.col("cause").cast(pl.String)

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        return some.filter(cause.is_in(SETUP)).select(cause, *times)

    pieces = views("_idle_piece", "cause", *TIMES, narrow=narrow)
    is_once, loads = pl.col("cause").is_in(ONCE), pl.col("start_ns").filter(pl.col("cause") == "module_load")
    of_gap = pieces.group_by("gap_id").agg(
        once_ns=length.filter(is_once).sum(),
        setup_ns=length.sum(),
        loading_ns=pl.when(loads.len() >= LOADS).then(loads.max() - loads.min()),
    )
    gaps = views("_idle_gap", "is_after_work", "gpu_id", *TIMES)
    gaps = gaps.select("is_after_work", pl.col("gpu_id").cast(pl.Int64), *times)
    return gaps.join(of_gap, on="gap_id", how="left").with_columns(
        length_ns=pl.col("end_ns") - pl.col("start_ns"),
        once_ns=pl.col("once_ns").fill_null(0),
        setup_ns=pl.max_horizontal(pl.col("setup_ns", "loading_ns").fill_null(0)),
    )


@dataclass
class Gpu:
    """One GPU's time: the capture, its processes' calls, its work, and the gaps in it."""

    start: int
    end: int
    calls: Span
    first: int
    last: int
    gaps: pl.DataFrame
    read: int  # end of the host's reads of unified memory
    window: int = 0

    def cut(self, marks: pl.DataFrame) -> Cuts:
        """Cut this GPU's captured time into parts."""
        cuts = Cuts()
        begin, done = (min(max(time, self.start), self.end) for time in (self.first, self.last))
        first_call = min(begin, max(self.start, self.calls[0]))
        last_call = max(done, min(self.end, max(self.calls[1], self.read)))
        cuts.add("outside", self.start, first_call)
        cuts.add("before", first_call, begin)
        pause = self._pause()
        self.window = done - begin - (pause[1] - pause[0] if pause else 0)
        series = self._series(marks)
        steady = series[0].start if series else self._end_of_setup()
        is_startup = steady > begin and (not series or self._has_reason(begin, steady, first_call))
        at = begin
        if is_startup and series:
            at = self._works_until(begin, steady)
            cuts.add("rest", begin, at)
        if is_startup:
            set_up, at = at, steady
            if pause and pause[1] <= steady and self._sets_up(*pause):
                pause = None  # part of start-up, but still not in the window
            cuts.add("startup", set_up, at, pause=pause)
        for one in series:
            if one.start - at >= REST * self.window:
                cuts.add("rest", at, one.start, pause=pause)
                at = one.start
            cuts.add("series", at, one.end, one, pause)
            at = max(at, one.end)
        if series and done - at < REST * self.window:
            cuts.add("series", at, done, series[-1], pause)
        else:
            cuts.add("rest" if series else "work", at, done, pause=pause)
        if pause:
            cuts.add("pause", *pause)
        cuts.add("after", done, last_call)
        cuts.add("outside", last_call, self.end)
        return cuts

    def _pause(self) -> Span | None:
        """Return the one gap that is far longer than all others and is not set-up; None if there is none."""
        if self.gaps.is_empty():
            return None
        long = pl.col("length_ns") >= self.gaps["length_ns"].top_k(2).min()  # faster by far than sorting all
        longest = self.gaps.filter(long).sort("length_ns", "start_ns", descending=[True, False]).head(2)
        gap = longest.row(0, named=True)
        following = longest["length_ns"][1] if longest.height > 1 else 0
        if gap["length_ns"] < max(PAUSE_NS, PAUSE_TIMES * following, (self.last - self.first) // 2 + 1):
            return None
        if 2 * gap["setup_ns"] >= gap["length_ns"]:
            return None
        return int(gap["start_ns"]), int(gap["end_ns"])

    def _sets_up(self, start: int, end: int) -> bool:
        """Tell whether the host sets up anything in this gap; then it imports or compiles in the rest of it."""
        return bool(self.gaps.filter((pl.col("start_ns") == start) & (pl.col("end_ns") == end))["setup_ns"].sum())

    def _series(self, marks: pl.DataFrame) -> list[Series]:
        """Return the series with enough of the window, in order of time; the chosen or longest of overlapping ones."""
        series = [_series(own) for _, own in marks.group_by("series_id", maintain_order=True)]
        series = [one for one in series if one.end - one.start >= OF_WINDOW * self.window and one.is_loop()]
        kept: list[Series] = []
        for one in sorted(series, key=lambda one: (not one.is_chosen, one.start - one.end, one.start)):
            if all(one.end <= other.start or one.start >= other.end for other in kept):
                kept.append(one)
        return sorted(kept, key=lambda one: one.start)

    def _has_reason(self, begin: int, steady: int, first_call: int) -> bool:
        """Tell whether the time before the first steady step is the program's start-up."""
        once = self.gaps.filter(pl.col("end_ns") <= steady)["once_ns"].sum()
        return begin - first_call > CALLS_FIRST_NS or once > ONCE_SHARE * (steady - begin)

    def _works_until(self, begin: int, steady: int) -> int:
        """Return the first long gap before the first steady step, or that step, if the GPU works long until then.

        A program that copies its data, computes and copies the result back has no start-up as long as its loop.
        """
        own = self.gaps.filter(pl.col("end_ns") <= steady)
        long = own.filter(pl.col("length_ns") > LONG_GAP * self.window)["start_ns"].min()
        until = long if isinstance(long, int) else steady
        idle = int(own.filter(pl.col("start_ns") < until)["length_ns"].sum())
        works = idle < WAITS * (until - begin) and until - begin >= WORKS * self.window
        return until if works else begin

    def _end_of_setup(self) -> int:
        """Return the end of the last long gap of set-up if such gaps are most of the time before it, else the start."""
        length = pl.col("length_ns")
        long = self.gaps.filter(length > LONG_GAP * self.window, pl.col("once_ns") > SETUP_SHARE * length)
        if long.is_empty():
            return self.first
        end = int(long["end_ns"].max() or 0)  # type: ignore[arg-type]
        return end if 2 * int(long["length_ns"].sum()) > end - self.first else self.first


def _busy(spans: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """Return the frame _part_busy."""

    def summed(intervals: pl.DataFrame) -> pl.DataFrame:
        sums = [pl.DataFrame(schema=BUSY)]
        of_gpus = ((gpu, *run) for gpu, own in runs_of(intervals, "gpu_id") for run in runs_of(own, "class"))
        for gpu_id, name, runs in of_gpus:
            if name in CLASSES:
                runs = runs.sort("start_ns")  # DuckDB returns rows in any order
                time = covered_until(runs, spans["end_ns"]) - covered_until(runs, spans["start_ns"])
                labels = pl.lit(gpu_id).alias("gpu_id"), pl.lit(name).alias("class")
                sums.append(spans.select("part_id", *labels, busy_ns=time).cast(BUSY))
        return pl.concat(sums)

    sums = views("_gpu_busy_interval", narrow=summed)
    return sums.group_by("part_id", "gpu_id", "class").agg(pl.col("busy_ns").sum())


def _with_busy(parts: pl.DataFrame, busy: pl.DataFrame) -> pl.DataFrame:
    """Add busy_ns and idle_ns."""
    own = busy.filter(pl.col("class") == "any").drop("class")
    worked = pl.col("kind").is_in(["startup", "series", "rest", "work", "pause"])
    known = parts.drop("busy_ns").join(
        own, on=["part_id", "gpu_id"], how="left", nulls_equal=True, maintain_order="left"
    )
    known = known.with_columns(pl.col("busy_ns").fill_null(0))
    idle_ns = pl.when(worked).then(pl.col("length_ns") - pl.col("busy_ns"))
    return known.with_columns(idle_ns=idle_ns).select(parts.columns)
