"""What to say of start-up, and of what happens only once."""

import re
from collections.abc import Sequence

import polars as pl

from nsysql.pages.phrases import Row, counted, joined, percent, seconds
from nsysql.pages.verdict.causes import architecture
from nsysql.pages.verdict.facts import NOT_THEIRS, Facts, Sentence
from nsysql.pages.verdict.names import call, function, kernel, path
from nsysql.pages.verdict.totals import of_idle, of_window, together
from nsysql.words.quantities import time

NAMED = 3  # pieces that a sentence names
WORTH = 0.05  # of the idle time: a piece with as much is named
SOME = 0.03  # of the window
MOST = 0.5  # of the idle time
MUCH = 0.1  # of the idle time: gaps that recur and have more are named
COMPILED = 5_000_000  # ns of a first launch that may have been a compilation
CONTEXT = re.compile(r"cuInit$|cu(da)?(Ctx|Device|GreenCtx|SetDevice|InitDevice|Thread)")  # set up a context by name
READ_BACK = "Device-to-Host"


def cold_start(facts: Facts) -> list[Sentence]:
    """What happened once and had most of the idle time."""
    pieces = facts.first_longest if facts.is_split else facts.longest
    idle = facts.start_up_ns if facts.is_split else facts.judged.idle_ns
    whole = facts.whole.window_ns
    top = [row for row in pieces.sort("dur_ns", descending=True).to_dicts() if row["dur_ns"] >= WORTH * idle]
    found = _read_back(facts) or _after_kernels(facts)
    if found:
        return found
    named = _named(facts, top)
    if facts.is_split:
        start, word = facts.judged.start_ns or 0, facts.repetition.word if facts.repetition else "repetition"
        text = (
            f"Start-up: {of_window(facts, idle)} are idle before the first {word}, at {seconds(start)}: {named}. If it"
            " is not what you measure, start the clock, or the capture, after it"
        )
    else:
        every = f" ({together(facts)[2:]})" if together(facts) else ""
        again = "" if facts.repetition or facts.is_narrowed else "No repeating step was found; "
        is_once = _of_shown(top) >= MOST * idle
        once = "most of it once" if is_once else "the longest"
        text = f"{again}{time(idle)} of {time(whole)}{every} are idle, {once}: {named}{_label(facts)}"
        text += _recurring(facts, _shown(top) if is_once else ())
        text += ". Capture later iterations, after a warm-up, before you optimize"
    rows = tuple(_row(row) for row in top[:NAMED])
    return [*_compilation(facts, top), Sentence("", f"{text}.", rows)]  # first what can be mended


def ending(facts: Facts) -> list[Sentence]:
    """The idle time after the last repetition: not that of a step, whatever has it."""
    idle = facts.ending_ns
    if not facts.is_split or facts.repetition is None or facts.whole.of(idle) < SOME or facts.last_longest.is_empty():
        return []
    pieces = facts.last_longest.sort("dur_ns", descending=True).to_dicts()
    top = [row for row in pieces if row["dur_ns"] >= WORTH * idle]
    last = f"the last {facts.repetition.word}, which ends at {seconds(facts.repetition.end_ns)}"
    text = f"After {last}, {of_window(facts, idle)} are idle: {_named(facts, top)}. That is no part of what repeats."
    return [Sentence("", text, tuple(_row(row) for row in top[:NAMED]))]


def _after_kernels(facts: Facts) -> list[Sentence]:
    """Most of the idle time follows the last kernel: that is no start-up, and no later iteration is without it."""
    end = facts.kernels_end_ns
    if facts.after_kernels.is_empty() or end is None:
        return []
    total = int(facts.after_kernels["idle_ns"].sum())
    pieces = facts.longest.filter(pl.col("start_ns") >= end).sort("dur_ns", descending=True).to_dicts()
    top = [row for row in pieces if row["dur_ns"] >= WORTH * total]
    text = f"{of_idle(facts, total)} follow {last_kernel(facts)}, at {seconds(end)}: {_named(facts, top)}."
    return [Sentence("", text, tuple(_row(row) for row in top[:NAMED]) or ({"query": "idle_ledger", "start_ns": end},))]


def last_kernel(facts: Facts) -> str:
    """'the only kernel', where there is but one kernel or graph run; else 'the last kernel'."""
    count = sum(int(rows[column].sum()) for rows, column in _counts(facts) if rows.height)
    word = "kernel" if facts.kernels.height else "CUDA graph"
    return f"the only {word}" if count == 1 else f"the last {word}"


def _counts(facts: Facts) -> tuple[tuple[pl.DataFrame, str], ...]:
    return (facts.kernels, "kernel_count"), (facts.graphs, "run_count")


def _named(facts: Facts, pieces: Sequence[Row]) -> str:
    """The longest pieces by name."""
    return joined([_piece(facts, row) for row in _in_gaps(_merged(pieces))[:NAMED]] or ["many short pieces"])


def _label(facts: Facts) -> str:
    """The NVTX path of the longest gap."""
    gaps = facts.gaps.drop_nulls("nvtx_path").sort("gap_ns", descending=True)
    if gaps.is_empty():
        return ""
    return f" (gap {gaps['gap_id'][0]} is in {path(gaps['nvtx_path'][0])})"


def _merged(pieces: Sequence[Row]) -> list[Row]:
    """The pieces, those of one gap and cause of one GPU only: ranks do the same at the same time."""
    gpus: dict[tuple[object, ...], int | None] = {}
    return [row for row in pieces if gpus.setdefault(_alike(row), row["gpu_id"]) == row["gpu_id"]]


def _alike(row: Row) -> tuple[object, ...]:
    return row["cause"], row["evidence_name"], row["previous_name"], row["next_name"]


def _in_gaps(pieces: Sequence[Row]) -> list[Row]:
    """The pieces, those of one gap that have the same name as one: dur_ns is their sum, piece_count their number."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in pieces:
        groups.setdefault(_key(row), []).append(row)
    summed = [
        {**rows[0], "dur_ns": sum(row["dur_ns"] for row in rows), "piece_count": len(rows)} for rows in groups.values()
    ]
    return sorted(summed, key=lambda row: row["dur_ns"], reverse=True)


def _key(row: Row) -> tuple[object, ...]:
    """What a piece is named by, and its gap."""
    if row["cause"] != "first_launch" and row["function"]:
        return row["gap_id"], row["function"], row["module"]
    return row["gap_id"], row["cause"], row["evidence_name"]


def _shown(pieces: Sequence[Row]) -> list[Row]:
    """The pieces that a sentence names, and those that are like them on other GPUs."""
    merged = _merged(pieces)
    keys = {_key(row) for row in _in_gaps(merged)[:NAMED]}
    others = [row for row in merged if _key(row) not in keys]
    alike = {_alike(row) for row in merged if _key(row) in keys}
    return [row for row in pieces if _alike(row) in alike and row not in others]


def _of_shown(pieces: Sequence[Row]) -> int:
    """The idle time of the pieces that a sentence names, and of those that are like them on other GPUs."""
    return sum(row["dur_ns"] for row in _shown(pieces))


def _recurring(facts: Facts, once: Sequence[Row]) -> str:
    """The gaps between the same work that recur and have most idle time, where that is much.

    Gaps with pieces that occur `once` are not among them.
    """
    if facts.patterns.is_empty():
        return ""
    between, sums = ["previous_name", "next_name"], pl.col("idle_ns", "gap_count").sum()
    named = facts.gaps.filter(pl.col("gap_id").is_in([row["gap_id"] for row in once]))
    apart = named.select("gpu_id", *between, idle_ns=-pl.col("gap_ns"), gap_count=pl.lit(-1, pl.Int64))
    rows = facts.patterns.filter(pl.col("main_cause") != NOT_THEIRS).select(apart.columns)
    rows = pl.concat([rows, apart], how="vertical_relaxed").group_by("gpu_id", *between).agg(sums)
    rows = rows.filter(pl.col("gap_count") > 1).group_by(between).agg(sums)
    top = rows.sort("idle_ns", *between, descending=[True, False, False], nulls_last=True).head(1).to_dicts()
    if not top or top[0]["idle_ns"] < MUCH * facts.judged.idle_ns:
        return ""
    row = top[0]
    said = f"{percent(row['idle_ns'], facts.judged.idle_ns)} of it recurs: {time(row['idle_ns'])} in"
    around = f"{kernel(row['previous_name'])} and {kernel(row['next_name'])}"
    return f"; {said} {counted(row['gap_count'], 'gap')} between {around}"


def _piece(facts: Facts, row: Row) -> str:
    """A piece by name: what it was, how long, and before what."""
    length, after = time(row["dur_ns"]), f"before {kernel(row['next_name'])}"
    gap = f"gap {row['gap_id']}"
    gap = gap if row.get("piece_count", 1) == 1 else f"{counted(row['piece_count'], 'piece')} of {gap}"
    name = call(row["evidence_name"]) if row["evidence_name"] else ""
    if row["cause"] == "first_launch":
        return f"the first launch of {kernel(row['next_name'])} ({length})"
    if row["function"]:
        inside = function(f"{row['function']} ({row['module']})")
        return f"{inside} {after} ({length} in {gap})"
    if row["cause"] == "host_code":
        return f"time outside of traced calls {after} ({length} in {gap})"
    if row["cause"] == "context_setup" and name and not CONTEXT.match(name):
        return f"{name}, in which a CUDA runtime starts, {after} ({length} in {gap})"
    if name:
        return f"{name} {after} ({length} in {gap})"
    title = facts.title(row["cause"])
    title = title if title[:2].isupper() else title[0].lower() + title[1:]
    return f"{title} {after} ({length} in {gap})"


def _row(row: Row) -> dict[str, object]:
    if row["evidence_row_id"] is None:
        return {"query": "idle_gaps", "gap_id": row["gap_id"]}
    return {"table": row["evidence_table"], "row_id": row["evidence_row_id"], "gap_id": row["gap_id"]}


def _compilation(facts: Facts, top: Sequence[Row]) -> list[Sentence]:
    """That code was compiled at run time, where samples say so."""
    first = next((row for row in top if row["cause"] in ("first_launch", "module_load")), None)
    if first is None or facts.compiling.is_empty() or first["dur_ns"] < COMPILED:
        return []
    inside = facts.compiling.filter(
        pl.col("start_ns").is_between(first["start_ns"], first["start_ns"] + first["dur_ns"])
    ).height
    if inside < 2:
        return []
    target = architecture(facts)
    text = (
        f"The first launch of {kernel(first['next_name'])} compiles it: {inside} CPU samples in its"
        f" {time(first['dur_ns'])} are in the compiler of PTX. Build the program for this GPU{target}, so that"
        " nothing is compiled at run time."
    )
    return [Sentence("", text, (_row(first),))]


def start_up(facts: Facts) -> list[Sentence]:
    """How much of the idle time lies before anything repeats, where that is not the verdict."""
    if not facts.is_split or facts.whole.of(facts.start_up_ns) < SOME:
        return []
    return cold_start(facts)


def _read_back(facts: Facts) -> list[Sentence]:
    """The host reads results page by page after the last kernel: nothing waits for the GPU."""
    if facts.patterns.is_empty() or facts.repetition is not None:
        return []
    migration = "Unified " + READ_BACK
    rows = facts.patterns.filter(
        pl.col("previous_name").str.contains(migration, literal=True)
        & pl.col("next_name").str.contains(migration, literal=True)
    )
    total, idle = int(rows["idle_ns"].sum()), facts.judged.idle_ns
    if total < 0.5 * idle:
        return []
    count = int(rows["gap_count"].sum())
    text = (
        f"{of_idle(facts, total)} lie in {count} gaps between migrations"
        " Device-to-Host: the CPU reads the results page by page when no GPU work is waiting. Move them at once with"
        " cudaMemPrefetchAsync to the host, if that time matters; nothing else here repeats."
    )
    return [Sentence("", text, ({"query": "idle_patterns", "previous_name": rows["previous_name"][0]},))]
