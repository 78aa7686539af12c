"""The idle page for people: per GPU why it was idle, what to do first, and where to look."""

from collections.abc import Iterator

from nsysql.idle.gather import Idle
from nsysql.idle.words import Causes, first, matters, shown_name
from nsysql.render.cells import time
from nsysql.render.page import Bar, Cell, Column, Page, Section
from nsysql.summary.words import Row, counted, moment, percent, share, work

NAME, PROSE = Column(right=False), Column(right=False, wrap=True)
SHOWN_CAUSES = 8
SPLIT = 3  # causes that a gap's split names
PARTS = {
    "computing_ns": "computing in full",
    "one_small_kernel_ns": "one small kernel: fewer blocks than SMs",
    "only_communication_ns": "only communication kernels (NCCL and kin)",
    "only_copies_ns": "only copies and sets",
}


def page(found: Idle) -> Page:
    """The page: GPU time and what to do first, then each GPU's causes, patterns and longest gaps."""
    causes = Causes(found.causes)
    sections = [_time(found), _first(found, causes)]
    for gpu in found.gpu_time.to_dicts():
        if gpu["idle_ns"]:
            sections += [_ledger(found, causes, gpu), *_groups(found, gpu)]
            sections += [_patterns(found, causes, gpu), _gaps(found, causes, gpu)]
    sections += [_lengths(found), _busy(found)]
    notes = (*found.notes, "times are relative to the start of the capture.")
    sections.append(Section("Notes", columns=(PROSE,), rows=tuple((note,) for note in notes)))
    return Page(f"{found.path}: why was the GPU idle?", tuple(s for s in sections if s.rows or s.before))


def _time(found: Idle) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for row in found.gpu_time.to_dicts():
        window, beside = row["window_ns"], (row["lead_in_ns"], row["tail_ns"])
        rows.append(
            (
                *(str(row["gpu_id"]), moment(row["window_start_ns"]), time(window)),
                *(percent(row["busy_ns"], window), Bar(share(row["busy_ns"], window), 8)),
                *(percent(row["idle_ns"], window), f"{row['gap_count']:,}"),
                *("" if ns is None else time(ns) for ns in beside),
            )
        )
    headings = ("GPU", "from", "window", "busy", "", "idle", "gaps", "lead-in", "tail")
    meaning = (
        "the window is first to last work; lead-in and tail lie outside of it: from the"
        " first CUDA call, and to the last"
    )
    return Section("GPU time", meaning, (), tuple(map(Column, headings)), tuple(rows))


def _first(found: Idle, causes: Causes) -> Section:
    return Section("What to do first", before=tuple(first(found, causes)))


def _ledger(found: Idle, causes: Causes, gpu: Row) -> Section:
    rows, idle, window = _of(found.ledger, gpu), gpu["idle_ns"], gpu["window_ns"]
    shown = rows[:SHOWN_CAUSES]
    cells = tuple(
        (
            *(percent(row["idle_ns"], idle), Bar(share(row["idle_ns"], idle), 8), time(row["idle_ns"])),
            *(percent(row["idle_ns"], window), f"{row['gap_count']:,}", time(row["longest_ns"])),
            causes.title(row["cause"]),
        )
        for row in shown
    )
    headings = ("of idle", "", "time", "of window", "gaps", "longest")
    meaning = "each idle ns in one cause; removing a cause saves at most its share of the window"
    columns = (*map(Column, headings), Column("cause", right=False))
    after = [*_rest(rows[SHOWN_CAUSES:], idle)]
    after += [f"{causes.title(row['cause'])}: {causes.advice(row['cause'])}" for row in matters(rows)]
    after += _profiler(rows, gpu)
    return Section(f"GPU {gpu['gpu_id']}: idle by cause", meaning, (), columns, cells, tuple(after))


def _rest(rows: list[Row], idle: int) -> Iterator[str]:
    if rows:
        total = sum(row["idle_ns"] for row in rows)
        yield f"{counted(len(rows), 'more cause')} with {percent(total, idle)} of the idle time."


def _profiler(rows: list[Row], gpu: Row) -> Iterator[str]:
    """The profiler's nanoseconds kept apart."""
    for row in rows:
        if row["cause"] == "profiler":
            rest = gpu["idle_ns"] - row["idle_ns"]
            gaps = counted(row["gap_count"], "gap")
            yield (
                f"{time(row['idle_ns'])} are the profiler's own, which made or lengthened {gaps} (marked *):"
                f" without them {time(rest)} are idle."
            )


def _groups(found: Idle, gpu: Row) -> Iterator[Section]:
    """The idle time by what --by names."""
    if found.groups.is_empty():
        return
    rows, top = _of(found.groups, gpu), found.asked.top
    idle, causes = gpu["idle_ns"], Causes(found.causes)
    cells = tuple(
        (
            *(percent(row["idle_ns"], idle), Bar(share(row["idle_ns"], idle), 8), time(row["idle_ns"])),
            *(f"{row['gap_count']:,}", causes.title(row["main_cause"]), row["name"] or "(none)"),
        )
        for row in rows[:top]
    )
    columns = (*map(Column, ("of idle", "", "time", "gaps")), Column("mostly", right=False))
    rest = rows[top:] if top else []
    total = sum(row["idle_ns"] for row in rest)
    after = (f"{counted(len(rest), 'more row')} with {percent(total, idle)} of the idle time.",) if rest else ()
    title = f"GPU {gpu['gpu_id']}: idle by {shown_name(found.asked.by)}"
    heading = Column(found.asked.by, right=False)
    yield Section(title, "", (), (*columns, heading), cells, after)


def _patterns(found: Idle, causes: Causes, gpu: Row) -> Section:
    idle = gpu["idle_ns"]
    rows = tuple(
        (
            *(percent(row["idle_ns"], idle), time(row["idle_ns"]), f"{row['gap_count']:,}"),
            *(time(row["mean_gap_ns"]), causes.title(row["main_cause"])),
            *(work(row["previous_name"]), work(row["next_name"])),
        )
        for row in _of(found.patterns, gpu)
    )
    names = (Column(name, right=False) for name in ("mostly", "after", "before"))
    columns = (*map(Column, ("of idle", "total", "times", "mean")), *names)
    meaning = "gaps after and before the same work, with the same main cause"
    return Section(f"GPU {gpu['gpu_id']}: patterns", meaning, (), columns, rows)


def _gaps(found: Idle, causes: Causes, gpu: Row) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for gap in _of(found.gaps, gpu):
        mark = "*" if gap["profiler_ns"] else ""
        place = (f"{gap['gap_id']}{mark}", moment(gap["start_ns"]), time(gap["gap_ns"]))
        rows.append((*place, split(gap, causes)))
        around = f"after {work(gap['previous_name'])}, before {work(gap['next_name'])}"
        rows.append(("", "", "", around))
        if gap["nvtx_path"]:
            rows.append(("", "", "", f"in {gap['nvtx_path']}"))
    columns = (*map(Column, ("gap", "at", "length")), Column("causes", right=False))
    after = ("--explain GAP shows the rows that a gap was booked by.",) if rows else ()
    return Section(
        f"GPU {gpu['gpu_id']}: longest gaps", "", (), columns, tuple(rows), (*_hidden(found, gpu), *after)
    )


def split(gap: Row, causes: Causes) -> str:
    """A gap's causes by their share: 'Host code 97.2%, Launch latency 2.8%'."""
    parts = sorted(
        ((ns, cause) for cause in causes.names if (ns := gap[f"{cause}_ns"])), key=lambda part: -part[0]
    )
    shown = [f"{causes.title(cause)} {percent(ns, gap['gap_ns'])}" for ns, cause in parts[:SPLIT]]
    return ", ".join(shown) + (", ..." if len(parts) > SPLIT else "")


def _hidden(found: Idle, gpu: Row) -> Iterator[str]:
    """What --min-gap hides."""
    rows = _of(found.lengths, gpu)
    count, ns = (sum(row[name] for row in rows) for name in ("hidden_count", "hidden_ns"))
    if count:
        limit = time(found.asked.min_gap_ns)
        yield f"{counted(count, 'gap')} shorter than {limit} hidden from this list: {ns:,} ns."


def _lengths(found: Idle) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for gpu in found.gpu_time.to_dicts():
        for row in _of(found.lengths, gpu):
            low = row["at_least_ns"]
            rows.append(
                (
                    *(str(gpu["gpu_id"]), f"{_round(low)} to {_round(10 * low)}", f"{row['gap_count']:,}"),
                    *(percent(row["idle_ns"], gpu["idle_ns"]), Bar(share(row["idle_ns"], gpu["idle_ns"]), 8)),
                    time(row["idle_ns"]),
                )
            )
    headings = ("GPU", "length", "gaps", "of idle", "", "time")
    return Section("Gaps by length", "few long ones or many short ones", (), tuple(map(Column, headings)), tuple(rows))


def _round(ns: int) -> str:
    """A power of ten in its unit: 10 µs."""
    return time(ns).replace(".000", "").replace(".00", "").replace(".0", "")


def _busy(found: Idle) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for row in found.exposed_time.to_dicts():
        for name, text in PARTS.items():
            if row[name]:
                part = share(row[name], row["busy_ns"])
                cells = (percent(row[name], row["busy_ns"]), Bar(part, 8), time(row[name]), text)
                rows.append((str(row["gpu_id"]), *cells))
    columns = (*map(Column, ("GPU", "of busy", "", "time")), Column("what ran", right=False))
    meaning = "busy is not yet well used: what the busy time was made of"
    return Section("Busy time", meaning, (), columns, tuple(rows))


def _of(frame: "object", gpu: Row) -> list[Row]:
    """The rows of a GPU."""
    return [row for row in frame.to_dicts() if row["gpu_id"] == gpu["gpu_id"]]  # type: ignore[attr-defined]
