"""What to say of a GPU that waits: for a synchronization, the CPU, input, or other ranks."""

import re

import polars as pl

from nsysql.pages.phrases import Row, counted, joined, seconds, whole_percent
from nsysql.pages.verdict import causes, drained
from nsysql.pages.verdict.facts import IO, Facts, Part, Sentence, Verdict
from nsysql.pages.verdict.names import call, kernel, path
from nsysql.pages.verdict.startup import Repetition
from nsysql.pages.verdict.totals import at_most, more_than, of_idle
from nsysql.words.quantities import size, time

TO_GPU, TO_HOST = "Host-to-Device", "Device-to-Host"
NEARLY = 0.8  # of the calls
LOADS = re.compile(r"data_?(worker|loader)|loader|reader|fetch|input", re.IGNORECASE)
MPI = "^P?MPI_"
LIBRARY = re.compile(r"\((lib(cu(blas|dnn|fft|sparse|solver|rand|tensor|da)|nccl|nv|cudart)|nvcuda)[^)]*\)$")
ITEM = re.compile(r"aten::(item|_local_scalar_dense|is_nonzero|to|_to_copy|nonzero|copy_)\b")
SOME = 0.1  # of the idle time: less is not worth a sentence
WORTH = 0.03  # of the window
MOST = 0.5
SAME = ", in part the same time as above"
NAMED = 2  # causes, calls that sentences name
OWN = ("sync_return", "sync_wait", "launch_latency", "launch_call", "pageable_copy", "host_code")


def mpi_ns(facts: Facts) -> int:
    """Idle time in which the launching thread was in an MPI call."""
    return int(_mpi(facts)["idle_ns"].sum())


def _mpi(facts: Facts) -> pl.DataFrame:
    """The MPI calls that the launching threads waited in, with the idle time of all GPUs."""
    rows = facts.calls.filter(pl.col("name").fill_null("").str.contains(MPI))
    return rows.group_by("name").agg(pl.col("idle_ns", "piece_count").sum()).sort("idle_ns", "name", descending=True)


def input_ns(facts: Facts) -> int:
    """Idle time in which the launching thread read, or waited for a thread that loads data."""
    rows = facts.calls.filter(pl.col("main_cause").is_in([IO, "waiting_for_thread"])).drop_nulls("name").to_dicts()
    return sum(
        row["idle_ns"]
        for row in rows
        if (causes.READS.match(row["name"]) if row["main_cause"] == IO else LOADS.search(row["name"]))
    )


def own_code_ns(facts: Facts) -> int:
    """Idle time in functions of the program, as CPU samples tell; 0 where there are none."""
    if facts.functions.is_empty():
        return 0
    rows = facts.functions.filter(main_cause="host_code").drop_nulls("name")
    return sum(ns for name, ns in rows.select("name", "idle_ns").rows() if not LIBRARY.search(name))


def sync_bound(facts: Facts) -> list[Sentence]:
    """The calls that emptied the queue, then what else is in the gaps after them."""
    others = [cause for cause in causes.largest(facts, facts.judged) if cause not in OWN]
    if _is_pools(facts) and (found := drains(facts, SAME)):
        others = [cause for cause in others if cause != "memory_management"]
        first = [causes.sentence(facts, "memory_management"), *found]
    else:
        first = found = drains(facts)
    over = SAME if found else ""
    return [*first, *(causes.sentence(facts, cause, over) for cause in others[:NAMED])]


def _is_pools(facts: Facts) -> bool:
    """A memory pool that gives its memory back has most of the time after the calls."""
    return drained.is_allocation(facts) and "MallocAsync" in causes.calls(facts, "memory_management")


def drains(facts: Facts, over: str = "") -> list[Sentence]:
    """The calls after which the GPU had no work, by name and NVTX path; `over` says where else that is counted."""
    if facts.drains.is_empty() or facts.judged.of(facts.drained_ns) < WORTH:
        return []
    keys = ["drained_by", "drained_by_nvtx"]
    sums = pl.col("idle_ns", "gap_count", "calls", "blocked_ns").sum(), pl.col("after_every_launch").any()
    rows = facts.drains.with_columns(folded(pl.col("drained_by_nvtx"))).group_by(keys).agg(*sums)
    top = rows.sort("idle_ns", *keys, descending=[True, False, False], nulls_last=True).head(NAMED).to_dicts()
    return [_drain(facts, row, over) for row in top if row["idle_ns"] >= SOME * facts.judged.idle_ns]


def folded(path_of: pl.Expr) -> pl.Expr:
    """NVTX paths that differ only in numbers as one: each number becomes #."""
    return path_of.str.replace_all(r", (seq|op_id) = \d+", "").str.replace_all(r"\d+", "#")


def _drain(facts: Facts, row: Row, over: str) -> Sentence:
    name, copied = call(row["drained_by"]), _copied(facts, row)
    pool = ", and makes the memory pool give its memory back" if over else ""
    mixed = drained.copy_part(facts, row["drained_by"]) >= SOME
    where = f" in {path(row['drained_by_nvtx'])}" if row["drained_by_nvtx"] else ""
    every = ", one after every launch" if row["after_every_launch"] else ""
    text = (
        f"{of_idle(facts, row['idle_ns'])}{over and over + ','} follow {counted(row['calls'], 'call')} of"
        f" {name}{where}{every}{copied}: each waits until the GPU has nothing left to do{pool}."
        f" {without(name, row['drained_by_nvtx'], _direction(facts, row), mixed)}"
        + at_most(facts, "Without these calls the run is shorter by", row["blocked_ns"])
        + more_than(facts, row["idle_ns"], row["blocked_ns"])
    )
    keys = {key: row[key] for key in ("drained_by", "drained_by_nvtx")}
    return Sentence("", text, ({"query": "idle_drains", **keys},))


def _copy_of(facts: Facts, row: Row) -> Row | None:
    """The kind of copy that nearly all calls of a name waited for, a row of idle_drain_copies; None where none is."""
    if facts.drain_copies.is_empty():
        return None
    of_name = facts.drains.filter(drained_by=row["drained_by"])
    rows = facts.drain_copies.filter(drained_by=row["drained_by"]).head(1).to_dicts()
    return rows[0] if rows and rows[0]["calls"] >= NEARLY * int(of_name["calls"].sum()) else None


def _copied(facts: Facts, row: Row) -> str:
    """The copies that the calls waited for: ', each after a copy of 8 B Host-to-Device from pageable memory'."""
    copy = _copy_of(facts, row)
    if copy is None or not copy["direction"]:
        is_read = drained.copy_part(facts, row["drained_by"]) >= MOST
        return ", most of it after Device-to-Host copies" if is_read else ""
    is_all = copy["calls"] == int(facts.drains.filter(drained_by=row["drained_by"])["calls"].sum())
    if is_copy(row["drained_by"]):
        return f" (copies of {copy_words(copy)})"
    return f", {'each' if is_all else 'nearly all'} after a copy of {copy_words(copy)}"


def is_copy(name: str) -> bool:
    """Whether a call that emptied the queue is itself a copy."""
    return call(name).startswith(("cudaMemcpy", "cuMemcpy"))


def copy_words(copy: Row) -> str:
    """A kind of copy that calls waited for, a row of idle_drain_copies: '8 B Host-to-Device from pageable memory'."""
    is_sent = copy["direction"].startswith("Host")
    host = copy["src_kind"] if is_sent else copy["dst_kind"]
    memory = f" {'from' if is_sent else 'to'} {host.lower()} memory" if host and "Host" in copy["direction"] else ""
    return f"{_sizes(copy)} {copy['direction']}{memory}"


def _sizes(copy: Row) -> str:
    least, most = size(copy["least"] or 0), size(copy["most"] or 0)
    return least if least == most else f"{least} to {most}"


def _direction(facts: Facts, row: Row) -> str | None:
    if drained.copy_part(facts, row["drained_by"]) >= MOST:
        return TO_HOST
    copy = _copy_of(facts, row)
    return copy["direction"] if copy else None


def without(name: str, nvtx: str | None, direction: str | None = None, mixed: bool = False) -> str:
    """What to do about a call that empties the queue, in the NVTX ranges that it is in, after a copy that way.

    `mixed` is whether some of the calls wait for copies that the host reads.
    """
    is_item = nvtx and ITEM.search(nvtx.rpartition(" > ")[2])
    if is_item and direction == TO_GPU:
        return "Make that value on the GPU (device=...), or copy it from pinned memory with non_blocking=True."
    if is_item and direction:
        return "Keep that value on the GPU: no .item() or .cpu() inside of the step."
    if is_item:
        return "Keep that value on the GPU: no .item(), .cpu() or tensor of a Python number inside of the step."
    if direction == TO_GPU and "Memcpy" not in name:
        return (
            "Work on the same stream waits for that copy anyway: synchronize only before the host changes its source."
        )
    if "Memcpy" in name or "Memset" in name:
        return "Copy asynchronously from pinned memory and read the result later, when the next work is queued."
    if direction == TO_HOST:
        return (
            "The host reads that copy, so it has to wait: launch the next work before the wait, and work on the last"
            " results while it runs (two buffers)."
        )
    if "EventSynchronize" in name:
        return "Wait for the event only where the host reads the result, after the next work is queued."
    if mixed:
        return (
            "Remove it where no Device-to-Host copy comes before it, for work on a stream runs in order anyway; where"
            " one does, launch the next work before the wait."
        )
    return (
        "Remove it between launches, for work on a stream runs in order anyway; keep one before the host reads the"
        " results."
    )


def cpu_bound(facts: Facts) -> list[Sentence]:
    """What the host does while the GPU waits, by cause, the largest first."""
    largest = causes.largest(facts, facts.judged)[:NAMED]
    return [causes.sentence(facts, cause, most=at_most(facts) if i == 0 else "") for i, cause in enumerate(largest)]


def input_bound(facts: Facts) -> list[Sentence]:
    """What the launching thread reads or whom it waits for."""
    rows = facts.calls.filter(pl.col("main_cause").is_in([IO, "waiting_for_thread"])).drop_nulls("name")
    top = rows.sort("idle_ns", descending=True).head(NAMED).to_dicts()
    if not top:
        return []
    names = joined([call(row["name"]) for row in top])
    total = input_ns(facts)
    text = (
        f"The launching thread waits for input: {of_idle(facts, total)} pass in {names}"
        f"{causes.place(facts, IO)}. Read the next data in other threads or processes while the GPU works, and keep a"
        f" few batches ready.{at_most(facts)}"
    )
    return [Sentence("", text, tuple({"query": "idle_groups", "by": "api", "name": row["name"]} for row in top))]


def communication_bound(facts: Facts) -> list[Sentence]:
    """How much of the idle time passes in MPI calls, by name."""
    total = mpi_ns(facts)
    if not total:
        return []
    top = _mpi(facts).head(NAMED).to_dicts()
    names = joined([f"{row['name']} ({time(row['idle_ns'])})" for row in top])
    text = (
        f"{of_idle(facts, total)} pass in MPI calls of the launching threads:"
        f" {names}{causes.place(facts, 'waiting_for_thread')}. Balance the ranks, send earlier, and let GPU work run"
        f" while messages are under way.{at_most(facts)}"
    )
    return [Sentence("", text, tuple({"query": "idle_groups", "by": "api", "name": row["name"]} for row in top))]


def beside(facts: Facts) -> list[Sentence]:
    """What to say of the idle time where the GPU's own work limits."""
    if facts.judged.of(facts.judged.idle_ns) < WORTH:
        return []
    if not facts.is_split and facts.repetition and facts.start_up_ns >= MOST * facts.judged.idle_ns:
        return _early(facts, facts.repetition)
    found = [] if drained.is_code(facts) else drains(facts)
    largest = causes.largest(facts, facts.judged)[:1]
    return found[:1] or [causes.sentence(facts, cause, most=at_most(facts)) for cause in largest]


def _early(facts: Facts, again: Repetition) -> list[Sentence]:
    """Most of the idle time lies before anything repeats."""
    text = (
        f"{of_idle(facts, facts.start_up_ns)} lie before the first {again.word}, at {seconds(again.start_ns)}: they"
        " occur once."
    )
    places = [gap for gap in facts.gaps.to_dicts() if gap["end_ns"] <= again.start_ns][:NAMED]
    rows: list[Row] = [{"query": "idle_ledger", "end_ns": again.start_ns}]
    if places:
        longest = joined(
            [f"{gap['gap_id']} ({time(gap['gap_ns'])} before {kernel(gap['next_name'])})" for gap in places]
        )
        text += f" The longest: gap{'s' if len(places) > 1 else ''} {longest}."
        rows += [{"query": "idle_gaps", "gap_id": gap["gap_id"]} for gap in places]
    return [Sentence("", text, tuple(rows))]


def without_gpu(ranks: pl.DataFrame) -> Verdict | None:
    """The verdict on MPI ranks that used no GPU, rows of mpi_ranks; None where there are none."""
    rows = ranks.filter(pl.col("span_ns") > 0).sort("mpi_pct", descending=True).to_dicts()
    if not rows:
        return None
    most = rows[0]
    kind = "communication_bound" if most["mpi_pct"] >= 50 else "cpu_bound"
    told = [f"rank {row['rank']}" if row["rank"] is not None else f"process {row['pid']}" for row in rows[:NAMED]]
    shares = [f"{who} for {whole_percent(row['mpi_pct'] / 100)}" for who, row in zip(told, rows, strict=False)]
    head = "Communication-bound" if kind == "communication_bound" else "CPU-bound"
    text = (
        f"{head}, no GPU work: in MPI calls are {joined(shares)} of the time from the first call to the last; {told[0]}"
        f" most in {most['main_call']} ({time(most['main_ns'])} in all). The rest is work of the CPU."
    )
    found = Sentence("limit", text, tuple({"query": "mpi_ranks", "pid": row["pid"]} for row in rows[:NAMED]))
    return Verdict((Part(kind, most["mpi_pct"]),), {}, (found,))
