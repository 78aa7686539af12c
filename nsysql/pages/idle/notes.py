"""The notes under the idle page: what it is narrowed to, what the export lacks, what was assumed."""

from collections.abc import Iterator

import polars as pl

from nsysql.capture.export import Export
from nsysql.pages.phrases import gpu_number, seconds
from nsysql.pages.scope import PageScope

LACKING = (  # tables, what they would have, the option that records it, and what the ledger cannot tell without
    ("OSRT_API", "OS runtime calls", "--trace=osrt", "Host code includes waits for locks, I/O and sleeps"),
    ("SCHED_EVENTS", "thread scheduling", "--cpuctxsw=process-tree", "Host code includes time off the CPU"),
    ("NVTX_EVENTS", "NVTX ranges", "--trace=nvtx, and a program that has some", "no part of the program can be named"),
    (
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "CUDA API calls",
        "--trace=cuda",
        "no launch is known, so no thread or call can be blamed",
    ),
)
EVENTS = (
    "no CUDA events recorded (--cuda-event-trace=true): that a stream waited for another one is taken from the"
    " wait alone, not from what it waited for."
)


def notes(run: Export, asked: PageScope, ledger: pl.DataFrame) -> list[str]:
    """What the page is narrowed to, what the export lacks and the option that would bring it, what was assumed."""
    causes = set(ledger["cause"])
    stretch = narrowed_to(run, asked)
    told = [] if stretch is None else [f"narrowed to {stretch}."]
    told += [f"{text}." for text in run.data_problems("idle_pieces")]
    for table, what, option, effect in LACKING:
        matters = "host_code" in causes if effect.startswith("Host") else True
        if matters and not run.has(table):
            told.append(f"no {what} recorded ({option}): {effect}.")
    if "stream_wait" in causes and not run.has("CUPTI_ACTIVITY_KIND_CUDA_EVENT"):
        told.append(EVENTS)
    processes = run.query("gpu_processes")
    told += _ranks(run, processes)
    if not asked.per_process:
        told += _shared(processes)
    return told


def _ranks(run: Export, processes: pl.DataFrame) -> Iterator[str]:
    """Which MPI rank worked on which GPU."""
    if not run.has("mpi_event"):
        return
    ranks = run.query("mpi_ranks").drop_nulls("rank").join(processes.select("pid", "gpu_id"), on="pid")
    if not ranks.is_empty():
        rows = ranks.unique(["rank", "gpu_id"]).sort("rank", "gpu_id").to_dicts()
        named = [f"rank {row['rank']} on GPU {gpu_number(row['gpu_id'])} (process {row['pid']})" for row in rows]
        yield f"MPI {', '.join(named)}."


def narrowed_to(run: Export, asked: PageScope) -> str | None:
    """Which stretch a page is about, if not the whole. Raises MissingData where there is no such NVTX range."""
    if asked.nvtx is not None:
        return str(run.find_ranges(asked.nvtx))
    if asked.steps is not None:
        return str(run.find_steps(asked.steps, asked.step_range))
    if not asked.filters:
        return None
    borders = (("from", asked.start_ns), ("to", asked.end_ns))
    return f"the time {' '.join(f'{word} {seconds(ns)}' for word, ns in borders if ns is not None)}"


def _shared(processes: pl.DataFrame) -> Iterator[str]:
    """A sentence for each GPU that several processes worked on."""
    for _, rows in processes.group_by("gpu_id", maintain_order=True):
        if rows.height > 1:
            names = ", ".join(f"{row['pid']} ({row['name'] or 'name unknown'})" for row in rows.to_dicts())
            how = "" if rows["is_known"].all() else ", taken for one GPU because their device numbers are equal"
            yield (
                f"processes {names} share GPU {gpu_number(rows['gpu_id'][0])}{how}: it is busy when any of them is;"
                " --per-process keeps them apart."
            )
