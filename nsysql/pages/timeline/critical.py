"""The critical path as a track of a timeline."""

from dataclasses import replace

import polars as pl

from nsysql.analysis.replay.walk import critical_path, replay
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import MOST_WORK, read_graph, unexplained
from nsysql.errors import MissingData
from nsysql.pages.timeline.model import Timeline

LABEL = "critical path"


def with_critical_path(timeline: Timeline, run: Export) -> Timeline:
    """The timeline with what determined when the last GPU work ended, as its first track.

    Unchanged where the capture cannot be replayed. Work and calls have their names; other waits what they are, with
    the call or work that they lead to.
    """
    try:
        graph = read_graph(run, MOST_WORK)
    except MissingData:
        return timeline
    if unexplained(graph):
        return timeline
    is_run = (pl.col("call") >= 0) & (pl.col("kind") == "CUDA calls") | pl.col("kind").is_in(
        graph.works["kind"].implode()
    )
    path = critical_path(graph, replay(graph)).filter(
        (pl.col("end_ns") > pl.col("start_ns"))
        & (pl.col("end_ns") > timeline.start_ns)
        & (pl.col("start_ns") < timeline.end_ns)
    )
    if path.is_empty():
        return timeline
    number = int(timeline.tracks["track"].max() or 0) + 1  # type: ignore[arg-type]
    events = path.select(
        "start_ns",
        "end_ns",
        track=pl.lit(number),
        lane=pl.lit(0),
        style=pl.lit("path"),
        name=pl.when(is_run).then("name").otherwise("kind"),
        detail=pl.when(~is_run).then("name"),
        link=pl.lit(0),
    )
    row = {"track": number, "group": LABEL, "label": LABEL, "kind": "path", "events": path.height, "lanes": 1}
    schema = timeline.tracks.schema
    track = pl.DataFrame([{name: row.get(name) for name in schema}], schema=schema)
    known = timeline.events
    return replace(
        timeline,
        tracks=pl.concat([track, timeline.tracks]),
        events=pl.concat([known, events.select(known.columns).cast(dict(known.schema))]),  # type: ignore[arg-type]
    )
