"""The idle page's sections behind --all, as data."""

from collections.abc import Iterator

import polars as pl

from nsysql.pages.elements import Section, notes_section
from nsysql.pages.idle.explain import folded
from nsysql.pages.idle.gather import are_few, groups, labeled, notes
from nsysql.pages.scope import ScopedRun
from nsysql.pages.sections import Drawn, Table
from nsysql.words.quantities import time

BUSY = {
    "computing": "kernels running (at least one fills the SMs)",
    "one_small_kernel": "one small kernel (fewer blocks than SMs)",
    "only_communication": "exposed communication (NCCL etc.)",
    "only_copies": "exposed copies and memsets (no kernel running)",
}
OFTEN = 3  # times that gaps recur between the same two activities, from which they are a pattern


def titled(scoped: ScopedRun, rows: pl.DataFrame, cause: str = "cause") -> pl.DataFrame:
    """The rows with the titles of their causes."""
    titles = scoped.rows("idle_causes").select(pl.col("cause").alias(cause), "title")
    return rows.join(titles, on=cause, how="left", maintain_order="left")


def ledger(scoped: ScopedRun) -> pl.DataFrame:
    """idle_ledger with titles, the longest cause of each GPU first."""
    return titled(scoped, scoped.rows("idle_ledger")).sort("gpu_id", "idle_ns", descending=[False, True])


def longest_gaps(scoped: ScopedRun) -> pl.DataFrame:
    """The longest gaps, with the NVTX ranges that they are in."""
    scope, run = scoped.scope, scoped.run
    values = {**scope.window, "min_gap_ns": scope.min_gap_ns, "top": scope.top, "paths": are_few(run)}
    gaps = labeled(run, run.query("idle_gaps", **values))
    return titled(scoped, gaps.sort("dur_ns", "gap_id", descending=[True, False]), "main_cause")


def _patterns(scoped: ScopedRun) -> pl.DataFrame:
    rows = scoped.rows("idle_patterns").filter(pl.col("gap_count") >= OFTEN)
    return titled(scoped, rows.sort("idle_ns", descending=True, maintain_order=True), "main_cause")


def _lengths(scoped: ScopedRun) -> pl.DataFrame:
    rows = scoped.run.query("idle_lengths", min_gap_ns=scoped.scope.min_gap_ns, **scoped.scope.window)
    idle = pl.col("idle_ns").sum().over("gpu_id")
    return rows.with_columns(idle_pct=pl.when(idle > 0).then(100 * pl.col("idle_ns") / idle))


def _busy(scoped: ScopedRun) -> pl.DataFrame:
    """exposed_time with a row for each kind of busy time."""
    rows = scoped.rows("exposed_time")
    kinds = [
        rows.select("gpu_id", pl.lit(text).alias("what"), total_ns=f"{kind}_ns", busy_pct=f"{kind}_pct")
        for kind, text in BUSY.items()
    ]
    return pl.concat(kinds).filter(pl.col("total_ns") > 0).sort("gpu_id", maintain_order=True)


def by_group(scoped: ScopedRun) -> pl.DataFrame:
    """Idle time by what --by names, or after calls that emptied the queue; paths that differ in numbers are one."""
    if scoped.scope.by != "drain":
        return titled(scoped, groups(scoped.run, scoped.scope), "main_cause").sort("idle_ns", descending=True)
    rows = scoped.rows("idle_drains").with_columns(folded(pl.col("drained_by_nvtx")))
    keys = ["gpu_id", "drained_by", "drained_by_nvtx"]
    sums = pl.col("idle_ns", "idle_pct", "gap_count", "calls", "blocked_ns").sum()
    return rows.group_by(keys).agg(sums).sort("idle_ns", *keys, descending=[True, False, False, False])


def group_table(by: str) -> Table:
    """The table of --by."""
    if by == "drain":
        columns = (
            "gpu_id=GPU idle_pct=of_idle_% idle_ns=time gap_count=gaps calls=calls blocked_ns=blocked"
            " drained_by=call:text drained_by_nvtx=NVTX:text"
        )
        title = "Idle after calls that emptied the queue"
        return Table("groups", title, columns, "# is any number", total="idle_ns", read=by_group)
    columns = "gpu_id=GPU idle_pct=of_idle_% idle_ns=time title=main_cause:text name=name:text"
    name = {"nvtx": "NVTX range", "api": "call"}.get(by, by)
    return Table("groups", f"Idle by {name}", columns, rest="row", total="idle_ns", read=by_group)


def _hidden(scoped: ScopedRun) -> Iterator[Section]:
    """How many gaps --min-gap hides."""
    rows = _lengths(scoped)
    count, ns = int(rows["hidden_count"].sum()), int(rows["hidden_ns"].sum())
    if count:
        text = f"{count:,} shorter than {time(scoped.scope.min_gap_ns)} hidden from the list of gaps: {ns:,} ns."
        yield Section("Hidden gaps", before=(text,))


def _notes(scoped: ScopedRun) -> Iterator[Section]:
    every = (
        *notes(scoped.run, scoped.scope, scoped.rows("idle_ledger")),
        "times are relative to the start of the capture.",
    )
    yield notes_section(every)


SECTIONS = (
    Table(
        "gpu_time", "GPU time",
        "gpu_id=GPU window_start_ns=from window_ns=window busy_pct=busy:part idle_pct=idle_%? idle_ns=idle"
        " gap_count=gaps lead_in_ns=lead-in tail_ns=tail",
        "lead-in: first CUDA call to first GPU work; tail: last GPU work to last CUDA call",
    ),
    Table(
        "ledger", "Idle by cause",
        "gpu_id=GPU title=cause:text idle_pct=of_idle:part idle_ns=time window_pct=window_% gap_count=gaps"
        " longest_ns=longest",
        "how long each GPU waited under each cause; the share of the window is the most that removing it saves",
        rest="cause", total="idle_ns", read=ledger,
    ),
    Table(
        "patterns", "Recurring gaps",
        "gpu_id=GPU idle_ns=total gap_count=count median_gap_ns=median longest_ns=longest title=main_cause:text"
        " previous_name=after:kernel next_name=before:kernel",
        "between the same two activities",
        rest="pattern", total="idle_ns", read=_patterns,
    ),
    Table(
        "gaps", "Longest gaps",
        "gpu_id=GPU gap_id=gap start_ns=at dur_ns=length title=main_cause:text drained_by=follows?:text"
        " nvtx_path=NVTX:text next_name=before:kernel",
        "follows: the blocking call after which the GPU ran dry",
        read=longest_gaps, after=("--explain GAP shows the evidence for a gap.",),
    ),
    Table(
        "lengths", "Gaps by length",
        "gpu_id=GPU at_least_ns=at_least gap_count=gaps idle_pct=of_idle:part idle_ns=time",
        "few long ones or many short ones; each row reaches to ten times its length",
        total="idle_ns", read=_lengths,
    ),
    Table(
        "exposed_time", "Busy time", "gpu_id=GPU busy_pct=of_busy:part total_ns=time what=what_ran:text",
        "GPU busy is not GPU utilized: what ran in the busy time",
        total="total_ns", read=_busy,
    ),
    Table(
        "in_mpi", "Idle in MPI calls", "gpu_id=GPU in_mpi_ns=in_MPI in_mpi_pct=of_idle_%",
        "idle time in which the launching thread was in an MPI call",
        total="in_mpi_ns", read=lambda scoped: scoped.rows("idle_in_mpi"),
    ),
    Drawn("hidden", _hidden),
    Drawn("notes", _notes),
)  # fmt: skip
