"""Descriptor packets, before a trace's events: interned texts, tracks, processes, GPU queues and stages."""

from collections.abc import Iterable, Iterator

import polars as pl

from nsysql.pages.timeline.model import Timeline
from nsysql.render.perfetto.wire import entries, message, number, text
from nsysql.render.timeline.palette import LABELS

# Fields of Perfetto's messages, by their numbers in its .proto files.
PACKET, TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED, FLAGS, STAGE_EVENT, TRACK = 1, 8, 10, 11, 12, 13, 53, 60
CLEARED, NEEDED = 1, 2  # flags of a sequence: interned texts are cleared, or needed
ON_SEQUENCE = number(SEQUENCE, 1)
COMPUTE, CUDA = 2, 4
EVIDENCE = 1  # number of the annotation's name
FIRST_UUID = 1


def packet(*parts: bytes) -> bytes:
    """A packet of the trace."""
    return message(PACKET, *parts, ON_SEQUENCE)


def texts(names: pl.Series, details: pl.Series, stages: "Stages") -> Iterator[bytes]:
    """Packets that intern texts, numbered from 1; the first one begins the sequence."""
    fixed = message(INTERNED, message(3, number(1, EVIDENCE), text(2, "evidence")), *stages.interned())
    yield packet(fixed, number(FLAGS, CLEARED))
    for field, values in ((2, names), (29, details)):
        for chunk in range(0, values.len(), 1000):
            some = entries(field, values[chunk : chunk + 1000].to_list(), chunk + 1)
            yield packet(message(INTERNED, some), number(FLAGS, NEEDED))


class Stages:
    """Numbers of GPUs' queues (a row of the timeline each), stages (kinds of work) and contexts (processes)."""

    def __init__(self, tracks: pl.DataFrame) -> None:
        self._streams = tracks.filter(kind="stream")
        self.queue = dict(zip(self._streams["track"].to_list(), range(1, self._streams.height + 1), strict=True))
        first = self._streams.height + 1
        self.stage = {style: first + i for i, style in enumerate(LABELS)}
        self.context = {pid: i for i, pid in enumerate(self._streams["pid"].unique().sort().to_list(), 1)}

    def interned(self) -> Iterator[bytes]:
        """The numbers with what they are."""
        for track, group, label in self._streams.select("track", "group", "label").rows():
            yield message(24, number(1, self.queue[track]), text(2, label), text(3, group))
        for style, iid in self.stage.items():
            yield message(24, number(1, iid), text(2, LABELS[style]), number(4, COMPUTE))
        for pid, iid in self.context.items():
            yield message(23, number(1, iid), number(2, pid or 0), number(3, CUDA))


def tracks(timeline: Timeline, uuids: "Uuids") -> Iterator[bytes]:
    """Packets that describe processes, threads, and the rows of threads and of idle time."""
    rows = timeline.tracks.to_dicts()
    for pid, name in dict.fromkeys((row["pid"], row["program"]) for row in rows if row["thread_id"] is not None):
        described = message(3, number(1, pid), *([text(6, name)] if name else []))
        yield packet(message(TRACK, number(1, uuids.process(pid)), described))
    for thread, pid, tid, name in dict.fromkeys(
        (row["thread_id"], row["pid"], row["tid"], row["thread"]) for row in rows if row["thread_id"] is not None
    ):
        described = message(4, number(1, pid), number(2, tid), *([text(5, name)] if name else []))
        own = number(1, uuids.thread(thread)), number(5, uuids.process(pid))
        yield packet(message(TRACK, *own, described))
    for rank, row in enumerate(rows):
        if row["kind"] == "stream":
            continue
        above = [] if row["thread_id"] is None else [number(5, uuids.thread(row["thread_id"]))]
        name = f"{row['group']}: idle by cause" if row["kind"] == "idle" else row["label"]
        for lane in range(row["own_lanes"]):
            yield packet(
                message(TRACK, number(1, uuids.row(row["track"], lane)), text(2, name), *above, number(12, rank))
            )


class Uuids:
    """A stable number for each process, thread and lane of a row."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | str, int], int] = {}

    def process(self, pid: int) -> int:
        """Of a process."""
        return self._of(("process", pid, 0))

    def thread(self, thread: int) -> int:
        """Of a thread."""
        return self._of(("thread", thread, 0))

    def row(self, track: int, lane: int) -> int:
        """Of a row's lane."""
        return self._of(("row", track, lane))

    def counter(self, name: str) -> int:
        """Of a counter."""
        return self._of(("counter", name, 0))

    def _of(self, key: tuple[str, int | str, int]) -> int:
        return self._known.setdefault(key, len(self._known) + FIRST_UUID)


def numbered(values: Iterable[pl.Series]) -> pl.Series:
    """All distinct texts of these columns; their numbers are their positions, from 1."""
    return pl.concat([v.cast(pl.String) for v in values]).drop_nulls().unique(maintain_order=True)
