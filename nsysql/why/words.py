"""Causes of idle time in words, and what to do first."""

import re
from collections.abc import Iterator, Sequence

import polars as pl

from nsysql.render.cells import time
from nsysql.summary.words import Row, between, counted, gpus, joined, moment, percent, share, work
from nsysql.why.gather import Booked

MUCH = 0.05  # of the idle time: a cause that has as much is worth a sentence
FEW = 3  # causes that get one at most
CALLS = 2  # calls that a sentence names
BUSY = 0.02  # a window idle by less is not worth a look at its gaps
MOST = 0.5  # of something: it is mostly that
LITTLE = 0.1  # of something: less is not worth a word
NOT_THEIRS = ("profiler",)  # causes that are not the program's to remove
EXPOSED = {
    "only_copies_ns": "only copies and sets ran in {} of the busy time: overlap them with kernels, or copy less",
    "only_communication_ns": "only communication kernels ran in {} of the busy time: overlap them with computing",
    "one_small_kernel_ns": "a single kernel, too small for the GPU, ran in {} of the busy time: give kernels"
    " more blocks, or run several at once on streams",
}
LOOK = {  # by what gpu_time tells of the busy time; the first that is most of it
    "graph_ns": "Look inside the graphs: capture with --cuda-graph-trace=node, which shows their kernels.",
    "memcpy_ns": "Look at the copies.",
}
IN_MPI = (
    "{} of it passed in MPI calls, in which a process waits for the others: balance the ranks, overlap communication"
    " with GPU work, send later or less (see nsysql mpi-event-sum)."
)
COPIES = ("copy ", "UM ")
BY = {"nvtx": "NVTX range", "line": "place in the source", "api": "call"}


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


def activity(name: str | None) -> str:
    """A piece of GPU work in few columns.

    >>> activity("[CUDA memcpy Host-to-Device]"), activity("void f<int>(int *)")
    ('copy HtoD', 'f<int>')
    """
    text = work(name)
    return re.sub(r"\b([A-Z])[a-z]+-to-([A-Z])[a-z]+$", r"\1to\2", text) if text.startswith(COPIES) else text


def shown_name(by: str) -> str:
    """A grouping in a title."""
    return BY.get(by, by)


def first(found: Booked) -> Iterator[tuple[str, str]]:
    """What to do first: GPUs with the same answer together, and the answer."""
    causes = Causes(found.causes)
    for (kind, of), rows in _verdicts(found).items():
        who, exposed = gpus([row["gpu_id"] for row in rows]), _exposed(found, rows)
        if kind == "idle":
            yield who, _remove(found, of, rows, causes)
        else:
            most = max(rows, key=lambda row: share(row["idle_ns"], row["window_ns"]))
            idle = percent(most["idle_ns"], most["window_ns"])
            look = "" if exposed else f" {_look(rows)}"
            yield who, f"Idle for {idle} of the window only: removing gaps gains little.{look}"
        if exposed:
            yield "", exposed


def further(found: Booked) -> Iterator[tuple[str, str]]:
    """The other causes that matter on any GPU that is idle much, each once."""
    causes = Causes(found.causes)
    idle = {row["gpu_id"]: row["idle_ns"] for row in _idle_much(found)}
    firsts = {of for kind, of in _verdicts(found) if kind == "idle"}
    told: dict[str, list[float]] = {}
    for gpu_id, ns in idle.items():
        for row in matters(found, {"gpu_id": gpu_id, "idle_ns": ns}):
            if row["cause"] not in firsts:
                told.setdefault(row["cause"], []).append(share(row["idle_ns"], ns))
    for cause, shares in told.items():
        calls = _calls(found, cause)
        advice = _advice(found, cause, list(idle), causes)
        yield "then", f"{causes.title(cause)}{calls}, {between(shares)} of the idle time. {advice}"


def matters(found: Booked, gpu: Row) -> list[Row]:
    """The causes of a GPU that are worth a word: large, and few."""
    return [row for row in ledger(found, gpu["gpu_id"])[:FEW] if row["idle_ns"] >= MUCH * gpu["idle_ns"]]


def ledger(found: Booked, gpu_id: int) -> Sequence[Row]:
    """The causes of a GPU, the longest first."""
    return found.ledger.filter(found.ledger["gpu_id"].eq_missing(gpu_id)).to_dicts()  # an unknown GPU is None


def _idle_much(found: Booked) -> Sequence[Row]:
    return [row for row in found.gpu_time.to_dicts() if row["idle_ns"] >= BUSY * row["window_ns"]]


def _verdicts(found: Booked) -> dict[tuple[str, str], list[Row]]:
    """GPUs by what to say of them: their main cause, or that they are busy."""
    much = {row["gpu_id"] for row in _idle_much(found)}
    alike: dict[tuple[str, str], list[Row]] = {}
    for gpu in found.gpu_time.to_dicts():
        theirs = [row["cause"] for row in ledger(found, gpu["gpu_id"]) if row["cause"] not in NOT_THEIRS]
        verdict = ("idle", theirs[0]) if theirs and gpu["gpu_id"] in much else ("busy", "")
        alike.setdefault(verdict, []).append(gpu)
    return alike


def _remove(found: Booked, cause: str, rows: Sequence[Row], causes: Causes) -> str:
    """That this cause has most of the idle time of these GPUs, what it could save, where it is, what to do."""
    ids = [row["gpu_id"] for row in rows]
    booked = found.ledger.filter(pl.col("gpu_id").is_in(ids, nulls_equal=True), cause=cause).to_dicts()
    of = {row["gpu_id"]: row["idle_ns"] for row in booked}
    idle = between([share(of[row["gpu_id"]], row["idle_ns"]) for row in rows])
    window = between([share(of[row["gpu_id"]], row["window_ns"]) for row in rows])
    longest = max(row["idle_ns"] for row in booked)
    of_which = " on the GPU with most" if len(rows) > 1 else ""
    text = f"{causes.title(cause)}{_calls(found, cause)} is {idle} of the idle time. Without it the window is at"
    advice = _advice(found, cause, ids, causes)
    return f"{text} most {window} shorter ({time(longest)}{of_which}). {_where(found, booked)}{advice}"


def _advice(found: Booked, cause: str, gpu_ids: Sequence[int], causes: Causes) -> str:
    """What to do about a cause on these GPUs; host code that mostly waited in MPI calls is not the program's own."""
    if cause == "host_code" and not found.in_mpi.is_empty():
        theirs = found.in_mpi.filter(pl.col("gpu_id").is_in(gpu_ids, nulls_equal=True)).to_dicts()
        shares = [share(row["in_mpi_ns"], row["host_code_ns"]) for row in theirs]
        if shares and min(shares) >= MOST:
            return IN_MPI.format(between(shares))
    return causes.advice(cause)


def _look(rows: Sequence[Row]) -> str:
    """What to look at where GPUs are hardly idle: what most of their busy time was."""
    for name, text in LOOK.items():
        if min(share(row[name] or 0, row["busy_ns"]) for row in rows) >= MOST:
            return text
    return "Look at the kernels."


def _where(found: Booked, booked: Sequence[Row]) -> str:
    """Whether the time is in one place, as a sentence about the GPU with most of it."""
    most = max(booked, key=lambda row: row["idle_ns"])
    total, longest, gaps = most["idle_ns"], most["longest_ns"], most["gap_count"]
    name = f"{most['cause']}_ns"
    if longest < MOST * total:
        return f"It is spread over {counted(gaps, 'gap')}{' there' if len(booked) > 1 else ''}. "
    theirs = (gap for gap in found.gaps.to_dicts() if gap["gpu_id"] == most["gpu_id"])
    gap = next((gap for gap in theirs if gap[name] >= longest), None)
    where = f", number {gap['gap_id']} at {moment(gap['start_ns'])}" if gap else ""
    return f"{'It is all' if gaps == 1 else f'{percent(longest, total)} of that are'} in one gap{where}. "


def _calls(found: Booked, cause: str) -> str:
    """The calls that a cause is booked by, in brackets."""
    calls = found.calls.filter(main_cause=cause).drop_nulls("name").sort("idle_ns", "name", descending=[True, False])
    much = calls.filter(pl.col("idle_ns") >= LITTLE * pl.col("idle_ns").max())["name"]
    shown = [re.sub(r"_v\d{4,}$", "", name) for name in much.unique(maintain_order=True)[:CALLS]]
    return f" ({joined(shown)})" if shown else ""


def _exposed(found: Booked, rows: Sequence[Row]) -> str:
    """What the busy time of these GPUs mostly was, if not computing."""
    ids = [row["gpu_id"] for row in rows]
    if any(row["busy_ns"] < LITTLE * row["window_ns"] for row in rows):
        return ""
    busy = found.exposed_time.filter(pl.col("gpu_id").is_in(ids, nulls_equal=True)).to_dicts()
    for name, text in EXPOSED.items():
        shares = [share(row[name] or 0, row["busy_ns"]) for row in busy]
        if shares and min(shares) >= MOST:
            return f"And busy is not well used: {text.format(between(shares))}."
    return ""
