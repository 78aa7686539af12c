"""What to say of the time before the window: from the first CUDA call to the first GPU work."""

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.pages.phrases import Row, gpu_number
from nsysql.pages.verdict.facts import EMPTY, Facts, Sentence
from nsysql.pages.verdict.names import call
from nsysql.words.quantities import time

if TYPE_CHECKING:
    from nsysql.pages.scope import PageScope

SHARE, LONG = 0.2, 50_000_000  # of the window, and ns: a lead-in with more of either can be worth a sentence
MOST = 0.5  # of the lead-in: a call with more is named
OUTSIDE = "outside of calls"  # a name in edge_accounts
CAN_CREATE = re.compile(r"cuda(?!Launch|GraphLaunch)")  # calls of CUDA's runtime, which has no call for a context


def calls_before(run: Export, asked: "PageScope", gpu_time: pl.DataFrame) -> pl.DataFrame:
    """The lead-in of the GPU that has the longest, rows of edge_accounts; none where it is not worth a sentence."""
    gpu = _longest(gpu_time)
    if gpu is None or asked.filters or asked.per_process:
        return EMPTY
    rows = run.query("edge_accounts").filter(kind="lead_in")
    return rows.filter(pl.col("gpu_id").eq_missing(pl.lit(gpu["gpu_id"], pl.Int64)))


def before(facts: Facts) -> list[Sentence]:
    """How long the lead-in is, and the CUDA call that has most of it: all shares of a page are of the window."""
    gpu = _longest(facts.whole.gpu_time)
    if gpu is None or facts.calls_before.is_empty():
        return []
    several = facts.whole.gpu_time.height > 1
    first = f"first work of GPU {gpu_number(gpu['gpu_id'])}" if several else "first GPU work"
    text = f"{time(gpu['lead_in_ns'])} from the first CUDA call to the {first}{_most(gpu, facts.calls_before)};"
    rows: list[dict[str, Any]] = [{"query": "gpu_time", "gpu_id": gpu["gpu_id"]}]
    rows.append({"query": "edge_accounts", "gpu_id": gpu["gpu_id"], "kind": "lead_in"})
    return [Sentence("before", f"Before the window: {text} outside of all shares here.", tuple(rows))]


def _longest(gpu_time: pl.DataFrame) -> Row | None:
    """The GPU whose lead-in is the longest of those that are long, and longer than what its window is idle."""
    long = (pl.col("lead_in_ns") > SHARE * pl.col("window_ns")) | (pl.col("lead_in_ns") > LONG)
    rows = gpu_time.filter(long, pl.col("lead_in_ns") > pl.col("idle_ns"))
    found = rows.sort("lead_in_ns", "gpu_id", descending=[True, False]).head(1).to_dicts()
    return found[0] if found else None


def _most(gpu: Row, calls: pl.DataFrame) -> str:
    """The call with most of the lead-in: ', most of it in cudaMalloc (239.0 ms)'; nothing where none has."""
    top = calls.sort("total_ns", "name", descending=[True, False]).row(0, named=True)
    if top["total_ns"] < MOST * gpu["lead_in_ns"]:
        return ""
    where = "outside of CUDA calls" if top["name"] == OUTSIDE else f"in {call(top['name'])}"
    context = "; the first call that needs a CUDA context creates it" if CAN_CREATE.match(top["name"]) else ""
    return f", most of it {where} ({time(top['total_ns'])}{context})"
