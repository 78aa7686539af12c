"""Collect the edges of a capture's graph (graph.Graph), kind by kind, before its nodes get their final order."""

from functools import cached_property

import numpy
import polars

from nsysql.analysis.replay.calls import INDEX, TOLERANCE
from nsysql.analysis.replay.graph import NONE, Array, Edge

AT_ONCE = 5_000  # most ns from the end of other work to the start of the work that waited for it
FEW = 8  # with more streams, or branches of a graph, waits that the export does not record are left out


def previous(frame: polars.DataFrame, by: list[str]) -> Array:
    """Return for each row the row before it in the group, or -1; rows are in order."""
    return frame.with_columns(i=INDEX).select(polars.col("i").shift(1).over(by).fill_null(NONE))["i"].to_numpy()


def usual_of(frame: polars.DataFrame, quantile: float) -> Array:
    """Return the quantile of `wait` among rows of a `name`, for each row; at least 0."""
    value = polars.col("wait").filter(polars.col("wait") >= 0).quantile(quantile, "lower").over("name")
    return frame.select(value.fill_null(0).cast(polars.Int64).alias("u"))["u"].to_numpy()


def numbered_nodes(calls: polars.DataFrame, works: polars.DataFrame) -> tuple[Array, Array, Array, Array, Array]:
    """Number the nodes: calls' starts and returns, works' starts and ends; return the measured time of each, too."""
    start, end = calls["start_ns"].to_numpy(), calls["end_ns"].to_numpy()
    begin, stop = works["start_ns"].to_numpy(), works["end_ns"].to_numpy()
    called = works["call"].to_numpy()
    not_before = numpy.where(called >= 0, start[numpy.maximum(called, 0)], begin) if len(start) else begin
    keys = [start, end, numpy.maximum(begin, not_before), numpy.maximum(stop, not_before)]
    # At equal times: ends of work, returns, starts of calls, starts of work; without duration an end follows its start.
    ranks = [
        numpy.full(len(start), 2),
        numpy.where(end > start, 1, 4),
        numpy.full(len(begin), 3),
        numpy.where(keys[3] > keys[2], 0, 5),
    ]
    order = numpy.lexsort((numpy.concatenate(ranks), numpy.concatenate(keys)))
    number = numpy.empty(len(order), dtype=numpy.int64)
    number[order] = numpy.arange(1, len(order) + 1)
    measured = numpy.zeros(len(order) + 1, dtype=numpy.int64)
    measured[number] = numpy.concatenate([start, end, begin, stop])
    a, b, c, d = numpy.split(number, numpy.cumsum([len(start), len(end), len(begin)]))
    return a, b, c, d, measured


class Edges:
    """One capture's nodes, and the edges found so far."""

    def __init__(
        self, calls: polars.DataFrame, works: polars.DataFrame, streams: polars.DataFrame, events: polars.DataFrame,
        others: polars.DataFrame, messages: polars.DataFrame, concurrent: str | None,
    ) -> None:  # fmt: skip
        self.calls, self.works, self.streams, self.events, self.concurrent = calls, works, streams, events, concurrent
        self.others, self.messages = others, messages
        self.starts, self.returns, self.begins, self.ends, self.measured = numbered_nodes(calls, works)
        self.call_start, self.call_end = calls["start_ns"].to_numpy(), calls["end_ns"].to_numpy()
        self.begin, self.end = works["start_ns"].to_numpy(), works["end_ns"].to_numpy()
        self.called = works["call"].to_numpy()
        self.between = 0  # usual ns from one piece of work of a stream to the next
        self.edges: list[tuple[Array, ...]] = []

    def add(
        self, kind: Edge, node: Array, source: Array, usual: Array | int, call: Array | int, work: Array | int
    ) -> None:
        """Add edges of one kind."""
        more = (numpy.asarray(value, dtype=numpy.int64) for value in (int(kind), usual, call, work))
        self.edges.append((node, source, *(numpy.broadcast_to(value, len(node)) for value in more)))

    def arrays(self) -> list[Array]:
        """Return all edges, column by column."""
        return [numpy.concatenate(column).astype(numpy.int64) for column in zip(*self.edges, strict=True)]

    def follow(self, kind: Edge, work: Array, other: Array, usual: int, tolerance: int = TOLERANCE) -> None:
        """Add edges from the ends of other work to the starts of work, if the other work had ended by then."""
        real = self.end[other] <= self.begin[work] + tolerance
        self.add(kind, self.begins[work[real]], self.ends[other[real]], usual, NONE, work[real])

    def renumber(self, number: Array) -> None:
        self.starts, self.returns = number[self.starts], number[self.returns]
        self.begins, self.ends = number[self.begins], number[self.ends]
        measured = self.measured.copy()
        measured[number] = self.measured
        self.measured = measured

    @cached_property
    def backlog(self) -> Array:
        """A mask of work that was queued when the capture began: launched before, and the stream had no pause."""
        first = polars.col("start_ns").filter(polars.col("call") >= 0).min().over("process_id", "gpu_id")
        gap = (polars.col("start_ns") - polars.col("end_ns").shift(1).over("stream")).fill_null(0)
        queued = (polars.col("call") < 0) & (polars.col("start_ns") < first) & gap.is_between(-TOLERANCE, AT_ONCE)
        return self.works.select(queued.fill_null(False).alias("q"))["q"].to_numpy()

    @cached_property
    def branching(self) -> polars.DataFrame:
        """The work of graphs with few branches: work of one call on several streams."""
        works = self.works.select("call", "stream", "start_ns", "end_ns", work=INDEX).filter(polars.col("call") >= 0)
        return works.filter(polars.col("stream").n_unique().over("call").is_between(2, FEW))

    def ends_of_branches(self, pairs: polars.DataFrame) -> polars.DataFrame:
        """Return for pairs of something and the `work` of a graph that it waits for the other ends of its branches."""
        ends = self.branching.group_by("call", "stream", maintain_order=True).agg(end=polars.col("work").last())
        of = polars.Series("of", self.called[pairs["work"].to_numpy()])
        both = pairs.with_columns(of).join(ends.select("end", of="call"), on="of", maintain_order="left")
        return both.filter(polars.col("end") != polars.col("work")).with_columns(work="end").select(pairs.columns)
