"""Ranks of a job: who is who, one clock, wait and transfer, who is late: drawn jobs, real ones, and changed copies."""

import json
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from browser import Opened, browser
from command_line import Ran, process
from drawn import drawn
from exports import alter
from hypothesis import given, settings
from hypothesis import strategies as st
from jobs import DUR, UTC, Arrivals, mpi_job, shifted

import nsysql
from nsysql.analysis.ranks.chance import _at_least
from nsysql.analysis.ranks.clocks import Limits, Pair, _slope
from nsysql.analysis.ranks.collectives import ROOTED, split
from nsysql.analysis.ranks.job import Job, of_facts
from nsysql.analysis.ranks.straggler import _account
from nsysql.capture.files import find_files
from nsysql.digest.reading import read_files
from nsysql.errors import MissingData, UsageError
from nsysql.pages.ranks import page, sentences
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline.curves import with_curves
from nsysql.pages.timeline.gather import collect
from nsysql.words.quantities import time

pytestmark = pytest.mark.usefixtures("kept_open")

Build = Callable[[str], Path]


def job(paths: Sequence[Path], asked: Any = None) -> Job:
    return of_facts(read_files(find_files(paths)), asked)


def of_other_hosts(paths: Sequence[Path]) -> Job:
    """The job of these files if each was captured on another host, which may have any clock."""
    return of_facts([replace(one, facts=replace(one.facts, host=None)) for one in read_files(find_files(paths))])


LONGER = """
UPDATE MPI_COLLECTIVES_EVENTS SET start = start + 400000 * id, "end" = "end" + 400000 * (id + 1)
FROM (SELECT start AS of, row_number() OVER (ORDER BY start) - 1 AS id FROM MPI_COLLECTIVES_EVENTS) WHERE of = start
"""  # each collective takes 400 us more


def steps(count: int, ranks: int, late: dict[int, int] | Callable[[int], dict[int, int]], noise: int = 0) -> Arrivals:
    """Arrivals of steps of 1 ms, with what each rank needs longer."""
    random, found, at = Random(3), [], 0
    for step in range(count):
        more = late(step) if callable(late) else late
        arrivals = [at + 1_000_000 + more.get(rank, 0) + random.randint(0, noise) for rank in range(ranks)]
        found.append(arrivals)
        at = max(arrivals) + DUR
    return found


# Who is late -------------------------------------------------------------------------------------


def test_a_rank_that_is_always_late_is_pinned(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(10, 3, {1: 250_000}, noise=20_000)))
    late = found.straggler
    assert (late.kind, late.rank, late.last_count, late.judged, late.range) == ("pinned", 1, 9, 9, "work")
    assert 230_000 < late.each_ns < 270_000
    assert late.share == 1.0
    assert late.account is not None and late.account.kind == "host_code" and 230_000 < late.account.more_ns < 270_000


def test_ranks_that_take_turns_are_rotating(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(12, 3, lambda step: {step % 3: 250_000}, noise=5_000)))
    assert (found.straggler.kind, found.straggler.rank) == ("rotating", None)


def test_two_ranks_that_alternate_are_named(build: Build, tmp_path: Path) -> None:
    """The one that is last once more often is not the straggler."""
    found = job(mpi_job(build, tmp_path, steps(42, 4, lambda step: {1 + step % 2: 250_000}, noise=5_000)))
    assert (found.straggler.kind, found.straggler.rank) == ("rotating", None)
    assert found.straggler.reason == "ranks 1 and 2 take turns in coming last."


@pytest.mark.parametrize(("first_of_slow_host", "who"), [(2, "ranks 2 and 3, all of one host,"), (1, "ranks 2 and 3")])
def test_ranks_of_a_slow_host_are_named(first_of_slow_host: int, who: str, build: Build, tmp_path: Path) -> None:
    arrivals = steps(40, 4, {2: 100_000, 3: 100_000}, noise=20_000)
    facts = read_files(find_files(mpi_job(build, tmp_path, arrivals)))
    hosts = [f"node{int(rank >= first_of_slow_host)}" for rank in range(4)]
    exports = [replace(one, facts=replace(one.facts, host=host)) for one, host in zip(facts, hosts, strict=True)]
    assert of_facts(exports).straggler.reason == f"{who} take turns in coming last."


@pytest.mark.parametrize("count", [8, 40])
def test_a_rank_that_is_later_than_another_late_one_is_pinned(count: int, build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(count, 4, {2: 100_000, 3: 140_000}, noise=20_000)))
    assert (found.straggler.kind, found.straggler.rank) == ("pinned", 3)


def test_a_rank_that_is_late_in_all_of_few_collectives_may_be_so_by_chance(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(6, 2, {1: 250_000}, noise=20_000)))
    assert found.straggler.kind == "none"
    assert "of waiting, being last in 5 of 5 collectives: that may be chance" in sentences(found)[0]


def test_ranks_that_come_together_have_no_straggler(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(12, 3, {}, noise=4_000)))
    assert found.straggler.kind == "none"


def test_the_sentence_names_a_rank_that_causes_most_waiting_if_not_surely(corpus: Path) -> None:
    found = job([corpus / "mfu-before-2gpu-2026.2.sqlite"])
    assert found.straggler.kind == "none"
    first, late = found.ranks.sort("rank").to_dicts()
    (said,) = sentences(found)[:1]
    waits = f"{time(late['wait_caused_ns'])} of the {time(first['wait_caused_ns'] + late['wait_caused_ns'])} of waiting"
    judged = f"being last in {late['last_count']} of {found.straggler.judged} collectives: that may be chance"
    assert said.startswith(f"Rank 1 causes {waits}, {judged}")


def test_the_sentence_names_no_rank_where_all_come_together(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(12, 3, {}, noise=4_000)))
    assert sentences(found)[0].startswith("No rank keeps the others waiting regularly: ")


def test_waits_far_longer_than_the_clocks_error_are_told(build: Build, tmp_path: Path) -> None:
    """Clocks are known to 410 us, and rank 2 is late by 30 ms, but twice only."""
    paths = mpi_job(build, tmp_path, steps(20, 4, lambda step: {2: 30_000_000} if step in (7, 14) else {}, noise=9_000))
    found = of_other_hosts([alter(path, LONGER) or path for path in paths])
    assert (found.clocks[1].scatter_ns or 0) > 400_000 and found.straggler.kind == "none"
    assert sentences(found)[0].startswith("Rank 2 causes 18")


def test_a_rank_with_few_long_delays_of_many_is_found(build: Build, tmp_path: Path) -> None:
    late = {step: {2: 3_000_000} for step in range(5, 40, 5)}
    found = job(mpi_job(build, tmp_path, steps(40, 3, lambda step: late.get(step, {}), noise=4_000)))
    assert (found.straggler.kind, found.straggler.rank, found.straggler.last_count) == ("pinned", 2, 7)
    assert 2_900_000 < found.straggler.each_ns < 3_100_000


def gpu_job(more_compute: int, more_idle: int, pids: tuple[int, int] = (600, 601)) -> str:
    """Two processes, or threads of one, on two GPUs, ten steps: forward 400 and gemm 300, an AllReduce.

    What the second needs more it computes in forward, or its thread spends in the range load before it launches.
    """
    calls, kernels, ranges, at = [], [], [], 10_000
    for step in range(10):
        after = at + 700 + more_compute + more_idle
        for rank, pid in enumerate(pids):
            thread, process = f"{pid} << 24 | {600 + rank}", f"{pid} << 24"
            load, forward = (more_idle * rank, 400 + more_compute * rank)
            begin, first = at + load, 3 * step + 100 * rank
            work = [(begin, begin + forward, 7, 1), (begin + forward, begin + forward + 300, 7, 1)]
            work.append((begin + forward + 300, after + 100, 9, 2))
            for number, (start, end, stream, name) in enumerate(work, first):
                kernels.append(f"({start}, {end}, {rank}, {1 + rank}, {stream}, {number}, {process}, {name})")
                call = begin - 90 + 20 * (number - first)
                calls.append(f"({call}, {call + 10}, {thread}, {number}, 3)")
            ranges.append(f"({begin - 95}, {begin - 75}, 59, {thread}, 'forward')")
            if load:
                ranges.append(f"({at - 95}, {begin - 96}, 59, {thread}, 'load')")
        at = after + 100
    return f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce_Sum_f32'),
            (3, 'cudaLaunchKernel');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {", ".join(ranges)};
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId)
            VALUES {", ".join(calls)};
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
            demangledName) VALUES {", ".join(kernels)};"""


@pytest.mark.parametrize("pids", [(600, 601), (600, 600)])
def test_a_gpu_that_computes_longer(build: Build, pids: tuple[int, int]) -> None:
    late = job([build(gpu_job(500, 0, pids))]).straggler
    assert (late.kind, late.rank, late.last_count, late.each_ns, late.range) == ("pinned", 1, 9, 500, "forward")
    assert late.account is not None
    assert (late.account.kind, late.account.more_ns) == ("computing", 500)


def test_a_gpu_that_waits_for_its_host(build: Build) -> None:
    found = job([build(gpu_job(0, 500))])
    late = found.straggler
    assert (late.kind, late.rank, late.last_count, late.each_ns, late.range) == ("pinned", 1, 9, 500, "load")
    assert late.account is not None
    assert (late.account.kind, late.account.name) == ("idle", "host_code")
    cells = [str(cell) for section in page(found).sections for row in section.rows for cell in row]
    assert "Host code" in cells and "host_code" not in cells


def test_no_column_of_ranks_is_all_zero(build: Build) -> None:
    silent = gpu_job(0, 500).replace("ncclDevKernel_AllReduce_Sum_f32", "reduce")
    heads = [[column.heading for column in page(job([build(sql)])).sections[1].columns]
             for sql in (gpu_job(0, 500), silent)]  # fmt: skip
    assert set(heads[0]) - set(heads[1]) == {"exposed communication"}, heads


def test_a_late_start_is_no_waiting_of_a_verdict(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(10, 2, lambda step: {1: 0 if step else 10**9})))
    assert found.straggler.kind == "none" and "all waiting after the first is 0.0%" in sentences(found)[0]
    assert sentences(found)[1] == "At the start the other waits 1.000 s for rank 1's first collective."


def test_few_collectives_are_too_few(build: Build, tmp_path: Path) -> None:
    found = job(mpi_job(build, tmp_path, steps(3, 2, {1: 250_000})))
    assert found.straggler.kind == "cannot_judge" and "too few" in found.straggler.reason


def test_lateness_within_the_uncertainty_is_not_judged(build: Build, tmp_path: Path) -> None:
    arrivals = steps(10, 2, {1: 30_000})
    paths = mpi_job(build, tmp_path, [[a, b + 0] for a, b in arrivals])
    # nothing but long transfers: no tight bound
    alter(
        paths[1],
        'UPDATE MPI_COLLECTIVES_EVENTS SET "end" = "end" + 400000',
        "UPDATE NVTX_EVENTS SET start = start + 400000 WHERE start > 0",
    )
    alter(paths[0], 'UPDATE MPI_COLLECTIVES_EVENTS SET "end" = "end" + 400000')
    found = job(paths)
    uncertainty = found.clocks[1].scatter_ns
    assert uncertainty is not None and uncertainty > 30_000
    assert found.straggler.kind == "cannot_judge" and time(uncertainty) in found.straggler.reason


@pytest.mark.parametrize(("size", "kind"), [(12, "cannot_judge"), (2, "pinned")])
def test_a_job_of_which_ranks_are_absent_is_not_judged(build: Build, tmp_path: Path, size: int, kind: str) -> None:
    paths = mpi_job(build, tmp_path, steps(10, 2, {1: 250_000}))
    for rank, path in enumerate(paths):
        alter(
            path,
            "UPDATE MPI_COLLECTIVES_EVENTS SET commHandle = 77",
            "CREATE TABLE MPI_COMMUNICATORS (rank INTEGER, commHandle INTEGER, size INTEGER)",
            f"INSERT INTO MPI_COMMUNICATORS VALUES ({rank}, 77, {size})",
        )
    found = job(paths)
    assert (found.straggler.kind, found.size, len(found.members)) == (kind, size, 2)
    if size == 12:
        assert "only 2 of 12 ranks are given" in sentences(found)[0]
        assert found.ranks["transfer_ns"].null_count() == 2  # who keeps them waiting is not here


def test_a_rank_between_the_given_ones_is_absent(build: Build, tmp_path: Path) -> None:
    paths = mpi_job(build, tmp_path, steps(10, 4, {2: 250_000}, noise=30_000))
    facts = read_files(find_files([path for path in paths if path.stem != "rank_2"]))
    found = of_facts([replace(one, facts=replace(one.facts, host="node")) for one in facts])
    assert (found.straggler.kind, found.size) == ("none", 4)
    told = "Only 3 of 4 ranks are given: whether the others keep these waiting cannot be known."
    assert sentences(found)[1] == told
    unsure = of_other_hosts([alter(path, LONGER) or path for path in paths if path.stem != "rank_2"])
    assert unsure.straggler.kind == "cannot_judge" and sentences(unsure)[-1] == told


def test_clocks_of_one_host_are_those_of_its_sessions(build: Build, tmp_path: Path) -> None:
    facts = read_files(find_files(mpi_job(build, tmp_path, steps(10, 2, {1: 250_000}, noise=30_000))))
    apart = [replace(one, facts=replace(one.facts, host=f"node{rank}")) for rank, one in enumerate(facts)]
    together = [replace(one, facts=replace(one.facts, host="node")) for one in facts]
    for exports, said_by in ((apart, "collectives"), (together, "session start")):
        clock = of_facts(exports).clocks[1]
        assert clock.said_by == said_by and clock.uncertainty_ns is not None
        assert abs(clock.offset_ns) <= (clock.uncertainty_ns if said_by == "collectives" else 0)
        assert clock.scatter_ns == (0 if said_by == "session start" else 10_000), "ends that agree with the sessions"


def test_collectives_that_are_off_by_one_are_told_on_one_host(build: Build, tmp_path: Path) -> None:
    """Each in turn is late, but one capture lacks the first collective and the other the last."""
    paths = mpi_job(build, tmp_path, steps(30, 2, lambda step: {step % 2: 250_000}, noise=5_000))
    for path, most in zip(paths, ("min", "max"), strict=True):
        alter(
            path, f"DELETE FROM MPI_COLLECTIVES_EVENTS WHERE start = (SELECT {most}(start) FROM MPI_COLLECTIVES_EVENTS)"
        )
    exports = [replace(one, facts=replace(one.facts, host="node")) for one in read_files(find_files(paths))]
    assert of_facts(exports).straggler.kind == "cannot_judge"


def test_even_ranks_of_one_host_are_judged_even_if_collectives_are_long(build: Build, tmp_path: Path) -> None:
    """The ends agree with the sessions' starts: the clocks are not as unsure as a collective is long."""
    paths = mpi_job(build, tmp_path, steps(10, 2, {}, noise=30_000))
    facts = read_files(find_files([alter(path, LONGER) or path for path in paths]))
    for hosts, kind in ((("node", "node"), "none"), (("node0", "node1"), "cannot_judge")):
        exports = [replace(one, facts=replace(one.facts, host=host)) for one, host in zip(facts, hosts, strict=True)]
        assert of_facts(exports).straggler.kind == kind


# Wait and transfer -------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=3, max_size=3), max_size=6),
    st.lists(st.integers(-500, 500), min_size=3, max_size=3),
)
def test_wait_and_transfer_are_the_duration(times: list[list[tuple[int, int]]], offsets: list[int]) -> None:
    rows = [
        (match, member, 5000 * match + start, 5000 * match + start + dur)
        for match, members in enumerate(times)
        for member, (start, dur) in enumerate(members)
    ]
    columns = ["match_id", "member", "arrived_at_ns", "end_ns"]
    sides = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Int64), orient="row")
    given = pl.Series([offsets[member] for _, member, _, _ in rows], dtype=pl.Int64)
    found = split(sides, given).rows(named=True)
    for (match, member, start, end), row in zip(rows, found, strict=True):
        at = [own + offsets[other] for m, other, own, _ in rows if m == match]
        wait = min(max(at) - (start + offsets[member]), end - start)
        assert (row["wait_ns"], row["transfer_ns"]) == (wait, end - start - wait)
        assert row["is_last"] == (at.index(max(at)) == member)


def test_the_drawn_nccl_job(story: Callable[[str], Path]) -> None:
    found = job([story("ranks_nccl")])
    sides = found.sides.select("match_id", "member", "name", "wait_ns", "transfer_ns")
    expected = [(0, 0, "nccl:all_reduce", 2000, 500), (0, 1, "nccl:all_reduce", 0, 500)]
    expected += [(1, 0, "AllReduce", 2000, 500), (1, 1, "AllReduce", 0, 500)]
    assert sides.rows() == expected
    times = found.ranks.select("rank", "gpu_id", "window_ns", "computing_ns", "exposed_communication_ns", "idle_ns")
    assert times.rows() == [(0, 0, 7000, 2000, 5000, 0), (1, 1, 7000, 6000, 1000, 0)]
    assert found.clocks[0].uncertainty_ns == 0
    assert found.imbalance is not None and found.imbalance.ratio == 3.0


def test_busy_time_in_slices(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("two_streams")) as run:
        slices = run.query("busy_over_time", slices=3)
        window, busy = run.query("gpu_time").select("window_ns", "busy_ns").row(0)
    assert slices["busy_ns"].sum() == busy
    assert (slices["end_ns"] - slices["start_ns"]).sum() == window
    assert slices.height == 3


# Clocks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [-5_000_000_000, -70_000, 12_345, 3_600_000_000_000])
def test_a_clock_that_is_ahead_comes_back(build: Build, tmp_path: Path, shift: int) -> None:
    paths = mpi_job(build, tmp_path, steps(10, 3, {1: 250_000}, noise=30_000), shifts=[0, shift, 0])
    found = job(paths, "ranks")
    clock = found.clocks[1]
    assert clock.uncertainty_ns is not None
    assert clock.scatter_ns is not None and clock.scatter_ns <= 2 * DUR
    assert abs(clock.offset_ns + shift) <= clock.uncertainty_ns and clock.uncertainty_ns > 200_000  # it is late by that
    assert (found.straggler.kind, found.straggler.rank) == ("pinned", 1)


@pytest.mark.parametrize("drift", [2e-4, -5e-4])
def test_a_clock_that_drifts_comes_back(build: Build, tmp_path: Path, drift: float) -> None:
    arrivals = steps(60, 2, {1: 250_000}, noise=30_000)
    paths = mpi_job(build, tmp_path, arrivals, shifts=[0, 40_000], drifts=[0.0, drift])
    found = job(paths)
    clock = found.clocks[1]
    assert clock.drift == pytest.approx(-drift, abs=2e-5)
    for at in (arrivals[5][1], arrivals[-1][1]):
        own = at + 40_000 + round(at * drift)
        offset = clock.offsets(pl.Series([own]))[0]
        assert clock.uncertainty_ns is not None and abs(own + offset - at) <= clock.uncertainty_ns
    assert (found.straggler.kind, found.straggler.rank) == ("pinned", 1)


def test_without_drift_there_is_none() -> None:
    random, at = np.random.default_rng(1), np.arange(100) * 1_000_000.0
    ends = random.integers(-3000, 3000, 100).astype(np.float64)
    pair = Pair(Limits(at, ends - 10_000, at, ends + 10_000), ends, at, 0, 0, 10)
    assert _slope(pair, is_needed=False) is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8))
def test_no_line_within_the_limits_is_farther(points: list[tuple[int, int, int]]) -> None:
    at = np.array([float(at) for at, _, _ in points])
    low, high = np.array([-float(a) for _, a, _ in points]), np.array([float(b) for _, _, b in points])
    limits = Limits(at, low, at, high)  # the level line at 0 is within
    farthest = limits.farthest(0.0, 0.0)
    for slope in np.linspace(-0.0002, 0.0002, 41):
        first, last = limits.values_at_zero(slope)
        for value in (first, last) if first <= last else ():
            assert max(abs(value + slope * at.min()), abs(value + slope * at.max())) <= farthest + 1e-9


# Who is who --------------------------------------------------------------------------------------


def test_names_in_the_file_the_launcher_and_mpi(build: Build, tmp_path: Path, story: Callable[[str], Path]) -> None:
    from nsysql.analysis.digest import FRAMES, Digest, Facts
    from nsysql.analysis.ranks.identity import identify

    def facts(run: str, gpu: int | None, mpi: int | None = None, launcher: Any = None, host: str = "a") -> Digest:
        row = {"pid": 7, "gpu_id": gpu, "activities": 1, "mpi_rank": mpi, "nccl_rank": None, "mpi_ns": 0}
        members = pl.DataFrame([{**row, "mpi_span_ns": 0}], schema=FRAMES["members"])
        rank, variable = launcher or (None, None)
        known = replace(Facts(None, None, (), 1, ()), host=host, launcher_rank=rank, launcher=variable)
        return Digest(known, members=members, run=run)

    def told(*exports: Digest) -> tuple[list[tuple[int, str]], set[str]]:
        members, _ = identify(exports, "ranks")
        return [(m.rank, m.run) for m in members], {m.said_by for m in members}

    assert told(facts("a", 0, mpi=1), facts("b", 0, mpi=0)) == ([(0, "b"), (1, "a")], {"MPI"})
    by_rank = facts("a", 0, launcher=(1, "RANK")), facts("b", 0, launcher=(0, "RANK"))
    assert told(*by_rank) == ([(0, "b"), (1, "a")], {"RANK"})
    assert told(facts("x.rank-1.y", 0), facts("x.rank-0.y", 1)) == (
        [(0, "x.rank-0.y"), (1, "x.rank-1.y")],
        {"the file's name"},
    )
    assert told(facts("report1", 3), facts("report2", 0)) == ([(0, "report2"), (3, "report1")], {"the GPU's number"})
    numbered = facts("job12-2", 0, host="b"), facts("job12-1", 0, host="a")
    assert told(*numbered) == ([(1, "job12-1"), (2, "job12-2")], {"the number in the file's name"})
    assert identify(numbered, None)[1] == "repeats"  # a number in a name is no evidence of a job
    with pytest.raises(UsageError, match="rank 1 occurs twice, in a and b"):
        told(facts("a", 0, mpi=1), facts("b", 0, mpi=1))


ENVIRONMENT = """
    CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
    INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'HOME=/home/secret'),
        ('PROCESS_0:ENVIRONMENT_VARIABLE', 'LOCAL_RANK=5'), ('PROCESS_0:ENVIRONMENT_VARIABLE', '{}');
    INSERT INTO StringIds (id, value) VALUES (1, 'k');
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
        demangledName, shortName) VALUES (0, 1000, 0, 1, 7, 1, 600 << 24, 1, 1);"""


@pytest.mark.parametrize("text, rank", [("RANK=3", 3), ("SLURM_PROCID=11", 11), ("XRANK=3", None), ("RANK=x", None)])
def test_the_launchers_variable_is_read_and_nothing_else(build: Build, text: str, rank: int | None) -> None:
    with nsysql.open(build(ENVIRONMENT.format(text))) as run:
        found = run.facts.launcher_rank
    assert (found and found[0]) == rank


def test_an_environment_among_the_texts(build: Build) -> None:
    sql = "INSERT INTO StringIds (id, value) VALUES (1, 'PATH=/bin' || char(10) || 'PMI_RANK=4' || char(10) || 'A=1');"
    with nsysql.open(build(sql)) as run:
        assert run.facts.launcher_rank == (4, "PMI_RANK")


def payload(schema: int, *fields: tuple[int, int]) -> str:
    """The bytes of a payload in SQL: a header, and numbers of so many bytes."""
    body = b"".join(value.to_bytes(width, "little") for value, width in fields)
    header = b"".join(value.to_bytes(8, "little") for value in (1, schema, len(body), 32))
    return f"X'{(header + body).hex()}'"


def test_nccl_names_ranks_and_communicators(build: Build) -> None:
    """Two processes use two communicators, 7 and 9, in turn, the one begins with 7, the other with 9."""
    kernels, calls, ranges = [], [], []
    for pid, rank, order in ((600, 1, (7, 9)), (601, 0, (9, 7))):
        ranges.append(f"(-900, -800, 59, {pid} << 24 | {pid}, 1, {payload(70, (7, 8), (2, 4), (rank, 4), (0, 4))})")
        for n in range(8):
            communicator = order[n % 2]
            at = 2000 * (n // 2) + 100 * (n % 2)
            kernels.append(f"({at}, {2000 * (n // 2) + 900}, {pid - 600}, 1, {communicator}, {n}, {pid} << 24, 2)")
            calls.append(f"({at - 700}, {at - 690}, {pid} << 24 | {pid}, {n}, 3)")
            ranges.append(f"({at - 705}, {at - 685}, 59, {pid} << 24 | {pid}, 1, {payload(71, (communicator, 8))})")
    sql = f"""
        CREATE TABLE NVTX_EVENTS (start INT, "end" INT, eventType INT, globalTid INT, domainId INT, binaryData TEXT,
            text TEXT, textId INT);
        CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (schemaId INT, idx INT, type INT, name TEXT, offset INT);
        INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (70, 0, 18, 'NCCL communicator ID', NULL),
            (70, 1, 5, 'No. of ranks', 8), (70, 2, 5, 'Rank', 12), (70, 3, 5, 'CUDA device', 16),
            (71, 0, 18, 'NCCL communicator ID', NULL);
        INSERT INTO StringIds (id, value) VALUES (2, 'ncclDevKernel_AllReduce_Sum_f32'), (3, 'cudaLaunchKernel');
        INSERT INTO NVTX_EVENTS (eventType, globalTid, domainId, text) VALUES (75, 600 << 24 | 600, 1, 'NCCL'),
            (75, 601 << 24 | 601, 1, 'NCCL');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, domainId, binaryData) VALUES {", ".join(ranges)};
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId)
            VALUES {", ".join(calls)};
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
            demangledName) VALUES {", ".join(kernels)};"""
    found = job([build(sql)])
    assert [(m.rank, m.pid, m.said_by) for m in found.members] == [(0, 601, "NCCL"), (1, 600, "NCCL")]
    own = found.exports[0].collectives.sort("collective_id").select("pid", "shared", "rank_count")
    order = [(600, "7", 2), (600, "9", None)] * 4 + [(601, "9", None), (601, "7", 2)] * 4
    assert sorted(own.rows()) == sorted(order)
    pairs = found.sides.join(found.exports[0].collectives.select("collective_id", "shared"), on="collective_id")
    assert pairs.group_by("match_id").agg(pl.col("shared").n_unique())["shared"].to_list() == [1] * 8


# Real jobs ---------------------------------------------------------------------------------------


def test_mpi3_slow(corpus: Path) -> None:
    found = job(sorted((corpus / "more/ranks/mpi3-slow").glob("*.sqlite")))
    late = found.straggler
    assert (late.kind, late.rank, late.range, late.last_count) == ("pinned", 1, "forward", 12)
    assert 5_000_000 < late.each_ns < 7_000_000
    assert all(clock.uncertainty_ns is not None and clock.uncertainty_ns < 200_000 for clock in found.clocks)
    assert found.matched.count == 14


def test_mpi3_even(corpus: Path) -> None:
    assert job(sorted((corpus / "more/ranks/mpi3-even").glob("*.sqlite"))).straggler.kind == "none"


def test_gem8(corpus: Path) -> None:
    found = job([corpus / "more/ranks/gem8"])
    assert found.ranks.select("rank", "gpu_id", pl.col("run").str.extract(r"(\d+)$")).rows() == [
        (rank, rank, f"0{file}") for rank, file in enumerate([1, 6, 8, 4, 7, 5, 2, 3])
    ]
    assert found.straggler.kind == "cannot_judge"
    assert found.imbalance is not None
    assert (found.imbalance.slowest_rank, found.imbalance.fastest_rank) == (6, 3)
    assert round(found.imbalance.ratio, 2) == 2.45


def test_two_processes_of_one_export(corpus: Path) -> None:
    found = job([corpus / "mfu-before-2gpu-2026.2.sqlite"])
    assert (found.matched.count, found.matched.total, found.matched.left_out) == (33, 66, ())
    assert found.clocks[0].uncertainty_ns == 0
    both = found.sides.group_by("match_id").agg(start=pl.col("start_ns").max(), end=pl.col("end_ns").min())
    assert (both["start"] < both["end"]).all()
    assert found.ranks["exposed_communication_ns"].to_list() == [17172652, 8229100]


# Copies of a real job ----------------------------------------------------------------------------


@pytest.fixture(scope="session")
def halves(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two processes of mfu-before in two exports."""
    folder, export = tmp_path_factory.mktemp("halves"), corpus / "mfu-before-2gpu-2026.2.sqlite"
    first, second = (
        shifted(export, folder / f"rank_{rank}.sqlite", str, keep=f"pid = {144 + rank}") for rank in range(2)
    )
    return first, second


def test_two_exports_are_as_one(halves: tuple[Path, Path], corpus: Path) -> None:
    whole = job([corpus / "mfu-before-2gpu-2026.2.sqlite"])
    found = job([*halves])
    clock = found.clocks[1]
    assert clock.uncertainty_ns is not None and abs(clock.offset_ns) <= clock.uncertainty_ns < 150_000
    assert found.matched.count == 33
    moved = (found.sides["wait_ns"] - whole.sides["wait_ns"]).abs().max()
    assert isinstance(moved, int) and moved <= clock.uncertainty_ns


@pytest.mark.parametrize("shift, drift", [(-2_000_000, 0.0), (7_654_321, 0.0), (300_000, 1e-3)])
def test_an_injected_shift_comes_back(halves: tuple[Path, Path], tmp_path: Path, shift: int, drift: float) -> None:
    copy = shifted(
        halves[1], tmp_path / "rank_1.sqlite", lambda t: f"{t} + {shift} + CAST(({t} - 60120000000) * {drift} AS INT)"
    )
    found = of_other_hosts([halves[0], copy])
    clock = found.clocks[1]
    truth = of_other_hosts([*halves]).clocks[1].offset_ns
    at = 60_250_000_000
    own = at + shift + round((at - 60_120_000_000) * drift)
    assert clock.uncertainty_ns is not None
    assert abs(own + clock.offsets(pl.Series([own]))[0] - at - truth) <= clock.uncertainty_ns + 1
    assert abs(own + clock.offsets(pl.Series([own]))[0] - at) <= clock.uncertainty_ns + 1


@pytest.mark.parametrize("shift, drift", [(-3_000_000_000, 0.0), (123_456, 1e-4), (0, -1e-3)])
def test_a_shift_injected_into_an_mpi_rank_comes_back(corpus: Path, tmp_path: Path, shift: int, drift: float) -> None:
    paths = [corpus / f"more/ranks/mpi3-slow/rank_{rank}.sqlite" for rank in range(3)]
    paths[1] = shifted(paths[1], tmp_path / "rank_1.sqlite", lambda t: f"{t} + {shift} + CAST({t} * {drift} AS INT)")
    found = of_other_hosts(paths)
    clock, session = found.clocks[1], 1795395284778739184 - 1795395284784557812
    assert clock.uncertainty_ns is not None
    for at in (200_000_000, 600_000_000):
        own = at + shift + int(at * drift)
        assert abs(own + clock.offsets(pl.Series([own]))[0] - (at + session)) <= clock.uncertainty_ns < 200_000
    assert (found.straggler.kind, found.straggler.rank, found.straggler.range) == ("pinned", 1, "forward")


@pytest.mark.parametrize("hits, count, ranks", [(1, 1, 2), (12, 13, 3), (22, 32, 2), (0, 5, 4)])
def test_the_chance_of_coming_last(hits: int, count: int, ranks: int) -> None:
    chance = Fraction(1, ranks)
    terms = (comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(hits, count + 1))
    assert _at_least(hits, count, 1 / ranks) == pytest.approx(float(sum(terms)))


def test_an_injected_delay_comes_back(halves: tuple[Path, Path], tmp_path: Path) -> None:
    """Rank 1 enters each collective 2 ms later: the other one waits for it, and all that follows comes later."""
    copies = [tmp_path / f"rank_{rank}.sqlite" for rank in range(2)]
    for half, copy in zip(halves, copies, strict=True):
        shutil.copyfile(half, copy)
    starts = [_nccl(copy) for copy in copies]
    for rank, copy in enumerate(copies):
        db = sqlite3.connect(copy)
        db.execute("CREATE TEMP TABLE cut (n INTEGER PRIMARY KEY, at INTEGER)")
        db.executemany("INSERT INTO cut VALUES (?, ?)", list(enumerate(starts[rank], 1)))
        more = "(SELECT count(*) FROM cut WHERE at {} {}) * 2000000"
        for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"):
            # what rank 1 starts at or after its collective is later, on rank 0 only what ends after it
            db.execute(
                f"UPDATE {table} SET start = start + {more.format('<=' if rank else '<', 'start')}, "
                f'"end" = "end" + {more.format("<=" if rank else "<", "start" if rank else chr(34) + "end" + chr(34))}'
            )
        db.commit()
        db.close()
    found = job(copies)
    late = found.straggler
    assert (late.kind, late.rank) == ("pinned", 1)
    uncertainty = found.clocks[1].uncertainty_ns
    assert uncertainty is not None and abs(late.each_ns - 2_000_000) < 500_000 + uncertainty
    assert late.last_count == late.judged == 32


def _nccl(path: Path) -> list[int]:
    with nsysql.open(path) as run:
        return run.query("collectives")["start_ns"].sort().to_list()


# One trace of all ranks --------------------------------------------------------------------------


def test_a_trace_of_all_ranks(run: Callable[..., Ran], build: Build, tmp_path: Path) -> None:
    proto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    mpi_job(build, tmp_path, steps(8, 3, {}), shifts=[0, 70_000, -900_000])
    ran = run("trace", tmp_path, "-o", tmp_path / "job.zip")
    assert ran.code == 0 and "job.zip: 48 events" in ran.err
    with zipfile.ZipFile(tmp_path / "job.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("perfetto_manifest.json"))["perfetto_manifest"]
    assert manifest["version"] == 1
    offsets = {one["path"]: one.get("clocks", {}).get("offset_ns", 0) for one in manifest["files"]}
    assert {*offsets} == {*files} == {f"rank_{rank}.pftrace" for rank in range(3)}
    assert min(offsets.values()) == 0
    assert len({one["machine"]["name"] for one in manifest["files"]}) == 3
    ends = []
    for path, data in files.items():
        trace = proto.Trace()
        trace.ParseFromString(data)
        times = [packet.timestamp for packet in trace.packet if packet.HasField("track_event")]
        ends.append(max(times) + offsets[path])
    assert len(set(ends)) == 1  # all leave the last collective at one time
    assert "-o job.zip" in run("trace", tmp_path, "-o", tmp_path / "x.json").err


UNFOLD = "(name) => window.nsysql.rows.toggle(name)"
CURVES = """() => window.nsysql.data.curves.map(({ start, from, to }) =>
    [...start.slice(from, to)].map((at) => at + Number(window.nsysql.data.origin)))"""
GROUPS = "() => window.nsysql.rows.groups.map(({ name, isFolded }) => [name, isFolded])"
ENDS = """() => { const { data } = window.nsysql, ends = {};
    for (const { track, group, kind } of data.tracks) if (kind === "mpi")
      for (const { from, to } of data.lanes.get(track)) ends[group] = Math.max(ends[group] ?? 0, data.end[to - 1]);
    return Object.values(ends); }"""


def test_a_report_of_all_ranks(
    run: Callable[..., Ran], build: Build, story: Callable[[str], Path], tmp_path: Path
) -> None:
    mpi_job(build, tmp_path, steps(8, 3, {}), shifts=[0, 70_000, -900_000])
    with sqlite3.connect(tmp_path / "rank_1.sqlite") as rank, sqlite3.connect(story("memory")) as memory:
        name = "CUDA_GPU_MEMORY_USAGE_EVENTS"
        rank.execute(f"DROP TABLE IF EXISTS {name}")
        rank.execute(memory.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])
        for row in memory.execute(f"SELECT * FROM {name}"):
            rank.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
    ran = run("report", tmp_path, "-o", tmp_path / "job.html")
    assert ran.code == 0, ran.err
    text = (tmp_path / "job.html").read_text(encoding="utf-8")
    assert "3 ranks of one job" in text and text.count('class="tl"') == 2
    assert all(f">Rank {rank}: rank_{rank}<" in text for rank in range(3))
    with browser() as running:
        opened = Opened(running.new_page(viewport={"width": 1440, "height": 900}))
        page = opened.open(tmp_path / "job.html")
        groups = page.evaluate(GROUPS)
        ends = page.evaluate(ENDS)
        page.evaluate(UNFOLD, "Rank 1: rank_1: metrics and memory")
        curves = page.evaluate(CURVES)
    names = [f"Rank {rank}: rank_{rank}" for rank in range(3)]
    expected = [one for name in names for one in ([name, False], [f"{name}: streams and threads", True])]
    expected.insert(4, [f"{names[1]}: metrics and memory", True])
    assert groups == expected
    with nsysql.open(tmp_path / "rank_1.sqlite") as rank:
        own = with_curves(collect(rank, PageScope()), rank)
    assert own.curves is not None and len(curves) == own.curves.rows.height > 0
    starts = [timeline.events["start_ns"].min() for timeline in (own, nsysql.timelines(tmp_path)["rank_1"])]
    shift = starts[1] - starts[0]
    assert [at - shift for each in curves for at in each] == own.curves.values["start_ns"].to_list()
    assert len(ends) == 3 and len(set(ends)) == 1  # all leave the last collective at one time
    assert opened.errors == []


def test_timelines_of_all_ranks_are_on_one_clock(build: Build, tmp_path: Path) -> None:
    mpi_job(build, tmp_path, steps(8, 3, {}), shifts=[0, 70_000, -900_000])
    found = nsysql.timelines(tmp_path)
    assert list(found) == ["rank_0", "rank_1", "rank_2"]
    assert len({timeline.events["end_ns"].max() for timeline in found.values()}) == 1  # of the last collective
    assert len({(timeline.start_ns, timeline.end_ns) for timeline in found.values()}) == 1
    second = nsysql.timelines(tmp_path, start_ns=found["rank_0"].start_ns, end_ns=found["rank_0"].end_ns)["rank_1"]
    assert second.events["start_ns"].to_list() == found["rank_1"].events["start_ns"].to_list()


# Bad input, and the page -------------------------------------------------------------------------


def test_exports_that_did_not_run_at_one_time_are_repeats(story: Callable[[str], Path], tmp_path: Path) -> None:
    paths = [tmp_path / f"run{number}.sqlite" for number in range(2)]
    for number, path in enumerate(paths):
        shutil.copyfile(story("training"), path)
        alter(
            path,
            "CREATE TABLE IF NOT EXISTS TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)",
            "DELETE FROM TARGET_INFO_SESSION_START_TIME",
            f"INSERT INTO TARGET_INFO_SESSION_START_TIME (utcEpochNs) VALUES ({UTC + number * 10**12})",
        )
    found = job(paths)
    assert (found.kind, found.straggler.kind) == ("repeats", "cannot_judge")
    assert nsysql.ranks(paths).document()["sentences"][0].startswith("2 runs: a step takes ")
    told = job(paths, "ranks")
    assert (told.kind, {member.said_by for member in told.members}) == ("ranks", {"the number in the file's name"})


def test_a_session_that_is_off_by_far_is_told(build: Build, tmp_path: Path) -> None:
    paths = mpi_job(build, tmp_path, steps(10, 2, {1: 250_000}))
    alter(paths[1], f"UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = {UTC + 10**10}")
    found = job(paths)
    assert (found.kind, found.straggler.kind, found.straggler.rank) == ("ranks", "pinned", 1)
    assert "rank_1: the start of its session is off by -10.00 s" in str(nsysql.ranks(paths))


def test_different_numbers_of_collectives_are_told(build: Build, tmp_path: Path) -> None:
    paths = mpi_job(build, tmp_path, steps(6, 2, {}))
    alter(paths[1], "DELETE FROM MPI_COLLECTIVES_EVENTS WHERE rowid = 3")
    found = job(paths)
    assert found.matched.count == 0
    assert found.matched.left_out == (("ranks have different numbers of them", 11),)
    assert found.straggler.kind == "cannot_judge"
    assert nsysql.ranks(paths).document()["sentences"][-1].startswith("Collectives: the captures have 5 to 6.")


def test_a_capture_cut_short_computes_no_less(tmp_path: Path) -> None:
    """Three ranks compute as long; the capture of the last one has half of the steps."""
    every = [f"at {100 * i}\n  kernel gemm 0-2 5-65\n  kernel ncclDevKernel_AllReduce 3-4 66-90" for i in range(20)]
    paths = []
    for rank, steps in enumerate((20, 20, 10)):
        path = drawn("run", "\n".join(every[:steps])).write(tmp_path / f"rank_{rank}.sqlite")
        paths.append(path)
    said = nsysql.ranks(paths, as_="ranks").document()["sentences"]
    assert said[-1].startswith("Collectives: the capture of rank 2 has 10, the others have 20.")
    assert not any("times as long" in sentence for sentence in said)


def test_collectives_that_cannot_overlap_are_no_match(build: Build, tmp_path: Path) -> None:
    paths = mpi_job(build, tmp_path, steps(12, 2, {}))
    alter(paths[1], 'UPDATE MPI_COLLECTIVES_EVENTS SET start = start * rowid % 7919, "end" = start * rowid % 7919 + 50')
    found = job(paths, "ranks")
    assert found.clocks[1].problem is not None
    assert found.straggler.kind == "cannot_judge" and "no offset" in found.straggler.reason


def test_groups_of_ranks_are_no_match(build: Build) -> None:
    """Four processes in two groups: each has as many collectives, but those of the groups do not overlap."""
    kernels = [
        f"({at}, {at + 400}, {rank}, 1, 9, {n}, {600 + rank} << 24, 1)"
        for n in range(8)
        for rank in range(4)
        for at in [1000 * n + 500 * (rank // 2)]
    ]
    sql = f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'ncclDevKernel_AllReduce_Sum_f32');
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
            demangledName) VALUES {", ".join(kernels)};"""
    found = job([build(sql)])
    assert found.matched.count == 0
    assert found.matched.left_out == (("they do not run at one time on all ranks, which may form groups", 32),)
    assert found.straggler.kind == "cannot_judge"


def test_bad_input_is_one_line(
    run: Callable[..., Ran], build: Build, tmp_path: Path, story: Callable[[str], Path]
) -> None:
    paths = mpi_job(build, tmp_path, steps(6, 3, {}))
    broken = tmp_path / "rank_1.sqlite"
    broken.write_bytes(b"SQLite format 3\x00" + b"x" * 200)
    ran = run("ranks", tmp_path, "--format", "json")
    assert ran.code == 1  # the ranks that can be read are there, but not all
    document = json.loads(ran.text)
    assert [row["rank"] for row in document["ranks"]] == [0, 2]
    assert any("rank_1.sqlite" in text for text in document["problems"])
    ran = run("ranks", broken)
    assert ran.code == 1 and ran.err.count("\n") == 1 and "rank_1.sqlite" in ran.err
    shutil.copyfile(paths[0], tmp_path / "again.sqlite")
    ran = run("ranks", paths[0], tmp_path / "again.sqlite")
    assert ran.code != 0 and "rank 0 occurs twice" in ran.err and ran.err.count("\n") == 1
    ran = run("ranks", story("no_cuda"))
    assert ran.code == 1 and "neither GPU work nor MPI calls" in ran.err
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = run("ranks", empty)
    assert ran.code == 2 and "without exports" in ran.err


def test_one_rank_alone(story: Callable[[str], Path]) -> None:
    document = nsysql.ranks(str(story("training"))).document()
    assert document["straggler"]["kind"] == "cannot_judge"
    assert document["straggler"]["reason"] == "there is one rank only."
    assert len(document["ranks"]) == 1


def test_the_document_has_its_keys(build: Build, tmp_path: Path) -> None:
    mpi_job(build, tmp_path, steps(8, 3, {2: 250_000}))
    document = nsysql.ranks(tmp_path).document()
    assert document["schema"] == "nsysql.ranks/1"
    keys = {"run", "rank", "gpu_id", "window_ns", "busy_ns", "exposed_communication_ns", "idle_ns"}
    assert {*keys, "main_cause", "period_ns"} <= document["ranks"][0].keys()
    assert {"run", "offset_ns", "uncertainty_ns", "from"} <= document["clock"][0].keys()
    assert {"kind", "rank", "wait_caused_ns", "share", "account", "range"} <= document["straggler"].keys()
    assert document["collectives"]["matched"] == 8
    assert document["straggler"]["rank"] == 2


def test_of_many_ranks_those_that_others_wait_for_are_shown(
    run: Callable[..., Ran], build: Build, tmp_path: Path
) -> None:
    mpi_job(build, tmp_path, steps(8, 5, {3: 250_000}))
    text = run("ranks", tmp_path, "--top", "2").text
    ranks = text.split("\nRanks")[1].split("\n\n")[0]
    assert re.search(r"^ +3 ", ranks, re.MULTILINE) and "3 more ranks (--top 0 shows all)." in ranks
    assert len(re.findall(r"^ +\d ", text.split("Who comes last")[1].split("\n\n")[0], re.MULTILINE)) == 2
    assert "3 more exports (--top 0 shows all)." in text
    assert "more ranks" not in run("ranks", tmp_path).text


def test_the_page_says_the_answer_first(run: Callable[..., Ran], build: Build, tmp_path: Path) -> None:
    mpi_job(build, tmp_path, steps(8, 3, {2: 250_000}), work="forward [red]\x1b")
    ran = run("ranks", tmp_path)
    assert ran.code == 0 and "\x1b" not in ran.text
    lines = ran.text.splitlines()
    assert lines[3].startswith("  Rank 2 is late in 7 of 7 collectives: the others wait 250.0 µs each")
    assert "forward [red]" in ran.text
    for text in ("Ranks", "Who comes last", "What rank 2 did instead", "Collectives", "Clocks", "numbered by MPI"):
        assert text in ran.text
    assert "| rank |" in run("ranks", tmp_path, "--format", "markdown").text
    assert run("ranks", tmp_path, "--format", "csv").text.count("\n") == 4


def test_processes_read_as_one_does(build: Build, tmp_path: Path) -> None:
    mpi_job(build, tmp_path, steps(8, 5, {2: 250_000}))
    ran = process("ranks", tmp_path, "--format", "json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == json.loads(json.dumps(nsysql.ranks(tmp_path).document()))


def test_nothing_to_compare() -> None:
    with pytest.raises(MissingData):
        of_facts([])


def test_a_report_of_exports_that_are_no_ranks_is_refused(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    for name in ("x1.sqlite", "x2.sqlite"):
        shutil.copyfile(story("training"), tmp_path / name)
    (tmp_path / "none.sqlite").write_text("no export")
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "x1.sqlite")
    for others in (["x2"], ["none"]):
        given = [tmp_path / f"{name}.sqlite" for name in ("x1", *others)]
        found = run("report", *given, "-o", tmp_path / "r.html")
        assert found.code == 2 and "are not all ranks of one job" in found.err, found.err
        assert not (tmp_path / "r.html").exists()
    files = find_files([tmp_path / "x1.sqlite", tmp_path / "link.sqlite"])
    assert [one.name for one in files] == ["x1"]


def test_without_collectives_the_idle_time_of_all_gpus_is_told(corpus: Path) -> None:
    found = nsysql.ranks(corpus / "more" / "ranks" / "gem8").document()
    assert found["sentences"][0] == "Every GPU is idle for 93% to 94% of its time, mostly because of host code."
    assert found["sentences"][1].startswith("Whether a rank is late cannot be judged")
    assert min(row["idle_ns"] / row["window_ns"] for row in found["ranks"]) > 0.92


@pytest.mark.parametrize("name", ["ranks_nccl", "ranks_mpi"])
def test_accounts_are_the_same_however_many_collectives_are_cut_together(
    name: str, story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with nsysql.open(story(name)) as run:
        together = run.query("collective_accounts")
    monkeypatch.setattr("nsysql.analysis.accounts.TOGETHER", 1)
    with nsysql.open(story(name)) as run:
        assert run.query("collective_accounts").equals(together)
    assert together.height


@pytest.mark.parametrize(
    ("call", "copy", "name"), [(45, 0, "host_code_and_launch_call"), (45, 30, None), (10, 0, "host_code")]
)
def test_host_code_and_launch_calls_together_explain_a_late_rank(call: int, copy: int, name: str | None) -> None:
    """Of 100 us: neither alone is 60 %, both are the launching thread's."""
    causes = {"host_code": 90 - call if not copy else 25, "launch_call": call if not copy else 25, "os_wait_io": copy}
    rows = [("gpu", "idle", cause, 1000.0 * us) for cause, us in causes.items()]
    frame = pl.DataFrame(rows, schema=["clock", "kind", "name", "mean_ns"], orient="row")
    account, _ = _account(frame, 100_000)
    assert (account and account.name) == name


def drawn_job(
    folder: Path, *, lines: str, comm: Sequence[int], late: int = 0, marked: int | None = None, more: str = ""
) -> Path:
    """Two ranks on a GPU each, 12 steps of 500 us of host code, these lines and an AllReduce; rank 1 is `late`."""
    text = []
    for step in range(12):
        text.append(f"at {1100 * step}")
        for rank in (0, 1):
            own, begin = f"process={700 + rank} thread={700 + rank}", 500 + late * rank
            text += [f"  {line.format(begin, begin + 300)} {own} gpu={rank}" for line in lines.splitlines()]
            text.append(f'  kernel "ncclDevKernel_AllReduce_Sum_f32" {begin + 6}-{begin + 11} '
                        f"{comm[rank]}-{max(comm) + 20} stream=9 {own} gpu={rank}")  # fmt: skip
            text.append(f"  call cudaStreamSynchronize {begin + 20}-1090 {own}")
            text += [f"  range forward {begin - 490}-{begin + 15} {own}"] if marked in (None, rank) else []
    return drawn("job", "\n".join((*text, more))).write(folder / f"{len(lines) + len(more)}.sqlite")


@pytest.mark.parametrize("marked", [None, 1])
def test_a_range_that_one_rank_alone_has_explains_nothing(marked: int | None, tmp_path: Path) -> None:
    """Both are in forward as long, but rank 1 begins it 200 us later."""
    gemm = 'kernel "gemm(float *)" {0}-{0} {0}-{1}'
    late = job([drawn_job(tmp_path, lines=gemm, comm=(800, 1000), late=200, marked=marked)]).straggler
    assert (late.kind, late.rank, late.range) == ("pinned", 1, None)


def test_waits_beside_other_work_are_said_to_be(tmp_path: Path) -> None:
    gemm = 'kernel "gemm(float *)" 500-505 520-1080'
    assert "200.0 µs, at least 100% of it beside other GPU work;" in sentences(
        job([drawn_job(tmp_path, lines=gemm, comm=(600, 800))])
    )[0]  # fmt: skip
    assert "beside" not in sentences(job([drawn_job(tmp_path, lines="os read 0-1", comm=(600, 800))]))[0]


@pytest.mark.parametrize(("reduces", "kind"), [(False, "cannot_judge"), (True, "pinned")])
def test_sends_and_receives_of_a_pipeline_are_no_collectives(reduces: bool, kind: str, tmp_path: Path) -> None:
    """The middle one of three stages sends and receives twice a step, the others once; GPU 2 computes longest."""
    step = (
        ("forward(float *)", 10, 110, 0), ("ncclDevKernel_SendRecv(x)", 111, 130, 0),
        ("ncclDevKernel_SendRecv(x)", 10, 130, 1), ("forward(float *)", 131, 231, 1),
        ("ncclDevKernel_SendRecv(x)", 232, 250, 1),
        ("ncclDevKernel_SendRecv(x)", 10, 250, 2), ("forward(float *)", 251, 551, 2),
        *(("ncclDevKernel_AllReduce_Sum_f32(x)", at, 580, gpu) for gpu, at in enumerate((131, 251, 552)) if reduces),
    )  # fmt: skip
    of_step = "\n".join(
        f'  kernel "{name}" 0-3 {start}-{end} gpu={gpu} process={gpu}' for name, start, end, gpu in step
    )
    found = job([drawn("job", f"every 600 x 12\n{of_step}").write(tmp_path / "job.sqlite")])
    assert (found.straggler.kind, found.straggler.rank, found.counts) == (kind, 2 if reduces else None, {})
    told = "Kernels that send and receive take 3% to 40% of each rank's time, waiting for other ranks included."
    assert sum(text.startswith(told) for text in sentences(found)) == 1, sentences(found)
    assert not reduces or sentences(found)[0].startswith(
        "Rank 2 comes last in 11 of 11 collectives, perhaps by its place in a pipeline: the others wait "
    )


def test_of_two_stages_the_first_is_not_said_to_be_late(tmp_path: Path) -> None:
    """GPU 1 waits in its receive from the beginning of each step until GPU 0 has computed."""
    step = (("forward(float *)", 10, 300, 0), ("ncclDevKernel_SendRecv(x)", 301, 330, 0),
            ("ncclDevKernel_SendRecv(x)", 10, 330, 1), ("backward(float *)", 331, 590, 1))  # fmt: skip
    of_step = "\n".join(f'  kernel "{name}" 0-3 {a}-{b} gpu={gpu} process={gpu}' for name, a, b, gpu in step)
    said = sentences(job([drawn("job", f"every 600 x 12\n{of_step}").write(tmp_path / "job.sqlite")]))
    assert said[0].startswith("Rank 0 comes last in 11 of 11 collectives, perhaps by its place in a pipeline: "), said
    assert said[1].startswith("Kernels that send and receive have most of the waiting: they are all-to-all, or "), said


@pytest.mark.parametrize("name", ["nccl:send", "nccl:recv 0<-1", "nccl:send 0->1", "Broadcast", "nccl:reduce"])
def test_of_what_a_rank_can_leave_early_no_lateness_follows(name: str) -> None:
    assert re.search(ROOTED, name)
    assert not re.search(ROOTED, f"nccl:all_{name}")


def test_most_idle_time_has_a_cause_only_if_it_has(tmp_path: Path) -> None:
    waits = ("call cudaMalloc 620-720", "os pthread_mutex_lock 721-820", "call cudaEventCreate 821-920")
    text = "\n".join(
        f"at {600 * step}\n" + "\n".join(f"  {line} process={pid} thread={pid}{gpu}" for line, gpu in (
            ("kernel k 500-505 510-600", f" gpu={pid - 700}"), *((wait, "") for wait in waits)))
        for step in range(12) for pid in (700, 701)
    )  # fmt: skip
    (said, _) = sentences(job([drawn("job", text).write(tmp_path / "job.sqlite")]))
    assert said.startswith("Every GPU is idle for 84% of its time; the largest cause is "), said


@pytest.mark.parametrize(("later", "kind"), [(0, "ranks"), (3600, "repeats")])
def test_a_name_makes_no_ranks_of_runs_one_after_the_other(later: int, kind: str, build: Build, tmp_path: Path) -> None:
    paths = mpi_job(build, tmp_path, steps(10, 2, {}))
    for number, path in enumerate(paths):
        alter(
            path,
            "DROP TABLE MPI_RANKS",
            f"UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + {later * 10**9 * number}",
        )
        path.rename(tmp_path / f"lora_rank{8 << number}.sqlite")
    assert job(sorted(tmp_path.glob("lora*"))).kind == kind


def test_ranks_numbered_from_zero_are_one_job_whatever_their_clocks(build: Build, tmp_path: Path) -> None:
    paths = mpi_job(build, tmp_path, steps(10, 3, {1: 250_000}, noise=20_000), shifts=[0, 3 * 10**9, -(10**9)])
    for path in paths:
        alter(path, "DROP TABLE MPI_RANKS")
    found = of_other_hosts(paths)
    assert (found.kind, found.straggler.kind, found.straggler.rank) == ("ranks", "pinned", 1)
    assert abs(found.clocks[1].offset_ns + 3 * 10**9) < 500_000


def test_a_process_without_collectives_is_no_rank(tmp_path: Path) -> None:
    gemm = 'kernel "gemm(float *)" {0}-{0} {0}-{1}'
    text = "\n".join(f"at {1100 * i}\n  copy up 300-305 310-320 bytes=1000 process=705 stream=3" for i in range(12))
    helped = drawn_job(tmp_path, lines=gemm, comm=(800, 1000), late=200, more=text)
    assert len(job([helped]).members) == 2
    assert job([helped]).straggler.kind == "pinned"


def test_runs_are_counted_as_exports(tmp_path: Path) -> None:
    paths = [drawn_job(tmp_path, lines=line, comm=(800, 1000)) for line in ("os read 0-1", "os write 0-1")]
    found = job(paths, "repeats")
    assert sentences(found)[0].startswith("2 runs: ") and page(found).title == "2 runs of one program, 2 exports"


def test_ranks_without_collectives_are_told_to_record_them(tmp_path: Path) -> None:
    text = "\n".join(f"at {100 * step}\n  kernel k 0-4 10-90" for step in range(12))
    found = job([drawn("job", text).write(tmp_path / f"rank_{rank}.sqlite") for rank in (0, 8)])
    assert "the exports have no kernels of NCCL and no MPI collectives" in sentences(found)[-1]
