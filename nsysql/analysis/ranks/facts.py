"""What comparing an export with others needs of it: small frames that are cheap to send between processes."""

from dataclasses import dataclass, field

import polars as pl

SLICES = 200  # time slices of a GPU's window, for the heat map
SERIES = pl.Schema({"pid": pl.Int64(), "gpu_id": pl.Int64(), "period_ns": pl.Float64(), "steps": pl.Int64()})
MEMBER = pl.Schema(
    {
        "pid": pl.Int64(),
        "gpu_id": pl.Int64(),
        "activities": pl.Int64(),
        "mpi_rank": pl.Int64(),
        "nccl_rank": pl.Int64(),
        "mpi_ns": pl.Int64(),
        "mpi_span_ns": pl.Int64(),
    }
)
_WHOLE, _TEXT = pl.Int64(), pl.String()
FRAMES = {  # the frames of RankFacts
    "members": MEMBER,
    "gpus": pl.Schema(
        {
            "gpu_id": _WHOLE, "name": _TEXT, "window_start_ns": _WHOLE, "window_end_ns": _WHOLE, "window_ns": _WHOLE,
            "busy_ns": _WHOLE, "idle_ns": _WHOLE, "busy_pct": pl.Float64(), "idle_pct": pl.Float64(),
            "kernel_ns": _WHOLE, "memcpy_ns": _WHOLE, "memset_ns": _WHOLE, "graph_ns": _WHOLE, "gap_count": _WHOLE,
            "lead_in_ns": _WHOLE, "tail_ns": _WHOLE,
        }
    ),
    "accounts": pl.Schema({"gpu_id": _WHOLE, "kind": _TEXT, "name": _TEXT, "total_ns": _WHOLE}),
    "collectives": pl.Schema(
        {
            "collective_id": _WHOLE, "pid": _WHOLE, "source": _TEXT, "name": _TEXT, "gpu_id": _WHOLE,
            "communicator": _TEXT, "rank_count": _WHOLE, "arrived_at_ns": _WHOLE, "start_ns": _WHOLE, "end_ns": _WHOLE,
            "previous_end_ns": _WHOLE, "thread_id": _WHOLE, "process_id": _WHOLE, "range_row_id": _WHOLE,
            "shared": _TEXT, "operation": _TEXT,
        }
    ),
    "stretches": pl.Schema(
        {"collective_id": _WHOLE, "clock": _TEXT, "kind": _TEXT, "name": _TEXT, "total_ns": _WHOLE}
    ),
    "busy": pl.Schema({"gpu_id": _WHOLE, "slice": _WHOLE, "start_ns": _WHOLE, "end_ns": _WHOLE, "busy_ns": _WHOLE}),
    "steps": SERIES,
}  # fmt: skip


@dataclass(frozen=True)
class RankFacts:
    """The facts of one export. `problem` says why it cannot be read; the rest is empty then.

    `members` has one row per process and GPU it used, and one per process that called MPI and used no GPU, by pid and
    gpu_id. The other frames are query results: `gpus` from gpu_time, `accounts` from gpu_accounts (all kernels summed),
    `collectives`, `stretches` from collective_accounts, `busy` from busy_over_time; `steps` has the median period of
    the steady steps of each process.
    """

    run: str
    path: str = ""
    session_utc_ns: int | None = None
    host: str | None = None
    launcher: tuple[int, str] | None = None
    members: pl.DataFrame = field(default_factory=pl.DataFrame)
    gpus: pl.DataFrame = field(default_factory=pl.DataFrame)
    accounts: pl.DataFrame = field(default_factory=pl.DataFrame)
    collectives: pl.DataFrame = field(default_factory=pl.DataFrame)
    stretches: pl.DataFrame = field(default_factory=pl.DataFrame)
    busy: pl.DataFrame = field(default_factory=pl.DataFrame)
    steps: pl.DataFrame = field(default_factory=pl.DataFrame)
    problem: str | None = None
