"""What threads did, and idle time, as packets: each event is one that begins a slice, and one that ends it.

The events of a track come in parts, each in order of start, and of the end from the last. What a part leaves open ends
in a later one. Descriptors are packets too: of tracks, processes, GPU queues and stages, and of texts, which are
interned when they first occur.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from nsysql.analysis.timeline import in_lanes
from nsysql.render.perfetto.wire import Bytes, constants, entries, interleaved, message, messages, number, numbers, text
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


BEGIN, END = 1, 2  # types of track events
LAUNCHES = 3000  # field with the GPU work that a call launched
MOST = 64  # most pieces of work listed for one call
ANNOTATION, NAME, INTEGER, TEXT = 4, 1, 4, 17  # fields: an annotation, its interned name, its number or interned text
ARGUMENTS = {  # of slices, by their columns: what they are called, and whether they are texts
    "evidence_name": ("evidence", True),
    "function": ("function", True),
    "waits_for": ("waits for", True),
    "evidence_table": ("table", True),
    "evidence_row_id": ("row", False),
    "gap_id": ("gap", False),
    "tid": ("ended by thread", False),
    "events": ("merged events", False),
    "busy_ns": ("busy (ns)", False),
    "detail": ("detail", True),
}
CHUNK = 2**17  # events encoded at a time

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Placed:
    """Where the packets of some events lie among these packets, and what stays open."""

    begins: Ints
    ends: Ints
    end_at: Ints
    open: Ints


def placed(open_: Ints, start: Ints, end: Ints, until: int | None, is_checked: bool = True) -> Placed | None:
    """The places of the begins of events and of the ends up to a time; `open_` are the ends of what began before.

    At one time first what had begun before ends, the innermost first; then others begin, the outermost first; what has
    no length ends at once. None if the events do not nest.
    """
    is_short = start == end
    shorts = np.concatenate([[0], np.cumsum(is_short)])
    ends = np.concatenate([open_, end[~is_short]])
    order = ends.size - 1 - np.argsort(ends[::-1], kind="stable")
    ended = ends[order]
    if until is not None:
        count = int(np.searchsorted(ended, until, "right"))
        order, ended = order[:count], ended[:count]
    at = np.arange(start.size)
    before = np.searchsorted(ended, start, "right")
    begun = np.searchsorted(start, ended, "left")  # of a short one the end lies there, too
    is_left = np.ones(ends.size, bool)
    is_left[order] = False
    left = ends[is_left]
    if is_checked:
        depth = open_.size + at - shorts[:-1] - before
        depths = np.concatenate([np.arange(open_.size), depth[~is_short]])
        after = open_.size + begun - shorts[begun] - np.arange(1, ended.size + 1)
        if (depths[order] != after).any() or (left[1:] > left[:-1]).any():
            return None
    begins = at + shorts[:-1] + before
    long_ends = np.arange(ended.size) + begun + shorts[begun]
    return Placed(
        begins,
        np.concatenate([long_ends, begins[is_short] + 1]),
        np.concatenate([ended, end[is_short]]),
        left,
    )


def laid(parts: Iterable[pl.DataFrame], is_checked: bool = True) -> Iterator[tuple[int, pl.DataFrame, Placed]]:
    """The parts of a track's events, each with the number of its lane and its packets' places.

    What nests is on lane 0. From the part on in which events cross, all are in lanes of their own, from 1 on.
    """
    open_, waiting = np.empty(0, np.int64), iter(parts)
    part = next(waiting, None)
    while part is not None:
        following = next(waiting, None)
        start, end = part["start_ns"].to_numpy(), part["end_ns"].to_numpy()
        slices = placed(open_, start, end, None if following is None else int(start[-1]), is_checked)
        if slices is None:
            break
        open_ = slices.open
        yield 0, part, slices
        part = following
    if part is None:
        return
    none = np.empty(0, np.int64)
    if open_.size and (rest := placed(open_, none, none, None)) is not None:
        yield 0, part.clear(), rest
    every = pl.concat([part, *([] if following is None else [following]), *waiting])
    for (row,), own in in_lanes(every).partition_by("lane", as_dict=True, maintain_order=True).items():
        for _, some, slices in laid(own.iter_slices(CHUNK), is_checked=False):
            yield 1 + row, some, slices


class Launched:
    """The GPU work that each call launched: numbers of its events by the link that they share."""

    def __init__(self, work: pl.DataFrame) -> None:
        ordered = work.sort("link", "event_id")
        self._links, self._ids = ordered["link"].to_numpy(), ordered["event_id"].to_numpy()

    def of(self, links: Ints) -> tuple[Ints, Ints]:
        """Where the events of each call begin, and how many they are."""
        first = np.searchsorted(self._links, links, "left")
        count = np.searchsorted(self._links, links, "right") - first
        return first, np.where(links == 0, 0, np.minimum(count, MOST))

    def ids(self, first: Ints, place: int) -> Ints:
        """The events at that place of each call."""
        return self._ids[first + place]


def encoded(
    track: int, events: pl.DataFrame, at: Placed, moved: int, names: Interned, texts: Interned, launched: Launched
) -> Iterator[bytes]:
    """The packets of some events of a track: those that intern what is new, and the slices."""
    name, new = names.numbers(events["name"])
    yield new
    fields: list[tuple[int, npt.NDArray[np.bool_], Ints, bool]] = []
    for number_, (column, (_, is_text)) in enumerate(ARGUMENTS.items(), 1):
        if column in events.columns and events[column].null_count() < events.height:
            values, is_there = events[column], events[column].is_not_null().to_numpy()
            if is_text:
                values_, new = texts.numbers(values)
                yield new
            else:
                values_ = values.fill_null(0).to_numpy()
            fields.append((number_, is_there, values_, is_text))
    kind = sum((is_there.astype(np.int64) << i for i, (_, is_there, *_) in enumerate(fields)), np.zeros(name.size, int))
    first, count = launched.of(events["link"].to_numpy()) if "link" in events.columns else (kind, kind * 0)
    kind = kind << 7 | count
    start = events["start_ns"].to_numpy()
    parts = []
    if at.ends.size:
        end = constants(number(9, END) + number(11, track), at.ends.size)
        parts.append((at.ends, packets(at.end_at + moved, TRACK_EVENT, [end])))
    for one in np.unique(kind).tolist():
        some = np.flatnonzero(kind == one)
        event = [constants(number(9, BEGIN) + number(11, track), some.size), numbers(10, name[some])]
        for i, (number_, _, values_, is_text) in enumerate(fields):
            if one >> 7 >> i & 1:
                value = numbers(TEXT if is_text else INTEGER, values_[some])
                event.append(messages(ANNOTATION, [constants(number(NAME, number_), some.size), value]))
        if ids := one & 127:
            event.append(messages(LAUNCHES, [numbers(1, launched.ids(first[some], i)) for i in range(ids)]))
        parts.append((at.begins[some], packets(start[some] + moved, TRACK_EVENT, event)))
    yield interleaved(parts, at.begins.size + at.ends.size)
