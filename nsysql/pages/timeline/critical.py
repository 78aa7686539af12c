"""The critical path as a track of a timeline."""

import polars as pl

from nsysql.analysis.replay.walk import critical_path, replay
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import MOST_WORK, read_graph, unexplained
from nsysql.errors import MissingData

LABEL = "critical path"


def critical_events(run: Export, start_ns: int, end_ns: int) -> pl.DataFrame | None:
    """What determined when the last GPU work ended, between two times; None where the capture cannot be replayed.

    Nor where it has more work than is replayed: of the first pieces alone it would be another path.

    Columns start_ns, end_ns, name, detail. Work and calls have their names; other waits what they are, with the call
    or work that they lead to.
    """
    if run.count("_replay_work", {}, MOST_WORK + 1) > MOST_WORK:
        return None
    try:
        graph = read_graph(run)
    except MissingData:
        return None
    if unexplained(graph):
        return None
    is_run = (pl.col("call") >= 0) & (pl.col("kind") == "CUDA calls") | pl.col("kind").is_in(
        graph.works["kind"].implode()
    )
    return (
        critical_path(graph, replay(graph))
        .filter((pl.col("end_ns") > pl.col("start_ns")) & (pl.col("end_ns") > start_ns) & (pl.col("start_ns") < end_ns))
        .select(
            "start_ns",
            "end_ns",
            name=pl.when(is_run).then("name").otherwise("kind"),
            detail=pl.when(~is_run).then("name"),
        )
        .sort("start_ns", "end_ns", descending=[False, True])
    )
