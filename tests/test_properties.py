"""What holds on every timeline: identities, and references in plain Python that share no code with them."""

import os
import re
import sqlite3
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random

import polars as pl
import pytest
from exports import create_export
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import nsysql
from nsysql.errors import MissingData

TABLES = {"kernel": "KERNEL", "memcpy": "MEMCPY", "memset": "MEMSET", "graph": "GRAPH_TRACE"}
LAUNCH = 100  # number of the name of launching calls
FILES = count()


@dataclass(frozen=True)
class Work:
    """A piece of GPU work, and how long before it its launch began and returned; None for no launch."""

    kind: str
    pid: int
    device: int
    stream: int
    start: int
    dur: int
    name: int
    launch: tuple[int, int] | None

    @property
    def end(self) -> int:
        return self.start + self.dur


WORK = st.builds(
    Work,
    kind=st.sampled_from(["kernel", "kernel", "memcpy", "memset", "graph"]),
    pid=st.sampled_from([500, 600]),
    device=st.integers(0, 1),
    stream=st.integers(7, 8),
    start=st.integers(-50, 150),
    dur=st.integers(0, 40),
    name=st.integers(1, 3),
    launch=st.none() | st.tuples(st.integers(-5, 60), st.integers(0, 30)),
)
TIMELINE = st.lists(WORK, min_size=1, max_size=12)
# Which GPU a process means by an ordinal, where the export says so.
MAPPING = st.none() | st.fixed_dictionaries(
    {(pid, device): st.integers(0, 2) for pid in (500, 600) for device in (0, 1)}
)


def export(folder: Path, timeline: list[Work], mapping: dict[tuple[int, int], int] | None = None) -> Path:
    """The export of a timeline; the position of a piece of work in the list is its correlation id."""
    names = f"(1, 'k1'), (2, 'k2'), (3, 'k3'), ({LAUNCH}, 'cudaLaunchKernel_v7000')"
    sql = [f"INSERT INTO StringIds (id, value) VALUES {names}"]
    for (pid, device), gpu in (mapping or {}).items():
        sql.append(
            "INSERT INTO TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid, uuid) "
            f"VALUES ({gpu}, {device}, {pid}, 'GPU-{gpu}')"
        )
    for number, work in enumerate(timeline):
        more = {
            "kernel": ("demangledName, shortName", f"{work.name}, {work.name}"),
            "memcpy": ("copyKind, bytes", "1, 8"),
        }
        columns, values = more.get(work.kind, ("contextId", "1"))
        sql.append(
            f"INSERT INTO CUPTI_ACTIVITY_KIND_{TABLES[work.kind]} "
            f'(start, "end", deviceId, streamId, correlationId, globalPid, {columns}) VALUES '
            f"({work.start}, {work.end}, {work.device}, {work.stream}, {number}, {work.pid} << 24, {values})"
        )
        if work.launch is not None:
            start = work.start - work.launch[0]
            end, thread = start + work.launch[1], f"{work.pid} << 24 | {work.pid}"
            sql.append(
                'INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) '
                f"VALUES ({start}, {end}, {thread}, {number}, {LAUNCH})"
            )
    return create_export(";\n".join(sql) + ";", folder / f"{next(FILES)}.sqlite")


def answers(path: Path, *names: str) -> dict[str, pl.DataFrame]:
    """The answers of some queries, or of all that can be computed but NVIDIA's rules and the doctor's.

    These know times that mean something by themselves: zero, and the start of the capture.
    """
    found = {}
    with nsysql.open(path) as run:
        for name in names or [name for name, file in run.paths.items() if file.parent.name not in ("rules", "doctor")]:
            try:
                found[name] = run.query(name)
            except MissingData:
                continue
    return found


def rows(frame: pl.DataFrame) -> list[tuple[object, ...]]:
    """The rows of a frame in an order of their own, fractions to twelve digits: sums depend on the order a bit."""
    rounded = frame.with_columns(pl.selectors.float().round_sig_figs(12))
    return sorted(rounded.rows(), key=repr)


class Reference:
    """GPU time by the definition, nanosecond by nanosecond."""

    def __init__(self, timeline: list[Work], mapping: dict[tuple[int, int], int] | None) -> None:
        self.busy: dict[int, dict[str, set[int]]] = {}
        for work in timeline:
            gpu = work.device if mapping is None else mapping[work.pid, work.device]
            if work.dur > 0:
                self.busy.setdefault(gpu, {}).setdefault(work.kind, set()).update(range(work.start, work.end))

    def all(self, gpu: int) -> set[int]:
        """The nanoseconds in which the GPU runs anything."""
        return set().union(*self.busy[gpu].values())

    def gaps(self, gpu: int) -> list[tuple[int, int]]:
        """The stretches between the first and the last of them in which it runs nothing."""
        found, last = [], None
        for moment in sorted(self.all(gpu)):
            if last is not None and moment > last + 1:
                found.append((last + 1, moment))
            last = moment
        return found


# The same few timelines each time; NSYSQL_EXAMPLES=1000 looks at that many new ones.
EXAMPLES = os.environ.get("NSYSQL_EXAMPLES")
few = settings(
    max_examples=int(EXAMPLES or 5), derandomize=EXAMPLES is None, database=None, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


def given_timelines(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test on some invented timelines, with and without a mapping of ordinals to GPUs."""
    return few(given(timeline=TIMELINE, mapping=MAPPING)(test))


# All queries are asked of this one, and with NSYSQL_EXAMPLES of invented ones.
TYPICAL = [
    Work("kernel", 500, 0, 7, -40, 30, 1, (20, 10)), Work("kernel", 500, 0, 8, -20, 25, 2, (30, 5)),
    Work("memcpy", 500, 0, 7, 20, 0, 1, None), Work("kernel", 600, 1, 7, 20, 40, 1, (-5, 10)),
    Work("memset", 600, 1, 8, 30, 10, 3, (60, 0)), Work("graph", 500, 1, 7, 70, 20, 2, (15, 30)),
    Work("kernel", 600, 0, 7, 120, 40, 3, (25, 25)), Work("kernel", 600, 0, 7, 120, 40, 3, None),
    Work("memcpy", 600, 1, 8, 150, 9, 2, (0, 0)),
]  # fmt: skip
ORDINALS = {(500, 0): 0, (500, 1): 2, (600, 0): 1, (600, 1): 0}
all_queries = settings(few, phases=few.phases if EXAMPLES else [Phase.explicit])


@given_timelines
def test_gpu_time_is_what_counting_nanoseconds_gives(folder: Path, timeline: list[Work], mapping: dict | None) -> None:
    reference = Reference(timeline, mapping)
    expected = {}
    for gpu, kinds in reference.busy.items():
        busy, gaps = reference.all(gpu), reference.gaps(gpu)
        window = max(busy) + 1 - min(busy)
        expected[gpu] = {
            "window_start_ns": min(busy),
            "window_end_ns": max(busy) + 1,
            "window_ns": window,
            "busy_ns": len(busy),
            "idle_ns": window - len(busy),
            **{f"{kind}_ns": len(kinds.get(kind, ())) for kind in TABLES},
            "gap_count": len(gaps),
        }
    frame = answers(export(folder, timeline, mapping), "gpu_time")["gpu_time"]
    found = {row["gpu_id"]: {k: row[k] for k in next(iter(expected.values()))} for row in frame.to_dicts()}
    assert found == expected


@given_timelines
def test_idle_gaps_are_the_stretches_without_work(folder: Path, timeline: list[Work], mapping: dict | None) -> None:
    reference = Reference(timeline, mapping)
    expected = sorted((gpu, *gap, gap[1] - gap[0]) for gpu in reference.busy for gap in reference.gaps(gpu))
    frame = answers(export(folder, timeline, mapping), "idle_gaps")["idle_gaps"]
    assert rows(frame.select("gpu_id", "start_ns", "end_ns", "dur_ns")) == sorted(expected, key=repr)
    assert frame["dur_ns"].to_list() == sorted(frame["dur_ns"], reverse=True)


@given_timelines
def test_every_idle_nanosecond_has_one_cause(folder: Path, timeline: list[Work], mapping: dict | None) -> None:
    found = answers(export(folder, timeline, mapping), "gpu_time", "idle_gaps", "idle_ledger", "idle_pieces")
    idle = {row["gpu_id"]: row["idle_ns"] for row in found["gpu_time"].to_dicts() if row["idle_ns"]}
    ledger = found["idle_ledger"].group_by("gpu_id").agg(pl.col("idle_ns").sum())
    assert {gpu: ns for gpu, ns in ledger.iter_rows() if ns} == idle
    pieces = found["idle_pieces"].group_by("gap_id").agg(pl.col("dur_ns").sum())
    gaps = found["idle_gaps"].select("gap_id", "dur_ns")
    assert rows(pieces) == rows(gaps)


@all_queries
@given(timeline=TIMELINE, mapping=MAPPING)
@example(timeline=TYPICAL, mapping=None)
def test_shifting_all_times_shifts_points_and_nothing_else(
    folder: Path, timeline: list[Work], mapping: dict | None
) -> None:
    far = 10**15
    here = answers(export(folder, timeline, mapping))
    there = answers(export(folder, [replace(work, start=work.start + far) for work in timeline], mapping))
    assert here.keys() == there.keys()
    for name, frame in there.items():
        points = [c for c in frame.columns if re.search(r"(^|_)(start|end)_ns$", c)]
        assert frame.with_columns(pl.col(points) - far).equals(here[name]), name


@all_queries
@given(timeline=TIMELINE, mapping=MAPPING, seed=st.integers(0, 9))
@example(timeline=TYPICAL, mapping=ORDINALS, seed=1)
def test_the_order_of_rows_means_nothing(folder: Path, timeline: list[Work], mapping: dict | None, seed: int) -> None:
    path = export(folder, timeline, mapping)
    before = answers(path)
    shuffle(path, Random(seed))
    after = answers(path)
    for name, frame in before.items():
        positions = [c for c in frame.columns if c.endswith("row_id")]
        assert rows(after[name].drop(positions)) == rows(frame.drop(positions)), name


def shuffle(path: Path, random: Random) -> None:
    """Give the rows of every table of an export another order."""
    db = sqlite3.connect(path)
    for (table,) in db.execute("SELECT name FROM sqlite_master").fetchall():
        found = db.execute(f"SELECT * FROM {table}").fetchall()
        random.shuffle(found)
        db.execute(f"DELETE FROM {table}")
        db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[0]))})", found)
    db.commit()
    db.close()


@few
@given(timeline=TIMELINE, data=st.data())
def test_two_halves_of_a_kernel_make_the_same_gaps(folder: Path, timeline: list[Work], data: st.DataObject) -> None:
    halves = []
    for work in timeline:
        cut = data.draw(st.integers(0, work.dur)) if work.kind == "kernel" else work.dur
        halves += [replace(work, dur=cut), replace(work, start=work.start + cut, dur=work.dur - cut, launch=None)]
    asked = ("gpu_time", "idle_gaps")
    whole, cut = (answers(export(folder, rows), *asked) for rows in (timeline, halves))
    assert whole["gpu_time"].equals(cut["gpu_time"])
    gaps = ["gpu_id", "start_ns", "end_ns", "dur_ns"]
    assert whole["idle_gaps"].select(gaps).equals(cut["idle_gaps"].select(gaps))


@given_timelines
def test_launches_are_paired_within_a_process(folder: Path, timeline: list[Work], mapping: dict | None) -> None:
    expected = []
    for number, work in enumerate(timeline):
        launched = (None, None, None, None)
        if work.launch is not None:
            start, dur = work.start - work.launch[0], work.launch[1]
            queue = work.start - (start + dur)
            launched = (start, dur, *((start + dur, queue) if queue >= 0 else (None, None)))
        expected.append((work.pid, *launched, work.kind, work.start, work.dur, number))
    frame = answers(export(folder, timeline, mapping), "launches")["launches"]
    columns = [
        "pid",
        "api_start_ns",
        "api_dur_ns",
        "queue_start_ns",
        "queue_dur_ns",
        "kind",
        "start_ns",
        "dur_ns",
    ]
    assert rows(frame.select(*columns, "correlation_id")) == sorted(expected, key=repr)


@given_timelines
def test_kernel_sums_are_those_of_the_statistics_module(
    folder: Path, timeline: list[Work], mapping: dict | None
) -> None:
    by_name: dict[str, list[int]] = {}
    for work in timeline:
        if work.kind == "kernel":
            by_name.setdefault(f"k{work.name}", []).append(work.dur)
    found = answers(export(folder, timeline, mapping), "cuda_gpu_kern_sum").get("cuda_gpu_kern_sum", pl.DataFrame())
    assert {row["name"] for row in found.to_dicts()} == by_name.keys()
    total = sum(sum(durations) for durations in by_name.values())
    for row in found.to_dicts():
        durations = by_name[row["name"]]
        assert (row["total_time_ns"], row["instances"]) == (sum(durations), len(durations))
        assert (row["min_ns"], row["max_ns"]) == (min(durations), max(durations))
        assert row["avg_ns"] == pytest.approx(statistics.mean(durations))
        assert row["med_ns"] == statistics.median(durations)
        assert row["stddev_ns"] == pytest.approx(statistics.stdev(durations) if len(durations) > 1 else 0)
        assert row["time_pct"] == (pytest.approx(100 * sum(durations) / total) if total else None)


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
@given(number=st.integers(-(10**6), 10**6))
def test_times_with_units_are_read_exactly(unit: str, number: int) -> None:
    from nsysql.catalog.parameters import read_ns

    factor = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}[unit]
    assert read_ns(f"{number}{unit}") == number * factor
