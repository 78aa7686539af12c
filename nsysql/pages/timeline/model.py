"""A timeline as data.

`tracks`, in the order in which they are shown: track (number), group, label, kind (path, idle, stream, nvtx,
nvtx_start_end, cuda, mpi, os or off_cpu), program and thread (their names), gpu_id, pid, tid, thread_id,
context_id, stream_id, lanes, events.
`events`, in order of track, lane and start: track, lane, start_ns, end_ns, style (what decides the color), name,
detail and link, which launching call and GPU work share (0: none; of idle time the gap's negative number). Of very many
some are merged, as in `nsysql.analysis.timeline`: these have count, busy_ns and longest_ns too.
`Curves` are what is measured beside the events.
"""

from dataclasses import dataclass, field, replace

import polars as pl

from nsysql.analysis.timeline import columns

CAUSE = "cause:"  # what the style of idle time begins with
CURVE = "curve:"  # what the style of a curve begins with
OWN = "nvtx:"  # what the style of an NVTX range begins with that has a color of its own, such as nvtx:#ff8800


@dataclass(frozen=True)
class Curves:
    """Values over time, each curve a row under its GPU.

    `rows`, in the order in which they are drawn: curve (number), group, label, kind (`curve`), style, gpu_id, name,
    unit, is_main (telling enough for a small picture), low, high, mean (of all), values (how many), top (of the scale,
    which begins at 0). `values` in order of curve and time, as `nsysql.analysis.timeline` has them.
    `merged_ns`: those that hold for less may be merged; 0 if none are.
    """

    rows: pl.DataFrame
    values: pl.DataFrame
    merged_ns: int = 0


@dataclass(frozen=True)
class Timeline:
    """What ran on GPUs and threads between two times of the export's clock, and why GPUs were idle.

    `titles` are the causes by their names for people, `notes` sentences on the export. `merged_ns`: events
    that are shorter may be merged; 0 if none are. `curves` are values over time, where they were asked for.
    `kernels` are the short names of kernels.
    """

    title: str
    start_ns: int
    end_ns: int
    tracks: pl.DataFrame
    events: pl.DataFrame
    titles: dict[str, str]
    notes: tuple[str, ...] = ()
    merged_ns: int = 0
    curves: Curves | None = None
    kernels: dict[str, str] = field(default_factory=dict)

    @property
    def event_count(self) -> int:
        """How many events there are, each of those merged counted."""
        return int(self.tracks["events"].sum())

    @property
    def window(self) -> tuple[int, int]:
        """The time from the first to the last GPU work, a hundredth more on each side; all of it without GPU work."""
        streams = self.tracks.filter(kind="stream")["track"]
        work = self.events.filter(pl.col("track").is_in(streams.implode()))
        if work.is_empty():
            return self.start_ns, self.end_ns
        low, high = int(work["start_ns"].min()), int(work["end_ns"].max())  # type: ignore[arg-type]
        beside = (high - low) // 100
        return max(self.start_ns, low - beside), min(self.end_ns, high + beside)

    def curve_columns(self, count: int) -> dict[object, pl.DataFrame]:
        """Return the values of each curve in so many columns, by its number."""
        if self.curves is None:
            return {}
        cells = columns(self.curves.values, self.start_ns, self.end_ns, count)
        return {curve: own for (curve,), own in cells.partition_by("curve", as_dict=True).items()}

    def between(self, start_ns: int, end_ns: int, tracks: pl.Expr | None = None) -> "Timeline":
        """The part of it between two times, without curves, and of these tracks those that have something there."""
        kept = self.tracks if tracks is None else self.tracks.filter(tracks)
        is_shown = (pl.col("end_ns") >= start_ns) & (pl.col("start_ns") < end_ns)
        events = self.events.filter(is_shown & pl.col("track").is_in(kept["track"].implode()))
        shown = kept.filter(pl.col("track").is_in(events["track"].unique().implode()))
        lanes = events.group_by("track").agg((pl.col("lane").max() + 1).alias("lanes"))
        shown = shown.drop("lanes").join(lanes, on="track", how="left", maintain_order="left")
        return replace(self, start_ns=start_ns, end_ns=end_ns, tracks=shown, events=events, curves=None)
