"""A trace in Perfetto's own protobuf, written while its events are read, and several of them as one archive.

A piece of GPU work is a render stage on the queue of its stream, with its launch arguments. A value of a counter holds
until the next one. CPU samples are as those of Linux perf, with call stacks whose functions are interned.
"""

import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import IO, TYPE_CHECKING

import numpy as np
import polars as pl

from nsysql.pages.timeline.streamed import Streamed
from nsysql.render.perfetto import slices
from nsysql.render.perfetto.slices import (
    ANNOTATION_TEXTS,
    EVENT_NAMES,
    STAGE_EVENT,
    TRACK_EVENT,
    Interned,
    Stages,
    Tracks,
    begun,
    interning,
    packets,
)
from nsysql.render.perfetto.wire import (
    FIXED64,
    Bytes,
    constants,
    entries,
    message,
    messages,
    number,
    numbers,
    tag,
    text,
)

if TYPE_CHECKING:
    from gzip import GzipFile

LAUNCHED = {"link": pl.Int64, "event_id": pl.Int64}


def write(streamed: Streamed, file: "IO[bytes] | GzipFile") -> int:
    """Write the trace and return its number of events; all times are moved to 0 or later, as Perfetto requires."""
    file.writelines(parts(streamed))
    return streamed.count


def parts(streamed: Streamed) -> Iterator[bytes]:
    """The trace in chunks of bytes."""
    moved, stages = moved_by(streamed), Stages(streamed.tracks)
    tracks, names = Tracks(streamed.tracks, streamed.merged is not None), Interned(EVENT_NAMES)
    texts = Interned(ANNOTATION_TEXTS)
    yield begun([name for name, _ in slices.ARGUMENTS.values()], stages)
    yield from tracks.described()
    first, launched = 1, [pl.DataFrame(schema=LAUNCHED)]  # the link and the number of each piece that has a link
    for batch in streamed.work():
        number, new = names.numbers(batch["name"])
        yield new
        work = batch.with_columns(
            pl.col("start_ns") + moved,
            event_id=pl.int_range(first, first + pl.len()),
            name_number=pl.Series(number),
            queue=pl.col("track").replace_strict(stages.queue, return_dtype=pl.Int64),
            stage=pl.col("style").replace_strict(stages.stage, return_dtype=pl.Int64),
            context=pl.col("pid").replace_strict(stages.context, return_dtype=pl.Int64),
        ).with_columns(pl.col("end_ns") + moved)
        first += work.height
        launched.append(work.filter(pl.col("link") != 0).select(*LAUNCHED))
        yield work_packets(work)
    launches = slices.Launched(pl.concat(launched))
    for track, several in groupby(streamed.events(), lambda one: one[0]):
        for lane, events, at in slices.laid(part for _, part in several):
            uuid, new = tracks.lane(track, lane)
            yield new
            yield from slices.encoded(uuid, events, at, moved, names, texts, launches)
    yield from samples(streamed.samples(), moved)
    yield from counters(streamed.counters(), moved, tracks)


def moved_by(streamed: Streamed) -> int:
    """The offset added to all times, so that none is negative."""
    return max(0, -streamed.start_ns)


ARGUMENTS = {  # of a launch, by Perfetto's names
    "device": "gpu_id",
    "stream": "stream_id",
    "context": "context_id",
    "registers_per_thread": "registers_per_thread",
    "shared_mem_static": "static_shared_memory_bytes",
    "shared_mem_dynamic": "dynamic_shared_memory_bytes",
}
OF_COPY = {"device": "gpu_id", "stream": "stream_id", "context": "context_id", "bytes": "bytes"}
OF_OCCUPANCY = {"sm__maximum_warps_per_active_cycle_pct": "occupancy_pct"}  # theoretical, as Nsight Compute calls it
OF_WAVES = {"waves_per_multiprocessor": "waves", "last_wave_pct": "last_wave_pct"}
LIMIT = "occupancy_limited_by"
LAUNCH, GRID, BLOCK, ARGUMENT = 21, 1, 2, 3


def work_packets(work: pl.DataFrame) -> bytes:
    """The work_packets of rows of gpu_events that also have event_id, queue, stage, context and name_number."""
    is_kernel = pl.col("kind") == "kernel"
    made = [_work_packets(part, True, more) for part, more in _with_occupancy(work.filter(is_kernel))]
    others = work.filter(~is_kernel)
    return b"".join([*made, *([] if others.is_empty() else [_work_packets(others, False, [])])])


def _with_occupancy(kernels: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, list[Bytes]]]:
    """Groups of kernels with the same occupancy arguments, and these arguments."""
    if "occupancy_pct" not in kernels.columns:
        yield from [] if kernels.is_empty() else [(kernels, [])]
        return
    alike = [pl.col(name).is_not_null().alias(f"has_{name}") for name in ("occupancy_pct", "waves")]
    for (has_any, has_waves, limit), part in kernels.group_by(*alike, "limited_by", maintain_order=True):
        named = {**(OF_OCCUPANCY if has_any else {}), **(OF_WAVES if has_waves else {})}
        more = [_real(name, part[column].fill_null(0).to_numpy()) for name, column in named.items()]
        if limit is not None:
            more.append(constants(message(ARGUMENT, text(2, LIMIT), text(6, str(limit))), part.height))
        yield part, more


def _work_packets(work: pl.DataFrame, is_kernel: bool, more: list[Bytes]) -> bytes:
    rows = work.height
    launch = [_dimensions(work, GRID, "grid"), _dimensions(work, BLOCK, "block")] if is_kernel else []
    for name, column in (ARGUMENTS if is_kernel else OF_COPY).items():
        launch.append(messages(ARGUMENT, [constants(text(2, name), rows), numbers(4, _column(work, column))]))
    launch += more
    event = [
        numbers(1, _column(work, "event_id")),
        numbers(2, (work["end_ns"] - work["start_ns"]).to_numpy()),
        numbers(13, _column(work, "queue")),
        numbers(14, _column(work, "stage")),
        numbers(11, _column(work, "gpu_id")),
        numbers(5, _column(work, "context")),
        numbers(20, _column(work, "name_number")),
        messages(LAUNCH, launch),
    ]
    return packets(_column(work, "start_ns"), STAGE_EVENT, event).tobytes()


def _dimensions(work: pl.DataFrame, field: int, what: str) -> Bytes:
    return messages(field, [numbers(i, _column(work, f"{what}_{axis}")) for i, axis in enumerate("xyz", 1)])


def _real(name: str, values: "np.ndarray") -> Bytes:
    """An argument that is a double, eight bytes each."""
    head = constants(text(2, name) + tag(5, FIXED64), values.size)
    return messages(ARGUMENT, [head, values.astype("<f8").view(np.uint8).reshape(-1, 8)])


def _column(work: pl.DataFrame, name: str) -> "np.ndarray":
    """A column of numbers; 0 for what is not recorded, or negative, which these fields cannot say."""
    return work[name].fill_null(0).clip(lower_bound=0).to_numpy()


COUNTER, VALUE, KIND = 4, 30, 9  # track event type; fields of value and type
BYTES = 3  # Perfetto's unit
CHUNK = 2**18  # values encoded at a time
TRACK_COUNTER, UNIT, UNIT_NAME = 8, 3, 6  # fields
SAMPLE, PID, TID, STACK_OF = 66, 2, 3, 4  # field of a packet, and its fields
FUNCTIONS, FRAMES, STACKS, MAPPINGS = 5, 6, 7, 19  # what is interned


def counters(frames: Iterator[pl.DataFrame], moved: int, tracks: Tracks) -> Iterator[bytes]:
    """Packets for the counters' tracks and values; `moved` is added to all times."""
    for (gpu, name), rows in (one for frame in frames for one in frame.group_by("group", "name", maintain_order=True)):
        unit = str(rows["unit"][0] or "")
        kind = number(UNIT, BYTES) if unit == "B" else text(UNIT_NAME, unit)
        uuid, new = tracks.counter(str(gpu), str(name), message(TRACK_COUNTER, kind))
        yield new
        for some in rows.iter_slices(CHUNK):
            head = constants(number(KIND, COUNTER) + number(11, uuid), some.height)
            at, values = (some["at_ns"] + moved).to_numpy(), numbers(VALUE, some["value"].to_numpy())
            yield packets(at, TRACK_EVENT, [head, values]).tobytes()


def samples(batches: Iterator[pl.DataFrame], moved: int) -> Iterator[bytes]:
    """Packets for rows of cpu_samples, and those that intern their call stacks."""
    functions: dict[str, int] = {}
    stacks: dict[str, int] = {}
    for rows in batches:
        yield _interned(rows["stack"].drop_nulls().unique(maintain_order=True).to_list(), functions, stacks)
        stack = rows["stack"].replace_strict(stacks, default=0, return_dtype=pl.Int64)
        columns = ((PID, rows["pid"]), (TID, rows["tid"]), (STACK_OF, stack))
        sample = [numbers(field, column.to_numpy()) for field, column in columns]
        yield packets((rows["start_ns"] + moved).to_numpy(), SAMPLE, sample).tobytes()


def _interned(texts: list[str], functions: dict[str, int], stacks: dict[str, int]) -> bytes:
    """The packet with those of these stacks that are not known yet, and their functions; both get numbers."""
    known, made = len(functions), [] if stacks else [message(MAPPINGS, number(1, 1))]
    chains = []
    for one in texts:
        if one not in stacks:
            frames = [functions.setdefault(name, len(functions) + 1) for name in one.split(";")]
            stacks[one] = len(stacks) + 1
            chains.append(message(STACKS, number(1, stacks[one]), *(number(2, frame) for frame in frames)))
    made.append(entries(FUNCTIONS, list(functions)[known:], known + 1))
    numbered = range(known + 1, len(functions) + 1)
    made += (message(FRAMES, number(1, i), number(2, i), number(3, 1)) for i in numbered)
    return interning(*made, *chains) if chains else b""


MANIFEST = "perfetto_manifest.json"
CLOCK = "BOOTTIME"  # default clock of a trace
LEVEL = 3  # of compression; higher ones take long and gain little
WHEN = (1980, 1, 1, 0, 0, 0)  # the same archive of the same exports


@dataclass(frozen=True)
class Part:
    """An export's file, machine and offset; `write` writes its trace and gives the number of events and their shift."""

    path: str
    machine: str
    offset_ns: int
    uncertainty_ns: int | None
    write: Callable[[IO[bytes]], tuple[int, int]]


def write_archive(parts: Sequence[Part], file: IO[bytes]) -> int:
    """Write a .zip of a trace of each export and a manifest that puts them on one clock; returns the number of events.

    The manifest is Perfetto's (version 1, since v58): each file is a machine of its own, and its clock is that of a
    reference file and an offset. Perfetto drops events before 0, so the reference is the file with the smallest offset.
    """
    events, offsets = 0, {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for part in parts:
            with archive.open(_entry(part.path), "w", force_zip64=True) as member:
                count, moved = part.write(member)
            events += count
            offsets[part.path] = part.offset_ns - moved
        archive.writestr(_entry(MANIFEST), json.dumps(manifest(parts, offsets), indent=1))
    return events


def _entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, WHEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def manifest(parts: Sequence[Part], offsets: dict[str, int]) -> dict[str, object]:
    """Perfetto's manifest; `offsets` are added to the times in each file to put them on one clock."""
    reference = min(offsets, key=lambda path: offsets[path])
    files: list[dict[str, object]] = []
    for part in parts:
        entry: dict[str, object] = {"path": part.path, "machine": {"name": part.machine}}
        if part.path != reference:
            to = {"file": reference, "clock": CLOCK}
            offset = offsets[part.path] - offsets[reference]
            entry["clocks"] = {"clock": CLOCK, "sync_to": to, "offset_ns": offset}
        files.append(entry)
    sure = {
        f"nsysql.uncertainty_ns.{part.path}": "not known" if part.uncertainty_ns is None else part.uncertainty_ns
        for part in parts
    }
    time = {"clock": CLOCK, "file": reference}
    return {"perfetto_manifest": {"version": 1, "trace_time": time, "files": files, "attributes": sure}}
