"""The summary's sections about GPUs: busy and idle time, the longest gaps, who is ahead."""

from collections.abc import Iterator

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Section
from nsysql.pages.idle.advice import Causes, main_causes
from nsysql.pages.phrases import Row, ahead, counted, gpu_number, orphans, pace, percent, seconds, share, work_names
from nsysql.pages.summary.gather import Summary
from nsysql.pages.verdict.facts import NOT_THEIRS, ON_GPU
from nsysql.pages.verdict.totals import of_whole, profilers_own
from nsysql.words.quantities import time

KINDS = {"kernel_ns": "kernels", "memcpy_ns": "copies", "memset_ns": "memsets", "graph_ns": "graphs"}
MEDIANS = {"call_med_ns": "med. call", "wait_med_ns": "med. wait", "running_med_ns": "med. duration"}


def gpu_sections(found: Summary) -> Iterator[Section]:
    """Busy and idle time, the longest gaps, and who is ahead; or plainly that no GPU worked."""
    if found.gpu_time.is_empty():
        yield Section("GPU time", before=(_no_gpu_work(found),))
        return
    yield _busy(found)
    yield _idle(found)
    yield from _why(found)
    if not found.gaps.is_empty():
        yield _gaps(found)
    if not found.launch_pace.is_empty():
        yield _launches(found)


def within(found: Summary) -> str:
    """What a sentence about what was recorded ends in, where the page is narrowed."""
    return "" if found.stretch is None else " in the stretch"


def _of_window(found: Summary, meaning: str) -> str:
    return of_whole(found.verdict is not None and found.verdict.start_up is not None, meaning)


def _no_gpu_work(found: Summary) -> str:
    if found.has_gpu_work and found.stretch is not None:
        return f"No GPU was at work in {found.stretch.words}; the export has GPU work at other times."
    calls = int(found.processes["api_calls"].sum())
    if calls:
        return f"No GPU work was recorded: {counted(calls, 'CUDA call')}, but no kernel, memcpy, memset or graph."
    if found.has_calls:
        return f"No GPU work was recorded, and no CUDA call{within(found)}."
    return (
        "No GPU work and no CUDA call was recorded."
        " Was the run captured with --trace=cuda, and does the program use CUDA?"
    )


def _busy(found: Summary) -> Section:
    kinds = {name: heading for name, heading in KINDS.items() if found.gpu_time[name].sum()}
    rows: list[tuple[Cell, ...]] = []
    for row in found.gpu_time.to_dicts():
        window = row["window_ns"]
        bar = Bar(share(row["busy_ns"], window))
        rows.append(
            (
                *(gpu_number(row["gpu_id"]), time(window)),
                *(percent(row["busy_ns"], window), bar, percent(row["idle_ns"], window)),
                *(percent(row[name], window) for name in kinds),
            )
        )
    headings = ("GPU", "window", "busy", "", "idle", *kinds.values())
    cut = "" if found.stretch is None else ", cut to the stretch"
    meaning = f"shares of the window from its first to its last work{cut}; kinds can overlap"
    return Section("GPU time", _of_window(found, meaning), (), tuple(map(Column, headings)), tuple(rows))


def _idle(found: Summary) -> Section:
    rows = tuple(_idle_row(row) for row in found.gpu_time.to_dicts())
    headings = ("GPU", "idle", "of window", "gaps", "mean gap")
    meaning = "time in the window without GPU work"
    return Section("Idle", _of_window(found, meaning), (), tuple(map(Column, headings)), rows, tuple(_profiler(found)))


def _profiler(found: Summary) -> Iterator[str]:
    """That these sums include the profiler's own time, which the verdict leaves out."""
    ledger = None if found.why is None else found.why.ledger
    own = 0 if ledger is None or ledger.is_empty() else int(ledger.filter(cause=NOT_THEIRS)["idle_ns"].sum())
    if own:
        yield profilers_own(own, found.gpu_time.height)


def _why(found: Summary) -> Iterator[Section]:
    """The causes of idle time that matter."""
    if found.why is None or not found.gpu_time["idle_ns"].sum():
        return
    causes = Causes(found.why.causes)
    rows: list[tuple[Cell, ...]] = []
    for gpu in found.gpu_time.to_dicts():
        for row in main_causes(found.why, gpu):
            shares = (percent(row["idle_ns"], gpu[whole]) for whole in ("idle_ns", "window_ns"))
            rows.append((gpu_number(gpu["gpu_id"]), *shares, time(row["idle_ns"]), causes.title(row["cause"])))
    columns = (*map(Column, ("GPU", "of idle", "of window", "time")), Column("cause", right=False))
    same = "" if found.stretch is None else ", with the same filter"
    after = (f"Recurring gaps, the longest gaps and evidence: nsysql idle-gaps{same}.",)
    meaning = "the main causes: how long the GPU waited under each"
    yield Section("Why idle", _of_window(found, meaning), (), columns, tuple(rows), after)


def _idle_row(row: Row) -> tuple[Cell, ...]:
    idle, gaps = row["idle_ns"], row["gap_count"]
    mean = time(idle / gaps) if gaps else ""
    return gpu_number(row["gpu_id"]), time(idle), percent(idle, row["window_ns"]), f"{gaps:,}", mean


def _gaps(found: Summary) -> Section:
    rows = tuple(
        (
            *(gpu_number(row["gpu_id"]), str(row["gap_id"]), time(row["gap_ns"]), seconds(row["start_ns"])),
            *(work_names("{}", row["previous_name"]), work_names("{}", row["next_name"])),
        )
        for row in found.gaps.to_dicts()
    )
    names = (Column("after", right=False), Column("before", right=False))
    columns = (*map(Column, ("GPU", "gap", "length", "at")), *names)
    after = ("nsysql idle-gaps --explain GAP shows one, by its number.",)
    meaning = _of_window(found, "and the work before and after them")
    return Section("Longest gaps", meaning, (), columns, rows, after)


def waiting(found: Summary) -> dict[int | None, float]:
    """Of each GPU the share of its window in which it was idle and its next work had not been launched."""
    if found.why is None:
        return {}
    for_cpu = found.why.ledger.filter(~pl.col("cause").is_in([*ON_GPU, NOT_THEIRS]))
    idle = {row["gpu_id"]: row["idle_ns"] for row in for_cpu.group_by("gpu_id").agg(pl.col("idle_ns").sum()).to_dicts()}
    windows = found.gpu_time.select("gpu_id", "window_ns").rows()
    return {gpu_id: share(idle.get(gpu_id, 0), window) for gpu_id, window in windows}


def _launches(found: Summary) -> Section:
    waits = waiting(found)
    of_gpu, alike = found.launch_pace.to_dicts(), dict[str | None, list[Row]]()
    for row in of_gpu:
        alike.setdefault(ahead(row, waits.get(row["gpu_id"], 0.0)), []).append(row)
    words = [pace(rows, [waits.get(row["gpu_id"], 0.0) for row in rows]) for rows in alike.values()]
    words += filter(None, [orphans(of_gpu)])
    cells = tuple(map(_launch_row, of_gpu))
    headings = ("GPU", "launches", "launch calls", "GPU time", *MEDIANS.values())
    meaning = "of kernels and graphs: the call on the CPU, the wait in the queue, the time on the GPU"
    return Section("Launches", meaning, tuple(words), tuple(map(Column, headings)), cells)


def _launch_row(row: Row) -> tuple[Cell, ...]:
    medians = ("" if row[name] is None else time(row[name]) for name in MEDIANS)
    return gpu_number(row["gpu_id"]), f"{row['launches']:,}", time(row["call_ns"]), time(row["running_ns"]), *medians
