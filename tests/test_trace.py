"""Traces for Perfetto, decoded by its own package: every event is there at its time, under its name, on its track."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command_line import Ran
from drawn import read_story
from exports import corpus_names, each_opened, each_story
from hypothesis import given
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.timeline.lanes import lanes
from nsysql.errors import MissingData
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline.counters import with_counters
from nsysql.pages.timeline.critical import with_critical_path
from nsysql.pages.timeline.gather import collect
from nsysql.pages.timeline.model import Timeline
from nsysql.render.perfetto import native, slices
from nsysql.render.perfetto.wire import entries, message, number, numbers, text

EXPORTS = [n for n in corpus_names() if n.startswith(("mfu", "gol", "synth-idle", "llm", "um-", "mpi"))]
Found = Counter[tuple[str, int, int, str]]


def decoded(data: bytes) -> Any:
    proto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = proto.Trace()
    trace.ParseFromString(data)
    assert trace.SerializeToString()  # every field was read
    return trace


def events_of(trace: Any) -> Found:
    """The slices and render stages of a trace: name, start, duration and track."""
    names, queues, tracks = {}, {}, {}
    for packet in trace.packet:
        names |= {one.iid: one.name for one in packet.interned_data.event_names}
        queues |= {one.iid: (one.description, one.name) for one in packet.interned_data.gpu_specifications}
        if packet.HasField("track_descriptor"):
            one = packet.track_descriptor
            above = tracks.get(one.parent_uuid, "")
            own = one.name or f"{one.thread.tid or one.process.pid}"
            tracks[one.uuid] = f"{above}/{own}"
    found: Found = Counter()
    open_: dict[int, list[tuple[str, int]]] = {}
    ordered = sorted((p for p in trace.packet if p.HasField("track_event")), key=lambda p: p.timestamp)
    for packet in ordered:
        event = packet.track_event
        stack = open_.setdefault(event.track_uuid, [])
        if event.type == 1:
            stack.append((names[event.name_iid], packet.timestamp))
        else:
            name, start = stack.pop()
            found[name, start, packet.timestamp - start, tracks[event.track_uuid]] += 1
    assert not any(open_.values())
    for packet in trace.packet:
        if packet.HasField("gpu_render_stage_event"):
            stage = packet.gpu_render_stage_event
            group, queue = queues[stage.hw_queue_iid]
            found[names[stage.name_iid], packet.timestamp, stage.duration, f"{group}/{queue}"] += 1
    return found


def expected(timeline: Timeline) -> Found:
    moved = max(0, -int(timeline.events["start_ns"].min()))  # type: ignore[arg-type]
    found: Found = Counter()
    for row in timeline.events.join(timeline.tracks, on="track").to_dicts():
        track = (
            f"{row['group']}/{row['label']}"
            if row["kind"] == "stream"
            else f"/{row['pid']}/{row['tid']}/{row['label']}"
        )
        name = row["name"]
        if row["kind"] == "idle":
            track, name = f"/{row['group']}: idle by cause", timeline.titles[name]
        found[name, row["start_ns"] + moved, row["end_ns"] - row["start_ns"], track] += 1
    return found


def the_timeline(export: Path) -> Timeline:
    with nsysql.open(export) as run:
        return collect(run, PageScope())


@pytest.fixture
def found(opened: nsysql.Run) -> Timeline:
    """The timeline of an export, where it has one."""
    try:
        return collect(opened, PageScope())
    except MissingData as error:
        pytest.skip(str(error))


@each_story()
def test_every_event_of_a_story(found: Timeline, tmp_path: Path) -> None:
    assert events_of(decoded(b"".join(native.parts(found)))) == expected(found)


@each_opened(EXPORTS)
def test_every_event_of_a_real_capture(found: Timeline) -> None:
    assert events_of(decoded(b"".join(native.parts(found)))) == expected(found)


def test_it_agrees_with_the_queries(story: Callable[[str], Path]) -> None:
    trace = decoded(b"".join(native.parts(the_timeline(story("two_streams")))))
    names = {one.iid: one.name for p in trace.packet for one in p.interned_data.event_names}
    stages = [p for p in trace.packet if p.HasField("gpu_render_stage_event")]
    got = [(names[p.gpu_render_stage_event.name_iid], p.timestamp, p.gpu_render_stage_event.duration) for p in stages]
    with nsysql.open(story("two_streams")) as run:
        work = run.query("gpu_events")
    assert sorted(got) == sorted(work.select("name", "start_ns", pl.col("end_ns") - pl.col("start_ns")).rows())


def test_a_launch_says_what_it_launched(story: Callable[[str], Path]) -> None:
    unknown = pytest.importorskip("google.protobuf.unknown_fields")
    found = the_timeline(story("training"))
    trace = decoded(b"".join(native.parts(found)))
    kernels = {
        p.gpu_render_stage_event.event_id: p.timestamp for p in trace.packet if p.HasField("gpu_render_stage_event")
    }
    pairs = set()
    for packet in trace.packet:
        for field in unknown.UnknownFieldSet(packet.track_event) if packet.HasField("track_event") else ():
            assert field.field_number == slices.LAUNCHES
            assert field.data[0] == 8  # a number, the first field
            value = sum((byte & 127) << (7 * i) for i, byte in enumerate(field.data[1:]))
            pairs.add((packet.timestamp, kernels[value]))
    with nsysql.open(story("training")) as run:
        launches = run.query("launches").drop_nulls("api_start_ns")
    assert pairs == set(launches.select("api_start_ns", "start_ns").rows())


def test_launch_arguments(build: Callable[[str], Path]) -> None:
    export = build(
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,'
        " gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory)"
        f" VALUES (10, 30, 0, 1, 7, 1, {4711 << 24}, 300, 2, 1, 128, 1, 1, 40, 16, 1024);"
    )
    trace = decoded(b"".join(native.parts(the_timeline(export))))
    launch = next(p.gpu_render_stage_event.launch for p in trace.packet if p.HasField("gpu_render_stage_event"))
    assert [launch.grid_size.x, launch.grid_size.y, launch.workgroup_size.x] == [300, 2, 128]
    arguments = {one.name: one.uint_value for one in launch.args}
    assert arguments == {
        "device": 0, "stream": 7, "context": 1, "registers_per_thread": 40, "shared_mem_static": 16,
        "shared_mem_dynamic": 1024,
    }  # fmt: skip


def test_kernels_say_what_they_could_fill(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("occupancy")) as run:
        found = collect(run, PageScope(), most=None, occupancy=True)
        plain = collect(run, PageScope(), most=None)
    trace = decoded(b"".join(native.parts(found)))
    launches = [p.gpu_render_stage_event.launch for p in trace.packet if p.HasField("gpu_render_stage_event")]
    said = Counter(
        tuple((a.name, a.string_value or a.double_value) for a in launch.args if not a.HasField("uint_value"))
        for launch in launches
    )
    share, waves, last, limit = (
        "sm__maximum_warps_per_active_cycle_pct", "waves_per_multiprocessor", "last_wave_pct", "occupancy_limited_by",
    )  # fmt: skip
    assert said[(share, 100.0), (waves, 2.5), (last, 50.0), (limit, "registers, threads")] == 2
    assert said[(share, 62.5), (waves, 4.0), (last, 100.0), (limit, "shared memory")] == 1
    assert said[(share, 12.5), (waves, 0.25), (last, 25.0), (limit, "registers")] == 1
    assert said[()] == 2  # a cluster, and a GPU whose limits are not known
    assert sum(said.values()) == len(launches) == found.work.height if found.work is not None else False
    details = found.events["detail"].drop_nulls().to_list()
    assert (
        sum("occupancy 62.5% (limited by shared memory), 4.0 waves, the last 100.0% full" in text for text in details)
        == 1
    )
    assert found.events.drop("detail").equals(plain.events.drop("detail"))


RANGES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 25), st.integers(0, 8)), min_size=1, max_size=25)


@given(RANGES)
def test_slices_of_a_lane_nest_whatever_their_times(ranges: list[tuple[int, int, int]]) -> None:
    rows = [(track, start, start + length) for track, start, length in ranges]
    events = pl.DataFrame(rows, schema={"track": pl.UInt32, "start_ns": pl.Int64, "end_ns": pl.Int64}, orient="row")
    events = events.sort("track", "start_ns", "end_ns", descending=[False, False, True])
    events = events.with_columns(lane=lanes(events), uuid=pl.col("track"))
    events = events.with_columns(uuid=pl.col("track") * 100 + pl.col("lane"))  # as of tracks whose events cross
    found: Counter[tuple[int, int, int]] = Counter()
    stacks: dict[int, list[int]] = {}
    for row in slices.in_order(events).to_dicts():
        stack = stacks.setdefault(row["uuid"], [])
        if not row["is_end"]:
            stack.append(row["at_ns"])
        else:
            start = stack.pop()
            found[row["track"], start, row["at_ns"]] += 1
    assert found == Counter(rows)


def test_counters_are_the_samples_and_the_memory_in_use(story: Callable[[str], Path]) -> None:
    for name, query, value in ("gpu_metrics", "gpu_metric", "value"), ("memory", "memory_use", "use_bytes"):
        with nsysql.open(story(name)) as run:
            found = with_counters(collect(run, PageScope()), run)
            rows = run.query(query).filter(pl.col("start_ns") <= found.end_ns)
            if query == "gpu_metric":  # what holds when the timeline begins has a row there
                rows = rows.filter(pl.col("end_ns") > found.start_ns)
            rows = rows.with_columns(pl.col("start_ns").clip(found.start_ns))
        label = pl.col("metric") if query == "gpu_metric" else "memory: " + pl.col("kind")
        drawn = rows.select("GPU 0: " + label, "start_ns", value).rows()
        assert drawn and Counter(drawn) == Counter(counters_of(decoded(b"".join(native.parts(found)))))


def counters_of(trace: Any) -> list[tuple[str, int, int]]:
    """The counters of a trace: name, time and value."""
    tracks = {
        packet.track_descriptor.uuid: packet.track_descriptor.name
        for packet in trace.packet
        if packet.track_descriptor.HasField("counter")
    }
    events = [packet for packet in trace.packet if packet.track_event.type == 4]
    return [(tracks[p.track_event.track_uuid], p.timestamp, p.track_event.counter_value) for p in events]


def test_numbers_as_wide_as_their_widest() -> None:
    assert numbers(1, [1, 300]).tolist() == [[8, 129, 0], [8, 172, 2]]
    assert entries(2, ["é", "x"], 127) == message(2, number(1, 127), text(2, "é")) + message(
        2, number(1, 128), text(2, "x")
    )


def test_hostile_names(build: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]) -> None:
    names = ['"quoted\\', "\u2028</script>", "line\nend\x01", "[CUDA memcpy]"]
    quoted = ", ".join(f"({i}, '{name}')" for i, name in enumerate(names, 1))
    rows = ", ".join(f"({i * 10}, {i * 10 + 5}, 59, {(4711 << 24) + 1}, {i})" for i in range(1, len(names) + 1))
    export = build(
        f"INSERT INTO StringIds (id, value) VALUES {quoted};\n"
        f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, textId) VALUES {rows};'
    )
    assert run("trace", export, "-o", tmp_path / "t.pftrace").code == 0
    assert run("trace", export, "-o", tmp_path / "t.json").code == 2
    assert {name for name, *_ in events_of(decoded(b"".join(native.parts(the_timeline(export)))))} == set(names)


def test_the_command(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    ran = run("trace", story("training"), "-o", tmp_path / "t.pftrace")
    assert ran.code == 0 and "events" in ran.err
    assert decoded((tmp_path / "t.pftrace").read_bytes()).packet
    assert decoded(run("trace", story("training"), "-q").out).packet
    assert run("trace", story("training"), "--start", "90s", "-o", tmp_path / "none.pftrace").code == 2
    assert not (tmp_path / "none.pftrace").exists()


def test_the_critical_path_is_the_first_track(build: Callable[[str], Path], tmp_path: Path) -> None:
    """Thirty launches, each 100 us after the other, of kernels that take 100 us: from the first launch to the end."""
    few_blocks = read_story("few_blocks").write(tmp_path / "few_blocks.sqlite")
    with nsysql.open(few_blocks) as run:
        whole = with_critical_path(collect(run, PageScope()), run)
        part = with_critical_path(collect(run, PageScope(None, 1_000_000, 1_500_000)), run)
    assert whole.tracks.row(0, named=True)["label"] == "critical path"
    path = [one for one in events_of(decoded(b"".join(native.parts(whole)))).items() if one[0][3] == "/critical path"]
    spans = sorted((start, start + length, name) for (name, start, length, _), count in path for _ in range(count))
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert spans[-1][1] == 3_200_000 and any("(float *)" in name for *_, name in spans)
    own = part.events.filter(pl.col("track") == part.tracks["track"][0])
    assert own["end_ns"].min() > 1_000_000 and own["start_ns"].max() < 1_500_000
    sql = "INSERT INTO NVTX_EVENTS (start, \"end\", eventType, globalTid, text) VALUES (1, 5, 59, 500 << 24 | 1, 'a')"
    with nsysql.open(build(sql)) as run:  # not to be replayed: no track
        assert with_critical_path(collect(run, PageScope()), run).tracks["kind"].to_list() == ["nvtx"]
