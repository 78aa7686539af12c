"""The facts of a verdict, asked of an export: each frame is the answer of a query."""

from typing import TYPE_CHECKING, Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.pages.steps.line import step_line
from nsysql.pages.verdict.before import calls_before
from nsysql.pages.verdict.drain_calls import DrainCalls
from nsysql.pages.verdict.facts import EMPTY, ONCE, Facts, Stretch, last_end
from nsysql.pages.verdict.startup import Repetition, repetition

if TYPE_CHECKING:
    from nsysql.pages.idle.gather import IdleFrames
    from nsysql.pages.scope import PageScope

FIRST = 200_000  # launches in which a repetition is looked for
WINDOW = ("window_start_ns", "window_end_ns")
APART = 0.05  # of the window idle in start-up, or after the last repetition: then the rest is judged alone
WORTH = 0.02  # of the window: copies with less are not looked at
MOST = 0.5  # of the idle time
LONGEST = 5  # gaps of a GPU
COMPILED = 5_000_000  # ns of first launches for which samples are looked at
TOLD = ("NVTX_EVENTS", "OSRT_API", "SCHED_EVENTS", "SAMPLING_CALLCHAINS", "CUDA_CALLCHAINS")


def facts(run: Export, asked: "PageScope", found: "IdleFrames") -> Facts:
    """What a verdict on what is asked for is judged by; `found` are the frames of its page."""
    whole = Stretch(found.gpu_time, found.exposed_time, found.ledger)
    again = None if asked.filters else _again(run, asked)
    start_up = _start_up(run, asked, again)
    ending = _ending(run, asked, whole, again)
    judged = _judged(run, asked, whole, again, [start_up, ending])
    split = judged is not whole
    window = _between(asked, judged) if split else asked.window
    drains = DrainCalls(run, window)
    kernels = _if(run, "gpu_kernels", {**window, "together": True})
    graphs_window = {name: value for name, value in window.items() if name != "gpu"}
    graphs = _of_gpu(asked, _if(run, "gpu_graphs", graphs_window))
    return Facts(
        causes=found.causes,
        whole=whole,
        judged=judged,
        start_up=start_up,
        repetition=again,
        is_narrowed=bool(asked.filters),
        calls=run.query("idle_groups", by="api", **window) if split else found.calls,
        longest=_longest(run, window),
        gaps=_gaps(run, asked, found),
        patterns=EMPTY if again or asked.filters else run.query("idle_patterns", **asked.window),
        drain_copies=_of_drains(run, "idle_drain_copies", window, judged, drains.sums),
        drain_causes=_of_drains(run, "idle_drain_causes", window, judged, drains.sums),
        functions=_functions(run, window),
        kernels=kernels,
        copies=_copies(run, window, judged),
        graphs=graphs,
        first_longest=_longest(run, _until(asked, again)) if again and split else EMPTY,
        ending=ending,
        last_longest=_longest(run, _since(asked, again)) if again and split and ending.height else EMPTY,
        after_kernels=EMPTY if again or asked.filters else _after_kernels(run, asked, whole, last_end(kernels, graphs)),
        compiling=_compiling(run, found.ledger),
        in_mpi=_in_mpi(run, window, found) if split else found.in_mpi,
        gpus=run.query("gpus"),
        calls_before=calls_before(run, asked, whole.gpu_time),
        has=frozenset(name for name in TOLD if run.has(name)),
        drains=drains.labeled(),  # last: read in the background until here
    )


def _again(run: Export, asked: "PageScope") -> Repetition | None:
    """The steady steps of the capture; where none are found, what its launches repeat."""
    steps = None if asked.per_process else step_line(run)
    if steps is not None and steps.series["note"] is None:
        return Repetition(int(steps.series["steady_count"]), 0, steps.start_ns, steps.end_ns)
    return repetition(run.query("launch_sequence", top=FIRST, **_apart(asked)))


def _gaps(run: Export, asked: "PageScope", found: "IdleFrames") -> pl.DataFrame:
    """The longest gaps, whatever of them the page shows."""
    if asked.min_gap_ns == 0 and (asked.top is None or asked.top >= LONGEST):
        return found.gaps
    return run.query("idle_gaps", top=LONGEST, **asked.window)


def _apart(asked: "PageScope") -> dict[str, Any]:
    return {"per_process": asked.per_process}


def _copies(run: Export, window: dict[str, Any], judged: Stretch) -> pl.DataFrame:
    """Copies by kind, if they have some of the time: exposed, or migrations of unified memory under kernels."""
    if judged.of(judged.ran("only_copies_ns")) >= WORTH:
        return _if(run, "gpu_copies", {**window, "together": True})
    if judged.of(int(judged.gpu_time["memcpy_ns"].sum())) < WORTH:
        return EMPTY
    found = _if(run, "gpu_copies", {**window, "together": True})
    return found.filter(pl.col("fault_count") > 0) if found.height else found


def _of_gpu(asked: "PageScope", rows: pl.DataFrame) -> pl.DataFrame:
    return rows if asked.gpu is None or rows.is_empty() else rows.filter(gpu_id=asked.gpu)


def _until(asked: "PageScope", again: Repetition) -> dict[str, Any]:
    return {**asked.window, "end_ns": again.start_ns}


def _since(asked: "PageScope", again: Repetition) -> dict[str, Any]:
    return {**asked.window, "start_ns": again.end_ns}


def _between(asked: "PageScope", judged: Stretch) -> dict[str, Any]:
    return {**asked.window, "start_ns": judged.start_ns, "end_ns": judged.end_ns}


def _start_up(run: Export, asked: "PageScope", again: Repetition | None) -> pl.DataFrame:
    """The ledger up to the first repetition; without rows where nothing is known to repeat."""
    return EMPTY if again is None else run.query("idle_ledger", **_until(asked, again))


def _ending(run: Export, asked: "PageScope", whole: Stretch, again: Repetition | None) -> pl.DataFrame:
    """The ledger after the last repetition; without rows where that is short or nothing is known to repeat."""
    if again is None:
        return EMPTY
    is_long = whole.of(_left(whole, again.end_ns)) >= APART
    return run.query("idle_ledger", **_since(asked, again)) if is_long else EMPTY


def _after_kernels(run: Export, asked: "PageScope", whole: Stretch, end: int | None) -> pl.DataFrame:
    """The ledger after the last kernel, where most of the idle time can be there."""
    if end is None or _left(whole, end) < MOST * whole.idle_ns:
        return EMPTY
    ledger = run.query("idle_ledger", **{**asked.window, "start_ns": end})
    return ledger if int(ledger["idle_ns"].sum()) >= MOST * whole.idle_ns else EMPTY


def _left(whole: Stretch, moment: int) -> int:
    """The time of all GPUs after a moment."""
    return sum(max(0, end - max(start, moment)) for start, end in whole.gpu_time.select(WINDOW).rows())


def _judged(
    run: Export, asked: "PageScope", whole: Stretch, again: Repetition | None, apart: list[pl.DataFrame]
) -> Stretch:
    """What repeats, if much of the idle time lies before it or after it; else the whole."""
    idle = sum(int(ledger["idle_ns"].sum()) for ledger in apart if ledger.height)
    if again is None or whole.of(idle) < APART:
        return whole
    window = {**asked.window, "start_ns": again.start_ns, "end_ns": again.end_ns}
    gpu_time = run.query("gpu_time", **window)
    if gpu_time.is_empty():
        return whole
    exposed, ledger = run.query("exposed_time", **window), run.query("idle_ledger", **window)
    return Stretch(gpu_time, exposed, ledger, again.start_ns, again.end_ns)


def _if(run: Export, name: str, window: dict[str, Any]) -> pl.DataFrame:
    """The answer to a query, without rows where the export has nothing for it."""
    if name not in run.paths or not all(any(run.has(one) for one in need) for need in run.find(name).needs):
        return EMPTY
    return run.query(name, **window)


def _longest(run: Export, window: dict[str, Any]) -> pl.DataFrame:
    """The longest pieces; with the functions that they are in where call stacks or samples were recorded."""
    return run.query("idle_longest", places=run.has("call_site") or run.has("SCHED_EVENTS"), **window)


def _of_drains(run: Export, name: str, window: dict[str, Any], judged: Stretch, drains: pl.DataFrame) -> pl.DataFrame:
    """A query about the calls that emptied the queue, where these are worth a sentence."""
    is_little = drains.is_empty() or judged.of(int(drains["idle_ns"].sum())) < WORTH
    return EMPTY if is_little else _if(run, name, window)


def _functions(run: Export, window: dict[str, Any]) -> pl.DataFrame:
    return run.query("idle_groups", by="function", **window) if run.has("call_site") else EMPTY


def _compiling(run: Export, ledger: pl.DataFrame) -> pl.DataFrame:
    """CPU samples in the compiler of PTX, if code was loaded for long."""
    much = ledger.filter(pl.col("cause").is_in(ONCE))["longest_ns"].max() if ledger.height else None
    return _if(run, "compile_samples", {}) if isinstance(much, int) and much >= COMPILED else EMPTY


def _in_mpi(run: Export, window: dict[str, Any], found: "IdleFrames") -> pl.DataFrame:
    return found.in_mpi if found.in_mpi.is_empty() else run.query("idle_in_mpi", **window)
