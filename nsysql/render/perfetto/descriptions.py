"""Descriptor packets: tracks, processes, GPU queues and stages, and texts that are interned when they first occur."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from nsysql.render.perfetto.wire import Bytes, constants, entries, message, messages, number, numbers, text
from nsysql.render.timeline.palette import LABELS

# Fields of Perfetto's messages, by their numbers in its .proto files.
PACKET, TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED, FLAGS, STAGE_EVENT, TRACK = 1, 8, 10, 11, 12, 13, 53, 60
CLEARED, NEEDED = 1, 2  # flags of a sequence: interned texts are cleared, or needed
ON_SEQUENCE = number(SEQUENCE, 1)
COMPUTE, CUDA = 2, 4
EVENT_NAMES, ANNOTATION_NAMES, ANNOTATION_TEXTS, CONTEXTS, QUEUES = 2, 3, 29, 23, 24  # what is interned
PARENT, ORDERING, RANK = 5, 11, 12  # fields of a track
EXPLICIT = number(ORDERING, 3)  # its children are in the order of their ranks
FIRST_UUID = 1
COUNTERS = 1000  # rank of counters, below the other rows of their GPU


def packet(*parts: bytes) -> bytes:
    """A packet of the trace."""
    return message(PACKET, *parts, ON_SEQUENCE)


def interning(*parts: bytes) -> bytes:
    """A packet that interns what is new."""
    return packet(message(INTERNED, *parts), number(FLAGS, NEEDED))


def packets(at: npt.NDArray[np.int64], field: int, event: Sequence[Bytes]) -> Bytes:
    """A packet at each of these times, with an event of these columns in that field; they need what is interned."""
    end = constants(number(FLAGS, NEEDED) + ON_SEQUENCE, at.size)
    return messages(PACKET, [numbers(TIMESTAMP, at), messages(field, event), end])


class Interned:
    """Texts that are written when they first occur, and numbers in their place."""

    def __init__(self, field: int) -> None:
        self._field = field
        self._known: dict[str, int] = {}

    def numbers(self, values: pl.Series) -> tuple[npt.NDArray[np.int64], bytes]:
        """The numbers of these texts, 0 if there is none, and the packet that interns those that are new."""
        distinct = values.drop_nulls().unique(maintain_order=True)
        first = len(self._known) + 1
        known = [self._known.setdefault(value, len(self._known) + 1) for value in distinct.to_list()]
        made = values.replace_strict(distinct, known, default=0, return_dtype=pl.Int64).to_numpy()
        new = [value for value, place in zip(distinct.to_list(), known, strict=True) if place >= first]
        return made, interning(entries(self._field, new, first)) if new else b""


def begun(arguments: list[str], stages: "Stages") -> bytes:
    """The packet that begins the sequence: names of arguments, numbered from 1, and what GPU queues and stages are."""
    fixed = message(INTERNED, entries(ANNOTATION_NAMES, arguments, 1), *stages.interned())
    return packet(fixed, number(FLAGS, CLEARED))


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
            yield message(QUEUES, number(1, self.queue[track]), text(2, label), text(3, group))
        for style, iid in self.stage.items():
            yield message(QUEUES, number(1, iid), text(2, LABELS[style]), number(4, COMPUTE))
        for pid, iid in self.context.items():
            yield message(CONTEXTS, number(1, iid), number(2, pid or 0), number(3, CUDA))


class Tracks:
    """Numbers (UUIDs) of processes, threads, GPUs, rows, lanes and counters, and the packets that describe them."""

    def __init__(self, tracks: pl.DataFrame, with_streams: bool) -> None:
        self._rows = {row["track"]: (rank, row) for rank, row in enumerate(tracks.to_dicts())}
        self._with_streams = with_streams  # their work is slices, too
        self._known: dict[tuple[str, int | str, int], int] = {}

    def described(self) -> Iterator[bytes]:
        """Packets of processes, threads, GPUs, and the first lane of each row."""
        rows = [row for _, row in self._rows.values()]
        threads = [row for row in rows if row["thread_id"] is not None]
        for pid, name in dict.fromkeys((row["pid"], row["program"]) for row in threads):
            own = message(3, number(1, pid), *([text(6, name)] if name else []))
            yield packet(message(TRACK, number(1, self._of("process", pid)), own, EXPLICIT))
        for thread, pid, tid, name in dict.fromkeys(
            (row["thread_id"], row["pid"], row["tid"], row["thread"]) for row in threads
        ):
            own = message(4, number(1, pid), number(2, tid), *([text(5, name)] if name else []))
            place = number(1, self._of("thread", thread)), number(PARENT, self._of("process", pid))
            yield packet(message(TRACK, *place, own, EXPLICIT))
        for rank, group in enumerate(dict.fromkeys(row["group"] for row in rows if row["kind"] in ("idle", "stream"))):
            place = number(1, self._of("gpu", group)), number(RANK, rank + 1)
            yield packet(message(TRACK, *place, text(2, group), EXPLICIT))
        for track, (_, row) in self._rows.items():
            if row["kind"] != "stream" or self._with_streams:
                yield self._lane(track, 0)

    def lane(self, track: int, lane: int) -> tuple[int, bytes]:
        """The number of a row's lane, and the packet that describes it where it is new."""
        is_new = ("row", track, lane) not in self._known
        made = self._lane(track, lane) if is_new else b""
        return self._of("row", track, lane), made

    def counter(self, gpu: str, name: str, unit: bytes) -> tuple[int, bytes]:
        """The number of a counter of a GPU, and the packet that describes it."""
        groups = dict.fromkeys(row["group"] for _, row in self._rows.values() if row["kind"] in ("idle", "stream"))
        above = next((number(PARENT, self._of("gpu", g)) for g in groups if g == gpu or g.startswith(f"{gpu} ")), b"")
        own, rank = self._of("counter", f"{gpu}: {name}"), number(RANK, COUNTERS + len(self._known))
        return own, packet(message(TRACK, number(1, own), text(2, f"{gpu}: {name}"), above, rank, unit))

    def _lane(self, track: int, lane: int) -> bytes:
        rank, row = self._rows[track]
        above = b""
        if row["thread_id"] is not None:
            above = number(PARENT, self._of("thread", row["thread_id"]))
        elif row["kind"] in ("idle", "stream"):
            above = number(PARENT, self._of("gpu", row["group"]))
        own = number(1, self._of("row", track, lane)), text(2, row["label"]), above, number(RANK, rank)
        return packet(message(TRACK, *own))

    def _of(self, kind: str, what: int | str, lane: int = 0) -> int:
        return self._known.setdefault((kind, what, lane), len(self._known) + FIRST_UUID)
