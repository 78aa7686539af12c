"""Traces for Perfetto, decoded by its own package: every event is there at its time, under its name, on its track."""

import gzip
import re
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
from nsysql.errors import MissingData
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline.gather import collect
from nsysql.pages.timeline.streamed import GAP, SLICES, critical_events, streamed
from nsysql.render.perfetto import native, slices
from nsysql.render.perfetto.wire import entries, message, number, numbers, text

pytestmark = pytest.mark.usefixtures("kept_open")

EXPORTS = [n for n in corpus_names() if n.startswith(("mfu", "gol", "synth-idle", "llm", "um-", "mpi"))]
SCOPE = PageScope()
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
    ordered = sorted((p for p in trace.packet if p.track_event.type in (1, 2)), key=lambda p: p.timestamp)
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


def expected(run: nsysql.Run) -> Found:
    """All events by the queries, which give them at once."""
    timeline = collect(run, PageScope(), most=None)
    moved = max(0, -int(timeline.events["start_ns"].min()))  # type: ignore[arg-type]
    found: Found = Counter()
    for row in timeline.events.join(timeline.tracks, on="track").to_dicts():
        on_gpu = row["kind"] in ("stream", "idle")
        track = f"{row['group']}/{row['label']}" if on_gpu else f"/{row['pid']}/{row['tid']}/{row['label']}"
        track, name = ("/" * (row["kind"] == "idle")) + track, row["name"]
        name = timeline.titles[name] if row["kind"] == "idle" else name
        found[name, row["start_ns"] + moved, row["end_ns"] - row["start_ns"], track] += 1
    groups = dict(timeline.tracks.filter(kind="idle").select("gpu_id", "group").rows())
    if groups:
        for gap in run.query("idle_gaps", paths=False).to_dicts():
            found[
                GAP, gap["start_ns"] + moved, gap["end_ns"] - gap["start_ns"], f"/{groups[gap['gpu_id']]}/idle by cause"
            ] += 1
    return found


def decoded_of(run: nsysql.Run, scope: PageScope = SCOPE, most: int | None = None) -> Any:
    return decoded(b"".join(native.parts(streamed(run, scope, most))))


def trace_of(export: Path) -> Any:
    with nsysql.open(export) as run:
        return decoded_of(run)


@each_story(3, 2)
def test_every_event_of_a_story(opened: nsysql.Run) -> None:
    try:
        wanted = expected(opened)
    except MissingData as error:
        with pytest.raises(MissingData):
            streamed(opened, PageScope())
        pytest.skip(str(error))
    found = decoded_of(opened)
    got = Counter({event: count for event, count in events_of(found).items() if event[3] != "/critical path"})
    assert got == wanted
    ranks = {p.track_descriptor.uuid: p.track_descriptor for p in found.packet if p.HasField("track_descriptor")}
    assert {ranks[one.parent_uuid].child_ordering for one in ranks.values() if one.parent_uuid} <= {3}


@each_opened(EXPORTS)
def test_every_event_of_a_real_capture(opened: nsysql.Run) -> None:
    try:
        wanted = expected(opened)
    except MissingData as error:
        pytest.skip(str(error))
    got = events_of(decoded_of(opened))
    assert {event: count for event, count in got.items() if event[3] != "/critical path"} == wanted


def test_gaps_are_slices_with_what_is_known_of_their_pieces(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        trace, gaps = decoded_of(run), run.query("idle_gaps", paths=False)
        pieces = run.query("idle_pieces", paths=False)
    names, texts, arguments = {}, {}, {}
    for packet in trace.packet:
        names |= {one.iid: one.name for one in packet.interned_data.event_names}
        texts |= {one.iid: one.str.decode() for one in packet.interned_data.debug_annotation_string_values}
        arguments |= {one.iid: one.name for one in packet.interned_data.debug_annotation_names}
    slices_ = [
        (packet.timestamp, names[packet.track_event.name_iid], {
            arguments[one.name_iid]: texts[one.string_value_iid] if one.string_value_iid else one.int_value
            for one in packet.track_event.debug_annotations
        })
        for packet in trace.packet if packet.track_event.type == 1
    ]  # fmt: skip
    assert [(at, said) for at, name, said in slices_ if name == GAP] == [
        (at, {"gap": gap} | ({} if tid is None else {"ended by thread": tid}))
        for at, gap, tid in gaps.sort("gpu_id", "start_ns").select("start_ns", "gap_id", "tid").rows()
    ]
    known = {"evidence": "evidence_name", "table": "evidence_table", "row": "evidence_row_id", "waits for": "waits_for"}
    wanted = [
        (row["start_ns"], {said: row[column] for said, column in known.items() if row[column] is not None})
        for row in pieces.sort("gpu_id", "start_ns").to_dicts()
    ]
    assert [one for one in wanted if one[1]] == [(at, said) for at, _, said in slices_ if "row" in said]


def test_of_many_events_short_ones_are_merged(story: Callable[[str], Path]) -> None:
    """A slice says how many events it is; streams are tracks of slices then."""
    with nsysql.open(story("training")) as run:
        few = streamed(run, SCOPE, 10)
        trace = decoded(b"".join(native.parts(few)))
        every = streamed(run, SCOPE, None)
    path = {p.track_descriptor.uuid for p in trace.packet if p.track_descriptor.name == "critical path"}
    slices_ = [p.track_event for p in trace.packet if p.track_event.type == 1 and p.track_event.track_uuid not in path]
    name = 1 + [said for said, _ in slices.ARGUMENTS.values()].index("merged events")
    counts = [next((one.int_value for one in event.debug_annotations if one.name_iid == name), 1) for event in slices_]
    assert few.count == sum(counts) and len(counts) < few.count // 2
    kinds = ["idle", "path"]  # of all the pieces of idle time are not counted before they are read
    assert few.tracks.filter(~pl.col("kind").is_in(kinds))["events"].sum() == every.count
    assert any("stream" in p.track_descriptor.name for p in trace.packet)


def test_it_agrees_with_the_queries(story: Callable[[str], Path]) -> None:
    trace = trace_of(story("two_streams"))
    names = {one.iid: one.name for p in trace.packet for one in p.interned_data.event_names}
    stages = [p for p in trace.packet if p.HasField("gpu_render_stage_event")]
    got = [(names[p.gpu_render_stage_event.name_iid], p.timestamp, p.gpu_render_stage_event.duration) for p in stages]
    with nsysql.open(story("two_streams")) as run:
        work = run.query("gpu_events")
    assert sorted(got) == sorted(work.select("name", "start_ns", pl.col("end_ns") - pl.col("start_ns")).rows())


def test_a_launch_says_what_it_launched(story: Callable[[str], Path]) -> None:
    unknown = pytest.importorskip("google.protobuf.unknown_fields")
    trace = trace_of(story("training"))
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
    trace = trace_of(export)
    launch = next(p.gpu_render_stage_event.launch for p in trace.packet if p.HasField("gpu_render_stage_event"))
    assert [launch.grid_size.x, launch.grid_size.y, launch.workgroup_size.x] == [300, 2, 128]
    arguments = {one.name: one.uint_value for one in launch.args}
    assert arguments == {
        "device": 0, "stream": 7, "context": 1, "registers_per_thread": 40, "shared_mem_static": 16,
        "shared_mem_dynamic": 1024,
    }  # fmt: skip


def test_kernels_say_what_they_could_fill(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("occupancy")) as run:
        trace, work = decoded_of(run), run.query("gpu_events").height
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
    assert sum(said.values()) == len(launches) == work


RANGES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 25), st.integers(0, 8)), min_size=1, max_size=25)


@given(RANGES, st.integers(1, 6))
def test_slices_of_a_lane_nest_whatever_their_times(ranges: list[tuple[int, int, int]], size: int) -> None:
    """In parts of any size, on each track."""
    rows = [(track, start, start + length) for track, start, length in ranges]
    events = pl.DataFrame(rows, schema={"track": pl.UInt32, "start_ns": pl.Int64, "end_ns": pl.Int64}, orient="row")
    events = events.sort("track", "start_ns", "end_ns", descending=[False, False, True])
    found: Counter[tuple[int, int, int]] = Counter()
    for (track,), own in events.partition_by("track", as_dict=True).items():
        lines: dict[int, list[tuple[bool, int]]] = {}
        for lane, part, at in slices.laid(own.iter_slices(size)):
            packets = [*zip(at.begins, part["start_ns"]), *zip(at.ends, at.end_at)]  # noqa: B905
            assert sorted(int(place) for place, _ in packets) == list(range(len(packets)))
            kinds = [True] * at.begins.size + [False] * at.ends.size
            ordered = sorted(zip(packets, kinds, strict=True), key=lambda one: int(one[0][0]))
            lines.setdefault(lane, []).extend((is_begin, int(time)) for (_, time), is_begin in ordered)
        for line in lines.values():
            assert [time for _, time in line] == sorted(time for _, time in line)
            stack: list[int] = []
            for is_begin, time in line:
                if is_begin:
                    stack.append(time)
                else:
                    found[track, stack.pop(), time] += 1
            assert not stack
    assert found == Counter(rows)


def test_counters_are_the_samples_and_the_memory_in_use(story: Callable[[str], Path]) -> None:
    for name, query, value in ("gpu_metrics", "gpu_metric", "value"), ("memory", "memory_use", "use_bytes"):
        with nsysql.open(story(name)) as run:
            found = streamed(run, SCOPE)
            trace = decoded(b"".join(native.parts(found)))
            rows = run.query(query).filter(pl.col("start_ns") <= found.end_ns)
            if query == "gpu_metric":  # what holds when the timeline begins has a row there
                rows = rows.filter(pl.col("end_ns") > found.start_ns)
            rows = rows.with_columns(pl.col("start_ns").clip(found.start_ns))
        label = pl.col("metric") if query == "gpu_metric" else "memory: " + pl.col("kind")
        drawn = rows.select("GPU 0: " + label, "start_ns", value).rows()
        own = [one for one in counters_of(trace) if one[0] not in ("GPU 0: busy", "GPU 0: launch queue")]
        assert drawn and Counter(drawn) == Counter(own)


@pytest.mark.parametrize("name", ["training", "two_streams", "idle_two_gpus"])
def test_counters_are_how_busy_gpus_are_and_how_much_is_queued(name: str, story: Callable[[str], Path]) -> None:
    with nsysql.open(story(name)) as run:
        moved = native.moved_by(streamed(run, SCOPE))
        got = [(name, at - moved, value) for name, at, value in counters_of(decoded_of(run))]
        queue, busy = run.launch_queue(), run.busy_over_time(slices=SLICES)
        gpus, merged = run.gpu_time(), list(streamed(run, SCOPE).counters(10))
    assert [one for one in got if one[0].endswith("launch queue")] == [
        (f"GPU {gpu}: launch queue", at, depth) for gpu, at, _, depth in queue.rows()
    ]
    slices_ = busy.filter(pl.col("end_ns") > pl.col("start_ns"))
    shares = [
        (f"GPU {gpu}: busy", start, round(100 * busy_ns / (end - start) + 1e-9))
        for gpu, _, start, end, busy_ns in slices_.rows()
    ]
    ends = [(f"GPU {gpu}: busy", end, 0) for gpu, end in gpus.select("gpu_id", "window_end_ns").rows()]
    assert [one for one in got if one[0].endswith("busy")] == sorted(shares + ends)
    few = merged[-1]
    assert few["value"].max() == queue["depth"].max() and few.height < max(queue.height, 20)


def test_counters_do_not_depend_on_the_order_of_rows(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB's threads return rows in any order unless one is asked for; merging must not notice."""
    select = nsysql.Run.select

    def unordered(run: nsysql.Run, name: str, columns: str, which: str = "", narrow: Any = None, /, **p: Any) -> Any:
        if not which or "ORDER BY" in which:
            return select(run, name, columns, which, narrow, **p)
        rows = select(run, name, columns, which, **p).sample(fraction=1, shuffle=True, seed=1)
        return rows if narrow is None else pl.concat(map(narrow, rows.iter_slices(7)))

    with nsysql.open(story("training")) as run:
        trace, queue = streamed(run, SCOPE), run.launch_queue().height
        expected = list(trace.counters(queue // 2))
        assert expected[-1].height < queue
        monkeypatch.setattr(nsysql.Run, "select", unordered)
        for one, other in zip(expected, trace.counters(queue // 2), strict=True):
            assert one.equals(other)


def test_cpu_samples_have_their_call_stacks(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("lines_python")) as run:
        trace, rows = decoded_of(run), run.cpu_samples()
        part = decoded_of(run, PageScope(None, 1050, 1500))
    assert rows.height == 4
    assert samples_of(trace) == rows.select("pid", "tid", "start_ns", "stack").rows()
    assert (
        samples_of(part) == rows.filter(pl.col("start_ns") < 1500)[1:].select("pid", "tid", "start_ns", "stack").rows()
    )


def samples_of(trace: Any) -> list[tuple[int, int, int, str]]:
    """The CPU samples of a trace: process, thread, time and functions."""
    functions, frames, stacks, mappings, found = {}, {}, {}, set(), []
    for packet in trace.packet:
        functions |= {one.iid: one.str.decode() for one in packet.interned_data.function_names}
        mappings |= {one.iid for one in packet.interned_data.mappings}
        for one in packet.interned_data.frames:
            assert one.mapping_id in mappings  # Perfetto drops frames without
            frames[one.iid] = functions[one.function_name_id]
        stacks |= {
            one.iid: ";".join(frames[frame] for frame in one.frame_ids) for one in packet.interned_data.callstacks
        }
        if packet.HasField("perf_sample"):
            one = packet.perf_sample
            found.append((one.pid, one.tid, packet.timestamp, stacks[one.callstack_iid]))
    return found


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
    assert {name for name, *_ in events_of(trace_of(export))} == set(names)


def test_the_command(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    ran = run("trace", story("training"), "-o", tmp_path / "t.pftrace")
    assert ran.code == 0 and re.search(r"t.pftrace: [\d,]+ events, \d+\.\d+ kB;", ran.err)
    assert decoded(gzip.decompress((tmp_path / "t.pftrace").read_bytes())).packet
    assert decoded(gzip.decompress(run("trace", story("training"), "-q").out)).packet
    assert run("trace", story("training"), "--start", "90s", "-o", tmp_path / "none.pftrace").code == 2


def test_full_merges_nothing(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("trace", story("training"), "-o", tmp_path / "whole.pftrace")
    monkeypatch.setattr("nsysql.cli.commands.jobs.LARGE", 20)
    merged = run("trace", story("training"), "-o", tmp_path / "merged.pftrace")
    full = run("trace", story("training"), "--full", "-o", tmp_path / "full.pftrace")
    assert "short events are merged; --full keeps all" in merged.err
    assert "merged" not in whole.err and "merged" not in full.err
    assert "Narrow it by --start, --end or --nvtx." in full.err
    files = [(tmp_path / f"{name}.pftrace").read_bytes() for name in ("whole", "full", "merged")]
    assert files[0] == files[1] != files[2]
    assert not (tmp_path / "none.pftrace").exists()


def test_the_critical_path_is_the_first_track(
    build: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty launches, each 100 us after the other, of kernels that take 100 us: from the first launch to the end."""
    few_blocks = read_story("few_blocks").write(tmp_path / "few_blocks.sqlite")
    with nsysql.open(few_blocks) as run:
        trace = decoded_of(run)
        part = critical_events(run, 1_000_000, 1_500_000)
    path = [one for one in events_of(trace).items() if one[0][3] == "/critical path"]
    spans = sorted((start, start + length, name) for (name, start, length, _), count in path for _ in range(count))
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert spans[-1][1] == 3_200_000 and any("(float *)" in name for *_, name in spans)
    ranks = {p.track_descriptor.name: p.track_descriptor.sibling_order_rank for p in trace.packet}
    assert ranks["critical path"] == 0 < min(rank for name, rank in ranks.items() if name.startswith("GPU"))
    assert part is not None and part["end_ns"].min() > 1_000_000 and part["start_ns"].max() < 1_500_000
    sql = "INSERT INTO NVTX_EVENTS (start, \"end\", eventType, globalTid, text) VALUES (1, 5, 59, 500 << 24 | 1, 'a')"
    monkeypatch.setattr("nsysql.capture.replay_graph.MOST_WORK", 29)
    with nsysql.open(few_blocks) as run:  # more work than is replayed
        assert critical_events(run, 0, 9_000_000) is None
    with nsysql.open(build(sql)) as run:  # not to be replayed: no track
        assert {event[3] for event in events_of(decoded_of(run))} == {"/500/1/NVTX"}
