"""Build the graph (graph.Graph) of a capture from its calls and GPU work: the edges, and how long each waits.

One edge of a node bound it in the capture: the one whose source plus its kind's usual wait came last. That edge
keeps the measured wait exactly, so the unchanged graph replays to the measured times; the others keep their usual wait,
or less if less was measured. What exceeds the usual wait while the GPU was idle is slack.
"""

from functools import cached_property

import numpy
import polars

from nsysql.analysis.replay.calls import INDEX, MUCH, TOLERANCE, merged_polls, outer_calls, threads, waited_for
from nsysql.analysis.replay.graph import NEVER, NONE, Array, Edge, Graph
from nsysql.analysis.replay.order import in_order, numbered_nodes

QUEUE = 1_021  # launches that a queue holds at least: the next one returns once the first of them has started
BLOCKING = 2_000  # ns that a blocking call takes on the CPU itself, at most
STREAMS = 64  # with more, streams are not joined with the default stream one by one
FEW = 8  # with more streams, or branches of a graph, waits that the export does not record are left out
LATENCY = 20_000  # most ns from a call to the start of its work, if the capture shows only first launches
BETWEEN = 1_000  # most ns from one piece of work of a stream to the next, if the capture shows none
LATE = 10_000  # ns after which the start of work needs another reason than its stream and its call
RECURS = 3  # waits for others from which they have a pace
MOSTLY = 0.5  # share of the host code before a call from which it is a wait
AT_ONCE = 5_000  # most ns from the end of other work to the start of the work that waited for it
COPY = r"(?i)memcpy"
COLLECTIVE = r"^(void )?nccl(Dev)?Kernel"


def _previous(frame: polars.DataFrame, by: list[str]) -> Array:
    """Return for each row the row before it in the group, or -1; rows are in order."""
    return frame.with_columns(i=INDEX).select(polars.col("i").shift(1).over(by).fill_null(NONE))["i"].to_numpy()


def _usual(frame: polars.DataFrame, quantile: float) -> Array:
    """Return the quantile of `wait` among rows of a `name`, for each row; at least 0."""
    value = polars.col("wait").filter(polars.col("wait") >= 0).quantile(quantile, "lower").over("name")
    return frame.select(value.fill_null(0).cast(polars.Int64).alias("u"))["u"].to_numpy()


def build(
    calls: polars.DataFrame,
    works: polars.DataFrame,
    streams: polars.DataFrame,
    events: polars.DataFrame,
    waits: polars.DataFrame,
    messages: polars.DataFrame,
) -> Graph:
    """Build the graph of a capture.

    calls: start_ns, end_ns, process_id, thread_id, correlation_id, name, return_value. works: start_ns, end_ns,
    process_id, gpu_id, context_id, stream_id, correlation_id, kind, name, bytes, direction, is_pageable, is_null (on
    the legacy default stream). streams: the stream that a call waits for, as process_id, correlation_id, waits_on.
    events: process_id, start_ns, stream_id (which waits), recorded_stream_id, recorded_ns. waits: OS calls that end
    when another thread or program acts, as thread_id, start_ns, end_ns, is_lock (for a thread). messages: MPI calls,
    as process_id, thread_id, start_ns, end_ns, name_id.
    """
    nested = outer_calls(calls).with_columns(row=INDEX)
    known = nested.group_by("process_id", "correlation_id", maintain_order=True).agg(polars.col("outer").first())
    works = works.sort("start_ns", "end_ns", "gpu_id", "stream_id", "correlation_id")
    works = works.join(known, on=["process_id", "correlation_id"], how="left", maintain_order="left")
    launches = polars.col("row").is_in(works["outer"].drop_nulls().unique().implode())
    outer, concurrent = threads(
        merged_polls(nested.filter(polars.col("row") == polars.col("outer")).with_columns(launches=launches))
    )
    outer = outer.sort("start_ns", "end_ns", "chain", "row")
    works = works.join(outer.select("outer", call=INDEX), on="outer", how="left", maintain_order="left").with_columns(
        polars.col("call").fill_null(NONE),
        stream=polars.struct("process_id", "gpu_id", "context_id", "stream_id").rank("dense"),
    )
    return _Builder(outer, works, streams, events, waits, messages, concurrent).graph()


class _Builder:
    """One capture's edges, kind by kind."""

    def __init__(
        self,
        calls: polars.DataFrame,
        works: polars.DataFrame,
        streams: polars.DataFrame,
        events: polars.DataFrame,
        others: polars.DataFrame,
        messages: polars.DataFrame,
        concurrent: str | None,
    ) -> None:
        self.calls, self.works, self.streams, self.events, self.concurrent = calls, works, streams, events, concurrent
        self.others, self.messages = others, messages
        self.starts, self.returns, self.begins, self.ends, self.measured = numbered_nodes(calls, works)
        self.call_start, self.call_end = calls["start_ns"].to_numpy(), calls["end_ns"].to_numpy()
        self.begin, self.end = works["start_ns"].to_numpy(), works["end_ns"].to_numpy()
        self.called = works["call"].to_numpy()
        self.edges: list[tuple[Array, ...]] = []

    def graph(self) -> Graph:
        self._calls()
        self._submits()
        self._streams()
        self._engines()
        self._joins()
        self._events()
        self._branches()
        self._runs()
        self._after_others()
        edges = self._arrays()
        number = in_order(edges[0], edges[1], len(self.measured))
        right = number[edges[1]] < number[edges[0]]  # otherwise edges form a cycle, and this one is dropped
        alone = numpy.flatnonzero(numpy.bincount(edges[0][right], minlength=len(number)) == 0)[1:]  # all but node 0
        self._add(Edge.BEGIN, alone, numpy.zeros(len(alone), dtype=numpy.int64), self.measured[alone], NONE, NONE)
        right = numpy.append(right, numpy.ones(len(alone), dtype=bool))
        node, source, kind, usual, call, work = (v[right] for v in self._arrays())
        wait, slack = self._waits(node, source, numpy.where(kind == Edge.MAYBE, NEVER, usual))
        wait = numpy.where(kind == Edge.MAYBE, numpy.minimum(usual, self.measured[node] - self.measured[source]), wait)
        slack_ns = self._idle_slack(slack)
        node, source = number[node], number[source]
        self._renumber(number)
        order = numpy.lexsort((source, kind == Edge.PACE, node))  # host code is a better reason than a pace
        waits = numpy.zeros(self.calls.height, dtype=bool)
        waits[call[(kind == Edge.WAIT)]] = True
        return Graph(
            self.calls.with_columns(
                polars.Series("waits", waits), polars.Series("first", self.starts), polars.Series("last", self.returns)
            ),
            self.works.with_columns(polars.Series("first", self.begins), polars.Series("last", self.ends)),
            self.measured, node[order], source[order], kind[order], wait[order], call[order], work[order],
            slack_ns, self.concurrent,
        )  # fmt: skip

    def _add(
        self, kind: Edge, node: Array, source: Array, usual: Array | int, call: Array | int, work: Array | int
    ) -> None:
        """Add edges of one kind."""
        more = (numpy.asarray(value, dtype=numpy.int64) for value in (int(kind), usual, call, work))
        self.edges.append((node, source, *(numpy.broadcast_to(value, len(node)) for value in more)))

    def _arrays(self) -> list[Array]:
        """Return all edges, column by column."""
        return [numpy.concatenate(column).astype(numpy.int64) for column in zip(*self.edges, strict=True)]

    def _follow(self, kind: Edge, work: Array, other: Array, usual: int, tolerance: int = TOLERANCE) -> None:
        """Add edges from the ends of other work to the starts of work, if the other work had ended by then."""
        real = self.end[other] <= self.begin[work] + tolerance
        self._add(kind, self.begins[work[real]], self.ends[other[real]], usual, NONE, work[real])

    def _renumber(self, number: Array) -> None:
        self.starts, self.returns = number[self.starts], number[self.returns]
        self.begins, self.ends = number[self.begins], number[self.ends]
        measured = self.measured.copy()
        measured[number] = self.measured
        self.measured = measured

    def _calls(self) -> None:
        """Add edges of threads: host code between calls, calls' own time, waits of blocking calls and full queues."""
        calls = self.calls
        rows = numpy.arange(calls.height)
        before = self._returned_before()
        first = before < 0
        nowhere = numpy.zeros(first.sum(), dtype=numpy.int64)
        self._add(Edge.BEGIN, self.starts[first], nowhere, self.call_start[first], rows[first], NONE)
        prior = before[~first]
        gap = self.call_start[~first] - self.call_end[prior]
        late = self._ranks(before)
        self._add(Edge.HOST, self.starts[~first], self.returns[prior], gap - late[~first], rows[~first], NONE)
        self._paces(rows[~first], gap)
        waited = waited_for(calls, self.works, self.streams)
        waited = polars.concat([waited, self._ends_of_branches(waited)])
        copies = self._own_copies()
        call = numpy.concatenate([waited["call"].to_numpy(), self.called[copies]])
        work = numpy.concatenate([waited["work"].to_numpy(), copies])
        really = self.end[work] > self.call_start[call]
        waiting = numpy.zeros(calls.height, dtype=bool)
        waiting[call[really]] = True
        duration = self.call_end - self.call_start
        launches, full = calls["launches"].to_numpy(), self._queue()
        frame = calls.select("name").with_columns(polars.Series("wait", numpy.where(full, NONE, duration)))
        own = _usual(frame, 0.5)
        own = numpy.where(full, numpy.maximum(own, BLOCKING), own)
        usual = numpy.where(waiting, BLOCKING, numpy.where(launches, own, duration))
        self._add(Edge.OWN, self.returns, self.starts, numpy.minimum(usual, duration), rows, NONE)
        back = calls.select("name")[call].with_columns(
            polars.Series("wait", numpy.where(really, self.call_end[call] - self.end[work], NONE))
        )
        self._add(Edge.WAIT, self.returns[call], self.ends[work], _usual(back, 0.5), call, work)

    def _paces(self, call: Array, gap: Array) -> None:
        """Let waits for other threads end as long after each other as they did, the first when it did."""
        calls = self.calls.select("thread_id", "start_ns")[call].with_columns(
            polars.Series("call", call), polars.Series("gap", gap)
        )
        waited = self.others.sort("end_ns").join_asof(
            calls, left_on="end_ns", right_on="start_ns", by="thread_id", strategy="forward", suffix="_call",
            check_sortedness=False,
        ).drop_nulls("call")  # fmt: skip
        begun = polars.max_horizontal("start_ns", polars.col("start_ns_call") - polars.col("gap"))
        whole = polars.col("end_ns") - polars.col("start_ns")
        waited = waited.with_columns(inside=(polars.col("end_ns") - begun).clip(0))
        waited = waited.filter(polars.col("inside") >= MOSTLY * whole)  # else it waited for calls of another thread
        waiting = waited.group_by("thread_id", "call", "gap").agg(
            polars.col("inside").sum(), is_lock=polars.col("is_lock").any()
        )
        waiting = waiting.filter(polars.col("inside") >= MOSTLY * polars.col("gap")).sort("call")
        waiting = waiting.with_columns(polars.Series("at", self.call_start[waiting["call"].to_numpy()]))
        paced = polars.col("inside").sum() >= MUCH * (polars.col("at").max() - polars.col("at").min())
        waiting = waiting.filter((paced & (polars.len() >= RECURS)).over("thread_id"))
        call = waiting["call"].to_numpy()
        last = waiting.select(polars.col("call").shift(1).over("thread_id").fill_null(NONE))["call"].to_numpy()
        source = numpy.where(last >= 0, self.starts[last], 0)
        for kind, own in ((Edge.PACE, waiting["is_lock"].to_numpy()), (Edge.MAYBE, ~waiting["is_lock"].to_numpy())):
            pace = self.call_start[call[own]] - self.measured[source[own]]
            self._add(kind, self.starts[call[own]], source[own], pace, call[own], NONE)

    def _ranks(self, before: Array) -> Array:
        """Let MPI calls of one name and number return once all ranks are in them.

        Return the wait for that in the host code before each CUDA call.
        """
        calls = self.calls.select("thread_id", "start_ns", call=INDEX).with_columns(polars.Series("before", before))
        every = self.messages.sort("start_ns").with_columns(n=INDEX.over("process_id", "name_id"))
        inside = every.sort("end_ns").join_asof(
            calls, left_on="end_ns", right_on="start_ns", by="thread_id", strategy="forward", suffix="_next",
            check_sortedness=False,
        ).filter(polars.col("before") >= 0)  # fmt: skip
        one = ["name_id", "n"]
        met = inside.with_columns(last=polars.col("start_ns").max().over(one)).filter(
            (polars.col("last") < polars.col("end_ns").min().over(one))
            & (polars.col("process_id").n_unique().over(one) > 1)
            & (polars.Series(self.call_end)[inside["before"]] <= polars.col("start_ns"))
        )
        other = met.select(*one, "before", "process_id", "call", arrived=polars.col("start_ns"))
        pairs = met.join(other, on=one, suffix="_other").filter(
            polars.col("process_id") != polars.col("process_id_other")
        )
        call, source = pairs["call"].to_numpy(), pairs["before_other"].to_numpy()
        after = self.call_start[call] - pairs["last"].to_numpy()
        ahead = pairs["arrived"].to_numpy() - self.call_end[source]
        self._add(
            Edge.RANK, self.starts[call], self.returns[source], ahead + after, pairs["call_other"].to_numpy(), NONE
        )
        late: Array = numpy.zeros(self.calls.height, dtype=numpy.int64)
        waited = (met["last"] - met["start_ns"]).to_numpy()
        numpy.add.at(late, met["call"].to_numpy(), waited)
        longest: Array = numpy.maximum(self.call_start - self.call_end[before], 0)
        return numpy.minimum(late, longest)

    def _returned_before(self) -> Array:
        """Return for each call the last of its chain that had returned when it began, or -1."""
        calls = self.calls.select("chain", "start_ns", "end_ns").with_columns(
            polars.int_range(polars.len(), dtype=polars.Int64).alias("row")
        )
        ended = calls.filter(polars.col("end_ns") > polars.col("start_ns")).sort("end_ns", "row")
        rows = calls.sort("start_ns", "row").join_asof(
            ended.select("chain", "end_ns", polars.col("row").alias("before")),
            left_on="start_ns", right_on="end_ns", by="chain", strategy="backward", check_sortedness=False,
        )  # fmt: skip
        return rows.sort("row")["before"].fill_null(NONE).to_numpy()

    def _own_copies(self) -> Array:
        """Return copies that ended before their call returned: it waited for them."""
        called = numpy.maximum(self.called, 0)
        names = self.calls["name"].str.contains(COPY).fill_null(False).to_numpy()
        copies = (self.works["kind"] == "memcpy").to_numpy() & (self.called >= 0)
        if not len(names):
            return numpy.flatnonzero(copies & False)
        return numpy.flatnonzero(copies & names[called] & (self.end <= self.call_end[called] + TOLERANCE // 10))

    def _queue(self) -> Array:
        """Let a call return when work of its GPU that is a queue's length ahead has started; return which calls waited.

        A queue holds the most launches that had not started when one of the capture returned, or QUEUE.
        """
        launched = self.works.with_columns(work=INDEX).filter(polars.col("call") >= 0)
        by_call = launched.group_by("process_id", "gpu_id", "call", maintain_order=True)
        first = by_call.agg(polars.col("work").first()).sort("call")
        full = numpy.zeros(self.calls.height, dtype=bool)
        for _, queue in first.group_by("process_id", "gpu_id", maintain_order=True):
            calls, works = queue["call"].to_numpy(), queue["work"].to_numpy()
            started = numpy.searchsorted(numpy.sort(self.begin[works]), self.call_end[calls], side="right")
            size = max(QUEUE, int((numpy.arange(1, len(calls) + 1) - started).max()))
            call, work = calls[size:], works[: max(len(works) - size, 0)]
            real = self.begin[work] <= self.call_end[call] + TOLERANCE
            self._add(Edge.QUEUE, self.returns[call[real]], self.begins[work[real]], 0, call[real], work[real])
            full[call[real & (self.begin[work] > self.call_start[call])]] = True
        return full

    def _submits(self) -> None:
        """Let work start after its call began; work without a call, after the last call to begin before it."""
        has = numpy.flatnonzero(self.called >= 0)
        call = self.called[has]
        latency = self.begin[has] - self.call_start[call]
        free = self.works.select(polars.col("end_ns").cum_max().shift(1).over("stream").fill_null(0))[
            "end_ns"
        ].to_numpy()[has]
        empty = free <= self.call_start[call]
        seen = numpy.where(empty, latency, NONE)
        usual = _usual(self.calls.select("name")[call].with_columns(polars.Series("wait", seen)), 0.1)
        usual = numpy.minimum(usual, LATENCY)
        inside = empty & (self.begin[has] <= self.call_end[call] + usual)  # the call itself took that long
        usual = numpy.where(inside, latency, usual)
        self._add(Edge.SUBMIT, self.begins[has], self.starts[call], usual, call, has)
        without = numpy.flatnonzero(self.called < 0)
        if not len(without):
            return
        before = numpy.searchsorted(self.call_start, self.begin[without], side="right") - 1
        source = numpy.where(before >= 0, self.starts[numpy.maximum(before, 0)] if len(self.starts) else 0, 0)
        measured = self.begin[without] - self.measured[source]
        self._add(Edge.PLACE, self.begins[without], source, measured, NONE, without)

    def _streams(self) -> None:
        before = _previous(self.works, ["stream"])
        has = numpy.flatnonzero((before >= 0) & (self.end[before] <= self.begin + TOLERANCE))
        gap = self.begin[has] - self.end[before[has]]
        some = gap[gap >= 0]
        self.between = int(numpy.clip(numpy.quantile(some, 0.1), 0, BETWEEN)) if len(some) else 0
        self._follow(Edge.STREAM, has, before[has], self.between)

    def _engines(self) -> None:
        is_copy = (polars.col("kind") == "memcpy") & (polars.col("call") >= 0)
        copies = self.works.with_columns(work=INDEX).filter(is_copy)
        at, before = copies["work"].to_numpy(), _previous(copies, ["gpu_id", "direction"])
        has = before >= 0
        self._follow(Edge.ENGINE, at[has], at[before[has]], 0, tolerance=0)

    def _joins(self) -> None:
        """Order work of the legacy default stream after that of blocking streams launched before, and vice versa."""
        wanted = numpy.where(
            self.called >= 0, self.call_start[numpy.maximum(self.called, 0)] if len(self.call_start) else 0, self.begin
        )
        rows = self.works.select("process_id", "context_id", "gpu_id", "stream", "is_null", work=INDEX)
        works = rows.with_columns(polars.Series("asked", wanted))
        for _, device in works.group_by("process_id", "context_id", "gpu_id", maintain_order=True):
            streams = device["stream"].unique().to_list()
            if not device["is_null"].any() or len(streams) < 2 or len(streams) > STREAMS:
                continue
            null = device.filter("is_null").sort("asked", "work")
            for stream in streams:
                other = device.filter((polars.col("stream") == stream) & ~polars.col("is_null")).sort("asked", "work")
                if other.height and not self._overlap(null["work"].to_numpy(), other["work"].to_numpy()):
                    for one, two in ((null, other), (other, null)):
                        self._after(one, two)

    def _overlap(self, one: Array, two: Array) -> bool:
        """Tell whether any of two sets of work ran at the same time."""
        both = numpy.concatenate([one, two])
        order = both[numpy.argsort(self.begin[both], kind="stable")]
        return bool((numpy.maximum.accumulate(self.end[order])[:-1] > self.begin[order][1:] + TOLERANCE // 10).any())

    def _after(self, works: polars.DataFrame, others: polars.DataFrame) -> None:
        """Let the first of `works` launched after each of `others` wait for it."""
        last = others.select("asked", other="work")
        rows = works.select("asked", "work").join_asof(last, on="asked", allow_exact_matches=False)
        rows = rows.drop_nulls("other").unique("other", keep="first", maintain_order=True)
        self._follow(Edge.JOIN, rows["work"].to_numpy(), rows["other"].to_numpy(), self.between)

    def _events(self) -> None:
        """Let a stream's next work after a wait for an event follow the last work before the event was recorded.

        Where the export does not name the event, the work of every other stream that was launched before the wait.
        """
        events, kind = self._recorded(), Edge.EVENT
        if not self.events.height:
            events, kind = self._unrecorded(), Edge.MAYBE
        if not events.height or not self.works.height:
            return
        works = self.works.with_columns(work=INDEX).filter(polars.col("call") >= 0)
        works = works.with_columns(polars.Series("asked", self.call_start[works["call"].to_numpy()]))
        works = works.sort("asked", "start_ns")
        after = works.select("process_id", "stream_id", "asked", "work")
        waiting = events.sort("start_ns").join_asof(
            after, left_on="start_ns", right_on="asked", by=["process_id", "stream_id"], strategy="forward",
            check_sortedness=False,
        )  # fmt: skip
        before = works.select("process_id", recorded_stream_id="stream_id", at="asked", other="work")
        recorded = waiting.sort("recorded_ns").join_asof(
            before, left_on="recorded_ns", right_on="at", by=["process_id", "recorded_stream_id"],
            check_sortedness=False,
        ).drop_nulls(["work", "other"]).unique(["work", "other"], maintain_order=True)  # fmt: skip
        self._follow(kind, recorded["work"].to_numpy(), recorded["other"].to_numpy(), self.between)

    @cached_property
    def _branching(self) -> polars.DataFrame:
        """The work of graphs with few branches: work of one call on several streams."""
        works = self.works.select("call", "stream", "start_ns", "end_ns", work=INDEX).filter(polars.col("call") >= 0)
        return works.filter(polars.col("stream").n_unique().over("call").is_between(2, FEW))

    def _ends_of_branches(self, pairs: polars.DataFrame) -> polars.DataFrame:
        """Return for pairs of something and the `work` of a graph that it waits for the other ends of its branches."""
        ends = self._branching.group_by("call", "stream", maintain_order=True).agg(end=polars.col("work").last())
        of = polars.Series("of", self.called[pairs["work"].to_numpy()])
        both = pairs.with_columns(of).join(ends.select("end", of="call"), on="of", maintain_order="left")
        return both.filter(polars.col("end") != polars.col("work")).with_columns(work="end").select(pairs.columns)

    def _branches(self) -> None:
        """Let work after a graph wait for all its branches, and a branch perhaps for the others: no export says."""
        works = self._branching
        before = _previous(self.works, ["stream"])
        after = numpy.flatnonzero((before >= 0) & (self.called[before] != self.called))
        others = self._ends_of_branches(polars.DataFrame({"next": after, "work": before[after]}))
        self._follow(Edge.STREAM, others["next"].to_numpy(), others["work"].to_numpy(), self.between)
        branches = works.select("call", branch="stream").unique()
        pairs = works.join(branches, on="call").filter(polars.col("branch") != polars.col("stream")).sort("start_ns")
        ended = works.select("call", "end_ns", branch="stream", other="work").sort("end_ns")
        pairs = pairs.join_asof(
            ended, left_on="start_ns", right_on="end_ns", by=["call", "branch"], check_sortedness=False
        ).drop_nulls("other")
        self._follow(Edge.MAYBE, pairs["work"].to_numpy(), pairs["other"].to_numpy(), self.between)

    def _unrecorded(self) -> polars.DataFrame:
        """Return the waits for events of an export without them, once for each stream that can wait for each other."""
        streams = self.works.select("process_id", "stream_id").unique(maintain_order=True)
        streams = streams.filter(polars.len().over("process_id") <= FEW)
        waits = self.calls.filter(polars.col("name").str.contains("StreamWaitEvent"))
        waits = waits.select("process_id", "start_ns", recorded_ns="start_ns").join(streams, on="process_id")
        pairs = waits.join(streams, on="process_id", suffix="_other").rename({"stream_id_other": "recorded_stream_id"})
        return pairs.filter(polars.col("recorded_stream_id") != polars.col("stream_id"))

    def _recorded(self) -> polars.DataFrame:
        """Return the waits for events; one that does not name its record, once for each stream that can have it."""
        streams = self.works.select("process_id", recorded_stream_id="stream_id").unique(maintain_order=True)
        streams = streams.filter(polars.len().over("process_id") <= STREAMS)
        named = polars.col("recorded_ns").is_not_null() & polars.col("recorded_stream_id").is_not_null()
        unnamed = self.events.filter(~named).drop("recorded_stream_id").join(streams, on="process_id")
        unnamed = unnamed.filter(polars.col("recorded_stream_id") != polars.col("stream_id"))
        guessed = unnamed.with_columns(recorded_ns="start_ns").select(self.events.columns)
        return polars.concat([self.events.filter(named), guessed])

    def _runs(self) -> None:
        """Let work run; the kernels of one collective on several GPUs end together, after the last has begun."""
        rows = numpy.arange(self.works.height)
        duration = self.end - self.begin
        usual = duration.copy()
        is_collective = polars.col("name").str.contains(COLLECTIVE) & (polars.col("kind") == "kernel")
        collective = self.works.with_columns(work=INDEX).filter(is_collective)
        if collective["gpu_id"].n_unique() > 1:
            matched = collective.with_columns(n=INDEX.over("gpu_id", "stream", "name"))
            groups = matched.group_by("name", "n", maintain_order=True).agg("work", "gpu_id")
            for works, gpus in groups.filter(polars.col("work").list.len() > 1).select("work", "gpu_id").iter_rows():
                if len(set(gpus)) != len(works) or max(self.begin[works]) >= min(self.end[works]):
                    continue
                short = int(min(duration[works]))
                usual[works] = short
                pairs = [(a, b) for a in works for b in works if a != b]
                this, other = (numpy.array(side, dtype=numpy.int64) for side in zip(*pairs, strict=True))
                self._add(Edge.TOGETHER, self.ends[this], self.begins[other], short, NONE, this)
        self._add(Edge.RUN, self.ends, self.begins, usual, NONE, rows)

    def _after_others(self) -> None:
        """Let work that began late for no known reason, as work of another stream ended, follow that work.

        It waited for multiprocessors, or the program ordered the streams in a way that the export does not show.
        """
        node, source, kind, usual, _, _ = self._arrays()
        expected = numpy.zeros(len(self.measured), dtype=numpy.int64)
        numpy.maximum.at(expected, node, numpy.where(kind == Edge.MAYBE, 0, self.measured[source] + usual))
        is_late = (self.begin - expected[self.begins] > LATE) & (self.called >= 0)
        late = self.works.select("gpu_id", "start_ns", work=INDEX).filter(polars.Series(is_late))
        ended = self.works.select("gpu_id", "end_ns", other=INDEX).sort("end_ns", "other")
        pairs = late.join_asof(
            ended, left_on="start_ns", right_on="end_ns", by="gpu_id", tolerance=AT_ONCE, check_sortedness=False,
        ).drop_nulls("other")  # fmt: skip
        self._follow(Edge.EVENT, pairs["work"].to_numpy(), pairs["other"].to_numpy(), self.between)

    def _waits(self, node: Array, source: Array, usual: Array) -> tuple[Array, Array]:
        """Return the wait of each edge, and the slack of each node: what its bound edge waited beyond the usual."""
        real = self.measured[node] - self.measured[source]
        wait = numpy.minimum(usual, real)
        expected = self.measured[source] + usual
        order = numpy.lexsort((expected, node))
        last = order[numpy.append(node[order][1:] != node[order][:-1], True)]
        wait[last] = real[last]
        slack = numpy.zeros(len(self.measured), dtype=numpy.int64)
        slack[node[last]] = numpy.maximum(real[last] - usual[last], 0)
        return wait, slack

    def _idle_slack(self, slack: Array) -> int:
        """Sum the slack of works' starts while no other work runs on the GPU, in ns over all GPUs."""
        until = self.works.select(polars.col("end_ns").cum_max().shift(1).over("gpu_id").alias("u"))["u"]
        idle = numpy.maximum(self.begin - until.fill_null(2**62).to_numpy(), 0)
        called = self.called >= 0
        return int(numpy.minimum(slack[self.begins], idle)[called].sum())
