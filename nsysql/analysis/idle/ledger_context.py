"""Collect what the gaps of a block need to know about the whole export."""

from functools import cached_property

import polars as pl

from nsysql.analysis.idle.blocks import InMemory, OnDisk
from nsysql.analysis.idle.drains import drain_calls
from nsysql.analysis.idle.launches import (
    blocked_launches,
    first_launches,
    last_launched,
    multi_work_calls,
    runtime_starts,
    staged,
)
from nsysql.analysis.view_reader import ViewReader


class LedgerContext:
    """Launches, waits and streams of the whole export, and the caps of launch latency once they are known.

    The functions that compute the frames describe them.
    """

    caps: pl.DataFrame

    def __init__(self, views: ViewReader, blocks: InMemory | OnDisk) -> None:
        self._views, self._blocks = views, blocks
        self.shared_launches = multi_work_calls(blocks)
        self.stream_waits = blocked_launches(views("stream_wait"), blocks, self.shared_launches)
        self.first_launches = first_launches(blocks)
        self.last_launched = last_launched(blocks)
        self.drains = drain_calls(blocks)
        self.staged_copies = staged(blocks)
        self.runtime_starts = runtime_starts(blocks, views("string"))

    @cached_property
    def streams(self) -> pl.DataFrame:
        """The streams of each process, by its pid: whether it is the legacy default stream, and whether it blocks."""
        streams = self._views("cuda_stream").group_by("pid", "stream_id")
        return streams.agg(pl.col("is_null").any(), pl.col("is_blocking").all())

    @cached_property
    def launched(self) -> pl.DataFrame:
        """All activities with a recorded launch: gpu_id, process_id, thread_id, start_ns, api_start_ns, api_end_ns.

        It is long, and only used for exports in which the host reads unified memory.
        """
        columns = ("gpu_id", "process_id", "thread_id", "start_ns", "api_start_ns", "api_end_ns")
        return self._blocks.work("call_id", *columns).drop_nulls("call_id").drop("call_id")

    @cached_property
    def graph_launches(self) -> pl.Series:
        """The names of calls that launch a CUDA graph."""
        return self._views("_api_cause").filter("is_graph_launch")["id"]
