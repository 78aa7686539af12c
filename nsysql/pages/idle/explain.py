"""One gap in full: why, in a sentence; its time by cause, call and range; its pieces with the evidence."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.analysis.global_ids import tid_of
from nsysql.capture.export import Export
from nsysql.errors import UsageError
from nsysql.pages.elements import LABEL, PROSE, Cell, Page, Section, notes_section
from nsysql.pages.idle.gather import are_few, gpu_time_or_raise, labeled
from nsysql.pages.phrases import Row, call, function, gpu_number, path, percent, seconds, thread, work_names
from nsysql.pages.scope import PageScope
from nsysql.pages.sections import table
from nsysql.words.quantities import counted, size, time

SCHEMA = "nsysql.idle_gap/1"
ALL = "; --top 0 shows all"
SPLIT = 3  # causes of a gap that are named
HALF = 0.5  # of a gap: a call that blocked for less is not why most of it is there
# Causes that no earlier launch removes, and those that are waits of the launching thread.
OWN_ADVICE = ("profiler", "stream_wait", "unified_memory", "no_launch_recorded")
WAITS = ("os_wait_lock", "os_wait_io", "os_sleep", "blocked", "waiting_for_thread", "gil_wait")
AFTER_WORK = (
    "The host reads unified memory page by page; no launched work waits for it. cudaMemPrefetchAsync to the host before"
    " it reads makes this shorter."
)
NO_ROW = "code of the program or a library; no traced call on this thread"


@dataclass(frozen=True)
class GapDetail:
    """A gap, a row of idle_gaps, and its pieces, rows of idle_pieces; of these `rows` are shown.

    `copy` is what the call waited for that emptied the queue, a row of idle_drain_copies; None if that is no copy.
    `call_ns` is how long this call took; None if there is none.
    """

    path: str
    gap: Row
    pieces: pl.DataFrame
    causes: dict[str, Row]
    thread_name: str | None
    rows: int | None
    notes: tuple[str, ...]
    copy: Row | None = None
    call_ns: int | None = None


def by_name(causes: pl.DataFrame) -> dict[str, Row]:
    """The rows of idle_causes by cause."""
    return {row["cause"]: row for row in causes.to_dicts()}


def _split(gap: Row, causes: Mapping[str, Row]) -> str:
    """A gap's causes by their share: 'Host code 97.2%, Launch latency 2.8%'."""
    parts = sorted(((ns, cause) for cause in causes if (ns := gap[f"{cause}_ns"])), key=lambda part: -part[0])
    shown = [f"{causes[cause]['title']} {percent(ns, gap['dur_ns'])}" for ns, cause in parts[:SPLIT]]
    return ", ".join(shown) + (", ..." if len(parts) > SPLIT else "")


def collect(run: Export, scope: PageScope, gap: int, rows: int | None = None) -> GapDetail:
    """The gap of that number. Raises UsageError if there is none."""
    gpu_time_or_raise(run, scope)
    paths = are_few(run)
    gaps = run.query("idle_gaps", gap=gap, paths=paths, **scope.window)
    if gaps.is_empty():
        raise UsageError(f"there is no gap {gap} here; `nsysql idle-gaps` lists gaps with their numbers.")
    gaps = labeled(run, gaps)
    pieces = run.query("idle_pieces", gap=gap, paths=paths, **scope.window)
    row = gaps.to_dicts()[0]
    names = run.select("_thread_name", "name", f"WHERE thread_id = {row['thread_id'] or 'NULL'}")["name"]
    notes = tuple(run.data_problems("idle_pieces"))
    behind = _behind(run, scope, row) if row["drained_by"] else (None, None)
    return GapDetail(
        run.path.name, row, pieces, by_name(run.query("idle_causes")), next(iter(names), None), rows, notes, *behind
    )


def _behind(run: Export, scope: PageScope, gap: Row) -> tuple[Row | None, int | None]:
    """The copy behind the call that emptied the queue before this gap, and how long that call took."""
    only = {**scope.window, "start_ns": gap["start_ns"], "end_ns": gap["end_ns"], "gpu": gap["gpu_id"]}
    copy = None
    if run.has("memcpy"):
        copies = run.query("idle_drain_copies", **only).drop_nulls("direction")
        copies = copies.filter(drained_by=call(gap["drained_by"]))
        copy = copies.row(0, named=True) if copies.height == 1 else None
    which = f"WHERE row_id = {gap['drained_by_row']}"
    lengths = run.select("_drain_call", "end_ns - start_ns AS dur_ns", which)["dur_ns"]
    return copy, int(lengths[0]) if lengths.len() else None


def document(detail: GapDetail) -> dict[str, Any]:
    """The gap and its pieces for programs, as docs/reading.md describes it."""
    return {
        "schema": SCHEMA,
        "export": detail.path,
        "sentences": list(sentences(detail)),
        "gap": detail.gap,
        "pieces": detail.pieces.to_dicts(),
        "notes": list(detail.notes),
    }


def page(detail: GapDetail) -> Page:
    """The gap in a sentence, its time by cause, call and range, then its longest pieces in order of time."""
    notes = [notes_section(f"{note}." for note in detail.notes)] if detail.notes else []
    sections = (_gap(detail), *_subtotals(detail), _pieces(detail), *notes)
    return Page(f"{detail.path}: gap {detail.gap['gap_id']}", sections)


def sentences(detail: GapDetail) -> tuple[str, ...]:
    """Why the GPU was idle, as sentences."""
    gap, advice = detail.gap, str(detail.causes[detail.gap["main_cause"]]["advice"])
    ranges = _sums(detail.pieces, "nvtx_path")["nvtx_path"].to_list() if detail.pieces.width else []
    most = ranges[0] if any(ranges) else gap["nvtx_path"]
    where = f" in {path(most)}" if most else ""
    idle = f"GPU {gpu_number(gap['gpu_id'])} was idle for {time(gap['dur_ns'])}: {_split(gap, detail.causes)}"
    texts = [f"{idle}, on {thread(gap['thread_id'], detail.thread_name)}{where}."]
    if gap["is_after_work"]:
        return (*texts, AFTER_WORK)
    if gap["drained_by"]:
        place = f" in {path(gap['drained_by_nvtx'])}" if gap["drained_by_nvtx"] else ""
        direction = detail.copy["direction"] if detail.copy else None
        own, name = advice if gap["main_cause"] in OWN_ADVICE else None, call(gap["drained_by"])
        what = own or without(gap["drained_by"], gap["drained_by_nvtx"], direction)
        after = f"It follows {name} (row {gap['drained_by_row']}){place}{_waited(detail.copy, name)}"
        texts.append(f"{after}, which waited until the GPU ran dry. {what}")
        if not own and detail.call_ns is not None and detail.call_ns < HALF * gap["dur_ns"]:
            texts.append(f"Removing that call ({time(detail.call_ns)}) shortens this gap by at most its time. {advice}")
        elif gap["main_cause"] in WAITS:
            texts.append(advice)
    else:
        texts.append(advice)
    return tuple(texts)


def _waited(copy: Row | None, name: str) -> str:
    """The copy behind the call that emptied the queue: ', a copy of 8 B Host-to-Device from pageable memory'."""
    if copy is None:
        return ""
    is_sent = copy["direction"].startswith("Host")
    host = copy["src_kind"] if is_sent else copy["dst_kind"]
    memory = f" {'from' if is_sent else 'to'} {host.lower()} memory" if host and "Host" in copy["direction"] else ""
    least, most = size(copy["least"] or 0), size(copy["most"] or 0)
    is_own = name.startswith(("cudaMemcpy", "cuMemcpy"))
    sizes = least if least == most else f"{least} to {most}"
    return f", {'a copy' if is_own else 'after a copy'} of {sizes} {copy['direction']}{memory}"


def _subtotals(detail: GapDetail) -> Iterator[Section]:
    """The gap's time by cause, by call and by NVTX range; where there is but one, that is no news."""
    titles = {name: cause["title"] for name, cause in detail.causes.items()}
    titled = detail.pieces.with_columns(cause=pl.col("cause").replace_strict(titles))
    for column, title in (("cause", "By cause"), ("evidence_name", "By call"), ("nvtx_path", "By NVTX range")):
        sums = _sums(titled, column)
        if sums.height < 2:
            continue
        rows = [{**row, "of_ns": detail.gap["dur_ns"], "name": row[column] or "(none)"} for row in sums.to_dicts()]
        columns = f"dur_ns/of_ns=of_gap:pct dur_ns=time pieces=pieces name={title[3:].replace(' ', '_')}:text"
        yield table(title, columns, rows, top=detail.rows, rest="row", how=ALL)


def _sums(pieces: pl.DataFrame, column: str) -> pl.DataFrame:
    """The pieces' time by a column, most time first."""
    sums = pieces.group_by(column).agg(pl.col("dur_ns").sum(), pieces=pl.len())
    return sums.sort("dur_ns", column, descending=[True, False], nulls_last=True)


def _gap(detail: GapDetail) -> Section:
    gap = detail.gap
    launch = f"{gap['launch_name']} on thread {tid_of(gap['thread_id'])}" if gap["launch_name"] else "not recorded"
    rows: list[tuple[Cell, ...]] = [
        ("GPU", gpu_number(gap["gpu_id"])),
        ("idle", f"{time(gap['dur_ns'])} from {seconds(gap['start_ns'])} to {seconds(gap['end_ns'])}"),
        ("after", work_names("{}", gap["previous_name"])),
        ("before", work_names(f"{{}} on stream {gap['next_stream_id']}", gap["next_name"])),
        ("launch", launch),
        *([("NVTX", gap["nvtx_path"])] if gap["nvtx_path"] else []),
    ]
    return Section("Gap", before=sentences(detail), columns=(LABEL, PROSE), rows=tuple(rows))


def _pieces(detail: GapDetail) -> Section:
    """The longest segments in order of time; neighbors of one cause are one row, with the evidence of the longest."""
    causes, start = detail.causes, detail.gap["start_ns"]
    merged = segments(detail.pieces)
    shown = merged if detail.rows is None else merged.top_k(detail.rows, by="dur_ns").sort("start_ns")
    rows = []
    for piece in shown.to_dicts():
        more = f"; {counted(piece['pieces'] - 1, 'more piece')}" if piece["pieces"] > 1 else ""
        own = {"at": f"+{time(piece['start_ns'] - start)}", "of_ns": detail.gap["dur_ns"]}
        rows.append({**piece, **own, "title": causes[piece["cause"]]["title"], "evidence": _evidence(piece) + more})
    rest = merged.height - shown.height
    after = (f"{counted(rest, 'shorter segment')} left out{ALL}.",) if rest else ()
    columns = "at=at dur_ns=length dur_ns/of_ns=of_gap:pct title=cause:text evidence=evidence:wrap"
    meaning = "times clipped to the gap; row is the position in that table of the export"
    return table("Segments", columns, rows, meaning, after=after)


def segments(pieces: pl.DataFrame) -> pl.DataFrame:
    """Pieces in order of time, neighbors of one cause as one row: the evidence is that of the longest of them."""
    ordered = pieces.sort("start_ns")
    is_new = (pl.col("cause") != pl.col("cause").shift()) | (pl.col("start_ns") != pl.col("end_ns").shift())
    runs = ordered.with_columns(run=is_new.fill_null(True).cum_sum()).group_by("run", maintain_order=True)
    longest = pl.all().exclude("start_ns", "end_ns", "dur_ns").sort_by("dur_ns", descending=True).first()
    sums = pl.col("start_ns").min(), pl.col("end_ns").max(), pl.col("dur_ns").sum()
    return runs.agg(longest, *sums, pieces=pl.len())


def _evidence(piece: Row) -> str:
    if piece["evidence_table"] is None:
        if piece["function"]:
            return function(f"{piece['function']} ({piece['module']})")
        return NO_ROW if piece["cause"] == "host_code" else "no row"
    name = piece["evidence_name"]
    row = "" if piece["evidence_row_id"] is None else f" row {piece['evidence_row_id']}"
    whom = f", for {piece['waits_for']}" if piece["waits_for"] else ""
    return f"{f'{name}, ' if name else ''}{piece['evidence_table']}{row}{whom}"


TO_GPU, TO_HOST = "Host-to-Device", "Device-to-Host"
ITEM = re.compile(r"aten::(item|_local_scalar_dense|is_nonzero|to|_to_copy|nonzero|copy_)\b")


def without(name: str, nvtx: str | None, direction: str | None = None) -> str:
    """What to do about a blocking call after which the GPU ran dry, in these NVTX ranges, after a copy that way."""
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
            "The host reads that copy and has to wait: launch the next work before the wait, and process the previous"
            " results while it runs (two buffers)."
        )
    if "EventSynchronize" in name:
        return "Wait for the event only where the host reads the result, after the next work is queued."
    return (
        "Work on a stream already runs in order: remove it between launches and keep one before the host reads results."
    )
