"""The idle page for people: per GPU why it was idle, what to do first, and where to look."""

from collections.abc import Iterator, Sequence

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Page, Section
from nsysql.pages.idle import work
from nsysql.pages.idle.advice import Causes, activities, shown_name, split
from nsysql.pages.idle.drains import drains
from nsysql.pages.idle.gather import Idle
from nsysql.pages.phrases import Row, counted, gpu_number, percent, seconds, share
from nsysql.pages.steps.line import warm_up_sentence
from nsysql.pages.verdict.collect import APART
from nsysql.pages.verdict.facts import NOT_THEIRS
from nsysql.pages.verdict.names import call, markers
from nsysql.pages.verdict.names import path as nvtx_path
from nsysql.pages.verdict.page import section as verdict
from nsysql.pages.verdict.totals import of_whole, profilers_own
from nsysql.words.quantities import safe, time
from nsysql.words.truncate import cut

PROSE = Column(right=False, wrap=True)
SHOWN_CAUSES = 8
WORKING = ("gpu_bound", "copy_bound", "communication_bound")  # kinds of which the GPU's work says more than gaps
PATH = 140  # columns of a path
TINY = 0.001  # of the idle time: classes of lengths with less are left out
PARTS = {
    "computing_ns": "kernels running (at least one fills the SMs)",
    "one_small_kernel_ns": "one small kernel (fewer blocks than SMs)",
    "only_communication_ns": "exposed communication (NCCL etc.)",
    "only_copies_ns": "exposed copies and memsets (no kernel running)",
}


def page(found: Idle) -> Page:
    """The page: GPU time and what to do first, then each GPU's causes, patterns and longest gaps."""
    causes = Causes(found.frames.causes)
    sections = [verdict(found.verdict), _time(found)]
    if any(part.kind in WORKING for part in found.verdict.kinds):
        sections += work.sections(found.facts, found.asked.top)
    for gpu in found.frames.gpu_time.to_dicts():
        if gpu["idle_ns"]:
            sections += [_ledger(found, causes, gpu), *_groups(found, causes, gpu)]
            sections += [_patterns(found, causes, gpu), _gaps(found, causes, gpu)]
    sections += [_lengths(found), _busy(found)]
    notes = (*found.notes, "times are relative to the start of the capture.")
    sections.append(Section("Notes", columns=(PROSE,), rows=tuple((note,) for note in notes)))
    return Page(f"{found.path}: why was the GPU idle?", tuple(s for s in sections if s.rows or s.before))


def _time(found: Idle) -> Section:
    is_narrowed = bool(found.asked.filters)  # then what lies before and after the window is no lead-in and tail
    rows: list[tuple[Cell, ...]] = []
    for row in found.frames.gpu_time.to_dicts():
        window, beside = row["window_ns"], () if is_narrowed else (row["lead_in_ns"], row["tail_ns"])
        rows.append(
            (
                *(gpu_number(row["gpu_id"]), seconds(row["window_start_ns"]), time(window)),
                *(percent(row["busy_ns"], window), Bar(share(row["busy_ns"], window), 8)),
                *(percent(row["idle_ns"], window), f"{row['gap_count']:,}"),
                *("" if ns is None else time(ns) for ns in beside),
            )
        )
    headings = ("GPU", "from", "window", "busy", "", "idle", "gaps", *(() if is_narrowed else ("lead-in", "tail")))
    meaning = "" if is_narrowed else "lead-in: first CUDA call to first GPU work; tail: last GPU work to last CUDA call"
    meaning = of_whole(found.facts.is_split, meaning)
    return Section("GPU time", meaning, (), tuple(map(Column, headings)), tuple(rows), tuple(_warm_up(found)))


def _warm_up(found: Idle) -> Iterator[str]:
    """How much of the idle time is the profiler's, and how much lies in warm-up."""
    own = found.facts.whole.by_cause(NOT_THEIRS)
    if own:
        yield profilers_own(own, found.frames.gpu_time.height)
    if found.steps is not None and found.steps.series["note"] is None:  # else the verdict does not go by them, either
        idle = int(found.frames.gpu_time["idle_ns"].sum())
        is_much = found.facts.whole.of(found.idle_before_ns) >= APART  # as the verdict tells start-up apart
        said = warm_up_sentence(found.steps, idle, found.idle_before_ns) if is_much else None
        if said:
            yield said


def _ledger(found: Idle, causes: Causes, gpu: Row) -> Section:
    rows, idle, window = _of(found.frames.ledger, gpu), gpu["idle_ns"], gpu["window_ns"]
    shown = rows[:SHOWN_CAUSES]
    cells = tuple(
        (
            causes.title(row["cause"]),
            *(percent(row["idle_ns"], idle), Bar(share(row["idle_ns"], idle), 5), time(row["idle_ns"])),
            *(percent(row["idle_ns"], window), f"{row['gap_count']:,}", time(row["longest_ns"])),
        )
        for row in shown
    )
    headings = ("of idle", "", "time", "window", "gaps", "longest")
    meaning = of_whole(found.facts.is_split, "how long the GPU waited under each")
    columns = (Column("cause", right=False), *map(Column, headings))
    after = [*_rest(rows[SHOWN_CAUSES:], idle), *_profiler(rows, gpu)]
    return Section(f"GPU {gpu_number(gpu['gpu_id'])}: idle by cause", meaning, (), columns, cells, tuple(after))


def _rest(rows: Sequence[Row], idle: int) -> Iterator[str]:
    if rows:
        total = sum(row["idle_ns"] for row in rows)
        yield f"{counted(len(rows), 'more cause')} with {percent(total, idle)} of the idle time."


def _profiler(rows: Sequence[Row], gpu: Row) -> Iterator[str]:
    """The profiler's nanoseconds kept apart."""
    for row in rows:
        if row["cause"] == "profiler":
            rest = gpu["idle_ns"] - row["idle_ns"]
            gaps = counted(row["gap_count"], "gap")
            yield (
                f"{time(row['idle_ns'])} of the idle time is the profiler's own, in {gaps} (marked *);"
                f" without it {time(rest)} is left."
            )


def _groups(found: Idle, causes: Causes, gpu: Row) -> Iterator[Section]:
    """The idle time by what --by names."""
    if found.groups is None:
        return
    if found.asked.by == "drain":
        yield drains(found.groups, found.asked.top, gpu)
        return
    rows, top, idle = _of(found.groups, gpu), found.asked.top, gpu["idle_ns"]
    cells = tuple(
        (
            *(percent(row["idle_ns"], idle), time(row["idle_ns"])),
            *(causes.title(row["main_cause"]), row["name"] or "(none)"),
        )
        for row in rows[:top]
    )
    columns = (*map(Column, ("of idle", "time")), Column("main cause", right=False))
    rest = rows[top:] if top else []
    total = sum(row["idle_ns"] for row in rest)
    after = (f"{len(rest):,} more with {percent(total, idle)} of the idle time; --top 0 shows all.",) if rest else ()
    by = shown_name(found.asked.by)
    title = f"GPU {gpu_number(gpu['gpu_id'])}: idle by {by}"
    yield Section(title, "", (), (*columns, Column(by, right=False)), cells, after)


def _patterns(found: Idle, causes: Causes, gpu: Row) -> Section:
    rows = tuple(
        (
            *(time(row["idle_ns"]), f"{row['gap_count']:,}", time(row["median_gap_ns"]), time(row["longest_ns"])),
            *(activities("{}", row["previous_name"]), activities("{}", row["next_name"])),
            causes.title(row["main_cause"]),
        )
        for row in _of(found.patterns, gpu)
    )
    tiny = sum(row["tiny_count"] for row in _of(found.patterns, gpu))
    after = (f"not counted, as shorter than 100 ns: {counted(tiny, 'gap')}.",) if tiny else ()
    names = (Column(name, right=False) for name in ("after", "before", "main cause"))
    columns = (*map(Column, ("total", "count", "median", "longest")), *names)
    meaning = of_whole(found.facts.is_split, "between the same two activities")
    return Section(f"GPU {gpu_number(gpu['gpu_id'])}: recurring gaps", meaning, (), columns, rows, after)


def _gaps(found: Idle, causes: Causes, gpu: Row) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for gap in _of(found.frames.gaps, gpu):
        mark = "*" if gap["profiler_ns"] else ""
        place = (f"{gap['gap_id']}{mark}", seconds(gap["start_ns"]), time(gap["gap_ns"]))
        around = activities("after {}, before {}", gap["previous_name"], gap["next_name"])
        texts: list[Cell] = [split(gap, causes), around]
        texts += [f"in {cut(safe(markers(gap['nvtx_path'])), PATH)}"] if gap["nvtx_path"] else []
        if gap["drained_by"]:
            where = f" in {nvtx_path(gap['drained_by_nvtx'])}" if gap["drained_by_nvtx"] else ""
            texts.append(f"follows {call(gap['drained_by'])}{where}, which emptied the queue")
        if gap["is_after_work"]:
            texts.append("all launched work was over: no gap to remove")
        rows += [(*(place if i == 0 else ("", "", "")), text) for i, text in enumerate(texts)]
    columns = (*map(Column, ("gap", "at", "length")), Column("causes", right=False, wrap=True))
    after = ("--explain GAP shows the evidence for a gap.",) if rows else ()
    title = f"GPU {gpu_number(gpu['gpu_id'])}: longest gaps"
    meaning = of_whole(found.facts.is_split)
    return Section(title, meaning, (), columns, tuple(rows), (*_hidden(found, gpu), *after))


def _hidden(found: Idle, gpu: Row) -> Iterator[str]:
    """What --min-gap hides."""
    rows = _of(found.lengths, gpu)
    count, ns = (sum(row[name] for row in rows) for name in ("hidden_count", "hidden_ns"))
    if count:
        limit = time(found.asked.min_gap_ns)
        yield f"{counted(count, 'gap')} shorter than {limit} hidden from this list: {ns:,} ns."


def _lengths(found: Idle) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for gpu in found.frames.gpu_time.to_dicts():
        for row in _of(found.lengths, gpu):
            if row["idle_ns"] < TINY * gpu["idle_ns"]:
                continue
            low = row["at_least_ns"]
            rows.append(
                (
                    *(gpu_number(gpu["gpu_id"]), f"{_round(low)} to {_round(10 * low)}", f"{row['gap_count']:,}"),
                    *(percent(row["idle_ns"], gpu["idle_ns"]), Bar(share(row["idle_ns"], gpu["idle_ns"]), 8)),
                    time(row["idle_ns"]),
                )
            )
    headings = ("GPU", "length", "gaps", "of idle", "", "time")
    meaning = of_whole(found.facts.is_split, "few long ones or many short ones")
    after = tuple(_too_short(found))
    return Section("Gaps by length", meaning, (), tuple(map(Column, headings)), tuple(rows), after)


def _too_short(found: Idle) -> Iterator[str]:
    """The gaps of the classes that are left out."""
    idle = {row["gpu_id"]: row["idle_ns"] for row in found.frames.gpu_time.to_dicts()}
    left_out = [row for row in found.lengths.to_dicts() if row["idle_ns"] < TINY * idle[row["gpu_id"]]]
    if left_out:
        count, ns = (sum(row[name] for row in left_out) for name in ("gap_count", "idle_ns"))
        yield f"{counted(count, 'more gap')} of other lengths, {time(ns)} in all (nsysql idle-lengths)."


def _round(ns: int) -> str:
    """A power of ten in its unit: 10 µs."""
    return time(ns).replace(".000", "").replace(".00", "").replace(".0", "")


def _busy(found: Idle) -> Section:
    rows: list[tuple[Cell, ...]] = []
    or_graph = ", or a whole graph run" if found.frames.gpu_time["graph_ns"].sum() else ""
    for row in found.frames.exposed_time.to_dicts():
        for name, text in PARTS.items():
            if row[name]:
                part = share(row[name], row["busy_ns"])
                what = text + or_graph if name == "computing_ns" else text
                cells = (percent(row[name], row["busy_ns"]), Bar(part, 8), time(row[name]), what)
                rows.append((gpu_number(row["gpu_id"]), *cells))
    columns = (*map(Column, ("GPU", "of busy", "", "time")), Column("what ran", right=False))
    meaning = of_whole(found.facts.is_split, "GPU busy ≠ GPU utilized: what ran in the busy time")
    return Section("Busy time", meaning, (), columns, tuple(rows))


def _of(frame: pl.DataFrame, gpu: Row) -> Sequence[Row]:
    """The rows of a GPU."""
    return frame.filter(frame["gpu_id"].eq_missing(gpu["gpu_id"])).to_dicts()  # an unknown GPU is None
