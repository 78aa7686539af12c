"""The idle ledger: drawn stories, a plain-Python reference on invented timelines, and what must always hold."""

import csv
import gzip
import random
import re
import sqlite3
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import idle_reference as reference
import polars as pl
import polars.testing as polars_testing
import pytest
from drawn import drawn as story_of
from exports import DEEP, corpus_names, each_opened, one_in, story_names, story_sql
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from idle_timelines import KERNELS, TABLES, THREADS, Timeline, export, timelines

import nsysql
from nsysql import Export
from nsysql.errors import MissingData

Piece = reference.Piece
DRAWN = re.compile(r"^-- =(p?) +(\d+) +(-?\d+) +(-?\d+) +(\w+)$", re.MULTILINE)
DOCUMENT = Path(__file__).parent.parent / "docs" / "idle.md"
STORIES = [name for name in story_names() if DRAWN.search(story_sql(name))]
quick = settings(max_examples=3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def pieces(run: Export, **parameters: object) -> list[Piece]:
    """The ledger of an export in the shape of the reference; raises AssertionError if pieces leave a hole."""
    try:
        frame = run.idle_pieces(**parameters).sort("gpu_id", "start_ns")
    except MissingData:
        return []
    found: list[Piece] = []
    for (gpu, _), gap in frame.group_by("gpu_id", "gap_id", maintain_order=True):
        start, end = gap["start_ns"][0], gap["end_ns"][-1]
        assert gap["start_ns"].to_list()[1:] == gap["end_ns"].to_list()[:-1]
        assert (gap["end_ns"] > gap["start_ns"]).all()
        for cause, since, until in gap.select("cause", "start_ns", "end_ns").rows():
            if found and found[-1][:4] == (gpu, start, end, cause):
                since = found.pop()[4]
            found.append((gpu, start, end, cause, since, until))
    return found


def without_known_faults(timeline: Timeline) -> Timeline:
    """The timeline without what is known to be booked wrongly; goes when FOUND is all MENDED."""
    found = deepcopy(timeline)
    graphs = {
        (row["thread"][0], row["correlation"]) for row in found["calls"] if row["name"] in reference.GRAPH_LAUNCHES
    }
    streams: dict[tuple[int, int], set[int]] = {}
    for row in found["activities"]:
        streams.setdefault((row["pid"], row["correlation"]), set()).add(row["stream"])
        if (row["pid"], row["correlation"]) in graphs:
            row["pageable"] = False
    if any(len(of) > 1 for of in streams.values()):
        found["waits"] = []
    return found


def booked(timeline: Timeline, folder: Path, **parameters: object) -> list[Piece]:
    """The ledger of a timeline."""
    path = export(timeline, folder)
    with nsysql.open(path) as run:
        found = pieces(run, **parameters)
    path.unlink()
    return found


# --- stories drawn by hand


def drawn(story: str, mark: str) -> list[tuple[int, str, int, int]]:
    """What the drawing of a story says: gpu, cause, start, end."""
    lines = (match.groups() for match in DRAWN.finditer(story_sql(story)))
    return [(int(gpu), cause, int(start), int(end)) for kind, gpu, start, end, cause in lines if kind == mark]


@pytest.mark.parametrize("mark", ["", "p"])
@each_opened(STORIES)
def test_a_story_has_the_causes_drawn(opened: Export, mark: str) -> None:
    expected = drawn(opened.path.stem, mark)
    if expected:
        found = pieces(opened, per_process=mark == "p")
        assert [(gpu, cause, start, end) for gpu, _, _, cause, start, end in found] == expected


def test_every_cause_has_a_story(story: Callable[[str], Path]) -> None:
    with nsysql.open(story(STORIES[0])) as run:
        causes = set(run.sql("SELECT cause FROM idle_cause")["cause"])
    assert causes == {cause for name in STORIES for _, cause, _, _ in drawn(name, "")}


def test_the_documented_causes_are_the_views(story: Callable[[str], Path], update_golden: bool) -> None:
    with nsysql.open(story(STORIES[0])) as run:
        rows = run.sql("SELECT cause, title, meaning, advice FROM idle_cause ORDER BY position").rows()
    table = "".join(f"| `{cause}` | {' | '.join(texts)} |\n" for cause, *texts in rows)
    text = DOCUMENT.read_text(encoding="utf-8")
    documented = re.search(r"(?<=<!-- from the view idle_cause -->\n)\|.*\n\|.*\n((\|.*\n)+)", text)
    assert documented is not None
    if update_golden:
        DOCUMENT.write_text(text.replace(documented[1], table), encoding="utf-8")
    assert update_golden or documented[1] == table


# --- invented timelines


@settings(quick, max_examples=100 if DEEP else 12)  # thousands were run once
@given(timeline=timelines(groups=14), per_process=st.booleans())
def test_the_ledger_is_the_references(folder: Path, timeline: Timeline, per_process: bool) -> None:
    timeline = without_known_faults(timeline)
    assert booked(timeline, folder, per_process=per_process) == reference.idle_pieces(timeline, per_process)


def told(**rows: list[dict]) -> Timeline:
    """A timeline of those rows and no others."""
    names = "activities calls os_calls sched overheads waits records streams devices mpi gil profilers"
    return {name: rows.get(name, []) for name in names.split()}


def work(number: int, start: int, end: int, **more: object) -> dict:
    """A kernel of process 500 on stream 7, or what `more` makes of it."""
    row = {"kind": "kernel", "start": start, "end": end, "pid": 500, "device": 0, "stream": 7}
    return row | {"correlation": number, "name": "k1", "pageable": False, "copy_kind": 1} | more


def call(number: int, start: int, end: int, name: str = "cudaLaunchKernel_v7000", thread: int = 0) -> dict:
    """A call of one of the threads."""
    return {"start": start, "end": end, "thread": THREADS[thread], "correlation": number, "name": name}


def queue(lengths: list[int]) -> Timeline:
    """Kernels that are all launched before the first one starts, with gaps of those lengths between them."""
    starts = [5 * number + sum(lengths[:number]) for number in range(len(lengths) + 1)]
    return told(
        activities=[work(number, start, start + 5) for number, start in enumerate(starts)],
        calls=[call(number, number - 1000, number - 999) for number in range(len(starts))],
    )


@quick
@given(lengths=st.lists(st.integers(1, 90_000), min_size=18, max_size=24))
@example(lengths=[3001] * 10 + [3002] * 10)  # an even number of pieces: the median lies between two
@example(lengths=[100] * 10 + [90_000] * 9)
@example(lengths=[100] * 11 + [90_000] * 9)
@example(lengths=[90_000] * 20)
def test_latency_ends_at_three_medians(folder: Path, lengths: list[int]) -> None:
    timeline = queue(lengths)
    assert booked(timeline, folder) == reference.idle_pieces(timeline)


@quick
@given(timeline=timelines(groups=14))
def test_every_sum_is_the_idle_time(folder: Path, timeline: Timeline) -> None:
    path = export(timeline, folder)
    with nsysql.open(path) as run:
        assert_identities(run)


@quick
@given(timeline=timelines(groups=14), start=st.integers(-5, 60), length=st.integers(1, 60))
def test_a_narrowed_ledger_sums_to_the_narrowed_idle_time(
    folder: Path, timeline: Timeline, start: int, length: int
) -> None:
    ends = sorted({row[side] for row in timeline["activities"] for side in ("start", "end")})
    low, high = ends[0], max(ends[-1], ends[0] + 1)
    first = low + (high - low) * start // 60
    last = first + max((high - low) * length // 60, 1)
    path = export(timeline, folder)
    with nsysql.open(path) as run:
        assert_identities(run, start_ns=first, end_ns=last)
        whole = pieces(run)
        found = [piece[3:] for piece in pieces(run, start_ns=first, end_ns=last)]
    clipped = [
        (cause, max(since, first), min(until, last))
        for *_, cause, since, until in whole
        if max(since, first) < min(until, last)
    ]
    assert found == clipped


def assert_identities(run: Export, **narrowed: int) -> None:
    """Section by section: busy + idle = window; causes = idle, per GPU and gap; pieces tile the gaps."""
    gpus = 0
    for per_process in (False, True):  # again where a GPU has several processes
        try:
            time = run.gpu_time(per_process=per_process, **narrowed)
        except MissingData:
            continue
        if time.height == gpus:
            continue
        gpus = time.height
        asked = narrowed | {"per_process": per_process}
        assert (time["busy_ns"] + time["idle_ns"] == time["window_ns"]).all()
        assert (time["window_end_ns"] - time["window_start_ns"] == time["window_ns"]).all()
        idle = {gpu: ns for gpu, ns in time.select("gpu_id", "idle_ns").rows() if ns}
        try:
            gaps, ledger = run.idle_gaps(**asked), run.idle_ledger(**asked)
        except MissingData:
            assert idle == {}
            continue
        found = pieces(run, **asked)
        assert sums(gaps.select("gpu_id", "dur_ns").rows()) == idle
        assert sums(ledger.select("gpu_id", "idle_ns").rows()) == idle
        assert sums((piece[0], piece[5] - piece[4]) for piece in found) == idle
        assert {gpu: n for gpu, n in time.select("gpu_id", "gap_count").rows() if n} == sums(
            (gpu, 1) for gpu in gaps["gpu_id"]
        )
        causes = set(run.sql("SELECT cause FROM idle_cause")["cause"])
        assert (gaps.select(pl.sum_horizontal(f"{cause}_ns" for cause in causes)).to_series() == gaps["dur_ns"]).all()
        assert set(gaps.select("gpu_id", "start_ns", "end_ns").rows()) == {piece[:3] for piece in found}
        by_cause = sums(((piece[0], piece[3]), piece[5] - piece[4]) for piece in found)
        rows = ledger.select("gpu_id", "cause", "idle_ns", "idle_pct").rows()
        assert {(gpu, cause): ns for gpu, cause, ns, _ in rows} == by_cause
        for gpu, _, ns, share in rows:
            assert share == pytest.approx(100 * ns / idle[gpu])


def sums(pairs: object) -> dict:
    """The sum of the second of each pair by the first."""
    found: dict = {}
    for key, value in pairs:
        found[key] = found.get(key, 0) + value
    return found


def rows_of_a_moment(timeline: Timeline) -> bool:
    """Whether two rows of one thread and table cover the very same time: their order then decides."""
    of = [(row["thread"], row["start"], row["end"]) for n in ("calls", "os_calls", "overheads") for row in timeline[n]]
    return len(set(of)) < len(of)


@quick
@given(timeline=timelines(), seed=st.integers(0, 9))
def test_the_order_of_rows_books_the_same(folder: Path, timeline: Timeline, seed: int) -> None:
    assume(not rows_of_a_moment(timeline))
    other = deepcopy(timeline)
    for rows in other.values():
        random.Random(seed).shuffle(rows)
    assert booked(other, folder) == booked(timeline, folder)


@quick
@given(timeline=timelines(), far=st.sampled_from([-(10**12), 7, 10**15]))
def test_other_times_and_names_book_the_same(folder: Path, timeline: Timeline, far: int) -> None:
    other, names = deepcopy(timeline), dict(zip(KERNELS, KERNELS[1:] + KERNELS[:1], strict=True))
    for row in other["activities"]:
        row["name"] = names[row["name"]]
    for table, rows in other.items():
        for row in rows if table != "profilers" else []:  # threads, which have no times
            if row.get("is_timeless") and row["start"] == row["end"] == 0:
                continue
            row |= {name: row[name] + far for name in ("start", "end", "time") if name in row}
    shifted = [
        (gpu, *(time - far for time in (start, end)), cause, since - far, until - far)
        for gpu, start, end, cause, since, until in booked(other, folder)
    ]
    assert shifted == booked(timeline, folder)


@quick
@given(timeline=timelines(), data=st.data())
def test_a_kernel_in_two_touching_halves_makes_the_same_gaps(
    folder: Path, timeline: Timeline, data: st.DataObject
) -> None:
    halves = deepcopy(timeline)
    halves["activities"] = []
    for row in timeline["activities"]:
        cut = data.draw(st.integers(row["start"], row["end"]))
        halves["activities"] += [row | {"end": cut}, row | {"start": cut}]
    gaps = [{piece[:3] for piece in booked(line, folder)} for line in (timeline, halves)]
    assert gaps[0] == gaps[1]


@quick
@given(timeline=timelines(), data=st.data())
def test_a_profiler_row_moves_its_own_nanoseconds_only(folder: Path, timeline: Timeline, data: st.DataObject) -> None:
    assert_profiler_moves_its_own(timeline, folder, data.draw(st.integers(0, 60)), data.draw(st.integers(1, 30)))


def assert_profiler_moves_its_own(timeline: Timeline, folder: Path, start: int, length: int) -> None:
    """Lay a profiler row over each thread of the timeline and compare nanosecond by nanosecond."""
    times = [row[side] for row in timeline["activities"] for side in ("start", "end")]
    unit = max((max(times) - min(times)) // 60, 1)
    since = min(times) + start * unit
    until = since + length * unit
    other = deepcopy(timeline)
    for thread in THREADS:
        row = {"start": since, "end": until, "thread": thread, "type": 3, "name": "Unknown"}
        other["overheads"].append(row | {"table": "PROFILER_OVERHEAD"})
    expected: list[Piece] = []
    for gpu, low, high, cause, a, b in booked(timeline, folder):
        for part in ((cause, a, min(b, since)), ("profiler", max(a, since), min(b, until)), (cause, max(a, until), b)):
            if part[1] < part[2]:
                if expected and (gpu, low, high, part[0]) == expected[-1][:4]:
                    part = (part[0], expected.pop()[4], part[2])
                expected.append((gpu, low, high, *part))
    assert booked(other, folder) == expected


# --- what the reference found


def flush(start: int, end: int, thread: int = 0) -> dict:
    """A profiler row of one of the threads."""
    of = {"start": start, "end": end, "thread": THREADS[thread]}
    return of | {"table": "PROFILER_OVERHEAD", "type": 3, "name": "CUDA profiling data flush overhead"}


GRAPH = "cudaGraphLaunch_v10000"
FOUND = {
    "a profiler row in the way of a worker that waits": told(
        activities=[work(1, 0, 10), work(2, 100, 110)],
        calls=[call(1, -20, -10), call(2, 90, 95, thread=1)],
        overheads=[flush(20, 30, thread=1)],
    ),
    "a profiler row in the way of launch latency": queue([10_000]) | {"overheads": [flush(1005, 3005)]},
    "a pageable copy in a graph, which is no copy call": told(
        activities=[work(1, 0, 10), work(2, 100, 110, kind="memcpy", pageable=True)],
        calls=[call(1, -20, -10), call(2, 50, 90, GRAPH)],
    ),
    "a wait of another stream that the same graph runs on": told(
        activities=[work(1, 0, 10), work(2, 100, 120, stream=8), work(2, 110, 120, stream=9)],
        calls=[call(1, -20, -10), call(2, -5, -1, GRAPH)],
        waits=[{"start": -8, "pid": 500, "stream": 9, "event": 1}],
    ),
    "a zero-length call, a skewed launch and work at negative times": told(
        activities=[work(1, -100, -90), work(2, 0, 10), work(3, 50, 60)],
        calls=[call(1, -120, -110), call(2, 5, 8), call(3, 30, 30), call(9, 20, 20, "cudaMalloc_v3020")],
    ),
}


MENDED = {
    "a zero-length call, a skewed launch and work at negative times",
    "a profiler row in the way of a worker that waits",
    "a profiler row in the way of launch latency",
}


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=[] if what in MENDED else pytest.mark.xfail(strict=True, reason=f"not mended: {what}"))
        for what in FOUND
    ],
)
def test_what_the_reference_found(what: str, folder: Path) -> None:
    assert booked(FOUND[what], folder) == reference.idle_pieces(FOUND[what])


# --- public exports


OF_SYNTH = {
    "launch_call": 94000,
    "host_code": 63000,
    "os_wait_io": 60000,
    "os_wait_lock": 50000,
    "memory_management": 50000,
    "blocked": 50000,
    "profiler": 50000,
    "launch_latency": 28001,
    "stream_wait": 9000,
    "sync_return": 6000,
}
OF_SYNTH_GAPS = [
    (190000, 193000, {"launch_latency": 3000}),
    (283000, 333000, {"host_code": 40000, "launch_call": 5000, "launch_latency": 5000}),
    (423000, 483000, {"memory_management": 50000, "host_code": 2000, "launch_call": 5000, "launch_latency": 3000}),
    (573000, 589000, {"sync_return": 6000, "host_code": 4000, "launch_call": 4000, "launch_latency": 2000}),
    (679000, 742000, {"launch_call": 60000, "launch_latency": 3000}),
    (852000, 861000, {"stream_wait": 9000}),
    (951000, 1024000, {"os_wait_io": 60000, "host_code": 5000, "launch_call": 5000, "launch_latency": 3000}),
    (1114000, 1177000, {"os_wait_lock": 50000, "host_code": 5000, "launch_call": 5000, "launch_latency": 3000}),
    (1267000, 1330000, {"blocked": 50000, "host_code": 5000, "launch_call": 5000, "launch_latency": 3000}),
    (1420000, 1480000, {"profiler": 50000, "host_code": 2000, "launch_call": 5000, "launch_latency": 3000}),
    (1762000, 1762001, {"launch_latency": 1}),
]


def test_the_synthetic_idle_export_is_booked_as_its_drawing_says(corpus: Path) -> None:
    path = corpus / "synth-idle-a.sqlite"
    if not path.exists():
        pytest.skip("synth-idle-a is not among the public exports")
    with nsysql.open(path) as run:
        assert dict(run.idle_ledger().select("cause", "idle_ns").rows()) == OF_SYNTH
        gaps = run.idle_gaps().sort("start_ns")
    found = [
        (row["start_ns"], row["end_ns"], {cause: row[f"{cause}_ns"] for cause in OF_SYNTH if row[f"{cause}_ns"]})
        for row in gaps.to_dicts()
    ]
    assert found == OF_SYNTH_GAPS


def gaps_of_rows(path: Path) -> list[tuple[int, int, int, int]]:
    """The gaps of each process's devices by walking the rows: pid, device, start, length."""
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    work: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for table in TABLES.values():
        if table in tables:
            columns = 'globalPid >> 24 & 0xFFFFFF, deviceId, start, "end"'
            for pid, device, start, end in db.execute(f"SELECT {columns} FROM {table}"):
                if end > start:
                    work.setdefault((pid, device), []).append((start, end))
    db.close()
    found = []
    for (pid, device), rows in work.items():
        busy_until = min(rows)[0]
        for start, end in sorted(rows):
            if start > busy_until:
                found.append((pid, device, busy_until, start - busy_until))
            busy_until = max(busy_until, end)
    return sorted(found)


def recorded_gaps(path: Path) -> list[tuple[int, int, int, int]]:
    """NVIDIA's gaps as recorded: pid, device, start, length; each once."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    names = ("PID", "Device ID", "Start (ns)", "Duration (ns)")
    return sorted(tuple(int(row[name]) for name in names) for row in rows)


@each_opened(one_in(2, corpus_names()))
def test_a_real_export(opened: Export, corpus: Path) -> None:
    """All that must hold of it, asked of one open export, since the ledger takes the time."""
    assert_identities(opened)
    gaps = gaps_per_device(opened)
    assert gaps == gaps_of_rows(opened.path)
    recorded = corpus / "expected" / opened.path.stem / "rule-gpu_gaps_gap0.csv.gz"
    if gaps and recorded.exists() and not unlike_nsys(opened):
        assert gaps == recorded_gaps(recorded)


def gaps_per_device(run: Export) -> list[tuple[int, int, int, int]]:
    """The gaps of each process's devices: pid, device, start, length."""
    try:
        gaps = run.idle_gaps(per_process=True).select("gpu_id", "start_ns", "dur_ns").rows()
    except MissingData:
        return []
    return sorted((gpu // 1000, gpu % 1000, *times) for gpu, *times in gaps)


@pytest.mark.parametrize("name", ["dlprof-nvtx-2022.1", "mordred-nometa", "synth-mpi-a", "um-intro-2024.5"])
def test_calls_sum_up_alike_before_and_after_the_ledger(name: str, corpus: Path) -> None:
    """The ledger gives the calls and the work that it has read to what sums them up."""

    def sums(run: Export) -> list[pl.DataFrame]:
        late = {"start_ns": 1_000_000_000}
        return [run.cuda_api_sum(), run.processes(), run.gpu_time(), run.cuda_api_sum(**late)]

    with nsysql.open(corpus / f"{name}.sqlite") as run, nsysql.open(corpus / f"{name}.sqlite") as again:
        before = sums(run)
        again.idle_ledger()
        after_it = sums(again)
    for alone, after in zip(before, after_it, strict=True):
        polars_testing.assert_frame_equal(alone, after, check_exact=False, rel_tol=1e-12)


def test_nsys_analyze_recorded_gaps_that_are_compared(corpus: Path) -> None:
    """So that a real export is not passed over for what makes the two differ."""
    names = ("synth-mpi-a", "synth-nvtxdup-a", "synth-nvtxodd-a", "synth-omp-a")
    for name in names:
        with nsysql.open(corpus / f"{name}.sqlite") as run:
            assert (corpus / "expected" / name / "rule-gpu_gaps_gap0.csv.gz").exists()
            assert unlike_nsys(run) is None


KNOWN_TO_NSYS = (
    "CUDA profiling data flush overhead",
    "CUDA profiling stop overhead",
    "CUDA profiling overhead",
)


def unlike_nsys(run: Export) -> str | None:
    """What makes NVIDIA's gaps another thing than ours."""
    questions = {
        "work of no length": "SELECT count(*) FROM _gpu_work_ids WHERE end_ns = start_ns AND start_ns > 0",
        "work that starts at or before zero": "SELECT count(*) FROM _gpu_activity_sorted WHERE start_ns <= 0",
        "whole graph runs": "SELECT count(*) FROM graph_trace",
        "profiler rows that count as work": f"SELECT count(*) FROM overhead WHERE name IN {KNOWN_TO_NSYS}",
        "graphics work": "SELECT count(*) FROM graphics_work",
    }
    return next((what for what, sql in questions.items() if run.sql(sql).item()), None)


# Rows as no program writes them --------------------------------------------------------------------


def launched(kernels: str, calls: str, device: str = "0") -> str:
    """Kernels and their calls on thread 1 of process 1, each (start, end), the numbers of their launches in order."""
    work, asked = (re.findall(r"\d+, \d+", text) for text in (kernels, calls))
    rows = ", ".join(f"({times}, {device}, 7, {i}, {1 << 24}, 1, 1)" for i, times in enumerate(work))
    return (
        "INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');\n"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid,"
        f" demangledName, shortName) VALUES {rows};\n"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES"
        f" {', '.join(f'({times}, {(1 << 24) + 1}, {i}, 2)' for i, times in enumerate(asked))};"
    )


def test_a_call_that_returns_before_it_starts_leaves_each_nanosecond_to_one_cause(
    build: Callable[[str], Path],
) -> None:
    with nsysql.open(build(launched("(0, 100), (1000, 1100)", "(10, 20), (900, 850)"))) as run:
        pieces = run.idle_pieces()
        assert pieces["end_ns"].sum() - pieces["start_ns"].sum() == 900
        assert run.idle_ledger()["idle_ns"].sum() == 900


@pytest.mark.parametrize("device", ["0", "NULL"])
def test_latency_is_capped_on_a_gpu_without_a_number_too(build: Callable[[str], Path], device: str) -> None:
    with nsysql.open(build(launched("(0, 100), (50200, 50300)", "(10, 20), (150, 200)", device))) as run:
        ledger = dict(run.idle_ledger().select("cause", "idle_ns").rows())
    assert (ledger["launch_latency"], ledger["queued_unexplained"]) == (6000, 44000)


@pytest.mark.parametrize("name", ["idle_drained", "training"])
def test_a_gap_that_a_window_clips_counts_once_for_each_cause_left_of_it(
    name: str, story: Callable[[str], Path]
) -> None:
    with nsysql.open(story(name)) as run:
        longest = run.idle_gaps(top=4).sort("start_ns")
        middles = (longest["start_ns"] + longest["dur_ns"] // 2).to_list()
        for start, end in ((None, None), (middles[0], None), (None, middles[-1]), (middles[0], middles[-1])):
            window = {"start_ns": start, "end_ns": end}
            pieces = run.idle_pieces(**window)
            by_cause = pieces.group_by("gpu_id", "cause").agg(gap_count=pl.col("gap_id").n_unique())
            known = ["gpu_id", "cause", "gap_count"]
            ledger = run.idle_ledger(**window).select(known).rows()
            assert sorted(ledger) == sorted(by_cause.select(known).rows())


@each_opened(STORIES)
def test_the_longest_is_the_most_of_one_gap(opened: Export) -> None:
    """The scheduler cuts what a thread does into slices: each is short, and the gap is not."""
    keys = ["gpu_id", "cause"]
    of_gap = opened.idle_pieces().group_by(*keys, "gap_id", "thread_id").agg(pl.col("dur_ns").sum())
    most = sorted(of_gap.group_by(keys).agg(pl.col("dur_ns").max()).rows())
    assert sorted(opened.idle_ledger().select(*keys, "longest_ns").rows()) == most
    of_thread = of_gap.group_by("gpu_id", "thread_id").agg(pl.col("dur_ns").max())
    found = opened.idle_groups(by="thread").select("gpu_id", "longest_ns").rows()
    assert sorted(found) == sorted(of_thread.select("gpu_id", "dur_ns").rows())


@pytest.mark.parametrize(("flags", "waits"), [((1, 1), True), ((1, 2), False)], ids=["blocking", "non-blocking in one"])
def test_the_default_stream_waits_for_a_number_that_blocks_in_all_contexts(
    flags: tuple[int, int], waits: bool, tmp_path: Path
) -> None:
    story = story_of("streams", "at 0\n  kernel a 0-5 10-100 stream=8\n  kernel b 6-10 150-200 stream=7\n")
    story.add("TARGET_INFO_CUDA_STREAM", streamId=7, processId=700, contextId=1, flag=3)
    for context, flag in enumerate(flags, 1):
        story.add("TARGET_INFO_CUDA_STREAM", streamId=8, processId=700, contextId=context, flag=flag)
    with nsysql.open(story.write(tmp_path / "run.sqlite")) as run:
        assert ("stream_wait" in run.query("idle_pieces")["cause"]) == waits
