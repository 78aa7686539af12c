"""Counters as tracks of their own: a packet for each value, which holds until the next one."""

from collections.abc import Iterator

import polars as pl

from nsysql.render.perfetto.descriptions import FLAGS, NEEDED, ON_SEQUENCE, PACKET, TIMESTAMP, TRACK_EVENT, Tracks
from nsysql.render.perfetto.wire import constants, message, messages, number, numbers, text

COUNTER, VALUE, KIND = 4, 30, 9  # track event type; fields of value and type
BYTES = 3  # Perfetto's unit
CHUNK = 2**18  # values encoded at a time
TRACK_COUNTER, UNIT, UNIT_NAME = 8, 3, 6  # fields


def packets(counters: pl.DataFrame, moved: int, tracks: Tracks) -> Iterator[bytes]:
    """Packets for the counters' tracks and values; `moved` is added to all times."""
    for (gpu, name), rows in counters.group_by("group", "name", maintain_order=True):
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
