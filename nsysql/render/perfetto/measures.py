"""What is measured over time as packets: counters, each value of which holds until the next one, and CPU samples.

Samples are Perfetto's own, as of Linux perf, with call stacks whose functions are interned; modules are not recorded.
"""

from collections.abc import Iterator

import polars as pl

from nsysql.render.perfetto.descriptions import (
    FLAGS,
    INTERNED,
    NEEDED,
    ON_SEQUENCE,
    PACKET,
    TIMESTAMP,
    TRACK_EVENT,
    Tracks,
    packet,
)  # fmt: skip
from nsysql.render.perfetto.wire import constants, entries, message, messages, number, numbers, text

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
            yield _values(some, moved, uuid)


def _values(rows: pl.DataFrame, moved: int, uuid: int) -> bytes:
    value = numbers(VALUE, rows["value"].to_numpy())
    event = messages(TRACK_EVENT, [constants(number(KIND, COUNTER) + number(11, uuid), rows.height), value])
    time = numbers(TIMESTAMP, (rows["at_ns"] + moved).to_numpy())
    return messages(PACKET, [time, event, constants(number(FLAGS, NEEDED) + ON_SEQUENCE, rows.height)]).tobytes()


def samples(batches: Iterator[pl.DataFrame], moved: int) -> Iterator[bytes]:
    """Packets for rows of cpu_samples, and those that intern their call stacks."""
    functions: dict[str, int] = {}
    stacks: dict[str, int] = {}
    for rows in batches:
        yield _interned(rows["stack"].drop_nulls().unique(maintain_order=True).to_list(), functions, stacks)
        stack = rows["stack"].replace_strict(stacks, default=0, return_dtype=pl.Int64)
        columns = ((PID, rows["pid"]), (TID, rows["tid"]), (STACK_OF, stack))
        sample = messages(SAMPLE, [numbers(field, column.to_numpy()) for field, column in columns])
        time = numbers(TIMESTAMP, (rows["start_ns"] + moved).to_numpy())
        end = constants(number(FLAGS, NEEDED) + ON_SEQUENCE, rows.height)
        yield messages(PACKET, [time, sample, end]).tobytes()


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
    return packet(message(INTERNED, *made, *chains), number(FLAGS, NEEDED)) if chains else b""
