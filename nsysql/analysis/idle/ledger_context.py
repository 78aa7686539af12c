"""What the gaps of a block need to know of the whole export; read when it is first asked for."""

from functools import cached_property

import polars as pl

from nsysql.analysis.view_reader import ViewReader


class LedgerContext:
    """Launches, waits and streams of the whole export, and the caps of launch latency once they are known."""

    caps: pl.DataFrame

    def __init__(self, views: ViewReader) -> None:
        self._views = views

    @cached_property
    def shared_launches(self) -> pl.DataFrame:
        """The calls that launched several activities, as in _multi_work_launch."""
        return self._views("_multi_work_launch")

    @cached_property
    def first_launches(self) -> pl.DataFrame:
        """When each function of a process was launched first, as in first_launch."""
        return self._views("_kernel_first_launch")

    @cached_property
    def stream_waits(self) -> pl.DataFrame:
        """The waits of streams for events, with the launches that they hold up, as in _stream_wait_launch."""
        return self._views("_stream_wait_launch")

    @cached_property
    def streams(self) -> pl.DataFrame:
        """The streams of each process, by its pid: whether it is the legacy default stream, and whether it blocks."""
        streams = self._views("cuda_stream").group_by("pid", "stream_id")
        return streams.agg(pl.col("is_null").any(), pl.col("is_blocking").all())

    @cached_property
    def launched(self) -> pl.DataFrame:
        """All activities whose launch is recorded: gpu_id, process_id, thread_id, start_ns, api_start_ns, api_end_ns.

        Long: only for exports in which the host reads unified memory.
        """
        columns = ("gpu_id", "process_id", "thread_id", "start_ns", "api_start_ns", "api_end_ns")
        return self._views(
            "_activity_launch", narrow=lambda some: some.drop_nulls("call_id").select(columns), stream=True
        )

    @cached_property
    def last_launched(self) -> pl.DataFrame:
        """When the last activity whose launch is recorded starts, per GPU: gpu_id, last_ns."""
        return self._views("_last_launched_work")

    @cached_property
    def runtime_starts(self) -> pl.DataFrame:
        """The calls in which a CUDA runtime started, as in _runtime_start."""
        return self._views("_runtime_start")

    @cached_property
    def staged_copies(self) -> pl.DataFrame:
        """The calls that copy pageable memory, as in _staged_copy."""
        return self._views("_staged_copy")

    @cached_property
    def drains(self) -> pl.DataFrame:
        """The blocking calls that emptied a queue, as in _drain_call."""
        return self._views("_drain_call")

    @cached_property
    def graph_launches(self) -> pl.Series:
        """The names of calls that launch a CUDA graph."""
        return self._views("_api_cause").filter("is_graph_launch")["id"]
