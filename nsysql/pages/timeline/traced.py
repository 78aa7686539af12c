"""What a trace shows beside the events of a timeline: counters, CPU samples, the critical path, kernels' occupancy."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.replay.graph import critical_path, replay
from nsysql.analysis.timeline.curves import VALUES, merged_below, with_levels
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import explained_graph
from nsysql.pages.timeline.curves import MEMORY, group_of_gpu, read_curves
from nsysql.pages.timeline.tracks import ask

COUNTERS = pl.Schema(
    {"group": pl.String(), "name": pl.String(), "unit": pl.String(), "at_ns": pl.Int64(), "value": pl.Int64()}
)
BUSY, QUEUE = "busy", "launch queue"  # names of counters
NO_GPU = 2**32 - 1  # a curve's number where the export does not say which GPU it is
SLICES = 1000  # of the time that a GPU works, each with how busy it is
LABEL = "critical path"
SHAPE = ["gpu_id", "name", "registers_per_thread", "static_shared_memory_bytes", "dynamic_shared_memory_bytes"]
GRID = {what: [f"{what}_{axis}" for axis in "xyz"] for what in ("grid", "block")}
KNOWN = {"occupancy_pct": pl.Float64, "limited_by": pl.String, "waves": pl.Float64, "last_wave_pct": pl.Float64}


def counters(
    run: Export, start_ns: int, end_ns: int, window: dict[str, int], gpu: int | None = None, most: int | None = None
) -> Iterator[pl.DataFrame]:
    """The counters of an interval, in a frame for each source, or GPU: a row for each value, from its time on.

    Columns group (the GPU's), name, unit, at_ns, value; in order of group, name and time. A metric's sample is valid
    from the one before to its own time, so that it begins there; values are those of the export. What holds when the
    interval begins has a row at its start. Of more values than `most` short ones are merged: of metrics their mean is
    kept, of all else the highest. `window` are the sides that are narrowed: only then views are computed again.
    """

    def parts() -> Iterator[pl.DataFrame | None]:
        yield _curves(run, start_ns, end_ns, gpu, most)
        yield _busy(run, window)
        yield from _queue(run, window, end_ns - start_ns, most)

    for part in parts():
        if part is not None:
            rows = part if gpu is None or "gpu_id" not in part.columns else part.filter(gpu_id=gpu)
            named = rows if "group" in rows.columns else rows.with_columns(group=group_of_gpu())
            yield named.select(COUNTERS.names()).cast(COUNTERS).sort("group", "name", "at_ns", maintain_order=True)


def _curves(run: Export, start_ns: int, end_ns: int, gpu: int | None, most: int | None) -> pl.DataFrame | None:
    """Sampled metrics, and memory in use."""
    curves = read_curves(run, start_ns, end_ns, gpu, most)
    if curves is None:
        return None
    is_memory = pl.col("family") == MEMORY
    name = pl.when(is_memory).then("memory: " + pl.col("name")).otherwise("name")
    named = curves.rows.select("curve", "unit", is_memory, group=group_of_gpu(), name=name)
    rows = curves.values.join(named, on="curve", how="left", maintain_order="left")
    value = pl.when("family").then("high").otherwise(pl.col("mean").round().cast(pl.Int64))
    return rows.with_columns(at_ns="start_ns", value=value)


def _busy(run: Export, window: dict[str, int]) -> pl.DataFrame | None:
    """The share of equal slices of each GPU's window in which it works."""
    rows = ask(run, "busy_over_time", slices=SLICES, **window)
    if rows is None:
        return None
    length = pl.col("end_ns") - pl.col("start_ns")
    shares = rows.filter(length > 0).with_columns(value=(100 * pl.col("busy_ns") + length // 2) // length)
    ends = shares.group_by("gpu_id").agg(start_ns=pl.col("end_ns").max(), value=pl.lit(0, pl.Int64))
    both = pl.concat([shares.select(ends.columns), ends])
    return both.with_columns(name=pl.lit(BUSY), unit=pl.lit("%"), at_ns="start_ns")


def _queue(run: Export, window: dict[str, int], span: int, most: int | None) -> Iterator[pl.DataFrame]:
    """How much launched work each GPU has not started; of many values short ones are merged while they are read."""
    if not run.has("launch"):
        return
    part = 0
    if most is not None and run.count("_gpu_work_ids", window, most // 2 + 1) > most // 2:
        part = max(1, span // most)

    def fewer(rows: pl.DataFrame) -> pl.DataFrame:
        end = pl.col("end_ns").fill_null(pl.col("start_ns"))
        until = rows.with_columns(end, curve=pl.col("gpu_id").fill_null(NO_GPU).cast(VALUES["curve"]))
        if not part:
            return until.select("curve", "start_ns", "end_ns", high=pl.col("depth").cast(pl.Int32))
        depth = dict.fromkeys(("low", "high", "mean"), pl.col("depth"))
        held = until.with_columns(held_ns=pl.col("end_ns") - pl.col("start_ns"), count=1, **depth)
        return merged_below(held.select(VALUES.names()).cast(VALUES), part)

    values = run.select("launch_queue", "gpu_id, start_ns, end_ns, depth", "WHERE true", fewer, **window)
    if most is not None and part:
        values, _ = with_levels(values, most, part)
    values = values.sort("curve", "start_ns", "end_ns").select("curve", "start_ns", "high")
    at = pl.max_horizontal("start_ns", pl.lit(window.get("start_ns"), pl.Int64))
    for _, own in values.group_by("curve", maintain_order=True):
        named = own.select(gpu_id=pl.col("curve").replace(NO_GPU, None), at_ns=at, value="high")
        last = named.unique("at_ns", keep="last", maintain_order=True)
        yield last.with_columns(name=pl.lit(QUEUE), unit=pl.lit("launches"))


def cpu_samples(run: Export, start_ns: int, end_ns: int) -> Iterator[pl.DataFrame]:
    """The rows of cpu_samples of an interval; none if the export has none."""
    if run.has("cpu_sample") and run.has("_sample_stack"):
        for batch in run.stream("cpu_samples", "pid, tid, start_ns, stack"):
            yield batch.filter(pl.col("start_ns").is_between(start_ns, end_ns))


def critical_events(run: Export, start_ns: int, end_ns: int) -> pl.DataFrame | None:
    """What determined when the last GPU work ended, between two times; None if the capture cannot be replayed.

    Columns start_ns, end_ns, name, detail. Work and calls have their names; other waits what they are, with the call
    or work that they lead to.
    """
    graph = explained_graph(run)
    if graph is None:
        return None
    start, end, kind = pl.col("start_ns"), pl.col("end_ns"), pl.col("kind")
    is_run = (pl.col("call") >= 0) & (kind == "CUDA calls") | kind.is_in(graph.works["kind"].implode())
    path = critical_path(graph, replay(graph)).filter((end > start) & (end > start_ns) & (start < end_ns))
    texts = {"name": pl.when(is_run).then("name").otherwise("kind"), "detail": pl.when(~is_run).then("name")}
    return path.select(start, end, **texts).sort("start_ns", "end_ns", descending=[False, True])


def known_shapes(run: Export) -> pl.DataFrame | None:
    """The launch shapes of which `occupancy` says one thing; None if it has none."""
    shapes = ask(run, "occupancy")
    if shapes is None:
        return None
    key = [*SHAPE, *GRID]
    return shapes.filter(pl.len().over(key) == 1).drop_nulls("occupancy_pct").select(*key, *KNOWN)


def with_occupancy(shapes: pl.DataFrame | None, work: pl.DataFrame) -> pl.DataFrame:
    """Rows of gpu_events with the columns of KNOWN; NULL if `shapes` has none."""
    if shapes is None:
        return work.with_columns(pl.lit(None, kind).alias(name) for name, kind in KNOWN.items())
    launched = [*SHAPE, *GRID["grid"], *GRID["block"]]
    of_kernels = work.filter(pl.col("kind") == "kernel").select(launched).unique()
    spelled = of_kernels.with_columns(pl.concat_str(axes, separator=" x ").alias(what) for what, axes in GRID.items())
    rows = spelled.join(shapes, on=[*SHAPE, *GRID], how="inner").select(*launched, *KNOWN)
    known = rows.with_columns(kind=pl.lit("kernel"))
    return work.join(known, on=["kind", *launched], how="left", maintain_order="left")
