"""What the gaps of a block need to know of the whole export; read when it is first asked for."""

from functools import cached_property

import polars as pl

from nsysql.frames import Views


class Whole:
    """Launches, waits and streams of the whole export, and the caps of launch latency once they are known."""

    caps: pl.DataFrame

    def __init__(self, views: Views) -> None:
        self._views = views

    @cached_property
    def shared_launches(self) -> pl.DataFrame:
        """The calls that launched several activities, as in shared_launch."""
        return self._views("shared_launch")

    @cached_property
    def first_launches(self) -> pl.DataFrame:
        """When each function of a process was launched first, as in first_launch."""
        return self._views("first_launch")

    @cached_property
    def stream_waits(self) -> pl.DataFrame:
        """The waits of streams for events, with the launches that they hold up, as in stream_wait_launch."""
        return self._views("stream_wait_launch")

    @cached_property
    def streams(self) -> pl.DataFrame:
        """The streams of each process, by its pid: whether it is the legacy default stream, and whether it blocks."""
        streams = self._views("cuda_stream").group_by("pid", "stream_id")
        return streams.agg(pl.col("is_null").any(), pl.col("is_blocking").all())

    @cached_property
    def graph_launches(self) -> pl.Series:
        """The names of calls that launch a CUDA graph."""
        return self._views("api_cause").filter("is_graph_launch")["id"]
