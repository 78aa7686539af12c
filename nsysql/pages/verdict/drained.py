"""What passes after calls that emptied the GPU's queue: code of the CPU, allocations, and after which copies."""

import polars as pl

from nsysql.pages.verdict.facts import HOST_WORK, SEVERAL, Facts

MOST = 0.5
SOME = 0.1
LOOP = 5  # gaps: with fewer nothing is done again and again


def idle_ns(facts: Facts, *causes: str, call: str | None = None, after_copy: bool = False) -> int:
    """Idle time of these causes, or of all, after calls of this name, or all; `after_copy` after copies to the host."""
    rows = facts.drain_causes
    if rows.is_empty():
        return 0
    rows = rows.filter(pl.col("cause").is_in(causes)) if causes else rows
    rows = rows.filter(drained_by=call) if call is not None else rows
    rows = rows.filter("is_after_copy") if after_copy else rows
    return int(rows["idle_ns"].sum())


def is_code(facts: Facts) -> bool:
    """Most of it is work of the CPU, and the calls block for too short to hide that if they go.

    To hide half of it would do, but where most of it comes after copies that the host waits for: such calls cannot go.
    """
    work = idle_ns(facts, *HOST_WORK)
    if facts.drains.is_empty() or not work or work < MOST * facts.drained_ns:
        return False
    is_read = idle_ns(facts, *HOST_WORK, after_copy=True) >= MOST * facts.drained_ns
    return int(facts.drains["blocked_ns"].sum()) < (1 if is_read else MOST) * facts.drained_ns


def is_code_after_copies(facts: Facts) -> bool:
    """Most of the program's code that the GPU waits for comes again and again after a copy that the host waited for."""
    if not idle_ns(facts, "host_code", after_copy=True) >= MOST * facts.judged.by_cause("host_code") > 0:
        return False
    rows = facts.drain_causes.filter("is_after_copy", cause="host_code")
    return int(rows["gap_count"].sum()) >= LOOP


def copy_part(facts: Facts, call: str) -> float:
    """The part of the idle time after calls of a name that comes after a copy to the host."""
    total = idle_ns(facts, call=call)
    return idle_ns(facts, call=call, after_copy=True) / total if total else 0.0


def waiting_calls(facts: Facts) -> list[str]:
    """The calls that waited for copies to the host, those with most idle time of the program's code first."""
    rows = facts.drain_causes.filter("is_after_copy", cause="host_code").drop_nulls("drained_by")
    by_call = rows.group_by("drained_by").agg(pl.col("idle_ns").sum())
    by_call = by_call.filter(pl.col("idle_ns") >= SOME * pl.col("idle_ns").sum())
    return by_call.sort("idle_ns", "drained_by", descending=[True, False])["drained_by"].to_list()


def is_allocation(facts: Facts) -> bool:
    """Most of it passes in allocating memory, again and again: a pool gives its memory back at a synchronization."""
    taken = idle_ns(facts, "memory_management")
    if not taken or taken < MOST * facts.drained_ns:
        return False
    rows = facts.drain_causes.filter(cause="memory_management")
    return int(rows["gap_count"].sum()) >= SEVERAL
