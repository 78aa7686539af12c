"""Add the edges of threads: host code, calls and what they wait for, launch queues, and the way of work to the GPU."""

import numpy
import polars

from nsysql.analysis.intervals import with_nearest
from nsysql.analysis.replay.calls import INDEX, MUCH, TOLERANCE, waited_for
from nsysql.analysis.replay.changes import SHORT_NS
from nsysql.analysis.replay.edges import Edges, previous, usual_of
from nsysql.analysis.replay.graph import NONE, Array, Edge

QUEUE = 1_021  # launches that a queue holds at least: the next one returns once the first of them has started
BLOCKING = 2_000  # ns that a blocking call takes on the CPU itself, at most
LATENCY = 20_000  # most ns from a call to the start of its work, if the capture shows only first launches
RECURS = 3  # waits for others from which they have a pace
MOSTLY = 0.5  # share of the host code before a call from which it is a wait
SPIN, AWAKE = 20_000, 10_000  # ns: host code that may be a wait, at least; from the end of GPU work to its end, at most
COPY = r"(?i)memcpy"
STAGED = 65_536  # bytes from which the call of a copy to the GPU waits until pageable memory is in the driver's buffers
STEADIER = 0.5  # share of the spread of their lengths, below which waits end at a pace


def thread_edges(g: Edges) -> None:
    """Add edges of threads: host code between calls, calls' own time, waits of blocking calls and full queues."""
    calls = g.calls
    rows = numpy.arange(calls.height)
    before = _without_wait(g, _returned_before(g))
    first = before < 0
    nowhere = numpy.zeros(first.sum(), dtype=numpy.int64)
    g.add(Edge.BEGIN, g.starts[first], nowhere, g.call_start[first], rows[first], NONE)
    prior = before[~first]
    gap = g.call_start[~first] - g.call_end[prior]
    late = _ranks(g, before)
    own = gap - numpy.maximum(late[~first], _spins(g, rows[~first], prior))
    g.add(Edge.HOST, g.starts[~first], g.returns[prior], own, rows[~first], NONE)
    _paces(g, rows[~first], gap)
    waited = waited_for(calls, g.works, g.streams)
    waited = polars.concat([waited, g.ends_of_branches(waited)])
    copies = _own_copies(g)
    call = numpy.concatenate([waited["call"].to_numpy(), g.called[copies]])
    work = numpy.concatenate([waited["work"].to_numpy(), copies])
    really = g.end[work] > g.call_start[call]
    waiting = numpy.zeros(calls.height, dtype=bool)
    waiting[call[really]] = True
    duration = g.call_end - g.call_start
    launches, full = calls["launches"].to_numpy(), _queue(g)
    frame = calls.select("name").with_columns(polars.Series("wait", numpy.where(full, NONE, duration)))
    own = usual_of(frame, 0.5)
    own = numpy.where(full, numpy.maximum(own, BLOCKING), own)
    usual = numpy.where(waiting, BLOCKING, numpy.where(launches, own, duration))
    g.add(Edge.OWN, g.returns, g.starts, numpy.minimum(usual, duration), rows, NONE)
    back_ns = numpy.where(really, g.call_end[call] - g.end[work], NONE)
    back = calls.select("name")[call].with_columns(polars.Series("wait", back_ns))
    g.add(Edge.WAIT, g.returns[call], g.ends[work], usual_of(back, 0.5), call, work)


def _without_wait(g: Edges, before: Array) -> Array:
    """Let a call follow its own thread's last, if another thread's returned later, but the thread waited for nothing.

    Only if the capture has waits of the thread. If it did wait, its own host code since its last call comes on top.
    """
    calls = g.calls.select("thread_id", "start_ns", call=INDEX)
    mine = previous(g.calls, ["thread_id"])
    thread = calls["thread_id"].to_numpy()
    waits = calls["thread_id"].is_in(g.others["thread_id"].unique().implode()).fill_null(False).to_numpy()
    other = waits & (before >= 0) & (mine >= 0) & (thread[before] != thread)
    if not other.any():
        return before
    waited = numpy.zeros(g.calls.height, dtype=numpy.int64)
    after = _waits_before(g, calls)
    begun = numpy.maximum(after["start_ns"].to_numpy(), g.call_end[mine[after["call"].to_numpy()]])
    numpy.add.at(waited, after["call"].to_numpy(), numpy.maximum(after["end_ns"].to_numpy() - begun, 0))
    some = numpy.flatnonzero(other & (waited > 0))
    own = g.call_start[some] - g.call_end[mine[some]] - waited[some]
    g.add(Edge.HOST, g.starts[some], g.returns[mine[some]], own, some, NONE)
    return numpy.where(other & (waited == 0), mine, before)


def _waits_before(g: Edges, calls: polars.DataFrame) -> polars.DataFrame:
    """Join waits for others with the next call of their thread."""
    others, how = g.others.sort("end_ns"), {"strategy": "forward", "suffix": "_call"}
    return with_nearest(others, calls, "end_ns", "start_ns", "thread_id", **how).drop_nulls("call")


def _paces(g: Edges, call: Array, gap: Array) -> None:
    """Let waits for other threads end as long after each other as they did, the first when it did.

    Waits for messages and sleeps, too, if they end at more equal intervals than they are long: requests, or a timer.
    """
    of_call = polars.Series("call", call), polars.Series("gap", gap)
    calls = g.calls.select("thread_id", "start_ns")[call].with_columns(of_call)
    waited = _waits_before(g, calls)
    begun = polars.max_horizontal("start_ns", polars.col("start_ns_call") - polars.col("gap"))
    whole = polars.col("end_ns") - polars.col("start_ns")
    waited = waited.with_columns(inside=(polars.col("end_ns") - begun).clip(0))
    alone = polars.col("inside") >= MOSTLY * whole  # else it waited for calls of another thread
    waited = waited.filter(alone & (whole >= SHORT_NS))
    sums = polars.col("inside").sum(), polars.col("is_lock", "is_sleep").any()
    waiting = waited.group_by("thread_id", "call", "gap").agg(sums)
    waiting = waiting.filter(polars.col("inside") >= MOSTLY * polars.col("gap")).sort("call")
    waiting = waiting.with_columns(polars.Series("at", g.call_start[waiting["call"].to_numpy()]))
    paced = polars.col("inside").sum() >= MUCH * (polars.col("at").max() - polars.col("at").min())
    waiting = waiting.filter((paced & (polars.len() >= RECURS)).over("thread_id"))
    period = polars.col("at").diff()
    steady = (_spread(period) < STEADIER * _spread(polars.col("inside"))).over("thread_id")
    waiting = waiting.with_columns(is_paced=polars.col("is_lock") | steady)
    waiting = waiting.filter(polars.col("is_paced") | ~polars.col("is_sleep"))
    call, is_paced = waiting["call"].to_numpy(), waiting["is_paced"].to_numpy()
    last = waiting.select(polars.col("call").shift(1).over("thread_id").fill_null(NONE))["call"].to_numpy()
    source = numpy.where(last >= 0, g.starts[last], 0)
    for kind, own in ((Edge.PACE, is_paced), (Edge.MAYBE, ~is_paced)):
        pace = g.call_start[call[own]] - g.measured[source[own]]
        g.add(kind, g.starts[call[own]], source[own], pace, call[own], NONE)


def _spins(g: Edges, call: Array, prior: Array) -> Array:
    """Let calls wait for the GPU to run dry if host code before them spins until then, on memory that the GPU writes.

    It ends each time as the GPU runs dry. If it ends as long after that, however long it is, it is a wait; otherwise it
    may be one. Return the ns of host code that are a wait.
    """
    works = g.works.select(row="call", end="end_ns", work=INDEX).filter(polars.col("row") >= 0)
    ended = polars.col("end") == polars.col("end").cum_max()
    last = polars.when(ended).then("work").forward_fill()
    dry = works.sort("row", "end").with_columns(polars.col("end").cum_max(), last)
    dry = dry.group_by("row", maintain_order=True).last()
    gaps = polars.DataFrame({"prior": prior, "begin": g.call_end[prior], "until": g.call_start[call]})
    gaps = gaps.with_columns(gap=INDEX, length=polars.col("until") - polars.col("begin")).sort("prior", "gap")
    gaps = gaps.join_asof(dry, left_on="prior", right_on="row", check_sortedness=False).drop_nulls("work")
    running = polars.col("end") - polars.col("begin") >= MOSTLY * polars.col("length")
    gaps = gaps.filter(running, polars.col("length") >= SPIN)
    gaps = gaps.with_columns(late=polars.col("until") - polars.col("end"))
    spins = gaps.filter(polars.col("late").is_between(0, AWAKE)).sort("gap")
    waited: Array = numpy.zeros(len(call), dtype=numpy.int64)
    if spins.height < max(RECURS, MOSTLY * gaps.height):
        return waited
    gap, work, late = (spins[name].to_numpy() for name in ("gap", "work", "late"))
    is_wait = spins.select(_spread(polars.col("late")) < STEADIER * _spread(polars.col("length"))).item()
    kind, usual = (Edge.WAIT, int(numpy.median(late))) if is_wait else (Edge.SPIN, late)
    g.add(kind, g.starts[call[gap]], g.ends[work], usual, call[gap], work if is_wait else NONE)
    if is_wait:
        waited[gap] = spins["length"].to_numpy()
    return waited


def _spread(values: polars.Expr) -> polars.Expr:
    """The distance between the quartiles."""
    return values.quantile(0.75) - values.quantile(0.25)


def _ranks(g: Edges, before: Array) -> Array:
    """Let MPI calls of one name and number return once all ranks are in them.

    Return the wait for that in the host code before each CUDA call.
    """
    calls = g.calls.select("thread_id", "start_ns", call=INDEX).with_columns(polars.Series("before", before))
    every = g.messages.sort("start_ns").with_columns(n=INDEX.over("process_id", "name_id"))
    every, how = every.sort("end_ns"), {"strategy": "forward", "suffix": "_next"}
    inside = with_nearest(every, calls, "end_ns", "start_ns", "thread_id", **how).filter(polars.col("before") >= 0)
    one = ["name_id", "n"]
    met = inside.with_columns(last=polars.col("start_ns").max().over(one)).filter(
        polars.col("last") < polars.col("end_ns").min().over(one),
        polars.col("process_id").n_unique().over(one) > 1,
        polars.Series(g.call_end)[inside["before"]] <= polars.col("start_ns"),
    )
    other = met.select(*one, "before", "process_id", "call", arrived=polars.col("start_ns"))
    pairs = met.join(other, on=one, suffix="_other").filter(polars.col("process_id") != polars.col("process_id_other"))
    call, source = pairs["call"].to_numpy(), pairs["before_other"].to_numpy()
    after = g.call_start[call] - pairs["last"].to_numpy()
    ahead = pairs["arrived"].to_numpy() - g.call_end[source]
    g.add(Edge.RANK, g.starts[call], g.returns[source], ahead + after, pairs["call_other"].to_numpy(), NONE)
    late: Array = numpy.zeros(g.calls.height, dtype=numpy.int64)
    waited = (met["last"] - met["start_ns"]).to_numpy()
    numpy.add.at(late, met["call"].to_numpy(), waited)
    longest: Array = numpy.maximum(g.call_start - g.call_end[before], 0)
    return numpy.minimum(late, longest)


def _returned_before(g: Edges) -> Array:
    """Return for each call the last of its chain that had returned when it began, or -1."""
    calls = g.calls.select("chain", "start_ns", "end_ns", row=INDEX)
    ended = calls.filter(polars.col("end_ns") > polars.col("start_ns")).sort("end_ns", "row")
    ended = ended.select("chain", "end_ns", before="row")
    rows = with_nearest(calls.sort("start_ns", "row"), ended, "start_ns", "end_ns", "chain")
    return rows.sort("row")["before"].fill_null(NONE).to_numpy()


def _own_copies(g: Edges) -> Array:
    """Return copies that their call waited for: they ended before it returned, or began, if it fills buffers."""
    called = numpy.maximum(g.called, 0)
    names = g.calls["name"].str.contains(COPY).fill_null(False).to_numpy()
    copies = (g.works["kind"] == "memcpy").to_numpy() & (g.called >= 0)
    if not len(names):
        return numpy.flatnonzero(copies & False)
    staged = g.works["is_pageable"].fill_null(False) & (g.works["bytes"] >= STAGED).fill_null(False)
    until = g.call_end[called] + TOLERANCE // 10
    return numpy.flatnonzero(copies & names[called] & ((g.end <= until) | staged.to_numpy() & (g.begin <= until)))


def _queue(g: Edges) -> Array:
    """Let a call return when work of its GPU that is a queue's length ahead has started; return which calls waited.

    A queue holds the most launches that had not started when one of the capture returned, or QUEUE.
    """
    launched = g.works.with_columns(work=INDEX).filter((polars.col("call") >= 0) | polars.Series(g.backlog))
    alone = polars.when(polars.col("call") < 0).then("work")
    by_call = launched.group_by("process_id", "gpu_id", "call", alone.alias("alone"), maintain_order=True)
    first = by_call.agg(polars.col("work").first()).sort("call", "work")
    full = numpy.zeros(g.calls.height, dtype=bool)
    for _, queue in first.group_by("process_id", "gpu_id", maintain_order=True):
        calls, works = queue["call"].to_numpy(), queue["work"].to_numpy()
        started = numpy.searchsorted(numpy.sort(g.begin[works]), g.call_end[calls], side="right")
        ahead = numpy.where(calls >= 0, numpy.arange(1, len(calls) + 1) - started, 0)
        size = max(QUEUE, int(ahead.max()))
        call, work = calls[size:], works[: max(len(works) - size, 0)]
        real = (call >= 0) & (g.begin[work] <= g.call_end[call] + TOLERANCE)
        g.add(Edge.QUEUE, g.returns[call[real]], g.begins[work[real]], 0, call[real], work[real])
        full[call[real & (g.begin[work] > g.call_start[call])]] = True
    return full


def submits(g: Edges) -> None:
    """Let work start after its call began; work without a call, after the last call to begin before it."""
    has = numpy.flatnonzero(g.called >= 0)
    call = g.called[has]
    latency = g.begin[has] - g.call_start[call]
    free = g.works.select(polars.col("end_ns").cum_max().shift(1).over("stream").fill_null(0))["end_ns"].to_numpy()[has]
    empty = free <= g.call_start[call]
    seen = numpy.where(empty, latency, NONE)
    usual = usual_of(g.calls.select("name")[call].with_columns(polars.Series("wait", seen)), 0.1)
    usual = numpy.minimum(usual, LATENCY)
    inside = empty & (g.begin[has] <= g.call_end[call] + usual)  # the call itself took that long
    usual = numpy.where(inside, latency, usual)
    g.add(Edge.SUBMIT, g.begins[has], g.starts[call], usual, call, has)
    without = numpy.flatnonzero((g.called < 0) & ~g.backlog)
    if not len(without):
        return
    before = numpy.searchsorted(g.call_start, g.begin[without], side="right") - 1
    source = numpy.where(before >= 0, g.starts[numpy.maximum(before, 0)] if len(g.starts) else 0, 0)
    measured = g.begin[without] - g.measured[source]
    g.add(Edge.PLACE, g.begins[without], source, measured, NONE, without)
