"""Causes of idle time in words, and what to do first."""

from collections.abc import Iterator, Sequence

import polars as pl

from nsysql.idle.gather import Idle
from nsysql.render.cells import time
from nsysql.summary.words import Row, joined, percent, share

MUCH = 5  # percent of the idle time: a cause that has as much is worth a sentence
FEW = 3  # causes that get one at most
BUSY = 0.02  # a window idle by less is not worth a look at its gaps
MOST = 0.5
NOT_THEIRS = ("profiler",)  # causes that are not the program's to remove


class Causes:
    """The causes by name: title and advice."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._rows = {row["cause"]: row for row in frame.to_dicts()}
        self.names = tuple(self._rows)

    def title(self, cause: str) -> str:
        """The cause's name for people."""
        return str(self._rows[cause]["title"])

    def advice(self, cause: str) -> str:
        """What to do about it."""
        return str(self._rows[cause]["advice"])


def matters(rows: Sequence[Row]) -> list[Row]:
    """The causes of a GPU, of its ledger's rows, that are worth a sentence: large, and few."""
    return [row for row in rows[:FEW] if row["idle_pct"] >= MUCH] or list(rows[:1])


def first(found: Idle, causes: Causes) -> Iterator[str]:
    """What to do first on each GPU, GPUs with the same answer together."""
    alike: dict[tuple[str, ...], list[Row]] = {}
    for gpu in found.gpu_time.to_dicts():
        ledger = [row for row in found.ledger.to_dicts() if row["gpu_id"] == gpu["gpu_id"]]
        exposed = next(row for row in found.exposed_time.to_dicts() if row["gpu_id"] == gpu["gpu_id"])
        verdict = _verdict(gpu, exposed, ledger)
        alike.setdefault(verdict, []).append({**gpu, "ledger": ledger, "exposed": exposed})
    for (kind, *of), rows in alike.items():
        who = f"GPU {joined([str(row['gpu_id']) for row in rows])}"
        yield f"{who}: {_sentence(kind, of, rows, causes)}"


def _verdict(gpu: Row, exposed: Row, ledger: Sequence[Row]) -> tuple[str, ...]:
    """What to say of a GPU: its main cause, or that its busy time is the matter."""
    theirs = [row for row in ledger if row["cause"] not in NOT_THEIRS]
    if share(gpu["idle_ns"], gpu["window_ns"]) >= BUSY and theirs:
        return "idle", theirs[0]["cause"]
    parts = {name: exposed[f"{name}_ns"] or 0 for name in BUSY_WITH}
    largest = max(parts, key=lambda name: parts[name])
    return ("exposed", largest) if parts[largest] >= MOST * gpu["busy_ns"] else ("busy",)


BUSY_WITH = {
    "only_copies": "only copies run in {} of its busy time: overlap them with kernels, or copy less.",
    "only_communication": "only communication kernels run in {} of its busy time: overlap them with computing.",
    "one_small_kernel": "one kernel too small for the GPU runs in {} of its busy time: give kernels more work,"
    " or run several at once on streams.",
}


def _sentence(kind: str, of: Sequence[str], rows: Sequence[Row], causes: Causes) -> str:
    idle, window = (sum(row[name] for row in rows) for name in ("idle_ns", "window_ns"))
    if kind == "idle":
        cause = of[0]
        booked = sum(r["idle_ns"] for row in rows for r in row["ledger"] if r["cause"] == cause)
        return (
            f"{causes.title(cause)} is {percent(booked, idle)} of the idle time; without it the window"
            f" would be at most {percent(booked, window)} ({time(booked)}) shorter. {causes.advice(cause)}"
        )
    quiet = f"idle for {percent(idle, window)} only; its gaps are not worth removing"
    if kind == "exposed":
        ns = sum(row["exposed"][f"{of[0]}_ns"] for row in rows)
        return f"{quiet}. But {BUSY_WITH[of[0]].format(percent(ns, sum(row['busy_ns'] for row in rows)))}"
    return f"{quiet}: look at the kernels."


def shown_name(by: str) -> str:
    """A grouping in a title."""
    return {"nvtx": "NVTX range", "api": "call", "thread": "thread", "line": "place in the source"}.get(by, by)
