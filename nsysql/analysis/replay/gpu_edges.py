"""Add the edges of GPU work: streams, copy engines, the default stream, events, branches of graphs, collectives."""

import numpy
import polars

from nsysql.analysis.intervals import with_nearest
from nsysql.analysis.replay.calls import INDEX, TOLERANCE
from nsysql.analysis.replay.edges import AT_ONCE, FEW, Edges, previous
from nsysql.analysis.replay.graph import NONE, Array, Edge

STREAMS = 64  # with more, streams are not joined with the default stream one by one
BETWEEN = 1_000  # most ns from one piece of work of a stream to the next, if the capture shows none
LATE = 10_000  # ns after which the start of work needs another reason than its stream and its call
TURNS = 3  # copies that begin as one the other way ends, from which a GPU has one engine for both
HOST_FUNCTION = r"^cu(da)?(LaunchHostFunc|StreamAddCallback)"
COLLECTIVE = r"^(void )?nccl(Dev)?Kernel"


def gpu_edges(g: Edges) -> None:
    """Add all edges between pieces of GPU work, but for late starts, which need all others."""
    _streams(g)
    _engines(g)
    _joins(g)
    _events(g)
    _branches(g)
    _runs(g)


def _streams(g: Edges) -> None:
    before = previous(g.works, ["stream"])
    has = numpy.flatnonzero((before >= 0) & (g.end[before] <= g.begin + TOLERANCE))
    gap = g.begin[has] - g.end[before[has]]
    some = gap[gap >= 0]
    g.between = int(numpy.clip(numpy.quantile(some, 0.1), 0, BETWEEN)) if len(some) else 0
    g.follow(Edge.STREAM, has, before[has], g.between)


def _engines(g: Edges) -> None:
    is_copy = (polars.col("kind") == "memcpy") & (polars.col("call") >= 0)
    copies = g.works.with_columns(work=INDEX).filter(is_copy)
    engine = polars.when(_one_engine(copies)).then(polars.lit("both")).otherwise("direction")
    at, before = copies["work"].to_numpy(), previous(copies.with_columns(engine.alias("engine")), ["gpu_id", "engine"])
    has = before >= 0
    g.follow(Edge.ENGINE, at[has], at[before[has]], 0, tolerance=0)


def _one_engine(copies: polars.DataFrame) -> polars.Series:
    """Tell for each copy whether its GPU has one engine for both directions.

    Then copies to the GPU and back never ran at once, and several began as one the other way, of another stream, ended.
    """
    up, down = (polars.col("direction").str.contains(text).fill_null(False) for text in ("Host-to-D", "to-Host"))
    ended_up, ended_down = (
        polars.when(way).then("end_ns").cum_max().forward_fill().over("gpu_id") for way in (up, down)
    )
    other = polars.when(up).then(ended_down).when(down).then(ended_up)
    wait = polars.col("start_ns") - other
    turns = wait.is_between(0, AT_ONCE) & (polars.col("stream") != polars.col("stream").shift(1).over("gpu_id"))
    one = (wait.min() >= 0) & (turns.sum() >= TURNS)
    return copies.select(((up | down) & one.over("gpu_id")).fill_null(False).alias("one"))["one"]


def _joins(g: Edges) -> None:
    """Order work of the legacy default stream after that of blocking streams launched before, and vice versa."""
    wanted = numpy.where(g.called >= 0, g.call_start[numpy.maximum(g.called, 0)] if len(g.call_start) else 0, g.begin)
    rows = g.works.select("process_id", "context_id", "gpu_id", "stream", "is_null", work=INDEX)
    works = rows.with_columns(polars.Series("asked", wanted))
    for _, device in works.group_by("process_id", "context_id", "gpu_id", maintain_order=True):
        streams = device["stream"].unique().to_list()
        if not device["is_null"].any() or len(streams) < 2 or len(streams) > STREAMS:
            continue
        null = device.filter("is_null").sort("asked", "work")
        for stream in streams:
            other = device.filter((polars.col("stream") == stream) & ~polars.col("is_null")).sort("asked", "work")
            if other.height and not _overlap(g, null["work"].to_numpy(), other["work"].to_numpy()):
                for one, two in ((null, other), (other, null)):
                    _after(g, one, two)


def _overlap(g: Edges, one: Array, two: Array) -> bool:
    """Tell whether any of two sets of work ran at the same time."""
    both = numpy.concatenate([one, two])
    order = both[numpy.argsort(g.begin[both], kind="stable")]
    return bool((numpy.maximum.accumulate(g.end[order])[:-1] > g.begin[order][1:] + TOLERANCE // 10).any())


def _after(g: Edges, works: polars.DataFrame, others: polars.DataFrame) -> None:
    """Let the first of `works` launched after each of `others` wait for it."""
    last = others.select("asked", other="work")
    rows = works.select("asked", "work").join_asof(last, on="asked", allow_exact_matches=False)
    rows = rows.drop_nulls("other").unique("other", keep="first", maintain_order=True)
    g.follow(Edge.JOIN, rows["work"].to_numpy(), rows["other"].to_numpy(), g.between)


def _events(g: Edges) -> None:
    """Let a stream's next work after a wait for an event follow the last work before the event was recorded.

    Where the export does not name the event, the work of every other stream that was launched before the wait.
    """
    events, kind = _recorded(g), Edge.EVENT
    if not g.events.height:
        events, kind = _unrecorded(g), Edge.MAYBE
    if not events.height or not g.works.height:
        return
    works = g.works.with_columns(work=INDEX).filter(polars.col("call") >= 0)
    works = works.with_columns(polars.Series("asked", g.call_start[works["call"].to_numpy()]))
    works = works.sort("asked", "start_ns")
    after = works.select("process_id", "stream_id", "asked", "work")
    by = ["process_id", "stream_id"]
    waiting = with_nearest(events.sort("start_ns"), after, "start_ns", "asked", by, strategy="forward")
    before = works.select("process_id", recorded_stream_id="stream_id", at="asked", other="work")
    by = ["process_id", "recorded_stream_id"]
    recorded = with_nearest(waiting.sort("recorded_ns"), before, "recorded_ns", "at", by)
    recorded = recorded.drop_nulls(["work", "other"]).unique(["work", "other"], maintain_order=True)
    g.follow(kind, recorded["work"].to_numpy(), recorded["other"].to_numpy(), g.between)


def _unrecorded(g: Edges) -> polars.DataFrame:
    """Return the waits for events of an export without them, once for each stream that can wait for each other."""
    streams = g.works.select("process_id", "stream_id").unique(maintain_order=True)
    streams = streams.filter(polars.len().over("process_id") <= FEW)
    waits = g.calls.filter(polars.col("name").str.contains("StreamWaitEvent"))
    waits = waits.select("process_id", "start_ns", recorded_ns="start_ns").join(streams, on="process_id")
    pairs = waits.join(streams, on="process_id", suffix="_other").rename({"stream_id_other": "recorded_stream_id"})
    return pairs.filter(polars.col("recorded_stream_id") != polars.col("stream_id"))


def _recorded(g: Edges) -> polars.DataFrame:
    """Return the waits for events; one that does not name its record, once for each stream that can have it."""
    streams = g.works.select("process_id", recorded_stream_id="stream_id").unique(maintain_order=True)
    streams = streams.filter(polars.len().over("process_id") <= STREAMS)
    named = polars.col("recorded_ns").is_not_null() & polars.col("recorded_stream_id").is_not_null()
    unnamed = g.events.filter(~named).drop("recorded_stream_id").join(streams, on="process_id")
    unnamed = unnamed.filter(polars.col("recorded_stream_id") != polars.col("stream_id"))
    guessed = unnamed.with_columns(recorded_ns="start_ns").select(g.events.columns)
    return polars.concat([g.events.filter(named), guessed])


def _branches(g: Edges) -> None:
    """Let work after a graph wait for all its branches, and a branch perhaps for the others: no export says."""
    works = g.branching
    before = previous(g.works, ["stream"])
    after = numpy.flatnonzero((before >= 0) & (g.called[before] != g.called))
    others = g.ends_of_branches(polars.DataFrame({"next": after, "work": before[after]}))
    g.follow(Edge.STREAM, others["next"].to_numpy(), others["work"].to_numpy(), g.between)
    branches = works.select("call", branch="stream").unique()
    pairs = works.join(branches, on="call").filter(polars.col("branch") != polars.col("stream")).sort("start_ns")
    ended = works.select("call", "end_ns", branch="stream", other="work").sort("end_ns")
    pairs = with_nearest(pairs, ended, "start_ns", "end_ns", ["call", "branch"]).drop_nulls("other")
    g.follow(Edge.MAYBE, pairs["work"].to_numpy(), pairs["other"].to_numpy(), g.between)


def _runs(g: Edges) -> None:
    """Let work run; the kernels of one collective on several GPUs end together, after the last has begun."""
    rows = numpy.arange(g.works.height)
    duration = g.end - g.begin
    usual = duration.copy()
    is_collective = polars.col("name").str.contains(COLLECTIVE) & (polars.col("kind") == "kernel")
    collective = g.works.with_columns(work=INDEX).filter(is_collective)
    if collective["gpu_id"].n_unique() > 1:
        matched = collective.with_columns(n=INDEX.over("gpu_id", "stream", "name"))
        groups = matched.group_by("name", "n", maintain_order=True).agg("work", "gpu_id")
        for works, gpus in groups.filter(polars.col("work").list.len() > 1).select("work", "gpu_id").iter_rows():
            if len(set(gpus)) != len(works) or max(g.begin[works]) >= min(g.end[works]):
                continue
            short = int(min(duration[works]))
            usual[works] = short
            pairs = [(a, b) for a in works for b in works if a != b]
            this, other = (numpy.array(side, dtype=numpy.int64) for side in zip(*pairs, strict=True))
            g.add(Edge.TOGETHER, g.ends[this], g.begins[other], short, NONE, this)
    g.add(Edge.RUN, g.ends, g.begins, usual, NONE, rows)


def late_starts(g: Edges) -> None:
    """Let work that began late for no known reason, as work of another stream ended, follow that work.

    It waited for multiprocessors, or the program ordered the streams in a way that the export does not show.
    """
    node, source, kind, usual, _, _ = g.arrays()
    expected = numpy.zeros(len(g.measured), dtype=numpy.int64)
    numpy.maximum.at(expected, node, numpy.where(kind == Edge.MAYBE, 0, g.measured[source] + usual))
    is_late = (g.begin - expected[g.begins] > LATE) & (g.called >= 0)
    late = g.works.select("gpu_id", "start_ns", work=INDEX).filter(polars.Series(is_late))
    ended = g.works.select("gpu_id", "end_ns", other=INDEX).sort("end_ns", "other")
    pairs = with_nearest(late, ended, "start_ns", "end_ns", "gpu_id", tolerance=AT_ONCE).drop_nulls("other")
    g.follow(Edge.EVENT, pairs["work"].to_numpy(), pairs["other"].to_numpy(), g.between)
    is_late[pairs["work"].to_numpy()] = False
    _host_functions(g, is_late)


def _host_functions(g: Edges, is_late: Array) -> None:
    """Let work that began late wait for a host function that was queued between the stream's work and this."""
    functions = numpy.flatnonzero(g.calls["name"].str.contains(HOST_FUNCTION).fill_null(False).to_numpy())
    before = previous(g.works, ["stream"])
    work = numpy.flatnonzero(is_late & (before >= 0))
    at = numpy.searchsorted(functions, g.called[work]) - 1
    work, function = work[at >= 0], functions[at[at >= 0]]
    process = g.calls["process_id"].to_numpy()
    between = (function > g.called[before[work]]) & (process[function] == process[g.called[work]])
    work, function = work[between], function[between]
    wait = g.begin[work] - g.end[before[work]]
    g.add(Edge.CALLBACK, g.begins[work], g.ends[before[work]], wait, function, NONE)
